"""How many values are accepted without review at a stated error, and how many of them are wrong.

The confidence from which on values are accepted is found on other pages than those that are counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from docextract.answers.review import ErrorBounds, estimate_error_bounds, lowest_within

STATED_ERRORS = (0.01, 0.02)
# Steps become finer where more values lie.
CONFIDENCE_STEPS = (
    0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97, 0.9725, 0.975, 0.9775, 0.98,
    0.9825, 0.985, 0.9875, 0.99, 0.9925, 0.995, 0.9975, 0.999,
)  # fmt: skip


@dataclass(frozen=True)
class JudgedValue:
    """A value that was given. part: those of one part are from pages that no other part has."""

    source: str
    part: int
    confidence: float
    right: bool


@dataclass(frozen=True)
class Acceptance:
    """values: that were given. accepted: of these, without review. wrong: of the accepted ones."""

    values: int
    accepted: int
    wrong: int

    @property
    def share(self) -> float:
        """Share of the values that are accepted, 0..1."""
        return self.accepted / max(1, self.values)

    @property
    def error(self) -> float:
        """Share of the accepted values that are wrong, 0..1."""
        return self.wrong / max(1, self.accepted)


def error_bounds(values: Sequence[JudgedValue]) -> ErrorBounds:
    """Return the share of wrong values from each step on, as the service uses it."""
    return estimate_error_bounds([(one.confidence, one.right) for one in values], CONFIDENCE_STEPS)


def lowest_start(values: Sequence[JudgedValue], stated_error: float) -> float:
    """Return the confidence from which on at most this share of the values is wrong, estimated as in the service."""
    return lowest_within(error_bounds(values), stated_error)


def cross_fitted(values: Sequence[JudgedValue], stated_error: float) -> dict[str, Acceptance]:
    """Return by source what is accepted, from the confidence on that was found on all other parts."""
    starts = {
        part: lowest_start([one for one in values if one.part != part], stated_error)
        for part in {one.part for one in values}
    }
    found = {}
    for source in dict.fromkeys(one.source for one in values):
        own = [one for one in values if one.source == source]
        accepted = [one for one in own if one.confidence >= starts[one.part]]
        found[source] = Acceptance(len(own), len(accepted), sum(not one.right for one in accepted))
    return found

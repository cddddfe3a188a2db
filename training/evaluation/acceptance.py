"""How many values are accepted without review at a stated error, and how many of them are wrong.

The confidence from which on values are accepted is found on other pages than those that are counted, for each document
type that has enough values, and for all other types together.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from docextract.answers.review import ErrorBounds, estimate_error_bounds, lowest_within
from docextract.extraction.layout.calibration import ALL_OTHERS

STATED_ERRORS = (0.01, 0.02)
# With one limit for all, 1.9 % of the accepted values of receipts were wrong at a stated 1 %, and 0.8 % of those of
# invoices and cards; with one for receipts and one for the others it is 0.7 and 0.9 %. But with one for each type, of
# the 503 values of invoices only 33 instead of 46 % are accepted, and of the 188 of cards none (2026-11-26, 2.17.0).
MIN_TYPE_VALUES = 600
MIN_REAL_VALUES = 300  # fewer show no small share of wrong values; with fewer of the other types, all share one limit
# Steps become finer where more values lie.
CONFIDENCE_STEPS = (
    0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97, 0.9725, 0.975, 0.9775, 0.98,
    0.9825, 0.985, 0.9875, 0.99, 0.9925, 0.995, 0.9975, 0.999,
)  # fmt: skip


@dataclass(frozen=True)
class JudgedValue:
    """A value that was given. part: those of one part are from pages that no other part has."""

    source: str
    type: str
    part: int
    confidence: float
    right: bool


@dataclass(frozen=True)
class Acceptance:
    """values: that were given. accepted: of these, without review. wrong: of the accepted ones."""

    values: int
    accepted: int
    wrong: int

    def __add__(self, other: "Acceptance") -> "Acceptance":
        return Acceptance(self.values + other.values, self.accepted + other.accepted, self.wrong + other.wrong)

    @property
    def share(self) -> float:
        """Share of the values that are accepted, 0..1."""
        return self.accepted / max(1, self.values)

    @property
    def error(self) -> float:
        """Share of the accepted values that are wrong, 0..1."""
        return self.wrong / max(1, self.accepted)


def group_types(values: Sequence[JudgedValue]) -> dict[str, list[JudgedValue]]:
    """Return the values that share error bounds: those of one document type, and of all other types under "*"."""
    counts = Counter(one.type for one in values)
    groups: dict[str, list[JudgedValue]] = defaultdict(list)
    for one in values:
        groups[one.type if counts[one.type] >= MIN_TYPE_VALUES else ALL_OTHERS].append(one)
    return groups if len(groups[ALL_OTHERS]) >= MIN_REAL_VALUES else {ALL_OTHERS: list(values)}


def error_bounds(values: Sequence[JudgedValue]) -> dict[str, ErrorBounds]:
    """Return the share of wrong values from each step on, by document type, as the service uses it."""
    return {name: _bounds(some) for name, some in group_types(values).items()}


def _bounds(values: Sequence[JudgedValue]) -> ErrorBounds:
    return estimate_error_bounds([(one.confidence, one.right) for one in values], CONFIDENCE_STEPS)


def lowest_start(values: Sequence[JudgedValue], stated_error: float) -> float:
    """Return the confidence from which on at most this share of the values is wrong, estimated as in the service."""
    return lowest_within(_bounds(values), stated_error)


def cross_fitted(values: Sequence[JudgedValue], stated_error: float) -> dict[str, Acceptance]:
    """Return by source what is accepted, from the confidence on that was found on all other parts."""
    found: dict[str, Acceptance] = defaultdict(lambda: Acceptance(0, 0, 0))
    for group in group_types(values).values():
        for part in {one.part for one in group}:
            start = lowest_start([one for one in group if one.part != part], stated_error)
            for one in (one for one in group if one.part == part):
                found[one.source] += _accepted(one, start)
    return dict(found)


def _accepted(value: JudgedValue, start: float) -> Acceptance:
    is_accepted = value.confidence >= start
    return Acceptance(1, int(is_accepted), int(is_accepted and not value.right))

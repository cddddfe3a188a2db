"""How many machine-readable zones come out valid and right, of those that were printed."""

from collections.abc import Iterable
from dataclasses import dataclass

from training.accuracy.answered import Answered


@dataclass(frozen=True)
class Zones:
    """Of one document type. Counts of photographs."""

    printed: int
    found: int
    valid: int  # all check digits agree
    right: int  # valid, and every character is what was printed
    accepted: int  # by the check of the photo
    right_of_accepted: int


def zones(pages: Iterable[Answered]) -> Zones | None:
    """None where none is printed."""
    with_zone = [page for page in pages if page.sample.zone]
    if not with_zone:
        return None
    right = [_is_right(page) for page in with_zone]
    accepted = [page.outcome.accepted for page in with_zone]
    return Zones(
        len(with_zone),
        sum(page.zone is not None for page in with_zone),
        sum(bool(page.zone and page.zone["valid"]) for page in with_zone),
        sum(right),
        sum(accepted),
        sum(one and taken for one, taken in zip(right, accepted, strict=True)),
    )


def _is_right(page: Answered) -> bool:
    return bool(page.zone and page.zone["valid"] and tuple(page.zone["lines"]) == page.sample.zone)

"""How many machine-readable zones come out valid and right, of those that were printed."""

from collections.abc import Iterable
from dataclasses import dataclass

from training.evaluation.accuracy.answered import Answered


@dataclass(frozen=True)
class Zones:
    """Of one document type. Counts of photographs."""

    printed: int
    found: int
    valid: int  # all check digits agree
    right: int  # valid, and every character is what was printed
    accepted: int  # by the check of the photo
    right_of_accepted: int
    whole: int  # all of it lies inside the picture, and nothing lies over any part of the document
    right_of_whole: int


def zones(pages: Iterable[Answered]) -> Zones | None:
    """None where none is printed."""
    with_zone = [page for page in pages if page.sample.zone]
    if not with_zone:
        return None
    right = [_is_right(page) for page in with_zone]
    accepted = [page.outcome.accepted for page in with_zone]
    whole = [_is_whole(page) for page in with_zone]
    return Zones(
        len(with_zone),
        sum(page.zone is not None for page in with_zone),
        sum(bool(page.zone and page.zone["valid"]) for page in with_zone),
        sum(right),
        sum(accepted),
        sum(one and taken for one, taken in zip(right, accepted, strict=True)),
        sum(whole),
        sum(one and seen for one, seen in zip(right, whole, strict=True)),
    )


def _is_right(page: Answered) -> bool:
    return bool(page.zone and page.zone["valid"] and tuple(page.zone["lines"]) == page.sample.zone)


def _is_whole(page: Answered) -> bool:
    lines = [run for run in page.sample.runs if run.text in page.sample.zone]
    inside = all(0 <= place <= 1 for run in lines for point in run.outline for place in point)
    return inside and not page.sample.conditions.get("occluded_fraction", 0.0)

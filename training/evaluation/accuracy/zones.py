"""How many of the printed machine-readable zones are valid and right in the answers."""

from collections.abc import Iterable
from dataclasses import dataclass

from training.evaluation.accuracy.page_results import PageResult


@dataclass(frozen=True)
class ZoneSummary:
    """Counts of photos that show a zone."""

    printed: int
    found: int
    valid: int  # all check digits agree
    right: int  # valid, and every character is what was printed
    accepted: int  # photos that the validation accepts
    right_of_accepted: int
    whole: int  # the zone is completely inside the picture, and nothing covers any part of the document
    right_of_whole: int


def summarize_zones(results: Iterable[PageResult]) -> ZoneSummary | None:
    """None if no page shows a zone."""
    with_zone = [result for result in results if result.page.zone]
    if not with_zone:
        return None
    right = [_is_right(result) for result in with_zone]
    accepted = [result.outcome.accepted for result in with_zone]
    whole = [_is_whole(result) for result in with_zone]
    return ZoneSummary(
        len(with_zone),
        sum(result.zone is not None for result in with_zone),
        sum(bool(result.zone and result.zone["valid"]) for result in with_zone),
        sum(right),
        sum(accepted),
        sum(one and passed for one, passed in zip(right, accepted, strict=True)),
        sum(whole),
        sum(one and complete for one, complete in zip(right, whole, strict=True)),
    )


def _is_right(result: PageResult) -> bool:
    return bool(result.zone and result.zone["valid"] and tuple(result.zone["lines"]) == result.page.zone)


def _is_whole(result: PageResult) -> bool:
    lines = [run for run in result.page.runs if run.text in result.page.zone]
    inside = all(0 <= coordinate <= 1 for run in lines for point in run.outline for coordinate in point)
    return inside and not result.page.conditions.get("occluded_fraction", 0.0)

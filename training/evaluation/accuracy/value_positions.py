"""Whether the polygon that an answer gives for a value is where the value is printed.

*Covered* is the share of the true text's area inside the polygon. A position counts as right from 0.5: text lines do
not overlap, so the polygon then marks this text and no other. A tight box around a line of digits covers about 0.7 of
the true box, which reaches from the highest ascender to the lowest descender. The size of the polygon is reported next
to it, because a polygon around the whole page would cover everything.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from training.evaluation.accuracy.page_results import PageResult, alphanumeric, iter_comparisons
from training.evaluation.accuracy.sets import PrintedRun
from training.metrics import Comparison

MIN_COVERED = 0.5
MIN_LINE_CHARACTERS = 4  # letters and digits of a line, to count as part of a text on several lines

Place = tuple[NDArray[np.float32], ...]  # polygons [4, 2] that together contain a text


@dataclass(frozen=True)
class ValuePosition:
    """The position that was given for one right value."""

    field: str
    covered: float  # 0..1
    size: float  # area of the polygon / area of the true text

    @property
    def right(self) -> bool:
        """Whether the polygon marks the true text."""
        return self.covered >= MIN_COVERED


def measure_positions(results: Iterable[PageResult]) -> Iterator[ValuePosition]:
    """Measure every value that is right and whose true place is known. A missing polygon covers nothing."""
    for result, one in iter_comparisons(results):
        places = true_places(result, one) if one.expected is not None and one.loose else []
        if places:
            polygon = one.answer.get("polygon")
            covered, size = max((_coverage(polygon, place) for place in places), default=(0.0, 0.0))
            yield ValuePosition(one.field, covered, size)


def true_places(result: PageResult, one: Comparison) -> list[Place]:
    """Every place that is right for the value: it may be printed twice, or also in the machine-readable zone."""
    page = result.page
    content = alphanumeric(one.answer.get("content", ""))
    own = result.printed_runs(one)
    if own:
        whole = [tuple(_polygon(run) for run in own)]
        zone = [run for run in page.runs if run.text in page.zone]
        return (
            whole + [(_polygon(run),) for run in own if alphanumeric(run.text) == content] + occurrences(content, zone)
        )
    zone = [run for run in page.runs if run.text in page.zone]
    if zone:
        return occurrences(content, zone)
    if any(run.field for run in page.runs) or one.field not in page.printed:
        return []
    expected = alphanumeric(page.printed[one.field])
    return occurrences(expected, page.runs) or _on_lines(expected, page.runs)


def occurrences(text: str, runs: Sequence[PrintedRun]) -> list[Place]:
    """Every place where these letters and digits stand in a run; its polygon is cut in proportion to the characters."""
    found: list[Place] = []
    for run in runs:
        columns = [column for column, letter in enumerate(run.text) for _ in alphanumeric(letter)]
        letters, at = alphanumeric(run.text), -1
        while text and (at := letters.find(text, at + 1)) >= 0:
            last = columns[at + len(text) - 1]
            found.append((_part(run, columns[at] / len(run.text), (last + 1) / len(run.text)),))
    return found


def _on_lines(text: str, runs: Sequence[PrintedRun]) -> list[Place]:
    """One place of all runs that lie completely inside a text on several lines."""
    inside = [
        run for run in runs if len(alphanumeric(run.text)) >= MIN_LINE_CHARACTERS and alphanumeric(run.text) in text
    ]
    return [tuple(_polygon(run) for run in inside)] if inside else []


def _polygon(run: PrintedRun) -> NDArray[np.float32]:
    return np.array(run.outline, np.float32)


def _part(run: PrintedRun, start: float, end: float) -> NDArray[np.float32]:
    """The part of a run between two shares of its length, 0..1."""
    top_left, top_right, bottom_right, bottom_left = _polygon(run)
    top, bottom = top_right - top_left, bottom_right - bottom_left
    return np.array(
        [top_left + start * top, top_left + end * top, bottom_left + end * bottom, bottom_left + start * bottom]
    )


def _coverage(polygon: ArrayLike | None, place: Place) -> tuple[float, float]:
    """Covered share and relative size; see ValuePosition."""
    true_area = sum(_area(part) for part in place)
    if polygon is None or true_area <= 0:
        return 0.0, 0.0
    given = np.asarray(polygon, np.float32)
    return sum(intersection_area(given, part) for part in place) / true_area, _area(given) / true_area


def _area(polygon: NDArray[np.float32]) -> float:
    return float(cv2.contourArea(_hull(polygon)))


def intersection_area(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Intersection of two convex polygons [N, 2], times 1e8; see _hull."""
    return float(cv2.intersectConvexConvex(_hull(first), _hull(second))[0])


def _hull(polygon: NDArray[np.float32]) -> NDArray[np.float32]:
    # Scaled by 1e4: OpenCV treats corners closer than 1e-6 as one, and relative coordinates are that small.
    return np.asarray(cv2.convexHull(np.asarray(polygon, np.float32) * 1e4), np.float32)

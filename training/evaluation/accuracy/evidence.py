"""Whether the place that is given for a value is where it is printed.

*Covered*: the share of the true text's area that lies inside the polygon. A place is right from a half on: then whoever
is shown it sees this text marked and no other, since lines of print do not lie over each other. A box around all ink of
a line of figures covers about 0.7 of the true box, which reaches from the highest ascender to the lowest descender. The
size of the polygon is told beside it: one around the whole page would cover everything.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from training.evaluation.accuracy.answered import Answered, bare, comparisons
from training.evaluation.accuracy.sets import Run
from training.evaluation.metrics import Comparison

COVERED = 0.5
SHORTEST_LINE = 4  # letters of a line that may be part of a text on several lines

Place = tuple[NDArray[np.float32], ...]  # polygons [4, 2] that together hold a text


@dataclass(frozen=True)
class Evidence:
    """One value that is right, and the place that was given for it."""

    field: str
    covered: float  # 0..1
    size: float  # area of the polygon / area of the true text

    @property
    def right(self) -> bool:
        """It is the text's place."""
        return self.covered >= COVERED


def evidence(pages: Iterable[Answered]) -> Iterator[Evidence]:
    """Of every value that is right and whose true place is known. No polygon covers nothing."""
    for page, one in comparisons(pages):
        places = true_places(page, one) if one.wanted is not None and one.loose else []
        if places:
            polygon = one.answer.get("polygon")
            covered, size = max((_measured(polygon, place) for place in places), default=(0.0, 0.0))
            yield Evidence(one.field, covered, size)


def true_places(page: Answered, one: Comparison) -> list[Place]:
    """Everywhere the value can rightly be pointed at: it may be printed twice, or in the machine-readable zone, too."""
    content = bare(one.answer.get("content", ""))
    own = page.printed(one)
    if own:
        whole = [tuple(_polygon(run) for run in own)]
        zone = [run for run in page.sample.runs if run.text in page.sample.zone]
        return whole + [(_polygon(run),) for run in own if bare(run.text) == content] + occurrences(content, zone)
    zone = [run for run in page.sample.runs if run.text in page.sample.zone]
    if zone:
        return occurrences(content, zone)
    if any(run.field for run in page.sample.runs) or one.field not in page.sample.printed:
        return []
    wanted = bare(page.sample.printed[one.field])
    return occurrences(wanted, page.sample.runs) or _on_lines(wanted, page.sample.runs)


def occurrences(text: str, runs: Sequence[Run]) -> list[Place]:
    """Every place where these letters and digits follow each other within one run, cut out of it by their number."""
    found: list[Place] = []
    for run in runs:
        columns = [column for column, letter in enumerate(run.text) for _ in bare(letter)]
        letters, at = bare(run.text), -1
        while text and (at := letters.find(text, at + 1)) >= 0:
            last = columns[at + len(text) - 1]
            found.append((_part(run, columns[at] / len(run.text), (last + 1) / len(run.text)),))
    return found


def _on_lines(text: str, runs: Sequence[Run]) -> list[Place]:
    """The runs that lie wholly inside a text on several lines, together."""
    inside = [run for run in runs if len(bare(run.text)) >= SHORTEST_LINE and bare(run.text) in text]
    return [tuple(_polygon(run) for run in inside)] if inside else []


def _polygon(run: Run) -> NDArray[np.float32]:
    return np.array(run.outline, np.float32)


def _part(run: Run, start: float, end: float) -> NDArray[np.float32]:
    """From one share of its length to another."""
    top_left, top_right, bottom_right, bottom_left = _polygon(run)
    top, bottom = top_right - top_left, bottom_right - bottom_left
    return np.array(
        [top_left + start * top, top_left + end * top, bottom_left + end * bottom, bottom_left + start * bottom]
    )


def _measured(polygon: ArrayLike | None, place: Place) -> tuple[float, float]:
    """Covered, and size."""
    true_area = sum(_area(part) for part in place)
    if polygon is None or true_area <= 0:
        return 0.0, 0.0
    given = np.asarray(polygon, np.float32)
    return sum(common_area(given, part) for part in place) / true_area, _area(given) / true_area


def _area(polygon: NDArray[np.float32]) -> float:
    return float(cv2.contourArea(_hull(polygon)))


def common_area(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Of two convex polygons [N, 2]."""
    return float(cv2.intersectConvexConvex(_hull(first), _hull(second))[0])


def _hull(polygon: NDArray[np.float32]) -> NDArray[np.float32]:
    # Relative coordinates are too small for OpenCV, which takes corners nearer than 1e-6 for one.
    return np.asarray(cv2.convexHull(np.asarray(polygon, np.float32) * 1e4), np.float32)

"""Pictures of typical failures: synthetic pages with a confident, wrong value, and a sentence about the difference.

They are selected by rule, not by eye: the most confident wrong values, each field of a document type once. Rows of
lists are left out, because a missed row moves all others. Only generated pages are shown: real ones are private.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from docextract.images.geometry import Page
from training.datasets import pictures
from training.evaluation.accuracy.causes import error_cause_on
from training.evaluation.accuracy.page_results import PageResult, alphanumeric, iter_comparisons
from training.metrics import Comparison

MARGIN = 0.06  # around both places, as a share of the picture's longer side
MAX_SIDE_PX, MIN_SIDE_PX = 640, 360  # longer side of a picture; smaller parts are enlarged to MIN_SIDE_PX
MAX_PICTURE_BYTES = 40_000
_TRUE_COLOUR, _GIVEN_COLOUR = (43, 138, 62), (201, 42, 42)


@dataclass(frozen=True)
class Failure:
    """A wrong value with a high confidence."""

    result: PageResult
    comparison: Comparison

    @property
    def name(self) -> str:
        """Document type and field, for example receipt_total."""
        return f"{self.result.page.label.type}_{self.comparison.field}"

    def __str__(self) -> str:
        """One or two sentences: both values, and how they differ."""
        return f"{_quote(self.comparison)} {''.join(_explain(self.result, self.comparison))}"


def select_failures(results: Iterable[PageResult], count: int) -> list[Failure]:
    """The most confident wrong values, at most `count`; each field of a type once, each page once."""
    wrong = [
        Failure(result, one)
        for result, one in iter_comparisons(results)
        if one.row is None and one.predicted is not None and not (one.expected is not None and one.loose)
    ]
    selected: dict[str, Failure] = {}
    for failure in sorted(wrong, key=lambda failure: failure.comparison.confidence or 0.0, reverse=True):
        if failure.name not in selected and failure.result not in [other.result for other in selected.values()]:
            selected[failure.name] = failure
    return list(selected.values())[:count]


def _quote(one: Comparison) -> str:
    expected = "no value" if one.expected is None else f"`{one.expected}`"
    return f"Expected {expected}, got `{one.predicted}` (confidence {one.confidence or 0:.0%})."


def _explain(result: PageResult, one: Comparison) -> Iterator[str]:
    other = next(
        (it.field for it in result.outcome.comparisons if it.field != one.field and _same(it.expected, one.predicted)),
        None,
    )
    if one.expected is None:
        yield "The page has no such field"
    elif isinstance(one.expected, str) and _is_swapped(one.expected, str(one.predicted)):
        yield "Day and month are swapped"
    else:
        expected, given = alphanumeric(one.expected), alphanumeric(one.predicted)
        match error_cause_on(result, one):
            case "reading" if (distance := Levenshtein.distance(expected, given)) <= len(expected) / 2:
                yield f"{distance} of {len(expected)} letters and digits were misread"
            case "reading":
                yield "The OCR text differs from the print"
            case "joining" if given in expected:
                yield "The value is cut short"
            case "joining" if expected in given:
                yield "The value includes text next to it"
            case "joining":
                yield "The parts of the value are joined wrongly"
            case _:
                yield "The OCR text is right, but another place was chosen"
    yield f": it is the page's `{other}`." if other else "."


def _same(expected: Any, given: Any) -> bool:
    return expected is not None and len(alphanumeric(given)) > 1 and alphanumeric(expected) == alphanumeric(given)


def _is_swapped(expected: str, given: str) -> bool:
    try:
        first, second = date.fromisoformat(expected), date.fromisoformat(given)
    except ValueError:
        return False
    return (first.day, first.month) == (second.month, second.day) and first != second


def draw_failure(failure: Failure) -> bytes:
    """JPEG of the part of the photo with both places: the true one in green, the given one in red."""
    photo = pictures.load(failure.result.page.label.image)
    size = np.array(photo.shape[1::-1], np.float32)
    true = [np.array(run.outline, np.float32) * size for run in failure.result.printed_runs(failure.comparison)]
    polygon = failure.comparison.answer.get("polygon")
    given = [np.array(polygon, np.float32) * size] if polygon is not None else []
    photo, scale, corner = _cut(photo, [*true, *given])
    for outlines, colour in ((true, _TRUE_COLOUR), (given, _GIVEN_COLOUR)):
        points = [np.rint((outline - corner) * scale).astype(np.int32) for outline in outlines]
        cv2.polylines(photo, points, True, colour, 2, cv2.LINE_AA)
    return _encode(photo)


def _cut(photo: Page, outlines: Sequence[NDArray[np.float32]]) -> tuple[Page, float, NDArray[np.float32]]:
    """The scaled part around the outlines, its scale, and its top-left corner in the photo, px."""
    height, width = photo.shape[:2]
    points = np.concatenate(outlines) if outlines else np.array([[0, 0], [width, height]], np.float32)
    margin = MARGIN * max(height, width)
    left, top = (int(max(0.0, value)) for value in points.min(axis=0) - margin)
    right, bottom = (
        int(min(limit, value)) for value, limit in zip(points.max(axis=0) + margin, (width, height), strict=True)
    )
    part = photo[top : max(bottom, top + 1), left : max(right, left + 1)]
    longest = max(part.shape[:2])
    scale = float(np.clip(MAX_SIDE_PX / longest, 0.1, max(1.0, MIN_SIDE_PX / longest)))
    drawn = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    return np.ascontiguousarray(drawn, np.uint8), scale, np.array([left, top], np.float32)


def _encode(photo: Page) -> bytes:
    """JPEG in the best quality that stays within MAX_PICTURE_BYTES."""
    bgr = cv2.cvtColor(photo, cv2.COLOR_RGB2BGR)
    for quality in range(85, 5, -10):
        jpeg = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
        if len(jpeg) <= MAX_PICTURE_BYTES:
            break
    return jpeg


def write_failures(failures: Iterable[Failure], folder: Path) -> Iterator[tuple[Failure, Path]]:
    """Write a numbered picture for each failure; pictures of an earlier run are removed first."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("failure_*.jpg"):
        old.unlink()
    for number, failure in enumerate(failures, start=1):
        file = folder / f"failure_{number:02}.jpg"
        file.write_bytes(draw_failure(failure))
        yield failure, file

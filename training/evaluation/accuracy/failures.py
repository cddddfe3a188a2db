"""Failures as pictures: synthetic pages on which a model was sure and wrong, and what differs, in words.

Chosen by rule, not by eye: the surest wrong values first, each field of a type once. Rows of lists are left out, since
a row that is missed moves all others. Pages are the generator's: a real one is nobody's to show.
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
from training.evaluation.accuracy.answered import Answered, bare, comparisons
from training.evaluation.accuracy.causes import cause_on
from training.evaluation.metrics import Comparison

MARGIN = 0.06  # of the picture's longer side, kept around both places
LONGEST_PX, SHORTEST_PX = 640, 360  # what is smaller is enlarged to it
MOST_BYTES = 40_000
_TRUE, _GIVEN = (43, 138, 62), (201, 42, 42)


@dataclass(frozen=True)
class Failure:
    """One value that is wrong though the model was sure."""

    page: Answered
    one: Comparison

    @property
    def name(self) -> str:
        """For its file."""
        return f"{self.page.sample.label.type}_{self.one.field}"

    def __str__(self) -> str:
        """What differs, in a line."""
        return f"{_quoted(self.one)} {''.join(_explained(self.page, self.one))}"


def typical(pages: Iterable[Answered], count: int) -> list[Failure]:
    """The surest wrong ones, each field of a type once, each page once."""
    wrong = [
        Failure(page, one)
        for page, one in comparisons(pages)
        if one.row is None and one.given is not None and not (one.wanted is not None and one.loose)
    ]
    chosen: dict[str, Failure] = {}
    for failure in sorted(wrong, key=lambda failure: failure.one.confidence or 0.0, reverse=True):
        if failure.name not in chosen and failure.page not in [other.page for other in chosen.values()]:
            chosen[failure.name] = failure
    return list(chosen.values())[:count]


def _quoted(one: Comparison) -> str:
    wanted = "nothing" if one.wanted is None else f"`{one.wanted}`"
    return f"Wanted {wanted}, given `{one.given}` ({one.confidence or 0:.0%} sure)."


def _explained(page: Answered, one: Comparison) -> Iterator[str]:
    other = next(
        (it.field for it in page.outcome.comparisons if it.field != one.field and _same(it.wanted, one.given)), None
    )
    if one.wanted is None:
        yield "The page has no such field"
    elif isinstance(one.wanted, str) and _is_swapped(one.wanted, str(one.given)):
        yield "Day and month are swapped"
    else:
        wanted, given = bare(one.wanted), bare(one.given)
        match cause_on(page, one):
            case "reading" if (apart := Levenshtein.distance(wanted, given)) <= len(wanted) / 2:
                yield f"{apart} of its {len(wanted)} letters and digits were misread"
            case "reading":
                yield "It was not read as it is printed"
            case "joining" if given in wanted:
                yield "It is cut short"
            case "joining" if wanted in given:
                yield "It takes in what stands beside it"
            case "joining":
                yield "Its parts are put together wrongly"
            case _:
                yield "It was read, and another place was taken for it"
    yield f": that is the page's `{other}`." if other else "."


def _same(wanted: Any, given: Any) -> bool:
    return wanted is not None and len(bare(given)) > 1 and bare(wanted) == bare(given)


def _is_swapped(wanted: str, given: str) -> bool:
    try:
        first, second = date.fromisoformat(wanted), date.fromisoformat(given)
    except ValueError:
        return False
    return (first.day, first.month) == (second.month, second.day) and first != second


def picture(failure: Failure) -> bytes:
    """JPEG: the part of the photograph with both places, what is true in green, what was given in red."""
    photo = pictures.load(failure.page.sample.label.image)
    size = np.array(photo.shape[1::-1], np.float32)
    true = [np.array(run.outline, np.float32) * size for run in failure.page.printed(failure.one)]
    polygon = failure.one.answer.get("polygon")
    given = [np.array(polygon, np.float32) * size] if polygon is not None else []
    photo, scale, corner = _cut(photo, [*true, *given])
    for outlines, colour in ((true, _TRUE), (given, _GIVEN)):
        points = [np.rint((outline - corner) * scale).astype(np.int32) for outline in outlines]
        cv2.polylines(photo, points, True, colour, 2, cv2.LINE_AA)
    return _packed(photo)


def _cut(photo: Page, outlines: Sequence[NDArray[np.float32]]) -> tuple[Page, float, NDArray[np.float32]]:
    """The part around the outlines, scaled; its scale, and its top left corner in the photo."""
    height, width = photo.shape[:2]
    points = np.concatenate(outlines) if outlines else np.array([[0, 0], [width, height]], np.float32)
    margin = MARGIN * max(height, width)
    left, top = (int(max(0.0, value)) for value in points.min(axis=0) - margin)
    right, bottom = (
        int(min(most, value)) for value, most in zip(points.max(axis=0) + margin, (width, height), strict=True)
    )
    part = photo[top : max(bottom, top + 1), left : max(right, left + 1)]
    longest = max(part.shape[:2])
    scale = float(np.clip(LONGEST_PX / longest, 0.1, max(1.0, SHORTEST_PX / longest)))
    drawn = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    return np.ascontiguousarray(drawn, np.uint8), scale, np.array([left, top], np.float32)


def _packed(photo: Page) -> bytes:
    bgr = cv2.cvtColor(photo, cv2.COLOR_RGB2BGR)
    for quality in range(85, 5, -10):
        packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
        if len(packed) <= MOST_BYTES:
            break
    return packed


def write(failures: Iterable[Failure], folder: Path) -> Iterator[tuple[Failure, Path]]:
    """Each failure's picture, numbered; those of an earlier time are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("failure_*.jpg"):
        old.unlink()
    for number, failure in enumerate(failures, start=1):
        file = folder / f"failure_{number:02}.jpg"
        file.write_bytes(picture(failure))
        yield failure, file

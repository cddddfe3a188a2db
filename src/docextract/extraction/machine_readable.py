"""Lines of a page → the machine-readable zone among them, by rule.

The network does not label it: check digits know better than any network what stands there. Here the lines are
found by their look, put together where the reader broke them in two, and each value gets its place and a confidence.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise

import numpy as np

from docextract.documents import mrz
from docextract.documents.mrz import FILLER, Mrz, ZoneField
from docextract.extraction.pieces import part
from docextract.findings import FoundValue, FoundZone, Line
from docextract.imaging import Polygon

SHORTEST_PX_RATIO = 0.5  # of two lines' heights; below it they are not of one zone
ROW_OVERLAP = 0.5  # of a line's height: closer than this, lines stand on one row
LARGEST_PITCH = 3.5  # from row to row, in heights
_FEWEST_FILLERS = 2
_SHORTEST = 18  # characters of a line, or of the longer part of one
_SHORTEST_REST = 8  # characters of a part of a line in the row next to a longer one
_SHORTEST_FULL = 27  # characters of a line without any filler
_FILLERS = re.compile("[<«‹〈《＜]")
_FULL = re.compile(r"[A-Z0-9]+")
_PART = re.compile(r"[A-Z0-9<«‹〈《＜]+")
_NUMBER = re.compile(r"(?=[A-Z0-9]*\d)[A-Z0-9]{6,}")

# Log odds that a value is right. Guesses, held against composed zones that were printed and read; not yet fitted to
# photographs.
_CHECKED = {True: 4.6, None: 3.0, False: -0.5}  # by the field's own check digit; None where it has none
_VALID_ZONE = 0.7  # all check digits agree; else as much less
_REPAIRED = -1.0
_READ = 3.0  # times the log of the reader's own confidence


def find(lines: Sequence[Line], today: date) -> FoundZone | None:
    """The machine-readable zone on a page, the valid one where there are several; None where there is none."""
    rows = _rows(lines)
    numbers = _numbers(lines)
    found = [
        (zone, some)
        for height in (3, 2)
        for some in _neighbours(rows, height)
        if (zone := mrz.read([row.text for row in some], today, numbers)) is not None
    ]
    if not found:
        return None
    zone, of_rows = max(found, key=lambda one: (one[0].valid, sum(one[0].checks.values())))
    return _found(zone, of_rows)


def type_of(zone: FoundZone | None) -> str | None:
    """The document type that a valid zone speaks for: a passport's code begins with P, a card's with I, A or C."""
    if zone is None or not zone.valid:
        return None
    if zone.format == "TD3":
        return "passport" if zone.document_code.startswith("P") else None
    return "id_card" if zone.document_code[:1] in ("I", "A", "C") else None


@dataclass(frozen=True)
class _Placed:
    """A line, and where it stands in a frame in which the zone is level; px."""

    line: Line
    left: float
    right: float
    middle: float  # from the top
    height: float


@dataclass(frozen=True)
class _Row:
    """Parts of one line of the zone, from the left."""

    parts: tuple[_Placed, ...]

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Column in which each part begins. What lies between two parts was not read, be it fillers or a thumb."""
        pitch = sum(one.right - one.left for one in self.parts) / sum(len(one.line.text) for one in self.parts)
        starts, end = [0], len(self.parts[0].line.text)
        for before, after in pairwise(self.parts):
            starts.append(end + max(0, round((after.left - before.right) / pitch)))
            end = starts[-1] + len(after.line.text)
        return tuple(starts)

    @property
    def text(self) -> str:
        """The whole row, with fillers for what was not read."""
        text = ""
        for start, placed in zip(self.starts, self.parts, strict=True):
            text = text.ljust(start, FILLER) + placed.line.text
        return text

    @property
    def middle(self) -> float:
        return self.parts[0].middle

    @property
    def height(self) -> float:
        return self.parts[0].height

    def places(self, characters: Sequence[int]) -> Iterator[Polygon]:
        """Where these characters of the text stand: one polygon for each part that has any."""
        for start, placed in zip(self.starts, self.parts, strict=True):
            own = [at - start for at in characters if start <= at < start + len(placed.line.text)]
            if own:
                yield part(placed.line, min(own), max(own) + 1)


def _looks_machine_readable(text: str) -> bool:
    squeezed = "".join(text.split())
    fillers = len(_FILLERS.findall(squeezed))
    return (len(squeezed) >= _SHORTEST and fillers >= _FEWEST_FILLERS) or (
        len(squeezed) >= _SHORTEST_FULL and _FULL.fullmatch(squeezed) is not None
    )


def _rows(lines: Sequence[Line]) -> list[_Row]:
    """Rows of what looks machine-readable, and of what stands on or next to such a row, from the top."""
    sure = [line for line in lines if _looks_machine_readable(line.text)]
    others = [line for line in lines if not _looks_machine_readable(line.text)]
    if not sure:
        return []
    longest = max(sure, key=lambda line: len(line.text)).polygon
    along = longest[1] - longest[0] + longest[2] - longest[3]
    angle = math.atan2(along[1], along[0])
    anchors = [_placed(line, angle) for line in sure]
    parts = [
        placed
        for line in others
        if _PART.fullmatch("".join(line.text.split()))
        for placed in [_placed(line, angle)]
        if any(_on_one_row(placed, anchor) or _near(placed, anchor) for anchor in anchors)
    ]
    rows: list[list[_Placed]] = []
    for placed in sorted([*anchors, *parts], key=lambda one: one.middle):
        if rows and _on_one_row(placed, rows[-1][0]):
            rows[-1].append(placed)
        else:
            rows.append([placed])
    return [_Row(tuple(sorted(row, key=lambda one: one.left))) for row in rows]


def _placed(line: Line, angle: float) -> _Placed:
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    level = np.asarray(line.polygon, np.float64) @ turn.T
    height = (np.linalg.norm(level[3] - level[0]) + np.linalg.norm(level[2] - level[1])) / 2
    left, right = float(level[:, 0].min()), float(level[:, 0].max())
    return _Placed(line, left, right, float(level[:, 1].mean()), float(height))


def _on_one_row(first: _Placed, second: _Placed) -> bool:
    small, large = sorted((first.height, second.height))
    return small >= SHORTEST_PX_RATIO * large and abs(first.middle - second.middle) < ROW_OVERLAP * small


def _near(placed: _Placed, anchor: _Placed) -> bool:
    """Long enough to be what a thumb left of the row above or below."""
    small, large = sorted((placed.height, anchor.height))
    distance = abs(placed.middle - anchor.middle)
    alike = small >= SHORTEST_PX_RATIO * large and distance < LARGEST_PITCH * large
    return alike and len(placed.line.text) >= _SHORTEST_REST


def _neighbours(rows: Sequence[_Row], height: int) -> Iterator[Sequence[_Row]]:
    """That many rows right under each other."""
    for at in range(len(rows) - height + 1):
        some = rows[at : at + height]
        pitches = [(below.middle - above.middle) / above.height for above, below in pairwise(some)]
        if max(pitches) < LARGEST_PITCH:
            yield some


def _numbers(lines: Sequence[Line]) -> frozenset[str]:
    """What may be a document number on the rest of the page."""
    texts = [line.text.upper() for line in lines if not _looks_machine_readable(line.text)]
    return frozenset(
        number for text in texts for form in (text, "".join(text.split())) for number in _NUMBER.findall(form)
    )


def _found(zone: Mrz, rows: Sequence[_Row]) -> FoundZone:
    """The zone as it goes out, each value with its evidence."""
    fields = {name: _value(field, zone, rows) for name, field in zone.fields.items()}
    read = min(_confidences(rows))
    whole = tuple(placed.line.polygon for row in rows for placed in row.parts)
    confidence = _probability(_CHECKED[zone.valid] + _READ * math.log(read))
    return FoundZone(
        zone.format, zone.document_code, zone.lines, zone.valid, dict(zone.checks), zone.cut, confidence, whole, fields
    )


def _value(field: ZoneField, zone: Mrz, rows: Sequence[_Row]) -> FoundValue:
    polygons = [
        polygon
        for place in field.places
        for polygon in rows[place.line].places([zone.origins[place.line][column] for _, column in place.cells()])
    ]
    read = min(_confidences([rows[place.line] for place in field.places]))
    odds = _CHECKED[field.checked] + (_VALID_ZONE if zone.valid else -_VALID_ZONE) + _READ * math.log(read)
    confidence = _probability(odds + (_REPAIRED if field.repaired else 0.0))
    return FoundValue(field.text, field.value, confidence, tuple(polygons))


def _confidences(rows: Sequence[_Row]) -> list[float]:
    return [max(placed.line.confidence, 0.01) for row in rows for placed in row.parts]


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))

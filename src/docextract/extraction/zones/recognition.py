"""Lines of a page → the machine-readable zone among them, by rule.

The network does not label it: check digits know better than any network what stands there. Here the lines are
found by their look, put together where the reader broke them in two, and each value gets its place and a confidence.
Whoever has the page can have a closer look taken at the lines that were found, by a network that knows such lines
alone; see `zone_network`.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docextract.documents import mrz
from docextract.documents.mrz import FILLER, ParsedZone, ZoneField
from docextract.extraction.layout.pieces import substring_polygon
from docextract.extraction.zones.decoding import DecodedZone, FrameScores, decode_zone
from docextract.images.geometry import Polygon
from docextract.predictions import PredictedValue, PredictedZone, TextLine

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

# Log odds that a value is right. Guesses, held against 120 synthetic photographs (2026-11-21): of 840 values of valid
# zones that a closer look was had at 839 were right, of 57 of others 50.
_CHECKED = {True: 4.6, None: 3.0, False: -0.5}  # by the field's own check digit; None where it has none
_CHECKED_CLOSER = {True: 5.0, None: 4.3, False: -0.5}  # where a closer look was had: never more than that
_DIGIT_AGREES = 2.3  # one in ten would by chance
_VALID_ZONE = 0.7  # all check digits agree; else as much less
_REPAIRED = -1.0
_READ = 3.0  # times the log of the reader's own confidence

_LONG = 0.5  # of the longest row's length: so long is a row of the zone, and not a part of one
_OVERHANG = 0.45  # of a row's height: a strip reaches so far beyond the print
_STRIP_HEIGHT = 0.95  # of a row's height as PP-OCR finds it, nearly to the next one
_GAP = 1.7  # of a row's height: so far from the next one, another lies between them
_GUESSED_PITCH = 1.1  # of a row's height: from row to row where one alone was found

_CONTRADICTED = 5.0  # log odds

Look = Callable[[Sequence[Polygon]], Sequence[FrameScores]]  # at strips of the page, each a line, px
_Read = tuple[ParsedZone, "Sequence[_Row]"]


def find_zone(lines: Sequence[TextLine], today: date, look: Look | None = None) -> PredictedZone | None:
    """The machine-readable zone on a page, the valid one where there are several; None where there is none.

    look: has a closer look at the lines; without, they are what the reader says.
    """
    level = _rows(lines)
    numbers = _numbers(lines)
    found = [
        (zone, some)
        for height in (3, 2)
        for some in _neighbours(level.rows, height)
        if (zone := mrz.parse_zone([row.text for row in some], today, numbers)) is not None
    ]
    heard = {zone.lines for zone, _ in found}
    closer, spellings = _looked_at(level, look, today, numbers, heard) if look and level.rows else ([], [])
    if look:
        found = [(_held_against(zone, spellings), some) for zone, some in found]
    best = max(closer + found, key=lambda one: (one[0].valid, sum(one[0].checks.values())), default=None)
    return None if best is None else _found(*best)


def find_zone_in_strips(
    traced: Sequence[tuple[FrameScores, Polygon]], lines: Sequence[TextLine], today: date
) -> PredictedZone | None:
    """The valid zone in what was seen along some lines, from the top; None where none of them is.

    traced: with each line's outline, px of the page. lines: what the reader found on the page.
    """
    numbers = _numbers(lines)
    for count in (3, 2):
        for at in range(len(traced) - count + 1):
            some = traced[at : at + count]
            spelling = decode_zone([frames for frames, _ in some], numbers)
            read = spelling and _spelt(spelling, [outline for _, outline in some], 0.0, today, numbers)
            if read and read[0].valid:
                return _found(*read)
    return None


def document_type_of(zone: PredictedZone | None) -> str | None:
    """The document type that a valid zone speaks for: a passport's code begins with P, a card's with I, A or C."""
    if zone is None or not zone.valid:
        return None
    if zone.format == "TD3":
        return "passport" if zone.document_code.startswith("P") else None
    return "id_card" if zone.document_code[:1] in ("I", "A", "C") else None


@dataclass(frozen=True)
class _Placed:
    """A line, and where it stands in a frame in which the zone is level; px."""

    line: TextLine
    left: float
    right: float
    middle: float  # from the top
    height: float
    ends: tuple[tuple[float, float], tuple[float, float]]  # the middles of its left and right edge


@dataclass(frozen=True)
class _Row:
    """Parts of one line of the zone, from the left.

    chances: [N], of each of its characters, where a closer look was had at it.
    """

    parts: tuple[_Placed, ...]
    chances: NDArray[np.float32] | None = None

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

    @property
    def length(self) -> float:
        return self.parts[-1].right - self.parts[0].left

    def sureness(self, characters: Sequence[int]) -> float:
        """The reader's confidence, or the probability that all these are what they seem."""
        if self.chances is None:
            return min(max(placed.line.confidence, 0.01) for placed in self.parts)
        return max(float(self.chances[list(characters)].prod()), 1e-4)

    def places(self, characters: Sequence[int]) -> Iterator[Polygon]:
        """Where these characters of the text stand: one polygon for each part that has any."""
        for start, placed in zip(self.starts, self.parts, strict=True):
            own = [at - start for at in characters if start <= at < start + len(placed.line.text)]
            if own:
                yield substring_polygon(placed.line, min(own), max(own) + 1)


@dataclass(frozen=True)
class _Level:
    """Rows from the top, in a frame in which they are level; angle: how far clockwise that is turned, radians."""

    rows: list[_Row]
    angle: float

    def on_page(self, points: NDArray[np.floating]) -> Polygon:
        """Points of that frame in px of the page."""
        found: Polygon = (points @ _turn(self.angle)).astype(np.float32)
        return found


def _turn(angle: float) -> NDArray[np.float64]:
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def _looks_machine_readable(text: str) -> bool:
    squeezed = "".join(text.split())
    fillers = len(_FILLERS.findall(squeezed))
    return (len(squeezed) >= _SHORTEST and fillers >= _FEWEST_FILLERS) or (
        len(squeezed) >= _SHORTEST_FULL and _FULL.fullmatch(squeezed) is not None
    )


def _rows(lines: Sequence[TextLine]) -> _Level:
    """Rows of what looks machine-readable, and of what stands on or next to such a row."""
    sure = [line for line in lines if _looks_machine_readable(line.text)]
    others = [line for line in lines if not _looks_machine_readable(line.text)]
    if not sure:
        return _Level([], 0.0)
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
    return _Level([_Row(tuple(sorted(row, key=lambda one: one.left))) for row in rows], angle)


def _placed(line: TextLine, angle: float) -> _Placed:
    level = np.asarray(line.polygon, np.float64) @ _turn(angle).T
    height = (np.linalg.norm(level[3] - level[0]) + np.linalg.norm(level[2] - level[1])) / 2
    left, right = float(level[:, 0].min()), float(level[:, 0].max())
    start, end = (level[0] + level[3]) / 2, (level[1] + level[2]) / 2
    ends = (float(start[0]), float(start[1])), (float(end[0]), float(end[1]))
    return _Placed(line, left, right, float(level[:, 1].mean()), float(height), ends)


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


@dataclass(frozen=True)
class _Baseline:
    """The middle of a row in the level frame: where it would be at x = 0, and how it falls."""

    start: float
    slope: float

    def below(self, distance: float) -> "_Baseline":
        return replace(self, start=self.start + distance)

    def at(self, x: float) -> float:
        return self.start + self.slope * x


def _looked_at(
    level: _Level, look: Look, today: date, numbers: Collection[str], heard: Collection[tuple[str, ...]]
) -> tuple[list[_Read], list[DecodedZone]]:
    """What a closer look makes of the rows; where that is no valid zone, of those, too, that may have been missed."""
    longest = max(row.length for row in level.rows)
    rows = [row for row in level.rows if row.length >= _LONG * longest]
    height = max(rows, key=lambda row: row.length).height
    left, right = min(row.parts[0].left for row in rows), max(row.parts[-1].right for row in rows)
    lines = _baselines(rows)
    found: list[_Read] = []
    spellings: list[DecodedZone] = []
    whole = _with_missed(lines, height, (left + right) / 2)
    for some in (lines, whole) if len(whole) > len(lines) else (lines,):
        reach = _OVERHANG * height
        outlines = [level.on_page(_strip(one, left - reach, right + reach, _STRIP_HEIGHT * height)) for one in some]
        frames = look(outlines)
        for count in (3, 2):
            for at in range(len(some) - count + 1):
                spelling = decode_zone(frames[at : at + count], numbers, heard)
                if spelling is None:
                    continue
                spellings.append(spelling)
                if read := _spelt(spelling, outlines[at : at + count], level.angle, today, numbers):
                    found.append(read)
        if any(zone.valid for zone, _ in found):
            break
    return found, spellings


def _held_against(zone: ParsedZone, spellings: Sequence[DecodedZone]) -> ParsedZone:
    """What the reader says, as not valid where a closer look saw something else: fillers are put in by guess there."""
    seen = [spelling.against(zone.lines) for spelling in spellings if spelling.layout.format == zone.format]
    doubtful = bool(seen and min(seen) > _CONTRADICTED) or not _is_coded(zone)
    return replace(zone, ambiguous=True) if doubtful else zone


def _is_coded(zone: ParsedZone) -> bool:
    """Whether it begins as zones of its format do: else its first line has been moved."""
    return zone.document_code.startswith(("P",) if zone.format == "TD3" else ("I", "A", "C"))


def _baselines(rows: Sequence[_Row]) -> list[_Baseline]:
    """All fall as the longest does, but for the tilt of their own that they have when they are nearly as long."""
    longest = max(rows, key=lambda row: row.length)
    common = _slope(longest)
    found = []
    for row in rows:
        slope = _slope(row) if row.length > 0.8 * longest.length else common
        ends = np.array([end for placed in row.parts for end in placed.ends])
        weights = np.array([placed.right - placed.left for placed in row.parts for _ in placed.ends])
        found.append(_Baseline(float(np.average(ends[:, 1] - slope * ends[:, 0], weights=weights)), slope))
    return found


def _slope(row: _Row) -> float:
    (x0, y0), (x1, y1) = row.parts[0].ends[0], row.parts[-1].ends[1]
    return (y1 - y0) / max(x1 - x0, 1.0)


def _with_missed(lines: Sequence[_Baseline], height: float, x: float) -> list[_Baseline]:
    """With rows where the reader may have missed some: between two, above and below. x: somewhere on them."""
    whole = [lines[0]]
    for above, below in pairwise(lines):
        gap = below.at(x) - above.at(x)
        if gap > _GAP * height:
            whole.append(above.below(gap / 2))
        whole.append(below)
    pitch = min((below.at(x) - above.at(x) for above, below in pairwise(whole)), default=_GUESSED_PITCH * height)
    more = range(1, 4 - len(whole))
    return [
        *(whole[0].below(-pitch * far) for far in reversed(more)),
        *whole,
        *(whole[-1].below(pitch * far) for far in more),
    ]


def _strip(line: _Baseline, left: float, right: float, height: float) -> NDArray[np.float64]:
    """Its outline in the level frame."""
    up, down = -height / 2, height / 2
    return np.array(
        [
            [left, line.at(left) + up], [right, line.at(right) + up],
            [right, line.at(right) + down], [left, line.at(left) + down],
        ]
    )  # fmt: skip


def _spelt(
    spelling: DecodedZone, outlines: Sequence[Polygon], angle: float, today: date, numbers: Collection[str]
) -> _Read | None:
    """The zone that was made out, and its rows; None where hardly one can be seen."""
    if not spelling.plausible:
        return None
    zone = mrz.parse_zone(spelling.lines, today, numbers)
    if zone is None or zone.format != spelling.layout.format:
        return None
    if not spelling.clear(zone.lines) or not _is_coded(zone):
        zone = replace(zone, ambiguous=True)  # others would fit as well, or it was mended into what was not seen
    rows = []
    for at, (text, outline, columns) in enumerate(zip(spelling.lines, outlines, spelling.columns, strict=True)):
        chances = spelling.of(at)
        line = TextLine(text, outline, float(chances.mean()), columns.cuts)
        rows.append(_Row((_placed(line, angle),), chances))
    return zone, rows


def _numbers(lines: Sequence[TextLine]) -> frozenset[str]:
    """What may be a document number on the rest of the page."""
    texts = [line.text.upper() for line in lines if not _looks_machine_readable(line.text)]
    return frozenset(
        number for text in texts for form in (text, "".join(text.split())) for number in _NUMBER.findall(form)
    )


def _found(zone: ParsedZone, rows: Sequence[_Row]) -> PredictedZone:
    """The zone as it goes out, each value with its evidence."""
    fields = {name: _value(field, zone, rows) for name, field in zone.fields.items()}
    read = _sureness([(row, range(len(line))) for row, line in zip(rows, zone.lines, strict=True)])
    whole = tuple(substring_polygon(placed.line, 0, len(placed.line.text)) for row in rows for placed in row.parts)
    confidence = _probability(_odds(zone.valid, 0.0, rows, read))
    return PredictedZone(
        zone.format, zone.document_code, zone.lines, zone.valid, dict(zone.checks), zone.cut, confidence, whole, fields
    )


def _value(field: ZoneField, zone: ParsedZone, rows: Sequence[_Row]) -> PredictedValue:
    read_at = [
        (rows[place.line], [zone.origins[place.line][column] for _, column in place.cells()]) for place in field.places
    ]
    polygons = [polygon for row, characters in read_at for polygon in row.places(characters)]
    read = _sureness(read_at)
    in_zone = _VALID_ZONE if zone.valid else -_VALID_ZONE
    confidence = _probability(_odds(field.checked, in_zone, rows, read) + (_REPAIRED if field.repaired else 0.0))
    return PredictedValue(field.text, field.value, confidence, tuple(polygons))


def _odds(checked: bool | None, in_zone: float, rows: Sequence[_Row], read: float) -> float:
    """Log odds that what was read is right.

    in_zone: for the rest of the zone. read: the reader's confidence, or a probability; see `_sureness`.
    """
    if any(row.chances is None for row in rows):
        return _CHECKED[checked] + in_zone + _READ * math.log(read)
    seen = math.log(read / (1 - min(read, 0.999))) + (_DIGIT_AGREES if checked else 0.0)
    return min(_CHECKED_CLOSER[checked] + in_zone, seen)


def _sureness(read: Sequence[tuple[_Row, Sequence[int]]]) -> float:
    """Of characters of several rows: the least confidence, or the probability that all are right."""
    each = [row.sureness(characters) for row, characters in read]
    return min(each) if any(row.chances is None for row, _ in read) else max(math.prod(each), 1e-4)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))

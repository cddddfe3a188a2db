"""Finds the machine-readable zone (ICAO Doc 9303) among the text lines of a page, by rule.

The layout network does not label the zone, because its check digits are more reliable than any network. This module
selects text lines that look machine-readable, joins lines that OCR split, and gives each value its place and a
confidence. If the page's pixels are available, a network that reads only such lines reads them again (`zones.network`).
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
from docextract.documents.mrz.layout import ColumnRange
from docextract.extraction.layout.pieces import substring_polygon
from docextract.extraction.zones.decoding import DecodedZone, decode_zone
from docextract.extraction.zones.grids import FrameScores
from docextract.images.geometry import Polygon
from docextract.predictions import PredictedValue, PredictedZone, TextLine

MIN_HEIGHT_RATIO = 0.5  # of the smaller to the larger height of two lines of one zone
MAX_ROW_OFFSET = 0.5  # of a line's height: the centres of lines in one row are closer than this
MAX_ROW_PITCH = 3.5  # from row to row, in heights
_MIN_FILLERS = 2
_MIN_LINE_LENGTH = 18  # characters of a line, or of the longer part of a split line
_MIN_PART_LENGTH = 8  # characters of a part whose row is next to a longer one
_MIN_LENGTH_WITHOUT_FILLERS = 27
_FILLERS = re.compile("[<«‹〈《＜]")
_MIN_VALID_CHECK_DIGITS = 3  # of a zone that does not begin with a document code
_WITHOUT_FILLERS = re.compile(r"[A-Z0-9]+")
_PART = re.compile(r"[A-Z0-9<«‹〈《＜]+")
_NUMBER = re.compile(r"(?=[A-Z0-9]*\d)[A-Z0-9]{6,}")

# Log odds that a value is right. They are estimates, compared with 120 synthetic photos (2026-11-21): 839 of 840 values
# of valid zones that the zone network read were right, and 50 of 57 values of other zones.
_OCR_LOG_ODDS = {True: 4.6, None: 3.0, False: -0.5}  # by the field's own check digit; None if it has none
_NETWORK_LOG_ODDS = {True: 5.0, None: 4.3, False: -0.5}  # upper bounds if the zone network read the zone
_CHECK_DIGIT_LOG_ODDS = 2.3  # one wrong value in ten agrees with its check digit by chance
_VALID_ZONE_LOG_ODDS = 0.7  # added if all check digits agree; otherwise subtracted
_REPAIR_LOG_ODDS = -1.0
_OCR_CONFIDENCE_FACTOR = 3.0  # of the logarithm of the OCR confidence

_MIN_ROW_LENGTH_RATIO = 0.5  # to the longest row; a shorter row is a fragment
_STRIP_OVERHANG = 0.45  # of a row's height: how far a strip extends beyond the print
_STRIP_HEIGHT = 0.95  # of a row's height as PP-OCR reports it, which reaches nearly to the next row
_MAX_PITCH_WITHOUT_MISSING_ROW = 1.7  # of a row's height; a larger distance hides another row
_DEFAULT_PITCH = 1.1  # of a row's height, if only one row was detected

# Behind a name there must be fillers: what a thumb covers is read as fillers, with a low probability. Columns by field.
_SEEN_BEHIND = {"family_name": 2, "given_name": 4}

_MAX_CONTRADICTION_LOG_ODDS = 5.0

StripReader = Callable[[Sequence[Polygon]], Sequence[FrameScores]]  # reads strips of the page, one per polygon (px)
_ReadZone = tuple[ParsedZone, "Sequence[_Row]"]


def find_zone(lines: Sequence[TextLine], today: date, read_strips: StripReader | None = None) -> PredictedZone | None:
    """Find the machine-readable zone of a page, preferably a valid one; None if there is none.

    read_strips: reads the lines again with the zone network; without it, the OCR text is used.
    """
    level = _level_rows(lines)
    numbers = _printed_numbers(lines)
    ocr_zones = [
        (zone, rows)
        for height in (3, 2)
        for rows in _adjacent_rows(level.rows, height)
        if (zone := mrz.parse_zone([row.text for row in rows], today, numbers)) is not None
    ]
    network_zones: list[_ReadZone] = []
    if read_strips:
        ocr_readings = {zone.lines for zone, _ in ocr_zones}
        decoded: list[DecodedZone] = []
        if level.rows:
            network_zones, decoded = _read_again(level, read_strips, today, numbers, ocr_readings)
        ocr_zones = [(_mark_contradicted(zone, decoded), rows) for zone, rows in ocr_zones]
    plausible = [one for one in network_zones + ocr_zones if _is_plausible(one[0])]
    best = max(plausible, key=lambda one: (one[0].valid, sum(one[0].checks.values())), default=None)
    return None if best is None else _predicted_zone(*best)


def find_zone_in_strips(
    strips: Sequence[tuple[FrameScores, Polygon]], lines: Sequence[TextLine], today: date
) -> PredictedZone | None:
    """Find a valid zone in consecutive strips; None if there is none.

    strips: frame scores with the polygon of each strip in px of the page, from top to bottom.
    lines: the OCR result of the page, for document numbers printed outside the zone.
    """
    numbers = _printed_numbers(lines)
    for count in (3, 2):
        for start in range(len(strips) - count + 1):
            some = strips[start : start + count]
            decoded = decode_zone([frames for frames, _ in some], numbers)
            read = decoded and _parse_decoded(decoded, [polygon for _, polygon in some], 0.0, today, numbers)
            if read and read[0].valid:
                return _predicted_zone(*read)
    return None


def document_type_of(zone: PredictedZone | None) -> str | None:
    """Return the document type that a valid zone implies.

    The document code of a passport begins with P, that of a card with I, A or C.
    """
    if zone is None or not zone.valid:
        return None
    if zone.format == "TD3":
        return "passport" if zone.document_code.startswith("P") else None
    return "id_card" if zone.document_code[:1] in ("I", "A", "C") else None


@dataclass(frozen=True)
class _LevelLine:
    """A text line and its position in a frame in which the zone is level; px."""

    line: TextLine
    left: float
    right: float
    middle: float  # y of the centre
    height: float
    ends: tuple[tuple[float, float], tuple[float, float]]  # centres of the left and the right edge


@dataclass(frozen=True)
class _Row:
    """The parts of one line of the zone, from left to right.

    probabilities: [N], of each character, if the zone network read the row; None for OCR.
    """

    parts: tuple[_LevelLine, ...]
    probabilities: NDArray[np.float32] | None = None

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Column of each part's first character. What is between two parts was not read: fillers, or a thumb."""
        pitch = sum(part.right - part.left for part in self.parts) / sum(len(part.line.text) for part in self.parts)
        starts, end = [0], len(self.parts[0].line.text)
        for before, after in pairwise(self.parts):
            starts.append(end + max(0, round((after.left - before.right) / pitch)))
            end = starts[-1] + len(after.line.text)
        return tuple(starts)

    @property
    def text(self) -> str:
        """The whole row, with fillers in place of what was not read."""
        text = ""
        for start, part in zip(self.starts, self.parts, strict=True):
            text = text.ljust(start, FILLER) + part.line.text
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

    def confidence(self, characters: Sequence[int]) -> float:
        """Return the OCR confidence, or the joint probability of these characters if the zone network read them."""
        if self.probabilities is None:
            return min(max(part.line.confidence, 0.01) for part in self.parts)
        return max(float(self.probabilities[list(characters)].prod()), 1e-4)

    def polygons(self, characters: Sequence[int]) -> Iterator[Polygon]:
        """Yield the places of these characters of the text: one polygon for each part that has any of them."""
        for start, part in zip(self.starts, self.parts, strict=True):
            own = [index - start for index in characters if start <= index < start + len(part.line.text)]
            if own:
                yield substring_polygon(part.line, min(own), max(own) + 1)


@dataclass(frozen=True)
class _LevelRows:
    """Rows from top to bottom in a frame in which they are level. angle: clockwise rotation of the zone, radians."""

    rows: list[_Row]
    angle: float

    def to_page(self, points: NDArray[np.floating]) -> Polygon:
        """Map points of the level frame to px of the page."""
        mapped: Polygon = (points @ _rotation(self.angle)).astype(np.float32)
        return mapped


def _rotation(angle: float) -> NDArray[np.float64]:
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def _looks_machine_readable(text: str) -> bool:
    squeezed = "".join(text.split())
    fillers = len(_FILLERS.findall(squeezed))
    return (len(squeezed) >= _MIN_LINE_LENGTH and fillers >= _MIN_FILLERS) or (
        len(squeezed) >= _MIN_LENGTH_WITHOUT_FILLERS and _WITHOUT_FILLERS.fullmatch(squeezed) is not None
    )


def _level_rows(lines: Sequence[TextLine]) -> _LevelRows:
    """Return the rows of lines that look machine-readable, with the fragments in these rows and next to them."""
    zone_lines = [line for line in lines if _looks_machine_readable(line.text)]
    others = [line for line in lines if not _looks_machine_readable(line.text)]
    if not zone_lines:
        return _LevelRows([], 0.0)
    longest = max(zone_lines, key=lambda line: len(line.text)).polygon
    direction = longest[1] - longest[0] + longest[2] - longest[3]
    angle = math.atan2(direction[1], direction[0])
    anchors = [_level_line(line, angle) for line in zone_lines]
    fragments = [
        fragment
        for line in others
        if _PART.fullmatch("".join(line.text.split()))
        for fragment in [_level_line(line, angle)]
        if any(_in_same_row(fragment, anchor) or _in_adjacent_row(fragment, anchor) for anchor in anchors)
    ]
    rows: list[list[_LevelLine]] = []
    for part in sorted([*anchors, *fragments], key=lambda part: part.middle):
        if rows and _in_same_row(part, rows[-1][0]):
            rows[-1].append(part)
        else:
            rows.append([part])
    return _LevelRows([_Row(tuple(sorted(row, key=lambda part: part.left))) for row in rows], angle)


def _level_line(line: TextLine, angle: float) -> _LevelLine:
    corners = np.asarray(line.polygon, np.float64) @ _rotation(angle).T
    height = (np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    left, right = float(corners[:, 0].min()), float(corners[:, 0].max())
    start, end = (corners[0] + corners[3]) / 2, (corners[1] + corners[2]) / 2
    ends = (float(start[0]), float(start[1])), (float(end[0]), float(end[1]))
    return _LevelLine(line, left, right, float(corners[:, 1].mean()), float(height), ends)


def _in_same_row(first: _LevelLine, second: _LevelLine) -> bool:
    small, large = sorted((first.height, second.height))
    return small >= MIN_HEIGHT_RATIO * large and abs(first.middle - second.middle) < MAX_ROW_OFFSET * small


def _in_adjacent_row(fragment: _LevelLine, anchor: _LevelLine) -> bool:
    """Whether a fragment may be the visible rest of the row above or below, of which a thumb hides a part."""
    small, large = sorted((fragment.height, anchor.height))
    distance = abs(fragment.middle - anchor.middle)
    is_close = small >= MIN_HEIGHT_RATIO * large and distance < MAX_ROW_PITCH * large
    return is_close and len(fragment.line.text) >= _MIN_PART_LENGTH


def _adjacent_rows(rows: Sequence[_Row], count: int) -> Iterator[Sequence[_Row]]:
    """Yield groups of `count` rows directly below each other."""
    for start in range(len(rows) - count + 1):
        some = rows[start : start + count]
        pitches = [(below.middle - above.middle) / above.height for above, below in pairwise(some)]
        if max(pitches) < MAX_ROW_PITCH:
            yield some


@dataclass(frozen=True)
class _Midline:
    """The centre line of a row in the level frame: y at x = 0, and its slope."""

    start: float
    slope: float

    def below(self, distance: float) -> "_Midline":
        return replace(self, start=self.start + distance)

    def at(self, x: float) -> float:
        return self.start + self.slope * x


def _read_again(
    level: _LevelRows,
    read_strips: StripReader,
    today: date,
    numbers: Collection[str],
    ocr_readings: Collection[tuple[str, ...]],
) -> tuple[list[_ReadZone], list[DecodedZone]]:
    """Read the rows with the zone network; if that gives no valid zone, also rows that detection may have missed.

    Returns the zones, and everything that was decoded.
    """
    longest = max(row.length for row in level.rows)
    rows = [row for row in level.rows if row.length >= _MIN_ROW_LENGTH_RATIO * longest]
    height = max(rows, key=lambda row: row.length).height
    left, right = min(row.parts[0].left for row in rows), max(row.parts[-1].right for row in rows)
    midlines = _midlines(rows)
    zones: list[_ReadZone] = []
    decoded_zones: list[DecodedZone] = []
    completed = _with_missed_rows(midlines, height, (left + right) / 2)
    for some in (midlines, completed) if len(completed) > len(midlines) else (midlines,):
        overhang = _STRIP_OVERHANG * height
        polygons = [
            level.to_page(_strip_corners(one, left - overhang, right + overhang, _STRIP_HEIGHT * height))
            for one in some
        ]
        frames = read_strips(polygons)
        for count in (3, 2):
            for start in range(len(some) - count + 1):
                decoded = decode_zone(frames[start : start + count], numbers, ocr_readings)
                if decoded is None:
                    continue
                decoded_zones.append(decoded)
                if zone := _parse_decoded(decoded, polygons[start : start + count], level.angle, today, numbers):
                    zones.append(zone)
        if any(zone.valid for zone, _ in zones):
            break
    return zones, decoded_zones


def _mark_contradicted(zone: ParsedZone, decoded_zones: Sequence[DecodedZone]) -> ParsedZone:
    """Mark an OCR zone as ambiguous if the zone network read something else: its fillers were inserted by guess."""
    log_odds = [
        decoded.log_odds_against(zone.lines) for decoded in decoded_zones if decoded.layout.format == zone.format
    ]
    contradicted = bool(log_odds and min(log_odds) > _MAX_CONTRADICTION_LOG_ODDS)
    return replace(zone, ambiguous=True) if contradicted or not _has_document_code(zone) else zone


def _is_plausible(zone: ParsedZone) -> bool:
    """Whether lines can be a zone at all. Arrows on a card were read as fillers, and two digits agreed by chance."""
    return _has_document_code(zone) or sum(zone.checks.values()) >= _MIN_VALID_CHECK_DIGITS


def _has_document_code(zone: ParsedZone) -> bool:
    """Whether the zone begins with a document code of its format; otherwise its first line is shifted."""
    return zone.document_code.startswith(("P",) if zone.format == "TD3" else ("I", "A", "C"))


def _midlines(rows: Sequence[_Row]) -> list[_Midline]:
    """Return the centre line of each row. Rows nearly as long as the longest have their own slope, others its slope."""
    longest = max(rows, key=lambda row: row.length)
    common = _slope(longest)
    midlines = []
    for row in rows:
        slope = _slope(row) if row.length > 0.8 * longest.length else common
        ends = np.array([end for part in row.parts for end in part.ends])
        weights = np.array([part.right - part.left for part in row.parts for _ in part.ends])
        midlines.append(_Midline(float(np.average(ends[:, 1] - slope * ends[:, 0], weights=weights)), slope))
    return midlines


def _slope(row: _Row) -> float:
    (x0, y0), (x1, y1) = row.parts[0].ends[0], row.parts[-1].ends[1]
    return (y1 - y0) / max(x1 - x0, 1.0)


def _with_missed_rows(lines: Sequence[_Midline], height: float, x: float) -> list[_Midline]:
    """Add rows that detection may have missed: between two rows, above and below. x: a position on the rows."""
    completed = [lines[0]]
    for above, below in pairwise(lines):
        gap = below.at(x) - above.at(x)
        if gap > _MAX_PITCH_WITHOUT_MISSING_ROW * height:
            completed.append(above.below(gap / 2))
        completed.append(below)
    pitch = min((below.at(x) - above.at(x) for above, below in pairwise(completed)), default=_DEFAULT_PITCH * height)
    steps = range(1, 4 - len(completed))
    return [
        *(completed[0].below(-pitch * step) for step in reversed(steps)),
        *completed,
        *(completed[-1].below(pitch * step) for step in steps),
    ]


def _strip_corners(line: _Midline, left: float, right: float, height: float) -> NDArray[np.float64]:
    """Return the corners of a strip in the level frame, [4, 2], clockwise from the top left."""
    up, down = -height / 2, height / 2
    return np.array(
        [
            [left, line.at(left) + up], [right, line.at(right) + up],
            [right, line.at(right) + down], [left, line.at(left) + down],
        ]
    )  # fmt: skip


def _parse_decoded(
    decoded: DecodedZone, polygons: Sequence[Polygon], angle: float, today: date, numbers: Collection[str]
) -> _ReadZone | None:
    """Parse a decoded zone; None if it is not plausible."""
    if not decoded.is_plausible:
        return None
    zone = mrz.parse_zone(decoded.lines, today, numbers)
    if zone is None or zone.format != decoded.layout.format:
        return None
    if not decoded.is_unambiguous(zone.lines) or not _has_document_code(zone):
        # Other lines are about as likely, or the parser repaired characters into something that the pixels do not show.
        zone = replace(zone, ambiguous=True)
    rows = []
    for number, (text, polygon, columns) in enumerate(zip(decoded.lines, polygons, decoded.columns, strict=True)):
        probabilities = decoded.character_probabilities(number)
        line = TextLine(text, polygon, float(probabilities.mean()), columns.cuts)
        rows.append(_Row((_level_line(line, angle),), probabilities))
    return zone, rows


def _printed_numbers(lines: Sequence[TextLine]) -> frozenset[str]:
    """Return texts outside the zone that may be document numbers."""
    texts = [line.text.upper() for line in lines if not _looks_machine_readable(line.text)]
    return frozenset(
        number for text in texts for form in (text, "".join(text.split())) for number in _NUMBER.findall(form)
    )


def _predicted_zone(zone: ParsedZone, rows: Sequence[_Row]) -> PredictedZone:
    """Return the zone with the place and the confidence of each value."""
    fields = {name: _predicted_value(name, field, zone, rows) for name, field in zone.fields.items()}
    confidence = _joint_confidence([(row, range(len(line))) for row, line in zip(rows, zone.lines, strict=True)])
    polygons = tuple(substring_polygon(part.line, 0, len(part.line.text)) for row in rows for part in row.parts)
    probability = _probability(_log_odds(zone.valid, 0.0, rows, confidence))
    return PredictedZone(
        zone.format, zone.document_code, zone.lines, zone.valid, dict(zone.checks), zone.names_truncated, probability,
        polygons, fields,
    )  # fmt: skip


def _predicted_value(name: str, field: ZoneField, zone: ParsedZone, rows: Sequence[_Row]) -> PredictedValue:
    characters = [(rows[place.line], _sources(place, zone)) for place in field.places]
    polygons = [polygon for row, own in characters for polygon in row.polygons(own)]
    zone_log_odds = _VALID_ZONE_LOG_ODDS if zone.valid else -_VALID_ZONE_LOG_ODDS
    seen = [(rows[place.line], _sources(place, zone, _SEEN_BEHIND.get(name, 0))) for place in field.places]
    log_odds = _log_odds(field.checked, zone_log_odds, rows, _joint_confidence(seen))
    probability = _probability(log_odds + (_REPAIR_LOG_ODDS if field.repaired else 0.0))
    return PredictedValue(field.text, field.value, probability, tuple(polygons))


def _sources(place: ColumnRange, zone: ParsedZone, behind: int = 0) -> list[int]:
    """Return the source characters of a place and of some columns behind it; see ParsedZone.origins."""
    origins = zone.origins[place.line]
    return [origins[column] for column in range(place.start, min(place.end + behind, len(origins)))]


def _log_odds(checked: bool | None, zone_log_odds: float, rows: Sequence[_Row], confidence: float) -> float:
    """Return the log odds that a value is right.

    zone_log_odds: contribution of the rest of the zone. confidence: see `_joint_confidence`.
    """
    if any(row.probabilities is None for row in rows):
        return _OCR_LOG_ODDS[checked] + zone_log_odds + _OCR_CONFIDENCE_FACTOR * math.log(confidence)
    network = math.log(confidence / (1 - min(confidence, 0.999))) + (_CHECK_DIGIT_LOG_ODDS if checked else 0.0)
    return min(_NETWORK_LOG_ODDS[checked] + zone_log_odds, network)


def _joint_confidence(characters: Sequence[tuple[_Row, Sequence[int]]]) -> float:
    """Return the lowest OCR confidence of these characters, or the probability that all of them are right."""
    confidences = [row.confidence(own) for row, own in characters]
    if any(row.probabilities is None for row, _ in characters):
        return min(confidences)
    return max(math.prod(confidences), 1e-4)


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))

"""Sets text on a card: labelled values in rows and columns, small enough to fit.

It does not depend on the meaning of the text. Positions are in mm from the top-left corner of the card.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil

from training.synth.documents.identity.writer import IdentityStyle
from training.synth.sheet import BLACK, Face, Ink, Mark, Ornament, Sheet, Text
from training.synth.typesetting import TextRun, natural_width_mm

ID1_CARD_MM = (85.6, 54.0)  # width, height, ISO/IEC 7810
MIN_LABEL_MM = 1.2
SMALL_VALUE_MM = 2.0  # height of values; rather than below it, one more column is used
BREAKABLE_FIELDS = frozenset(
    {None, "family_name", "given_name", "birth_place", "issuing_authority", "resident_address"}
)
MIN_WIDTH_SCALE = 0.72  # of the natural width; a text that would be narrower is broken into lines
_LETTER_EM = {"mono": 0.6, "ocrb": 0.6}
_FACE_WIDTH = {"sans": 1.0, "condensed": 0.93, "serif": 0.96, "display": 1.1}
LABEL_GAP_SHARE = 0.4  # gap between label and value on its right, share of the value's height: OCR must see two words
_MIN_COLUMN_GAP_MM = 0.8
_FLAT = re.compile(r"\s((?:APT|UNIT|STE)\.? \w+,?|#\w+,?)\s", re.I)
_PART_END = re.compile(r"(?<=.{8},)\s+(?![A-Z]{2},? \d{5})|\s+(?=\d{4,5} [^\W\d]{3})")
_EDGE_MM = 0.6  # nothing is printed closer to the edge


@dataclass(frozen=True)
class Area:
    """A rectangle on the card."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float


@dataclass(frozen=True)
class FieldEntry:
    """A label and the runs of its value, which may be broken at spaces into several lines."""

    label: str
    runs: tuple[TextRun, ...]
    columns: int = 1  # smallest number of columns of the grid


def width_of(text: str, height_mm: float, face: Face, bold: bool = False) -> float:
    """Return the natural width of a text, mm. height_mm: height of its line."""
    letter = _LETTER_EM.get(face)
    if letter is not None:
        return len(text) * letter * height_mm * 0.82
    return natural_width_mm(text, height_mm) * _FACE_WIDTH[face] * (1.1 if bold else 1.0)


def envelope_lines(address: str, towns: tuple[str, ...] = ()) -> list[str]:
    """Return an address in the lines of an envelope: street, flat, town with its postal code.

    towns: of the country, some with their state ("Austin, TX"). Where an address ends with one of them, it is broken
    before it, and the town's line is not broken again.
    """
    street, town = _split_at_town(address, towns)
    apart = _FLAT.sub(r"\n\1\n", f"{street} ")
    lines = [part.strip() for part in re.split(r"\n|" + _PART_END.pattern, apart) if part.strip()]
    return [*lines, town] if town else lines


def _split_at_town(address: str, towns: tuple[str, ...]) -> tuple[str, str]:
    """Street and town, the town with the postal code before or after it; all is the street where no town is last."""
    last = _town_at_end(towns).search(address) if towns else None
    return (address[: last.start()], last[1]) if last else (address, "")


@cache
def _town_at_end(towns: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(towns, key=len, reverse=True)))
    return re.compile(rf"(?<=\S)\s+((?:\d{{4,5}} )?(?:{names})(?:,? [A-Z\d -]{{3,11}})?)$", re.IGNORECASE)


@dataclass
class Canvas:
    """A card and the marks on it."""

    width_mm: float
    height_mm: float
    marks: list[Mark] = field(default_factory=list)

    def put(self, runs: Sequence[TextRun], x_mm: float, y_mm: float, height_mm: float, room_mm: float = 1e9,
            face: Face = "sans", bold: bool = False, ink: Ink = BLACK, align: str = "l") -> float:  # fmt: skip
        """Set one line of runs; returns its width, mm.

        room_mm: the line is narrowed to fit it, and to stay on the card. align: "l", "c" or "r" within it.
        """
        natural = [width_of(text, height_mm, face, bold) for text, _ in runs]
        total = sum(natural)
        room = min(room_mm, self.width_mm - _EDGE_MM - x_mm)
        squeeze = min(1.0, room / total) if total else 1.0
        if squeeze < MIN_WIDTH_SCALE:  # smaller letters are preferred to narrower ones
            height_mm *= max(squeeze / MIN_WIDTH_SCALE, 0.5)
        if align != "l":
            x_mm += (room - total * squeeze) * (0.5 if align == "c" else 1.0)
        y_mm = min(max(y_mm, 0.2), self.height_mm - height_mm - 0.2)
        for (text, name), width in zip(runs, natural, strict=True):
            if text.strip():
                self.marks.append(Text(text, x_mm, y_mm, width * squeeze, height_mm, name, face, bold, ink=ink))
            x_mm += width * squeeze
        return total * squeeze

    def put_stretched(self, text: str, x_mm: float, y_mm: float, width_mm: float, height_mm: float, face: Face) -> None:
        """Set one line with exactly this width."""
        self.marks.append(Text(text, x_mm, y_mm, width_mm, height_mm, face=face, ink=BLACK))

    def ornament(self, kind: str, area: Area, ink: Ink = BLACK, strength: float = 1.0) -> None:
        """Add an ornament, which is not text."""
        self.marks.append(Ornament(kind, area.x_mm, area.y_mm, area.width_mm, area.height_mm, ink, strength))  # type: ignore[arg-type]

    def sheet(self, paper: Ink) -> Sheet:
        """Return the card. paper: its colour."""
        return Sheet(self.width_mm, self.height_mm, tuple(self.marks), paper)


def pack_rows(entries: Sequence[FieldEntry], columns: int) -> list[list[FieldEntry]]:
    """Arrange entries in rows of a grid, in their order: from the left while there is space."""
    rows: list[list[FieldEntry]] = []
    used = columns
    for entry in entries:
        if used + entry.columns > columns:
            rows.append([])
            used = 0
        rows[-1].append(entry)
        used += entry.columns
    return rows


class FieldBlock:
    """Entries in an area, at the largest text size up to `value_mm` at which they fit."""

    def __init__(self, canvas: Canvas, area: Area, style: IdentityStyle, columns: int, value_mm: float) -> None:
        self.canvas, self.area, self.style = canvas, area, style
        self.columns = columns
        self.value_mm = value_mm
        self.label_column_mm = 0.0

    def draw(self, entries: Sequence[FieldEntry], spacing: float = 0.5) -> None:
        """Set the entries. spacing: share of the remaining height that goes between rows, 0..1."""
        rows, heights = self._fitted(entries)
        if not rows:
            return
        spare = max(0.0, self.area.height_mm - sum(heights)) * spacing / len(rows)
        y_mm = self.area.y_mm
        for row, height in zip(rows, heights, strict=True):
            self._set_row(row, y_mm)
            y_mm += height + min(spare, 1.2 * self.value_mm)

    def _fitted(self, entries: Sequence[FieldEntry]) -> tuple[list[list[FieldEntry]], list[float]]:
        """Rows and their heights, mm. Sizes shrink and columns are added until they fit."""
        largest_mm = self.value_mm
        for columns in (self.columns, self.columns + 1, self.columns + 2):
            self.columns, self.value_mm = columns, largest_mm
            for _ in range(8):
                rows = pack_rows([self._spanned(entry) for entry in entries], columns)
                self.label_column_mm = self._label_column(entries)
                heights = [self._height(row) for row in rows]
                if sum(heights) <= self.area.height_mm:
                    break
                self.value_mm *= max(0.82, min(0.97, self.area.height_mm / sum(heights)))
            if self.value_mm >= SMALL_VALUE_MM or self.style.placing == "left":
                break
        return rows, heights

    @property
    def label_mm(self) -> float:
        """Height of labels."""
        return max(self.value_mm * self.style.label_share, MIN_LABEL_MM)

    @property
    def _column_gap_mm(self) -> float:
        """Gap between an entry and the next on its right."""
        return max(_MIN_COLUMN_GAP_MM, LABEL_GAP_SHARE * self.value_mm)

    def _column_mm(self, columns: int) -> float:
        return self.area.width_mm * columns / self.columns

    def _spanned(self, entry: FieldEntry) -> FieldEntry:
        """The entry over as many columns as its value needs."""
        label_width_mm = 0.0
        if entry.label and self.style.placing != "above":
            label_width_mm = self._label_width(entry)
        need = self._width(entry.runs) * MIN_WIDTH_SCALE + label_width_mm + self._column_gap_mm
        columns = min(self.columns, max(entry.columns, ceil(need / self._column_mm(1))))
        return FieldEntry(entry.label, entry.runs, columns)

    def _width(self, runs: Sequence[TextRun]) -> float:
        return sum(width_of(text, self.value_mm, self.style.value_face, self.style.bold_values) for text, _ in runs)

    def _label_width(self, entry: FieldEntry) -> float:
        width = width_of(entry.label, self.label_mm, self.style.label_face, self.style.bold_labels)
        return width + LABEL_GAP_SHARE * self.value_mm

    def _label_column(self, entries: Sequence[FieldEntry]) -> float:
        """Width of the column of labels, when labels are in a column of their own on the left; else 0."""
        if self.style.placing != "left":
            return 0.0
        longest = max((self._label_width(entry) for entry in entries), default=0.0)
        return min(longest + 0.5, 0.45 * self._column_mm(1))

    def _room(self, entry: FieldEntry) -> float:
        """Width for the value, mm."""
        room = self._column_mm(entry.columns) - self._column_gap_mm
        if not entry.label or self.style.placing == "above":
            return room
        return room - (self.label_column_mm or min(self._label_width(entry), 0.5 * room))

    def _lines(self, entry: FieldEntry) -> list[list[TextRun]]:
        """The value, broken into lines: an address at its parts, and what is too wide. Only one run is broken."""
        if len(entry.runs) != 1 or entry.runs[0][1] not in BREAKABLE_FIELDS:
            return [list(entry.runs)]
        ((text, name),) = entry.runs
        is_envelope = name == "resident_address" and self.style.breaks_addresses
        parts = envelope_lines(text, self.style.towns) if is_envelope else [text]
        return [line for part in parts for line in self._wrapped(part, name, self._room(entry))]

    def _wrapped(self, text: str, name: str | None, room: float) -> list[list[TextRun]]:
        """A text broken at spaces where it is wider than its room, mm."""
        if self._width([(text, name)]) * MIN_WIDTH_SCALE <= room:
            return [[(text, name)]]
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self._width([(longer, None)]) * 0.85 <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        return [[(line, name)] for line in lines]

    def _height(self, row: Sequence[FieldEntry]) -> float:
        lines = max(len(self._lines(entry)) for entry in row)
        above = self.label_mm * 1.02 if self.style.placing == "above" and any(entry.label for entry in row) else 0.0
        return above + lines * self.value_mm * 1.03 + 0.12 * self.value_mm

    def _set_row(self, row: Sequence[FieldEntry], y_mm: float) -> None:
        x_mm = self.area.x_mm
        for entry in row:
            self._set_entry(entry, x_mm, y_mm)
            x_mm += self._column_mm(entry.columns)

    def _set_entry(self, entry: FieldEntry, x_mm: float, y_mm: float) -> None:
        style, put = self.style, self.canvas.put
        room = self._column_mm(entry.columns) - self._column_gap_mm
        if entry.label and style.placing == "above":
            put([(entry.label, None)], x_mm, y_mm, self.label_mm, room, style.label_face, style.bold_labels,
                style.label_ink)  # fmt: skip
            y_mm += self.label_mm * 1.02
        elif entry.label:
            label_width_mm = self.label_column_mm or min(self._label_width(entry), 0.5 * room)
            drop, own = (self.value_mm - self.label_mm) * 0.75, label_width_mm - LABEL_GAP_SHARE * self.value_mm
            put([(entry.label, None)], x_mm, y_mm + drop, self.label_mm, own, style.label_face, style.bold_labels,
                style.label_ink)  # fmt: skip
            x_mm += label_width_mm
        for line in self._lines(entry):
            put(line, x_mm, y_mm, self.value_mm, self._room(entry), style.value_face, style.bold_values, style.ink)
            y_mm += self.value_mm * 1.03

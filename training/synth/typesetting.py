"""Sets lines of text on paper: turns runs of text into marks with boxes, for the generators.

A line is given as runs, each with the field that it prints or None, so that a value never shares a run with its label.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from training.synth.sheet import BLACK, Barcode, Box, Face, Ink, Mark, Rule, Sheet, Text

TextRun = tuple[str, str | None]  # text, field
TextRuns = Sequence[TextRun]

# Advance widths of a plain sans typeface, em: exact enough for the boxes of proportional text.
_ADVANCES_BY_CHARACTERS = (
    ("iljI.,:;'|!()[] ft-/r", 0.30), ("mMW@%&", 0.86), ("ABCDEFGHKNOPQRSTUVXYZÄÖÜÉÀ#€£$", 0.67),
    ("0123456789?*+=~<>_", 0.556),
)  # fmt: skip
_ADVANCE_EM = {character: width for characters, width in _ADVANCES_BY_CHARACTERS for character in characters}
_DEFAULT_ADVANCE_EM = 0.53
_MIN_EDGE_MM = 1.0  # nothing is printed closer to the edge


def natural_width_mm(text: str, line_mm: float) -> float:
    """Return the width of a text in a plain sans typeface, mm. line_mm: height of a line."""
    return sum(_ADVANCE_EM.get(character, _DEFAULT_ADVANCE_EM) for character in text) * line_mm * 0.82


@dataclass
class LineLayout:
    """Sets one line after another. `y_mm` is the top of the next line; `marks` are in the order of setting."""

    width_mm: float
    margin_mm: float
    line_mm: float  # height of a line's box
    advance_mm: float  # of one character, or 0 for proportional text
    face: Face = "mono"
    leading: float = 1.15  # line pitch over line height
    ink: Ink = BLACK
    y_mm: float = 4.0
    marks: list[Mark] = field(default_factory=list)

    @property
    def inner_mm(self) -> float:
        """Width between the margins."""
        return self.width_mm - 2 * self.margin_mm

    @property
    def columns(self) -> int:
        """Number of ordinary characters that fit between the margins."""
        return int(self.inner_mm / (self.advance_mm or self.line_mm * 0.45))

    def measure(self, text: str, scale: float = 1.0) -> float:
        """Return the width of a text, mm. scale: width of the letters relative to ordinary ones."""
        if self.advance_mm:
            return len(text) * self.advance_mm * scale
        return natural_width_mm(text, self.line_mm) * scale

    def span(self, runs: TextRuns, scale: float = 1.0) -> float:
        """Return the width of consecutive runs, mm."""
        return sum(self.measure(text, scale) for text, _ in runs)

    def put(self, runs: TextRuns, x_mm: float, scale: float = 1.0, height: float = 1.0, bold: bool = False,
            inverse: bool = False, drop_mm: float = 0.0, face: Face | None = None) -> None:  # fmt: skip
        """Set runs on the current line, without advancing to the next.

        x_mm: left end. scale, height: width and height of letters relative to ordinary ones. drop_mm: offset downwards.
        Runs that would leave the paper are moved and narrowed.
        """
        width = self.span(runs, scale)
        room = self.width_mm - 2 * _MIN_EDGE_MM
        squeeze = min(1.0, room / width) if width else 1.0
        x_mm = min(max(x_mm, _MIN_EDGE_MM), self.width_mm - _MIN_EDGE_MM - width * squeeze)
        for text, name in runs:
            advance = self.measure(text, scale) * squeeze
            if text.strip():
                self.marks.append(
                    Text(
                        text,
                        x_mm,
                        self.y_mm + drop_mm,
                        advance,
                        self.line_mm * height,
                        name,
                        face or self.face,
                        bold,
                        inverse,
                        self.ink,
                    )
                )
            x_mm += advance

    def feed(self, lines: float = 1.0) -> None:
        """Advance by this number of lines."""
        self.y_mm += lines * self.line_mm * self.leading

    def left(self, runs: TextRuns, indent: float = 0.0, scale: float = 1.0, bold: bool = False) -> None:
        """Set one line from the left margin, `indent` characters further right."""
        self.put(runs, self.margin_mm + self.measure("0") * indent, scale, scale if scale > 1 else 1.0, bold)
        self.feed(max(1.0, scale))

    def centre(
        self,
        runs: TextRuns,
        scale: float = 1.0,
        height: float = 1.0,
        bold: bool = False,
        inverse: bool = False,
        face: Face | None = None,
    ) -> None:
        """Set one centred line; on a grid of characters it starts on the grid."""
        start = (self.width_mm - self.span(runs, scale)) / 2
        self.put(runs, self.snap(start), scale, height, bold, inverse, face=face)
        self.feed(max(1.0, height))

    def right(self, runs: TextRuns, scale: float = 1.0, height: float = 1.0, bold: bool = False) -> None:
        """Set one line against the right margin."""
        self.put(runs, self.width_mm - self.margin_mm - self.span(runs, scale), scale, height, bold)
        self.feed(max(1.0, height))

    def spread(
        self,
        left: TextRuns,
        right: TextRuns,
        scale: float = 1.0,
        height: float = 1.0,
        bold: bool = False,
        right_edge: float = 1.0,
    ) -> None:
        """Set two groups of runs at the two ends of one line, or of two lines when they do not fit.

        right_edge: end of the right group, share of the inner width.
        """
        edge = self.margin_mm + self.inner_mm * right_edge
        start = edge - self.span(right, scale)
        self.put(left, self.margin_mm, scale, height, bold)
        if self.margin_mm + self.span(left, scale) + self.measure(" ") > start:
            self.feed(max(1.0, height))
        self.put(right, start, scale, height, bold)
        self.feed(max(1.0, height))

    def table_row(self, cells: Sequence[tuple[TextRuns, float, str]], bold: bool = False) -> None:
        """Set one line of a table.

        cells: runs, their position (share of the inner width), and whether the position is their left end "l", right
        end "r" or centre "c". A cell that would touch the next one is moved to the left.
        """
        placed: list[tuple[float, TextRuns]] = []
        limit = self.width_mm
        for runs, share, align in reversed(cells):
            width = self.span(runs)
            x_mm = self.margin_mm + self.inner_mm * share - {"l": 0.0, "r": width, "c": width / 2}[align]
            x_mm = min(self.snap(x_mm), limit - width)
            placed.insert(0, (x_mm, runs))
            limit = x_mm - self.measure(" ")
        if placed and placed[0][0] < _MIN_EDGE_MM and len(placed) > 1:  # no room: the first cell gets a line of its own
            self.put(placed.pop(0)[1], self.margin_mm, bold=bold)
            self.feed()
        for x_mm, runs in placed:
            self.put(runs, x_mm, bold=bold)
        self.feed()

    def snap(self, x_mm: float) -> float:
        """Return the nearest position on the grid of characters."""
        if not self.advance_mm:
            return x_mm
        return self.margin_mm + round((x_mm - self.margin_mm) / self.advance_mm) * self.advance_mm

    def rule(self, dashed: bool = False, thickness_mm: float = 0.3) -> None:
        """Draw a line across the paper."""
        self.marks.append(
            Rule(
                self.margin_mm, self.y_mm + self.line_mm * 0.3, self.inner_mm, thickness_mm, dashed=dashed, ink=self.ink
            )
        )
        self.feed(0.6)

    def typed_rule(self, character: str) -> None:
        """Set a line that consists of one repeated character, between the margins."""
        count = int(self.inner_mm / max(self.measure(character), 0.1))
        self.left([(character * max(count, 1), None)])

    def add_graphic(self, width_mm: float, height_mm: float, kind: str, x_mm: float | None = None) -> None:
        """Add a logo box ("box"), bars ("bars") or a square code ("square"), centred unless x is given."""
        x = (self.width_mm - width_mm) / 2 if x_mm is None else x_mm
        if kind == "box":
            self.marks.append(Box(x, self.y_mm, width_mm, height_mm, ink=self.ink))
        else:
            self.marks.append(Barcode(x, self.y_mm, width_mm, height_mm, kind == "square", ink=self.ink))
        self.y_mm += height_mm + 0.4 * self.line_mm

    def sheet(self, tail_mm: float = 5.0, paper: Ink = (250, 250, 248)) -> Sheet:
        """Return the sheet, cut `tail_mm` below the last line."""
        return Sheet(self.width_mm, self.y_mm + tail_mm, tuple(self.marks), paper)


def wrap(text: str, columns: int) -> list[str]:
    """Break a text at spaces into lines of at most `columns` characters, and drop the spaces at breaks.

    A longer word gets a line of its own.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= columns:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines

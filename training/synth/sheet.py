"""A printed sheet as data: texts, lines, boxes and pictures with their places in millimetres, without pixels.

The `typeset` function of a generator returns a Sheet. The misreading model turns it into text lines as OCR would report
them; `printing` draws it. Both use the same boxes: each run of text states its width, and glyphs are fitted into it, as
a receipt printer fits them into its grid.

Axes: x to the right, y down, origin at the top-left corner of the sheet.
"""

from dataclasses import dataclass, field
from typing import Literal

Face = Literal["mono", "sans", "serif", "condensed", "dot", "display", "ocrb"]
Ink = tuple[int, int, int]  # sRGB, 0..255

BLACK: Ink = (20, 20, 22)


@dataclass(frozen=True)
class Text:
    """One run of text on one baseline. All of it belongs to one field, or to none.

    "Date: 25/12/2018" is two runs, so that the value is separate from its label. The box is the run's advance width by
    its line height (ascender to descender); spaces at the ends are part of the run.
    """

    text: str
    x_mm: float
    y_mm: float  # of the top of the box
    width_mm: float
    height_mm: float
    field: str | None = None  # "total", or "line_items.2.description" within a list
    face: Face = "mono"
    bold: bool = False
    inverse: bool = False  # paper-coloured letters on a filled box
    ink: Ink = BLACK


@dataclass(frozen=True)
class Rule:
    """A straight line; `dashed` as printers draw lines with hyphens or box characters."""

    x_mm: float
    y_mm: float
    length_mm: float
    thickness_mm: float = 0.3
    vertical: bool = False
    dashed: bool = False
    ink: Ink = BLACK


@dataclass(frozen=True)
class Box:
    """A rectangle, filled or outlined: logos, table headers, coloured bands."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    filled: bool = True
    ink: Ink = BLACK


@dataclass(frozen=True)
class Barcode:
    """Bars, or a square matrix code. It looks like a code but cannot be scanned."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    square: bool = False  # a matrix similar to a QR code
    ink: Ink = BLACK


@dataclass(frozen=True)
class Ornament:
    """A picture under the print: a portrait, a signature, the fine lines of a security background.

    strength: share of its ink, 0..1; a ghost portrait has a low one.
    """

    kind: Literal["portrait", "signature", "chip", "waves", "rosette", "hatching", "wash"]
    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    ink: Ink = BLACK
    strength: float = 1.0


Mark = Text | Rule | Box | Barcode | Ornament


@dataclass(frozen=True)
class Sheet:
    """Marks on paper. `paper` is its colour; marks are drawn in their order."""

    width_mm: float
    height_mm: float
    marks: tuple[Mark, ...] = field(default_factory=tuple)
    paper: Ink = (250, 250, 248)

    def texts(self) -> tuple[Text, ...]:
        """Return the runs of text, in the order in which they were set."""
        return tuple(mark for mark in self.marks if isinstance(mark, Text))

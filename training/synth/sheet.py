"""A printed sheet as data: what stands where, in millimetres. No pixels.

A document type's `typeset` returns a Sheet. The misreading model turns it into lines as an OCR would
report them; the printer draws it. Both see the same boxes, because each run of text says how wide it is
and the printer fits the glyphs into that width, as a receipt printer fits them into its grid.

Axes: x to the right, y down, origin at the sheet's top-left corner.
"""

from dataclasses import dataclass, field
from typing import Literal

Face = Literal["mono", "sans", "serif", "condensed", "dot", "display", "ocrb"]
Ink = tuple[int, int, int]  # sRGB, 0..255

BLACK: Ink = (20, 20, 22)


@dataclass(frozen=True)
class Text:
    """One run of text on one baseline, all of it in one field or in none.

    "Date: 25/12/2018" is two runs, so that the value can be told from its label. The box is the run's
    advance width by its line height (ascender to descender); spaces at the ends are part of the run.
    """

    text: str
    x_mm: float
    y_mm: float  # top of the box
    width_mm: float
    height_mm: float
    field: str | None = None  # "total", or "line_items.2.description" within a list
    face: Face = "mono"
    bold: bool = False
    inverse: bool = False  # paper-coloured letters on a filled box
    ink: Ink = BLACK


@dataclass(frozen=True)
class Rule:
    """A straight line; `dashed` as printers draw with hyphens or box characters."""

    x_mm: float
    y_mm: float
    length_mm: float
    thickness_mm: float = 0.3
    vertical: bool = False
    dashed: bool = False
    ink: Ink = BLACK


@dataclass(frozen=True)
class Box:
    """A rectangle, filled or outlined: logos, table heads, coloured bands."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    filled: bool = True
    ink: Ink = BLACK


@dataclass(frozen=True)
class Barcode:
    """Bars, or a square of modules; it is drawn to look like a code, not to be scanned."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    square: bool = False  # a QR-like matrix
    ink: Ink = BLACK


@dataclass(frozen=True)
class Ornament:
    """What is under the print and is not read: a portrait, a signature, the fine lines of a secure background.

    `strength` is how much of its ink there is, 0..1: a portrait's ghost is a weak one.
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
    """Marks on paper. `paper` is its colour; marks are drawn in order."""

    width_mm: float
    height_mm: float
    marks: tuple[Mark, ...] = field(default_factory=tuple)
    paper: Ink = (250, 250, 248)

    def texts(self) -> tuple[Text, ...]:
        """The runs of text, in the order in which they were set."""
        return tuple(mark for mark in self.marks if isinstance(mark, Text))

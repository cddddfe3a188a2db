"""Pages that are none of our documents: letters, tables, forms, notices. What is no receipt looks like these.

Only their look matters, so the words are made of syllables and mean nothing.
"""

from dataclasses import dataclass
from random import Random

from training.synth.sheet import BLACK, Barcode, Box, Face, Ink, Mark, Rule, Sheet, Text

SIZES_MM = ((210.0, 297.0), (216.0, 279.0), (148.0, 210.0), (297.0, 210.0), (105.0, 148.0), (85.6, 54.0), (125.0, 88.0))
_ONSETS = "b br c ch d f fl g gr h j k l m n p pr qu r s sh st t th tr v w".split()
_VOWELS = "a e i o u ai ea ie ou".split()
_CODAS = ["", "", "", "n", "r", "s", "t", "l", "nd", "rt", "ck", "m"]
GLYPH_WIDTH = 0.5  # of the font's size, on average over running text


@dataclass
class _Pen:
    """Where the next mark goes, and in what hand."""

    rng: Random
    left_mm: float
    right_mm: float
    bottom_mm: float
    y_mm: float
    size_mm: float  # height of a line of text
    face: Face
    ink: Ink
    marks: list[Mark]

    @property
    def pitch_mm(self) -> float:
        """From line to line."""
        return self.size_mm * 1.25

    def write(self, text: str, x_mm: float, scale: float = 1.0, bold: bool = False) -> float:
        """Set a run at the pen's height; returns its width in mm."""
        height = self.size_mm * scale
        width = min(len(text) * height * GLYPH_WIDTH, self.right_mm - x_mm)
        if width > 0 and text:
            self.marks.append(Text(text, x_mm, self.y_mm, width, height, face=self.face, bold=bold, ink=self.ink))
        return width


def letter(rng: Random) -> Sheet:
    """A page of text of some size and kind, filled from the top to somewhere between the middle and the end."""
    width, height = rng.choice(SIZES_MM[:4] if rng.random() < 0.7 else SIZES_MM)
    side = width * rng.uniform(0.06, 0.13)
    pen = _Pen(
        rng=rng,
        left_mm=side,
        right_mm=width - side,
        bottom_mm=height * rng.uniform(0.5, 0.97),
        y_mm=height * rng.uniform(0.04, 0.12),
        size_mm=min(width, height) * rng.uniform(0.014, 0.024),
        face=rng.choice(("sans", "sans", "serif", "serif", "condensed", "mono")),
        ink=rng.choice((BLACK, BLACK, (40, 40, 60), (25, 40, 110))),
        marks=[],
    )
    parts = [_heading, _paragraph, _paragraph, _paragraph, _table, _form, _picture, _signature]
    _heading(pen)
    while pen.y_mm < pen.bottom_mm:
        rng.choice(parts)(pen)
        pen.y_mm += pen.pitch_mm * rng.uniform(0.3, 2.0)
    inside = tuple(mark for mark in pen.marks if mark.y_mm + pen.size_mm < height * 0.98)
    return Sheet(
        width, height, inside, rng.choice(((250, 250, 248), (252, 252, 252), (244, 240, 228), (232, 240, 246)))
    )


def _word(rng: Random) -> str:
    if rng.random() < 0.08:
        return str(rng.randrange(1, 10 ** rng.randint(1, 5)))
    word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(rng.randint(1, 3)))
    return word.capitalize() if rng.random() < 0.15 else word


def _words(rng: Random, letters: int) -> str:
    """About so many letters' worth of words."""
    text = _word(rng)
    while len(text) < letters:
        text += " " + _word(rng)
    return text[: max(1, letters)].strip()


def _line_of(pen: _Pen, share: float, scale: float = 1.0) -> str:
    letters = (pen.right_mm - pen.left_mm) * share / (pen.size_mm * scale * GLYPH_WIDTH)
    return _words(pen.rng, int(letters))


def _heading(pen: _Pen) -> None:
    scale = pen.rng.uniform(1.3, 2.8)
    text = _line_of(pen, pen.rng.uniform(0.2, 0.7), scale)
    pen.write(text, pen.left_mm if pen.rng.random() < 0.6 else pen.left_mm * 2, scale, bold=True)
    pen.y_mm += pen.pitch_mm * scale


def _paragraph(pen: _Pen) -> None:
    lines = pen.rng.randint(2, 9)
    for line in range(lines):
        pen.write(_line_of(pen, 1.0 if line < lines - 1 else pen.rng.uniform(0.2, 0.9)), pen.left_mm)
        pen.y_mm += pen.pitch_mm


def _table(pen: _Pen) -> None:
    columns, rows = pen.rng.randint(2, 6), pen.rng.randint(3, 10)
    step = (pen.right_mm - pen.left_mm) / columns
    ruled = pen.rng.random() < 0.7
    top = pen.y_mm
    for _ in range(rows):
        if ruled:
            pen.marks.append(Rule(pen.left_mm, pen.y_mm, pen.right_mm - pen.left_mm, ink=pen.ink))
        pen.y_mm += pen.pitch_mm * 0.15
        for column in range(columns):
            text = _words(pen.rng, int(step * pen.rng.uniform(0.3, 0.85) / (pen.size_mm * GLYPH_WIDTH)))
            pen.write(text, pen.left_mm + column * step + 0.1 * pen.size_mm)
        pen.y_mm += pen.pitch_mm
    if ruled:
        for column in range(columns + 1):
            x = pen.left_mm + column * step
            pen.marks.append(Rule(x, top, pen.y_mm - top, vertical=True, ink=pen.ink))


def _form(pen: _Pen) -> None:
    for _ in range(pen.rng.randint(2, 6)):
        width = pen.write(_line_of(pen, pen.rng.uniform(0.1, 0.3)) + ":", pen.left_mm)
        start = pen.left_mm + width + pen.size_mm
        if start < pen.right_mm:
            line_y = pen.y_mm + pen.size_mm
            pen.marks.append(Rule(start, line_y, (pen.right_mm - start) * pen.rng.uniform(0.4, 1), dashed=True))
        pen.y_mm += pen.pitch_mm * 1.5


def _picture(pen: _Pen) -> None:
    width = (pen.right_mm - pen.left_mm) * pen.rng.uniform(0.15, 0.6)
    height = width * pen.rng.uniform(0.3, 0.9)
    x = pen.rng.uniform(pen.left_mm, pen.right_mm - width)
    if pen.rng.random() < 0.2:
        pen.marks.append(Barcode(x, pen.y_mm, width, height, square=False, ink=pen.ink))
    else:
        colour = (pen.rng.randrange(60, 230), pen.rng.randrange(60, 230), pen.rng.randrange(60, 230))
        pen.marks.append(Box(x, pen.y_mm, width, height, filled=pen.rng.random() < 0.8, ink=colour))
    pen.y_mm += height


def _signature(pen: _Pen) -> None:
    pen.y_mm += 2 * pen.pitch_mm
    width = (pen.right_mm - pen.left_mm) * 0.3
    pen.marks.append(Rule(pen.left_mm, pen.y_mm, width, ink=pen.ink))
    pen.y_mm += 0.3 * pen.pitch_mm
    pen.write(_line_of(pen, 0.2), pen.left_mm)
    pen.y_mm += pen.pitch_mm

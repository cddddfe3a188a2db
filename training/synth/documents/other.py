"""Generates pages of the type `other`: letters, tables, forms and notices that are none of the known documents.

Only their appearance matters, so words are made of random syllables and have no meaning.
"""

from dataclasses import dataclass
from random import Random

from training.synth.sheet import BLACK, Barcode, Box, Face, Ink, Mark, Rule, Sheet, Text

PAGE_SIZES_MM = (
    (210.0, 297.0),
    (216.0, 279.0),
    (148.0, 210.0),
    (297.0, 210.0),
    (105.0, 148.0),
    (85.6, 54.0),
    (125.0, 88.0),
)
_ONSETS = "b br c ch d f fl g gr h j k l m n p pr qu r s sh st t th tr v w".split()
_VOWELS = "a e i o u ai ea ie ou".split()
_CODAS = ["", "", "", "n", "r", "s", "t", "l", "nd", "rt", "ck", "m"]
GLYPH_WIDTH_EM = 0.5  # mean advance width of running text


@dataclass
class _TextCursor:
    """Where and how the next mark is set."""

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
        """Distance of baselines."""
        return self.size_mm * 1.25

    def write(self, text: str, x_mm: float, scale: float = 1.0, bold: bool = False) -> float:
        """Set a run at the cursor's height; returns its width, mm."""
        height = self.size_mm * scale
        width = min(len(text) * height * GLYPH_WIDTH_EM, self.right_mm - x_mm)
        if width > 0 and text:
            self.marks.append(Text(text, x_mm, self.y_mm, width, height, face=self.face, bold=bold, ink=self.ink))
        return width


def other_page(rng: Random) -> Sheet:
    """Return a page of a random size, filled with random parts down to between 50 and 97 % of its height."""
    width, height = rng.choice(PAGE_SIZES_MM[:4] if rng.random() < 0.7 else PAGE_SIZES_MM)
    side = width * rng.uniform(0.06, 0.13)
    cursor = _TextCursor(
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
    _heading(cursor)
    while cursor.y_mm < cursor.bottom_mm:
        rng.choice(parts)(cursor)
        cursor.y_mm += cursor.pitch_mm * rng.uniform(0.3, 2.0)
    inside = tuple(mark for mark in cursor.marks if mark.y_mm + cursor.size_mm < height * 0.98)
    return Sheet(
        width, height, inside, rng.choice(((250, 250, 248), (252, 252, 252), (244, 240, 228), (232, 240, 246)))
    )


def _word(rng: Random) -> str:
    """A word of one to three syllables, or a number."""
    if rng.random() < 0.08:
        return str(rng.randrange(1, 10 ** rng.randint(1, 5)))
    word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(rng.randint(1, 3)))
    return word.capitalize() if rng.random() < 0.15 else word


def _words(rng: Random, letters: int) -> str:
    """Words of about this many letters together."""
    text = _word(rng)
    while len(text) < letters:
        text += " " + _word(rng)
    return text[: max(1, letters)].strip()


def _text_line(cursor: _TextCursor, share: float, scale: float = 1.0) -> str:
    """Words that fill this share of the width between the margins."""
    letters = (cursor.right_mm - cursor.left_mm) * share / (cursor.size_mm * scale * GLYPH_WIDTH_EM)
    return _words(cursor.rng, int(letters))


def _heading(cursor: _TextCursor) -> None:
    scale = cursor.rng.uniform(1.3, 2.8)
    text = _text_line(cursor, cursor.rng.uniform(0.2, 0.7), scale)
    cursor.write(text, cursor.left_mm if cursor.rng.random() < 0.6 else cursor.left_mm * 2, scale, bold=True)
    cursor.y_mm += cursor.pitch_mm * scale


def _paragraph(cursor: _TextCursor) -> None:
    lines = cursor.rng.randint(2, 9)
    for line in range(lines):
        cursor.write(_text_line(cursor, 1.0 if line < lines - 1 else cursor.rng.uniform(0.2, 0.9)), cursor.left_mm)
        cursor.y_mm += cursor.pitch_mm


def _table(cursor: _TextCursor) -> None:
    columns, rows = cursor.rng.randint(2, 6), cursor.rng.randint(3, 10)
    step = (cursor.right_mm - cursor.left_mm) / columns
    ruled = cursor.rng.random() < 0.7
    top = cursor.y_mm
    for _ in range(rows):
        if ruled:
            cursor.marks.append(Rule(cursor.left_mm, cursor.y_mm, cursor.right_mm - cursor.left_mm, ink=cursor.ink))
        cursor.y_mm += cursor.pitch_mm * 0.15
        for column in range(columns):
            text = _words(cursor.rng, int(step * cursor.rng.uniform(0.3, 0.85) / (cursor.size_mm * GLYPH_WIDTH_EM)))
            cursor.write(text, cursor.left_mm + column * step + 0.1 * cursor.size_mm)
        cursor.y_mm += cursor.pitch_mm
    if ruled:
        for column in range(columns + 1):
            x = cursor.left_mm + column * step
            cursor.marks.append(Rule(x, top, cursor.y_mm - top, vertical=True, ink=cursor.ink))


def _form(cursor: _TextCursor) -> None:
    for _ in range(cursor.rng.randint(2, 6)):
        width = cursor.write(_text_line(cursor, cursor.rng.uniform(0.1, 0.3)) + ":", cursor.left_mm)
        start = cursor.left_mm + width + cursor.size_mm
        if start < cursor.right_mm:
            line_y = cursor.y_mm + cursor.size_mm
            cursor.marks.append(
                Rule(start, line_y, (cursor.right_mm - start) * cursor.rng.uniform(0.4, 1), dashed=True)
            )
        cursor.y_mm += cursor.pitch_mm * 1.5


def _picture(cursor: _TextCursor) -> None:
    width = (cursor.right_mm - cursor.left_mm) * cursor.rng.uniform(0.15, 0.6)
    height = width * cursor.rng.uniform(0.3, 0.9)
    x = cursor.rng.uniform(cursor.left_mm, cursor.right_mm - width)
    if cursor.rng.random() < 0.2:
        cursor.marks.append(Barcode(x, cursor.y_mm, width, height, square=False, ink=cursor.ink))
    else:
        colour = (cursor.rng.randrange(60, 230), cursor.rng.randrange(60, 230), cursor.rng.randrange(60, 230))
        cursor.marks.append(Box(x, cursor.y_mm, width, height, filled=cursor.rng.random() < 0.8, ink=colour))
    cursor.y_mm += height


def _signature(cursor: _TextCursor) -> None:
    cursor.y_mm += 2 * cursor.pitch_mm
    width = (cursor.right_mm - cursor.left_mm) * 0.3
    cursor.marks.append(Rule(cursor.left_mm, cursor.y_mm, width, ink=cursor.ink))
    cursor.y_mm += 0.3 * cursor.pitch_mm
    cursor.write(_text_line(cursor, 0.2), cursor.left_mm)
    cursor.y_mm += cursor.pitch_mm

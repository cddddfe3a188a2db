"""Where the glyphs of a page are, which tells a minus that its text layer has from one that is only drawn."""

import random

from docextract.images.drawn_signs import GlyphBoxes
from docextract.images.glyph_lines import Glyph


def glyph(left, top, width=5.0, height=8.0, turns=0):
    return Glyph("-", left, left + width, top, top + height, turns, False)


def test_a_point_is_covered_by_a_box_of_its_direction_that_holds_it():
    """Borders belong to a box; boxes have any size and order."""
    rng = random.Random(4)
    glyphs = [
        glyph(*(rng.uniform(0, 60) for _ in "xy"), *(rng.choice((1, 4, 9)) for _ in "wh"), rng.randrange(2))
        for _ in range(40)
    ]
    boxes = GlyphBoxes(glyphs)
    points = [(turns, rng.uniform(0, 70), rng.uniform(0, 70)) for turns in (0, 1) for _ in range(500)]
    points += [(one.quarter_turns, one.right, one.bottom) for one in glyphs]

    for turns, along, down in points:
        holds = any(
            one.quarter_turns == turns and one.left <= along <= one.right and one.top <= down <= one.bottom
            for one in glyphs
        )
        assert boxes.cover(turns, along, down) == holds
    assert not GlyphBoxes([]).cover(2, 1.0, 1.0)


def test_only_the_boxes_of_a_row_are_looked_at():
    """A page may have thousands of numbers, each with a dash in front of it."""
    rows, columns = 50, 40
    boxes = GlyphBoxes(glyph(10.0 * column, 12.0 * row) for row in range(rows) for column in range(columns))

    assert boxes.reaching(0, 12.0 * 7 + 4).shape[1] == columns

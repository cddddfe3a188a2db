"""Pages with a text layer, from a PDF to a prediction, with the real OCR and a tiny layout network."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.ocr.embedded_text import MIN_SAMPLE_LINES
from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import DecodedFile
from docextract.predictions import TextLine
from tests.images.text_pdfs import text_pdf, words

LINES = (
    ("Harbour Supplies Ltd", 60, 780, 18),
    ("Invoice number 2026-0471", 60, 740, 12),
    ("Oak boards, planed, two metres", 60, 700, 12),
    ("Delivered to the yard in March", 60, 680, 12),
    ("Total amount due 1,234.50", 60, 640, 12),
)
WHITE_BOX = "1 1 1 rg {} {} 400 20 re f 0 g\n"


def letter(*more, without=()):
    content = "".join(words(*line) for line in LINES if line[0] not in without)
    return content + "".join(more)


def extract(extractor, content, change=None, document_type="invoice", **options):
    """Extract from a page with this content stream. change: a function of the lines of its text layer."""
    file = decode_upload(text_pdf(content, **options), DecodingLimits())
    assert isinstance(file, DecodedFile)
    (page,) = file.pages
    lines = [TextLine(line.text, line.polygon, 1.0, line.cuts, is_struck=line.is_struck) for line in page.lines]
    lines = change(lines) if change else lines
    (found,) = extractor.extract([page.pixels], [document_type], [lines])
    return found


def texts(prediction):
    return [line.text for line in prediction.lines]


def test_a_text_layer_that_is_what_is_visible_is_used(extractor):
    """Its lines are exact."""
    found = extract(extractor, letter())

    assert (found.text_source, found.text_layer_matches) == ("embedded", True)
    assert texts(found) == [text for text, *_ in LINES]


@pytest.mark.parametrize(("rotate", "quarter_turns"), [(90, 1), (180, 2), (270, 3)])
def test_a_text_layer_is_turned_with_its_page(extractor, rotate, quarter_turns):
    """It agrees with the page also where that lies on its side, and both become upright."""
    upright, turned = extract(extractor, letter()), extract(extractor, letter(), page_entries=f"/Rotate {rotate}")

    assert (turned.text_source, turned.quarter_turns) == ("embedded", quarter_turns)
    assert texts(turned) == texts(upright)
    for one, other in zip(turned.lines, upright.lines, strict=True):
        np.testing.assert_allclose(one.polygon, other.polygon, atol=4)


def test_print_that_is_no_text_is_recognised(extractor):
    """A stamp, here in lines of vector graphics, is read beside the text layer."""
    strokes = "3 w 0 G "
    for at in range(4):  # four capital H, 20 points high
        x = 400 + 20 * at
        strokes += f"{x} 400 m {x} 420 l S {x + 12} 400 m {x + 12} 420 l S {x} 410 m {x + 12} 410 l S "

    found = extract(extractor, letter(strokes))

    assert found.text_source == "embedded"
    assert texts(found)[:5] == [text for text, *_ in LINES]
    assert [text for text in texts(found)[5:] if "H" in text]


def test_every_line_of_a_page_that_may_continue_a_table_is_compared(extractor, tiny):
    """Read alone it is of no type and has no values; with the pages before it, it has."""
    with torch.no_grad():
        tiny.type_head.weight.zero_()
        tiny.type_head.bias.copy_(torch.tensor([-9.0, 9.0]))
    rows = "".join(
        words(f"Oak board {n}", 60, 780 - 20 * n) + words(f"{n}2.50", 400, 780 - 20 * n) for n in range(1, 7)
    )
    alone = Extractor(tiny, UNCALIBRATED, extractor.reader)

    table, prose = (extract(alone, content, document_type="auto") for content in (rows, letter()))

    assert (table.type, table.text_layer_matches, len(table.compared)) == ("other", True, 12)
    assert len(prose.compared) == MIN_SAMPLE_LINES


def _changed(before, after):
    return lambda lines: [replace(line, text=line.text.replace(before, after), cuts=None) for line in lines]


def _exchanged(lines):
    return [replace(one, text=other.text, cuts=None) for one, other in zip(lines, lines[::-1], strict=True)]


@pytest.mark.parametrize(
    "change",
    [
        _changed("1,234.50", "9,234.50"),
        _changed("2026-0471", "2026-0477"),
        _changed("Oak boards, planed, two metres", "Northern quarry, rough stone"),
        _exchanged,
    ],
    ids=["a digit of an amount", "a digit of a number", "another article", "lines exchanged"],
)
def test_a_text_layer_that_says_something_else_is_not_believed(extractor, change):
    """The page is recognised instead, and the answer says so."""
    found = extract(extractor, letter(), change)

    assert (found.text_source, found.text_layer_matches) == ("recognised", False)
    assert "Total amount due 1,234.50" in texts(found)


def test_text_under_a_cover_is_not_read(extractor):
    """The file has both amounts; a person sees one. The layer leaves out what leaves no ink."""
    total, *place = LINES[-1]
    hidden = words(total.replace("1,234.50", "9,999.00"), *place)

    found = extract(
        extractor,
        letter(hidden, WHITE_BOX.format(55, 636), words(total, *place), without=[total]),
    )

    assert total in texts(found)
    assert not any("9,999" in text for text in texts(found))
    assert found.text_layer_matches in (True, False)


STRUCK = words("Old price 7,890.00", 60, 600, 12) + words("New price 6,543.00", 170, 600, 12) + "59 603.2 103 1 re f\n"


@pytest.mark.parametrize("rotate", [0, 90])
def test_struck_words_are_not_recognised_beside_the_text_layer(extractor, rotate):
    """They are visible print; the line through them says that they do not count."""
    found = extract(extractor, letter(STRUCK), page_entries=f"/Rotate {rotate}")

    assert found.text_source == "embedded"
    assert texts(found) == [*(text for text, *_ in LINES), "New price 6,543.00"]


def test_struck_words_are_not_recognised_where_a_text_layer_is_not_believed(extractor):
    """Recognition finds them in one line with words that count."""
    found = extract(extractor, letter(STRUCK), _changed("2026-0471", "2026-0477"))

    assert (found.text_source, found.text_layer_matches) == ("recognised", False)
    assert "Total amount due 1,234.50" in texts(found)
    assert [text for text in texts(found) if "price" in text] == ["New price 6,543.00"]


def test_a_page_may_be_struck_out_as_a_whole(extractor):
    """Nothing is left of it."""
    found = extract(extractor, words("Old price 7,890.00", 60, 600, 12) + "59 603.2 103 1 re f\n")

    assert not found.lines


@pytest.mark.parametrize("hiding", ["3 Tr", "1 1 1 rg", "/GS0 gs 0.02 Tz"], ids=["invisible", "white", "squeezed"])
def test_hidden_text_adds_nothing(extractor, hiding):
    """A second total that nobody sees."""
    hidden = words("Total amount due 9,999.00", 60, 600, 12, hiding) + "0 g 0 Tr\n"

    found = extract(extractor, letter(hidden))

    assert "Total amount due 1,234.50" in texts(found)
    assert not any("9,999" in text for text in texts(found))

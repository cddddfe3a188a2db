"""Struck-out print of PDFs gets lines of its own; print with other drawn lines, such as underlines, does not."""

from collections import Counter

import numpy as np
import pytest

from docextract.images import struck
from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import DecodedFile
from tests.images.text_pdfs import text_pdf, words

DUE = words("Due", 60, 700)
OLD = words("4 March 2026", 90, 700)  # 66 points wide
NEW = words("14 March 2026", 165, 700)
DATES = DUE + OLD + NEW
RECTANGLE = "90 703 66 0.6 re f\n"


def page_of(content, **options):
    file = decode_upload(text_pdf(content, **options), DecodingLimits())
    assert isinstance(file, DecodedFile), file
    (page,) = file.pages
    return page


def kept(page):
    return [line.text for line in page.lines if not line.is_struck]


def struck_out(page):
    return [line.text for line in page.lines if line.is_struck]


def is_whole(page):
    return kept(page) == ["Due 4 March 2026 14 March 2026"] and not struck_out(page)


FORM = b"<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Matrix[1 0 0 1 90 0]/Length %d>>stream\n%s\nendstream"


@pytest.mark.parametrize(
    "line",
    [
        RECTANGLE,
        "0.8 w 90 703.5 m 156 703.5 l S\n",
        "0 w 90 703.5 m 156 703.5 l S\n",
        "90 703 6 0.6 re f 96 703 30 0.6 re f 126 703 30.2 0.6 re f\n",
        "".join(f"{90 + 3 * piece} 703.2 3.3 0.4 re f\n" for piece in range(22)),
        "90 702.4 66 0.6 re f 90 704.2 66 0.6 re f\n",
        "1 0 0 RG 88 703.5 m 158 703.5 l S 0 G\n",
        "q 33 0 0 0.5 90 703.2 cm 0 0 2 1 re f Q\n",
        "q 0 1 -1 0 156 703.2 cm 0 0 0.6 66 re f Q\n",
    ],
    ids=["rectangle", "line", "hairline", "one path", "pieces", "double", "red", "scaled", "turned"],
)
def test_struck_words_are_kept_apart(line):
    """As Word, LibreOffice, LaTeX and browsers draw the line."""
    page = page_of(DATES + line)

    assert kept(page) == ["Due", "14 March 2026"]
    assert struck_out(page) == ["4 March 2026"]


def test_a_struck_line_lies_on_its_print():
    whole, page = page_of(OLD), page_of(DATES + RECTANGLE)
    (line,) = (line for line in page.lines if line.is_struck)

    np.testing.assert_allclose(line.polygon, whole.lines[0].polygon, atol=0.1)


def test_struck_words_may_be_drawn_as_one_with_others():
    page = page_of(words("Due 4 March 2026 14 March 2026", 60, 700) + "83.2 703 66 0.6 re f\n")

    assert (kept(page), struck_out(page)) == (["Due", "14 March 2026"], ["4 March 2026"])


def test_a_lone_digit_can_be_struck_out():
    page = page_of(words("Quantity 3 5", 60, 700) + words("Pack", 60, 650) + "104 703.4 m 110.2 703.4 l S\n")

    assert (kept(page), struck_out(page)) == (["Quantity 5", "Pack"], ["3"])


def test_print_at_the_edge_of_the_page_can_be_struck_out():
    page = page_of(words("Due", 60, 833.5) + words("4 March 2026", 90, 833.5) + "90 836.5 66 0.6 re f\n")

    assert (kept(page), struck_out(page)) == (["Due"], ["4 March 2026"])


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_pages_may_be_turned(rotation):
    page = page_of(DATES + RECTANGLE, page_entries=f"/Rotate {rotation}")

    assert (kept(page), struck_out(page)) == (["Due", "14 March 2026"], ["4 March 2026"])


@pytest.mark.parametrize("turn", ["0 1 -1 0 900 100", "-1 0 0 -1 500 800", "0 -1 1 0 -400 700"])
def test_print_may_be_turned(turn):
    page = page_of(f"q {turn} cm {DATES}{RECTANGLE}Q\n")

    assert (kept(page), struck_out(page)) == (["Due", "14 March 2026"], ["4 March 2026"])


def test_lines_in_forms_are_found():
    line = b"0 703 66 0.6 re f"
    resources = "/Resources<</XObject<</X1 10 0 R>>/Font<</F1 3 0 R>>>>"
    page = page_of(DATES + "/X1 Do\n", page_entries=resources, objects=[FORM % (len(line), line)])

    assert (kept(page), struck_out(page)) == (["Due", "14 March 2026"], ["4 March 2026"])


def test_annotations_strike_print_out():
    """By a mark of a reader without an appearance of its own."""
    mark = (
        "<</Type/Annot/Subtype/StrikeOut/C[1 0 0]/QuadPoints[90 708 156 708 90 698 156 698]/Rect[90 698 156 708]/F 4>>"
    )
    page = page_of(DATES, page_entries=f"/Annots[{mark}]")

    assert (kept(page), struck_out(page)) == (["Due", "14 March 2026"], ["4 March 2026"])


@pytest.mark.parametrize(
    "drawn",
    [
        "90 698 66 0.6 re f\n",
        "90 698 m 156 698 l S\n",
        "90 710 66 0.6 re f\n",
        "40 703 500 0.6 re f\n",
        "60 703 480 0.6 re f\n",
        "".join(f"{40 + 50 * cell} 703 50 0.6 re f\n" for cell in range(10)),
        "1 g 90 703 66 0.6 re f 0 g\n",
        "q 0 0 10 10 re W n 90 703 66 0.6 re f Q\n",
        "90 703 66 0.6 re n\n",
        "[3 3] 0 d 90 703.5 m 156 703.5 l S [] 0 d\n",
        "90 690 66 20 re S\n",
        "60 685 m 240 685 l S 60 715 m 240 715 l S 60 685 m 60 715 l S\n",
        "90 710 m 156 692 l S\n",
        "123 690 m 123 715 l S\n",
        "157 703 7 0.6 re f\n",
        "90 703 59 0.6 re f\n",
    ],
    ids=[
        "underline", "drawn underline", "overline", "rule", "rule from the first word on", "rule of pieces", "white",
        "clipped", "not drawn", "dashed", "frame", "table", "diagonal", "upright", "between words", "within a word",
    ],
)  # fmt: skip
def test_other_lines_strike_nothing_out(drawn):
    assert is_whole(page_of(DATES + drawn))


def test_a_highlighted_background_strikes_nothing_out():
    """Of any height: also that of a strike, where the print stands on it."""
    for box in ("90 697 66 12 re", "90 702 66 4 re"):
        assert is_whole(page_of(f"1 1 0 rg {box} f 0 g\n{DATES}"))


@pytest.mark.parametrize("text", ["- - - -", "___________", "......", "E"])
def test_signs_and_lone_letters_are_not_struck_out(text):
    line = words(text, 60, 650, 14)

    assert not struck_out(page_of(DATES + line + "60 654 9 0.6 re f\n60 654 40 0.6 re f\n"))


def test_a_fraction_bar_strikes_nothing_out():
    fraction = words("1234", 60, 650) + "60 648 24.5 0.5 re f\n" + words("5678", 60, 638)

    assert not struck_out(page_of(DATES + fraction))


DEEP_FONT = (
    "<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/FirstChar 32/LastChar 126/Encoding/WinAnsiEncoding"
    f"/Widths[{' '.join(['600'] * 95)}]/FontDescriptor<</Type/FontDescriptor/FontName/Helvetica/Flags 32/StemV 88"
    "/FontBBox[-166 -600 1000 750]/ItalicAngle 0/Ascent 750/Descent -600/CapHeight 718>>>>"
)


@pytest.mark.parametrize(
    ("text", "leading"),
    [
        *((text, leading) for text in ("PAGE 12345", "Page 12345") for leading in (8, 9, 10, 11, 20)),
        ("Pay (gross", 10),
        ("pagge pqgg", 10),
    ],
)
def test_an_underline_below_print_of_unusual_descent_strikes_nothing_out(text, leading):
    """The box of such a font reaches down to the next line, so that an underline is in its middle."""
    lines = words(text, 60, 600, 10) + words("NEXT 12345", 60, 600 - leading, 10)

    assert not struck_out(page_of(lines + "60 598.5 60 0.6 re f\n", font=DEEP_FONT))


def test_print_of_unusual_descent_can_be_struck_out():
    lines = words("PAGE 12345", 60, 600, 10) + words("NEXT 12345", 60, 588, 10)

    assert struck_out(page_of(lines + "60 601.8 60 0.6 re f\n", font=DEEP_FONT)) == ["PAGE 12345"]


@pytest.mark.parametrize("size", [5, 7, 16, 30])
@pytest.mark.parametrize(
    ("text", "width"), [("wave", 2.334), ("PAGE 123", 4.725), ("page (gg)", 4.28), ("11111", 2.78), ("4,50", 1.946)]
)
def test_print_of_any_size_and_form_can_be_struck_out(text, width, size):
    """In the middle of small letters, also where these have no ascenders, or have descenders. width: of size 1."""
    line = f"60 {600 + 0.27 * size} {width * size} {0.05 * size} re f\n"

    assert struck_out(page_of(words(text, 60, 600, size) + line)) == [text]


def test_thin_print_with_few_bars_can_be_struck_out():
    font = "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>"

    assert struck_out(page_of(words("ill lily", 60, 600, 24) + "59 605.3 117 1.2 re f\n", font=font)) == ["ill lily"]


def test_strikes_are_looked_for_on_pages_with_few_objects():
    """Looking at objects takes time, and a page may have a million."""
    objects = "10 10 1 1 re f\n" * struck.MAX_SEARCHED_OBJECTS

    assert is_whole(page_of(DATES + RECTANGLE + objects))
    assert struck_out(page_of(DATES + RECTANGLE + objects[: len(objects) // 2]))


def test_many_lines_through_print_are_looked_at_once(monkeypatch):
    """And the words of each run, however many lines go through them."""
    looked_at: list[str] = []

    def recorded(name, function):
        return lambda *arguments: (looked_at.append(name), function(*arguments))[1]

    monkeypatch.setattr(struck._Upright, "struck_by", recorded("line", struck._Upright.struck_by))
    monkeypatch.setattr(struck, "_word_beginnings", recorded("words", struck._word_beginnings))
    rows = "".join(words("xH0a" * 25, 10, 20 + 10 * row, 8) for row in range(80))
    lines = "".join(f"10 {21.5 + 10 * row + 0.25 * at} 470 .01 re f\n" for row in range(80) for at in range(10))

    page_of(rows + lines)

    assert Counter(looked_at) == {"line": 800, "words": 80}


def test_unusual_coordinates_are_no_error():
    for line in (
        "90 1e38 1e38 0.1 re f",
        "1e30 w 0 703 m 1e30 703 l S",
        "q 0 0 0 0 0 0 cm 90 703 66 1 re f Q",
        "m l S",
    ):
        assert "Due" in " ".join(kept(page_of(DATES + line + "\n")))

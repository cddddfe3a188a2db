"""The text layer of PDFs: the lines that a person sees, in the form in which OCR returns lines."""

import unicodedata

import numpy as np
import pytest

from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import DecodedFile, Refusal
from tests.images.text_pdfs import text_pdf, words

LIMITS = DecodingLimits()
LETTER = words("Invoice 4711", 60, 780, 18) + words("Total amount due", 60, 700) + words("1,234.50 EUR", 400, 700)


def decoded(data):
    file = decode_upload(data, LIMITS)
    assert isinstance(file, DecodedFile), file
    return file


def page_of(content, **options):
    (page,) = decoded(text_pdf(content, **options)).pages
    return page


def texts(page):
    return [line.text for line in page.lines]


def font_with_characters(mapping):
    """Options of a page whose font names the characters of its glyphs so."""
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> "
        b"endcodespacerange %s endcmap end end" % mapping
    )
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap)
    font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 10 0 R>>"
    return {"font": font, "objects": [stream]}


def test_text_is_taken_from_the_file():
    """A wide gap separates two lines, as text detection does."""
    page = page_of(LETTER)

    assert texts(page) == ["Invoice 4711", "Total amount due", "1,234.50 EUR"]
    assert page.source == "digital"


def test_words_of_narrow_columns_stay_whole():
    """PDFium takes two of them for vertical writing and ends a line behind each glyph."""
    rows = [words("No. 1", 40, 800 - 12 * row, 10) + words("00417", 500, 800 - 12 * row, 10) for row in range(12)]

    assert sorted(texts(page_of("".join(rows)))) == ["00417"] * 12 + ["No. 1"] * 12


def test_lines_lie_on_their_print():
    """Ink is inside the polygon, and none of this line's is outside."""
    page = page_of(words("Total", 100, 500, 20))
    (line,) = page.lines
    ink = np.argwhere(page.pixels.min(axis=2) < 128)[:, ::-1]

    low, high = line.polygon.min(axis=0), line.polygon.max(axis=0)
    assert (ink >= low - 1).all()
    assert (ink <= high + 1).all()
    assert high[0] - low[0] < 1.1 * np.ptp(ink[:, 0]) + 4


def test_characters_have_borders():
    """Ascending, one more than characters, and the wide letters are wide."""
    (line,) = page_of(words("WiW i", 100, 500, 20)).lines

    assert len(line.cuts) == len(line.text) + 1
    widths = np.diff(line.cuts)
    assert (widths >= 0).all()
    assert widths[0] > 2 * widths[1]


@pytest.mark.parametrize(
    ("rotation", "corner"), [(0, "left top"), (90, "right top"), (180, "right bottom"), (270, "left bottom")]
)
def test_rotated_pages_keep_their_text(rotation, corner):
    """The polygon begins at the line's own top left corner, wherever that is on the drawn page."""
    page = page_of(words("Invoice", 60, 780, 20), page_entries=f"/Rotate {rotation}")
    (line,) = page.lines
    height, width = page.pixels.shape[:2]
    x, y = line.polygon[0]

    assert line.text == "Invoice"
    assert f"{'left' if x < width / 2 else 'right'} {'top' if y < height / 2 else 'bottom'}" == corner
    along = line.polygon[1] - line.polygon[0]
    assert np.degrees(np.arctan2(along[1], along[0])) % 360 == pytest.approx(rotation, abs=1)


def test_upright_text_on_a_page_and_text_at_its_side_are_separate_lines():
    side = "BT /F1 11 Tf 0 1 -1 0 40 300 Tm (Registered office) Tj ET\n"

    assert set(texts(page_of(LETTER + side))) == {
        "Invoice 4711", "Total amount due", "1,234.50 EUR", "Registered office",
    }  # fmt: skip


def test_slanted_text_is_left_to_recognition():
    stamp = "BT /F1 30 Tf 0.8 0.6 -0.6 0.8 200 300 Tm (PAID) Tj ET\n"

    assert "PAID" not in texts(page_of(LETTER + stamp))


@pytest.mark.parametrize(
    "hidden",
    [
        words("Total 1.00", 60, 600, extra="3 Tr") + "0 Tr\n",
        "1 1 1 rg\n" + words("Total 1.00", 60, 600) + "0 0 0 rg\n",
        words("Total 1.00", 60, 600) + "1 1 1 rg 50 590 200 30 re f 0 0 0 rg\n",
        words("Total 1.00", 60, 600, size=1),
        words("Total 1.00", 60, -50),
        words("Total 1.00", 900, 600),
    ],
    ids=["invisible", "white", "covered", "tiny", "below the page", "beside the page"],
)
def test_hidden_text_is_left_out(hidden):
    """What a person cannot see must not become a value."""
    assert texts(page_of(LETTER + hidden)) == ["Invoice 4711", "Total amount due", "1,234.50 EUR"]


@pytest.mark.parametrize("colour", ["0 g", "0.8 g", "0.6 0 0 rg"])
@pytest.mark.parametrize("excess", [-2, 0, 2])
def test_text_under_a_bar_is_left_out(colour, excess):
    """Even of a bar that is lower than the box of the print, and where the rest of the line can be seen."""
    bar = f"{colour} 100 {597 - excess} 60 {13 + 2 * excess} re f 0 g\n"  # Helvetica is 12.7 points high here

    covered = words("Payee: ", 60, 600) + words("Northwind", 102, 600) + bar

    assert set(texts(page_of(LETTER + covered))) == {"Invoice 4711", "Total amount due", "1,234.50 EUR", "Payee:"}


@pytest.mark.parametrize("size", [3, 5, 8, 40])
def test_narrow_and_bold_letters_are_print(size):
    """Some fill their box from side to side."""
    text = "I. Illinois 111 lilli"
    bold = {"font": "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>"}

    assert texts(page_of(words(text, 60, 600, size))) == [text]
    assert texts(page_of(words(text, 60, 600, size), **bold)) == [text]
    assert texts(page_of("q 90 Tz " + words(text, 60, 600, size, "2 Tr 0.4 w") + "Q", **bold)) == [text]


def test_page_with_mostly_hidden_text_is_recognised():
    """A scan with the text layer of a poor recogniser."""
    hidden = "".join(words("A long line of hidden text", 60, y, extra="3 Tr") for y in range(100, 600, 20))

    assert page_of(LETTER + hidden).lines == ()


def test_text_that_is_drawn_twice_is_read_once():
    """Programs draw bold print so."""
    assert texts(page_of(words("Total 9.00", 60, 600) + words("Total 9.00", 60.3, 600))) == ["Total 9.00"]


@pytest.mark.parametrize("bold", [0, 0.3])
@pytest.mark.parametrize("size", [8, 11, 30])
def test_narrow_letters_that_follow_each_other_are_kept(size, bold):
    """The second is nearer to the first than a fifth of the height of the print."""
    text = "Willi Iller, iii 11,11 ||"
    twice = words(text, 60, 600, size) + (words(text, 60 + bold, 600, size) if bold else "")

    assert texts(page_of(twice)) == [text]


def test_a_hyphen_that_its_font_calls_soft_is_printed():
    """Some programs name the glyph of both hyphens so. Without it, a discount would be a charge."""
    font = font_with_characters(b"1 beginbfrange <20> <7e> <0020> endbfrange 1 beginbfchar <2d> <00ad> endbfchar")
    page = page_of(words("AB-2026-0417", 60, 700) + words("Discount -50.00", 60, 600), **font)

    assert texts(page) == ["AB-2026-0417", "Discount -50.00"]


@pytest.mark.parametrize("code", [0x2010, 0x2011, 0x2012, 0x2212])
def test_typographic_hyphens_are_plain(code):
    """As recognition returns them: one number has one form."""
    font = font_with_characters(
        b"1 beginbfrange <20> <7e> <0020> endbfrange 1 beginbfchar <2d> <%04x> endbfchar" % code
    )

    assert texts(page_of(words("AB-2026 04-03-2025", 60, 700), **font)) == ["AB-2026 04-03-2025"]


def test_raised_digits_and_fractions_are_no_other_digits():
    """Other compatible forms are replaced: a ligature by its letters, a wide digit by the usual one."""
    font = font_with_characters(
        b"1 beginbfrange <20> <7e> <0020> endbfrange "
        b"4 beginbfchar <61> <00b9> <62> <00bd> <63> <fb01> <64> <ff15> endbfchar"
    )

    assert texts(page_of(words("44a 1b c d", 60, 700), **font)) == ["44¹ 1½ fi 5"]


def width(text, size):
    return sum(map(_width, text)) * size


@pytest.mark.parametrize(
    ("text", "raised", "line"),
    [
        ("Total 44,00", "1", "Total 44,00¹"),
        ("Total 44,00", "1)", "Total 44,00¹)"),
        ("$129", "99", "$129⁹⁹"),
        ("129,", "99", "129,99"),
        ("80 m", "2", "80 m²"),
        ("No 4", "417", "No 4417"),
        ("Nr", "12/34", "Nr12/34"),
    ],
)
def test_digits_drawn_small_and_raised_are_raised_ones(text, raised, line):
    """They are a footnote, cents or an exponent; longer numbers are print of another size."""
    behind = words(raised, 60 + width(text, 12), 704, 7.5)

    assert texts(page_of(words(text, 60, 700, 12) + behind)) == [line]


@pytest.mark.parametrize(("x", "y", "size"), [(0, 700, 8), (0, 704, 12), (8, 704, 7.5)])
def test_digits_that_are_only_small_or_raised_or_apart_are_plain_ones(x, y, size):
    (line,) = texts(page_of(words("No 44", 60, 700, 12) + words("1", 60 + width("No 44", 12) + x, y, size)))

    assert line.replace(" ", "") == "No441"


def test_order_in_the_file_does_not_matter():
    """The parts of a line are joined from left to right."""
    assert texts(page_of(words("Net", 90, 600) + words("Total", 60, 600))) == ["Total Net"]


def test_letters_one_by_one_make_words():
    apart = "".join(words(char, 60 + 7 * index, 600) for index, char in enumerate("TOTAL"))

    assert texts(page_of(apart)) == ["TOTAL"]


def test_letters_of_a_second_font_stand_in_their_words():
    """Programs draw accented letters after all others, where the first font lacks them."""
    text, size = "Été à Nîmes, août 2025", 20
    places = np.cumsum([0, *(_width(char) * size for char in text)])

    def drawn(is_late):
        """Runs of letters up to the next one that is drawn at another time."""
        chars = "".join(char if (char in "ÉéàîûÀ") == is_late else "\0" for char in text)
        starts = [at for at, char in enumerate(chars) if char != "\0" and (at == 0 or chars[at - 1] == "\0")]
        return "".join(words(chars[at:].split("\0")[0], 60 + places[at], 600, size) for at in starts)

    assert texts(page_of(drawn(False) + words("Next", 60, 500) + drawn(True))) == ["Next", text]


@pytest.mark.parametrize("text", ["Willi Iller 11,11 EUR", "Total due 1,234.50", "fi il li ll"])
def test_letters_in_any_order_make_words(text):
    """Some programs sort glyphs by font or by character."""
    places = np.cumsum([0, *(_width(char) * 11 for char in text)])
    letters = [words(char, 60 + place, 600) for char, place in zip(text, places[:-1], strict=True) if char != " "]

    between = words(".", 60, 500)  # PDFium orders what follows each other in one line
    for step in (1, 2, 3, 5):
        shuffled = [one for start in range(step) for one in letters[start::step]][::-1]
        assert texts(page_of(between.join(shuffled)))[-1] == text


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (words("564.60", 60, 600, extra="5 Tc"), "564.60"),
        (words("Total due", 60, 600, extra="5 Tc"), "Total due"),
        (words("VAT 20%", 60, 600, extra="5 Tc"), "VAT 20%"),
        (words("564.60", 60, 600, extra="3.5 Tc"), "564.60"),
        (words("Invoice number 2026", 60, 600, extra="3 Tc"), "Invoice number 2026"),
        (words("I N V O I C E", 60, 600), "INVOICE"),
        (words("T O T A L   D U E:", 60, 600), "TOTAL DUE:"),
        (words("No", 60, 600) + words("20260417", 80, 600, extra="4 Tc"), "No 20260417"),
    ],
)
def test_letter_spaced_print_makes_words(content, line):
    assert texts(page_of(content)) == [line]


@pytest.mark.parametrize("text", ["GB29NWBK60161331926819", "DE89370400440532013000", "20260417", "564.60"])
@pytest.mark.parametrize("pitch", [9.0, 12.5, 16.4])
def test_form_fields_with_boxes_for_characters_make_words(text, pitch):
    boxes = "".join(words(char, round(60 + pitch * at - _width(char) * 5.5, 2), 600) for at, char in enumerate(text))

    assert texts(page_of(boxes)) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Sizes 1 2 3 4 and so on", "X X X X", "Total . . . . . . 12.00", "Section A 2 3 4", "2 x 3 = 6", "1 / 2 / 3",
        "J R R Tolkien", "1  2  3  4  5",
    ],
)  # fmt: skip
def test_single_characters_between_spaces_are_no_words(text):
    assert texts(page_of(words(text, 60, 600))) == [" ".join(text.split())]


@pytest.mark.parametrize("decimals", [".10", ",10"])
def test_decimals_that_are_drawn_apart_belong_to_their_number(decimals):
    """Programs align them below each other."""
    assert texts(page_of(words("Total 94", 60, 600) + words(decimals, 104, 600))) == [f"Total 94{decimals}"]


@pytest.mark.parametrize(("x", "text"), [(112, ".10"), (104, ".105"), (104, ".1"), (104, ".AB"), (104, "10")])
def test_other_print_beside_a_number_is_apart(x, text):
    assert texts(page_of(words("Total 94", 60, 600) + words(text, x, 600))) == [f"Total 94 {text}"]


def test_decimals_behind_a_typed_space_are_apart():
    assert texts(page_of(words("4 .50 each", 60, 600))) == ["4 .50 each"]


@pytest.mark.parametrize("places", [(60, 73, 87, 99), (60, 72, 84, 96), (60, 76, 92, 108)])
def test_columns_of_single_digits_are_no_words(places):
    """They are as wide as their headings, or all alike, as sizes of clothes."""
    cells = "".join(words(char, place, 600) for char, place in zip("1201", places, strict=True))

    assert "".join(texts(page_of(cells))).replace(" ", "") == "1201"
    assert "1201" not in texts(page_of(cells))


def _width(char):
    """Advance of a letter of Helvetica, em."""
    plain = unicodedata.normalize("NFD", char)[0]
    widths = {"W": 0.944, "m": 0.833, "w": 0.722, "r": 0.333, "s": 0.5, "E": 0.667, "N": 0.722, "T": 0.611, "R": 0.722}
    widths |= {"B": 0.667, "D": 0.722, "G": 0.778, "K": 0.667}
    return widths.get(
        plain, 0.222 if plain in "il" else 0.278 if plain in " It,.f" else 0.722 if plain == "U" else 0.556
    )


def test_font_without_characters_is_recognised():
    """Its glyphs may be anything: the page has no usable text layer."""
    font = font_with_characters(b"1 beginbfrange <20> <7e> <e020> endbfrange")

    assert page_of(LETTER, **font).lines == ()


@pytest.mark.parametrize("code", [0xE000, 0xFFFD])
@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Discount # 50.00", []),
        ("# 50.00", []),
        ("#50.00", []),
        ("12#50", []),
        ("# Delivery on Monday", ["Delivery on Monday"]),
    ],
)
def test_lines_with_a_sign_of_unknown_character_are_recognised(code, line, left):
    """It may be a minus or a decimal mark; one that begins the line of a list is neither."""
    font = font_with_characters(
        b"2 beginbfrange <20> <22> <0020> <24> <7e> <0024> endbfrange 1 beginbfchar <23> <%04x> endbfchar" % code
    )
    others = LETTER + words("Prices in pounds, as agreed with the buyer", 60, 640)

    assert set(texts(page_of(others + words(line, 60, 600), **font))) == {*texts(page_of(others)), *left}


MINUS = "1 w 54 604 m 59 604 l S\n"  # in front of 60, 600


@pytest.mark.parametrize("text", ["50.00", "$50.00", "5"])
def test_numbers_with_a_minus_that_is_drawn_as_a_line_are_recognised(text):
    """The text layer does not have it."""
    assert texts(page_of(LETTER + MINUS + words(text, 60, 600))) == texts(page_of(LETTER))
    assert texts(page_of(LETTER + words("Total", 25, 600) + MINUS + words(text, 60, 600))) == texts(page_of(LETTER))


def test_numbers_with_a_minus_that_its_font_calls_a_space_are_recognised():
    font = font_with_characters(b"1 beginbfchar <2d> <0020> endbfchar 1 beginbfrange <2e> <7a> <002e> endbfrange")

    assert texts(page_of(words("Total", 60, 700) + words("-50.00", 60, 600), **font)) == ["Total"]


def test_a_minus_that_is_drawn_in_front_of_a_number_at_the_side_is_found():
    turned = "q 0 1 -1 0 700 0 cm\n"

    assert texts(page_of(LETTER + turned + MINUS + words("50.00", 60, 600) + "Q")) == texts(page_of(LETTER))
    assert "50.00" in texts(page_of(LETTER + turned + words("50.00", 60, 600) + "Q"))


@pytest.mark.parametrize(
    "drawn",
    [
        "1 w 20 604 m 59 604 l S",  # a rule that leads to the number
        "1 w 54 597 m 59 597 l S",  # too low
        "1 w 54 609 m 59 609 l S",  # too high
        "1 w 54 604 m 90 604 l S",  # through the number
        "8 w 54 604 m 59 604 l S",  # a box
        "1 w 54 604 m 59 604 l S 1 w 56.5 601.5 m 56.5 606.5 l S",  # a plus
        "1 w 40 604 m 45 604 l S",  # further away
    ],
)
def test_other_lines_in_front_of_a_number_are_no_minus(drawn):
    assert "50.00" in texts(page_of(LETTER + drawn + "\n" + words("50.00", 60, 600)))


@pytest.mark.parametrize("text", ["-50.00", "- 50.00", "5 - 50.00"])
def test_numbers_with_a_minus_of_the_text_layer_are_taken_from_it(text):
    assert text in texts(page_of(LETTER + words(text, 60, 600)))


@pytest.mark.parametrize(
    "annotation", ["Link/Border[0 0 0]", "Text/Contents(note)", "Highlight/QuadPoints[60 700 90 700 60 710 90 710]"]
)
def test_annotations_change_neither_size_nor_print_of_a_page(annotation):
    """PDFium loses what a page has from its parent when it makes annotations a part of it."""
    plain = text_pdf(LETTER, inherited=True, size=(595, 900))
    noted = text_pdf(
        LETTER, inherited=True, size=(595, 900),
        page_entries=f"/Annots[<</Type/Annot/Subtype/{annotation}/Rect[60 10 90 20]>>]",
    )  # fmt: skip
    (one,), (other,) = decoded(plain).pages, decoded(noted).pages

    assert one.pixels.shape == other.pixels.shape
    assert np.mean(one.pixels[:2000] != other.pixels[:2000]) < 0.001
    assert other.source == "digital"


def test_text_of_a_page_with_a_link_is_read():
    link = "/Annots[<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[60 10 90 20]/A<</S/URI/URI(https://example.org)>>>>]"

    assert texts(page_of(LETTER, inherited=True, page_entries=link)) == texts(page_of(LETTER))


def test_form_fields_are_drawn_and_part_of_the_text():
    """They are annotations, which are not part of the page's own content."""
    appearance = words("Ada Lovelace", 2, 4, 12).encode()
    form = b"<</Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 3 0 R>>>>/Length %d>>" % len(
        appearance
    )
    widget = b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada Lovelace)/Rect[60 500 260 520]/F 4/AP<</N 11 0 R>>>>"
    data = text_pdf(
        LETTER, page_entries="/Annots[10 0 R]",
        objects=[widget, form + b"stream\n" + appearance + b"\nendstream"],
    )  # fmt: skip
    (page,) = decoded(data).pages

    assert "Ada Lovelace" in texts(page)


def test_long_rolls_are_drawn_large_enough_to_read():
    """A till prints as long as it likes."""
    page = page_of(words("Total 150.00", 20, 100, 9), size=(200, 2500))

    assert min(page.pixels.shape[:2]) >= 700
    assert texts(page) == ["Total 150.00"]


def test_pages_in_a_larger_unit_are_drawn_as_usual():
    """Their size in points is that of a stamp."""
    content = words("Invoice 4711", 6, 78, 1.8) + words("Total 1,234.50", 6, 70, 1.1)
    page = page_of(content, size=(59.5, 84.2), page_entries="/UserUnit 10")

    assert max(page.pixels.shape[:2]) >= 2000
    assert set(texts(page)) == {"Invoice 4711", "Total 1,234.50"}


def test_too_many_glyphs_are_no_text_layer():
    """The page is drawn and recognised; nothing else waits for it."""
    line = "x" * 1000
    page = page_of("".join(words(line, 10, 10 + index % 800, 4) for index in range(60)))

    assert page.lines == ()


def test_embedded_invoice_is_found():
    """By its name, also behind other attachments; by its root element under another name."""
    invoice = b"<?xml version='1.0'?><!-- " + b"x" * 5000 + b" --><rsm:CrossIndustryInvoice xmlns:rsm='u'/>"

    named = text_pdf(LETTER, attachments={"notes.xml": b"<a/>", "factur-x.xml": invoice})
    unnamed = text_pdf(LETTER, attachments={"data.xml": invoice})
    other = text_pdf(LETTER, attachments={"data.xml": b"<a/>", "factur-x.txt": invoice})

    assert decoded(named).invoice_xml == invoice
    assert decoded(unnamed).invoice_xml == invoice
    assert decoded(other).invoice_xml is None


RESOURCES = "/Resources<</XObject<</X1 10 0 R/X2 11 0 R>>/Font<</F1 3 0 R>>>>"
WHOLE_PAGE, MIDDLE, CORNER = (f"q {place} cm /X1 Do Q\n" for place in (
    "595 0 0 842 0 0", "300 0 0 400 150 200", "60 0 0 60 20 760"
))  # fmt: skip
FORM = b"<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</X1 10 0 R>>>>/Length 6>>"
FORM += b"stream\n/X1 Do\nendstream"
HIDDEN_TEXT = f"3 Tr {LETTER}"


def source_of(pixels, content):
    """The source of a page with this picture as /X1, and with a form of it as /X2."""
    height, width = pixels.shape[:2]
    image = b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceRGB/Length %d>>" % (
        width, height, pixels.size
    )  # fmt: skip
    objects = [image + b"stream\n" + pixels.tobytes() + b"\nendstream", FORM]
    return page_of(content, page_entries=RESOURCES, objects=objects).source


def paper_with_print(light):
    """Paper with lines of print in this light, [120, 90, 3], 0..255."""
    paper = np.broadcast_to(np.asarray(light, np.float64), (120, 90, 3)).copy()
    paper[10:110:6, 10:80:3] *= 0.3
    return paper.astype(np.uint8)


def photographed():
    """In warm light from the left, on a blue table."""
    light = np.linspace(220, 90, 90)[None, :, None] * np.array([1, 0.9, 0.75])
    photo = paper_with_print(light)
    photo[:, 70:] = 40, 50, 90
    return photo


@pytest.mark.parametrize("light", [255, 210, (255, 205, 200)], ids=["white", "grey", "pink"])
def test_scans_are_told_from_drawn_pages(light):
    """Also of paper that is not white, with the text layer of a recogniser, and where the page has wide margins."""
    scan = paper_with_print(light)

    assert {source_of(scan, content) for content in (WHOLE_PAGE, MIDDLE, WHOLE_PAGE + HIDDEN_TEXT)} == {"scan"}
    assert source_of(scan, LETTER) == source_of(scan, LETTER + CORNER) == "digital"


def test_a_scan_of_a_coloured_card_is_a_scan():
    """On white paper that fills the scan."""
    scan = np.full((240, 180, 3), 255, np.uint8)
    scan[30:90, 30:120] = photographed()[:60]

    assert source_of(scan, WHOLE_PAGE) == "scan"


def test_one_line_of_text_beside_a_logo_is_drawn():
    assert source_of(photographed(), CORNER + "BT /F1 40 Tf 100 400 Td (Ticket) Tj ET") == "digital"


@pytest.mark.parametrize(
    "content",
    [
        WHOLE_PAGE, MIDDLE, MIDDLE + HIDDEN_TEXT, "1 g 0 0 595 842 re f " + MIDDLE,
        "q 300 0 0 400 150 200 cm /X2 Do Q", "q 0 300 -400 0 500 200 cm /X1 Do Q",
    ],
    ids=["whole page", "with margins", "with hidden text", "on a white rectangle", "in a form", "turned"],
)  # fmt: skip
def test_a_photo_in_a_pdf_is_a_photo(content):
    """However a program places it; at any brightness."""
    photo = photographed()

    assert source_of(photo, content) == "photo"
    for brightness in (0.3, 0.06):
        assert source_of((photo * brightness).astype(np.uint8), content) == "photo"


def test_a_photo_on_a_page_of_a_program_does_not_make_it_a_photo():
    """A logo beside text or drawn shapes, and a page whose text is drawn as shapes."""
    shapes = "".join(f"{40 + 4 * number} 300 3 8 re f " for number in range(100))

    assert source_of(photographed(), WHOLE_PAGE + LETTER) == "digital"
    assert source_of(photographed(), CORNER + "40 300 200 4 re f") == "digital"
    assert source_of(photographed(), WHOLE_PAGE + shapes) != "photo"
    assert source_of(photographed(), CORNER) != "photo"


def test_damaged_text_is_no_error():
    """Unbalanced operators, unknown fonts, numbers without end."""
    for content in ("BT ((( Tj", "BT /F9 1e99 Tf (x) Tj ET", "BT /F1 11 Tf 1e40 0 Td (x) Tj ET", "Q Q Q ET"):
        assert isinstance(decode_upload(text_pdf(LETTER + content), LIMITS), DecodedFile | Refusal)

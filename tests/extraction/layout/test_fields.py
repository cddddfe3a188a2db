"""Decoding of labels into values, and encoding of values into labels."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.layout.candidates import line_polygons
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import NO_FIELD, LabelProbabilities, begin_label, inside_label, of_type
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.tables.rows import decode_groups
from docextract.extraction.layout.values.spans import IBAN_OR_BIC_PROBABILITY
from docextract.predictions import CharacterAlternative
from training.synth.labelled_lines import LabelledLine, encode_labels

KIND = document_types()["receipt"]
NAMES = tuple(field.name for field in KIND.fields())


def mark(line, *values):
    """Label parts of a line as fields: ("9.00", "total")."""
    marks = [(line.text.index(text), line.text.index(text) + len(text), field, 0) for text, field in values]
    return LabelledLine(line, tuple(marks))


def with_labels(pieces, labels):
    """Return a page of pieces with these probabilities of their labels."""
    return PageLabels(KIND, NAMES, pieces, LabelProbabilities(labels, np.zeros(len(pieces), np.float32)), Conventions())


def labelled(marked):
    """Return a page with the label probabilities of a perfect network."""
    ordered, page = split_into_pieces([one.line for one in marked])
    truth = {id(one.line): one for one in marked}
    labels, starts = encode_labels([truth[id(line)] for line in ordered], page.pieces, NAMES)
    certain = np.eye(1 + 2 * len(NAMES), dtype=np.float32)[labels]
    return PageLabels(KIND, NAMES, page.pieces, LabelProbabilities(certain, starts.astype(np.float32)), Conventions())


def test_encoded_values_are_decoded(line):
    """Values of one line, of two lines and of a part of a line come back."""
    page = labelled(
        [
            mark(line("MEGA MART SDN. BHD.", 50, 0), ("MEGA MART SDN. BHD.", "merchant_name")),
            mark(line("12, JALAN SAGU,", 50, 30), ("12, JALAN SAGU,", "merchant_address")),
            mark(line("81100 JOHOR", 50, 60), ("81100 JOHOR", "merchant_address")),
            mark(line("Date:25/12/2018 20:13", 0, 90), ("25/12/2018", "document_date"), ("20:13", "transaction_time")),
            mark(line("TOTAL:RM9.00", 0, 150), ("RM9.00", "total")),
        ]
    )

    found = {name: one.value for name, one in decode_fields(page).items()}

    assert found["merchant_name"] == "MEGA MART SDN. BHD."
    assert found["merchant_address"] == "12, JALAN SAGU, 81100 JOHOR"
    assert found["document_date"] == date(2018, 12, 25)
    assert found["total"] == Decimal("9.00")
    assert "subtotal" not in found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("12, JALAN SAGU, JOHOR.", "12, JALAN SAGU, JOHOR."),
        ("FUN N CHEER (MALURI)", "FUN N CHEER (MALURI)"),
        ("MEGA MART) SDN", "MEGA MART"),
        ("MEGA MART. SDN", "MEGA MART."),
        ("MEGA MART.SDN", "MEGA MART"),
        ("MEGA BAKERY S/B (12-X)", "MEGA BAKERY S/B"),
    ],
)
def test_a_text_includes_its_closing_mark(line, text, name):
    """A full stop or bracket directly behind a text belongs to it, unless it begins the next word."""
    bare = name.removesuffix("/B").rstrip(".)")
    page = labelled([mark(line(text, 0, 0), (bare, "merchant_name"))])

    assert decode_fields(page)["merchant_name"].value == name


def test_a_certain_name_does_not_continue_in_an_uncertain_one(line):
    """A brand above the company is dropped if it is three quarters as likely as the company."""
    page = labelled(
        [
            mark(line("Sushi Q", 50, 0), ("Sushi Q", "merchant_name")),
            mark(line("EDEN IMPRESSION", 50, 30), ("EDEN IMPRESSION", "merchant_name")),
        ]
    )
    certain = decode_fields(page)["merchant_name"]
    page.labels[:2] *= 0.75
    page.labels[:2, 0] += 0.25
    uncertain = decode_fields(page)["merchant_name"]

    assert (certain.value, uncertain.value) == ("Sushi Q EDEN IMPRESSION", "EDEN IMPRESSION")


@pytest.mark.parametrize(
    ("field", "odds", "value"),
    [
        ("merchant_address", 0.2, "33, JALAN SAGU."),
        ("merchant_address", 0.01, "33. JALAN SAGU."),
        ("merchant_name", 0.2, "33. JALAN SAGU."),
    ],
)
def test_the_field_decides_between_similar_characters(line, field, odds, value):
    """In an address a likely comma replaces a point; the last character and characters with low odds stay."""
    alternatives = (CharacterAlternative(2, ",", odds), CharacterAlternative(14, ",", odds))
    page = labelled(
        [mark(replace(line("33. JALAN SAGU.", 0, 0), alternatives=alternatives), ("33. JALAN SAGU.", field))]
    )

    found = decode_fields(page)[field]

    assert found.value == found.content == value


def test_a_text_continues_in_its_column(line):
    """Dates and numbers next to an address are not part of it."""
    page = labelled(
        [
            mark(line("12, JALAN SAGU,", 0, 0), ("12, JALAN SAGU,", "merchant_address")),
            mark(line("25/12/2018", 600, 0), ("25/12/2018", "document_date")),
            mark(line("TAMAN DAYA,", 0, 30), ("TAMAN DAYA,", "merchant_address")),
            mark(line("TOTAL 9.00", 600, 30), ("9.00", "total")),
            mark(line("81100 JOHOR", 0, 60), ("81100 JOHOR", "merchant_address")),
        ]
    )

    found = {name: one.value for name, one in decode_fields(page).items()}

    assert found["merchant_address"] == "12, JALAN SAGU, TAMAN DAYA, 81100 JOHOR"
    assert (found["document_date"], found["total"]) == (date(2018, 12, 25), Decimal("9.00"))


def test_encoded_rows_are_decoded(line):
    """Line items are decoded row by row."""
    marked = [
        mark(
            line(f"{name} {price}", 0, 30 * at),
            (name, f"line_items.{at}.description"),
            (price, f"line_items.{at}.amount"),
        )
        for at, (name, price) in enumerate([("MILK 1L", "4.20"), ("BREAD", "3.10"), ("TEA", "7.00")])
    ]

    page = labelled(marked)
    rows = decode_groups(page)["line_items"]

    assert [row["description"].value for row in rows] == ["MILK 1L", "BREAD", "TEA"]
    assert [row["amount"].value for row in rows] == [Decimal("4.20"), Decimal("3.10"), Decimal("7.00")]


def test_a_value_printed_twice_beats_a_likelier_one_printed_once(line):
    """Places with the same value support each other."""
    lines = [line("9.00", 0, 0), line("8.00", 0, 50), line("9.00", 0, 100)]
    _, page = split_into_pieces(lines)
    labels = np.zeros((3, 1 + 2 * len(NAMES)), np.float32)
    total = NAMES.index("total")
    labels[:, begin_label(total)] = [0.5, 0.6, 0.5]
    labels[:, NO_FIELD] = 1 - labels[:, begin_label(total)]

    best = decode_fields(with_labels(page.pieces, labels))["total"]

    assert best.value == Decimal("9.00")
    assert best.support == pytest.approx(0.75)
    assert best.margin == pytest.approx(0.15)


def test_a_value_without_rivals_has_the_full_margin(line):
    """A low probability does not lower the margin; calibration uses this to detect values without a rival."""
    _, page = split_into_pieces([line("9.00", 0, 0)])
    labels = np.zeros((1, 1 + 2 * len(NAMES)), np.float32)
    labels[0, begin_label(NAMES.index("total"))] = 0.6

    best = decode_fields(with_labels(page.pieces, labels))["total"]

    assert best.support == pytest.approx(0.6)
    assert best.margin == 1.0


def test_unparsable_text_is_no_value(line):
    """A word labelled as the total is no total."""
    page = labelled([mark(line("HELLO"), ("HELLO", "total"))])

    assert "total" not in decode_fields(page)


def test_a_value_has_one_polygon_per_line(line):
    """A value on two lines has two polygons."""
    _, page = split_into_pieces([line("12, JALAN SAGU,", 50, 0), line("81100 JOHOR", 50, 30)])

    first, second = line_polygons(page.pieces)

    assert first.tolist() == [[50, 0], [200, 0], [200, 20], [50, 20]]
    assert second.tolist() == [[50, 30], [160, 30], [160, 50], [50, 50]]


def test_labels_follow_the_bio_scheme(line):
    """The first piece gets the begin label, the others the inside label, and other text no field."""
    marked = mark(line("MEGA MART 2"), ("MEGA MART", "merchant_name"))
    _, page = split_into_pieces([marked.line])

    labels, _ = encode_labels([marked], page.pieces, NAMES)

    name = NAMES.index("merchant_name")
    assert labels.tolist() == [begin_label(name), inside_label(name), NO_FIELD]


def test_a_name_that_repeats_a_word_is_one_name(line):
    """SAM SAM TRADING is one shop."""
    pieces = split_into_pieces([line("SAM SAM TRADING")])[1].pieces
    name = NAMES.index("merchant_name")
    labels = np.zeros((3, 1 + 2 * len(NAMES)), np.float32)
    labels[:2, begin_label(name)] = 0.9
    labels[2, inside_label(name)] = 0.9

    found = decode_fields(with_labels(pieces, labels))

    assert found["merchant_name"].value == "SAM SAM TRADING"


def test_the_bracket_of_the_next_text_is_excluded(line):
    """The brackets of a registration number are not part of the name."""
    page = labelled([mark(line("MEGA MART (789417-W)"), ("MEGA MART (", "merchant_name"))])

    assert decode_fields(page)["merchant_name"].value == "MEGA MART"


def test_a_price_on_every_row_is_no_total(line):
    """However often it might be one: the amount that clearly is the total wins."""
    _, page = split_into_pieces([*(line("1.00", 0, 30 * row) for row in range(150)), line("150.00", 0, 4500)])
    labels = np.zeros((151, 1 + 2 * len(NAMES)), np.float32)
    labels[:, begin_label(NAMES.index("total"))] = [*[0.6] * 150, 0.99]
    labels[:, 0] = 1 - labels.sum(axis=1)

    best = decode_fields(with_labels(page.pieces, labels))["total"]

    assert best.content == "150.00"
    assert best.margin < 0.1


def only(pieces, *rows):
    """Return a page of pieces: for each piece {label: probability}, the rest is no field."""
    labels = np.zeros((len(pieces), 1 + 2 * len(NAMES)), np.float32)
    for index, row in enumerate(rows):
        for label, probability in row.items():
            labels[index, label] = probability
    labels[:, 0] = 1 - labels.sum(axis=1)
    return with_labels(pieces, labels)


def test_a_name_takes_its_neighbours_along(line):
    """Pieces that probably belong to it, on the same line; others do not become a name on their own."""
    _, page = split_into_pieces([line("MEGA MART HOLDINGS", 0, 0), line("TRADING", 0, 200)])
    begin, inside = (label(NAMES.index("merchant_name")) for label in (begin_label, inside_label))
    page = only(page.pieces, {begin: 0.9}, {inside: 0.8}, {inside: 0.3}, {begin: 0.3})

    assert decode_fields(page)["merchant_name"].value == "MEGA MART HOLDINGS"


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("-218,48", "218,48", "-218.48"),
        ("Total -9.00", "9.00", "-9.00"),
        ("Total -$9.00", "9.00", "-9.00"),
        ("Total-9.00", "9.00", "9.00"),
        ("218,48-", "218,48", "-218.48"),
        ("218,48-A", "218,48", "-218.48"),
        ("Total (9.00)", "9.00", "-9.00"),
        ("Total ($9.00)", "9.00", "-9.00"),
        ("Total (9,00 €)", "(9,00", "-9.00"),
        ("Total (9,00 EUR)", "9,00", "-9.00"),
        ("Total €(9.00)", "€(9.00", "-9.00"),
        ("Total (€9.00)", "(€9.00", "-9.00"),
        ("9,00 €-", "9,00 €", "-9.00"),
        ("9,00 €-", "9,00", "-9.00"),
        ("9,00-€", "9,00", "-9.00"),
        ("9,00-€", "9,00-€", "-9.00"),
        ("9,00- EUR", "9,00- EUR", "-9.00"),
        ("9,00 EUR-", "9,00", "-9.00"),
        ("9,00 €-12,00 €", "9,00", "9.00"),
        ("9,00-€12,00", "9,00", "9.00"),
        ("9,00- B", "9,00", "-9.00"),
        ("9,00- EUR B", "9,00", "-9.00"),
        ("9,00- 2", "9,00", "-9.00"),
        ("9,00- 19 %", "9,00", "-9.00"),
        ("9,00- 9,00-", "9,00", "-9.00"),
        ("9,00- 18,00-", "9,00", "-9.00"),
        ("9,00 €- 18,00 €-", "9,00", "-9.00"),
        ("9,00 €- 12,00 €", "9,00", "9.00"),
        ("9,00- 12,00 EUR", "9,00", "9.00"),
        ("€9- €12", "9", "9.00"),
        ("9- EUR-Voucher", "9", "9.00"),
        ("9- EUR Voucher", "9", "9.00"),
        ("9 €- Voucher", "9", "9.00"),
        ("Total €9.00 CR", "€9.00", "9.00"),
        ("Total (tax 9.00)", "9.00", "9.00"),
        ("Total 9.00-incl", "9.00", "9.00"),
        ("Total €9.00-€12.00", "9.00", "9.00"),
    ],
)
def test_the_sign_of_an_amount_belongs_to_it(line, text, label, value):
    """A minus on either side, or brackets around the amount alone. A dash behind a word is no sign."""
    page = labelled([mark(line(text), (label, "total"))])

    assert decode_fields(page)["total"].value == Decimal(value)


def test_fields_of_other_types_leave_their_share_to_those_of_the_type(line):
    """A person's name on an invoice is the customer, though the network has seen it on passports more often."""
    invoice = document_types()["invoice"]
    names = ("customer_name", "family_name")
    labels = np.array([[0.1, 0.25, 0.05, 0.6, 0.0]], np.float32)

    given = of_type(LabelProbabilities(labels, np.zeros(1, np.float32)), invoice, names)

    assert given.labels[0] == pytest.approx([0.25, 0.625, 0.125, 0.0, 0.0])


def test_headings_and_remarks_are_no_rows(line):
    """A row of goods has an amount, or most of the other columns."""
    page = labelled(
        [
            mark(line("Incoterms", 0, 0), ("Incoterms", "line_items.0.description")),
            mark(line("MILK 4.20", 0, 30), ("MILK", "line_items.1.description"), ("4.20", "line_items.1.amount")),
            mark(line("4 kg", 0, 60), ("4", "line_items.2.quantity")),
        ]
    )

    (row,) = decode_groups(page)["line_items"]

    assert {leaf: one.content for leaf, one in row.items()} == {"description": "MILK", "amount": "4.20"}


def test_an_amount_below_its_row_completes_it(line):
    """Some tables print the amount on a second line, below the code of the article."""
    page = labelled(
        [
            mark(line("2 MILK", 0, 0), ("2", "line_items.0.quantity"), ("MILK", "line_items.0.description")),
            mark(line("8.40", 500, 30), ("8.40", "line_items.1.amount")),
            mark(line("TEA 3.10", 0, 60), ("TEA", "line_items.2.description"), ("3.10", "line_items.2.amount")),
        ]
    )

    rows = decode_groups(page)["line_items"]

    assert [(row["description"].content, row["amount"].content) for row in rows] == [
        ("MILK", "8.40"),
        ("TEA", "3.10"),
    ]


def test_words_beside_an_amount_below_its_row_complete_it_too(line):
    """Unless the row above has no number, or both have the same ones."""
    page = labelled(
        [
            mark(line("2 MILK", 0, 0), ("2", "line_items.0.quantity"), ("MILK", "line_items.0.description")),
            mark(line("per box 8.40", 0, 30), ("per box", "line_items.1.description"), ("8.40", "line_items.1.amount")),
            mark(line("3 TEA", 0, 60), ("3", "line_items.2.quantity"), ("TEA", "line_items.2.description")),
            mark(
                line("1 HONEY 5.00", 0, 90), ("1", "line_items.3.quantity"), ("HONEY", "line_items.3.description"),
                ("5.00", "line_items.3.amount"),
            ),
        ]
    )  # fmt: skip

    rows = decode_groups(page)["line_items"]

    assert [(row["description"].content, row["amount"].content) for row in rows] == [
        ("MILK", "8.40"),
        ("HONEY", "5.00"),
    ]


def test_a_remark_with_one_number_below_a_complete_row_is_no_row(line):
    """Such as its price without the discount."""
    page = labelled(
        [
            mark(
                line("2 MILK 8.40", 0, 0), ("2", "line_items.0.quantity"), ("MILK", "line_items.0.description"),
                ("8.40", "line_items.0.amount"),
            ),
            mark(line("was 5.00", 0, 30), ("was", "line_items.1.description"), ("5.00", "line_items.1.unit_price")),
        ]
    )  # fmt: skip

    (row,) = decode_groups(page)["line_items"]

    assert row["description"].content == "MILK"


def test_print_far_below_is_no_part_of_the_last_row(line):
    """The table of taxes has a rate, which is not the rate of the last article."""
    page = labelled(
        [
            mark(line("MILK 8.40", 0, 0), ("MILK", "line_items.0.description"), ("8.40", "line_items.0.amount")),
            mark(line("VAT 7", 0, 400), ("7", "line_items.0.quantity")),
        ]
    )

    (row,) = decode_groups(page)["line_items"]

    assert row.keys() == {"description", "amount"}


def test_an_iban_is_found_by_its_form(line):
    """Where the network does not expect it; an address of as many characters is none."""
    texts = ("DE 12346 Bad Musterhausen", "DE75 1234 5678 0000 0012 34, BIC WELADED1MST", "DE123456789")
    _, page = split_into_pieces([line(text, 0, 30 * row) for row, text in enumerate(texts)])
    labels = np.tile(np.array([1, 0, 0], np.float32), (len(page.pieces), 1))
    view = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))

    found = decode_fields(PageLabels(document_types()["invoice"], ("iban",), page.pieces, view, Conventions()))

    assert (found["iban"].value, found["iban"].probability) == ("DE75123456780000001234", IBAN_OR_BIC_PROBABILITY)


def test_a_tax_number_takes_its_country_code_along(line):
    """The network often expects the digits alone; a word in front is none of its characters."""
    page = labelled([mark(line("VAT No DE136695976", 0, 0), ("136695976", "merchant_tax_id"))])

    found = decode_fields(page)

    assert found["merchant_tax_id"].value == "DE136695976"


def test_an_iban_is_no_tax_number(line):
    """It stands beside it, and begins with the same letters."""
    page = labelled([mark(line("DE75123456780000001234", 0, 0), ("DE75123456780000001234", "merchant_tax_id"))])

    assert "merchant_tax_id" not in decode_fields(page)


def test_a_number_is_not_cut_before_its_last_part(line):
    """A hyphen and digits directly behind a text belong to it."""
    page = labelled([mark(line("EB-653421 (03.01.1997)", 0, 0), ("EB", "document_number"))])

    found = decode_fields(page)

    assert found["document_number"].value == "EB-653421"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Satama Rakennus Oy, Myllykatu 29", "Satama Rakennus Oy"),
        ("Satama Rakennus sp. z o.o. Myllykatu 29", "Satama Rakennus sp. z o.o."),
        ("Satama Rakennus Myllykatu 29", "Satama Rakennus"),
    ],
)
def test_a_name_has_its_legal_form(line, text, name):
    """The network gave the form to the address behind it."""
    marked = mark(line(text), ("Satama Rakennus", "merchant_name"))

    found = decode_fields(labelled([marked]))

    assert found["merchant_name"].value == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("DOUGLAS BURGERS #15", "DOUGLAS BURGERS"),
        ("DOUGLAS BURGERS # 44969-0", "DOUGLAS BURGERS"),
        ("DOUGLAS BURGERS 017314", "DOUGLAS BURGERS"),
        ("DOUGLAS BURGERS 1516", "DOUGLAS BURGERS 1516"),
        ("000002 DOUGLAS BURGERS", "DOUGLAS BURGERS"),
        ("1516 DOUGLAS BURGERS", "1516 DOUGLAS BURGERS"),
        ("44969", "44969"),
        ("DOUGLAS BURGERS Douglas Burgers", "DOUGLAS BURGERS"),
        ("BURGERS BURGERS", "BURGERS BURGERS"),
    ],
)
def test_a_name_has_no_shop_number_and_is_given_once(line, text, name):
    found = decode_fields(labelled([mark(line(text), (text, "merchant_name"))]))

    assert found["merchant_name"].value == name


def test_the_sign_of_a_sum_at_the_left_end_of_its_cell_makes_it_no_less_likely(line, receipt):
    """The network knows no signs that stand apart from their amounts."""
    total = decode_fields(receipt((line("-$", 300), {}), (line("50.00", 500), {"total": 0.9})))["total"]

    assert total.value == Decimal("-50.00")
    assert total.probability == pytest.approx(0.9)


def test_an_empty_cell_in_front_of_a_currency_is_no_minus(line, receipt):
    """A dash and the currency of the next column are one line if they are near."""
    total = decode_fields(receipt((line("- $", 300), {}), (line("50.00", 500), {"total": 0.9})))["total"]

    assert total.value == Decimal("50.00")


@pytest.mark.parametrize("printed", ["-6.95", "6.95-", "6.95"])
def test_change_is_positive(line, receipt, printed):
    """Swiss and German tills print it as a negative amount."""
    page = receipt((line("Rückgeld CHF", 0, 0), {}), (line(printed, 300, 0), {"change": 0.9}))

    assert decode_fields(page)["change"].value == Decimal("6.95")

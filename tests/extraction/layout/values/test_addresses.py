"""Addresses down to their postal code."""

import numpy as np
import pytest

from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.values.addresses import complete_address, without_repeated_lines
from tests.extraction.layout.conftest import value_of


def completed(lines, count, taken=()):
    """The text of an address of which the first `count` lines were found. taken: lines of another field."""
    _, page = split_into_pieces(lines)
    span = tuple(index for index, piece in enumerate(page.pieces) if piece.line < count)
    others = np.array([piece.line in taken for piece in page.pieces])
    return join_pieces(
        [page.pieces[index] for index in complete_address(span, page.pieces, PrintedLines(page.pieces), others)]
    )


def found_from(page, word):
    """Leave the pieces in front of a word without a label."""
    first = next(index for index, piece in enumerate(page.pieces) if piece.text == word)
    page.labels[:first] = 0
    page.labels[:first, 0] = 1


def test_an_address_reaches_its_postal_code_past_a_unit(line):
    """The network left out the unit, and so the line below it."""
    lines = [line("123 NORTH MAIN STREET", 0, 0), line("APT. 1", 0, 30), line("QUINCY, MA 02171-1748", 0, 60)]

    assert completed(lines, 1) == "123 NORTH MAIN STREET APT. 1 QUINCY, MA 02171-1748"


def test_an_address_with_a_postal_code_is_whole(line):
    lines = [line("Seeweg 4", 0, 0), line("12345 Dorf", 0, 30), line("54321 Stadt", 0, 60)]

    assert completed(lines, 2) == "Seeweg 4 12345 Dorf"


@pytest.mark.parametrize(("between", "y"), [("Invoice 7", 30), ("", 200)])
def test_nothing_is_added_that_leads_to_no_postal_code(line, between, y):
    """Neither other print, nor what is far below."""
    lines = [line("Seeweg 4", 0, 0), *([line(between, 0, 30)] if between else []), line("12345 Dorf", 0, y + 90)]

    assert completed(lines, 1) == "Seeweg 4"


def test_a_line_of_another_field_ends_an_address(line):
    lines = [line("Seeweg 4", 0, 0), line("Kunden AG", 0, 30), line("12345 Dorf", 0, 60)]

    assert completed(lines, 1, taken=(1,)) == "Seeweg 4"


@pytest.mark.parametrize(("share", "expected"), [(0.2, "18 Mentmore Ave ROSEBERY NSW 2018"), (0.6, "18 Mentmore Ave")])
def test_a_line_with_a_postal_code_is_another_value_only_as_a_whole(line, invoice, share, expected):
    """The network took the number alone for something else."""
    page = invoice(
        (line("18 Mentmore Ave", 0, 0), {"vendor_address": 0.8}),
        (line("ROSEBERY NSW 2018", 0, 30), {"vendor_address": 0.3, "customer_name": share}),
    )
    page.labels[5, [0, inside_label(page.numbers["customer_name"])]] = 0.2, 0.5

    assert decode_fields(page)["vendor_address"].value == expected


def test_a_country_below_the_address_of_a_party_is_no_name(line, invoice):
    """Though the network takes it for that of the other party, which begins below it."""
    page = invoice(
        (line("Wattle Pty Ltd", 0, 0), {"vendor_name": 0.9}),
        (line("ROSEBERY NSW 2018", 0, 30), {"vendor_address": 0.9}),
        (line("AUSTRALIA", 0, 60), {"customer_name": 0.7}),
    )

    assert decode_fields(page)["vendor_address"].value == "ROSEBERY NSW 2018 AUSTRALIA"


def test_a_country_below_the_address_of_a_holder_may_be_another_value(line, card):
    page = card(
        (line("SEEWEG 4, 8050 GRAZ", 0, 0), {"resident_address": 0.9}),
        (line("AUSTRIA", 0, 30), {"issuing_country": 0.7}),
    )

    assert decode_fields(page)["resident_address"].value == "SEEWEG 4, 8050 GRAZ"


def test_the_rest_of_an_address_is_no_address_of_its_own(line, invoice):
    """The second line begins a field anew, because the network doubts the line between."""
    page = invoice(
        (line("123 NORTH MAIN STREET", 0, 0), {"customer_address": 0.99}),
        (line("APT. 1", 0, 30), {"customer_address": 0.02}),
        (line("QUINCY, MA 02171-1748", 0, 60), {"customer_address": 0.99}),
    )

    found = decode_fields(page)

    assert found["customer_address"].value == "123 NORTH MAIN STREET APT. 1 QUINCY, MA 02171-1748"


@pytest.mark.parametrize(
    ("street", "share", "expected"),
    [
        ("Havenkade 113", 0.4, "Havenkade 113 8755 AB Utrecht"),
        ("Havenkade 113", 0.1, "8755 AB Utrecht"),
        ("Kunden AG", 0.4, "8755 AB Utrecht"),
    ],
)
def test_a_doubtful_street_above_a_postal_code_belongs_to_it(line, invoice, street, share, expected):
    """If the network expects it at all, and it has a house number."""
    page = invoice(
        (line(street, 0, 0), {"customer_address": share}),
        (line("8755 AB Utrecht", 0, 30), {"customer_address": 0.99}),
    )

    assert decode_fields(page)["customer_address"].value == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([("Ormskirk Freight plc", 0.9), ("2 Canal Wharf", 0.6), ("Liverpool L3 8HT", 0.0)], True),
        ([("Software GmbH", 0.9), ("Speicherstadt 12", 0.3), ("Hamburg, 20457, DE", 0.0)], True),
        ([("Van Dijk B.V.", 0.9), ("Keizersgracht 221", 0.0), ("1016 DV Amsterdam", 0.0)], False),
        ([("Pohjan Panimo Oy", 0.9), ("Ostolaskut", 0.3), ("90830 Haukipudas", 0.0)], False),
        ([("Rechnung", 0.0), ("Studio 54", 0.9), ("10001 Berlin", 0.0)], False),
        ([("Software GmbH", 0.9), ("Speicherstadt 12", 0.3), ("Kai 7, 20457 Hamburg", 0.0)], False),
        ([("Software GmbH", 0.9), ("Werk 12", 0.6), ("Am Kai 7A, 20457 Hamburg", 0.0)], False),
        ([("Software GmbH", 0.9), ("Werk 12", 0.6), ("Am Kai 7-9, 20457 Hamburg", 0.0)], False),
    ],
    ids=["no name", "a code inside", "of no party", "no street", "the name", "a street of its own", "7A", "7-9"],
)
def test_a_street_between_the_name_and_the_postal_code_is_no_name(line, invoice, lines, expected):
    """Though the network takes it rather for one. What is the likeliest name stays one."""
    *_, street, town = (text for text, _ in lines)
    fields = [{"customer_name": share} for _, share in lines[:-1]] + [{"customer_address": 0.99}]
    page = invoice(*((line(text, 0, 30 * row), fields[row]) for row, (text, _) in enumerate(lines)))

    assert decode_fields(page)["customer_address"].value == (f"{street} {town}" if expected else town)


@pytest.mark.parametrize("town", ["1234 Main Street, Springfield, IL 62701", "Main Road, Leeds LS1 4UG"])
def test_a_name_with_a_number_is_no_street_where_it_is_printed_again(line, invoice, town):
    """At the bottom of the page, where the network is more certain of it."""
    page = invoice(
        (line("Forever 21", 0, 0), {"vendor_name": 0.9}),
        (line(town, 0, 30), {"vendor_address": 0.9}),
        (line("Forever 21 Ltd", 0, 400), {"vendor_name": 0.95}),
    )

    assert decode_fields(page)["vendor_address"].value == town


@pytest.mark.parametrize(("street", "expected"), [("Havenkade 113/5", "Havenkade 113/5 "), ("Rek: 113/5", "")])
def test_a_street_may_have_a_house_number_that_looks_like_another_field(line, invoice, street, expected):
    """If the line has the form of a street."""
    page = invoice(
        (line(street, 0, 0), {"customer_address": 0.4}),
        (line("8755 AB Utrecht", 0, 30), {"customer_address": 0.99}),
    )
    number = next(index for index, piece in enumerate(page.pieces) if piece.text.startswith("113"))
    page.labels[number, [0, inside_label(page.numbers["vendor_tax_id"])]] = 0.1, 0.5

    assert decode_fields(page)["customer_address"].value == f"{expected}8755 AB Utrecht"


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        (("Haus 29", "Österreich"), "Haus 29 Seeweg 4 8050 Graz Österreich"),
        (("Bât. 1,", ""), "Bât. 1, Seeweg 4 8050 Graz"),
        (("Kunden AG", "Rechnung"), "Seeweg 4 8050 Graz"),
    ],
)
def test_a_unit_above_and_a_country_below_belong_to_an_address(line, invoice, around, expected):
    """Other lines do not."""
    above, below = around
    page = invoice(
        (line(above, 0, 0), {}),
        (line("Seeweg 4", 0, 30), {"customer_address": 0.99}),
        (line("8050 Graz", 0, 60), {"customer_address": 0.99}),
        *([(line(below, 0, 90), {})] if below else []),
    )

    assert decode_fields(page)["customer_address"].value == expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("APT. 1", "Seeweg 4 APT. 1 8050 Graz"),
        ("UNIT R", "Seeweg 4 UNIT R 8050 Graz"),
        ("#12B", "Seeweg 4 #12B 8050 Graz"),
    ],
)
def test_a_unit_between_two_lines_belongs_to_an_address(line, invoice, between, expected):
    """Where the network leaves it out."""
    page = invoice(
        (line("Seeweg 4", 0, 0), {"customer_address": 0.99}),
        (line(between, 0, 25), {}),
        (line("8050 Graz", 0, 50), {"customer_address": 0.99}),
    )

    assert decode_fields(page)["customer_address"].value == expected


@pytest.mark.parametrize(
    ("share", "expected"), [(0.55, "Haus am See, Seestr. 9 24103 Kiel"), (0.45, "Seestr. 9 24103 Kiel")]
)
def test_the_first_line_of_an_address_may_be_doubtful(line, invoice, share, expected):
    """As long as it is likelier an address than not."""
    page = invoice(
        (line("Haus am See,", 0, 0), {"vendor_address": share, "vendor_name": 0.9 - share}),
        (line("Seestr. 9", 0, 30), {"vendor_address": 0.99}),
        (line("24103 Kiel", 0, 60), {"vendor_address": 0.99}),
    )
    begin, inside = begin_label(page.numbers["vendor_address"]), inside_label(page.numbers["vendor_address"])
    page.labels[4:, inside] += page.labels[4:, begin]
    page.labels[4:, begin] = 0

    assert decode_fields(page)["vendor_address"].value == expected


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        (["Building C"], "Building C Seeweg 4 8050 Graz"),
        (["CS 40012"], "CS 40012 Seeweg 4 8050 Graz"),
        (["P.O. Box 77", "Level 12"], "P.O. Box 77 Level 12 Seeweg 4 8050 Graz"),
        (["P.O. Box 77", "Kunden AG"], "Seeweg 4 8050 Graz"),
    ],
)
def test_buildings_and_boxes_above_a_street_belong_to_an_address(line, invoice, above, expected):
    """By their words, so that the address is as certain as without them."""
    page = invoice(
        *((line(text, 0, 25 * row), {}) for row, text in enumerate(above)),
        (line("Seeweg 4", 0, 25 * len(above)), {"customer_address": 0.99}),
        (line("8050 Graz", 0, 25 * len(above) + 25), {"customer_address": 0.99}),
    )

    found = decode_fields(page)["customer_address"]

    assert (found.value, round(found.probability, 2)) == (expected, 0.99)


@pytest.mark.parametrize(
    ("upper", "below", "share", "expected"),
    [
        ("Str. Fabricii 12, Cluj-Napoca,", "jud. Cluj", 0.4, "Str. Fabricii 12, Cluj-Napoca, jud. Cluj"),
        ("Str. Fabricii 12, Cluj-Napoca", "jud. Cluj", 0.4, "Str. Fabricii 12, Cluj-Napoca"),
        ("Str. Fabricii 12, Cluj-Napoca,", "jud. Cluj", 0.0, "Str. Fabricii 12, Cluj-Napoca"),
        ("Str. Fabricii 12, Cluj-Napoca,", "Tel: Cluj", 0.4, "Str. Fabricii 12, Cluj-Napoca"),
    ],
)
def test_an_address_goes_on_below_a_comma(line, invoice, upper, below, share, expected):
    """In its own column, where a word may belong to it."""
    page = invoice(
        (line(upper, 0, 0), {"vendor_address": 0.99}),
        (line("IBAN (RON)", 150, 28), {}),
        (line(below, 0, 30), {"vendor_address": share}),
    )

    assert decode_fields(page)["vendor_address"].value == expected


def test_a_country_is_added_once(line, invoice):
    """It is printed again for a telephone number, say."""
    page = invoice(
        (line("Seeweg 4", 0, 0), {"customer_address": 0.99}),
        (line("8050 Graz, Austria", 0, 30), {"customer_address": 0.99}),
        (line("Austria", 0, 60), {}),
    )

    assert decode_fields(page)["customer_address"].value == "Seeweg 4 8050 Graz, Austria"


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("Of. 5, Calle Mayor 162, 28013 Madrid", "Calle", "Of. 5, Calle Mayor 162, 28013 Madrid"),
        ("Of. 5, Calle Mayor 162, 28013 Madrid", "5", "Of. 5, Calle Mayor 162, 28013 Madrid"),
        ("Seite 5, Calle Mayor 162, 28013 Madrid", "Calle", "Calle Mayor 162, 28013 Madrid"),
        ("Satama Oy, Satamakatu 45, 33112 Tampere", "Satama", "Satamakatu 45, 33112 Tampere"),
        ("Satama, Satamakatu 45, 33112 Tampere", "Satama", "Satama, Satamakatu 45, 33112 Tampere"),
    ],
)
def test_what_is_printed_in_front_of_a_street(line, invoice, text, found, expected):
    """A unit belongs to the address, a company with a legal form does not. found: the first word that was found."""
    page = invoice((line(text, 0, 0), {"vendor_address": 0.99}))
    found_from(page, found)

    assert decode_fields(page)["vendor_address"].value == expected


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("Sitz: 16 rue Haute - 92100 Boulogne", "92100", "16 rue Haute - 92100 Boulogne"),
        ("Seestr. 9, 24103 Kiel", "24103", "Seestr. 9, 24103 Kiel"),
        ("4 avenue Foch", "avenue", "4 avenue Foch"),
        ("7 bis, avenue Foch", "avenue", "7 bis, avenue Foch"),
        ("Store 1234 Houston, TX 77002", "Houston", "Houston, TX 77002"),
        ("Kunden AG, 24103 Kiel", "24103", "24103 Kiel"),
        ("Kunden AG, Seestr. 9, 24103 Kiel", "24103", "24103 Kiel"),
        ("Kunden GmbH - Seestr. 9 - 24103 Kiel", "24103", "24103 Kiel"),
        ("12 Seestr. 9, 24103 Kiel", "Seestr", "Seestr. 9, 24103 Kiel"),
        ("Tel: 0521 12345 Seestr", "Seestr", "Seestr"),
    ],
)
def test_a_street_and_its_number_in_front_on_the_line_belong_to_an_address(line, invoice, text, found, expected):
    """Where the network is sure of the rest alone. found: the first word that was found."""
    page = invoice((line(text, 0, 0), {"vendor_address": 0.99}))
    found_from(page, found)

    assert decode_fields(page)["vendor_address"].value == expected


def test_the_number_of_the_element_is_no_house_number(line, card):
    """Licences print 8 in front of the address of the holder."""
    page = card((line("8 N1234 COUNTY ROAD", 0, 0), {"resident_address": 0.99}))
    page.labels[0] = 0

    assert value_of(page, "resident_address") == "N1234 COUNTY ROAD"


@pytest.mark.parametrize(
    ("lower", "y", "expected"),
    [("MADRID", 60, "CALLE MAYOR 1 MADRID MADRID"), ("MADRID", 300, "CALLE MAYOR 1 MADRID")],
    ids=["directly below", "further below"],
)
def test_a_province_may_have_the_name_of_its_town(line, lower, y, expected):
    _, page = split_into_pieces([line("CALLE MAYOR 1", 0, 0), line("MADRID", 0, 30), line(lower, 0, y)])
    whole = without_repeated_lines(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in whole]) == expected


def test_a_line_that_an_address_has_already_is_left_out(line):
    """A payment slip prints it twice, side by side."""
    _, page = split_into_pieces(
        [
            line("Seeweg 4", 0, 0),
            line("9811 Interlaken", 0, 30),
            line("9811 Interlaken", 400, 30),
            line("Schweiz", 0, 60),
        ]
    )
    bare = without_repeated_lines(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in bare]) == "Seeweg 4 9811 Interlaken Schweiz"


@pytest.mark.parametrize(
    "entry",
    [
        "HRA 2217 Kiel", "HRB 123456 München", "HRB 123456, München", "RCS Paris 552 100 554",
        "Amtsgericht Kiel HRA 2217", "Amtsgericht Kiel, HRA 2217", "Amtsgericht Kiel, HRB-Nr. 2217",
        "R.C.S. Paris B 552 100 554",
    ],
)  # fmt: skip
def test_an_entry_in_a_register_is_no_address(line, invoice, entry):
    """However sure the network is."""
    address = line("Hafenstraße 9 24103 Kiel", 0, 0), {"vendor_address": 0.7}
    page = invoice(address, (line(entry, 0, 900), {"vendor_address": 0.99}))

    assert decode_fields(page)["vendor_address"].value == "Hafenstraße 9 24103 Kiel"


@pytest.mark.parametrize(
    "text",
    [
        "Amtsgericht Hamburg, Sievekingplatz 1, 20355 Hamburg",
        "Amtsgericht Hamburg, Sievekingplatz 1",
        "Amtsgericht Hamburg 20355 Hamburg",
        "Amtsgericht Hamburg Sievekingplatz 1 20355 Hamburg",
        "HRB 12345, Hauptstraße 3, 20095 Hamburg",
        "R.C.S Road 123",
    ],
)
def test_an_address_may_begin_like_an_entry_in_a_register(line, invoice, text):
    page = invoice((line(text, 0, 0), {"vendor_address": 0.99}))

    assert decode_fields(page)["vendor_address"].value == text


def test_the_rest_of_a_hyphenated_town_is_of_no_other_field(line, id_card):
    """The network takes the end of the town for an authority, and is not sure of the line above."""
    page = id_card(
        (line("BÂTIMENT B", 0, 0), {"resident_address": 0.9}),
        (line("25 AVENUE LECLERC", 0, 30), {"resident_address": 0.3}),
        (line("78100 SAINT-GERMAIN-EN-LAYE", 0, 60), {"resident_address": 0.3}),
    )
    authority = page.numbers["issuing_authority"]
    for at in range(len(page.pieces) - 4, len(page.pieces)):
        page.labels[at] = 0
        page.labels[at, inside_label(authority)] = 0.7

    assert value_of(page, "resident_address") == "BÂTIMENT B 25 AVENUE LECLERC 78100 SAINT-GERMAIN-EN-LAYE"


@pytest.mark.parametrize(
    ("company", "street", "name", "address"),
    [
        ("Vrtnarija Zelenko d.o.o.", "Dolenje Kamenje 5", "Vrtnarija Zelenko d.o.o.", "Dolenje Kamenje 5 8220 Toplice"),
        ("Vrtnarija Zelenko", "Studio 54", "Studio 54", "8220 Toplice"),
    ],
    ids=["with a legal form", "without"],
)
def test_the_line_below_a_legal_form_is_the_street(line, invoice, company, street, name, address):
    """Above a town, however sure the network is that it is the name."""
    page = invoice(
        (line(company, 0, 0), {"customer_name": 0.9}),
        (line(street, 0, 30), {"customer_name": 0.95}),
        (line("8220 Toplice", 0, 60), {"customer_address": 0.98}),
    )

    assert (value_of(page, "customer_name"), value_of(page, "customer_address")) == (name, address)


@pytest.mark.parametrize("caption", ["Jur. adr.:", "Registered office"])
def test_the_seat_of_a_company_is_not_the_address_of_its_shop(line, receipt, caption):
    """Unless it has no other whole one."""
    seat = (line(f"{caption} Ropazu iela 17, Riga, LV-1039", 0, 200), {"merchant_address": 0.9})
    shop = (line("Kurzemes iela 84, Riga, LV-1069", 0, 0), {"merchant_address": 0.6})

    assert decode_fields(receipt(shop, seat))["merchant_address"].value == "Kurzemes iela 84, Riga, LV-1069"
    assert decode_fields(receipt(seat))["merchant_address"].value == "Ropazu iela 17, Riga, LV-1039"
    part = (line("Riga Centrs", 0, 0), {"merchant_address": 0.6})
    assert decode_fields(receipt(part, seat))["merchant_address"].value == "Ropazu iela 17, Riga, LV-1039"


def test_an_address_goes_on_below_a_line_of_the_address_beside_it(line, invoice):
    """Where the network takes its last line for another address; one that begins with a street is another."""
    page = invoice(
        (line("1631 Dickson Avenue", 0, 30), {"customer_address": 0.99}),
        (line("3101 30th Avenue", 500, 40), {"ship_to_address": 0.99}),
        (line("Kelowna, BC V1Y 085", 0, 60), {"customer_address": 0.99}),
    )

    stacked = invoice(
        (line("12 High Street, Dublin", 0, 30), {"vendor_address": 0.99}),
        (line("3101 30th Avenue", 500, 40), {"ship_to_address": 0.99}),
        (line("45 Low Road, Galway", 0, 60), {"vendor_address": 0.98}),
    )

    assert decode_fields(page)["customer_address"].value == "1631 Dickson Avenue Kelowna, BC V1Y 085"
    assert decode_fields(stacked)["vendor_address"].value == "12 High Street, Dublin"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("UL. SKŁADOWA 11, 62-080 SWADZIM", "60-741 POZNAŃ, UL. GŁOGOWSKA 84"), "60-741 POZNAŃ, UL. GŁOGOWSKA 84"),
        (("ul. Rynek 5", "62-080 Swadzim", "ul. Polna 7", "60-741 Poznań"), "ul. Polna 7 60-741 Poznań"),
        (
            ("91-5431 Kapolei Parkway, Suite 426", "Kapolei, HI 96707"),
            "91-5431 Kapolei Parkway, Suite 426 Kapolei, HI 96707",
        ),
        (("92-161 Waipahe Place", "Kapolei, HI 96707"), "92-161 Waipahe Place Kapolei, HI 96707"),
        (("1127 Fremont Ave", "South Pasadena, CA 91030"), "1127 Fremont Ave South Pasadena, CA 91030"),
        (("Suite 5", "1127 Fremont Ave", "Pasadena, CA 91030"), "Suite 5 1127 Fremont Ave Pasadena, CA 91030"),
    ],
)
def test_of_two_addresses_of_a_receipt_the_last_is_that_of_the_shop(line, receipt, rows, expected):
    """The network joins them."""
    page = receipt(*[(line(text, 0, 25 * at), {"merchant_address": 0.9}) for at, text in enumerate(rows)])
    for at, piece in enumerate(page.pieces):
        if at and piece.start == 0:
            own = page.numbers["merchant_address"]
            page.labels[at, begin_label(own)], page.labels[at, inside_label(own)] = 0.0, 0.9

    assert decode_fields(page)["merchant_address"].value == expected

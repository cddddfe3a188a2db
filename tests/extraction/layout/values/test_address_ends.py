"""What is printed around an address and is no part of it."""

import pytest

from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.values.address_ends import (
    without_captions,
    without_lines_behind_home,
    without_next_address,
    without_rest,
    without_tax_label,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Sitz: Dorfstr. 8, 49446 Bielefeld", "Dorfstr. 8, 49446 Bielefeld"),
        ("Largo Garibaldi 2 – 36936 Perugia Filiale: Via Roma 3", "Largo Garibaldi 2 – 36936 Perugia"),
        ("Largo Garibaldi 2, 36936 Perugia (PG) – Filiale: Via Roma 3", "Largo Garibaldi 2, 36936 Perugia (PG)"),
        ("51 North St, Leeds, LS1 4UG. Workshop: Unit 6", "51 North St, Leeds, LS1 4UG"),
        ("Lot 1: Jalan Ipoh 8, 51200 Kuala Lumpur", "Lot 1: Jalan Ipoh 8, 51200 Kuala Lumpur"),
        ("Lot no: 20, Level 1, 51200 Kuala Lumpur", "Lot no: 20, Level 1, 51200 Kuala Lumpur"),
        ("Sitz:", "Sitz:"),
        ("Parduotuvė Ukmergės g. 69, LT-12332 Kėdainiai", "Ukmergės g. 69, LT-12332 Kėdainiai"),
        ("Jur. adrese: Pils iela 82, Kuldīga, LV-3563", "Pils iela 82, Kuldīga, LV-3563"),
    ],
)
def test_captions_are_no_part_of_an_address(line, text, address):
    """Neither in front of it, nor with what they name behind its postal code."""
    _, page = split_into_pieces([line(text, 0, 0)])
    span = without_captions(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in span]) == address


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (("Brīvības gatve 301, Rīga", "Veikals: Zirņu iela 12, Liepāja, LV-3401"), "Zirņu iela 12, Liepāja, LV-3401"),
        (("Pils iela 82, Kuldīga, LV-3563", "Veikals: Zirņu iela 12"), "Pils iela 82, Kuldīga, LV-3563"),
        (("Brīvības gatve 301", "Veikals Centrs, Rīga"), "Brīvības gatve 301 Veikals Centrs, Rīga"),
    ],
)
def test_of_two_addresses_the_captioned_one_is_taken_if_the_first_has_no_postal_code(line, lines, address):
    """As that of a shop below that of its company."""
    _, page = split_into_pieces([line(text, 0, 25 * at) for at, text in enumerate(lines)])
    span = without_captions(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in span]) == address


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("Seeweg 4", "8050 Graz", "Hauptstraße 228"), 2),
        (("Seeweg 4", "8050 Graz", "Steiermark", "172658"), 3),
        (("Seeweg 4", "8050 Graz", "Austria"), 3),
        (("Plaza 5", "2600 Green Road", "Austin, TX 78701"), 3),
        (("P O Box 99913", "Centurion", "0157"), 3),
        (("Rodovia BR-116, 4417 - Centro", "95098-470 Caxias do Sul - RS", "Rua Sete 8"), 2),
        (("Maskavas iela 123, Kuldīga, LV-8471", "Juridiskā adrese Brīvības gatve 82, Cēsis, LV-5358"), 1),
        (("Veikals Maskavas iela 123", "Kuldīga, LV-8471"), 2),
    ],
)
def test_another_address_below_the_postal_code_is_left_out(line, lines, kept):
    """It has a number; states and countries have none, and a code that is not known as one ends nothing."""
    _, page = split_into_pieces([line(text, 0, 30 * row) for row, text in enumerate(lines)])

    whole = without_next_address(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in whole]) == " ".join(lines[:kept])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("1 High Street, Leeds, LS1 4UG. Registered in England", "1 High Street, Leeds, LS1 4UG"),
        ("Hauptstr. 5, 6978 Wels, Österreich b, LG Linz", "Hauptstr. 5, 6978 Wels, Österreich"),
        ("Dorfstr. 63, 62919 Lübeck Deutschland 196044", "Dorfstr. 63, 62919 Lübeck Deutschland"),
        ("1 High Street, Leeds, LS1 4UG, United Kingdom Dispatch", "1 High Street, Leeds, LS1 4UG, United Kingdom"),
        ("Hauptstr. 5, 3100 St. Pölten", "Hauptstr. 5, 3100 St. Pölten"),
        ("Marktplatz 11, 74523 Schwäb. Hall", "Marktplatz 11, 74523 Schwäb. Hall"),
        ("Marktplatz 11, 74523 Bielefeld. Filiale", "Marktplatz 11, 74523 Bielefeld"),
        ("2 rue Haute, 98000 Monaco Cedex", "2 rue Haute, 98000 Monaco Cedex"),
        ("Peru Road 5. Tower B, Leeds", "Peru Road 5. Tower B, Leeds"),
        ("12 rue Haute, 2449 Luxembourg", "12 rue Haute, 2449 Luxembourg"),
        ("Husova 140, 65443 Ostrava, Česká republika", "Husova 140, 65443 Ostrava, Česká republika"),
        ("P.O. Box 8801, Baltimore, MD 78968", "P.O. Box 8801, Baltimore, MD 78968"),
        ("Via Marconi, 58, 19129 Roma (BO), Italia", "Via Marconi, 58, 19129 Roma (BO), Italia"),
        ("Hauptstr. 5, 6978 Wels, Österreich, LG Linz", "Hauptstr. 5, 6978 Wels, Österreich"),
        *[
            (text, text)
            for text in (
                "Suite 5, 1200 Georgia Avenue, Dallas, TX 75201",
                "Level 3, 1200 Main Street. Suite 5, Dallas, TX 75201",
                "Calle Mayor 5, 28001 Madrid. España",
                "Seestr. 1, 8001 Zürich, Schweiz (CH)",
                "1 High St, Belfast, BT1 1AA, Northern Ireland, UK",
                "12 Rue Haute, L-2449 Luxembourg-Kirchberg",
                "Av. Reforma 222, 06600 México D.F.",
            )
        ],
    ],
)
def test_what_follows_a_country_or_a_sentence_is_no_part_of_an_address(line, text, address):
    """Only behind the postal code: "Peru Road" is a street."""
    _, page = split_into_pieces([line(text, 0, 0)])

    whole = without_rest(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in whole]) == address


@pytest.mark.parametrize(
    ("text", "found", "address"),
    [
        ("81 Green Square, Naas, VAT Reg. No. IE1234567T", "VAT", "81 Green Square, Naas"),
        ("Calle Mayor 5, 25214 Huelva – C.I.F. B1234567", "I", "Calle Mayor 5, 25214 Huelva"),
        ("88 Main St, Nashville, TN 10971 EIN 12-3456789", "EIN", "88 Main St, Nashville, TN 10971"),
        ("81 Green Square, Naas", "Naas", "81 Green Square, Naas"),
        ("UID 81 Green Square", "UID", "UID"),
    ],
)
def test_an_address_ends_before_the_label_of_a_tax_number(line, text, found, address):
    """Of which the network may have taken the first words. found: the last piece that it took."""
    _, page = split_into_pieces([line(text, 0, 0)])
    end = 1 + max(index for index, piece in enumerate(page.pieces) if piece.text == found)

    bare = without_tax_label(tuple(range(end)), page.pieces, PrintedLines(page.pieces))

    assert join_pieces([page.pieces[index] for index in bare]) == address


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["1 PEACHTREE AVE NE", "ATLANTA, GA 30303-2034", "FULTON"], 2),
        (["1 PEACHTREE AVE NE", "ATLANTA, GA 30303-2034", "USA"], 3),
        (["FLAT NO 12", "MAHARASHTRA 411038", "15-06-2018"], 2),
        (["NO 27 JALAN MAWAR", "43000 KAJANG", "SELANGOR"], 3),
        (["JALAN MAWAR", "12-3-10", "43000 KAJANG"], 3),
        (["25 BIS AVENUE LECLERC", "78100 POISSY"], 2),
    ],
)
def test_the_address_of_a_holder_ends_before_a_county_or_a_date(line, card, lines, count):
    _, page = split_into_pieces([line(text, 0, 30 * row) for row, text in enumerate(lines)])

    home = without_lines_behind_home(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in home]) == " ".join(lines[:count])

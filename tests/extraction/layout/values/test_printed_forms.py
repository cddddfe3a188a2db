"""IBANs, BICs and e-mail addresses by their form."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.values.printed_forms import printed_bics, printed_email_addresses, printed_ibans


def texts(find, *lines):
    """The printed texts that are found on these lines."""
    _, page = split_into_pieces(lines)
    return [join_pieces([page.pieces[index] for index in span]) for span in find(page.pieces)]


def ibans(pieces):
    return printed_ibans(pieces, PrintedLines(pieces))


def test_an_iban_may_go_on_below(line):
    """In a narrow column its last group stands under the label."""
    found = texts(ibans, line("IBAN: DE20 2914 5009 2312 9171", 0, 0), line("27 BIC XYZ", 0, 30))

    assert found == ["DE20 2914 5009 2312 9171 27"]


@pytest.mark.parametrize(
    "lines",
    [
        [("DE20 2914 5009 2312 9171", 0, 0)],
        [("DE20 2914 5009 2312 9171", 0, 0), ("27", 0, 200)],
        [("DE", 0, 0), ("20291450092312917127", 0, 30)],
    ],
)
def test_what_is_no_whole_iban_is_none(line, lines):
    """A shorter number, one that goes on far below, and a country above a number."""
    assert texts(ibans, *(line(*one) for one in lines)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Bank BE39 1513 1672 8945 KAWZBETL", ["KAWZBETL"]),
        ("IBAN BE39 1513 1672 8945 (KAWZBE2LXXX)", ["KAWZBE2LXXX"]),
        ("IBAN BE39 1513 1672 8945 IMPUESTO", []),  # it has the form of a Spanish one
        ("EXCLBEST BE39 1513 1672 8945", []),  # in front of the IBAN
        ("BE39 1513 1672 8945 BIC / Swift-Code: GENODEF1ABC EDITIONS", ["GENODEF1ABC"]),
        ("BE39 1513 1672 8945 BIC COBADEFF XXX", ["COBADEFF XXX"]),
        ("BE39 1513 1672 8945 BIC COBADEFF 12", ["COBADEFF"]),
        ("BE39 1513 1672 8945 SWIFT to your BALLPENS", []),
        ("BIC BALLPENS", []),  # no account
    ],
)
def test_bics_stand_behind_their_label_or_an_iban(line, text, found):
    """On pages with an IBAN; many words have the form of a BIC."""
    assert texts(lambda pieces: printed_bics(pieces, PrintedLines(pieces)), line(text)) == found


def test_a_bic_is_found_without_the_network(line, invoice):
    lines = line("IBAN BE39 1513 1672 8945", 0, 0), line("---", 0, 40), line("BIC: KAWZBETL", 0, 80)
    page = invoice(*((one, {}) for one in lines))

    assert decode_fields(page)["bic"].value == "KAWZBETL"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("E-Mail: office@satama-oy.example · www.satama.example", ["office@satama-oy.example"]),
        ("a.b_c@d.example, x@y.example", ["a.b_c@d.example", "x@y.example"]),
        ("3 pcs @ 4.00", []),
    ],
)
def test_email_addresses_are_found_between_other_print(line, text, found):
    assert texts(printed_email_addresses, line(text)) == found


def test_the_form_is_better_than_the_span_of_the_network(line, invoice):
    """The network took the dot in front along, so that the text was no address."""
    page = invoice((line("· office@satama.example", 0, 0), {"vendor_email": 0.9}))

    assert decode_fields(page)["vendor_email"].value == "office@satama.example"


def test_an_address_that_the_network_does_not_expect_is_none(line, invoice):
    """It may be the customer's."""
    page = invoice((line("office@satama.example", 0, 0), {"vendor_email": 0.05}))

    assert "vendor_email" not in decode_fields(page)


def test_the_groups_of_an_iban_are_no_other_numbers(line, invoice):
    """In a sender's line the network takes the groups of the account for the tax number and the telephone."""
    page = invoice(
        (line("SI 62840177", 0, 0), {"vendor_tax_id": 0.9}),
        (line("SI24 1010 0005", 0, 30), {"vendor_tax_id": 0.8}),
        (line("8412 733", 0, 60), {"vendor_phone": 0.9}),
    )

    found = decode_fields(page)

    assert {name: one.value for name, one in found.items()} == {
        "vendor_tax_id": "SI 62840177",
        "iban": "SI24101000058412733",
    }


def test_a_number_in_front_of_an_iban_stays(line, invoice):
    """The network takes the line "Tel … IBAN …" for one telephone, or the numbers of a footer for one tax number."""
    page = invoice(
        (line("0761 887 20 IBAN: SI24 1010 0005 8412 733", 0, 0), {"vendor_phone": 0.9}),
        (line("SI 62840177 / IBAN SI24 1010 0005 8412 733", 0, 30), {"vendor_tax_id": 0.9}),
        (line("IBAN SI24 1010 0005 8412 733 12", 0, 60), {"customer_tax_id": 0.9}),
    )

    found = decode_fields(page)

    assert {name: one.value for name, one in found.items()} == {
        "vendor_phone": "0761 887 20",
        "vendor_tax_id": "SI 62840177",
        "iban": "SI24101000058412733",
    }


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("SI 62840177 / IBAN No. SI24 1010 0005 8412 733", "vendor_tax_id", "SI 62840177"),
        ("0761 887 20 Bank: NLB IBAN: SI24 1010 0005 8412 733", "vendor_phone", "0761 887 20"),
        ("IBAN SI24 1010 0005 8412 733 BLZ 37040044", "customer_tax_id", None),
        ("IBAN SI24 1010 0005 8412 733 Kto 0532013000", "document_number", None),
    ],
)
def test_words_and_numbers_beside_an_iban_are_no_part_of_another_value(line, invoice, text, field, expected):
    found = decode_fields(invoice((line(text, 0, 0), {field: 0.9})))

    assert (found[field].value if field in found else None) == expected

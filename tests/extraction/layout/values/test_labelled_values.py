"""Values behind or below labels that name their field."""

from time import process_time

import pytest

from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import join_pieces
from docextract.extraction.layout.values.labelled_values import (
    dates_beside_other_labels,
    labelled_values,
    printed_labels,
)
from docextract.extraction.layout.values.spans import CLEARLY_LABELLED_PROBABILITY
from tests.extraction.layout.conftest import DRIVER_LICENCE, INVOICE, value_of


def found_in(invoice, *lines):
    """The values of a page of which the network knows nothing, by field."""
    page = invoice(*((one, {}) for one in lines))
    return {name: one.value for name, one in decode_fields(page).items()}


def found_on_card(card, *lines):
    """The values of a licence, of which each line may have probabilities of fields."""
    page = card(*(one if isinstance(one, tuple) else (one, {}) for one in lines))
    fields = decode_fields(page)
    return {name: one.value for name, one in fields.items()}


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("N° de facture :", "document_number"),
        ("RECHNUNGS-NR.", "document_number"),
        ("Eräpäivä", "due_date"),
        ("Do zapłaty", "amount_due"),
        ("Pozostaje do zapłaty", "amount_due"),
        ("Número de la factura", "document_number"),
        ("Fecha de la factura", "document_date"),
        ("Restbeløb til betaling", "amount_due"),
        ("PO #", "purchase_order"),
        ("PO", "purchase_order"),
        ("Number", None),
        ("Date", None),
        ("", None),
    ],
)
def test_labels_of_many_languages(text, field):
    """Case, accents and punctuation do not matter; a label of several fields names none."""
    assert field_of_label(text, INVOICE) == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("VENDLINDIA", "birth_place"),
        ("Tempatlahr", "birth_place"),
        ("Tempat lahir M", None),
        ("VENDLINDIIA", None),
        ("Passport numdar", None),
        ("DATE OF 8IRTN", None),
        ("SURNANE", None),
        ("Issued in", None),
        ("PASSEPORT", None),
    ],
)
def test_one_character_of_a_long_label_on_a_card_may_be_misread(text, field):
    """Replaced or lost, but not one too many, which may be a value; other words are near short labels."""
    assert field_of_label(text, DRIVER_LICENCE) == field


def test_misread_labels_on_invoices_are_none():
    """Only small print is misread so often."""
    assert field_of_label("Invoice number", INVOICE) == "document_number"
    assert field_of_label("Invoice numbsr", INVOICE) is None
    assert field_of_label("Tempatlahr", INVOICE) is None


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [("Geschlecht: M", "sex", "M"), ("Licence No. A 1234567", "document_number", "A1234567")],
)
def test_a_value_behind_a_label_is_no_part_of_it(line, card, text, field, value):
    """The label would be right with one character too many."""
    assert found_on_card(card, line(text, 0, 0))[field] == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("MISKOLC 53", "MISKOLC 53"),
        ("STRASBOURG (67)", "STRASBOURG (67)"),
        ("ROMA 1.85", "ROMA"),
        ("ROMA 12 MAR 1980", "ROMA"),
    ],
)
def test_a_place_of_birth_may_have_the_number_of_its_region(line, card, text, place):
    """Its height or a date is no part of it."""
    assert found_on_card(card, line("Place of birth", 0, 0), line(text, 0, 30))["birth_place"] == place


def test_labels_of_columns_may_be_read_as_one_line(line, card):
    """As OCR often reads small print."""
    labels = line("NATIONALITY SEX PLACE OF BIRTH", 0, 0)
    found = found_on_card(card, labels, line("FRANCE", 0, 30), line("F", 120, 30), line("PARIS", 160, 30))

    assert (found["nationality"], found["sex"], found["birth_place"]) == ("FRA", "F", "PARIS")


def test_a_label_goes_on_with_a_word_that_is_one_too(line, invoice):
    """A value stands behind both, so they are not the labels of two columns."""
    found = found_in(invoice, line("Purchase order reference: PO-77123", 0, 0), line("2024-03-01", 0, 30))

    assert "purchase_order" not in found


def test_a_value_stands_behind_its_label(line, invoice):
    """On its line, or as a line of its own on the same row, even if the network doubts it."""
    found = found_in(invoice, line("Invoice No: 2024-117", 0, 0), line("Eräpäivä", 0, 40), line("26.9.2024", 400, 42))

    assert found["document_number"] == "2024-117"
    assert found["due_date"].isoformat() == "2024-09-26"


def test_a_value_stands_below_its_label(line, invoice):
    """In the column of the label; a longer word that begins left of it is taken whole."""
    found = found_in(
        invoice,
        line("P.O. NUMBER", 100, 0), line("DUE DATE", 400, 0), line("TOTAL DUE", 700, 0),
        line("PO-3333", 90, 30), line("12/15/2019", 400, 30), line("610.00", 700, 30),
    )  # fmt: skip

    assert found["purchase_order"] == "PO-3333"
    assert found["due_date"].isoformat() == "2019-12-15"
    assert str(found["amount_due"]) == "610.00"


def test_a_value_knows_whether_a_label_names_it(line, invoice):
    """Even if the label is at another place with the same value; confidences depend on it."""
    page = invoice(
        (line("Invoice no. 2018-0042", 0, 0), {}),
        (line("2018-0042", 0, 300), {"document_number": 0.99}),
        (line("31/10/2018", 0, 400), {"document_date": 0.9}),
    )

    found = decode_fields(page)

    assert found["document_number"].labelled
    assert not found["document_date"].labelled


@pytest.mark.parametrize(
    "text",
    ["Purchase order date 5", "po_number_123", "Our invoice number 12 of", "Order number"],
    ids=["a longer label", "part of a word", "words in front", "no value"],
)
def test_what_only_contains_a_label_is_none(line, invoice, text):
    assert found_in(invoice, line(text, 0, 0), line("Thank you", 0, 30)) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Leistungszeitraum: 01.03.2024 - 31.03.2024",
        "Service period 2024-03-01-2024-03-31",
        "Period: 1 March 2024 to 31 March 2024",
    ],
)
def test_a_service_period_is_two_dates_behind_a_label(line, invoice, text):
    """With or without spaces between them."""
    found = found_in(invoice, line(text, 0, 0))

    assert found["service_period_start"].isoformat() == "2024-03-01"
    assert found["service_period_end"].isoformat() == "2024-03-31"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Leistungszeitraum: 01.02.-29.02.2024", "01.02.-29.02.2024"),
        ("Leistungszeitraum: 01.-29.02.2024", "01.-29.02.2024"),
        ("Leistungszeitraum: 1.–29. Februar 2024", "1.–29. Februar 2024"),
        ("Leistungszeitraum vom 1. 2. bis 29. 2. 2024", "1. 2. bis 29. 2. 2024"),
        ("Service period: 1 - 29 February 2024", "1 - 29 February 2024"),
        ("Service period: 1-29 Feb 2024", "1-29 Feb 2024"),
        ("Service period: 1 February - 29 February 2024", "1 February - 29 February 2024"),
        ("Service period: Feb 1 - Feb 29, 2024", "1 - Feb 29, 2024"),
        ("Service period: Feb 1-29, 2024", "Feb 1-29, 2024"),
        ("Période du 1er au 29 février 2024 inclus", "1er au 29 février 2024"),
    ],
)
def test_a_service_period_may_have_one_year(line, invoice, text, printed):
    """Its first date takes the year, or the month and year, of the second."""
    found = decode_fields(invoice((line(text, 0, 0), {})))
    start, end = found["service_period_start"], found["service_period_end"]

    assert (start.value.isoformat(), end.value.isoformat()) == ("2024-02-01", "2024-02-29")
    assert start.content == printed
    assert printed.endswith(end.content)


def test_a_service_period_may_stand_below_its_label(line, invoice):
    found = found_in(
        invoice, line("Billing period", 0, 0), line("Account", 400, 0), line("1/2/2024 - 29/2/2024", 0, 30)
    )

    assert (found["service_period_start"].isoformat(), found["service_period_end"].isoformat()) == (
        "2024-02-01", "2024-02-29",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["Period: 31.03.2024", "Period: 31.03.2024 - 01.03.2024", "Period: 31. - 01.03.2024", "Period: 3-5-2024"],
    ids=["one date", "backwards", "backwards with one year", "a date with dashes"],
)
def test_what_is_no_period_has_no_dates(line, invoice, text):
    assert not {"service_period_start", "service_period_end"} & set(found_in(invoice, line(text, 0, 0)))


def test_a_payment_term_stands_behind_its_label(line, invoice):
    """In words, as long as it is; what only goes on in words is no label."""
    term = "2 % Skonto innerhalb von 8 Tagen, 30 Tage netto ab Rechnungsdatum ohne Abzug"

    assert found_in(invoice, line(f"Zahlungsbedingungen: {term}", 0, 0))["payment_term"] == term
    assert found_in(invoice, line("Payment terms", 0, 0), line("Cash", 300, 0))["payment_term"] == "Cash"
    assert "payment_term" not in found_in(invoice, line("Terms and conditions apply", 0, 0))
    assert "payment_term" not in found_in(invoice, line("Terms & conditions apply", 0, 0))


def test_a_sure_network_is_not_contradicted(line, invoice):
    """What it takes for the value with more probability stays."""
    page = invoice(
        (line("Invoice number 17", 0, 0), {}),
        (line("2024-99", 0, 300), {"document_number": CLEARLY_LABELLED_PROBABILITY + 0.04}),
    )

    assert decode_fields(page)["document_number"].value == "2024-99"


def test_a_clear_label_is_believed_against_a_likely_value(line, invoice):
    """Of numbers and dates, whose labels tell what they are."""
    page = invoice(
        (line("Invoice number 17", 0, 0), {"document_number": 0.2}),
        (line("2024-99", 0, 300), {"document_number": 0.85}),
        (line("Amount due 20.00", 0, 400), {"amount_due": 0.2}),
        (line("10.00", 0, 500), {"amount_due": 0.85}),
    )
    found = decode_fields(page)

    assert (found["document_number"].value, str(found["amount_due"].value)) == ("17", "10.00")


def test_numbers_and_dates_of_other_things_are_no_fields(line, invoice):
    """Behind or below their labels, however likely the network finds them."""
    page = invoice(
        (line("RMA NO.", 0, 0), {}),
        (line("R65340", 0, 40), {"document_number": 0.9}),
        (line("960798", 300, 40), {"document_number": 0.6}),
        (line("ORIG. DATE", 600, 0), {}),
        (line("05/18/2027", 600, 40), {"document_date": 0.9}),
        (line("06/27/2027", 900, 40), {"document_date": 0.6}),
    )
    found = decode_fields(page)

    assert (found["document_number"].value, found["document_date"].value.isoformat()) == ("960798", "2027-06-27")


@pytest.mark.parametrize(
    ("label", "number"),
    [("Rechnungs-/Lieferschein-Nr.", "4711"), ("Booking no.", "AB1234"), ("ORIGINAL INVOICE", "2024-117")],
)
def test_the_only_number_of_a_page_is_its_number(line, invoice, label, number):
    """A label of two numbers, or the only one; a title is no label."""
    page = invoice((line(label, 0, 0), {}), (line(number, 600, 0), {"document_number": 0.9}))

    assert decode_fields(page)["document_number"].value == number


def test_an_empty_label_does_not_take_the_date_of_another(line, invoice):
    page = invoice(
        (line("Lieferdatum:", 0, 0), {}),
        (line("Datum: 04.05.2024", 0, 40), {"document_date": 0.9}),
        (line("20.05.2024", 0, 400), {"document_date": 0.2}),
    )

    assert decode_fields(page)["document_date"].value.isoformat() == "2024-05-04"


def test_a_value_below_an_empty_label_may_be_of_another_field(line, invoice):
    """Only what the network takes for a number, too, is believed against a likely one."""
    page = invoice(
        (line("Customer ID:", 0, 0), {}),
        (line("0171-123456", 0, 40), {"vendor_phone": 0.9}),
        (line("K77", 0, 400), {"customer_id": 0.9}),
    )

    assert decode_fields(page)["customer_id"].value == "K77"


def test_the_only_date_of_a_page_is_its_date(line, invoice):
    """A delivery note and an invoice may have been written on one day, which is printed once."""
    page = invoice((line("Delivery date 18.05.2027", 0, 0), {"document_date": 0.9}))

    assert decode_fields(page)["document_date"].value.isoformat() == "2027-05-18"


def test_the_longest_label_counts(line, invoice):
    """ "Payment due date" is not "payment due"."""
    page = invoice((line("Payment due date 1.2.2024", 0, 0), {}))
    (label,) = printed_labels(page)["due_date"]

    assert join_pieces([page.pieces[index] for index in label]) == "Payment due date"


def test_labels_depend_on_the_kind_of_document():
    """ "NIF" is a tax number on a bill, and none on a card."""
    assert field_of_label("NIF", INVOICE) == "tax_id"
    assert field_of_label("NIF", DRIVER_LICENCE) is None
    assert field_of_label("Date d'expiration", DRIVER_LICENCE) == "expiry_date"


def test_values_of_a_card_stand_behind_numbered_labels(line, card):
    """Numbers are one word or groups of digits; what follows them is another element."""
    found = found_on_card(
        card, line("1 LN SAMPLE", 0, 90), line("4d LIC NO. 123 456 789 9 CLASS C", 0, 0),
        line("4a ISS 01/31/2016 4b EXP 01/31/2021", 0, 30),
        line("15 SEX M 18 EYES BRO", 0, 60),
    )  # fmt: skip

    assert found["document_number"] == "123456789"
    assert (found["issue_date"].isoformat(), found["expiry_date"].isoformat()) == ("2016-01-31", "2021-01-31")
    assert (found["family_name"], found["sex"]) == ("SAMPLE", "M")


def test_names_stand_below_labels_in_two_languages(line, card):
    """A label below a label is no value."""
    found = found_on_card(
        card, line("Surname/Nom", 0, 0), line("SAMPLE", 0, 30), line("Given names", 0, 60), line("Prénoms", 0, 90),
        line("ANNA MARIA", 0, 120), line("Sex F", 300, 120),
    )  # fmt: skip

    assert (found["family_name"], found["given_name"], found["sex"]) == ("SAMPLE", "ANNA MARIA", "F")


@pytest.mark.parametrize("share", [0.0, 0.8])
def test_a_text_below_its_label_goes_on_below(line, card, share):
    """Whether the network knows only its second line, or takes its lines for two values."""
    lines = [
        (line("DEPARTMENT OF LIBERTIES", 0, 30), {"issuing_authority": share}),
        (line("AND PUBLIC AFFAIRS", 0, 60), {"issuing_authority": 0.9}),
    ]
    found = found_on_card(card, line("Authority", 0, 0), *lines)

    assert found["issuing_authority"] == "DEPARTMENT OF LIBERTIES AND PUBLIC AFFAIRS"


def test_more_of_a_value_that_the_network_knows_is_kept(line, card):
    """The word left of a label's column belongs to the text below it."""
    place = (line("Porto Alegre", 0, 30), {"birth_place": 0.9})

    assert found_on_card(card, line("Place of birth", 80, 0), place)["birth_place"] == "Porto Alegre"


def test_a_number_behind_the_label_of_another_field_is_left_out(line, invoice):
    """Even if the network takes it for the value."""
    page = invoice(
        (line("Laskun numero: 889928", 0, 0), {}), (line("Laskunumero: 889928", 0, 200), {"payment_reference": 0.45})
    )

    assert "payment_reference" not in decode_fields(page)


def test_tax_numbers_belong_to_the_likelier_party(line, invoice):
    """Their labels do not tell whose they are; each party has one number, however faint the network's opinion."""
    page = invoice(
        (line("USt-IdNr. DE395511697", 0, 0), {"customer_tax_id": 0.02, "vendor_tax_id": 0.01}),
        (line("USt-IdNr. DE750697160", 500, 0), {"vendor_tax_id": 0.1}),
    )
    found = {name: one.value for name, one in decode_fields(page).items()}

    assert (found["vendor_tax_id"], found["customer_tax_id"]) == ("DE750697160", "DE395511697")


def test_a_short_number_is_no_tax_number(line, invoice):
    assert "vendor_tax_id" not in found_in(invoice, line("VAT No 20", 0, 0))


@pytest.mark.parametrize("mark", ["END:", "RESTR", "EYES:"])
def test_words_behind_labels_of_no_field_are_no_names(line, card, mark):
    """However sure the network is: "END: NONE" is no given name."""
    sure = (line("NONE", 100, 60), {"given_name": 0.9})

    assert found_on_card(card, line("LN SAMPLE", 0, 0), line(mark, 0, 60), sure) == {"family_name": "SAMPLE"}


@pytest.mark.parametrize(("gap", "shares"), [(10, 0.0), (10, 0.4), (60, 0.0)])
def test_a_date_may_go_on_beside_its_first_part(line, card, gap, shares):
    """Text detection finds wide print in parts; with the label, or with the network."""
    label = [] if shares else [(line("Date of issue", 0, 0), {})]
    lines = [(line("14 JAN /JAN", 0, 30), {"issue_date": shares}), (line("13", 110 + gap, 30), {"issue_date": shares})]
    found = decode_fields(card(*label, *lines)).get("issue_date")

    assert (found and found.value.isoformat()) == ("2013-01-14" if gap < 20 else None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("PESEL 85041212345", "85041212345"),
        ("Personnummer / Personal no. 850412-1234", "850412-1234"),
        ("T.C. Kimlik No / TR Identity No 12345678901", "12345678901"),
        ("Rodné číslo: 855412/1234", "855412/1234"),
        ("Personal number unknown", None),
    ],
)
def test_the_personal_number_of_a_holder_has_labels_of_its_own(line, passport, text, number):
    """And it is not the number of the document, which the network takes it for."""
    found = decode_fields(passport((line(text, 0, 0), {"document_number": 0.4})))

    assert (found["administrative_number"].value if number else None) == number
    assert not number or "document_number" not in found


@pytest.mark.parametrize(
    ("label", "text", "address"),
    [
        ("Wohnort/Residence/Domicile", "KÖLN", "KÖLN"),
        ("Place of residence", "12 High Street, Springfield", "12 High Street, Springfield"),
        ("Residence permit", "KÖLN", None),
        ("Bydliště", "Date of birth", None),
    ],
)
def test_an_address_stands_below_the_label_of_a_residence(line, passport, label, text, address):
    found = decode_fields(passport((line(label, 0, 0), {}), (line(text, 0, 30), {})))

    assert (found["resident_address"].value if "resident_address" in found else None) == address


def test_a_card_number_is_not_the_number_of_a_licence(line, card, passport):
    """Unless no other is labelled; on other documents it may be."""
    card_number = [(line("Card number", 0, 0), {}), (line("B980005167", 0, 30), {"document_number": 0.9})]
    number = [(line("Licence No", 300, 0), {}), (line("012565337", 300, 30), {})]

    assert decode_fields(card(*card_number, *number))["document_number"].value == "012565337"
    assert decode_fields(card(*card_number))["document_number"].value == "B980005167"
    assert decode_fields(passport(*card_number, *number))["document_number"].value == "B980005167"


def test_the_whole_line_below_a_label_is_the_address(line, passport):
    """Not the word of it that the network knows."""
    page = passport((line("Residence", 0, 0), {}), (line("EAST LEGON ACCRA", 0, 30), {"resident_address": 0.9}))
    begin, inside = begin_label(page.numbers["resident_address"]), inside_label(page.numbers["resident_address"])
    page.labels[2:, [begin, inside]] = 0.0

    assert decode_fields(page)["resident_address"].value == "EAST LEGON ACCRA"


def test_a_credit_note_also_prints_the_number_and_the_date_of_its_invoice(line, invoice):
    """These are not its own, however sure the network is."""
    own = [line("Numéro de l'avoir AV-2020-11", 0, 0), line("Date de l'avoir", 0, 40), line("15/01/2020", 300, 40)]
    of_invoice = [
        (line("Facture n°", 600, 0), {}),
        (line("FA83960", 900, 0), {"document_number": 0.8}),
        (line("Date facture", 600, 40), {}),
        (line("06/12/2019", 900, 40), {"document_date": 0.8}),
    ]
    both, alone = decode_fields(invoice(*((one, {}) for one in own), *of_invoice)), decode_fields(invoice(*of_invoice))

    assert (both["document_number"].value, both["document_date"].value.isoformat()) == ("AV-2020-11", "2020-01-15")
    assert (alone["document_number"].value, alone["document_date"].value.isoformat()) == ("FA83960", "2019-12-06")


@pytest.mark.parametrize(("title", "number"), [("CREDIT NOTE", "CN-0088"), ("TAX INVOICE", "INV-2217")])
def test_a_credit_note_has_no_number_but_its_own(line, invoice, title, number):
    """Its invoice also stands in running text. An invoice may name the credit note that is deducted from it."""
    page = invoice(
        (line(title, 0, 0), {}),
        (line("Credit Note Number", 600, 0), {}),
        (line("CN-0088", 600, 30), {}),
        (line("Less Credit to Invoice", 0, 200), {}),
        (line("INV-2217", 400, 200), {"document_number": 0.99}),
    )

    assert decode_fields(page)["document_number"].value == number


@pytest.mark.parametrize("label", ["Bestellnummer/Datum", "Bestellnummer / Datum"])
def test_a_label_may_be_attached_to_that_of_another_value(line, invoice, label):
    """The values stand in the same order, on the line of their labels or apart; with spaces it is another text."""
    apart = found_in(invoice, line(label, 0, 0), line("4500718822 / 16.10.2026", 600, 0))
    together = found_in(invoice, line(f"{label} 4500718822 / 16.10.2026", 0, 0))

    expected = "4500718822" if label == "Bestellnummer/Datum" else None
    assert (apart.get("purchase_order"), together.get("purchase_order")) == (expected, expected)


def test_each_end_of_a_service_period_may_have_its_own_label(line, invoice):
    labels = [line("Service From", 0, 0), line("Service To", 300, 0), line("Days", 600, 0)]
    found = found_in(invoice, *labels, line("09/18/2026", 0, 40), line("10/19/2026", 300, 40), line("31", 600, 40))

    assert [found[f"service_period_{end}"].isoformat() for end in ("start", "end")] == ["2026-09-18", "2026-10-19"]


def test_whose_tax_number_it_is_stands_in_front_of_it(line, invoice):
    """The network decides between the two numbers behind labels."""
    page = invoice(
        (line("Ihre USt-IdNr.", 0, 0), {}),
        (line("DE811193340", 300, 0), {"customer_tax_id": 0.4}),
        (line("Unsere USt-IdNr.", 0, 40), {}),
        (line("DE146690327", 300, 40), {"vendor_tax_id": 0.1}),
    )

    found = decode_fields(page)

    assert (found["customer_tax_id"].value, found["vendor_tax_id"].value) == ("DE811193340", "DE146690327")


@pytest.mark.parametrize(("label", "number"), [("Asiakasnumero", "417"), ("Tilinumero", "11 87205")])
def test_a_payment_reference_is_no_customer_number_beside_a_labelled_one(line, invoice, label, number):
    """It may be where none is labelled."""
    page = invoice(
        (line("Viitenumero", 0, 0), {}),
        (line("11 87205", 300, 0), {"customer_id": 0.95}),
        (line(label, 0, 40), {}),
        (line("417", 300, 40), {}),
    )

    assert decode_fields(page)["customer_id"].value == number


def test_a_label_of_a_credit_note_without_a_value_decides_nothing(line, invoice):
    """Nor does its title."""
    found = found_in(
        invoice, line("CREDIT NOTE", 0, 0), line("Credit note no.", 600, 0), line("Invoice No: 2024-117", 0, 80)
    )

    assert found["document_number"] == "2024-117"


def test_a_tax_number_on_a_receipt_is_the_merchants(line, receipt):
    page = receipt((line("UID-Nr. ATU80868465", 0, 0), {}))

    assert decode_fields(page)["merchant_tax_id"].value == "ATU80868465"


@pytest.mark.parametrize("label", ["[b] Geburtsname/Name at birth/Nom de naissance", "NOM D'USAGE / Alternate name"])
def test_a_name_at_birth_is_no_family_name(line, id_card, label):
    """The network is as sure of it as of the family name."""
    lines = [(line("[a] Name/Surname/Nom", 0, 0), {}), (line("MUSTERMANN", 0, 30), {"family_name": 0.9})]
    lines += [(line(label, 0, 80), {}), (line("GABLER", 0, 110), {"family_name": 0.99})]

    assert value_of(id_card(*lines), "family_name") == "MUSTERMANN"


def test_the_only_name_of_a_card_is_its_family_name(line, id_card):
    """Some cards print no other name than that at birth."""
    lines = [(line("Nom de naissance", 0, 0), {}), (line("MARTIN", 0, 30), {"family_name": 0.9})]

    assert value_of(id_card(*lines), "family_name") == "MARTIN"


def test_the_number_of_the_holders_identity_card_is_not_that_of_a_licence(line, card):
    """The network is sure of it."""
    lines = [
        (line("DOC. IDENTIDADE / ÓRG. EMISSOR / UF", 0, 0), {}),
        (line("34567890-1", 0, 30), {"document_number": 0.99}),
    ]
    lines += [(line("Nº REGISTRO", 0, 100), {}), (line("04567891234", 0, 130), {"document_number": 0.1})]

    assert value_of(card(*lines), "document_number") == "04567891234"


def test_the_number_of_a_driver_is_not_that_of_the_receipt(line, receipt):
    """However sure the network is, where the number of the trip is printed, too."""
    page = receipt((line("DRIVER ID 5518824", 0, 0), {"document_number": 0.9}), (line("Trip# 4471", 0, 100), {}))

    assert decode_fields(page)["document_number"].value == "4471"


@pytest.mark.parametrize("label", ["Cashier #", "Store No", "Medallion #", "Kassierer-Nr"])
def test_numbers_of_tills_and_their_people_are_not_those_of_receipts(line, receipt, label):
    page = receipt(
        (line(label, 0, 0), {}), (line("55188", 300, 0), {"document_number": 0.9}),
        (line("4471", 0, 100), {"document_number": 0.6}),
    )  # fmt: skip

    assert decode_fields(page)["document_number"].value == "4471"


@pytest.mark.parametrize(
    ("upper", "lower", "end"),
    [
        ("8 november 2025 t/m 7 november", "2026", "2026-11-07"),
        ("8 november 2025 t/m", "7 november 2026", "2026-11-07"),
        ("01-10-2026 a 31-10-", "2026", "2026-10-31"),
        ("8 november 2025", "7 november 2026", None),
        ("8 november 2025 t/m", "Vervalt 7 november 2026", None),
        ("8 november 2025 Vervaldatum:", "7 november 2026", None),
        ("8 november 2025 t/m", "7 november 2026 Zwolle", None),
    ],
)
def test_a_period_may_go_on_in_the_next_line(line, invoice, upper, lower, end):
    """In a narrow column. What is another date below the first one is none of the period."""
    found = found_in(invoice, line("Periode", 0, 0), line(upper, 200, 0), line(lower, 200, 24))

    assert str(found.get("service_period_end")) == str(end)


def test_a_period_goes_on_below_its_label(line, invoice):
    found = found_in(invoice, line("Período de faturação: 01-10-2026 a 31-10-", 0, 0), line("2026", 0, 24))

    assert str(found["service_period_end"]) == "2026-10-31"


@pytest.mark.parametrize(("label", "is_name"), [("Race", False), ("Agama", False), ("Height", True)])
def test_words_below_the_label_of_a_text_that_is_no_field_are_no_name(line, id_card, label, is_name):
    """Below the label of a number they may be one."""
    lines = [(line(label, 0, 0), {}), (line("CHINESE", 0, 25), {"family_name": 0.9})]

    assert value_of(id_card(*lines), "family_name") == ("CHINESE" if is_name else None)


def test_below_the_second_label_of_one_text_begins_no_other(line, passport):
    """Whatever the network makes of the words; on the right is a label of no field."""
    page = passport(
        (line("Pejabat Pengeluar / Issuing Office", 0, 0), {}),
        (line("Pekerjaan / Profession", 500, 0), {}),
        (line("KUALA LUMPUR DAN SELANGOR", 0, 25), {"issuing_authority": 0.5}),
    )
    for at, piece in enumerate(page.pieces):
        if piece.text != "SELANGOR":
            page.labels[at] = 0

    values = labelled_values(page)["issuing_authority"]

    assert [page.text(value) for value in values] == ["KUALA LUMPUR DAN SELANGOR"]


def test_only_the_words_in_front_of_a_date_are_searched_for_its_label(line, card):
    """A row full of print takes no longer than another."""
    page = card((line("1 " * 900 + "EXP 01/02/2020", 0, 0), {"issue_date": 0.3}))
    dates = [(len(page.pieces) - 1,)]
    started = process_time()

    assert dates_beside_other_labels("issue_date", page, {"expiry_date": dates * 20}) == dates * 20
    assert process_time() - started < 1.0


@pytest.mark.parametrize(("line_above", "name"), [("fa T TH / Given Name(s)", None), ("BANERJEE", "BANERJEE")])
def test_a_label_in_an_unknown_script_is_no_value(line, passport, line_above, name):
    """Below the label of an empty field, as Indian passports print it."""
    page = passport((line("394H / Surname", 0, 0), {}), (line(line_above, 0, 26), {}))

    assert value_of(page, "family_name") == name


def test_a_part_of_what_belongs_to_no_field_is_no_value(line, id_card):
    page = id_card((line("Pekerjaan", 0, 0), {}), (line("KARYAWAN SWASTA", 200, 0), {"given_name": 0.9}))
    first = next(at for at, piece in enumerate(page.pieces) if piece.text == "KARYAWAN")
    page.labels[first] = 0

    assert value_of(page, "given_name") is None


@pytest.mark.parametrize(
    ("label", "value", "field", "found"),
    [
        ("NUI.0604071826", "", "administrative_number", "0604071826"),
        ("Tempat/Tgl Lahir", ": SURAKARTA, 07-08-1993", "birth_place", "SURAKARTA"),
        ("Kecamatan", ": BANJARSARI", "birth_place", None),
    ],
)
def test_labels_of_cards_of_ecuador_and_indonesia(line, id_card, label, value, field, found):
    network = {} if found else {field: 0.9}
    lines = [(line(text, 300 * at, 0), network if at else {}) for at, text in enumerate((label, value)) if text]

    assert value_of(id_card(*lines), field) == found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3 4071 00826 15 7", "3407100826157"),
        ("9 02 1981", None),
        ("4071 00826 15 X", "407100826"),
        ("123456789 12 03 2030", "123456789"),
        ("1990 05 17 123456789", None),
        ("1234 5678 9012", "123456789012"),
    ],
)
def test_a_number_may_be_in_groups_of_digits(line, id_card, text, number):
    """As on cards of Thailand; the network may take its groups for different fields."""
    page = id_card((line("Identification Number", 0, 0), {}), (line(text, 0, 26), {}))
    first = len(page.pieces) - len(text.split())
    for at, field in ((1, "document_number"), (2, "administrative_number")):
        page.labels[first + at, begin_label(page.numbers[field])] = 0.95 if text.startswith("3") else 0

    assert value_of(page, "document_number") == number
    assert value_of(page, "administrative_number") is None


def test_an_id_number_in_a_passport_is_the_holders(line, passport, id_card):
    lines = [
        (line("Passport No.", 0, 0), {}), (line("41072836", 0, 26), {}),
        (line("190n / I.D. No.", 0, 100), {}), (line("3 0417283 6", 0, 126), {}),
    ]  # fmt: skip

    assert value_of(passport(*lines), "document_number") == "41072836"
    assert value_of(passport(*lines), "administrative_number") == "3 0417283 6"
    assert value_of(id_card(*lines[2:]), "document_number") == "304172836"


def test_a_greek_number_of_the_register_is_no_tax_number(line, invoice):
    """The network knows little Greek, and is surer of it than of the tax number."""
    page = invoice(
        (line("ΑΦΜ:", 0, 0), {}), (line("800417722", 200, 0), {"vendor_tax_id": 0.76}),
        (line("Αρ. ΓΕΜΗ:", 0, 30), {}), (line("132884506000", 200, 30), {"vendor_tax_id": 0.98}),
    )  # fmt: skip

    assert value_of(page, "vendor_tax_id") == "800417722"


@pytest.mark.parametrize(
    ("values", "order"),
    [("7HQK-2LDM-BG7-PGB  FH-1177", "FH-1177"), ("7HQK-2LDM-BG7-PGB FH-1177", "7HQK-2LDM-BG7-PGB")],
    ids=["columns", "words of one value"],
)
def test_a_value_stands_below_its_own_label(line, invoice, values, order):
    """Text layers may have the values of several columns in one line; the one before ends near the label."""
    page = invoice((line("Customer PO Number", 180, 0), {}), (line(values, 0, 30), {}))

    assert value_of(page, "purchase_order") == order


def test_a_croatian_due_date_stands_behind_its_label(line, invoice):
    """In a row of dates, of which the network knows none."""
    page = invoice((line("Datum isporuke: 07.11.2026. · Dospijeće: 24.11.2026. · Oznaka operatera: 2"), {}))

    assert str(value_of(page, "due_date")) == "2026-11-24"


@pytest.mark.parametrize(("share", "field"), [(0.9, "document_number"), (0.3, "administrative_number")])
def test_an_id_number_may_be_the_only_number_of_a_passport(line, passport, share, field):
    """Then the network decides whose it is."""
    page = passport((line("ID No.", 0, 0), {}), (line("AB1234567", 0, 26), {"document_number": share}))

    numbers = {name: value_of(page, name) for name in ("document_number", "administrative_number")}
    assert {name for name, value in numbers.items() if value} == {field}


@pytest.mark.parametrize(("label", "authority"), [("TIPO DE PERMISO / TYPE OF PERMIT", None), ("Issued by", "WORKER")])
def test_the_type_of_a_residence_permit_is_no_authority(line, id_card, label, authority):
    page = id_card((line(label, 0, 0), {}), (line("WORKER", 0, 20), {"issuing_authority": 0.9}))

    assert value_of(page, "issuing_authority") == authority


def test_a_spanish_residence_permit_labels_the_personal_number(line, id_card):
    page = id_card((line("NIE", 0, 0), {}), (line("X-9876543-L", 0, 20), {"document_number": 0.3}))

    assert value_of(page, "administrative_number") == "X-9876543-L"


@pytest.mark.parametrize(("x", "y"), [(60, 20), (0, 44)])
def test_a_family_name_is_no_label_of_a_personal_number(line, passport, x, y):
    """Nie is also a Chinese name."""
    page = passport(
        (line("Surname", 0, 0), {}),
        (line("NIE", 0, 20), {"family_name": 0.9}),
        (line("E12345678", x, y), {"document_number": 0.9}),
    )
    found = decode_fields(page)

    assert {name: one.value for name, one in found.items()} == {"family_name": "NIE", "document_number": "E12345678"}
    assert found["family_name"].labelled


@pytest.mark.parametrize("label", ["PLACE AND DATE OF ISSUE", "AUSGESTELLT IN/AM / PLACE AND DATE OF ISSUE"])
def test_the_place_in_front_of_the_date_of_issue_is_no_place_of_birth(line, id_card, label):
    page = id_card((line(label, 0, 0), {}), (line("WIEN, 01 12 2024", 0, 20), {"birth_place": 0.9}))
    page.labels[[at for at, piece in enumerate(page.pieces) if piece.text.isdigit()]] = 0

    found = [value_of(page, name) for name in ("issuing_authority", "birth_place")]

    assert found == ["WIEN", None]

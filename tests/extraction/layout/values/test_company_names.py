"""Names of companies."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import join_pieces
from docextract.extraction.layout.values.company_names import company_names
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("first", "second", "shares", "name"),
    [
        ("Moulin & Fils", "Handelsgesellschaft mbH", (0.9, 0.2), "Moulin & Fils Handelsgesellschaft mbH"),
        ("Moulin & Fils", "Handelsgesellschaft mbH", (0.2, 0.9), "Moulin & Fils Handelsgesellschaft mbH"),
        ("Moulin & Fils", "Handelsgesellschaft mbH", (0.9, 0.0), "Moulin & Fils"),
        ("Moulin & Fils", "Handel mit Waren", (0.9, 0.2), "Moulin & Fils"),
        ("Ship To", "Handelsgesellschaft mbH", (0.2, 0.9), "Handelsgesellschaft mbH"),
    ],
    ids=["first is sure", "second is sure", "nothing says so", "no legal form", "a heading"],
)
def test_a_name_of_two_lines_ends_with_its_legal_form(line, invoice, first, second, shares, name):
    """The network may be sure of one of both lines alone."""
    upper, lower = shares
    page = invoice((line(first, 0, 0), {"vendor_name": upper}), (line(second, 0, 30), {"vendor_name": lower}))

    found = decode_fields(page)

    assert {field: one.value for field, one in found.items()} == {"vendor_name": name}


@pytest.mark.parametrize(
    ("below", "name"),
    [
        ("ŞTİ.", "ARDIÇ MAKİNA LTD. ŞTİ."),
        ("Anna Meier", "ARDIÇ MAKİNA LTD."),
    ],
)
def test_a_legal_form_may_go_on_below(line, invoice, below, name):
    """What is no part of it is another text, however sure the network is."""
    upper = (line("ARDIÇ MAKİNA LTD.", 0, 0), {"vendor_name": 0.9})
    pages = [invoice(upper, (line(below, 0, 30), {"vendor_name": share})) for share in (0.0, 0.6, 0.9)]

    assert [decode_fields(page)["vendor_name"].value for page in pages] == [name] * 3


def test_a_legal_form_on_a_line_of_its_own_is_given_once(line, receipt):
    """The network may take both lines for one text."""
    upper, lower = line("SINNATHAMBY HOLDINGS", 0, 0, height=30), line("SDN. BHD.", 0, 33, height=32)
    page = receipt((upper, {}), (lower, {}), (line("249336-T", 0, 66), {}))
    both = tuple(index for index, piece in enumerate(page.pieces) if piece.line < 2)

    assert [*company_names([both], page.probability("merchant_name"), page.pieces, page.lines)] == [both]


def test_the_longest_legal_form_behind_a_name_belongs_to_it(line, invoice):
    """The network took a part of it, which is another form."""
    page = invoice((line("ARDIÇ MAKİNA LTD. ŞTİ. İkitelli", 0, 0), {"vendor_name": 0.9}))
    begin, inside = begin_label(page.numbers["vendor_name"]), inside_label(page.numbers["vendor_name"])
    page.labels[4:, [begin, inside]] = 0.0

    assert decode_fields(page)["vendor_name"].value == "ARDIÇ MAKİNA LTD. ŞTİ."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Operated by Moulin & Fils", "Moulin & Fils"),
        ("Betreibergesellschaft: Moulin & Fils", "Moulin & Fils"),
        ("A unit of Moulin & Fils", "Moulin & Fils"),
        ("by Moulin Foods Ltd", "Moulin Foods Ltd"),
        ("by Moulin", "by Moulin"),
        ("By Moulin Ltd", "By Moulin Ltd"),
        ("Operated Heaters", "Operated Heaters"),
        ("Welcome to Moulin & Fils", "Moulin & Fils"),
        ("Inhaber", "Inhaber"),
    ],
)
def test_a_caption_is_no_part_of_a_name(line, invoice, text, name):
    """All words of a caption stand in front of the name."""
    page = invoice((line(text, 0, 0), {"vendor_name": 0.9}))

    assert decode_fields(page)["vendor_name"].value == name


@pytest.mark.parametrize(
    ("above", "share", "height", "name"),
    [
        ("MURPHY, BENNETT", 0.2, 20, "MURPHY, BENNETT & MILLER CO."),
        ("MURPHY, BENNETT", 0.2, 40, "& MILLER CO."),
        ("SINCE 1921", 0.2, 20, "& MILLER CO."),
        ("INVOICE", 0.0, 20, "& MILLER CO."),
    ],
    ids=["a name", "other print", "no words alone", "no name"],
)
def test_a_name_does_not_begin_with_an_ampersand(line, receipt, above, share, height, name):
    """Its first line stands above, in the middle of the page, too."""
    below = line("& MILLER CO.", 40, height + 10)
    page = receipt((line(above, 0, 0, height=height), {"merchant_name": share}), (below, {"merchant_name": 0.9}))

    assert decode_fields(page)["merchant_name"].value == name


@pytest.mark.parametrize(
    ("above", "x", "name"),
    [
        ("Trattoria da Nino", 0, "Trattoria da Nino di Esposito Gennaro"),
        ("Via Roma 12", 0, "di Esposito Gennaro"),  # no words alone
        ("RECEIPT", 0, "di Esposito Gennaro"),
        ("DOCUMENTO COMMERCIALE", 0, "di Esposito Gennaro"),
        ("Benvenuti", 0, "di Esposito Gennaro"),
        ("Trattoria da Nino", 600, "di Esposito Gennaro"),  # elsewhere
    ],
)
def test_the_owner_of_an_italian_business_is_named_below_its_sign(line, receipt, above, x, name):
    """However large the sign is, and however unlikely to the network."""
    page = receipt((line(above, x, 0, height=50), {}), (line("di Esposito Gennaro", 40, 60), {"merchant_name": 0.9}))

    assert decode_fields(page)["merchant_name"].value == name


def test_words_in_front_of_an_ampersand_are_not_exchanged_for_the_line_above(line, receipt):
    """The network may be sure of the end of a line alone."""
    page = receipt((line("Rechnung", 0, 0), {"merchant_name": 0.2}), (line("Muster & Söhne", 0, 30), {}))
    ampersand = next(at for at, piece in enumerate(page.pieces) if piece.text == "&")

    own = page.probability("merchant_name")
    (name,) = company_names([(ampersand, ampersand + 1)], own, page.pieces, page.lines)

    assert name == (ampersand, ampersand + 1)


@pytest.mark.parametrize(
    ("printed", "name"), [("SIN THYE & COMPANY", "SIN THYE & COMPANY"), ("SIN THYE & 2021", "SIN THYE &")]
)
def test_a_name_does_not_end_with_an_ampersand_in_front_of_words(line, receipt, printed, name):
    """The network is sure of its beginning alone."""
    page = receipt((line(printed, 0, 0), {}), (line("Main Street", 0, 30), {}))

    (whole,) = company_names([(0, 1, 2)], page.probability("merchant_name"), page.pieces, page.lines)

    assert join_pieces([page.pieces[index] for index in whole]) == name


@pytest.mark.parametrize(("gap", "name"), [(10, "EL POLLO LOCO"), (60, "EL")])
def test_a_name_goes_on_beside_its_first_part(line, receipt, gap, name):
    """Text detection finds large print in parts, each of which the network takes for a whole name."""
    page = receipt(
        (line("EL", 0, 0), {"merchant_name": 0.9}), (line("POLLO LOCO", 20 + gap, 0), {"merchant_name": 0.85})
    )

    assert decode_fields(page)["merchant_name"].value == name


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (("Stadtwerke GmbH", "Anna Meier"), "Stadtwerke GmbH"),
        (("Moulin GmbH", "& Co. KG"), "Moulin GmbH & Co. KG"),
        (("Moulin & Fils", "Anna Meier"), "Moulin & Fils Anna Meier"),
    ],
)
def test_a_name_ends_with_its_legal_form(line, invoice, lines, name):
    """Who receives the letter there is no part of it."""
    page = invoice(*((line(text, 0, 30 * row), {"customer_name": 0.9}) for row, text in enumerate(lines)))
    names = company_names([tuple(range(len(page.pieces)))], page.probability("customer_name"), page.pieces, page.lines)

    assert [join_pieces([page.pieces[index] for index in span]) for span in names] == [name]


@pytest.mark.parametrize(
    ("lower", "first", "share", "elsewhere", "name"),
    [
        ("Anna Meier", 0, 0.9, ["Hotel Adler"], "Hotel Adler"),
        ("Anna Meier", 2, 0.2, ["Hotel Adler"], "Hotel Adler"),
        ("Anna Meier", 0, 0.9, [], "Hotel Adler Anna Meier"),
        ("Anna Meier", 0, 0.9, ["Hotel Adler", "Anna Meier"], "Hotel Adler Anna Meier"),
        ("Anna Meier", 2, 0.0, ["Hotel Adler"], "Anna Meier"),
        ("Betriebe mbH", 0, 0.9, ["Hotel Adler"], "Hotel Adler Betriebe mbH"),
        ("Betriebe für Gäste", 0, 0.9, ["Hotel Adler"], "Hotel Adler Betriebe für Gäste"),
    ],
)
def test_a_person_below_a_company_that_is_printed_again_is_no_part_of_its_name(
    line, invoice, lower, first, share, elsewhere, name
):
    """As in the delivery address; the person or both were found. What is no person is part of the name."""
    page = invoice(
        (line("Hotel Adler", 0, 0), {"customer_name": share}),
        (line(lower, 0, 30), {"customer_name": 0.9}),
        *((line(text, 400, 200 + 40 * at), {}) for at, text in enumerate(elsewhere)),
    )
    last = 2 + len(lower.split())

    (whole,) = company_names([tuple(range(first, last))], page.probability("customer_name"), page.pieces, page.lines)

    assert page.text(whole) == name


def going_on(field, page):
    """The page, on which the lines of a field are one text."""
    begin, inside = begin_label(page.numbers[field]), inside_label(page.numbers[field])
    page.labels[:, inside] += page.labels[:, begin]
    page.labels[:, begin] = 0
    return page


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ([("Anna Meier", 0.9), ("Moulin GmbH", 0.9)], "Moulin GmbH"),
        ([("Herr Oyelaran", 0.2), ("Moulin GmbH", 0.9)], "Moulin GmbH"),
        ([("Anna Meier", 0.9), ("Moulin GmbH", 0.2)], "Moulin GmbH"),
        ([("Hotel Adler", 0.9), ("Anna Meier", 0.9)], "Hotel Adler"),
        ([("Hotel Adler", 0.2), ("Anna Meier", 0.9)], "Hotel Adler"),
        ([("Meyer Werft", 0.9), ("Betriebe mbH", 0.9)], "Meyer Werft Betriebe mbH"),
        ([("Hans Weber", 0.9), ("Bauunternehmung GmbH & Co. KG", 0.9)], "Hans Weber Bauunternehmung GmbH & Co. KG"),
        ([("Hans Weber", 0.9), ("Metallbau GmbH", 0.2)], "Hans Weber Metallbau GmbH"),
        ([("Hans Weber", 0.2), ("Metallbau GmbH", 0.9)], "Hans Weber Metallbau GmbH"),
        ([("Hans Weber", 0.9), ("Moulin Metallbau GmbH", 0.9)], "Moulin Metallbau GmbH"),
        ([("Hotel Adler", 0.0), ("Anna Meier", 0.9)], "Anna Meier"),
        ([("Anna Meier", 0.9), ("Fotografie", 0.9)], "Anna Meier Fotografie"),
        ([("Anna Meier", 0.9), ("Peter Meier", 0.9)], "Anna Meier Peter Meier"),
        ([("Familie Steiner", 0.9), ("Anna Meier", 0.9)], "Familie Steiner Anna Meier"),
        ([("Bill to:", 0.2), ("Anna Meier", 0.9)], "Anna Meier"),
        ([("TAX INVOICE", 0.2), ("Anna Meier", 0.9)], "Anna Meier"),
        ([("An", 0.2), ("Anna Meier", 0.9)], "Anna Meier"),
        ([("Invoice date", 0.2), ("Anna Meier", 0.9)], "Anna Meier"),
        ([("Rechnung Nr. 12", 0.2), ("Anna Meier", 0.9)], "Anna Meier"),
        ([("Abteilung 7", 0.2), ("Peter Hahn GmbH", 0.9)], "Peter Hahn GmbH"),
    ],
)
def test_who_receives_the_post_of_a_company_is_no_part_of_its_name(line, invoice, lines, name):
    """Above a company with a legal form, or between a company and its address; who is the customer stays."""
    page = going_on(
        "customer_name",
        invoice(
            *((line(text, 0, 30 * at), {"customer_name": share}) for at, (text, share) in enumerate(lines)),
            (line("Seeweg 4", 0, 30 * len(lines)), {"customer_address": 0.9}),
        ),
    )

    assert decode_fields(page)["customer_name"].value == name


@pytest.mark.parametrize("lines", [("Anna Meier", "Schmuckdesign GmbH"), ("Studio Blau", "Anna Meier")])
def test_the_name_of_a_sender_may_be_a_persons(line, invoice, lines):
    """Sole traders have a trade name beside their own, and companies are called after people."""
    page = going_on(
        "vendor_name",
        invoice(
            *((line(text, 0, 30 * at), {"vendor_name": 0.9}) for at, text in enumerate(lines)),
            (line("Seeweg 4", 0, 60), {"vendor_address": 0.9}),
        ),
    )

    assert decode_fields(page)["vendor_name"].value == " ".join(lines)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("MONTHLY STATEMENT", "TERRENCE W OAKLEY"),
        ("ΣΤΟΙΧΕΙΑ ΠΕΛΑΤΗ", "TERRENCE W OAKLEY"),
        ("Bill to", "TERRENCE W OAKLEY"),
        ("Statement Records Ltd", "Statement Records Ltd"),
    ],
)
def test_titles_headings_and_labels_are_no_names(line, invoice, title, name):
    """However sure the network is of them."""
    other = line("TERRENCE W OAKLEY", 0, 900)
    page = invoice((line(title, 0, 0), {"customer_name": 0.98}), (other, {"customer_name": 0.7}))

    assert value_of(page, "customer_name") == name


@pytest.mark.parametrize(
    ("account", "other", "name"),
    [
        ("Intesa Sanpaolo, IBAN IT60 X054 2811 1010 0000 0123 456", 0.6, "Elena Marangoni"),
        ("Intesa Sanpaolo, IBAN IT60 X054 2811 1010 0000 0123 456", 0.0, "Intesa Sanpaolo"),
        ("Intesa Sanpaolo - to the account IT60 X054 2811 1010 0000 0123 456", 0.6, "Intesa Sanpaolo"),
        ("Intesa Sanpaolo 4711", 0.6, "Intesa Sanpaolo"),
    ],
    ids=["in front of the IBAN", "no other name", "in a sentence", "no IBAN"],
)
def test_a_name_in_front_of_an_iban_is_that_of_the_bank(line, invoice, account, other, name):
    """Where the party has another name, of which the network may be less sure."""
    page = invoice((line("Elena Marangoni", 0, 0), {"vendor_name": other}), (line(account, 0, 900), {}))
    labels, number = page.labels.copy(), page.numbers["vendor_name"]
    bank = [index for index, piece in enumerate(page.pieces) if piece.text in ("Intesa", "Sanpaolo")]
    labels[bank] = 0
    labels[bank, [begin_label(number), inside_label(number)]] = 0.95

    assert value_of(page.with_labels(labels), "vendor_name") == name


@pytest.mark.parametrize(
    ("text", "found", "name"),
    [
        ("D & P Whitlock trading as Kookaburra Gardens · ABN 47", 7, "D & P Whitlock trading as Kookaburra Gardens"),
        ("D & P Whitlock selling as Kookaburra Gardens · ABN 47", 7, "D & P Whitlock selling as Kookaburra"),
        ("Harbour Ltd d/b/a Pier & Sons 4 Elm St", 8, "Harbour Ltd d/b/a Pier & Sons"),
        ("J Whitlock trading as Kookaburra Gardens ABN 51 824", 5, "J Whitlock trading as Kookaburra Gardens"),
        ("J Whitlock trading as Kookaburra Gardens Tax Invoice", 5, "J Whitlock trading as Kookaburra Gardens"),
        ("J Whitlock trading as Invoice Helpers", 5, "J Whitlock trading as Invoice Helpers"),
    ],
)
def test_the_name_under_which_a_company_trades_is_whole(line, invoice, text, found, name):
    """The network takes its last word for the first one of the address."""
    page = invoice((line(text), {"vendor_name": 0.9}))

    (whole,) = company_names([tuple(range(found))], page.probability("vendor_name"), page.pieces, page.lines)

    assert join_pieces([page.pieces[index] for index in whole]) == name


@pytest.mark.parametrize(
    ("sign", "whole", "name"),
    [
        ("Bouwcenter De Wolden", "Bouwcenter De Wolden B.V.", "Bouwcenter De Wolden B.V."),
        ("Bouwcenter De Wolden", "BOUWCENTER DE WOLDEN", "Bouwcenter De Wolden"),
        ("Wolden", "Wolden Wonen B.V.", "Wolden Wolden Wonen B.V."),
    ],
    ids=["with its legal form", "twice", "one word"],
)
def test_a_name_that_begins_again_below_is_the_lower_one(line, invoice, sign, whole, name):
    """The sign of a company stands above its whole name."""
    page = invoice((line(sign, 0, 0), {"vendor_name": 0.9}), (line(whole, 0, 30), {"vendor_name": 0.9}))
    both = tuple(range(len(page.pieces)))

    (found,) = company_names([both], page.probability("vendor_name"), page.pieces, page.lines)

    assert page.text(found) == name

"""From the output of a network to the prediction of a page."""

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.postprocessing import LayoutOutput, PredictionBuilder
from docextract.predictions import AUTO, OTHER_TYPE

TYPES = ("receipt", "passport", OTHER_TYPE)
ZONE = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


@pytest.fixture
def output(line):
    """A function that makes the output for a page with a zone, of which no piece has a field. types: probabilities."""

    def make(*types: float) -> LayoutOutput:
        lines, page = split_into_pieces([line(text, 0, 22 * row) for row, text in enumerate(ZONE)])
        labels = LabelProbabilities(np.ones((len(page.pieces), 1), np.float32), np.zeros(len(page.pieces), np.float32))
        return LayoutOutput(tuple(lines), page.pieces, labels, np.array(types, np.float32), Conventions())

    return make


@pytest.mark.parametrize(
    ("types", "expected", "has_zone"),
    [
        ((0.95, 0.05, 0.0), "receipt", False),
        ((0.8, 0.2, 0.0), "passport", True),
        ((0.0, 0.0, 1.0), OTHER_TYPE, True),
        ((0.1, 0.9, 0.0), "passport", True),
    ],
    ids=["a certain receipt", "a doubtful receipt", "another paper", "a passport"],
)
def test_a_zone_is_searched_where_one_may_be(output, types, expected, has_zone):
    """Not on a page that certainly is of a type without one."""
    prediction = PredictionBuilder(TYPES, (), UNCALIBRATED).build(output(*types), AUTO)

    assert (prediction.type, prediction.zone is not None) == (expected, has_zone)


@pytest.mark.parametrize(
    ("name", "printed", "date"),
    [
        ("driver_licence", ["04.02.25"], "2025-02-04"),
        ("driver_licence", ["04/02/25"], "2025-04-02"),
        ("driver_licence", ["04.02.25", "12.24.2025"], "2025-04-02"),
        ("receipt", ["04.02.25"], "2025-04-02"),
    ],
)
def test_dates_with_points_on_cards_begin_with_the_day(line, name, printed, date):
    """Whatever the network takes for likely, but not if another date proves it."""
    field = "document_date" if name == "receipt" else "issue_date"
    lines, page = split_into_pieces([line(text, 0, 40 * row) for row, text in enumerate(printed)])
    labels = np.zeros((len(page.pieces), 3), np.float32)
    for index, piece in enumerate(page.pieces):
        labels[index, 0 if piece.line else 1 if index == 0 else 2] = 1.0
    found = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))
    output = LayoutOutput(tuple(lines), page.pieces, found, np.ones(1, np.float32), Conventions("MDY"))

    candidates = PredictionBuilder((name,), (field,), UNCALIBRATED).candidates(document_types()[name], output)

    assert str(candidates.fields[field].value) == date


@pytest.mark.parametrize(
    ("country", "dates", "expected"),
    [
        ("Australia", ["03/10/1994"], "1994-10-03"),
        ("Australia", ["03/10/1994", "10/31/2020"], "1994-03-10"),
        ("United States", ["03/10/1994"], "1994-03-10"),
        ("Georgia", ["03/10/1994"], "1994-03-10"),
        ("Licence", ["03/10/1994"], "1994-03-10"),
    ],
)
def test_dates_on_cards_of_most_countries_begin_with_the_day(line, country, dates, expected):
    """Whatever the network takes for likely, but not if another date proves it."""
    lines, page = split_into_pieces([line(text, 0, 40 * row) for row, text in enumerate([country, *dates])])
    labels = np.zeros((len(page.pieces), 5), np.float32)
    for index, piece in enumerate(page.pieces):
        begins = index == 0 or page.pieces[index - 1].line != piece.line
        labels[index, (1, 3)[piece.line] + (not begins) if piece.line < 2 else 0] = 1.0
    found = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))
    conventions = Conventions("MDY", date_order_probabilities={"DMY": 0.4, "MDY": 0.6})
    output = LayoutOutput(tuple(lines), page.pieces, found, np.ones(1, np.float32), conventions)
    builder = PredictionBuilder(("driver_licence",), ("issuing_country", "birth_date"), UNCALIBRATED)

    prediction = builder.build(output, "driver_licence")

    assert str(prediction.fields["birth_date"].value) == expected
    assert prediction.conventions.date_order == ("DMY" if expected == "1994-10-03" else "MDY")


@pytest.mark.parametrize(
    ("title", "height", "expected"),
    [
        ("ANGEBOT", 60, OTHER_TYPE),
        ("Angebot Nr. 2026-17", 60, OTHER_TYPE),
        ("2. Mahnung", 60, OTHER_TYPE),
        ("Order confirmation", 60, OTHER_TYPE),
        ("Angebot Ihrer Wahl", 60, "invoice"),
        ("Purchase order", 20, "invoice"),
        ("RECHNUNG", 60, "invoice"),
        ("Studio Nord", 60, "invoice"),
    ],
)
@pytest.mark.parametrize("label", ["Total", "Invoice no. 12"])
def test_the_title_of_another_paper_tells_that_a_page_is_no_invoice(line, title, height, expected, label):
    """In large print; orders and reminders name invoices in smaller print."""
    prediction = _prediction(line, ["invoice", OTHER_TYPE], [title, label], height)

    assert prediction.type == expected
    assert prediction.type_confidence >= 0.9


def test_the_title_of_an_invoice_counts_more(line):
    """Invoices with a delivery note have both."""
    assert _prediction(line, ["invoice", OTHER_TYPE], ["Lieferschein", "Rechnung"], 60).type == "invoice"


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("Purchase order", "Invoice for services rendered"),
        ("Bestellung", "Rechnung vom 4. Juni"),
        ("Rappel", "Facture du mois de juin"),
    ],
)
def test_large_print_that_begins_as_the_title_of_an_invoice_counts_more(line, label, title):
    """Labels may be large, too."""
    texts = [(label, 24), (title, 40), *((f"Artikel {at}", 20) for at in range(5))]

    assert _prediction_of(line, ["invoice", OTHER_TYPE], texts).type == "invoice"


@pytest.mark.parametrize(
    ("title", "height", "expected"), [("Rechnung", 60, True), ("Rechnung", 20, False), ("Angebot", 60, False)]
)
def test_a_large_title_of_an_invoice_is_told(line, title, height, expected):
    """It stays an invoice behind another paper."""
    assert _prediction(line, ["invoice", OTHER_TYPE], [title], height).has_invoice_title == expected


def test_titles_of_other_papers_change_no_other_type(line):
    """Receipts have the numbers of orders in large print."""
    assert _prediction(line, ["receipt", OTHER_TYPE], ["Order confirmation"], 60).type == "receipt"
    assert _prediction(line, ["invoice", OTHER_TYPE], ["Angebot"], 60, "invoice").type == "invoice"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("BON DE LIVRAISON", OTHER_TYPE),
        ("İrsaliye No 2026-17", OTHER_TYPE),
        ("Wyciąg nr 10/2026", OTHER_TYPE),
        ("Bon de livraison", "invoice"),
        ("Statement no. 12", "invoice"),
        ("STATEMENT", "invoice"),
    ],
)
def test_titles_of_other_papers_may_be_of_usual_size(line, title, expected):
    """In capitals or with a number, because some are also headings of columns."""
    assert _prediction(line, ["invoice", OTHER_TYPE], [title, "Total"], 20).type == expected


@pytest.mark.parametrize(
    "word",
    [
        "Invoice no. 12", "Rechnungsdatum", "Ihre Schlussrechnung", "Factuurnummer 4711", "Credit Note No. CN-12",
        "Nota Fiscal de Serviços Eletrônica - NFS-e",
    ],
)  # fmt: skip
def test_a_page_that_names_an_invoice_is_one_in_spite_of_print_of_usual_size(line, word):
    """Invoices name the order and the delivery that they are for."""
    assert _prediction(line, ["invoice", OTHER_TYPE], ["PURCHASE ORDER 4711", word], 20).type == "invoice"


@pytest.mark.parametrize("word", ["Berechnung der Zuschläge", "Lohnabrechnung", "Umrechnung in EUR"])
def test_a_word_that_only_ends_as_one_for_an_invoice_names_none(line, word):
    """In German, a calculation is no "Rechnung"."""
    assert _prediction(line, ["invoice", OTHER_TYPE], ["PURCHASE ORDER 4711", word], 20).type == OTHER_TYPE


def test_the_address_for_invoices_names_none(line):
    """Offers and orders have it, too."""
    assert _prediction(line, ["invoice", OTHER_TYPE], ["PACKING LIST", "Bill to"], 20).type == OTHER_TYPE


@pytest.mark.parametrize(
    "title",
    [
        "STATEMENT", "Fattura proforma n. 31", "Faktura pro forma nr 17", "ZÁLOHOVÁ FAKTURA", "Díjbekérő",
        "Angebot / Offer", "PREDRAČUN št. 26", "ΠΡΟΣΦΟΡΑ Νο 218", "ОФЕРТА № 12", "Betalningspåminnelse",
    ],
)  # fmt: skip
def test_more_titles_of_other_papers(line, title):
    """A longer title counts before the shorter one that it begins with."""
    assert _prediction(line, ["invoice", OTHER_TYPE], [title], 60).type == OTHER_TYPE


@pytest.mark.parametrize(("height", "expected"), [(20, OTHER_TYPE), (25, OTHER_TYPE), (40, "invoice")])
def test_a_table_of_invoices_makes_no_invoice(line, height, expected):
    """Statements list invoices; a title has at most one text beside it, or is clearly larger."""
    texts = ["02/09/26", "Invoice", "INV-8812", "1,140.00"]
    cells = [line(text, 300 * at, 300, height=height if at == 1 else 20) for at, text in enumerate(texts)]

    assert _prediction_of_lines([line("STATEMENT", 0, 0, height=60), *cells]).type == expected
    assert _prediction_of_lines([line("STATEMENT", 0, 0, height=60), *cells[:2]]).type == "invoice"


_BILL = {"Bill number: 88214": "document_number", "Amount due $118.64": "amount_due", "Due date 11/16/26": "due_date"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (_BILL, "invoice"),
        ({**_BILL, "Statement date 10/26/26": ""}, "invoice"),
        ({text: name for text, name in _BILL.items() if name != "due_date"}, OTHER_TYPE),
        ({text.removeprefix("Bill number: "): name for text, name in _BILL.items()}, OTHER_TYPE),
        ({**_BILL, "Invoice no. 7": "document_number"}, OTHER_TYPE),
        ({**_BILL, "Invoice #7: Due 8/4/26": "due_date"}, OTHER_TYPE),
        ({"Invoice #7: Due 8/4/26": "document_number", **dict(list(_BILL.items())[1:])}, OTHER_TYPE),
        ({**_BILL, "Statement of account": ""}, OTHER_TYPE),
    ],
    ids=["a bill", "a date", "no due date", "no label", "two invoices", "a list", "one invoice", "another title"],
)
def test_a_statement_with_the_number_of_a_bill_is_one(line, texts, expected):
    """Utilities call their bills statements; those of accounts list several invoices."""
    fields = ("document_number", "amount_due", "due_date")
    rows = [
        line(text, 0, 100 * row, height=60 if text == "Statement of account" else 20)
        for row, text in enumerate(texts, 1)
    ]
    lines, page = split_into_pieces([line("Statement", 0, 0, height=60), *rows])
    labels = np.zeros((len(page.pieces), 1 + 2 * len(fields)), np.float32)
    for index, piece in enumerate(page.pieces):
        name = texts.get(lines[piece.line].text, "")
        labels[index, 1 + 2 * fields.index(name) if name and piece.text[0].isdigit() else 0] = 1.0
    found = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))
    output = LayoutOutput(tuple(lines), page.pieces, found, np.array([1.0, 0.0], np.float32), Conventions("MDY"))

    assert PredictionBuilder(("invoice", OTHER_TYPE), fields, UNCALIBRATED).build(output, AUTO).type == expected


@pytest.mark.parametrize(("text", "height"), [("Bestellung", 24), ("BESTELLUNG", 20)])
def test_the_heading_of_a_column_is_no_title_of_another_paper(line, text, height):
    """Cells of a scan differ by a fifth in height."""
    cells = [line(one, 300 * at, 100) for at, one in enumerate(["Kunde", "Datum"])]
    rows = [line(f"Artikel {at}", 0, 200 + 100 * at) for at in range(5)]
    heading = line(text, 600, 100, height=height)

    assert _prediction_of_lines([line("Kundendienst", 0, 0), *cells, heading, *rows]).type == "invoice"
    assert _prediction_of_lines([line("Kundendienst", 0, 0), heading, *rows]).type == OTHER_TYPE


@pytest.mark.parametrize(("height", "expected"), [(24, OTHER_TYPE), (40, "invoice")])
def test_a_cell_of_a_table_makes_no_invoice_of_another_paper(line, height, expected):
    """Statements of a bank list credits."""
    cells = [line(text, 300 * at, 0) for at, text in enumerate(["1.9.26", "250,00"])]
    rows = [line(f"Posten {at}", 0, 100 + 100 * at) for at in range(5)]
    credit = line("Gutschrift", 600, 0, height=height)

    assert _prediction_of_lines([*cells, credit, *rows], [OTHER_TYPE, "invoice"]).type == expected


@pytest.mark.parametrize(
    "text",
    [
        "Please disregard this reminder if you have paid.",
        "Leider konnten wir noch keinen Zahlungseingang feststellen.",
        "Ez a bizonylat nem számla",
        "THIS IS NOT AN INVOICE",
        "Il presente documento non costituisce fattura",
    ],
)
def test_a_paper_that_says_so_is_no_invoice(line, text):
    """Letters have no title. It counts less than the title of an invoice."""
    assert _prediction(line, ["invoice", OTHER_TYPE], [text, "Total"], 20).type == OTHER_TYPE
    assert _prediction(line, ["invoice", OTHER_TYPE], ["Invoice", text], 20).type == "invoice"
    assert _prediction(line, ["receipt", OTHER_TYPE], [text, "Total"], 20).type == "receipt"


@pytest.mark.parametrize(
    "text",
    [
        "If we have not received payment within 30 days",
        "Ukupni račun",
        "Sollten wir keinen Zahlungseingang verzeichnen",
    ],
)
def test_terms_of_payment_are_no_reminder(line, text):
    assert _prediction(line, ["invoice", OTHER_TYPE], [text], 20).type == "invoice"


@pytest.mark.parametrize(
    ("title", "height", "expected"),
    [
        ("SZÁMLA", 60, "invoice"),
        ("Sztornó számla", 60, "invoice"),
        ("SZÁMLA / INVOICE", 60, "invoice"),
        ("Számla/Invoice 2026-12", 60, "invoice"),
        ("Szállítólevél / Delivery note", 60, OTHER_TYPE),
        ("Faktura č. 12", 60, "invoice"),
        ("Reikningur", 60, "invoice"),
        ("Faktura pro forma nr 12", 60, OTHER_TYPE),
        ("Faktura informacyjna", 60, OTHER_TYPE),
        ("Bill", 20, OTHER_TYPE),
        ("Report", 60, OTHER_TYPE),
    ],
)
def test_the_large_title_of_an_invoice_makes_one_of_a_page_that_looks_like_no_known_type(line, title, height, expected):
    """The network knows little of some languages. The type keeps its low probability, and is marked for review."""
    prediction = _prediction(line, [OTHER_TYPE, "invoice"], [title], height)

    assert prediction.type == expected
    assert prediction.type_confidence == (0.0 if expected == "invoice" else 1.0)


@pytest.mark.parametrize(
    ("title", "amounts", "expected"),
    [
        ("NYUGTA", 3, "receipt"),
        ("- PARAGON FISKALNY -", 3, "receipt"),
        ("NYUGTA", 1, OTHER_TYPE),
        ("A nyugta", 3, OTHER_TYPE),
        ("Elismervény", 3, OTHER_TYPE),
    ],
)
def test_the_title_of_fiscal_receipts_makes_one_of_a_page_that_looks_like_no_known_type(line, title, amounts, expected):
    prices = [line(f"{at} 190 Ft", 400, 40 * at) for at in range(1, amounts + 1)]
    lines = [line(title, 0, 0), *(line(f"Tej {at}", 0, 40 * at) for at in range(1, 6)), *prices]

    assert _prediction_of_lines(lines, [OTHER_TYPE, "receipt"], [1.0, 0.0]).type == expected


@pytest.mark.parametrize(
    ("amounts", "step", "expected"),
    [
        (["4711", "4712", "12"], 0, OTHER_TYPE),  # numbers of articles
        (["12,90", "7,50", "20,40"], 90, OTHER_TYPE),  # no column
        (["12,90", "7,50", "20,40"], 0, "receipt"),
        (["590 Ft", "1 190 Ft", "1 780"], 0, "receipt"),
        (["590", "450", "1 040 Ft"], 0, "receipt"),
    ],
)
def test_a_form_for_returned_goods_is_no_fiscal_receipt(line, amounts, step, expected):
    prices = [line(text, 500 - 10 * len(text) - step * at, 40 * at) for at, text in enumerate(amounts, start=1)]
    lines = [line("Kassenbon", 0, 0), *(line(f"Artikel {at}", 0, 40 * at) for at in range(1, 6)), *prices]

    assert _prediction_of_lines(lines, [OTHER_TYPE, "receipt"], [1.0, 0.0]).type == expected


@pytest.mark.parametrize(
    ("name", "probability", "expected"),
    [("id_card", 0.8, OTHER_TYPE), ("id_card", 0.95, "id_card"), ("receipt", 0.8, "receipt")],
)
def test_the_title_of_another_paper_counts_more_than_an_uncertain_card(line, name, probability, expected):
    lines = [line("Fizetési felszólítás", 0, 0, height=60), *(line(f"Cikk {at}", 0, 100 * at) for at in range(1, 6))]

    assert _prediction_of_lines(lines, [name, "invoice"], [probability, 1 - probability]).type == expected


@pytest.mark.parametrize(
    ("height", "is_name", "expected"), [(20, False, "id_card"), (60, True, "id_card"), (60, False, OTHER_TYPE)]
)
def test_a_name_on_an_uncertain_card_is_no_title(line, height, is_name, expected):
    """Rappel, Offer and Bid are family names, and cards print them in capitals."""
    lines, page = split_into_pieces(
        [line("RAPPEL", 0, 0, height=height), *(line("Karte", 0, 100 * at) for at in range(1, 6))]
    )
    labels = np.zeros((len(page.pieces), 3), np.float32)
    labels[:, 0] = 1
    labels[0] = (0, 1, 0) if is_name else labels[0]
    probabilities = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))
    output = LayoutOutput(tuple(lines), page.pieces, probabilities, np.array([0.8, 0.2], np.float32), Conventions())

    assert (
        PredictionBuilder(("id_card", OTHER_TYPE), ("family_name",), UNCALIBRATED).build(output, AUTO).type == expected
    )


def test_a_valid_zone_counts_more_than_the_title_of_another_paper(line):
    lines = [line("OFFER", 0, 0, height=60), *(line(text, 0, 100 + 22 * row) for row, text in enumerate(ZONE))]

    assert _prediction_of_lines(lines, ["passport", "invoice"], [0.8, 0.2]).type == "passport"


@pytest.mark.parametrize(("printed", "expected"), [(None, "CZK"), ("EUR", "EUR")])
def test_a_page_that_names_no_currency_has_that_of_the_country_of_its_seller(line, printed, expected):
    lines, page = split_into_pieces([line("CZ28114402", 0, 0), line("12,50", 0, 40)])
    labels = np.zeros((len(page.pieces), 3), np.float32)
    labels[:, 0] = 1
    labels[: len(page.pieces) - 1] = (0, 0.1, 0.9)
    labels[0] = (0, 1, 0)
    probabilities = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))
    conventions = Conventions(currency=printed, currency_confidence=0.9 if printed else 0.0)
    output = LayoutOutput(tuple(lines), page.pieces, probabilities, np.array([1.0, 0.0], np.float32), conventions)

    prediction = PredictionBuilder(("receipt", OTHER_TYPE), ("merchant_tax_id",), UNCALIBRATED).build(output, AUTO)

    assert prediction.conventions.currency == expected


@pytest.mark.parametrize(
    ("type", "labels", "probability", "expected"),
    [
        ("id_card", 4, 0.7, "id_card"),
        ("id_card", 4, 0.9, OTHER_TYPE),
        ("id_card", 3, 0.7, OTHER_TYPE),
        ("receipt", 4, 0.7, OTHER_TYPE),
    ],
)
def test_a_page_with_labels_of_a_card_is_another_paper_only_if_that_is_likelier(
    line, type, labels, probability, expected
):
    """The network may not know the cards of a country, whose labels are known. Forms of hotels have them, too."""
    texts = ["Jenis Kelamin", "Kewarganegaraan", "Surname", "Date of birth"][:labels]
    lines = [line(text, 0, 100 * at) for at, text in enumerate([*texts, "Provinsi"])]

    page = _prediction_of_lines(lines, (type, OTHER_TYPE), (1 - probability, probability))

    assert page.type == expected


def _prediction(line, types, first, height, requested=AUTO):
    """The prediction for a page that is of the first type; of its lines the first has this height."""
    texts = [*first, *(f"Artikel {at}" for at in range(5))]
    return _prediction_of(line, types, [(text, 20 if at else height) for at, text in enumerate(texts)], requested)


def _prediction_of(line, types, texts, requested=AUTO):
    """The same for texts with their heights."""
    lines = [line(text, 0, 100 * at, height=size) for at, (text, size) in enumerate(texts)]
    return _prediction_of_lines(lines, types, requested=requested)


def _prediction_of_lines(lines, types=("invoice", OTHER_TYPE), probabilities=(1.0, 0.0), requested=AUTO):
    ordered, page = split_into_pieces(lines)
    labels = LabelProbabilities(np.ones((len(page.pieces), 1), np.float32), np.zeros(len(page.pieces), np.float32))
    output = LayoutOutput(tuple(ordered), page.pieces, labels, np.array(probabilities, np.float32), Conventions())
    return PredictionBuilder(tuple(types), (), UNCALIBRATED).build(output, requested)

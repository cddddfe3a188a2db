"""Pages with several documents, such as two receipts on one scan."""

from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.extraction.extractor import Extractor
from docextract.extraction.several_documents import are_different_documents, find_divisions
from docextract.predictions import PagePrediction, PredictedValue
from docextract.registry import promoted_version

BAKERY = (
    "CORNER BAKERY LTD", "12 Mill Lane, Leeds LS1 4AB", "14/03/2026 09:21", "Receipt 004512", "Rye bread      3.40",
    "Croissant      2.10", "Butter         4.25", "TOTAL          9.75", "CASH          10.00", "CHANGE         0.25",
)  # fmt: skip
HARDWARE = (
    "NORTHERN TOOLS PLC", "Unit 4, Dock Road, Hull HU3 2AA", "02/02/2026 16:48", "Invoice no. 88-1207",
    "Hammer 450 g   18.50", "Wood screws     6.99", "Paint brush     4.30", "TOTAL          29.79", "VISA 29.79",
    "Thank you for your visit",
)  # fmt: skip


@pytest.fixture
def receipt_at(line):
    """Return a function that prints rows of text from a place on, px."""

    def make(rows, x=0, y=0):
        return [line(text, x, y + 30 * at) for at, text in enumerate(rows)]

    return make


def texts(parts):
    return [{line.text for line in part} for part in parts]


def askew(lines, degrees):
    """Turn lines about the left top corner of the page, clockwise."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[cos, sin], [-sin, cos]])
    return [replace(line, polygon=(line.polygon @ turn).astype(np.float32)) for line in lines]


def test_a_gap_divides_receipts_beside_each_other(receipt_at):
    """Or one below the other."""
    for place in ({"x": 500}, {"y": 450}):
        (division,) = find_divisions([*receipt_at(BAKERY), *receipt_at(HARDWARE, **place)])

        assert texts(division) == [set(BAKERY), set(HARDWARE)]


def test_receipts_that_lie_askew_are_divided(receipt_at):
    """No upright gap is between them."""
    page = askew([*receipt_at(BAKERY, y=0), *receipt_at(BAKERY, y=700), *receipt_at(HARDWARE, x=305, y=350)], 3)
    left = {*BAKERY}

    assert [left, {*HARDWARE}] in [texts(division) for division in find_divisions(page)]


def test_a_part_without_a_date_is_no_document(receipt_at):
    """Columns of a page have a gap between them, and so have the rows of a table and its sums."""
    undated = [row for row in HARDWARE if "2026" not in row]

    assert find_divisions([*receipt_at(BAKERY), *receipt_at(undated, x=500)]) == []
    assert find_divisions([*receipt_at(BAKERY), *receipt_at(HARDWARE[:4], x=500)]) == []  # too few lines
    assert find_divisions([*receipt_at(BAKERY), *receipt_at(HARDWARE, y=320)]) == []  # only the space between rows
    assert find_divisions(receipt_at(BAKERY[:3])) == []


def value(of):
    return PredictedValue(str(of), of, 0.95, ())


def part(type_="receipt", type_confidence=0.99, items=False, **fields):
    groups = {"line_items": ({"amount": value(Decimal(1))},)} if items else {}
    named = {name: value(one) for name, one in fields.items()}
    return PagePrediction(type_, type_confidence, Conventions(), named, groups)


def receipt(total="9.75", day=14, merchant="Corner Bakery Ltd", **others):
    fields = {"total": Decimal(total), "document_date": date(2026, 3, day), "merchant_name": merchant}
    return part(**fields, **others)


def card(number, name, **others):
    fields = {"birth_date": date(1980, 2, 3), "expiry_date": date(2031, 4, 5), "issuing_country": "GBR"}
    return part("driver_licence", document_number=number, family_name=name, given_name="Ann", **fields | others)


@pytest.mark.parametrize(
    "other",
    [
        receipt("29.79", 2, "Northern Tools Plc"),
        receipt("29.79", merchant="Northern Tools Plc"),
        card("A1234567", "Smith"),
        part("invoice", total=Decimal(70), document_date=date(2026, 1, 2), document_number="R-1", vendor_name="Bau AG"),
    ],
)
def test_documents_that_differ_in_two_fields_are_different(other):
    """Documents whose types have no field in common are different anyway."""
    assert are_different_documents(receipt(), other)
    assert are_different_documents(other, receipt())


@pytest.mark.parametrize(
    "other",
    [
        receipt(),  # a copy
        receipt("11.75"),  # the slip of its payment, with a tip
        receipt("11.75", merchant="Corner Bakry"),
        receipt("9.75", merchant="Northern Tools Plc"),  # the slip names the company
        receipt("29.79", 2, "Northern Tools Plc", type_confidence=0.6),
        part(total=Decimal(70), merchant_name="Northern Tools Plc", type_="other"),
        part(total=Decimal("29.79")),
        part(document_date=date(2026, 3, 2), merchant_name="Northern Tools Plc"),  # without a total
    ],
)
def test_parts_of_one_document_are_not(other):
    """They differ in one field at most, or are no documents of their own."""
    assert not are_different_documents(receipt(), other)
    assert not are_different_documents(other, receipt())


def test_receipts_of_one_shop_on_two_days_are_different():
    """If both list items: without any, one may be a slip of the other."""
    assert are_different_documents(receipt(items=True), receipt("29.79", 2, items=True))
    assert not are_different_documents(receipt(items=True), receipt("29.79", 2))


@pytest.mark.parametrize(
    "slip",
    [
        receipt("11.75", 2, "Corner Bakery Limited"),
        receipt("11.75", merchant="Acquiring Services", transaction_time=time(9, 24)),
        replace(receipt("11.75", 2, "Acquiring Services"), lines=("Amount 9.75", "Tip 2.00")),
        part(
            "invoice",
            total=Decimal(20),
            document_date=date(2026, 1, 2),
            document_number="R-1",
            vendor_name="Corner Bakery",
        ),
    ],
    ids=["one name", "minutes later", "prints the total", "of an account"],
)
def test_slips_and_coupons_belong_to_their_document(line, slip):
    slip = replace(slip, lines=tuple(line(text) for text in slip.lines))
    first = receipt(items=True, transaction_time=time(9, 21))

    assert not are_different_documents(first, slip)
    assert not are_different_documents(slip, first)


def test_values_that_are_not_sure_are_not_compared():
    other = receipt("29.79", 2, "Northern Tools Plc")
    unsure = replace(other.fields["total"], confidence=0.4)

    assert are_different_documents(receipt(), other)
    assert not are_different_documents(receipt(), replace(other, fields=other.fields | {"total": unsure}))


def test_long_lists_are_not_divided(receipt_at):
    """To understand their parts would take longer than to understand the page."""
    rows = [f"{at} Rye bread 02/02/2026 3.40" for at in range(210)]

    assert find_divisions([*receipt_at(rows[:100]), *receipt_at(rows[:100], x=900)])
    assert not find_divisions([*receipt_at(rows), *receipt_at(rows, x=900)])


def test_a_slip_of_the_same_time_belongs_to_its_receipt():
    """Though it has another name and total; on another day the same time is one by chance."""
    at = {"transaction_time": time(9, 21)}
    slip = receipt("11.75", merchant="Acquiring Services", **at)

    assert not are_different_documents(receipt(**at), slip)
    assert not are_different_documents(receipt(document_number="4512"), receipt("8", 2, "Acq", document_number="4512"))
    assert are_different_documents(receipt(**at), receipt("29.79", 2, "Northern Tools Plc", **at))


def test_receipts_of_one_shop_and_day_differ_in_their_numbers():
    """Only where both list items: a slip has a number of its own."""
    first, second = receipt(document_number="004512"), receipt("29.79", document_number="881207")

    assert not are_different_documents(first, second)
    assert are_different_documents(
        receipt(document_number="004512", items=True), receipt("29.79", document_number="881207", items=True)
    )


def test_an_order_within_an_invoice_is_no_document_of_its_own():
    """Its number and date are others than those of the invoice, but the total is the same, or in one part only."""
    dated = {"document_date": date(2026, 11, 3), "document_number": "GB-2026-118842", "vendor_name": "Meadow Ltd"}
    order = {"document_date": date(2026, 11, 1), "document_number": "204-5518827-33"}
    table = part("invoice", **order, total=Decimal("41.97"))

    assert not are_different_documents(part("invoice", **dated, total=Decimal("41.97")), table)
    assert not are_different_documents(part("invoice", **dated), table)
    assert are_different_documents(part("invoice", **dated, total=Decimal("12.00")), table)


def test_cards_of_two_holders_are_different():
    """Not the two sides of one card, of which the back lacks most fields; nor where the number is misread."""
    assert are_different_documents(card("A1234567", "Smith"), card("K7770021", "Brown", birth_date=date(1991, 5, 6)))
    assert not are_different_documents(card("A1234567", "Smith"), card("A1284567", "Smith"))
    back = part("driver_licence", document_number="K7770021", expiry_date=date(2032, 1, 1))
    assert not are_different_documents(card("A1234567", "Smith"), back)


def test_a_page_with_two_receipts_is_marked(receipt_at):
    """By the served model; a receipt alone is not, nor is one with its copy."""
    extractor = Extractor.load(promoted_version("extraction", Path(__file__).parents[2] / "models").folder, threads=1)
    pages = [
        [*receipt_at(BAKERY), *receipt_at(HARDWARE, x=500)],
        [*receipt_at(BAKERY), *receipt_at(HARDWARE, y=450)],
        receipt_at(BAKERY),
        [*receipt_at(BAKERY), *receipt_at(BAKERY, x=500)],
    ]

    class Printed:
        """Reads what is printed."""

        def read(self, images):
            return pages

    extractor.reader = Printed()
    found = extractor.extract([np.full((900, 900, 3), 255, np.uint8)] * len(pages), ["auto"] * len(pages))

    assert [bool(one.parts) for one in found] == [True, True, False, False]

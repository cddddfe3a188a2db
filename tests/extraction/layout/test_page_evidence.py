"""Evidence about a value from the rest of its page."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.page_evidence import with_page_evidence
from docextract.extraction.layout.tables.row_products import PRICE_PRODUCT

INVOICE = document_types()["invoice"]
SURE, UNSURE = [0.95, 0.05], [0.6, 0.4]


def candidate(field, value, support=0.9):
    return Candidate(field, str(value), value, (0,), 0.9, support, 1.0, 1.0)


def evidence(*fields, rows=(), labels=(SURE,), currency=None, is_part=False, kind=INVOICE):
    probabilities = LabelProbabilities(np.array(labels, np.float32).reshape(-1, 2), np.zeros(len(labels), np.float32))
    found = Candidates({one.field: one for one in fields}, {"line_items": rows} if rows else {}, currency)
    return with_page_evidence(found, kind, probabilities, is_part)


SUBTOTAL, TAX = candidate("subtotal", Decimal("10.00")), candidate("total_tax", Decimal("1.90"))


@pytest.mark.parametrize(("total", "checked"), [("11.90", 1.0), ("12.90", -1.0)])
def test_amounts_that_fit_support_each_other(total, checked):
    """A failed check counts against all of its fields."""
    found = evidence(SUBTOTAL, TAX, candidate("total", Decimal(total))).fields

    assert {name: one.checked for name, one in found.items()} == dict.fromkeys(found, checked)


@pytest.mark.parametrize("born", [date(1981, 3, 14), date(2990, 3, 14)])
def test_a_date_in_the_past_is_no_evidence(born):
    """Nearly all misread dates are."""
    found = evidence(candidate("birth_date", born), kind=document_types()["id_card"])

    assert found.fields["birth_date"].checked == 0.0


def test_a_value_without_a_check_has_none():
    """Also beside values that are checked."""
    found = evidence(SUBTOTAL, TAX, candidate("total", Decimal("11.90")), candidate("vendor_name", "Holzhof")).fields

    assert found["vendor_name"].checked == 0.0
    assert evidence(SUBTOTAL).fields["subtotal"].checked == 0.0


def test_an_unlikely_value_is_not_checked_against():
    """It would say nothing about the others."""
    unlikely = candidate("total", Decimal("99.00"), support=0.2)

    assert evidence(SUBTOTAL, TAX, unlikely).fields["subtotal"].checked == 0.0


def test_rows_are_checked_too():
    """Each value of a row has the result of the list's checks."""
    rows = [{"amount": candidate("line_items.amount", Decimal("4.00"))} for _ in range(2)]

    wrong = evidence(SUBTOTAL, rows=rows)
    assert [row["amount"].checked for row in wrong.groups["line_items"]] == [-1.0, -1.0]
    assert wrong.fields["subtotal"].checked == -1.0
    right = evidence(candidate("subtotal", Decimal("8.00")), rows=rows)
    assert [row["amount"].checked for row in right.groups["line_items"]] == [1.0, 1.0]


def test_rows_may_be_on_other_pages():
    """On one page of several their sum proves nothing wrong, but still something right."""
    rows = [{"amount": candidate("line_items.amount", Decimal("4.00"))} for _ in range(2)]

    assert evidence(SUBTOTAL, rows=rows, is_part=True).fields["subtotal"].checked == 0.0
    assert evidence(candidate("subtotal", Decimal("8.00")), rows=rows, is_part=True).fields["subtotal"].checked == 1.0
    total = candidate("total", Decimal("12.90"))
    assert evidence(SUBTOTAL, TAX, total, is_part=True).fields["total"].checked == -1.0


def test_a_check_may_concern_one_column():
    """Rates that do not lead to the tax are wrong; the amounts may still make the total."""
    row = {
        "tax_rate": candidate("line_items.tax_rate", Decimal("7")),
        "amount": candidate("line_items.amount", Decimal("10.00")),
        "description": candidate("line_items.description", "Nails"),
    }
    found = evidence(TAX, candidate("total", Decimal("11.90")), rows=[row])
    assert {leaf: one.checked for leaf, one in found.groups["line_items"][0].items()} == {
        "tax_rate": -1.0, "amount": 1.0, "description": 1.0,
    }  # fmt: skip


def test_tax_numbers_are_checked_by_the_currency():
    """Without it only numbers with a country in front are; the currency has the page's doubt like any value."""
    number = candidate("vendor_tax_id", "51824753557")
    dollars = candidate("currency", "AUD")

    assert evidence(number).fields["vendor_tax_id"].checked == 0.0
    found = evidence(number, currency=dollars, labels=(SURE, UNSURE))
    assert (found.fields["vendor_tax_id"].checked, found.currency.page_doubt) == (-1.0, 0.5)


def test_doubt_is_the_share_of_unsure_pieces():
    """The same for every value of the page; a page without print has none."""
    assert evidence(SUBTOTAL, labels=(SURE, SURE, SURE, UNSURE)).fields["subtotal"].page_doubt == 0.25
    assert evidence(SUBTOTAL, labels=()).fields["subtotal"].page_doubt == 0.0


def row(quantity, price, amount):
    numbers = {"quantity": quantity, "unit_price": price, "amount": amount}
    return {leaf: candidate(f"line_items.{leaf}", Decimal(number)) for leaf, number in numbers.items()}


def test_numbers_of_a_row_are_checked_by_their_product():
    """Also where the sum of all rows is wrong, or not known."""
    right, wrong = row("2", "3.00", "6.00"), row("2", "3.00", "5.00")

    for fields in ([], [SUBTOTAL]):
        found = evidence(*fields, rows=[right, wrong]).groups["line_items"]
        assert [{one.checked for one in cells.values()} for cells in found] == [{1.0}, {-1.0}]


def test_an_amount_after_a_discount_is_checked_by_the_sum():
    (found,) = evidence(candidate("subtotal", Decimal("5.00")), rows=[row("2", "3.00", "5.00")]).groups["line_items"]

    assert {leaf: one.checked for leaf, one in found.items()} == {"quantity": -1.0, "unit_price": -1.0, "amount": 1.0}


def test_a_tax_is_checked_by_its_rate():
    numbers = {"net_amount": "50.00", "rate": "19", "amount": "9.50"}
    taxes = {leaf: candidate(f"taxes.{leaf}", Decimal(number)) for leaf, number in numbers.items()}
    probabilities = LabelProbabilities(np.array([SURE], np.float32), np.zeros(1, np.float32))

    (found,) = with_page_evidence(Candidates({}, {"taxes": [taxes]}), INVOICE, probabilities).groups["taxes"]

    assert {one.checked for one in found.values()} == {1.0}


@pytest.mark.parametrize(
    ("numbers", "checked"),
    [
        (("0.435", "1990", "866"), 0.0),
        (("3", "1.333", "4.01"), 0.0),
        (("2", "3.00", "-6.00"), 0.0),
        (("0", "3.00", "0.00"), 0.0),
        (("2", "3.00", "6.05"), -1.0),
    ],
    ids=["rounded without cents", "rounded", "a credit", "zero", "contradictory"],
)
def test_rounded_and_negative_amounts_contradict_nothing(numbers, checked):
    (found,) = evidence(rows=[row(*numbers)]).groups["line_items"]

    assert {one.checked for one in found.values()} == {checked}


def test_texts_are_no_product():
    """In a type that users describe, a quantity may be a text."""
    cells = {**row("2", "3.00", "6.00"), "quantity": candidate("line_items.quantity", "two")}

    assert PRICE_PRODUCT.evidence(cells) == 0.0
    assert not PRICE_PRODUCT.is_right(cells)

"""The sums of a table of taxes, and the total that they make."""

import pytest

from docextract.documents.base import SUM_PARTS
from docextract.extraction.layout.arithmetic.tax_tables import take_sums_of_taxes
from docextract.extraction.layout.candidates import Candidates
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.tables.rows import decode_groups


@pytest.fixture
def sums(line, invoice):
    """Return a function that decodes an Indian invoice: goods, taxes, and a table by code of goods, with these sums."""

    def decode(*last, total="2,124.00", is_part=False):
        rate, tax = "taxes.rate", "taxes.amount"
        table = ("taxes.net_amount", rate, tax, rate, tax)
        printed = [
            ({0: "Pipe", 5: "1,500.00"}, {0: "line_items.description", 5: "line_items.amount"}),
            ({0: "Valve", 5: "300.00"}, {0: "line_items.description", 5: "line_items.amount"}),
            ({0: "CGST", 2: "9 %", 3: "162.00"}, {2: rate, 3: tax}),
            ({0: "SGST", 2: "9 %", 3: "162.00"}, {2: rate, 3: tax}),
            ({0: "Total", 5: total}, {}),
            (dict(enumerate(("3917", "1,500.00", "9 %", "135.00", "9 %", "135.00"))), dict(enumerate(table, 1))),
            (dict(enumerate(("8481", "300.00", "9 %", "27.00", "9 %", "27.00"))), dict(enumerate(table, 1))),
            (dict(enumerate(("Total", *last))), dict(enumerate(("subtotal", "total_tax", "total_tax", "total"), 1))),
        ]
        lines = [
            (line(text, 200 * column, 40 * row), {fields[column]: 0.9} if column in fields else {})
            for row, (cells, fields) in enumerate(printed)
            for column, text in cells.items()
        ]
        page = invoice(*lines)
        found = take_sums_of_taxes(Candidates(decode_fields(page), decode_groups(page)), page, is_part)
        values = {name: str(one.value) for name, one in found.fields.items() if name in SUM_PARTS}
        return values, [str(row["amount"].value) for row in found.groups["taxes"]]

    return decode


def test_the_total_is_what_the_sums_make(sums):
    """The network takes the sum of the taxes for the total; only the rows of the table make this sum."""
    values, taxes = sums("1,800.00", "162.00", "162.00", "324.00")

    assert values == {"subtotal": "1800.00", "total_tax": "324.00", "total": "2124.00"}
    assert taxes == ["135.00", "135.00", "27.00", "27.00"]


@pytest.mark.parametrize(
    ("last", "options"),
    [
        (("1,800.00", "162.00", "162.00", "325.00"), {}),
        (("1,800.00", "162.00", "162.00", "324.00"), {"total": "2,130.00"}),
        (("1,800.00", "162.00", "162.00", "324.00"), {"is_part": True}),
    ],
    ids=["another sum", "no such total", "a part of a document"],
)
def test_sums_that_make_no_printed_total_stay(sums, last, options):
    values, _ = sums(*last, **options)

    assert values["total"] == last[-1]


def test_taxes_beside_each_other_are_rows(line, invoice):
    """Each with the net amount in front of them, if they have none of their own."""
    cells = [("1,500.00", "net_amount"), ("9 %", "rate"), ("135.00", "amount"), ("6 %", "rate"), ("90.00", "amount")]
    page = invoice(*((line(text, 200 * at, 0), {f"taxes.{leaf}": 0.9}) for at, (text, leaf) in enumerate(cells)))

    rows = [{leaf: one.content for leaf, one in row.items()} for row in decode_groups(page)["taxes"]]

    assert rows == [
        {"net_amount": "1,500.00", "rate": "9 %", "amount": "135.00"},
        {"net_amount": "1,500.00", "rate": "6 %", "amount": "90.00"},
    ]


@pytest.mark.parametrize(
    "cells",
    [
        [("net_amount", "1,000.00"), ("rate", "20 %"), ("amount", "200.00"),
         ("net_amount", "500.00"), ("rate", "10 %"), ("amount", "50.00")],
        [("rate", "9 %"), ("amount", "135.00"), ("rate", "9 %"), ("amount", "135.00"), ("net_amount", "1,500.00")],
    ],
    ids=["of both", "behind them"],
)  # fmt: skip
def test_taxes_with_other_net_amounts_stay_on_one_row(line, invoice, cells):
    page = invoice(*((line(text, 200 * at, 0), {f"taxes.{leaf}": 0.9}) for at, (leaf, text) in enumerate(cells)))

    assert len(decode_groups(page)["taxes"]) == 1


def test_a_number_that_is_printed_twice_is_no_tax_and_its_sum(line, invoice):
    """An article, a price and an amount: "Art 1200 200 200"."""
    cells = [("1200", 300), ("200", 500), ("200", 700)]
    page = invoice(
        *((line(text, left, 0), {}) for text, left in cells),
        (line("1,400.00", 700, 40), {}),
        (line("200.00", 700, 80), {"total": 0.9}),
    )
    found = take_sums_of_taxes(Candidates(decode_fields(page), {}), page, is_part=False)

    assert str(found.fields["total"].value) == "200.00"

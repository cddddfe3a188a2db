"""The amount that closes the sum of subtotal and tax."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.arithmetic.sums import SUM_PARTS, close_sum, leave_out_amount_without_tax
from docextract.extraction.layout.arithmetic.tips import with_labelled_tip
from docextract.extraction.layout.fields import decode_fields
from tests.extraction.layout.conftest import NAMES


def amounts(invoice, *lines):
    """The three amounts of a page, as text."""
    page = invoice(*lines)
    found = close_sum(decode_fields(page), page)
    return {name: str(found[name].value) for name in SUM_PARTS if name in found}


TAX, TOTAL = {"total_tax": 0.9}, {"total": 0.9}


def test_a_missing_subtotal_is_found(line, invoice):
    """Printed with a space between its digits, beside an amount that closes nothing."""
    lines = [
        (line("Netto 1 310,23", 0, 0), {}), (line("Porto 12,00", 0, 40), {}),
        (line("34,07", 400, 80), TAX), (line("1.344,30", 400, 120), TOTAL),
    ]  # fmt: skip

    assert amounts(invoice, *lines) == {"subtotal": "1310.23", "total_tax": "34.07", "total": "1344.30"}


def test_a_missing_tax_is_found_behind_a_discount(line, invoice):
    lines = [
        (line("100.00", 400, 0), {"subtotal": 0.9}), (line("10.00", 400, 40), {"total_discount": 0.9}),
        (line("GST 9.00", 0, 80), {}), (line("99.00", 400, 120), TOTAL),
    ]  # fmt: skip

    assert amounts(invoice, *lines)["total_tax"] == "9.00"


@pytest.mark.parametrize(("share", "subtotal", "tax"), [(0.3, "90.00", "17.10"), (0.1, "100.00", None)])
def test_a_missing_tax_is_found_with_another_likely_subtotal(line, invoice, share, subtotal, tax):
    """Behind discounts that the network does not know; the subtotal in front of them closes nothing."""
    lines = [
        (line("100.00", 400, 0), {"subtotal": 0.9}), (line("90.00", 400, 40), {"subtotal": share}),
        (line("VAT 17.10", 0, 80), {}), (line("107.10", 400, 120), TOTAL),
    ]  # fmt: skip
    found = amounts(invoice, *lines)

    assert (found["subtotal"], found.get("total_tax")) == (subtotal, tax)


def test_the_most_doubtful_amount_is_replaced(line, invoice):
    """Where another one that the network thinks possible closes the sum."""
    lines = [
        (line("2.00", 400, 0), {"subtotal": 0.6}), (line("50.00", 400, 40), {"subtotal": 0.3}),
        (line("5.00", 400, 80), TAX), (line("55.00", 400, 120), TOTAL),
    ]  # fmt: skip

    assert amounts(invoice, *lines)["subtotal"] == "50.00"


@pytest.mark.parametrize(
    ("amount", "of"),
    [
        ("49.99", {}),  # does not close the sum
        ("50.00", {"line_items.amount": 0.9}),  # the only item's
    ],
)
def test_no_subtotal_is_invented(line, invoice, amount, of):
    lines = [(line(amount, 400, 0), of), (line("5.00", 400, 40), TAX), (line("55.00", 400, 80), TOTAL)]

    assert "subtotal" not in amounts(invoice, *lines)


@pytest.mark.parametrize(("subtotal", "other"), [("54.98", "0.02"), ("27.50", "27.50")])
def test_no_tax_is_as_small_as_rounding_or_as_large_as_the_subtotal(line, invoice, subtotal, other):
    lines = [
        (line(subtotal, 400, 0), {"subtotal": 0.9}), (line(other, 400, 40), {}), (line("55.00", 400, 80), TOTAL),
    ]  # fmt: skip

    assert "total_tax" not in amounts(invoice, *lines)


@pytest.mark.parametrize(
    ("field", "change", "total"),
    [
        ("total_charge", "14.00", "154.00"),
        ("total_discount", "-14.00", "126.00"),
        ("total_discount", "14.00", "126.00"),
    ],
)
def test_a_charge_or_a_discount_is_no_tax(line, invoice, field, change, total):
    """Also where the same amount is printed twice."""
    lines = [
        (line("140.00", 400, 0), {"subtotal": 0.9}), (line(change, 400, 40), {field: 0.9}),
        (line(f"included {change}", 0, 80), {}), (line(total, 400, 120), TOTAL),
    ]  # fmt: skip

    assert "total_tax" not in amounts(invoice, *lines)


def test_a_tax_has_the_sign_of_the_total(line, invoice):
    """A negative amount that closes the sum is a discount, whether or not the network knows it."""
    lines = [
        (line("140.00", 400, 0), {"subtotal": 0.9}), (line("-14.00", 400, 40), {}), (line("126.00", 400, 80), TOTAL),
    ]  # fmt: skip
    credit = [
        (line("-140.00", 400, 0), {"subtotal": 0.9}), (line("-14.00", 400, 40), {}), (line("-154.00", 400, 80), TOTAL),
    ]  # fmt: skip

    assert "total_tax" not in amounts(invoice, *lines)
    assert amounts(invoice, *credit)["total_tax"] == "-14.00"


def test_a_sum_that_is_right_with_the_tax_included_stays(line, invoice):
    """However possible another subtotal is."""
    lines = [
        (line("55.00", 400, 0), {"subtotal": 0.6}), (line("50.00", 400, 40), {"subtotal": 0.3}),
        (line("5.00", 400, 80), TAX), (line("55.00", 400, 120), TOTAL),
    ]  # fmt: skip

    assert amounts(invoice, *lines)["subtotal"] == "55.00"


def test_a_network_that_knows_fewer_fields_of_rows_closes_sums(line, invoice):
    """As older weights do."""
    lines = [(line("50.00", 400, 0), {}), (line("5.00", 400, 40), TAX), (line("55.00", 400, 80), TOTAL)]
    page = invoice(*lines)
    kept = [name for name in NAMES if name != "line_items.tax_rate"]
    columns = [0, *(column for name in kept for column in (1 + 2 * NAMES.index(name), 2 + 2 * NAMES.index(name)))]
    older = replace(page, names=kept, probabilities=replace(page.probabilities, labels=page.labels[:, columns]))

    assert close_sum(decode_fields(older), older)["subtotal"].content == "50.00"


@pytest.mark.parametrize(
    ("amount", "share", "expected"), [("55.00", 0.5, "55.00"), ("55.00", 0.1, "50.00"), ("56.00", 0.5, "50.00")]
)
def test_the_sum_of_the_net_amounts_is_no_total(line, invoice, amount, share, expected):
    """A table of taxes ends with "Total 50.00 5.00", and the total itself may be in smaller print."""
    lines = [
        (line(amount, 400, 0), {"total": share}), (line("5.00", 400, 80), TAX), (line("50.00", 300, 80), TOTAL),
    ]  # fmt: skip

    found = amounts(invoice, *lines)

    assert (found["total"], found.get("subtotal")) == (expected, "50.00" if expected == amount else None)


@pytest.mark.parametrize(
    ("texts", "tax", "expected"),
    [
        (("Total fees", "Costs advanced (filing fees)", "Total"), None, ("186.25", None)),
        (("Subtotal", "Freight (ex GST)", "Total"), "18.63", ("186.25", "18.63")),
        (("Subtotal", "Sales tax", "Total"), None, (None, "186.25")),
        (("Subtotal", "Freight", "Total"), "200.00", (None, "200.00")),
        (("Subtotal", "Freight: EUR", "Total"), None, ("186.25", None)),
        (("Subtotal", "Transport tax", "Total"), None, (None, "186.25")),
        (("Subtotal", "Delivery Tax", "Total"), None, (None, "186.25")),
    ],
    ids=["costs", "freight and tax", "a tax", "another sum", "with a currency", "a tax on transport", "on delivery"],
)
@pytest.mark.parametrize("sign", ["", "$"])
def test_a_charge_behind_its_label_is_no_tax(line, invoice, texts, tax, expected, sign):
    """It makes the total of the subtotal, with the tax if there is one; a currency may be in front of it."""
    total = "1,204.88" if tax else "1,186.25"
    lines = []
    for at, (text, amount, field) in enumerate(
        zip(texts, ("1,000.00", "186.25", total), ("subtotal", "", "total"), strict=True)
    ):
        lines += [(line(text, 0, 40 * at), {}), (line(sign + amount, 600, 40 * at), {field: 0.9} if field else {})]
    lines += [(line(tax, 600, 200), TAX)] if tax else []
    page = invoice(*lines)

    found = close_sum(decode_fields(page), page)

    values = [found.get(name) for name in ("total_charge", "total_tax")]
    assert tuple(one and str(one.value) for one in values) == expected


@pytest.mark.parametrize("label", ["POURBOIRE", "Mancia"])
def test_a_labelled_tip_is_no_tax(line, receipt, label):
    """It makes the total with the sum of subtotal and taxes, which is in front of it."""
    page = receipt(
        (line("89.75", 400, 0), {"subtotal": 0.9}),
        (line("103.19", 400, 40), {"total": 0.6, "subtotal": 0.3}),
        (line(label, 0, 80), {}),
        (line("15.48", 400, 80), {"total_tax": 0.3}),
        (line("118.67", 400, 120), TOTAL),
    )
    found = close_sum(with_labelled_tip(decode_fields(page), page), page)

    assert {name: str(one.value) for name, one in found.items()} == {
        "subtotal": "89.75", "tip": "15.48", "total": "118.67",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("label", "amount", "is_tax"),
    [
        ("Be PVM A", "0.10", False),
        ("Neapmokestinama N", "0.10", False),
        ("VAT exempt", "0.10", False),
        ("VAT exempt", "0.00", True),
        ("PVM A 21 %", "0.10", True),
        ("-", "0.10", True),
    ],
)
def test_an_amount_whose_label_says_so_is_no_tax(line, receipt, label, amount, is_tax):
    """Net amounts and exempt ones; the letter of the class of the tax may follow the label."""
    page = receipt((line(label, 0, 0), {}), (line(amount, 300, 0), TAX))
    found = leave_out_amount_without_tax(decode_fields(page), page)

    assert ("total_tax" in found) == is_tax

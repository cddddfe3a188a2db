"""Rows of taxes are complete where they compute the tax and make the total together."""

import pytest

from docextract.extraction.layout.arithmetic import proven_taxes
from docextract.extraction.layout.arithmetic.proven_taxes import complete_taxes, take_total_tax
from docextract.extraction.layout.candidates import Candidates, candidate_of
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.tables.rows import decode_groups
from tests.extraction.layout.conftest import RECEIPT

WIDTH = 120  # of a column, px


@pytest.fixture
def decoded(line, receipt):
    """Return a function that decodes a page with a total of 40.39, and rows of cells, all without a likely field."""

    def decode(*rows, total="40.39", is_part=False, **fields):
        lines = [(line("TOTAL", 0, 0), {}), (line(total, 400, 0), {"total": 0.9})]
        for at, cells in enumerate(rows, start=1):
            for column, text in enumerate(cells):
                lines.append((line(text, WIDTH * column, 40 * at), fields.get(text.replace(".", "_"), {})))
        page = receipt(*lines)
        return complete_taxes(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page, is_part)

    return decode


def taxes(found):
    return [tuple(str(row[leaf].value) if leaf in row else None for leaf in ("rate", "net_amount", "amount"))
            for row in found.groups["taxes"]]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("9", "29.72", "2.68"), ("21", "6.60", "1.39")], [("9", "29.72", "2.68"), ("21", "6.60", "1.39")]),
        ([("A 9.00", "2.68", "29.72", "32.40"), ("B 21.00", "1.39", "6.60", "7.99")],
         [("9.00", "29.72", "2.68"), ("21.00", "6.60", "1.39")]),
        ([("1", "9.00", "32.40", "2.68"), ("2", "21.00", "7.99", "1.39")],  # amounts after tax alone
         [("9.00", None, "2.68"), ("21.00", None, "1.39")]),
    ],
)  # fmt: skip
def test_rows_that_make_the_total_are_complete(decoded, rows, expected):
    assert taxes(decoded(("VAT", "net", "tax"), *rows)) == expected


def test_rates_and_amounts_are_told_apart_by_the_total(decoded):
    """21 % of 10.74 are 10.74 % of 21.00."""
    found = decoded(("Net 10.74", "VAT 21.00 %", "2.26"), total="13.00")

    assert taxes(found) == [("21.00", "10.74", "2.26")]


def test_a_tax_in_the_total_has_its_rate(decoded):
    assert taxes(decoded(("VAT 24%", "3.25"), total="16.80")) == [("24", None, "3.25")]


@pytest.mark.parametrize(
    "rows",
    [
        [("9", "29.72", "2.68")],  # a part of the total
        [("9", "37.00", "3.39"), ("21", "6.60", "1.60")],  # no tax
        [("24", "7.82")],  # no percentage
        [("10%", "4.04")],  # a tenth of the total is not in it
    ],
)
def test_other_numbers_are_no_taxes(decoded, rows):
    assert taxes(decoded(*rows)) == []


@pytest.mark.parametrize(
    ("row", "total"),
    [
        (("Points 10%", "2.00"), "20.00"),  # to the cent, it is no tax of 20.00
        (("Points 2%", "0.20"), "10.00"),  # a share of the total, too
        (("Service 10%", "6.92"), "76.12"),
        (("Tip 10%", "6.92"), "76.12"),
    ],
)
def test_a_percentage_of_the_total_may_be_no_tax(decoded, row, total):
    assert taxes(decoded(row, total=total)) == []


def test_a_tax_without_cents_is_rounded(decoded):
    assert taxes(decoded(("VAT 27%", "425"), total="2000")) == [("27", None, "425")]


def test_a_tip_is_no_tax_in_the_total(decoded):
    assert taxes(decoded(("Service 10%", "6.92"), total="76.12", **{"6_92": {"tip": 0.9}})) == []


def test_a_page_of_several_may_have_the_taxes_of_another(decoded):
    assert taxes(decoded(("9", "29.72", "2.68"), ("21", "6.60", "1.39"), is_part=True)) == []


def test_the_net_amount_of_a_tax_is_no_subtotal(decoded):
    found = decoded(("13.5", "20.88", "2.82", "23.70"), total="23.70", **{"20_88": {"subtotal": 0.6}})

    assert "subtotal" not in found.fields


def test_a_subtotal_elsewhere_stays(decoded):
    own = {"20_00": {"subtotal": 0.9}}
    found = decoded(("Subtotal", "20.00"), ("13.5", "20.88", "2.82", "23.70"), total="23.70", **own)

    assert str(found.fields["subtotal"].value) == "20.00"


def test_rows_with_too_many_readings_are_not_combined(decoded, monkeypatch):
    """Rows of small whole numbers have 14 each: the combinations of eight would never end."""
    tried = []
    monkeypatch.setattr(proven_taxes, "_make_total", lambda rows, candidates: tried.append(rows))
    decoded(*[("5", "10", "20", "25", "1", "2")] * 4)

    assert len(tried) <= proven_taxes.MAX_COMBINATIONS


def test_the_values_of_a_row_are_read_once(decoded, monkeypatch):
    """Not again in each order: a page of tables would take half a minute."""
    read = []

    def counted(field, span, page):
        read.append(span)
        return candidate_of(field, span, page)

    monkeypatch.setattr(proven_taxes, "candidate_of", counted)
    decoded(*[("A 9.00", "2.68", "29.72", "32.40")] * 8)

    assert 0 < len(read) <= 8 * 4 * 3


SUBTOTAL = {"89_75": {"subtotal": 0.9}}


@pytest.mark.parametrize(
    ("rows", "total", "expected"),
    [
        ([("TPS 5%", "14128870", "4.49"), ("TVQ 9.975%", "8.95")], "103.19",
         [("5", None, "4.49"), ("9.975", None, "8.95")]),
        ([("Service 5%", "4.49"), ("PB1 10%", "9.42")], "103.66", [("10", None, "9.42")]),  # of both
        ([("Tax 5%", "4.49"), ("Tip", "10.00")], "104.24", [("5", None, "4.49")]),
    ],
)  # fmt: skip
def test_shares_of_the_subtotal_that_make_the_total_are_taxes(decoded, rows, total, expected):
    tips = {"4_49": {"tip": 0.9} if rows[0][0].startswith("Service") else {}, "10_00": {"tip": 0.9}}
    found = decoded(("Subtotal", "89.75"), *rows, total=total, **SUBTOTAL, **tips)

    assert taxes(found) == expected


@pytest.mark.parametrize(
    "rows",
    [
        [("Tax 5%", "4.49")],  # not the total
        [("Tip 5%", "4.49"), ("Tax 9.975%", "8.95")],  # a tip
        [("Auto Gratuity 5%", "4.49"), ("Tax 9.975%", "8.95")],
        [("Tax 5", "4.49"), ("Tax 9.975", "8.95")],  # no percentages
        [("Tax 5%", "4.94"), ("Tax 9.975%", "8.50")],  # no shares
    ],
)
def test_other_shares_of_the_subtotal_are_no_taxes(decoded, rows):
    assert taxes(decoded(("Subtotal", "89.75"), *rows, total="103.19", **SUBTOTAL)) == []


def test_a_tax_beside_its_net_amount_has_both(decoded):
    found = decoded(("Base", "89.75", "IVA 5%", "4.49"), total="94.24", **SUBTOTAL)

    assert taxes(found) == [("5", "89.75", "4.49")]


@pytest.mark.parametrize("label", ["Subtotal", "Delsumma:", "Delsum SEK"])
def test_a_labelled_subtotal_beside_its_tax_stays(decoded, label):
    known = {"Tax 9%": {"taxes.rate": 0.9}, "2_68": {"taxes.amount": 0.9}, "29_72": {"subtotal": 0.9}}
    found = decoded((label, "29.72", "Tax 9%", "2.68"), total="32.40", **known)

    assert str(found.fields["subtotal"].value) == "29.72"
    assert taxes(found) == [("9", "29.72", "2.68")]


@pytest.fixture
def total_tax(line, receipt):
    """Return a function that decodes a page with taxes of 61.67 and 43.82 and their sum, which may be another."""

    def decode(printed="105.49", share=0.1, known=0.0, other="7.00", is_part=False, second="43.82"):
        page = receipt(
            (line("20%", 0, 0), {"taxes.rate": 0.9}), (line("61.67", 400, 0), {"taxes.amount": 0.9}),
            (line("10%", 0, 80), {"taxes.rate": 0.9}), (line(second, 400, 80), {"taxes.amount": 0.9}),
            (line("Ukupan iznos poreza", 0, 160), {}), (line(printed, 400, 160), {"total_tax": share}),
            (line(other, 400, 240), {"total_tax": known}),
        )  # fmt: skip
        rows = [
            {"rate": candidate_of(page.field("taxes.rate"), (at,), page),
             "amount": candidate_of(page.field("taxes.amount"), (at + 2,), page)}
            for at in (0, 3)
        ]  # fmt: skip
        found = take_total_tax(Candidates(decode_fields(page), {"taxes": rows}), page, is_part)
        tax = found.fields.get("total_tax")
        return str(tax.value) if tax and tax.support >= 0.5 else None

    return decode


def test_the_printed_sum_of_several_taxes_is_the_total_tax(total_tax):
    assert total_tax() == "105.49"


def test_a_number_without_cents_is_no_sum_of_taxes_with_cents(total_tax):
    """Such as the number of a table or of a page."""
    assert total_tax("105", second="43.33") is None
    assert total_tax("105.00", second="43.33") == "105.00"


@pytest.mark.parametrize(("printed", "expected"), [("105.49", "105.49"), ("105.48", None)])
def test_the_total_of_taxes_is_not_zero(total_tax, printed, expected):
    assert total_tax(printed, known=0.9, other="0.00") == expected


@pytest.mark.parametrize(
    ("of", "expected"), [({"printed": "105.48"}, None), ({"known": 0.9}, "7.00"), ({"is_part": True}, None)]
)
def test_other_amounts_are_no_total_tax(total_tax, of, expected):
    assert total_tax(**of) == expected

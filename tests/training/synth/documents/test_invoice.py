"""What training can rely on in synthetic invoices."""

from collections import Counter
from datetime import date
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any

import pytest

from docextract.documents.billing import LineItem
from docextract.documents.invoice import DOCUMENT_TYPE, Invoice, check_invoice
from docextract.documents.values import Conventions, collapse_whitespace, parse_address
from tests.training.synth.documents.printed import kind_of, leaves, printed
from training.synth.documents.invoice import sample, typeset
from training.synth.documents.invoice.markets import Market, format_number, markets
from training.synth.documents.invoice.parties import address_lines, market_of
from training.synth.documents.invoice.words import invoice_words
from training.synth.sheet import Sheet

SAMPLES = 200


@cache
def _record(seed: int) -> Invoice:
    return sample(Random(seed))


@cache
def _made(seed: int) -> tuple[Invoice, Sheet]:
    rng = Random(seed)
    invoice = sample(rng)
    return invoice, typeset(invoice, rng)


def _reads_as(name: str, value: Any, runs: list[str], conventions: Conventions) -> bool:
    """Whether every run of a field parses to its value; a string may be on several lines, and be repeated."""
    kind = kind_of(DOCUMENT_TYPE, name)
    if kind.name != "string" or name == "iban":
        return all(kind.parse(run, conventions) == value for run in runs)
    joined = kind.parse(collapse_whitespace(" ".join(runs)), conventions)
    return any(joined == kind.parse(" ".join([value] * times), conventions) for times in range(1, 6))


def test_same_seed_gives_the_same_invoice() -> None:
    """Training examples are reproducible on any machine."""
    for seed in range(20):
        once, again = Random(seed), Random(seed)
        assert typeset(sample(once), once) == typeset(sample(again), again)


def test_every_value_is_printed_and_parses_back() -> None:
    """Every value of the record is on the sheet, as runs of its field that parse to the same value."""
    for seed in range(SAMPLES):
        invoice, sheet = _made(seed)
        runs = printed(sheet)
        for name, value in leaves(invoice).items():
            assert name in runs, f"seed {seed}: {name} is not printed"
            assert any(
                _reads_as(name, value, runs[name], Conventions(order, invoice.currency)) for order in ("DMY", "MDY")
            ), f"seed {seed}: {name}={value!r} is printed as {runs[name]!r}"


def test_only_fields_of_the_record_have_runs() -> None:
    """A field that the record does not have has no runs, so that no wrong label is learned."""
    for seed in range(SAMPLES):
        invoice, sheet = _made(seed)
        assert set(printed(sheet)) <= set(leaves(invoice)), f"seed {seed}"


def test_all_text_is_on_the_paper() -> None:
    """No run begins or ends outside the sheet, however many items there are."""
    for seed in range(SAMPLES):
        _, sheet = _made(seed)
        for text in sheet.texts():
            assert 0 <= text.x_mm < text.x_mm + text.width_mm <= sheet.width_mm, f"seed {seed}: {text}"
            assert 0 <= text.y_mm < text.y_mm + text.height_mm <= sheet.height_mm, f"seed {seed}: {text}"


def test_synthetic_invoices_pass_every_check() -> None:
    """Sums, dates and check digits pass the checks that real invoices have to pass."""
    checks = [(seed, found) for seed in range(1000) for found in check_invoice(_record(seed))]

    assert {found.name for _, found in checks} == {
        "line_items_sum_to_subtotal", "line_items_sum_to_total", "subtotal_discount_charge_tax_make_total",
        "taxes_sum_to_total_tax", "tax_matches_rates",
        "dates_in_order", "iban_check_digits", "vendor_tax_id_check_digits",
    }  # fmt: skip
    assert [(seed, found.name) for seed, found in checks if not found.passed] == []


def test_every_optional_field_is_often_absent() -> None:
    """A network that never sees a field absent learns to invent it."""
    absent: Counter[str] = Counter()
    for seed in range(1000):
        present = {name.rpartition(".")[2] if "." in name else name for name in leaves(_record(seed))}
        absent.update(field.leaf for field in DOCUMENT_TYPE.fields() if field.leaf not in present)

    optional = {field.leaf for field in DOCUMENT_TYPE.fields() if not field.required}
    assert {leaf: absent[leaf] for leaf in optional if absent[leaf] < 130} == {}


def test_vendors_are_seldom_repeated() -> None:
    """A thousand invoices are of more than 950 companies, in seven languages."""
    invoices = [_record(seed) for seed in range(1000)]

    assert len({invoice.vendor_name for invoice in invoices}) > 950
    assert {market_of(invoice, Random(0)).language for invoice in invoices} == {
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
    }


def test_breaking_an_address_into_lines_loses_nothing() -> None:
    """Street, town and country are on separate lines; joined they give the address."""
    for seed in range(SAMPLES):
        address = _record(seed).vendor_address
        if address is not None:
            assert collapse_whitespace(" ".join(address_lines(address, Random(seed)))) == collapse_whitespace(address)

    berlin = [address_lines("Hauptstraße 12 10115 Berlin Deutschland", Random(seed)) for seed in range(20)]
    assert ["Hauptstraße 12", "10115 Berlin", "Deutschland"] in berlin


def test_an_address_with_dots_parses_to_the_same_address() -> None:
    """The separators of a sender line are not part of the address."""
    assert parse_address("Hauptstraße 12 · 10115  Berlin") == parse_address("Hauptstraße 12 10115 Berlin")


def test_numbers_have_the_separators_of_their_country() -> None:
    """The same amount in seven notations."""
    amount = Decimal("1234567.5")
    forms = {separators for market in markets() for separators in market.separators}

    assert {format_number(amount, form) for form in forms} == {
        "1,234,567.50", "1.234.567,50", "1 234 567,50", "1'234'567.50", "1234567,50", "1234567.50", "12,34,567.50",
    }  # fmt: skip


@pytest.mark.parametrize("market", markets(), ids=lambda market: f"{market.country}-{market.language}")
def test_labels_of_taxes_name_no_rate_of_their_own(market: Market) -> None:
    """ "TPS 5%" would stand beside any other tax: rates are filled in."""
    words = invoice_words(market.language, market.country)

    for word in (*words["tax"], *words["tax_within"]):
        assert "{rate}" in word or not any(map(str.isdigit, word)), word


def _billed(**fields: Any) -> Invoice:
    return Invoice(line_items=(LineItem(amount=Decimal("100.00"), tax_rate=Decimal(19)),), **fields)


@pytest.mark.parametrize(
    ("invoice", "failing"),
    [
        (_billed(subtotal=Decimal("90.00")), "line_items_sum_to_subtotal"),
        (_billed(total=Decimal("89.00")), "line_items_sum_to_total"),
        (
            Invoice(subtotal=Decimal("100.00"), total_tax=Decimal("19.00"), total=Decimal("91.00")),
            "subtotal_discount_charge_tax_make_total",
        ),
        (_billed(total_tax=Decimal("7.00"), total=Decimal("107.00")), "tax_matches_rates"),
        (Invoice(document_date=date(2024, 3, 2), due_date=date(2024, 2, 3)), "dates_in_order"),
        (Invoice(iban="DE89370400440532013001"), "iban_check_digits"),
        (Invoice(currency="EUR", vendor_tax_id="DE 136 695 978"), "vendor_tax_id_check_digits"),
    ],
)
def test_impossible_values_fail_a_check(invoice: Invoice, failing: str) -> None:
    """A misread digit fails a check."""
    assert [found.name for found in check_invoice(invoice) if not found.passed] == [failing]


@pytest.mark.parametrize(
    ("subtotal", "discount", "passes"),
    [("100.00", "10.00", True), ("110.00", "10.00", True), ("90.00", "10.00", True), ("120.00", "10.00", False)],
)
def test_a_subtotal_may_be_that_before_discounts_on_items(subtotal: str, discount: str, passes: bool) -> None:
    """The amount of an item is behind its discount; their sum is printed at the end."""
    invoice = _billed(subtotal=Decimal(subtotal), total_discount=Decimal(discount))

    assert [found.passed for found in check_invoice(invoice)] == [passes]


def test_freight_explains_a_sum_only_if_it_is_printed() -> None:
    """A total that is too high by an amount that nothing on the page explains may be misread."""
    fields = {"subtotal": Decimal("100.00"), "total_tax": Decimal("20.14"), "total": Decimal("126.14")}

    for charge, failed in ((Decimal("6.00"), []), (None, ["subtotal_discount_charge_tax_make_total"])):
        invoice = _billed(**fields, total_charge=charge)
        assert [found.name for found in check_invoice(invoice) if not found.passed] == failed


@pytest.mark.parametrize(
    ("currency", "total", "passes"),
    [
        ("NOK", "120", True),
        ("NOK", "121", False),
        ("NOK", "119.94", False),
        ("EUR", "120", False),
        (None, "120", False),
    ],
)
def test_totals_are_rounded_to_the_coins_of_their_currency(currency: str | None, total: str, passes: bool) -> None:
    """119.56 is 120 where there is no coin below one."""
    invoice = Invoice(currency=currency, subtotal=Decimal("100.00"), total_tax=Decimal("19.56"), total=Decimal(total))

    assert [found.passed for found in check_invoice(invoice)] == [passes]


def test_a_sum_without_tax_proves_only_success() -> None:
    """The tax may be on the page, and not found."""
    checks = [
        check_invoice(Invoice(subtotal=Decimal("100.00"), total_discount=Decimal("10.00"), total=Decimal(total)))
        for total in ("90.00", "95.00", "100.00")
    ]

    assert [[found.passed for found in some] for some in checks] == [[True], [], []]


def test_a_charge_may_be_taxed_at_any_of_several_rates() -> None:
    """Then the tax of the items is not that of the invoice."""
    items = tuple(LineItem(amount=Decimal(amount), tax_rate=Decimal(rate)) for amount, rate in ((80, 7), (120, 19)))
    taxed = {"line_items": items, "subtotal": Decimal(200), "total_tax": Decimal("30.30")}

    for charge, failed in ((Decimal(10), []), (None, ["tax_matches_rates"])):
        invoice = Invoice(**taxed, total_charge=charge, total=Decimal("230.30") + (charge or 0))
        assert [found.name for found in check_invoice(invoice) if not found.passed] == failed


def test_absent_fields_are_not_judged() -> None:
    """One date, a total and a company number leave nothing to compare."""
    assert check_invoice(Invoice(document_date=date(2024, 3, 2), total=Decimal("5.00"), vendor_tax_id="HRB 1234")) == ()

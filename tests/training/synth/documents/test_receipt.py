"""What training can rely on in synthetic receipts."""

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from docextract.documents.billing import LineItem
from docextract.documents.receipt import DOCUMENT_TYPE, Payment, Receipt, check_receipt
from docextract.documents.values import Conventions, DateOrder, collapse_whitespace
from tests.training.synth.documents.printed import kind_of, leaves, printed
from training.synth.documents.receipt import sample, typeset
from training.synth.documents.receipt.words import receipt_words
from training.synth.sheet import Text

SAMPLES = 200


def _reads_as(name: str, value: Any, runs: list[str], conventions: Conventions) -> bool:
    """Whether every run of a field parses to its value; a string may be on several lines, and be repeated."""
    kind = kind_of(DOCUMENT_TYPE, name)
    if kind.name in ("string", "phone_number"):
        joined = collapse_whitespace(" ".join(runs))
        return any(joined == " ".join([value] * times) for times in (1, 2, 3))
    return all(kind.parse(run, conventions) == value for run in runs)


def _orders(receipt: Receipt) -> tuple[DateOrder, ...]:
    return {"USD": ("MDY",), "CAD": ("MDY", "DMY")}.get(receipt.currency or "", ("DMY",))  # type: ignore[return-value]


def test_same_seed_gives_the_same_receipt() -> None:
    """Training examples are reproducible on any machine."""
    for seed in range(20):
        once, again = Random(seed), Random(seed)
        assert typeset(sample(once), once) == typeset(sample(again), again)


def test_every_value_is_printed_and_parses_back() -> None:
    """Every value of the record is on the sheet, as runs of its field that parse to the same value."""
    for seed in range(SAMPLES):
        rng = Random(seed)
        receipt = sample(rng)
        runs = printed(typeset(receipt, rng))
        for name, value in leaves(receipt).items():
            assert name in runs, f"seed {seed}: {name} is not printed"
            assert any(
                _reads_as(name, value, runs[name], Conventions(order, receipt.currency)) for order in _orders(receipt)
            ), f"seed {seed}: {name}={value!r} is printed as {runs[name]!r}"


def test_only_fields_of_the_record_have_runs() -> None:
    """A field that the record does not have has no runs, so that no wrong label is learned."""
    for seed in range(SAMPLES):
        rng = Random(seed)
        receipt = sample(rng)
        assert set(printed(typeset(receipt, rng))) <= set(leaves(receipt)), f"seed {seed}"


def test_all_text_is_on_the_paper() -> None:
    """No run begins or ends outside the sheet."""
    for seed in range(SAMPLES):
        rng = Random(seed)
        sheet = typeset(sample(rng), rng)
        for text in sheet.texts():
            assert 0 <= text.x_mm < text.x_mm + text.width_mm <= sheet.width_mm, f"seed {seed}: {text}"
            assert 0 <= text.y_mm < text.y_mm + text.height_mm <= sheet.height_mm, f"seed {seed}: {text}"


def test_synthetic_receipts_pass_every_check() -> None:
    """Synthetic receipts pass the checks that real ones have to pass."""
    checks = [(seed, found) for seed in range(1000) for found in check_receipt(sample(Random(seed)))]

    assert len(checks) > 1500
    assert [(seed, found.name) for seed, found in checks if not found.passed] == []


def test_american_receipts_have_their_typical_features() -> None:
    """Queue numbers above the name, amounts without a zero, taxes in parts, one word of the name per line."""
    known = receipt_words("en", "US")
    seen: Counter[str] = Counter()
    for seed in range(1500):
        rng = Random(seed)
        receipt = sample(rng)
        if receipt.currency != "USD":
            continue
        texts = typeset(receipt, rng).texts()
        fields = [text.field for text in texts]
        above = [text.text.upper() for text in texts[: fields.index("merchant_name")]]
        names = [text.text for text in texts if text.field == "merchant_name"]
        seen["called"] += any(each.upper() in line for each in known["called"] for line in above)
        seen["bare"] += any(re.fullmatch(r"\.\d\d", text.text) for text in texts)
        seen["word by word"] += names == (receipt.merchant_name or "").split() and len(names) > 2
        parts = _amounts_after(texts, known["tax_part"])
        if len(parts) > 1 and _amounts_after(texts, known["tax_whole"]):
            seen["in parts"] += 1
            assert sum(parts) == receipt.total_tax, f"seed {seed}"

    assert all(seen[manner] for manner in ("called", "bare", "word by word", "in parts")), seen


def _amounts_after(texts: Sequence[Text], labels: Sequence[str]) -> list[Decimal]:
    """The amounts on the lines with one of these labels."""
    shouted = {label.upper() for label in labels}
    tops = {text.y_mm for text in texts if text.text.upper() in shouted}
    sums = [text for text in texts if text.y_mm in tops and text.field in (None, "total_tax")]
    amounts = [re.search(r"\d*\.\d\d$", text.text) for text in sums]
    return [Decimal(found[0]) for found in amounts if found]


def test_merchants_are_seldom_repeated() -> None:
    """A thousand receipts are of more than 900 shops."""
    assert len({sample(Random(seed)).merchant_name for seed in range(1000)}) > 900


@pytest.mark.parametrize(
    ("receipt", "failing"),
    [
        (
            Receipt(line_items=(LineItem(amount=Decimal("3.00")),), subtotal=Decimal("4.00")),
            "line_items_sum_to_subtotal",
        ),
        (
            Receipt(line_items=(LineItem(amount=Decimal("3.00")),), total=Decimal("4.00")),
            "line_items_sum_to_total",
        ),
        (
            Receipt(subtotal=Decimal("10.00"), total_tax=Decimal("0.80"), tip=Decimal("1.00"), total=Decimal("12.80")),
            "subtotal_tax_tip_discount_make_total",
        ),
        (
            Receipt(payments=(Payment(amount=Decimal("20.00")),), change=Decimal("5.00"), total=Decimal("12.00")),
            "payments_cover_total_and_change",
        ),
        (
            Receipt(payments=(Payment(amount=Decimal("9.00")),), total=Decimal("12.00")),
            "payments_cover_total_and_change",
        ),
    ],
)
def test_sums_that_do_not_add_up_fail_a_check(receipt: Receipt, failing: str) -> None:
    """A misread digit fails a check."""
    assert [found.name for found in check_receipt(receipt) if not found.passed] == [failing]


def test_rounding_to_five_cents_does_not_fail_a_check() -> None:
    """Cash totals are rounded to five cents; the sums are accepted."""
    receipt = Receipt(subtotal=Decimal("12.33"), total_tax=Decimal("0.74"), total=Decimal("13.05"))

    assert [found.passed for found in check_receipt(receipt)] == [True]


def test_sums_of_absent_fields_are_not_judged() -> None:
    """A field that is not printed cannot be wrong."""
    assert check_receipt(Receipt(total=Decimal("5.00"), line_items=(LineItem(description="Tea"),))) == ()

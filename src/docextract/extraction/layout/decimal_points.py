"""Restores the decimal points that OCR loses on faint print, where the sums of the page prove them.

The point is the smallest mark of an amount. Without it, an amount is a hundred times too high: "3500" for 35.00.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

from docextract.documents.base import DocumentType
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.page_evidence import ITEM_SUMS, passed_checks

MIN_DIGITS = 3  # of an amount that has lost its point: two of them are cents
MAX_QUANTITY_DECIMALS = 3
PRODUCT_TOLERANCE = Decimal("0.01")  # of a weight times its price
PROOFS = ITEM_SUMS | {  # checks of a sum; that payments cover a total proves no point, as they may be more
    "taxes_sum_to_total_tax", "subtotal_tax_tip_discount_make_total", "subtotal_discount_charge_tax_make_total",
}  # fmt: skip
_FACTORS = ("quantity", "unit_price", "amount")  # the product of the first two is the third
_MARKS = (".", ",", "'")
_CENTS = re.compile(r"[.,]\d{2}(?!\d)")


def restore_points(candidates: Candidates, document_type: DocumentType) -> Candidates:
    """Return the candidates with points restored where then a sum is right that was not, and none is wrong instead.

    Only the amounts of this sum are changed, and one of them must be printed with cents: the difference of amounts that
    are all divided by a hundred is too, and may then be tolerated. Some currencies have no cents.
    """
    amounts = {field.name for field in document_type.fields() if field.kind.name == "currency"}
    with_rows = replace(candidates, groups={name: _rows(rows, amounts) for name, rows in candidates.groups.items()})
    with_all = replace(with_rows, fields={name: _with_cents(one, amounts) for name, one in with_rows.fields.items()})
    if with_all == candidates:
        return candidates
    before = passed_checks(candidates, document_type)
    for restored in (with_rows, with_all):
        for name, fields in passed_checks(restored, document_type).items():
            if name not in PROOFS or name in before:
                continue
            proven = _restored_in(fields, candidates, restored)
            if _has_cents(proven, fields, amounts) and passed_checks(proven, document_type).keys() >= {*before, name}:
                return restore_points(proven, document_type)
    return candidates


def _restored_in(fields: Collection[str], candidates: Candidates, restored: Candidates) -> Candidates:
    """Return the candidates with some fields and groups restored."""
    return replace(
        candidates,
        fields={name: (restored if name in fields else candidates).fields[name] for name in candidates.fields},
        groups={name: (restored if name in fields else candidates).groups[name] for name in candidates.groups},
    )


def _has_cents(candidates: Candidates, fields: Collection[str], amounts: Collection[str]) -> bool:
    """Whether one of the amounts of some fields and groups is printed with cents."""
    rows = [row for name in fields for row in candidates.groups.get(name, ())]
    some = [one for name, one in candidates.fields.items() if name in fields]
    some += [row["amount"] for row in rows if "amount" in row]
    return any(one.field in amounts and _CENTS.search(one.content) for one in some)


def _rows(rows: Sequence[Mapping[str, Candidate]], amounts: Collection[str]) -> list[dict[str, Candidate]]:
    return [_row(row, amounts) for row in rows]


def _row(row: Mapping[str, Candidate], amounts: Collection[str]) -> dict[str, Candidate]:
    """Return a row whose quantity times price is its amount, with as many cents and as few changes as possible.

    A row without all three has cents in every amount. A row that agrees as it was read is returned unchanged.
    """
    if not all(leaf in row for leaf in _FACTORS):
        return {leaf: _with_cents(one, amounts) for leaf, one in row.items()}
    if _agrees([row[leaf] for leaf in _FACTORS]):
        return dict(row)
    readings = product(*([row[leaf], *_readings(row[leaf], amounts)] for leaf in _FACTORS))
    agreeing = [some for some in readings if _agrees(some)]
    if not agreeing:
        return dict(row)
    printed = [row[leaf] for leaf in _FACTORS]
    best = min(agreeing, key=lambda reading: _cost(reading, printed, amounts))
    return {**row, **dict(zip(_FACTORS, best, strict=True))}


def _agrees(factors: Sequence[Candidate]) -> bool:
    quantity, price, amount = (Decimal(one.value) for one in factors)
    return abs(quantity * price - amount) <= PRODUCT_TOLERANCE


def _cost(reading: Sequence[Candidate], printed: Sequence[Candidate], amounts: Collection[str]) -> tuple[int, int]:
    """Return how many amounts are left without cents that could have them, and how many numbers are changed."""
    kept = [old for new, old in zip(reading, printed, strict=True) if new.value == old.value]
    return sum(_with_cents(one, amounts) is not one for one in kept), len(printed) - len(kept)


def _readings(candidate: Candidate, amounts: Collection[str]) -> Iterator[Candidate]:
    """Yield the candidate with a point at each place where it may have been."""
    if candidate.field in amounts:
        restored = _with_cents(candidate, amounts)
        if restored is not candidate:
            yield restored
        return
    digits = _digits(candidate)
    for decimals in range(1, min(MAX_QUANTITY_DECIMALS, len(digits) - 1) + 1):
        yield replace(candidate, value=candidate.value / 10**decimals)


def _with_cents(candidate: Candidate, amounts: Collection[str]) -> Candidate:
    """Return an amount without a point as if its last two digits were cents."""
    is_whole = candidate.field in amounts and len(_digits(candidate)) >= MIN_DIGITS and candidate.value % 1 == 0
    return replace(candidate, value=candidate.value / 100) if is_whole else candidate


def _digits(candidate: Candidate) -> str:
    """Return the digits of a number without any point or comma; "" of one with one."""
    if any(mark in candidate.content for mark in _MARKS):
        return ""
    return "".join(filter(str.isdigit, candidate.content))

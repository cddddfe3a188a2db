"""Restores the decimal points that OCR loses on faint print, where the sums of the page prove them.

The point is the smallest mark of an amount. Without it, an amount is a hundred times too high: "3500" for 35.00.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

from docextract.documents.base import DocumentType
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.page_evidence import run_checks

MIN_DIGITS = 3  # of an amount that has lost its point: two of them are cents
MAX_QUANTITY_DECIMALS = 3
PRODUCT_TOLERANCE = Decimal("0.01")  # of a weight times its price
_FACTORS = ("quantity", "unit_price", "amount")  # the product of the first two is the third
_MARKS = (".", ",", "'")


def restore_points(candidates: Candidates, document_type: DocumentType) -> Candidates:
    """Return the candidates with points restored, if then a check passes that did not, and none fails instead.

    Points of rows are restored first, then those of single amounts too. A page without any cents is not changed: its
    currency may have none.
    """
    amounts = {field.name for field in document_type.fields() if field.kind.name == "currency"}
    if not any(one.field in amounts and one.value % 1 for one in _all(candidates)):
        return candidates
    before = _passed(candidates, document_type)
    with_rows = replace(candidates, groups={name: _rows(rows, amounts) for name, rows in candidates.groups.items()})
    with_all = replace(with_rows, fields={name: _with_cents(one, amounts) for name, one in with_rows.fields.items()})
    for restored in (with_rows, with_all):
        if _values(restored) != _values(candidates) and _passed(restored, document_type) > before:
            return restored
    return candidates


def _passed(candidates: Candidates, document_type: DocumentType) -> set[str]:
    return {check.name for check in run_checks(candidates, document_type) if check.passed}


def _values(candidates: Candidates) -> list[Any]:
    return [one.value for one in _all(candidates)]


def _all(candidates: Candidates) -> Iterator[Candidate]:
    yield from candidates.fields.values()
    yield from (one for rows in candidates.groups.values() for row in rows for one in row.values())


def _rows(rows: Sequence[Mapping[str, Candidate]], amounts: set[str]) -> list[dict[str, Candidate]]:
    return [_row(row, amounts) for row in rows]


def _row(row: Mapping[str, Candidate], amounts: set[str]) -> dict[str, Candidate]:
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
    best = min(agreeing, key=lambda some: (_without_cents(some, amounts), sum(map(_differs, some, printed))))
    return {**row, **dict(zip(_FACTORS, best, strict=True))}


def _agrees(factors: Sequence[Candidate]) -> bool:
    quantity, price, amount = (Decimal(one.value) for one in factors)
    return abs(quantity * price - amount) <= PRODUCT_TOLERANCE


def _differs(one: Candidate, other: Candidate) -> bool:
    return bool(one.value != other.value)


def _without_cents(some: Sequence[Candidate], amounts: set[str]) -> int:
    return sum(_with_cents(one, amounts).value != one.value for one in some)


def _readings(candidate: Candidate, amounts: set[str]) -> Iterator[Candidate]:
    """Yield the candidate with a point at each place where it may have been."""
    if candidate.field in amounts:
        restored = _with_cents(candidate, amounts)
        if restored is not candidate:
            yield restored
        return
    digits = _digits(candidate)
    for decimals in range(1, min(MAX_QUANTITY_DECIMALS, len(digits) - 1) + 1):
        yield replace(candidate, value=candidate.value / 10**decimals)


def _with_cents(candidate: Candidate, amounts: set[str]) -> Candidate:
    """Return an amount without a point as if its last two digits were cents."""
    is_whole = candidate.field in amounts and len(_digits(candidate)) >= MIN_DIGITS and candidate.value % 1 == 0
    return replace(candidate, value=candidate.value / 100) if is_whole else candidate


def _digits(candidate: Candidate) -> str:
    """Return the digits of a number without any point or comma; "" of one with one."""
    if any(mark in candidate.content for mark in _MARKS):
        return ""
    return "".join(filter(str.isdigit, candidate.content))

"""Restores the decimal points that OCR loses on faint print.

The point is the smallest mark of an amount. Without it, an amount is a hundred times too high: "3500" for 35.00. The
sums of the page prove a point, or the other amounts show that all have cents.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from docextract.documents.base import DocumentType
from docextract.extraction.layout.candidates import Candidate, Candidates, at_most
from docextract.extraction.layout.page_evidence import SUM_CHECKS, in_right_sums, passed_checks
from docextract.extraction.layout.tables.row_products import (
    AMOUNT,
    FACTORS,
    NET,
    PRICE,
    QUANTITY,
    RATE,
    TAX_PRODUCT,
    has_right_product,
)

MIN_DIGITS = 3  # of an amount that has lost its point: two of them are cents
MAX_QUANTITY_DECIMALS = 3
MIN_AMOUNTS_WITH_CENTS = 3  # of a page on which all amounts have cents
RESTORED_PROBABILITY = 0.9  # of an amount whose point only the other amounts show
DOUBTED_PROBABILITY = 0.5  # of a quantity or a rate that may have lost its point, too
MIN_DOUBTED_DIGITS = 2
_RATES = ("tax_rate", RATE)  # without a fixed number of decimals, as quantities are
_MARKS = (".", ",", "'")
_CENTS = re.compile(r"[.,]\d{2}(?!\d)")
_THOUSANDS = re.compile(r"\d\s\d{3}(?!\d)")
_DECIMALS = re.compile(r"[.,](\d+)(?!.*\d)")


def restore_points(candidates: Candidates, document_type: DocumentType) -> Candidates:
    """Return the candidates with points restored where a sum proves them, or where all other amounts have cents."""
    amounts = {field.name for field in document_type.fields() if field.kind.name == "currency"}
    proven = _restore_proven(candidates, document_type, amounts)
    passed = passed_checks(proven, document_type)
    shown = _restore_shown(proven, amounts, in_right_sums(passed) | {"payments"})  # of cash, people give whole amounts
    return shown if passed_checks(shown, document_type).keys() >= passed.keys() else proven


def _restore_proven(candidates: Candidates, document_type: DocumentType, amounts: Collection[str]) -> Candidates:
    """Return the candidates with points restored where then a sum is right that was not, and none is wrong instead.

    Only the amounts of this sum are changed, and one of them must be printed with cents: the difference of amounts that
    are all divided by a hundred is too, and may then be tolerated. Some currencies have no cents.
    """
    with_rows = replace(candidates, groups={name: _rows(rows, amounts) for name, rows in candidates.groups.items()})
    with_all = replace(with_rows, fields={name: _with_cents(one, amounts) for name, one in with_rows.fields.items()})
    if with_all == candidates:
        return candidates
    before = passed_checks(candidates, document_type)
    for restored in (with_rows, with_all):
        for name, fields in passed_checks(restored, document_type).items():
            if name not in SUM_CHECKS or name in before:
                continue
            proven = _restored_in(fields, candidates, restored)
            if _has_cents(proven, fields, amounts) and passed_checks(proven, document_type).keys() >= {*before, name}:
                return _restore_proven(proven, document_type, amounts)
    return candidates


def _restore_shown(candidates: Candidates, amounts: Collection[str], right: Collection[str]) -> Candidates:
    """Return the candidates with points restored where the other amounts of the page show that all have cents.

    Whole prices may be printed beside amounts with cents, such as 120 for an hour, so prices need one of their own.
    What else may have lost its point on such a page is doubted: quantities and rates have no fixed number of decimals.
    right: fields and groups that stay as they are.
    """
    rows = [row for some in candidates.groups.values() for row in some]
    printed = [*candidates.fields.values(), *(one for row in rows for one in row.values())]
    likely = {one.piece_indices: one for one in printed if one.field in amounts and one.is_likely}
    if not _have_cents([one.content for one in likely.values()]):
        return candidates
    if not any(one.field.endswith(f".{PRICE}") and _CENTS.search(one.content) for one in likely.values()):
        amounts = [name for name in amounts if not name.endswith(f".{PRICE}")]
    fields = {name: one if name in right else _shown(one, amounts) for name, one in candidates.fields.items()}
    groups = {
        name: some if name in right else [_shown_row(row, amounts) for row in some]
        for name, some in candidates.groups.items()
    }
    shown = replace(candidates, fields=fields, groups=groups)
    if shown == candidates:
        return candidates
    return replace(shown, groups={name: [_doubted_row(row) for row in some] for name, some in groups.items()})


def _have_cents(texts: Sequence[str]) -> bool:
    """Whether all amounts with a point have two decimals, zeros too, so that none without a point is printed."""
    decimals = [match[1] for text in texts if (match := _DECIMALS.search(text))]
    return (
        len(decimals) >= MIN_AMOUNTS_WITH_CENTS
        and all(len(one) == 2 for one in decimals)
        and any(one.endswith("0") for one in decimals)
    )


def _shown(candidate: Candidate, amounts: Collection[str]) -> Candidate:
    restored = _with_cents(candidate, amounts)
    is_kept = restored is candidate or _THOUSANDS.search(candidate.content)
    return candidate if is_kept else at_most(restored, RESTORED_PROBABILITY)


def _shown_row(row: Mapping[str, Candidate], amounts: Collection[str]) -> dict[str, Candidate]:
    """Return a row with cents in every amount, or as it was read where its numbers agree so or contradict that."""
    if _is_proven(row):
        return dict(row)
    if not all(leaf in row for leaf in FACTORS):
        return {leaf: _shown(one, amounts) for leaf, one in row.items()}
    whole = {**row, **{leaf: _with_cents(row[leaf], amounts) for leaf in FACTORS}}
    fitting = whole if has_right_product(whole) else _row(row, amounts)
    return {leaf: one if one is row[leaf] else at_most(one, RESTORED_PROBABILITY) for leaf, one in fitting.items()}


def _is_proven(row: Mapping[str, Candidate]) -> bool:
    """Whether a row agrees as it was read, and one of its amounts has a point.

    A row without a quantity is of one piece; in a row of taxes the rate of the net amount is the tax.
    """
    if all(leaf in row for leaf in (PRICE, AMOUNT)) and QUANTITY not in row:
        agrees = row[PRICE].value == row[AMOUNT].value
    else:
        agrees = TAX_PRODUCT.is_right(row) or has_right_product(row)
    return agrees and any(_CENTS.search(row[leaf].content) for leaf in (NET, PRICE, AMOUNT) if leaf in row)


def _doubted_row(row: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """Return a row with less confidence in rates without a point, and in such a quantity unless its numbers agree."""
    if _is_proven(row) and RATE in row:
        return dict(row)
    open_leaves = _RATES if has_right_product(row) else (*_RATES, QUANTITY)
    doubted = {leaf for leaf in open_leaves if leaf in row and len(_digits(row[leaf])) >= MIN_DOUBTED_DIGITS}
    return {leaf: at_most(one, DOUBTED_PROBABILITY) if leaf in doubted else one for leaf, one in row.items()}


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
    if not all(leaf in row for leaf in FACTORS):
        return {leaf: _with_cents(one, amounts) for leaf, one in row.items()}
    if has_right_product(row):
        return dict(row)
    readings = product(*([row[leaf], *_readings(row[leaf], amounts)] for leaf in FACTORS))
    agreeing = [some for some in readings if has_right_product(dict(zip(FACTORS, some, strict=True)))]
    if not agreeing:
        return dict(row)
    printed = [row[leaf] for leaf in FACTORS]
    best = min(agreeing, key=lambda reading: _cost(reading, printed, amounts))
    return {**row, **dict(zip(FACTORS, best, strict=True))}


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

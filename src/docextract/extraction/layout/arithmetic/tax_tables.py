"""Takes the sums of a table of taxes, and the total that they make, where the network takes a wrong one for the total.

Indian invoices print a table by the code of the goods (HSN). Its last row has the sum before tax, the taxes of the
country and of the state, and both together. The total stands elsewhere, and may be rounded to a full rupee.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from docextract.documents.base import SUM_PARTS, matches_any
from docextract.extraction.layout.arithmetic.proven_taxes import TAXES
from docextract.extraction.layout.arithmetic.sums import (
    CLOSING_PROBABILITY,
    SUBTOTAL,
    TAX,
    TOTAL,
    likely_amounts,
    printed_numbers,
)
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least, candidate_of
from docextract.extraction.layout.page_evidence import in_right_sums, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import pieces_of
from docextract.extraction.layout.tables.row_products import AMOUNT, NET

MAX_TAXES = 4  # of one row, with their sum behind them
Sums = Mapping[str, Candidate]  # subtotal, tax and total


def take_sums_of_taxes(candidates: Candidates, page: PageLabels, is_part: bool = False) -> Candidates:
    """Return the candidates with the sums of a row "subtotal, taxes, sum of taxes" and a printed total that they make.

    Not if the total is in a sum that is right, or if several totals may be made. is_part: the document has more pages.
    """
    amounts = {field.name for field in page.single_fields() if field.kind.name == "currency"}
    if is_part or not amounts.issuperset(SUM_PARTS):
        return candidates
    if TOTAL in in_right_sums(passed_checks(candidates, page.document_type)):
        return candidates
    found = list(_sums_of_tables(candidates, page))
    if len({tuple(one.value for one in sums.values()) for sums in found}) != 1:
        return candidates
    sums = {name: at_least(one, CLOSING_PROBABILITY) for name, one in found[0].items()}
    taxes = _of_sum(candidates.groups.get(TAXES, ()), sums[TAX].value)
    return replace(candidates, fields={**candidates.fields, **sums}, groups={**candidates.groups, TAXES: taxes})


def _sums_of_tables(candidates: Candidates, page: PageLabels) -> Iterator[Sums]:
    goods = [row for group, rows in candidates.groups.items() if group != TAXES for row in rows]
    taken = pieces_of(one for row in goods for one in row.values())
    currency = candidates.currency.value if candidates.currency else None
    numbers = [span for span in printed_numbers(page.pieces) if taken.isdisjoint(span)]
    totals = list(likely_amounts(TOTAL, page, {*taken}, 0.0))
    for row in page.lines.rows:
        for subtotal, tax, places in _sums_on_row([span for span in numbers if row.issuperset(span)], page):
            free = [one for one in totals if places.isdisjoint(one.piece_indices)]
            made = [one for one in free if matches_any(one.value, [subtotal.value + tax.value], currency)]
            for total in {one.value: one for one in sorted(made, key=lambda one: one.probability)}.values():
                yield {SUBTOTAL: subtotal, TAX: tax, TOTAL: total}


def _sums_on_row(numbers: Sequence[Span], page: PageLabels) -> Iterator[tuple[Candidate, Candidate, frozenset[int]]]:
    """Yield an amount, the sum of the taxes behind it, which is printed behind these, and the pieces of all.

    A single tax and its sum are the same number twice, so all numbers have decimals there.
    """
    ordered = sorted(numbers, key=lambda span: page.box(span)[0])
    amounts = [candidate_of(page.field(TAX), span, page) for span in ordered]
    for start in range(len(ordered)):
        for end in range(start + 2, min(len(ordered), start + 2 + MAX_TAXES)):
            some = [one for one in amounts[start : end + 1] if one]
            first, *parts, tax = (one.value for one in some) if len(some) == end + 1 - start else (0, 0, 0)
            if not (0 < tax < first and min(parts) > 0 and sum(parts) == tax):
                continue
            if len(parts) == 1 and not all(one.value.as_tuple().exponent < 0 for one in some):
                continue
            if subtotal := candidate_of(page.field(SUBTOTAL), ordered[start], page):
                yield subtotal, some[-1], frozenset(index for span in ordered[start : end + 1] for index in span)


def _of_sum(rows: Sequence[Mapping[str, Candidate]], tax: Decimal) -> Sequence[Mapping[str, Candidate]]:
    """Return the rows of taxes with a net amount, if these alone make the tax: the others print them once more."""
    with_net = [row for row in rows if NET in row]
    is_made = [_tax_of(some) == tax for some in (rows, with_net)]
    return with_net if is_made == [False, True] else rows


def _tax_of(rows: Sequence[Mapping[str, Candidate]]) -> Decimal:
    return sum((row[AMOUNT].value for row in rows if AMOUNT in row), Decimal(0))

"""Takes OCR's second choice of a character where the numbers of the page, or its machine-readable zone, prove it.

The pixels of a doubtful character leave two readings open, with known odds. A second reading that makes a product or a
sum right, or check digits valid, which are wrong with the first, is seldom an accident. Nor is a name that
the zone has.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from docextract.documents import mrz
from docextract.documents.base import Check
from docextract.documents.identifiers import is_valid_iban, is_valid_tax_id
from docextract.documents.values import IBAN, TAX_ID
from docextract.extraction.layout.arithmetic.sums import SUBTOTAL, TOTAL
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.page_evidence import SUM_CHECKS, in_right_sums, passed_checks, run_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import join_pieces, with_alternative
from docextract.extraction.layout.tables.row_products import AMOUNT, ROW_PRODUCTS
from docextract.extraction.layout.values.person_names import PERSON_NAMES
from docextract.predictions import PredictedZone

# Least odds of a reading over the first choice. Check digits of wrong IBANs are valid in one case of 97, those of wrong
# tax numbers in about ten. A product or a sum is hardly ever right by chance, but many readings are tried.
MIN_IBAN_ODDS, MIN_TAX_ID_ODDS, MIN_AMOUNT_ODDS = 1 / 97, 1 / 10, 0.02
MAX_SUM_READINGS = 60  # of all amounts of a page; each costs all checks

Reading = tuple[float, Candidate]  # odds over the first choice, 0..1, and what is read then


def take_second_choices(candidates: Candidates, page: PageLabels, is_part: bool = False) -> Candidates:
    """Return the candidates with the readings that check digits, products of rows and sums of the page prove.

    is_part: the document has more pages. Then sums of rows prove nothing, because rows may be on other pages.
    """
    summed = in_right_sums(passed_checks(candidates, page.document_type))
    fields = {name: _with_valid_check_digits(one, page) for name, one in candidates.fields.items()}
    groups = {
        name: [_with_right_product(row, name in summed, page) for row in rows]
        for name, rows in candidates.groups.items()
    }
    return _with_right_sums(replace(candidates, fields=fields, groups=groups), page, is_part)


def take_names_in_zone(candidates: Candidates, page: PageLabels, zone: PredictedZone) -> Candidates:
    """Return the candidates with names in the likeliest reading that the zone has, if it has not the first: Þ is TH."""
    fields = {
        name: _as_in_zone(one, str(zone.fields[name].value), zone.names_truncated, page)
        if name in PERSON_NAMES and name in zone.fields
        else one
        for name, one in candidates.fields.items()
    }
    return replace(candidates, fields=fields)


def _as_in_zone(name: Candidate, in_zone: str, is_truncated: bool, page: PageLabels) -> Candidate:
    if mrz.is_transliteration(name.content, in_zone, is_truncated):
        return name
    readings = (one for _, one in _readings(name, page))
    return next((one for one in readings if mrz.is_transliteration(one.content, in_zone, is_truncated)), name)


def _with_valid_check_digits(candidate: Candidate, page: PageLabels) -> Candidate:
    """Return a number in its likeliest reading with valid check digits, if those of the first are not."""
    kind = page.field(candidate.field).kind
    if kind == IBAN:
        return _valid(candidate, is_valid_iban, MIN_IBAN_ODDS, page)
    if kind == TAX_ID:
        currency = page.conventions.currency
        return _valid(candidate, lambda number: is_valid_tax_id(number, currency), MIN_TAX_ID_ODDS, page)
    return candidate


def _valid(
    candidate: Candidate, is_valid: Callable[[str], bool | None], min_odds: float, page: PageLabels
) -> Candidate:
    """is_valid: None where no rule is known."""
    if is_valid(candidate.value) is not False:
        return candidate
    likely = (one for odds, one in _readings(candidate, page) if odds >= min_odds)
    return next((one for one in likely if is_valid(one.value)), candidate)


def _with_right_product(row: Mapping[str, Candidate], is_summed: bool, page: PageLabels) -> Mapping[str, Candidate]:
    """Return a row in its likeliest reading in which its numbers agree, if they contradict each other in the first.

    is_summed: a sum of the page shows that the amounts are right; after a discount they are less than the product.
    """
    for product in ROW_PRODUCTS:
        if product.evidence(row) < 0:
            leaves = [leaf for leaf in product.factors if leaf != AMOUNT or not is_summed]
            readings = [(odds, {**row, leaf: one}) for leaf in leaves for odds, one in _other_numbers(row[leaf], page)]
            right = [reading for reading in readings if product.is_right(reading[1])]
            return max(right, key=lambda reading: reading[0], default=(1.0, row))[1]
    return row


def _with_right_sums(candidates: Candidates, page: PageLabels, is_part: bool) -> Candidates:
    """Return the candidates with the likeliest other amounts with which sums are right that were not.

    No other check may fail instead.
    """
    checks = run_checks(candidates, page.document_type)
    passed = {check.name for check in checks if check.passed}
    failed = [check for check in checks if not check.passed and _is_proof(check, candidates, is_part)]
    readings = sorted(_other_amounts(candidates, failed, page), key=lambda reading: -reading[0])
    for _, changed in readings[:MAX_SUM_READINGS]:
        again = passed_checks(changed, page.document_type).keys()
        if again >= passed and not again.isdisjoint(check.name for check in failed) and not _is_without_tax(changed):
            return _with_right_sums(changed, page, is_part)
    return candidates


def _is_proof(check: Check, candidates: Candidates, is_part: bool) -> bool:
    """Whether a check compares sums that are whole. Payments without change may be more than the total."""
    if is_part and any(name in candidates.groups for name in check.fields):
        return False
    return check.name in SUM_CHECKS or "change" in check.fields


def _is_without_tax(candidates: Candidates) -> bool:
    """Whether the total is the subtotal, so that its sum says nothing about a tax and a discount."""
    subtotal, total = (candidates.fields.get(name) for name in (SUBTOTAL, TOTAL))
    return subtotal is not None and total is not None and subtotal.value == total.value


def _other_amounts(candidates: Candidates, failed: list[Check], page: PageLabels) -> Iterator[tuple[float, Candidates]]:
    """Yield the odds of another reading of one amount of failed checks, and the candidates with it.

    Amounts of rows that agree with their factors are left as they are.
    """
    names = dict.fromkeys(name for check in failed for name in check.fields)
    for name in filter(candidates.fields.__contains__, names):
        for odds, one in _other_numbers(candidates.fields[name], page):
            yield odds, replace(candidates, fields=_with_reading(one, candidates.fields))
    for group in filter(candidates.groups.__contains__, names):
        rows = candidates.groups[group]
        for at, row in enumerate(rows):
            if AMOUNT not in row or any(product.evidence(row) > 0 for product in ROW_PRODUCTS):
                continue
            for odds, one in _other_numbers(row[AMOUNT], page):
                changed = [*rows[:at], {**row, AMOUNT: one}, *rows[at + 1 :]]
                yield odds, replace(candidates, groups={**candidates.groups, group: changed})


def _with_reading(reading: Candidate, fields: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """Return the fields with a reading of one of them, and of the same amount in the same place: a total to be paid."""
    before = fields[reading.field]
    same = [one for one in fields.values() if (one.piece_indices, one.value) == (before.piece_indices, before.value)]
    return {**fields, **{one.field: replace(one, content=reading.content, value=reading.value) for one in same}}


def _other_numbers(candidate: Candidate, page: PageLabels) -> Iterator[Reading]:
    """Yield the likely readings of a number with one other digit."""
    for odds, one in _readings(candidate, page, str.isdecimal):
        if odds >= MIN_AMOUNT_ODDS and one.value:  # zero would agree with everything
            yield odds, one


def _readings(
    candidate: Candidate, page: PageLabels, is_allowed: Callable[[str], bool] = str.isalnum
) -> Iterator[Reading]:
    """Yield the readings of a value with one other letter or digit, the likeliest first."""
    pieces = {index: page.pieces[index] for index in candidate.piece_indices}
    doubtful = [(other, index) for index, piece in pieces.items() for other in piece.alternatives]
    kind = page.field(candidate.field).kind
    for other, index in sorted(doubtful, key=lambda one: -one[0].odds):
        at = other.at - pieces[index].start
        if not (is_allowed(other.other) and pieces[index].text[at].isalnum()):
            continue
        content = join_pieces([*{**pieces, index: with_alternative(pieces[index], other)}.values()], kind.odds_factors)
        value = kind.parse(content, page.conventions)
        if value is not None and value != candidate.value:
            yield other.odds, replace(candidate, content=content, value=value)

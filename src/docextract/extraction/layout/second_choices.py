"""Takes OCR's second choice of a character where the numbers of the page prove it.

The pixels of a doubtful character leave two readings open, with known odds. Check digits, the product of a row and the
sums of a page agree with a wrong reading only by chance: in one case of ten, a hundred or a thousand.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from docextract.documents.base import Check, Field
from docextract.documents.identifiers import is_valid_iban, is_valid_tax_id
from docextract.documents.values import IBAN, TAX_ID
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.page_evidence import SUM_CHECKS, run_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, join_pieces
from docextract.extraction.layout.tables.products import AMOUNT, PRODUCTS
from docextract.predictions import CharacterAlternative

# Least odds of a reading whose check digits are valid: as often as those of a wrong one are.
MIN_IBAN_ODDS, MIN_TAX_ID_ODDS = 1 / 97, 1 / 10
MAX_SUM_READINGS = 60  # of all amounts of a page; each costs all checks

Reading = tuple[float, Candidate]  # odds over the first choice, 0..1, and what is read then


def take_second_choices(candidates: Candidates, page: PageLabels) -> Candidates:
    """Return the candidates with the readings that check digits, products of rows and sums of the page prove."""
    fields = {name: _with_valid_check_digits(one, page) for name, one in candidates.fields.items()}
    groups = {name: [_with_right_product(row, page) for row in rows] for name, rows in candidates.groups.items()}
    return _with_right_sums(replace(candidates, fields=fields, groups=groups), page)


def _with_valid_check_digits(candidate: Candidate, page: PageLabels) -> Candidate:
    """Return a number in its likeliest reading with valid check digits, if those of the first are not."""
    kind = _field(candidate.field, page).kind
    if kind == IBAN:
        is_valid: Callable[[str], bool | None] = is_valid_iban
    elif kind == TAX_ID:
        is_valid = partial(is_valid_tax_id, currency=page.conventions.currency)
    else:
        return candidate
    if is_valid(candidate.value) is not False:
        return candidate
    min_odds = MIN_IBAN_ODDS if kind == IBAN else MIN_TAX_ID_ODDS
    likely = (one for odds, one in _readings(candidate, page) if odds >= min_odds)
    return next((one for one in likely if is_valid(one.value)), candidate)


def _with_right_product(row: Mapping[str, Candidate], page: PageLabels) -> Mapping[str, Candidate]:
    """Return a row in its likeliest reading in which its numbers agree, if they do not in the first."""
    for factors, agree in PRODUCTS:
        if all(leaf in row for leaf in factors) and not agree(row):
            readings = [(odds, {**row, leaf: one}) for leaf in factors for odds, one in _readings(row[leaf], page)]
            right = [reading for reading in readings if agree(reading[1])]
            return max(right, key=lambda reading: reading[0], default=(1.0, row))[1]
    return row


def _with_right_sums(candidates: Candidates, page: PageLabels) -> Candidates:
    """Return the candidates with the likeliest other amounts with which sums are right that were not.

    No other check may fail instead.
    """
    checks = run_checks(candidates, page.document_type)
    passed = {check.name for check in checks if check.passed}
    failed = [check for check in checks if _is_proof(check) and not check.passed]
    readings = sorted(_other_amounts(candidates, failed, page), key=lambda reading: -reading[0])
    for _, changed in readings[:MAX_SUM_READINGS]:
        again = {check.name for check in run_checks(changed, page.document_type) if check.passed}
        if again > passed and any(check.name in again for check in failed):
            return _with_right_sums(changed, page)
    return candidates


def _is_proof(check: Check) -> bool:
    """Whether a check compares sums. Payments without change may be more than the total."""
    return check.name in SUM_CHECKS or "change" in check.fields


def _other_amounts(candidates: Candidates, failed: list[Check], page: PageLabels) -> Iterator[tuple[float, Candidates]]:
    """Yield the odds of another reading of one amount of failed checks, and the candidates with it.

    Amounts of rows that agree with quantity and price are left as they are.
    """
    names = dict.fromkeys(name for check in failed for name in check.fields)
    for name in filter(candidates.fields.__contains__, names):
        for odds, one in _readings(candidates.fields[name], page):
            yield odds, replace(candidates, fields={**candidates.fields, name: one})
    for group in filter(candidates.groups.__contains__, names):
        rows = candidates.groups[group]
        for at, row in enumerate(rows):
            if AMOUNT not in row or _agrees(row):
                continue
            for odds, one in _readings(row[AMOUNT], page):
                changed = [*rows[:at], {**row, AMOUNT: one}, *rows[at + 1 :]]
                yield odds, replace(candidates, groups={**candidates.groups, group: changed})


def _agrees(row: Mapping[str, Candidate]) -> bool:
    return any(agree(row) for _, agree in PRODUCTS)


def _readings(candidate: Candidate, page: PageLabels) -> Iterator[Reading]:
    """Yield the readings of a value with one other character, the likeliest first."""
    pieces = {index: page.pieces[index] for index in candidate.piece_indices}
    doubtful = [(other, index) for index, piece in pieces.items() for other in piece.alternatives]
    kind = _field(candidate.field, page).kind
    for other, index in sorted(doubtful, key=lambda one: -one[0].odds):
        changed = {**pieces, index: _with_character(pieces[index], other)}
        content = join_pieces(list(changed.values()), kind.odds_factors)
        value = kind.parse(content, page.conventions)
        if value and value != candidate.value:  # an amount of zero would agree with everything
            yield other.odds, replace(candidate, content=content, value=value)


def _with_character(piece: Piece, other: CharacterAlternative) -> Piece:
    at = other.at - piece.start
    return replace(piece, text=piece.text[:at] + other.other + piece.text[at + 1 :])


def _field(name: str, page: PageLabels) -> Field:
    return next(field for field in page.document_type.fields() if field.name == name)

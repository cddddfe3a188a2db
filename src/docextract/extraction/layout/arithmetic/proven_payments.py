"""Adds payments whose method the network does not know, where they make the total.

Methods have names in every language, and those of banks and shops. An amount that is likely to be paid has its method
on its left, if all payments without the change are the total to the cent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product, takewhile

from docextract.documents.base import DocumentType, Field
from docextract.documents.currencies import is_currency, is_label_of_amount
from docextract.documents.data import load_data
from docextract.documents.printed_labels import bare_label, field_of_label
from docextract.extraction.layout.arithmetic.sums import TOTAL
from docextract.extraction.layout.arithmetic.tips import CHANGE, labelled_amounts, possible_tips
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import PageCells, pieces_of
from docextract.extraction.layout.tables.payment_methods import METHOD
from docextract.extraction.layout.tables.row_products import AMOUNT, PROVEN_PROBABILITY
from docextract.extraction.layout.values.bank_accounts import BANK_ACCOUNT, BARE_ACCOUNT
from docextract.extraction.layout.values.text_spans import without_caption

PAYMENTS = "payments"
PAID_AMOUNTS = (TOTAL, CHANGE, f"{PAYMENTS}.{AMOUNT}")
# Of an amount that may be a payment: the likely ones alone are tried first, and those beside names of wallets last.
MIN_PAID_PROBABILITIES = (0.5, 0.3)
METHOD_PROBABILITY = 0.6  # of the words on its left
_METHODS = frozenset(map(bare_label, load_data("payment_words")["methods"]))
_JOINTS = frozenset("/-&.'’")  # between words of a method: "FSA/HSA", "EC-Karte", "Carte d'achat"
_Row = Mapping[str, Candidate]


def add_payments(
    candidates: Candidates, document_type: DocumentType, page: PageLabels, is_part: bool = False
) -> Candidates:
    """Return the candidates with all likely payments if they make the total then, and did not before.

    Amounts with the other sign are none: they are change. Unlikely single fields of the same print are left out, and so
    are methods without an amount. What is paid may have a tip in it, and change behind its label. Beside the name of a
    wallet or the like any number below the total may be paid, also the print that was taken for the total, if that is
    printed above it, too. Above the total it is the name of goods.
    is_part: the document has more pages, which may have other payments.
    """
    fields = page.row_fields.get(PAYMENTS, {})
    total = candidates.fields.get(TOTAL)
    if is_part or {METHOD, AMOUNT} - fields.keys() or total is None or not total.is_likely:
        return candidates
    if not are_amounts(PAID_AMOUNTS, document_type):
        return candidates
    cells = PageCells(page)
    if _make_total(candidates):
        return candidates
    found = _payments(fields, total, page, cells)
    fields_kept = {**candidates.fields, TOTAL: _beside_other_words(total, [row for *_, row in found], page, cells)}
    known = replace(candidates, fields=fields_kept, groups={**candidates.groups, PAYMENTS: _with_amounts(candidates)})
    taken = known.likely_pieces()
    payments = [
        (probability, is_named, row)
        for probability, is_named, row in found
        if taken.isdisjoint(pieces_of(row.values())) and row[AMOUNT].value * total.value > 0
    ]
    for with_names, least in product((False, True), MIN_PAID_PROBABILITIES):
        paid = [row for probability, is_named, row in payments if probability >= least or (with_names and is_named)]
        completed = known.with_rows(PAYMENTS, paid)
        if _make_total(completed):
            return completed
    return _with_labelled_change(candidates, page, cells)


def _with_amounts(candidates: Candidates) -> list[_Row]:
    """Return the payments that have an amount."""
    return [row for row in candidates.groups.get(PAYMENTS, ()) if AMOUNT in row]


def _with_labelled_change(candidates: Candidates, page: PageLabels, cells: PageCells) -> Candidates:
    """Return the candidates with the amount behind the label of change with which the payments make the total."""
    for change in labelled_amounts(CHANGE, page, cells):
        fields = {**candidates.fields, CHANGE: at_least(change, PROVEN_PROBABILITY)}
        if change.value and _make_total(completed := replace(candidates, fields=fields)):
            return completed
    return candidates


def are_amounts(names: Sequence[str], document_type: DocumentType) -> bool:
    """Whether a type has all of these fields, and they are amounts. In types that users describe they may be text."""
    kinds = {field.name: field.kind.name for field in document_type.fields()}
    return all(kinds.get(name) == "currency" for name in names)


def paid_without_change(candidates: Candidates) -> Decimal | None:
    """Return the sum of the payments without the change; None without payments."""
    paid = [row[AMOUNT].value for row in candidates.groups.get(PAYMENTS, ()) if AMOUNT in row]
    change = candidates.fields.get(CHANGE)
    returned = change.value if change and change.is_likely else Decimal(0)
    return sum(paid, -returned) if paid else None


def _make_total(candidates: Candidates) -> bool:
    """Whether the payments without the change are the total, or the total and a tip."""
    total = candidates.fields.get(TOTAL)
    return total is not None and paid_without_change(candidates) in [
        total.value + tip for tip in possible_tips(candidates)
    ]


def _payments(
    fields: Mapping[str, Field], total: Candidate, page: PageLabels, cells: PageCells
) -> list[tuple[float, bool, _Row]]:
    """Return the numbers that may be paid with the words beside them, the probability, and if it is beside a wallet."""
    own = page.probability(fields[AMOUNT].name)
    found: list[tuple[float, bool, _Row]] = []
    named = {words for words in cells if _is_named_method(words, page)}
    prints = [total, *_prints_of(total, page, cells)] if named else [total]
    top = min(page.box(one.piece_indices)[1] for one in prints)
    for cell in cells.numbers():
        probability = float(own[list(cell)].max())
        is_paid = probability >= min(MIN_PAID_PROBABILITIES)
        if not (is_paid or named):
            continue
        words = cells.words_beside(cell)
        is_named = len(words) == 1 and words[0] in named and page.box(cell)[1] > top
        if not (is_paid or is_named):
            continue
        name = _method(words[0], page) if len(words) == 1 else ()
        amount = candidate_of(fields[AMOUNT], cell, page)
        method = candidate_of(fields[METHOD], name, page) if name else None
        if amount and method:
            row = {METHOD: at_least(method, METHOD_PROBABILITY), AMOUNT: at_least(amount, PROVEN_PROBABILITY)}
            found.append((probability, is_named, row))
    return found


def _is_named_method(words: Sequence[int], page: PageLabels) -> bool:
    """Whether the words of a cell are the name of a wallet or the like."""
    name = _name_in(words, page)
    return bool(name) and bare_label(page.text(name)) in _METHODS


def _beside_other_words(total: Candidate, payments: Sequence[_Row], page: PageLabels, cells: PageCells) -> Candidate:
    """Return the total at its other place, if it is printed beside a method, and elsewhere, too."""
    paid = pieces_of(row[AMOUNT] for row in payments)
    if paid.isdisjoint(total.piece_indices):
        return total
    others = [one for one in _prints_of(total, page, cells) if paid.isdisjoint(one.piece_indices)]
    best = max(others, key=lambda one: one.probability, default=None)
    return replace(at_least(best, total.probability), labelled=total.labelled) if best else total


def _prints_of(total: Candidate, page: PageLabels, cells: PageCells) -> list[Candidate]:
    """Return the numbers alone in their cell that are as much as the total."""
    numbers = (candidate_of(page.field(TOTAL), cell, page) for cell in cells.numbers())
    return [one for one in numbers if one and one.value == total.value]


def _method(words: Sequence[int], page: PageLabels) -> Span:
    """Return the words with which a cell begins, without currency and "Paid with"; () for a label of another value."""
    is_label = field_of_label(page.text(words), page.document_type) not in (None, BANK_ACCOUNT, BARE_ACCOUNT)
    return () if is_label else _name_in(words, page)


def _name_in(words: Sequence[int], page: PageLabels) -> Span:
    texts = {index: page.pieces[index].text for index in words}
    method = list(takewhile(lambda index: texts[index].isalpha() or texts[index] in _JOINTS, words))
    while method and (texts[method[-1]] in _JOINTS or is_currency(texts[method[-1]])):
        method.pop()
    if not method or is_label_of_amount(page.text(method)):
        return ()
    return without_caption(tuple(method), page.pieces, METHOD)

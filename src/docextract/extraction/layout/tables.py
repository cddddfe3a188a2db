"""Decodes the labels of pieces into the rows of lists, such as the goods on an invoice."""

from collections.abc import Mapping, Sequence

import numpy as np

from docextract.documents.base import MIN_ROW_LEAVES, Field, RowRule
from docextract.extraction.layout.candidates import Candidate, candidate_of
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece

MIN_ROW_START_PROBABILITY = 0.5
MAX_STEP_IN_ROW = 5.0  # line heights; print further below is no part of a row


def decode_groups(page: PageLabels) -> dict[str, list[dict[str, Candidate]]]:
    """Return the rows of each list: pieces labelled with its leaves, split where a row starts."""
    groups: dict[str, list[Field]] = {}
    for field in page.document_type.fields():
        if field.group is not None and field.name in page.numbers:
            groups.setdefault(field.group, []).append(field)
    return {group: _rows(fields, page) for group, fields in groups.items()}


def _rows(fields: Sequence[Field], page: PageLabels) -> list[dict[str, Candidate]]:
    pieces, numbers = page.pieces, [page.numbers[field.name] for field in fields]
    leaf_of = {
        label: leaf for leaf, number in enumerate(numbers) for label in (begin_label(number), inside_label(number))
    }
    rows: list[dict[int, list[int]]] = []
    for index, label in enumerate(page.labels.argmax(axis=1)):
        leaf = leaf_of.get(int(label))
        if leaf is None:
            continue
        begins = page.probabilities.row_starts[index] > MIN_ROW_START_PROBABILITY
        if not rows or (rows[-1] and (begins or _is_far_below(pieces[index], rows[-1], pieces))):
            rows.append({})
        rows[-1].setdefault(leaf, []).append(index)
    candidates = [
        {
            fields[leaf].leaf: candidate
            for leaf, span in row.items()
            if (candidate := candidate_of(fields[leaf], tuple(span), page)) is not None
        }
        for row in rows
    ]
    return _complete_rows([row for row in candidates if row], fields)


def _is_far_below(piece: Piece, row: Mapping[int, Sequence[int]], pieces: Sequence[Piece]) -> bool:
    """Whether a piece stands too far below all of a row: a table of taxes is no part of the last row of goods."""
    bottom = max(pieces[index].polygon[:, 1].max() for indices in row.values() for index in indices)
    top, height = piece.polygon[:, 1].min(), np.ptp(piece.polygon[:, 1])
    return bool(top - bottom > MAX_STEP_IN_ROW * height)


def _complete_rows(rows: Sequence[dict[str, Candidate]], fields: Sequence[Field]) -> list[dict[str, Candidate]]:
    """Join rows that complete each other, and drop what is no row of a list of goods: headings, remarks, sums of taxes.

    Lists without amounts are returned unchanged.
    """
    rule = RowRule.of(fields)
    if not any(rule.has_amount(row.keys()) for row in rows):
        return list(rows)
    joined: list[dict[str, Candidate]] = []
    for row in rows:
        before = joined[-1] if joined else {}
        if _completes(before, row, rule):
            joined[-1] = {**row, **before}
        elif not _is_remark(before, row, rule):
            joined.append(row)
    return [row for row in joined if rule.makes_row(row.keys())]


def _completes(before: Mapping[str, Candidate], row: Mapping[str, Candidate], rule: RowRule) -> bool:
    """Whether the amount of a row stands below its other values, maybe beside further words about it."""
    amount, numbers = rule.amount_of_row, rule.numbers
    if len(before) < MIN_ROW_LEAVES or amount in before or amount not in row:
        return False
    is_alone = "description" not in row or (bool(before.keys() & numbers) and row.keys() & numbers == {amount})
    return is_alone and not before.keys() & row.keys() & numbers


def _is_remark(before: Mapping[str, Candidate], row: Mapping[str, Candidate], rule: RowRule) -> bool:
    """Whether a line below a complete row has words and at most one number, such as the price without the discount."""
    amount, numbers = rule.amount_of_row, rule.numbers
    return amount in before and amount not in row and len(before.keys() & numbers) > len(row.keys() & numbers) <= 1

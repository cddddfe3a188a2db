"""What the rest of a page says about a value: how sure the network is of the page, and whether its sums are right."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from docextract.documents.base import Check, DocumentType
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.tables.row_products import AMOUNT, ROW_PRODUCTS

SURE_LABEL = 0.9  # probability
ITEM_SUMS = frozenset({"line_items_sum_to_subtotal", "line_items_sum_to_total"})  # checks of the sum of all items
MAKE_TOTAL = "subtotal_tax_tip_discount_make_total"  # check of the parts of the total of a receipt
SUM_CHECKS = ITEM_SUMS | {"taxes_sum_to_total_tax", MAKE_TOTAL, "subtotal_discount_charge_tax_make_total"}


def with_page_evidence(
    candidates: Candidates, document_type: DocumentType, labels: LabelProbabilities, is_part: bool = False
) -> Candidates:
    """Return the candidates with `page_doubt` and `checked`.

    labels: of all pieces of the page, of any type. is_part: the document has more pages. Then a check of lists that
    fails says nothing, because rows may be on other pages.
    """
    doubt = float(np.mean(labels.labels.max(axis=-1) < SURE_LABEL)) if len(labels.labels) else 0.0
    lists = {field.group for field in document_type.fields() if field.group}
    checks = [
        check
        for check in run_checks(candidates, document_type)
        if check.passed or not (is_part and any(_list_of(name) in lists for name in check.fields))
    ]

    def complete(candidate: Candidate) -> Candidate:
        own = {candidate.field, _list_of(candidate.field)}
        results = [check.passed for check in checks if own.intersection(check.fields)]
        checked = 0.0 if not results else 1.0 if all(results) else -1.0
        return replace(candidate, page_doubt=doubt, checked=checked)

    return Candidates(
        {name: complete(one) for name, one in candidates.fields.items()},
        {
            group: [_checked_by_product({leaf: complete(one) for leaf, one in row.items()}) for row in rows]
            for group, rows in candidates.groups.items()
        },
        candidates.currency and complete(candidates.currency),
    )


def _checked_by_product(row: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """Return a row with `checked` of numbers that agree with each other, or contradict each other.

    An amount that contradicts its factors may be that after a discount: it is right if the sum of all rows is.
    """
    checked: dict[str, float] = {}
    for product in ROW_PRODUCTS:
        if evidence := product.evidence(row):
            checked = dict.fromkeys(product.factors, evidence)
            checked[AMOUNT] = 1.0 if row[AMOUNT].checked > 0 else evidence
    return {leaf: replace(one, checked=checked.get(leaf, one.checked)) for leaf, one in row.items()}


def _list_of(field: str) -> str:
    """The list of a field of a row; a single field is its own."""
    return field.partition(".")[0]


def passed_checks(candidates: Candidates, document_type: DocumentType) -> dict[str, tuple[str, ...]]:
    """Return the fields of the checks that pass, by name."""
    return {check.name: check.fields for check in run_checks(candidates, document_type) if check.passed}


def in_right_sums(passed: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the fields and lists of sums that are right. passed: see `passed_checks`."""
    return {name for check, fields in passed.items() if check in SUM_CHECKS for name in fields}


def run_checks(candidates: Candidates, document_type: DocumentType) -> Sequence[Check]:
    """Return the results of the type's checks on the likely values, of those that are evidence."""
    values: dict[str, Any] = {name: one.value for name, one in candidates.fields.items() if one.is_likely}
    for group, rows in candidates.groups.items():
        values[group] = tuple({leaf: one.value for leaf, one in row.items()} for row in rows)
    currency = candidates.currency.value if candidates.currency else None
    checks = document_type.check(document_type.record(**values, currency=currency))
    return [check for check in checks if check.is_evidence]

"""What the rest of a page says about a value: how sure the network is of the page, and whether its checks pass."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from docextract.documents.base import Check, DocumentType
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.spans import Candidate, Candidates

SURE_LABEL = 0.9  # probability
GIVEN_SUPPORT = 0.5  # of a value that is checked: more likely than not it is on the page


def with_page_evidence(candidates: Candidates, document_type: DocumentType, labels: LabelProbabilities) -> Candidates:
    """Return the candidates with `page_doubt` and `checked`. labels: of all pieces of the page, of any type."""
    doubt = float(np.mean(labels.labels.max(axis=-1) < SURE_LABEL)) if len(labels.labels) else 0.0
    passed = _passed_by_field(_checks(candidates, document_type))

    def complete(candidate: Candidate) -> Candidate:
        results = passed.get(candidate.field.partition(".")[0], [])
        checked = 0.0 if not results else 1.0 if all(results) else -1.0
        return replace(candidate, page_doubt=doubt, checked=checked)

    return replace(
        candidates,
        fields={name: complete(one) for name, one in candidates.fields.items()},
        groups={
            group: [{leaf: complete(one) for leaf, one in row.items()} for row in rows]
            for group, rows in candidates.groups.items()
        },
    )


def _checks(candidates: Candidates, document_type: DocumentType) -> Sequence[Check]:
    values: dict[str, Any] = {
        name: one.value for name, one in candidates.fields.items() if one.support >= GIVEN_SUPPORT
    }
    for group, rows in candidates.groups.items():
        values[group] = tuple({leaf: one.value for leaf, one in row.items()} for row in rows)
    return document_type.check(document_type.record(**values))


def _passed_by_field(checks: Sequence[Check]) -> Mapping[str, list[bool]]:
    passed: dict[str, list[bool]] = defaultdict(list)
    for check in checks:
        for name in check.fields:
            passed[name].append(check.passed)
    return passed

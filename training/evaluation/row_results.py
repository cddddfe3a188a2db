"""How many rows of line items are right, and which of their values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from training.evaluation.bootstrap import interval
from training.evaluation.evaluate import plain_value
from training.metrics import align_rows, loose_form

LINE_ITEMS = "line_items"
RowValues = Mapping[str, Any]  # plain, by leaf


@dataclass(frozen=True)
class RowResult:
    """One printed row and the row of the answer that matches it, {} if none does."""

    template: str
    expected: RowValues
    predicted: RowValues

    def is_right(self, leaf: str) -> bool:
        """Whether a printed value is right in letters and digits."""
        found = self.predicted.get(leaf)
        return found is not None and loose_form(found) == loose_form(self.expected[leaf])

    @property
    def is_whole(self) -> bool:
        """Whether all printed values are right."""
        return all(map(self.is_right, self.expected))


def predicted_rows(fields: Mapping[str, Any]) -> list[RowValues]:
    """Return the line items in the fields of an answer."""
    items = fields.get(LINE_ITEMS, {}).get("items", [])
    return [{leaf: plain_value(one.get("value")) for leaf, one in row.get("fields", {}).items()} for row in items]


def compare_rows(template: str, expected: Sequence[RowValues], predicted: Sequence[RowValues]) -> Iterator[RowResult]:
    """Match printed rows with those of an answer, see `training.metrics.align_rows`.

    Printed rows without a value are left out.
    """
    printed = [row for row in expected if row]
    for row, partner in zip(printed, align_rows(printed, predicted), strict=True):
        yield RowResult(template, row, {} if partner is None else predicted[partner])


def row_table(rows: Sequence[RowResult]) -> Iterator[str]:
    """Rows of a Markdown table: one per value, then whole rows with a 95 % interval over templates."""
    yield "| value of a row | n | letters and digits | not given | wrong |"
    yield "|---|---|---|---|---|"
    for leaf in dict.fromkeys(leaf for row in rows for leaf in row.expected):
        printed = [row for row in rows if leaf in row.expected]
        right = np.mean([row.is_right(leaf) for row in printed])
        missing = np.mean([row.predicted.get(leaf) is None for row in printed])
        yield f"| `{leaf}` | {len(printed)} | {right:.1%} | {missing:.1%} | {1 - right - missing:.1%} |"
    whole = [row.is_whole for row in rows]
    low, high = interval([row.template for row in rows], whole)
    missed = np.mean([not row.predicted for row in rows])
    yield (
        f"| **whole rows** | {len(rows)} | {np.mean(whole):.1%} ({low:.1%} to {high:.1%}) | {missed:.1%} "
        f"| {1 - np.mean(whole) - missed:.1%} |"
    )

"""One evaluated page with the service's answer to it: the input of every figure in docs/accuracy.md."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from docextract.documents.base import MRZ
from training.evaluation.accuracy.sets import EvaluationPage, PrintedRun
from training.evaluation.evaluate import PageOutcome, evaluate
from training.metrics import Comparison


@dataclass(frozen=True)
class PageResult:
    """A page, the comparison of its fields, and parts of the answer."""

    page: EvaluationPage
    outcome: PageOutcome
    ocr_lines: tuple[str, ...] = ()  # recognised text lines, from top to bottom
    zone: Mapping[str, Any] | None = None  # the machine-readable zone of the answer

    def printed_runs(self, comparison: Comparison) -> list[PrintedRun]:
        """Where a field is printed; [] if that is not known."""
        return [run for run in self.page.runs if run.field == sheet_field_name(comparison)]


def build_page_result(page: EvaluationPage, body: Mapping[str, Any]) -> PageResult:
    """Compare an answer with its page. body: of /extraction, requested with polygons and raw."""
    (outcome,) = evaluate([page.label], lambda *_: dict(body))
    document: dict[str, Any] = next(iter(body.get("documents", [])), {})
    lines = tuple(line["text"] for line in document.get("lines", []))
    return PageResult(page, outcome, lines, document.get("fields", {}).get(MRZ, {}).get("value"))


def sheet_field_name(comparison: Comparison) -> str:
    """Name of the field on a generated sheet, where rows are numbered: line_items.2.description."""
    group, _, leaf = comparison.field.partition(".")
    return comparison.field if comparison.row is None else f"{group}.{comparison.row}.{leaf}"


def iter_comparisons(results: Iterable[PageResult]) -> Iterator[tuple[PageResult, Comparison]]:
    """Every field of every page, with its page."""
    return ((result, comparison) for result in results for comparison in result.outcome.comparisons)


def alphanumeric(text: Any) -> str:
    """The letters and digits of a text, in capitals."""
    return "".join(filter(str.isalnum, str(text).upper()))

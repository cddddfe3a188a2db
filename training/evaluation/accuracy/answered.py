"""A page and what was said of it, side by side: what everything else here counts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from docextract.documents.base import MRZ
from training.evaluation.accuracy.sets import Run, Sample
from training.evaluation.evaluate import Outcome, evaluate
from training.evaluation.metrics import Comparison


@dataclass(frozen=True)
class Answered:
    """One page."""

    sample: Sample
    outcome: Outcome
    read: tuple[str, ...] = ()  # the lines that the reader found
    zone: Mapping[str, Any] | None = None  # the machine-readable zone that was found

    def printed(self, one: Comparison) -> list[Run]:
        """Where one of its fields is printed; [] where that is not known."""
        return [run for run in self.sample.runs if run.field == printed_name(one)]


def answered(sample: Sample, body: Mapping[str, Any]) -> Answered:
    """body: of /extraction, with polygons and raw."""
    (outcome,) = evaluate([sample.label], lambda _: dict(body))
    document: dict[str, Any] = next(iter(body.get("documents", [])), {})
    lines = tuple(line["text"] for line in document.get("raw", {}).get("lines", []))
    return Answered(sample, outcome, lines, document.get("fields", {}).get(MRZ, {}).get("value"))


def printed_name(one: Comparison) -> str:
    """The field as a sheet calls it: line_items.2.description."""
    group, _, leaf = one.field.partition(".")
    return one.field if one.row is None else f"{group}.{one.row}.{leaf}"


def comparisons(pages: Iterable[Answered]) -> Iterator[tuple[Answered, Comparison]]:
    """Every field of every page."""
    return ((page, one) for page in pages for one in page.outcome.comparisons)


def bare(text: Any) -> str:
    """Letters and digits alone, in capitals."""
    return "".join(filter(str.isalnum, str(text).upper()))

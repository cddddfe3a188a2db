"""What was found out about a request while it was worked on, to be told at its end by `telling`.

All that is told of a request's content is chosen here, so one can see in one place that it holds no value, no picture,
no file's name and no id that a caller made up for a document.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import product
from typing import get_args

from docextract.answers import schema
from docextract.observability import metrics
from docextract.pipeline import problems
from docextract.pipeline.options import Operation
from docextract.predictions import OTHER_TYPE
from docextract.quality.criteria import CRITERIA


@dataclass(eq=False)
class Account:
    """Of one request, from whoever worked on it."""

    facts: dict[str, bool | int | str] = field(default_factory=dict)

    def problem(self, code: str) -> None:
        """It was answered with this problem."""
        self.facts["code"] = code
        metrics.front().problems.labels(code).inc()

    def decoded(self, pages: int) -> None:
        """So many pages were in its files."""
        self.facts["pages"] = pages
        metrics.front().pages_decoded.inc(pages)

    def judged(self, operation: Operation, verdict: schema.Verdict) -> None:
        """This was found of its photos."""
        self.facts |= {"accepted": verdict.accepted, "quality_version": verdict.model.version}
        for image in verdict.images:
            metrics.front().verdicts.labels(operation, _yes_or_no(image.accepted)).inc()
            for criterion in image.criteria:
                metrics.front().criteria.labels(criterion.name, "passed" if criterion.passed else "failed").inc()
            for silent in image.not_assessed:
                metrics.front().criteria.labels(silent.name, silent.reason).inc()

    def read(self, documents: Sequence[schema.DocumentAnswer], extraction: schema.ModelName) -> None:
        """These documents were in it."""
        self.facts |= {"documents": len(documents), "extraction_version": extraction.version}
        for document in documents:
            metrics.front().documents.labels(document.type, _yes_or_no(document.needs_review)).inc()
            for level, count in Counter(_levels(document.fields.values())).items():
                metrics.front().fields.labels(document.type, level).inc(count)


_current: ContextVar[Account | None] = ContextVar("account", default=None)


def begin() -> Account:
    """One for the request that begins here."""
    account = Account()
    _current.set(account)
    return account


def current() -> Account:
    """Of the request at hand; outside of any, one that nobody reads."""
    return _current.get() or Account()


def expect(document_types: Iterable[str]) -> None:
    """Begin every count at zero: a share of photos of which none was accepted yet is 0, not nothing."""
    front, yes_and_no = metrics.front(), ("yes", "no")
    for labels in product(get_args(Operation), yes_and_no):
        front.verdicts.labels(*labels)
    for criterion, outcome in product(CRITERIA, ("passed", "failed")):
        front.criteria.labels(criterion.name, outcome)
    for name in (*document_types, OTHER_TYPE):
        for answer in yes_and_no:
            front.documents.labels(name, answer)
        for level in get_args(schema.ConfidenceLevel):
            front.fields.labels(name, level)
    for code in problems.CODES:
        front.problems.labels(code)


def _levels(fields: Iterable[schema.FieldAnswer]) -> Iterator[schema.ConfidenceLevel]:
    """Of every value, those in rows too."""
    for one in fields:
        if one.level is not None:
            yield one.level
        yield from _levels((one.fields or {}).values())
        yield from _levels(one.items or [])


def _yes_or_no(answer: bool) -> str:
    return "yes" if answer else "no"

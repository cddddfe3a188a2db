"""The facts of a request for its log line, metrics and trace span, collected while it is processed.

Everything that is recorded about a request's content is chosen here, so that one file shows that it contains no field
value, no picture, no file name, and no `external_id`. The id of the request is not chosen here: error_contract.py takes
the caller's X-Request-ID if it is a short word of safe characters.
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
class RequestRecord:
    """The record of one request. Each method also increments the metrics."""

    facts: dict[str, bool | int | str] = field(default_factory=dict)

    def add_key(self, name: str) -> None:
        """The request has the API key with this name, which the operator chose."""
        self.facts["key"] = name

    def add_problem(self, code: str) -> None:
        """The request was answered with this problem."""
        self.facts["code"] = code
        metrics.front().problems.labels(code).inc()

    def add_pages(self, count: int) -> None:
        """The uploads of the request were decoded to this number of pages."""
        self.facts["pages"] = count
        metrics.front().pages_decoded.inc(count)

    def add_verdict(self, operation: Operation, verdict: schema.Verdict) -> None:
        """The photos of the request were judged."""
        self.facts |= {"accepted": verdict.accepted, "quality_version": verdict.model.version}
        for image in verdict.images:
            metrics.front().verdicts.labels(operation, _yes_or_no(image.accepted)).inc()
            for criterion in image.criteria:
                metrics.front().criteria.labels(criterion.name, "passed" if criterion.passed else "failed").inc()
            for skipped in image.not_assessed:
                metrics.front().criteria.labels(skipped.name, skipped.reason).inc()

    def add_extraction_model(self, model: schema.ModelName) -> None:
        """The pages were read by this model."""
        self.facts["extraction_version"] = model.version

    def add_documents(self, documents: Sequence[schema.DocumentAnswer]) -> None:
        """The answer has these documents."""
        self.facts["documents"] = len(documents)
        for document in documents:
            metrics.front().documents.labels(document.type, _yes_or_no(document.needs_review)).inc()
            for level, count in Counter(_levels(document.fields.values())).items():
                metrics.front().fields.labels(document.type, level).inc(count)


_current: ContextVar[RequestRecord | None] = ContextVar("request_record", default=None)


def start_record() -> RequestRecord:
    """Create the record of a new request and make it the current one."""
    record = RequestRecord()
    _current.set(record)
    return record


def current_record() -> RequestRecord:
    """Return the record of the current request; outside of any request, one that is discarded."""
    return _current.get() or RequestRecord()


def initialize_counters(document_types: Iterable[str]) -> None:
    """Create every counter with the value 0.

    Before the first photo is accepted, the share of accepted photos is then 0 instead of undefined.
    """
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
    """Yield the level of every value, including those in table rows."""
    for one in fields:
        if one.level is not None:
            yield one.level
        yield from _levels((one.fields or {}).values())
        yield from _levels(one.items or [])


def _yes_or_no(answer: bool) -> str:
    return "yes" if answer else "no"

"""Counters and histograms for /metrics. Every label value comes from a list fixed in advance: their number is bounded.

BentoML merges the metrics of all processes from files that each process writes to the folder
PROMETHEUS_MULTIPROC_DIR, which it sets for every worker.
"""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import psutil
from prometheus_client import Counter, Gauge, Histogram, multiprocess

_REQUEST_BUCKETS_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60)
_RUNNER_BUCKETS_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60)
_BATCH_BUCKETS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


class FrontMetrics:
    """The metrics of the front process."""

    def __init__(self) -> None:
        """Registers the metrics; a process may do so once. Use `front()`."""
        self.requests = Counter(
            "docextract_requests",
            "Requests answered, counted by the outermost middleware",
            ["method", "route", "status"],
        )
        self.request_seconds = Histogram(
            "docextract_request_seconds",
            "Duration of requests, until the last byte of the answer",
            ["route"],
            buckets=_REQUEST_BUCKETS_S,
        )
        self.problems = Counter("docextract_problems", "Error responses, by problem code", ["code"])
        self.pages_decoded = Counter("docextract_pages_decoded", "Pages of uploads that were decoded")
        self.files_refused = Counter(
            "docextract_files_refused", "Uploads that could not be decoded, by problem code", ["code"]
        )
        self.long_files = Counter(
            "docextract_long_files", "Uploads that took long to decode and went on with low priority"
        )
        self.decoders_ended = Counter(
            "docextract_decoders_ended", "Decoding processes that crashed, or were ended because of a limit"
        )
        self.step_seconds = Histogram(
            "docextract_step_seconds", "Duration of each step of a request", ["step"], buckets=_REQUEST_BUCKETS_S
        )
        self.verdicts = Counter(
            "docextract_verdicts", "Photos judged, by whether they were accepted", ["operation", "accepted"]
        )
        self.criteria = Counter(
            "docextract_criteria",
            "Results of each criterion: passed, failed, or the reason why it was not assessed",
            ["criterion", "outcome"],
        )
        self.documents = Counter(
            "docextract_documents",
            "Documents extracted, by whether they need review",
            ["document_type", "needs_review"],
        )
        self.fields = Counter(
            "docextract_fields", "Fields extracted, by the level of their confidence", ["document_type", "level"]
        )


class RunnerMetrics:
    """The metrics of one runner process."""

    def __init__(self, model: str) -> None:
        """Registers the metrics; a process may do so once. Use `runner()`."""
        prefix = f"docextract_{model}"
        self._batch_items = Histogram(
            f"{prefix}_batch_items", f"Items in each batch of the {model} runner", buckets=_BATCH_BUCKETS
        )
        self._queue_seconds = Histogram(
            f"{prefix}_queue_seconds",
            f"Time of each item from its sending until the {model} runner starts its batch",
            buckets=_RUNNER_BUCKETS_S,
        )
        self._model_seconds = Histogram(
            f"{prefix}_model_seconds", f"Duration of each batch in the {model} model", buckets=_RUNNER_BUCKETS_S
        )

    def record_batch(self, waits_s: Sequence[float], duration_s: float) -> None:
        """Record one answered batch. waits_s: for each item, from its sending until the start of the batch."""
        self._batch_items.observe(len(waits_s))
        self._model_seconds.observe(duration_s)
        for wait_s in waits_s:
            self._queue_seconds.observe(max(0.0, wait_s))


@cache
def front() -> FrontMetrics:
    """Return the front metrics of this process."""
    return FrontMetrics()


@cache
def runner(model: str) -> RunnerMetrics:
    """Return the runner metrics of this process."""
    return RunnerMetrics(model)


@cache
def _model_info() -> Gauge:
    return Gauge(
        "docextract_model_info", "1 for each loaded model version", ["model", "version"], multiprocess_mode="livemax"
    )


def record_loaded_model(model: str, version: str) -> None:
    """Record that this process has loaded this version."""
    _model_info().labels(model, version).set(1)


def remove_gauges_of_dead_processes() -> None:
    """Remove the live gauges of processes that were killed; BentoML does so only for processes that end normally.

    Without this, a worker that died with three requests in progress would report them for ever.
    """
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    for file in Path(folder).glob("gauge_live*_*.db") if folder else ():
        pid = int(file.stem.rpartition("_")[2])
        if not psutil.pid_exists(pid):
            multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]

"""Counts and times for /metrics. Every label comes from a list that is known beforehand, so their number is bounded.

BentoML puts the figures of all processes together from files that each keeps, in the folder that
PROMETHEUS_MULTIPROC_DIR names in every worker from its start.
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


class Front:
    """What the front counts."""

    def __init__(self) -> None:
        """Registered once in a process; take `front()`."""
        self.requests = Counter(
            "docextract_requests", "Requests answered, at the outermost layer", ["method", "route", "status"]
        )
        self.request_seconds = Histogram(
            "docextract_request_seconds", "Time of requests, until the last byte", ["route"], buckets=_REQUEST_BUCKETS_S
        )
        self.problems = Counter("docextract_problems", "Answers that were a problem, by its code", ["code"])
        self.pages_decoded = Counter("docextract_pages_decoded", "Pages of files that could be opened")
        self.files_refused = Counter("docextract_files_refused", "Files that could not be opened, by code", ["code"])
        self.step_seconds = Histogram(
            "docextract_step_seconds", "Time of each step of a request", ["step"], buckets=_REQUEST_BUCKETS_S
        )
        self.verdicts = Counter(
            "docextract_verdicts", "Photos judged, by whether they were accepted", ["operation", "accepted"]
        )
        self.criteria = Counter(
            "docextract_criteria",
            "What each criterion said of photos: passed, failed, or why nothing",
            ["criterion", "outcome"],
        )
        self.documents = Counter(
            "docextract_documents", "Documents read, by whether they need review", ["document_type", "needs_review"]
        )
        self.fields = Counter(
            "docextract_fields", "Fields read, by the level of their confidence", ["document_type", "level"]
        )


class Runner:
    """What a runner counts."""

    def __init__(self, model: str) -> None:
        """Registered once in a process; take `runner()`."""
        prefix = f"docextract_{model}"
        self._batch_items = Histogram(
            f"{prefix}_batch_items", f"Items in each batch of the {model} runner", buckets=_BATCH_BUCKETS
        )
        self._queue_seconds = Histogram(
            f"{prefix}_queue_seconds",
            f"Time of each item from its sending until the {model} runner took it up",
            buckets=_RUNNER_BUCKETS_S,
        )
        self._model_seconds = Histogram(
            f"{prefix}_model_seconds", f"Time of each batch in the {model} model", buckets=_RUNNER_BUCKETS_S
        )

    def ran(self, waits_s: Sequence[float], took_s: float) -> None:
        """A batch was answered. waits_s: of each item, until it was taken up."""
        self._batch_items.observe(len(waits_s))
        self._model_seconds.observe(took_s)
        for wait_s in waits_s:
            self._queue_seconds.observe(max(0.0, wait_s))


@cache
def front() -> Front:
    """Of this process."""
    return Front()


@cache
def runner(model: str) -> Runner:
    """Of this process."""
    return Runner(model)


@cache
def _model_info() -> Gauge:
    return Gauge(
        "docextract_model_info", "1 for each model that is loaded", ["model", "version"], multiprocess_mode="livemax"
    )


def loaded(model: str, version: str) -> None:
    """This process holds this version."""
    _model_info().labels(model, version).set(1)


def forget_the_dead() -> None:
    """Take away what processes that were killed said of their present: BentoML does so for those that end in order.

    A worker that died with three requests inside would have three in progress for ever.
    """
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    for file in Path(folder).glob("gauge_live*_*.db") if folder else ():
        pid = int(file.stem.rpartition("_")[2])
        if not psutil.pid_exists(pid):
            multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]

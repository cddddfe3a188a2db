"""The BentoML services: DocumentService is the front; each of the two runners has a model in a process of its own.

The front receives requests, decodes pictures and writes answers; it never imports torch. The runners collect the images
of many requests into batches. All settings come from the environment, see docextract/settings.py. BentoML loads this
module through service.py at the root of the repository.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import bentoml
import cv2
import numpy as np
from bentoml._internal.utils.analytics import usage_stats
from starlette.types import ASGIApp

from docextract import observability
from docextract.documents import document_types, register_types
from docextract.http import request_record
from docextract.http.access import AccessControlMiddleware, with_cors
from docextract.http.access_log import AccessLogMiddleware
from docextract.http.app import create_app, paths
from docextract.http.draining import DrainingMiddleware
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.images import geometry
from docextract.images.geometry import PAPER_WHITE, Glimpse, Page
from docextract.keys import KeyRing
from docextract.memory import give_back_memory, return_only_large_blocks, share_one_pool
from docextract.observability import logs, metrics, traces
from docextract.observability.origin import Origin
from docextract.pipeline import decoding_pool
from docextract.pipeline.models import ExtractionTask, UnderstandingTask
from docextract.pipeline.shares import FairShares
from docextract.predictions import Assessment, DocumentPrediction, PagePrediction, Prediction, with_version
from docextract.registry import Version, record_served_version, start_first_working
from docextract.serving.bentoml_patches.dispatcher import dispatch_without_waiting
from docextract.serving.bentoml_patches.supervisor import patch_supervisor
from docextract.serving.chosen_versions import choose_versions, chosen_tag
from docextract.serving.model_calls import extract_tasks, understand_tasks
from docextract.serving.runners import answer_batch, call_runner, exit_if_stuck
from docextract.serving.shared_pages import can_share, shared
from docextract.settings import Settings, misspelt_variables

# No telemetry. The `bentoml` command has already read and cached this variable.
os.environ.setdefault("BENTOML_DO_NOT_TRACK", "True")
usage_stats.do_not_track.cache_clear()
# The other processes inherit it, and import NumPy before this module. After each product, OpenBLAS's threads go on for
# some milliseconds on cores that the networks need.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
dispatch_without_waiting()

log = logging.getLogger("docextract.serving")

SETTINGS = Settings()
KEY_RING = KeyRing(SETTINGS.api_keys, SETTINGS.api_keys_file)
MODELS_DIR = SETTINGS.models_folder
MODEL_NAMES = ("quality", "extraction")
patch_supervisor(partial(choose_versions, MODEL_NAMES, MODELS_DIR))
SERVED_VERSIONS = {
    name: start_first_working(name, MODELS_DIR, Version.verified, chosen_tag(name))[1] for name in MODEL_NAMES
}
register_types(SERVED_VERSIONS["extraction"].folder)  # types described in TOML are stored next to the weights

# BentoML closes a connection pool after 100 requests or 300 s without waiting for the calls on it: with the
# defaults, one call in twenty was lost with 8 parallel clients. So pools live as long as the process.
RUNNER_CONNECTION = {"max_requests": 1_000_000_000, "max_age": 1e9}
# In BentoML this is not a waiting time: queued calls that are older are dropped. http/admission.py refuses requests
# before that.
MAX_LATENCY_MS = round(SETTINGS.runner_timeout_s * 1000)
# BentoML's access log and traces contain the URL of a request as it was sent; http/access_log.py records requests
# instead.
NO_ACCESS_LOG: dict[str, Any] = {"logging": {"access": {"enabled": False}}, "tracing": {"excluded_urls": ".*"}}


def _has_gpu() -> bool:
    """Look for devices without torch, which must not be imported here."""
    return SETTINGS.device != "cpu" and any(Path("/dev").glob("nvidia[0-9]*"))


def _runner_options(workers: int = 1) -> dict[str, Any]:
    options: dict[str, Any] = {
        "workers": workers,
        "threads": 1,
        "traffic": {"timeout": SETTINGS.runner_timeout_s, "max_concurrency": SETTINGS.runner_concurrency},
        "runner_connection": RUNNER_CONNECTION,
        **NO_ACCESS_LOG,
    }
    if _has_gpu():
        options["resources"] = {"gpu": SETTINGS.gpu_share}
    return options


def _batched(max_items: int) -> Any:
    """Decorate a runner's method: calls are merged to batches of at most `max_items`; with 1, they are not merged."""
    if max_items == 1:
        return bentoml.api()
    return bentoml.api(batchable=True, max_batch_size=max_items, max_latency_ms=MAX_LATENCY_MS)


class _Runner:
    """The common part of both runners: a promoted model, its threads, and the metrics of its batches."""

    def __init__(self, name: str, threads: int, warm_up: Callable[[Any], object]) -> None:
        """warm_up: runs the model once, so that the first caller does not wait and a broken model is noticed."""
        observability.configure(f"{name}_runner", SETTINGS.log_format)
        share_one_pool()
        cv2.setNumThreads(1)  # OpenCV's threads go on after each call, too
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # torch reads it when it is imported
        device = SETTINGS.device
        if device == "auto":
            import torch

            device = "cuda" if torch.cuda.is_available() else "cpu"

        def start(version: Version) -> Any:
            import_module(version.loader.partition(":")[0])
            if torch := sys.modules.get("torch"):  # its import takes 3 s of CPU time, and not every model needs it
                torch.set_num_threads(threads)
            model = version.load(device)
            warm_up(model)
            return model

        self._version, self._model = start_first_working(name, MODELS_DIR, start, chosen_tag(name))
        record_served_version(self._version)
        metrics.record_loaded_model(name, self._version.version)

    def _answer(self, model: Callable[[list[Any]], Sequence[Prediction]], tagged: list[Any]) -> list[Any]:
        """Answer tagged items; each answer names the version that made it."""
        origins = [item.origin for item in tagged]
        with observability.observe_batch(self._version.name, origins), exit_if_stuck(SETTINGS.stuck_after_s):
            return answer_batch(lambda items: with_version(model(items), self._version.version), tagged)

    @bentoml.api(batchable=True, max_batch_size=32, max_latency_ms=MAX_LATENCY_MS)
    async def versions(self, tagged: list[Any]) -> list[Any]:
        """Return the loaded version, once per item."""
        return answer_batch(lambda items: [self._version] * len(items), tagged)


@bentoml.service(name="quality_runner", **_runner_options())
class QualityRunner(_Runner):
    """Detects the document on photos and the defects of the photos."""

    def __init__(self) -> None:
        """Load the model and warm it up with an empty page."""
        super().__init__(
            "quality", SETTINGS.quality_threads, lambda model: model.assess([geometry.take_glimpse(_empty_page())])
        )

    @_batched(SETTINGS.quality_batch)
    def assess(self, glimpses: list[Any]) -> list[Any]:
        """Return an Assessment or an ItemFailure per tagged glimpse, in input order."""
        return self._answer(self._model.assess, glimpses)


@bentoml.service(name="extraction_runner", **_runner_options(SETTINGS.extraction_workers))
class ExtractionRunner(_Runner):
    """Extracts the fields of pages."""

    def __init__(self) -> None:
        """Load the model and warm it up with an empty page."""
        return_only_large_blocks()  # the quality network would take a fifth more time: its blocks are large
        super().__init__(
            "extraction", SETTINGS.extraction_threads, lambda model: model.extract([_empty_page()], ["auto"])
        )

    @_batched(SETTINGS.extraction_batch)
    def extract(self, tasks: list[Any]) -> list[Any]:
        """Return a PagePrediction or an ItemFailure per tagged task, in input order."""
        return self._answer(self._extract, tasks)

    def _extract(self, tasks: list[ExtractionTask]) -> list[PagePrediction]:
        try:
            return extract_tasks(self._model, tasks)
        finally:
            give_back_memory()

    @_batched(SETTINGS.extraction_batch)
    def understand(self, tasks: list[Any]) -> list[Any]:
        """Return the predictions for the pages of each document, or an ItemFailure, per tagged task, in input order."""
        return self._answer(self._understand, tasks)

    def _understand(self, tasks: list[UnderstandingTask]) -> list[DocumentPrediction]:
        return understand_tasks(self._model, tasks)


def _empty_page() -> Page:
    return np.full((480, 360, 3), PAPER_WHITE, np.uint8)


class _RemoteModels:
    """The two runners behind the interface `Models`.

    Only two batches of pages are sent to the extraction runner at a time, the current and the next. The others wait
    here: when a caller disconnects, its pages are dropped, whereas pages in the runner's queue would still be
    processed.
    """

    def __init__(self) -> None:
        """Create the limit of pages in the runner, which callers share fairly."""
        self._extraction_places = FairShares(2 * SETTINGS.extraction_batch * SETTINGS.extraction_workers)

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Call the quality runner."""
        return await call_runner(_service().quality.to_async.assess, glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Call the extraction runner page by page: one request may have more pages than are sent at a time.

        Raises the first RunnerError of a page; the other pages of the request are cancelled.
        """
        origin = traces.current_origin()
        try:
            async with asyncio.TaskGroup() as group:
                calls = [group.create_task(self._extract(task, origin)) for task in tasks]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [prediction for call in calls for prediction in call.result()]

    async def understand(self, tasks: Sequence[UnderstandingTask]) -> list[tuple[PagePrediction, ...]]:
        """Call the extraction runner with the lines of each document."""
        predictions: list[DocumentPrediction] = await call_runner(_service().extraction.to_async.understand, tasks)
        return [prediction.pages for prediction in predictions]

    async def _extract(self, task: ExtractionTask, origin: Origin) -> list[PagePrediction]:
        async with self._extraction_places.turn():
            with shared(task.page) as page:
                return await call_runner(_service().extraction.to_async.extract, [replace(task, page=page)], origin)


def _service() -> Any:
    return bentoml.get_current_service()


async def _loaded_versions() -> list[Version]:
    """Return the versions that both runners have loaded."""
    runners = (_service().quality, _service().extraction)
    answers = await asyncio.gather(*(call_runner(runner.to_async.versions, [None]) for runner in runners))
    return [version for versions in answers for version in versions]


APP = create_app(_RemoteModels(), SETTINGS, SERVED_VERSIONS, _loaded_versions)


class _WrappedService(bentoml.Service):
    """A service with our middlewares around the whole application, including BentoML's own middlewares."""

    def to_asgi(self, is_main: bool = True) -> ASGIApp:
        inner: ASGIApp = super().to_asgi(is_main=is_main)
        if not is_main:
            return inner
        allowed = AccessControlMiddleware(DrainingMiddleware(inner, SETTINGS.drain_file), KEY_RING, SETTINGS)
        app = ErrorContractMiddleware(allowed, paths(APP), SETTINGS.max_request_bytes)
        return AccessLogMiddleware(with_cors(app, SETTINGS.allowed_origins), paths(APP))


@bentoml.asgi_app(APP, path="/")
@bentoml.service(
    name="docextract",
    service_class=_WrappedService,
    workers=SETTINGS.front_workers,
    # No max_concurrency: it would count requests during their upload; http/admission.py counts them after it.
    traffic={"timeout": SETTINGS.timeout_s},
    # BentoML's own probe of the runners hangs while one is loading or dead; __is_ready__ has a time limit.
    runner_probe={"enabled": False},
    **NO_ACCESS_LOG,
)
class DocumentService:
    """Judges photos of documents and extracts the data of the documents."""

    quality = bentoml.depends(QualityRunner)
    extraction = bentoml.depends(ExtractionRunner)

    def __init__(self) -> None:
        """Set up the observability of this process, and start its decoding processes."""
        observability.configure("docextract", SETTINGS.log_format)
        can_share()  # now, so that the first page does not wait for the answer, which is kept
        decoding_pool.warm_up(SETTINGS.decode_threads)
        self._not_ready: list[str] = []
        request_record.initialize_counters(document_types())

    @bentoml.on_deployment  # runs in the supervisor
    @staticmethod
    def configure_supervisor() -> None:
        """Log the supervisor's lines in the same format as all others, and once what concerns all processes."""
        logs.configure_logging("supervisor", SETTINGS.log_format)
        for variable, meant in misspelt_variables(os.environ).items():
            log.warning("this variable is not a setting", extra={"variable": variable, "did_you_mean": meant})

    async def __is_ready__(self) -> bool:
        """Whether every stage works. Never raises: BentoML would hang."""
        stages = {
            "decoding": APP.state.decoding_pool.works,
            "quality runner": lambda: _answers(self.quality),
            "extraction runner": lambda: _answers(self.extraction),
        }
        ready = await asyncio.gather(*map(_in_time, stages.values()))
        not_ready = [name for name, is_ready in zip(stages, ready, strict=True) if not is_ready]
        if not_ready != self._not_ready:
            log.warning("readiness changed", extra={"not_ready": not_ready})
            self._not_ready = not_ready
        return not not_ready


async def _answers(runner: Any) -> bool:
    if not hasattr(runner, "is_ready"):
        return True  # the runner is in this process, as under a test client
    return bool(await runner.is_ready())


async def _in_time(check: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(SETTINGS.ready_timeout_s):
            return await check()
    except Exception:
        return False

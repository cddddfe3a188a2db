"""The BentoML services: DocumentService in front, the two models behind it, each in a process of its own.

The front takes requests, decodes pictures and writes answers; it never imports torch. The runners collect
the images of many requests into batches. Every setting comes from the environment, see docextract/settings.py.
BentoML loads this module through service.py at the root of the repository.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bentoml
import numpy as np
from bentoml._internal.utils.analytics import usage_stats
from starlette.types import ASGIApp

from docextract import observability
from docextract.documents import document_types, register_types
from docextract.http import request_record
from docextract.http.access import AccessControlMiddleware, cross_origin
from docextract.http.access_log import Told
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.images import geometry
from docextract.images.geometry import PAPER_WHITE, Glimpse, Page
from docextract.keys import KeyRing
from docextract.observability import logs, metrics, traces
from docextract.observability.origin import Origin
from docextract.pipeline.models import ExtractionTask
from docextract.predictions import Assessment, PagePrediction, Prediction, with_version
from docextract.registry import Version, record_served_version, start_first_working
from docextract.serving.bentoml_patches.dispatcher import never_wait_for_company
from docextract.serving.bentoml_patches.supervisor import supervise
from docextract.serving.runners import answer_batch, ask, ended_if_stuck
from docextract.settings import Settings

# No telemetry. The `bentoml` command has already looked, and remembers that nothing was said.
os.environ.setdefault("BENTOML_DO_NOT_TRACK", "True")
usage_stats.do_not_track.cache_clear()
supervise()
never_wait_for_company()

SETTINGS = Settings()
KEYS = KeyRing(SETTINGS.api_keys, SETTINGS.api_keys_file)
MODELS_DIR = SETTINGS.models_folder
MODELS = ("quality", "extraction")
SERVED = {name: start_first_working(name, MODELS_DIR, Version.verified)[1] for name in MODELS}
register_types(SERVED["extraction"].folder)  # types without code lie beside the weights that know them

# BentoML closes a connection pool after 100 requests or 300 s without waiting for the calls on it: with the
# defaults, one call in twenty was lost at 8 parallel clients. So pools live as long as the process.
RUNNER_CONNECTION = {"max_requests": 1_000_000_000, "max_age": 1e9}
# In BentoML this is no waiting time but the point from which queued calls are thrown away. Calls are turned
# away at the door instead, by http/admission.py.
MAX_LATENCY_MS = round(SETTINGS.runner_timeout_s * 1000)
# What BentoML writes of a request holds its address as it was sent; http/request_record.py tells of requests instead.
SILENT: dict[str, Any] = {"logging": {"access": {"enabled": False}}, "tracing": {"excluded_urls": ".*"}}


def _has_gpu() -> bool:
    """Without asking torch, which is not to be imported here."""
    return SETTINGS.device != "cpu" and any(Path("/dev").glob("nvidia[0-9]*"))


def _runner_options(workers: int = 1) -> dict[str, Any]:
    options: dict[str, Any] = {
        "workers": workers,
        "threads": 1,
        "traffic": {"timeout": SETTINGS.runner_timeout_s, "max_concurrency": SETTINGS.runner_concurrency},
        "runner_connection": RUNNER_CONNECTION,
        **SILENT,
    }
    if _has_gpu():
        options["resources"] = {"gpu": SETTINGS.gpu_share}
    return options


def _batched(most_items: int) -> Any:
    """A runner's method that many callers share; where that is one, each call is alone."""
    if most_items == 1:
        return bentoml.api()
    return bentoml.api(batchable=True, max_batch_size=most_items, max_latency_ms=MAX_LATENCY_MS)


class _Runner:
    """What both runners are: a promoted model, its threads, and a count of what comes in a batch."""

    def __init__(self, name: str, threads: int, trial: Callable[[Any], object]) -> None:
        """trial: makes the model work once, so that the first caller does not wait, and a broken one is found out."""
        observability.start(f"{name}_runner", SETTINGS.log_format)
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # torch reads it when imported
        import torch

        torch.set_num_threads(threads)
        device = SETTINGS.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"

        def start(version: Version) -> Any:
            model = version.load(device)
            trial(model)
            return model

        self._version, self._model = start_first_working(name, MODELS_DIR, start)
        record_served_version(self._version)
        metrics.loaded(name, self._version.version)

    def _answer(self, model: Callable[[list[Any]], Sequence[Prediction]], parcels: list[Any]) -> list[Any]:
        """Parcels in; in each, an answer that names the version that made it."""
        origins = [parcel.origin for parcel in parcels]
        with observability.batch(self._version.name, origins), ended_if_stuck(SETTINGS.stuck_after_s):
            return answer_batch(lambda items: with_version(model(items), self._version.version), parcels)

    @bentoml.api(batchable=True, max_batch_size=32, max_latency_ms=MAX_LATENCY_MS)
    async def versions(self, parcels: list[Any]) -> list[Any]:
        """What is loaded here."""
        return answer_batch(lambda items: [self._version] * len(items), parcels)


@bentoml.service(name="quality_runner", **_runner_options())
class QualityRunner(_Runner):
    """Looks at photos: where is the document, and can it be read?"""

    def __init__(self) -> None:
        """Load, and look once at nothing."""
        super().__init__("quality", SETTINGS.quality_threads, lambda model: model.assess([geometry.take_glimpse(_blank())]))

    @_batched(SETTINGS.quality_batch)
    def assess(self, glimpses: list[Any]) -> list[Any]:
        """Glimpses in, an Assessment or a Failure for each."""
        return self._answer(self._model.assess, glimpses)


@bentoml.service(name="extraction_runner", **_runner_options(SETTINGS.extraction_workers))
class ExtractionRunner(_Runner):
    """Reads pages."""

    def __init__(self) -> None:
        """Load, and read an empty page."""
        super().__init__("extraction", SETTINGS.extraction_threads, lambda model: model.extract([_blank()], ["auto"]))

    @_batched(SETTINGS.extraction_batch)
    def extract(self, tasks: list[Any]) -> list[Any]:
        """Tasks in, a PagePrediction or a Failure for each."""
        return self._answer(self._extract, tasks)

    def _extract(self, tasks: list[ExtractionTask]) -> list[PagePrediction]:
        found: list[PagePrediction] = self._model.extract(
            [task.page for task in tasks], [task.document_type for task in tasks]
        )
        return found


def _blank() -> Page:
    return np.full((480, 360, 3), PAPER_WHITE, np.uint8)


class _RemoteModels:
    """The two runners, as the HTTP layer wants them.

    Pages wait here, all but a batch that is being read and the next: a caller who leaves takes theirs along, while in
    the runner's queue they would be read for nobody.
    """

    def __init__(self) -> None:
        """Nothing waits."""
        self._extractions = asyncio.Semaphore(2 * SETTINGS.extraction_batch * SETTINGS.extraction_workers)

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Ask the quality runner."""
        return await ask(_service().quality.to_async.assess, glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Ask the extraction runner, page by page: one request may have more pages than there are turns.

        Raises the first RunnerTroubleError that a page met; its other pages are given up.
        """
        origin = traces.origin()
        try:
            async with asyncio.TaskGroup() as group:
                asked = [group.create_task(self._extract(task, origin)) for task in tasks]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [found for one in asked for found in one.result()]

    async def _extract(self, task: ExtractionTask, origin: Origin) -> list[PagePrediction]:
        async with self._extractions:
            return await ask(_service().extraction.to_async.extract, [task], origin)


def _service() -> Any:
    return bentoml.get_current_service()


async def _versions() -> list[Version]:
    """Ask both runners what they have loaded."""
    runners = (_service().quality, _service().extraction)
    found = await asyncio.gather(*(ask(runner.to_async.versions, [None]) for runner in runners))
    return [version for versions in found for version in versions]


APP = create_app(_RemoteModels(), SETTINGS, SERVED, _versions)


class _EdgeService(bentoml.Service):
    """A service with the edge around all of it, BentoML's own middlewares included."""

    def to_asgi(self, is_main: bool = True) -> ASGIApp:
        inner: ASGIApp = super().to_asgi(is_main=is_main)
        if not is_main:
            return inner
        edge = ErrorContractMiddleware(
            AccessControlMiddleware(inner, KEYS, SETTINGS), paths(APP), SETTINGS.max_request_bytes
        )
        return Told(cross_origin(edge, SETTINGS.allowed_origins), paths(APP))


@bentoml.asgi_app(APP, path="/")
@bentoml.service(
    name="docextract",
    service_class=_EdgeService,
    workers=SETTINGS.front_workers,
    # No max_concurrency: it would count those who are still uploading; http/admission.py counts the others.
    traffic={"timeout": SETTINGS.timeout_s},
    # BentoML's own probe of the runners hangs while one is loading or dead; __is_ready__ does it with a clock.
    runner_probe={"enabled": False},
    **SILENT,
)
class DocumentService:
    """Is this photo of a document good enough, and what does the document say?"""

    quality = bentoml.depends(QualityRunner)
    extraction = bentoml.depends(ExtractionRunner)

    def __init__(self) -> None:
        """Begin to tell of this process."""
        observability.start("docextract", SETTINGS.log_format)
        request_record.expect(document_types())

    @bentoml.on_deployment  # run in the process that starts the others
    @staticmethod
    def tell() -> None:
        """Write the supervisor's lines as all others are written."""
        logs.configure("supervisor", SETTINGS.log_format)

    async def __is_ready__(self) -> bool:
        """Both runners answer, and nobody asked us to drain. Never raises: BentoML would hang."""
        if SETTINGS.drain_file is not None and SETTINGS.drain_file.exists():
            return False
        return all(await asyncio.gather(_ready(self.quality), _ready(self.extraction)))


async def _ready(runner: Any) -> bool:
    if not hasattr(runner, "is_ready"):
        return True  # in this very process, as under a test client
    try:
        async with asyncio.timeout(SETTINGS.ready_timeout_s):
            return bool(await runner.is_ready())
    except Exception:
        return False

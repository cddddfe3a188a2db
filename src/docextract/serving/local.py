"""The service in one process: the application of http/ with models in this process, called without a network.

Callers use the same client and get the same answers as from a server, including problems and limits. The command line
and the evaluation use it.
"""

import itertools
import math
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio.from_thread
import anyio.to_thread
import httpx

from docextract.client import Client
from docextract.documents import register_types
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.images.geometry import Glimpse, Page
from docextract.pipeline.models import ExtractionTask, ModelFailedError, Models, UnderstandingTask
from docextract.predictions import Assessment, PagePrediction, TextLine
from docextract.registry import Version, promoted_version
from docextract.serving.model_calls import extract_tasks, read_box, understand_tasks
from docextract.serving.runners import ItemFailure, answer_each
from docextract.settings import Device, Settings

_ADDRESS = "http://in-this-process"
_Result = TypeVar("_Result")


@dataclass(eq=False)
class _Call:
    """The items of one call, and their answers once they are available."""

    items: Sequence[Any]
    answers: list[Any] | None = None


class _Model:
    """One promoted model, loaded at its first use and used by one thread at a time.

    Calls of other threads wait meanwhile and are then answered as one batch of whole calls, up to `max_batch` items.
    """

    def __init__(
        self,
        name: str,
        models_dir: Path,
        device: Device,
        max_batch: int,
        predict: Callable[[Any, list[Any]], Sequence[Any]],
    ) -> None:
        self.version = promoted_version(name, models_dir)
        self._device = device
        self._max_batch = max_batch
        self._predict = predict
        self._lock = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._loaded: Any = None

    def call(self, items: Sequence[Any]) -> list[Any]:
        """Return one answer per item, in input order. Raises ModelFailedError if the model fails on one of them."""
        mine = _Call(items)
        self._waiting.append(mine)
        with self._lock:
            self._load()
            while mine.answers is None:  # the thread that had the lock may have answered this call, too
                self._answer_together(self._take_batch())
        assert mine.answers is not None
        if failed := [answer.kind for answer in mine.answers if isinstance(answer, ItemFailure)]:
            raise ModelFailedError(", ".join(failed))
        return mine.answers

    def load(self) -> None:
        with self._lock:
            self._load()

    def use(self, call: Callable[[Any], _Result]) -> _Result:
        """Return the result of a call that is not batched. Raises ModelFailedError if it fails."""
        with self._lock:
            self._load()
            try:
                return call(self._loaded)
            except Exception as error:
                raise ModelFailedError(type(error).__name__) from error

    def _load(self) -> None:
        if self._loaded is None:
            self._loaded = self.version.load(_resolve(self._device))

    def _take_batch(self) -> list[_Call]:
        """Remove at least one call from the waiting ones. The caller must hold the lock."""
        calls = [self._waiting.popleft()]
        room = self._max_batch - len(calls[0].items)
        while self._waiting and len(self._waiting[0].items) <= room:
            calls.append(self._waiting.popleft())
            room -= len(calls[-1].items)
        return calls

    def _answer_together(self, calls: Sequence[_Call]) -> None:
        answers = iter(
            answer_each(lambda items: self._predict(self._loaded, items), [i for c in calls for i in c.items])
        )
        for call in calls:
            call.answers = list(itertools.islice(answers, len(call.items)))


class LocalModels:
    """The promoted models, loaded in this process, behind the interface `Models`."""

    def __init__(self, models_dir: Path, device: Device = "cpu", batch: int = 1) -> None:
        """Read both ledgers. Raises RegistryError or DescriptionError for invalid ones.

        batch: maximum number of images of different threads that are answered together; 1: each call on its own.
        """
        self._models = {
            "quality": _Model("quality", models_dir, device, batch, lambda model, items: model.assess(items)),
            "extraction": _Model("extraction", models_dir, device, batch, extract_tasks),
        }
        self.served = {name: model.version for name, model in self._models.items()}
        self.quality, self.extraction = self.served["quality"], self.served["extraction"]
        register_types(self.extraction.folder)  # types described in TOML are stored next to the weights

    def load(self, *names: str) -> None:
        """Verify and load these models now, not at their first use. Raises RegistryError for damaged weights."""
        for name in names:
            self._models[name].load()

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return one assessment per glimpse, in input order."""
        return await anyio.to_thread.run_sync(self._models["quality"].call, glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Return one prediction per task, in input order."""
        return await anyio.to_thread.run_sync(self._models["extraction"].call, tasks)

    async def understand(self, tasks: Sequence[UnderstandingTask]) -> list[tuple[PagePrediction, ...]]:
        """Return the predictions for the pages of each document, in input order."""
        model = self._models["extraction"]
        predictions = await anyio.to_thread.run_sync(lambda: model.use(lambda loaded: understand_tasks(loaded, tasks)))
        return [prediction.pages for prediction in predictions]

    def read_box(self, page: Page, box: tuple[int, int, int, int]) -> tuple[TextLine, ...]:
        """Return the lines in a box of a page, in reading order; see model_calls.read_box. Raises ModelFailedError."""
        return self._models["extraction"].use(lambda model: read_box(model, page, box))


class ServedModels(Models, Protocol):
    """The two models and their versions."""

    served: dict[str, Version]


@contextmanager
def client(models: ServedModels, settings: Settings | None = None) -> Iterator[Client]:
    """Yield a Client whose service is this process. settings: None reads them from the environment.

    No request is refused because of a long waiting time: the user of a local client sees that the machine is working.
    """
    settings = (settings or Settings()).model_copy(update={"max_wait_s": math.inf, "max_concurrency": sys.maxsize})
    app = create_app(models, settings, models.served)
    wrapped = ErrorContractMiddleware(app, paths(app), settings.max_request_bytes)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        Client(_ADDRESS, transport=_InMemoryTransport(wrapped, portal)) as local,
    ):
        yield local


class _InMemoryTransport(httpx.BaseTransport):
    """Calls an ASGI application through httpx's asynchronous transport, for synchronous callers."""

    def __init__(self, app: ErrorContractMiddleware, portal: anyio.from_thread.BlockingPortal) -> None:
        self._transport = httpx.ASGITransport(app)
        self._portal = portal

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._portal.call(self._answer, request)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        response = await self._transport.handle_async_request(request)
        content = await response.aread()
        return httpx.Response(response.status_code, headers=response.headers, content=content)


def _resolve(device: Device) -> str:
    if device != "auto":
        return device
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"

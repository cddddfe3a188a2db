"""The service without its processes: the very application of http/, asked in memory, on models in this process.

Whatever asks a server asks this in the same words and gets the same answer, refusals and limits included: the
command line and the evaluation are clients of it.
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
from typing import Any, Protocol

import anyio.from_thread
import anyio.to_thread
import httpx

from docextract.client import Client
from docextract.documents import register_types
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.images.geometry import Glimpse
from docextract.pipeline.models import ExtractionTask, ModelFailedError, Models
from docextract.predictions import Assessment, PagePrediction
from docextract.registry import Version, promoted_version
from docextract.serving.runners import Failure, answer_each
from docextract.settings import Device, Settings

_ADDRESS = "http://in-this-process"


@dataclass(eq=False)
class _Call:
    """Items that one caller asks about, and the answers once they are there."""

    items: Sequence[Any]
    answers: list[Any] | None = None


class _Model:
    """One promoted model, loaded when it is first needed and asked by one thread at a time.

    What other threads ask meanwhile waits, and is answered together: whole calls, up to `batch` items.
    """

    def __init__(
        self, name: str, models_dir: Path, device: Device, batch: int, answer: Callable[[Any, list[Any]], Sequence[Any]]
    ) -> None:
        self.version = promoted_version(name, models_dir)
        self._device = device
        self._batch = batch
        self._answer = answer
        self._turn = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self._loaded: Any = None

    def ask(self, items: Sequence[Any]) -> list[Any]:
        """Raises ModelFailedError where the model fails on one of them."""
        mine = _Call(items)
        self._waiting.append(mine)
        with self._turn:
            self._load()
            while mine.answers is None:  # whoever had the turn may have answered this, too
                self._answer_together(self._next())
        assert mine.answers is not None
        if failed := [answer.kind for answer in mine.answers if isinstance(answer, Failure)]:
            raise ModelFailedError(", ".join(failed))
        return mine.answers

    def load(self) -> None:
        with self._turn:
            self._load()

    def _load(self) -> None:
        if self._loaded is None:
            self._loaded = self.version.load(_resolved(self._device))

    def _next(self) -> list[_Call]:
        """At least one; only who has the turn takes."""
        calls = [self._waiting.popleft()]
        room = self._batch - len(calls[0].items)
        while self._waiting and len(self._waiting[0].items) <= room:
            calls.append(self._waiting.popleft())
            room -= len(calls[-1].items)
        return calls

    def _answer_together(self, calls: Sequence[_Call]) -> None:
        answers = iter(
            answer_each(lambda items: self._answer(self._loaded, items), [i for c in calls for i in c.items])
        )
        for call in calls:
            call.answers = list(itertools.islice(answers, len(call.items)))


class LocalModels:
    """The promoted models as the HTTP layer sees the runners."""

    def __init__(self, models_dir: Path, device: Device = "cpu", batch: int = 1) -> None:
        """Read both ledgers. Raises RegistryError or DescriptionError where they do not make sense.

        batch: as many images that different threads ask about are answered together; with 1, none are.
        """
        self._models = {
            "quality": _Model("quality", models_dir, device, batch, lambda model, items: model.assess(items)),
            "extraction": _Model("extraction", models_dir, device, batch, _extract),
        }
        self.served = {name: model.version for name, model in self._models.items()}
        self.quality, self.extraction = self.served["quality"], self.served["extraction"]
        register_types(self.extraction.folder)  # types without code lie beside the weights that know them

    def load(self, *names: str) -> None:
        """Verify and load these now, not at the first question. Raises RegistryError where weights are not whole."""
        for name in names:
            self._models[name].load()

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """In order."""
        return await anyio.to_thread.run_sync(self._models["quality"].ask, glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """In order."""
        return await anyio.to_thread.run_sync(self._models["extraction"].ask, tasks)


def _extract(model: Any, tasks: list[ExtractionTask]) -> Sequence[PagePrediction]:
    found: Sequence[PagePrediction] = model.extract(
        [task.page for task in tasks], [task.document_type for task in tasks]
    )
    return found


class ServedModels(Models, Protocol):
    """Models that can be asked, and which versions they are."""

    served: dict[str, Version]


@contextmanager
def client(models: ServedModels, settings: Settings | None = None) -> Iterator[Client]:
    """A Client whose service is this process. settings: from the environment, as the service reads them.

    Nobody is turned away because there is much to do: whoever asks here can see that the machine works.
    """
    settings = (settings or Settings()).model_copy(update={"max_wait_s": math.inf, "max_concurrency": sys.maxsize})
    app = create_app(models, settings, models.served)
    edge = ErrorContractMiddleware(app, paths(app), settings.max_request_bytes)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        Client(_ADDRESS, transport=_InMemory(edge, portal)) as made,
    ):
        yield made


class _InMemory(httpx.BaseTransport):
    """httpx's own way to ask an ASGI application, for callers that wait."""

    def __init__(self, app: ErrorContractMiddleware, portal: anyio.from_thread.BlockingPortal) -> None:
        self._transport = httpx.ASGITransport(app)
        self._portal = portal

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._portal.call(self._answer, request)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        response = await self._transport.handle_async_request(request)
        content = await response.aread()
        return httpx.Response(response.status_code, headers=response.headers, content=content)


def _resolved(device: Device) -> str:
    if device != "auto":
        return device
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"

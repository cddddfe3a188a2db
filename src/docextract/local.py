"""The service without its processes: the very application of http/, asked in memory, on models in this process.

Whatever asks a server asks this in the same words and gets the same answer, refusals and limits included: the
command line and the evaluation are clients of it.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import anyio.from_thread
import anyio.to_thread
import httpx

from docextract.client import Client
from docextract.documents import describe_types
from docextract.findings import Assessment, Found
from docextract.http.app import create_app, paths
from docextract.http.edge import Edge
from docextract.imaging import Glimpse
from docextract.registry import Version, promoted
from docextract.runners import Models, Task
from docextract.settings import Device, Settings

_BESIDE_THE_SOURCES = Path(__file__).resolve().parents[2]
_ADDRESS = "http://in-this-process"


class _Model:
    """One promoted model, loaded when it is first needed and asked by one thread at a time."""

    def __init__(self, name: str, models_dir: Path, device: Device) -> None:
        self.version = promoted(name, models_dir)
        self._device = device
        self._turn = threading.Lock()
        self._loaded: Any = None

    def ask(self, method: str, *arguments: Any) -> Any:
        with self._turn:
            self._load()
            return getattr(self._loaded, method)(*arguments)

    def load(self) -> None:
        with self._turn:
            self._load()

    def _load(self) -> None:
        if self._loaded is None:
            self._loaded = self.version.load(_resolved(self._device))


class LocalModels:
    """The promoted models as the HTTP layer sees the runners."""

    def __init__(self, models_dir: Path, device: Device = "cpu") -> None:
        """Read both ledgers. Raises RegistryError or DescriptionError where they do not make sense."""
        self._models = {name: _Model(name, models_dir, device) for name in ("quality", "extraction")}
        self.served = {name: model.version for name, model in self._models.items()}
        self.quality, self.extraction = self.served["quality"], self.served["extraction"]
        describe_types(self.extraction.folder)  # types without code lie beside the weights that know them

    def load(self, *names: str) -> None:
        """Verify and load these now, not at the first question. Raises RegistryError where weights are not whole."""
        for name in names:
            self._models[name].load()

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """In order."""
        found: list[Assessment] = await anyio.to_thread.run_sync(self._models["quality"].ask, "assess", list(glimpses))
        return found

    async def extract(self, tasks: Sequence[Task]) -> list[Found]:
        """In order."""
        pages, types = [task.page for task in tasks], [task.document_type for task in tasks]
        found: list[Found] = await anyio.to_thread.run_sync(self._models["extraction"].ask, "extract", pages, types)
        return found


class ServedModels(Models, Protocol):
    """Models that can be asked, and which versions they are."""

    served: dict[str, Version]


@contextmanager
def client(models: ServedModels, settings: Settings | None = None) -> Iterator[Client]:
    """A Client whose service is this process. settings: from the environment, as the service reads them."""
    settings = settings or Settings()
    app = create_app(models, settings, models.served)
    edge = Edge(app, paths(app), settings.max_request_bytes)
    # No time limit: whoever waits here can see that the machine works.
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        Client(_ADDRESS, transport=_InMemory(edge, portal)) as made,
    ):
        yield made


def models_dir(settings: Settings) -> Path:
    """Where the ledger is: as set; or in the working folder; or beside the sources, as in a checkout."""
    if settings.models_dir.is_absolute() or settings.models_dir.is_dir():
        return settings.models_dir
    return _BESIDE_THE_SOURCES / settings.models_dir


class _InMemory(httpx.BaseTransport):
    """httpx's own way to ask an ASGI application, for callers that wait."""

    def __init__(self, app: Edge, portal: anyio.from_thread.BlockingPortal) -> None:
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

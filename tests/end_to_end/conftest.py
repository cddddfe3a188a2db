"""Fixtures that start the real service: `bentoml serve` with its separate processes, with stub models."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import httpx
import psutil
import pytest

from docextract.registry import promote
from tests.processes import children_where

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
START_WITHIN_S = 90.0
STOP_WITHIN_S = 30.0


@dataclass
class Server:
    """A running service with a client, its log and its folder of models."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    models: Path
    environment: dict[str, str]
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, timeout=60, limits=httpx.Limits(max_connections=100))

    def wait_until(self, path: str, status: int, within_s: float = START_WITHIN_S) -> float:
        """Wait until this path answers with this status; return the seconds that it took."""
        start = time.monotonic()
        last: object = None
        while time.monotonic() - start < within_s:
            assert self.process.poll() is None, f"the service has ended:\n{self.log.read_text()[-3000:]}"
            try:
                last = self.client.get(path, timeout=10).status_code
            except httpx.TransportError as error:
                last = error
            if last == status:
                return time.monotonic() - start
            time.sleep(0.1)
        raise AssertionError(
            f"{path} did not answer {status}; the last result was {last!r}:\n{self.log.read_text()[-3000:]}"
        )

    def worker(self, service: str) -> psutil.Process:
        """Return the process of this BentoML service."""
        return children_where(lambda command: service in command, self.process.pid)[0]

    def terminate(self) -> int:
        """Send SIGTERM, as an orchestrator does; return the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_WITHIN_S)


StartServer = Callable[..., AbstractContextManager[Server]]


@pytest.fixture(scope="session")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> StartServer:
    """Return a function that starts the service; other keyword arguments are settings.

    quality, extraction: config.json of the stub models. models: a folder of promoted models instead of stubs.
    """

    @contextlib.contextmanager
    def start(
        quality: dict[str, float] | None = None,
        extraction: dict[str, float] | None = None,
        target: str = "service:DocumentService",
        models: Path | None = None,
        changes: Mapping[str, str | None] = {},  # of the environment; None: unset
        **settings: object,
    ) -> Iterator[Server]:
        folder = tmp_path_factory.mktemp("server")
        if models is None:
            models = folder / "models"
            promote_stubs(models, quality or {}, extraction or {})
        variables = {
            **os.environ,
            "BENTOML_HOME": str(folder / "bentoml"),
            "BENTOML_DO_NOT_TRACK": "True",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(HERE), str(HERE / "services")]),
            "DOCEXTRACT_MODELS_DIR": str(models),
            "DOCEXTRACT_DEVICE": "cpu",
            **{f"DOCEXTRACT_{name.upper()}": str(value) for name, value in settings.items()},
            **changes,
        }
        environment = {name: value for name, value in variables.items() if value is not None}
        port = _free_port()
        log = folder / "log"
        command = [sys.executable, "-m", "bentoml", "serve", target, "--host", "127.0.0.1", "--port", str(port)]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        server = Server(f"http://127.0.0.1:{port}", process, log, models, environment)
        try:
            yield server
        finally:
            server.client.close()
            _stop(process)

    return start


@pytest.fixture(scope="session")
def shipped(start_server: StartServer) -> Iterator[Server]:
    """One service with the weights of the repository, for all tests; slow machines let clients wait."""
    with start_server(models=ROOT / "models", max_wait_s=100) as running:
        running.wait_until("/readyz", 200)
        yield running


def promote_stubs(models: Path, quality: dict[str, float], extraction: dict[str, float]) -> None:
    """Promote the stub models through the registry."""
    for name, config, loader in (
        ("quality", quality, "stub_models:StubAssessor"),
        ("extraction", extraction, "stub_models:StubExtractor"),
    ):
        candidate = models.parent / f"{name}_candidate"
        candidate.mkdir(parents=True)
        (candidate / "config.json").write_text(json.dumps(config))
        promote(name, candidate, "0.0.1", models, day=date(2026, 1, 1), loader=loader)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End every process of the process group, whatever the test did."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_WITHIN_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

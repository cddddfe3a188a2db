"""Models are promoted and rolled back while eight clients send requests without a pause.

Stub models mark their answers: the mark identifies the files that made the answer and is compared with the version that
the answer names.
"""

import io
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import psutil
import pytest
from PIL import Image

from docextract.registry import store
from docextract.registry.reloading import restart_workers

pytestmark = pytest.mark.processes

CLIENTS = 8
WITHIN_S = 90.0
STUB = "stub_models:StubExtractor"
QUALITY = {"0.0.1": 0.9, "0.0.2": 0.8}  # version: its confidence that there is a document
MARKS = {"0.0.1": "", "0.0.2": " OF TWO", "0.0.3": " OF THREE"}


@dataclass(frozen=True)
class ObservedAnswer:
    """One answered request."""

    at_s: float
    status: int
    retry_after: str | None
    extraction: str | None  # the version it names
    quality: str | None
    made_by: tuple[str | None, str | None]  # according to its content: extraction, quality


class Crowd:
    """Clients that alternate between extraction and validation until the `with` block ends."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._over = threading.Event()
        self._seen: list[ObservedAnswer] = []
        self._pool = ThreadPoolExecutor(CLIENTS)

    def __enter__(self) -> "Crowd":
        self._busy = [self._pool.submit(self._ask, number) for number in range(CLIENTS)]
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._pool.shutdown()

    def _ask(self, number: int) -> None:
        body = png(60 + number)
        with httpx.Client(base_url=self._url, timeout=60) as client:
            for turn in range(1_000_000):
                if self._over.is_set():
                    return
                path = ("/extraction", "/validation")[(number + turn) % 2]
                response = client.post(path, content=body, headers={"content-type": "image/png"})
                self._seen.append(seen(path, response))

    def wait_for(self, name: str, version: str) -> None:
        """Wait until this version has answered, and then until every client has sent two more requests."""
        deadline = time.monotonic() + WITHIN_S
        while not any(getattr(one, name) == version for one in self._seen[-20:]):
            assert time.monotonic() < deadline, f"no answer by {name} {version} within {WITHIN_S} s"
            self.wait_for_two_rounds()

    def wait_for_two_rounds(self) -> None:
        """Wait until every client has sent two more requests."""
        asked = len(self._seen)
        while len(self._seen) < asked + 2 * CLIENTS:
            for one in self._busy:
                assert not one.done(), one.exception()
            time.sleep(0.02)

    def seen(self) -> list[ObservedAnswer]:
        """Return all answers. Raises the exception of a client: a lost request is an exception here."""
        for one in self._busy:
            one.result()
        return self._seen


def png(level):
    out = io.BytesIO()
    Image.new("L", (64, 64), level).save(out, "PNG")
    return out.getvalue()


def seen(path, response):
    body = response.json() if response.status_code == 200 else {}
    verdict = body.get("verdict", body)
    models = body.get("models", {}) | ({"quality": verdict["model"]} if "model" in verdict else {})
    mark = confidence = None
    if "documents" in body:
        name = body["documents"][0]["fields"]["merchant_name"]["value"]
        mark = name.partition("GREY ")[2].lstrip("0123456789")
    if "images" in verdict:
        confidence = verdict["images"][0]["document"]["confidence"]
    return ObservedAnswer(
        time.monotonic(),
        response.status_code,
        response.headers.get("retry-after"),
        models.get("extraction", {}).get("version"),
        models.get("quality", {}).get("version"),
        (
            next((version for version, one in MARKS.items() if one == mark), None),
            next((version for version, one in QUALITY.items() if one == confidence), None),
        ),
    )


def registry(server, *words):
    """Run a command of the registry on the machine of the service, like an operator."""
    command = [sys.executable, "-m", "docextract.registry", "--models", str(server.models), *words]
    return subprocess.run(command, env=server.environment, capture_output=True, text=True, check=False)


def candidate(folder, **config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def damage(server, version, monkeypatch):
    """Change a file of a version, in the model store and in the weights folder."""
    monkeypatch.setenv("BENTOML_HOME", server.environment["BENTOML_HOME"])
    (tag,) = (tag for tag in store.list_tags("extraction") if tag.startswith(f"extraction:{version}-"))
    for folder in (store.weights_folder(tag), server.models / "extraction" / "weights"):
        (folder / "config.json").write_text("{ }")


@pytest.mark.slow
def test_no_request_is_lost_while_versions_change(start_server, tmp_path, monkeypatch):
    """Promotion, rollback, refusal, damaged files: every request is answered, by the version that the answer names.

    The command refuses a damaged version; if the signal is sent nevertheless, the workers notice it and continue with
    the previous version.
    """
    stub, judge = ("--loader", STUB), ("--loader", "stub_models:StubAssessor")
    with start_server(quality={"batch_s": 0.05}, extraction={"batch_s": 0.2}) as server:
        server.wait_until("/readyz", 200)
        two = candidate(tmp_path / "two", mark=MARKS["0.0.2"], batch_s=0.2, load_s=0.5)
        sharper = candidate(tmp_path / "sharper", detected=QUALITY["0.0.2"])
        three = candidate(tmp_path / "three", mark=MARKS["0.0.3"])
        with Crowd(server.url) as crowd:
            crowd.wait_for("extraction", "0.0.1")
            assert registry(server, "promote", "quality", sharper, "--version", "0.0.2", *judge).returncode == 0
            done = registry(server, "promote", "extraction", two, "--version", "0.0.2", *stub, "--reload")
            assert f"Process {server.process.pid} has reloaded" in done.stdout, done.stderr
            crowd.wait_for("extraction", "0.0.2")
            crowd.wait_for("quality", "0.0.2")
            assert served(server) == {"quality": "0.0.2", "extraction": "0.0.2"}

            done = registry(server, "rollback", "extraction", "--reason", "a test", "--reload")
            assert done.returncode == 0, done.stderr
            crowd.wait_for("extraction", "0.0.1")

            broken = candidate(tmp_path / "broken", no_such_setting=1)
            done = registry(server, "promote", "extraction", broken, "--version", "0.0.9", *stub, "--reload")
            assert (done.returncode, "cannot be loaded" in done.stderr) == (1, True)

            assert registry(server, "promote", "extraction", three, "--version", "0.0.3", *stub).returncode == 0
            damage(server, "0.0.3", monkeypatch)
            done = registry(server, "reload")
            assert (done.returncode, "config.json is different" in done.stderr) == (1, True)
            restart_workers(psutil.Process(server.process.pid))
            server.wait_until("/readyz", 200)
            crowd.wait_for_two_rounds()
            assert served(server) == {"quality": "0.0.2", "extraction": "0.0.1"}
        answers = crowd.seen()

    statuses = Counter(one.status for one in answers)
    assert statuses.keys() <= {200, 503}, statuses
    assert all(one.retry_after for one in answers if one.status == 503)
    assert statuses[200] > 0.95 * len(answers), statuses
    for one in answers:
        if one.status == 200:
            assert one.made_by == (one.extraction, one.quality)
    extraction = [one.extraction for one in sorted(answers, key=lambda one: one.at_s) if one.extraction]
    assert set(extraction) == {"0.0.1", "0.0.2"}
    assert "earlier version started model=extraction version=0.0.1" in server.log.read_text()


def test_restarted_runner_loads_the_version_of_its_front(start_server, tmp_path):
    """A promotion counts from the reload on, also if the runner dies before it, and also if it dies after it."""
    with start_server() as server:
        server.wait_until("/readyz", 200)
        two = candidate(tmp_path / "two", mark=MARKS["0.0.2"])
        done = registry(server, "promote", "extraction", two, "--version", "0.0.2", "--loader", STUB)
        assert done.returncode == 0, done.stderr
        assert extracted_after_a_death(server) == (("0.0.1", "0.0.1"), "0.0.1")
        assert registry(server, "reload").returncode == 0
        server.wait_until("/readyz", 200)
        assert extracted_after_a_death(server) == (("0.0.2", "0.0.1"), "0.0.2")


def extracted_after_a_death(server):
    """Kill the extraction runner; return what made the next answer, and the extraction version that is listed."""
    server.worker("extraction_runner").kill()
    server.wait_until("/readyz", 503)
    server.wait_until("/readyz", 200)
    response = server.client.post("/extraction", content=png(60), headers={"content-type": "image/png"})
    return seen("/extraction", response).made_by, served(server)["extraction"]


def served(server):
    return {one["name"]: one["version"] for one in server.client.get("/v1/models").json()["models"]}

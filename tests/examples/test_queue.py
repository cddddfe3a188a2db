"""The queue in front of the service: needs Redis (`apt-get install redis-server`) and arq, and is skipped without."""

import hashlib
import hmac
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "queue"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.processes,
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="needs Redis: apt-get install redis-server"),
    pytest.mark.skipif(importlib.util.find_spec("arq") is None, reason="needs arq: pip install arq==0.26.3"),
]


class Recorder(BaseHTTPRequestHandler):
    """A service that refuses every file with a problem, and a webhook; both remember what they got."""

    got: list[tuple[str, dict[str, str], bytes]]
    problem: tuple[int, str]

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        is_webhook = self.path == "/hook"
        status, code = self.server.problem
        problem = {"type": f"/docs#{code}", "title": "t", "status": status, "code": code,
                   "detail": "No image.", "instance": "/v1/extraction", "request_id": "r"}  # fmt: skip
        content = b"" if is_webhook else json.dumps(problem).encode()
        self.send_response(204 if is_webhook else status)
        self.send_header("content-type", "application/problem+json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if (found := what()) is not None:
                return found
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail("nothing happened in time")


@pytest.fixture
def recorder():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.got, server.problem = [], (422, "image_undecodable")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture
def address(recorder, tmp_path):
    """Redis, the queue's API and one worker."""
    redis, api = free_port(), free_port()
    environment = {**os.environ, "REDIS_URL": f"redis://127.0.0.1:{redis}", "WEBHOOK_SECRET": "secret",
                   "DOCEXTRACT_URL": f"http://127.0.0.1:{recorder.server_port}", "RETRY_S": "0.1"}  # fmt: skip
    commands = (
        ["redis-server", "--port", str(redis), "--save", "", "--dir", str(tmp_path)],
        [sys.executable, "-m", "uvicorn", "jobs:app", "--port", str(api)],
        [sys.executable, "-m", "arq", "jobs.Worker"],
    )
    processes = []
    for command in commands:
        processes.append(subprocess.Popen(command, cwd=EXAMPLE, env=environment, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL))  # fmt: skip
        if command[0] == "redis-server":
            time.sleep(0.5)
    until(lambda: httpx.get(f"http://127.0.0.1:{api}/jobs/none").status_code == 404 or None)
    yield f"http://127.0.0.1:{api}"
    for process in reversed(processes):
        process.terminate()
        process.wait(20)


def test_a_file_is_processed_once_and_announced(address, recorder):
    """The answer, here a problem of the service, is fetched by the ID; the webhook's call is signed."""
    hook = f"http://127.0.0.1:{recorder.server_port}/hook"
    key = httpx.post(f"{address}/jobs", params={"webhook": hook}, content=b"no image").json()["id"]

    def finished():
        job = httpx.get(f"{address}/jobs/{key}").json()
        return job if job["status"] == "complete" else None

    assert until(finished)["problem"]["code"] == "image_undecodable"
    assert httpx.post(f"{address}/jobs", params={"webhook": hook}, content=b"no image").json()["id"] == key
    _, headers, body = until(lambda: next((one for one in recorder.got if one[0] == "/hook"), None))
    time.sleep(1)
    assert json.loads(body) == {"id": key, "succeeded": False}
    signed = "sha256=" + hmac.new(b"secret", body, hashlib.sha256).hexdigest()
    assert {name.lower(): value for name, value in headers.items()}["x-signature"] == signed
    assert [path for path, _, _ in recorder.got].count("/v1/extraction") == 1


def test_a_job_that_failed_for_now_is_tried_again_and_starts_again(address, recorder):
    """The fault is the service's. After the last try it is the answer, and the webhook is called.

    The same file, sent again once the service is well, is processed again.
    """
    recorder.problem = (500, "internal_error")
    send = partial(httpx.post, f"{address}/jobs", params={"webhook": f"http://127.0.0.1:{recorder.server_port}/hook"})
    key = send(content=b"no image").json()["id"]

    def problem(code):
        found = httpx.get(f"{address}/jobs/{key}").json().get("problem", {}).get("code")
        return found if found == code else None

    until(lambda: problem("internal_error"), 60)
    until(lambda: next((one for one in recorder.got if one[0] == "/hook"), None))
    assert [path for path, _, _ in recorder.got].count("/v1/extraction") == 5

    recorder.problem = (422, "image_undecodable")
    assert send(content=b"no image").json()["id"] == key
    until(lambda: problem("image_undecodable"))

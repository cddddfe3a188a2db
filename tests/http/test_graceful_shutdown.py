"""No caller is cut off when the process shuts down."""

import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

SERVER = """
import socket, sys, uvicorn
from docextract.http.error_contract import ErrorContractMiddleware

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": message["type"] + ".complete"})
        await send({"type": "lifespan.shutdown.complete"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b"{}"})

config = uvicorn.Config(ErrorContractMiddleware(app, ["/x"], 1000), lifespan="on", log_level="warning")
uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""


@pytest.fixture
def server():
    """A process that serves on an inherited socket, like a BentoML worker, and its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(listener.fileno())], pass_fds=[listener.fileno()], stderr=subprocess.PIPE
    )
    yield process, f"http://127.0.0.1:{listener.getsockname()[1]}"
    process.kill()
    process.wait()
    process.stderr.close()
    listener.close()


def test_next_request_after_sigterm_is_answered_and_the_last(server):
    """On a connection that was idle at the signal; the answer has `Connection: close`."""
    process, url = server
    with httpx.Client(base_url=url, timeout=20) as client:
        assert "connection" not in client.get("/x").headers
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)  # uvicorn alone would have closed it by now

        response = client.get("/x")

        assert (response.status_code, response.headers["connection"]) == (200, "close")
    assert process.wait(5) == -signal.SIGTERM, process.stderr.read()


def test_process_without_connections_ends_at_once(server):
    """There is nothing to wait for."""
    process, url = server
    httpx.get(f"{url}/x", timeout=20)
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)

    process.wait(5)
    assert time.monotonic() - start < 2


def test_connection_without_a_request_does_not_block_the_shutdown(server):
    """It is closed after a few seconds."""
    process, url = server
    httpx.get(f"{url}/x", timeout=20)
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))):
        time.sleep(0.2)
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(15)

    assert 1 < time.monotonic() - start < 10

"""Nobody is cut off when the process ends."""

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
    """A process that serves on a socket of ours, as a worker does, and the socket's address."""
    listener = socket.create_server(("127.0.0.1", 0))
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(listener.fileno())], pass_fds=[listener.fileno()], stderr=subprocess.PIPE
    )
    yield process, f"http://127.0.0.1:{listener.getsockname()[1]}"
    process.kill()
    process.wait()
    process.stderr.close()
    listener.close()


def test_a_caller_s_next_request_is_answered_and_the_last(server):
    """On a connection that was quiet when the signal came: an answer that says that there will be no other."""
    process, url = server
    with httpx.Client(base_url=url, timeout=20) as client:
        assert "connection" not in client.get("/x").headers
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)  # uvicorn alone would have closed it by now

        response = client.get("/x")

        assert (response.status_code, response.headers["connection"]) == (200, "close")
    assert process.wait(5) == -signal.SIGTERM, process.stderr.read()


def test_without_callers_it_ends_at_once(server):
    """Nobody waits for nobody."""
    process, url = server
    httpx.get(f"{url}/x", timeout=20)
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)

    process.wait(5)
    assert time.monotonic() - start < 2


def test_a_caller_who_never_speaks_does_not_hold_it_up(server):
    """An open connection without a request is given up after a few seconds."""
    process, url = server
    httpx.get(f"{url}/x", timeout=20)
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))):
        time.sleep(0.2)
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(15)

    assert 1 < time.monotonic() - start < 10

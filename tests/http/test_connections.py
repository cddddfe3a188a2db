"""Slow callers are cut off, and no work is done for callers that disconnected."""

import asyncio
import json
import socket
import time
from contextlib import nullcontext

import httpx
import pytest
import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from docextract.http import connections
from docextract.http.connections import BodyReceiver, UploadMemory, run_until_disconnect
from docextract.pipeline.problems import ProblemError

CHUNK = b"x" * 1000


def request_of(*messages):
    """A request whose body arrives in these messages: (seconds to wait before the message, message)."""
    left = iter(messages)

    async def receive():
        wait_s, message = next(left, (3600, None))
        await asyncio.sleep(wait_s)
        return message

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


def body(chunk=CHUNK, more=True):
    return {"type": "http.request", "body": chunk, "more_body": more}


def receiver_of(memory=None, caller="a", max_request_bytes=10_000, upload_timeout_s=1.0):
    return BodyReceiver(memory or UploadMemory(100_000, 100_000), caller, max_request_bytes, upload_timeout_s)


def received(receiver, request):
    async def read():
        with receiver:
            return b"".join([chunk async for chunk in receiver.chunks(request)])

    return asyncio.run(read())


def refused(receiver, request):
    with pytest.raises(ProblemError) as found:
        received(receiver, request)
    return found.value


def test_slow_body_is_cut_off():
    """A body that arrives byte by byte would otherwise never end."""
    receiver = receiver_of(upload_timeout_s=0.2)
    started = time.monotonic()
    problem = refused(receiver, request_of(*[(0.05, body(b"x"))] * 100))

    assert (problem.code, problem.status) == ("request_timeout", 408)
    assert problem.headers["connection"] == "close"
    assert 0.15 < time.monotonic() - started < 1


def test_steady_body_gets_more_time(monkeypatch):
    """Every received byte extends the time limit, so a slow but steady body arrives completely."""
    monkeypatch.setattr(connections, "MIN_UPLOAD_BYTES_PER_S", 5000)
    receiver = receiver_of(upload_timeout_s=0.2)

    assert len(received(receiver, request_of(*[(0.1, body())] * 4, (0.1, body(more=False))))) == 5000


def test_body_that_stalls_is_cut_off_however_much_has_arrived():
    """Its bytes have bought it time for hours, had they no limit; 65 such bodies blocked all uploads."""
    receiver = receiver_of(upload_timeout_s=0.2)
    started = time.monotonic()
    problem = refused(receiver, request_of(*[(0, body())] * 9, (3600, body())))

    assert problem.code == "request_timeout"
    assert "9,000 bytes" in problem.detail
    assert time.monotonic() - started < 2


def test_body_over_the_limit_is_refused():
    """The received bytes count, not Content-Length."""
    assert refused(receiver_of(max_request_bytes=2500), request_of(*[(0, body())] * 3)).code == "payload_too_large"


def test_all_uploads_share_a_limit_and_release_it():
    """Bodies that were received, interrupted or refused no longer count."""
    memory = UploadMemory(2500, 2500)

    for _ in range(3):
        assert refused(receiver_of(memory), request_of(*[(0, body())] * 3)).code == "overloaded"
        with pytest.raises(ClientDisconnect):
            received(receiver_of(memory), request_of((0, body()), (0, {"type": "http.disconnect"})))
        assert len(received(receiver_of(memory), request_of((0, body()), (0, body(more=False))))) == 2000


def test_one_caller_cannot_block_the_uploads_of_others():
    """What a caller holds counts until its requests are answered, and against this caller alone."""
    memory = UploadMemory(10_000, 2500)
    two = [(0, body()), (0, body(more=False))]

    with receiver_of(memory, "greedy") as first:
        asyncio.run(anext_chunk(first, request_of(*two)))
        assert refused(receiver_of(memory, "greedy"), request_of(*two)).code == "overloaded"
        assert len(received(receiver_of(memory, "other"), request_of(*two))) == 2000
    assert len(received(receiver_of(memory, "greedy"), request_of(*two))) == 2000


async def anext_chunk(receiver, request):
    return await anext(receiver.chunks(request))


def test_work_is_cancelled_when_its_caller_disconnects():
    """It is cancelled at once, and its next steps are not executed."""
    done = []

    async def work():
        try:
            await asyncio.sleep(60)
            done.append("all")
        finally:
            done.append("stopped")

    request = request_of((0.05, {"type": "http.disconnect"}))
    with pytest.raises(ClientDisconnect):
        asyncio.run(run_until_disconnect(request, work()))
    assert done == ["stopped"]


def test_work_completes_for_a_connected_caller():
    """Its result or its exception is passed on."""

    async def work():
        await asyncio.sleep(0.01)
        return 7

    async def fail():
        raise ZeroDivisionError

    assert asyncio.run(run_until_disconnect(request_of(), work())) == 7
    with pytest.raises(ZeroDivisionError):
        asyncio.run(run_until_disconnect(request_of(), fail()))


def test_connection_without_a_complete_header_is_closed(monkeypatch):
    """Half a header must not occupy a connection for ever; a long request is not affected."""
    monkeypatch.setattr(connections, "MAX_SILENCE_S", 0.3)
    monkeypatch.setattr(connections, "_CHECK_INTERVAL_S", 0.05)
    asyncio.run(_with_a_server(_half_a_header_during_a_long_request))


async def _half_a_header_during_a_long_request(port):
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        long = asyncio.create_task(client.get("/"))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert await asyncio.wait_for(reader.read(), 5) == b""
        writer.close()
        assert (await long).json() == "well"


def test_idle_connection_between_requests_is_kept(monkeypatch):
    """A caller that waits as long as Retry-After says uses the same connection again."""
    monkeypatch.setattr(connections, "MAX_SILENCE_S", 0.2)
    monkeypatch.setattr(connections, "_CHECK_INTERVAL_S", 0.05)
    asyncio.run(_with_a_server(_two_requests_on_one_connection))


async def _two_requests_on_one_connection(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(2):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await asyncio.wait_for(reader.readuntil(b'"well"'), 5)).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.5)
    writer.close()


async def _with_a_server(scene):
    async def app(scope, receive, send):
        await asyncio.sleep(1.0)
        await Response(json.dumps("well"))(scope, receive, send)

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="warning"))
    server.capture_signals = nullcontext  # do not replace the signal handlers of pytest
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    sweeping = asyncio.create_task(connections.close_silent_connections(server))
    try:
        await scene(listener.getsockname()[1])
    finally:
        sweeping.cancel()
        server.should_exit = True
        await serving

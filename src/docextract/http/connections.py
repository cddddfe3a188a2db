"""Limits for slow and disconnecting callers, so that they hold no resources that others need.

A body that arrives too slowly is cut off, a connection that sends nothing is closed, and no work is started for a
caller that has disconnected. Work that a runner has started is finished: BentoML cannot remove an item from a batch.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import uvicorn
from starlette.requests import ClientDisconnect, Request

from docextract.pipeline.problems import ProblemError

T = TypeVar("T")

MIN_UPLOAD_BYTES_PER_S = 10_000  # averaged over upload_timeout_s; weak mobile networks are four times faster
# Between requests; longer than most clients and proxies keep theirs. With uvicorn's 5 s, connections were closed just
# when callers came back: they had waited for the five seconds in Retry-After.
KEEP_ALIVE_S = 75
CLIENT_CLOSED_REQUEST = 499  # the status of requests whose caller disconnected, as nginx logs it
MAX_SILENCE_S = 15.0  # before or in the middle of a header; uvicorn has no timeout for this
_CHECK_INTERVAL_S = 1.0


class UploadMemory:
    """The memory that request bodies may take, from their first byte until their requests are answered.

    max_total_bytes:  of all bodies together.
    max_caller_bytes: of all bodies of one caller, so that no caller can block the uploads of others.
    """

    def __init__(self, max_total_bytes: int, max_caller_bytes: int) -> None:
        """No body is held yet."""
        self._max_total_bytes = max_total_bytes
        self._max_caller_bytes = max_caller_bytes
        self._bytes_by_caller: Counter[str] = Counter()

    def take(self, caller: str, count: int) -> None:
        """Count bytes that have arrived. Raises ProblemError `overloaded` if they are too many."""
        self._bytes_by_caller[caller] += count
        if self._bytes_by_caller[caller] > self._max_caller_bytes:
            raise _overloaded("Your requests hold too much data. Send fewer at a time.")
        if self._bytes_by_caller.total() > self._max_total_bytes:
            raise _overloaded("The server is receiving too many uploads.")

    def release(self, caller: str, count: int) -> None:
        """Subtract bytes that are no longer held."""
        self._bytes_by_caller[caller] -= count
        if not self._bytes_by_caller[caller]:
            del self._bytes_by_caller[caller]


def _overloaded(detail: str) -> ProblemError:
    return ProblemError("overloaded", detail, headers={"connection": "close"})


class BodyReceiver:
    """Receives the body of one request within limits. Its bytes count as held until the context is left."""

    def __init__(self, memory: UploadMemory, caller: str, max_request_bytes: int, upload_timeout_s: float) -> None:
        """No byte has been received yet."""
        self._memory = memory
        self._caller = caller
        self._max_request_bytes = max_request_bytes
        self._upload_timeout_s = upload_timeout_s
        self._received = self._held = 0

    def __enter__(self) -> "BodyReceiver":
        """Begin to count."""
        return self

    def __exit__(self, *error: object) -> None:
        """Release the memory."""
        self._memory.release(self._caller, self._held)

    async def chunks(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Yield the body in chunks and count its bytes: Content-Length may be missing.

        A body has time credit, at first and at most the upload timeout. Waiting uses it up, and every byte adds to it,
        so it is the recent rate that counts: a body of 25 MB that stalls at its end is cut off as soon as any other.

        Raises ProblemError `payload_too_large`, `overloaded`, or `request_timeout` for a slow body, and
        ClientDisconnect for an incomplete one.
        """
        now_s = asyncio.get_running_loop().time
        started_s = now_s()
        deadline_s = started_s + self._upload_timeout_s
        stream = request.stream()
        try:
            while True:
                try:
                    async with asyncio.timeout_at(deadline_s):
                        chunk = await anext(stream)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise ProblemError(
                        "request_timeout",
                        f"Only {self._received:,} bytes of the body arrived in {now_s() - started_s:.0f} s.",
                        headers={"connection": "close"},
                    ) from None
                credit_s = len(chunk) / MIN_UPLOAD_BYTES_PER_S
                deadline_s = min(deadline_s + credit_s, now_s() + self._upload_timeout_s)
                self._received += len(chunk)
                if self._received > self._max_request_bytes:
                    raise payload_too_large(self._max_request_bytes)
                self._held += len(chunk)
                self._memory.take(self._caller, len(chunk))
                yield chunk
        finally:
            await stream.aclose()


def payload_too_large(max_bytes: int) -> ProblemError:
    """Return the problem for a body over the limit."""
    # The rest of the body stays unread, so the connection cannot be used again.
    return ProblemError(
        "payload_too_large", f"A request may have at most {max_bytes:,} bytes.", headers={"connection": "close"}
    )


async def run_until_disconnect(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`; if the caller disconnects first, cancel it and raise ClientDisconnect.

    The body of the request must have been read.
    """
    working, disconnecting = asyncio.ensure_future(work), asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((working, disconnecting), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        disconnecting.cancel()
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await working


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def close_silent_connections(server: uvicorn.Server) -> None:
    """Close connections that never complete a request header. Runs as long as the process."""
    loop = asyncio.get_running_loop()
    silent_since: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
    while True:
        for connection in list(server.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            is_answering = cycle is not None and not cycle.response_complete
            # Between two requests, uvicorn's own keep-alive timer runs.
            is_idle = getattr(connection, "timeout_keep_alive_task", None) is not None
            if is_answering or is_idle:
                silent_since.pop(connection, None)
            elif loop.time() - silent_since.setdefault(connection, loop.time()) > MAX_SILENCE_S:
                connection.transport.close()
        await asyncio.sleep(_CHECK_INTERVAL_S)

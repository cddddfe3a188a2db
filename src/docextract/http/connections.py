"""Limits for slow and disconnecting callers, so that they hold no resources that others need.

A body that arrives too slowly is cut off, a connection that sends nothing is closed, and no work is started for a
caller that has disconnected. Work that a runner has started is finished: BentoML cannot remove an item from a batch.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import uvicorn
from starlette.requests import ClientDisconnect, Request

from docextract.pipeline.problems import ProblemError

T = TypeVar("T")

MIN_UPLOAD_BYTES_PER_S = 10_000  # after upload_timeout_s; weak mobile networks are four times faster
# Between requests; longer than most clients and proxies keep theirs. With uvicorn's 5 s, connections were closed just
# when callers came back: they had waited for the five seconds in Retry-After.
KEEP_ALIVE_S = 75
MAX_SILENCE_S = 15.0  # before or in the middle of a header; uvicorn has no timeout for this
_CHECK_INTERVAL_S = 1.0


class BodyReceiver:
    """Receives request bodies within limits.

    max_total_bytes: of all bodies that are being received; one more byte is refused, so that memory is bounded.
    """

    def __init__(self, max_request_bytes: int, max_total_bytes: int, upload_timeout_s: float) -> None:
        """No body is being received yet."""
        self._max_request_bytes = max_request_bytes
        self._max_total_bytes = max_total_bytes
        self._upload_timeout_s = upload_timeout_s
        self._total_bytes = 0

    async def chunks(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Yield the body in chunks and count its bytes: Content-Length may be missing.

        Raises ProblemError `payload_too_large`, `overloaded`, or `request_timeout` for a slow body, and
        ClientDisconnect for an incomplete one.
        """
        now_s = asyncio.get_running_loop().time
        started_s = now_s()
        received = 0
        stream = request.stream()
        try:
            while True:
                deadline_s = started_s + self._upload_timeout_s + received / MIN_UPLOAD_BYTES_PER_S
                try:
                    async with asyncio.timeout_at(deadline_s):
                        chunk = await anext(stream)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise ProblemError(
                        "request_timeout",
                        f"Only {received:,} bytes of the body arrived in {now_s() - started_s:.0f} s.",
                        headers={"connection": "close"},
                    ) from None
                received += len(chunk)
                self._total_bytes += len(chunk)
                if received > self._max_request_bytes:
                    raise payload_too_large(self._max_request_bytes)
                if self._total_bytes > self._max_total_bytes:
                    raise ProblemError(
                        "overloaded", "The server is receiving too many uploads.", headers={"connection": "close"}
                    )
                yield chunk
        finally:
            self._total_bytes -= received
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

"""Callers who are slow, and callers who leave: neither holds anything that others need.

A body that trickles in is cut off, a connection that says nothing is closed, and work for somebody who has hung up is
not begun. What has been begun in a runner is finished there: BentoML takes nothing out of a batch.
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

LEAST_BYTES_PER_S = 10_000  # after upload_timeout_s; weak mobile networks do four times that
# Between requests; longer than clients and proxies keep theirs, mostly. With uvicorn's 5 s it hung up on callers who
# came back just then: they had waited for the five seconds that Retry-After named.
KEPT_FOR_S = 75
SILENT_FOR_S = 15.0  # in mid-header, for which uvicorn has no clock
_LOOK_EVERY_S = 1.0


class Intake:
    """Request bodies on their way in.

    most_bytes_at_once: of all that are on their way; one more byte is refused, so that memory has an end.
    """

    def __init__(self, max_request_bytes: int, most_bytes_at_once: int, upload_timeout_s: float) -> None:
        """Nothing is on its way."""
        self._max_request_bytes = max_request_bytes
        self._most_bytes_at_once = most_bytes_at_once
        self._upload_timeout_s = upload_timeout_s
        self._arriving_bytes = 0

    async def chunks(self, request: Request) -> AsyncGenerator[bytes, None]:
        """The body, counted: Content-Length may be absent.

        Raises ProblemError: `payload_too_large`, `overloaded`, or `request_timeout` where it comes too slowly; and
        ClientDisconnect where it ends too early.
        """
        now_s = asyncio.get_running_loop().time
        started_s = now_s()
        received = 0
        stream = request.stream()
        try:
            while True:
                try:
                    async with asyncio.timeout_at(started_s + self._upload_timeout_s + received / LEAST_BYTES_PER_S):
                        chunk = await anext(stream)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise ProblemError(
                        "request_timeout",
                        f"Of the body {received:,} bytes came in {now_s() - started_s:.0f} s.",
                        headers={"connection": "close"},
                    ) from None
                received += len(chunk)
                self._arriving_bytes += len(chunk)
                if received > self._max_request_bytes:
                    raise too_large(self._max_request_bytes)
                if self._arriving_bytes > self._most_bytes_at_once:
                    raise ProblemError(
                        "overloaded", "Too much is being uploaded at once.", headers={"connection": "close"}
                    )
                yield chunk
        finally:
            self._arriving_bytes -= received
            await stream.aclose()


def too_large(max_bytes: int) -> ProblemError:
    """The answer to a body over the limit."""
    # The rest of the body stays unread, so this connection is of no further use.
    return ProblemError(
        "payload_too_large", f"A request may have at most {max_bytes:,} bytes.", headers={"connection": "close"}
    )


async def while_here(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The work's result; its body has been read. Raises ClientDisconnect if the caller leaves first, and stops it."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        leaving.cancel()
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await working


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def end_silent_connections(server: uvicorn.Server) -> None:
    """Close connections on which a request never quite begins, for as long as the process lives."""
    loop = asyncio.get_running_loop()
    silent_since: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
    while True:
        for connection in list(server.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            answering = cycle is not None and not cycle.response_complete
            resting = getattr(connection, "timeout_keep_alive_task", None) is not None  # uvicorn's own clock is running
            if answering or resting:
                silent_since.pop(connection, None)
            elif loop.time() - silent_since.setdefault(connection, loop.time()) > SILENT_FOR_S:
                connection.transport.close()
        await asyncio.sleep(_LOOK_EVERY_S)

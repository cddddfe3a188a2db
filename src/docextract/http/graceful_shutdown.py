"""Graceful shutdown of the front: on SIGTERM, and at every reload, connections are closed only after an answer.

uvicorn would immediately close each connection on which it is not answering. A caller that sends its next request at
that moment gets no answer: with eight clients that never pause, one or two in every reload. So the next answer on each
connection has `Connection: close`, and the caller's next request reaches the new process.
"""

import asyncio
import signal
from types import FrameType

import uvicorn

# After this time, the remaining connections have no request and are closed.
SHUTDOWN_TIMEOUT_S = 6.0
_CHECK_INTERVAL_S = 0.05


def find_uvicorn_server() -> uvicorn.Server | None:
    """Return the uvicorn server of this process, found by its SIGTERM handler; None under any other server."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return server if isinstance(server, uvicorn.Server) else None


class GracefulShutdown:
    """Whether this process is shutting down."""

    def __init__(self) -> None:
        self.begun = False

    def install(self, server: uvicorn.Server) -> None:
        """Replace the server's SIGTERM handler."""
        loop = asyncio.get_running_loop()

        async def shut_down() -> None:
            while not server.started:
                await asyncio.sleep(_CHECK_INTERVAL_S)
            for listener in server.servers:
                listener.close()
            deadline_s = loop.time() + SHUTDOWN_TIMEOUT_S
            while server.server_state.connections and loop.time() < deadline_s:
                await asyncio.sleep(_CHECK_INTERVAL_S)
            server.handle_exit(signal.SIGTERM, None)

        tasks: list[asyncio.Task[None]] = []  # the event loop keeps only weak references to its tasks

        def begin() -> None:
            if not self.begun:
                self.begun = True
                tasks.append(loop.create_task(shut_down()))

        def on_sigterm(_signal: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(begin)

        signal.signal(signal.SIGTERM, on_sigterm)

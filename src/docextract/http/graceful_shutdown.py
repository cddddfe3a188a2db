"""Ending the front without cutting anyone off: on SIGTERM, as at every reload, it lets go of its callers one by one.

uvicorn would close each connection on which nothing is being answered at that moment. A caller who sends the next
request on it just then gets no answer: at eight clients that never pause, one or two in every reload. So callers
are first told, with their next answer, that the connection ends here; their next one reaches the new process.
"""

import asyncio
import signal
from types import FrameType

import uvicorn

# What is left then had nothing to say.
WITHIN_S = 6.0
_LOOK_EVERY_S = 0.05


def server_of_this_process() -> uvicorn.Server | None:
    """The uvicorn server that is starting here: its is the method that waits for SIGTERM. None under any other."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return server if isinstance(server, uvicorn.Server) else None


class Leaving:
    """Whether this process is on its way out."""

    def __init__(self) -> None:
        self.begun = False

    def prepare(self, server: uvicorn.Server) -> None:
        """Take SIGTERM over from it."""
        loop = asyncio.get_running_loop()

        async def leave() -> None:
            while not server.started:
                await asyncio.sleep(_LOOK_EVERY_S)
            for listener in server.servers:
                listener.close()
            deadline = loop.time() + WITHIN_S
            while server.server_state.connections and loop.time() < deadline:
                await asyncio.sleep(_LOOK_EVERY_S)
            server.handle_exit(signal.SIGTERM, None)

        tasks: list[asyncio.Task[None]] = []  # the loop itself holds its tasks only weakly

        def begin() -> None:
            if not self.begun:
                self.begun = True
                tasks.append(loop.create_task(leave()))

        def on_sigterm(_signal: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(begin)

        signal.signal(signal.SIGTERM, on_sigterm)

"""BentoML's supervisor as we want it: starts again what has died, ends the front first, and takes nobody's orders.

The supervisor (circus) starts and watches the other processes. BentoML has it look every ten seconds, and in a
container start nothing again: there all ends with one runner, and requests are lost that could have been answered.
At the end it would end all processes at once, and requests that still need a runner with them. And it has all processes
count in files that they map into memory: on a full disk, a first count of something would kill them.

It also listens on a port of 127.0.0.1 for commands, `add` among them, which starts any program: whoever has a login on
the machine could run what he likes as the service's user. BentoML has no setting for it and no use of it; only its
--reload, for those who work on the code, asks there.
"""

import asyncio
import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

from docextract.pipeline import problems
from docextract.pipeline.problems import ProblemError

LOOK_EVERY_S = 2.0  # a model that cannot be loaded is tried this often
_ASK_AGAIN_S = 0.1
_LATECOMER_HAS_S = 0.5  # to take the answer
_FRONT, _FRONT_SOCKET = "service", "_bento_api_server"  # as BentoML names them
_MEMORY = "/dev/shm"  # a disk in memory, on Linux; elsewhere the counts stay where BentoML has them
_RUNNER_MAP = "BENTOML_RUNNER_MAP"  # set for each process that the supervisor starts, and not for itself


def supervise() -> None:
    """In the process that is going to be the supervisor: have it made so. In all others, do nothing."""
    if _RUNNER_MAP in os.environ:
        return
    from bentoml import serving  # late: 8 MB that the other processes do without
    from bentoml._internal.utils import circus

    if os.access(_MEMORY, os.W_OK):
        serving.ensure_prometheus_dir = _folder_in_memory  # type: ignore[assignment]  # nobody gives it arguments
    plain = circus.create_standalone_arbiter

    def ours(watchers: list[Any], **options: Any) -> Any:
        for watcher in watchers:
            watcher.respawn = True
        supervisor: Any = plain(watchers, check_delay=LOOK_EVERY_S, **options)
        supervisor.manage_watchers = _unless_busy(supervisor.manage_watchers)
        _end_the_front_first(supervisor)
        supervisor.reload = _when_free(supervisor, supervisor.reload)
        supervisor.stop = _when_free(supervisor, supervisor.stop)
        _close_to_others(supervisor)
        return supervisor

    circus.create_standalone_arbiter = ours


def _folder_in_memory() -> str:
    folder = tempfile.mkdtemp(prefix="docextract-", dir=_MEMORY)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _unless_busy(manage: Callable[[], Any]) -> Callable[[], Any]:
    """While everything is loaded anew it looks in vain, and would say so each time."""
    from circus.exc import ConflictError  # type: ignore[import-untyped]

    def manage_or_wait() -> Any:
        try:
            return manage()
        except ConflictError:
            return None

    return manage_or_wait


def _when_free(supervisor: Any, command: Callable[..., Any]) -> Callable[..., Any]:
    """What a signal asks for amid something else is done after it, where circus would drop it: SIGTERM, too."""
    from circus.exc import ConflictError

    def obey(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except ConflictError:
            supervisor.loop.call_later(_ASK_AGAIN_S, obey, *arguments, **options)
            return None

    return obey


def _end_the_front_first(supervisor: Any) -> None:
    """On SIGTERM the front answers everyone whom it has let in, while the runners are still there."""
    stop, stop_watchers = supervisor.stop, supervisor._stop_watchers
    last = ExitStack()  # what BentoML does first: it removes the runners' sockets, among others

    def stop_later() -> Any:
        last.push(supervisor.exit_stack.pop_all())
        return stop()

    async def front_first(*arguments: Any, **options: Any) -> None:
        latecomers = await asyncio.start_server(_turn_away, sock=supervisor.sockets[_FRONT_SOCKET])
        for watcher in supervisor.iter_watchers():
            if watcher.name == _FRONT:
                await watcher._stop()
        await stop_watchers(*arguments, **options)
        latecomers.close()
        await asyncio.sleep(_LATECOMER_HAS_S)
        last.close()

    supervisor.stop, supervisor._stop_watchers = stop_later, front_first


async def _turn_away(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one who comes when the front accepts nobody any more."""
    problem = ProblemError("model_not_ready", "The service is ending.", headers={"connection": "close"})
    body = problems.body(problem, "/", "-")
    headers = {**problems.headers(problem), "content-length": str(len(body))}
    lines = [f"HTTP/1.1 {problem.status} Service Unavailable", *(f"{name}: {value}" for name, value in headers.items())]
    with suppress(OSError, TimeoutError):
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        async with asyncio.timeout(_LATECOMER_HAS_S):
            while await reader.read(65_536):
                pass  # a connection that is closed with something unread takes its answer along
    writer.close()


def _close_to_others(supervisor: Any) -> None:
    """ZeroMQ's way between the threads of one process, instead of a port. Nothing is bound before it starts."""
    name = f"inproc://supervisor-{id(supervisor)}"
    supervisor.endpoint = supervisor.ctrl.endpoint = f"{name}-commands"
    supervisor.pubsub_endpoint = f"{name}-events"

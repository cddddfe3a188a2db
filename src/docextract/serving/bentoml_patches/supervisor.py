"""A supervisor that restarts dead processes, stops the front before the runners, and opens no port for commands.

The other processes end with it.

Upstream reasons: BentoML's supervisor (circus) starts and watches the other processes.

* BentoML lets it check every ten seconds, and in a container it restarts nothing: the whole service ends with one
  runner, and requests are lost that could have been answered.
* It does not log that a process has died, and explains a port in use by a stack of thirty frames.
* On shutdown it stops all processes at once, with the requests that still need a runner.
* The processes write their metrics to memory-mapped files: on a full disk, a new metric would kill the process.
* The processes that it started outlive it if it is killed, and hold the port: the service cannot be started again.
* It listens on a port of 127.0.0.1 for commands such as `add`, which starts any program. Everyone with a login on the
  machine could run programs as the service's user. BentoML has no setting for it and does not need it; only --reload,
  for development, uses it.
"""

import asyncio
import atexit
import errno
import logging
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import psutil

from docextract.pipeline import problems
from docextract.pipeline.problems import ProblemError
from docextract.processes import end_with_parent

log = logging.getLogger("docextract.supervisor")

CHECK_INTERVAL_S = 2.0  # also the interval between attempts to load a model that cannot be loaded
_RETRY_INTERVAL_S = 0.1
_LATE_CALLER_TIMEOUT_S = 0.5  # to receive the answer
_FRONT, _FRONT_SOCKET = "service", "_bento_api_server"  # BentoML's names
_SHARED_MEMORY = "/dev/shm"  # a file system in memory, on Linux; elsewhere the metrics stay in BentoML's folder
_RUNNER_MAP = "BENTOML_RUNNER_MAP"  # set in the processes that the supervisor starts, not in the supervisor


def patch_supervisor(variables: Callable[[], Mapping[str, str]] = dict) -> None:
    """Patch BentoML in the process that will become the supervisor. Bind all other processes to it.

    variables: returns environment variables for the processes that are started from now on. It is called before the
    first start and before each reload; a process that died is restarted with those of its run.
    """
    if _RUNNER_MAP in os.environ:
        end_with_parent()
        return
    from bentoml import serving  # imported here: 8 MB that the other processes do not need
    from bentoml._internal.utils import circus

    if os.access(_SHARED_MEMORY, os.W_OK):
        serving.ensure_prometheus_dir = _metrics_folder_in_memory  # type: ignore[assignment]  # called without arguments
    create_arbiter = circus.create_standalone_arbiter

    def create_patched(watchers: list[Any], **options: Any) -> Any:
        for watcher in watchers:
            watcher.respawn = True
            watcher.notify_event = _log_deaths(watcher.name, watcher.notify_event)
        supervisor: Any = create_arbiter(watchers, check_delay=CHECK_INTERVAL_S, **options)
        supervisor.manage_watchers = _ignore_conflict(supervisor.manage_watchers)
        _stop_front_first(supervisor)
        _set_variables(supervisor, variables)
        supervisor.prereload_fn = partial(_set_variables, variables=variables)
        supervisor.reload = _retry_on_conflict(supervisor, supervisor.reload)
        supervisor.stop = _retry_on_conflict(supervisor, supervisor.stop)
        _close_command_port(supervisor)
        _explain_used_port(supervisor.sockets)
        return supervisor

    circus.create_standalone_arbiter = create_patched


def _set_variables(supervisor: Any, variables: Callable[[], Mapping[str, str]]) -> None:
    """Set environment variables of the processes that the supervisor will start."""
    found = variables()
    for watcher in supervisor.iter_watchers():
        watcher.env = {**(watcher.env or {}), **found}


def _log_deaths(service: str, notify: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Log every process that ended other than by being stopped; circus restarts it without a word."""

    def notify_and_log(topic: Any, message: Any) -> Any:
        if topic == "reap" and message["exit_code"] not in (0, -signal.SIGTERM):
            facts = {"service": service, "pid": message["process_pid"], "exit_status": message["exit_code"]}
            log.error("process died, another is started", extra=facts)
        return notify(topic, message)

    return notify_and_log


def _metrics_folder_in_memory() -> str:
    folder = tempfile.mkdtemp(prefix="docextract-", dir=_SHARED_MEMORY)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _ignore_conflict(manage: Callable[[], Any]) -> Callable[[], Any]:
    """Skip a check during a reload; circus would log an error for each."""
    from circus.exc import ConflictError  # type: ignore[import-untyped]

    def manage_or_skip() -> Any:
        try:
            return manage()
        except ConflictError:
            return None

    return manage_or_skip


def _retry_on_conflict(supervisor: Any, command: Callable[..., Any]) -> Callable[..., Any]:
    """Run the command of a signal after the running one; circus would drop it, even SIGTERM."""
    from circus.exc import ConflictError

    def run_when_free(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except ConflictError:
            supervisor.loop.call_later(_RETRY_INTERVAL_S, run_when_free, *arguments, **options)
            return None

    return run_when_free


def _stop_front_first(supervisor: Any) -> None:
    """On SIGTERM, let the front answer every admitted request while the runners are still running."""
    stop, stop_watchers = supervisor.stop, supervisor._stop_watchers
    final_cleanup = ExitStack()  # BentoML would do this first; it removes the runners' sockets, among others

    def stop_with_late_cleanup() -> Any:
        final_cleanup.push(supervisor.exit_stack.pop_all())
        return stop()

    async def stop_watchers_front_first(*arguments: Any, **options: Any) -> None:
        late_callers = await asyncio.start_server(_refuse, sock=supervisor.sockets[_FRONT_SOCKET])
        for watcher in supervisor.iter_watchers():
            if watcher.name == _FRONT:
                await watcher._stop()
        await stop_watchers(*arguments, **options)
        late_callers.close()
        await asyncio.sleep(_LATE_CALLER_TIMEOUT_S)
        final_cleanup.close()

    supervisor.stop, supervisor._stop_watchers = stop_with_late_cleanup, stop_watchers_front_first


async def _refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer a caller that connects when the front accepts no more connections."""
    problem = ProblemError("model_not_ready", "The service is shutting down.", headers={"connection": "close"})
    body = problems.problem_body(problem, "/", "-")
    headers = {**problems.problem_headers(problem), "content-length": str(len(body))}
    lines = [f"HTTP/1.1 {problem.status} Service Unavailable", *(f"{name}: {value}" for name, value in headers.items())]
    with suppress(OSError, TimeoutError):
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        async with asyncio.timeout(_LATE_CALLER_TIMEOUT_S):
            while await reader.read(65_536):
                pass  # closing a connection with unread input would discard the answer
    writer.close()


def _close_command_port(supervisor: Any) -> None:
    """Replace the port by ZeroMQ's transport between the threads of one process. Call before the supervisor starts."""
    name = f"inproc://supervisor-{id(supervisor)}"
    supervisor.endpoint = supervisor.ctrl.endpoint = f"{name}-commands"
    supervisor.pubsub_endpoint = f"{name}-events"


def _explain_used_port(sockets: Any) -> None:
    """If the service's port is in use, end with a line that says by whom."""
    bind_all = sockets.bind_and_listen_all

    def bind_or_exit() -> None:
        try:
            bind_all()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            port = sockets[_FRONT_SOCKET].port
            raise SystemExit(f"docextract: port {port} is in use by {_listening_process(port)}.") from None

    sockets.bind_and_listen_all = bind_or_exit


def _listening_process(port: int) -> str:
    """Describe the process that opened the port. psutil finds any one of those that share it."""
    listening = (line for line in psutil.net_connections("tcp") if _is_listening(line, port) and line.pid)
    found = next(listening, None)
    if found is None:
        return "a process of another user"
    process = psutil.Process(found.pid)
    for parent in process.parents():
        with suppress(psutil.AccessDenied):
            process = parent if any(_is_listening(line, port) for line in parent.net_connections("tcp")) else process
    return f"process {process.pid} ({process.name()})"


def _is_listening(line: Any, port: int) -> bool:
    return bool(line.status == psutil.CONN_LISTEN and line.laddr.port == port)

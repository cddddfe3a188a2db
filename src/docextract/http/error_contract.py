"""The outermost layer: what must hold for every answer, whoever wrote it.

It stands outside BentoML's own middlewares, which answer 429 and 504 by themselves, so here alone can the
contract be made whole: a request id, one shape for every error, no caching, no unbounded paths or bodies.
"""

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Collection, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docextract.http import request_record
from docextract.http.connections import KEPT_FOR_S, end_silent_connections, too_large
from docextract.http.graceful_shutdown import Leaving, server_of_this_process
from docextract.observability.logs import where
from docextract.pipeline import problems
from docextract.pipeline.problems import ProblemError

log = logging.getLogger("docextract.http")

SYSTEM_PATHS = frozenset({"/livez", "/readyz", "/healthz", "/metrics"})
_SANE_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_HEADERS: Sequence[tuple[bytes, bytes]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
# An answer that may be kept, and a page that loads something, say so themselves.
_UNLESS_SAID: Sequence[tuple[bytes, bytes]] = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


def new_request_id() -> str:
    """26 characters that sort by time, as a ULID's do."""
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


class ErrorContractMiddleware:
    """Wraps the whole ASGI application.

    paths: all that exist. Anything else is answered here, because BentoML keeps a metric for each path it is asked for.
    """

    def __init__(self, app: ASGIApp, paths: Collection[str], max_request_bytes: int) -> None:
        """Wrap `app`."""
        self._app = app
        self._paths = SYSTEM_PATHS | frozenset(paths)
        self._max_request_bytes = max_request_bytes
        self._leaving = Leaving()
        self._sweeping: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            self._prepare()
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = request_id_of(scope)
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        answer = _Answer(scope["path"], request_id, send, self._leaving)
        try:
            self._admit(scope)
            await self._app(scope, receive, answer.send)
        except ProblemError as problem:
            await answer.problem(problem)
        except Exception as error:
            facts = {"kind": type(error).__name__, "where": where(error), "request_id": request_id}
            log.error("request failed", extra=facts)
            if not answer.started:
                await answer.problem(problems.from_status(500))

    def _prepare(self) -> None:
        server = server_of_this_process()
        if server is not None:
            server.config.timeout_keep_alive = KEPT_FOR_S
            self._leaving.prepare(server)
            self._sweeping = asyncio.get_running_loop().create_task(end_silent_connections(server))

    def _admit(self, scope: Scope) -> None:
        if scope["path"] not in self._paths:
            raise self._nothing_at(scope["path"])
        length = _header(scope, b"content-length")
        if length.isdigit() and int(length) > self._max_request_bytes:
            raise too_large(self._max_request_bytes)

    def _nothing_at(self, path: str) -> ProblemError:
        """What there is in the same folder is told: a document type may only be misspelt."""
        folder = path.rpartition("/")[0]
        beside = sorted(one for one in self._paths if folder and one.rpartition("/")[0] == folder)
        if not beside:
            return problems.from_status(404)
        return ProblemError("not_found", f"There is nothing at this address; there are {', '.join(beside)}.")


class _Answer:
    """One response on its way out. An error that is no problem+json is replaced by one."""

    def __init__(self, path: str, request_id: str, send: Send, leaving: Leaving) -> None:
        self._path = path
        self._request_id = request_id
        self._send = send
        self._leaving = leaving
        self._start_s = time.perf_counter()
        self._replaced = False
        self.started = False

    async def send(self, message: Message) -> None:
        """Pass a message of the inner application on, or replace it."""
        if message["type"] != "http.response.start":
            if not self._replaced:
                await self._send(message)
            return
        kind = next((value for name, value in message["headers"] if name.lower() == b"content-type"), b"")
        if message["status"] >= 400 and not kind.startswith(problems.MEDIA_TYPE.encode()):
            self._replaced = True
            await self.problem(problems.from_status(message["status"]))
            return
        await self._start(message["status"], list(message["headers"]))

    async def problem(self, problem: ProblemError) -> None:
        """Answer with a problem of our own."""
        request_record.current().problem(problem.code)
        content = problems.body(problem, self._path, self._request_id)
        headers = {**problems.headers(problem), "content-length": str(len(content)), "content-language": "en"}
        await self._start(problem.status, [(name.encode(), value.encode()) for name, value in headers.items()])
        await self._send({"type": "http.response.body", "body": content})

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.started = True
        total_ms = (time.perf_counter() - self._start_s) * 1000
        timing = [value for name, value in headers if name.lower() == b"server-timing"]
        ours = [
            (b"x-request-id", self._request_id.encode()),
            (b"server-timing", b", ".join([*timing, f"total;dur={total_ms:.1f}".encode()])),
            *_HEADERS,
        ]
        if self._leaving.begun:
            ours.append((b"connection", b"close"))
        said = {name.lower() for name, _ in headers}
        ours += [(name, value) for name, value in _UNLESS_SAID if name not in said]
        names = {name for name, _ in ours}
        kept = [(name, value) for name, value in headers if name.lower() not in names]
        await self._send({"type": "http.response.start", "status": status, "headers": kept + ours})


def request_id_of(scope: Scope) -> str:
    """The one it has here already; else the caller's, where it can safely be echoed and logged; else a new one."""
    if "request_id" in scope.get("state", {}):
        return str(scope["state"]["request_id"])
    given = _header(scope, b"x-request-id")
    return given if _SANE_ID.fullmatch(given) else new_request_id()


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")

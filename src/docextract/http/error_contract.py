"""The error contract of every response, whichever library produced it.

It wraps BentoML's own middlewares, which answer 429 and 504 themselves. Only here can these guarantees be complete: a
request id, one format for all errors, no caching, and limits on paths and bodies.
"""

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Collection, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from docextract.http import request_record
from docextract.http.connections import (
    CLIENT_CLOSED_REQUEST,
    KEEP_ALIVE_S,
    close_silent_connections,
    payload_too_large,
)
from docextract.http.graceful_shutdown import GracefulShutdown, find_uvicorn_server
from docextract.observability.logs import error_location
from docextract.pipeline import problems
from docextract.pipeline.problems import ProblemError

log = logging.getLogger("docextract.http")

SYSTEM_PATHS = frozenset({"/livez", "/readyz", "/healthz", "/metrics"})
_SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_HEADERS: Sequence[tuple[bytes, bytes]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
# Responses that may be cached, and pages that load resources, set these headers themselves.
_DEFAULT_HEADERS: Sequence[tuple[bytes, bytes]] = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


def new_request_id() -> str:
    """Return a new id in the format of a ULID: 26 characters that sort by time."""
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


class ProblemH11Protocol(H11Protocol):
    """Answers what is not HTTP with a problem; uvicorn answers it with plain text, before any application."""

    def send_400_response(self, msg: str) -> None:
        """Send the response and close the connection. msg: uvicorn's text, which is not sent."""
        request_id = new_request_id()
        problem = ProblemError("malformed_request", "The request is not valid HTTP.", headers={"connection": "close"})
        content = problems.problem_body(problem, "", request_id)
        headers = {**problems.problem_headers(problem), "content-length": str(len(content)), "x-request-id": request_id}
        lines = [f"HTTP/1.1 {problem.status} Bad Request", *(f"{name}: {value}" for name, value in headers.items())]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + content)
        self.transport.close()


class ErrorContractMiddleware:
    """Applies the contract to the whole ASGI application.

    paths: all paths that exist. Other paths are answered here, because BentoML keeps a metric for each requested path.
    """

    def __init__(self, app: ASGIApp, paths: Collection[str], max_request_bytes: int) -> None:
        """Wrap `app`."""
        self._app = app
        self._paths = SYSTEM_PATHS | frozenset(paths)
        self._max_request_bytes = max_request_bytes
        self._shutdown = GracefulShutdown()
        self._closing_silent: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            self._set_up_server()
        if scope["type"] == "websocket":
            await _refuse_websocket(scope, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = get_request_id(scope)
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        response = _ContractResponse(scope["path"], request_id, send, self._shutdown)
        try:
            self._check_path_and_length(scope)
            await self._app(scope, receive, response.send)
        except ProblemError as problem:
            await response.send_problem(problem)
        except Exception as error:
            facts = {"kind": type(error).__name__, "where": error_location(error), "request_id": request_id}
            log.error("request failed", extra=facts)
            if not response.started:
                await response.send_problem(problems.problem_from_status(500))

    def _set_up_server(self) -> None:
        server = find_uvicorn_server()
        if server is not None:
            server.config.timeout_keep_alive = KEEP_ALIVE_S
            if server.config.http_protocol_class is H11Protocol:
                server.config.http_protocol_class = ProblemH11Protocol
            self._shutdown.install(server)
            self._closing_silent = asyncio.get_running_loop().create_task(close_silent_connections(server))

    def _check_path_and_length(self, scope: Scope) -> None:
        if scope["path"] not in self._paths:
            raise self._not_found(scope["path"])
        length = _header(scope, b"content-length")
        if length.isdigit() and int(length) > self._max_request_bytes:
            raise payload_too_large(self._max_request_bytes)

    def _not_found(self, path: str) -> ProblemError:
        """Name the existing paths of the same folder: the name of a document type may be misspelt."""
        folder = path.rpartition("/")[0]
        siblings = sorted(one for one in self._paths if folder and one.rpartition("/")[0] == folder)
        if not siblings:
            return problems.problem_from_status(404)
        return ProblemError("not_found", f"The resource does not exist. Existing ones are {', '.join(siblings)}.")


async def _refuse_websocket(scope: Scope, send: Send) -> None:
    """Answer the request for a connection with a problem; servers without the ASGI extension for it answer 403."""
    problem = ProblemError("not_found", "The service has no WebSockets. Send requests with POST.")
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close"})
        return
    request_id = get_request_id(scope)
    content = problems.problem_body(problem, scope["path"], request_id)
    headers = {**problems.problem_headers(problem), "content-length": str(len(content)), "x-request-id": request_id}
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "websocket.http.response.start", "status": problem.status, "headers": encoded})
    await send({"type": "websocket.http.response.body", "body": content})


class _ContractResponse:
    """One response while it is sent. An error that is not problem+json is replaced by one, if anybody receives it."""

    def __init__(self, path: str, request_id: str, send: Send, shutdown: GracefulShutdown) -> None:
        self._path = path
        self._request_id = request_id
        self._send = send
        self._shutdown = shutdown
        self._start_s = time.perf_counter()
        self._replaced = False
        self.started = False

    async def send(self, message: Message) -> None:
        """Forward a message of the inner application, or replace it."""
        if message["type"] != "http.response.start":
            if not self._replaced:
                await self._send(message)
            return
        media_type = next((value for name, value in message["headers"] if name.lower() == b"content-type"), b"")
        status, is_problem = message["status"], media_type.startswith(problems.MEDIA_TYPE.encode())
        if status >= 400 and status != CLIENT_CLOSED_REQUEST and not is_problem:
            self._replaced = True
            await self.send_problem(problems.problem_from_status(status))
            return
        await self._send_start(status, list(message["headers"]))

    async def send_problem(self, problem: ProblemError) -> None:
        """Send a problem instead of the inner application's response."""
        request_record.current_record().add_problem(problem.code)
        content = problems.problem_body(problem, self._path, self._request_id)
        headers = {**problems.problem_headers(problem), "content-length": str(len(content)), "content-language": "en"}
        await self._send_start(problem.status, [(name.encode(), value.encode()) for name, value in headers.items()])
        await self._send({"type": "http.response.body", "body": content})

    async def _send_start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.started = True
        total_ms = (time.perf_counter() - self._start_s) * 1000
        timing = [value for name, value in headers if name.lower() == b"server-timing"]
        added = [
            (b"x-request-id", self._request_id.encode()),
            (b"server-timing", b", ".join([*timing, f"total;dur={total_ms:.1f}".encode()])),
            *_HEADERS,
        ]
        if self._shutdown.begun:
            added.append((b"connection", b"close"))
        present = {name.lower() for name, _ in headers}
        added += [(name, value) for name, value in _DEFAULT_HEADERS if name not in present]
        added_names = {name for name, _ in added}
        kept = [(name, value) for name, value in headers if name.lower() not in added_names]
        await self._send({"type": "http.response.start", "status": status, "headers": kept + added})


def get_request_id(scope: Scope) -> str:
    """Return the id assigned earlier; otherwise the caller's, if it is safe to echo and to log; otherwise a new one."""
    if "request_id" in scope.get("state", {}):
        return str(scope["state"]["request_id"])
    requested = _header(scope, b"x-request-id")
    return requested if _SAFE_REQUEST_ID.fullmatch(requested) else new_request_id()


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")

"""One log line, metrics and a trace span for every request.

This is the outermost middleware except for CORS, so that refused requests are recorded, too.
"""

import logging
import time
from collections.abc import Collection, Mapping

from opentelemetry.trace import Status, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docextract.http import request_record
from docextract.http.connections import CLIENT_CLOSED_REQUEST
from docextract.http.error_contract import SYSTEM_PATHS, get_request_id
from docextract.observability import metrics, origin, traces

log = logging.getLogger("docextract.access")

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER_METHOD = "other"
_NO_ROUTE = "none"


class AccessLogMiddleware:
    """Records every request of the wrapped application.

    routes: for each path that is answered, its route template.
    quiet_paths: paths that monitoring requests every few seconds; they are counted, but neither logged nor traced.
    """

    def __init__(self, app: ASGIApp, routes: Mapping[str, str], quiet_paths: Collection[str] = SYSTEM_PATHS) -> None:
        """Wrap `app`."""
        self._app = app
        self._routes = {path: path for path in quiet_paths} | dict(routes)
        self._quiet_paths = quiet_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        response = _ObservedResponse(scope, self._routes, send)
        try:
            if scope["path"] in self._quiet_paths:
                await self._app(scope, receive, response.send)
            else:
                await self._log_and_trace(scope, receive, response)
        finally:
            response.count()

    async def _log_and_trace(self, scope: Scope, receive: Receive, response: "_ObservedResponse") -> None:
        request_id = get_request_id(scope)
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        origin.request_id.set(request_id)
        record = request_record.start_record()
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        with traces.request_span(f"{response.method} {response.route}", headers) as span:
            try:
                await self._app(scope, receive, response.send)
            finally:
                span.set_attributes({"http.request.method": response.method, "http.route": response.route})
                span.set_attribute("http.response.status_code", response.status)
                span.set_attributes({f"docextract.{name}": value for name, value in record.facts.items()})
                if response.status >= 500:
                    span.set_status(Status(StatusCode.ERROR))
                basics = {"method": response.method, "route": response.route, "status": response.status}
                log.info("answered", extra={**basics, "ms": round(response.duration_s * 1000, 1), **record.facts})


class _ObservedResponse:
    """One response while it is sent."""

    def __init__(self, scope: Scope, routes: Mapping[str, str], send: Send) -> None:
        self.method = scope["method"] if scope["method"] in _METHODS else _OTHER_METHOD
        self.route = routes.get(scope["path"], _NO_ROUTE)
        self.status = CLIENT_CLOSED_REQUEST  # until there is an answer
        self._send = send
        self._start_s = time.perf_counter()

    @property
    def duration_s(self) -> float:
        return time.perf_counter() - self._start_s

    async def send(self, message: Message) -> None:
        """Forward a message; add the `traceresponse` header (W3C Trace Context) to the first."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if (traceparent := traces.current_traceparent()) is not None:
                message = {
                    **message,
                    "headers": [*message.get("headers", ()), (b"traceresponse", traceparent.encode())],
                }
        await self._send(message)

    def count(self) -> None:
        metrics.front().requests.labels(self.method, self.route, self.status).inc()
        metrics.front().request_seconds.labels(self.route).observe(self.duration_s)

"""What a request came to, told three times: as a line in the log, in the metrics and in its trace.

This stands around everything else, so that what was turned away at the door is told too.
"""

import logging
import time
from collections.abc import Collection, Mapping

from opentelemetry.trace import Status, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docextract.http import request_record
from docextract.http.error_contract import SYSTEM_PATHS, request_id_of
from docextract.observability import metrics, origin, traces

log = logging.getLogger("docextract.access")

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER_METHOD = "other"
_NO_ROUTE = "none"
_NO_ANSWER = 499  # as nginx calls a caller who left


class Told:
    """Wraps the whole application, the edge too.

    routes: for each path that is answered, its template.
    quiet: paths that machines ask for every few seconds: they are counted, and neither logged nor traced.
    """

    def __init__(self, app: ASGIApp, routes: Mapping[str, str], quiet: Collection[str] = SYSTEM_PATHS) -> None:
        """Wrap `app`."""
        self._app = app
        self._routes = {path: path for path in quiet} | dict(routes)
        self._quiet = quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, self._routes, send)
        try:
            if scope["path"] in self._quiet:
                await self._app(scope, receive, answer.send)
            else:
                await self._told(scope, receive, answer)
        finally:
            answer.count()

    async def _told(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        request_id = request_id_of(scope)
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        origin.request_id.set(request_id)
        found = request_record.begin()
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        with traces.request(f"{answer.method} {answer.route}", headers) as span:
            try:
                await self._app(scope, receive, answer.send)
            finally:
                span.set_attributes({"http.request.method": answer.method, "http.route": answer.route})
                span.set_attribute("http.response.status_code", answer.status)
                span.set_attributes({f"docextract.{name}": value for name, value in found.facts.items()})
                if answer.status >= 500:
                    span.set_status(Status(StatusCode.ERROR))
                known = {"method": answer.method, "route": answer.route, "status": answer.status}
                log.info("answered", extra={**known, "ms": round(answer.took_s * 1000, 1), **found.facts})


class _Answer:
    """One response on its way out."""

    def __init__(self, scope: Scope, routes: Mapping[str, str], send: Send) -> None:
        self.method = scope["method"] if scope["method"] in _METHODS else _OTHER_METHOD
        self.route = routes.get(scope["path"], _NO_ROUTE)
        self.status = _NO_ANSWER
        self._send = send
        self._start_s = time.perf_counter()

    @property
    def took_s(self) -> float:
        return time.perf_counter() - self._start_s

    async def send(self, message: Message) -> None:
        """Pass it on, with the trace it can be found by (W3C Trace Context)."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if (here := traces.traceparent()) is not None:
                message = {**message, "headers": [*message.get("headers", ()), (b"traceresponse", here.encode())]}
        await self._send(message)

    def count(self) -> None:
        metrics.front().requests.labels(self.method, self.route, self.status).inc()
        metrics.front().request_seconds.labels(self.route).observe(self.took_s)

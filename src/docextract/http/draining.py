"""Draining: while a file exists, /readyz answers 503, and load balancers send their requests elsewhere."""

import logging
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from docextract.pipeline.problems import ProblemError

log = logging.getLogger("docextract.http")

_READINESS_PATH = "/readyz"


class DrainingMiddleware:
    """Answers the readiness probe while the service is draining; only here can the answer name the reason."""

    def __init__(self, app: ASGIApp, drain_file: Path | None) -> None:
        """Wrap `app`. drain_file: None if the service is never drained."""
        self._app = app
        self._drain_file = drain_file
        self._draining = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. Raises ProblemError for the probe of a draining service."""
        if scope["type"] == "http" and scope["path"] == _READINESS_PATH and self._is_draining():
            raise ProblemError("model_not_ready", "The service is draining.")
        await self._app(scope, receive, send)

    def _is_draining(self) -> bool:
        """Look for the file; log the change when it has been created or removed."""
        draining = self._drain_file is not None and self._drain_file.exists()
        if draining != self._draining:
            log.warning("draining changed", extra={"draining": draining})
            self._draining = draining
        return draining

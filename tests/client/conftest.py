"""Both clients in front of the real HTTP layer, whose models are plain Python; and a service that follows a script."""

import threading

import httpx
import pytest

from docextract.client import Client, Patience
from docextract.http.app import paths
from docextract.http.error_contract import ErrorContractMiddleware
from tests.http.conftest import LIMITS, app, good, models, poor

__all__ = ["app", "good", "models", "poor"]  # fixtures


@pytest.fixture
def service(app):
    """The ASGI application."""
    return ErrorContractMiddleware(app, paths(app), LIMITS["max_request_bytes"])


class Script:
    """Answers with these responses or errors, one after another, the last of them for ever; counts what it is asked."""

    def __init__(self, *lines):
        self._lines = list(lines)
        self._turn = threading.Lock()
        self.requests = []

    def __call__(self, request):
        with self._turn:
            self.requests.append(request)
            line = self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
        if isinstance(line, Exception):
            raise line
        return httpx.Response(line.status_code, headers=line.headers, content=line.content)

    def client(self, **options):
        return Client("http://service", transport=httpx.MockTransport(self), **options)


LIMITS_ANSWER = httpx.Response(
    200,
    json={
        "max_image_bytes": 1, "max_images": 3, "max_request_bytes": 1, "min_side_px": 1, "max_side_px": 1,
        "max_pixels": 1, "max_pdf_pages": 1, "timeout_s": 1.0, "kinds": ["JPEG"], "max_moons": 2,
    },
)  # fmt: skip


def refusal(status, code, **headers):
    """A problem, as the service answers it."""
    body = {"type": f"/docs#{code}", "title": "No", "status": status, "detail": "Not now.", "instance": "/v1/limits",
            "code": code, "request_id": "01J", "trace": "a member of tomorrow"}  # fmt: skip
    return httpx.Response(status, headers={"content-type": "application/problem+json", **headers}, json=body)


SOON = Patience(tries=3, within_s=5.0)

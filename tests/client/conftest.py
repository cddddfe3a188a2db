"""Both clients with the real HTTP layer on plain Python models; and a service with scripted responses."""

import threading

import httpx
import pytest
import tenacity
import tenacity.nap

from docextract.client import Client, RetryPolicy, many
from docextract.http.app import paths
from docextract.http.error_contract import ErrorContractMiddleware
from tests.http.conftest import LIMITS, app, good, models, poor

__all__ = ["app", "good", "models", "poor"]  # fixtures


@pytest.fixture
def service(app):
    """The ASGI application."""
    return ErrorContractMiddleware(app, paths(app), LIMITS["max_request_bytes"])


class FakeClock:
    """Time for the retries: sleeping only moves the clock."""

    def __init__(self):
        self.now_s = 0.0
        self._lock = threading.Lock()

    def monotonic(self):
        return self.now_s

    def sleep(self, seconds):
        with self._lock:
            self.now_s += seconds


class FakeEvent(threading.Event):
    """An event for which waiting moves the clock and takes no time."""

    def __init__(self, clock):
        super().__init__()
        self._clock = clock

    def wait(self, timeout=None):
        if not self.is_set():
            self._clock.sleep(timeout)
        return self.is_set()


@pytest.fixture
def clock(monkeypatch):
    """The clock of a client's retries in this test."""
    fake = FakeClock()
    monkeypatch.setattr(tenacity, "time", fake)
    monkeypatch.setattr(tenacity.nap, "time", fake)
    monkeypatch.setattr(many, "Event", lambda: FakeEvent(fake))
    return fake


class ScriptedService:
    """A service that gives these responses or errors in order and repeats the last one; it records all requests."""

    def __init__(self, *responses):
        self._responses = list(responses)
        self._lock = threading.Lock()
        self.requests = []

    def __call__(self, request):
        with self._lock:
            self.requests.append(request)
            response = self._responses.pop(0) if len(self._responses) > 1 else self._responses[0]
        if isinstance(response, Exception):
            raise response
        return httpx.Response(response.status_code, headers=response.headers, content=response.content)

    def client(self, **options):
        return Client("http://service", transport=httpx.MockTransport(self), **options)


LIMITS_ANSWER = httpx.Response(
    200,
    json={
        "max_image_bytes": 1, "max_images": 3, "max_request_bytes": 1, "min_side_px": 1, "max_side_px": 1,
        "max_pixels": 1, "max_pages": 1, "timeout_s": 1.0, "kinds": ["JPEG"], "max_moons": 2,
    },
)  # fmt: skip


def problem_response(status, code, **headers):
    """A problem response in the service's format."""
    body = {"type": f"/docs#{code}", "title": "No", "status": status, "detail": "Not now.", "instance": "/v1/limits",
            "code": code, "request_id": "01J", "trace": "a member of tomorrow"}  # fmt: skip
    return httpx.Response(status, headers={"content-type": "application/problem+json", **headers}, json=body)


SHORT_RETRIES = RetryPolicy(max_attempts=3, max_total_s=5.0)

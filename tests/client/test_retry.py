"""Tests of the retry policy."""

import asyncio
import email.utils
import time

import httpx
import pytest

from docextract.client import AsyncClient, ProblemError, RetryPolicy, UnreachableError
from tests.client.conftest import LIMITS_ANSWER, SHORT_RETRIES, ScriptedService, problem_response

OVERLOADED = problem_response(503, "overloaded", **{"retry-after": "1"})


def test_overloaded_service_is_retried_after_retry_after(clock):
    """The client waits for the second that Retry-After names, and a little more: not all clients return at once."""
    script = ScriptedService(OVERLOADED, LIMITS_ANSWER)

    assert script.client(retry_policy=SHORT_RETRIES).limits().max_images == 3
    assert 1 < clock.now_s < 2
    assert len(script.requests) == 2


def test_retry_after_may_be_a_date():
    """RFC 9110 allows a date; a date in the past means now."""
    past = email.utils.formatdate(time.time() - 60, usegmt=True)
    script = ScriptedService(problem_response(429, "rate_limited", **{"retry-after": past}), LIMITS_ANSWER)
    start = time.monotonic()

    script.client(retry_policy=SHORT_RETRIES).limits()

    assert time.monotonic() - start < 1


@pytest.mark.parametrize(
    "error", [httpx.ConnectError("refused"), httpx.RemoteProtocolError("closed"), httpx.ReadError("reset")]
)
def test_lost_connection_is_retried(error):
    """A restart of the service does not lose requests."""
    assert ScriptedService(error, LIMITS_ANSWER).client(retry_policy=SHORT_RETRIES).limits().max_images == 3


def test_async_client_retries_each_call():
    """Concurrent calls count their attempts separately."""
    script = ScriptedService(*[httpx.ConnectError("refused")] * 4, LIMITS_ANSWER)

    async def run():
        async with AsyncClient(
            "http://service", transport=httpx.MockTransport(script), retry_policy=RetryPolicy(5)
        ) as client:
            return await asyncio.gather(*[client.limits() for _ in range(4)])

    assert [limits.max_images for limits in asyncio.run(run())] == [3] * 4


@pytest.mark.parametrize(
    "error",
    [
        problem_response(429, "rate_limited", **{"retry-after": "1"}),
        problem_response(503, "model_not_ready", **{"retry-after": "0"}),
        httpx.ConnectError("refused"),
        httpx.ConnectTimeout("no answer"),
    ],
)
def test_refused_requests_are_retried_for_the_total_time(clock, error):
    """A service that restarts for most of that time loses no request; the number of attempts does not matter."""

    class RestartingService(ScriptedService):
        def __call__(self, request):
            if clock.now_s > 45:
                self._responses = [LIMITS_ANSWER]
            return super().__call__(request)

    script = RestartingService(error)

    assert script.client(retry_policy=RetryPolicy(max_attempts=3)).limits().max_images == 3
    assert len(script.requests) > 5


def test_retries_end_with_the_total_time(clock):
    """The last error is raised."""
    script = ScriptedService(httpx.ConnectError("refused"))

    with pytest.raises(UnreachableError, match="refused"):
        script.client().limits()

    assert 45 < clock.now_s < 60


def test_broken_connections_are_retried_max_attempts_times(clock):
    """The request may be what breaks the service. Refused connections in between are not counted."""
    script = ScriptedService(*[httpx.ConnectError("refused")] * 4, httpx.ReadError("reset"))

    with pytest.raises(UnreachableError, match="reset"):
        script.client(retry_policy=RetryPolicy(max_attempts=3)).limits()

    assert len(script.requests) == 4 + 3


def test_retries_end_before_max_total_time():
    """A Retry-After beyond the limit raises at once."""
    script = ScriptedService(problem_response(503, "overloaded", **{"retry-after": "3600"}))
    start = time.monotonic()

    with pytest.raises(ProblemError) as caught:
        script.client(retry_policy=SHORT_RETRIES).limits()

    assert caught.value.retry_after_s == 3600
    assert time.monotonic() - start < 1
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "error", [OVERLOADED, httpx.ConnectError("refused"), httpx.ReadError("reset"), httpx.ConnectTimeout("no answer")]
)
def test_no_total_time_switches_retries_off(error):
    """The first error is raised."""
    script = ScriptedService(error)

    with pytest.raises((ProblemError, UnreachableError)):
        script.client(retry_policy=RetryPolicy(max_total_s=0)).limits()

    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "response",
    [
        problem_response(422, "image_undecodable"),
        problem_response(500, "internal_error"),
        httpx.ReadTimeout("too long"),
    ],
)
def test_permanent_errors_are_not_retried(response):
    """Errors of the request do not change, and a timeout must not double the service's work."""
    script = ScriptedService(response)

    with pytest.raises((ProblemError, UnreachableError)):
        script.client(retry_policy=SHORT_RETRIES).limits()

    assert len(script.requests) == 1

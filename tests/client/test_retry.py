"""When the client asks again."""

import asyncio
import email.utils
import time

import httpx
import pytest

from docextract.client import AsyncClient, Patience, ProblemError, UnreachableError
from tests.client.conftest import LIMITS_ANSWER, SOON, Script, refusal

BUSY = refusal(503, "overloaded", **{"retry-after": "1"})


def test_a_full_service_is_asked_again_when_it_said():
    """After the second that Retry-After names, not before."""
    script = Script(BUSY, LIMITS_ANSWER)
    start = time.monotonic()

    assert script.client(patience=SOON).limits().max_images == 3
    assert time.monotonic() - start >= 1
    assert len(script.requests) == 2


def test_retry_after_may_be_a_date():
    """RFC 9110 allows both; a date that has passed means now."""
    past = email.utils.formatdate(time.time() - 60, usegmt=True)
    script = Script(refusal(429, "rate_limited", **{"retry-after": past}), LIMITS_ANSWER)
    start = time.monotonic()

    script.client(patience=SOON).limits()

    assert time.monotonic() - start < 1


@pytest.mark.parametrize(
    "loss", [httpx.ConnectError("refused"), httpx.RemoteProtocolError("closed"), httpx.ReadError("reset")]
)
def test_a_lost_connection_is_made_again(loss):
    """A service that is being restarted loses nobody."""
    assert Script(loss, LIMITS_ANSWER).client(patience=SOON).limits().max_images == 3


def test_the_awaited_client_is_as_patient():
    """Many at once, each with its own count."""
    script = Script(*[httpx.ConnectError("refused")] * 4, LIMITS_ANSWER)

    async def run():
        async with AsyncClient("http://service", transport=httpx.MockTransport(script), patience=Patience(5)) as client:
            return await asyncio.gather(*[client.limits() for _ in range(4)])

    assert [limits.max_images for limits in asyncio.run(run())] == [3] * 4


def test_patience_ends_by_count():
    """The last problem is what the caller sees."""
    script = Script(refusal(503, "model_not_ready", **{"retry-after": "0"}))

    with pytest.raises(ProblemError) as caught:
        script.client(patience=SOON).limits()

    assert caught.value.code == "model_not_ready"
    assert len(script.requests) == SOON.tries


def test_patience_ends_by_the_clock():
    """Nobody sleeps an hour because a service says so."""
    script = Script(refusal(503, "overloaded", **{"retry-after": "3600"}))
    start = time.monotonic()

    with pytest.raises(ProblemError) as caught:
        script.client(patience=SOON).limits()

    assert caught.value.retry_after_s == 3600
    assert time.monotonic() - start < 1
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "line", [refusal(422, "image_undecodable"), refusal(500, "internal_error"), httpx.ReadTimeout("too long")]
)
def test_what_does_not_pass_is_asked_once(line):
    """A bad picture stays bad, and a service that is slow already is not given the work twice."""
    script = Script(line)

    with pytest.raises((ProblemError, UnreachableError)):
        script.client(patience=SOON).limits()

    assert len(script.requests) == 1

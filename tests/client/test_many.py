"""Tests of many files with either client."""

import asyncio
import threading
import time

import httpx
import pytest

from docextract.client import AsyncClient, Client, Image, ProblemError, RetryPolicy
from tests.client.conftest import SHORT_RETRIES, ScriptedService, problem_response

VERDICT = {
    "uploads": [],
    "request_id": "01J", "external_id": None, "accepted": True, "score": 0.9, "strictness": "normal",
    "images": [], "guidance": [], "model": {"name": "quality", "version": "1"},
}  # fmt: skip


class DelayedService:
    """A service that takes as many milliseconds as the picture says and refuses `no`; it counts concurrent requests."""

    def __init__(self):
        self.in_progress = self.max_in_progress = self.requests = 0
        self._lock = threading.Lock()

    def answer(self, request):
        with self:
            time.sleep(self._pause_s(request))
            return self._response(request)

    async def answer_async(self, request):
        with self:
            await asyncio.sleep(self._pause_s(request))
            return self._response(request)

    def __enter__(self):
        with self._lock:
            self.in_progress, self.requests = self.in_progress + 1, self.requests + 1
            self.max_in_progress = max(self.max_in_progress, self.in_progress)

    def __exit__(self, *error):
        with self._lock:
            self.in_progress -= 1

    def _pause_s(self, request):
        picture = _sent_picture(request)
        return 0.0 if picture == b"no" else int(picture) / 1000

    def _response(self, request):
        return (
            problem_response(422, "image_undecodable")
            if _sent_picture(request) == b"no"
            else httpx.Response(200, json=VERDICT)
        )


def _sent_picture(request):
    return request.content.split(b"\r\n\r\n")[1].split(b"\r\n")[0]


@pytest.fixture
def delayed_service():
    return DelayedService()


@pytest.fixture(params=["threads", "tasks"])
def validate_many(request, delayed_service):
    """Return outcomes of either client, at most `take` of them."""

    def threads(images, concurrency, take=None):
        with Client(
            "http://service", transport=httpx.MockTransport(delayed_service.answer), retry_policy=SHORT_RETRIES
        ) as client:
            outcomes = client.validate_many(images, concurrency)
            found = [outcome for _, outcome in zip(range(take or 999), outcomes, strict=False)]
            outcomes.close()
            return found

    def tasks(images, concurrency, take=None):
        async def run():
            transport = httpx.MockTransport(delayed_service.answer_async)
            async with AsyncClient("http://service", transport=transport, retry_policy=SHORT_RETRIES) as client:
                found = []
                outcomes = client.validate_many(images, concurrency)
                async for outcome in outcomes:
                    found.append(outcome)
                    if len(found) == take:
                        break
                await outcomes.aclose()
                return found

        return asyncio.run(run())

    return threads if request.param == "threads" else tasks


def test_outcomes_come_in_order_of_completion(validate_many):
    """A slow picture does not delay the others; the index tells which file an outcome belongs to."""
    outcomes = validate_many([b"300", b"10", b"150"], 3)

    assert [outcome.index for outcome in outcomes] == [1, 2, 0]
    assert all(outcome.answer.accepted for outcome in outcomes)


def test_concurrency_is_limited(validate_many, delayed_service):
    """Never more than `concurrency` requests are in progress."""
    outcomes = validate_many([b"20"] * 12, 3)

    assert len(outcomes) == 12
    assert delayed_service.max_in_progress == 3


def test_each_file_has_its_own_outcome(validate_many, tmp_path):
    """A refused picture and a missing file do not affect the others."""
    photo = tmp_path / "1.jpg"
    photo.write_bytes(b"1")
    missing = tmp_path / "2.jpg"

    outcomes = validate_many([photo, b"no", missing, Image(b"5")], 2)

    by_source = {outcome.index: outcome for outcome in outcomes}
    assert by_source[0].source == photo
    assert by_source[0].answer.accepted
    assert isinstance(by_source[1].error, ProblemError)
    assert isinstance(by_source[2].error, FileNotFoundError)
    assert by_source[3].answer.accepted


def test_files_are_consumed_lazily(validate_many, delayed_service):
    """An endless input works, and stopping early ends the requests."""

    def endless():
        while True:
            yield b"1"

    outcomes = validate_many(endless(), 2, take=4)

    assert len(outcomes) == 4
    assert delayed_service.requests <= 8


def test_waits_for_the_rate_limit_are_not_charged_to_a_file(clock):
    """With ten pages a minute, eight files that wait together need longer than one file may take."""
    limited = problem_response(429, "rate_limited", **{"retry-after": "40"})
    script = ScriptedService(*[limited] * 5, httpx.Response(200, json=VERDICT))

    (outcome,) = script.client().validate_many([b"1"])

    assert outcome.answer.accepted
    assert clock.now_s > 200
    with pytest.raises(ProblemError):
        ScriptedService(limited).client().validate(b"1")


def test_closing_ends_the_waits_for_the_rate_limit(validate_many, delayed_service, monkeypatch):
    """Closing the generator, as Ctrl+C does, ends all waits before a retry."""
    limited, response = problem_response(429, "rate_limited", **{"retry-after": "3600"}), delayed_service._response
    monkeypatch.setattr(
        delayed_service, "_response", lambda sent: limited if _sent_picture(sent) == b"2" else response(sent)
    )
    start = time.monotonic()

    (outcome,) = validate_many([b"2", b"100"], 2, take=1)

    assert (outcome.index, delayed_service.requests) == (1, 2)
    assert time.monotonic() - start < 10


def test_retries_that_are_switched_off_include_the_rate_limit(clock):
    """A policy of no time holds for many files, too."""
    script = ScriptedService(problem_response(429, "rate_limited", **{"retry-after": "1"}))

    (outcome,) = script.client(retry_policy=RetryPolicy(max_total_s=0)).validate_many([b"1"])

    assert outcome.error.code == "rate_limited"
    assert len(script.requests) == 1


def test_no_files_give_no_outcomes(validate_many):
    """An empty input is not an error."""
    assert validate_many([], 2) == []

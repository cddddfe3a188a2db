"""Many files through either client."""

import asyncio
import threading
import time

import httpx
import pytest

from docextract.client import AsyncClient, Client, Image, ProblemError
from tests.client.conftest import SOON, refusal

VERDICT = {
    "request_id": "01J", "external_id": None, "accepted": True, "score": 0.9, "strictness": "normal",
    "images": [], "guidance": [], "model": {"name": "quality", "version": "1"},
}  # fmt: skip


class Slow:
    """A service to which a picture says how many milliseconds to take; `no` is refused. Counts what comes at once."""

    def __init__(self):
        self.now = self.most = self.asked = 0
        self._turn = threading.Lock()

    def answer(self, request):
        with self:
            time.sleep(self._pause_s(request))
            return self._response(request)

    async def answer_async(self, request):
        with self:
            await asyncio.sleep(self._pause_s(request))
            return self._response(request)

    def __enter__(self):
        with self._turn:
            self.now, self.asked = self.now + 1, self.asked + 1
            self.most = max(self.most, self.now)

    def __exit__(self, *error):
        with self._turn:
            self.now -= 1

    def _pause_s(self, request):
        picture = _picture(request)
        return 0.0 if picture == b"no" else int(picture) / 1000

    def _response(self, request):
        return refusal(422, "image_undecodable") if _picture(request) == b"no" else httpx.Response(200, json=VERDICT)


def _picture(request):
    return request.content.split(b"\r\n\r\n")[1].split(b"\r\n")[0]


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture(params=["threads", "tasks"])
def validate_many(request, slow):
    """Outcomes of either client, at most `take` of them."""

    def threads(images, concurrency, take=None):
        with Client("http://service", transport=httpx.MockTransport(slow.answer), patience=SOON) as client:
            outcomes = client.validate_many(images, concurrency)
            found = [outcome for outcome, _ in zip(outcomes, range(take or 999), strict=False)]
            outcomes.close()
            return found

    def tasks(images, concurrency, take=None):
        async def run():
            transport = httpx.MockTransport(slow.answer_async)
            async with AsyncClient("http://service", transport=transport, patience=SOON) as client:
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


def test_the_first_that_is_ready_comes_first(validate_many):
    """A slow picture holds nobody up; the index says which one an outcome belongs to."""
    outcomes = validate_many([b"300", b"10", b"150"], 3)

    assert [outcome.index for outcome in outcomes] == [1, 2, 0]
    assert all(outcome.answer.accepted for outcome in outcomes)


def test_no_more_at_once_than_asked_for(validate_many, slow):
    """Whoever sets the number knows what the service can take."""
    outcomes = validate_many([b"20"] * 12, 3)

    assert len(outcomes) == 12
    assert slow.most == 3


def test_each_file_has_its_own_answer_or_error(validate_many, tmp_path):
    """A refused picture and a missing file spoil nothing."""
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


def test_files_are_taken_as_they_are_needed(validate_many, slow):
    """A million names cost no memory, and whoever stops early has not asked about all of them."""

    def endless():
        while True:
            yield b"1"

    outcomes = validate_many(endless(), 2, take=4)

    assert len(outcomes) == 4
    assert slow.asked <= 8


def test_no_files_no_outcomes(validate_many):
    """An empty folder is no error."""
    assert validate_many([], 2) == []

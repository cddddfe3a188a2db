"""Decoding in sandboxed processes that callers share."""

import asyncio
import io
import time

import numpy as np
import pytest
from PIL import Image

from docextract.images.decoder import PreparedFile, WorkingSize, decode_and_prepare
from docextract.images.limits import DecodingLimits
from docextract.pipeline import decoding_pool
from docextract.pipeline.decoding_pool import TOO_EXPENSIVE, DecodingPool
from docextract.pipeline.shares import on_behalf_of
from tests.images.hostile_pdfs import endless
from tests.images.text_pdfs import text_pdf, words
from tests.processes import children_where

LIMITS = DecodingLimits()
SIZE = WorkingSize(4400, 1100)


def photo(width=300, height=200):
    noise = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    return out.getvalue()


async def decode(pool, data, caller="one", size=SIZE):
    with on_behalf_of(caller), pool.request() as decoder:
        return await decoder.decode(data, LIMITS, None, size)


def _decoders():
    return children_where(lambda command: "docextract.images.decoder" in command)


@pytest.fixture(autouse=True)
def own_processes(monkeypatch):
    """End the processes of each test."""
    idle = []
    monkeypatch.setattr(decoding_pool, "_idle", idle)
    yield
    for process in idle:
        process.end()


STRUCK = words("Total 8.00", 60, 700) + words("9.00", 140, 700) + "60 703 55 1 re f"


@pytest.mark.parametrize("data", [photo(), photo(2600, 100), text_pdf(words("Total 9.00", 60, 700)), text_pdf(STRUCK)])
def test_a_process_returns_what_decoding_here_returns(data):
    """Pixels, text lines and all."""
    there, here = asyncio.run(decode(DecodingPool(1), data)), decode_and_prepare(data, LIMITS, None, SIZE)

    assert isinstance(there, PreparedFile)
    assert isinstance(here, PreparedFile)
    (one,), (other,) = there.pages, here.pages
    assert (one.number, one.source, one.width, one.height, one.blank) == (
        other.number, other.source, other.width, other.height, other.blank,
    )  # fmt: skip
    assert np.array_equal(one.pixels, other.pixels)
    assert np.array_equal(one.glimpse.crops, other.glimpse.crops)
    assert np.array_equal(one.glimpse.frame.pixels, other.glimpse.frame.pixels)
    assert one.glimpse.frame.scale == other.glimpse.frame.scale
    assert [line.text for line in one.lines] == [line.text for line in other.lines]
    assert [line.is_struck for line in one.lines] == [line.is_struck for line in other.lines]
    assert all(np.allclose(a.polygon, b.polygon, atol=0.01) for a, b in zip(one.lines, other.lines, strict=True))


def test_pixels_are_left_out_for_a_verdict():
    """The glimpse is enough."""
    file = asyncio.run(decode(DecodingPool(1), photo(), size=None))

    assert isinstance(file, PreparedFile)
    assert file.pages[0].pixels is None


def test_a_long_file_does_not_keep_others_waiting(monkeypatch):
    """One place; a PDF that is drawn for ever; and a photo of another caller."""
    monkeypatch.setattr(decoding_pool, "LONG_AFTER_CPU_S", 0.3)

    async def both():
        pool = DecodingPool(1)
        await decode(pool, photo())
        long = asyncio.create_task(decode(pool, endless(), "flood"))
        own_next = asyncio.create_task(decode(pool, photo(), "flood"))
        await asyncio.sleep(0.1)
        await decode(pool, photo(), "guest")
        still_busy = not long.done() and not own_next.done()
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        return still_busy, await own_next

    still_busy, own_next = asyncio.run(both())
    assert still_busy
    assert isinstance(own_next, PreparedFile)


def test_a_file_that_waits_for_a_processor_is_not_long(monkeypatch):
    """It would wait even longer with low priority, and so would its caller's next files."""
    monkeypatch.setattr(decoding_pool, "LONG_AFTER_CPU_S", 0.3)
    slowed = []
    monkeypatch.setattr(decoding_pool.SandboxProcess, "slow_down", lambda self: slowed.append(self))

    async def decode_beside_stopped_process():
        pool = DecodingPool(1)
        others = _decoders()
        await decode(pool, photo())
        (process,) = (one for one in _decoders() if one not in others)
        process.suspend()
        work = asyncio.create_task(decode(pool, photo()))
        await asyncio.sleep(0.7)
        process.resume()
        return await work

    assert isinstance(asyncio.run(decode_beside_stopped_process()), PreparedFile)
    assert not slowed


def test_a_file_that_kills_its_process_is_refused():
    """The next one is decoded by a new process."""

    async def kill():
        pool = DecodingPool(1)
        await decode(pool, photo())
        work = asyncio.create_task(decode(pool, endless()))
        await asyncio.sleep(0.2)
        for child in _decoders():
            child.kill()
        return await work, await decode(pool, photo())

    killed, after = asyncio.run(kill())
    assert killed == TOO_EXPENSIVE
    assert isinstance(after, PreparedFile)


def test_work_ends_when_the_caller_leaves():
    """Its process is free at once, not after the ten seconds that the file may take."""

    async def leave():
        pool = DecodingPool(1)
        await decode(pool, photo())
        work = asyncio.create_task(decode(pool, endless()))
        await asyncio.sleep(0.2)
        start = time.monotonic()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        await decode(pool, photo())
        return time.monotonic() - start

    assert asyncio.run(leave()) < 5


def test_requests_wait_when_decoded_pages_take_too_much_memory(monkeypatch):
    """All but the oldest, so that it can be answered; others go on when it has been."""
    monkeypatch.setattr(decoding_pool, "MAX_HELD_BYTES", 1000)

    async def two_requests():
        pool, order = DecodingPool(2), []
        answered = asyncio.Event()

        async def request(name, hold):
            with on_behalf_of(name), pool.request() as decoder:
                await decoder.decode(photo(), LIMITS, None, SIZE)
                await decoder.decode(photo(), LIMITS, None, SIZE)
                order.append(f"{name} decoded")
                if hold:
                    await answered.wait()
                order.append(f"{name} answered")

        first = asyncio.create_task(request("first", hold=True))
        while not order:
            await asyncio.sleep(0.01)
        second = asyncio.create_task(request("second", hold=False))
        await asyncio.sleep(0.3)
        waited = list(order)
        answered.set()
        await asyncio.gather(first, second)
        return waited, order

    waited, order = asyncio.run(two_requests())
    assert waited == ["first decoded"]
    assert order == ["first decoded", "first answered", "second decoded", "second answered"]


def test_a_waiting_request_goes_on_when_a_file_needs_less_memory_than_expected(monkeypatch):
    """It need not wait until another request has been answered."""
    monkeypatch.setattr(decoding_pool, "MAX_HELD_BYTES", decoding_pool._EXPECTED_BYTES)

    async def two_requests():
        pool = DecodingPool(2)
        with on_behalf_of("first"), pool.request() as oldest:
            first = asyncio.create_task(oldest.decode(photo(), LIMITS, None, SIZE))
            second = asyncio.create_task(decode(pool, photo(), "second"))
            await first
            return await asyncio.wait_for(second, 30)

    assert isinstance(asyncio.run(two_requests()), PreparedFile)


def test_one_caller_cannot_fill_the_memory(monkeypatch):
    """The guest's request goes on while the flood's second one waits."""
    monkeypatch.setattr(decoding_pool, "MAX_HELD_BYTES_OF_CALLER", 1000)

    async def three_requests():
        pool = DecodingPool(2)
        with on_behalf_of("flood"), pool.request() as oldest:
            await oldest.decode(photo(), LIMITS, None, SIZE)
            second = asyncio.create_task(decode(pool, photo(), "flood"))
            await asyncio.sleep(0.3)
            guest = await decode(pool, photo(), "guest")
            waits = not second.done()
        return waits, guest, await second

    waits, guest, second = asyncio.run(three_requests())
    assert waits
    assert isinstance(guest, PreparedFile)
    assert isinstance(second, PreparedFile)

"""Decoding of the files of all requests in a few sandboxed processes, divided fairly among callers.

A file that takes long gives its place to others and goes on with low priority. Decoded pages wait for the models, so
their memory is limited too: a request over the limit waits, and the oldest one never does.
"""

import asyncio
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Protocol

import anyio
import anyio.to_thread
from PIL import Image

from docextract.images import decoder
from docextract.images.decoder import PreparedFile, WorkingSize
from docextract.images.geometry import PAPER_WHITE
from docextract.images.limits import DecodingLimits
from docextract.images.sandbox import SandboxError, SandboxProcess
from docextract.images.uploads import PageSelection, Refusal
from docextract.observability import metrics
from docextract.pipeline.shares import FairShares, current_caller, on_behalf_of

# Nine in ten photos take less than 0.1 s. CPU seconds, because on a busy machine every file takes a while, and one that
# then gave way to others would take even longer.
LONG_AFTER_CPU_S = 0.5
_MIN_CHECK_INTERVAL_S = 0.05
MAX_LONG_FILES = 4  # that go on without a place, of all callers; each may take decoder.MEMORY_LIMIT_BYTES
MAX_HELD_BYTES = 800_000_000  # of decoded pages
# Of one caller. Its oldest request may have more, ten photos of 19 Mpx for example, and still leaves room for others.
MAX_HELD_BYTES_OF_CALLER = 150_000_000
_EXPECTED_BYTES = 36_000_000  # of a file that is being decoded; a photo of 12 Mpx

TOO_EXPENSIVE = Refusal("image_too_large", "The file needs more time or memory to decode than is allowed for one file.")

_CANARY_CALLER = "readiness"

log = logging.getLogger("docextract.pipeline")

# Idle processes of this Python process, for all pools: several applications may run in it one after the other.
_idle: list[SandboxProcess] = []


def warm_up(processes: int) -> None:
    """Start processes, so that no first caller waits for them."""
    while len(_idle) < processes:
        process = decoder.new_process()
        process.start()
        _idle.append(process)


def _take_process() -> SandboxProcess:
    try:
        return _idle.pop()
    except IndexError:  # also if another thread has just taken the last one
        return decoder.new_process()


@cache
def _canary() -> bytes:
    picture = io.BytesIO()
    Image.new("L", (128, 128), PAPER_WHITE).save(picture, "PNG")
    return picture.getvalue()


class Decoder(Protocol):
    """Decodes the files of one request."""

    async def decode(
        self, data: bytes, limits: DecodingLimits, selection: PageSelection | None, size: WorkingSize | None
    ) -> PreparedFile | Refusal:
        """Return the decoded file. size: of the working copies; None: none are made."""


class TrustedDecoder:
    """Decodes in this process, one file at a time: for one's own files, such as training data."""

    async def decode(
        self, data: bytes, limits: DecodingLimits, selection: PageSelection | None, size: WorkingSize | None
    ) -> PreparedFile | Refusal:
        """Return the decoded file."""
        return await anyio.to_thread.run_sync(decoder.decode_and_prepare, data, limits, selection, size)


class DecodingPool:
    """The sandboxed processes of one application."""

    def __init__(self, processes: int) -> None:
        """processes: files that are decoded at the same time, beside those that take long."""
        self._processes = processes
        self._shares = FairShares(processes)
        self._long_files = 0
        self._threads = anyio.CapacityLimiter(processes + MAX_LONG_FILES)
        self._requests: list[RequestDecoder] = []  # in the order of their arrival
        self._room_changed = asyncio.Event()

    @contextmanager
    def request(self) -> Iterator["RequestDecoder"]:
        """Yield the decoder of one request. Its pages count as held until the context is left."""
        one = RequestDecoder(self, current_caller())
        self._requests.append(one)
        try:
            yield one
        finally:
            self._requests.remove(one)
            self.announce_room()

    async def works(self) -> bool:
        """Whether a small picture is decoded now."""
        with on_behalf_of(_CANARY_CALLER):
            return isinstance(await self.decode(_canary(), DecodingLimits(), None, None), PreparedFile)

    async def decode(
        self, data: bytes, limits: DecodingLimits, selection: PageSelection | None, size: WorkingSize | None
    ) -> PreparedFile | Refusal:
        """Decode one file when it is its caller's turn."""
        async with self._shares.turn() as turn:
            process = _take_process()
            work = asyncio.ensure_future(
                anyio.to_thread.run_sync(
                    decoder.decode_in, process, data, limits, selection, size, limiter=self._threads
                )
            )
            is_long = False
            try:
                if await _takes_long(work, process) and self._long_files < MAX_LONG_FILES:
                    is_long = True
                    self._long_files += 1
                    process.slow_down()
                    turn.give_place_back()
                    metrics.front().long_files.inc()
                return await asyncio.shield(work)
            except SandboxError as error:
                log.warning("a decoding process ended", extra={"reason": str(error)})
                metrics.front().decoders_ended.inc()
                return TOO_EXPENSIVE
            finally:
                self._long_files -= is_long
                if not work.done():  # the caller has left
                    process.abort()
                work.add_done_callback(lambda done: self._keep(process, done))

    def _keep(self, process: SandboxProcess, done: "asyncio.Future[PreparedFile | Refusal]") -> None:
        if not done.cancelled():
            done.exception()  # has been answered, or its caller has left
        if len(_idle) < self._processes:
            _idle.append(process)
        else:
            process.end()

    def announce_room(self) -> None:
        """Let waiting requests look again whether they may decode another file."""
        changed, self._room_changed = self._room_changed, asyncio.Event()
        changed.set()

    async def wait_for_room(self, one: "RequestDecoder") -> None:
        """Wait until a request may decode another file."""
        while not self._has_room(one):
            await self._room_changed.wait()

    def _has_room(self, one: "RequestDecoder") -> bool:
        of_caller = [other for other in self._requests if other.caller == one.caller]
        in_all, of_its_caller = (sum(other.held_bytes for other in some) for some in (self._requests, of_caller))
        return (one is self._requests[0] or in_all < MAX_HELD_BYTES) and (
            one is of_caller[0] or of_its_caller < MAX_HELD_BYTES_OF_CALLER
        )


async def _takes_long(work: "asyncio.Future[PreparedFile | Refusal]", process: SandboxProcess) -> bool:
    """Wait until a file is decoded, or has used LONG_AFTER_CPU_S; return whether it has."""
    while not work.done():
        left_s = LONG_AFTER_CPU_S - process.file_cpu_s()
        if left_s <= 0:
            return True
        await asyncio.wait({work}, timeout=max(left_s, _MIN_CHECK_INTERVAL_S))
    return False


class RequestDecoder:
    """Decodes the files of one request in a pool. held_bytes: of its pages, and of those that are being decoded."""

    def __init__(self, pool: DecodingPool, caller: str) -> None:
        """Nothing is decoded yet."""
        self._pool = pool
        self.caller = caller
        self.held_bytes = 0

    async def decode(
        self, data: bytes, limits: DecodingLimits, selection: PageSelection | None, size: WorkingSize | None
    ) -> PreparedFile | Refusal:
        """Return the decoded file, when there is room for its pages and it is its caller's turn."""
        if size is None:
            return await self._pool.decode(data, limits, selection, size)
        await self._pool.wait_for_room(self)
        self.held_bytes += _EXPECTED_BYTES
        try:
            file = await self._pool.decode(data, limits, selection, size)
            if isinstance(file, PreparedFile):
                self.held_bytes += sum(page.pixels.nbytes for page in file.pages if page.pixels is not None)
            return file
        finally:
            self.held_bytes -= _EXPECTED_BYTES
            self._pool.announce_room()

"""Send many files with limited concurrency, and yield outcomes as they complete.

The input is consumed only as fast as requests are sent, so memory does not grow with the number of files.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Generic, TypeVar

from docextract.client.calls import Source
from docextract.client.errors import ClientError

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Outcome(Generic[Answer]):
    """Outcome of one file: an answer, or an error."""

    index: int  # position in the input, from 0
    source: Source
    answer: Answer | None = None
    error: ClientError | OSError | None = None  # OSError: the file cannot be read


def call_for_outcome(call: Callable[[Source], Answer], index: int, source: Source) -> Outcome[Answer]:
    """Call for one file; client and file errors become part of the outcome."""
    try:
        return Outcome(index, source, answer=call(source))
    except (ClientError, OSError) as error:
        return Outcome(index, source, error=error)


async def call_for_outcome_async(
    call: Callable[[Source], Awaitable[Answer]], index: int, source: Source
) -> Outcome[Answer]:
    """Same as `call_for_outcome`, for a coroutine."""
    try:
        return Outcome(index, source, answer=await call(source))
    except (ClientError, OSError) as error:
        return Outcome(index, source, error=error)


def run_in_threads(
    call: Callable[[Source, Event], Answer], sources: Iterable[Source], concurrency: int
) -> Generator[Outcome[Answer], None, None]:
    """Yield outcomes in the order of completion; at most `concurrency` sources are in progress.

    Closing the generator starts no more, waits for the requests in progress and sets the event that each call is given.
    """
    closing = Event()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="docextract")
    pending: set[Future[Outcome[Answer]]] = set()
    try:
        for index, source in enumerate(sources):
            pending.add(pool.submit(call_for_outcome, lambda one: call(one, closing), index, source))
            if len(pending) >= concurrency:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        closing.set()
        pool.shutdown(cancel_futures=True)


async def run_in_tasks(
    call: Callable[[Source], Awaitable[Answer]], sources: Iterable[Source], concurrency: int
) -> AsyncGenerator[Outcome[Answer], None]:
    """Same as `run_in_threads`, with asyncio tasks. Closing the generator cancels the calls in progress."""
    pending: set[asyncio.Task[Outcome[Answer]]] = set()
    try:
        for index, source in enumerate(sources):
            pending.add(asyncio.create_task(call_for_outcome_async(call, index, source)))
            if len(pending) >= concurrency:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

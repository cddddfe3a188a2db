"""Many files, a few at a time: answers in the order in which they are ready, and no more in memory than are asked."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from docextract.client.calls import Source
from docextract.client.errors import ClientError

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Outcome(Generic[Answer]):
    """What became of one file: an answer, or the reason why there is none."""

    index: int  # in the order given, from 0
    source: Source
    answer: Answer | None = None
    error: ClientError | OSError | None = None  # OSError: the file cannot be read


def outcome(ask: Callable[[Source], Answer], index: int, source: Source) -> Outcome[Answer]:
    """Ask about one file, and keep what goes wrong with it."""
    try:
        return Outcome(index, source, answer=ask(source))
    except (ClientError, OSError) as error:
        return Outcome(index, source, error=error)


async def outcome_async(ask: Callable[[Source], Awaitable[Answer]], index: int, source: Source) -> Outcome[Answer]:
    """The same, awaited."""
    try:
        return Outcome(index, source, answer=await ask(source))
    except (ClientError, OSError) as error:
        return Outcome(index, source, error=error)


def in_threads(
    ask: Callable[[Source], Answer], sources: Iterable[Source], concurrency: int
) -> Generator[Outcome[Answer], None, None]:
    """Outcomes in the order of completion; `sources` is read no faster than they are asked about.

    Closing the iterator waits for what is being asked, and asks no more.
    """
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="docextract")
    waiting: set[Future[Outcome[Answer]]] = set()
    try:
        for index, source in enumerate(sources):
            waiting.add(pool.submit(outcome, ask, index, source))
            if len(waiting) >= concurrency:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(cancel_futures=True)


async def in_tasks(
    ask: Callable[[Source], Awaitable[Answer]], sources: Iterable[Source], concurrency: int
) -> AsyncGenerator[Outcome[Answer], None]:
    """The same with tasks. Closing the iterator cancels what is being asked."""
    waiting: set[asyncio.Task[Outcome[Answer]]] = set()
    try:
        for index, source in enumerate(sources):
            waiting.add(asyncio.create_task(outcome_async(ask, index, source)))
            if len(waiting) >= concurrency:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

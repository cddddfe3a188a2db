"""Both sides of a call to a runner: one result per item, whatever happens to the other items of its batch.

BentoML merges the calls of many callers to one batch. When a batch raises, the error goes to all of them; and when a
batch returns too few answers, BentoML still distributes them, without an error. Therefore a runner answers through
`answer_batch`, which finds the items that fail, and the front calls through `call_runner`, which compares the tag of
each answer.
"""

import asyncio
import faulthandler
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Generic, TypeVar

import aiohttp
from bentoml.exceptions import BentoMLException

from docextract.observability import traces
from docextract.observability.logs import error_location
from docextract.observability.origin import Origin
from docextract.pipeline.models import ModelFailedError, OverloadedError, TooSlowError, UnavailableError

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

log = logging.getLogger("docextract.serving.runners")
_RETRY_DELAY_S = 0.05


@dataclass(frozen=True)
class ItemFailure:
    """A runner's answer for an item on which the model failed. The log has the details."""

    kind: str  # the exception's type; never its message, which may contain document content


class Tagged(Generic[ResultT]):
    """An item that is sent to a runner, or its answer with the same tag.

    The tag proves that an answer belongs to its item: if a batch loses one answer, all that follow go to the wrong
    callers, and the counts may still match. This is not a dataclass because BentoML would convert it to a dict. The
    origin is sent with an item and not sent back.
    """

    __slots__ = ("content", "origin", "tag")

    def __init__(self, content: ResultT, tag: int, origin: Origin | None = None) -> None:
        """Wrap an item or an answer."""
        self.content = content
        self.tag = tag
        self.origin = origin


RunnerMethod = Callable[[list[Tagged[ItemT]]], Awaitable[list[Tagged[ResultT | ItemFailure]]]]


@contextmanager
def exit_if_stuck(after_s: float) -> Iterator[None]:
    """End this process if the enclosed code takes longer than `after_s`; the supervisor starts another process.

    The stack of each thread is written to standard error, as files and lines.
    """
    faulthandler.dump_traceback_later(after_s, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def answer_batch(
    model: Callable[[list[ItemT]], Sequence[ResultT]], tagged: Sequence[Tagged[ItemT]]
) -> list[Tagged[ResultT | ItemFailure]]:
    """Answer a batch in a runner: one tagged answer or ItemFailure per tagged item, in input order."""
    origins = [one.origin for one in tagged]
    answers = answer_each(model, [one.content for one in tagged], origins)
    return [Tagged(answer, one.tag) for one, answer in zip(tagged, answers, strict=True)]


def answer_each(
    model: Callable[[list[ItemT]], Sequence[ResultT]], items: list[ItemT], origins: Sequence[Origin | None] = ()
) -> list[ResultT | ItemFailure]:
    """Return the model's answer for each item, in input order; an ItemFailure for items on which it fails.

    If the whole batch fails, each item is processed on its own. origins: of the items, for the log.
    """
    if not items:
        return []
    try:
        return list(_check_count(model(items), len(items)))
    except Exception as error:
        kind = type(error).__name__
        ids = {(origin.request_id, origin.trace_id) for origin in origins if origin is not None}
        request_id, trace_id = ids.pop() if len(ids) == 1 else (None, None)
        facts = {"kind": kind, "items": len(items), "where": error_location(error)}
        log.error("model failed", extra={**facts, "request_id": request_id, "trace_id": trace_id})
        if len(items) == 1:
            return [ItemFailure(kind)]
        one_by_one = zip_longest(items, origins)
        return [answer for item, origin in one_by_one for answer in answer_each(model, [item], [origin])]


def _check_count(answers: Sequence[ResultT], expected: int) -> Sequence[ResultT]:
    if len(answers) != expected:
        raise ModelFailedError(f"the model returned {len(answers)} answers for {expected} items")
    return answers


async def call_runner(
    runner: RunnerMethod[ItemT, ResultT], items: Sequence[ItemT], origin: Origin | None = None
) -> list[ResultT]:
    """Send items to a batched method of a runner; one result per item, in input order. Raises RunnerError.

    origin: of the items, if they have waited since; None: the current request, now.
    """
    origin = origin or traces.current_origin()
    sent = [Tagged(item, secrets.randbits(64), origin) for item in items]
    answered = await _call_with_retry(runner, sent, retries=1)
    if [one.tag for one in answered] != [one.tag for one in sent]:
        log.error("answers do not match the items sent=%d answered=%d", len(sent), len(answered))
        raise ModelFailedError("the answers do not belong to the items")
    answers = [one.content for one in answered]
    failed = [answer.kind for answer in answers if isinstance(answer, ItemFailure)]
    if failed:
        raise ModelFailedError(", ".join(failed))
    return [answer for answer in answers if not isinstance(answer, ItemFailure)]


async def _call_with_retry(
    runner: RunnerMethod[ItemT, ResultT], tagged: list[Tagged[ItemT]], retries: int
) -> list[Tagged[ResultT | ItemFailure]]:
    try:
        return await runner(tagged)
    # The runner died, before or during its answer, or has just closed an idle connection.
    except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
        if retries == 0:
            raise UnavailableError(type(error).__name__) from error
        log.warning("runner called again kind=%s", type(error).__name__)
    except TimeoutError as error:
        raise TooSlowError("the runner did not answer in time") from error
    except BentoMLException as error:
        status = int(error.error_code)
        # 429: max_concurrency is reached; 503: the dispatcher dropped the call.
        error_type = {429: OverloadedError, 503: OverloadedError, 504: TooSlowError}.get(status, ModelFailedError)
        raise error_type(f"the runner answered with status {status}") from error
    await asyncio.sleep(_RETRY_DELAY_S)  # calling twice is safe: inference has no side effects
    return await _call_with_retry(runner, tagged, retries - 1)

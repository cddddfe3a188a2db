"""Both sides of a call to a runner: one item in, one answer out, whatever happens to the others in its batch.

BentoML merges the calls of many callers into one batch. When a batch raises, it raises for all of them, and
a batch that returns too few answers is cut up without a word. So a runner answers through `answer_batch`,
which finds the guilty item, and the front asks through `ask`, which looks at each answer's tag.
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
from docextract.observability.logs import where
from docextract.observability.origin import Origin
from docextract.pipeline.models import (
    ModelFailedError,
    OverloadedError,
    TooSlowError,
    UnavailableError,
)

In = TypeVar("In")
Out = TypeVar("Out")

log = logging.getLogger("docextract.serving.runners")
_RETRY_AFTER_S = 0.05


@dataclass(frozen=True)
class Failure:
    """A runner's answer for an item on which the model failed. The log has the rest."""

    kind: str  # of exception; never its message, which may hold what stood on the page


class Parcel(Generic[Out]):
    """One item on its way between processes, or the answer to it under the same tag.

    The tag shows that an answer belongs to its item: one answer lost in a batch moves all that follow it to the
    wrong callers, and the counts may still fit. BentoML makes dicts of dataclasses; a plain class it leaves alone.
    The origin goes out with an item and is not sent back.
    """

    __slots__ = ("content", "origin", "tag")

    def __init__(self, content: Out, tag: int, origin: Origin | None = None) -> None:
        """Wrap it."""
        self.content = content
        self.tag = tag
        self.origin = origin


Runner = Callable[[list[Parcel[In]]], Awaitable[list[Parcel[Out | Failure]]]]


@contextmanager
def ended_if_stuck(after_s: float) -> Iterator[None]:
    """End this process if what is done inside takes so long, wherever it hangs: the supervisor starts another.

    Where each thread stood goes to the standard error, as files and lines.
    """
    faulthandler.dump_traceback_later(after_s, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def answer_batch(
    model: Callable[[list[In]], Sequence[Out]], parcels: Sequence[Parcel[In]]
) -> list[Parcel[Out | Failure]]:
    """A runner's whole work: parcels in, parcels out, each with an answer or a Failure."""
    origins = [parcel.origin for parcel in parcels]
    answers = answer_each(model, [parcel.content for parcel in parcels], origins)
    return [Parcel(answer, parcel.tag) for parcel, answer in zip(parcels, answers, strict=True)]


def answer_each(
    model: Callable[[list[In]], Sequence[Out]], items: list[In], origins: Sequence[Origin | None] = ()
) -> list[Out | Failure]:
    """The model's answers for a batch; where it fails, each item by itself, and a Failure for the guilty ones.

    origins: of the items, for the log.
    """
    if not items:
        return []
    try:
        return list(_counted(model(items), len(items)))
    except Exception as error:
        kind = type(error).__name__
        known = {(origin.request_id, origin.trace_id) for origin in origins if origin is not None}
        request_id, trace_id = known.pop() if len(known) == 1 else (None, None)
        facts = {"kind": kind, "items": len(items), "where": where(error)}
        log.error("model failed", extra={**facts, "request_id": request_id, "trace_id": trace_id})
        if len(items) == 1:
            return [Failure(kind)]
        one_by_one = zip_longest(items, origins)
        return [answer for item, origin in one_by_one for answer in answer_each(model, [item], [origin])]


def _counted(answers: Sequence[Out], expected: int) -> Sequence[Out]:
    if len(answers) != expected:
        raise ModelFailedError(f"{len(answers)} answers for {expected} items")
    return answers


async def ask(runner: Runner[In, Out], items: Sequence[In], origin: Origin | None = None) -> list[Out]:
    """Send items to a runner's batched method. Raises a RunnerTroubleError that says what went wrong.

    origin: where the items have waited before; else they come from here, and now.
    """
    origin = origin or traces.origin()
    sent = [Parcel(item, secrets.randbits(64), origin) for item in items]
    answered = await _call(runner, sent, retries=1)
    if [parcel.tag for parcel in answered] != [parcel.tag for parcel in sent]:
        log.error("answers mixed up asked=%d answered=%d", len(sent), len(answered))
        raise ModelFailedError("these are not the answers to these items")
    answers = [parcel.content for parcel in answered]
    failed = [answer.kind for answer in answers if isinstance(answer, Failure)]
    if failed:
        raise ModelFailedError(", ".join(failed))
    return [answer for answer in answers if not isinstance(answer, Failure)]


async def _call(runner: Runner[In, Out], parcels: list[Parcel[In]], retries: int) -> list[Parcel[Out | Failure]]:
    try:
        return await runner(parcels)
    # The runner died, before or in the middle of its answer, or closed a kept connection just now.
    except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
        if retries == 0:
            raise UnavailableError(type(error).__name__) from error
        log.warning("runner asked again kind=%s", type(error).__name__)
    except TimeoutError as error:
        raise TooSlowError("no answer in time") from error
    except BentoMLException as error:
        status = int(error.error_code)
        # 429: its max_concurrency; 503: its dispatcher shed the call.
        trouble = {429: OverloadedError, 503: OverloadedError, 504: TooSlowError}.get(status, ModelFailedError)
        raise trouble(f"the runner answered {status}") from error
    await asyncio.sleep(_RETRY_AFTER_S)  # asking twice is harmless: inference changes nothing
    return await _call(runner, parcels, retries - 1)

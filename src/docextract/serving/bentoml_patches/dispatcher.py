"""Batching without an added delay: a runner starts the next batch as soon as the previous one has ended.

Upstream reasons: BentoML's CorkDispatcher collects the next batch while the model works on the previous one, which is
enough for our models.

* It also keeps a free model waiting for more requests, about as long as requests waited recently. After a burst, a
  single caller got a page of 180 ms after 370 to 550 ms, for a minute; some of the first dozen requests after a start
  waited one second.
* While calls wait for the model, it looks every millisecond whether the model is free. Each look interrupts the
  model's Python code.
* It processes calls that its own time limit has ended.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import Any

from bentoml._internal.marshal.dispatcher import CorkDispatcher, Optimizer


class _ModelFreed(asyncio.Condition):
    """The condition that a dispatcher waits for: someone waits for an answer, and the previous batch has ended.

    A semaphore that several dispatchers share would not wake the others; BentoML uses none.
    """

    def __init__(self, dispatcher: Any) -> None:
        super().__init__()
        self._dispatcher = dispatcher

    async def wait_for(self, _predicate: Callable[[], Any]) -> Any:
        return await super().wait_for(lambda: self._is_waited_for() and not self._dispatcher._sema.is_locked())

    def _is_waited_for(self) -> bool:
        queue = self._dispatcher._queue
        while queue and queue[0].future.done():
            queue.popleft()
        return bool(queue)


def dispatch_without_waiting() -> None:
    """Patch BentoML in this process: waiting calls are sent to the model as soon as it is free."""
    train, call_model = CorkDispatcher.train_optimizer, CorkDispatcher.outbound_call

    async def train_with_single_requests(self: Any, required: int, requests: int, _batch_size: int) -> None:
        await train(self, required, requests, 1)

    async def call_model_and_wake(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            await call_model(self, *arguments, **options)
        finally:
            async with self._wake_event:
                self._wake_event.notify_all()

    wake_event = cached_property(_ModelFreed)
    wake_event.__set_name__(CorkDispatcher, "_wake_event")
    CorkDispatcher._wake_event = wake_event  # type: ignore[method-assign, assignment]
    CorkDispatcher.outbound_call = call_model_and_wake  # type: ignore[method-assign]
    CorkDispatcher.train_optimizer = train_with_single_requests  # type: ignore[method-assign, assignment]
    Optimizer.wait = property(lambda _: 0.0, lambda _, _wait: None)  # type: ignore[assignment]

"""Batching without an added delay: a runner starts the next batch as soon as its model is free.

Upstream reason: BentoML's CorkDispatcher collects the next batch while the model works on the previous one, which is
enough for our models. But it also keeps a free model waiting for more requests, about as long as requests waited
recently. After a burst, a single caller got a page of 180 ms after 370 to 550 ms, for a minute; some of the first dozen
requests after a start waited one second.
"""

from typing import Any

from bentoml._internal.marshal.dispatcher import CorkDispatcher, Optimizer


def dispatch_without_waiting() -> None:
    """Patch BentoML in this process: waiting calls are sent to the model as soon as it is free."""
    train = CorkDispatcher.train_optimizer

    async def train_with_single_requests(self: Any, required: int, requests: int, _batch_size: int) -> None:
        await train(self, required, requests, 1)

    CorkDispatcher.train_optimizer = train_with_single_requests  # type: ignore[method-assign, assignment]
    Optimizer.wait = property(lambda _: 0.0, lambda _, _wait: None)  # type: ignore[assignment]

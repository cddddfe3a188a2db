"""BentoML's dispatcher, told not to wait for company.

It collects the next batch while the one before is worked on, and that is all that our models want. But it also keeps a
model that is free waiting, in the hope of more, for about as long as requests had to wait lately: after a crowd, a lone
caller got a page of 180 ms after 370 to 550 ms, for a minute; some of the first dozen after a start waited a second.
"""

from typing import Any

from bentoml._internal.marshal.dispatcher import CorkDispatcher, Optimizer


def never_wait_for_company() -> None:
    """In a process with a runner: what waits is sent as soon as the model is free."""
    learn = CorkDispatcher.train_optimizer

    async def learn_alone(self: Any, required: int, requests: int, _batch_size: int) -> None:
        await learn(self, required, requests, 1)

    CorkDispatcher.train_optimizer = learn_alone  # type: ignore[method-assign, assignment]
    Optimizer.wait = property(lambda _: 0.0, lambda _, _wait: None)  # type: ignore[assignment]

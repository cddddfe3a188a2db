"""Waiting calls are batched, and a free model does not wait for more."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from bentoml._internal.marshal import dispatcher
from bentoml._internal.marshal.dispatcher import CorkDispatcher, Optimizer

from docextract.serving.bentoml_patches.dispatcher import dispatch_without_waiting

BATCH = 4


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply the patch for one test."""
    for name in ("train_optimizer", "outbound_call", "_wake_event"):
        monkeypatch.setattr(CorkDispatcher, name, vars(CorkDispatcher)[name])
    monkeypatch.setattr(Optimizer, "wait", 0.0, raising=False)
    monkeypatch.setattr(dispatcher.Optimizer, "INTERVAL_REFRESH_PARAMS", 0.001)
    dispatch_without_waiting()


class DispatchedModel:
    """A model behind a dispatcher; each call has one item."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.dispatcher: CorkDispatcher[int, int] = CorkDispatcher(
            50_000, BATCH, fallback=lambda: -1, get_batch_size=lambda _: 1
        )
        self.call = self.dispatcher(self._answer)

    async def _answer(self, items: Sequence[int]) -> Sequence[int]:
        self.batches.append(len(items))
        await asyncio.sleep(0.005)
        return items


@pytest.mark.usefixtures("patched")
def test_burst_shares_batches_and_adds_no_delay_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """While calls wait for the model, nothing looks at intervals whether it is free."""
    looks: list[float] = []

    async def burst() -> DispatchedModel:
        model = DispatchedModel()
        monkeypatch.setattr(dispatcher, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": _counting(looks)}))
        for _ in range(4):
            assert await asyncio.gather(*(model.call(number) for number in range(12))) == list(range(12))
        return model

    model = asyncio.run(asyncio.wait_for(burst(), 20))
    assert max(model.batches) == BATCH
    assert model.dispatcher.optimizer.o_stat[-1][2] > 0, "they waited"
    assert model.dispatcher.optimizer.wait == 0
    assert looks == []


@pytest.mark.usefixtures("patched")
def test_calls_that_wait_are_answered_after_a_failed_batch() -> None:
    class FailsFirst(DispatchedModel):
        async def _answer(self, items: Sequence[int]) -> Sequence[int]:
            if not self.batches:
                self.batches.append(len(items))
                await asyncio.sleep(0.005)
                raise ValueError
            return await super()._answer(items)

    async def answers() -> list[int | BaseException]:
        model = FailsFirst()
        first = asyncio.create_task(model.call(0))
        while not model.batches:
            await asyncio.sleep(0)
        return await asyncio.gather(first, model.call(1), model.call(2), return_exceptions=True)

    first, *others = asyncio.run(asyncio.wait_for(answers(), 5))
    assert isinstance(first, ValueError)
    assert others == [1, 2]


@pytest.mark.usefixtures("patched")
def test_first_calls_are_not_delayed_for_larger_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    async def alone() -> list[float]:
        model, waited = DispatchedModel(), []
        monkeypatch.setattr(dispatcher, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": _counting(waited)}))
        for number in range(16):
            await model.call(number)
        return waited

    assert asyncio.run(alone()) == []


@pytest.mark.usefixtures("patched")
def test_calls_that_were_cancelled_while_they_waited_are_not_processed() -> None:
    async def processed() -> list[int]:
        model = DispatchedModel()
        calls = [asyncio.create_task(model.call(number)) for number in range(2 * BATCH)]
        while not model.batches:
            await asyncio.sleep(0)
        for call in calls[BATCH:]:
            call.cancel()
        await asyncio.gather(*calls)
        await model.call(0)
        return model.batches

    assert asyncio.run(asyncio.wait_for(processed(), 5)) == [BATCH, 1]


def _counting(waited: list[float]):
    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(seconds)

    return sleep

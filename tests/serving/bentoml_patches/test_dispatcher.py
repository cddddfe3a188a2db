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
    monkeypatch.setattr(CorkDispatcher, "train_optimizer", CorkDispatcher.train_optimizer)
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
def test_burst_shares_batches_and_adds_no_delay_afterwards() -> None:
    async def burst() -> DispatchedModel:
        model = DispatchedModel()
        for _ in range(4):
            assert await asyncio.gather(*(model.call(number) for number in range(12))) == list(range(12))
        return model

    model = asyncio.run(burst())
    assert max(model.batches) == BATCH
    assert model.dispatcher.optimizer.o_stat[-1][2] > 0, "they waited"
    assert model.dispatcher.optimizer.wait == 0


@pytest.mark.usefixtures("patched")
def test_first_calls_are_not_delayed_for_larger_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    async def alone() -> list[float]:
        model, waited = DispatchedModel(), []
        monkeypatch.setattr(dispatcher, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": _counting(waited)}))
        for number in range(16):
            await model.call(number)
        return waited

    assert asyncio.run(alone()) == []


def _counting(waited: list[float]):
    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(seconds)

    return sleep

"""Batches of waiting calls, and no waiting for more."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from bentoml._internal.marshal import dispatcher
from bentoml._internal.marshal.dispatcher import CorkDispatcher, Optimizer

from docextract.serving.bentoml_patches.dispatcher import dispatch_without_waiting

BATCH = 4


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The change, for one test."""
    monkeypatch.setattr(CorkDispatcher, "train_optimizer", CorkDispatcher.train_optimizer)
    monkeypatch.setattr(Optimizer, "wait", 0.0, raising=False)
    monkeypatch.setattr(dispatcher.Optimizer, "INTERVAL_REFRESH_PARAMS", 0.001)
    dispatch_without_waiting()


class Work:
    """A model behind a dispatcher; a call carries one item."""

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


@pytest.mark.usefixtures("changed")
def test_a_crowd_shares_batches_and_leaves_no_waiting_behind() -> None:
    async def crowd() -> Work:
        work = Work()
        for _ in range(4):
            assert await asyncio.gather(*(work.call(number) for number in range(12))) == list(range(12))
        return work

    work = asyncio.run(crowd())
    assert max(work.batches) == BATCH
    assert work.dispatcher.optimizer.o_stat[-1][2] > 0, "they waited"
    assert work.dispatcher.optimizer.wait == 0


@pytest.mark.usefixtures("changed")
def test_first_callers_are_no_trial_for_larger_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    async def alone() -> list[float]:
        work, waited = Work(), []
        monkeypatch.setattr(dispatcher, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": _counting(waited)}))
        for number in range(16):
            await work.call(number)
        return waited

    assert asyncio.run(alone()) == []


def _counting(waited: list[float]):
    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(seconds)

    return sleep

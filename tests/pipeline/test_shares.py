"""Division of a resource among callers."""

import asyncio

import pytest

from docextract.pipeline.shares import FairShares, current_caller, on_behalf_of


class Clock:
    """Time that passes only when a turn says so."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


async def _work(shares, clock, caller, seconds, order, name=None):
    with on_behalf_of(caller):
        async with shares.turn():
            order.append(name or caller)
            clock.now_s += seconds
            await asyncio.sleep(0)


def run(places, *jobs):
    """Run jobs (caller, seconds) that arrive at once; return the callers in the order of their turns."""

    async def all_of_them():
        clock, order = Clock(), []
        shares = FairShares(places, clock)
        async with asyncio.TaskGroup() as group:
            for caller, seconds in jobs:
                group.create_task(_work(shares, clock, caller, seconds, order))
        return order

    return asyncio.run(all_of_them())


def test_callers_take_turns():
    """However many jobs one has brought before the other came."""
    assert run(1, *[("flood", 1.0)] * 6, ("guest", 1.0), ("guest", 1.0))[:5].count("guest") == 2


def test_work_counts_not_the_number_of_jobs():
    """One that needs ten times as long gets a tenth of the turns."""
    order = run(1, *[("slow", 10.0)] * 5, *[("quick", 1.0)] * 20)

    assert order[:12].count("slow") <= 2
    assert order.count("slow") == 5


def test_an_idle_caller_has_no_credit():
    """It shares from when it comes, and does not catch up on what it did not use."""

    async def late():
        clock, order = Clock(), []
        shares = FairShares(1, clock)
        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(_work(shares, clock, "early", 1.0, order))
            while len(order) < 10:
                await asyncio.sleep(0)
            for _ in range(10):
                group.create_task(_work(shares, clock, "late", 1.0, order))
        return order

    after = asyncio.run(late())[11:21]
    assert 4 <= after.count("late") <= 6


def test_no_more_turns_than_places():
    """At any time."""

    async def count():
        shares, running, most = FairShares(3), 0, 0

        async def job():
            nonlocal running, most
            async with shares.turn():
                running += 1
                most = max(most, running)
                await asyncio.sleep(0.001)
                running -= 1

        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(job())
        return most

    assert asyncio.run(count()) == 3


def test_a_place_that_is_given_back_is_for_others():
    """The caller's own next turn waits until the long one has ended."""

    async def long_turn():
        shares, order = FairShares(1, Clock()), []

        async def long():
            with on_behalf_of("slow"):
                async with shares.turn() as turn:
                    order.append("long begins")
                    turn.give_place_back()
                    turn.give_place_back()
                    while "guest" not in order:
                        await asyncio.sleep(0)
                    order.append("long ends")

        async with asyncio.TaskGroup() as group:
            group.create_task(long())
            await asyncio.sleep(0)
            group.create_task(_work(shares, Clock(), "slow", 0, order, "own next"))
            group.create_task(_work(shares, Clock(), "guest", 0, order))
        return order

    assert asyncio.run(long_turn()) == ["long begins", "guest", "long ends", "own next"]


@pytest.mark.parametrize("while_waiting", [True, False])
def test_a_cancelled_turn_leaves_its_place(while_waiting):
    """Also if it is cancelled just when it begins."""

    async def cancel():
        shares, order = FairShares(1, Clock()), []
        holding = asyncio.Event()

        async def hold():
            async with shares.turn():
                await holding.wait()

        first = asyncio.create_task(hold())
        await asyncio.sleep(0)
        second = asyncio.create_task(_work(shares, Clock(), "second", 0, order))
        await asyncio.sleep(0)
        if while_waiting:
            second.cancel()
            holding.set()
        else:
            holding.set()
            await first
            second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        async with asyncio.timeout(1):
            await _work(shares, Clock(), "third", 0, order)
        return order, shares.waiting

    order, waiting = asyncio.run(cancel())
    assert order[-1] == "third"
    assert waiting == 0


def test_idle_callers_are_forgotten():
    """Addresses are many."""

    async def many():
        clock, shares = Clock(), FairShares(2, Clock())
        for number in range(2000):
            await _work(shares, clock, f"caller {number}", 1.0, [])
        return len(shares._virtual_s) + len(shares._running) + len(shares._overtime)

    assert asyncio.run(many()) < 10


def test_the_caller_is_known_in_the_tasks_of_a_request():
    """And outside a request there is none."""

    async def task():
        return current_caller()

    async def request():
        with on_behalf_of("key one"):
            return await asyncio.create_task(task())

    assert asyncio.run(request()) == "key one"
    assert current_caller() == ""

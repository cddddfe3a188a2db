"""Division of a resource among callers: one that sends much waits behind itself, and not others behind it.

Start-time fair queueing (Goyal, Vin and Cheng 1996): every caller has a virtual time, which advances with the seconds
that it uses, and the waiting caller with the earliest one is next. A caller that was idle has no credit.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

_MEAN_WEIGHT = 0.1  # of the last turn in the recent mean
_MAX_KNOWN_CALLERS = 1000
_caller: ContextVar[str] = ContextVar("caller", default="")


@contextmanager
def on_behalf_of(caller: str) -> Iterator[None]:
    """Attribute the turns of the enclosed code to a caller."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def current_caller() -> str:
    """Return the caller for whom the current task works; "" outside a request."""
    return _caller.get()


class Turn:
    """The use of one place by one caller."""

    def __init__(self, shares: "FairShares", caller: str, now_s: float) -> None:
        """Take a place, which FairShares has counted."""
        self._shares = shares
        self.caller = caller
        self.started_s = now_s
        self.holds_place = True

    def give_place_back(self) -> None:
        """Let others use the place while this turn goes on; the next turn of its caller waits for its end."""
        if self.holds_place:
            self.holds_place = False
            self._shares.free_place(self.caller)


class FairShares:
    """A number of places for which callers take turns. Belongs to the event loop of its first turn."""

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic) -> None:
        """All places are free."""
        self._free = places
        self._clock = clock
        self._waiting: dict[str, deque[asyncio.Future[Turn]]] = {}
        self._running: Counter[str] = Counter()
        self._overtime: Counter[str] = Counter()  # turns that go on without a place
        self._virtual_s: dict[str, float] = {}
        self._floor_s = 0.0  # virtual time of the turn that was started last
        self._mean_s = 0.0  # recent duration of a turn: what a running one is expected to use

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Wait for a place, and hold it in the enclosed code, on behalf of the current caller."""
        turn = await self._wait(current_caller())
        try:
            yield turn
        finally:
            self._end(turn)

    @property
    def waiting(self) -> int:
        """The number of turns that have not begun."""
        return sum(map(len, self._waiting.values()))

    def free_place(self, caller: str) -> None:
        """See Turn.give_place_back."""
        self._overtime[caller] += 1
        self._free += 1
        self._start_next()

    async def _wait(self, caller: str) -> Turn:
        begins: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(begins)
        self._start_next()
        try:
            return await begins
        except asyncio.CancelledError:
            if begins.done() and not begins.cancelled():
                self._end(begins.result())
            else:
                self._forget(caller, begins)
            raise

    def _forget(self, caller: str, begins: asyncio.Future[Turn]) -> None:
        queue = self._waiting.get(caller)
        if queue is not None and begins in queue:
            queue.remove(begins)
            if not queue:
                del self._waiting[caller]

    def _start_next(self) -> None:
        while self._free > 0:
            eligible = [caller for caller in self._waiting if not self._overtime[caller]]
            if not eligible:
                return
            caller = min(eligible, key=lambda one: self._virtual_time(one) + self._running[one] * self._mean_s)
            begins = self._waiting[caller].popleft()
            if not self._waiting[caller]:
                del self._waiting[caller]
            if begins.done():  # cancelled
                continue
            self._free -= 1
            self._floor_s = self._virtual_time(caller)
            self._running[caller] += 1
            begins.set_result(Turn(self, caller, self._clock()))

    def _virtual_time(self, caller: str) -> float:
        return max(self._virtual_s.get(caller, 0.0), self._floor_s)

    def _end(self, turn: Turn) -> None:
        caller, used_s = turn.caller, self._clock() - turn.started_s
        self._virtual_s[caller] = self._virtual_time(caller) + used_s
        self._mean_s += _MEAN_WEIGHT * (used_s - self._mean_s)
        self._running[caller] -= 1
        if turn.holds_place:
            self._free += 1
        else:
            self._overtime[caller] -= 1
        self._start_next()
        self._forget_idle_callers()

    def _forget_idle_callers(self) -> None:
        for counter in (self._running, self._overtime):
            for caller in [caller for caller, count in counter.items() if not count]:
                del counter[caller]
        if len(self._virtual_s) > _MAX_KNOWN_CALLERS or not (self._running or self._waiting):
            self._virtual_s = {caller: time_s for caller, time_s in self._virtual_s.items() if time_s > self._floor_s}

"""Admission control: a request that would wait too long is refused at once, with the time after which to try again.

The limit is waiting time, not the number of requests. A fixed number would admit far too many requests where a page
takes a second, and far too few where it takes a hundredth of a second. So each operation has a queue that knows how
many pages are in it and how long a page took recently. Callers take turns (pipeline/shares.py), so a caller waits for
its own pages and for as many of every other caller: one that sends a thousand is refused, and nobody else.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from docextract.pipeline.problems import ProblemError
from docextract.pipeline.shares import current_caller

# The only problem for which the models do the same work as for an answer. Other problems come from files that cannot be
# decoded.
_VERDICT_CODE = "image_quality_insufficient"
# Weight decreases exponentially over this number of pages: no single batch, slow or fast, decides about admission.
_AVERAGING_PAGES = 50


@dataclass(eq=False)
class Slot:
    """One admitted request in a WorkQueue."""

    pages: int  # an upload may turn out to have many pages, or none (XML); then the number is corrected here
    admitted_s: float  # time on the queue's clock
    caller: str


class WorkQueue:
    """The admitted requests of one operation in this process.

    Every front process has its own queues. The others are visible to it only as slower answers.

    max_wait_s:     of estimated work in front of a request that is admitted, however large the request is itself.
    max_requests:   of one caller at the same time, whatever their work, and half as many again of all callers.
    first_page_s:   estimated time per page until the first answer.
    """

    def __init__(
        self, max_wait_s: float, max_requests: int, first_page_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create an empty queue."""
        self._max_wait_s = max_wait_s
        self._max_requests = max_requests
        self._clock = clock
        self._slots: list[Slot] = []
        # When the last request was finished, and when the last one was answered by the models.
        self._last_finish_s = self._last_answer_s = -math.inf
        # Both decrease by the same factor; the initial estimate weighs as much as one page.
        self._recent_s, self._recent_pages = first_page_s, 1.0

    @property
    def wait_s(self) -> float:
        """The estimated waiting time of a request of the current caller. It grows while nothing is answered to it."""
        caller, pages = current_caller(), Counter[str]()
        for slot in self._slots:
            pages[slot.caller] += slot.pages
        own = pages.pop(caller, 0)
        in_front = own + sum(min(others, own + 1) for others in pages.values())
        oldest = next((slot for slot in self._slots if slot.caller == caller), None)
        silent_s = self._busy_s(self._last_finish_s, oldest) if oldest else 0.0
        return max(in_front * self._recent_s / self._recent_pages, silent_s)

    def _is_full(self) -> bool:
        own = sum(slot.caller == current_caller() for slot in self._slots)
        return own >= self._max_requests or len(self._slots) >= self._max_requests * 3 // 2

    def check_capacity(self) -> None:
        """Raise ProblemError `overloaded` if a request would be refused now: refuse it before its upload."""
        wait_s = self.wait_s
        if wait_s <= self._max_wait_s and not self._is_full():
            return
        # Retry when half of the limit is left: the model still has work then, and few retries are refused again.
        seconds = min(max(1.0, wait_s - self._max_wait_s / 2), self._max_wait_s)
        raise ProblemError(
            "overloaded",
            "The server is at capacity. Try again after the number of seconds in Retry-After.",
            headers={"retry-after": str(math.ceil(seconds))},
        )

    @contextmanager
    def slot(self, pages: int) -> Iterator[Slot]:
        """Occupy a slot while the request is processed. Raises ProblemError `overloaded`, like `check_capacity`."""
        self.check_capacity()
        slot = Slot(pages, self._clock(), current_caller())
        self._slots.append(slot)
        try:
            yield slot
            self._record_finish(slot.pages)
        except ProblemError as problem:
            if problem.status < 500:
                self._record_finish(slot.pages if problem.code == _VERDICT_CODE else 0)
            raise
        finally:
            self._slots.remove(slot)

    def _record_finish(self, pages: int) -> None:
        """Record that a request is finished. pages: of it that the models have processed.

        All busy time since the last request with pages is attributed to this one: those in between have slowed it down,
        too. Without pages, it says nothing about their time: thousands of broken files or of e-invoices as XML per
        second would make pages that take a second look fast.
        """
        self._last_finish_s = self._clock()
        if not pages:
            return
        remaining_weight = math.exp(-pages / _AVERAGING_PAGES)
        self._recent_s = self._recent_s * remaining_weight + self._busy_s(self._last_answer_s, self._slots[0])
        self._recent_pages = self._recent_pages * remaining_weight + pages
        self._last_answer_s = self._last_finish_s

    def _busy_s(self, since_s: float, oldest: Slot) -> float:
        """Return how long the queue has not been empty since then: the oldest request marks the start."""
        return self._clock() - max(since_s, oldest.admitted_s)

"""Who is let in: work is counted in seconds, so that whoever is let in is answered in time and all others hear at once.

A limit on requests alone would let in far more than can be answered in time where a page takes a second, and far
less than could be where it takes a hundredth. So each operation has a desk, which knows how many pages are before it
and how long one took lately, and sends away whom it would keep waiting too long, with the time to come back.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from docextract.pipeline.problems import ProblemError

# A refusal for which the models have worked as for an answer; others come of files that cannot be opened.
_VERDICT = "image_quality_insufficient"
_REMEMBERED_PAGES = 50  # older ones fade: no single batch, hard or easy, is to shut the door or to open it


@dataclass(eq=False)
class Place:
    """One request's place at a desk."""

    pages: int  # a file may turn out to have many: then it is said here
    since_s: float  # by the desk's clock


class Desk:
    """The work of one operation in this process. Every front process has its own, and sees the others as slowness.

    max_wait_s: of work before a request that is let in, however large it is itself.
    max_requests: at once, whatever their work: each holds its pictures in memory.
    first_page_s: what a page is taken to need before any was answered.
    """

    def __init__(
        self, max_wait_s: float, max_requests: int, first_page_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Open, and empty."""
        self._max_wait_s = max_wait_s
        self._max_requests = max_requests
        self._clock = clock
        self._places: list[Place] = []
        self._moved_s = self._answered_s = -math.inf  # when anything went out last, and when an answer
        # Both fade alike; the first guess weighs as much as one page.
        self._recent_s, self._recent_pages = first_page_s, 1.0

    @property
    def wait_s(self) -> float:
        """How long a request that came now would wait, about. Where no answer goes out any more, it grows."""
        if not self._places:
            return 0.0
        pages = sum(place.pages for place in self._places)
        return max(pages * self._recent_s / self._recent_pages, self._busy_s(self._moved_s))

    def check(self) -> None:
        """Raise `overloaded` if a request that came now would be sent away: nobody should upload in vain."""
        wait_s = self.wait_s
        if wait_s <= self._max_wait_s and len(self._places) < self._max_requests:
            return
        # When half of the limit is left: then the model still has work, and few of those who return come in vain.
        seconds = min(max(1.0, wait_s - self._max_wait_s / 2), self._max_wait_s)
        raise ProblemError(
            "overloaded",
            "All places are taken; ask again after the seconds that Retry-After names.",
            headers={"retry-after": str(math.ceil(seconds))},
        )

    @contextmanager
    def place(self, pages: int) -> Iterator[Place]:
        """Hold a place while a request is worked on. Raises ProblemError `overloaded`, as `check` does."""
        self.check()
        place = Place(pages, self._clock())
        self._places.append(place)
        try:
            yield place
            self._answered(place.pages)
        except ProblemError as problem:
            if problem.code == _VERDICT:
                self._answered(place.pages)
            elif problem.status < 500:
                # Not as an answer: thousands of broken files a second would make a page of a second look fast.
                self._moved_s = self._clock()
            raise
        finally:
            self._places.remove(place)

    def _answered(self, pages: int) -> None:
        """Time goes to whoever is answered next: what came between, refusals too, has slowed it."""
        kept = math.exp(-pages / _REMEMBERED_PAGES)
        self._recent_s = self._recent_s * kept + self._busy_s(self._answered_s)
        self._recent_pages = self._recent_pages * kept + pages
        self._moved_s = self._answered_s = self._clock()

    def _busy_s(self, since_s: float) -> float:
        """How long there has been work since then: for those who are here, nothing was done before the first came."""
        return self._clock() - max(since_s, self._places[0].since_s)

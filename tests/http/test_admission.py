"""Who is let in waits no longer than was promised; who is not hears when to come back."""

from contextlib import ExitStack, suppress

import pytest

from docextract.http.admission import WorkQueue
from docextract.pipeline.problems import ProblemError


class Clock:
    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(clock):
    return WorkQueue(max_wait_s=10, max_requests=50, first_page_s=1.0, clock=clock)


def refusal(queue, pages=1):
    with pytest.raises(ProblemError) as found, queue.slot(pages):
        pass
    assert found.value.code == "overloaded"
    return int(found.value.headers["retry-after"])


def take(queue, stack, requests, pages=1):
    return [stack.enter_context(queue.slot(pages)) for _ in range(requests)]


def answer(queue, clock, pages, seconds_a_page):
    """So many pages, one request after the other."""
    for _ in range(pages):
        with queue.slot(1):
            clock.now_s += seconds_a_page


def test_it_lets_in_what_can_be_done_in_time(queue):
    """Ten seconds of work at a second a page, and one more: who comes then waits for all of them."""
    with ExitStack() as stack:
        take(queue, stack, 11)

        assert queue.wait_s == pytest.approx(11)
        refusal(queue)


def test_fast_pages_let_more_in(queue, clock):
    """The same ten seconds are a hundred pages where one takes a tenth."""
    answer(queue, clock, 300, 0.1)

    with ExitStack() as stack:
        take(queue, stack, 8, pages=12)
        assert queue.wait_s == pytest.approx(9.6, rel=0.05)


def test_answers_that_come_in_batches_are_timed_as_one(queue, clock):
    """Eight pages at once after four seconds are half a second each."""
    for _ in range(40):
        with ExitStack() as stack:
            take(queue, stack, 8)
            clock.now_s += 4

    with ExitStack() as stack:
        take(queue, stack, 8)
        assert queue.wait_s == pytest.approx(4, rel=0.1)


def test_a_large_request_is_let_in_when_nothing_is_before_it(queue):
    """Its own pages are its own wait."""
    with queue.slot(40):
        refusal(queue)


def test_pages_found_after_decoding_count(queue):
    """A PDF is one file and may be ten pages."""
    with queue.slot(1) as slot:
        queue.check_capacity()
        slot.pages = 11
        refusal(queue)


def test_places_are_given_back_whatever_happens(queue):
    """Also when the request fails, or its caller leaves."""
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), queue.slot(20):
            raise ZeroDivisionError

    assert queue.wait_s == 0


def test_retry_after_is_when_half_is_done(queue):
    """Then there is room, and the model has not run out of work."""
    with ExitStack() as stack:
        take(queue, stack, 11)
        assert refusal(queue) == 6  # 11 s of work, of which 5 may be left


def test_a_model_that_answers_nobody_takes_nobody(queue, clock):
    """Although there are few pages before: it has stood still for longer than anyone may be kept waiting."""
    with queue.slot(1):
        clock.now_s += 9
        queue.check_capacity()
        clock.now_s += 2
        assert refusal(queue) == 6
        clock.now_s += 1000
        assert refusal(queue) == 10  # it may be well again soon
    queue.check_capacity()


def refuse(queue, clock, code, requests, seconds_each):
    """So many requests of one page that end so, one after the other."""
    for _ in range(requests):
        with suppress(ProblemError), queue.slot(1):
            clock.now_s += seconds_each
            raise ProblemError(code, "")


def test_a_verdict_that_refuses_is_an_answer(queue, clock):
    """Most photos may be poor: whoever waits behind them waits no longer."""
    with queue.slot(1):  # somebody is always there
        refuse(queue, clock, "image_quality_insufficient", 300, 0.1)
        assert queue.wait_s == pytest.approx(0.1, rel=0.1)


def test_broken_files_are_no_standstill(queue, clock):
    """They are answered, though no page of theirs is."""
    with queue.slot(1):
        refuse(queue, clock, "image_undecodable", 300, 0.1)
        assert queue.wait_s == pytest.approx(1)


def test_broken_files_say_nothing_of_how_long_a_page_takes(queue, clock):
    """Neither their number nor the time in which there was nothing else counts for a page that is read."""
    answer(queue, clock, 100, 1.0)
    with queue.slot(1):
        for _ in range(20):
            with queue.slot(1):
                refuse(queue, clock, "image_undecodable", 100, 0.01)
    refuse(queue, clock, "image_undecodable", 100, 1.0)
    answer(queue, clock, 1, 1.0)

    with queue.slot(10):
        assert queue.wait_s == pytest.approx(10, rel=0.1)


def test_a_failure_of_ours_is_no_answer(queue, clock):
    """A model that fails on everything takes nobody in the end."""
    with queue.slot(1):
        refuse(queue, clock, "internal_error", 11, 1.0)
        refusal(queue)


def test_a_long_quiet_time_is_not_work(queue, clock):
    """Nobody asked for an hour: the next page is as fast as the last."""
    answer(queue, clock, 100, 0.5)
    clock.now_s += 3600
    answer(queue, clock, 1, 0.5)

    with queue.slot(10):
        assert queue.wait_s == pytest.approx(5, rel=0.1)


def test_no_more_requests_than_fit_into_memory(clock):
    """However fast they are."""
    queue = WorkQueue(max_wait_s=10, max_requests=2, first_page_s=0.001, clock=clock)
    with queue.slot(1), queue.slot(1):
        assert refusal(queue) == 1

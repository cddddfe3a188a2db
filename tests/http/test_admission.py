"""An admitted request waits no longer than the limit; a refused one gets the time for its next attempt."""

from contextlib import ExitStack, suppress

import pytest

from docextract.http.admission import WorkQueue
from docextract.pipeline.problems import ProblemError
from docextract.pipeline.shares import on_behalf_of


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
    """Answer this number of one-page requests, one after the other."""
    for _ in range(pages):
        with queue.slot(1):
            clock.now_s += seconds_a_page


def test_work_within_the_limit_is_admitted(queue):
    """Ten seconds of work at one second per page, and one page more; the next request would wait for all of them."""
    with ExitStack() as stack:
        take(queue, stack, 11)

        assert queue.wait_s == pytest.approx(11)
        refusal(queue)


def test_faster_pages_admit_more_requests(queue, clock):
    """Ten seconds are a hundred pages if one takes a tenth of a second."""
    answer(queue, clock, 300, 0.1)

    with ExitStack() as stack:
        take(queue, stack, 8, pages=12)
        assert queue.wait_s == pytest.approx(9.6, rel=0.05)


def test_batched_answers_are_measured_together(queue, clock):
    """Eight pages that are answered together after four seconds take half a second each."""
    for _ in range(40):
        with ExitStack() as stack:
            take(queue, stack, 8)
            clock.now_s += 4

    with ExitStack() as stack:
        take(queue, stack, 8)
        assert queue.wait_s == pytest.approx(4, rel=0.1)


def test_large_request_is_admitted_to_an_empty_queue(queue):
    """The pages of a request do not count against itself."""
    with queue.slot(40):
        refusal(queue)


def test_pages_counted_after_decoding_fill_the_queue(queue):
    """A PDF is one upload and may have ten pages."""
    with queue.slot(1) as slot:
        queue.check_capacity()
        slot.pages = 11
        refusal(queue)


def test_slots_are_released_after_any_error(queue):
    """Also when the request fails or its caller disconnects."""
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), queue.slot(20):
            raise ZeroDivisionError

    assert queue.wait_s == 0


def test_retry_after_is_when_half_of_the_limit_is_left(queue):
    """Then there is capacity, and the model still has work."""
    with ExitStack() as stack:
        take(queue, stack, 11)
        assert refusal(queue) == 6  # 11 s of work, of which 5 may be left


def test_a_stalled_model_admits_no_requests(queue, clock):
    """Even with few pages in the queue: no answer came for longer than the maximum waiting time."""
    with queue.slot(1):
        clock.now_s += 9
        queue.check_capacity()
        clock.now_s += 2
        assert refusal(queue) == 6
        clock.now_s += 1000
        assert refusal(queue) == 10  # at most the limit: the model may recover soon
    queue.check_capacity()


def refuse(queue, clock, code, requests, seconds_each):
    """This number of one-page requests, one after the other, that end with this problem."""
    for _ in range(requests):
        with suppress(ProblemError), queue.slot(1):
            clock.now_s += seconds_each
            raise ProblemError(code, "")


def test_refusal_by_quality_counts_as_an_answer(queue, clock):
    """The models did the same work for it, so many poor photos do not increase the estimate."""
    with queue.slot(1):  # the queue is never empty
        refuse(queue, clock, "image_quality_insufficient", 300, 0.1)
        assert queue.wait_s == pytest.approx(0.1, rel=0.1)


def test_broken_files_do_not_look_like_a_stalled_model(queue, clock):
    """They are answered, although none of their pages reaches a model."""
    with queue.slot(1):
        refuse(queue, clock, "image_undecodable", 300, 0.1)
        assert queue.wait_s == pytest.approx(1)


def test_broken_files_do_not_change_the_time_per_page(queue, clock):
    """Neither their number nor the time that was spent on them alone changes the estimate for pages."""
    answer(queue, clock, 100, 1.0)
    with queue.slot(1):
        for _ in range(20):
            with queue.slot(1):
                refuse(queue, clock, "image_undecodable", 100, 0.01)
    refuse(queue, clock, "image_undecodable", 100, 1.0)
    answer(queue, clock, 1, 1.0)

    with queue.slot(10):
        assert queue.wait_s == pytest.approx(10, rel=0.1)


def test_answers_without_pages_do_not_change_the_time_per_page(queue, clock):
    """E-invoices as XML: the models have nothing to do for them."""
    answer(queue, clock, 100, 1.0)
    for _ in range(200):
        with queue.slot(1) as slot:
            slot.pages = 0
            clock.now_s += 0.01

    with queue.slot(10):
        assert queue.wait_s == pytest.approx(10)


def test_answers_without_pages_do_not_look_like_a_stalled_model(queue, clock):
    """They are answers."""
    with queue.slot(1):
        for _ in range(300):
            with queue.slot(1) as slot:
                slot.pages = 0
                clock.now_s += 0.1
        assert queue.wait_s == pytest.approx(1)


def test_internal_errors_do_not_count_as_answers(queue, clock):
    """A model that fails on every request finally admits none."""
    with queue.slot(1):
        refuse(queue, clock, "internal_error", 11, 1.0)
        refusal(queue)


def test_idle_time_is_not_work(queue, clock):
    """After an hour without requests, the estimate is the same as before."""
    answer(queue, clock, 100, 0.5)
    clock.now_s += 3600
    answer(queue, clock, 1, 0.5)

    with queue.slot(10):
        assert queue.wait_s == pytest.approx(5, rel=0.1)


def test_number_of_requests_is_limited(clock):
    """However fast they are: each holds its pictures in memory."""
    queue = WorkQueue(max_wait_s=10, max_requests=2, first_page_s=0.001, clock=clock)
    with queue.slot(1), queue.slot(1):
        assert refusal(queue) == 1


def test_a_caller_waits_for_its_own_pages_and_as_many_of_the_others(queue):
    """The flood is refused, and a guest waits for one page of it."""
    with ExitStack() as stack:
        with on_behalf_of("flood"):
            take(queue, stack, 11)
            refusal(queue)
        with on_behalf_of("guest"):
            assert queue.wait_s == pytest.approx(1)
            take(queue, stack, 2)
            assert queue.wait_s == pytest.approx(5)


def test_a_caller_that_gets_no_answer_does_not_stop_others(queue, clock):
    """Its files may take for ever to decode."""
    with on_behalf_of("slow"), queue.slot(1):
        clock.now_s += 11
        refusal(queue)
        with on_behalf_of("guest"):
            queue.check_capacity()


def test_one_caller_leaves_requests_for_others(clock):
    """However short they are."""
    queue = WorkQueue(max_wait_s=1e9, max_requests=10, first_page_s=1.0, clock=clock)
    with ExitStack() as stack:
        with on_behalf_of("flood"):
            take(queue, stack, 10)
            refusal(queue)
        with on_behalf_of("guest"):
            take(queue, stack, 5)
            refusal(queue)

"""Pages that two processes share."""

import os
import pickle
import socket
import subprocess
import sys

import numpy as np
import pytest

from docextract.serving import shared_pages
from docextract.serving.shared_pages import can_share, shared

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages are shared on Linux alone")

READ_IN_ANOTHER_PROCESS = """
import pickle, sys
page = pickle.load(sys.stdin.buffer)
before = page.tolist()
page[:] = 0
pickle.dump((before, type(page).__name__), sys.stdout.buffer)
"""


@pytest.fixture
def page(rng):
    return rng.integers(0, 255, (120, 80, 3), np.uint8)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_another_process_gets_the_pixels_without_their_transfer(page):
    expected = page.tolist()
    with shared(page) as one:
        sent = pickle.dumps(one, protocol=5)
        done = subprocess.run([sys.executable, "-c", READ_IN_ANOTHER_PROCESS], input=sent, capture_output=True)

    assert pickle.loads(done.stdout) == (expected, "ndarray"), done.stderr
    assert len(sent) < 300
    assert page.tolist() == expected, "changes stay in the other process"


def test_a_received_page_outlives_the_call(page):
    with shared(page) as one:
        received = pickle.loads(pickle.dumps(one))

    assert np.array_equal(received, page)


def test_pages_that_are_not_contiguous_are_shared_too(page):
    turned = np.rot90(page)
    with shared(turned) as one:
        assert np.array_equal(pickle.loads(pickle.dumps(one)), turned)


def test_parts_and_copies_are_pickled_with_their_pixels(page):
    with shared(page) as one:
        sent = pickle.dumps((one[:10], one.copy()))

    part, copy = pickle.loads(sent)
    assert np.array_equal(part, page[:10])
    assert np.array_equal(copy, page)


def test_a_call_that_has_ended_is_not_answered_with_another_page(page):
    """The next page may get the same number of file."""
    with shared(page) as one:
        late = pickle.dumps(one)
    with pytest.raises(FileNotFoundError):
        pickle.loads(late)
    with shared(255 - page), pytest.raises(FileNotFoundError):
        pickle.loads(late)
    with socket.socket(), pytest.raises(OSError, match="No such device"):
        pickle.loads(late)


def test_changes_that_would_be_lost_are_refused(page):
    with shared(page) as one, pytest.raises(ValueError, match="read-only"):
        one += 1

    page += 1  # the page itself stays as it was


def test_pages_are_sent_where_others_cannot_read_them(page, monkeypatch, caplog):
    """The files of a process that may not be inspected, for example."""
    monkeypatch.setattr(shared_pages.os, "getpid", lambda: 2**22 + 1)  # no process has this number
    can_share.cache_clear()
    with shared(page) as one:
        sent = pickle.dumps(one)
    can_share.cache_clear()

    assert np.array_equal(pickle.loads(sent), page)
    assert "pages are sent" in caplog.text


def test_nothing_is_left_open(page):
    before = sorted(os.listdir("/proc/self/fd"))
    with shared(page) as one:
        pickle.loads(pickle.dumps(one))

    assert sorted(os.listdir("/proc/self/fd")) == before

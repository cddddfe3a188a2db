"""Through the helper that there is, which draws PDFs."""

import io
import os
import signal
import time
from dataclasses import asdict

import psutil
import pypdfium2
import pytest

from docextract.images.decoding import DecodingLimits
from docextract.images.sandbox import SandboxError, SandboxProcess
from tests.images.hostile_pdfs import endless, of_spaces

LIMITS = asdict(DecodingLimits())
CPU_S = 2


@pytest.fixture
def helper():
    helper = SandboxProcess("docextract.images.pdf", cpu_s=CPU_S, memory_bytes=400_000_000)
    yield helper
    helper.end()


@pytest.fixture
def honest() -> bytes:
    document = pypdfium2.PdfDocument.new()
    for _ in range(3):
        document.new_page(200, 300)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def children() -> list[psutil.Process]:
    """Of the fixture, not of whoever decoded a PDF in another test."""
    return [one for one in psutil.Process().children() if str(CPU_S) in one.cmdline()]


@pytest.mark.parametrize("hostile", [endless(), of_spaces(400)], ids=["drawn for ever", "400 MB of nothing"])
def test_a_file_that_takes_too_much_ends_its_helper_alone(helper, honest, hostile):
    """The next one is served by another."""
    start = time.monotonic()
    with pytest.raises(SandboxError):
        helper.run(hostile, LIMITS)

    assert time.monotonic() - start < 30
    header, pages = helper.run(honest, LIMITS)
    assert (header, len(pages)) == ({}, 3)


def test_a_helper_that_was_killed_is_replaced(helper, honest):
    """Whoever killed it."""
    helper.run(honest, LIMITS)
    (process,) = children()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    assert len(helper.run(honest, LIMITS)[1]) == 3


def test_one_helper_serves_many_files(helper, honest):
    """Starting one takes longer than drawing a page."""
    helper.run(honest, LIMITS)
    (first,) = children()
    helper.run(honest, LIMITS)

    assert children() == [first]


def test_nothing_is_left_running(helper, honest):
    """It ends when it is let go."""
    helper.run(honest, LIMITS)
    helper.end()

    assert children() == []

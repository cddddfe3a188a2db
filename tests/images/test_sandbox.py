"""The sandboxed process, tested with the rendering of PDFs."""

import io
import os
import signal
import time

import psutil
import pypdfium2
import pytest

from docextract.images import pdf
from docextract.images.limits import DecodingLimits
from docextract.images.sandbox import SandboxError, SandboxProcess
from tests.images.hostile_pdfs import endless, of_spaces

LIMITS = pdf.options(DecodingLimits(), None)
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
    """The sandboxed processes of the fixture, not of other tests."""
    return [one for one in psutil.Process().children() if str(CPU_S) in one.cmdline()]


@pytest.mark.parametrize("hostile", [endless(), of_spaces(400)], ids=["drawn for ever", "400 MB of nothing"])
def test_a_file_over_a_limit_ends_only_its_sandbox_process(helper, honest, hostile):
    """The next file is processed by a new process."""
    start = time.monotonic()
    with pytest.raises(SandboxError):
        helper.run(hostile, LIMITS)

    assert time.monotonic() - start < 30
    header, pages = helper.run(honest, LIMITS)
    assert (header["page_count"], len(pages)) == (3, 3)


def test_a_killed_sandbox_process_is_replaced(helper, honest):
    """Even if it was killed from outside."""
    helper.run(honest, LIMITS)
    (process,) = children()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    assert len(helper.run(honest, LIMITS)[1]) == 3


def test_one_sandbox_process_serves_many_files(helper, honest):
    """Starting a process takes longer than rendering a page."""
    helper.run(honest, LIMITS)
    (first,) = children()
    helper.run(honest, LIMITS)

    assert children() == [first]


def test_the_sandbox_process_ends_with_its_owner(helper, honest):
    """It ends when `end` is called."""
    helper.run(honest, LIMITS)
    helper.end()

    assert children() == []

"""The sandboxed process in which files are decoded."""

import io
import os
import signal
import threading
import time
from functools import partial

import psutil
import pypdfium2
import pytest

from docextract.images.decoder import WorkingSize, decode_in
from docextract.images.limits import DecodingLimits
from docextract.images.sandbox import SandboxError, SandboxProcess
from tests.images.hostile_pdfs import endless, of_spaces
from tests.processes import children_where

CPU_S = 2


@pytest.fixture
def helper():
    helper = SandboxProcess("docextract.images.decoder", cpu_s=CPU_S, wall_s=20, memory_bytes=400_000_000)
    yield helper
    helper.end()


def decode(helper, data):
    return decode_in(helper, data, DecodingLimits(), None, WorkingSize(4400, 1100))


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
    return children_where(lambda command: str(CPU_S) in command)


@pytest.mark.parametrize(
    "make_hostile", [endless, partial(of_spaces, 400)], ids=["drawn for ever", "400 MB of nothing"]
)
def test_a_file_over_a_limit_ends_only_its_sandbox_process(helper, honest, make_hostile):
    """The next file is processed by a new process."""
    hostile = make_hostile()  # not during collection: its compression takes seconds
    start = time.monotonic()
    with pytest.raises(SandboxError):
        decode(helper, hostile)

    assert time.monotonic() - start < 30
    assert len(decode(helper, honest).pages) == 3


def test_a_killed_sandbox_process_is_replaced(helper, honest):
    """Even if it was killed from outside."""
    decode(helper, honest)
    (process,) = children()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    assert len(decode(helper, honest).pages) == 3


def test_a_file_whose_process_is_killed_is_read_again(helper, honest):
    """As by the kernel, which chooses any process when memory runs out."""
    decode(helper, honest)
    (process,) = children()
    process.suspend()  # so that it is killed while it has the file
    threading.Timer(0.3, process.kill).start()

    assert len(decode(helper, honest).pages) == 3
    assert process not in children()


def test_a_stopped_sandbox_process_is_ended(honest):
    """It uses no CPU time, so there is a limit of wall-clock time too."""
    helper = SandboxProcess("docextract.images.decoder", cpu_s=CPU_S, wall_s=4, memory_bytes=400_000_000)
    helper.start()
    (process,) = children()
    process.suspend()
    with pytest.raises(SandboxError):
        decode(helper, honest)

    assert len(decode(helper, honest).pages) == 3
    helper.end()


def test_a_stopping_service_answers_its_requests(helper, honest):
    """A supervisor signals all processes; this one goes on, and is replaced if the signal comes while it starts."""
    helper.start()
    (starting,) = children()
    starting.terminate()
    assert len(decode(helper, honest).pages) == 3

    (running,) = children()
    running.terminate()
    assert len(decode(helper, honest).pages) == 3
    assert children() == [running]


def test_a_file_can_be_given_up(helper):
    """From another thread, when its caller has left."""
    helper.start()
    threading.Timer(0.3, helper.abort).start()
    start = time.monotonic()
    with pytest.raises(SandboxError):
        decode(helper, endless())

    assert time.monotonic() - start < CPU_S


def test_a_slow_file_gives_way_to_others(helper, honest):
    """Its process has a low priority, and is replaced afterwards."""
    decode(helper, honest)
    (process,) = children()
    helper.slow_down()

    assert process.nice() > psutil.Process().nice()
    decode(helper, honest)
    assert children() != [process]
    assert children()[0].nice() == psutil.Process().nice()


def test_the_sandbox_writes_no_files(tmp_path):
    """Not even core dumps, which would contain a document."""
    helper = SandboxProcess("tests.images.writing_task", CPU_S, 20, 400_000_000)
    header, _ = helper.run(b"", {"path": str(tmp_path / "written")})
    helper.end()

    assert header == {"written": False}


def test_the_sandbox_imports_from_the_same_folders(tmp_path, monkeypatch):
    """Packages may be installed in a folder that only PYTHONPATH names."""
    (tmp_path / "only_there.py").write_text(
        "from docextract.images import sandbox\n"
        "sandbox.serve_requests(lambda data, options: ({'size': len(data)}, []))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    helper = SandboxProcess("only_there", CPU_S, 20, 400_000_000)
    try:
        assert helper.run(b"abc", {}) == ({"size": 3}, [])
    finally:
        helper.end()


def test_one_sandbox_process_serves_many_files(helper, honest):
    """Starting a process takes longer than rendering a page."""
    decode(helper, honest)
    (first,) = children()
    decode(helper, honest)

    assert children() == [first]


def test_a_sandbox_process_that_leaks_memory_is_replaced():
    """In time for the next file, which might otherwise reach the limit although it is small."""
    helper = SandboxProcess("tests.images.leaking_task", CPU_S, 20, 400_000_000)
    try:
        files = [helper.run(bytes(size), {})[0]["files"] for size in (1, 1, 250, 1)]
    finally:
        helper.end()

    assert files == [1, 2, 3, 1]


def test_the_sandbox_process_ends_with_its_owner(helper, honest):
    """It ends when `end` is called."""
    decode(helper, honest)
    helper.end()

    assert children() == []

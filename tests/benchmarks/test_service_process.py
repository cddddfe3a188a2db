"""Tests of what a benchmark sees of a service's processes."""

import os
import subprocess
import sys

import psutil

from benchmarks.service_process import ServiceProcess

BUSY = "import sys\nfor _ in range(10_000_000): pass\nprint('done', flush=True)\nsys.stdin.read()"


def test_seconds_of_an_ended_process_are_kept():
    """A helper that ends between two looks must not take its CPU seconds away."""
    here = ServiceProcess("http://testserver", os.getpid())
    with subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:
        before = here.cpu_s()
        helper.stdout.readline()
        while_running = here.cpu_s()
        helper.communicate()

    assert before < while_running <= here.cpu_s()


def test_a_process_that_ends_meanwhile_is_left_out(monkeypatch):
    """It may end between the listing of the processes and their measurement."""
    with subprocess.Popen([sys.executable, "-c", ""]) as helper:
        ended = psutil.Process(helper.pid)
    monkeypatch.setattr(psutil.Process, "children", lambda self, recursive: [ended])
    here = ServiceProcess("http://testserver", os.getpid())

    assert here.memory_mb() > 10
    assert len(here.peak_mb()) == 1
    assert here.cpu_s() > 0
    assert here.workers("front") == []

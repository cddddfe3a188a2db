"""Processing of untrusted files in a separate process with limits on CPU time, wall-clock time and memory.

The process starts with the first file, is reused for further files, and ends with its parent process. Our own code and
not a pool of processes such as pebble's: those unpickle what a process returns, so that one that was taken over by a
file could run code in this process.
"""

import atexit
import contextlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import psutil
from numpy.typing import NDArray

_FILES_PER_PROCESS = 200  # bounds the memory that a library leaks
_MAX_KEPT_SHARE = 0.5  # of the memory limit, between two files
_STOP_STATUSES = (-signal.SIGTERM, -signal.SIGINT)
_END_S = 1.0  # a process that crashed needs this long to end
_LOWER_PRIORITY = 5  # added to the own nice value: a quarter of the CPU time of a process with the own priority
_PACKAGES = Path(__file__).resolve().parents[2]

Pages = Sequence[NDArray[np.uint8]]
SandboxTask = Callable[[bytes, Mapping[str, Any]], tuple[Mapping[str, Any], Pages]]


class SandboxError(Exception):
    """The process ended while it processed a file: it crashed or reached a limit."""


class _EndedFromOutsideError(SandboxError):
    """Something else ended the process: the signal that stops the service while it was starting, or SIGKILL."""


class SandboxProcess:
    """A process that runs `python -m module`, which calls `serve_requests`. It processes one file at a time.

    cpu_s, wall_s: limits of CPU time and of wall-clock time for each file.
    memory_bytes:  limit of memory at any time, and of what the process returns.
    """

    def __init__(self, module: str, cpu_s: int, wall_s: float, memory_bytes: int) -> None:
        """Prepare the command; the process starts with the first file."""
        self._wall_s = wall_s
        self._memory_bytes = memory_bytes
        self._command = [sys.executable, "-m", module, str(cpu_s), str(memory_bytes)]
        self._process: subprocess.Popen[bytes] | None = None
        self._files_left = 0  # until the process is replaced
        self._is_ready = False  # has imported what it needs
        self._cpu_before_s: float | None = None  # that the process had used before the current file; None: no file
        self._ended_here = False  # by this object, while it processed the current file
        self._lock = threading.Lock()
        atexit.register(self.end)

    def run(self, data: bytes, options: Mapping[str, Any]) -> tuple[Mapping[str, Any], Pages]:
        """Return the result of the SandboxTask for a file. Raises SandboxError if it crashes or exceeds a limit."""
        with self._lock:
            try:
                return self._run_once(data, options)
            except _EndedFromOutsideError:
                return self._run_once(data, options)

    def _run_once(self, data: bytes, options: Mapping[str, Any]) -> tuple[Mapping[str, Any], Pages]:
        process = self._running_process()
        self._files_left -= 1
        self._ended_here = False
        alarm = threading.Timer(self._wall_s, self.abort)
        alarm.daemon = True
        alarm.start()
        try:
            if not self._is_ready:
                _read_line(process)
                self._is_ready = True
            self._cpu_before_s = _cpu_s(process)
            return _exchange(process, data, options, self._memory_bytes)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            status = _exit_status(process, has_crashed=isinstance(error, OSError | EOFError))
            from_outside = status in _STOP_STATUSES or (status == -signal.SIGKILL and not self._ended_here)
            kind = _EndedFromOutsideError if from_outside else SandboxError
            raise kind(f"the sandboxed process ended with exit status {status}") from error
        finally:
            self._cpu_before_s = None
            alarm.cancel()

    def file_cpu_s(self) -> float:
        """Return the CPU seconds that the current file has taken so far; 0 if there is none."""
        process, before_s = self._process, self._cpu_before_s
        if process is None or before_s is None:
            return 0.0
        return max(0.0, _cpu_s(process) - before_s)

    def start(self) -> None:
        """Start the process now, not with the first file."""
        with self._lock:
            self._running_process()

    def slow_down(self) -> None:
        """Give the CPU to other processes first, while the current file is processed."""
        process = self._process
        if process is not None and process.poll() is None:
            self._files_left = 0  # only root could raise the priority again
            with contextlib.suppress(OSError):
                own = os.getpriority(os.PRIO_PROCESS, 0)
                os.setpriority(os.PRIO_PROCESS, process.pid, own + _LOWER_PRIORITY)

    def abort(self) -> None:
        """End the process now: `run`, in another thread, raises SandboxError."""
        self._ended_here = True
        process = self._process
        if process is not None:
            process.kill()

    def _running_process(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is None or process.poll() is not None or self._files_left == 0 or self._keeps_much_memory(process):
            self.end()
            threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # each thread would reserve memory
            import_path = os.pathsep.join(filter(None, [str(_PACKAGES), os.environ.get("PYTHONPATH")]))
            self._process = process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # warnings of libraries may quote the file
                env={**os.environ, **threads, "PYTHONPATH": import_path},
            )
            self._files_left, self._is_ready = _FILES_PER_PROCESS, False
        return process

    def _keeps_much_memory(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether too little is left for the next file, because a library leaks."""
        with contextlib.suppress(psutil.Error):  # it has just ended
            return bool(psutil.Process(process.pid).memory_info().rss > self._memory_bytes * _MAX_KEPT_SHARE)
        return False

    def end(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _exit_status(process: subprocess.Popen[bytes], has_crashed: bool) -> int | None:
    """End a process and return its status; None if it had not ended by itself. has_crashed: it closed its pipes."""
    if has_crashed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=_END_S)
    process.kill()
    process.wait()
    return None


def _exchange(
    process: subprocess.Popen[bytes], data: bytes, options: Mapping[str, Any], max_bytes: int
) -> tuple[Mapping[str, Any], Pages]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({**options, "bytes": len(data)}).encode() + b"\n")
    process.stdin.write(data)
    process.stdin.flush()
    header = json.loads(_read_line(process))
    shapes = header.pop("shapes")
    if not all(size > 0 for shape in shapes for size in shape) or sum(map(math.prod, shapes)) > max_bytes:
        raise ValueError("too many pixels")
    return header, [_read_pixels(process.stdout, shape) for shape in shapes]


def _read_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise EOFError
    return line


def _cpu_s(process: subprocess.Popen[bytes]) -> float:
    """Return the CPU seconds that a process has used; 0 if it has ended."""
    with contextlib.suppress(psutil.Error):
        times = psutil.Process(process.pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def _read_pixels(stream: IO[bytes], shape: Sequence[int]) -> NDArray[np.uint8]:
    pixels = bytearray(math.prod(shape))
    if stream.readinto(pixels) != len(pixels):  # type: ignore[attr-defined]  # buffered: reads until full
        raise EOFError
    return np.frombuffer(pixels, np.uint8).reshape(shape)


def serve_requests(task: SandboxTask) -> None:
    """Process files from standard input until it ends; runs in the sandboxed process."""
    # A service that is stopped answers its requests first; this process ends with its input.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cpu_s, memory_bytes = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would contain the file
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # and nothing is written to disk
    answers = sys.stdout.buffer
    answers.write(b"ready\n")
    answers.flush()
    for data, options in _read_requests(sys.stdin.buffer):
        used = resource.getrusage(resource.RUSAGE_SELF)
        until_s = math.ceil(used.ru_utime + used.ru_stime) + cpu_s
        resource.setrlimit(resource.RLIMIT_CPU, (until_s, resource.RLIM_INFINITY))
        header, pages = task(data, options)
        answers.write(json.dumps({**header, "shapes": [page.shape for page in pages]}).encode() + b"\n")
        for page in pages:
            answers.write(np.ascontiguousarray(page).data.cast("B"))
        answers.flush()


def _read_requests(stream: IO[bytes]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    while line := stream.readline():
        options = json.loads(line)
        yield stream.read(options.pop("bytes")), options

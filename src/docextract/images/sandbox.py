"""Work on a stranger's file in a process of its own, which is ended when it takes too long or too much.

A page of a PDF is a program: half a megabyte can draw for hours or fill all memory, and a thread cannot be stopped.
The helping process is started when it is first needed, lives on between files, and ends with whoever started it.
"""

import atexit
import json
import math
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_FILES_BEFORE_RENEWAL = 200  # a library that leaks a little never leaks much
_PACKAGES = Path(__file__).resolve().parents[2]

Pages = Sequence[NDArray[np.uint8]]
SandboxTask = Callable[[bytes, Mapping[str, Any]], tuple[Mapping[str, Any], Pages]]


class SandboxError(Exception):
    """The helper died over a file, of itself or of its limits."""


class SandboxProcess:
    """A process that runs `python -m module`, where `serve` is called. One file at a time.

    cpu_s: for each file. memory_bytes: at any time.
    """

    def __init__(self, module: str, cpu_s: int, memory_bytes: int) -> None:
        """Nothing is started yet."""
        self._command = [sys.executable, "-m", module, str(cpu_s), str(memory_bytes)]
        self._process: subprocess.Popen[bytes] | None = None
        self._left = 0  # files until it is renewed
        self._taken = threading.Lock()
        atexit.register(self.end)

    def ask(self, data: bytes, options: Mapping[str, Any]) -> tuple[Mapping[str, Any], Pages]:
        """What `Work` makes of the file. Raises EndedError where it takes more than is allowed, or crashes."""
        with self._taken:
            process = self._ready()
            self._left -= 1
            try:
                return _exchange(process, data, options)
            except (OSError, EOFError, ValueError) as error:
                process.kill()
                raise SandboxError(f"ended with {process.wait()}") from error

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None or self._left == 0:
            self.end()
            threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # each would reserve memory
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # a library's complaints may quote the file
                env={**os.environ, **threads, "PYTHONPATH": str(_PACKAGES)},
            )
            self._left = _FILES_BEFORE_RENEWAL
        return self._process

    def end(self) -> None:
        """Let it go."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _exchange(
    process: subprocess.Popen[bytes], data: bytes, options: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Pages]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({**options, "bytes": len(data)}).encode() + b"\n")
    process.stdin.write(data)
    process.stdin.flush()
    told = json.loads(process.stdout.readline())
    return told, [_page(process.stdout) for _ in range(told.pop("pages"))]


def _page(stream: IO[bytes]) -> NDArray[np.uint8]:
    shape = json.loads(stream.readline())
    pixels = bytearray(int(np.prod(shape)))
    if stream.readinto(pixels) != len(pixels):  # type: ignore[attr-defined]  # it is buffered, and reads on
        raise EOFError
    return np.frombuffer(pixels, np.uint8).reshape(shape)


def serve_requests(work: SandboxTask) -> None:
    """The helper's side: answer files from standard input, until there are no more."""
    cpu_s, memory_bytes = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the file
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    for data, options in _requests(requests):
        used = resource.getrusage(resource.RUSAGE_SELF)
        until_s = math.ceil(used.ru_utime + used.ru_stime) + cpu_s
        resource.setrlimit(resource.RLIMIT_CPU, (until_s, resource.RLIM_INFINITY))
        told, pages = work(data, options)
        answers.write(json.dumps({**told, "pages": len(pages)}).encode() + b"\n")
        for page in pages:
            answers.write(json.dumps(page.shape).encode() + b"\n")
            answers.write(page.tobytes())
        answers.flush()


def _requests(stream: IO[bytes]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    while head := stream.readline():
        options = json.loads(head)
        yield stream.read(options.pop("bytes")), options

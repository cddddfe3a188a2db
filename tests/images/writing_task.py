"""A task for the sandbox that tries to write a file."""

import signal
from pathlib import Path

from docextract.images.sandbox import serve_requests


def _task(data, options):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        Path(options["path"]).write_bytes(b"x")
    except OSError:
        return {"written": False}, ()
    return {"written": True}, ()


if __name__ == "__main__":
    serve_requests(_task)

"""Test of the progress bar on a terminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_progress_is_drawn_on_a_terminal_only(models_dir, photos):
    """It is drawn if standard error is a terminal; standard output has only the answers."""
    terminal, terminal_end = pty.openpty()
    command = [sys.executable, "-m", "docextract", "validate", str(photos), "--json"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "DOCEXTRACT_MODELS_DIR": str(models_dir),
        "TERM": "xterm",
    }

    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=terminal_end) as process:
        os.close(terminal_end)
        shown = b"".join(iter(lambda: _read_terminal(terminal), b"")).decode()
        assert process.stdout is not None
        stdout = process.stdout.read().decode()
    os.close(terminal)

    assert [json.loads(line)["accepted"] for line in stdout.splitlines()] == [True, False]
    assert "0/2" in shown
    assert "\x1b" not in stdout


def _read_terminal(terminal: int) -> bytes:
    """Read what was written to the terminal; empty when all writers have closed it."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux reports the end with EIO
        return b""

"""The command and the terminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_progress_is_for_people_who_watch(models_dir, photos):
    """It is drawn where standard error is a terminal, and standard output has nothing but the answers."""
    watching, theirs = pty.openpty()
    command = [sys.executable, "-m", "docextract", "validate", str(photos), "--json"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "DOCEXTRACT_MODELS_DIR": str(models_dir),
        "TERM": "xterm",
    }

    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        drawn = b"".join(iter(lambda: _more(watching), b"")).decode()
        assert process.stdout is not None
        written = process.stdout.read().decode()
    os.close(watching)

    assert [json.loads(line)["accepted"] for line in written.splitlines()] == [True, False]
    assert "0/2" in drawn
    assert "\x1b" not in written


def _more(terminal: int) -> bytes:
    """What a terminal shows next; nothing once all who wrote to it have gone."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so with EIO
        return b""

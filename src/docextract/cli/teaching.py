"""The commands that need the training code, which is part of a clone of docextract and not of the package."""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from docextract.cli.running import ExitStatus, print_error

_CLONE = Path(__file__).parents[3]
_NO_TRAINING = (
    "this command needs docextract's training code and what it depends on. Run it in a clone of docextract, "
    "after `make setup-training` has set up its environment there"
)


def run(data: Sequence[Path], out: Path, *options: str) -> ExitStatus:
    """Run training.commands.retrain; its arguments are documented there."""
    if (_CLONE / "training").is_dir() and str(_CLONE) not in sys.path:
        sys.path.insert(0, str(_CLONE))
    try:
        command = importlib.import_module("training.commands.retrain")
    except ModuleNotFoundError as error:
        print_error(f"{_NO_TRAINING} ({error})")
        return ExitStatus.UNABLE
    try:
        failed = command.main([*map(str, data), "--out", str(out), *options])
    except SystemExit as ended:  # inputs that cannot be used
        failed = ended.code
    return ExitStatus.UNABLE if failed else ExitStatus.GOOD

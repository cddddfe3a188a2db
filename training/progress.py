"""Progress of long commands: bars on a terminal, lines elsewhere."""

import math
import sys
import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

LINE_S = 30.0  # between two lines of progress


class PlainProgress(Progress):
    """Progress as lines on stderr, one for each stage and every LINE_S seconds, for files and pipes."""

    def __init__(self) -> None:
        super().__init__(disable=True)
        self._last_line_s = -math.inf

    def update(self, task_id: TaskID, *arguments: Any, **changes: Any) -> None:
        """Update the task and, where it is time, print its state."""
        super().update(task_id, *arguments, **changes)
        task = next(one for one in self.tasks if one.id == task_id)
        now_s = time.monotonic()
        if task.finished or now_s - self._last_line_s >= LINE_S:
            self._last_line_s = now_s
            print(f"{task.description}: {task.completed:.0f} of {task.total:.0f}", file=sys.stderr, flush=True)


def progress_bar() -> Progress:
    """A progress bar on stderr; lines where it is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console) if console.is_terminal else PlainProgress()

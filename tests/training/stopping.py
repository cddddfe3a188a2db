"""Stops a training run, as a kill does."""

from collections.abc import Callable


class StoppedError(Exception):
    """The run was stopped."""


def stop_after(last_step: int) -> Callable[[int, int], None]:
    """For `on_step`: stops a run during the step after `last_step`. Its settings need `checkpoint_s=0`."""

    def on_step(step: int, end: int) -> None:
        if step > last_step:
            raise StoppedError

    return on_step

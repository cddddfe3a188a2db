"""Child processes that do not outlive their parent."""

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1  # of prctl(2)


def end_with_parent(signal_number: int = signal.SIGTERM) -> None:
    """Have the kernel send this process a signal when its parent ends, however it ends.

    Without it, a service whose supervisor was killed keeps its port and its memory. Only Linux has it; elsewhere
    nothing is done.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal_number)

"""Where and when something was measured: what every figure travels with."""

import os
import re
from pathlib import Path
from typing import Any

import psutil

from training.evaluation.evaluate import circumstances

BUSY_LOAD = 0.4 * len(os.sched_getaffinity(0))  # processes that wanted to run, on average over the last minute


def surroundings() -> dict[str, Any]:
    """To be asked before anything is started: it tells how busy the machine was."""
    load_average = os.getloadavg()[0]
    return {
        **circumstances(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": psutil.virtual_memory().total / 1e9,
        "load_average": load_average,
        "busy": load_average > BUSY_LOAD,
    }


def _processor() -> str:
    found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    return found[1].strip() if found else "unknown processor"

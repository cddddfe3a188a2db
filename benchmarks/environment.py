"""Describe the machine, date and commit of a measurement, for the pages that report it."""

import os
import re
from pathlib import Path
from typing import Any

import psutil

from training.evaluation.evaluate import provenance

BUSY_LOAD_AVERAGE = 0.4 * len(os.sched_getaffinity(0))  # runnable processes, averaged over the last minute


def describe_environment() -> dict[str, Any]:
    """Return date, commit, machine and load average. Call it before the benchmark starts anything."""
    load_average = os.getloadavg()[0]
    return {
        **provenance(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": psutil.virtual_memory().total / 1e9,
        "load_average": load_average,
        "busy": load_average > BUSY_LOAD_AVERAGE,
    }


def _processor() -> str:
    found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    return found[1].strip() if found else "unknown processor"

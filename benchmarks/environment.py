"""Describe the machine, date and commit of a measurement, for the pages that report it."""

import os
import re
from pathlib import Path
from typing import Any

import psutil

from training.evaluation.evaluate import provenance

# Flags of /proc/cpuinfo that decide how long a page takes; see docextract.processors.
FEATURES = {"amx_bf16": "AMX", "avx512_bf16": "bfloat16", "avx512f": "AVX-512", "avx2": "AVX2"}
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
    return describe_processor(Path("/proc/cpuinfo").read_text(encoding="utf-8"))


def describe_processor(cpuinfo: str) -> str:
    """Return a processor's name and the instructions that speed depends on most. cpuinfo: text of /proc/cpuinfo."""
    name = re.search(r"^model name\s*: (.+)$", cpuinfo, re.M)
    flags = re.search(r"^flags\s*: (.+)$", cpuinfo, re.M)
    given = set(flags[1].split()) if flags else set()
    features = [label for flag, label in FEATURES.items() if flag in given] or ["no AVX2"]
    return f"{name[1].strip() if name else 'unknown processor'} with {' and '.join(features)}"

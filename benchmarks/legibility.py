"""Measure how much time the legibility map adds to the assessment of a live preview frame.

    python -m benchmarks.legibility WITHOUT_WEIGHTS WITH_WEIGHTS

Both networks assess the same frame in turns, on one thread, in one run: a busy machine slows both alike. The ratio of
their medians is the result; an interval is from a bootstrap over the pairs.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from docextract.images.geometry import FRAME_PX, Glimpse, take_glimpse
from docextract.quality.assessor import Assessor

WARM_UP_PAIRS, BOOTSTRAP_DRAWS = 10, 2000


def time_pairs(first: Assessor, second: Assessor, glimpse: Glimpse, pairs: int) -> np.ndarray:
    """Assess a frame with both in turns. returns: seconds, [pairs, 2]; the first pairs are not counted."""
    seconds = np.zeros((WARM_UP_PAIRS + pairs, 2))
    for pair in range(len(seconds)):
        for column, assessor in enumerate((first, second)):
            started = time.perf_counter()
            assessor.assess([glimpse])
            seconds[pair, column] = time.perf_counter() - started
    return seconds[WARM_UP_PAIRS:]


def summarize_pairs(seconds: np.ndarray, seed: int = 0) -> dict[str, Any]:
    """Medians in ms and the ratio of the second to the first, with a 95 % interval. seconds: [pairs, 2]."""
    drawn = np.random.default_rng(seed).integers(len(seconds), size=(BOOTSTRAP_DRAWS, len(seconds)))
    medians = np.median(seconds[drawn], axis=1)  # [BOOTSTRAP_DRAWS, 2]
    first, second = np.median(seconds, axis=0)
    low, high = np.percentile(medians[:, 1] / medians[:, 0], [2.5, 97.5])
    return {
        "without_ms": round(1000 * float(first), 2),
        "with_ms": round(1000 * float(second), 2),
        "ratio": round(float(second / first), 3),
        "interval": [round(float(low), 3), round(float(high), 3)],
        "pairs": len(seconds),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("without", type=Path, metavar="WITHOUT_WEIGHTS")
    parser.add_argument("with_map", type=Path, metavar="WITH_WEIGHTS")
    parser.add_argument("--pairs", type=int, default=300)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    frame = np.random.default_rng(0).integers(0, 256, (FRAME_PX, FRAME_PX * 3 // 4, 3)).astype(np.uint8)
    assessors = [Assessor.load(weights) for weights in (options.without, options.with_map)]
    print(json.dumps(summarize_pairs(time_pairs(*assessors, take_glimpse(frame), options.pairs)), indent=1))


if __name__ == "__main__":
    main()

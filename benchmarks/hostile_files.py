"""Thousands of damaged files through the HTTP layer in this process: every answer by its status, the slowest one, and
what memory was held before and after. Fails where an answer is none of the contract, or where memory grows.

The models are plain Python, so what is tried is everything that a stranger's bytes reach before them. Each run draws
its own files; the seed that is printed draws them again.
"""

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import httpx
import psutil

from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.pipeline.models import ExtractionTask
from docextract.predictions import PagePrediction
from docextract.settings import Settings
from tests.http.conftest import PlainModels, version
from tests.images import hostile_files

WARM_UP = 500  # files before memory is looked at: libraries fetch what they keep with the first of each kind
MOST_GROWTH_MB = 20
MOST_MS = 20_000  # a helper may take ten seconds of a processor, and this machine may be busy
_FORMS = ("/validation", "/extraction")


class _Forgetful(PlainModels):
    """Does not keep what it was asked."""

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        return [self.found(task) for task in tasks]


@dataclass(frozen=True)
class Figures:
    """What came of them."""

    inputs: int
    seed: int
    statuses: dict[str, int]  # by status and code
    slowest_ms: int
    rss_start_mb: float  # of this process, after the warm-up
    rss_end_mb: float

    @property
    def faults(self) -> list[str]:
        """What broke a promise."""
        unknown = [name for name in self.statuses if name.split()[0] not in ("200", "422", "413")]
        grown_mb = self.rss_end_mb - self.rss_start_mb
        return [
            *(f"{self.statuses[name]} files were answered {name}" for name in unknown),
            *([f"memory grew by {grown_mb:.0f} MB"] if grown_mb > MOST_GROWTH_MB else []),
            *([f"an answer took {self.slowest_ms} ms"] if self.slowest_ms > MOST_MS else []),
        ]


async def measure(inputs: int, seed: int, warm_up: int = WARM_UP) -> Figures:
    """Send so many files, one after the other, and before them some that are not counted."""
    served = {name: version(name) for name in ("quality", "extraction")}
    app = create_app(_Forgetful(), Settings(), served)
    edge = ErrorContractMiddleware(app, paths(app), Settings().max_request_bytes)
    transport = httpx.ASGITransport(edge, raise_app_exceptions=False)
    files = [*hostile_files.sound().values(), *hostile_files.malicious().values()]
    rng = Random(seed)
    statuses: Counter[str] = Counter()
    slowest_s = 0.0
    async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=None) as client:
        for number in range(warm_up + inputs):
            if number == warm_up:
                start_mb, slowest_s = _rss_mb(), 0.0
                statuses.clear()
            data = hostile_files.damaged(rng, files)
            begun_s = time.perf_counter()
            answer = await client.post(rng.choice(_FORMS), files={"images": ("file", data)})
            slowest_s = max(slowest_s, time.perf_counter() - begun_s)
            statuses[f"{answer.status_code} {answer.json().get('code', '')}".strip()] += 1
    return Figures(inputs, seed, dict(statuses.most_common()), round(slowest_s * 1000), start_mb, _rss_mb())


def _rss_mb() -> float:
    return round(psutil.Process().memory_info().rss / 1e6, 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures as JSON, and keep them."""
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n\n")[0] if __doc__ else None,
        epilog="python -m benchmarks.hostile_files --inputs 5000",
    )
    parser.add_argument("--inputs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=None, help="of an earlier run")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz.json"))
    options = parser.parse_args(arguments)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    figures = asyncio.run(measure(options.inputs, seed))
    written = json.dumps(asdict(figures), indent=1)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(written + "\n", encoding="utf-8")
    print(written)
    for fault in figures.faults:
        print(fault, file=sys.stderr)
    return 1 if figures.faults else 0


if __name__ == "__main__":
    sys.exit(main())

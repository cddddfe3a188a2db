"""Send thousands of damaged files through the HTTP layer in this process, and check every answer.

Reports the answers by status, the slowest answer, and memory before and after. Fails if a status is not part of the
API's contract, or if memory grows. The models are plain Python, so the test covers all code that untrusted bytes
reach before the models. Each run draws different files; the printed seed reproduces them.
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

WARM_UP = 500  # files before memory is measured: libraries fill their caches with the first files of each kind
MAX_GROWTH_MB = 20
MAX_ANSWER_MS = 20_000  # the sandboxed decoder may use 10 s of CPU time, and the machine may be busy
_ROUTES = ("/validation", "/extraction")


class _StatelessModels(PlainModels):
    """Models that do not record their calls, so that memory stays flat."""

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        return [self.found(task) for task in tasks]


@dataclass(frozen=True)
class HostileFileResult:
    """Result of a run."""

    inputs: int
    seed: int
    statuses: dict[str, int]  # by status and code
    slowest_ms: int
    rss_start_mb: float  # of this process, after the warm-up
    rss_end_mb: float

    @property
    def violations(self) -> list[str]:
        """Descriptions of all violations; empty if there are none."""
        unknown = [name for name in self.statuses if name.split()[0] not in ("200", "422", "413")]
        growth_mb = self.rss_end_mb - self.rss_start_mb
        return [
            *(f"{self.statuses[name]} files were answered {name}" for name in unknown),
            *([f"memory grew by {growth_mb:.0f} MB"] if growth_mb > MAX_GROWTH_MB else []),
            *([f"an answer took {self.slowest_ms} ms"] if self.slowest_ms > MAX_ANSWER_MS else []),
        ]


async def measure(inputs: int, seed: int, warm_up: int = WARM_UP) -> HostileFileResult:
    """Send damaged files, one after another; the first `warm_up` files are not counted."""
    served = {name: version(name) for name in ("quality", "extraction")}
    app = create_app(_StatelessModels(), Settings(), served)
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
            answer = await client.post(rng.choice(_ROUTES), files={"images": ("file", data)})
            slowest_s = max(slowest_s, time.perf_counter() - begun_s)
            statuses[f"{answer.status_code} {answer.json().get('code', '')}".strip()] += 1
    return HostileFileResult(inputs, seed, dict(statuses.most_common()), round(slowest_s * 1000), start_mb, _rss_mb())


def _rss_mb() -> float:
    return round(psutil.Process().memory_info().rss / 1e6, 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print and save the result as JSON; return 1 if there are violations."""
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n\n")[0] if __doc__ else None,
        epilog="python -m benchmarks.hostile_files --inputs 5000",
    )
    parser.add_argument("--inputs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=None, help="seed of an earlier run; random by default")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz.json"))
    options = parser.parse_args(arguments)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    result = asyncio.run(measure(options.inputs, seed))
    text = json.dumps(asdict(result), indent=1)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text + "\n", encoding="utf-8")
    print(text)
    for fault in result.violations:
        print(fault, file=sys.stderr)
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())

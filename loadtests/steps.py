"""Run load steps with more and more users, and write docs/load.md: latency, throughput and refusals.

    python -m loadtests.steps --locust build/loadtest/bin/locust [--out docs/load.md] [--seconds 30] [--users 1 2 4]

Runs a service on the promoted models twice, with batching across requests and without. In each run, locust's users
(loadtests/locustfile.py) send requests in steps of growing numbers. Writes the page, its plot, and locust's own tables
in results/ next to this file.
"""

import argparse
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.environment import describe_environment
from benchmarks.service_process import ROOT, running_service
from benchmarks.throughput import encode_photo, parse_batch_counts, photo_pixels
from training.evaluation import plots
from training.evaluation.plots import Axis, Line

HERE = Path(__file__).parent
USER_COUNTS = (1, 2, 4, 8, 16, 32, 64)
STEP_S = 30.0
STOP_TIMEOUT_S = 90  # for requests in flight at the end of a step
BATCHING: Mapping[str, Mapping[str, str]] = {
    "on": {},
    "off": {"DOCEXTRACT_QUALITY_BATCH": "1", "DOCEXTRACT_EXTRACTION_BATCH": "1"},
}
PHOTO_COUNT = 16
TEMPLATE = "load.md.j2"
PERCENTILES = ("50%", "95%", "99%")


@dataclass(frozen=True)
class RequestStats:
    """Locust's statistics of one request name in a step."""

    count: int
    failures: int
    latency_ms: Mapping[str, float]  # by percentile


@dataclass(frozen=True)
class LoadStep:
    """A step: a number of users, for a period."""

    batching: str
    users: int
    seconds: float  # until its last request was answered
    stats_by_name: Mapping[
        str, RequestStats
    ]  # by request name: an operation's path, followed by ", refused" or ", broken" for these kinds
    mean_batch_size: Mapping[str, float]  # by model

    def count(self, name: str) -> int:
        """Return the number of requests with this name."""
        return self.stats_by_name[name].count if name in self.stats_by_name else 0

    def latency_ms(self, name: str, percentile: str) -> float | None:
        """Return a latency percentile in ms; None without such requests."""
        return self.stats_by_name[name].latency_ms[percentile] if name in self.stats_by_name else None

    @property
    def failures(self) -> int:
        """Wrong answers and requests without an answer, of all kinds."""
        return sum(stats.failures for stats in self.stats_by_name.values())


def write_pictures(folder: Path) -> None:
    """Write good, bad and broken pictures to folders of these names; always the same."""
    for index, photo in enumerate(photo_pixels(PHOTO_COUNT)):
        good = encode_photo(photo).jpeg
        bad_photo = cv2.GaussianBlur(photo, (0, 0), 0.01 * max(photo.shape[:2])) // 3  # out of focus, in the dark
        bad = encode_photo(np.ascontiguousarray(bad_photo)).jpeg
        kinds = {"good": good, "bad": bad, "broken": good[: len(good) // 3]}
        for kind, data in kinds.items():
            (folder / kind).mkdir(parents=True, exist_ok=True)
            (folder / kind / f"{index:02}.jpg").write_bytes(data)


def run_steps(locust: Path, pictures: Path, users: Sequence[int], seconds: float) -> Iterator[LoadStep]:
    """Yield the results of all steps with batching, then of all steps without."""
    for batching, settings in BATCHING.items():
        with running_service(settings) as service, httpx.Client(base_url=service.address, timeout=60) as client:
            for count in users:
                before = parse_batch_counts(client.get("/metrics").text)
                stats_by_name, step_s = _run_locust(
                    locust, service.address, pictures, count, seconds, f"batching_{batching}_{count}"
                )
                after = parse_batch_counts(client.get("/metrics").text)
                yield LoadStep(batching, count, step_s, stats_by_name, _mean_batch_sizes(before, after))


def _run_locust(
    locust: Path, address: str, pictures: Path, users: int, seconds: float, name: str
) -> tuple[dict[str, RequestStats], float]:
    (HERE / "results").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [str(locust), "--locustfile", str(HERE / "locustfile.py"), "--host", address, "--headless"]
        command += ["--users", str(users), "--spawn-rate", str(users), "--run-time", f"{seconds:g}s"]
        command += ["--stop-timeout", str(STOP_TIMEOUT_S), "--csv", f"{folder}/run", "--only-summary"]
        # Locust exits with 1 if some requests failed: these are counted below.
        environment = {**os.environ, "LOADTEST_PICTURES": str(pictures)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"locust ended with {done.returncode}: {done.stderr[-2000:]}")
        stats = Path(folder, "run_stats.csv").read_text(encoding="utf-8")
        exceptions = Path(folder, "run_exceptions.csv").read_text(encoding="utf-8").splitlines()
        failures = Path(folder, "run_failures.csv").read_text(encoding="utf-8")
    (HERE / "results" / f"{name}.csv").write_text(stats, encoding="utf-8")
    if len(exceptions) > 1:
        raise RuntimeError(f"loadtests/locustfile.py raised an exception: {exceptions[1]}")
    if failures.count("\n") > 1:
        print(failures, file=sys.stderr)
    rows_by_name = {row["Name"]: row for row in csv.DictReader(stats.splitlines())}
    total = rows_by_name.pop("Aggregated")
    step_s = int(total["Request Count"]) / float(total["Requests/s"])
    return {name: _parse_row(row) for name, row in rows_by_name.items()}, step_s


def _parse_row(row: Mapping[str, str]) -> RequestStats:
    latency_ms = {name: float(row[name]) for name in PERCENTILES}
    return RequestStats(int(row["Request Count"]), int(row["Failure Count"]), latency_ms)


def _mean_batch_sizes(
    before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    increases = {model: np.subtract(after[model], before.get(model, (0.0, 0.0))) for model in after}
    return {model: float(items / count) for model, (items, count) in increases.items() if count}


def plot(results: Sequence[LoadStep]) -> str:
    """Plot the latency of accepted requests over the number of users, as SVG."""
    lines = [
        Line([(step.users, latency_ms / 1000) for step in results if step.batching == batching
              and (latency_ms := step.latency_ms("/extraction", percentile)) is not None],
             f"p{percentile[:-1]}, batching {batching}", dotted=True)
        for batching in BATCHING for percentile in PERCENTILES
    ]  # fmt: skip
    max_s = max((y for line in lines for _, y in line.points), default=1.0)
    max_users = max(step.users for step in results)
    return plots.svg(Axis("users", 0, max_users, "g"), Axis("latency of /extraction, s", 0, max_s, ".1f"), lines)


def write(out: Path, results: Sequence[LoadStep], run_info: Mapping[str, Any]) -> None:
    """Write the page, and its plot next to it."""
    environment = Environment(
        loader=FileSystemLoader(HERE), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    image = out.parent / "images" / f"{out.stem}.svg"
    image.parent.mkdir(exist_ok=True)
    image.write_text(plot(results), encoding="utf-8")
    page = environment.get_template(TEMPLATE).render(steps=results, run_info=run_info, image=f"images/{image.name}")
    out.write_text(page, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locust", type=Path, required=True, help="the locust program, from its own environment")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "load.md")
    parser.add_argument("--pictures", type=Path, default=ROOT / "build" / "loadtest" / "pictures")
    parser.add_argument("--seconds", type=float, default=STEP_S, help=f"length of each step ({STEP_S:g})")
    parser.add_argument("--users", type=int, nargs="+", default=USER_COUNTS)
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service is stopped, too
    run_info = {**describe_environment(), "seconds": options.seconds}
    write_pictures(options.pictures)
    shutil.rmtree(HERE / "results", ignore_errors=True)  # remove results of earlier runs
    results = []
    for step in run_steps(options.locust, options.pictures, options.users, options.seconds):
        results.append(step)
        counts = ", ".join(f"{name} {stats.count}" for name, stats in step.stats_by_name.items())
        print(f"batching {step.batching:3} {step.users:3} users: {counts}; {step.failures} failed", flush=True)
    write(options.out, results, run_info)
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()

"""More and more users, until the service can do no more: what they wait for, and what they are told.

    python -m loadtests.steps --locust build/loadtest/bin/locust [--out docs/load.md] [--seconds 30] [--users 1 2 4]

Starts a service on the promoted models twice, with requests of many users in one batch and with each by itself, and
sends locust's users (loadtests/locustfile.py) at it in steps. Writes the page, its plot, and locust's own tables
beside this file, in results/.
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

from benchmarks.service_process import ROOT, started
from benchmarks.environment import surroundings
from benchmarks.throughput import batches, photographs, picture
from training.evaluation import plots
from training.evaluation.plots import Axis, Line

HERE = Path(__file__).parent
USERS = (1, 2, 4, 8, 16, 32, 64)
SECONDS = 30.0
STOP_WITHIN_S = 90  # for requests under way, at the end of a step
BATCHING: Mapping[str, Mapping[str, str]] = {
    "on": {},
    "off": {"DOCEXTRACT_QUALITY_BATCH": "1", "DOCEXTRACT_EXTRACTION_BATCH": "1"},
}
PHOTOGRAPHS = 16
TEMPLATE = "load.md.j2"
PERCENTILES = ("50%", "95%", "99%")


@dataclass(frozen=True)
class Row:
    """What locust says of one kind of request in a step."""

    count: int
    failures: int
    took_ms: Mapping[str, float]  # by percentile


@dataclass(frozen=True)
class Step:
    """So many users for a while."""

    batching: str
    users: int
    seconds: float  # until the last request of it was answered
    rows: Mapping[str, Row]  # by name: an operation's path, with ", refused" or ", broken" behind it
    pages_a_batch: Mapping[str, float]  # by model

    def count(self, name: str) -> int:
        """Requests of this name."""
        return self.rows[name].count if name in self.rows else 0

    def took_ms(self, name: str, percentile: str) -> float | None:
        """None where there were none."""
        return self.rows[name].took_ms[percentile] if name in self.rows else None

    @property
    def failures(self) -> int:
        """Of all kinds: answers that are not what they should be, and requests without any."""
        return sum(row.failures for row in self.rows.values())


def write_pictures(folder: Path) -> None:
    """Good, bad and broken ones, always the same."""
    for index, photo in enumerate(photographs(PHOTOGRAPHS)):
        good = picture(photo).jpeg
        spoilt = cv2.GaussianBlur(photo, (0, 0), 0.01 * max(photo.shape[:2])) // 3  # out of focus, in the dark
        kinds = {"good": good, "bad": picture(np.ascontiguousarray(spoilt)).jpeg, "broken": good[: len(good) // 3]}
        for kind, data in kinds.items():
            (folder / kind).mkdir(parents=True, exist_ok=True)
            (folder / kind / f"{index:02}.jpg").write_bytes(data)


def steps(locust: Path, pictures: Path, users: Sequence[int], seconds: float) -> Iterator[Step]:
    """All users with batches, then all without."""
    for batching, settings in BATCHING.items():
        with started(settings) as service, httpx.Client(base_url=service.address, timeout=60) as client:
            for count in users:
                before = batches(client.get("/metrics").text)
                rows, took_s = _run(locust, service.address, pictures, count, seconds, f"batching_{batching}_{count}")
                after = batches(client.get("/metrics").text)
                yield Step(batching, count, took_s, rows, _pages_a_batch(before, after))


def _run(
    locust: Path, address: str, pictures: Path, users: int, seconds: float, name: str
) -> tuple[dict[str, Row], float]:
    (HERE / "results").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [str(locust), "--locustfile", str(HERE / "locustfile.py"), "--host", address, "--headless"]
        command += ["--users", str(users), "--spawn-rate", str(users), "--run-time", f"{seconds:g}s"]
        command += ["--stop-timeout", str(STOP_WITHIN_S), "--csv", f"{folder}/run", "--only-summary"]
        # 1 is locust's way to say that some requests failed: they are counted below.
        environment = {**os.environ, "LOADTEST_PICTURES": str(pictures)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"locust ended with {done.returncode}: {done.stderr[-2000:]}")
        stats = Path(folder, "run_stats.csv").read_text(encoding="utf-8")
        exceptions = Path(folder, "run_exceptions.csv").read_text(encoding="utf-8").splitlines()
        failures = Path(folder, "run_failures.csv").read_text(encoding="utf-8")
    (HERE / "results" / f"{name}.csv").write_text(stats, encoding="utf-8")
    if len(exceptions) > 1:
        raise RuntimeError(f"loadtests/locustfile.py stumbled: {exceptions[1]}")
    if failures.count("\n") > 1:
        print(failures, file=sys.stderr)
    found = {row["Name"]: row for row in csv.DictReader(stats.splitlines())}
    total = found.pop("Aggregated")
    return {name: _row(row) for name, row in found.items()}, int(total["Request Count"]) / float(total["Requests/s"])


def _row(row: Mapping[str, str]) -> Row:
    took_ms = {name: float(row[name]) for name in PERCENTILES}
    return Row(int(row["Request Count"]), int(row["Failure Count"]), took_ms)


def _pages_a_batch(
    before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    gained = {model: np.subtract(after[model], before.get(model, (0.0, 0.0))) for model in after}
    return {model: float(items / count) for model, (items, count) in gained.items() if count}


def plot(found: Sequence[Step]) -> str:
    """What accepted requests wait for, against users."""
    lines = [
        Line([(step.users, took_ms / 1000) for step in found if step.batching == batching
              and (took_ms := step.took_ms("/extraction", percentile)) is not None],
             f"{percentile[:-1]} in 100, {batching}", dotted=True)
        for batching in BATCHING for percentile in PERCENTILES
    ]  # fmt: skip
    most_s = max((y for line in lines for _, y in line.points), default=1.0)
    most_users = max(step.users for step in found)
    return plots.svg(
        Axis("users", 0, most_users, "g"), Axis("seconds until /extraction answers", 0, most_s, ".1f"), lines
    )


def write(out: Path, found: Sequence[Step], about: Mapping[str, Any]) -> None:
    """The page, and its plot beside it."""
    environment = Environment(
        loader=FileSystemLoader(HERE), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    image = out.parent / "images" / f"{out.stem}.svg"
    image.parent.mkdir(exist_ok=True)
    image.write_text(plot(found), encoding="utf-8")
    page = environment.get_template(TEMPLATE).render(steps=found, about=about, image=f"images/{image.name}")
    out.write_text(page, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locust", type=Path, required=True, help="its program, from an environment of its own")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "load.md")
    parser.add_argument("--pictures", type=Path, default=ROOT / "build" / "loadtest" / "pictures")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of each step; {SECONDS:g} if not given")
    parser.add_argument("--users", type=int, nargs="+", default=USERS)
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service is ended, too
    about = {**surroundings(), "seconds": options.seconds}
    write_pictures(options.pictures)
    shutil.rmtree(HERE / "results", ignore_errors=True)  # of other steps
    found = []
    for step in steps(options.locust, options.pictures, options.users, options.seconds):
        found.append(step)
        counts = ", ".join(f"{name} {row.count}" for name, row in step.rows.items())
        print(f"batching {step.batching:3} {step.users:3} users: {counts}; {step.failures} failed", flush=True)
    write(options.out, found, about)
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()

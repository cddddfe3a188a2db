"""Compare the throughput of `docextract bulk` with that of `docextract extract` on the same pages.

    python -m benchmarks.bulk [--photographs 16] [--rounds 3] [--workers N]

Both run here, one after the other, on the promoted models and the same synthetic photos. `extract` is one process with
one thread for each core; `bulk` is one process for each core, with one thread each.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environment import BUSY_LOAD_AVERAGE
from benchmarks.throughput import encode_photo, photo_pixels
from docextract.bulk import running
from docextract.bulk.output import OutputFolder
from docextract.cli.running import LOCAL_CONCURRENCY
from docextract.serving import local
from docextract.settings import Settings
from training.evaluation.evaluate import provenance

MODELS_DIR = Path(__file__).resolve().parents[1] / "models"


@dataclass(frozen=True)
class CommandTiming:
    """Timing of one command."""

    pages: int
    first_answer_s: float  # until the first answer, loading of the models included
    total_s: float  # from start to end of the command

    @property
    def steady_pages_per_s(self) -> float:
        """Throughput after the first answer, as in a run of a million pages."""
        return (self.pages - 1) / (self.total_s - self.first_answer_s)


def time_extract(scans_folder: Path, settings: Settings) -> CommandTiming:
    """Time what `docextract extract` does."""
    start = time.perf_counter()
    models = local.LocalModels(MODELS_DIR, settings.device)
    files = sorted(scans_folder.iterdir())
    with local.client(models, settings) as client:
        finished_s = [
            time.perf_counter() - start for outcome in client.extract_many(files, LOCAL_CONCURRENCY) if outcome.answer
        ]
    return CommandTiming(len(files), finished_s[0], finished_s[-1])


def time_bulk(scans_folder: Path, answers_folder: Path, settings: Settings, workers: int | None) -> CommandTiming:
    """Time what `docextract bulk` does. Raises RuntimeError if a page is missing."""
    start = time.perf_counter()
    inputs, outputs = str(scans_folder), str(answers_folder)
    plan = running.make_plan(inputs, outputs, "parquet", {}, settings, MODELS_DIR, settings.device)
    finished_s = [(time.perf_counter() - start, done.files) for done in running.run_plan(plan, workers)]
    rows = list(OutputFolder(outputs, "parquet").rows())
    if [row["path"] for row in rows if row["status"] != 200] or len(rows) != len(plan.names):
        raise RuntimeError(f"{len(rows)} rows for {len(plan.names)} pages")
    first_s, first_pages = finished_s[0]
    # The pages of the first part arrive at once; the steady rate starts as if only one of them had arrived then.
    return CommandTiming(len(rows) - first_pages + 1, first_s, finished_s[-1][0])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3, help="how often each photo is read (3)")
    parser.add_argument("--workers", type=int, help="number of processes; one for each core by default")
    options = parser.parse_args(arguments)
    load_average = os.getloadavg()[0]
    if load_average > BUSY_LOAD_AVERAGE:
        print(f"this machine is busy (load average {load_average:.1f}): the ratio is unreliable", file=sys.stderr)
    settings = Settings()
    with tempfile.TemporaryDirectory() as folder:
        scans_folder = Path(folder, "scans")
        scans_folder.mkdir()
        for number, photo in enumerate(photo_pixels(options.photographs)):
            for round_number in range(options.rounds):
                (scans_folder / f"{round_number}-{number:04}.jpg").write_bytes(encode_photo(photo).jpeg)
        extract_timing = time_extract(scans_folder, settings)
        bulk_timing = time_bulk(scans_folder, Path(folder, "answers"), settings, options.workers)
    info = provenance()
    print(f"{info['date']}, commit {info['commit']}, {info['machine']}, {len(os.sched_getaffinity(0))} cores")
    for name, timing in (("extract", extract_timing), ("bulk", bulk_timing)):
        print(
            f"{name:8} {timing.steady_pages_per_s:6.2f} pages/s after the first answer,"
            f" which took {timing.first_answer_s:.1f} s"
        )
    print(f"bulk / extract  {bulk_timing.steady_pages_per_s / extract_timing.steady_pages_per_s:.2f}")


if __name__ == "__main__":
    main()

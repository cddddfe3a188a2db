"""How many pages a second `docextract bulk` answers, beside the plain loop of `docextract extract` on the same pages.

    python -m benchmarks.bulk [--photographs 16] [--rounds 3] [--workers N]

Both run here, one after the other, on the promoted models and synthetic photographs, always the same. The loop is one
process with a thread for each core; bulk is a process for each core with one thread each.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.throughput import BUSY_LOAD, photographs, picture
from docextract.bulk import running
from docextract.bulk.output import Output
from docextract.cli.running import LOCAL_CONCURRENCY
from docextract.serving import local
from docextract.settings import Settings
from training.evaluation.evaluate import circumstances

MODELS_DIR = Path(__file__).resolve().parents[1] / "models"


@dataclass(frozen=True)
class Rate:
    """Of one way to answer."""

    pages: int
    start_s: float  # until the first answer was there, the models' loading included
    whole_s: float  # from the call of the command to its end

    @property
    def at_work(self) -> float:
        """Pages a second after the first answer, as on a million pages."""
        return (self.pages - 1) / (self.whole_s - self.start_s)


def loop(scans: Path, settings: Settings) -> Rate:
    """What `docextract extract` does."""
    start = time.perf_counter()
    models = local.LocalModels(MODELS_DIR, settings.device)
    files = sorted(scans.iterdir())
    with local.client(models, settings) as client:
        ends = [time.perf_counter() - start for one in client.extract_many(files, LOCAL_CONCURRENCY) if one.answer]
    return Rate(len(files), ends[0], ends[-1])


def bulk(scans: Path, answers: Path, settings: Settings, workers: int | None) -> Rate:
    """What `docextract bulk` does. Raises RuntimeError if it lost a page."""
    start = time.perf_counter()
    plan = running.plan(str(scans), str(answers), "parquet", {}, settings, MODELS_DIR, settings.device)
    ends = [(time.perf_counter() - start, done.files) for done in running.work(plan, workers)]
    rows = list(Output(str(answers), "parquet").rows())
    if [row["path"] for row in rows if row["status"] != 200] or len(rows) != len(plan.names):
        raise RuntimeError(f"{len(rows)} rows for {len(plan.names)} pages")
    first_s, first_pages = ends[0]
    # Pages of the first part came at once; the clock begins as if one of them had come last.
    return Rate(len(rows) - first_pages + 1, first_s, ends[-1][0])


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", type=int, default=16)
    parser.add_argument(
        "--rounds", type=int, default=3, help="each photograph is answered so many times; 3 if not said"
    )
    parser.add_argument("--workers", type=int, help="a process for each core if not said")
    options = parser.parse_args(arguments)
    load_average = os.getloadavg()[0]
    if load_average > BUSY_LOAD:
        print(f"this machine is busy (load average {load_average:.1f}): the ratio is worth little", file=sys.stderr)
    settings = Settings()
    with tempfile.TemporaryDirectory() as folder:
        scans = Path(folder, "scans")
        scans.mkdir()
        for number, photo in enumerate(photographs(options.photographs)):
            for turn in range(options.rounds):
                (scans / f"{turn}-{number:04}.jpg").write_bytes(picture(photo).jpeg)
        one = loop(scans, settings)
        many = bulk(scans, Path(folder, "answers"), settings, options.workers)
    about = circumstances()
    print(f"{about['date']}, commit {about['commit']}, {about['machine']}, {len(os.sched_getaffinity(0))} cores")
    for name, rate in (("loop", one), ("bulk", many)):
        print(f"{name}  {rate.at_work:6.2f} pages/s at work; first answer after {rate.start_s:.1f} s")
    print(f"bulk / loop  {many.at_work / one.at_work:.2f}")


if __name__ == "__main__":
    main()

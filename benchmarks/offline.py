"""Pages a second without HTTP: ours, and stock readers with rules, on the same labelled photographs.

    python -m benchmarks.offline CONTENDER FOLDER    one JSON line; CONTENDER is a name of CONTENDERS

Each runs in a process of its own, so that its CPU time and its memory are its own. All may use every core: ours by its
threads, the others by one reader for each core. What they say is compared with the labels, so nobody is fast by being
careless.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.service_process import ROOT
from docextract.client import Client
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from training.datasets import LabelledPage, labelled_folder, pictures
from training.evaluation import peers
from training.evaluation.evaluate import evaluate

AT_ONCE = 8  # pictures of a request, as the service batches them
CORES = len(os.sched_getaffinity(0))
WITHIN_S = 600.0

Body = dict[str, Any]  # as /extraction answers
Work = Callable[[Sequence[LabelledPage]], tuple[list[Body], list[float]]]  # in order; and seconds for each page


@dataclass(frozen=True)
class Contender:
    """One way from photographs to fields."""

    label: str
    start: Callable[[], AbstractContextManager[Work]]


@dataclass(frozen=True)
class Ran:
    """What came of one. Seconds are the machine's; CPU seconds those of all cores together."""

    label: str
    pages: int
    seconds: float
    cpu_s: float
    median_s: float  # that a page takes, from its file to its fields
    peak_mb: float
    start_s: float  # until the first page is answered
    right: float  # share of the values that both we and the rules look for, exactly right

    @property
    def per_second(self) -> float:
        """Pages."""
        return self.pages / self.seconds

    @property
    def cpu_s_a_page(self) -> float:
        """Of all cores together."""
        return self.cpu_s / self.pages


@contextmanager
def _ours(at_once: int) -> Iterator[Work]:
    """The service's own steps and models, in this process."""
    import torch

    torch.set_num_threads(CORES)
    models = LocalModels(ROOT / "models")
    models.load("quality", "extraction")
    with local.client(models, Settings(max_request_bytes=250_000_000)) as client:
        yield lambda pages: _asked(client, pages, at_once)


def _asked(client: Client, pages: Sequence[LabelledPage], at_once: int) -> tuple[list[Body], list[float]]:
    bodies: list[Body] = []
    seconds: list[float] = []
    for start in range(0, len(pages), at_once):
        some = [page.image for page in pages[start : start + at_once]]
        begun = time.perf_counter()
        answer = client.extract(*some).model_dump(mode="json", exclude_unset=True)
        seconds += [(time.perf_counter() - begun) / len(some)] * len(some)
        bodies += [{"documents": [document]} for document in answer["documents"]]
    return bodies, seconds


@contextmanager
def _peer(name: str) -> Iterator[Work]:
    """A reader and rules, one for each core; the rules are told what the page is."""
    own = threading.local()

    def answer(page: LabelledPage) -> tuple[Body, float]:
        begun = time.perf_counter()
        if not hasattr(own, "read"):
            own.read = peers.readers()[name]
        body = peers.answer(page.type, own.read(pictures.load(page.image)))
        return body, time.perf_counter() - begun

    with ThreadPoolExecutor(CORES) as pool:

        def work(pages: Sequence[LabelledPage]) -> tuple[list[Body], list[float]]:
            answered = list(pool.map(answer, pages))
            return [body for body, _ in answered], [seconds for _, seconds in answered]

        yield work


CONTENDERS: Mapping[str, Contender] = {
    "batches": Contender(f"docextract, {AT_ONCE} photographs at once", lambda: _ours(AT_ONCE)),
    "one": Contender("docextract, one photograph after another", lambda: _ours(1)),
    "rapidocr": Contender("RapidOCR as it comes + rules", lambda: _peer("rapidocr")),
    "tesseract": Contender("Tesseract + rules", lambda: _peer("tesseract")),
}


def available() -> list[str]:
    """Those that this machine has, ours first."""
    return [name for name in CONTENDERS if name in ("batches", "one") or name in peers.available()]


def measure(name: str, folder: Path) -> Ran:
    """In a process of its own. Raises RuntimeError if that fails."""
    command = [sys.executable, "-m", "benchmarks.offline", name, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1:]}")
    return Ran(**json.loads(done.stdout.splitlines()[-1]))


def run(name: str, pages: Sequence[LabelledPage]) -> Ran:
    """In this process; once through all pages to get warm, and once by the clock."""
    begun = time.perf_counter()
    with CONTENDERS[name].start() as work:
        work(pages[:1])
        start_s = time.perf_counter() - begun
        work(pages)
        cpu_before, begun = _cpu_s(), time.perf_counter()
        bodies, seconds = work(pages)
        took_s, cpu_s = time.perf_counter() - begun, _cpu_s() - cpu_before
    return Ran(
        CONTENDERS[name].label, len(pages), took_s, cpu_s, float(np.median(seconds)), _peak_mb(), start_s,
        right(pages, bodies),
    )  # fmt: skip


def right(pages: Sequence[LabelledPage], bodies: Sequence[Body]) -> float:
    """Share of the printed values that the rules try for, exactly right."""
    by_image = {page.image: body for page, body in zip(pages, bodies, strict=True)}
    compared = [
        one.exact
        for outcome in evaluate(pages, lambda image: by_image[image])
        for one in outcome.comparisons
        if one.wanted is not None and one.field in peers.TRIED[outcome.type]
    ]
    return sum(compared) / max(1, len(compared))


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_mb() -> float:
    """Of this process, and of as many of its largest child as run at once."""
    own, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (own + CORES * child) * 1024 / 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("folder", type=Path, help="a labelled folder")
    options = parser.parse_args(arguments)
    pages, _ = labelled_folder.load(options.folder)
    print(json.dumps(asdict(run(options.contender, pages))))


if __name__ == "__main__":
    main()

"""Compare the throughput of docextract with other readers, without HTTP, on the same labelled photos.

    python -m benchmarks.offline SYSTEM FOLDER    one JSON line; SYSTEM is a name in SYSTEMS

Each system runs in a process of its own, so that its CPU time and its memory are measured alone. Each may use every
core: docextract by its threads, the others by one reader for each core. Their answers are compared with the labels,
so that a fast system with wrong answers is detected.
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
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from benchmarks.service_process import ROOT, ServiceProcess
from docextract.client import Client
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Device, Settings
from training.datasets import LabelledPage, labelled_folder, pictures
from training.evaluation import baselines
from training.evaluation.evaluate import evaluate

IMAGES_PER_REQUEST = 8  # the service's largest batch on CPUs
GPU_IMAGES_PER_REQUEST = (1, 8, 32)
CORE_COUNT = len(os.sched_getaffinity(0))
RUN_TIMEOUT_S = 600.0
MEMORY_INTERVAL_S = 0.5  # a sample takes 3 ms

AnswerBody = dict[str, Any]  # a response body of /extraction
# Returns one body and the seconds for each page, in input order.
ReadPages = Callable[[Sequence[LabelledPage]], tuple[list[AnswerBody], list[float]]]


@dataclass(frozen=True)
class SystemUnderTest:
    """One way from photos to field values. `start` loads it; the context's value reads pages."""

    label: str
    start: Callable[[], AbstractContextManager[ReadPages]]


@dataclass(frozen=True)
class OfflineResult:
    """Result of one system. cpu_s is the sum over all cores."""

    label: str
    pages: int
    seconds: float
    cpu_s: float
    median_page_s: float  # per page, from the file to its fields
    peak_mb: float  # of all processes together
    first_answer_s: float  # from the start of loading to the first answer
    correct_share: float  # share of exactly right values, among those that the rules also look for

    @property
    def pages_per_s(self) -> float:
        """Throughput."""
        return self.pages / self.seconds

    @property
    def cpu_s_per_page(self) -> float:
        """CPU seconds of all cores per page."""
        return self.cpu_s / self.pages


@dataclass(frozen=True)
class SystemRuns:
    """The runs of one system, one in each round."""

    runs: Sequence[OfflineResult]

    @property
    def together(self) -> OfflineResult:
        """All runs as one: the means of what they used and read right, median waits, and the largest memory."""
        return replace(
            self.runs[0],
            seconds=mean(one.seconds for one in self.runs),
            cpu_s=mean(one.cpu_s for one in self.runs),
            median_page_s=median(one.median_page_s for one in self.runs),
            peak_mb=max(one.peak_mb for one in self.runs),
            first_answer_s=median(one.first_answer_s for one in self.runs),
            correct_share=mean(one.correct_share for one in self.runs),
        )

    def factors_over(self, other: "SystemRuns") -> list[float]:
        """Return how many times the throughput of another system this one has, in each round; ascending."""
        return sorted(own.pages_per_s / one.pages_per_s for own, one in zip(self.runs, other.runs, strict=True))


@contextmanager
def _docextract(images_per_request: int, device: Device = "cpu") -> Iterator[ReadPages]:
    """The service's own pipeline and models, in this process."""
    import torch

    torch.set_num_threads(CORE_COUNT)
    models = LocalModels(ROOT / "models", device)
    models.load("quality", "extraction")
    settings = Settings(max_request_bytes=250_000_000, max_images=images_per_request)
    with local.client(models, settings) as client:
        yield lambda pages: _extract(client, pages, images_per_request)


def _extract(
    client: Client, pages: Sequence[LabelledPage], images_per_request: int
) -> tuple[list[AnswerBody], list[float]]:
    answers: list[AnswerBody] = []
    seconds: list[float] = []
    for start in range(0, len(pages), images_per_request):
        some = [page.image for page in pages[start : start + images_per_request]]
        begun_s = time.perf_counter()
        answer = client.extract(*some).model_dump(mode="json", exclude_unset=True)
        seconds += [(time.perf_counter() - begun_s) / len(some)] * len(some)
        answers += [{"documents": [document]} for document in answer["documents"]]
    return answers, seconds


@contextmanager
def _baseline(name: str) -> Iterator[ReadPages]:
    """A third-party reader with rules, one for each core; the rules are given the document type."""
    thread_local = threading.local()

    def answer(page: LabelledPage) -> tuple[AnswerBody, float]:
        begun_s = time.perf_counter()
        if not hasattr(thread_local, "read"):
            thread_local.read = baselines.load_readers()[name]
        answer = baselines.baseline_answer(page.type, thread_local.read(pictures.load(page.image)))
        return answer, time.perf_counter() - begun_s

    with ThreadPoolExecutor(CORE_COUNT) as pool:

        def read_pages(pages: Sequence[LabelledPage]) -> tuple[list[AnswerBody], list[float]]:
            answered = list(pool.map(answer, pages))
            return [answer for answer, _ in answered], [seconds for _, seconds in answered]

        yield read_pages


SYSTEMS: Mapping[str, SystemUnderTest] = {
    "batches": SystemUnderTest(
        f"docextract, {IMAGES_PER_REQUEST} photos per request", lambda: _docextract(IMAGES_PER_REQUEST)
    ),
    "one": SystemUnderTest("docextract, one photo per request", lambda: _docextract(1)),
    **{
        f"gpu_{count}": SystemUnderTest(
            f"docextract on the GPU, photos per request: {count}", partial(_docextract, count, "cuda")
        )
        for count in GPU_IMAGES_PER_REQUEST
    },
    "rapidocr": SystemUnderTest("RapidOCR with its defaults + rules", lambda: _baseline("rapidocr")),
    "tesseract": SystemUnderTest("Tesseract + rules", lambda: _baseline("tesseract")),
}


def available_systems() -> list[str]:
    """Return the systems that this machine can run; docextract comes first."""
    return [name for name in SYSTEMS if name in ("batches", "one") or name in baselines.tools_available()]


def measure_in_subprocess(name: str, folder: Path) -> OfflineResult:
    """Run one system in a process of its own. Raises RuntimeError if that fails."""
    command = [sys.executable, "-m", "benchmarks.offline", name, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1:]}")
    return OfflineResult(**json.loads(done.stdout.splitlines()[-1]))


def run_system(name: str, pages: Sequence[LabelledPage]) -> OfflineResult:
    """Run one system in this process: all pages once as warm-up, then once for the measurement."""
    begun_s = time.perf_counter()
    with _sampled_memory() as memory, SYSTEMS[name].start() as read_pages:
        read_pages(pages[:1])
        first_answer_s = time.perf_counter() - begun_s
        read_pages(pages)
        cpu_before, begun_s = _cpu_s(), time.perf_counter()
        answers, seconds = read_pages(pages)
        total_s, cpu_s = time.perf_counter() - begun_s, _cpu_s() - cpu_before
    return OfflineResult(
        SYSTEMS[name].label, len(pages), total_s, cpu_s, float(np.median(seconds)), max(memory), first_answer_s,
        correct_share(pages, answers),
    )  # fmt: skip


def correct_share(pages: Sequence[LabelledPage], answers: Sequence[AnswerBody]) -> float:
    """Return the share of the labelled values that are exactly right, among the fields that the rules look for."""
    by_image = {page.image: answer for page, answer in zip(pages, answers, strict=True)}
    compared = [
        one.exact
        for outcome in evaluate(pages, lambda image, page=None: by_image[image])
        for one in outcome.comparisons
        if one.expected is not None and one.field in baselines.RULE_FIELDS[outcome.type]
    ]
    return sum(compared) / max(1, len(compared))


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def _sampled_memory() -> Iterator[list[float]]:
    """Sample the memory of this process and its children in MB, until the context ends.

    The kernel's own peak of a child (ru_maxrss) would be wrong: it includes the memory of the process that started it.
    """
    samples, ended = [], threading.Event()

    def sample() -> None:
        while True:
            samples.append(ServiceProcess("", os.getpid()).memory_mb() or 0.0)
            if ended.wait(MEMORY_INTERVAL_S):
                return

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        yield samples
    finally:
        ended.set()
        sampler.join()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("folder", type=Path, help="a labelled folder")
    options = parser.parse_args(arguments)
    pages, _ = labelled_folder.load(options.folder)
    print(json.dumps(asdict(run_system(options.system, pages))))


if __name__ == "__main__":
    main()

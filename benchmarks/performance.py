"""Measure speed, compare with other readers, and write docs/performance.md.

    python -m benchmarks.performance [--data FOLDER …] [--rounds 3] [--quick] [--long] [--out FILE.md] [--server URL]

The same synthetic photos are used every time. Other readers are also compared on the labelled photos of each FOLDER, in
the same run. With --server only the HTTP load of a running service is measured: its processes cannot be observed.
--long sends 10,000 requests to check that memory stays flat. Results of a busy machine are not comparable: the page
reports the load average.
"""

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks import offline, throughput
from benchmarks.donut_decoding import DecodingTimes
from benchmarks.environment import BUSY_LOAD_AVERAGE
from benchmarks.offline import OfflineResult, SystemRuns
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT, ServiceProcess, running_service
from benchmarks.soak import SoakResult, run_soak_test
from benchmarks.throughput import (
    REQUEST_TIMEOUT_S,
    ClientFactory,
    EncodedPhoto,
    LoadResult,
    TimedAnswer,
    encode_photo,
    latency_per_image_ms,
    print_load,
    run_closed_loop,
    run_info,
)
from docextract.images.geometry import Page
from training.datasets import LabelledPage, labelled_folder, pictures
from training.evaluation import plots

CLIENT_COUNTS = (1, 8, 32)
LONGER_SIDES_PX = (800, 1600, 3200)  # longer side of the photo
IMAGES_PER_REQUEST = (1, 2, 4, 8)
SOAK_CLIENTS = 8
# Settings of the service that is started here. With the defaults, many clients on a busy machine would be refused with
# 503, and the benchmark measures speed.
SERVICE_SETTINGS = {"DOCEXTRACT_MAX_WAIT_S": "100", "DOCEXTRACT_TIMEOUT_S": "110"}
TEMPLATE = "performance.md.j2"
SYNTHETIC_SET = "synthetic photos"
IMAGES_FOLDER = Path("images")  # relative to the page; plots are in a folder in it that has the page's name

ServiceFactory = Callable[[], AbstractContextManager[tuple[ServiceProcess, ClientFactory]]]


@dataclass(frozen=True)
class RunLength:
    """How much is measured."""

    seconds: float = 10.0  # of each load
    photo_count: int = throughput.PHOTO_COUNT
    soak_requests: int = 1000
    rounds: int = 3  # in which all systems are compared in turns


QUICK_RUN = RunLength(seconds=2.0, photo_count=5, soak_requests=80, rounds=1)
LONG_RUN = RunLength(soak_requests=10_000)


@dataclass(frozen=True)
class PhotoSizeResult:
    """Load of one client with photos of one size."""

    longer_side_px: int  # of the photos
    loads: Mapping[str, LoadResult]  # by operation
    peak_mb: Mapping[str, float]  # by process, peak so far; empty if not observable


@dataclass(frozen=True)
class MultiImageResult:
    """Several images in one request."""

    images: int
    ms: float  # per image
    peak_mb: Mapping[str, float]


@dataclass(frozen=True)
class PerformanceResults:
    """All results on the page."""

    loads: Sequence[LoadResult]
    sizes: Sequence[PhotoSizeResult]
    peak_mb: Mapping[str, float] = field(default_factory=dict)  # by process
    start_s: float | None = None  # from start to ready
    multi_image: Sequence[MultiImageResult] = ()
    soak_result: SoakResult | None = None
    comparisons: Mapping[str, Sequence[SystemRuns]] = field(default_factory=dict)  # by set; docextract comes first
    donut_decoding: DecodingTimes | None = None
    offline_pages_per_s: float | None = None  # throughput without HTTP, measured right before and after the loads

    def loads_of(self, operation: str) -> Sequence[LoadResult]:
        """Return the loads of one operation, in the order of CLIENT_COUNTS."""
        return [one for one in self.loads if one.operation == operation]

    @property
    def http_share(self) -> float | None:
        """Throughput of the largest number of clients, as a share of the throughput without HTTP."""
        if self.offline_pages_per_s is None:
            return None
        return self.loads_of("extraction")[-1].pages_per_s / self.offline_pages_per_s

    def latency_by_value_count(self) -> Sequence[tuple[str, float, float, int]]:
        """Split the answers of one client into thirds by number of values.

        Returns for each third: range of value counts, median ms in total, median ms of extraction, number of answers.
        """
        alone = sorted(self.loads_of("extraction")[0].answers, key=lambda one: one.value_count)
        thirds = [list(some) for some in np.array_split(np.array(alone, object), 3) if len(some)]
        return [(_span(some), *_medians_ms(some), len(some)) for some in thirds]


def _span(some: Sequence[TimedAnswer]) -> str:
    return f"{some[0].value_count}–{some[-1].value_count}"


def _medians_ms(some: Sequence[TimedAnswer]) -> tuple[float, float]:
    whole, inside = ([one.latency_ms for one in some], [one.server_steps_ms.get("extraction", 0.0) for one in some])
    return float(np.median(whole)), float(np.median(inside))


def measure_over_http(
    start_service: ServiceFactory, photos: Sequence[Path], length: RunLength,
    run_offline: Callable[[], OfflineResult] | None = None,
) -> PerformanceResults:  # fmt: skip
    """Measure a service over HTTP: several numbers of clients, several images per request, several photo sizes.

    run_offline: reads the same photos without HTTP. It is called right before and after the loads of several clients,
    because a machine may be slower a few minutes later.

    Each part gets a fresh service: a process may keep memory that it once held, so the peak memory of one part would
    hide that of the next.
    """
    pages = [pictures.load(photo) for photo in photos]
    encoded = [
        EncodedPhoto(photo.read_bytes(), page.shape[1], page.shape[0])
        for photo, page in zip(photos, pages, strict=True)
    ]
    begun = time.perf_counter()
    with start_service() as (service, open_client):
        start_s = None if service.pid is None else time.perf_counter() - begun
        references = [run_offline()] if run_offline else []
        loads = []
        for operation, clients in itertools.product(throughput.OPERATIONS, CLIENT_COUNTS):
            loads.append(run_closed_loop(service, open_client, operation, encoded, clients, length.seconds))
            print_load(loads[-1])
        references += [run_offline()] if run_offline else []
        peak_mb = service.peak_mb()
        soak_result = run_soak_test(
            service, open_client, [one.jpeg for one in encoded], length.soak_requests, SOAK_CLIENTS
        )
    with start_service() as (service, open_client):
        multi_image = [
            MultiImageResult(n, latency_per_image_ms(open_client, encoded, n), service.peak_mb())
            for n in IMAGES_PER_REQUEST
        ]
    with start_service() as (service, open_client):
        sizes = [
            _measure_photo_size(service, open_client, pages, longer_side_px, length.seconds)
            for longer_side_px in LONGER_SIDES_PX
        ]
    return PerformanceResults(
        loads, sizes, peak_mb, start_s, multi_image, soak_result,
        offline_pages_per_s=SystemRuns(references).together.pages_per_s if references else None,
    )  # fmt: skip


def _measure_photo_size(
    service: ServiceProcess, open_client: ClientFactory, pages: Sequence[Page], longer_side_px: int, seconds: float
) -> PhotoSizeResult:
    scaled = [encode_photo(page, longer_side_px) for page in pages]
    by_operation = {
        name: run_closed_loop(service, open_client, name, scaled, 1, seconds) for name in throughput.OPERATIONS
    }
    for one in by_operation.values():
        print_load(one, f"{longer_side_px} px")
    return PhotoSizeResult(longer_side_px, by_operation, service.peak_mb())


def measure_offline(folder: Path, rounds: int) -> list[SystemRuns]:
    """Measure all systems without HTTP. In each round they run one after the other, so that a slow minute hits all."""
    runs: dict[str, list[OfflineResult]] = {name: [] for name in offline.available_systems()}
    for _, (name, own) in itertools.product(range(rounds), runs.items()):
        own.append(one := offline.measure_in_subprocess(name, folder))
        print(
            f"{one.label:42} {one.pages_per_s:6.2f} pages/s   CPU {one.cpu_s_per_page:.3f} s per page"
            f"   correct {one.correct_share:.1%}"
        )
    return [SystemRuns(own) for own in runs.values()]


def measure_donut_decoding(quick: bool) -> DecodingTimes:
    """Time the Donut decoders in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.donut_decoding", *(["--pages", "2", "--tokens", "8"] if quick else [])]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return DecodingTimes(**json.loads(done.stdout.splitlines()[-1]))


def write(out: Path, results: PerformanceResults, info: Mapping[str, Any]) -> None:
    """Write the page and its plots. info: see throughput.run_info."""
    plots_by_name = draw_plots(results)
    folder = IMAGES_FOLDER / out.stem
    for name, plot in plots_by_name.items():
        file = out.parent / folder / f"{name}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(plot, encoding="utf-8")
    image_paths = {name: (folder / f"{name}.svg").as_posix() for name in plots_by_name}
    page = page_template(TEMPLATE).render(results=results, run_info=info, image_paths=image_paths)
    out.write_text(page, encoding="utf-8")


def draw_plots(results: PerformanceResults) -> dict[str, str]:
    """Return the plots as SVG text, by name."""
    points = [(float(one.clients), one.pages_per_s) for one in results.loads_of("extraction")]
    lines = [plots.Line(points, "over HTTP", dotted=True)]
    most = max(rate for _, rate in points)
    if (offline_rate := results.offline_pages_per_s) is not None:
        lines.append(plots.Line([(1.0, offline_rate), (points[-1][0], offline_rate)], "without", dashed=True))
        most = max(most, offline_rate)
    clients = plots.Axis("clients", 1.0, max(points[-1][0], 2.0), ".0f")
    plots_by_name = {"clients": plots.svg(clients, plots.Axis("pages per second", 0.0, 1.1 * most, ".1f"), lines)}
    if results.soak_result and results.soak_result.memory_samples:
        held = [(float(done), mb) for done, mb in results.soak_result.memory_samples]
        requests = plots.Axis("requests", 0.0, float(results.soak_result.requests), ".0f")
        memory = plots.Axis("MB, all processes", 0.0, 1.2 * max(mb for _, mb in held), ".0f")
        plots_by_name["memory"] = plots.svg(requests, memory, [plots.Line(held)])
    return plots_by_name


def write_synthetic_photos(folder: Path, count: int) -> list[LabelledPage]:
    """Write synthetic photos, always the same, as a labelled folder."""
    with labelled_folder.LabelledFolderWriter(folder) as writer:
        for key, kind, shot in throughput.synthetic_photos(count):
            writer.add(key, shot.photo, kind, shot.truth["fields"])
    return list(labelled_folder.load(folder)[0])


def copy_photos(folder: Path, data: Path, count: int) -> None:
    """Copy `count` labelled photos of `data` at even distances, or all if there are fewer, as a labelled folder."""
    pages = labelled_folder.load(data)[0]
    chosen = np.unique(np.linspace(0, len(pages) - 1, min(count, len(pages))).round().astype(int))
    with labelled_folder.LabelledFolderWriter(folder) as writer:
        for index in chosen.tolist():
            writer.copy(pages[index])


def measure(options: argparse.Namespace, folder: Path, length: RunLength) -> tuple[PerformanceResults, list[Page]]:
    """Measure everything; return the results and the pixels of the photos that were sent."""
    sets = {SYNTHETIC_SET: folder / "synthetic"}
    photos = [page.image for page in write_synthetic_photos(sets[SYNTHETIC_SET], length.photo_count)]
    for number, data in enumerate(options.data):
        sets[data.name] = folder / f"set-{number}"
        copy_photos(sets[data.name], data, length.photo_count)
    comparisons = {} if options.server else {name: measure_offline(own, length.rounds) for name, own in sets.items()}
    donut = None if options.server else measure_donut_decoding(options.quick)
    run_offline = None if options.server else lambda: offline.measure_in_subprocess("batches", sets[SYNTHETIC_SET])
    found = measure_over_http(lambda: _start_service(options.server), photos, length, run_offline)
    results = replace(found, comparisons=comparisons, donut_decoding=donut)
    return results, [pictures.load(photo) for photo in photos]


@contextmanager
def _start_service(server: str | None) -> Iterator[tuple[ServiceProcess, ClientFactory]]:
    with nullcontext(ServiceProcess(server)) if server else running_service(SERVICE_SETTINGS) as service:
        yield service, lambda: httpx.Client(base_url=service.address, timeout=REQUEST_TIMEOUT_S)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument(
        "--data", type=Path, nargs="+", default=[], metavar="FOLDER", help="labelled photos to compare readers on, too"
    )
    parser.add_argument(
        "--server", help="address of a running service; by default one is started with the promoted models"
    )
    parser.add_argument("--rounds", type=int, help="in which all readers are compared in turns (3; with --quick 1)")
    length_group = parser.add_mutually_exclusive_group()
    length_group.add_argument("--quick", action="store_true", help="a short run of a minute or two")
    length_group.add_argument("--long", action="store_true", help="send 10,000 requests in the memory test")
    options = parser.parse_args(arguments)
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds must be at least 1")
    names = [SYNTHETIC_SET, *(data.name for data in options.data)]
    if len(set(names)) < len(names):
        parser.error("the folders of --data need different names, which are those of the sets on the page")
    if options.server and options.data:
        parser.error("--data compares readers, which is not done with --server")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that `finally` blocks run and the service is stopped
    load_average = os.getloadavg()[0]
    if load_average > BUSY_LOAD_AVERAGE:
        print(f"this machine is busy (load average {load_average:.1f}); the page reports it", file=sys.stderr)
    length = QUICK_RUN if options.quick else LONG_RUN if options.long else RunLength()
    length = replace(length, rounds=options.rounds or length.rounds)
    with tempfile.TemporaryDirectory() as folder:
        results, photos = measure(options, Path(folder), length)
    served_from = "a running service" if options.server else "a service of its own"
    facts = run_info(served_from, length.seconds, load_average, photos)
    if not options.server:
        facts["settings"] += [f"{name}={value}" for name, value in SERVICE_SETTINGS.items()]
    write(options.out, results, facts | {"quick": options.quick})
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()

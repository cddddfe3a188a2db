"""How fast it is, beside its peers and under load: measures everything and writes docs/performance.md.

    python -m benchmarks.performance [--data FOLDER] [--quick] [--long] [--out docs/performance.md] [--server URL]

FOLDER holds labelled photographs of your own; without it, synthetic ones are taken, always the same. With --server a
running service is asked over HTTP, and nothing else is measured: its processes cannot be seen. --long sends 10,000
requests to see memory stay flat. The figures of a busy machine are worth little: the page says how busy it was.
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
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks import offline, throughput
from benchmarks.donut_decoding import Decoded
from benchmarks.offline import Ran
from benchmarks.service_process import ROOT, Service, started
from benchmarks.soak import Soaked, soak
from benchmarks.environment import BUSY_LOAD
from benchmarks.throughput import TIMEOUT_S, Answered, Connect, Load, Picture, about, load, picture, request_ms, tell
from docextract.images.geometry import Page
from training.datasets import LabelledPage, labelled_folder, pictures
from training.evaluation import plots

CLIENTS = (1, 8, 32)
SIZES_PX = (800, 1600, 3200)  # the photo's longer side
AT_ONCE = (1, 2, 4, 8)  # pictures of a request
SOAK_CLIENTS = 8
# Of the service that is started here. A crowd on a busy machine would be turned away, and this measures how fast it is.
SETTINGS = {"DOCEXTRACT_MAX_WAIT_S": "100", "DOCEXTRACT_TIMEOUT_S": "110"}
TEMPLATE = "performance.md.j2"
PLOTS = Path("images", "performance")  # beside the page

Visit = Callable[[], AbstractContextManager[tuple[Service, Connect]]]


@dataclass(frozen=True)
class Thoroughness:
    """How long it takes."""

    seconds: float = 10.0  # of each measurement
    photographs: int = throughput.PHOTOGRAPHS
    soaked: int = 1000  # requests


QUICK = Thoroughness(seconds=2.0, photographs=5, soaked=80)
LONG = Thoroughness(soaked=10_000)


@dataclass(frozen=True)
class Sized:
    """One client with photographs of one size."""

    longer_px: int  # their longer side
    loads: Mapping[str, Load]  # by operation
    peak_mb: Mapping[str, float]  # by process, so far; empty where they cannot be seen


@dataclass(frozen=True)
class Together:
    """Several pictures in one request."""

    pictures: int
    ms: float  # for each of them
    peak_mb: Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """Everything that the page tells."""

    loads: Sequence[Load]
    sizes: Sequence[Sized]
    peak_mb: Mapping[str, float] = field(default_factory=dict)  # by process
    start_s: float | None = None  # until the service was ready
    together: Sequence[Together] = ()
    soaked: Soaked | None = None
    contenders: Sequence[Ran] = ()  # ours first
    decoded: Decoded | None = None

    def of(self, operation: str) -> Sequence[Load]:
        """Its loads."""
        return [one for one in self.loads if one.operation == operation]

    @property
    def kept_over_http(self) -> float | None:
        """Of what is reached without HTTP, the share that most clients get."""
        return self.of("extraction")[-1].per_second / self.contenders[0].per_second if self.contenders else None

    def by_values(self) -> Sequence[tuple[str, float, float, int]]:
        """How many values a page has, in thirds: from and to, median ms of all, and of extraction; and answers."""
        alone = sorted(self.of("extraction")[0].answers, key=lambda one: one.values)
        thirds = [list(some) for some in np.array_split(np.array(alone, object), 3) if len(some)]
        return [(_span(some), *_medians_ms(some), len(some)) for some in thirds]


def _span(some: Sequence[Answered]) -> str:
    return f"{some[0].values}–{some[-1].values}"


def _medians_ms(some: Sequence[Answered]) -> tuple[float, float]:
    whole, inside = ([one.took_ms for one in some], [one.steps_ms.get("extraction", 0.0) for one in some])
    return float(np.median(whole)), float(np.median(inside))


def over_http(visit: Visit, photos: Sequence[Path], how: Thoroughness) -> Measured:
    """All that is asked of a service: by many clients; then several pictures a request, and at several sizes.

    Each on a visit of its own: what a process has once held it may keep, and the most it held says nothing of the next.
    """
    pages = [pictures.load(photo) for photo in photos]
    as_taken = [
        Picture(photo.read_bytes(), page.shape[1], page.shape[0]) for photo, page in zip(photos, pages, strict=True)
    ]
    begun = time.perf_counter()
    with visit() as (service, connect):
        start_s = None if service.pid is None else time.perf_counter() - begun
        loads = []
        for operation, clients in itertools.product(throughput.OPERATIONS, CLIENTS):
            loads.append(load(service, connect, operation, as_taken, clients, how.seconds))
            tell(loads[-1])
        peak_mb = service.peak_mb()
        soaked = soak(service, connect, [one.jpeg for one in as_taken], how.soaked, SOAK_CLIENTS)
    with visit() as (service, connect):
        together = [Together(n, request_ms(connect, as_taken, n), service.peak_mb()) for n in AT_ONCE]
    with visit() as (service, connect):
        sizes = [_sized(service, connect, pages, longer_px, how.seconds) for longer_px in SIZES_PX]
    return Measured(loads, sizes, peak_mb, start_s, together, soaked)


def _sized(service: Service, connect: Connect, pages: Sequence[Page], longer_px: int, seconds: float) -> Sized:
    scaled = [picture(page, longer_px) for page in pages]
    by_operation = {name: load(service, connect, name, scaled, 1, seconds) for name in throughput.OPERATIONS}
    for one in by_operation.values():
        tell(one, f"{longer_px} px")
    return Sized(longer_px, by_operation, service.peak_mb())


def contenders(folder: Path) -> list[Ran]:
    """Ours and the others, one after the other."""
    found = []
    for name in offline.available():
        found.append(one := offline.measure(name, folder))
        print(f"{one.label:42} {one.per_second:6.2f} /s   CPU {one.cpu_s_a_page:.3f} s a page   right {one.right:.1%}")
    return found


def decoded(quick: bool) -> Decoded:
    """In a process of its own."""
    command = [sys.executable, "-m", "benchmarks.donut_decoding", *(["--pages", "2", "--tokens", "8"] if quick else [])]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return Decoded(**json.loads(done.stdout.splitlines()[-1]))


def write(out: Path, measured: Measured, about: Mapping[str, Any]) -> None:
    """The page and its plots. about: see throughput.about."""
    drawn = draw(measured)
    for name, plot in drawn.items():
        file = out.parent / PLOTS / f"{name}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(plot, encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.get_template(TEMPLATE).render(
        measured=measured, about=about, drawn={name: (PLOTS / f"{name}.svg").as_posix() for name in drawn}
    )
    out.write_text(page, encoding="utf-8")


def draw(measured: Measured) -> dict[str, str]:
    """Plots as SVG, by name."""
    points = [(float(one.clients), one.per_second) for one in measured.of("extraction")]
    lines = [plots.Line(points, "over HTTP", dotted=True)]
    most = max(rate for _, rate in points)
    if measured.contenders:
        offline_rate = measured.contenders[0].per_second
        lines.append(plots.Line([(1.0, offline_rate), (points[-1][0], offline_rate)], "without", dashed=True))
        most = max(most, offline_rate)
    clients = plots.Axis("clients", 1.0, max(points[-1][0], 2.0), ".0f")
    drawn = {"clients": plots.svg(clients, plots.Axis("pages a second", 0.0, 1.1 * most, ".1f"), lines)}
    if measured.soaked and measured.soaked.memory:
        held = [(float(done), mb) for done, mb in measured.soaked.memory]
        requests = plots.Axis("requests", 0.0, float(measured.soaked.requests), ".0f")
        memory = plots.Axis("MB, all processes", 0.0, 1.2 * max(mb for _, mb in held), ".0f")
        drawn["memory"] = plots.svg(requests, memory, [plots.Line(held)])
    return drawn


def photographed(folder: Path, data: Path | None, count: int) -> list[LabelledPage]:
    """The first of these, or synthetic ones of every type in turn, as a labelled folder; the same each time."""
    with labelled_folder.Writer(folder) as writer:
        if data is None:
            for key, kind, taken in throughput.taken(count):
                writer.add(key, taken.photo, kind, taken.truth["fields"])
        else:
            for page in labelled_folder.load(data)[0][:count]:
                writer.copy(page)
    return list(labelled_folder.load(folder)[0])


def measure(options: argparse.Namespace, folder: Path, how: Thoroughness) -> tuple[Measured, list[Page]]:
    """Everything that can be measured, and the photographs that were sent."""
    pages = photographed(folder, options.data, how.photographs)
    photos = [page.image for page in pages]
    others = [] if options.server else contenders(folder)
    donut = None if options.server else decoded(options.quick)
    found = over_http(lambda: _visit(options.server), photos, how)
    return replace(found, contenders=others, decoded=donut), [pictures.load(photo) for photo in photos]


@contextmanager
def _visit(server: str | None) -> Iterator[tuple[Service, Connect]]:
    with nullcontext(Service(server)) if server else started(SETTINGS) as service:
        yield service, lambda: httpx.Client(base_url=service.address, timeout=TIMEOUT_S)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="a labelled folder of photographs to measure with")
    parser.add_argument("--server", help="address of a running service; else one is started with the promoted models")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="a try of a minute or two")
    length.add_argument("--long", action="store_true", help="with 10,000 requests for memory")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service is ended, too
    load_average = os.getloadavg()[0]
    if load_average > BUSY_LOAD:
        print(f"this machine is busy (load average {load_average:.1f}); the page will say so", file=sys.stderr)
    how = QUICK if options.quick else LONG if options.long else Thoroughness()
    with tempfile.TemporaryDirectory() as folder:
        measured, photos = measure(options, Path(folder), how)
    served_from = "a running one" if options.server else "its own"
    facts = about(served_from, how.seconds, load_average, photos)
    if not options.server:
        facts["settings"] += [f"{name}={value}" for name, value in SETTINGS.items()]
    whose = "real ones, labelled" if options.data else "made up by the generator, as people take them, of every type"
    write(options.out, measured, facts | {"quick": options.quick, "whose": whose})
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()

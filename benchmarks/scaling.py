"""How many machines for how many pages, at which wait and cost: measured on one node, then by formula and simulation.

    python -m benchmarks.scaling [--out docs/scaling.md] [--quick] [--price-per-core-hour 0.05] [--target-p95-s 3]
                                 [--gpu-pages-per-second X --price-per-gpu-hour Y]

Starts a service of its own on the promoted models, takes its measure, sends it requests at random moments, and holds
the simulation against what came of them. Prices are whatever you say; the one that is there is an assumption.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks import queueing, simulation
from benchmarks.service_process import ROOT, Service, started, steps_ms
from benchmarks.simulation import Burst, Outcome, Page, Scaling, Speed
from benchmarks.throughput import TIMEOUT_S, Connect, Picture, about, load, photographs, picture

SEED = 5
PHOTOGRAPHS = 16
ROUNDS = 3  # of each photograph, alone
LOADS = (0.4, 0.6, 0.8)  # of what the node can do, at random moments
SECONDS, QUICK_SECONDS = 300.0, 20.0  # of each load, and of the crowd that shows what the node can do
QUICK_LOADS = (0.5, 0.8)
MOST_AT_ONCE = 200  # requests under way
PRICE_PER_CORE_HOUR = 0.05  # an assumption, without a currency
PRICE_PER_GPU_HOUR = 2.0  # likewise
TARGET_P95_S = 3.0
SERVERS = (1, 2, 4, 16, 64, 256)
RATES_PER_S = (10, 1_000, 100_000)
BURST = Burst(base_per_s=10.0, times=4.0, begins_s=600.0, lasts_s=300.0, until_s=1800.0)
SCHEDULED_S = (
    30.0  # until a new node's service begins to start: an assumption; an image that is not there yet takes longer
)
NOBODY_IS_SENT_AWAY = {"DOCEXTRACT_MAX_WAIT_S": "600"}  # what cannot be done in time is to be seen as a long time
TEMPLATE = "scaling.md.j2"


@dataclass(frozen=True)
class Check:
    """The same requests at the same moments, sent and simulated."""

    load: float  # of what the node can do
    per_s: float
    took_s: Sequence[float]  # measured, of those that were answered
    refused: int
    simulated_s: Sequence[float]
    formula_p95_s: float  # M/G/1

    def measured(self, percentile: float) -> float:
        """Seconds."""
        return float(np.percentile(self.took_s, percentile))

    def simulated(self, percentile: float) -> float:
        """Seconds."""
        return float(np.percentile(self.simulated_s, percentile))


@dataclass(frozen=True)
class Node:
    """One service on this machine."""

    cores: int
    start_s: float  # until it was ready
    speed: Speed
    per_s: float  # pages, when eight clients ask
    cpu_s_a_page: float | None
    sent_bytes: float  # of a photograph
    answer_bytes: float

    @property
    def core_s_a_page(self) -> float:
        """Of the cores that it has, busy or not."""
        return self.cores / self.per_s

    @property
    def alone_s(self) -> Sequence[float]:
        """What each photograph takes when nobody else asks."""
        return [page.alone_s for page in self.speed.pages]

    @property
    def as_server(self) -> queueing.Service:
        """As queueing theory sees it: one page at a time, as fast as it answers many."""
        alone = queueing.Service.of(self.alone_s)
        scale = 1 / self.per_s / alone.mean_s
        return queueing.Service(1 / self.per_s, alone.variation, alone.p95_s * max(1.0, scale))

    @property
    def busy_s(self) -> Sequence[float]:
        """What each photograph takes of a busy node's time."""
        mean_s = float(np.mean(self.alone_s))
        return [one / mean_s / self.per_s for one in self.alone_s]


def measure(service: Service, connect: Connect, pictures: Sequence[Picture], start_s: float, seconds: float) -> Node:
    """Alone, then in a crowd."""
    pages, answer_bytes = [], []
    with connect() as client:
        _ask(client, pictures[0])
        for one in pictures:
            asked = [_ask(client, one) for _ in range(ROUNDS)]
            took_s = float(np.median([took for took, _ in asked]))
            extraction_s = (
                float(np.median([steps_ms(r.headers["server-timing"])["extraction"] for _, r in asked])) / 1000
            )
            pages.append(Page(max(0.0, took_s - extraction_s), extraction_s))
            answer_bytes.append(len(asked[0][1].content))
    crowd = load(service, connect, "extraction", pictures, simulation.CROWD, seconds)
    print(
        f"alone {np.mean([page.alone_s for page in pages]):.2f} s a page; a crowd gets {crowd.per_second:.2f} pages/s"
    )
    return Node(
        len(os.sched_getaffinity(0)), start_s, simulation.fitted(pages, crowd.per_second), crowd.per_second,
        crowd.cpu_s_a_page, float(np.mean([len(one.jpeg) for one in pictures])), float(np.mean(answer_bytes)),
    )  # fmt: skip


def _ask(client: httpx.Client, sent: Picture) -> tuple[float, httpx.Response]:
    start = time.perf_counter()
    response = client.post("/v1/extraction", content=sent.jpeg, headers={"content-type": "image/jpeg"})
    return time.perf_counter() - start, response.raise_for_status()


def check(
    connect: Connect, pictures: Sequence[Picture], node: Node, share: float, seconds: float, rng: np.random.Generator
) -> Check:
    """Send requests at random moments, whoever is still waiting; and simulate the very same."""
    per_s = share * node.per_s
    arrivals_s = Burst(per_s, 1.0, 0.0, 0.0, seconds).arrivals_s(rng)
    order = rng.integers(len(pictures), size=len(arrivals_s)).tolist()
    took_s = drive(connect, [pictures[which] for which in order], arrivals_s)
    answered = [took for took in took_s if took is not None]
    found = Check(
        share, per_s, answered, len(took_s) - len(answered), simulation.one_node(node.speed, arrivals_s, order),
        queueing.time_p95_s(per_s, 1, node.as_server),
    )  # fmt: skip
    print(
        f"{per_s:.2f}/s ({share:.0%})  measured p50 {found.measured(50):.2f} s, p95 {found.measured(95):.2f} s"
        f"  simulated p50 {found.simulated(50):.2f} s, p95 {found.simulated(95):.2f} s  {len(answered)} answers",
        flush=True,
    )
    return found


def drive(connect: Connect, sent: Sequence[Picture], arrivals_s: Sequence[float]) -> list[float | None]:
    """Seconds from the moment at which each ought to be sent to its answer; none for one that was sent away.

    Raises httpx.HTTPStatusError where the answer is neither.
    """
    with connect() as client, ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        start = time.perf_counter()

        def ask(one: Picture, at_s: float) -> float | None:
            response = client.post("/v1/extraction", content=one.jpeg, headers={"content-type": "image/jpeg"})
            if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
                return None
            response.raise_for_status()
            return time.perf_counter() - start - at_s

        asked: list[Future[float | None]] = []
        for one, at_s in zip(sent, arrivals_s, strict=True):
            time.sleep(max(0.0, start + at_s - time.perf_counter()))
            asked.append(pool.submit(ask, one, at_s))
        return [future.result() for future in asked]


@dataclass(frozen=True)
class Sized:
    """So many nodes, as busy as the target allows."""

    nodes: int
    utilisation: float
    per_s: float


def sized(node: Node, target_p95_s: float) -> list[Sized]:
    """What a queue shared by so many nodes can take."""
    found = []
    for nodes in SERVERS:
        utilisation = queueing.most_utilisation(target_p95_s, nodes, node.as_server)
        found.append(Sized(nodes, utilisation, utilisation * nodes * node.per_s))
    return found


@dataclass(frozen=True)
class Policy:
    """How many nodes, and what came of it."""

    name: str
    scaling: Scaling
    outcome: Outcome


def policies(node: Node, seed: int, burst: Burst) -> list[Policy]:
    """The same burst, with nodes that stay and with nodes that come."""
    start_s = SCHEDULED_S + node.start_s
    usual = int(np.ceil(burst.base_per_s / node.per_s / 0.7))
    peak = int(np.ceil(burst.base_per_s * burst.times / node.per_s / 0.9))
    plans = [
        ("as many as are usually needed, and no more", Scaling(usual, usual, 2.0, start_s)),
        ("as many as the burst needs, always", Scaling(peak, peak, 2.0, start_s)),
        ("scaled at 2 requests a node", Scaling(usual, 2 * peak, 2.0, start_s)),
        ("scaled at 1 request a node", Scaling(usual, 2 * peak, 1.0, start_s)),
        ("scaled at 1, twice the usual at least", Scaling(2 * usual, 2 * peak, 1.0, start_s)),
    ]
    return [
        Policy(name, scaling, simulation.many_nodes(node.busy_s, burst, scaling, np.random.default_rng(seed)))
        for name, scaling in plans
    ]


@dataclass(frozen=True)
class Demand:
    """What so many pages a second ask of everything around the models."""

    per_s: int
    nodes: float
    cores: float
    in_gbit_s: float
    out_gbit_s: float
    in_flight: float  # requests, by Little's law
    per_day: float  # cost


def demands(node: Node, utilisation: float, price: float) -> list[Demand]:
    """At each of RATES_PER_S."""
    found = []
    for per_s in RATES_PER_S:
        nodes = per_s / node.per_s / utilisation
        found.append(
            Demand(
                per_s,
                nodes,
                nodes * node.cores,
                8e-9 * per_s * node.sent_bytes,
                8e-9 * per_s * node.answer_bytes,
                per_s * float(np.mean(node.alone_s)),
                24 * price * nodes * node.cores,
            )
        )
    return found


def per_million(seconds_a_page: float, price_per_hour: float, utilisation: float) -> float:
    """The price of a million pages. seconds_a_page: of one core, or of one GPU."""
    return 1e6 * seconds_a_page / 3600 * price_per_hour / utilisation


def write(out: Path, told: Mapping[str, Any]) -> None:
    """The page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["per_million"] = per_million
    out.write_text(environment.get_template(TEMPLATE).render(told), encoding="utf-8")


def everything(
    node: Node, checks: Sequence[Check], circumstances: Mapping[str, Any], options: argparse.Namespace
) -> dict[str, Any]:
    """What the page tells."""
    sizes = sized(node, options.target_p95_s)
    planned = sizes[-1].utilisation or 0.7
    return {
        "about": circumstances, "node": node, "checks": checks, "sizes": sizes, "planned": planned, "burst": BURST,
        "policies": policies(node, SEED, BURST), "start_s": SCHEDULED_S + node.start_s, "scheduled_s": SCHEDULED_S,
        "demands": demands(node, planned, options.price_per_core_hour), "price": options.price_per_core_hour,
        "target_s": options.target_p95_s, "gpu_per_s": options.gpu_pages_per_second,
        "gpu_price": options.price_per_gpu_hour, "max_wait_s": simulation.MAX_WAIT_S, "rounds": ROUNDS,
        "crowd": simulation.CROWD, "server": node.as_server,
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service is ended, too
    load_average = os.getloadavg()[0]
    seconds = QUICK_SECONDS if options.quick else SECONDS
    photos = photographs(4 if options.quick else PHOTOGRAPHS)
    pictures = [picture(photo) for photo in photos]
    rng = np.random.default_rng(SEED)
    begin = time.perf_counter()
    with started(NOBODY_IS_SENT_AWAY) as service:
        start_s = time.perf_counter() - begin
        connect = _connect(service.address)
        node = measure(service, connect, pictures, start_s, seconds)
        shares = QUICK_LOADS if options.quick else LOADS
        checks = [check(connect, pictures, node, share, seconds, rng) for share in shares]
    circumstances = about("its own", seconds, load_average, photos)
    write(options.out, everything(node, checks, circumstances, options))
    print(f"written to {options.out}")


def _connect(address: str) -> Callable[[], httpx.Client]:
    return lambda: httpx.Client(base_url=address, timeout=TIMEOUT_S, limits=httpx.Limits(max_connections=None))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "scaling.md")
    parser.add_argument("--quick", action="store_true", help="a few photographs and seconds; the page will say so")
    parser.add_argument("--target-p95-s", type=float, default=TARGET_P95_S)
    parser.add_argument("--price-per-core-hour", type=float, default=PRICE_PER_CORE_HOUR)
    parser.add_argument("--price-per-gpu-hour", type=float, default=PRICE_PER_GPU_HOUR)
    parser.add_argument("--gpu-pages-per-second", type=float, help="as measured on a GPU; without, only the formula")
    return parser


if __name__ == "__main__":
    main()

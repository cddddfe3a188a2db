"""Estimate how many machines a load needs, with which wait and cost: measured on one node, then formula and simulation.

    python -m benchmarks.scaling [--out docs/scaling.md] [--quick] [--price-per-core-hour 0.05] [--target-p95-s 3]
                                 [--gpu-pages-per-second X --price-per-gpu-hour Y]

The program starts a service on the promoted models, measures it, sends it requests at random times, and compares the
simulation with the measured latencies. Prices are parameters; the defaults are assumptions.
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

from benchmarks import queueing, simulation
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT, ServiceProcess, parse_server_timing, running_service
from benchmarks.simulation import AutoscalerConfig, Burst, BurstOutcome, NodeSpeed, PageTiming
from benchmarks.throughput import (
    REQUEST_TIMEOUT_S,
    ClientFactory,
    EncodedPhoto,
    encode_photo,
    photo_pixels,
    run_closed_loop,
    run_info,
)

SEED = 5
PHOTO_COUNT = 16
ROUNDS = 3  # measurements of each photo alone
LOAD_SHARES = (0.4, 0.6, 0.8)  # share of the node's measured throughput, at random times
SECONDS, QUICK_SECONDS = 300.0, 20.0  # of each load, and of the closed-loop measurement
QUICK_LOAD_SHARES = (0.5, 0.8)
MAX_IN_FLIGHT = 200
PRICE_PER_CORE_HOUR = 0.05  # an assumption, without a currency
PRICE_PER_GPU_HOUR = 2.0  # an assumption, too
TARGET_P95_S = 3.0
CLUSTER_SIZES = (1, 2, 4, 16, 64, 256)
RATES_PER_S = (10, 1_000, 100_000)
BURST = Burst(base_per_s=10.0, times=4.0, begins_s=600.0, lasts_s=300.0, until_s=1800.0)
# Time until a new node's service begins to start: an assumption; it is longer if the image must be pulled.
NODE_SCHEDULING_S = 30.0
NO_REFUSALS_SETTINGS = {"DOCEXTRACT_MAX_WAIT_S": "600"}  # so that overload shows as long latencies
TEMPLATE = "scaling.md.j2"


@dataclass(frozen=True)
class LoadCheck:
    """The same requests at the same times, measured and simulated."""

    load_share: float  # share of the node's throughput
    pages_per_s: float
    latencies_s: Sequence[float]  # measured, of the answered requests
    refused: int
    simulated_latencies_s: Sequence[float]
    formula_p95_s: float  # by the M/G/1 formula

    def measured_s(self, percentile: float) -> float:
        """Return a percentile of the measured latency in seconds."""
        return float(np.percentile(self.latencies_s, percentile))

    def simulated_s(self, percentile: float) -> float:
        """Return a percentile of the simulated latency in seconds."""
        return float(np.percentile(self.simulated_latencies_s, percentile))


@dataclass(frozen=True)
class MeasuredNode:
    """Measurements of one service on this machine."""

    cores: int
    start_s: float  # from start to ready
    speed: NodeSpeed
    pages_per_s: float  # with eight clients
    cpu_s_per_page: float | None
    photo_bytes: float  # mean JPEG size
    answer_bytes: float

    @property
    def core_s_per_page(self) -> float:
        """Core seconds per page, of all cores that the node has, busy or idle."""
        return self.cores / self.pages_per_s

    @property
    def times_alone_s(self) -> Sequence[float]:
        """Seconds that each photo takes when nothing else runs."""
        return [page.alone_s for page in self.speed.pages]

    @property
    def as_service_time(self) -> queueing.ServiceTime:
        """The node as one server of a queueing model: one page at a time, at its full throughput."""
        alone = queueing.ServiceTime.of(self.times_alone_s)
        scale = 1 / self.pages_per_s / alone.mean_s
        return queueing.ServiceTime(1 / self.pages_per_s, alone.squared_cv, alone.p95_s * max(1.0, scale))

    @property
    def busy_times_s(self) -> Sequence[float]:
        """Seconds of a busy node's time that each photo takes."""
        mean_s = float(np.mean(self.times_alone_s))
        return [one / mean_s / self.pages_per_s for one in self.times_alone_s]


def measure(
    service: ServiceProcess, open_client: ClientFactory, photos: Sequence[EncodedPhoto], start_s: float, seconds: float
) -> MeasuredNode:
    """Measure each photo alone, then the throughput with many clients."""
    pages, answer_bytes = [], []
    with open_client() as client:
        _send(client, photos[0])
        for one in photos:
            runs = [_send(client, one) for _ in range(ROUNDS)]
            latency_s = float(np.median([run_latency_s for run_latency_s, _ in runs]))
            steps_ms = [parse_server_timing(response.headers["server-timing"]) for _, response in runs]
            extraction_s = float(np.median([one_run["extraction"] for one_run in steps_ms])) / 1000
            pages.append(PageTiming(max(0.0, latency_s - extraction_s), extraction_s))
            answer_bytes.append(len(runs[0][1].content))
    saturated = run_closed_loop(service, open_client, "extraction", photos, simulation.SATURATION_CLIENTS, seconds)
    alone_s = float(np.mean([page.alone_s for page in pages]))
    print(f"alone {alone_s:.2f} s per page; under load {saturated.pages_per_s:.2f} pages/s", flush=True)
    return MeasuredNode(
        len(os.sched_getaffinity(0)), start_s, simulation.fit_node_speed(pages, saturated.pages_per_s),
        saturated.pages_per_s, saturated.cpu_s_per_page, float(np.mean([len(one.jpeg) for one in photos])),
        float(np.mean(answer_bytes)),
    )  # fmt: skip


def _send(client: httpx.Client, photo: EncodedPhoto) -> tuple[float, httpx.Response]:
    start = time.perf_counter()
    response = client.post("/v1/extraction", content=photo.jpeg, headers={"content-type": "image/jpeg"})
    return time.perf_counter() - start, response.raise_for_status()


def check_load(
    open_client: ClientFactory,
    photos: Sequence[EncodedPhoto],
    node: MeasuredNode,
    load_share: float,
    seconds: float,
    rng: np.random.Generator,
) -> LoadCheck:
    """Send requests at random times (open loop), and simulate the same requests."""
    pages_per_s = load_share * node.pages_per_s
    arrivals_s = Burst(pages_per_s, 1.0, 0.0, 0.0, seconds).arrivals_s(rng)
    photo_order = rng.integers(len(photos), size=len(arrivals_s)).tolist()
    latencies_s = send_open_loop(open_client, [photos[index] for index in photo_order], arrivals_s)
    answered = [latency_s for latency_s in latencies_s if latency_s is not None]
    found = LoadCheck(
        load_share, pages_per_s, answered, len(latencies_s) - len(answered),
        simulation.simulate_node(node.speed, arrivals_s, photo_order),
        queueing.response_time_p95_s(pages_per_s, 1, node.as_service_time),
    )  # fmt: skip
    print(
        f"{pages_per_s:.2f}/s ({load_share:.0%})"
        f"  measured p50 {found.measured_s(50):.2f} s, p95 {found.measured_s(95):.2f} s"
        f"  simulated p50 {found.simulated_s(50):.2f} s, p95 {found.simulated_s(95):.2f} s  {len(answered)} answers",
        flush=True,
    )
    return found


def send_open_loop(
    open_client: ClientFactory, photos: Sequence[EncodedPhoto], arrivals_s: Sequence[float]
) -> list[float | None]:
    """Send requests at given times; return the latency of each, None if it was refused with 503.

    Latency counts from the planned time of the request, not from the time at which it was sent.
    Raises httpx.HTTPStatusError for any other status.
    """
    with open_client() as client, ThreadPoolExecutor(MAX_IN_FLIGHT) as pool:
        start = time.perf_counter()

        def send(one: EncodedPhoto, at_s: float) -> float | None:
            response = client.post("/v1/extraction", content=one.jpeg, headers={"content-type": "image/jpeg"})
            if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
                return None
            response.raise_for_status()
            return time.perf_counter() - start - at_s

        futures: list[Future[float | None]] = []
        for one, at_s in zip(photos, arrivals_s, strict=True):
            time.sleep(max(0.0, start + at_s - time.perf_counter()))
            futures.append(pool.submit(send, one, at_s))
        return [future.result() for future in futures]


@dataclass(frozen=True)
class ClusterSize:
    """A number of nodes, with the highest utilisation that the target allows."""

    nodes: int
    utilisation: float
    pages_per_s: float


def cluster_sizes(node: MeasuredNode, target_p95_s: float) -> list[ClusterSize]:
    """Return the capacity of each of CLUSTER_SIZES, with one queue for all nodes."""
    found = []
    for nodes in CLUSTER_SIZES:
        utilisation = queueing.max_utilisation(target_p95_s, nodes, node.as_service_time)
        found.append(ClusterSize(nodes, utilisation, utilisation * nodes * node.pages_per_s))
    return found


@dataclass(frozen=True)
class ScalingResult:
    """Result of one scaling policy."""

    name: str
    config: AutoscalerConfig
    outcome: BurstOutcome


def simulate_policies(node: MeasuredNode, seed: int, burst: Burst) -> list[ScalingResult]:
    """Simulate the same burst with fixed and with autoscaled numbers of nodes."""
    start_s = NODE_SCHEDULING_S + node.start_s
    usual = int(np.ceil(burst.base_per_s / node.pages_per_s / 0.7))
    peak = int(np.ceil(burst.base_per_s * burst.times / node.pages_per_s / 0.9))
    plans = [
        ("fixed, for the base rate", AutoscalerConfig(usual, usual, 2.0, start_s)),
        ("fixed, for the burst", AutoscalerConfig(peak, peak, 2.0, start_s)),
        ("autoscaled, 2 requests per node", AutoscalerConfig(usual, 2 * peak, 2.0, start_s)),
        ("autoscaled, 1 request per node", AutoscalerConfig(usual, 2 * peak, 1.0, start_s)),
        ("autoscaled, 1 request per node, minimum doubled", AutoscalerConfig(2 * usual, 2 * peak, 1.0, start_s)),
    ]
    return [
        ScalingResult(
            name, config, simulation.simulate_cluster(node.busy_times_s, burst, config, np.random.default_rng(seed))
        )
        for name, config in plans
    ]


@dataclass(frozen=True)
class CapacityDemand:
    """Resources that a load needs."""

    pages_per_s: int
    nodes: float
    cores: float
    in_gbit_s: float
    out_gbit_s: float
    in_flight: float  # requests in flight, by Little's law
    cost_per_day: float


def capacity_demands(node: MeasuredNode, utilisation: float, price: float) -> list[CapacityDemand]:
    """Return the resources for each of RATES_PER_S."""
    found = []
    for pages_per_s in RATES_PER_S:
        nodes = pages_per_s / node.pages_per_s / utilisation
        found.append(
            CapacityDemand(
                pages_per_s,
                nodes,
                nodes * node.cores,
                8e-9 * pages_per_s * node.photo_bytes,
                8e-9 * pages_per_s * node.answer_bytes,
                pages_per_s * float(np.mean(node.times_alone_s)),
                24 * price * nodes * node.cores,
            )
        )
    return found


def cost_per_million_pages(seconds_per_page: float, price_per_hour: float, utilisation: float) -> float:
    """Return the price of a million pages. seconds_per_page: of one core, or of one GPU."""
    return 1e6 * seconds_per_page / 3600 * price_per_hour / utilisation


def write(out: Path, values: Mapping[str, Any]) -> None:
    """Write the page."""
    page = page_template(TEMPLATE).render(values, cost_per_million_pages=cost_per_million_pages)
    out.write_text(page, encoding="utf-8")


def page_values(
    node: MeasuredNode, checks: Sequence[LoadCheck], info: Mapping[str, Any], options: argparse.Namespace
) -> dict[str, Any]:
    """Compute all values that the page shows."""
    sizes = cluster_sizes(node, options.target_p95_s)
    planned = sizes[-1].utilisation or 0.7
    return {
        "run_info": info, "node": node, "checks": checks, "sizes": sizes, "planned": planned, "burst": BURST,
        "policies": simulate_policies(node, SEED, BURST), "node_start_s": NODE_SCHEDULING_S + node.start_s,
        "scheduling_s": NODE_SCHEDULING_S,
        "demands": capacity_demands(node, planned, options.price_per_core_hour), "price": options.price_per_core_hour,
        "target_s": options.target_p95_s, "gpu_per_s": options.gpu_pages_per_second,
        "gpu_price": options.price_per_gpu_hour, "max_wait_s": simulation.MAX_WAIT_S, "rounds": ROUNDS,
        "saturation_clients": simulation.SATURATION_CLIENTS, "service_time": node.as_service_time,
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service is stopped, too
    load_average = os.getloadavg()[0]
    seconds = QUICK_SECONDS if options.quick else SECONDS
    photos = photo_pixels(4 if options.quick else PHOTO_COUNT)
    encoded = [encode_photo(photo) for photo in photos]
    rng = np.random.default_rng(SEED)
    begin = time.perf_counter()
    with running_service(NO_REFUSALS_SETTINGS) as service:
        start_s = time.perf_counter() - begin
        open_client = _client_factory(service.address)
        node = measure(service, open_client, encoded, start_s, seconds)
        shares = QUICK_LOAD_SHARES if options.quick else LOAD_SHARES
        checks = [check_load(open_client, encoded, node, load_share, seconds, rng) for load_share in shares]
    info = run_info("a service of its own", seconds, load_average, photos)
    write(options.out, page_values(node, checks, info, options))
    print(f"written to {options.out}")


def _client_factory(address: str) -> Callable[[], httpx.Client]:
    return lambda: httpx.Client(base_url=address, timeout=REQUEST_TIMEOUT_S, limits=httpx.Limits(max_connections=None))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "scaling.md")
    parser.add_argument("--quick", action="store_true", help="a few photos and seconds; the page reports that")
    parser.add_argument("--target-p95-s", type=float, default=TARGET_P95_S)
    parser.add_argument("--price-per-core-hour", type=float, default=PRICE_PER_CORE_HOUR)
    parser.add_argument("--price-per-gpu-hour", type=float, default=PRICE_PER_GPU_HOUR)
    parser.add_argument(
        "--gpu-pages-per-second",
        type=float,
        help="throughput measured on a GPU; without it, the page shows only the formula",
    )
    return parser


if __name__ == "__main__":
    main()

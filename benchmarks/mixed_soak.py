"""Soak test: an hour of mixed requests while parts of the service fail at random.

    python -m benchmarks.mixed_soak [--out docs/soak.md] [--minutes 60]

The service runs on the promoted models. Every request is sent alone first; later, while eight clients send all of them
in random order, each answer must be the one that was got alone, or a refusal that says when to ask again. Meanwhile
processes are killed and suspended, and the disk for temporary files is filled. Memory, open files and temporary files
are sampled every half minute.
"""

import argparse
import base64
import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks.environment import describe_environment
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT, ServiceProcess, running_service
from benchmarks.throughput import encode_photo, photo_pixels
from tests.documents import einvoice_files
from tests.images import hostile_files, hostile_pdfs

CLIENTS = 8
TIMEOUT_S = 120.0
SAMPLE_EVERY_S = 30.0
FAULT_EVERY_S = (20.0, 60.0)
SUSPENDED_S = 5.0
CLOCK_JUMP_S = 20.0
DISK_MB = 64
FRONT, QUALITY, EXTRACTION = "docextract", "quality_runner", "extraction_runner"
DECODER = "docextract.images.decoder"
PARTS = {FRONT: "the front", QUALITY: "the quality runner", EXTRACTION: "the extraction runner",
         DECODER: "the decoding processes"}  # fmt: skip
OTHERS = "BentoML's other processes"
QUANTITIES = (*(f"memory of {part}, MB" for part in (*PARTS.values(), OTHERS)), "open files", "temporary files")
TEMPLATE = "mixed_soak.md.j2"


@dataclass(frozen=True)
class Sent:
    """One request of the mix. body: the raw file, or JSON for several files."""

    name: str
    operation: str
    body: bytes
    media_type: str


def requests_of_mix() -> list[Sent]:
    """Return the requests: ordinary ones several times, hostile ones once."""
    photos = [encode_photo(photo).jpeg for photo in photo_pixels(4)]
    mix = [Sent(f"photo {number}", name, photo, "image/jpeg")
           for number, photo in enumerate(photos) for name in ("validation", "validation", "extraction")]  # fmt: skip
    batch = [{"content": base64.b64encode(photo).decode()} for photo in photos]
    mix.append(Sent("four photos", "extraction", json.dumps({"images": batch}).encode(), "application/json"))
    mix.append(Sent("e-invoice", "extraction", einvoice_files.cii(), "application/xml"))
    hostile = {
        "JPEG of 100 scans": (hostile_files.of_many_scans(7000, 7000, 100), "image/jpeg"),
        "PDF that is drawn for ever": (hostile_pdfs.endless(), "application/pdf"),
        "PDF of ten million letters": (hostile_pdfs.many_glyphs(10_000_000), "application/pdf"),
        "cut JPEG": (photos[0][:20_000], "image/jpeg"),
        "PNG of 19 Mpx": (hostile_files.one_bit_square(4400), "image/png"),
    }
    return mix + [Sent(name, "validation", body, kind) for name, (body, kind) in hostile.items()]


@dataclass
class SoakRun:
    """What happened. outcomes: by request, how often each result. wrong: what differed, at most 20."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    samples: list[dict[str, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def mean(self, name: str, first: float, last: float) -> float:
        """Mean of a sampled quantity between two shares of the run."""
        part = self.samples[int(first * len(self.samples)) : max(1, int(last * len(self.samples)))]
        return float(np.mean([sample[name] for sample in part]))


def comparable(answer: Mapping[str, Any]) -> Any:
    """What of an answer must be equal: values, types, verdicts and problems; not confidences, which batching rounds."""
    if "code" in answer:
        return answer["code"]
    documents = [
        {name: _value(one) for name, one in document["fields"].items()} | {"": document["type"]}
        for document in answer.get("documents", ())
    ]
    return documents or [image["document"]["detected"] for image in answer["images"]]


def _value(answer: Mapping[str, Any]) -> Any:
    if "items" in answer:
        return [{name: _value(one) for name, one in row["fields"].items()} for row in answer["items"]]
    return answer.get("value")


def run(minutes: float, seed: int = 1) -> SoakRun:
    """Start a service and run the test."""
    mix, result = requests_of_mix(), SoakRun()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="docextract-soak-")))
        has_disk = stack.enter_context(_own_disk(folder))
        service = stack.enter_context(running_service({"TMPDIR": str(folder)}))
        with httpx.Client(base_url=service.address, timeout=TIMEOUT_S) as client:
            alone = {sent: _ask(client, sent) for sent in mix}
        stopped = threading.Event()
        threads = [
            threading.Thread(target=_send, args=(service, alone, result, stopped, random.Random(seed + number)))
            for number in range(CLIENTS)
        ]
        threads.append(threading.Thread(target=_sample, args=(service, folder, result, stopped)))
        for thread in threads:
            thread.start()
        _cause_faults(
            service, folder if has_disk else None, result, time.monotonic() + 60 * minutes, random.Random(seed)
        )
        stopped.set()
        for thread in threads:
            thread.join()
    return result


def _ask(client: httpx.Client, sent: Sent) -> tuple[int, Any]:
    response = client.post(f"/v1/{sent.operation}", content=sent.body, headers={"content-type": sent.media_type})
    if response.status_code in (429, 503) and "retry-after" in response.headers:
        return response.status_code, "refused"
    return response.status_code, comparable(response.json())


def _send(
    service: ServiceProcess,
    alone: Mapping[Sent, tuple[int, Any]],
    result: SoakRun,
    stopped: threading.Event,
    rng: random.Random,
) -> None:
    mix = list(alone)
    with httpx.Client(base_url=service.address, timeout=TIMEOUT_S) as client:
        while not stopped.is_set():
            sent = rng.choice(mix)
            try:
                status, answer = _ask(client, sent)
            except httpx.TransportError:
                outcome = "connection closed"
                time.sleep(0.2)
            else:
                outcome = "equal" if (status, answer) == alone[sent] else f"{status}" if status != 200 else "different"
                if answer == "refused":
                    outcome = f"{status} with Retry-After"
                    time.sleep(0.2)
                elif isinstance(answer, str) and outcome != "equal":
                    outcome = f"{status} {answer}"
                elif outcome == "different" and len(result.wrong) < 20:
                    result.wrong.append(f"{sent.name}: {answer} instead of {alone[sent][1]}")
            result.outcomes.setdefault(f"{sent.name}, /{sent.operation}", Counter())[outcome] += 1


def _sample(service: ServiceProcess, folder: Path, result: SoakRun, stopped: threading.Event) -> None:
    while not stopped.wait(SAMPLE_EVERY_S):
        sample = dict.fromkeys(QUANTITIES, 0.0)
        assert service.pid is not None
        first = psutil.Process(service.pid)
        for process in [first, *first.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                sample[f"memory of {_part_of(process)}, MB"] += process.memory_info().rss / 1e6
                sample["open files"] += process.num_fds()
        temporary = [path for path in folder.rglob("*") if path.is_file() and path.name != "filling"]
        result.samples.append(sample | {"temporary files": float(len(temporary))})


def _part_of(process: psutil.Process) -> str:
    command = process.cmdline()
    return next((part for word, part in PARTS.items() if word in command), OTHERS)


def _cause_faults(
    service: ServiceProcess, disk: Path | None, result: SoakRun, until_s: float, rng: random.Random
) -> None:
    """Cause one fault after the other until then. disk: for temporary files; None if it cannot be filled."""
    faults: dict[str, Callable[[], None]] = {
        "kill -9, the quality runner": lambda: _kill(service, QUALITY),
        "kill -9, the extraction runner": lambda: _kill(service, EXTRACTION),
        "kill -9, a decoding process": lambda: _kill_decoder(service),
        f"the extraction runner is suspended for {SUSPENDED_S:g} s": lambda: _suspend(service, EXTRACTION, SUSPENDED_S),
        f"the front is suspended for {SUSPENDED_S:g} s": lambda: _suspend(service, FRONT, SUSPENDED_S),
        f"all processes are suspended, so that their clocks jump by {CLOCK_JUMP_S:g} s": lambda: _stop_all(service),
        "SIGHUP: the models are reloaded": lambda: _hang_up(service),
    }
    if disk is not None:
        faults["the disk for temporary files is full for 5 s"] = lambda: _fill(disk)
    while (left_s := until_s - time.monotonic()) > 0:
        time.sleep(min(left_s, rng.uniform(*FAULT_EVERY_S)))
        if time.monotonic() < until_s - FAULT_EVERY_S[0]:  # the last answers come from a whole service
            name = rng.choice(list(faults))
            with contextlib.suppress(psutil.Error, IndexError, StopIteration):
                faults[name]()
                result.faults[name] += 1


def _kill(service: ServiceProcess, name: str) -> None:
    service.workers(name)[0].kill()


def _suspend(service: ServiceProcess, name: str, seconds: float) -> None:
    worker = service.workers(name)[0]
    worker.suspend()
    time.sleep(seconds)
    worker.resume()


def _kill_decoder(service: ServiceProcess) -> None:
    front = service.workers(FRONT)[0]
    next(child for child in front.children() if DECODER in child.cmdline()).kill()


def _stop_all(service: ServiceProcess) -> None:
    assert service.pid is not None
    os.killpg(service.pid, signal.SIGSTOP)
    time.sleep(CLOCK_JUMP_S)
    os.killpg(service.pid, signal.SIGCONT)


def _hang_up(service: ServiceProcess) -> None:
    assert service.pid is not None
    os.kill(service.pid, signal.SIGHUP)


def _fill(folder: Path) -> None:
    filling = folder / "filling"
    with contextlib.suppress(OSError), filling.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(65_536))
    time.sleep(5)
    filling.unlink()


@contextlib.contextmanager
def _own_disk(folder: Path) -> Iterator[bool]:
    """Mount a small disk in memory on the folder. Yields False where this process may not mount."""
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    mounted = subprocess.run(mounting, check=False, stderr=subprocess.DEVNULL).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def write(path: Path, result: SoakRun, minutes: float, run_info: Mapping[str, Any]) -> None:
    """Write the page."""
    page = page_template(TEMPLATE).render(
        result=result, minutes=minutes, run_info=run_info, clients=CLIENTS, quantities=QUANTITIES
    )
    path.write_text(page + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "soak.md")
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args(arguments)
    run_info = describe_environment()
    result = run(options.minutes)
    write(options.out, result, options.minutes, run_info)
    for line in result.wrong:
        print(line)
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()

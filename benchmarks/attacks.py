"""Measure what one caller notices while another one attacks the service.

    python -m benchmarks.attacks [--out docs/attacks.md] [--only PDF] [--seconds 20]

The service runs on the promoted models with two API keys. The guest sends one photo after another to /validation and to
/extraction, before, during and after each attack, which the other key sends from several clients at once.
"""

import argparse
import base64
import contextlib
import itertools
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from benchmarks.environment import describe_environment
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT, ServiceProcess, running_service
from benchmarks.throughput import encode_photo, photo_pixels
from docextract.keys import generate_key, key_digest
from docextract.pipeline import problems
from tests.images import hostile_files, hostile_pdfs

TIMEOUT_S = 120.0
CLIENTS = 8  # of the attacker
PAUSE_S = 0.1  # of the attacker, after a refusal
STALLED_UPLOADS, STALLED_BYTES = 65, 24_900_000
TEMPLATE = "attacks.md.j2"


@dataclass(frozen=True)
class Attack:
    """What is sent again and again. body: JSON, or None for uploads that stall."""

    name: str
    path: str
    files: Sequence[bytes]

    @property
    def body(self) -> bytes:
        """The request's body."""
        images = [{"content": base64.b64encode(data).decode()} for data in self.files]
        return json.dumps({"images": images}).encode()


@dataclass(frozen=True)
class GuestRequests:
    """The guest's requests during one phase."""

    latencies_s: Sequence[float]
    statuses: Counter[int]

    def percentile_ms(self, percent: float) -> float | None:
        """Return a percentile of the latency; None without answers."""
        return 1000 * float(np.percentile(self.latencies_s, percent)) if self.latencies_s else None


@dataclass
class AttackResult:
    """What the attacker got and what the guest noticed, by phase and operation."""

    name: str
    request_bytes: int
    sent: Counter[str] = field(default_factory=Counter)
    phases: dict[str, dict[str, GuestRequests]] = field(default_factory=dict)
    peak_front_mb: float = 0.0


def attacks() -> Iterator[Attack]:
    """Yield the attacks that send requests, in the order of the page."""
    scans, allowed = hostile_files.of_many_scans(7000, 7000, 100), hostile_files.of_many_scans(7000, 7000, 10)
    square, endless = hostile_files.one_bit_square(4400), hostile_pdfs.endless()
    photo = encode_photo(photo_pixels(1)[0]).jpeg
    xml = b"<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'>" + b"<a/>" * 1_000_000
    yield Attack("JPEGs of 49 Mpx and 100 scans", "/validation", [scans] * 10)
    yield Attack("JPEGs of 49 Mpx and 10 scans", "/validation", [allowed] * 10)
    yield Attack("one-bit PNGs of 19 Mpx and a slow PDF", "/extraction", [*[square] * 9, endless])
    yield Attack("PDFs that are drawn for ever", "/validation", [endless] * 10)
    yield Attack("PDFs of ten million letters", "/extraction", [hostile_pdfs.many_glyphs(10_000_000)] * 10)
    yield Attack("PDFs with a font that draws itself", "/extraction", [hostile_pdfs.cyclic_font()] * 10)
    yield Attack("XML of a million elements", "/extraction", [xml])
    yield Attack("ordinary photos, as many as possible", "/extraction", [photo])


def measure(seconds: float, only: str | None = None) -> list[AttackResult]:
    """Run the attacks, each of this duration."""
    keys = {name: generate_key() for name in ("guest", "attacker")}
    settings = {"DOCEXTRACT_API_KEYS": "\n".join(f'{name} = "{key_digest(key)}"' for name, key in keys.items())}
    photos = [encode_photo(photo).jpeg for photo in photo_pixels(4)]
    results = []
    for attack in attacks():
        if only is None or only in attack.name:
            run = partial(_flood, attack=attack, key=keys["attacker"])
            result = AttackResult(attack.name, len(attack.body))
            results.append(_measure_one(result, settings, keys["guest"], photos, seconds, run))
    stalled = AttackResult(f"{STALLED_UPLOADS} uploads that stall", STALLED_BYTES)
    if only is None or only in stalled.name:
        run = partial(_stall_uploads, key=keys["attacker"])
        results.append(_measure_one(stalled, settings, keys["guest"], photos, seconds, run))
    return results


Run = Callable[..., contextlib.AbstractContextManager[None]]


def _measure_one(
    result: AttackResult, settings: dict[str, str], key: str, photos: Sequence[bytes], seconds: float, attack: Run
) -> AttackResult:
    """Attack a fresh service, so that no attack suffers from the one before."""
    with running_service(settings) as service:
        ask = partial(_guest, service, key, photos)
        ask(3.0)  # warm up
        result.phases["before"] = ask(seconds / 2)
        with attack(service=service, result=result):
            result.phases["during"] = ask(seconds)
        result.phases["after"] = ask(seconds / 2)
        result.peak_front_mb = service.peak_mb().get("front", 0.0)
    print(result.name, dict(result.sent), _summary(result), flush=True)
    return result


def _summary(result: AttackResult) -> dict[str, Any]:
    return {
        phase: {name: (round(found.percentile_ms(95) or 0), dict(found.statuses)) for name, found in one.items()}
        for phase, one in result.phases.items()
    }


def _guest(service: ServiceProcess, key: str, photos: Sequence[bytes], seconds: float) -> dict[str, GuestRequests]:
    """Send one photo after another to each operation."""
    found: dict[str, GuestRequests] = {}

    def send(operation: str) -> None:
        latencies: list[float] = []
        statuses: Counter[int] = Counter()
        until_s = time.monotonic() + seconds
        with httpx.Client(base_url=service.address, timeout=TIMEOUT_S, headers={"x-api-key": key}) as client:
            for photo in itertools.cycle(photos):
                start_s = time.monotonic()
                if start_s > until_s:
                    break
                response = client.post(f"/v1/{operation}", content=photo, headers={"content-type": "image/jpeg"})
                statuses[response.status_code] += 1
                latencies.append(time.monotonic() - start_s)
                time.sleep(PAUSE_S)
        found[operation] = GuestRequests(latencies, statuses)

    threads = [threading.Thread(target=send, args=[operation]) for operation in ("validation", "extraction")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@contextlib.contextmanager
def _flood(service: ServiceProcess, result: AttackResult, attack: Attack, key: str) -> Iterator[None]:
    stopped, body = threading.Event(), attack.body
    headers = {"x-api-key": key, "content-type": "application/json"}

    def send() -> None:
        with httpx.Client(base_url=service.address, timeout=TIMEOUT_S, headers=headers) as client:
            while not stopped.is_set():
                try:
                    answer = client.post(f"/v1{attack.path}", content=body)
                    is_problem = answer.headers["content-type"] == problems.MEDIA_TYPE
                    result.sent[f"{answer.status_code} {answer.json()['code'] if is_problem else ''}".strip()] += 1
                    if answer.status_code == 503:
                        time.sleep(PAUSE_S)
                except httpx.TransportError:
                    result.sent["connection closed"] += 1

    threads = [threading.Thread(target=send, daemon=True) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def _stall_uploads(service: ServiceProcess, result: AttackResult, key: str) -> Iterator[None]:
    """Send all but the last bytes of many large bodies, and then nothing."""
    address = urlsplit(service.address)
    head = (
        f"POST /v1/extraction HTTP/1.1\r\nHost: {address.netloc}\r\nX-API-Key: {key}\r\n"
        f"Content-Type: image/jpeg\r\nContent-Length: {STALLED_BYTES + 1}\r\n\r\n"
    ).encode()
    chunk = bytes(1_000_000)

    def send() -> None:
        with contextlib.suppress(OSError), socket.create_connection((address.hostname, address.port)) as connection:
            connection.settimeout(TIMEOUT_S)
            connection.sendall(head)
            with contextlib.suppress(OSError):
                for _ in range(STALLED_BYTES // len(chunk)):
                    connection.sendall(chunk)
            answer = connection.recv(100)
            result.sent[answer.split(b"\r\n")[0].decode().removeprefix("HTTP/1.1 ") or "closed"] += 1

    threads = [threading.Thread(target=send, daemon=True) for _ in range(STALLED_UPLOADS)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    yield
    for thread in threads:
        thread.join(60)


def write(path: Path, results: Sequence[AttackResult], run_info: dict[str, Any], seconds: float) -> None:
    """Write the page."""
    page = page_template(TEMPLATE)
    path.write_text(page.render(results=results, run_info=run_info, clients=CLIENTS, seconds=seconds) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "attacks.md")
    parser.add_argument("--only", help="run only attacks whose name contains this text, and print the result")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each attack (20)")
    options = parser.parse_args(arguments)
    run_info = describe_environment()
    results = measure(options.seconds, options.only)
    if options.only is None:
        write(options.out, results, run_info, options.seconds)
        print(f"written to {options.out}")


if __name__ == "__main__":
    main()

"""Compare the verdict on a live preview frame with the verdict on the full photo: latency and agreement.

    python -m benchmarks.live_frame PHOTOS [--out FILE.json] [--server http://127.0.0.1:3000]

PHOTOS is a folder of pictures. Each is sent at full size and shrunk to 384 px, as a phone sends frames while its
camera searches for the document. The program starts a service on one core and measures it while it is idle; with
--server it measures a running service.
"""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np

from benchmarks.service_process import parse_server_timing, running_service
from docextract.images.geometry import FRAME_PX, Page
from training.datasets import pictures
from training.evaluation.evaluate import provenance

WARM_UP_REQUESTS, MEASURED_REQUESTS = 20, 200
GOAL_MS, GOAL_AGREEMENT = 30.0, 0.95
FRAME_JPEG_QUALITY, PHOTO_JPEG_QUALITY = 85, 92


def shrink_to_frame(photo: Page) -> Page:
    """Scale the photo to FRAME_PX on its longer side; the aspect ratio is kept."""
    scale = FRAME_PX / max(photo.shape[:2])
    size = (max(1, round(photo.shape[1] * scale)), max(1, round(photo.shape[0] * scale)))
    return np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), np.uint8)


def request_verdict(client: httpx.Client, page: Page, quality: int, **options: str) -> dict[str, Any]:
    """Return the verdict on one picture, which is sent as a JPEG."""
    return _post(client, _encode_jpeg(page, quality), options).json()["images"][0]  # type: ignore[no-any-return]


def _encode_jpeg(page: Page, quality: int) -> bytes:
    data = cv2.imencode(".jpg", cv2.cvtColor(page, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return data.tobytes()


def _post(client: httpx.Client, data: bytes, options: Mapping[str, str]) -> httpx.Response:
    response = client.post("/v1/validation", content=data, params=options, headers={"content-type": "image/jpeg"})
    return response.raise_for_status()


def measure_speed(client: httpx.Client, photo: Page) -> dict[str, Any]:
    """Measure the latency of one frame after another over one connection.

    Returns milliseconds as the client measures them, and the service's own time by step.
    """
    data = _encode_jpeg(shrink_to_frame(photo), FRAME_JPEG_QUALITY)
    latencies_ms, steps_by_request = [], []
    for number in range(WARM_UP_REQUESTS + MEASURED_REQUESTS):
        start = time.perf_counter()
        response = _post(client, data, {})
        if number >= WARM_UP_REQUESTS:
            latencies_ms.append(1000 * (time.perf_counter() - start))
            steps_by_request.append(parse_server_timing(response.headers["server-timing"]))
    median = float(np.median(latencies_ms))
    return {
        "median_ms": round(median, 1),
        "p95_ms": round(float(np.percentile(latencies_ms, 95)), 1),
        "goal_ms": GOAL_MS,
        "reached": median <= GOAL_MS,
        "steps_median_ms": {
            step: round(float(np.median([one[step] for one in steps_by_request])), 1) for step in steps_by_request[0]
        },
        "requests": MEASURED_REQUESTS,
        "frame_bytes": len(data),
    }


def measure_agreement(client: httpx.Client, photos: Sequence[Page]) -> dict[str, Any]:
    """Measure the share of pairs in which frame and photo get the same verdict.

    Criteria that cannot be assessed on the frame are switched off for the photo. Criteria are compared where both
    pictures are assessed.
    """
    same, criteria, left_out = [], dict[str, list[bool]](), set[str]()
    for photo in photos:
        frame_verdict = request_verdict(client, shrink_to_frame(photo), FRAME_JPEG_QUALITY)
        not_assessable = {one["name"] for one in frame_verdict["not_assessed"] if one["reason"] == "resolution"}
        left_out |= not_assessable
        severity = ",".join(f"{name}:off" for name in sorted(not_assessable))
        photo_verdict = request_verdict(client, photo, PHOTO_JPEG_QUALITY, severity=severity)
        same.append(frame_verdict["accepted"] == photo_verdict["accepted"])
        frame_passed, photo_passed = (
            {one["name"]: one["passed"] for one in verdict["criteria"]} for verdict in (frame_verdict, photo_verdict)
        )
        for name in frame_passed.keys() & photo_passed.keys():
            criteria.setdefault(name, []).append(frame_passed[name] == photo_passed[name])
    share = float(np.mean(same))
    return {
        "accepted": round(share, 4),
        "goal": GOAL_AGREEMENT,
        "reached": share >= GOAL_AGREEMENT,
        "criteria": {name: round(float(np.mean(agreements)), 4) for name, agreements in sorted(criteria.items())},
        "not_asked_of_frames": sorted(left_out),
        "pairs": len(same),
    }


@contextlib.contextmanager
def service_on_one_core() -> Iterator[str]:
    """Run a service whose processes all share one core, and yield its address. This process uses the other cores."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[1:] or cores)
    try:
        with running_service({"DOCEXTRACT_RUNNER_THREADS": "1", "DOCEXTRACT_DEVICE": "cpu"}, cores[:1]) as service:
            yield service.address
    finally:
        os.sched_setaffinity(0, cores)


def measure(address: str, photos: Sequence[Page], served_from: str) -> dict[str, Any]:
    """Measure latency and agreement, with date, commit and machine."""
    with httpx.Client(base_url=address, timeout=60) as client:
        return {
            **provenance(),
            "service": served_from,
            "load_average": round(os.getloadavg()[0], 2),
            "speed": measure_speed(client, photos[0]),
            "agreement": measure_agreement(client, photos),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--server", help="address of a running service; else one is started on one core")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="to the screen if not given")
    options = parser.parse_args(arguments)
    photos = [pictures.load(path) for path in pictures.list_pictures(options.photos)]
    if not photos:
        sys.exit(f"{options.photos} holds no pictures")
    if options.server:
        report = measure(options.server, photos, "as it was running")
    else:
        with service_on_one_core() as address:
            report = measure(address, photos, "its own, on one core")
    text = json.dumps(report, indent=1) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

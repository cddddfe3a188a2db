"""A live preview's frame against the photo it announces: how soon is it judged, and is it judged alike?

    python -m benchmarks.live_frame PHOTOS [--out FILE.json] [--server http://127.0.0.1:3000]

PHOTOS is a folder of pictures. Each is sent whole and shrunk to 384 px, as a phone would send frames while its camera
looks for the document. Starts a service of its own on one core and measures it idle; with --server a running one.
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

from benchmarks.service_process import started, steps_ms
from docextract.images.geometry import FRAME_PX, Page
from training.datasets import pictures
from training.evaluation.evaluate import circumstances

WARM_UP, REQUESTS = 20, 200
GOAL_MS, GOAL_AGREEMENT = 30.0, 0.95
FRAME_QUALITY, PHOTO_QUALITY = 85, 92


def frame_of(photo: Page) -> Page:
    """The same picture, FRAME_PX on its longer side."""
    scale = FRAME_PX / max(photo.shape[:2])
    size = (max(1, round(photo.shape[1] * scale)), max(1, round(photo.shape[0] * scale)))
    return np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), np.uint8)


def validate(client: httpx.Client, page: Page, quality: int, **options: str) -> dict[str, Any]:
    """The verdict on one picture, sent as a JPEG."""
    return _posted(client, _jpeg(page, quality), options).json()["images"][0]  # type: ignore[no-any-return]


def _jpeg(page: Page, quality: int) -> bytes:
    data = cv2.imencode(".jpg", cv2.cvtColor(page, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return data.tobytes()


def _posted(client: httpx.Client, data: bytes, options: Mapping[str, str]) -> httpx.Response:
    response = client.post("/v1/validation", content=data, params=options, headers={"content-type": "image/jpeg"})
    return response.raise_for_status()


def speed(client: httpx.Client, photo: Page) -> dict[str, Any]:
    """One frame after another over one connection, ms as the client sees them; and where the service spent them."""
    data = _jpeg(frame_of(photo), FRAME_QUALITY)
    took_ms, inside_ms = [], []
    for number in range(WARM_UP + REQUESTS):
        start = time.perf_counter()
        response = _posted(client, data, {})
        if number >= WARM_UP:
            took_ms.append(1000 * (time.perf_counter() - start))
            inside_ms.append(steps_ms(response.headers["server-timing"]))
    median = float(np.median(took_ms))
    return {
        "median_ms": round(median, 1),
        "p95_ms": round(float(np.percentile(took_ms, 95)), 1),
        "goal_ms": GOAL_MS,
        "reached": median <= GOAL_MS,
        "steps_median_ms": {
            step: round(float(np.median([one[step] for one in inside_ms])), 1) for step in inside_ms[0]
        },
        "requests": REQUESTS,
        "frame_bytes": len(data),
    }


def agreement(client: httpx.Client, photos: Sequence[Page]) -> dict[str, Any]:
    """Share of pairs in which frame and photo get the same answer.

    The photo is not asked what its frame says it cannot show. Criteria are compared where both judge them.
    """
    same, criteria, left_out = [], dict[str, list[bool]](), set[str]()
    for photo in photos:
        seen = validate(client, frame_of(photo), FRAME_QUALITY)
        without = {one["name"] for one in seen["not_assessed"] if one["reason"] == "resolution"}
        left_out |= without
        whole = validate(client, photo, PHOTO_QUALITY, severity=",".join(f"{name}:off" for name in sorted(without)))
        same.append(seen["accepted"] == whole["accepted"])
        passed = [{one["name"]: one["passed"] for one in verdict["criteria"]} for verdict in (seen, whole)]
        for name in passed[0].keys() & passed[1].keys():
            criteria.setdefault(name, []).append(passed[0][name] == passed[1][name])
    share = float(np.mean(same))
    return {
        "accepted": round(share, 4),
        "goal": GOAL_AGREEMENT,
        "reached": share >= GOAL_AGREEMENT,
        "criteria": {name: round(float(np.mean(alike)), 4) for name, alike in sorted(criteria.items())},
        "not_asked_of_frames": sorted(left_out),
        "pairs": len(same),
    }


@contextlib.contextmanager
def service_on_one_core() -> Iterator[str]:
    """The address of a service, all of whose processes share one core. This process keeps off it."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[1:] or cores)
    try:
        with started({"DOCEXTRACT_RUNNER_THREADS": "1", "DOCEXTRACT_DEVICE": "cpu"}, cores[:1]) as service:
            yield service.address
    finally:
        os.sched_setaffinity(0, cores)


def measure(address: str, photos: Sequence[Page], served_from: str) -> dict[str, Any]:
    """Both, with what a figure travels with."""
    with httpx.Client(base_url=address, timeout=60) as client:
        return {
            **circumstances(),
            "service": served_from,
            "load_average": round(os.getloadavg()[0], 2),
            "speed": speed(client, photos[0]),
            "agreement": agreement(client, photos),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--server", help="address of a running service; else one is started on one core")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="to the screen if not given")
    options = parser.parse_args(arguments)
    photos = [pictures.load(path) for path in pictures.listed(options.photos)]
    if not photos:
        sys.exit(f"{options.photos} holds no pictures")
    if options.server:
        found = measure(options.server, photos, "as it was running")
    else:
        with service_on_one_core() as address:
            found = measure(address, photos, "its own, on one core")
    text = json.dumps(found, indent=1) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

"""Writes a contact sheet of simulated photos, to check by eye what the networks learn from.

    python -m training.synth.preview preview.jpg --count 24 --seed 1
    python -m training.synth.preview preview.jpg --surfaces DIR --paper DIR --pages DIR --truth

Without folders, surfaces and paper are synthetic. `--pages` photographs the pictures of a folder instead of printed
sheets.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from docextract.images.geometry import Page
from training.datasets.pictures import load_folder
from training.synth.camera import simulation
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.camera.simulation import Shot
from training.synth.examples import PhotoExamples

CELL = (300, 400)  # width, height of one picture on the contact sheet
COLUMNS = 8


def contact_sheet(shots: Sequence[Shot], truth: bool = False) -> Page:
    """Arrange photos in a grid, uint8 [H, W, 3].

    truth: draw the outline of the document, and a dot on its own top-left corner.
    """
    rows = -(-len(shots) // COLUMNS)
    sheet = np.full((rows * CELL[1], COLUMNS * CELL[0], 3), 128, np.uint8)
    for index, shot in enumerate(shots):
        photo = _with_truth(shot) if truth and shot.conditions.document_present else shot.photo
        scale = min((CELL[0] - 4) / photo.shape[1], (CELL[1] - 4) / photo.shape[0])
        small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        top, left = index // COLUMNS * CELL[1], index % COLUMNS * CELL[0]
        sheet[top : top + small.shape[0], left : left + small.shape[1]] = small
    return sheet


def _with_truth(shot: Shot) -> Page:
    """The photo with outline and top-left corner of its document."""
    photo = shot.photo.copy()
    thick = max(2, photo.shape[1] // 200)
    polygon = np.round(shot.polygon).astype(np.int32)
    cv2.polylines(photo, [polygon], True, (255, 40, 40), thick)
    cv2.circle(photo, (int(polygon[0, 0]), int(polygon[0, 1])), 3 * thick, (40, 220, 40), -1)
    return photo


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--plan", choices=PHOTO_PLANS, default="random")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops; synthetic when not given")
    parser.add_argument("--paper", type=Path, help="pictures of crumpled white paper; synthetic when not given")
    parser.add_argument("--pages", type=Path, help="pictures of pages, cut at their border, instead of printed sheets")
    parser.add_argument("--truth", action="store_true", help="draw the outline of the document")
    options = parser.parse_args(arguments)
    surfaces, paper, pages = (load_folder(folder) for folder in (options.surfaces, options.paper, options.pages))
    plan = PHOTO_PLANS[options.plan]
    if pages:
        shots = []
        for index in range(options.count):
            rng = np.random.default_rng((options.seed, index))
            shots.append(simulation.take_photo(pages[int(rng.integers(len(pages)))], rng, plan(rng), surfaces, paper))
    else:
        examples = PhotoExamples(options.seed, plan=plan, surfaces=surfaces, paper=paper)
        shots = [examples[index].shot for index in range(options.count)]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(contact_sheet(shots, options.truth)).save(options.out, quality=88)


if __name__ == "__main__":
    main()

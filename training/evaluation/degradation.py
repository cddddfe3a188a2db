"""Degrade real photos step by step, one defect at a time, so that the truth is known without a simulated camera.

    python -m training.evaluation.degradation OUT.jpg PHOTO…         a contact sheet

Each function works on any photo, with or without a document. Strength 0 leaves the photo as it is, 1 makes it
unreadable.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from docextract.images.geometry import FRAME_PX, Page, fit_page
from training.datasets import pictures

STRENGTHS = (0.25, 0.5, 0.75, 1.0)
Degradation = Callable[[Page, float, np.random.Generator], Page]


def blur(photo: Page, strength: float, rng: np.random.Generator) -> Page:
    """Defocus with a Gaussian of up to 1 % of the longer side, which is about the height of a receipt's text."""
    sigma_px = strength * 0.01 * max(photo.shape[:2])
    return np.asarray(cv2.GaussianBlur(photo, (0, 0), sigma_px), np.uint8) if sigma_px > 0.3 else photo


def darken(photo: Page, strength: float, rng: np.random.Generator) -> Page:
    """Reduce the light to as little as 5 %, and add sensor noise."""
    light = photo.astype(np.float32) / 255
    exposed = 255 * (light**2.2 * 0.05**strength) ** (1 / 2.2)
    noisy = exposed + rng.normal(0, 6 * strength, photo.shape)
    return np.asarray(np.clip(np.rint(noisy), 0, 255), np.uint8)


def add_glare(photo: Page, strength: float, rng: np.random.Generator) -> Page:
    """Add a lamp's reflection near the middle, up to a third of the shorter side wide, with a saturated core."""
    height, width = photo.shape[:2]
    radius = strength * 0.33 * min(height, width)
    x, y = width * rng.uniform(0.35, 0.65), height * rng.uniform(0.35, 0.65)
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    distance = np.hypot(columns - x, (rows - y) / rng.uniform(0.5, 1.0)) / max(1.0, radius)
    added = 320 * np.exp(-(distance**4)) if radius > 0 else np.zeros((height, width))
    return np.clip(photo + added[..., None], 0, 255).astype(np.uint8)


def crop_side(photo: Page, strength: float, rng: np.random.Generator) -> Page:
    """Crop up to 60 % from one side, so that a document in the middle is cut off."""
    turns = int(rng.integers(4))
    turned = np.rot90(photo, turns)
    return np.ascontiguousarray(np.rot90(turned[round(0.6 * strength * turned.shape[0]) :], -turns))


# By the criterion that should detect it.
DEGRADATIONS: Mapping[str, Degradation] = {
    "blurry": blur,
    "dark": darken,
    "glare": add_glare,
    "document_cutoff": crop_side,
}


def degradation_contact_sheet(photos: Sequence[Page]) -> Page:
    """One picture: a row for each photo and defect, a column for each strength, 0 first."""
    rows = []
    for number, photo in enumerate(photos):
        for degrade in DEGRADATIONS.values():
            row = [degrade(photo, strength, np.random.default_rng(number)) for strength in (0.0, *STRENGTHS)]
            rows.append(np.hstack([fit_page(page, FRAME_PX).pixels for page in row]))
    return np.vstack(rows)


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("photos", type=Path, nargs="+")
    options = parser.parse_args()
    pictures.save(degradation_contact_sheet([pictures.load(path) for path in options.photos]), options.out)


if __name__ == "__main__":
    main()

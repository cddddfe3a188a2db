"""Makes the sample photos of the page at /demo, for people who have no document at hand.

    python -m training.synth.samples src/docextract/demo/samples

One careful photo per document type, and a receipt photographed badly. The seeds were chosen for pages that show much:
several rows, a machine-readable zone. Which pictures they give depends on the typefaces: run `make fonts` first.
"""

import argparse
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from docextract.images.geometry import Page
from training.synth import printing
from training.synth.camera import simulation
from training.synth.camera.plan import PhotoPlan
from training.synth.documents import generator_of

MAX_BYTES = 80_000  # they are part of the installed package
LONG_SIDE_PX = 1400
_CAREFUL = PhotoPlan.good()
_QUALITIES = range(88, 30, -4)  # JPEG qualities, tried in this order


@dataclass(frozen=True)
class Sample:
    """One sample photo: which document, and how it is photographed."""

    name: str  # of the file; equal to the document type, since the page offers the types that the service knows
    document_type: str
    seed: int
    plan: PhotoPlan = _CAREFUL


SAMPLES = (
    Sample("receipt", "receipt", 4),
    Sample("invoice", "invoice", 3),
    Sample("passport", "passport", 1),
    Sample("id_card", "id_card", 5),
    Sample("driver_licence", "driver_licence", 3),
    Sample("spoilt", "receipt", 6, PhotoPlan(defects=(("blurry", 0.5), ("document_cutoff", 0.3)))),
)


def photograph(sample: Sample) -> Page:
    """Make the photo, uint8 [H, W, 3]."""
    document_rng, rng = Random(sample.seed), np.random.default_rng((sample.seed,))
    printed = printing.print_sheet(generator_of(sample.document_type).draw(document_rng)[1], rng)
    shot = simulation.take_photo(
        printed.pixels, rng, sample.plan, text_height_px=printed.text_height_px, ink_contrast=printed.ink_contrast
    )
    return shot.photo


def small_jpeg(photo: Page) -> bytes:
    """Encode as JPEG of at most MAX_BYTES, at the highest quality that fits.

    Raises ValueError when no quality is low enough.
    """
    picture = Image.fromarray(photo)
    picture.thumbnail((LONG_SIDE_PX, LONG_SIDE_PX), Image.Resampling.LANCZOS)
    for quality in _QUALITIES:
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=quality, optimize=True, progressive=True)
        if out.tell() <= MAX_BYTES:
            return out.getvalue()
    raise ValueError(f"{picture.width} × {picture.height} px do not fit into {MAX_BYTES:,} bytes at any JPEG quality")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all samples; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for sample in SAMPLES:
        (options.folder / f"{sample.name}.jpg").write_bytes(small_jpeg(photograph(sample)))


if __name__ == "__main__":
    main()

"""Simulated photos of synthetic documents, by number, for training and evaluation.

An example depends on the seed and its number only: not on what was read before, nor on the worker that makes it.
Typefaces, surfaces and paper belong to the seed: with other ones the same number gives another picture.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from docextract.documents import document_types
from docextract.documents.base import DocumentType, Record
from docextract.images.geometry import Page
from training.synth import fonts, printing
from training.synth.camera import simulation
from training.synth.camera.simulation import PhotoPlan, Shot
from training.synth.documents import generator_of, generators
from training.synth.printing import PrintedPage


class PhotoExample(NamedTuple):
    """A synthetic document: its values, its printed page, its simulated photo and its type."""

    record: Record
    printed: PrintedPage
    shot: Shot
    kind: DocumentType


def printable() -> tuple[DocumentType, ...]:
    """Return the document types that have a generator."""
    return tuple(document_types()[name] for name in generators())


class PhotoExamples:
    """An endless sequence of simulated photos of synthetic documents.

    kinds:           the document types to draw from; all that have a generator when not given.
    plan:            draws the plan of each photo.
    surfaces, paper: see `simulation.take_photo`.
    typefaces:       which typefaces pages are printed in.

    Raises ValueError when there is no type to draw from.
    """

    def __init__(
        self,
        seed: int,
        kinds: Sequence[DocumentType] | None = None,
        plan: Callable[[np.random.Generator], PhotoPlan] = PhotoPlan.random,
        surfaces: Sequence[Page] = (),
        paper: Sequence[Page] = (),
        typefaces: fonts.Share = "all",
    ) -> None:
        self.seed = seed
        self.kinds = tuple(printable() if kinds is None else kinds)
        self.plan = plan
        self.surfaces, self.paper, self.typefaces = surfaces, paper, typefaces
        if not self.kinds:
            raise ValueError("no document type to print: none has a generator in training/synth/documents")

    def __getitem__(self, index: int) -> PhotoExample:
        """Make the example of this number."""
        rng = np.random.default_rng((self.seed, index))
        kind = self.kinds[int(rng.integers(len(self.kinds)))]
        record, printed = _print_one(kind, rng, self.typefaces)
        plan = self.plan(rng)
        several = any(name == "multiple_documents" for name, _ in plan.defects)
        beside = [_print_one(kind, rng, self.typefaces)[1].pixels] if several else []
        shot = simulation.take_photo(
            printed.pixels, rng, plan, self.surfaces, self.paper, printed.text_height_px, printed.ink_contrast, beside
        )
        return PhotoExample(record, printed, shot, kind)


def _print_one(kind: DocumentType, rng: np.random.Generator, typefaces: fonts.Share) -> tuple[Record, PrintedPage]:
    """Generate a document of this type and print it."""
    document_rng = Random(int(rng.integers(2**62)))
    record, sheet = generator_of(kind.name).draw(document_rng)
    return record, printing.print_sheet(sheet, rng, typefaces=typefaces)

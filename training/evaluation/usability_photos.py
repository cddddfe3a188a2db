"""Photos that tell whether the check of photos is right: documents with known fields, and damaged photos of them.

    python -m training.evaluation.usability_photos OUT --srd DIR --ids DIR --invoices DIR --synthetic 80

Each collection becomes labelled folders with one picture of each document under the same key: OUT/srd/clean,
OUT/srd/careful-0, OUT/srd/damaged-0, …. Clean are the real phone photos (srd), the pictures of the specimens (ids), the
drawn first pages (invoices) and the printed pages (synthetic). Careful and damaged are simulated photos of these pages,
cut out of real photos first. Careful photos show which fields are read wrong by chance, on photos without a defect.
Labelled are the required fields. Then the promoted models read every picture; their outcomes are cached in the folders
(see training/evaluation/photo_outcomes.py), so that training.evaluation.usability compares scores in seconds. A stopped
run is resumed. Documents of several pages are left out.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
import torch

from docextract.documents import document_types
from docextract.images.geometry import Page, rectify, take_glimpse
from docextract.quality.assessor import Assessor
from docextract.registry import promoted_version
from training.command_line import add_models_option
from training.datasets import labelled_folder, pictures, srd
from training.datasets.page import LabelledPage
from training.datasets.synthetic import labels_of
from training.evaluation.photo_outcomes import RecordingModels, collect_outcomes
from training.evaluation.real_documents import page_count, read_collection
from training.synth.camera import simulation
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.examples import PhotoExamples, printable

CLEAN = "clean"
CAREFUL_PHOTOS = 2  # of each page
# The plans of the damaged photos of each page, one folder for each: two of them are about as people take photos.
DAMAGE_PLANS = ("damaged", "everyday", "damaged", "quality_training", "damaged", "damaged")
# There are as many synthetic pages as wanted, so that each needs fewer photos.
NOT_OF_SYNTHETIC = ("damaged-3", "damaged-4", "damaged-5")
DAMAGE_SEED, CAREFUL_SEED = 53, 54
PAGE_DPI = 200  # of drawn pages
LONGEST_PX = 3000  # of the clean pictures
ATTEMPTS = 20  # at a photo with the document in it


@dataclass(frozen=True)
class KnownPage:
    """A page whose required fields are known. load: returns its picture."""

    key: str
    type: str
    fields: Mapping[str, Any]
    also: Mapping[str, Any]
    load: Callable[[], Page]


def srd_pages(root: Path) -> Iterator[KnownPage]:
    """Both halves of the phone photos."""
    for page in (*srd.load(root, "development"), *srd.load(root, "test")):
        yield _known_page(page)


def _known_page(page: LabelledPage) -> KnownPage:
    fields, also = (_required(page.type, labels) for labels in (page.fields, page.alternatives))
    return KnownPage(page.key, page.type, fields, also, partial(pictures.load, page.image, LONGEST_PX))


def collection_pages(folder: Path) -> Iterator[KnownPage]:
    """The documents of one page of a collection, see training.evaluation.real_documents.

    Of others, a required field may be on another page. The key begins with the template.
    """
    known = (one for one in read_collection(folder) if one.type in document_types())
    for document in (one for one in known if page_count(one.path) == 1):
        fields, also = (_required(document.type, labels) for labels in (document.fields, document.alternatives))
        key = f"{document.template}--{document.path.stem}".replace("/", "_")
        yield KnownPage(key, document.type, fields, also, partial(draw_first_page, document.path))


def printed_pages(count: int) -> Iterator[KnownPage]:
    """Printed pages of all document types, in typefaces that no network has learned from."""
    examples = PhotoExamples(
        DAMAGE_SEED, kinds=printable(), plan=lambda rng: PHOTO_PLANS["good"](rng), typefaces="unseen"
    )
    for index in range(count):
        record, printed, _, kind = examples[index]
        fields = _required(kind.name, labels_of(record))
        yield KnownPage(f"{kind.name}-{index:04}", kind.name, fields, {}, partial(_as_it_is, printed.pixels))


def _required(kind: str, labels: Mapping[str, Any]) -> dict[str, Any]:
    return {name: label for name, label in labels.items() if name in document_types()[kind].required}


def draw_first_page(path: Path) -> Page:
    """A picture as it is, or the first page of a PDF at PAGE_DPI."""
    if path.suffix.lower() != ".pdf":
        return pictures.load(path, LONGEST_PX)
    pdf = pypdfium2.PdfDocument(path)
    try:
        drawn = pdf[0].render(scale=PAGE_DPI / 72, rev_byteorder=True, may_draw_forms=True).to_numpy()
        return np.ascontiguousarray(drawn[..., :3])
    finally:
        pdf.close()


def cut_out(photo: Page, assessor: Assessor) -> Page | None:
    """The document of a photo, flat and upright; None where none is detected."""
    polygon = assessor.assess([take_glimpse(photo)])[0].polygon
    if polygon is None:
        return None
    return rectify(photo, (polygon * [photo.shape[1], photo.shape[0]]).astype(np.float32), margin=0.0).page


def _as_it_is(page: Page) -> Page:
    return page


@dataclass(frozen=True)
class PhotoSet:
    """A folder of simulated photos, one of each page of a collection."""

    folder: str
    plan: str
    seed: tuple[int, int]


def photo_sets() -> Iterator[PhotoSet]:
    """The careful sets, then the damaged ones."""
    for number in range(CAREFUL_PHOTOS):
        yield PhotoSet(f"careful-{number}", "good", (CAREFUL_SEED, number))
    for number, plan in enumerate(DAMAGE_PLANS):
        yield PhotoSet(f"damaged-{number}", plan, (DAMAGE_SEED, number))


def photograph_page(page: Page, plan: str, rng: np.random.Generator) -> Page:
    """A simulated photo of a page, with the page in it. Raises ValueError if no attempt shows it."""
    for _ in range(ATTEMPTS):
        shot = simulation.take_photo(page, rng, PHOTO_PLANS[plan](rng))
        if shot.conditions.document_present:
            return shot.photo
    raise ValueError(f"{ATTEMPTS} photos of the plan {plan} do not show the page")


def write_clean(folder: Path, pages: Iterator[KnownPage]) -> None:
    """Write the clean pictures, unless they are there."""
    _write_whole(folder, ((page, page.load()) for page in pages))


def write_photo_set(collection: Path, photos: PhotoSet, cut: Callable[[Page], Page | None]) -> None:
    """Write a simulated photo of each clean picture of a collection, unless they are there."""

    def taken() -> Iterator[tuple[KnownPage, Page]]:
        for index, page in enumerate(map(_known_page, labelled_folder.load(collection / CLEAN).pages)):
            flat = cut(page.load())
            if flat is not None:
                yield page, photograph_page(flat, photos.plan, np.random.default_rng((*photos.seed, index)))

    _write_whole(collection / photos.folder, taken())


def _write_whole(folder: Path, pictures_of_pages: Iterator[tuple[KnownPage, Page]]) -> None:
    """Write a labelled folder under another name, then rename it: a folder that exists is complete."""
    if folder.exists():
        return
    unfinished = folder.with_name(f"{folder.name}.part")
    with labelled_folder.LabelledFolderWriter(unfinished) as writer:
        for page, picture in pictures_of_pages:
            writer.add(page.key, picture, page.type, page.fields, also=page.also)
    unfinished.rename(folder)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    for name in ("srd", "ids", "invoices"):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR")
    parser.add_argument("--synthetic", type=int, default=0, metavar="N", help="number of synthetic pages")
    add_models_option(parser)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    models = RecordingModels(options.models)
    assessor = Assessor.load(promoted_version("quality", options.models).folder)
    collections: dict[str, Iterator[KnownPage]] = {}
    if options.srd:
        collections["srd"] = srd_pages(options.srd)
    for name in ("ids", "invoices"):
        if getattr(options, name):
            collections[name] = collection_pages(getattr(options, name))
    if options.synthetic:
        collections["synthetic"] = printed_pages(options.synthetic)
    for name, pages in collections.items():
        write_clean(options.out / name / CLEAN, pages)
        collect_outcomes(options.out / name / CLEAN, models)
    for photos in photo_sets():
        for name in collections:
            if name != "synthetic" or photos.folder not in NOT_OF_SYNTHETIC:
                cut = partial(cut_out, assessor=assessor) if name == "srd" else _as_it_is
                write_photo_set(options.out / name, photos, cut)
                collect_outcomes(options.out / name / photos.folder, models)
                print(f"{options.out / name / photos.folder}: done", flush=True)


if __name__ == "__main__":
    main()

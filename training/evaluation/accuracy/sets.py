"""The sets of pages that docs/accuracy.md reports: real receipts, scanned and as simulated photos, and synthetic pages.

Of synthetic pages everything is known: the fields, which fields are absent, and where each run of text lies in the
photo. Of SROIE's receipts four fields and the place of each text line are known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from training.datasets import LabelledPage, pictures, softmatic, srd, sroie
from training.datasets.simulated_photos import (
    IMPAIRMENTS,
    NO_IMPAIRMENT,
    SEVERITIES,
    PhotoSpec,
    ScanPhotoSpec,
    SyntheticPhotoSpec,
)
from training.synth.examples import printable

PolygonPoints = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class PrintedRun:
    """A run of text and its outline, relative to the picture, clockwise from the text's own top-left corner."""

    text: str
    outline: PolygonPoints
    field: str | None = None  # the field that it prints, if known: "total", "line_items.2.description"


@dataclass(frozen=True)
class EvaluationPage:
    """A page for the service to read, and its ground truth."""

    label: LabelledPage
    runs: tuple[PrintedRun, ...] = ()
    zone: tuple[str, ...] = ()  # lines of its machine-readable zone
    printed: Mapping[str, str] = field(default_factory=dict)  # labels as they are printed, by field
    conditions: Mapping[str, float] = field(default_factory=dict)  # conditions of the simulated photo


@dataclass(frozen=True)
class PageSet:
    """Pages that are reported together. A page with a specification is photographed by the simulation first."""

    name: str
    title: str
    real: bool
    pages: tuple[tuple[LabelledPage, PhotoSpec | None], ...]
    root: Path | None = None  # of SROIE, whose text lines are known
    baselines: bool = True  # the baselines are measured on it, too
    plan: str | None = None  # of the camera simulation, for synthetic pages
    note: str = ""  # what was chosen or fitted on these pages; printed above their figures


TYPE_NOTE = (
    " The head that tells document types, and only it, has learned from these pages: the share of right types is no "
    "measurement on unseen pages."
)
UNSEEN_NOTE = (
    "**Partly fitted on these pages:** two spelling rules of the decoder were chosen on these receipts. They add about "
    "9 percentage points to exact addresses here; expect less on new receipts." + TYPE_NOTE
)
SEEN_NOTE = "Training has seen other receipts of these merchants." + TYPE_NOTE
PHONE_NOTE = (
    "No extraction network has learned their fields. Confidences are fitted on the other half of the same "
    "collection. Answers of earlier versions to some of these photos were examined before the photos were labelled."
    + TYPE_NOTE
)
GERMAN_NOTE = (
    "**Used for a change of the generator:** it prints taxes of several rates since six of these totals were wrong "
    "without them. No network has learned their fields." + TYPE_NOTE
)
INVOICE_NOTE = (
    "**Used for one rule:** the rule that keeps the rows of a table apart was added after an error on one of these "
    "invoices."
)


def sroie_sets(root: Path, count: int | None) -> Iterator[PageSet]:
    """Receipts of merchants that training has not seen, and of merchants that it has; as scans and as photos.

    count: of each; None for all.
    """
    for split, who in (("dev_unseen_merchants", "unseen"), ("dev_seen_merchants", "seen")):
        labels = sroie.load(root, split)[:count]
        title, note = f"SROIE, {who} merchants", UNSEEN_NOTE if who == "unseen" else SEEN_NOTE
        photos = _photos(labels, root, "everyday")
        yield PageSet(f"{who}_photos", f"{title}, everyday simulated photos", True, photos, root, note=note)
        scans = tuple((label, None) for label in labels)
        yield PageSet(f"{who}_scans", f"{title}, scans", True, scans, root, note=note)
        if who == "unseen":
            careful = _photos(labels, root, "good")
            title = f"{title}, careful simulated photos"
            yield PageSet("unseen_good", title, True, careful, root, baselines=False, note=note)


def graded_sets(root: Path, count: int) -> Iterator[tuple[str, int, PageSet]]:
    """Impairment, grade and pages, the same receipts in all. The first set is the careful photos without impairment."""
    labels = sroie.load(root, "dev_unseen_merchants")[:count]
    clean = _photos(labels, root, NO_IMPAIRMENT)
    yield NO_IMPAIRMENT, 0, PageSet(NO_IMPAIRMENT, NO_IMPAIRMENT, True, clean, root, baselines=False)
    for name in IMPAIRMENTS:
        for grade in range(len(SEVERITIES)):
            yield name, grade, PageSet(name, name, True, _photos(labels, root, name, grade), root, baselines=False)


def synthetic_sets(count: int) -> Iterator[PageSet]:
    """Everyday and careful photos of synthetic documents, `count` of each document type."""
    for plan, how in (("everyday", "everyday"), ("good", "careful")):
        for kind in printable():
            specs = tuple(SyntheticPhotoSpec(kind.name, index, plan) for index in range(count))
            pages = tuple((unlabelled_page(f"{kind.name}_{spec.index:04}", kind.name), spec) for spec in specs)
            title = f"Synthetic {kind.name}s, {how} photos".replace("_", " ")
            note = INVOICE_NOTE if kind.name == "invoice" else ""
            yield PageSet(
                f"{kind.name}_{plan}", title, False, pages, baselines=plan == "everyday", plan=plan, note=note
            )


def german_set(root: Path, count: int | None) -> PageSet:
    """Softmatic's scans of German receipts."""
    pages = tuple((one, None) for one in softmatic.load(root)[:count])
    return PageSet("german_scans", "German receipts, scans", True, pages, note=GERMAN_NOTE)


def phone_set(root: Path, count: int | None) -> PageSet:
    """The test half of SRD's photos of American receipts; see training.datasets.srd."""
    pages = tuple((one, None) for one in srd.load(root, "test")[:count])
    return PageSet("phone_photos", "American receipts, phone photos", True, pages, note=PHONE_NOTE)


def _photos(
    labels: Sequence[LabelledPage], root: Path, plan: str, grade: int = 0
) -> tuple[tuple[LabelledPage, PhotoSpec], ...]:
    return tuple((label, ScanPhotoSpec(label.image, root, index, plan, grade)) for index, label in enumerate(labels))


def unlabelled_page(key: str, type_name: str) -> LabelledPage:
    """A page whose image and labels come from the simulation; see evaluation_page."""
    return LabelledPage(Path(), type_name, {}, key=key)


def evaluation_page(
    label: LabelledPage, root: Path | None, image: Path, truth: Mapping[str, Any] | None
) -> EvaluationPage:
    """A page with its ground truth. root: of SROIE, for its receipts; truth: of the simulated photo, if it is one."""
    if truth is None:
        runs = _scanned_runs(label, root) if root else ()
        return EvaluationPage(label, runs, printed=sroie.printed_labels(root, label.key) if root else {})
    fields = truth.get("fields", label.fields)
    page = LabelledPage(image, label.type, fields, label.tags, label.currency, label.key)
    runs = tuple(PrintedRun(text, tuple((x, y) for x, y in outline), name) for text, outline, name in truth["runs"])
    printed = sroie.printed_labels(root, label.key) if root else _printed_fields(runs)
    return EvaluationPage(page, runs, tuple(truth.get("zone", ())), printed, truth["conditions"])


def _scanned_runs(label: LabelledPage, root: Path) -> tuple[PrintedRun, ...]:
    height, width = pictures.load(label.image).shape[:2]
    lines = sroie.transcript(root, label.key)
    return tuple(
        PrintedRun(text, tuple((x, y) for x, y in (polygon / [width, height]).tolist())) for polygon, text in lines
    )


def _printed_fields(runs: Sequence[PrintedRun]) -> dict[str, str]:
    """The printed text of each field; its lines are joined with spaces, repetitions are dropped."""
    texts: dict[str, list[str]] = {}
    for run in runs:
        if run.field:
            texts.setdefault(run.field, []).append(run.text)
    return {name: " ".join(dict.fromkeys(lines)) for name, lines in texts.items()}

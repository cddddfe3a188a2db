"""The pages that accuracy is measured on: real receipts, scanned and photographed, and synthetic documents of every
type.

Of synthetic pages everything is known: what stands on them, what does not, and where each run of text came to lie in
the
photograph. Of SROIE's receipts four fields are, and where each line of text stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from training.datasets import LabelledPage, pictures, softmatic, srd, sroie
from training.evaluation.accuracy.photographs import CLEAN, GRADES, WAYS, OfScan, Order, SyntheticPhoto
from training.synth.examples import printable

Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Run:
    """Print and its place: relative to the picture, clockwise from the print's own top left."""

    text: str
    outline: Outline
    field: str | None = None  # that it prints, where that is known: "total", "line_items.2.description"


@dataclass(frozen=True)
class Sample:
    """One page to be asked about, and all that is known of it."""

    label: LabelledPage
    runs: tuple[Run, ...] = ()
    zone: tuple[str, ...] = ()  # the lines of its machine-readable zone
    printed: Mapping[str, str] = field(default_factory=dict)  # labels as they stand on the page, by field
    conditions: Mapping[str, float] = field(default_factory=dict)  # what the camera did


@dataclass(frozen=True)
class PageSet:
    """Pages that are told of together. Those with an order are photographed first."""

    name: str
    title: str
    real: bool
    pages: tuple[tuple[LabelledPage, Order | None], ...]
    root: Path | None = None  # of SROIE: its lines are known
    peers: bool = True  # other readers are asked, too
    plan: str | None = None  # of the camera, for synthetic pages


def sroie_sets(root: Path, count: int | None) -> Iterator[PageSet]:
    """Merchants that no model has seen, and seen ones; each as scans and as photographs. count: of each, or all."""
    for split, who in (("dev_unseen_merchants", "unseen"), ("dev_seen_merchants", "seen")):
        labels = sroie.load(root, split)[:count]
        title = f"SROIE, {who} merchants"
        yield PageSet(f"{who}_photos", f"{title}, everyday photographs", True, _shot(labels, root, "everyday"), root)
        yield PageSet(f"{who}_scans", f"{title}, scans", True, tuple((label, None) for label in labels), root)
        if who == "unseen":
            careful = _shot(labels, root, "good")
            yield PageSet("unseen_good", f"{title}, careful photographs", True, careful, root, peers=False)


def graded_sets(root: Path, count: int) -> Iterator[tuple[str, int, PageSet]]:
    """Way, grade and pages; the same receipts in all. The first is the careful photographs as they are."""
    labels = sroie.load(root, "dev_unseen_merchants")[:count]
    yield CLEAN, 0, PageSet(CLEAN, CLEAN, True, _shot(labels, root, CLEAN), root, peers=False)
    for way in WAYS:
        for grade in range(len(GRADES)):
            yield way, grade, PageSet(way, way, True, _shot(labels, root, way, grade), root, peers=False)


def synthetic_sets(count: int) -> Iterator[PageSet]:
    """Photographs of synthetic documents, so many of each type: as people take them, and as those do who take care."""
    for plan, how in (("everyday", "everyday"), ("good", "careful")):
        for kind in printable():
            orders = tuple(SyntheticPhoto(kind.name, index, plan) for index in range(count))
            pages = tuple((_blank(f"{kind.name}_{order.index:04}", kind.name), order) for order in orders)
            title = f"Synthetic {kind.name}s, {how} photographs".replace("_", " ")
            yield PageSet(f"{kind.name}_{plan}", title, False, pages, peers=plan == "everyday", plan=plan)


def german_set(root: Path, count: int | None) -> PageSet:
    """Softmatic's scans, as they are."""
    return PageSet(
        "german_scans", "German receipts, scans", True, tuple((one, None) for one in softmatic.load(root)[:count])
    )


def phone_set(root: Path, count: int | None) -> PageSet:
    """SRD's photos of American receipts, the half that is not looked at while extraction is made."""
    pages = tuple((one, None) for one in srd.load(root, "measured")[:count])
    return PageSet("phone_photos", "American receipts, phone photos", True, pages)


def _shot(
    labels: Sequence[LabelledPage], root: Path, plan: str, grade: int = 0
) -> tuple[tuple[LabelledPage, Order], ...]:
    return tuple((label, OfScan(label.image, root, index, plan, grade)) for index, label in enumerate(labels))


def _blank(key: str, kind: str) -> LabelledPage:
    return LabelledPage(Path(), kind, {}, key=key)


def sample(label: LabelledPage, root: Path | None, image: Path, truth: Mapping[str, Any] | None) -> Sample:
    """A page as it will be asked about. root: of SROIE, for its receipts; truth: of the photograph, if it is one."""
    if truth is None:
        runs = _scanned_runs(label, root) if root else ()
        return Sample(label, runs, printed=sroie.printed(root, label.key) if root else {})
    fields = truth.get("fields", label.fields)
    page = LabelledPage(image, label.type, fields, label.tags, label.currency, label.key)
    runs = tuple(Run(text, tuple((x, y) for x, y in outline), name) for text, outline, name in truth["runs"])
    printed = sroie.printed(root, label.key) if root else _printed(runs)
    return Sample(page, runs, tuple(truth.get("zone", ())), printed, truth["conditions"])


def _scanned_runs(label: LabelledPage, root: Path) -> tuple[Run, ...]:
    height, width = pictures.load(label.image).shape[:2]
    lines = sroie.transcript(root, label.key)
    return tuple(Run(text, tuple((x, y) for x, y in (polygon / [width, height]).tolist())) for polygon, text in lines)


def _printed(runs: Sequence[Run]) -> dict[str, str]:
    """The text of each field that is printed, its lines one after the other."""
    texts: dict[str, list[str]] = {}
    for run in runs:
        if run.field:
            texts.setdefault(run.field, []).append(run.text)
    return {name: " ".join(dict.fromkeys(lines)) for name, lines in texts.items()}

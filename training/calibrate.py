"""Fit confidences and acceptance on pages that the network has not learned from.

    python -m training.calibrate runs/extraction/weights --sroie DATA/sroie --reads runs/reads/sroie.jsonl

Real receipts are merchants kept back from training (see pages.kept_back); sheets are of seeds that training does
not reach, and are what tells about fields that are absent. Writes calibration.json beside the weights.

An imported checkpoint is shown labelled pages, cut to the document as the service cuts them:

    python -m training.calibrate runs/cord --labelled DATA/receipts
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol

import numpy as np
import torch

from docextract.decoding import Limits, Refusal, decode
from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.extraction.calibration import INPUTS, UNCALIBRATED, Calibration, inputs
from docextract.extraction.extractor import Extractor
from docextract.extraction.spans import Candidate
from docextract.imaging import Page
from docextract.registry.version import load, loader_of
from training import pages
from training.datasets import labelled, reads, sroie
from training.datasets.page import LabelledPage, value_of
from training.metrics import Comparison
from training.synth.misreading import misread
from training.variations import RealPage

SHEETS_FROM = 1 << 62  # seeds below are training's
REAL_WEIGHT = 4.0  # a real page tells more than a sheet
FEWEST = 60  # examples; with fewer, a field shares the common weights
RIDGE = 1e-2
INVENTED = 0.02  # at most this share of absent fields may get a value


@dataclass(frozen=True)
class Trial:
    """One field of one page: the candidate, if any, and the truth. wanted: None when it is not on the page."""

    field: str
    candidate: Candidate | None
    wanted: Any
    weight: float

    @property
    def right(self) -> bool:
        """Whether the candidate's value is the page's."""
        if self.candidate is None or self.wanted is None:
            return False
        return Comparison(self.field, self.wanted, self.candidate.value).loose


def real_trials(extractor: Extractor, real: Iterable[RealPage]) -> Iterator[Trial]:
    """Only fields that the label knows of."""
    for page in real:
        kind = document_types()[page.label.type]
        yield from _trials(page.label, kind, extractor.candidates(kind, page.read.lines))


class ReadsPixels(Protocol):
    """What was imported."""

    def candidates(self, pages: Sequence[Page]) -> list[dict[str, Candidate]]:
        """For each page, those of single fields."""


def pixel_trials(model: ReadsPixels, labels: Iterable[LabelledPage]) -> Iterator[Trial]:
    """The same for what reads for itself; pictures that cannot be opened are left out."""
    for label in labels:
        opened = decode(label.image.read_bytes(), Limits())
        if not isinstance(opened, Refusal):
            (found,) = model.candidates([opened[0]])
            yield from _trials(label, document_types()[label.type], found)


def _trials(label: LabelledPage, kind: DocumentType, found: Mapping[str, Candidate]) -> Iterator[Trial]:
    for field in kind.fields():
        if field.name in label.fields:
            wanted = value_of(field.kind, label.fields[field.name])
            yield Trial(field.name, found.get(field.name), wanted, REAL_WEIGHT)


def sheet_trials(extractor: Extractor, kind: DocumentType, count: int) -> Iterator[Trial]:
    """Every single field, also those that are not printed."""
    if kind.sample is None or kind.typeset is None:
        return
    strings = {field.name for field in kind.fields() if field.kind.name == "string"}
    for number in range(count):
        dice, rng = Random(SHEETS_FROM + number), np.random.default_rng(SHEETS_FROM + number)
        record = kind.sample(dice)
        marked = misread(kind.typeset(record, dice), rng, strings)
        legible = {mark[2] for line in marked for mark in line.marks}
        found = extractor.candidates(kind, [line.line for line in marked])
        for field in kind.fields():
            wanted = getattr(record, field.name, None) if field.name in legible else None
            if field.group is None:
                yield Trial(field.name, found.get(field.name), wanted, 1.0)


def fit(trials: Sequence[Trial]) -> Calibration:
    """One logistic model for each field with enough trials, and one for all."""
    by_field: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_field[trial.field].append(trial)
    accept = {name: _acceptance(some) for name, some in by_field.items()} | {"*": UNCALIBRATED.accept["*"]}
    given = [t for t in trials if t.candidate is not None and t.candidate.support >= accept[t.field]]
    weights = {"*": _logistic(given) if given else list(UNCALIBRATED.weights["*"])}
    for name in by_field:
        own = [trial for trial in given if trial.field == name]
        if len(own) >= FEWEST:
            weights[name] = _logistic(own)
    return Calibration(weights, accept)


def _logistic(trials: Sequence[Trial]) -> list[float]:
    """Weighted logistic regression; bias first."""
    x = torch.tensor([(1.0, *inputs(t.candidate)) for t in trials if t.candidate], dtype=torch.float64)
    y = torch.tensor([float(t.right) for t in trials], dtype=torch.float64)
    share = torch.tensor([t.weight for t in trials], dtype=torch.float64)
    weights = torch.zeros(1 + len(INPUTS), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        error = torch.nn.functional.binary_cross_entropy_with_logits(x @ weights, y, share)
        total = error + RIDGE * (weights[1:] ** 2).sum()
        total.backward()
        return total

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    return [round(value, 5) for value in weights.tolist()]


def _acceptance(trials: Sequence[Trial]) -> float:
    """The lowest support that keeps values invented for absent fields under INVENTED, at least 0.3."""
    absent = sorted((t.candidate.support if t.candidate else 0.0 for t in trials if t.wanted is None), reverse=True)
    if len(absent) < 50:
        return 0.3
    return round(float(np.clip(absent[int(INVENTED / 2 * len(absent))] + 1e-3, 0.3, 0.95)), 4)


def expected_calibration_error(confidences: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """ECE over bins of equal count (Nguyen and O'Connor 2015), 0..1."""
    order = np.argsort(confidences)
    parts = np.array_split(order, bins)
    values, truth = np.array(confidences), np.array(right, float)
    return float(sum(len(p) * abs(values[p].mean() - truth[p].mean()) for p in parts if len(p)) / len(order))


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, nargs="*", default=[])
    parser.add_argument("--sheets", type=int, default=600)
    parser.add_argument("--labelled", type=Path, nargs="*", default=[], help="labelled pages, for what was imported")
    options = parser.parse_args()
    model = load(loader_of("extraction", options.weights), options.weights, "cpu")
    if not isinstance(model, Extractor):
        own = [label for label in labelled.load(*options.labelled).pages if label.type in model.types]
        trials = list(pixel_trials(model, own))
    else:
        trials = _layout_trials(model, options)
    if not trials:
        parser.error(f"there are no pages to fit {options.weights} to")
    calibration = fit(trials)
    (options.weights / "calibration.json").write_text(json.dumps(asdict(calibration), indent=1) + "\n")
    _print(trials, calibration)


def _layout_trials(extractor: Extractor, options: argparse.Namespace) -> list[Trial]:
    trials: list[Trial] = []
    if options.sroie:
        labels = sroie.load(options.sroie, "train")
        real = [page for cache in options.reads for page in pages.real_pages(labels, reads.load(cache))]
        kept = pages.kept_back(labels)
        trials += real_trials(extractor, (page for page in real if page.label.key in kept))
    for name in extractor.types:
        if name in document_types():
            trials += sheet_trials(extractor, document_types()[name], options.sheets)
    return trials


def _print(trials: Sequence[Trial], calibration: Calibration) -> None:
    for name in sorted({trial.field for trial in trials}):
        own = [t for t in trials if t.field == name]
        given = [t for t in own if t.candidate and calibration.accepts(t.candidate)]
        absent = [t for t in own if t.wanted is None]
        invented = sum(t in given for t in absent) / max(1, len(absent))
        present = max(1, len(own) - len(absent))
        found = sum(t.right for t in given) / present
        error = expected_calibration_error(
            [calibration.confidence(t.candidate) for t in given if t.candidate], [t.right for t in given]
        ) if given else float("nan")  # fmt: skip
        print(f"{name:26} on {present:5} right {found:6.3f} invented {invented:6.3f} ece {error:6.3f}")


if __name__ == "__main__":
    main()

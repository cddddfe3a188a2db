"""Fit confidences and acceptance on pages that the network has not learned from.

    python -m training.commands.calibrate runs/extraction/weights --sroie DATA/sroie --reads runs/reads/sroie.jsonl \\
        --labelled runs/calibrate/synthetic runs/calibrate/kept_back --srd DATA/srd_photos

What they are fitted to says different things. Real receipts are of merchants kept back from training (see
pages.kept_back), and those of SRD that may be looked at: few, but real. Of synthetic photographs every field is known,
rows of lists and absent fields included. Sheets, of seeds that training does not reach, are many and read too well:
they tell of fields that the others hardly have. Labelled folders are read by the service's own steps, what was read is
kept beside them.

Prints how good confidences are on pages that were left out of the fit, and writes calibration.json beside the weights.

An imported checkpoint is shown labelled pages, cut to the document as the service cuts them:

    python -m training.commands.calibrate runs/cord --labelled DATA/receipts
"""

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal, Protocol

import numpy as np
import torch

from docextract.documents import document_types
from docextract.documents.base import DocumentType, Record
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.calibration import CALIBRATION_INPUTS, UNCALIBRATED, Calibration
from docextract.extraction.layout.spans import Candidate, Candidates
from docextract.images.decoding import DecodingLimits, Refusal, decode_upload
from docextract.images.geometry import Page
from docextract.pipeline.problems import ProblemError
from docextract.registry.version import find_loader, load_model
from training.datasets import labelled, reads, srd, sroie
from training.datasets.page import LabelledPage, value_of
from training.evaluation import confidence_curves
from training.evaluation.confidence_curves import FieldConfidence
from training.evaluation.metrics import Comparison, align_rows
from training.synth.documents import generators
from training.synth.misreading import misread
from training.tasks.layout import pages
from training.tasks.layout.variations import RealPage

Source = Literal["real", "photograph", "sheet"]
# There are few real receipts, each as a scan and as a photograph or two. Of sheets there are thousands, and they make
# confident: at 0.15, values of synthetic photographs left out of the fit were 2.5 points less often right than sure, at
# 0.025 one point (of 400 sheets of each type; three times as many weigh three times as much).
WEIGHTS: Mapping[Source, float] = {"real": 2.0, "photograph": 1.0, "sheet": 0.025}
SYNTHETIC = "synthetic"  # the tag of synthetic photographs
SHEETS_FROM = 1 << 62  # seeds below are training's

# Few inputs, so that 57 receipts can fit them. Log loss of values left out, real receipts and synthetic photographs:
# 0.294 and 0.209; without "reading" 0.298 and 0.207; with "misread", as weights of 2.1.0 had it, in the place of both
# 0.301 and 0.228 (2026-11-21). Of no use beside these, or worse than none: the margin, a likely piece right beside the
# value that was left out, the type's probability, numbers of lines and characters, whether the text stands twice.
FITTED = ("support", "whole", "doubted", "reading")
RIDGE_OF_FIELD = 3.0  # how firmly a field's slopes are held to the common ones; in trials
RIDGE_OF_BIAS = 1.0
RIDGE = 1e-3
INVENTED = 0.02  # at most this share of absent fields may get a value
FOLDS = 5
READS = "reads.jsonl"  # beside labelled pages


@dataclass(frozen=True)
class Trial:
    """One field of one page: the candidate, if any, and the truth. expected: None when it is not on the page."""

    field: str  # a leaf of a list with its list: "line_items.quantity"
    candidate: Candidate | None
    expected: Any
    source: Source = "real"
    page: str = ""  # trials of one page, or of one merchant, are left out together
    also: tuple[Any, ...] = ()  # that would be as right

    @property
    def right(self) -> bool:
        """Whether the candidate's value is the page's."""
        if self.candidate is None or self.expected is None:
            return False
        return Comparison(self.field, self.expected, self.candidate.value, alternatives=self.alternatives).loose


def real_trials(extractor: Extractor, real: Iterable[RealPage]) -> Iterator[Trial]:
    """Only fields that the label knows of."""
    for page in real:
        kind = document_types()[page.label.type]
        yield from _labelled_trials(page.label, kind, extractor.candidates(kind, page.read.lines))


class ReadsPixels(Protocol):
    """What was imported."""

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """Those of each page."""


def pixel_trials(model: ReadsPixels, labels: Iterable[LabelledPage]) -> Iterator[Trial]:
    """The same for what reads for itself; pictures that cannot be opened are left out."""
    for label in labels:
        opened = decode_upload(label.image.read_bytes(), DecodingLimits())
        if not isinstance(opened, Refusal):
            (found,) = model.candidates([opened[0]])
            yield from _labelled_trials(label, document_types()[label.type], found)


def _labelled_trials(label: LabelledPage, kind: DocumentType, found: Candidates) -> Iterator[Trial]:
    kinds = {field.name: field.kind for field in kind.fields()}
    truth = {
        name: [{leaf: value_of(kinds[f"{name}.{leaf}"], text) for leaf, text in row.items()} for row in said]
        if isinstance(said, list) else said and value_of(kinds[name], said)
        for name, said in label.fields.items()
    }  # fmt: skip
    source: Source = "photograph" if SYNTHETIC in label.tags else "real"
    also = {name: tuple(value_of(kinds[name], text) for text in texts) for name, texts in label.alternatives.items()}
    for trial in _trials(kind, truth, found, source, pages.merchant(label)):
        yield replace(trial, alternatives=also.get(trial.field, ()))


def sheet_trials(extractor: Extractor, kind: DocumentType, count: int) -> Iterator[Trial]:
    """Every field, also those that are not printed."""
    if kind.name not in generators():
        return
    strings = {field.name for field in kind.fields() if field.kind.name == "string"}
    for number in range(count):
        dice, rng = Random(SHEETS_FROM + number), np.random.default_rng(SHEETS_FROM + number)
        record, sheet = generators()[kind.name].draw(dice)
        marked = misread(sheet, rng, strings)
        legible = {mark[2] for line in marked for mark in line.marks}
        found = extractor.candidates(kind, [line.line for line in marked])
        yield from _trials(kind, _printed(record, kind, legible), found, "sheet", f"{kind.name} {number}")


def _printed(record: Record, kind: DocumentType, legible: set[str]) -> dict[str, Any]:
    """What can be read on a sheet, by field; of lists their rows. legible: "total", "line_items.2.description"."""
    truth: dict[str, Any] = {}
    for field in kind.fields():
        if field.group is None:
            truth[field.name] = getattr(record, field.name, None) if field.name in legible else None
            continue
        rows = truth.setdefault(field.group, [{} for _ in getattr(record, field.group)])
        for number, (row, item) in enumerate(zip(rows, getattr(record, field.group), strict=True)):
            shown = f"{field.group}.{number}.{field.leaf}" in legible
            row[field.leaf] = getattr(item, field.leaf) if shown else None
    return truth


def _trials(
    kind: DocumentType, truth: Mapping[str, Any], found: Candidates, source: Source, page: str
) -> Iterator[Trial]:
    for field in kind.fields():
        if field.group is None and field.name in truth:
            yield Trial(field.name, found.fields.get(field.name), truth[field.name], source, page)
    for group, rows in found.groups.items():
        if group in truth:
            expected = truth[group] or []
            partners = align_rows(expected, [{leaf: one.value for leaf, one in row.items()} for row in rows])
            for number, row in enumerate(rows):
                own = expected[partners.index(number)] if number in partners else dict.fromkeys(row)
                for leaf in row.keys() & own.keys():
                    yield Trial(row[leaf].field, row[leaf], own[leaf], source, page)


def fit(trials: Sequence[Trial], inputs: Sequence[str] = FITTED) -> Calibration:
    """One logistic model for each field, held to one for all: the less a field has to say, the firmer."""
    accept = {"*": UNCALIBRATED.accept["*"]}
    for name, own in _by_field(trials).items():
        if "." not in name:  # rows are taken as they are found
            accept[name] = _acceptance(own)
    given = [trial for trial in trials if _given(trial, accept)]
    weights = _logistic(given, inputs) if given else {"*": [0.0, *(float(name == "support") for name in inputs)]}
    return Calibration(weights, accept, tuple(inputs))


def _by_field(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    by_field: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_field[trial.field].append(trial)
    return by_field


def _given(trial: Trial, accept: Mapping[str, float]) -> bool:
    return trial.candidate is not None and trial.candidate.support >= accept.get(trial.field, 0.0)


def _logistic(trials: Sequence[Trial], inputs: Sequence[str]) -> dict[str, list[float]]:
    """Weighted logistic regression by field, bias first; "*" is what is common to all.

    N trials, F fields, K inputs. Inputs are scaled alike while they are fitted, so that one ridge suits all.
    """
    fields = sorted({trial.field for trial in trials})
    x = torch.tensor(
        [[CALIBRATION_INPUTS[name](t.candidate) for name in inputs] for t in trials if t.candidate], dtype=torch.float64
    )
    y = torch.tensor([float(t.right) for t in trials], dtype=torch.float64)  # [N]
    share = torch.tensor([WEIGHTS[t.source] for t in trials], dtype=torch.float64)
    field = torch.tensor([fields.index(t.field) for t in trials])
    middle = (x * share[:, None]).sum(0) / share.sum()  # [K]
    spread = (((x - middle) ** 2 * share[:, None]).sum(0) / share.sum()).sqrt() + 1e-6
    scaled = (x - middle) / spread  # [N, K]
    common = torch.zeros(1 + len(inputs), dtype=torch.float64, requires_grad=True)
    own = torch.zeros(len(fields), 1 + len(inputs), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([common, own], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        weights = common + own[field]  # [N, 1 + K]
        z = weights[:, 0] + (weights[:, 1:] * scaled).sum(1)
        error = torch.nn.functional.binary_cross_entropy_with_logits(z, y, share, reduction="sum")
        ridge = RIDGE_OF_FIELD * (own[:, 1:] ** 2).sum() + RIDGE_OF_BIAS * (own[:, 0] ** 2).sum()
        total: torch.Tensor = error + ridge + RIDGE * (common[1:] ** 2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    fitted = torch.cat([common[None], common + own]).detach()  # [1 + F, 1 + K]
    slopes = fitted[:, 1:] / spread
    bias = fitted[:, 0] - slopes @ middle
    rows = torch.cat([bias[:, None], slopes], dim=1).tolist()
    return {name: [round(value, 5) for value in row] for name, row in zip(["*", *fields], rows, strict=True)}


def _acceptance(trials: Sequence[Trial]) -> float:
    """The lowest support that keeps values invented for absent fields under INVENTED, at least 0.3."""
    absent = sorted((t.candidate.support if t.candidate else 0.0 for t in trials if t.expected is None), reverse=True)
    if len(absent) < 50:
        return 0.3
    return round(float(np.clip(absent[int(INVENTED * len(absent))] + 1e-3, 0.3, 0.95)), 4)


def left_out(trials: Sequence[Trial], inputs: Sequence[str] = FITTED) -> Iterator[tuple[Source, FieldConfidence]]:
    """Every field of the pages that were read, by a fit that has not seen the page, nor another of its merchant."""
    for fold in range(FOLDS):
        fitted = fit([trial for trial in trials if _fold(trial) != fold], inputs)
        for trial in trials:
            given = _given(trial, fitted.accept)
            if trial.source == "sheet" or _fold(trial) != fold or not (given or trial.expected is not None):
                continue
            sure = fitted.confidence(trial.candidate) if given and trial.candidate else 0.0
            yield trial.source, FieldConfidence(trial.field, sure, given and trial.right, given)


def _fold(trial: Trial) -> int:
    return zlib.crc32(trial.page.encode()) % FOLDS


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, nargs="*", default=[])
    parser.add_argument("--sheets", type=int, default=1200, help="of each type")
    parser.add_argument(
        "--labelled", type=Path, nargs="*", default=[], help="labelled pages: synthetic photographs, yours"
    )
    parser.add_argument("--srd", type=Path, metavar="ROOT", help="SRD: those of its photos that may be looked at")
    parser.add_argument("--models", type=Path, default=Path("models"), help="that find the page on labelled photos")
    options = parser.parse_args()
    model = load_model(find_loader("extraction", options.weights), options.weights, "cpu")
    try:
        trials = list(
            _layout_trials(model, options) if isinstance(model, Extractor) else _imported_trials(model, options)
        )
    except ProblemError as problem:
        parser.error(str(problem))
    if not trials:
        parser.error(f"there are no pages to fit {options.weights} to")
    calibration = fit(trials)
    (options.weights / "calibration.json").write_text(json.dumps(asdict(calibration), indent=1) + "\n")
    _print_found(trials, calibration)
    _print_left_out(list(left_out(trials)))


def _imported_trials(model: Any, options: argparse.Namespace) -> Iterator[Trial]:
    known = [label for label in labelled.load(*options.labelled).pages if label.type in model.types]
    yield from pixel_trials(model, known)


def _layout_trials(extractor: Extractor, options: argparse.Namespace) -> Iterator[Trial]:
    if options.sroie:
        labels = sroie.load(options.sroie, sroie.KEPT_BACK)
        yield from real_trials(
            extractor, (page for cache in options.reads for page in pages.real_pages(labels, reads.load(cache)))
        )
    for data in options.labelled:
        cache = (data if data.is_dir() else data.parent) / READS
        yield from _photo_trials(extractor, labelled.load(data).pages, cache, options.models)
    if options.srd:
        with TemporaryDirectory() as folder:  # a minute's reading; nothing of ours is written among SRD's photos
            cache = Path(folder) / READS
            yield from _photo_trials(extractor, srd.load(options.srd, "development"), cache, options.models)
    for name in extractor.types:
        if name in document_types():
            yield from sheet_trials(extractor, document_types()[name], options.sheets)


def _photo_trials(extractor: Extractor, labels: Sequence[LabelledPage], cache: Path, models: Path) -> Iterator[Trial]:
    """Of photos that are read as the service reads them, of types that the extractor knows."""
    known = [label for label in labels if label.type in extractor.types]
    read = reads.read_as_served(cache, known, models, extractor.reader)
    yield from real_trials(extractor, (RealPage(*both) for both in zip(known, read, strict=True)))


def _print_found(trials: Sequence[Trial], calibration: Calibration) -> None:
    print(f"{'':42}{'on':>7}{'right':>8}{'absent':>8}{'invented':>10}")
    for name, own in sorted(_by_field(trials).items()):
        given = [trial for trial in own if _given(trial, calibration.accept)]
        absent = sum(trial.expected is None for trial in own)
        present = len(own) - absent
        right = sum(trial.right for trial in given) / max(1, present)
        print(f"{name:42}{present:7}{right:8.3f}", end="")
        # Of a row nothing is known to be absent but what was found there.
        invented = sum(trial.expected is None for trial in given) / max(1, absent)
        print("" if "." in name else f"{absent:8}{invented:10.3f}")


def _print_left_out(told: Sequence[tuple[Source, FieldConfidence]]) -> None:
    """Of all fields of a source, and of those of which there are enough."""
    print(f"\n{'left out of the fit':42}{'values':>7}{'right':>8}{'sure':>8}{'error':>8}{'chance':>8}{'surest':>8}")
    for source in dict.fromkeys(source for source, _ in told):
        own = [one for of, one in told if of == source]
        rows = {source: own} | {
            name: [one for one in own if one.field == name] for name in sorted({j.field for j in own})
        }
        for name, some in rows.items():
            row = confidence_curves.summary(some)
            if row["values"] >= confidence_curves.FEWEST:
                figures = (row[key] for key in ("right", "mean_confidence", "error", "by_chance", "right_of_most_confident"))
                print(f"{name:42}{row['values']:7}" + "".join(f"{figure:8.3f}" for figure in figures))


if __name__ == "__main__":
    main()

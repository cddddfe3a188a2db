"""Compare a candidate with the served model on the same pages, with confidence intervals.

    python -m training.evaluation.compare extraction runs/retrain/weights DATA… --out scores.json
    python -m training.evaluation.compare quality runs/quality/weights DATA… --made runs/quality/photos \\
        --out scores.json

DATA: labelled photos in any format that training.datasets reads, none of which training has used. Each is a set with
the name of its folder, or NAME=PATH. Extraction is also compared on simulated photos of every document type that can be
generated, so that a loss on known types is noticed. Both models run through the serving code, and OCR reads each page
once for both. --out receives the candidate's scores and the comparison that the gate needs. --report shows what is
right and accepted by field, before and after, and the worst pages; it quotes them and must not be published.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from docextract.documents import register_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.ocr.reading import Reader
from docextract.images.geometry import Glimpse, Page
from docextract.pipeline.models import ExtractionTask
from docextract.predictions import Assessment, PagePrediction, TextLine
from docextract.registry import RegistryError, Version, candidate_version, gate, promoted_version
from docextract.serving import local
from training import datasets
from training.command_line import add_models_option
from training.datasets import LabelledPage, labelled_folder, synthetic
from training.datasets.pictures import load_folder
from training.datasets.simulated_photos import EVALUATION_SEED
from training.evaluation import compare_quality
from training.evaluation.bootstrap import (
    PairedComparison,
    Resamples,
    better_or_worse,
    compare_shares,
    draw_group_resamples,
)
from training.evaluation.comparison_report import Pair, Sets, build_report
from training.evaluation.evaluate import PageOutcome, evaluate, make_extract_call, provenance, report_scores
from training.metrics import Comparison
from training.progress import progress_bar
from training.report import write_report
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.examples import PhotoExamples, printable

SYNTHETIC = "synthetic"
CANDIDATE = "candidate"  # version of the candidate until it is promoted
# Compared metrics, and whether less is better; see training.metrics.
METRICS = (("exact", False), ("loose", False), ("precision", False), ("invented", True))

Rows = dict[str, PairedComparison]


class CachingReader(Protocol):
    """Runs OCR for several models; may cache the results."""

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """Return the text lines of each page, in input order."""
        ...


class MemoryReads:
    """OCR results cached in memory by reader and pixels, for models that read the same pages one after the other."""

    def __init__(self) -> None:
        self._known: dict[bytes, Sequence[TextLine]] = {}

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """Return the text lines of each page, in input order."""
        whose = reader.digest.encode()
        keys = [hashlib.blake2b(page.tobytes(), key=whose, digest_size=16).digest() for page in pages]
        new = {key: page for key, page in zip(keys, pages, strict=True) if key not in self._known}
        if new:
            self._known |= zip(new, reader.read(list(new.values())), strict=True)
        return [self._known[key] for key in keys]


class EvaluatedModels:
    """One extraction version together with a quality version, with the interface that the pipeline calls."""

    def __init__(self, extraction: Version, quality: Version, assessor: Any, reads: CachingReader, device: str) -> None:
        self.served = {"quality": quality, "extraction": extraction}
        self._assessor = assessor
        self._extractor = extraction.load(device)
        self._reads = reads

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return one assessment per glimpse, in input order."""
        found: list[Assessment] = self._assessor.assess(list(glimpses))
        return found

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Return one prediction per task, in input order."""
        pages, types = [task.page for task in tasks], [task.document_type for task in tasks]
        if isinstance(self._extractor, Extractor):
            return self._extractor.extract_from_lines(self._reads.read(self._extractor.reader, pages), types, pages)
        found: list[PagePrediction] = self._extractor.extract(pages, types)  # a network that reads pixels
        return found


@dataclass(frozen=True)
class Versions:
    """A candidate, the version that is served, and the quality version with which both are measured."""

    candidate: Version
    served: Version
    quality: Version
    gate_file: Path

    @classmethod
    def of(cls, model: str, weights: Path, models_dir: Path, loader: str | None = None) -> "Versions":
        """The versions of a model by its name. weights: the candidate's folder."""
        return cls(
            candidate_version(model, weights, CANDIDATE, day=date.today(), loader=loader),
            promoted_version(model, models_dir).verified(),
            promoted_version("quality", models_dir),
            models_dir / model / gate.GATE_FILE,
        )

    def provenance(self) -> dict[str, Any]:
        """What the scores are of."""
        return {
            **provenance(),
            CANDIDATE: {"digest": self.candidate.digest},
            "served": {"version": self.served.version, "digest": self.served.digest},
        }

    def judge(self, scores: Mapping[str, Any]) -> str:
        """Return whether the gate is open, as text."""
        conditions = gate.load_gate(self.gate_file)
        types = self.served.document_types if self.served.digest != self.candidate.digest else None
        shortfalls = gate.find_shortfalls(conditions, scores, types)
        lines = ["Its gate is closed:", *map(str, shortfalls)] if shortfalls else ["Its gate is open."]
        if types is not None and (uncertain := gate.uncertain_losses(conditions, scores, types)):
            lines += ["Not counted, because they may be chance:", *map(str, uncertain)]
        return "\n  ".join(lines)


def write_scores(file: Path, scores: Mapping[str, Any]) -> None:
    """Write scores.json, for `docextract.registry promote`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(scores, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def compare_pages(
    versions: Versions, sets: Sets, synthetic_count: int, bar: Progress, surfaces: Path | None = None,
    device: str = "cpu",
) -> dict[str, list[Pair]]:  # fmt: skip
    """Extract the pages of all sets with both versions. synthetic_count: pages of each type that are added."""
    types = {*versions.served.document_types, *versions.candidate.document_types}
    with tempfile.TemporaryDirectory() as scratch:
        added: Sets = {}
        if synthetic_count and SYNTHETIC not in sets:
            added = {SYNTHETIC: synthetic_pages(Path(scratch), sorted(types), synthetic_count, surfaces)}
        return _extract_with_both(
            versions, {**sets, **{name: some for name, some in added.items() if some}}, device, bar
        )


def _extract_with_both(versions: Versions, sets: Sets, device: str, bar: Progress) -> dict[str, list[Pair]]:
    """Extract every page with the candidate and with the served version; OCR reads it once if their readers agree."""
    reads = MemoryReads()
    assessor = versions.quality.load(device)
    models = [
        EvaluatedModels(version, versions.quality, assessor, reads, device)
        for version in (versions.candidate, versions.served)
    ]
    pairs: dict[str, list[Pair]] = {}
    with local.client(models[0]) as one, local.client(models[1]) as other:
        for name, pages in sets.items():
            pairs[name] = []
            for page in bar.track(pages, description=f"comparing {name}"):
                (mine,), (theirs,) = (evaluate([page], make_extract_call(client)) for client in (one, other))
                pairs[name].append((mine, theirs))
    return pairs


def comparison_scores(pairs: Mapping[str, Sequence[Pair]], seed: int = 0) -> dict[str, Any]:
    """Scores of the candidate by set, and its comparison with the served version by row: the content of scores.json.

    pairs: by set. seed: of the bootstrap, which draws groups of pages.
    """
    comparison: Rows = {}
    for name, some in pairs.items():
        resamples = draw_group_resamples([mine.group or mine.key for mine, _ in some], np.random.default_rng(seed))
        comparison |= {f"{name}.{row}": figures for row, figures in compare_pairs(some, resamples).items()}
    scores = scores_by_set({name: [mine for mine, _ in some] for name, some in pairs.items()})
    return {**scores, gate.COMPARISON: {row: asdict(one) for row, one in comparison.items()}}


def scores_by_set(outcomes: Mapping[str, Sequence[PageOutcome]]) -> dict[str, Any]:
    """Scores of each set. /v1/document-types publishes a field's scores on the first set that has the field."""
    scores = {name: report_scores(some) for name, some in outcomes.items()}
    types: dict[str, dict[str, Any]] = {}
    for one in scores.values():
        for kind, table in one["document_types"].items():
            types[kind] = table | types.get(kind, {})
    return {"document_types": types, **scores}


def compare_pairs(pairs: Sequence[Pair], resamples: Resamples) -> Rows:
    """Compare the candidate with the served model on the same pages: a row for each field, by type and by tag."""
    right = ([mine.type_right for mine, _ in pairs], [theirs.type_right for _, theirs in pairs])
    found = {"type_right": compare_shares(right, np.ones(len(pairs)), resamples)}
    scopes = dict.fromkeys(
        ["fields", *(f"document_types.{mine.type}" for mine, _ in pairs), *(f"tags.{tag}" for tag in _tags(pairs))]
    )
    for scope in scopes:
        mine, theirs = (_fields_inside(scope, side) for side in zip(*pairs, strict=True))
        for field in (*dict.fromkeys(one.field for _, one in (*mine, *theirs)), "all"):
            for metric, less_is_better in METRICS:
                (right, counted), (their_right, their_counted) = (
                    _by_page(side, field, metric, len(pairs)) for side in (mine, theirs)
                )
                found[f"{scope}.{field}.{metric}"] = compare_shares(
                    (right, their_right), (counted, their_counted), resamples, less_is_better
                )
    return {row: figures for row, figures in found.items() if figures is not None}


def _tags(pairs: Sequence[Pair]) -> list[str]:
    """Tags that some of the pages have and others have not."""
    of_pages = [frozenset(tag for one in mine.comparisons for tag in one.tags) for mine, _ in pairs]
    return sorted(frozenset().union(*of_pages) - frozenset.intersection(*of_pages))


def _counts(one: Comparison, metric: str) -> bool:
    """Whether a metric counts this field at all."""
    if metric == "precision":
        return one.predicted is not None
    return (one.expected is None) == (metric == "invented") and not one.extra


def _holds(one: Comparison, metric: str) -> bool:
    """Whether a counted field adds to the metric."""
    return one.predicted is not None if metric == "invented" else one.loose if metric == "loose" else one.exact


def _fields_inside(scope: str, outcomes: Sequence[PageOutcome]) -> list[tuple[int, Comparison]]:
    """The fields of a document type, of a tag or of all pages, each with the index of its page."""
    return [
        (page, one)
        for page, outcome in enumerate(outcomes)
        for one in outcome.comparisons
        if scope in ("fields", f"document_types.{outcome.type}") or scope.removeprefix("tags.") in one.tags
    ]


def _by_page(
    fields: Sequence[tuple[int, Comparison]], field: str, metric: str, pages: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """How much of a field is right, and how much is counted, on each page. field: "all" for any."""
    counted = [(page, one) for page, one in fields if field in (one.field, "all") and _counts(one, metric)]
    at = np.array([page for page, _ in counted], np.intp)
    return np.bincount(at, [_holds(one, metric) for _, one in counted], pages), np.bincount(at, minlength=pages)


def synthetic_pages(folder: Path, types: Sequence[str], count: int, surfaces: Path | None) -> list[LabelledPage]:
    """Simulated photos, `count` of each of these types that can be generated; the same ones for the same arguments."""
    with labelled_folder.LabelledFolderWriter(folder) as writer:
        for kind in printable():
            if kind.name in types:
                examples = PhotoExamples(
                    EVALUATION_SEED, kinds=[kind], plan=PHOTO_PLANS["everyday"], surfaces=load_folder(surfaces)
                )
                synthetic.write_synthetic_folder(writer, examples, count, ("everyday",), f"{kind.name}_")
    return datasets.load(folder).pages


def _load_sets(given: Sequence[str]) -> dict[str, list[LabelledPage]]:
    """Read sets by name. Unusable rows are reported on stderr. Raises ValueError for a set without usable rows."""
    sets: dict[str, list[LabelledPage]] = {}
    for text in given:
        name, found, path = text.rpartition("=")
        name = name if found else Path(path).resolve().name
        if name in (CANDIDATE, "served", gate.COMPARISON, "document_types") or name in sets or "." in name:
            raise ValueError(f"{name!r} cannot name a set, or already names one; write NAME={path} with another name")
        pages, unusable = datasets.load(Path(path))
        for row in unusable:
            print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
        if not pages:
            raise ValueError(f"{path} has no usable row; run training.commands.label_check on it")
        sets[name] = pages
    return sets


def _is_printed(row: str) -> bool:
    """Whether a row is printed by default: `fields` repeats the types, and loose seldom differs from exact."""
    scope = row.split(".")[1]
    return not row.endswith(".loose") and scope != "fields" and (scope != "tags" or ".all." in row)


def print_comparison(scores: Mapping[str, Any], all_rows: bool = False) -> None:
    """Print the comparison of scores. all_rows: also those by tag and field, and loose ones."""
    comparison = {row: one for row, one in scores[gate.COMPARISON].items() if all_rows or _is_printed(row)}
    width = max(map(len, comparison), default=0)
    print(f"{'':{width}}  {'n':>5}  {'served':>8}  {'candidate':>9}  {'gain':>8}  {'95 % interval':>18}")
    for row, one in comparison.items():
        interval = f"{one['low']:+.4f} … {one['high']:+.4f}"
        print(
            f"{row:{width}}  {one['n']:5}  {one['served']:8.4f}  {one['candidate']:9.4f}  {one['gain']:+8.4f}  "
            f"{interval:>18}  {better_or_worse(one)}".rstrip()
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring."""
    options = _parser().parse_args(arguments)
    try:
        register_types(promoted_version(options.model, options.models).folder)
        sets = _load_sets(options.data)
        versions = Versions.of(options.model, options.weights, options.models, options.loader)
    except (RegistryError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.model == "quality":
        folders = compare_quality.folders_of(options)
        scores = compare_quality.compare_quality_models(
            versions.candidate, versions.served, sets, folders, options.device, options.seed
        )
    else:
        with progress_bar() as bar:
            pairs = compare_pages(versions, sets, options.synthetic, bar, options.surfaces, options.device)
        scores = comparison_scores(pairs, options.seed)
        if options.report:
            write_report(options.report, build_report("Comparison with the served model", sets, pairs, scores))
    scores = {
        **versions.provenance(), **({"learned_from": options.learned_from} if options.learned_from else {}), **scores
    }  # fmt: skip
    if options.out:
        write_scores(options.out, scores)
    print_comparison(scores, options.all)
    print(f"\n{versions.judge(scores)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluation.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", choices=("extraction", "quality"))
    parser.add_argument("weights", type=Path, help="the candidate's folder")
    parser.add_argument("data", nargs="*", metavar="DATA", help="a labelled folder, or NAME=FOLDER")
    parser.add_argument("--out", type=Path, metavar="FILE", help="scores.json, for `docextract.registry promote`")
    parser.add_argument("--report", type=Path, metavar="FILE", help="HTML with the worst pages; of extraction only")
    parser.add_argument("--all", action="store_true", help="print every row: also by tag and field, and loose")
    parser.add_argument("--loader", help="module:Class (default: the loader of the architecture)")
    add_models_option(parser)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    parser.add_argument(
        "--learned-from", nargs="*", metavar="DATA", help="names in training/commands/attributions.toml"
    )
    made = parser.add_argument_group("extraction")
    made.add_argument(
        "--synthetic", type=int, default=40, metavar="N", help="simulated photos of each type (40); 0 for none"
    )
    made.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops (default: synthetic ones)")
    compare_quality.add_arguments(parser.add_argument_group("quality"))
    return parser


if __name__ == "__main__":
    raise SystemExit(main())

"""Is a candidate better than what is served, or was it chance? Both, on the same pages, in one run.

    python -m training.evaluation.compare extraction runs/retrain/weights DATA… --out scores.json
    python -m training.evaluation.compare quality runs/quality/weights DATA… --made runs/quality/photos \\
        --out scores.json

DATA: labelled photos in any form that training.datasets reads, none of which training has seen; each is a set under the
name of its folder, or NAME=PATH. Extraction is judged on synthetic photographs of every type that can be made up, too:
what the served model knew is not to be forgotten. Both models go through the code that serves, and every page is read
once for both. --out has the candidate's scores, and the comparison that the gate asks for.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from docextract.extraction.extractor import Extractor
from docextract.extraction.ocr.reading import Reader
from docextract.images.geometry import Glimpse, Page
from docextract.pipeline.models import ExtractionTask
from docextract.predictions import Assessment, PagePrediction, TextLine
from docextract.registry import Version, candidate_version, gate, promoted_version
from docextract.serving import local
from training import datasets
from training.datasets import LabelledPage, labelled_folder, synthetic
from training.datasets.pictures import load_folder
from training.evaluation import compare_quality
from training.evaluation.bootstrap import Floats, PairedComparison, draw_resamples, shares
from training.evaluation.evaluate import PageOutcome, evaluate, make_extract_call, provenance, report
from training.evaluation.metrics import Comparison
from training.synth.camera.plan import PLANS
from training.synth.examples import PhotoExamples, printable

SYNTHETIC = "synthetic"
SYNTHETIC_SEED = 9
CANDIDATE = "candidate"  # the version that it is called by until it is promoted
# A row's figures: what is compared, of which fields, and whether less of it is better.
METRICS = (("exact", False), ("loose", False), ("invented", True))

Sets = Mapping[str, Sequence[LabelledPage]]
Rows = dict[str, PairedComparison]
Pair = tuple[PageOutcome, PageOutcome]  # one page: what the candidate made of it, and the served model


class Reads(Protocol):
    """Whatever answers for a reader."""

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """What it reads: the lines of each page, in the order given."""
        ...


class MemoryReads:
    """For several models that are shown the same pages one after the other, and may have the same reader."""

    def __init__(self) -> None:
        self._known: dict[bytes, Sequence[TextLine]] = {}

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """The lines of each page, in the order given."""
        whose = reader.digest.encode()
        keys = [hashlib.blake2b(page.tobytes(), key=whose, digest_size=16).digest() for page in pages]
        new = {key: page for key, page in zip(keys, pages, strict=True) if key not in self._known}
        if new:
            self._known |= zip(new, reader.read(list(new.values())), strict=True)
        return [self._known[key] for key in keys]


class EvaluatedModels:
    """One version of the extraction model behind the quality model that is served, as the HTTP layer sees them."""

    def __init__(self, extraction: Version, quality: Version, assessor: Any, reads: Reads, device: str) -> None:
        self.served = {"quality": quality, "extraction": extraction}
        self._assessor = assessor
        self._extractor = extraction.load(device)
        self._reads = reads

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """In order."""
        found: list[Assessment] = self._assessor.assess(list(glimpses))
        return found

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """In order."""
        pages, types = [task.page for task in tasks], [task.document_type for task in tasks]
        if isinstance(self._extractor, Extractor):
            return self._extractor.extract_from_lines(self._reads.read(self._extractor.reader, pages), types, pages)
        found: list[PagePrediction] = self._extractor.extract(pages, types)  # an architecture that reads for itself
        return found


def compare_extraction(
    coming: Version, served: Version, quality: Version, sets: Sets, device: str = "cpu", seed: int = 0
) -> dict[str, Any]:
    """scores.json: the candidate's scores by set, and the comparison by row."""
    reads = MemoryReads()
    assessor = quality.load(device)
    contenders = [EvaluatedModels(version, quality, assessor, reads, device) for version in (coming, served)]
    pairs: dict[str, list[Pair]] = {}
    with local.client(contenders[0]) as one, local.client(contenders[1]) as other:
        for name, pages in sets.items():
            pairs[name] = []
            for page in pages:
                (mine,), (theirs,) = (evaluate([page], make_extract_call(client)) for client in (one, other))
                pairs[name].append((mine, theirs))
                _show(name, len(pairs[name]), len(pages))
    return scored(pairs, seed)


def scored(pairs: Mapping[str, Sequence[Pair]], seed: int = 0) -> dict[str, Any]:
    """scores.json of a candidate and the served model on the same pages, by set. seed: of the bootstrap."""
    comparison: Rows = {}
    for name, some in pairs.items():
        drawn = draw_resamples(len(some), np.random.default_rng(seed))
        comparison |= {f"{name}.{row}": figures for row, figures in compare(some, drawn).items()}
    scores = scores_by_set({name: [mine for mine, _ in some] for name, some in pairs.items()})
    return {**scores, gate.COMPARISON: {row: asdict(one) for row, one in comparison.items()}}


def scores_by_set(outcomes: Mapping[str, Sequence[PageOutcome]]) -> dict[str, Any]:
    """Scores of each set; what /v1/document-types tells of a field is measured on the first set that has it."""
    scores = {name: report(some) for name, some in outcomes.items()}
    types: dict[str, dict[str, Any]] = {}
    for one in scores.values():
        for kind, table in one["document_types"].items():
            types[kind] = table | types.get(kind, {})
    return {"document_types": types, **scores}


def compare(pairs: Sequence[Pair], drawn: Floats) -> Rows:
    """Candidate and served model on the same pages: a row for each field, by type and by tag."""
    right = ([mine.type_right for mine, _ in pairs], [theirs.type_right for _, theirs in pairs])
    found = {"type_right": shares(right, np.ones(len(pairs)), drawn)}
    scopes = dict.fromkeys(
        ["fields", *(f"document_types.{mine.type}" for mine, _ in pairs), *(f"tags.{tag}" for tag in _tags(pairs))]
    )
    for scope in scopes:
        inside = [
            (page, one, other)
            for page, (mine, theirs) in enumerate(pairs)
            for one, other in zip(mine.comparisons, theirs.comparisons, strict=True)
            if scope in ("fields", f"document_types.{mine.type}") or scope.removeprefix("tags.") in one.tags
        ]
        for field in (*dict.fromkeys(one.field for _, one, _ in inside), "all"):
            rows = [row for row in inside if field in (row[1].field, "all")]
            for metric, less_is_better in METRICS:
                counted = [row for row in rows if (row[1].expected is None) == (metric == "invented")]
                pages = np.array([page for page, _, _ in counted], np.intp)
                mine_right = np.bincount(pages, [_holds(one, metric) for _, one, _ in counted], len(pairs))
                theirs_right = np.bincount(pages, [_holds(other, metric) for _, _, other in counted], len(pairs))
                counts = np.bincount(pages, minlength=len(pairs))
                found[f"{scope}.{field}.{metric}"] = shares((mine_right, theirs_right), counts, drawn, less_is_better)
    return {row: figures for row, figures in found.items() if figures is not None}


def _tags(pairs: Sequence[Pair]) -> list[str]:
    """Those that tell some of the pages from the others."""
    of_pages = [frozenset(tag for one in mine.comparisons for tag in one.tags) for mine, _ in pairs]
    return sorted(frozenset().union(*of_pages) - frozenset.intersection(*of_pages))


def _holds(one: Comparison, metric: str) -> bool:
    return one.predicted is not None if metric == "invented" else bool(getattr(one, metric))


def synthetic_pages(folder: Path, types: Sequence[str], count: int, surfaces: Path | None) -> list[LabelledPage]:
    """Photographs of synthetic documents, `count` of each of these types that can be made up; always the same ones."""
    with labelled_folder.Writer(folder) as writer:
        for kind in printable():
            if kind.name in types:
                examples = PhotoExamples(
                    SYNTHETIC_SEED, kinds=[kind], plan=PLANS["everyday"], surfaces=load_folder(surfaces)
                )
                synthetic.write(writer, examples, count, ("everyday",), f"{kind.name}_")
    return datasets.load(folder).pages


def _load_sets(given: Sequence[str]) -> dict[str, list[LabelledPage]]:
    """name → pages. Rows that cannot be used are named, a set of which nothing can be used is an error."""
    sets: dict[str, list[LabelledPage]] = {}
    for text in given:
        name, found, path = text.rpartition("=")
        name = name if found else Path(path).resolve().name
        if name in (CANDIDATE, "served", gate.COMPARISON, "document_types") or name in sets or "." in name:
            raise ValueError(f"{name!r} cannot be the name of a set, or is one already; write NAME={path}")
        pages, unusable = datasets.load(Path(path))
        for row in unusable:
            print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
        if not pages:
            raise ValueError(f"{path} has no usable row")
        sets[name] = pages
    return sets


def _show(name: str, done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{name} {done}/{of}", end="\n" if done == of else "", file=sys.stderr)


def _is_telling(row: str) -> bool:
    """Not said elsewhere already: `fields` repeats the types where there is one, loose is seldom far from exact."""
    scope = row.split(".")[1]
    return not row.endswith(".loose") and scope != "fields" and (scope != "tags" or ".all." in row)


def _print(comparison: Mapping[str, Mapping[str, float]]) -> None:
    width = max(map(len, comparison), default=0)
    print(f"{'':{width}}  {'n':>5}  {'served':>8}  {'candidate':>9}  {'gain':>8}  {'95 % interval':>18}")
    for row, one in comparison.items():
        mark = "better" if one["low"] > 0 else "worse" if one["high"] < 0 else ""
        interval = f"{one['low']:+.4f} … {one['high']:+.4f}"
        print(
            f"{row:{width}}  {one['n']:5}  {one['served']:8.4f}  {one['candidate']:9.4f}  {one['gain']:+8.4f}  "
            f"{interval:>18}  {mark}".rstrip()
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: see the top of the module."""
    options = _parser().parse_args(arguments)
    try:
        sets = _load_sets(options.data)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    versions = {name: promoted_version(name, options.models) for name in ("quality", "extraction")}
    served = versions[options.model].verified()
    coming = candidate_version(options.model, options.weights, CANDIDATE, day=date.today(), loader=options.loader)
    with tempfile.TemporaryDirectory() as scratch:
        if options.model == "quality":
            folders = compare_quality.folders_of(options)
            scores = compare_quality.compare_quality_models(coming, served, sets, folders, options.device, options.seed)
        else:
            types = {*served.document_types, *coming.document_types}
            if options.synthetic and SYNTHETIC not in sets:
                sets[SYNTHETIC] = synthetic_pages(Path(scratch), sorted(types), options.synthetic, options.surfaces)
            scores = compare_extraction(
                coming, served, versions["quality"], {name: pages for name, pages in sets.items() if pages},
                options.device, options.seed,
            )  # fmt: skip
    scores = {
        **provenance(),
        CANDIDATE: {"digest": coming.digest},
        "served": {"version": served.version, "digest": served.digest},
        **({"learned_from": options.learned_from} if options.learned_from else {}),
        **scores,
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(scores, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    _print({row: one for row, one in scores[gate.COMPARISON].items() if options.all or _is_telling(row)})
    expected = gate.load_gate(options.models / options.model / gate.GATE_FILE)
    missed = gate.find_shortfalls(expected, scores, served.document_types if served.digest != coming.digest else None)
    print("\nIts gate is open." if not missed else "\nIts gate is closed:")
    print(*(f"  {one}" for one in missed), sep="\n")
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
    parser.add_argument("--all", action="store_true", help="print every row: by tag and field, letters alone, …")
    parser.add_argument("--loader", help="module:Class, where it is not the usual one")
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    parser.add_argument(
        "--learned-from", nargs="*", metavar="DATA", help="names of training/commands/attributions.toml"
    )
    made = parser.add_argument_group("extraction")
    made.add_argument(
        "--synthetic", type=int, default=40, metavar="N", help="photographs of each type (40); 0 for none"
    )
    made.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops; made up without")
    compare_quality.add_arguments(parser.add_argument_group("quality"))
    return parser


if __name__ == "__main__":
    raise SystemExit(main())

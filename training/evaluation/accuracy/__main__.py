"""Measure both models and write docs/accuracy.md.

    python -m training.evaluation.accuracy --sroie DIR --srd DIR --softmatic DIR --out docs/accuracy.md
    python -m training.evaluation.accuracy --sroie DIR --extraction runs/extraction/weights \\
        --scores runs/extraction/scores.json

All real data is optional; synthetic documents are always measured. Without --extraction and --quality, the promoted
models are measured. With --extraction a candidate is measured, and --scores writes the file that
`docextract.registry promote extraction` needs: its scores on all document types, compared with the served model's on
the same pages. Results of slow steps are cached in --keep (see workers.py).
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from docextract.registry import Version, candidate_version, gate, promoted_version
from training.command_line import add_models_option
from training.evaluation import baselines, compare
from training.evaluation.accuracy import page, robustness, sets, training_curve
from training.evaluation.accuracy.page import SetResult
from training.evaluation.accuracy.page_results import PageResult, build_page_result
from training.evaluation.accuracy.robustness import GradeResult
from training.evaluation.accuracy.sets import EvaluationPage, PageSet
from training.evaluation.accuracy.workers import WorkerPool, WorkerSettings, answer_job, baseline_job, photo_job
from training.evaluation.compare import CANDIDATE
from training.evaluation.evaluate import PageOutcome, provenance
from training.synth import fonts

SERVED = "served"
QUICK_PAGES = 8  # of each set, with --quick
MIN_TYPEFACES = 50  # of synthetic photos; in the 5 that packages bring, receipts were read right 5 points more often
COMPARED_PLAN = "everyday"  # plan of the synthetic photos that a candidate is compared on
COMPARED_SETS = ("unseen_good", "unseen_photos")  # sets of SROIE that a candidate is compared on, too


@dataclass(frozen=True)
class Measurement:
    """Measures sets of pages with a pool of workers."""

    pool: WorkerPool
    settings: WorkerSettings

    def evaluation_pages(self, pages: PageSet) -> list[EvaluationPage]:
        """The pages of a set, with simulated photos where the set asks for them."""
        jobs = {label.key: photo_job(spec, self.settings.surfaces) for label, spec in pages.pages if spec}
        results = self.pool.results(list(jobs.values()), f"{pages.name}: photos")
        truths = dict(zip(jobs, results, strict=True))
        return [
            sets.evaluation_page(label, pages.root, self.pool.picture(jobs[label.key].key), truths[label.key])
            if label.key in jobs
            else sets.evaluation_page(label, pages.root, label.image, None)
            for label, _ in pages.pages
        ]

    def results(self, pages: PageSet, samples: Sequence[EvaluationPage], name: str = CANDIDATE) -> list[PageResult]:
        """The answers of both models, compared. name: of the extraction version."""
        jobs = [answer_job(sample.label.image, name, self.settings) for sample in samples]
        return list(map(build_page_result, samples, self.pool.results(jobs, f"{pages.name}: {name}")))

    def baselines(
        self, pages: PageSet, samples: Sequence[EvaluationPage], names: Sequence[str]
    ) -> dict[str, list[PageOutcome]]:
        """The outcomes of the baselines with these names."""
        return {name: list(self._baseline(pages, samples, name)) for name in names}

    def _baseline(self, pages: PageSet, samples: Sequence[EvaluationPage], name: str) -> Iterator[PageOutcome]:
        jobs = [baseline_job(sample.label.image, name) for sample in samples]
        for sample, lines in zip(samples, self.pool.results(jobs, f"{pages.name}: {name}"), strict=True):
            yield build_page_result(sample, baselines.baseline_answer(sample.label.type, lines)).outcome


def _page_sets(options: argparse.Namespace) -> Iterator[PageSet]:
    count = QUICK_PAGES if options.quick else None
    if options.sroie:
        yield from sets.sroie_sets(options.sroie, count)
    if options.srd:
        yield sets.phone_set(options.srd, count)
    if options.softmatic:
        yield sets.german_set(options.softmatic, count)
    yield from sets.synthetic_sets(count or options.synthetic)


def _measure_sets(measurement: Measurement, options: argparse.Namespace) -> Iterator[SetResult]:
    names = [] if options.no_peers else baselines.tools_available()
    for pages in _page_sets(options):
        samples = measurement.evaluation_pages(pages)
        others = measurement.baselines(pages, samples, names) if pages.baselines else {}
        yield SetResult(pages, measurement.results(pages, samples), others)


def _measure_grades(measurement: Measurement, options: argparse.Namespace) -> Iterator[GradeResult]:
    if options.sroie and options.graded:
        for impairment, grade, pages in sets.graded_sets(options.sroie, options.graded):
            results = measurement.results(pages, measurement.evaluation_pages(pages))
            yield robustness.grade_result(impairment, grade, results)


def _scores(measurement: Measurement, results: Sequence[SetResult], options: argparse.Namespace) -> dict[str, Any]:
    """The content of scores.json: by set, synthetic pages of all types as one; a candidate next to the served model."""
    mine = _outcomes_by_set(results)
    versions = measurement.settings.extraction
    coming, served = versions.get(CANDIDATE), versions.get(SERVED)
    if coming is None or served is None:
        return compare.scores_by_set(mine)
    theirs = _outcomes_by_set(
        [
            SetResult(one.pages, measurement.results(one.pages, [result.page for result in one.results], SERVED))
            for one in results
            if one.pages.name in COMPARED_SETS or one.pages.plan == COMPARED_PLAN
        ]
    )
    pairs = {name: list(zip(mine[name], outcomes, strict=True)) for name, outcomes in theirs.items()}
    compared = compare.comparison_scores(pairs, options.seed)
    rest = compare.scores_by_set({name: outcomes for name, outcomes in mine.items() if name not in pairs})
    return {
        CANDIDATE: {"digest": coming.digest},
        SERVED: {"version": served.version, "digest": served.digest},
        **rest,
        **compared,
    }


def _outcomes_by_set(results: Sequence[SetResult]) -> dict[str, list[PageOutcome]]:
    found: dict[str, list[PageOutcome]] = {}
    for one in results:
        name = one.pages.name if one.pages.plan is None else _synthetic_name(one.pages.plan)
        found.setdefault(name, []).extend(result.outcome for result in one.results)
    return found


def _synthetic_name(plan: str) -> str:
    """Name of the set of all document types; the compared plan has the name that compare.py uses."""
    return compare.SYNTHETIC if plan == COMPARED_PLAN else f"{compare.SYNTHETIC}_{plan}"


def _worker_settings(options: argparse.Namespace) -> WorkerSettings:
    today = date.today()
    served = promoted_version("extraction", options.models)
    quality = promoted_version("quality", options.models)
    if options.quality:
        quality = candidate_version("quality", options.quality, CANDIDATE, day=today)
    if not options.extraction:
        return WorkerSettings(options.keep, quality, {CANDIDATE: served}, options.surfaces)
    coming = candidate_version("extraction", options.extraction, CANDIDATE, day=today)
    versions = {CANDIDATE: coming} if coming.digest == served.digest else {CANDIDATE: coming, SERVED: served.verified()}
    return WorkerSettings(options.keep, quality, versions, options.surfaces)


def _about(settings: WorkerSettings, options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """What the head of the page states."""
    made = provenance()
    unseen = {family.regular for face in fonts.ROLES for family in fonts.families(face, "unseen")}
    known_families = (family for face in fonts.ROLES for family in fonts.families(face, "known"))
    known = {file for family in known_families for file in (family.regular, family.bold)}
    names = [] if options.no_peers else [baselines.version(name) for name in baselines.tools_available()]
    return {
        **made,
        "machine": f"{os.cpu_count()} cores, {made['machine']}",
        "command": "make accuracy",
        "quality": _version_text(settings.quality),
        "extraction": _version_text(settings.extraction[CANDIDATE]),
        "took": f"The run took {seconds / 60:.0f} minutes and used cached results of earlier runs.",
        "quick": options.quick,
        "fonts": len(unseen),
        "fonts_needed": MIN_TYPEFACES,
        "fonts_learned": len(unseen & known),
        "baselines": names,
    }


def _version_text(version: Version) -> str:
    return f"{version.version} ({version.digest.removeprefix('sha256:')[:8]})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the worker processes end with this one
    start = time.monotonic()
    settings = _worker_settings(options)
    scores: dict[str, Any] = {}
    with WorkerPool(settings, options.processes) as pool:
        measurement = Measurement(pool, settings)
        results = list(_measure_sets(measurement, options))
        grades = list(_measure_grades(measurement, options))
        if options.scores:
            scores = _scores(measurement, results, options)
    if scores:
        learned = {"learned_from": options.learned_from} if options.learned_from else {}
        scores = {**provenance(), **learned, **scores}
        options.scores.write_text(json.dumps(scores, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        _print_gate(scores, options.models)
    about = _about(settings, options, time.monotonic() - start)
    page.write_page(options.out, results, grades, about, training_curve.load_history(options.runs))
    print(f"{options.out}, {(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr)
    return 0


def _print_gate(scores: Mapping[str, Any], models: Path) -> None:
    served_types = promoted_version("extraction", models).document_types if SERVED in scores else None
    missed = gate.find_shortfalls(gate.load_gate(models / "extraction" / gate.GATE_FILE), scores, served_types)
    print("Its gate is closed:" if missed else "Its gate is open.", *(f"  {one}" for one in missed), sep="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluation.accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("docs", "accuracy.md"))
    parser.add_argument("--scores", type=Path, metavar="FILE", help="scores.json, for `docextract.registry promote`")
    parser.add_argument(
        "--learned-from", nargs="*", metavar="DATA", help="names in training/commands/attributions.toml"
    )
    add_models_option(parser)
    parser.add_argument(
        "--extraction", type=Path, metavar="WEIGHTS", help="a candidate (default: the promoted version)"
    )
    parser.add_argument("--quality", type=Path, metavar="WEIGHTS", help="a candidate (default: the promoted version)")
    parser.add_argument("--runs", type=Path, nargs="*", default=[], metavar="DIR", help="folders of the training run "
                        "with history.jsonl; if it continues other runs, list those first")  # fmt: skip
    parser.add_argument("--keep", type=Path, default=Path("runs", "accuracy"), help="cache of slow results")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--synthetic", type=int, default=40, metavar="N", help="photos of each document type (40)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_PAGES} pages of each set; --graded is unchanged")
    parser.add_argument("--no-peers", action="store_true", help="do not measure the baselines")
    parser.add_argument("--graded", type=int, default=20, metavar="N", help="receipts for the robustness table (20), "
                        "25 photos of each; half of the whole run; 0 for none")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    data = parser.add_argument_group("real data, each optional")
    data.add_argument("--sroie", type=Path, metavar="DIR")
    data.add_argument("--srd", type=Path, metavar="DIR", help="phone photos of American receipts")
    data.add_argument("--softmatic", type=Path, metavar="DIR")
    data.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops (default: synthetic ones)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())

"""Measure both models in every way, and write docs/accuracy.md.

    python -m training.evaluation.accuracy --sroie DIR --srd DIR --softmatic DIR --out docs/accuracy.md
    python -m training.evaluation.accuracy --sroie DIR --extraction runs/extraction/weights \\
        --scores runs/extraction/scores.json

All real data is optional; synthetic documents are measured anyway. Without --extraction and --quality what is promoted
is measured; with --extraction a candidate is, and --scores has what `docextract.registry promote extraction` takes: its
scores of all types, held against the served model's on the same pages. What is slow is kept in --keep (see work.py).
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

from docextract.registry import Version, candidate, gate, promoted
from training.evaluation import compare, peers
from training.evaluation.accuracy import learning, page, robustness, sets
from training.evaluation.accuracy.answered import Answered, answered
from training.evaluation.accuracy.page import Told
from training.evaluation.accuracy.robustness import Graded
from training.evaluation.accuracy.sets import PageSet, Sample
from training.evaluation.accuracy.work import Job, Office, Tools, answer_job, peer_job, photograph_key
from training.evaluation.compare import CANDIDATE
from training.evaluation.evaluate import Outcome, circumstances
from training.synth import fonts

SERVED = "served"
QUICK = 8  # pages of each set
JUDGED = "everyday"  # plan of the synthetic photographs that a candidate is judged on
COMPARED = ("unseen_good", "unseen_photos")  # of SROIE: what a candidate is judged on, beside synthetic pages


@dataclass(frozen=True)
class Bench:
    """Where pages are measured."""

    office: Office
    tools: Tools

    def samples(self, pages: PageSet) -> list[Sample]:
        """With their pictures, taken where they are to be."""
        shots = {
            label.key: Job("photograph", photograph_key(order, self.tools.surfaces), (order,))
            for label, order in pages.pages
            if order
        }
        results = self.office.results(list(shots.values()), f"{pages.name}: photographs")
        truths = dict(zip(shots, results, strict=True))
        return [
            sets.sample(label, pages.root, self.office.picture(shots[label.key].key), truths[label.key])
            if label.key in shots
            else sets.sample(label, pages.root, label.image, None)
            for label, _ in pages.pages
        ]

    def answers(self, pages: PageSet, samples: Sequence[Sample], name: str = CANDIDATE) -> list[Answered]:
        """What both models say. name: of the extraction model."""
        jobs = [answer_job(sample.label.image, name, self.tools) for sample in samples]
        return list(map(answered, samples, self.office.results(jobs, f"{pages.name}: {name}")))

    def others(self, pages: PageSet, samples: Sequence[Sample], readers: Sequence[str]) -> dict[str, list[Outcome]]:
        """What other readers and rules say."""
        return {name: list(self._other(pages, samples, name)) for name in readers}

    def _other(self, pages: PageSet, samples: Sequence[Sample], name: str) -> Iterator[Outcome]:
        jobs = [peer_job(sample.label.image, name) for sample in samples]
        for sample, lines in zip(samples, self.office.results(jobs, f"{pages.name}: {name}"), strict=True):
            yield answered(sample, peers.answer(sample.label.type, lines)).outcome


def _sets(options: argparse.Namespace) -> Iterator[PageSet]:
    some = QUICK if options.quick else None
    if options.sroie:
        yield from sets.sroie_sets(options.sroie, some)
    if options.srd:
        yield sets.phone_set(options.srd, some)
    if options.softmatic:
        yield sets.german_set(options.softmatic, some)
    yield from sets.synthetic_sets(some or options.synthetic)


def _measured(bench: Bench, options: argparse.Namespace) -> Iterator[Told]:
    readers = [] if options.no_peers else peers.available()
    for pages in _sets(options):
        samples = bench.samples(pages)
        others = bench.others(pages, samples, readers) if pages.peers else {}
        yield Told(pages, bench.answers(pages, samples), others)


def _sheet(bench: Bench, options: argparse.Namespace) -> Iterator[Graded]:
    if options.sroie and options.graded:
        for way, grade, pages in sets.graded_sets(options.sroie, options.graded):
            yield robustness.graded(way, grade, bench.answers(pages, bench.samples(pages)))


def _scores(bench: Bench, told: Sequence[Told], options: argparse.Namespace) -> dict[str, Any]:
    """scores.json: by set, synthetic pages of all types as one; a candidate beside the served model."""
    mine = _by_set(told)
    coming, served = (bench.tools.extraction.get(name) for name in (CANDIDATE, SERVED))
    if coming is None or served is None:
        return compare.by_set(mine)
    theirs = _by_set(
        [
            Told(one.pages, bench.answers(one.pages, [page.sample for page in one.answered], SERVED))
            for one in told
            if one.pages.name in COMPARED or one.pages.plan == JUDGED
        ]
    )
    pairs = {name: list(zip(mine[name], outcomes, strict=True)) for name, outcomes in theirs.items()}
    compared = compare.scored(pairs, options.seed)
    rest = compare.by_set({name: outcomes for name, outcomes in mine.items() if name not in pairs})
    return {
        CANDIDATE: {"digest": coming.digest},
        SERVED: {"version": served.version, "digest": served.digest},
        **rest,
        **compared,
    }


def _by_set(told: Sequence[Told]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for one in told:
        name = one.pages.name if one.pages.plan is None else _synthetic(one.pages.plan)
        found.setdefault(name, []).extend(page.outcome for page in one.answered)
    return found


def _synthetic(plan: str) -> str:
    """The set of all types; those that a candidate is judged on have the judge's name."""
    return compare.SYNTHETIC if plan == JUDGED else f"{compare.SYNTHETIC}_{plan}"


def _tools(options: argparse.Namespace) -> Tools:
    today = date.today()
    served = promoted("extraction", options.models)
    quality = promoted("quality", options.models)
    if options.quality:
        quality = candidate("quality", options.quality, CANDIDATE, day=today)
    if not options.extraction:
        return Tools(options.keep, quality, {CANDIDATE: served}, options.surfaces)
    coming = candidate("extraction", options.extraction, CANDIDATE, day=today)
    versions = {CANDIDATE: coming} if coming.digest == served.digest else {CANDIDATE: coming, SERVED: served.whole()}
    return Tools(options.keep, quality, versions, options.surfaces)


def _about(tools: Tools, options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    made = circumstances()
    unseen = {family.regular for face in fonts.FAMILIES for family in fonts.families(face, "unseen")}
    learned = (family for face in fonts.FAMILIES for family in fonts.families(face, "known"))
    known = {file for family in learned for file in (family.regular, family.bold)}
    readers = [] if options.no_peers else [peers.version(name) for name in peers.available()]
    return {
        **made,
        "machine": f"{os.cpu_count()} cores, {made['machine']}",
        "command": "make accuracy",
        "quality": _named(tools.quality),
        "extraction": _named(tools.extraction[CANDIDATE]),
        "took": f"It took {seconds / 60:.0f} minutes, with what was kept of earlier runs.",
        "quick": options.quick,
        "fonts": len(unseen),
        "fonts_learned": len(unseen & known),
        "readers": readers,
    }


def _named(version: Version) -> str:
    return f"{version.version} ({version.digest.removeprefix('sha256:')[:8]})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: see the top of the module."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the processes end with this one
    start = time.monotonic()
    tools = _tools(options)
    scores: dict[str, Any] = {}
    with Office(tools, options.processes) as office:
        bench = Bench(office, tools)
        told = list(_measured(bench, options))
        sheet = list(_sheet(bench, options))
        if options.scores:
            scores = _scores(bench, told, options)
    if scores:
        learned = {"learned_from": options.learned_from} if options.learned_from else {}
        scores = {**circumstances(), **learned, **scores}
        options.scores.write_text(json.dumps(scores, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        _say_gate(scores, options.models)
    about = _about(tools, options, time.monotonic() - start)
    page.write(options.out, told, sheet, about, learning.rows_of(options.runs))
    print(f"{options.out}, {(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr)
    return 0


def _say_gate(scores: Mapping[str, Any], models: Path) -> None:
    served_types = promoted("extraction", models).document_types if SERVED in scores else None
    missed = gate.shortfalls(gate.load(models / "extraction" / gate.FILE), scores, served_types)
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
        "--learned-from", nargs="*", metavar="DATA", help="names of training/commands/attributions.toml"
    )
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--extraction", type=Path, metavar="WEIGHTS", help="a candidate; what is promoted if not given")
    parser.add_argument("--quality", type=Path, metavar="WEIGHTS", help="the same")
    parser.add_argument("--runs", type=Path, nargs="*", default=[], metavar="DIR", help="of the training run, with its "
                        "history.jsonl; where it went on from others, those first")  # fmt: skip
    parser.add_argument("--keep", type=Path, default=Path("runs", "accuracy"), help="where slow results are kept")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--synthetic", type=int, default=40, metavar="N", help="photographs of each type (40)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} pages of each set; --graded is what it is")
    parser.add_argument("--no-peers", action="store_true", help="ask no other reader")
    parser.add_argument("--graded", type=int, default=20, metavar="N", help="receipts of the robustness sheet (20), of "
                        "25 pages each: half of all work; 0 for none")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    data = parser.add_argument_group("real data, each optional")
    data.add_argument("--sroie", type=Path, metavar="DIR")
    data.add_argument("--srd", type=Path, metavar="DIR", help="phone photographs of American receipts")
    data.add_argument("--softmatic", type=Path, metavar="DIR")
    data.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops; made up without")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())

"""Count how many machine-readable zones several extraction versions read right.

    python -m training.evaluation.zones models/extraction/weights runs/zones/weights --out runs/zones/scores.json

It uses simulated photos of passports and cards with a zone, careful and everyday ones, whose seeds neither training
nor any other measurement uses, and runs the service's own steps. The worst case is a zone whose check digits agree
although a character is wrong. Photos and the results of OCR are cached in --keep.
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from docextract.registry import candidate_version, promoted_version
from training.command_line import add_models_option
from training.datasets.simulated_photos import SyntheticPhotoSpec
from training.evaluation.accuracy import sets
from training.evaluation.accuracy.page_results import PageResult, build_page_result
from training.evaluation.accuracy.workers import WorkerPool, WorkerSettings, answer_job, photo_job
from training.evaluation.evaluate import provenance
from training.tasks.zones import strips

SEED = 8401  # another seed than 8301, on whose photos some rules were adjusted
PLANS = {"careful": "good", "everyday": "everyday"}


@dataclass(frozen=True)
class ZoneCounts:
    """Counts of photos that show a zone."""

    zones: int = 0
    found: int = 0
    right: int = 0  # valid, and every character is right
    wrong: int = 0  # valid, and a character is wrong
    marked: int = 0  # found, and marked as not valid in the answer
    whole: int = 0  # completely inside the picture; fingers may still cover it
    whole_right: int = 0
    fields: int = 0  # printed fields of these documents
    fields_right: int = 0

    def shares(self) -> dict[str, float]:
        """Percentages of the zones, for the screen and for scores.json."""
        share = {name: 100 * getattr(self, name) / max(1, self.zones) for name in ("found", "right", "wrong", "marked")}
        whole = {"right of whole": 100 * self.whole_right / max(1, self.whole)}
        return share | whole | {"fields": 100 * self.fields_right / max(1, self.fields)}


def count_zones(pages: Sequence[PageResult]) -> ZoneCounts:
    """Count the results of these pages."""
    found = [page for page in pages if page.zone]
    valid = [page for page in found if page.zone and page.zone["valid"]]
    right = [page for page in valid if page.zone and tuple(page.zone["lines"]) == page.page.zone]
    whole = [page for page in pages if _is_whole(page)]
    fields = [one for page in pages for one in page.outcome.comparisons if one.expected is not None]
    return ZoneCounts(
        zones=len(pages),
        found=len(found),
        right=len(right),
        wrong=len(valid) - len(right),
        marked=len(found) - len(valid),
        whole=len(whole),
        whole_right=sum(page in right for page in whole),
        fields=len(fields),
        fields_right=sum(one.exact for one in fields),
    )


def _is_whole(result: PageResult) -> bool:
    outlines = [run.outline for run in result.page.runs if run.text in result.page.zone]
    return all(0 <= place <= 1 for outline in outlines for point in outline for place in point)


def differences(result: PageResult) -> Iterator[str]:
    """For each line that differs: the printed line, the line in the answer, and marks below the differences."""
    lines = tuple(result.zone["lines"]) if result.zone else ()
    for printed, given in zip(result.page.zone, lines, strict=False):
        if printed != given:
            marks = "".join(" " if a == b else "^" for a, b in zip(printed, given.ljust(len(printed)), strict=False))
            yield f"  {printed}\n  {given}\n  {marks.rstrip()}"


def photo_specs(seed: int, plan: str, photographs: int) -> list[SyntheticPhotoSpec]:
    """Specifications of `photographs` photos of one plan, each with a zone."""
    return list(islice(strips.photos_with_zone(seed, (plan,)), photographs))


def measure_plans(
    pool: WorkerPool, settings: WorkerSettings, seed: int, photographs: int
) -> Iterator[tuple[str, dict[str, list[PageResult]]]]:
    """For each plan, the results of every version."""
    for how, plan in PLANS.items():
        specs = photo_specs(seed, plan, photographs)
        jobs = [photo_job(spec, None) for spec in specs]
        pages = [
            sets.evaluation_page(
                sets.unlabelled_page(f"{spec.type}_{spec.index}", spec.type), None, pool.picture(job.key), truth
            )
            for spec, job, truth in zip(specs, jobs, pool.results(jobs, f"{how}: photos"), strict=True)
        ]
        results: dict[str, list[PageResult]] = {}
        for name in settings.extraction:
            answers = pool.results([answer_job(page.label.image, name, settings) for page in pages], f"{how}: {name}")
            results[name] = list(map(build_page_result, pages, answers))
        yield how, results


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, nargs="+", help="folders of extraction weights")
    parser.add_argument("--count", type=int, default=120, help="photos of each plan (120)")
    parser.add_argument("--seed", type=int, default=SEED)
    add_models_option(parser)
    parser.add_argument("--keep", type=Path, default=Path("runs", "zones", "kept"))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", action="store_true", help="print every zone that is not right")
    parser.add_argument("--out", type=Path, help="scores as JSON")
    options = parser.parse_args(arguments)
    versions = {
        str(folder): candidate_version("extraction", folder, str(folder), day=date.today())
        for folder in options.weights
    }
    settings = WorkerSettings(options.keep, promoted_version("quality", options.models), versions, None)
    scores: dict[str, Any] = {}
    with WorkerPool(settings, options.processes) as pool:
        for how, by_version in measure_plans(pool, settings, options.seed, options.count):
            for name, pages in by_version.items():
                counts = count_zones(pages)
                scores.setdefault(name, {})[how] = vars(counts) | counts.shares()
                print(format_row(how, name, scores[name][how]))
                if options.show:
                    print_wrong_zones(pages)
    if options.out:
        options.out.write_text(json.dumps({**provenance(), "seed": options.seed, **scores}, indent=1) + "\n")


def format_row(how: str, name: str, figures: Mapping[str, Any]) -> str:
    """One line for the screen."""
    percentages = ", ".join(
        f"{what} {figures[what]:.1f} %" for what in ("right", "marked", "wrong", "found", "right of whole", "fields")
    )
    return f"{how:9} n={figures['zones']} ({figures['whole']} whole)  {percentages}   {name}"


def print_wrong_zones(pages: Sequence[PageResult]) -> None:
    """Print every zone that is not right."""
    for page in pages:
        if not page.zone:
            print(f" {page.page.label.key}: no zone", *page.page.zone, sep="\n  ")
        elif tuple(page.zone["lines"]) != page.page.zone or not page.zone["valid"]:
            state = "valid" if page.zone["valid"] else "marked"
            print(f" {page.page.label.key}: {state}", *differences(page), sep="\n")


if __name__ == "__main__":
    main()

"""How many machine-readable zones come out valid and right, with one version of the extraction model and with another.

    python -m training.evaluation.zones models/extraction/weights runs/zones/weights --out runs/zones/scores.json

On synthetic photographs of passports and cards that bear one, careful and everyday ones, of seeds that neither training
nor any other measure uses; through the service's own steps. Worst is a zone whose check digits agree and that is wrong
all the same. Photographs, and what PP-OCR read, are kept in --keep: versions differ in what they make of it.
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
from training.datasets import LabelledPage
from training.datasets.simulated_photos import SyntheticPhotoSpec
from training.evaluation.accuracy import sets
from training.evaluation.accuracy.page_results import PageResult, build_page_result
from training.evaluation.accuracy.workers import Job, WorkerPool, WorkerSettings, answer_job, photo_key
from training.evaluation.evaluate import provenance
from training.tasks.zones import strips

SEED = 8401  # some rules were adjusted on photographs of 8301
PLANS = {"careful": "good", "everyday": "everyday"}


@dataclass(frozen=True)
class Counts:
    """Of photographs that bear a zone."""

    zones: int = 0
    found: int = 0
    right: int = 0  # valid, and every character is what was printed
    wrong: int = 0  # valid, and a character is not what was printed
    marked: int = 0  # found, and marked as not valid
    whole: int = 0  # all of its print lies inside the picture; fingers may still lie on it
    whole_right: int = 0
    fields: int = 0  # of these documents, printed ones
    fields_right: int = 0

    def shares(self) -> dict[str, float]:
        """Of the zones, in percent."""
        share = {name: 100 * getattr(self, name) / max(1, self.zones) for name in ("found", "right", "wrong", "marked")}
        whole = {"right of whole": 100 * self.whole_right / max(1, self.whole)}
        return share | whole | {"fields": 100 * self.fields_right / max(1, self.fields)}


def count(pages: Sequence[PageResult]) -> Counts:
    """What came of these photographs."""
    found = [page for page in pages if page.zone]
    valid = [page for page in found if page.zone and page.zone["valid"]]
    right = [page for page in valid if page.zone and tuple(page.zone["lines"]) == page.sample.zone]
    whole = [page for page in pages if _is_whole(page)]
    fields = [one for page in pages for one in page.outcome.comparisons if one.expected is not None]
    return Counts(
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


def _is_whole(page: PageResult) -> bool:
    outlines = [run.outline for run in page.sample.runs if run.text in page.sample.zone]
    return all(0 <= place <= 1 for outline in outlines for point in outline for place in point)


def differences(page: PageResult) -> Iterator[str]:
    """The printed and the found line, where they differ, marked below."""
    lines = tuple(page.zone["lines"]) if page.zone else ()
    for printed, said in zip(page.sample.zone, lines, strict=False):
        if printed != said:
            marks = "".join(" " if a == b else "^" for a, b in zip(printed, said.ljust(len(printed)), strict=False))
            yield f"  {printed}\n  {said}\n  {marks.rstrip()}"


def orders(seed: int, plan: str, photographs: int) -> list[SyntheticPhotoSpec]:
    """The photographs of one plan."""
    return list(islice(strips.orders_with_zone(seed, (plan,)), photographs))


def measured(
    office: WorkerPool, tools: WorkerSettings, seed: int, photographs: int
) -> Iterator[tuple[str, dict[str, list[PageResult]]]]:
    """For each way of photographing, what each version says."""
    for how, plan in PLANS.items():
        some = orders(seed, plan, photographs)
        keys = [photo_key(order, None) for order in some]
        truths = office.results(
            [Job("photograph", key, (order,)) for key, order in zip(keys, some, strict=True)], f"{how}: photographs"
        )
        samples = [
            sets.evaluation_page(LabelledPage(Path(), order.type, {}, key=f"{order.type}_{order.index}"), None,
                        office.picture(key), truth)
            for order, key, truth in zip(some, keys, truths, strict=True)
        ]  # fmt: skip
        yield how, {
            name: list(map(build_page_result, samples, office.results(
                [answer_job(sample.label.image, name, tools) for sample in samples], f"{how}: {name}")))
            for name in tools.extraction
        }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, nargs="+", help="folders of extraction weights")
    parser.add_argument("--count", type=int, default=120, help="photographs of each plan (120)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--keep", type=Path, default=Path("runs", "zones", "kept"))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", action="store_true", help="print every zone that is not right")
    parser.add_argument("--out", type=Path, help="scores as JSON")
    options = parser.parse_args(arguments)
    versions = {
        str(folder): candidate_version("extraction", folder, str(folder), day=date.today()) for folder in options.weights
    }
    tools = WorkerSettings(options.keep, promoted_version("quality", options.models), versions, None)
    scores: dict[str, Any] = {}
    with WorkerPool(tools, options.processes) as office:
        for how, by_version in measured(office, tools, options.seed, options.count):
            for name, pages in by_version.items():
                counts = count(pages)
                scores.setdefault(name, {})[how] = vars(counts) | counts.shares()
                print(row(how, name, scores[name][how]))
                if options.show:
                    show(pages)
    if options.out:
        options.out.write_text(json.dumps({**provenance(), "seed": options.seed, **scores}, indent=1) + "\n")


def row(how: str, name: str, figures: Mapping[str, Any]) -> str:
    """For the screen."""
    told = ", ".join(
        f"{what} {figures[what]:.1f} %" for what in ("right", "marked", "wrong", "found", "right of whole", "fields")
    )
    return f"{how:9} n={figures['zones']} ({figures['whole']} whole)  {told}   {name}"


def show(pages: Sequence[PageResult]) -> None:
    """What is not right."""
    for page in pages:
        if not page.zone:
            print(f" {page.sample.label.key}: no zone", *page.sample.zone, sep="\n  ")
        elif tuple(page.zone["lines"]) != page.sample.zone or not page.zone["valid"]:
            state = "valid" if page.zone["valid"] else "marked"
            print(f" {page.sample.label.key}: {state}", *differences(page), sep="\n")


if __name__ == "__main__":
    main()

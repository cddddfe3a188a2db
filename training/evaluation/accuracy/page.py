"""docs/accuracy.md and its pictures, from what was counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from training.evaluation import peers
from training.evaluation.accuracy import causes, failures, learning, robustness, sureness
from training.evaluation.accuracy.answered import Answered, comparisons
from training.evaluation.accuracy.evidence import Evidence, evidence
from training.evaluation.accuracy.photographs import WAYS
from training.evaluation.accuracy.robustness import Graded
from training.evaluation.accuracy.sets import PageSet
from training.evaluation.accuracy.zones import Zones, zones
from training.evaluation.evaluate import Outcome
from training.evaluation.metrics import Comparison, by_field

TEMPLATE = "accuracy.md.j2"
PICTURES = Path("images", "accuracy")  # from the page's folder
FAILURES = 10
IDENTITY, PAPER = ("passport", "id_card", "driver_licence"), ("receipt", "invoice")
Table = Mapping[str, Mapping[str, float | int]]


@dataclass(frozen=True)
class Told:
    """One set: its pages, what both models and what others said of them."""

    pages: PageSet
    answered: Sequence[Answered]
    others: Mapping[str, Sequence[Outcome]] = field(default_factory=dict)  # by reader

    @property
    def table(self) -> Table:
        """Scores by field; "all" at last."""
        return by_field(one for _, one in comparisons(self.answered))

    @property
    def table_of_tried(self) -> Table:
        """Of the fields alone that the rules try: what others can be held against."""
        return by_field(one for page, one in comparisons(self.answered) if _is_tried(page.outcome, one))

    @property
    def other_tables(self) -> Mapping[str, Table]:
        """By reader, of the fields that the rules try."""
        return {
            name: by_field(one for outcome in outcomes for one in outcome.comparisons if _is_tried(outcome, one))
            for name, outcomes in self.others.items()
        }

    @property
    def accepted(self) -> float:
        return _mean(page.outcome.accepted for page in self.answered)

    @property
    def type_right(self) -> float:
        return _mean(page.outcome.type_right for page in self.answered)


@dataclass(frozen=True)
class Goal:
    """What is to be reached, and what is."""

    what: str
    value: float
    goal: float
    n: int
    at_most: bool = False

    @property
    def reached(self) -> bool:
        return self.value <= self.goal if self.at_most else self.value >= self.goal


def write(
    out: Path,
    told: Sequence[Told],
    sheet: Sequence[Graded],
    about: Mapping[str, Any],
    learned: Sequence[Mapping[str, Any]] = (),
) -> None:
    """The page, and beside it its pictures.

    about: when, by what and with which models. learned: how its training went, see training.history.
    """
    pictures = out.parent / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    synthetic = [page for one in told if not one.pages.real for page in one.answered]
    real = [page for one in told if one.pages.real and one.pages.peers for page in one.answered]
    known = {"real receipts": real, "synthetic documents": synthetic}
    judged = {name: sureness.judged(one for _, one in comparisons(pages)) for name, pages in known.items()}
    shown = [(name, fields) for name, fields in judged.items() if fields]
    (pictures / "reliability.svg").write_text(sureness.reliability_picture(shown), encoding="utf-8")
    (pictures / "risk.svg").write_text(sureness.risk_picture(shown), encoding="utf-8")
    if sheet:
        (pictures / "robustness.svg").write_text(robustness.picture(sheet), encoding="utf-8")
    if learned:
        (pictures / "learning.svg").write_text(learning.picture(learned), encoding="utf-8")
    found = [(one, list(evidence(one.answered))) for one in told]
    typical = failures.write(failures.typical(synthetic, FAILURES), pictures)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": _percent, "tenths": _tenths, "label": lambda name: name.replace("_", " ")}
    text = environment.get_template(TEMPLATE).render(
        about=about,
        told=told,
        goals=list(_goals(told, found, judged)),
        peers={name: title for name, title in peers.NAMES.items() if any(name in one.others for one in told)},
        evidence=[(one.pages.title, *_evidence(some)) for one, some in found if some],
        sure={name: sureness.summary(fields) for name, fields in judged.items() if fields},
        levels={name: list(sureness.by_level(fields)) for name, fields in judged.items() if fields},
        sure_by_field={name: dict(_by_field(fields)) for name, fields in judged.items() if fields},
        zones={one.pages.title: each for one in told if (each := zones(one.answered))},
        zones_of_all=zones(synthetic),
        invented={one.pages.title: one.table for one in told if not one.pages.real},
        sheet=sheet,
        learned=learned,
        ways=WAYS,
        causes=[(one.pages.title, causes.causes(one.answered, True)) for one in told if one.pages.root],
        cause_names=causes.CAUSES,
        failures=[(failure, (PICTURES / file.name).as_posix()) for failure, file in typical],
        pictures=PICTURES.as_posix(),
    )
    out.write_text(text, encoding="utf-8")


def _goals(
    told: Sequence[Told],
    found: Sequence[tuple[Told, Sequence[Evidence]]],
    judged: Mapping[str, Sequence[sureness.Judged]],
) -> Iterator[Goal]:
    """Those whose pages were measured."""
    by_name = {one.pages.name: one for one in told}
    if scans := by_name.get("unseen_scans"):
        wanted = {"transaction_date": 0.93, "total": 0.90, "merchant_name": 0.70, "merchant_address": 0.62}
        for name, goal in wanted.items():
            row = scans.table[name]
            yield Goal(f"`{name}`, exact, scans of unseen merchants", row["exact"], goal, int(row["pages"]))
    for what, names, goal in (("identity", IDENTITY, 0.95), ("invoices' and receipts'", PAPER, 0.92)):
        for plan, how in (("good", "careful"), ("everyday", "everyday")):
            sets = [by_name[f"{name}_{plan}"] for name in names if f"{name}_{plan}" in by_name]
            if sets:
                row = _table([page.outcome for one in sets for page in one.answered])["all"]
                title = f"{what} fields, exact, {how} photographs of synthetic pages"
                yield Goal(title, row.get("exact", 0.0), goal, int(row["pages"]))
    synthetic = [page for one in told if not one.pages.real for page in one.answered]
    absent = _table([page.outcome for page in synthetic])["all"]
    if "invented" in absent:
        yield Goal(
            "absent fields that got a value, synthetic photographs",
            absent["invented"],
            0.02,
            int(absent["absent"]),
            True,
        )
    for what, real, goal in (("synthetic photographs", False, 0.97), ("SROIE's scans", True, 0.95)):
        some = [one for set_, each in found if _counts(set_.pages, real) for one in each]
        if some:
            yield Goal(f"places that cover the true text, {what}", _mean(one.right for one in some), goal, len(some))
    if fields := judged.get("real receipts"):
        sure = sureness.summary(fields)
        yield Goal("calibration error (ECE), real receipts", sure["error"], 0.03, sure["values"], at_most=True)
        yield Goal("right among the surest 80 % of fields, real receipts", sure["surest_right"], 0.99, sure["fields"])
    if all_zones := zones(synthetic):
        yield Goal(
            "machine-readable zones valid and right, synthetic photographs", all_zones.right / all_zones.printed, 0.98,
            all_zones.printed,
        )  # fmt: skip


def _counts(pages: PageSet, real: bool) -> bool:
    return pages.name.endswith("_scans") and pages.root is not None if real else not pages.real


def _is_tried(outcome: Outcome, one: Comparison) -> bool:
    return one.field in peers.TRIED.get(outcome.type, ())


def _table(outcomes: Iterable[Outcome]) -> Table:
    return by_field(one for outcome in outcomes for one in outcome.comparisons)


def _evidence(some: Sequence[Evidence]) -> tuple[int, float, float, float]:
    """How many, right ones, median covered, median size."""
    return (
        len(some),
        _mean(one.right for one in some),
        float(np.median([one.covered for one in some])),
        float(np.median([one.size for one in some])),
    )


def _by_field(fields: Sequence[sureness.Judged]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in sorted({one.field for one in fields}):
        row = sureness.summary([one for one in fields if one.field == name])
        if row["values"] >= sureness.FEWEST:
            yield name, row


def _mean(values: Iterable[float]) -> float:
    some = list(values)
    return float(np.mean(some)) if some else 0.0


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


def _tenths(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}".replace("%", " %")


__all__ = ["Goal", "Told", "Zones", "write"]

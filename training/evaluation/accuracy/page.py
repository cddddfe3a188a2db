"""Writes docs/accuracy.md and its pictures from the results of all sets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from training.datasets.simulated_photos import IMPAIRMENTS
from training.evaluation import baselines, confidence_curves
from training.evaluation.accuracy import causes, failures, robustness, training_curve
from training.evaluation.accuracy.page_results import PageResult, iter_comparisons
from training.evaluation.accuracy.robustness import GradeResult
from training.evaluation.accuracy.sets import PageSet
from training.evaluation.accuracy.value_positions import ValuePosition, measure_positions
from training.evaluation.accuracy.zones import summarize_zones
from training.evaluation.confidence_curves import FieldConfidence
from training.evaluation.evaluate import PageOutcome
from training.metrics import Comparison, by_field

TEMPLATE = "accuracy.md.j2"
PICTURES = Path("images", "accuracy")  # relative to the page's folder
MAX_FAILURES = 10
IDENTITY_TYPES, PAPER_TYPES = ("passport", "id_card", "driver_licence"), ("receipt", "invoice")
Table = Mapping[str, Mapping[str, float | int]]


@dataclass(frozen=True)
class SetResult:
    """The results of both models, and of the baselines, on one set of pages."""

    pages: PageSet
    results: Sequence[PageResult]
    baselines: Mapping[str, Sequence[PageOutcome]] = field(default_factory=dict)  # by baseline name

    @property
    def table(self) -> Table:
        """Scores by field; "all" is last."""
        return by_field(one for _, one in iter_comparisons(self.results))

    @property
    def table_of_rule_fields(self) -> Table:
        """Scores of the fields that the baselines' rules cover, to compare them with the baselines."""
        return by_field(one for result, one in iter_comparisons(self.results) if _has_rule(result.outcome, one))

    @property
    def baseline_tables(self) -> Mapping[str, Table]:
        """Scores of each baseline on the fields that its rules cover, by baseline name."""
        return {
            name: by_field(one for outcome in outcomes for one in outcome.comparisons if _has_rule(outcome, one))
            for name, outcomes in self.baselines.items()
        }

    @property
    def accepted(self) -> float:
        """Share of the pages that the validation accepts."""
        return _mean(result.outcome.accepted for result in self.results)

    @property
    def type_right(self) -> float:
        """Share of the pages with the right document type."""
        return _mean(result.outcome.type_right for result in self.results)


@dataclass(frozen=True)
class Goal:
    """A goal and the value that was measured."""

    title: str
    value: float
    goal: float
    n: int
    at_most: bool = False

    @property
    def reached(self) -> bool:
        """Whether the measured value meets the goal."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal


def write_page(
    out: Path,
    sets: Sequence[SetResult],
    grades: Sequence[GradeResult],
    about: Mapping[str, Any],
    history: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Write the page to `out`, and its pictures to images/accuracy next to it.

    about: date, commit, machine, command and model versions. history: of the training run, see training.history.
    """
    pictures = out.parent / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    synthetic = [result for one in sets if not one.pages.real for result in one.results]
    real = [result for one in sets if one.pages.real and one.pages.baselines for result in one.results]
    groups = {"real receipts": real, "synthetic documents": synthetic}
    confidences = {
        name: confidence_curves.field_confidences(one for _, one in iter_comparisons(results))
        for name, results in groups.items()
    }
    confidences = {name: fields for name, fields in confidences.items() if fields}
    _write_plots(pictures, list(confidences.items()), grades, history)
    positions = [(one, list(measure_positions(one.results))) for one in sets]
    shown = failures.write_failures(failures.select_failures(synthetic, MAX_FAILURES), pictures)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": _percent, "tenths": _tenths, "label": lambda name: name.replace("_", " ")}
    used = {name: title for name, title in baselines.BASELINE_NAMES.items() if any(name in s.baselines for s in sets)}
    text = environment.get_template(TEMPLATE).render(
        about=about,
        sets=sets,
        goals=list(_goals(sets, positions, confidences)),
        baselines=used,
        positions=[(one.pages.title, *_position_row(some)) for one, some in positions if some],
        calibration={name: confidence_curves.confidence_summary(fields) for name, fields in confidences.items()},
        levels={name: list(confidence_curves.by_level(fields)) for name, fields in confidences.items()},
        calibration_by_field={name: dict(_calibration_by_field(fields)) for name, fields in confidences.items()},
        zones={one.pages.title: each for one in sets if (each := summarize_zones(one.results))},
        synthetic_tables={one.pages.title: one.table for one in sets if not one.pages.real},
        grades=grades,
        history=history,
        impairments=IMPAIRMENTS,
        causes=[(one.pages.title, causes.count_causes(one.results, True)) for one in sets if one.pages.root],
        cause_names=causes.CAUSES,
        failures=[(failure, (PICTURES / file.name).as_posix()) for failure, file in shown],
        pictures=PICTURES.as_posix(),
    )
    out.write_text(text, encoding="utf-8")


def _write_plots(
    folder: Path,
    confidences: Sequence[tuple[str, Sequence[FieldConfidence]]],
    grades: Sequence[GradeResult],
    history: Sequence[Mapping[str, Any]],
) -> None:
    plots = {
        "reliability": confidence_curves.reliability_plot(confidences),
        "risk": confidence_curves.confidence_risk_plot(confidences),
    }
    if grades:
        plots["robustness"] = robustness.robustness_plot(grades)
    if history:
        plots["learning"] = training_curve.training_plot(history)
    for name, svg in plots.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


def _goals(
    sets: Sequence[SetResult],
    positions: Sequence[tuple[SetResult, Sequence[ValuePosition]]],
    confidences: Mapping[str, Sequence[FieldConfidence]],
) -> Iterator[Goal]:
    """The goals whose pages were measured."""
    by_name = {one.pages.name: one for one in sets}
    if scans := by_name.get("unseen_scans"):
        goals = {"document_date": 0.93, "total": 0.90, "merchant_name": 0.70, "merchant_address": 0.62}
        for name, goal in goals.items():
            row = scans.table[name]
            yield Goal(f"`{name}`, exact, scans of unseen merchants", row["exact"], goal, int(row["pages"]))
    for title, types, goal in (
        ("identity documents", IDENTITY_TYPES, 0.95),
        ("invoices and receipts", PAPER_TYPES, 0.92),
    ):
        for plan, how in (("good", "careful"), ("everyday", "everyday")):
            some = [by_name[f"{name}_{plan}"] for name in types if f"{name}_{plan}" in by_name]
            if some:
                row = _table([result.outcome for one in some for result in one.results])["all"]
                title_of_plan = f"fields of synthetic {title}, exact, {how} photos"
                yield Goal(title_of_plan, row.get("exact", 0.0), goal, int(row["pages"]))
    synthetic = [result for one in sets if not one.pages.real for result in one.results]
    absent = _table([result.outcome for result in synthetic])["all"]
    if "invented" in absent:
        title = "absent fields that got a value, synthetic photos"
        yield Goal(title, absent["invented"], 0.02, int(absent["absent"]), at_most=True)
    for title, real, goal in (("synthetic photos", False, 0.97), ("SROIE's scans", True, 0.95)):
        found = [each for one, some in positions if _has_position_goal(one.pages, real) for each in some]
        if found:
            share = _mean(each.right for each in found)
            yield Goal(f"polygons that cover the true text, {title}", share, goal, len(found))
    if fields := confidences.get("real receipts"):
        row = confidence_curves.confidence_summary(fields)
        yield Goal("calibration error (ECE), real receipts", row["error"], 0.03, row["values"], at_most=True)
        title = "right among the 80 % most confident fields, real receipts"
        yield Goal(title, row["right_of_most_confident"], 0.99, row["fields"])
    if zones := summarize_zones(synthetic):
        title = "machine-readable zones valid and right, synthetic photos"
        yield Goal(title, zones.right / zones.printed, 0.98, zones.printed)


def _has_position_goal(pages: PageSet, real: bool) -> bool:
    return pages.name.endswith("_scans") and pages.root is not None if real else not pages.real


def _has_rule(outcome: PageOutcome, one: Comparison) -> bool:
    return one.field in baselines.RULE_FIELDS.get(outcome.type, ())


def _table(outcomes: Iterable[PageOutcome]) -> Table:
    return by_field(one for outcome in outcomes for one in outcome.comparisons)


def _position_row(some: Sequence[ValuePosition]) -> tuple[int, float, float, float]:
    """Number of values, share of right positions, median covered share, median relative size."""
    return (
        len(some),
        _mean(one.right for one in some),
        float(np.median([one.covered for one in some])),
        float(np.median([one.size for one in some])),
    )


def _calibration_by_field(fields: Sequence[FieldConfidence]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A row for each field with at least MIN_VALUES values."""
    for name in sorted({one.field for one in fields}):
        row = confidence_curves.confidence_summary([one for one in fields if one.field == name])
        if row["values"] >= confidence_curves.MIN_VALUES:
            yield name, row


def _mean(values: Iterable[float]) -> float:
    some = list(values)
    return float(np.mean(some)) if some else 0.0


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


def _tenths(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}".replace("%", " %")


__all__ = ["Goal", "SetResult", "write_page"]

"""Fit the usability model to the photos on which extraction fails, and report how well it works.

    python -m training.commands.fit_usability --tune PHOTOS SCANS CAREFUL --tune PHONES --report PHOTOS SCANS CAREFUL \
        --save runs/quality/weights --out docs/validation.md

All are labelled folders of the same pages: photos of any kind, scans, and one or more sets of careful photos. A field
counts if the scan and the careful photos are all read right: a wrong value is then the photo's fault. For photos
without careful pictures, such as PHONES, every labelled field counts: label only fields that extraction can read. The
model is fitted on --tune and reported on --report, which must not share a page. Both models are the promoted ones in
--models. The outcome of each photo is cached next to it (see training/evaluation/photo_outcomes.py), so only the first
run is slow. Afterwards promote the weights with the usability model that is now stored next to them.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT, Strictness
from docextract.quality.usability import UsabilityModel
from training.evaluation.evaluate import provenance
from training.evaluation.photo_outcomes import PhotoOutcome, RecordingModels, collect_outcomes
from training.evaluation.risk import (
    STRICTNESSES,
    PhotoCase,
    build_cases,
    choose_threshold,
    risk_plot,
    unusable_by_chance,
    usability_risk_curve,
    validation_page,
    validation_scores,
)

# Weight of each cost's initial guess, in photos: the cost of a defect that few photos have stays near the guess.
PRIOR_PHOTOS = 4.0
LENIENCY_SPREAD = 1.0  # standard deviation, log-odds; 2 and 3 gave no better results on left-out photos
_GUESSES = np.clip([criterion.cost for criterion in CRITERIA], 0.03, 0.97)


def fit_usability_model(tuned_on: Sequence[PhotoCase]) -> UsabilityModel:
    """Fit costs, calibration and thresholds. Raises ValueError if all photos are usable, or none is."""
    decided = [case for case in tuned_on if case.usable is not None]
    detected = [case for case in decided if case.detected]
    if len({case.usable for case in detected}) < 2:
        raise ValueError("--tune must have usable and unusable (spoilt) photos")
    scores = torch.tensor([[case.scores[criterion.name] for criterion in CRITERIA] for case in detected]).double()
    usable = torch.tensor([bool(case.usable) for case in detected]).double()
    usability = _fit_costs(scores, usable)
    return replace(usability, thresholds=_fit_thresholds(decided, usability))


def _fit_costs(scores: torch.Tensor, usable: torch.Tensor) -> UsabilityModel:
    """The most likely costs, tolerances, scale and shift, with a prior around the initial guesses. scores [N, C],
    usable [N].
    """
    guesses = torch.from_numpy(np.log(_GUESSES / (1 - _GUESSES)))
    start, count = UsabilityModel(), len(guesses)
    parameters = torch.cat([guesses, torch.zeros_like(guesses), torch.tensor([np.log(start.scale), start.shift])])
    parameters.requires_grad_()
    odds = scores.clamp(1e-5, 1 - 1e-5).logit()
    optimizer = torch.optim.LBFGS([parameters], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        costs, leniency = parameters[:count], parameters[count:-2]
        survival = torch.log1p(-costs.sigmoid() * (1 - 1e-6) * (-odds - leniency).sigmoid()).sum(1)
        logits = parameters[-1] + parameters[-2].exp() * survival
        error = torch.nn.functional.binary_cross_entropy_with_logits(logits, usable, reduction="sum")
        penalty = PRIOR_PHOTOS / 4 * ((costs - guesses) ** 2).sum() + 0.5 * (parameters[-2] - np.log(start.scale)) ** 2
        cost: torch.Tensor = error + penalty + 0.5 * (leniency / LENIENCY_SPREAD).square().sum()
        cost.backward()  # type: ignore[no-untyped-call]
        return cost

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    found = parameters.detach()
    names = [criterion.name for criterion in CRITERIA]
    costs = dict(zip(names, _rounded(found[:count].sigmoid()), strict=True))
    leniency = dict(zip(names, _rounded(found[count:-2]), strict=True))
    costs[DOCUMENT_ABSENT], leniency[DOCUMENT_ABSENT] = (
        1.0,
        0.0,
    )  # no document is always fatal; the few such photos here say nothing
    scale, shift = round(float(found[-2].exp()), 4), round(float(found[-1]), 4)
    return UsabilityModel(costs, scale, shift, leniency=leniency)


def _rounded(values: torch.Tensor) -> list[float]:
    return [round(value, 4) for value in values.tolist()]


def _fit_thresholds(tuned_on: Sequence[PhotoCase], usability: UsabilityModel) -> dict[Strictness, float]:
    """The best threshold of each strictness, see `choose_threshold`; relaxed ≤ normal ≤ strict."""
    free: dict[Strictness, float] = dict.fromkeys(STRICTNESSES, 1e-6)
    without = replace(usability, thresholds=free)

    def best(strictness: Strictness) -> float:
        judged = [case.verdict(without, strictness) for case in tuned_on]
        scores = np.array([verdict.score if verdict.accepted else 0.0 for verdict in judged])
        chosen = choose_threshold(strictness, scores, np.array([bool(case.usable) for case in tuned_on]))
        return round(float(np.clip(chosen, 0.05, 0.95)), 4)

    normal, relaxed, strict = best("normal"), best("relaxed"), best("strict")
    return {"relaxed": min(relaxed, normal), "normal": normal, "strict": max(normal, strict)}


def _collect_cases(groups: Sequence[Sequence[Path]], models: RecordingModels) -> tuple[list[PhotoCase], float | None]:
    """The cases of all groups, and the share of their careful photos that is unusable by chance."""
    found: list[PhotoCase] = []
    careful: dict[tuple[Path, ...], list[list[PhotoOutcome]]] = {}  # several sets of photos may share them
    for photos, *folders in groups:
        careful[tuple(folders)] = sets = [collect_outcomes(folder, models) for folder in folders]
        found += build_cases(collect_outcomes(photos, models), *sets)
    return found, unusable_by_chance(list(careful.values()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    group: Mapping[str, Any] = {"type": Path, "nargs": "+", "action": "append", "metavar": "DIR"}
    parser.add_argument("--tune", required=True, **group)
    parser.add_argument("--report", required=True, **group)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--save", type=Path, metavar="WEIGHTS", help="store the usability model next to these weights")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="the report; its plot is written next to it")
    parser.add_argument("--scores", type=Path, metavar="FILE.json", help="the figures (default: print them)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    models = RecordingModels(options.models)  # loaded once; loading per group took 9 GB
    (tuned_on, _), (reported, chance) = (_collect_cases(groups, models) for groups in (options.tune, options.report))
    if shared := {case.key for case in tuned_on} & {case.key for case in reported}:
        sys.exit(f"{len(shared)} pages are in both --tune and --report, for example {min(shared)}")
    made = provenance()
    alone = sum(len(collect_outcomes(*group, models)) for group in options.tune if len(group) == 1)
    usable = sum(bool(case.usable) for case in tuned_on)
    fitted = {**made, "photos": len(tuned_on), "usable": usable, "alone": alone}
    usability = replace(fit_usability_model(tuned_on), fitted=fitted)
    careful_sets = min(len(group) for group in options.report) - 2
    scores = {
        "made": made,
        "careful_sets": careful_sets,
        "spoilt_by_chance": chance,
        **validation_scores(reported, usability),
    }
    if options.save:
        usability.save(options.save)
    if options.out:
        drawn = options.out.with_suffix(".svg")
        at: dict[str, float] = {strictness: scores[strictness]["passed"] for strictness in STRICTNESSES}
        drawn.write_text(risk_plot(usability_risk_curve(reported, usability), at))
        options.out.write_text(
            validation_page(scores, usability, "python -m training.commands.fit_usability", drawn.name)
        )
    text = json.dumps(scores, indent=1) + "\n"
    if options.scores:
        options.scores.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

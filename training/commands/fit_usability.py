"""Fit what photos are held against to where extraction starts to fail, and report how well that works.

    python -m training.commands.fit_usability --tune PHOTOS SCANS CAREFUL --tune PHONES --report PHOTOS SCANS CAREFUL \
        --save runs/quality/weights --out docs/validation.md

All are labelled folders of the same pages: photographed in any way, scanned, and, once or more often, photographed with
care. A field counts where scan and careful photos are all read right: what is lost then is the photo's fault. Where
photos stand alone, as PHONES, every labelled field counts: label those that extraction knows to read. Fitted on
--tune, reported on --report, which must share no page. Both models run as they are promoted in --models; what they make
of each photo is kept beside it (see training/evaluation/trials.py), so that only the first run is slow. Afterwards
promote the
weights with the usability that now lies beside them.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT, Strictness
from docextract.quality.usability import UsabilityModel
from training.evaluation.evaluate import provenance
from training.evaluation.photo_outcomes import RecordingModels, Trial, collect
from training.evaluation.risk import (
    PASSED,
    STOPPED,
    STRICTNESSES,
    Case,
    cases,
    curve,
    page,
    picture,
    report,
    spoilt_by_chance,
)

NEARLY_ALL = 0.97  # relaxed passes so many usable photos, strict stops so many spoilt ones
# Pull of every cost towards its guess, in photos: a defect that is rare in a few hundred photos moves little.
PRIOR = 4.0
LENIENCY_SPREAD = 1.0  # log-odds; with 2 and 3 photos left out of the fit were told no better
_GUESSES = np.clip([criterion.cost for criterion in CRITERIA], 0.03, 0.97)


def fit(tuned_on: Sequence[Case]) -> UsabilityModel:
    """Costs, calibration and thresholds. Raises ValueError where all photos are usable, or none."""
    told = [case for case in tuned_on if case.usable is not None]
    seen = [case for case in told if case.detected]
    if len({case.usable for case in seen}) < 2:
        raise ValueError("the photos to tune on must hold usable and spoilt ones")
    scores = torch.tensor([[case.scores[criterion.name] for criterion in CRITERIA] for case in seen]).double()
    usable = torch.tensor([bool(case.usable) for case in seen]).double()
    usability = _fit_costs(scores, usable)
    return replace(usability, thresholds=_fit_thresholds(told, usability))


def _fit_costs(scores: torch.Tensor, usable: torch.Tensor) -> UsabilityModel:
    """The likeliest costs, leniency, scale and shift, under a prior around the guesses: scores [N, C], usable [N]."""
    guesses = torch.from_numpy(np.log(_GUESSES / (1 - _GUESSES)))
    start, count = UsabilityModel(), len(guesses)
    bent = torch.cat([guesses, torch.zeros_like(guesses), torch.tensor([np.log(start.scale), start.shift])])
    bent.requires_grad_()
    odds = scores.clamp(1e-5, 1 - 1e-5).logit()
    optimizer = torch.optim.LBFGS([bent], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        costs, leniency = bent[:count], bent[count:-2]
        survival = torch.log1p(-costs.sigmoid() * (1 - 1e-6) * (-odds - leniency).sigmoid()).sum(1)
        logits = bent[-1] + bent[-2].exp() * survival
        error = torch.nn.functional.binary_cross_entropy_with_logits(logits, usable, reduction="sum")
        pull = PRIOR / 4 * ((costs - guesses) ** 2).sum() + 0.5 * (bent[-2] - np.log(start.scale)) ** 2
        cost: torch.Tensor = error + pull + 0.5 * (leniency / LENIENCY_SPREAD).square().sum()
        cost.backward()  # type: ignore[no-untyped-call]
        return cost

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    found = bent.detach()
    names = [criterion.name for criterion in CRITERIA]
    costs = dict(zip(names, _rounded(found[:count].sigmoid()), strict=True))
    leniency = dict(zip(names, _rounded(found[count:-2]), strict=True))
    costs[DOCUMENT_ABSENT], leniency[DOCUMENT_ABSENT] = 1.0, 0.0  # it is lost, whatever the few of them here were taken for
    scale, shift = round(float(found[-2].exp()), 4), round(float(found[-1]), 4)
    return UsabilityModel(costs, scale, shift, leniency=leniency)


def _rounded(values: torch.Tensor) -> list[float]:
    return [round(value, 4) for value in values.tolist()]


def _fit_thresholds(tuned_on: Sequence[Case], usability: UsabilityModel) -> dict[Strictness, float]:
    """Normal: where the shares of passed and stopped are furthest over their goals, both. Relaxed ≤ normal ≤ strict."""
    free: dict[Strictness, float] = dict.fromkeys(STRICTNESSES, 1e-6)
    without = replace(usability, thresholds=free)

    def best(strictness: Strictness, gain: Callable[[float, float], float]) -> float:
        judged = [case.field_confidences(without, strictness) for case in tuned_on]
        scores = np.array([verdict.score if verdict.accepted else 0.0 for verdict in judged])
        usable = np.array([bool(case.usable) for case in tuned_on])
        steps = np.unique(np.concatenate([[0.02], scores[scores > 0], [0.98]]))
        middles = (steps[1:] + steps[:-1]) / 2
        gains = [gain(float((scores[usable] >= at).mean()), float((scores[~usable] < at).mean())) for at in middles]
        return round(float(np.clip(middles[int(np.argmax(gains))], 0.05, 0.95)), 4)

    normal = best("normal", lambda passed, stopped: min(passed - PASSED, stopped - STOPPED))
    relaxed = best("relaxed", lambda passed, stopped: min(0.0, passed - NEARLY_ALL) + 0.01 * stopped)
    strict = best("strict", lambda passed, stopped: min(0.0, stopped - NEARLY_ALL) + 0.01 * passed)
    return {"relaxed": min(relaxed, normal), "normal": normal, "strict": max(normal, strict)}


def _gathered(groups: Sequence[Sequence[Path]], models: RecordingModels) -> tuple[list[Case], float | None]:
    """The photos of all groups, and what share of their careful ones is spoilt by chance."""
    found: list[Case] = []
    careful: dict[tuple[Path, ...], list[list[Trial]]] = {}  # the same ones stand beside several sets of photos
    for photos, *folders in groups:
        careful[tuple(folders)] = beside = [collect(folder, models) for folder in folders]
        found += cases(collect(photos, models), *beside)
    return found, spoilt_by_chance(list(careful.values()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    group: Mapping[str, Any] = {"type": Path, "nargs": "+", "action": "append", "metavar": "DIR"}
    parser.add_argument("--tune", required=True, **group)
    parser.add_argument("--report", required=True, **group)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--save", type=Path, metavar="WEIGHTS", help="put the usability beside these weights")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="the report, and beside it a picture")
    parser.add_argument("--scores", type=Path, metavar="FILE.json", help="its figures; to the screen if not given")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    models = RecordingModels(options.models)  # loaded once: all of them together took 9 GB
    (tuned_on, _), (held, luck) = (_gathered(groups, models) for groups in (options.tune, options.report))
    if shared := {case.key for case in tuned_on} & {case.key for case in held}:
        sys.exit(f"{len(shared)} pages are in both --tune and --report, {min(shared)} among them")
    made = provenance()
    alone = sum(len(collect(*group, models)) for group in options.tune if len(group) == 1)
    usable = sum(bool(case.usable) for case in tuned_on)
    fitted = {**made, "photos": len(tuned_on), "usable": usable, "alone": alone}
    usability = replace(fit(tuned_on), fitted=fitted)
    beside = min(len(group) for group in options.report) - 2
    scores = {"made": made, "careful_sets": beside, "spoilt_by_chance": luck, **report(held, usability)}
    if options.save:
        usability.save(options.save)
    if options.out:
        drawn = options.out.with_suffix(".svg")
        at: dict[str, float] = {strictness: scores[strictness]["passed"] for strictness in STRICTNESSES}
        drawn.write_text(picture(curve(held, usability), at))
        options.out.write_text(page(scores, usability, "python -m training.commands.fit_usability", drawn.name))
    text = json.dumps(scores, indent=1) + "\n"
    if options.scores:
        options.scores.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

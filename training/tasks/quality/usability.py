"""Fit the usability model: what each defect costs, how much the legibility map counts, and the thresholds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT, Strictness
from docextract.quality.usability import ANY_TYPE, MIN_LEGIBILITY, UsabilityModel
from training.evaluation.risk import STRICTNESSES, CheckedPhoto, choose_threshold, readable_score

# Weight of each cost's initial guess, in photos: the cost of a defect that few photos have stays near the guess.
PRIOR_PHOTOS = 4.0
LENIENCY_SPREAD = 1.0  # standard deviation, log-odds; 2 and 3 gave no better results on left-out photos
MIN_PHOTOS_OF_TYPE = 60  # usable ones, and spoilt ones
LEGIBILITY_SPREAD = 3.0  # standard deviation of the weights of the map, before their softplus
_GUESSES = np.clip([criterion.cost for criterion in CRITERIA], 0.03, 0.97)


def fit_usability_model(photos: Sequence[CheckedPhoto]) -> UsabilityModel:
    """Fit costs, weights of the map and thresholds. Raises ValueError if all photos are usable, or none is."""
    detected = [photo for photo in photos if photo.detected]
    if len({photo.usable for photo in detected}) < 2:
        raise ValueError("there must be usable and unusable (spoilt) photos")
    usability = _fit_scores(detected)
    free: dict[Strictness, float] = dict.fromkeys(STRICTNESSES, 1e-6)
    without = replace(usability, thresholds=free)
    scores = {one: [_accepted_score(photo, without, one) for photo in photos] for one in STRICTNESSES}
    thresholds = _fit_thresholds(photos, scores)
    usability = replace(usability, thresholds=thresholds)
    return replace(usability, readable=_fit_readable(photos, usability))


def _fit_readable(photos: Sequence[CheckedPhoto], usability: UsabilityModel) -> dict[str, dict[Strictness, float]]:
    """The thresholds of validation=enforce: of each type with enough photos, and of all other photos together."""
    by_type: dict[str, list[CheckedPhoto]] = {ANY_TYPE: []}
    for photo in photos:
        by_type.setdefault(photo.type, []).append(photo)
    for name in [name for name, some in by_type.items() if not _are_enough(some)]:
        by_type[ANY_TYPE] += by_type.pop(name) if name != ANY_TYPE else []
    if not _are_enough(by_type[ANY_TYPE]):
        by_type[ANY_TYPE] = list(photos)
    return {
        name: _fit_thresholds(
            some, dict.fromkeys(STRICTNESSES, tuple(readable_score(photo, usability) for photo in some))
        )
        for name, some in by_type.items()
    }


def _are_enough(photos: Sequence[CheckedPhoto]) -> bool:
    usable = sum(photo.usable for photo in photos)
    return min(usable, len(photos) - usable) >= MIN_PHOTOS_OF_TYPE


def _accepted_score(photo: CheckedPhoto, usability: UsabilityModel, strictness: Strictness) -> float:
    """The score of a photo; 0 if a criterion alone refuses it."""
    verdict = photo.verdict(usability, strictness)
    return verdict.score if verdict.accepted else 0.0


def _fit_thresholds(
    photos: Sequence[CheckedPhoto], scores: Mapping[Strictness, Sequence[float]]
) -> dict[Strictness, float]:
    """The best threshold of each strictness, see `choose_threshold`; relaxed ≤ normal ≤ strict."""
    usable = np.array([photo.usable for photo in photos])

    def best(strictness: Strictness) -> float:
        return round(float(np.clip(choose_threshold(strictness, np.array(scores[strictness]), usable), 0.05, 0.95)), 4)

    normal, relaxed, strict = best("normal"), best("relaxed"), best("strict")
    return {"relaxed": min(relaxed, normal), "normal": normal, "strict": max(normal, strict)}


def _fit_scores(photos: Sequence[CheckedPhoto]) -> UsabilityModel:
    """The most likely costs, tolerances, weights, scale and shift, with a prior around the initial guesses."""
    scores = torch.tensor([[photo.scores[criterion.name] for criterion in CRITERIA] for photo in photos]).double()
    usable = torch.tensor([photo.usable for photo in photos]).double()
    legible = torch.tensor([_lowest_and_mean(photo.fields) for photo in photos]).double()  # [N, 2]
    guesses = torch.from_numpy(np.log(_GUESSES / (1 - _GUESSES)))
    start, count = UsabilityModel(), len(guesses)
    others = torch.tensor([-2.0, -2.0, np.log(start.scale), start.shift])  # weights of the map, scale, shift
    parameters = torch.cat([guesses, torch.zeros_like(guesses), others])
    parameters.requires_grad_()
    odds = scores.clamp(1e-5, 1 - 1e-5).logit()
    optimizer = torch.optim.LBFGS([parameters], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        costs, leniency, weights = parameters[:count], parameters[count:-4], parameters[-4:-2]
        survival = torch.log1p(-costs.sigmoid() * (1 - 1e-6) * (-odds - leniency).sigmoid()).sum(1)
        map_part = legible @ torch.nn.functional.softplus(weights)
        logits = parameters[-1] + parameters[-2].exp() * survival + map_part
        error = torch.nn.functional.binary_cross_entropy_with_logits(logits, usable, reduction="sum")
        penalty = PRIOR_PHOTOS / 4 * ((costs - guesses) ** 2).sum() + 0.5 * (parameters[-2] - np.log(start.scale)) ** 2
        penalty = penalty + 0.5 * (leniency / LENIENCY_SPREAD).square().sum()
        cost: torch.Tensor = error + penalty + 0.5 * (weights / LEGIBILITY_SPREAD).square().sum()
        cost.backward()  # type: ignore[no-untyped-call]
        return cost

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    found = parameters.detach()
    names = [criterion.name for criterion in CRITERIA]
    costs = dict(zip(names, _rounded(found[:count].sigmoid()), strict=True))
    leniency = dict(zip(names, _rounded(found[count:-4]), strict=True))
    # No document is always fatal; the few such photos here say nothing.
    costs[DOCUMENT_ABSENT], leniency[DOCUMENT_ABSENT] = 1.0, 0.0
    lowest, mean = _rounded(torch.nn.functional.softplus(found[-4:-2]))
    scale, shift = round(float(found[-2].exp()), 4), round(float(found[-1]), 4)
    return UsabilityModel(costs, scale, shift, leniency=leniency, legibility=(lowest, mean))


def _lowest_and_mean(fields: Sequence[float]) -> tuple[float, float]:
    """The lowest logarithm of the legibility of required fields, and the mean one; 0 without a map."""
    logs = np.log(np.maximum(fields, MIN_LEGIBILITY)) if fields else np.zeros(1)
    return float(logs.min()), float(logs.mean())


def _rounded(values: torch.Tensor) -> list[float]:
    return [round(value, 4) for value in values.tolist()]

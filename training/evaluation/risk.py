"""Evaluates the validation of photos: which photos it passes and stops, and the risk at each threshold.

A field *counts* for a photo if all careful pictures of the same page (its scan, careful photos) are read right: then
a wrong value is the photo's fault. A photo is *usable* if all required fields that count are right, else *unusable*
("spoilt" in the figures' names).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.predictions import Assessment
from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT, Strictness
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import PhotoVerdict, VerdictOptions, judge_photo
from training.evaluation.photo_outcomes import PhotoOutcome, required_fields
from training.evaluation.plots import Axis, Dot, Line, svg
from training.metrics import spearman

# Goals at normal strictness.
MIN_USABLE_PASSED, MIN_UNUSABLE_STOPPED, MIN_RANK_CORRELATION = 0.85, 0.90, 0.87
_SHARES = ("usable_passed", "spoilt_stopped", "usable_of_passed", "passed")
STRICTNESSES: tuple[Strictness, ...] = ("relaxed", "normal", "strict")
_CORNERS = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], np.float32)


@dataclass(frozen=True)
class PhotoCase:
    """One photo: the quality network's scores, and what extraction read of it."""

    key: str
    detected: bool
    scores: Mapping[str, float]  # by criterion
    usable: bool | None  # every required field that counts is right; None if no required field counts
    whole: bool  # every required field is right, whether it counts or not
    kept: float  # mean likeness of the fields that count; 1 if none counts
    accuracy: float  # mean likeness of all labelled fields

    def verdict(self, usability: UsabilityModel, strictness: Strictness = "normal") -> PhotoVerdict:
        """The verdict that the service gives."""
        assessment = Assessment(
            self.scores[DOCUMENT_ABSENT], None, 0.0, None, _CORNERS if self.detected else None, 0, dict(self.scores)
        )
        return judge_photo(assessment, 0, 1000, 1000, VerdictOptions(strictness), usability)


def build_cases(photos: Sequence[PhotoOutcome], *careful: Sequence[PhotoOutcome]) -> list[PhotoCase]:
    """One case per photo, in input order. careful: sets of careful pictures of the same pages, by key.

    Without careful pictures every labelled field counts. Raises ValueError for a photo whose page is not in all sets.
    """
    by_key = [{outcome.key: outcome for outcome in outcomes} for outcomes in careful]
    if missing := sorted({photo.key for photo in photos if not all(photo.key in one for one in by_key)}):
        raise ValueError(f"there is no careful picture of {', '.join(missing[:5])}")
    return [_build_case(photo, [outcomes[photo.key] for outcomes in by_key]) for photo in photos]


def _build_case(photo: PhotoOutcome, careful: Sequence[PhotoOutcome]) -> PhotoCase:
    counting = [name for name in photo.right if all(one.right.get(name) for one in careful)]
    required = required_fields(photo)
    right = [photo.right[name] for name in required if name in counting]
    return PhotoCase(
        photo.key,
        photo.detected,
        photo.scores,
        usable=all(right) if right else None,
        whole=all(photo.right[name] for name in required),
        kept=float(np.mean([photo.likeness[name] for name in counting])) if counting else 1.0,
        accuracy=float(np.mean(list(photo.likeness.values()))),
    )


def unusable_by_chance(groups: Sequence[Sequence[Sequence[PhotoOutcome]]]) -> float | None:
    """Share of the careful photos that count as unusable themselves, each compared with the other careful pictures.

    This share is lost although nothing is wrong with the photo. groups: sets of careful pictures of the same pages, the
    scans first. Returns None without careful photos.
    """
    usable = [
        case.usable
        for careful in groups
        for at in range(1, len(careful))
        for case in build_cases(careful[at], *careful[:at], *careful[at + 1 :])
        if case.usable is not None
    ]
    return round(1 - sum(usable) / len(usable), 4) if usable else None


@dataclass(frozen=True)
class RiskCurve:
    """The risk if only the best-scored share of the photos is passed."""

    coverage: NDArray[np.float64]  # [N], rising to 1
    risk: NDArray[np.float64]  # [N], share of unusable photos among the passed ones

    @property
    def area(self) -> float:
        """Mean risk over all coverages; 0 is perfect."""
        return float(self.risk.mean())


def risk_curve(cases: Sequence[PhotoCase], score: Callable[[PhotoCase], float]) -> RiskCurve:
    """The curve for photos in the order of this score, the best first."""
    order = sorted(cases, key=score, reverse=True)
    unusable = np.cumsum([not case.usable for case in order])
    passed = np.arange(1, len(order) + 1)
    return RiskCurve(passed / len(order), unusable / passed)


def usability_risk_curve(cases: Sequence[PhotoCase], usability: UsabilityModel) -> RiskCurve:
    """The curve of the usability score, over the photos with a required field that counts."""
    return risk_curve([case for case in cases if case.usable is not None], _score_by(usability))


NEARLY_ALL = 0.97  # share of usable photos that relaxed passes, and of unusable photos that strict stops


def choose_threshold(strictness: Strictness, scores: NDArray[np.float64], usable: NDArray[np.bool_]) -> float:
    """The best minimum score for photos whose usability is known, [N] each; a photo with a lower score is stopped.

    Normal: where the lower of the two margins over the goals is highest. Relaxed passes nearly all usable photos,
    strict stops nearly all unusable ones.
    """
    steps = np.unique(np.concatenate([[0.02], scores[scores > 0], [0.98]]))
    middles = (steps[1:] + steps[:-1]) / 2
    passed = np.array([(scores[usable] >= at).mean() for at in middles])
    stopped = np.array([(scores[~usable] < at).mean() for at in middles])
    gains = {
        "normal": np.minimum(passed - MIN_USABLE_PASSED, stopped - MIN_UNUSABLE_STOPPED),
        "relaxed": np.minimum(0.0, passed - NEARLY_ALL) + 0.01 * stopped,
        "strict": np.minimum(0.0, stopped - NEARLY_ALL) + 0.01 * passed,
    }
    return float(middles[int(np.argmax(gains[strictness]))])


def validation_scores(cases: Sequence[PhotoCase], usability: UsabilityModel) -> dict[str, Any]:
    """The figures of the report. The cases must not be those that the usability model was fitted on."""
    decided = [case for case in cases if case.usable is not None]
    score, kept = _score_by(usability), [case.kept for case in decided]
    by_strictness: dict[str, dict[str, float | None]] = {}
    for strictness in STRICTNESSES:
        accepted = np.array([case.verdict(usability, strictness).accepted for case in decided])
        usable = np.array([case.usable for case in decided])
        accepted_of_all = np.array([case.verdict(usability, strictness).accepted for case in cases])
        whole = np.array([case.whole for case in cases])
        by_strictness[strictness] = {
            "usable_passed": _share(accepted[usable]),
            "spoilt_stopped": _share(~accepted[~usable]),
            "whole_passed": _share(accepted_of_all[whole]),
            "any_wrong_stopped": _share(~accepted_of_all[~whole]),
            "passed": _share(accepted_of_all),
            "usable_of_passed": _share(usable[accepted]),
        }
    accuracies = [case.accuracy for case in cases]
    return {
        "photos": len(cases),
        "told": len(decided),
        "usable": sum(bool(case.usable) for case in decided),
        "whole": sum(case.whole for case in cases),
        "spearman": _rank_correlation([score(case) for case in decided], kept),
        "spearman_minimum": _rank_correlation([_lowest_score(case) for case in decided], kept),
        "spearman_strict": _rank_correlation([score(case) for case in cases], accuracies),
        "spearman_strict_at_best": _rank_correlation([case.kept for case in cases], accuracies),
        "mean_risk": round(risk_curve(decided, score).area, 4),
        "mean_risk_minimum": round(risk_curve(decided, _lowest_score).area, 4),
        "mean_risk_at_best": round(risk_curve(decided, lambda case: float(bool(case.usable))).area, 4),
        **by_strictness,
    }


def _lowest_score(case: PhotoCase) -> float:
    return min(case.scores.values())


def _score_by(usability: UsabilityModel) -> Callable[[PhotoCase], float]:
    return lambda case: case.verdict(usability).score


def _rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    return round(spearman(first, second), 4)


def _share(of: NDArray[np.bool_]) -> float | None:
    return round(float(of.mean()), 4) if len(of) else None


def risk_plot(curve: RiskCurve, at: Mapping[str, float]) -> str:
    """The curve as SVG. at: coverage of each strictness, by name."""
    highest = max(0.1, float(curve.risk.max()))
    points = list(zip(curve.coverage.tolist(), curve.risk.tolist(), strict=True))
    dots = [Dot(share, float(np.interp(share, curve.coverage, curve.risk)), name) for name, share in at.items()]
    return svg(
        Axis("share of photos passed"), Axis("share of these that is unusable", high=highest), [Line(points)], dots
    )


def validation_page(scores: Mapping[str, Any], usability: UsabilityModel, command: str, plot: str) -> str:
    """The text of docs/validation.md. plot: path of the risk plot, relative to the page."""
    chance = scores["spoilt_by_chance"]
    return _PAGE.format(
        command=command,
        plot=plot,
        goals="\n".join(_goals(scores)),
        strictnesses="\n".join(
            _row(
                name,
                f"{usability.thresholds[name]:.2f}",
                *(_percent(scores[name][share]) for share in _SHARES),
            )
            for name in STRICTNESSES
        ),
        costs="\n".join(
            _row(
                f"`{criterion.name}`",
                f"{usability.cost(criterion):.2f}",
                usability.severity(criterion),
                f"{usability.threshold(criterion, usability.severity(criterion), 'normal'):.2f}",
            )
            for criterion in sorted(CRITERIA, key=usability.cost, reverse=True)
        ),
        unusable=scores["told"] - scores["usable"],
        undecided=scores["photos"] - scores["told"],
        chance="" if chance is None else _CHANCE.format(share=_percent(chance)),
        alone=_ALONE.format(photos=usability.fitted["alone"]) if usability.fitted["alone"] else "",
        fitted=usability.fitted,
        model=usability,
        **scores,
    )


def _goals(scores: Mapping[str, Any]) -> Iterator[str]:
    normal = scores["normal"]
    for title, value, strict, goal in (
        ("usable photos passed", normal["usable_passed"], normal["whole_passed"], MIN_USABLE_PASSED),
        ("unusable photos stopped", normal["spoilt_stopped"], normal["any_wrong_stopped"], MIN_UNUSABLE_STOPPED),
        ("rank correlation (Spearman)", scores["spearman"], scores["spearman_strict"], MIN_RANK_CORRELATION),
    ):
        reached = value is not None and value >= goal
        yield _row(title, f"{value}{'' if reached else ', **not reached**'}", str(strict), str(goal))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


_PAGE = """\
# Validation of photos

*Written by `{command}`; do not edit. {made[date]}, commit {made[commit]}, {made[machine]}.*

`POST /validation` gives every photo a usability score: the estimated probability that extraction reads the
photo as well as a careful picture of the same page. **The score is fitted on {fitted[photos]} photos of real
receipts** ({fitted[usable]} of them are usable).{alone} **All figures on this page are measured on {photos}
other photos:** simulated photos of real receipts of merchants that are not among the fitted ones. Two choices
for the quality network were made after looking at some of these photos (see its card), so the figures are
slightly optimistic.

| at normal strictness | fields that count | all required fields | goal |
|---|---|---|---|
{goals}

*Fields that count*: a field counts if it is read right on the page's scan and on {careful_sets} careful photos
of the page. A wrong value is then the photo's fault. A photo is *usable* if all its required fields that count
are right ({usable} photos), and *unusable* if one of them is wrong ({unusable} photos). On {undecided} photos
no required field counts. The rank correlation is with the mean similarity of the fields that count.

*All required fields*: every required field must be right, also fields that are read wrong on the careful
pictures ({whole} of all {photos} photos). Those errors are the extraction model's, and no score of a photo can
predict them. Even a score that knew exactly which fields each photo lost would reach a rank correlation of only
{spearman_strict_at_best} with the accuracy of all fields.

{chance}

| strictness | minimum score | usable photos passed | unusable photos stopped | usable among passed | passed of all |
|---|---|---|---|---|---|
{strictnesses}

![Risk and coverage]({plot})

The curve shows the share of unusable photos among the passed ones if photos are passed in the order of their
score, best first. Its mean is {mean_risk}. The best possible order would have {mean_risk_at_best}. The lowest
score of any criterion, used as the usability score, has {mean_risk_minimum} and a rank correlation of
{spearman_minimum}.

## Cost of each defect

Each criterion multiplies the photo's chance by 1 − cost · (1 − tolerated). *Tolerated* is the criterion's
score, raised if extraction tolerates more of the defect than the criterion does, and lowered if it tolerates
less. The logarithm of the product goes through a sigmoid (slope {model.scale:.2f}, shift {model.shift:.2f});
the result is the usability score. A defect with a cost of 0.5 or more refuses a photo by itself (severity
`error`); other defects only lower the score. The cost of a defect that few of the fitted photos have stays near
its initial guess. The last column is the score that a photo needs in this criterion at normal strictness.

| criterion | cost | severity | minimum score |
|---|---|---|---|
{costs}
"""
_ALONE = """ {photos} of these photos are phone photos without a careful picture of the same page; all their
labelled fields count."""

_CHANCE = """\
Chance plays a part: {share} of the careful photos themselves count as unusable if each is compared with the
scan and with the other careful photos. No validation can stop these without stopping good photos."""

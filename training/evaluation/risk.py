"""What the check of a photo is worth: whom it lets pass, whom it stops, and what is risked at each bar."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.predictions import Assessment
from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT, Strictness
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import PhotoVerdict, VerdictOptions, judge_photo
from training.evaluation.metrics import spearman
from training.evaluation.photo_outcomes import Trial, required
from training.evaluation.plots import Axis, Dot, Line, svg

PASSED, STOPPED, RANKED = 0.85, 0.90, 0.87  # what the check is to reach at normal strictness
_SHARES = ("usable_passed", "spoilt_stopped", "usable_of_passed", "passed")
STRICTNESSES: tuple[Strictness, ...] = ("relaxed", "normal", "strict")
_CORNERS = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], np.float32)


@dataclass(frozen=True)
class Case:
    """One photo and what came of it. What careful pictures of the same page have right, too, is the photo's to lose."""

    key: str
    detected: bool
    scores: Mapping[str, float]  # by criterion
    usable: bool | None  # every required field that is the photo's to lose is right; None where there is none
    whole: bool  # every required field is right, whatever careful pictures say
    kept: float  # mean likeness of the fields that are the photo's to lose; 1 where there is none
    accuracy: float  # mean likeness of all fields that are known

    def field_confidences(self, usability: UsabilityModel, strictness: Strictness = "normal") -> PhotoVerdict:
        """As the service does."""
        seen = Assessment(
            self.scores[DOCUMENT_ABSENT], None, 0.0, None, _CORNERS if self.detected else None, 0, dict(self.scores)
        )
        return judge_photo(seen, 0, 1000, 1000, VerdictOptions(strictness), usability)


def cases(photos: Sequence[Trial], *careful: Sequence[Trial]) -> list[Case]:
    """Each photo beside careful pictures of its page: a scan, perhaps photos. Raises ValueError for one without.

    Without any careful pictures at all, every field is the photo's to lose.
    """
    by_key = [{trial.key: trial for trial in trials} for trials in careful]
    if missing := sorted({photo.key for photo in photos if not all(photo.key in one for one in by_key)}):
        raise ValueError(f"there is no careful picture of {', '.join(missing[:5])}")
    return [_case(photo, [trials[photo.key] for trials in by_key]) for photo in photos]


def _case(photo: Trial, careful: Sequence[Trial]) -> Case:
    to_lose = [name for name in photo.right if all(one.right.get(name) for one in careful)]
    names = required(photo)
    asked = [photo.right[name] for name in names if name in to_lose]
    return Case(
        photo.key,
        photo.detected,
        photo.scores,
        usable=all(asked) if asked else None,
        whole=all(photo.right[name] for name in names),
        kept=float(np.mean([photo.likeness[name] for name in to_lose])) if to_lose else 1.0,
        accuracy=float(np.mean(list(photo.likeness.values()))),
    )


def spoilt_by_chance(groups: Sequence[Sequence[Sequence[Trial]]]) -> float | None:
    """The share of careful photos that are spoilt themselves, each held against the other careful pictures.

    groups: of the same pages each, the scans first. So much is lost with nothing wrong with the photo. None where there
    are no careful photos.
    """
    told = [
        case.usable
        for careful in groups
        for at in range(1, len(careful))
        for case in cases(careful[at], *careful[:at], *careful[at + 1 :])
        if case.usable is not None
    ]
    return round(1 - sum(told) / len(told), 4) if told else None


@dataclass(frozen=True)
class Curve:
    """What is risked if only the best-scored share of photos is passed."""

    coverage: NDArray[np.float64]  # [N], rising to 1
    risk: NDArray[np.float64]  # [N], share of the passed ones that are spoilt

    @property
    def area(self) -> float:
        """Mean risk over all coverages: 0 is perfect."""
        return float(self.risk.mean())


def risk_coverage(held: Sequence[Case], score: Callable[[Case], float]) -> Curve:
    """By this score, the best photo first."""
    order = sorted(held, key=score, reverse=True)
    spoilt = np.cumsum([not case.usable for case in order])
    passed = np.arange(1, len(order) + 1)
    return Curve(passed / len(order), spoilt / passed)


def report(held: Sequence[Case], usability: UsabilityModel) -> dict[str, Any]:
    """Figures on photos that nothing was tuned on."""
    told = [case for case in held if case.usable is not None]
    score, kept = _score_by(usability), [case.kept for case in told]
    by_strictness: dict[str, dict[str, float | None]] = {}
    for strictness in STRICTNESSES:
        accepted = np.array([case.field_confidences(usability, strictness).accepted for case in told])
        usable = np.array([case.usable for case in told])
        anyway = np.array([case.field_confidences(usability, strictness).accepted for case in held])
        whole = np.array([case.whole for case in held])
        by_strictness[strictness] = {
            "usable_passed": _share(accepted[usable]),
            "spoilt_stopped": _share(~accepted[~usable]),
            "whole_passed": _share(anyway[whole]),
            "any_wrong_stopped": _share(~anyway[~whole]),
            "passed": _share(anyway),
            "usable_of_passed": _share(usable[accepted]),
        }
    everything = [case.accuracy for case in held]
    return {
        "photos": len(held),
        "told": len(told),
        "usable": sum(bool(case.usable) for case in told),
        "whole": sum(case.whole for case in held),
        "spearman": _rank([score(case) for case in told], kept),
        "spearman_minimum": _rank([_minimum(case) for case in told], kept),
        "spearman_strict": _rank([score(case) for case in held], everything),
        "spearman_strict_at_best": _rank([case.kept for case in held], everything),
        "mean_risk": round(risk_coverage(told, score).area, 4),
        "mean_risk_minimum": round(risk_coverage(told, _minimum).area, 4),
        "mean_risk_at_best": round(risk_coverage(told, lambda case: float(bool(case.usable))).area, 4),
        **by_strictness,
    }


def curve(held: Sequence[Case], usability: UsabilityModel) -> Curve:
    """Of the photos that tell something."""
    return risk_coverage([case for case in held if case.usable is not None], _score_by(usability))


def _minimum(case: Case) -> float:
    return min(case.scores.values())


def _score_by(usability: UsabilityModel) -> Callable[[Case], float]:
    return lambda case: case.field_confidences(usability).score


def _rank(first: Sequence[float], second: Sequence[float]) -> float:
    return round(spearman(first, second), 4)


def _share(of: NDArray[np.bool_]) -> float | None:
    return round(float(of.mean()), 4) if len(of) else None


def picture(drawn: Curve, at: Mapping[str, float]) -> str:
    """The curve as SVG. at: coverage at each strictness."""
    highest = max(0.1, float(drawn.risk.max()))
    points = list(zip(drawn.coverage.tolist(), drawn.risk.tolist(), strict=True))
    dots = [Dot(share, float(np.interp(share, drawn.coverage, drawn.risk)), name) for name, share in at.items()]
    return svg(Axis("share of photos passed"), Axis("of these, spoilt", high=highest), [Line(points)], dots)


def page(scores: Mapping[str, Any], usability: UsabilityModel, command: str, drawn: str) -> str:
    """docs/validation.md. drawn: the picture's address, as seen from there."""
    return _PAGE.format(
        command=command,
        drawn=drawn,
        goals="\n".join(_goals(scores)),
        strictnesses="\n".join(
            _row(
                name,
                f"{usability.thresholds[name]:.2f}",
                *(_percent(scores[name][what]) for what in _SHARES),
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
        spoilt=scores["told"] - scores["usable"],
        untold=scores["photos"] - scores["told"],
        chance="" if scores["spoilt_by_chance"] is None else _CHANCE.format(share=_percent(scores["spoilt_by_chance"])),
        alone=_ALONE.format(photos=usability.fitted["alone"]) if usability.fitted["alone"] else "",
        fitted=usability.fitted,
        usability=usability,
        **scores,
    )


def _goals(scores: Mapping[str, Any]) -> Iterator[str]:
    normal = scores["normal"]
    for what, value, strict, goal in (
        ("usable photos passed", normal["usable_passed"], normal["whole_passed"], PASSED),
        ("spoilt photos stopped", normal["spoilt_stopped"], normal["any_wrong_stopped"], STOPPED),
        ("rank correlation (Spearman) with what was kept", scores["spearman"], scores["spearman_strict"], RANKED),
    ):
        reached = value is not None and value >= goal
        yield _row(what, f"{value}{'' if reached else ', **not reached**'}", str(strict), str(goal))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


_PAGE = """\
# What the check of a photo is worth

*Written by `{command}`; not to be edited. {made[date]}, commit {made[commit]}, {made[machine]}.*

`POST /validation` gives every photo a score: the chance that extraction reads it as well as a careful picture of the
same page. It is fitted on {fitted[photos]} photos of real receipts ({fitted[usable]} usable), and measured here on
{photos} of other merchants, taken by the simulated camera.{alone}

| at normal strictness | what the photo lost | whatever is wrong | goal |
|---|---|---|---|
{goals}

*What the photo lost*: a field counts if the page's scan and {careful_sets} careful photos of it are all read right. A
photo is *usable* if every required field that counts is right on it ({usable} are), *spoilt* if one is wrong
({spoilt} are); {untold} tell nothing, as none counts. *Whatever is wrong*: every required field has to be right, also
one that no picture of the page is read right on ({whole} of all {photos}); those are the extractor's to learn, not the
photographer's to mend, and no score of a photo can know them: one that knew exactly what each photo lost would reach a
rank correlation of {spearman_strict_at_best} with the accuracy of all fields.

{chance}

| strictness | score needed | passed of usable ones | stopped of spoilt ones | usable of passed ones | passed of all |
|---|---|---|---|---|---|
{strictnesses}

![Risk and coverage]({drawn})

Photos are passed from the best score down; the curve is the share of spoilt ones among them. Its mean is
{mean_risk}; the best possible order would have {mean_risk_at_best}, and the lowest score of any criterion, taken for
the whole, {mean_risk_minimum} (with a rank correlation of {spearman_minimum}).

## What a defect costs

A photo survives each criterion with 1 − cost · (1 − borne): *borne* is the criterion's score, moved up where extraction
bears more of a defect than is called one, and down where it bears less. All of these multiplied, and their logarithm
put through a sigmoid (slope {usability.scale:.2f}, shift {usability.shift:.2f}), are its score. A defect that costs a
half or more refuses a photo by itself (`error`), the others count together. What few of the photos have stays near a
guess. The last column is what the criterion's own score has to reach at normal strictness.

| criterion | cost | severity | has to reach |
|---|---|---|---|
{costs}
"""
_ALONE = """ Of {photos} of those that it is fitted on, no careful picture is at
hand, as phones took them: there every field with a label counts."""

_CHANCE = """\
Reading has its luck: of the careful photos themselves, each held against the scan and the other ones, {share} are
spoilt. No check can stop those without stopping good photos."""

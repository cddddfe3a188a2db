"""What the check of a photo is worth: whom it lets pass, whom it stops, and what is risked at each bar."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.findings import Assessment
from docextract.quality.criteria import ABSENT, CRITERIA, Strictness
from docextract.quality.verdict import Demands, Verdict, judge
from docextract.quality.yardstick import Yardstick
from training.metrics import spearman
from training.plots import Axis, Dot, Line, svg
from training.trials import Trial, required

PASSED, STOPPED, RANKED = 0.85, 0.90, 0.87  # what the check is to reach at normal strictness
_SHARES = ("usable_passed", "spoilt_stopped", "usable_of_passed", "passed")
STRICTNESSES: tuple[Strictness, ...] = ("relaxed", "normal", "strict")
_CORNERS = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], np.float32)


@dataclass(frozen=True)
class Case:
    """One photo and what came of it."""

    key: str
    detected: bool
    scores: Mapping[str, float]  # by criterion
    usable: bool  # every required field that is right on the scan is right on the photo
    whole: bool  # every required field is right, whatever the scan says
    accuracy: float  # mean likeness of all fields that are known

    def judged(self, yardstick: Yardstick, strictness: Strictness = "normal") -> Verdict:
        """As the service does."""
        seen = Assessment(
            self.scores[ABSENT], None, 0.0, None, _CORNERS if self.detected else None, 0, dict(self.scores)
        )
        return judge(seen, 0, 1000, 1000, Demands(strictness), yardstick)


def cases(photos: Sequence[Trial], scans: Sequence[Trial]) -> list[Case]:
    """Each photo beside its scan. Raises ValueError for a photo without one."""
    by_key = {scan.key: scan for scan in scans}
    if missing := sorted({photo.key for photo in photos} - by_key.keys()):
        raise ValueError(f"there is no scan of {', '.join(missing[:5])}")
    found = []
    for photo in photos:
        names = required(photo)
        scan = by_key[photo.key].right
        found.append(
            Case(
                photo.key,
                photo.detected,
                photo.scores,
                usable=all(photo.right[name] for name in names if scan.get(name)),
                whole=all(photo.right[name] for name in names),
                accuracy=float(np.mean(list(photo.likeness.values()))),
            )
        )
    return found


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


def report(held: Sequence[Case], yardstick: Yardstick) -> dict[str, Any]:
    """Figures on photos that nothing was tuned on."""
    scores = [case.judged(yardstick).score for case in held]
    by_strictness: dict[str, dict[str, float | None]] = {}
    for strictness in STRICTNESSES:
        accepted = np.array([case.judged(yardstick, strictness).accepted for case in held])
        usable, whole = (np.array([getattr(case, name) for case in held]) for name in ("usable", "whole"))
        by_strictness[strictness] = {
            "usable_passed": _share(accepted[usable]),
            "spoilt_stopped": _share(~accepted[~usable]),
            "any_wrong_stopped": _share(~accepted[~whole]),
            "passed": _share(accepted),
            "usable_of_passed": _share(usable[accepted]),
        }
    return {
        "photos": len(held),
        "usable": sum(case.usable for case in held),
        "spearman": round(spearman(scores, [case.accuracy for case in held]), 4),
        "spearman_minimum": round(
            spearman([min(case.scores.values()) for case in held], [case.accuracy for case in held]), 4
        ),
        "mean_risk": round(risk_coverage(held, lambda case: case.judged(yardstick).score).area, 4),
        "mean_risk_minimum": round(risk_coverage(held, lambda case: min(case.scores.values())).area, 4),
        "mean_risk_at_best": round(risk_coverage(held, lambda case: float(case.usable)).area, 4),
        **by_strictness,
    }


def _share(of: NDArray[np.bool_]) -> float | None:
    return round(float(of.mean()), 4) if len(of) else None


def picture(curve: Curve, at: Mapping[str, float]) -> str:
    """The curve as SVG. at: coverage at each strictness."""
    highest = max(0.1, float(curve.risk.max()))
    points = list(zip(curve.coverage.tolist(), curve.risk.tolist(), strict=True))
    dots = [Dot(share, float(np.interp(share, curve.coverage, curve.risk)), name) for name, share in at.items()]
    return svg(Axis("share of photos passed"), Axis("of these, spoilt", high=highest), [Line(points)], dots)


def page(scores: Mapping[str, Any], yardstick: Yardstick, command: str, drawn: str) -> str:
    """docs/validation.md. drawn: the picture's address, as seen from there."""
    return _PAGE.format(
        command=command,
        drawn=drawn,
        goals="\n".join(_goals(scores)),
        strictnesses="\n".join(
            _row(
                name,
                f"{yardstick.thresholds[name]:.2f}",
                *(_percent(scores[name][what]) for what in _SHARES),
            )
            for name in STRICTNESSES
        ),
        costs="\n".join(
            _row(f"`{criterion.name}`", f"{yardstick.cost(criterion):.2f}", yardstick.severity(criterion))
            for criterion in sorted(CRITERIA, key=yardstick.cost, reverse=True)
        ),
        any_wrong_stopped=_percent(scores["normal"]["any_wrong_stopped"]),
        spoilt=scores["photos"] - scores["usable"],
        fitted=yardstick.fitted,
        yardstick=yardstick,
        **scores,
    )


def _goals(scores: Mapping[str, Any]) -> Iterator[str]:
    normal = scores["normal"]
    for what, value, goal in (
        ("usable photos passed at normal strictness", normal["usable_passed"], PASSED),
        ("spoilt photos stopped at normal strictness", normal["spoilt_stopped"], STOPPED),
        ("rank correlation (Spearman) of the score with field accuracy", scores["spearman"], RANKED),
    ):
        reached = value is not None and value >= goal
        yield f"* {what}: {value}, goal {goal}{'' if reached else ', **not reached**'}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


_PAGE = """\
# What the check of a photo is worth

*Written by `{command}`; not to be edited. {made[date]}, commit {made[commit]}, {made[machine]}.*

`POST /validation` gives every photo a score: the chance that extraction reads it as well as a scan of the same page.
It is fitted on {fitted[photos]} photos of real receipts, taken by the simulated camera ({fitted[usable]} usable),
and measured here on {photos} of other merchants ({usable} usable, {spoilt} spoilt). *Usable*: every required field
that is read right on the scan is read right on the photo. *Spoilt*: one is not.

{goals}

| strictness | score needed | passed of usable ones | stopped of spoilt ones | usable of passed ones | passed of all |
|---|---|---|---|---|---|
{strictnesses}

![Risk and coverage]({drawn})

Photos are passed from the best score down; the curve is the share of spoilt ones among them. Its mean is
{mean_risk}; the best possible order would have {mean_risk_at_best}, and the lowest score of any criterion, taken for
the whole, {mean_risk_minimum} (with a rank correlation of {spearman_minimum}). If every photo with a wrong required
field counts as spoilt, also where the scan is read wrong too, {any_wrong_stopped} are stopped at normal strictness:
the others are the extractor's to learn, not the photographer's to mend.

## What a defect costs

A photo survives each criterion with 1 − cost · (1 − score). All of these multiplied, and their logarithm put through a
sigmoid (slope {yardstick.scale:.2f}, shift {yardstick.shift:.2f}), are its score. A defect that costs a half or more
refuses a photo by itself (`error`), the others count together. Costs of what few of the photos have stay near a guess.

| criterion | cost | severity |
|---|---|---|
{costs}
"""

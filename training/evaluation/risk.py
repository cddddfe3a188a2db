"""Photos of which it is known whether extraction reads them right, and the risk of passing them.

A field *counts* for a photo if all careful pictures of the same page are read right: then a wrong value is the photo's
fault. A photo is *usable* if all required fields that count are right, else *spoilt*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docextract.pipeline.judging import readability, shows_wrong_documents
from docextract.predictions import Assessment, Legibility
from docextract.quality.criteria import DOCUMENT_ABSENT, Strictness
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import PhotoVerdict, VerdictOptions, judge_photo
from training.evaluation.photo_outcomes import PhotoOutcome, required_fields
from training.evaluation.plots import Axis, Dot, Line, svg

STRICTNESSES: tuple[Strictness, ...] = ("relaxed", "normal", "strict")
RELAXED_PASSED, STRICT_STOPPED = 0.95, 0.9  # shares of the usable photos, and of the spoilt ones
_CORNERS = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], np.float32)
_NO_CELLS = np.ones((1, 1), np.float32)


@dataclass(frozen=True)
class CheckedPhoto:
    """One photo whose usability is known: what the quality network predicts, and what extraction read.

    collection: of photos that are reported together.
    type:       of the document.
    group:      photos of one group show one document, or documents of one template.
    detected:   whether an outline was found.
    scores:     by criterion, 0..1.
    fields:     `Legibility.required_fields`; () for a network without a legibility map.
    sure:       confidence of the required fields, 0..1, see `answers.review.required_confidence`; None where no
                document of a known type was read.
    usable:     whether every required field that counts is right.
    """

    collection: str
    type: str
    group: str
    detected: bool
    scores: Mapping[str, float]
    fields: tuple[float, ...]
    sure: float | None
    usable: bool

    def verdict(self, usability: UsabilityModel, strictness: Strictness = "normal") -> PhotoVerdict:
        """The verdict that the service gives."""
        legibility = Legibility(_NO_CELLS, {}, 1.0, _NO_CELLS, self.fields) if self.fields else None
        outline = _CORNERS if self.detected else None
        found = Assessment(
            self.scores[DOCUMENT_ABSENT], None, 0.0, None, outline, 0, dict(self.scores), legibility=legibility
        )
        return judge_photo(found, 0, 1000, 1000, VerdictOptions(strictness), usability)


def readable_score(photo: CheckedPhoto, model: UsabilityModel) -> float:
    """What validation=enforce refuses a photo by, 0..1; 0 for a photo that it refuses before reading it."""
    verdict = photo.verdict(model)
    if shows_wrong_documents(verdict.criteria):
        return 0.0
    return float(verdict.accepted) if photo.sure is None else readability(verdict.score, photo.sure)


def is_usable(photo: PhotoOutcome, careful: Sequence[PhotoOutcome]) -> bool | None:
    """Whether every required field that counts is right; None if no required field counts.

    careful: careful pictures of the same page; without any, every labelled field counts.
    """
    counting = [name for name in required_fields(photo) if all(one.right.get(name) for one in careful)]
    return all(photo.right[name] for name in counting) if counting else None


@dataclass(frozen=True)
class RiskCurve:
    """The risk if only the best-scored share of the photos is passed."""

    coverage: NDArray[np.float64]  # [N], rising to 1
    risk: NDArray[np.float64]  # [N], share of spoilt photos among the passed ones

    @property
    def area(self) -> float:
        """Mean risk over all coverages; 0 is perfect."""
        return float(self.risk.mean())


def risk_curve(scores: NDArray[np.float64], usable: NDArray[np.bool_]) -> RiskCurve:
    """The curve for photos in the order of their scores [N], the best first."""
    spoilt = np.cumsum(~usable[np.argsort(-scores, kind="stable")])
    passed = np.arange(1, len(scores) + 1)
    return RiskCurve(passed / len(scores), spoilt / passed)


def choose_threshold(strictness: Strictness, scores: NDArray[np.float64], usable: NDArray[np.bool_]) -> float:
    """The best minimum score for photos whose usability is known, [N] each; a photo with a lower score is stopped.

    Normal: where the lower of both shares, of usable photos passed and of spoilt ones stopped, is highest. Relaxed
    passes RELAXED_PASSED of the usable photos, strict stops STRICT_STOPPED of the spoilt ones.
    """
    steps = np.unique(np.concatenate([[0.02], scores[scores > 0], [0.98]]))
    middles = (steps[1:] + steps[:-1]) / 2
    passed = np.array([(scores[usable] >= at).mean() for at in middles])
    stopped = np.array([(scores[~usable] < at).mean() for at in middles])
    gains = {
        "normal": np.minimum(passed, stopped),
        "relaxed": np.minimum(0.0, passed - RELAXED_PASSED) + 0.01 * stopped,
        "strict": np.minimum(0.0, stopped - STRICT_STOPPED) + 0.01 * passed,
    }
    return float(middles[int(np.argmax(gains[strictness]))])


def risk_plot(curves: Mapping[str, RiskCurve], at: Mapping[str, float]) -> str:
    """Curves by name, as SVG. at: coverage of each strictness, by name, on the first curve."""
    highest = max(0.1, *(float(curve.risk.max()) for curve in curves.values()))
    lines = [
        Line(list(zip(curve.coverage.tolist(), curve.risk.tolist(), strict=True)), name)
        for name, curve in curves.items()
    ]
    first = next(iter(curves.values()))
    dots = [Dot(share, float(np.interp(share, first.coverage, first.risk)), name) for name, share in at.items()]
    return svg(Axis("share of photos passed"), Axis("share of these that is spoilt", high=highest), lines, dots)

"""Scores → probabilities: of the values given 0.9, nine in ten are right.

One small logistic model for each field over what is known of a candidate. Fitted by training on pages the
network has not seen; served from calibration.json beside the weights.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docextract.extraction.spans import Candidate

INPUTS = ("support", "margin", "probability", "reading", "alternatives")


@dataclass(frozen=True)
class Calibration:
    """Weights by field name; "*" serves the fields that had too few examples of their own."""

    weights: Mapping[str, Sequence[float]]  # bias, then one for each of INPUTS
    accept: Mapping[str, float]  # support below which a field counts as absent

    def confidence(self, candidate: Candidate) -> float:
        """Probability in 0..1 that the candidate's value is right."""
        bias, *weights = self.weights.get(candidate.field, self.weights["*"])
        z = bias + sum(weight * value for weight, value in zip(weights, inputs(candidate), strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))

    def accepts(self, candidate: Candidate) -> bool:
        """Whether the field is on the page at all."""
        return candidate.support >= self.accept.get(candidate.field, self.accept["*"])


UNCALIBRATED = Calibration({"*": (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)}, {"*": 0.5})


def inputs(candidate: Candidate) -> tuple[float, ...]:
    """What the logistic model sees, in the order of INPUTS."""
    return (
        _logit(candidate.support),
        candidate.margin,
        _logit(candidate.probability),
        math.log(max(1.002 - candidate.confidence, 1e-3)),
        float(candidate.margin < 0.999),
    )


def _logit(p: float) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))

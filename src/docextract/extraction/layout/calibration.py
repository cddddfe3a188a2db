"""Scores → probabilities: of the values given 0.9, nine in ten are right.

One small logistic model for each field over what is known of a candidate. Fitted by training on pages the
network has not seen; served from calibration.json beside the weights.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from docextract.extraction.layout.spans import Candidate

MOST_MISREAD = 5.0  # characters; a text with five wrong ones is as wrong as one with fifty
LEAST_DOUBT = 0.003  # characters; less cannot be told from none


@dataclass(frozen=True)
class Calibration:
    """Weights by field name; "*" serves the fields that had no examples of their own.

    Raises ValueError where an input is not one of CALIBRATION_INPUTS.
    """

    weights: Mapping[str, Sequence[float]]  # bias, then one for each of `inputs`
    accept: Mapping[str, float]  # support below which a field counts as absent
    # As calibration.json had them before it named them; the weights up to 2.0.0 are served with these.
    inputs: Sequence[str] = ("support", "margin", "probability", "reading", "alternatives")

    def __post_init__(self) -> None:
        unknown = set(self.inputs) - CALIBRATION_INPUTS.keys()
        if unknown:
            raise ValueError(
                f"confidences were fitted to {', '.join(sorted(unknown))}: known are {', '.join(CALIBRATION_INPUTS)}"
            )

    def confidence(self, candidate: Candidate) -> float:
        """Probability in 0..1 that the candidate's value is right."""
        bias, *weights = self.weights.get(candidate.field, self.weights["*"])
        z = bias + sum(
            weight * CALIBRATION_INPUTS[name](candidate) for weight, name in zip(weights, self.inputs, strict=True)
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))

    def accepts(self, candidate: Candidate) -> bool:
        """Whether the field is on the page at all."""
        return candidate.support >= self.accept.get(candidate.field, self.accept["*"])


def _logit(p: float) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


# What a model may see of a candidate, by the name that calibration.json has for it.
CALIBRATION_INPUTS: Mapping[str, Callable[[Candidate], float]] = {
    "support": lambda candidate: _logit(candidate.support),
    "margin": lambda candidate: candidate.margin,
    "probability": lambda candidate: _logit(candidate.probability),
    "reading": lambda candidate: math.log(max(1.002 - candidate.confidence, 1e-3)),
    "alternatives": lambda candidate: float(candidate.margin < 0.999),
    "whole": lambda candidate: _logit(candidate.whole),
    "misread": lambda candidate: min(candidate.misread, MOST_MISREAD),
    "doubted": lambda candidate: math.log(min(candidate.doubted, MOST_MISREAD) + LEAST_DOUBT),
}

UNCALIBRATED = Calibration({"*": (0.0, 1.0)}, {"*": 0.5}, ("support",))

"""Calibration of confidences: of the values with confidence 0.9, nine in ten are right.

One small logistic regression per field maps the scores of a candidate to a probability. It is fitted on pages that the
network has not learned from, and served from calibration.json next to the weights.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docextract.extraction.layout.candidates import Candidate

MAX_MISREAD_CHARACTERS = 5.0  # a text with five wrong characters is as wrong as one with fifty
MIN_DOUBTED_CHARACTERS = 0.003  # smaller values cannot be distinguished from zero
ALL_OTHERS = "*"  # fields or document types that have no entry of their own


@dataclass(frozen=True)
class Calibration:
    """Weights by field name, error bounds by document type; "*" is used for those without an entry of their own.

    Raises ValueError if an input is not one of CALIBRATION_INPUTS.
    """

    weights: Mapping[str, Sequence[float]]  # the bias, then one weight for each of `inputs`
    accept: Mapping[str, float]  # a field whose support is below this counts as absent
    # The inputs of calibration.json files that do not name them: those of the weights up to 2.0.0.
    inputs: Sequence[str] = ("support", "margin", "probability", "reading", "alternatives")
    # By document type: (confidence, upper estimate of the share of wrong values among those with at least this
    # confidence), ascending.
    error_bounds: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.inputs) - CALIBRATION_INPUTS.keys())
        if unknown:
            raise ValueError(
                f"the calibration uses unknown inputs: {', '.join(unknown)}; known: {', '.join(CALIBRATION_INPUTS)}"
            )

    @classmethod
    def load(cls, file: Path) -> "Calibration":
        """Load calibration.json. Raises ValueError as for the class."""
        values = json.loads(file.read_text(encoding="utf-8"))
        bounds = values.get("error_bounds", {})
        # Up to 2.17.0 all types had the same bounds, in one list.
        by_type = bounds if isinstance(bounds, dict) else {ALL_OTHERS: bounds}
        return cls(**values | {"error_bounds": by_type})

    def confidence(self, candidate: Candidate) -> float:
        """Return the probability, 0..1, that the candidate's value is right."""
        bias, *weights = self.weights.get(candidate.field, self.weights[ALL_OTHERS])
        z = bias + sum(
            weight * CALIBRATION_INPUTS[name](candidate) for weight, name in zip(weights, self.inputs, strict=True)
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))

    def accepts(self, candidate: Candidate) -> bool:
        """Whether the field is on the page at all."""
        return candidate.support >= self.accept.get(candidate.field, self.accept[ALL_OTHERS])

    def error_bounds_of(self, document_type: str) -> tuple[tuple[float, float], ...]:
        """Return the error bounds of a document type, see `error_bounds`; () if there are none."""
        bounds = self.error_bounds.get(document_type, self.error_bounds.get(ALL_OTHERS, ()))
        return tuple((start, error) for start, error in bounds)


def _logit(probability: float) -> float:
    clipped = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))


# The possible inputs of the regression, by their names in calibration.json.
CALIBRATION_INPUTS: Mapping[str, Callable[[Candidate], float]] = {
    "support": lambda candidate: _logit(candidate.support),
    "margin": lambda candidate: candidate.margin,
    "probability": lambda candidate: _logit(candidate.probability),
    "reading": lambda candidate: math.log(max(1.002 - candidate.confidence, 1e-3)),
    "alternatives": lambda candidate: float(candidate.margin < 0.999),
    "whole": lambda candidate: _logit(candidate.whole),
    "misread": lambda candidate: min(candidate.misread, MAX_MISREAD_CHARACTERS),
    "doubted": lambda candidate: math.log(min(candidate.doubted, MAX_MISREAD_CHARACTERS) + MIN_DOUBTED_CHARACTERS),
    "page_doubt": lambda candidate: candidate.page_doubt,
    "checked": lambda candidate: candidate.checked,
    "labelled": lambda candidate: float(candidate.labelled),
}

UNCALIBRATED = Calibration({ALL_OTHERS: (0.0, 1.0)}, {ALL_OTHERS: 0.5}, ("support",))

"""The usability score: it combines the scores of all criteria, and has a threshold for each strictness.

`python -m training.commands.fit_usability` fits it to extraction results. It is stored as yardstick.json next to the
weights of the quality network; for weights without that file the default values below are used.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from docextract.quality.criteria import CRITERIA, DETECTION_THRESHOLD, DOCUMENT_ABSENT, Criterion, Severity, Strictness

USABILITY_FILE = "yardstick.json"
# If the probability that a photo is free of a defect is lower, the photo has the defect.
CRITERION_THRESHOLDS: Mapping[Strictness, float] = {"relaxed": 0.3, "normal": 0.5, "strict": 0.7}
MIN_ERROR_COST = 0.5  # a defect with at least this measured cost is an error


@dataclass(frozen=True)
class UsabilityModel:
    """Estimates the probability that extraction reads a photo as well as a scan of the same page.

    A photo survives each criterion with probability 1 - cost * (1 - tolerated), where `tolerated` is the criterion's
    score, shifted by the leniency of the criterion. The logarithm of the product of these probabilities goes through
    a calibrated sigmoid. So several small defects reject a photo as one large defect does, and improving a criterion
    never lowers the score.

    On 57 photos of held-out receipts the unfitted product had a rank correlation with field accuracy of 0.60
    (Spearman); the minimum over all errors, used earlier, had 0.49. On photos of 117 receipts that were left out of the
    fit, it separated usable from unusable photos with an AUROC of 0.86 by costs alone, and of 0.88 with leniency.
    """

    costs: Mapping[str, float] = field(default_factory=dict)  # by criterion, 0..1; Criterion.cost where missing
    scale: float = 4.3  # with the shift: a survival probability of 0.5 gives a score of 0.5
    shift: float = 3.0
    thresholds: Mapping[Strictness, float] = field(
        default_factory=lambda: {"relaxed": 0.3, "normal": 0.5, "strict": 0.7}
    )
    fitted: Mapping[str, Any] = field(default_factory=dict)  # data and date of the fit; for information only
    # By criterion, in log odds; 0 where missing. Above 0, extraction tolerates more of the defect than the score says.
    leniency: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def load(folder: Path) -> "UsabilityModel":
        """Read the file next to the weights; the default if there is none. Raises ValueError for an invalid file."""
        file = folder / USABILITY_FILE
        return _JSON.validate_json(file.read_bytes()) if file.is_file() else DEFAULT_USABILITY

    def save(self, folder: Path) -> None:
        """Write the file next to the weights."""
        (folder / USABILITY_FILE).write_bytes(_JSON.dump_json(self, indent=1) + b"\n")

    def cost(self, criterion: Criterion) -> float:
        """Return the probability that this defect makes extraction fail, 0..1."""
        return self.costs.get(criterion.name, criterion.cost)

    def tolerated(self, criterion: Criterion, score: float) -> float:
        """Return the probability that extraction tolerates the defect to the extent that the photo has it, 0..1."""
        return _shift_log_odds(score, self.leniency.get(criterion.name, 0.0))

    def score(self, scores: Mapping[str, float], without: Collection[str] = ()) -> float:
        """Return the usability score, 0..1. without: names of criteria that are ignored."""
        log_survival = sum(
            math.log(max(1e-6, 1 - self.cost(one) * (1 - self.tolerated(one, scores[one.name]))))
            for one in CRITERIA
            if one.name not in without
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.shift + self.scale * log_survival))))

    def severity(self, criterion: Criterion) -> Severity:
        """Return the default severity: an error if the defect makes extraction fail on most photos."""
        measured = self.costs.get(criterion.name)
        if measured is None or criterion.name == DOCUMENT_ABSENT:
            return criterion.severity
        return "error" if measured >= MIN_ERROR_COST else "warning"

    def threshold(self, criterion: Criterion, severity: Severity, strictness: Strictness) -> float:
        """Return the minimum score of one criterion; below it the defect is probably more than extraction tolerates.

        For an error it is higher where a lower score of this criterion alone would put the usability score below its
        threshold.
        """
        if criterion.name == DOCUMENT_ABSENT:
            return DETECTION_THRESHOLD
        shift = -self.leniency.get(criterion.name, 0.0)
        minimum = CRITERION_THRESHOLDS[strictness]
        if severity != "error":
            return _shift_log_odds(minimum, shift)
        usability = min(max(self.thresholds[strictness], 1e-6), 1 - 1e-6)
        survival = math.exp(min(0.0, (math.log(usability / (1 - usability)) - self.shift) / self.scale))
        return _shift_log_odds(max(minimum, 1 - (1 - survival) / max(self.cost(criterion), 1e-6)), shift)


def _shift_log_odds(probability: float, shift: float) -> float:
    scaled = probability * math.exp(shift)
    return scaled / (scaled + 1 - probability)


DEFAULT_USABILITY = UsabilityModel()
_JSON = TypeAdapter(UsabilityModel)

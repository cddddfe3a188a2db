"""The usability score: it combines the scores of all criteria, and has a threshold for each strictness.

`python -m training.commands.fit_usability` fits it to extraction results. It is stored as yardstick.json next to the
weights of the quality network; for weights without that file the default values below are used.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import TypeAdapter

from docextract.quality.criteria import CRITERIA, DETECTION_THRESHOLD, DOCUMENT_ABSENT, Criterion, Severity, Strictness

USABILITY_FILE = "yardstick.json"
# If the probability that a photo is free of a defect is lower, the photo has the defect.
CRITERION_THRESHOLDS: Mapping[Strictness, float] = {"relaxed": 0.3, "normal": 0.5, "strict": 0.7}
MIN_LEGIBILITY = 1e-3  # of a required field, before logarithms
ANY_TYPE = "any"


@dataclass(frozen=True)
class UsabilityModel:
    """Estimates the probability that extraction reads a photo as well as a scan of the same page.

    A photo survives each criterion with probability 1 - cost * (1 - tolerated), where `tolerated` is the criterion's
    score, shifted by the leniency of the criterion. The logarithm of the product of these probabilities goes through
    a calibrated sigmoid. So several small defects reject a photo as one large defect does, and improving a criterion
    never lowers the score. The legibility of the required fields, which knows where a defect lies, is added before the
    sigmoid.

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
    # Weights of the logarithms of the legibility of required fields: of the lowest, and of their mean.
    legibility: tuple[float, float] = (0.0, 0.0)
    # Of what validation=enforce refuses photos by, the minimum: by document type, and of ANY_TYPE for all others.
    readable: Mapping[str, Mapping[Strictness, float]] = field(
        default_factory=lambda: {ANY_TYPE: {"relaxed": 0.4, "normal": 0.48, "strict": 0.7}}
    )

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

    def score(
        self, scores: Mapping[str, float], without: Collection[str] = (), required_fields: Sequence[float] = ()
    ) -> float:
        """Return the usability score, 0..1.

        without: names of criteria that are ignored. required_fields: see `Legibility`; () if unknown: as if all were
        legible.
        """
        log_survival = sum(
            math.log(max(1e-6, 1 - self.cost(one) * (1 - self.tolerated(one, scores[one.name]))))
            for one in CRITERIA
            if one.name not in without
        )
        legible = [math.log(max(MIN_LEGIBILITY, share)) for share in required_fields] or [0.0]
        of_lowest, of_mean = self.legibility
        log_odds = self.shift + self.scale * log_survival + of_lowest * min(legible) + of_mean * fmean(legible)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))

    def min_readable(self, document_type: str, strictness: Strictness) -> float:
        """Return the least mean of score and confidence of the required fields, 0..1, with validation=enforce.

        It depends on the type: on invoices, many of which lack a field or hide it, required fields are less certain.
        """
        return self.readable.get(document_type, self.readable[ANY_TYPE])[strictness]

    def severity(self, criterion: Criterion) -> Severity:
        """Return the default severity: an error if the defect alone, at its worst, refuses a photo."""
        if criterion.name not in self.costs or criterion.name == DOCUMENT_ABSENT:
            return criterion.severity
        return "error" if self._refused_alone(criterion, "normal") > 0 else "warning"

    def threshold(
        self, criterion: Criterion, severity: Severity, strictness: Strictness, requested: bool = False
    ) -> float:
        """Return the minimum score of one criterion.

        An error fails where this defect alone puts the usability score below its threshold. A warning fails where the
        photo probably has more of the defect than extraction tolerates; so does an error, if the caller has requested
        this severity, or if the cost of the defect has not been measured.
        """
        if criterion.name == DOCUMENT_ABSENT:
            return DETECTION_THRESHOLD
        minimum = CRITERION_THRESHOLDS[strictness]
        if severity == "error":
            alone = self._refused_alone(criterion, strictness)
            minimum = alone if criterion.name in self.costs and not requested else max(alone, minimum)
        return _shift_log_odds(minimum, -self.leniency.get(criterion.name, 0.0))

    def _refused_alone(self, criterion: Criterion, strictness: Strictness) -> float:
        """Return the tolerated share of a defect below which it refuses a photo without other defects, 0..1."""
        usability = min(max(self.thresholds[strictness], 1e-6), 1 - 1e-6)
        survival = math.exp(min(0.0, (math.log(usability / (1 - usability)) - self.shift) / self.scale))
        return max(0.0, 1 - (1 - survival) / max(self.cost(criterion), 1e-6))


def _shift_log_odds(probability: float, shift: float) -> float:
    scaled = probability * math.exp(shift)
    return scaled / (scaled + 1 - probability)


DEFAULT_USABILITY = UsabilityModel()
_JSON = TypeAdapter(UsabilityModel)

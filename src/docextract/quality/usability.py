"""What a photo is held against: how scores of single criteria become one, and how high that one has to be.

Fitted to where extraction starts to fail, by `python -m training.commands.fit_usability`; yardstick.json travels with
the
weights. Weights without one are held against the guesses below.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from docextract.quality.criteria import CRITERIA, DETECTION_THRESHOLD, DOCUMENT_ABSENT, Criterion, Severity, Strictness

USABILITY_FILE = "yardstick.json"
# Below this chance of being free of a defect, the photo is said to have it.
CRITERION_THRESHOLDS: Mapping[Strictness, float] = {"relaxed": 0.3, "normal": 0.5, "strict": 0.7}
MIN_ERROR_COST = 0.5


@dataclass(frozen=True)
class UsabilityModel:
    """Scores of criteria → the chance that extraction reads the photo as well as a scan of the same page.

    A photo survives each criterion with 1 − cost · (1 − borne), where `borne` is the criterion's score, moved by what
    extraction bears of the defect; all of these multiplied, on a logarithmic scale, go through a calibrated sigmoid.
    Several small faults thus refuse a photo as one great fault does, and making any criterion better never makes the
    whole worse. On 57 photos of held-out receipts the unfitted product ranked field accuracy with 0.60 (Spearman), the
    minimum over the errors, used before it, with 0.49. Left out of the fit, usable photos of 117 receipts were told
    from spoilt ones with an AUROC of 0.86 by costs alone, of 0.88 with leniency.
    """

    costs: Mapping[str, float] = field(default_factory=dict)  # by criterion, 0..1; Criterion.cost where missing
    scale: float = 4.3  # with the shift: surviving by a half is a chance of a half
    shift: float = 3.0
    thresholds: Mapping[Strictness, float] = field(
        default_factory=lambda: {"relaxed": 0.3, "normal": 0.5, "strict": 0.7}
    )
    fitted: Mapping[str, Any] = field(default_factory=dict)  # to what, when; for people
    # By criterion, in log-odds; 0 where missing. Above 0 extraction bears more of the defect than is called one.
    leniency: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def load(folder: Path) -> "UsabilityModel":
        """The one beside these weights, or the guesses where there is none. Raises ValueError for a broken one."""
        file = folder / USABILITY_FILE
        return _JSON.validate_json(file.read_bytes()) if file.is_file() else DEFAULT_USABILITY

    def save(self, folder: Path) -> None:
        """Put it beside the weights."""
        (folder / USABILITY_FILE).write_bytes(_JSON.dump_json(self, indent=1) + b"\n")

    def cost(self, criterion: Criterion) -> float:
        """How much of a photo's chance this defect takes, 0..1."""
        return self.costs.get(criterion.name, criterion.cost)

    def tolerated(self, criterion: Criterion, score: float) -> float:
        """The chance that extraction bears what there is of this defect, 0..1."""
        return _moved(score, self.leniency.get(criterion.name, 0.0))

    def score(self, scores: Mapping[str, float], without: Collection[str] = ()) -> float:
        """The chance, 0..1. without: criteria that are not to count."""
        counted = [criterion for criterion in CRITERIA if criterion.name not in without]
        survival = sum(
            math.log(max(1e-6, 1 - self.cost(one) * (1 - self.tolerated(one, scores[one.name])))) for one in counted
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.shift + self.scale * survival))))

    def severity(self, criterion: Criterion) -> Severity:
        """Where the caller does not say: an error, if most photos that have the defect are lost."""
        measured = self.costs.get(criterion.name)
        if measured is None or criterion.name == DOCUMENT_ABSENT:
            return criterion.severity
        return "error" if measured >= MIN_ERROR_COST else "warning"

    def threshold(self, criterion: Criterion, severity: Severity, strictness: Strictness) -> float:
        """What one criterion's score has to reach: where more of the defect than extraction bears becomes probable.

        Of an error it may be more: below it, the photo as a whole would miss its own threshold even if nothing else
        were wrong.
        """
        if criterion.name == DOCUMENT_ABSENT:
            return DETECTION_THRESHOLD
        stricter = -self.leniency.get(criterion.name, 0.0)
        probable = CRITERION_THRESHOLDS[strictness]
        if severity != "error":
            return _moved(probable, stricter)
        wanted = min(max(self.thresholds[strictness], 1e-6), 1 - 1e-6)
        survival = math.exp(min(0.0, (math.log(wanted / (1 - wanted)) - self.shift) / self.scale))
        return _moved(max(probable, 1 - (1 - survival) / max(self.cost(criterion), 1e-6)), stricter)


def _moved(chance: float, by: float) -> float:
    """A chance, 0..1, moved in log-odds."""
    up = chance * math.exp(by)
    return up / (up + 1 - chance)


DEFAULT_USABILITY = UsabilityModel()
_JSON = TypeAdapter(UsabilityModel)

"""The criteria by which photos are judged: name, severity, cost and guidance.

The network predicts a probability for each criterion; `usability` and `verdict` decide by them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

CriterionGroup = Literal["visible", "readable", "centered"]
Severity = Literal["error", "warning", "off"]
Strictness = Literal["normal", "relaxed", "strict"]

GROUPS: tuple[CriterionGroup, ...] = get_args(CriterionGroup)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
DOCUMENT_ABSENT = "document_absent"
MULTIPLE_DOCUMENTS = "multiple_documents"
DETECTION_THRESHOLD = 0.5  # at every strictness: whether a document is present does not depend on strictness
# Focal length of the main camera of phones, in photo diagonals (24 to 28 mm on a full frame of 43.3 mm).
FOCAL_LENGTH_DIAGONALS = 0.6


@dataclass(frozen=True)
class Criterion:
    """One thing that may be wrong with a photo. A failed error rejects the photo; a failed warning lowers its score.

    cost: estimated probability that a photo with this defect gives a wrong required field, 0..1. A fitted
          UsabilityModel replaces it by a measured cost. Costs also order the guidance.
    full_resolution: the defect is visible only at full resolution, so it is not assessed on frames of a live preview.
    on_scans: a scanned page can have the defect, too. A page that a program has drawn can only be empty.
    """

    name: str
    group: CriterionGroup
    severity: Severity
    cost: float
    guidance: str  # a code of `messages`
    full_resolution: bool = False
    on_scans: bool = False


CRITERIA: tuple[Criterion, ...] = (
    Criterion(DOCUMENT_ABSENT, "visible", "error", 1.0, "show_document", on_scans=True),
    Criterion("document_cutoff", "visible", "error", 0.7, "fit_document", on_scans=True),
    Criterion("occluded", "visible", "error", 0.5, "uncover_document"),
    Criterion(MULTIPLE_DOCUMENTS, "visible", "warning", 0.4, "one_document", on_scans=True),
    Criterion("low_background_contrast", "visible", "warning", 0.1, "change_background"),
    Criterion("blurry", "readable", "error", 0.9, "hold_steady", full_resolution=True, on_scans=True),
    Criterion("dark", "readable", "error", 0.6, "more_light"),
    Criterion("overexposed", "readable", "error", 0.6, "less_light"),
    Criterion("glare", "readable", "error", 0.5, "avoid_glare"),
    Criterion("faint", "readable", "warning", 0.4, "improve_contrast", full_resolution=True, on_scans=True),
    Criterion("noisy", "readable", "warning", 0.3, "more_light", full_resolution=True),
    Criterion("text_too_small", "readable", "error", 0.9, "move_closer", full_resolution=True, on_scans=True),
    Criterion("screen_capture", "readable", "warning", 0.3, "photograph_paper", full_resolution=True),
    Criterion("off_center", "centered", "warning", 0.05, "center_document"),
    Criterion("too_far", "centered", "warning", 0.3, "move_closer"),
    Criterion("too_close", "centered", "error", 0.7, "move_back"),
    Criterion("tilted", "centered", "warning", 0.2, "hold_parallel"),
    Criterion("rotated", "centered", "warning", 0.1, "turn_upright", on_scans=True),
)

# Not predicted by the network: derived from the predicted type, if the caller states a document type.
UNEXPECTED_DOCUMENT = Criterion(
    "unexpected_document", "visible", "warning", 1.0, "show_requested_document", on_scans=True
)
CRITERION_NAMES = tuple(criterion.name for criterion in (*CRITERIA, UNEXPECTED_DOCUMENT))


def parse_severities(value: Any) -> dict[str, Severity]:
    """Parse severities: "glare:error,rotated:off", a list of such texts, or a mapping. Raises ValueError if invalid."""
    pairs = _pairs(value)
    for name, severity in pairs.items():
        if name not in CRITERION_NAMES:
            raise ValueError(f"unknown criterion; possible criteria are {', '.join(CRITERION_NAMES)}")
        if severity not in SEVERITIES:
            raise ValueError(f"{name} must be one of {', '.join(SEVERITIES)}")
    if pairs.get(DOCUMENT_ABSENT, "error") != "error":
        raise ValueError(f"{DOCUMENT_ABSENT} is always an error: without a document nothing can be assessed")
    return pairs


def _pairs(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be written as glare:error,rotated:off")
    words = [word.partition(":") for part in parts for word in part.split(",") if word.strip(" ")]
    return {name.strip(" "): severity.strip(" ") for name, _, severity in words}

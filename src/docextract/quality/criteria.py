"""The ways in which a photo can fail: what each is called, how bad it is, and what to tell the person.

The network gives each a probability; `yardstick` and `verdict` make a decision of them.
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
DETECTION_THRESHOLD = 0.5  # the same at every strictness: whether a document is there is no matter of taste
# Focal length of phone main cameras, in photo diagonals (24 to 28 mm on a full frame of 43.3 mm).
FOCAL_LENGTH_DIAGONALS = 0.6


@dataclass(frozen=True)
class Criterion:
    """One way in which a photo can fail. An error refuses the photo by itself; a warning only makes it worse.

    cost: the chance that a photo with this defect gives a wrong required field, 0..1, as far as nothing has been
          measured; a usability that was fitted knows better. It orders the guidance.
    fine: seen in the photo's own pixels only. A frame of a live preview cannot be asked.
    """

    name: str
    group: CriterionGroup
    severity: Severity
    cost: float
    guidance: str  # a code of `messages`
    full_resolution: bool = False


CRITERIA: tuple[Criterion, ...] = (
    Criterion(DOCUMENT_ABSENT, "visible", "error", 1.0, "show_document"),
    Criterion("document_cutoff", "visible", "error", 0.7, "fit_document"),
    Criterion("occluded", "visible", "error", 0.5, "uncover_document"),
    Criterion("multiple_documents", "visible", "warning", 0.4, "one_document"),
    Criterion("low_background_contrast", "visible", "warning", 0.1, "change_background"),
    Criterion("blurry", "readable", "error", 0.9, "hold_steady", full_resolution=True),
    Criterion("dark", "readable", "error", 0.6, "more_light"),
    Criterion("overexposed", "readable", "error", 0.6, "less_light"),
    Criterion("glare", "readable", "error", 0.5, "avoid_glare"),
    Criterion("faint", "readable", "warning", 0.4, "improve_contrast", full_resolution=True),
    Criterion("noisy", "readable", "warning", 0.3, "more_light", full_resolution=True),
    Criterion("text_too_small", "readable", "error", 0.9, "move_closer", full_resolution=True),
    Criterion("screen_capture", "readable", "warning", 0.3, "photograph_paper", full_resolution=True),
    Criterion("off_center", "centered", "warning", 0.05, "center_document"),
    Criterion("too_far", "centered", "warning", 0.3, "move_closer"),
    Criterion("too_close", "centered", "error", 0.7, "move_back"),
    Criterion("tilted", "centered", "warning", 0.2, "hold_parallel"),
    Criterion("rotated", "centered", "warning", 0.1, "turn_upright"),
)

# Not seen by the network but told from what it saw, where the caller has said what should be there.
UNEXPECTED_DOCUMENT = Criterion("unexpected_document", "visible", "warning", 1.0, "show_requested_document")
CRITERION_NAMES = tuple(criterion.name for criterion in (*CRITERIA, UNEXPECTED_DOCUMENT))


def parse_severities(given: Any) -> dict[str, Severity]:
    """What was asked for: "glare:error,rotated:off", or the same as a mapping. Raises ValueError with what is wrong."""
    pairs = _pairs(given)
    for name, severity in pairs.items():
        if name not in CRITERION_NAMES:
            raise ValueError(f"there is no criterion of that name; there are {', '.join(CRITERION_NAMES)}")
        if severity not in SEVERITIES:
            raise ValueError(f"{name} must be one of {', '.join(SEVERITIES)}")
    if pairs.get(DOCUMENT_ABSENT, "error") != "error":
        raise ValueError(f"{DOCUMENT_ABSENT} is always an error: without a document there is nothing to judge")
    return pairs


def _pairs(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    parts = [given] if isinstance(given, str) else given
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be written as glare:error,rotated:off")
    words = [word.partition(":") for part in parts for word in part.split(",") if word.strip(" ")]
    return {name.strip(" "): severity.strip(" ") for name, _, severity in words}

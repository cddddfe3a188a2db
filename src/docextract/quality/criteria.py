"""What makes a photo good enough to extract from: the criteria, their thresholds, and what to tell the person.

The network gives each criterion a probability; this module turns probabilities into a verdict. It runs in the
front process and knows nothing of networks.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from docextract.findings import Assessment

Group = Literal["visible", "readable", "centered"]
Severity = Literal["error", "warning"]
Strictness = Literal["normal", "relaxed", "strict"]

GROUPS: tuple[Group, ...] = get_args(Group)
ABSENT = "document_absent"
DETECTED_FROM = 0.5  # the same at every strictness: whether a document is there is no matter of taste
THRESHOLDS: Mapping[Strictness, float] = {"relaxed": 0.3, "normal": 0.5, "strict": 0.7}
# Focal length of phone main cameras, in photo diagonals (24 to 28 mm on a full frame of 43.3 mm).
FOCAL_LENGTH = 0.6


@dataclass(frozen=True)
class Criterion:
    """One way in which a photo can fail. An error makes extraction fail; a warning makes it worse.

    cost: how much of the extraction is lost when the photo has this defect, roughly, 0..1. It orders the guidance.
    """

    name: str
    group: Group
    severity: Severity
    cost: float
    guidance: str  # a key of MESSAGES

    def threshold(self, strictness: Strictness) -> float:
        """The score that has to be reached."""
        return DETECTED_FROM if self.name == ABSENT else THRESHOLDS[strictness]


CRITERIA: tuple[Criterion, ...] = (
    Criterion(ABSENT, "visible", "error", 1.0, "show_document"),
    Criterion("document_cutoff", "visible", "error", 0.7, "fit_document"),
    Criterion("occluded", "visible", "error", 0.5, "uncover_document"),
    Criterion("multiple_documents", "visible", "warning", 0.4, "one_document"),
    Criterion("low_background_contrast", "visible", "warning", 0.1, "change_background"),
    Criterion("blurry", "readable", "error", 0.9, "hold_steady"),
    Criterion("dark", "readable", "error", 0.6, "more_light"),
    Criterion("overexposed", "readable", "error", 0.6, "less_light"),
    Criterion("glare", "readable", "error", 0.5, "avoid_glare"),
    Criterion("faint", "readable", "warning", 0.4, "improve_contrast"),
    Criterion("noisy", "readable", "warning", 0.3, "more_light"),
    Criterion("text_too_small", "readable", "error", 0.9, "move_closer"),
    Criterion("screen_capture", "readable", "warning", 0.3, "photograph_paper"),
    Criterion("off_center", "centered", "warning", 0.05, "center_document"),
    Criterion("too_far", "centered", "warning", 0.3, "move_closer"),
    Criterion("too_close", "centered", "error", 0.7, "move_back"),
    Criterion("tilted", "centered", "warning", 0.2, "hold_parallel"),
    Criterion("rotated", "centered", "warning", 0.1, "turn_upright"),
)

MESSAGES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "show_document": "No document was found. Place the document in front of the camera and try again.",
        "fit_document": "Part of the document is outside the picture. Keep all four corners in view.",
        "uncover_document": "Something covers part of the document. Move fingers and objects off it.",
        "one_document": "There is more than one document. Photograph one at a time.",
        "change_background": "The document is hard to tell from what lies under it. Use a darker, plain surface.",
        "hold_steady": "The picture is blurred. Hold the phone still and tap to focus.",
        "more_light": "The picture is too dark or grainy. Find more light.",
        "less_light": "The picture is too bright. Move out of the direct light or lower the exposure.",
        "avoid_glare": "Light reflects off the document. Tilt it slightly or turn off the flash.",
        "improve_contrast": "The print is very faint. Use even light and fill the picture with the document.",
        "move_closer": "The text is too small. Move closer to the document.",
        "photograph_paper": "This looks like a photo of a screen. Photograph the document itself, or send its file.",
        "center_document": "The document is off to one side. Move it to the middle of the picture.",
        "move_back": "The camera is too close. Move back until the whole document is in the picture.",
        "hold_parallel": "The document is seen at an angle. Hold the phone parallel to it.",
        "turn_upright": "The document is turned. Turn it, or the phone, so that the text is upright.",
    }
}


@dataclass(frozen=True)
class CriterionVerdict:
    """One criterion of one photo."""

    name: str
    group: Group
    passed: bool
    score: float  # probability that the photo is free of this defect, 0..1
    threshold: float
    severity: Severity


@dataclass(frozen=True)
class GroupVerdict:
    """Whether every criterion of a group passed, and its lowest score; None where none was assessed."""

    passed: bool | None
    score: float | None


@dataclass(frozen=True)
class DocumentSeen:
    """Where the document is. Lengths are relative to the photo; None throughout where none was detected."""

    detected: bool
    confidence: float
    type: str | None
    side: str | None
    polygon: tuple[tuple[float, float], ...] | None  # clockwise from the document's own top-left corner
    area_ratio: float | None
    center_offset: tuple[float, float] | None  # from the middle of the photo; right and down are positive
    tilt_degrees: float | None  # between the camera's axis and the page's normal, for a common phone's lens
    rotation_degrees: int | None  # 0, 90, 180, 270 clockwise


@dataclass(frozen=True)
class Guidance:
    """What the person could do about it."""

    code: str
    image: int
    message: str


@dataclass(frozen=True)
class Verdict:
    """What the check says of one photo; the fields are the keys of an image in an answer, and its guidance."""

    index: int
    accepted: bool
    score: float  # probability that the photo is good enough to extract from
    width: int
    height: int
    document: DocumentSeen
    groups: dict[Group, GroupVerdict]
    criteria: tuple[CriterionVerdict, ...]  # only `document_absent` where no document was detected
    guidance: tuple[Guidance, ...]  # by expected gain, the greatest first


def overall(scores: Mapping[str, float]) -> float:
    """The chance that the photo is good enough: that of its weakest point among the errors.

    Defects of one photo are far from independent (motion blurs, and what is far away is small), so their
    product would count the same mistake twice. With the minimum, a photo is accepted exactly if its score
    reaches the threshold, and the score always has a criterion that explains it.
    """
    return min(scores[criterion.name] for criterion in CRITERIA if criterion.severity == "error")


def judge(assessment: Assessment, index: int, width: int, height: int, strictness: Strictness = "normal") -> Verdict:
    """The verdict on one photo of width × height px, the index-th of its request.

    Accepted means that no criterion of severity "error" failed. Where no document was detected nothing else
    can be said: only `document_absent` is judged, and it alone leads the guidance.
    """
    detected = assessment.polygon is not None and assessment.scores[ABSENT] >= DETECTED_FROM
    judged = CRITERIA if detected else CRITERIA[:1]
    criteria = tuple(_judge_one(criterion, assessment.scores[criterion.name], strictness) for criterion in judged)
    accepted = detected and all(verdict.passed for verdict in criteria if verdict.severity == "error")
    return Verdict(
        index=index,
        accepted=accepted,
        score=assessment.overall if detected else min(assessment.overall, assessment.scores[ABSENT]),
        width=width,
        height=height,
        document=_document(assessment, detected, width, height),
        groups={group: _group(group, criteria) for group in GROUPS},
        criteria=criteria,
        guidance=_guidance(criteria, index) if detected else (_advice("show_document", index),),
    )


def _judge_one(criterion: Criterion, score: float, strictness: Strictness) -> CriterionVerdict:
    threshold = criterion.threshold(strictness)
    return CriterionVerdict(criterion.name, criterion.group, score >= threshold, score, threshold, criterion.severity)


def _group(group: Group, criteria: Sequence[CriterionVerdict]) -> GroupVerdict:
    members = [verdict for verdict in criteria if verdict.group == group]
    if not members:
        return GroupVerdict(None, None)
    return GroupVerdict(all(verdict.passed for verdict in members), min(verdict.score for verdict in members))


def _document(assessment: Assessment, detected: bool, width: int, height: int) -> DocumentSeen:
    polygon = assessment.polygon
    if not detected or polygon is None:
        return DocumentSeen(False, assessment.detected, None, None, None, None, None, None, None)
    center = _center(polygon)
    return DocumentSeen(
        detected=True,
        confidence=assessment.detected,
        type=assessment.type,
        side=assessment.side,
        polygon=tuple((float(x), float(y)) for x, y in polygon),
        area_ratio=min(1.0, _area(polygon)),
        center_offset=(float(center[0]) - 0.5, float(center[1]) - 0.5),
        tilt_degrees=tilt_degrees(polygon * np.array([width, height], np.float32), width, height),
        rotation_degrees=assessment.rotation_degrees,
    )


def _guidance(criteria: Sequence[CriterionVerdict], index: int) -> tuple[Guidance, ...]:
    """Advice for what failed: the probable loss that following it would avert comes first, each advice once."""
    costs = {criterion.name: criterion for criterion in CRITERIA}
    failed = [verdict for verdict in criteria if not verdict.passed]
    failed.sort(key=lambda verdict: (1 - verdict.score) * costs[verdict.name].cost, reverse=True)
    codes = dict.fromkeys(costs[verdict.name].guidance for verdict in failed)
    return tuple(_advice(code, index) for code in codes)


def _advice(code: str, index: int, language: str = "en") -> Guidance:
    return Guidance(code, index, MESSAGES[language][code])


def _area(polygon: NDArray[np.float32]) -> float:
    """Of the whole outline, [4, 2], in its own units squared."""
    x, y = polygon[:, 0], polygon[:, 1]
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def _center(polygon: NDArray[np.float32]) -> NDArray[np.float32]:
    """Where the diagonals cross: under perspective that is the page's middle, which the corners' mean is not."""
    corners = np.concatenate([polygon, np.ones((4, 1), np.float32)], 1)
    crossing = np.cross(np.cross(corners[0], corners[2]), np.cross(corners[1], corners[3]))
    if abs(crossing[2]) < 1e-9:
        return np.asarray(polygon.mean(0), np.float32)
    return np.asarray(crossing[:2] / crossing[2], np.float32)


def tilt_degrees(polygon: NDArray[np.floating], width: int, height: int) -> float:
    """The angle between the camera's axis and the page's normal, 0..90, from the outline's perspective alone.

    polygon: [4, 2], px of a photo of width × height px taken through a common phone's lens. The two vanishing
             points of the page's sides, seen as directions, span the page's plane.
    """
    focal_px = FOCAL_LENGTH * math.hypot(width, height)
    rays = np.concatenate(
        [(polygon - np.array([width / 2, height / 2])) / focal_px, np.ones((4, 1))], 1
    )  # [4, 3], from the camera through each corner
    top, right, bottom, left = (np.cross(rays[i], rays[(i + 1) % 4]) for i in range(4))
    normal = np.cross(np.cross(top, bottom), np.cross(left, right))
    length = float(np.linalg.norm(normal))
    if length < 1e-12:
        return 0.0
    return math.degrees(math.acos(min(1.0, abs(float(normal[2])) / length)))

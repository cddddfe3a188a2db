"""The verdict on one photo: accepted or not, why not, and what would help most.

Runs in the front process on what the network found, and knows nothing of networks.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import visible_center
from docextract.predictions import OTHER_TYPE, Assessment
from docextract.quality.criteria import (
    CRITERIA,
    DETECTION_THRESHOLD,
    DOCUMENT_ABSENT,
    FOCAL_LENGTH_DIAGONALS,
    GROUPS,
    UNEXPECTED_DOCUMENT,
    Criterion,
    CriterionGroup,
    Severity,
    Strictness,
)
from docextract.quality.usability import DEFAULT_USABILITY, UsabilityModel

SkipReason = Literal["no_document", "resolution", "untrained", "off"]


@dataclass(frozen=True)
class VerdictOptions:
    """What is asked of a photo."""

    strictness: Strictness = "normal"
    severity: Mapping[str, Severity] = field(default_factory=dict)  # by criterion, where it is not the usual one
    document_type: str | None = None  # that should be in the picture; None where any will do
    known_types: Collection[str] = ()  # document types that the quality network was trained for
    preview: bool = False  # a frame of a live preview: what shows at full resolution only is not asked


@dataclass(frozen=True)
class CriterionVerdict:
    """One criterion of one photo."""

    name: str
    group: CriterionGroup
    passed: bool
    score: float  # probability that the photo is free of this defect, 0..1
    threshold: float
    severity: Severity


@dataclass(frozen=True)
class SkippedCriterion:
    """A criterion that was not judged, and why."""

    name: str
    reason: SkipReason


@dataclass(frozen=True)
class GroupVerdict:
    """Whether every criterion of a group passed, and its lowest score; None where none was assessed."""

    passed: bool | None
    score: float | None


@dataclass(frozen=True)
class DetectedDocument:
    """Where the document is. Lengths are relative to the photo; None throughout where none was detected."""

    detected: bool
    confidence: float
    type: str | None
    side: str | None
    polygon: tuple[tuple[float, float], ...] | None  # clockwise from the document's own top-left corner
    area_ratio: float | None
    center_offset: tuple[float, float] | None  # of what is seen, from the photo's middle; right and down are positive
    tilt_degrees: float | None  # between the camera's axis and the page's normal, for a common phone's lens
    rotation_degrees: int | None  # 0, 90, 180, 270 clockwise


@dataclass(frozen=True)
class Guidance:
    """What the person could do about it."""

    code: str  # of `messages`
    image: int


@dataclass(frozen=True)
class PhotoVerdict:
    """What the check says of one photo; the fields are the keys of an image in an answer, and its guidance."""

    index: int
    accepted: bool
    score: float  # probability that the photo is good enough to extract from
    threshold: float  # that it has to reach
    width: int
    height: int
    document: DetectedDocument
    groups: dict[CriterionGroup, GroupVerdict]
    criteria: tuple[CriterionVerdict, ...]  # only `document_absent` where no document was detected
    not_assessed: tuple[SkippedCriterion, ...]  # all the others
    guidance: tuple[Guidance, ...]  # by expected gain, the greatest first


def judge_photo(
    assessment: Assessment,
    index: int,
    width: int,
    height: int,
    options: VerdictOptions = VerdictOptions(),
    usability: UsabilityModel = DEFAULT_USABILITY,
) -> PhotoVerdict:
    """The verdict on one photo of width × height px, the index-th of its request.

    Accepted means: a document was detected, no criterion of severity "error" failed, and the score reaches its
    threshold. What the caller has made less than an error does not count in the score either. Where no document was
    detected nothing else can be said: only `document_absent` is judged, and it alone leads the guidance.
    """
    detected = assessment.polygon is not None and assessment.scores[DOCUMENT_ABSENT] >= DETECTION_THRESHOLD
    left_out = dict(_left_out(assessment, options, detected))
    criteria = tuple(
        _judge_one(criterion, _score_of(criterion, assessment, options), options, usability)
        for criterion in _asked(options)
        if criterion.name not in left_out
    )
    lowered = {
        one.name for one in CRITERIA if usability.severity(one) == "error" != options.severity.get(one.name, "error")
    }
    resolution = {name for name, reason in left_out.items() if reason == "resolution"}
    score = usability.score(assessment.scores, without=lowered | _off(options) | resolution)
    threshold = usability.thresholds[options.strictness]
    passed = all(verdict.passed for verdict in criteria if verdict.severity == "error")
    accepted = detected and passed and score >= threshold
    return PhotoVerdict(
        index=index,
        accepted=accepted,
        score=score if detected else min(score, assessment.scores[DOCUMENT_ABSENT]),
        threshold=threshold,
        width=width,
        height=height,
        document=_document(assessment, detected, width, height),
        groups={group: _group(group, criteria) for group in GROUPS},
        criteria=criteria,
        not_assessed=tuple(SkippedCriterion(name, reason) for name, reason in left_out.items()),
        guidance=tuple(Guidance(code, index) for code in _advice(criteria, detected, accepted, usability)),
    )


def _asked(options: VerdictOptions) -> tuple[Criterion, ...]:
    return (*CRITERIA, UNEXPECTED_DOCUMENT) if options.document_type else CRITERIA


def _off(options: VerdictOptions) -> set[str]:
    return {name for name, severity in options.severity.items() if severity == "off"}


def _left_out(assessment: Assessment, options: VerdictOptions, detected: bool) -> Iterator[tuple[str, SkipReason]]:
    off = _off(options)
    for criterion in _asked(options):
        if criterion.name in off:
            yield criterion.name, "off"
        elif not detected and criterion.name != DOCUMENT_ABSENT:
            yield criterion.name, "no_document"
        elif options.preview and criterion.full_resolution:
            yield criterion.name, "resolution"
        elif criterion is UNEXPECTED_DOCUMENT and assessment.type == OTHER_TYPE and options.document_type not in options.known_types:
            yield criterion.name, "untrained"  # it may well be the one that was asked for


def _score_of(criterion: Criterion, assessment: Assessment, options: VerdictOptions) -> float:
    if criterion is not UNEXPECTED_DOCUMENT:
        return assessment.scores[criterion.name]
    sure = assessment.type_confidence
    return sure if assessment.type == options.document_type else 1 - sure


def _judge_one(criterion: Criterion, score: float, options: VerdictOptions, usability: UsabilityModel) -> CriterionVerdict:
    severity = options.severity.get(criterion.name, usability.severity(criterion))
    threshold = usability.threshold(criterion, severity, options.strictness)
    return CriterionVerdict(criterion.name, criterion.group, score >= threshold, score, threshold, severity)


def _group(group: CriterionGroup, criteria: Sequence[CriterionVerdict]) -> GroupVerdict:
    members = [verdict for verdict in criteria if verdict.group == group]
    if not members:
        return GroupVerdict(None, None)
    return GroupVerdict(all(verdict.passed for verdict in members), min(verdict.score for verdict in members))


def _document(assessment: Assessment, detected: bool, width: int, height: int) -> DetectedDocument:
    polygon = assessment.polygon
    if not detected or polygon is None:
        return DetectedDocument(False, assessment.detected, None, None, None, None, None, None, None)
    across, down = visible_center(polygon)
    return DetectedDocument(
        detected=True,
        confidence=assessment.detected,
        type=assessment.type,
        side=assessment.side,
        polygon=tuple((float(x), float(y)) for x, y in polygon),
        area_ratio=min(1.0, _area(polygon)),
        center_offset=(across - 0.5, down - 0.5),
        tilt_degrees=tilt_degrees(polygon * np.array([width, height], np.float32), width, height),
        rotation_degrees=assessment.rotation_degrees,
    )


def _advice(
    criteria: Sequence[CriterionVerdict], detected: bool, accepted: bool, usability: UsabilityModel
) -> Sequence[str]:
    """Codes for what failed: the probable loss that following the advice would avert comes first, each code once.

    Where a photo is refused for several small faults, none of which failed, the greatest of them is named.
    """
    if not detected:
        return ["show_document"]
    known = {criterion.name: criterion for criterion in (*CRITERIA, UNEXPECTED_DOCUMENT)}

    def gain(one: CriterionVerdict) -> float:
        criterion = known[one.name]
        return (1 - usability.tolerated(criterion, one.score)) * usability.cost(criterion)

    by_gain = sorted(criteria, key=gain, reverse=True)
    failed = [one for one in by_gain if not one.passed]
    told = failed if accepted or failed else by_gain[:1]
    return list(dict.fromkeys(known[one.name].guidance for one in told))


def _area(polygon: NDArray[np.float32]) -> float:
    """Of the whole outline, [4, 2], in its own units squared."""
    x, y = polygon[:, 0], polygon[:, 1]
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def tilt_degrees(polygon: NDArray[np.floating], width: int, height: int) -> float:
    """The angle between the camera's axis and the page's normal, 0..90, from the outline's perspective alone.

    polygon: [4, 2], px of a photo of width × height px taken through a common phone's lens. The two vanishing
             points of the page's sides, seen as directions, span the page's plane.
    """
    focal_px = FOCAL_LENGTH_DIAGONALS * math.hypot(width, height)
    rays = np.concatenate(
        [(polygon - np.array([width / 2, height / 2])) / focal_px, np.ones((4, 1))], 1
    )  # [4, 3], from the camera through each corner
    top, right, bottom, left = (np.cross(rays[i], rays[(i + 1) % 4]) for i in range(4))
    normal = np.cross(np.cross(top, bottom), np.cross(left, right))
    length = float(np.linalg.norm(normal))
    if length < 1e-12:
        return 0.0
    return math.degrees(math.acos(min(1.0, abs(float(normal[2])) / length)))

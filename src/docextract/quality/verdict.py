"""The verdict on one photo: accepted or not, the reasons, and guidance for a better photo.

It is computed in the front process from the assessment of the quality network, without torch.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import visible_area, visible_center
from docextract.predictions import OTHER_TYPE, Assessment, Legibility
from docextract.quality.criteria import (
    CRITERIA,
    DETECTION_THRESHOLD,
    DOCUMENT_ABSENT,
    FOCAL_LENGTH_DIAGONALS,
    GROUPS,
    SEVERITIES,
    UNEXPECTED_DOCUMENT,
    Criterion,
    CriterionGroup,
    Severity,
    Strictness,
)
from docextract.quality.messages import UNCERTAIN_FIELDS
from docextract.quality.places import least_legible_place
from docextract.quality.usability import DEFAULT_USABILITY, UsabilityModel
from docextract.sources import ImageSource, Place

SkipReason = Literal["no_document", "not_a_photo", "resolution", "untrained", "off"]
_Vector = tuple[float, float, float]
# Advice on defects that may lie on a part of the document alone.
_LOCAL_ADVICE = frozenset(
    {"uncover_document", "hold_steady", "more_light", "less_light", "avoid_glare", "improve_contrast", UNCERTAIN_FIELDS}
)
_MIN_GAIN = 0.05  # of advice on a defect that no criterion failed for: smaller ones cannot be noticed
_WHOLE_PAGE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@dataclass(frozen=True)
class VerdictOptions:
    """The options of a validation."""

    strictness: Strictness = "normal"
    severity: Mapping[str, Severity] = field(default_factory=dict)  # by criterion, where it differs from the default
    document_type: str | None = None  # the expected type; None if any type is accepted
    known_types: Collection[str] = ()  # document types that the quality network was trained on
    preview: bool = False  # a frame of a live preview: criteria that need full resolution are skipped
    source: ImageSource = "photo"
    blank: bool = False  # a scan or a drawn page without any print
    beside_others: bool = False  # its file has pages with print


@dataclass(frozen=True)
class CriterionVerdict:
    """The result of one criterion for one photo."""

    name: str
    group: CriterionGroup
    passed: bool
    score: float  # probability that the photo is free of this defect, 0..1
    threshold: float
    severity: Severity


@dataclass(frozen=True)
class SkippedCriterion:
    """A criterion that was not assessed, and why."""

    name: str
    reason: SkipReason


@dataclass(frozen=True)
class GroupVerdict:
    """Whether every criterion of a group passed, and the lowest score; None if none was assessed."""

    passed: bool | None
    score: float | None


@dataclass(frozen=True)
class DetectedDocument:
    """The document in the photo, relative to the photo; every optional member is None if none was detected."""

    detected: bool
    confidence: float
    type: str | None
    side: str | None
    # Clockwise from the document's own top-left corner; the corners of a cut document lie outside 0..1.
    polygon: tuple[tuple[float, float], ...] | None
    area_ratio: float | None  # of its visible part to the photo
    center_offset: (
        tuple[float, float] | None
    )  # of its visible part from the photo's centre; right and down are positive
    tilt_degrees: float | None  # between the camera axis and the page normal, for a typical phone lens
    rotation_degrees: int | None  # 0, 90, 180, 270 clockwise


@dataclass(frozen=True)
class Guidance:
    """What the person who takes the photo should do."""

    code: str  # of `messages`
    image: int
    place: Place | None = None  # where print is least legible, if the advice may be about a part of the document


@dataclass(frozen=True)
class PhotoVerdict:
    """The verdict on one photo; its members are those of an image in the answer of /validation, and `guidance`."""

    index: int
    accepted: bool
    score: float  # probability that the photo is good enough to extract from
    threshold: float  # the minimum score
    width: int
    height: int
    document: DetectedDocument
    groups: dict[CriterionGroup, GroupVerdict]
    criteria: tuple[CriterionVerdict, ...]  # only `document_absent` if no document was detected; see `judge_photo`
    not_assessed: tuple[SkippedCriterion, ...]  # all other criteria
    guidance: tuple[Guidance, ...]  # sorted by expected gain, largest first
    legibility: Legibility | None = None  # None: no photo, or the network has no legibility map


def judge_photo(
    assessment: Assessment,
    index: int,
    width: int,
    height: int,
    options: VerdictOptions = VerdictOptions(),
    usability: UsabilityModel = DEFAULT_USABILITY,
) -> PhotoVerdict:
    """Judge one photo of width x height px; index: its position in the request.

    A photo is accepted if a document was detected, no criterion of severity "error" failed, and the score reaches its
    threshold. A criterion whose severity the caller has lowered is not part of the score. If no document was
    detected, only `document_absent` is assessed, and the guidance is only about it.

    An empty page of a file that has others, such as a back in a duplex scan, is accepted without being assessed.
    """
    if options.blank and options.beside_others and options.source != "photo":
        return _accept_empty_page(assessment, index, width, height, options, usability)
    if options.source != "photo":
        assessment = _assess_page(assessment, options)
    detected = assessment.polygon is not None and assessment.scores[DOCUMENT_ABSENT] >= DETECTION_THRESHOLD
    skipped = dict(_skipped(assessment, options, detected))
    criteria = tuple(
        _judge_criterion(criterion, _score_of(criterion, assessment, options), options, usability)
        for criterion in _requested_criteria(options)
        if criterion.name not in skipped
    )
    lowered = {one.name for one in CRITERIA if _is_lowered(one, options, usability)}
    not_visible = {name for name, reason in skipped.items() if reason in ("resolution", "not_a_photo")}
    legibility = assessment.legibility if options.source == "photo" else None  # it knows photos alone
    # The map sees every defect, also those that the caller tolerates or that a preview frame does not show.
    fields = legibility.required_fields if legibility and not lowered and not options.preview else ()
    score = usability.score(assessment.scores, lowered | not_visible, fields)
    threshold = usability.thresholds[options.strictness]
    passed = all(verdict.passed for verdict in criteria if verdict.severity == "error")
    accepted = detected and passed and score >= threshold
    codes = _guidance_codes(criteria, detected, accepted, lowered, usability)
    place = None
    if detected and not accepted and legibility is not None and assessment.polygon is not None:
        place = least_legible_place(legibility, assessment.polygon, width, height)
    first_local = next((code for code in codes if code in _LOCAL_ADVICE), None)  # the place is said once
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
        not_assessed=tuple(SkippedCriterion(name, reason) for name, reason in skipped.items()),
        guidance=tuple(Guidance(code, index, place if code == first_local else None) for code in codes),
        legibility=legibility,
    )


def _accept_empty_page(
    assessment: Assessment, index: int, width: int, height: int, options: VerdictOptions, usability: UsabilityModel
) -> PhotoVerdict:
    reasons: dict[str, SkipReason] = {DOCUMENT_ABSENT: "no_document", **dict(_skipped(assessment, options, False))}
    return PhotoVerdict(
        index=index,
        accepted=True,
        score=1.0,
        threshold=usability.thresholds[options.strictness],
        width=width,
        height=height,
        document=_document(replace(assessment, detected=0.0), False, width, height),
        groups={group: GroupVerdict(None, None) for group in GROUPS},
        criteria=(),
        not_assessed=tuple(SkippedCriterion(name, reason) for name, reason in reasons.items()),
        guidance=(),
    )


def _assess_page(assessment: Assessment, options: VerdictOptions) -> Assessment:
    """Replace what the network says of a document on a table by what is known of a page that is not a photo.

    The document is the whole page, unless it lies on a larger scan.
    """
    is_on_larger_scan = options.source == "scan" and assessment.detected >= DETECTION_THRESHOLD
    return replace(
        assessment,
        detected=0.0 if options.blank else 1.0,
        polygon=assessment.polygon if is_on_larger_scan and assessment.polygon is not None else _WHOLE_PAGE,
        rotation_degrees=assessment.rotation_degrees if options.source == "scan" else 0,
        scores={**assessment.scores, DOCUMENT_ABSENT: 0.0 if options.blank else 1.0},
    )


def _requested_criteria(options: VerdictOptions) -> tuple[Criterion, ...]:
    return (*CRITERIA, UNEXPECTED_DOCUMENT) if options.document_type else CRITERIA


def _is_lowered(criterion: Criterion, options: VerdictOptions, usability: UsabilityModel) -> bool:
    """Whether the caller has made a criterion less severe than it is by default."""
    default = usability.severity(criterion)
    return SEVERITIES.index(options.severity.get(criterion.name, default)) > SEVERITIES.index(default)


def _skipped(assessment: Assessment, options: VerdictOptions, detected: bool) -> Iterator[tuple[str, SkipReason]]:
    for criterion in _requested_criteria(options):
        if options.severity.get(criterion.name) == "off":
            yield criterion.name, "off"
        elif not detected and criterion.name != DOCUMENT_ABSENT:
            yield criterion.name, "no_document"
        elif not _applies(criterion, options.source):
            yield criterion.name, "not_a_photo"
        elif options.preview and criterion.full_resolution:
            yield criterion.name, "resolution"
        elif (
            criterion is UNEXPECTED_DOCUMENT
            and assessment.type == OTHER_TYPE
            and options.document_type not in options.known_types
        ):
            yield criterion.name, "untrained"  # it may be the expected document


def _applies(criterion: Criterion, source: ImageSource) -> bool:
    return source == "photo" or criterion.name == DOCUMENT_ABSENT or (source == "scan" and criterion.on_scans)


def _score_of(criterion: Criterion, assessment: Assessment, options: VerdictOptions) -> float:
    if criterion is not UNEXPECTED_DOCUMENT:
        return assessment.scores[criterion.name]
    confidence = assessment.type_confidence
    return confidence if assessment.type == options.document_type else 1 - confidence


def _judge_criterion(
    criterion: Criterion, score: float, options: VerdictOptions, usability: UsabilityModel
) -> CriterionVerdict:
    severity = options.severity.get(criterion.name, usability.severity(criterion))
    threshold = usability.threshold(criterion, severity, options.strictness, criterion.name in options.severity)
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
    x, y = visible_center(polygon)
    outline_px = polygon * np.array([width, height], np.float32)
    return DetectedDocument(
        detected=True,
        confidence=assessment.detected,
        type=assessment.type,
        side=assessment.side,
        polygon=tuple((float(x), float(y)) for x, y in polygon),
        area_ratio=visible_area(outline_px, width, height),
        center_offset=(x - 0.5, y - 0.5),
        tilt_degrees=tilt_degrees(outline_px, width, height),
        rotation_degrees=assessment.rotation_degrees,
    )


def _guidance_codes(
    criteria: Sequence[CriterionVerdict],
    detected: bool,
    accepted: bool,
    lowered: Collection[str],
    usability: UsabilityModel,
) -> Sequence[str]:
    """Return the guidance codes of failed criteria, sorted by the expected gain of following them, each code once.

    If a photo is rejected although no criterion failed, because of several small defects or of illegible fields, the
    largest defect is named; if none can be noticed, the advice is to take the photo again. lowered: criteria that do
    not reject it.
    """
    if not detected:
        return ["show_document"]
    by_name = {criterion.name: criterion for criterion in (*CRITERIA, UNEXPECTED_DOCUMENT)}

    def gain(one: CriterionVerdict) -> float:
        criterion = by_name[one.name]
        return (1 - usability.tolerated(criterion, one.score)) * usability.cost(criterion)

    by_gain = sorted(criteria, key=gain, reverse=True)
    reported = [one for one in by_gain if not one.passed]
    if not accepted and not reported:
        no_causes = {DOCUMENT_ABSENT, UNEXPECTED_DOCUMENT.name, *lowered}
        reported = [one for one in by_gain if one.name not in no_causes and gain(one) >= _MIN_GAIN][:1]
        if not reported:
            return [UNCERTAIN_FIELDS]
    return list(dict.fromkeys(by_name[one.name].guidance for one in reported))


def tilt_degrees(polygon: NDArray[np.floating], width: int, height: int) -> float:
    """Return the angle between camera axis and page normal, 0..90, from the perspective of the outline alone.

    polygon: [4, 2], px of a photo of width x height px that was taken with a typical phone lens. The directions of the
             two vanishing points of the page's sides span the plane of the page.
    """
    focal_px = FOCAL_LENGTH_DIAGONALS * math.hypot(width, height)
    # From the camera through each corner.
    rays = [((x - width / 2) / focal_px, (y - height / 2) / focal_px, 1.0) for x, y in polygon.tolist()]
    top, right, bottom, left = (_cross(rays[i], rays[(i + 1) % 4]) for i in range(4))
    normal = _cross(_cross(top, bottom), _cross(left, right))
    length = math.hypot(*normal)
    if length < 1e-12:
        return 0.0
    return math.degrees(math.acos(min(1.0, abs(normal[2]) / length)))


def _cross(one: _Vector, other: _Vector) -> _Vector:
    """Return the cross product; np.cross takes ten times as long for two vectors."""
    (a, b, c), (x, y, z) = one, other
    return b * z - c * y, c * x - a * z, a * y - b * x

"""The JSON bodies, and how what was found becomes one.

The models below are the contract as code: the OpenAPI document is made from them. Only what was set is
written, so an absent field is absent, never null or empty.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic import Field as Described

from docextract.answers.merging import (
    ExtractedPage,
    LocatedValue,
    LocatedZone,
    MergedDocument,
    build_record,
    common_type,
    merge_pages,
    zone_checks,
)
from docextract.answers.sources import ValueSource
from docextract.documents import document_types
from docextract.documents.base import MRZ, DocumentType
from docextract.documents.values import Conventions, FieldKind
from docextract.images.geometry import Polygon, project

ConfidenceLevel = Literal["certain", "high", "medium", "low"]
Rounded = Annotated[float, AfterValidator(lambda value: round(value, _DECIMALS))]
PointList = list[tuple[Rounded, Rounded]]

_LEVELS: tuple[tuple[float, ConfidenceLevel], ...] = ((0.98, "certain"), (0.9, "high"), (0.7, "medium"))
_CROP_JPEG_QUALITY = 90
_MEASURED = "Of documents that the model has not seen, as the version's card describes them; null: not measured"
_DECIMALS = 4  # of confidences and relative coordinates: a tenth of a pixel on a phone's photo


class Answer(BaseModel):
    """What all parts of an answer share."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


# --- /validation ---------------------------------------------------------------------------------------------


class DocumentSeen(Answer):
    """The document in a photo, as far as it was seen. Coordinates are relative to the upright image."""

    detected: bool
    confidence: Rounded
    type: str | None
    side: str | None
    polygon: PointList | None = Described(description="Clockwise from the document's own top-left corner")
    area_ratio: Rounded | None
    center_offset: tuple[Rounded, Rounded] | None
    tilt_degrees: Rounded | None
    rotation_degrees: int | None


class GroupReport(Answer):
    """One of visible, readable, centered. Null where there was nothing to judge."""

    passed: bool | None
    score: Rounded | None


class CriterionReport(Answer):
    """One criterion; the score is the calibrated probability that the image is free of this defect."""

    name: str
    group: str
    passed: bool
    score: Rounded
    threshold: Rounded
    severity: Literal["error", "warning"]


class NotAssessed(Answer):
    """A criterion that says nothing about this image."""

    name: str
    reason: Literal["no_document", "resolution", "untrained", "off"] = Described(
        description="`resolution`: it shows at full resolution only, and this is a small frame, as of a live preview; "
        "`untrained`: the quality model does not know this document type; `off`: it was switched off"
    )


class GuidanceReport(Answer):
    """What the person with the phone can do."""

    code: str
    image: int
    message: str


class ImageReport(Answer):
    """The verdict on one image."""

    index: int
    upload: int = Described(0, description="Which of the files that were sent, from 0; a PDF has several images")
    accepted: bool
    score: Rounded = Described(description="Probability that the image is good enough to extract from")
    threshold: Rounded = Described(description="What the score has to reach at this strictness")
    width: int
    height: int
    document: DocumentSeen
    groups: dict[str, GroupReport]
    criteria: list[CriterionReport]
    not_assessed: list[NotAssessed]


class ModelName(Answer):
    """Which model spoke."""

    name: str
    version: str


class Verdict(Answer):
    """Whether the images are good enough, and what to do where they are not."""

    accepted: bool
    score: Rounded
    strictness: Literal["normal", "relaxed", "strict"]
    images: list[ImageReport]
    guidance: list[GuidanceReport] = Described(description="By expected gain, the greatest first")
    model: ModelName


class Identified(Answer):
    """Which request is answered."""

    request_id: str
    external_id: str | None


class ValidationAnswer(Verdict, Identified):
    """The answer to POST /validation."""


# --- /extraction ---------------------------------------------------------------------------------------------


class FieldAnswer(Answer):
    """One field. A list has `items`, a row has `fields`, everything else has `value` and `content`."""

    type: str
    value: Any = Described(None, description="Typed and normalised: ISO 8601 dates, money as {amount, currency}")
    content: str | None = Described(None, description="What is printed")
    confidence: float | None = Described(None, description="Calibrated probability that the value is right")
    level: ConfidenceLevel | None = None
    needs_review: bool | None = Described(None, description="True where the confidence is under min_confidence")
    image: int | None = None
    polygon: PointList | None = Described(None, description="With include=polygons")
    sources: dict[ValueSource, "FieldAnswer"] | None = Described(
        None,
        description="Where both the machine-readable zone and the print say it: either; `value` is the recommended one",
    )
    items: list["FieldAnswer"] | None = None
    fields: dict[str, "FieldAnswer"] | None = None


class CheckAnswer(Answer):
    """A rule that ties fields together, and whether this document keeps it."""

    name: str
    passed: bool
    fields: list[str]


class LineAnswer(Answer):
    """A line of print as it was read."""

    image: int
    text: str
    confidence: float
    polygon: PointList


class RawAnswer(Answer):
    """With include=raw: everything that was read."""

    lines: list[LineAnswer]


class CropAnswer(Answer):
    """With include=crop: the document alone, flat and upright."""

    image: int
    media_type: str
    content: str = Described(description="base64")


class DocumentAnswer(Answer):
    """One document, of one or more images."""

    type: str = Described(
        description="One of /v1/document-types; or `other`, a page of no such type, which has no fields"
    )
    type_confidence: float = Described(
        description="Probability of the type; where document_type was given, how much the document looks like it"
    )
    schema_version: str | None = Described(description="Null for `other`")
    images: list[int]
    confidence: float = Described(
        description="Mean of the fields' confidences: the share of them expected to be right; 0 without fields"
    )
    needs_review: bool = Described(
        description="A required field is missing, a field is under min_confidence, a check failed, or the type is "
        "`other`"
    )
    fields: dict[str, FieldAnswer]
    missing_fields: list[str]
    checks: list[CheckAnswer]
    crops: list[CropAnswer] | None = None
    raw: RawAnswer | None = None


class ExtractionAnswer(Identified):
    """The answer to POST /extraction."""

    documents: list[DocumentAnswer]
    validation: Verdict | None = Described(None, description="Absent with validation=off")
    models: dict[str, ModelName]
    timings_ms: dict[str, float]


# --- the rest ------------------------------------------------------------------------------------------------


class FieldDescribed(Answer):
    """A field of a document type, and how far its values can be expected and believed."""

    type: str = Described(examples=["date"])
    required: bool
    source: Literal["trained", "machine_readable_zone", "none"] = Described(
        description="Where values come from: `trained`, the served model was taught to find it in print; "
        "`machine_readable_zone`, read by rule, from there alone; `none`: no value will be given"
    )
    accuracy: dict[str, Any] | None = Described(None, description=_MEASURED)


class DocumentTypeAnswer(Answer):
    """A document type: what it is called, what it holds, and how well it is read."""

    name: str
    schema_version: str
    status: Literal["trained", "schema_only"]
    required: list[str]
    accuracy: dict[str, Any] | None = Described(None, description=_MEASURED)
    fields: dict[str, FieldDescribed] = Described(description='By name; of a list, "line_items.quantity"')
    json_schema: dict[str, Any] = Described(description="JSON Schema of the `value`s, as `fields` names them")


class DocumentTypesAnswer(Answer):
    """All document types."""

    document_types: list[DocumentTypeAnswer]


class ModelAnswer(Answer):
    """A model that is being served."""

    name: str
    version: str
    architecture: str
    digest: str
    promoted: str
    document_types: list[str]
    scores: dict[str, Any]


class ModelsAnswer(Answer):
    """All models that are being served."""

    models: list[ModelAnswer]


class LimitsAnswer(Answer):
    """The limits in force."""

    max_image_bytes: int
    max_images: int
    max_request_bytes: int
    min_side_px: int
    max_side_px: int
    max_pixels: int
    max_pdf_pages: int
    timeout_s: float
    kinds: list[str]


class ProblemFault(Answer):
    """One thing that is wrong in a request."""

    pointer: str = Described(examples=["/images/1"])
    detail: str


class Problem(Answer):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
    errors: list[ProblemFault] | None = None


# --- findings → documents ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerOptions:
    """The part of the options that shapes documents."""

    include: frozenset[str] = frozenset()
    min_confidence: float = 0.0


def build_document(pages: Sequence[ExtractedPage], options: AnswerOptions) -> DocumentAnswer:
    """The document on these pages, at least one."""
    name = common_type([page.found for page in pages])
    kind = document_types().get(name)
    merged = merge_pages(pages, kind) if kind else None
    fields = _field_answers(kind, merged, options) if kind and merged else {}
    checks = _checks(kind, merged) if kind and merged else []
    confidences = list(merged.confidences()) if merged else []
    answer: dict[str, Any] = {
        "type": name,
        "type_confidence": _rounded(max(page.found.type_confidence for page in pages if page.found.type == name)),
        "schema_version": kind.schema_version if kind else None,
        "images": [page.image for page in pages],
        "confidence": _rounded(float(np.mean(confidences)) if confidences else 0.0),
        "needs_review": kind is None
        or not kind.required <= fields.keys()
        or any(confidence < options.min_confidence for confidence in confidences)
        or not all(check.passed for check in checks),
        "fields": fields,
        "missing_fields": [name for name in _top_level(kind) if name not in fields] if kind else [],
        "checks": checks,
    }
    if "crop" in options.include:
        answer["crops"] = [_crop(page) for page in pages]
    if "raw" in options.include:
        answer["raw"] = RawAnswer(lines=[line for page in pages for line in _lines(page)])
    return DocumentAnswer(**answer)


def _top_level(kind: DocumentType) -> list[str]:
    """Fields and lists, each once, in the order of the record; at last the machine-readable zone."""
    names = dict.fromkeys(field.group or field.name for field in kind.fields())
    return [*names, *([MRZ] if MRZ in kind.record.non_fields else [])]


def _field_answers(kind: DocumentType, merged: MergedDocument, options: AnswerOptions) -> dict[str, FieldAnswer]:
    kinds = {field.name: field.kind for field in kind.fields()}
    answers: dict[str, FieldAnswer] = {}
    for name in _top_level(kind):
        if name in merged.fields:
            answers[name] = _leaf(merged.fields[name], kinds[name], merged.conventions, options)
        elif name in merged.groups:
            rows = [
                FieldAnswer(
                    type="object",
                    fields={
                        leaf: _leaf(located, kinds[f"{name}.{leaf}"], merged.conventions, options)
                        for leaf, located in row.items()
                    },
                )
                for row in merged.groups[name]
            ]
            answers[name] = FieldAnswer(type="array", items=rows)
        elif name == MRZ and merged.zone is not None:
            answers[name] = _zone_answer(merged.zone, options)
    return answers


def _leaf(located: LocatedValue, kind: FieldKind, conventions: Conventions, options: AnswerOptions) -> FieldAnswer:
    value = located.value
    answer: dict[str, Any] = {
        "type": kind.name,
        "value": kind.to_json(value.value, conventions),
        "content": value.content,
        **_sureness(value.confidence, options),
        "image": located.page.image,
        **_place(value.polygons, located.page, options),
    }
    if located.sources:
        answer["sources"] = {name: _leaf(one, kind, conventions, options) for name, one in located.sources.items()}
    return FieldAnswer(**answer)


def _zone_answer(located: LocatedZone, options: AnswerOptions) -> FieldAnswer:
    zone = located.zone
    return FieldAnswer(
        type=MRZ,
        value={"format": zone.format, "lines": list(zone.lines), "valid": zone.valid},
        content="\n".join(zone.lines),
        **_sureness(zone.confidence, options),
        image=located.page.image,
        **_place(zone.polygons, located.page, options),
    )


def _sureness(confidence: float, options: AnswerOptions) -> dict[str, Any]:
    found = {"confidence": _rounded(confidence), "level": confidence_level(confidence)}
    return found | {"needs_review": True} if confidence < options.min_confidence else found


def _place(polygons: Sequence[Polygon], page: ExtractedPage, options: AnswerOptions) -> dict[str, Any]:
    if "polygons" not in options.include or not polygons:
        return {}
    return {"polygon": _relative(_around(polygons), page)}


def confidence_level(confidence: float) -> ConfidenceLevel:
    """A confidence in words, for those who colour fields."""
    return next((name for least, name in _LEVELS if confidence >= least), "low")


def _checks(kind: DocumentType, merged: MergedDocument) -> list[CheckAnswer]:
    checks = [*kind.check(build_record(kind, merged)), *zone_checks(merged)]
    return [CheckAnswer(name=c.name, passed=c.passed, fields=list(c.fields)) for c in checks]


def _around(polygons: Sequence[Polygon]) -> Polygon:
    """One polygon for a value on several lines: the box around them, upright on the page that was read."""
    if len(polygons) == 1:
        return polygons[0]
    points = np.concatenate([np.asarray(polygon) for polygon in polygons])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _relative(polygon: Polygon, page: ExtractedPage) -> PointList:
    return [(_rounded(x), _rounded(y)) for x, y in project(np.asarray(polygon, np.float32), page.to_photo).tolist()]


def _lines(page: ExtractedPage) -> list[LineAnswer]:
    return [
        LineAnswer(
            image=page.image,
            text=line.text,
            confidence=_rounded(line.confidence),
            polygon=_relative(line.polygon, page),
        )
        for line in page.found.lines
    ]


def _crop(page: ExtractedPage) -> CropAnswer:
    bgr = cv2.cvtColor(page.page, cv2.COLOR_RGB2BGR)
    _, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _CROP_JPEG_QUALITY])
    return CropAnswer(image=page.image, media_type="image/jpeg", content=base64.b64encode(encoded.tobytes()).decode())


def _rounded(number: float) -> float:
    return round(float(number), _DECIMALS)

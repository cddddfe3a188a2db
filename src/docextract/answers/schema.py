"""The JSON bodies of the API, and the conversion of predictions into documents.

The OpenAPI document is generated from the models below. Only members that were set are written, so that an absent field
is left out and never null or empty.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from docextract.answers.einvoices import merge_einvoice
from docextract.answers.merging import (
    ExtractedPage,
    LocatedValue,
    LocatedZone,
    MergedDocument,
    build_record,
    merge_pages,
    zone_checks,
)
from docextract.answers.review import lowest_accepted, review_reasons
from docextract.answers.sources import ValueSource
from docextract.documents import document_types, invoice
from docextract.documents.base import MRZ, DocumentType
from docextract.documents.einvoice import EInvoice
from docextract.documents.values import Conventions, FieldKind
from docextract.images.geometry import Polygon, project
from docextract.images.uploads import ImageSource
from docextract.predictions import TextSource, common_type

ConfidenceLevel = Literal["certain", "high", "medium", "low"]
Rounded = Annotated[float, AfterValidator(lambda value: round(value, _DECIMALS))]
PointList = list[tuple[Rounded, Rounded]]

_LEVELS: tuple[tuple[float, ConfidenceLevel], ...] = ((0.98, "certain"), (0.9, "high"), (0.7, "medium"))
_CROP_JPEG_QUALITY = 90
_MEASURED = (
    "On documents that the model has not seen, as described in the model card of this version; null: not measured"
)
_SOURCE = (
    "`photo`: taken by a camera; `scan`: by a flatbed or a scanning application; `digital`: a page or a screenshot "
    "that a program has drawn"
)
_DECIMALS = 4  # of confidences and relative coordinates: a tenth of a pixel on a phone photo


class Answer(BaseModel):
    """The base of all parts of an answer."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


# --- /validation ---------------------------------------------------------------------------------------------


class DocumentSeen(Answer):
    """The document in a photo. Coordinates are relative to the upright image, 0..1; null where none was detected."""

    detected: bool
    confidence: Rounded
    type: str | None
    side: str | None
    polygon: PointList | None = Field(description="Clockwise from the document's own top-left corner")
    area_ratio: Rounded | None
    center_offset: tuple[Rounded, Rounded] | None
    tilt_degrees: Rounded | None
    rotation_degrees: int | None


class GroupReport(Answer):
    """One of the groups visible, readable and centered; null where none of its criteria was assessed."""

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
    """A criterion that was not assessed, and why."""

    name: str
    reason: Literal["no_document", "not_a_photo", "resolution", "untrained", "off"] = Field(
        description="`no_document`: no document was detected; `not_a_photo`: the image is a scan or was drawn by a "
        "program, which cannot have this defect; `resolution`: the defect is visible only at full "
        "resolution, and this is a small frame of a live preview; `untrained`: the quality model was not trained for "
        "this document type; `off`: the criterion was switched off"
    )


class GuidanceReport(Answer):
    """What the person who takes the photo should do."""

    code: str
    image: int
    message: str


class ImageReport(Answer):
    """The validation of one image."""

    index: int
    upload: int = Field(0, description="Index of the uploaded file, from 0; a PDF has several images")
    page: int = Field(1, description="Number of the page in its file, from 1")
    source: ImageSource = Field("photo", description=_SOURCE)
    accepted: bool
    score: Rounded = Field(description="Probability that the image is good enough to extract from")
    threshold: Rounded = Field(description="The minimum score at this strictness")
    width: int
    height: int
    document: DocumentSeen
    groups: dict[str, GroupReport]
    criteria: list[CriterionReport]
    not_assessed: list[NotAssessed]


class UploadAnswer(Answer):
    """One file of the request, and which of its pages were read."""

    index: int
    media_type: str = Field(description="Detected from the bytes", examples=["application/pdf"])
    pages: int = Field(description="All pages of the file; 0 for an e-invoice that was sent as XML")
    pages_read: list[int] = Field(description="Numbers of the pages that this answer is about, from 1")


class ModelName(Answer):
    """A model and its version."""

    name: str
    version: str


class Verdict(Answer):
    """Whether the images are good enough for extraction, and what to do if they are not."""

    accepted: bool
    score: Rounded
    strictness: Literal["normal", "relaxed", "strict"]
    images: list[ImageReport]
    guidance: list[GuidanceReport] = Field(description="Sorted by expected gain, largest first")
    model: ModelName


class AnswerHead(Answer):
    """What both answers begin with: the identifiers of the request, and its files."""

    request_id: str
    external_id: str | None
    uploads: list[UploadAnswer]


class ValidationAnswer(Verdict, AnswerHead):
    """The answer of POST /validation."""


# --- /extraction ---------------------------------------------------------------------------------------------


class FieldAnswer(Answer):
    """One field. A list has `items`, a row has `fields`, and any other field has `value` and `content`."""

    type: str
    value: Any = Field(None, description="Typed and normalised: ISO 8601 dates, money as {amount, currency}")
    content: str | None = Field(None, description="The printed text")
    source: ValueSource | None = Field(
        None,
        description="`printed`: read on the page; `mrz`: from the machine-readable zone; `embedded_xml`: from the "
        "e-invoice in the file",
    )
    confidence: float | None = Field(None, description="Calibrated probability that the value is correct")
    level: ConfidenceLevel | None = None
    needs_review: bool | None = Field(
        None, description="True if the confidence is below `accepted_from` of the document"
    )
    image: int | None = None
    polygon: PointList | None = Field(None, description="With include=polygons")
    sources: dict[ValueSource, "FieldAnswer"] | None = Field(
        None,
        description="Both values of a field that is printed and also in the machine-readable zone or the e-invoice; "
        "`value` is recommended",
    )
    items: list["FieldAnswer"] | None = None
    fields: dict[str, "FieldAnswer"] | None = None


class CheckAnswer(Answer):
    """A rule that ties fields together, and whether this document meets it."""

    name: str
    passed: bool
    fields: list[str]


class ImageAnswer(Answer):
    """One image that was read: a picture, or a page of a file with several."""

    index: int
    upload: int = Field(description="Index of the uploaded file, from 0")
    page: int = Field(description="Number of the page in its file, from 1")
    width: int = Field(description="Of the upright picture, px")
    height: int
    source: ImageSource = Field(description=_SOURCE)
    text_source: TextSource = Field(
        description="`embedded`: the text layer of the file, compared with what is visible; `recognised`: OCR"
    )


class LineAnswer(Answer):
    """A recognised line of text."""

    image: int
    text: str
    confidence: float
    polygon: PointList


class CropAnswer(Answer):
    """With include=crops: the document cut out of the image, flat and upright."""

    image: int
    media_type: str
    content: str = Field(description="base64")


class DocumentAnswer(Answer):
    """One document, of one or more images."""

    type: str = Field(
        description="A name of /v1/document-types, or `other` for a page of none of these types, which has no fields"
    )
    type_confidence: float = Field(
        description="Probability of the type; if document_type was given, that the document is of that type"
    )
    schema_version: str | None = Field(description="Null for `other`")
    images: list[int]
    confidence: float = Field(
        description="Mean confidence of the fields: the expected fraction of correct fields; 0 without fields"
    )
    needs_review: bool = Field(description="Whether there are `review_reasons`")
    review_reasons: list[str] = Field(
        description="`missing:total`: a required field is missing; `uncertain:merchant_name`: a value of the field has "
        "a confidence below `accepted_from`; `check_failed:…`; `unknown_type`"
    )
    accepted_from: float = Field(
        description="The confidence from which on values are accepted: min_confidence, or the one from which on the "
        "measured share of wrong values is at most the target of the service; above 1 where none is"
    )
    fields: dict[str, FieldAnswer]
    missing_fields: list[str]
    checks: list[CheckAnswer]
    crops: list[CropAnswer] | None = None
    lines: list[LineAnswer] | None = Field(None, description="With include=lines: all lines of text")


class ExtractionAnswer(AnswerHead):
    """The answer of POST /extraction."""

    images: list[ImageAnswer]
    documents: list[DocumentAnswer]
    verdict: Verdict | None = Field(None, description="Of the images; absent with validation=off")
    models: dict[str, ModelName]
    timings_ms: dict[str, float]


# --- the rest ------------------------------------------------------------------------------------------------


class FieldDescribed(Answer):
    """A field of a document type, with the source and the measured accuracy of its values."""

    type: str = Field(examples=["date"])
    required: bool
    source: Literal["trained", "machine_readable_zone", "none"] = Field(
        description="The source of the values: `trained`: the served model was trained to find the printed field; "
        "`machine_readable_zone`: parsed from the zone only; `none`: no value will be returned"
    )
    accuracy: dict[str, Any] | None = Field(None, description=_MEASURED)


class DocumentTypeAnswer(Answer):
    """A document type: its name, its fields, and the measured accuracy of extraction."""

    name: str
    schema_version: str
    status: Literal["trained", "schema_only"]
    required: list[str]
    accuracy: dict[str, Any] | None = Field(None, description=_MEASURED)
    fields: dict[str, FieldDescribed] = Field(description='By name; a field of a row is "line_items.quantity"')
    json_schema: dict[str, Any] = Field(description="JSON Schema of the values, by the names of `fields`")


class DocumentTypesAnswer(Answer):
    """All document types."""

    document_types: list[DocumentTypeAnswer]


class ModelAnswer(Answer):
    """A served model."""

    name: str
    version: str
    architecture: str
    digest: str
    promoted: str
    document_types: list[str]
    scores: dict[str, Any]


class ModelsAnswer(Answer):
    """All served models."""

    models: list[ModelAnswer]


class LimitsAnswer(Answer):
    """The limits in force."""

    max_image_bytes: int
    max_images: int
    max_request_bytes: int
    min_side_px: int
    max_side_px: int
    max_pixels: int
    max_pages: int
    timeout_s: float
    kinds: list[str]


class ProblemFault(Answer):
    """One mistake in a request."""

    pointer: str = Field(examples=["/images/1"])
    detail: str


class Problem(Answer):
    """An error response as defined by RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
    errors: list[ProblemFault] | None = None


# --- predictions to documents --------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerOptions:
    """The options of a request that affect its documents."""

    include: frozenset[str] = frozenset()
    min_confidence: float | None = None  # if None, the confidence at which the target error is met
    target_error: float = 0.01


def build_document(
    pages: Sequence[ExtractedPage],
    options: AnswerOptions,
    einvoice: EInvoice | None = None,
    einvoice_damaged: bool = False,
) -> DocumentAnswer:
    """Build the answer for one document from its pages, its e-invoice, or both.

    einvoice_damaged: the file contains an e-invoice that cannot be parsed.
    """
    name = invoice.DOCUMENT_TYPE.name if einvoice else common_type([page.prediction for page in pages])
    kind = document_types().get(name)
    merged = merge_pages(pages, kind) if kind else None
    if kind and merged and einvoice:
        merged = merge_einvoice(merged, einvoice, pages, kind)
    accepted_from = options.min_confidence
    if accepted_from is None:
        accepted_from = lowest_accepted([page.prediction for page in pages], options.target_error)
    options = replace(options, min_confidence=accepted_from)
    fields = _field_answers(kind, merged, options) if kind and merged else {}
    checks = _checks(kind, merged) if kind and merged else []
    checks += _page_checks(pages, einvoice_damaged)
    confidences = list(merged.confidences()) if merged else []
    failed = [check.name for check in checks if not check.passed]
    reasons = review_reasons(kind, _lowest_confidences(fields), accepted_from, failed)
    type_confidences = [page.prediction.type_confidence for page in pages if page.prediction.type == name]
    answer: dict[str, Any] = {
        "type": name,
        "type_confidence": 1.0 if einvoice else _rounded(max(type_confidences)),
        "schema_version": kind.schema_version if kind else None,
        "images": [page.image for page in pages],
        "confidence": _rounded(float(np.mean(confidences)) if confidences else 0.0),
        "needs_review": bool(reasons),
        "review_reasons": reasons,
        "accepted_from": accepted_from,
        "fields": fields,
        "missing_fields": [name for name in _top_level(kind) if name not in fields] if kind else [],
        "checks": checks,
    }
    if "crops" in options.include:
        answer["crops"] = [_crop(page) for page in pages]
    if "lines" in options.include:
        answer["lines"] = [line for page in pages for line in _lines(page)]
    return DocumentAnswer(**answer)


def _lowest_confidences(fields: Mapping[str, FieldAnswer]) -> dict[str, float]:
    """Return the lowest confidence of each field, or of all values in the rows of a list."""
    lowest: dict[str, float] = {}
    for name, answer in fields.items():
        values = [one for row in answer.items or () for one in (row.fields or {}).values()] or [answer]
        lowest[name] = min((one.confidence for one in values if one.confidence is not None), default=1.0)
    return lowest


def _page_checks(pages: Sequence[ExtractedPage], einvoice_damaged: bool) -> list[CheckAnswer]:
    """Return the checks of the file itself, which documents of every type have."""
    layers = [matches for page in pages if (matches := page.prediction.text_layer_matches) is not None]
    checks = [CheckAnswer(name="text_layer_matches_page", passed=all(layers), fields=[])] if layers else []
    if einvoice_damaged:
        checks.append(CheckAnswer(name="embedded_invoice_is_valid", passed=False, fields=[]))
    return checks


def _top_level(kind: DocumentType) -> list[str]:
    """Return the names of fields and lists in the order of the record, and at last the machine-readable zone."""
    names = dict.fromkeys(field.group or field.name for field in kind.fields())
    return [*names, *([MRZ] if MRZ in kind.record.non_fields else [])]


def _field_answers(kind: DocumentType, merged: MergedDocument, options: AnswerOptions) -> dict[str, FieldAnswer]:
    kinds = {field.name: field.kind for field in kind.fields()}
    answers: dict[str, FieldAnswer] = {}
    for name in _top_level(kind):
        if name in merged.fields:
            answers[name] = _field_answer(merged.fields[name], kinds[name], merged.conventions, options)
        elif name in merged.groups:
            rows = [
                FieldAnswer(
                    type="object",
                    fields={
                        leaf: _field_answer(located, kinds[f"{name}.{leaf}"], merged.conventions, options)
                        for leaf, located in row.items()
                    },
                )
                for row in merged.groups[name]
            ]
            answers[name] = FieldAnswer(type="array", items=rows)
        elif name == MRZ and merged.zone is not None:
            answers[name] = _zone_answer(merged.zone, options)
    return answers


def _field_answer(
    located: LocatedValue, kind: FieldKind, conventions: Conventions, options: AnswerOptions
) -> FieldAnswer:
    value = located.value
    answer: dict[str, Any] = {
        "type": kind.name,
        "value": kind.to_json(value.value, conventions),
        "content": value.content,
        "source": located.source,
        **_confidence_members(value.confidence, options),
        **_place_members(value.polygons, located.page, options),
    }
    if located.sources:
        answer["sources"] = {
            name: _field_answer(one, kind, conventions, options) for name, one in located.sources.items()
        }
    return FieldAnswer(**answer)


def _zone_answer(located: LocatedZone, options: AnswerOptions) -> FieldAnswer:
    zone = located.zone
    return FieldAnswer(
        type=MRZ,
        value={"format": zone.format, "lines": list(zone.lines), "valid": zone.valid},
        content="\n".join(zone.lines),
        source="mrz",
        **_confidence_members(zone.confidence, options),
        **_place_members(zone.polygons, located.page, options),
    )


def _confidence_members(confidence: float, options: AnswerOptions) -> dict[str, Any]:
    members = {"confidence": _rounded(confidence), "level": confidence_level(confidence)}
    return members | {"needs_review": True} if confidence < (options.min_confidence or 0.0) else members


def _place_members(polygons: Sequence[Polygon], page: ExtractedPage | None, options: AnswerOptions) -> dict[str, Any]:
    """Return where a value stands. page: None for a value of an e-invoice that is not printed."""
    if page is None:
        return {}
    if "polygons" not in options.include or not polygons:
        return {"image": page.image}
    return {"image": page.image, "polygon": _relative(_enclosing_polygon(polygons), page)}


def confidence_level(confidence: float) -> ConfidenceLevel:
    """Return the level of a confidence, for display."""
    return next((name for minimum, name in _LEVELS if confidence >= minimum), "low")


def _checks(kind: DocumentType, merged: MergedDocument) -> list[CheckAnswer]:
    checks = [*kind.check(build_record(kind, merged)), *zone_checks(merged), *merged.checks]
    return [CheckAnswer(name=one.name, passed=one.passed, fields=list(one.fields)) for one in checks]


def _enclosing_polygon(polygons: Sequence[Polygon]) -> Polygon:
    """Return one polygon for a value on several lines: their bounding box on the rectified page."""
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
        for line in page.prediction.lines
    ]


def _crop(page: ExtractedPage) -> CropAnswer:
    bgr = cv2.cvtColor(page.page, cv2.COLOR_RGB2BGR)
    _, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _CROP_JPEG_QUALITY])
    return CropAnswer(image=page.image, media_type="image/jpeg", content=base64.b64encode(encoded.tobytes()).decode())


def _rounded(number: float) -> float:
    return round(float(number), _DECIMALS)

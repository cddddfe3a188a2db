"""The JSON bodies of the API.

The OpenAPI document is generated from the models below. Only members that were set are written, so that an absent field
is left out and never null or empty.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from docextract.sources import ImageSource, Place, TextSource, ValueSource

ConfidenceLevel = Literal["certain", "high", "medium", "low"]
Rounded = Annotated[float, AfterValidator(lambda value: round(value, DECIMALS))]
PointList = list[tuple[Rounded, Rounded]]

_LEVELS: tuple[tuple[float, ConfidenceLevel], ...] = ((0.98, "certain"), (0.9, "high"), (0.7, "medium"))
_MEASURED = (
    "On documents that the model has not seen, as described in the model card of this version; null: not measured"
)
_SOURCE = (
    "`photo`: taken by a camera; `scan`: by a flatbed or a scanning application; `digital`: a page or a screenshot "
    "that a program has drawn"
)
DECIMALS = 4  # of confidences and relative coordinates: a tenth of a pixel on a phone photo


class Answer(BaseModel):
    """The base of all parts of an answer."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


def confidence_level(confidence: float) -> ConfidenceLevel:
    """Return the level of a confidence, for display."""
    return next((name for minimum, name in _LEVELS if confidence >= minimum), "low")


# --- /validation ---------------------------------------------------------------------------------------------


class DocumentSeen(Answer):
    """The document in a photo. Coordinates are relative to the upright image, whose corners are (0, 0) and (1, 1).

    Null where none was detected.
    """

    detected: bool
    confidence: Rounded
    type: str | None
    side: str | None
    polygon: PointList | None = Field(
        description="Clockwise from the document's own top-left corner. Of a document that the photo cuts, corners lie "
        "outside the image, below 0 or above 1"
    )
    area_ratio: Rounded | None = Field(
        description="Share of the image that the visible part of the document takes, 0..1"
    )
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
    place: Place | None = Field(
        None,
        description="Where the document, as it lies in the picture, is least legible, if a part of it clearly is; "
        "`message` says it, too",
    )


class LegibilityReport(Answer):
    """How likely print in each place of the image would be read right: a grid of squares, 24 along the longer side."""

    rows: int
    columns: int
    cells: list[list[Rounded]] = Field(
        description="Row by row from the top left of the upright image: the probability, 0..1, that a letter printed "
        "in this cell would be read right; means little outside the document"
    )


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
    legibility: LegibilityReport | None = Field(
        None,
        description="With include=legibility; null for scans and drawn pages, and without a map in the quality model",
    )


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


class CurrencyAnswer(Answer):
    """The currency of all amounts of a document."""

    code: str = Field(description="ISO 4217")
    confidence: float = Field(description="Calibrated probability that it is right")


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
    uploads: list[int] = Field([], description="Indices of its files: those of its images, then that of its e-invoice")
    images: list[int]
    currency: CurrencyAnswer | None = Field(None, description="Left out where no amount or no currency was found")
    confidence: float = Field(
        description="Mean confidence of the fields: the expected fraction of correct fields; 0 without fields"
    )
    needs_review: bool = Field(description="Whether there are `review_reasons`")
    review_reasons: list[str] = Field(
        description="`missing:total`: a required field is missing; `uncertain:merchant_name`: a value of the field is "
        "not accepted, see `accepted_from`; `check_failed:…`; `unknown_type`"
    )
    accepted_from: float = Field(
        description="The confidence from which on values are accepted: min_confidence, or the one from which on the "
        "measured share of wrong values is at most the target of the service; above 1 where none is, and where a page "
        "shows several documents. Values of an e-invoice that no print contradicts are accepted in any case, if "
        "min_confidence is absent or lower than their confidence"
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
    page: int | None = Field(
        None, description="Number of the page in its file, from 1, if one of several pages is at fault"
    )


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

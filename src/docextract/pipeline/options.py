"""The content of a request, independent of its format: uploads, and the options of both operations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator

from docextract.images.uploads import PageSelection
from docextract.predictions import AUTO
from docextract.quality.criteria import (
    CRITERION_NAMES,
    DOCUMENT_ABSENT,
    SEVERITIES,
    Severity,
    Strictness,
    parse_severities,
)

Operation = Literal["validation", "extraction"]
Side = Literal["front", "back"]
VerdictPart = Literal["legibility"]
IncludePart = Literal["polygons", "crops", "lines", "verdict", "legibility"]
# Which pages make one document: those of one file, each on its own, all of the request, or as a file is best split.
PageGrouping = Literal["file", "page", "request", "auto"]

# In a form, a JSON object or a list: reporting 300,000 unknown options one by one took 5 s.
MAX_FIELDS = 64
_ADJUSTABLE_CRITERIA = [name for name in CRITERION_NAMES if name != DOCUMENT_ABSENT]
_SEVERITY = f" *({DOCUMENT_ABSENT} *: *error|({'|'.join(_ADJUSTABLE_CRITERIA)}) *: *({'|'.join(SEVERITIES)}))? *"
_SEVERITIES = {"type": "string", "pattern": f"^{_SEVERITY}(,{_SEVERITY})*$"}
_SEVERITY_SCHEMA: dict[str, Any] = {
    "anyOf": [
        _SEVERITIES,
        {"type": "array", "items": _SEVERITIES},
        {
            "type": "object",
            "properties": {
                DOCUMENT_ABSENT: {"enum": ["error"]},
                **{name: {"enum": list(SEVERITIES)} for name in _ADJUSTABLE_CRITERIA},
            },
            "additionalProperties": False,
        },
    ]
}
_PAGES_SCHEMA: dict[str, Any] = {
    "type": "string",
    "pattern": r"^ *[0-9]{1,6}( *- *[0-9]{1,6})?( *, *[0-9]{1,6}( *- *[0-9]{1,6})?)* *$",
}


def _include_schema(names: Sequence[str]) -> dict[str, Any]:
    part = f" *({'|'.join(names)})? *"
    parts = {"type": "string", "pattern": f"^{part}(,{part})*$"}
    return {"anyOf": [{"type": "array", "items": {"anyOf": [{"enum": list(names)}, parts]}}, parts]}


def _parse_pages(value: Any) -> PageSelection:
    if not isinstance(value, str):
        raise ValueError("must be one text of page numbers and ranges such as 1-3,5")
    return PageSelection.parse(value)


@dataclass(frozen=True)
class Upload:
    """One file of a request, as it was sent."""

    data: bytes
    side: Side | None = None


class ValidationOptions(BaseModel):
    """The options of /validation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_type: str = Field(AUTO, description="`auto`, or the name of a document type", examples=["receipt"])
    strictness: Strictness | None = Field(
        None,
        description="How good a photo must be; the default is `normal`, unless the service is configured otherwise",
    )
    severity: Annotated[
        dict[str, Severity], BeforeValidator(parse_severities), WithJsonSchema(_SEVERITY_SCHEMA, mode="validation")
    ] = Field(
        default_factory=dict,
        description="Overrides what failing a criterion means: `error` refuses the image, `warning` only reports it, "
        "`off` skips the criterion. Written as glare:error,rotated:off; in JSON also as an object",
        examples=["glare:error,rotated:off"],
    )
    pages: Annotated[
        PageSelection | None, BeforeValidator(_parse_pages), WithJsonSchema(_PAGES_SCHEMA, mode="validation")
    ] = Field(
        None,
        description="The pages to read of each file, from 1; all if absent",
        examples=["1-3,5"],
    )
    include: Annotated[
        frozenset[VerdictPart], WithJsonSchema(_include_schema(get_args(VerdictPart)), mode="validation")
    ] = Field(frozenset(), description="Additional parts of the answer")
    external_id: str | None = Field(None, max_length=200, description="Returned unchanged in the answer")

    @field_validator("include", mode="before")
    @classmethod
    def _split_include(cls, value: Any) -> Any:
        """Treat include=polygons,lines like include=polygons&include=lines."""
        if isinstance(value, str):
            value = [value]
        if isinstance(value, Sequence) and all(isinstance(part, str) for part in value):
            value = frozenset(name.strip(" ") for part in value for name in part.split(",") if name.strip(" "))
        if isinstance(value, frozenset | list) and len(value) > MAX_FIELDS:
            raise ValueError("has too many parts")
        return value


class ExtractionOptions(ValidationOptions):
    """The options of /extraction."""

    validation: Literal["warn", "off", "enforce"] = Field(
        "warn",
        description="`enforce` refuses photos by their score and by how surely their required fields are read; `off` "
        "omits the verdict",
    )
    group: PageGrouping = Field(
        "file",
        description="What one document is. `file`: all pages of a file; `page`: each page or photo; `request`: all "
        "files are pages or sides of one document; `auto`: a file is split where a new document begins",
    )
    include: Annotated[
        frozenset[IncludePart], WithJsonSchema(_include_schema(get_args(IncludePart)), mode="validation")
    ] = Field(  # type: ignore[assignment]  # a validation has fewer parts, and options are never assigned
        frozenset(), description="Additional parts of the answer; several are separated by commas"
    )
    min_confidence: float | None = Field(
        None,
        ge=0,
        le=1,
        strict=True,
        description="Fields with a lower confidence are marked for review. If absent, it is the confidence from which "
        "on the measured share of wrong values is at most the target of the service, usually 1 %. Of a page that shows "
        "several documents, all fields are marked",
    )


RequestOptions = ValidationOptions | ExtractionOptions
NUMERIC_OPTIONS = frozenset(
    name for name, field in ExtractionOptions.model_fields.items() if field.annotation == float | None
)
OPTIONS_BY_OPERATION: Mapping[Operation, type[RequestOptions]] = {
    "validation": ValidationOptions,
    "extraction": ExtractionOptions,
}

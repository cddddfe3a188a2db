"""What a caller sends, in whichever form it came: files, and the options of both operations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator

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
Part = Literal["polygons", "quality", "crop", "raw"]

AUTO = "auto"
MAX_FIELDS = 64  # of a form, a JSON object or a list: 300,000 unknown options took 5 s to complain about, one by one
_ADJUSTABLE = [name for name in CRITERION_NAMES if name != DOCUMENT_ABSENT]
_SEVERITY = f" *({DOCUMENT_ABSENT} *: *error|({'|'.join(_ADJUSTABLE)}) *: *({'|'.join(SEVERITIES)}))? *"
_SEVERITIES = {"type": "string", "pattern": f"^{_SEVERITY}(,{_SEVERITY})*$"}
_SEVERITY_SCHEMA: dict[str, Any] = {
    "anyOf": [
        _SEVERITIES,
        {"type": "array", "items": _SEVERITIES},
        {
            "type": "object",
            "properties": {DOCUMENT_ABSENT: {"enum": ["error"]}, **{name: {"enum": list(SEVERITIES)} for name in _ADJUSTABLE}},
            "additionalProperties": False,
        },
    ]
}
_PART = f" *({'|'.join(get_args(Part))})? *"
_PARTS = {"type": "string", "pattern": f"^{_PART}(,{_PART})*$"}
_INCLUDE_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "array", "items": {"anyOf": [{"enum": list(get_args(Part))}, _PARTS]}}, _PARTS]
}


@dataclass(frozen=True)
class Upload:
    """One file as it was sent."""

    data: bytes
    side: Side | None = None


class ValidationOptions(BaseModel):
    """What can be asked of /validation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_type: str = Field(AUTO, description="`auto`, or the name of a document type", examples=["receipt"])
    strictness: Strictness | None = Field(
        None,
        description="How good a photo has to be; where it is not said, normal, unless the service is set otherwise",
    )
    severity: Annotated[
        dict[str, Severity], BeforeValidator(parse_severities), WithJsonSchema(_SEVERITY_SCHEMA, mode="validation")
    ] = Field(
        default_factory=dict,
        description="What failing a criterion means, where it is not the usual: `error` refuses the image, `warning` "
        "only tells, `off` does not ask. glare:error,rotated:off, or in JSON an object as well",
        examples=["glare:error,rotated:off"],
    )
    external_id: str | None = Field(None, max_length=200, description="Echoed back")


class ExtractionOptions(ValidationOptions):
    """What can be asked of /extraction."""

    validation: Literal["warn", "off", "enforce"] = Field(
        "warn", description="`enforce` refuses images that are not accepted; `off` leaves the verdict out"
    )
    group: Literal["separate", "single"] = Field(
        "separate", description="`separate`: each image is a document; `single`: all are pages or sides of one"
    )
    include: Annotated[frozenset[Part], WithJsonSchema(_INCLUDE_SCHEMA, mode="validation")] = Field(
        frozenset(), description="More to answer with; several are separated by commas"
    )
    min_confidence: float = Field(0.0, ge=0, le=1, strict=True, description="Fields under it are marked for review")

    @field_validator("include", mode="before")
    @classmethod
    def _split(cls, given: Any) -> Any:
        """include=polygons,raw is the same as include=polygons&include=raw."""
        if isinstance(given, str):
            given = [given]
        if isinstance(given, Sequence) and all(isinstance(part, str) for part in given):
            given = frozenset(name.strip(" ") for part in given for name in part.split(",") if name.strip(" "))
        if isinstance(given, frozenset | list) and len(given) > MAX_FIELDS:
            raise ValueError("has too many parts")
        return given


Options = ValidationOptions | ExtractionOptions
NUMBERS = frozenset(name for name, field in ExtractionOptions.model_fields.items() if field.annotation is float)
OPTIONS_OF: Mapping[Operation, type[Options]] = {"validation": ValidationOptions, "extraction": ExtractionOptions}

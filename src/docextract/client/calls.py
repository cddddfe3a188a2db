"""Requests and answers of the API without the transport, shared by both clients."""

import base64
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypedDict, TypeVar, cast

import httpx
from pydantic import BaseModel, ValidationError

from docextract.answers import schema
from docextract.client.errors import parse_problem, unexpected_answer

Operation = Literal["validation", "extraction"]
Side = Literal["front", "back"]
IncludePart = Literal["polygons", "crops", "lines", "verdict", "legibility"]
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True)
class Image:
    """The bytes of a picture or PDF, and the side of the document that it shows, if known."""

    content: bytes
    side: Side | None = None


Source = str | os.PathLike[str] | bytes | Image  # a path, a file's bytes, or an Image


class ValidationOptions(TypedDict, total=False):
    """Options of /validation. The service's default applies to an option that is not given."""

    document_type: str
    strictness: Literal["normal", "relaxed", "strict"]
    severity: Mapping[str, Literal["error", "warning", "off"]] | str  # by criterion, or "glare:error,rotated:off"
    pages: str | int  # to read of each file, from 1: "1-3,5"
    include: Iterable[IncludePart] | str  # or "polygons,lines"; of a validation only `legibility`
    external_id: str | int
    language: str  # language of the guidance, in the form of Accept-Language: "de", "pt-BR, en;q=0.5"


class ExtractionOptions(ValidationOptions, total=False):
    """Options of /extraction."""

    validation: Literal["warn", "off", "enforce"]
    group: Literal["file", "page", "request", "auto"]  # what one document is
    min_confidence: float | str


Options = TypeVar("Options", ValidationOptions, ExtractionOptions)


@dataclass(frozen=True)
class Call(Generic[Answer]):
    """One request, and the model that parses its answer."""

    method: str
    path: str
    answer: type[Answer]
    content: Mapping[str, Any]  # keyword arguments of httpx's request()

    def parse(self, response: httpx.Response) -> Answer:
        """Parse a response. Raises ProblemError if it is not a successful docextract answer."""
        if not response.is_success:
            raise parse_problem(response)
        try:
            return self.answer.model_validate_json(response.content)
        except ValidationError as error:
            raise unexpected_answer(response) from error


def validation(sources: Sequence[Source], options: ValidationOptions) -> Call[schema.ValidationAnswer]:
    """POST /v1/validation."""
    return Call("POST", "/v1/validation", schema.ValidationAnswer, _content(sources, options))


def extraction(sources: Sequence[Source], options: ExtractionOptions) -> Call[schema.ExtractionAnswer]:
    """POST /v1/extraction."""
    return Call("POST", "/v1/extraction", schema.ExtractionAnswer, _content(sources, options))


DOCUMENT_TYPES = Call("GET", "/v1/document-types", schema.DocumentTypesAnswer, {})
MODELS = Call("GET", "/v1/models", schema.ModelsAnswer, {})
LIMITS = Call("GET", "/v1/limits", schema.LimitsAnswer, {})


def as_sent(options: Options) -> Options:
    """Return the options that are set, each in one form: as the text of a form's field, min_confidence as a number.

    Normalised options stay as they are, and may be used for several requests: an iterator as `include` is used up here.
    """
    return cast(Options, {name: _normalised(name, value) for name, value in options.items() if value is not None})


def _normalised(name: str, value: Any) -> str | float:
    if name == "min_confidence":
        with suppress(ValueError):  # the service says what is wrong
            if math.isfinite(number := float(value)):
                return number
    if isinstance(value, str):
        return value
    if name == "severity":
        return ",".join(f"{criterion}:{severity}" for criterion, severity in value.items())
    return ",".join(value) if name == "include" else str(value)


def _content(sources: Sequence[Source], options: ValidationOptions | ExtractionOptions) -> dict[str, Any]:
    options_set: dict[str, Any] = dict(as_sent(options))
    language = options_set.pop("language", None)
    content: dict[str, Any] = {"headers": {"accept-language": language}} if language else {}
    images = [_image(source) for source in sources]
    if any(image.side for image in images):  # only the JSON form has a member for the side
        described = [{"content": base64.b64encode(image.content).decode(), "side": image.side} for image in images]
        return content | {"json": {"images": described, **options_set}}
    # No file name is sent: it may contain personal data, and the service detects the format from the bytes.
    files = [("images", ("image", image.content, "application/octet-stream")) for image in images]
    return content | {"files": files, "data": {name: str(value) for name, value in options_set.items()}}


def _image(source: Source) -> Image:
    if isinstance(source, Image):
        return source
    return Image(source if isinstance(source, bytes) else Path(source).read_bytes())

"""What goes over the wire and what comes back, without the wire: both clients send and read the same."""

import base64
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypedDict, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from docextract.answers import schema
from docextract.client.errors import problem_of, unexpected

Operation = Literal["validation", "extraction"]
Side = Literal["front", "back"]
Part = Literal["polygons", "quality", "crop", "raw"]
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True)
class Image:
    """A picture or PDF, and which side of a document it shows, where you know."""

    content: bytes
    side: Side | None = None


Source = str | os.PathLike[str] | bytes | Image  # a path, a file's bytes, or an Image


class ValidationOptions(TypedDict, total=False):
    """What can be asked of /validation. An option that is not given has the service's default."""

    document_type: str
    strictness: Literal["normal", "relaxed", "strict"]
    severity: Mapping[str, Literal["error", "warning", "off"]]  # of a criterion, where it is not to be the usual one
    external_id: str
    language: str  # of the guidance, as Accept-Language has it: "de", "pt-BR, en;q=0.5"


class ExtractionOptions(ValidationOptions, total=False):
    """What can be asked of /extraction."""

    validation: Literal["warn", "off", "enforce"]
    group: Literal["separate", "single"]
    include: Iterable[Part]
    min_confidence: float


@dataclass(frozen=True)
class Call(Generic[Answer]):
    """One request, and the model of its answer."""

    method: str
    path: str
    answer: type[Answer]
    content: Mapping[str, Any]  # arguments of httpx's request()

    def read(self, response: httpx.Response) -> Answer:
        """The answer. Raises ProblemError for everything else."""
        if not response.is_success:
            raise problem_of(response)
        try:
            return self.answer.model_validate_json(response.content)
        except ValidationError as error:
            raise unexpected(response) from error


def validation(sources: Sequence[Source], options: ValidationOptions) -> Call[schema.ValidationAnswer]:
    """POST /v1/validation."""
    return Call("POST", "/v1/validation", schema.ValidationAnswer, _content(sources, options))


def extraction(sources: Sequence[Source], options: ExtractionOptions) -> Call[schema.ExtractionAnswer]:
    """POST /v1/extraction."""
    return Call("POST", "/v1/extraction", schema.ExtractionAnswer, _content(sources, options))


DOCUMENT_TYPES = Call("GET", "/v1/document-types", schema.DocumentTypesAnswer, {})
MODELS = Call("GET", "/v1/models", schema.ModelsAnswer, {})
LIMITS = Call("GET", "/v1/limits", schema.LimitsAnswer, {})


def _content(sources: Sequence[Source], options: ValidationOptions | ExtractionOptions) -> dict[str, Any]:
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    language = given.pop("language", None)
    if "include" in given:
        given["include"] = ",".join(given["include"])
    if "severity" in given:
        given["severity"] = ",".join(f"{name}:{severity}" for name, severity in given["severity"].items())
    content: dict[str, Any] = {"headers": {"accept-language": language}} if language else {}
    images = [_image(source) for source in sources]
    if any(image.side for image in images):  # which only the JSON form can tell
        described = [{"content": base64.b64encode(image.content).decode(), "side": image.side} for image in images]
        return content | {"json": {"images": described, **given}}
    # No file name is sent: it may say more than the picture, and the service tells the kind from the bytes.
    files = [("images", ("image", image.content, "application/octet-stream")) for image in images]
    return content | {"files": files, "data": {name: str(value) for name, value in given.items()}}


def _image(source: Source) -> Image:
    if isinstance(source, Image):
        return source
    return Image(source if isinstance(source, bytes) else Path(source).read_bytes())

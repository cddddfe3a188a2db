"""Parsing of requests in three formats to one `Submission`, or a problem that points to the fault.

The formats are multipart/form-data, application/json with base64, and the bytes of one file with the options in the
query. Nothing is written to disk: uploads stay in memory, within the limits, until the request is answered.
"""

import base64
import binascii
import json
import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from docextract.http.connections import BodyReceiver
from docextract.pipeline.options import (
    MAX_FIELDS,
    NUMERIC_OPTIONS,
    OPTIONS_BY_OPERATION,
    ExtractionOptions,
    Operation,
    RequestOptions,
    Side,
    Upload,
)
from docextract.pipeline.problems import ProblemError, RequestFault
from docextract.predictions import AUTO

JSON = "application/json"
MULTIPART = "multipart/form-data"
FILE_TYPES = (
    "image/jpeg", "image/jpg", "image/png", "image/webp", "image/tiff", "image/bmp", "image/x-ms-bmp",
    "image/heic", "image/heif", "application/pdf", "application/xml", "text/xml", "application/octet-stream",
)  # fmt: skip
_MAX_JSON_VALUES = 10_000  # parsing eight million empty lists in 24 MB took 2.5 s and 600 MB
# Starlette decodes form fields with any Python codec that the form names, and blocks all other requests meanwhile:
# 200 kB of punycode took 26 s.
_CHARSETS = ("utf-8", "utf8", "us-ascii", "iso-8859-1")
_WHITESPACE = string.whitespace.encode()
_IMAGES = "images"


@dataclass(frozen=True)
class Submission:
    """The content of a request, with at least one upload."""

    uploads: tuple[Upload, ...]
    options: RequestOptions


class JsonImage(BaseModel):
    """One image in a JSON request."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(
        description="The file's bytes in base64", json_schema_extra={"contentEncoding": "base64", "format": "byte"}
    )
    side: Side | None = None


async def parse_request(
    request: Request, operation: Operation, receiver: BodyReceiver, max_images: int, types: Collection[str]
) -> Submission:
    """Receive and parse a request. Raises ProblemError; reads no more than the limit.

    types: values that `document_type` may have in addition to `auto`.
    """
    # Before the query is parsed; each pair except the first follows a "&".
    if request.scope["query_string"].count(b"&") >= MAX_FIELDS:
        raise ProblemError("malformed_request", f"The query has more than {MAX_FIELDS} options.")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body_options: dict[str, Any] = {}
    if media_type == MULTIPART:
        uploads, body_options = await _from_multipart(request, receiver, max_images)
    elif media_type == JSON:
        uploads, body_options = _from_json(await _read_body(request, receiver), max_images)
    elif media_type in FILE_TYPES:
        uploads = _from_raw(await _read_body(request, receiver))
    else:
        raise ProblemError(
            "unsupported_media_type",
            f"The Content-Type {media_type or '(none)'} is not supported. Send {MULTIPART} with `{_IMAGES}`, {JSON}, "
            f"or the file itself as one of {', '.join(FILE_TYPES)}.",
        )
    # The query is meant for the raw format. In the others it is validated, too, and the body takes precedence.
    query_options = _from_pairs(request.query_params.multi_items())
    options = _validate_options(query_options, operation, types)
    if body_options:
        options = _validate_options(query_options | body_options, operation, types)
    if not uploads:
        raise ProblemError(
            "invalid_parameter",
            "The request has no image.",
            [RequestFault(f"/{_IMAGES}", "must have at least one image")],
        )
    return Submission(uploads, options)


async def _read_body(request: Request, receiver: BodyReceiver) -> bytes:
    return b"".join([chunk async for chunk in receiver.chunks(request)])


def _from_raw(data: bytes) -> tuple[Upload, ...]:
    return (Upload(data),) if data else ()


def _too_many_images(max_images: int) -> ProblemError:
    return ProblemError(
        "too_many_images",
        f"A request may have at most {max_images} images.",
        [RequestFault(f"/{_IMAGES}/{max_images}", "exceeds the maximum number of images")],
    )


def _from_json(body: bytes, max_images: int) -> tuple[tuple[Upload, ...], dict[str, Any]]:
    # Each value except the first follows one of these characters; base64 contains none of them.
    if sum(body.count(separator) for separator in (b",", b"[", b"{")) > _MAX_JSON_VALUES:
        raise ProblemError("malformed_request", f"The body has more than {_MAX_JSON_VALUES:,} values.")
    try:
        document = json.loads(body, object_pairs_hook=_parse_object)
    except (ValueError, RecursionError):
        raise ProblemError("malformed_request", "The body is not valid JSON.") from None
    if not isinstance(document, dict):
        raise ProblemError("malformed_request", "The body is not a JSON object.")
    images = document.pop(_IMAGES, [])
    if not isinstance(images, list):
        raise ProblemError(
            "invalid_parameter", "`images` is not a list.", [RequestFault(f"/{_IMAGES}", "must be a list")]
        )
    if len(images) > max_images:  # before any is decoded: a body within its limit can list a million
        raise _too_many_images(max_images)
    return tuple(_from_json_image(index, image) for index, image in enumerate(images)), document


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_FIELDS:
        raise ProblemError("malformed_request", f"An object in the body has more than {MAX_FIELDS} members.")
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ProblemError("malformed_request", "An object in the body has two members of the same name.")
    return members


def _from_json_image(index: int, value: Any) -> Upload:
    try:
        image = JsonImage.model_validate(value)
    except ValidationError as error:
        raise ProblemError("invalid_parameter", "An image has invalid members.",
                           _faults(error, f"/{_IMAGES}/{index}")) from None  # fmt: skip
    content = image.content
    if content.startswith("data:"):
        content = content.partition(",")[2]
    try:
        # Not with split and join: 24 MB with a space after every second letter took 600 MB.
        return Upload(base64.b64decode(content.encode("ascii").translate(None, _WHITESPACE), validate=True), image.side)
    except (binascii.Error, ValueError):
        fault = RequestFault(f"/{_IMAGES}/{index}/content", "is not base64")
        raise ProblemError("invalid_parameter", "The content of an image is not base64.", [fault]) from None


class _InMemoryFormParser(MultiPartParser):
    """Starlette's parser without temporary files: the limit of the body also limits the memory.

    It also reports whether the form was complete, because Starlette silently omits an incomplete part. And it treats a
    part as a file by its type, too, because the file name may be missing (RFC 7578).
    """

    spool_max_size = 0  # 0 means "never write to disk" for a SpooledTemporaryFile
    complete = False

    def on_headers_finished(self) -> None:
        """Called when the headers of a part have been parsed."""
        part = self._current_part
        kind = next((value for name, value in part.item_headers if name == b"content-type"), b"text/plain")
        is_text = kind.lower().startswith(b"text/") and not kind.lower().startswith(b"text/xml")
        if not is_text and b"filename" not in (part.content_disposition or b"").lower():
            part.content_disposition = (part.content_disposition or b"") + b'; filename=""'
        super().on_headers_finished()

    def on_end(self) -> None:
        """Called when the closing boundary has been parsed."""
        self.complete = True


async def _from_multipart(
    request: Request, receiver: BodyReceiver, max_images: int
) -> tuple[tuple[Upload, ...], dict[str, Any]]:
    _, parameters = parse_options_header(request.headers["content-type"])
    if parameters.get(b"charset", b"utf-8").lower().decode("latin-1") not in _CHARSETS:
        raise ProblemError("malformed_request", f"The charset of the form must be one of {', '.join(_CHARSETS)}.")
    parser = _InMemoryFormParser(request.headers, receiver.chunks(request), max_files=max_images, max_fields=MAX_FIELDS)
    try:
        form = await parser.parse()
    except MultiPartException as error:
        if "Too many files" in error.message:
            raise _too_many_images(max_images) from None
        raise ProblemError("malformed_request", f"The form cannot be parsed: {error.message}") from None
    if not parser.complete:
        raise ProblemError("malformed_request", "The form is incomplete: its closing boundary is missing.")
    uploads: list[Upload] = []
    pairs: list[tuple[str, str]] = []
    faults: list[RequestFault] = []
    for name, value in form.multi_items():
        if isinstance(value, UploadFile) and name == _IMAGES:
            uploads.append(Upload(await value.read()))
        elif isinstance(value, UploadFile):
            faults.append(RequestFault(f"/{name}", f"is not a file field; send images as `{_IMAGES}`"))
        elif name == _IMAGES:
            faults.append(RequestFault(f"/{_IMAGES}", "is text, not a file; with curl, use images=@photo.jpg"))
        else:
            pairs.append((name, value))
    await form.close()
    if faults:
        raise ProblemError("invalid_parameter", "The form has unknown fields.", faults)
    return tuple(uploads), _from_pairs(pairs)


def _from_pairs(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Convert names and texts to options: repeated names to a list, numeric options to numbers."""
    found: dict[str, list[float | str]] = {}
    for name, text in pairs:
        found.setdefault(name, []).append(_parse_number(text) if name in NUMERIC_OPTIONS else text)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _parse_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # reported by the validation, together with all other faults


def _validate_options(values: Mapping[str, Any], operation: Operation, types: Collection[str]) -> RequestOptions:
    model = OPTIONS_BY_OPERATION[operation]
    try:
        options = model.model_validate(values)
    except ValidationError as error:
        faults = _faults(error, "")
        extraction_only = ExtractionOptions.model_fields.keys() - model.model_fields.keys()
        faults = [
            RequestFault(fault.pointer, "is an option of /extraction only")
            if fault.pointer[1:] in extraction_only
            else fault
            for fault in faults
        ]
        raise ProblemError("invalid_parameter", "An option is invalid.", faults) from None
    accepted = [AUTO, *types]
    if options.document_type not in accepted:
        fault = RequestFault("/document_type", f"must be one of {', '.join(accepted)}")
        raise ProblemError("invalid_parameter", "The document type is not available.", [fault])
    return options


def _faults(error: ValidationError, prefix: str) -> list[RequestFault]:
    """Convert pydantic's errors; the value that was sent is not repeated."""
    return [
        RequestFault("/".join([prefix, *(_escape(str(step)) for step in error_item["loc"])]),
              "is not a known option" if error_item["type"] == "extra_forbidden" else error_item["msg"])
        for error_item in error.errors(include_input=False, include_context=False, include_url=False)
    ]  # fmt: skip


def _escape(step: str) -> str:
    """Escape one step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")

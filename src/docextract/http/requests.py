"""Three forms of request → one `Submission`, or a problem that says where the fault lies.

multipart/form-data, application/json with base64, or the bytes of one file with the options in the query.
Nothing is written to a disk: what is sent lives in memory, within the limits, until it is answered.
"""

import base64
import binascii
import json
import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from docextract.http.connections import Intake
from docextract.pipeline.options import (
    AUTO,
    MAX_FIELDS,
    NUMBERS,
    OPTIONS_OF,
    ExtractionOptions,
    Operation,
    Options,
    Side,
    Upload,
)
from docextract.pipeline.problems import Fault, ProblemError

JSON = "application/json"
MULTIPART = "multipart/form-data"
FILE_TYPES = (
    "image/jpeg", "image/jpg", "image/png", "image/webp", "image/tiff", "image/bmp", "image/x-ms-bmp",
    "image/heic", "image/heif", "application/pdf", "application/octet-stream",
)  # fmt: skip
_MAX_JSON_VALUES = 10_000  # eight million empty lists in 24 MB took 2.5 s and 600 MB to read
# Starlette decodes fields by any codec of Python that a form names, and all else waits: 26 s for 200 kB of punycode.
_CHARSETS = ("utf-8", "utf8", "us-ascii", "iso-8859-1")
_SPACE = string.whitespace.encode()
_IMAGES = "images"


@dataclass(frozen=True)
class Submission:
    """A request, whichever form it came in. At least one upload."""

    uploads: tuple[Upload, ...]
    options: Options


class JsonImage(BaseModel):
    """One image in a JSON request."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(
        description="The file's bytes in base64", json_schema_extra={"contentEncoding": "base64", "format": "byte"}
    )
    side: Side | None = None


async def parse(
    request: Request, operation: Operation, intake: Intake, max_images: int, types: Collection[str]
) -> Submission:
    """The submission in this request. Raises ProblemError with the contract's codes; reads no more than the limit.

    types: names that `document_type` may have besides `auto`.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    given: dict[str, Any] = {}
    if media_type == MULTIPART:
        uploads, given = await _from_multipart(request, intake, max_images)
    elif media_type == JSON:
        uploads, given = _from_json(await _body(request, intake), max_images)
    elif media_type in FILE_TYPES:
        uploads = _one_file(await _body(request, intake))
    else:
        raise ProblemError(
            "unsupported_media_type",
            f"Content-Type {media_type or '(none)'} is not understood. Send {MULTIPART} with `{_IMAGES}`, {JSON}, or "
            f"the file itself as one of {', '.join(FILE_TYPES)}.",
        )
    # The query is for the raw form. In the others it is held to the same rules, and the body has the last word.
    query = _from_pairs(request.query_params.multi_items())
    options = _options(query, operation, types)
    if given:
        options = _options(query | given, operation, types)
    if not uploads:
        raise ProblemError("invalid_parameter", "There is no image.", [Fault(f"/{_IMAGES}", "at least one is needed")])
    return Submission(uploads, options)


async def _body(request: Request, intake: Intake) -> bytes:
    return b"".join([chunk async for chunk in intake.chunks(request)])


def _one_file(data: bytes) -> tuple[Upload, ...]:
    return (Upload(data),) if data else ()


def _too_many(max_images: int) -> ProblemError:
    return ProblemError(
        "too_many_images",
        f"At most {max_images} images are taken.",
        [Fault(f"/{_IMAGES}/{max_images}", "one too many")],
    )


def _from_json(body: bytes, max_images: int) -> tuple[tuple[Upload, ...], dict[str, Any]]:
    # Each value but the first comes after one of these; base64 has none of them.
    if sum(body.count(separator) for separator in (b",", b"[", b"{")) > _MAX_JSON_VALUES:
        raise ProblemError("malformed_request", f"The body has more than {_MAX_JSON_VALUES:,} values.")
    try:
        document = json.loads(body, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise ProblemError("malformed_request", "The body is not valid JSON.") from None
    if not isinstance(document, dict):
        raise ProblemError("malformed_request", "The body is not a JSON object.")
    images = document.pop(_IMAGES, [])
    if not isinstance(images, list):
        raise ProblemError("invalid_parameter", "`images` is not a list.", [Fault(f"/{_IMAGES}", "a list is needed")])
    if len(images) > max_images:  # before any is opened: a body within its limit can name a million
        raise _too_many(max_images)
    return tuple(_from_json_image(index, image) for index, image in enumerate(images)), document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_FIELDS:
        raise ProblemError("malformed_request", f"An object in the body has more than {MAX_FIELDS} members.")
    return dict(pairs)


def _from_json_image(index: int, given: Any) -> Upload:
    try:
        image = JsonImage.model_validate(given)
    except ValidationError as error:
        raise ProblemError("invalid_parameter", "An image is not described as it should be.",
                           _faults(error, f"/{_IMAGES}/{index}")) from None  # fmt: skip
    content = image.content
    if content.startswith("data:"):
        content = content.partition(",")[2]
    try:
        # Not by split and join: a space after every second letter made 600 MB of 24.
        return Upload(base64.b64decode(content.encode("ascii").translate(None, _SPACE), validate=True), image.side)
    except (binascii.Error, ValueError):
        fault = Fault(f"/{_IMAGES}/{index}/content", "not base64")
        raise ProblemError("invalid_parameter", "An image is not in base64.", [fault]) from None


class _InMemory(MultiPartParser):
    """Starlette's parser, keeping files off the disk: the body's own limit bounds them.

    It also tells whether the form was whole: Starlette leaves out the part that breaks off, without a word. And a part
    is a file not by its name alone, which may be absent (RFC 7578), but also by its type.
    """

    spool_max_size = 0  # 0 is "never" for a SpooledTemporaryFile
    whole = False

    def on_headers_finished(self) -> None:
        """A part begins."""
        part = self._current_part
        kind = next((value for name, value in part.item_headers if name == b"content-type"), b"text/plain")
        if not kind.lower().startswith(b"text/") and b"filename" not in (part.content_disposition or b"").lower():
            part.content_disposition = (part.content_disposition or b"") + b'; filename=""'
        super().on_headers_finished()

    def on_end(self) -> None:
        """The closing boundary was read."""
        self.whole = True


async def _from_multipart(
    request: Request, intake: Intake, max_images: int
) -> tuple[tuple[Upload, ...], dict[str, Any]]:
    _, parameters = parse_options_header(request.headers["content-type"])
    if parameters.get(b"charset", b"utf-8").lower().decode("latin-1") not in _CHARSETS:
        raise ProblemError("malformed_request", f"The form's charset may be one of {', '.join(_CHARSETS)}.")
    parser = _InMemory(request.headers, intake.chunks(request), max_files=max_images, max_fields=MAX_FIELDS)
    try:
        form = await parser.parse()
    except MultiPartException as error:
        if "Too many files" in error.message:
            raise _too_many(max_images) from None
        raise ProblemError("malformed_request", f"The form cannot be parsed: {error.message}") from None
    if not parser.whole:
        raise ProblemError("malformed_request", "The form breaks off: its closing boundary is missing.")
    uploads: list[Upload] = []
    pairs: list[tuple[str, str]] = []
    faults: list[Fault] = []
    for name, value in form.multi_items():
        if isinstance(value, UploadFile) and name == _IMAGES:
            uploads.append(Upload(await value.read()))
        elif isinstance(value, UploadFile):
            faults.append(Fault(f"/{name}", f"is no file field; send pictures as `{_IMAGES}`"))
        elif name == _IMAGES:
            faults.append(Fault(f"/{_IMAGES}", "is text, not a file; with curl write images=@photo.jpg"))
        else:
            pairs.append((name, value))
    await form.close()
    if faults:
        raise ProblemError("invalid_parameter", "The form has fields that are not understood.", faults)
    return tuple(uploads), _from_pairs(pairs)


def _from_pairs(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Repeated names are a list; all else is one text, or a number where one is needed."""
    found: dict[str, Any] = {}
    for name, text in pairs:
        value = _number(text) if name in NUMBERS else text
        if name in found:
            found[name] = [*found[name], value] if isinstance(found[name], list) else [found[name], value]
        else:
            found[name] = value
    return found


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # what is wrong with it is said with everything else that is


def _options(given: Mapping[str, Any], operation: Operation, types: Collection[str]) -> Options:
    model = OPTIONS_OF[operation]
    try:
        options = model.model_validate(given)
    except ValidationError as error:
        faults = _faults(error, "")
        elsewhere = ExtractionOptions.model_fields.keys() - model.model_fields.keys()
        faults = [
            Fault(fault.pointer, "is an option of /extraction only") if fault.pointer[1:] in elsewhere else fault
            for fault in faults
        ]
        raise ProblemError("invalid_parameter", "An option is not understood.", faults) from None
    known = [AUTO, *types]
    if options.document_type not in known:
        fault = Fault("/document_type", f"must be one of {', '.join(known)}")
        raise ProblemError("invalid_parameter", "That document type cannot be asked for.", [fault])
    return options


def _faults(error: ValidationError, prefix: str) -> list[Fault]:
    """pydantic's findings as JSON pointers; the value that was sent is not repeated."""
    return [
        Fault("/".join([prefix, *(_escaped(str(step)) for step in found["loc"])]),
              "is not a known option" if found["type"] == "extra_forbidden" else found["msg"])
        for found in error.errors(include_input=False, include_context=False, include_url=False)
    ]  # fmt: skip


def _escaped(step: str) -> str:
    """A step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")

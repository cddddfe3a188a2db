"""Error responses: application/problem+json (RFC 9457), with one shape and a stable code for every error."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MEDIA_TYPE = "application/problem+json"

# Code: HTTP status and title. The title is the same for every occurrence; `detail` describes the occurrence.
CODES: Mapping[str, tuple[int, str]] = {
    "malformed_request": (400, "The request cannot be parsed"),
    "unauthorized": (401, "The API key is missing or unknown"),
    "forbidden": (403, "Remote access is disabled"),
    "not_found": (404, "The resource does not exist"),
    "method_not_allowed": (405, "The resource does not support this method"),
    "not_acceptable": (406, "The Accept header excludes application/json"),
    "request_timeout": (408, "The request body arrived too slowly"),
    "payload_too_large": (413, "The request body is too large"),
    "unsupported_media_type": (415, "The Content-Type is not supported"),
    "invalid_parameter": (422, "A parameter is invalid"),
    "image_undecodable": (422, "An image cannot be decoded"),
    "image_too_small": (422, "An image is too small"),
    "image_too_large": (422, "An image is too large"),
    "too_many_images": (422, "The request has too many images"),
    "too_many_pages": (422, "The request has too many pages"),
    "image_quality_insufficient": (422, "The image quality is too low for extraction"),
    "rate_limited": (429, "The rate limit is exceeded"),
    "internal_error": (500, "Internal server error"),
    "overloaded": (503, "The server is at capacity"),
    "model_not_ready": (503, "A model is not ready"),
    "timeout": (504, "The request took too long"),
}
RETRY_AFTER_S: Mapping[str, int] = {"rate_limited": 1, "overloaded": 1, "model_not_ready": 5}

# For error responses of BentoML and Starlette. BentoML answers 429 when its queue is full: that is missing capacity of
# the server, not too many requests of one caller.
CODE_BY_STATUS: Mapping[int, str] = {
    **{status: code for code, (status, _) in reversed(list(CODES.items()))},  # the first code of each status
    429: "overloaded",
    503: "model_not_ready",
}


@dataclass(frozen=True)
class RequestFault:
    """One fault of a request, and its position as a JSON pointer such as /images/1.

    page: its number in the file, from 1, where one of several pages is at fault.
    """

    pointer: str
    detail: str
    page: int | None = None


@dataclass(eq=False)  # not frozen: Python writes the traceback into it
class ProblemError(Exception):
    """Raised anywhere below a route; becomes the error response."""

    code: str  # a key of CODES
    detail: str
    faults: Sequence[RequestFault] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)  # members of the body in addition to the standard ones
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return CODES[self.code][0]


def problem_from_status(status: int) -> ProblemError:
    """Return the problem that replaces an error response of another library."""
    code = CODE_BY_STATUS.get(status, "internal_error" if status >= 500 else "malformed_request")
    return ProblemError(code, CODES[code][1] + ".")


def problem_body(problem: ProblemError, path: str, request_id: str) -> bytes:
    """Return the response body as JSON in UTF-8."""
    status, title = CODES[problem.code]
    document: dict[str, Any] = {
        "type": f"/docs#{problem.code}",
        "title": title,
        "status": status,
        "detail": problem.detail,
        "instance": path,
        "code": problem.code,
        "request_id": request_id,
    }
    if problem.faults:
        document["errors"] = [_fault_members(fault) for fault in problem.faults]
    return json.dumps(document | dict(problem.extra), ensure_ascii=False).encode()


def _fault_members(fault: RequestFault) -> dict[str, str | int]:
    members: dict[str, str | int] = {"pointer": fault.pointer, "detail": fault.detail}
    return members if fault.page is None else members | {"page": fault.page}


def problem_headers(problem: ProblemError) -> dict[str, str]:
    """Return the Content-Type, Retry-After where waiting helps, and the headers of the problem itself."""
    headers = {"content-type": MEDIA_TYPE, **problem.headers}
    if problem.code in RETRY_AFTER_S:
        headers.setdefault("retry-after", str(RETRY_AFTER_S[problem.code]))
    return headers

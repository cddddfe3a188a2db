"""Everything that is no 2xx: application/problem+json (RFC 9457), one shape for all of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MEDIA_TYPE = "application/problem+json"

# code → status, title. The title is the same each time; `detail` speaks of the case at hand.
CODES: Mapping[str, tuple[int, str]] = {
    "malformed_request": (400, "The request cannot be parsed"),
    "unauthorized": (401, "A key is needed that is known here"),
    "forbidden": (403, "You may not ask from where you are"),
    "not_found": (404, "There is nothing at this address"),
    "method_not_allowed": (405, "This address does not take that method"),
    "not_acceptable": (406, "No form of answer is acceptable to you"),
    "request_timeout": (408, "The request came too slowly"),
    "payload_too_large": (413, "The request is too large"),
    "unsupported_media_type": (415, "This form of request is not understood"),
    "invalid_parameter": (422, "An option has no such value"),
    "image_undecodable": (422, "An image cannot be decoded"),
    "image_too_small": (422, "An image is too small"),
    "image_too_large": (422, "An image is too large"),
    "too_many_images": (422, "Too many images"),
    "image_quality_insufficient": (422, "An image is not good enough to extract from"),
    "rate_limited": (429, "Too many requests from you"),
    "internal_error": (500, "Something went wrong on our side"),
    "overloaded": (503, "All places are taken"),
    "model_not_ready": (503, "A model is not ready"),
    "timeout": (504, "The answer took too long"),
}
RETRY_AFTER_S: Mapping[str, int] = {"rate_limited": 1, "overloaded": 1, "model_not_ready": 5}

# For answers that were not written by us: BentoML's, Starlette's. BentoML says 429 when its queue is full,
# which is our lack of room, not the caller's haste.
CODE_OF_STATUS: Mapping[int, str] = {
    400: "malformed_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "request_timeout",
    413: "payload_too_large",
    415: "unsupported_media_type",
    422: "invalid_parameter",
    429: "overloaded",
    503: "model_not_ready",
    504: "timeout",
}


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and where in the request: a JSON pointer such as /images/1."""

    pointer: str
    detail: str


@dataclass(eq=False)  # not frozen: Python writes the traceback into it
class ProblemError(Exception):
    """Raised anywhere below a route; becomes the response."""

    code: str  # of CODES
    detail: str
    faults: Sequence[Fault] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)  # members beside the standard ones
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """As in CODES."""
        return CODES[self.code][0]


def from_status(status: int) -> ProblemError:
    """The problem that stands for an answer written elsewhere."""
    code = CODE_OF_STATUS.get(status, "internal_error" if status >= 500 else "malformed_request")
    return ProblemError(code, CODES[code][1] + ".")


def body(problem: ProblemError, path: str, request_id: str) -> bytes:
    """The response body."""
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
        document["errors"] = [{"pointer": fault.pointer, "detail": fault.detail} for fault in problem.faults]
    return json.dumps(document | dict(problem.extra), ensure_ascii=False).encode()


def headers(problem: ProblemError) -> dict[str, str]:
    """Content type, Retry-After where waiting helps, and the problem's own."""
    found = {"content-type": MEDIA_TYPE, **problem.headers}
    if problem.code in RETRY_AFTER_S:
        found.setdefault("retry-after", str(RETRY_AFTER_S[problem.code]))
    return found

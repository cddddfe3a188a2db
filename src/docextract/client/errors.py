"""What a caller of the client may have to catch: one base class, and two reasons for having no answer."""

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic import ValidationError

from docextract.answers.schema import ProblemFault, Verdict

UNEXPECTED = "unexpected_answer"  # the code of an answer that no docextract service gives


class ClientError(Exception):
    """There is no answer."""


@dataclass(eq=False)  # not frozen: Python writes the traceback into it
class ProblemError(ClientError):
    """The service said no: application/problem+json, see docs/api.md for its codes.

    `code` is "unexpected_answer" where something else answered, a proxy perhaps; its own words are not repeated.
    """

    status: int
    code: str
    detail: str
    errors: tuple[ProblemFault, ...] = ()  # what is wrong where, as JSON pointers into the request
    request_id: str | None = None
    retry_after_s: float | None = None
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)  # all members, as they came

    def __str__(self) -> str:
        return self.detail

    @property
    def validation(self) -> Verdict | None:
        """The verdict that `image_quality_insufficient` carries."""
        return Verdict.model_validate(self.body["validation"]) if "validation" in self.body else None


class UnreachableError(ClientError):
    """No answer came: no such host, nobody listening, a connection that broke, or too long a wait."""

    def __init__(self, url: str, cause: httpx.RequestError) -> None:
        """url: of the service, as it was given."""
        super().__init__(f"{url} does not answer: {cause or type(cause).__name__}")
        self.passing = isinstance(cause, httpx.NetworkError | httpx.RemoteProtocolError | httpx.ConnectTimeout)


def problem_of(response: httpx.Response) -> ProblemError:
    """The problem in a response that is no success. The body has been read."""
    request_id, retry_after_s = response.headers.get("x-request-id"), _retry_after_s(response)
    try:
        body = response.json()
        faults = tuple(ProblemFault.model_validate(fault) for fault in body.get("errors", ()))
        return ProblemError(
            response.status_code, body["code"], body["detail"], faults, body["request_id"], retry_after_s, body
        )
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError):
        return unexpected(response, request_id, retry_after_s)


def unexpected(
    response: httpx.Response, request_id: str | None = None, retry_after_s: float | None = None
) -> ProblemError:
    """For an answer that a docextract service does not give."""
    kind = response.headers.get("content-type", "no content type")
    detail = f"{response.url} answered {response.status_code} with {kind}; is that a docextract service?"
    return ProblemError(response.status_code, UNEXPECTED, detail, (), request_id, retry_after_s)


def _retry_after_s(response: httpx.Response) -> float | None:
    """Seconds from now; RFC 9110 allows a number or a date."""
    given = response.headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, TypeError):
        return None

"""Errors of the client: one base class, one error for problems from the service, one for no answer."""

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic import ValidationError

from docextract.answers.schema import ProblemFault, Verdict

UNEXPECTED_ANSWER = "unexpected_answer"  # code of answers that do not come from a docextract service


class ClientError(Exception):
    """Base class: the call has no answer."""


@dataclass(eq=False)  # not frozen, because Python sets the traceback
class ProblemError(ClientError):
    """The service answered with an error: application/problem+json; docs/api.md lists the codes.

    `code` is "unexpected_answer" if the answer did not come from docextract but from a proxy, for example; its text is
    not repeated.
    """

    status: int
    code: str
    detail: str
    errors: tuple[ProblemFault, ...] = ()  # faults in the request, with JSON pointers to their places
    request_id: str | None = None
    retry_after_s: float | None = None
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)  # all members of the problem

    def __str__(self) -> str:
        return self.detail

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of `image_quality_insufficient`; None for other problems."""
        return Verdict.model_validate(self.body["verdict"]) if "verdict" in self.body else None


class UnreachableError(ClientError):
    """No answer arrived: unknown host, connection refused or broken, or timeout.

    connected: whether the service could be reached, so that the fault may lie in this request alone.
    """

    def __init__(self, url: str, cause: httpx.RequestError) -> None:
        """url: the service's address, as given to the client."""
        super().__init__(f"{url} does not answer: {cause or type(cause).__name__}")
        self.retryable = isinstance(cause, httpx.NetworkError | httpx.RemoteProtocolError | httpx.ConnectTimeout)
        self.connected = not isinstance(
            cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError | httpx.UnsupportedProtocol
        )


def parse_problem(response: httpx.Response) -> ProblemError:
    """Parse the problem in an unsuccessful response. Its body must have been read."""
    request_id, retry_after_s = response.headers.get("x-request-id"), _retry_after_s(response)
    try:
        body = response.json()
        faults = tuple(ProblemFault.model_validate(fault) for fault in body.get("errors", ()))
        return ProblemError(
            response.status_code, body["code"], body["detail"], faults, body["request_id"], retry_after_s, body
        )
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError):
        return unexpected_answer(response, request_id, retry_after_s)


def unexpected_answer(
    response: httpx.Response, request_id: str | None = None, retry_after_s: float | None = None
) -> ProblemError:
    """Return the error for an answer that a docextract service does not give."""
    kind = response.headers.get("content-type", "no content type")
    detail = f"{response.url} answered {response.status_code} with {kind}; is that a docextract service?"
    return ProblemError(response.status_code, UNEXPECTED_ANSWER, detail, (), request_id, retry_after_s)


def _retry_after_s(response: httpx.Response) -> float | None:
    """Parse Retry-After into seconds from now; RFC 9110 allows a number or a date."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None

"""Retry policy of the clients: which errors are retried, how often, and for how long.

Repeating a request is harmless, because requests leave no state in the service. Retried are 429 and 503, after the
time in `Retry-After`, and connections that broke or could not be made. Timeouts are not retried: the service may still
work on the request, and would get the work twice.
"""

from dataclasses import dataclass
from typing import Any

import tenacity

from docextract.client.errors import ProblemError, UnreachableError

_RETRYABLE_STATUSES = (429, 503)
_EXPONENTIAL_WAIT = tenacity.wait_random_exponential(multiplier=0.5, max=10)  # used if the answer has no Retry-After


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of the retries. A client never sleeps beyond `max_total_s`, whatever `Retry-After` says."""

    max_attempts: int = 5
    max_total_s: float = 60.0

    def tenacity_options(self) -> dict[str, Any]:
        """Return the keyword arguments for tenacity's Retrying and AsyncRetrying."""
        return {
            "stop": tenacity.stop_after_attempt(self.max_attempts) | tenacity.stop_before_delay(self.max_total_s),
            "wait": _wait_s,
            "retry": tenacity.retry_if_exception(_is_retryable),
            "reraise": True,
        }


def _is_retryable(error: BaseException) -> bool:
    if isinstance(error, ProblemError):
        return error.status in _RETRYABLE_STATUSES
    return isinstance(error, UnreachableError) and error.retryable


def _wait_s(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ProblemError) and error.retry_after_s is not None:
        return error.retry_after_s
    return _EXPONENTIAL_WAIT(state)

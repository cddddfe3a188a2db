"""Retry policy of the clients: which errors are retried, how often, and for how long.

Repeating a request is harmless, because requests leave no state in the service. Retried are 429 and 503, after the
time in `Retry-After`, and connections that broke or could not be made. Timeouts are not retried: the service may still
work on the request, and would get the work twice.
"""

from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

import tenacity

from docextract.client.errors import ProblemError, UnreachableError

_RETRYABLE_STATUSES = (429, 503)
_EXPONENTIAL_WAIT = tenacity.wait_random_exponential(multiplier=0.5, max=10)


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of the retries of one call.

    max_attempts: for requests whose connection broke, which may be what breaks the service; others are not counted.
    max_total_s:  for all errors. A client never sleeps beyond it, whatever `Retry-After` says. In calls for many files
                  the waits for the rate limit do not count: the service answers each of them in the end. 0 switches
                  all retries off.
    """

    max_attempts: int = 5
    max_total_s: float = 60.0

    def tenacity_options(self, one_of_many: bool = False, closing: Event | None = None) -> dict[str, Any]:
        """Return the keyword arguments for tenacity's Retrying and AsyncRetrying, for one call.

        closing: when it is set, a thread that waits raises CancelledError, and so does one that would begin to.
        """
        return {
            "stop": _Stop(self, one_of_many),
            "wait": _wait_s,
            "retry": tenacity.retry_if_exception(_is_retryable),
            "reraise": True,
        } | ({"sleep": partial(_sleep, closing)} if closing else {})


def _sleep(closing: Event, seconds: float) -> None:
    if closing.wait(seconds):
        raise CancelledError


class _Stop:
    """Decides after each attempt of one call whether it was the last."""

    def __init__(self, policy: RetryPolicy, one_of_many: bool) -> None:
        self._policy = policy
        self._rate_limit_counts = not one_of_many or policy.max_total_s <= 0
        self._broken_connections = 0
        self._uncounted_s = 0.0

    def __call__(self, state: tenacity.RetryCallState) -> bool:
        error = _error_of(state)
        if not self._rate_limit_counts and isinstance(error, ProblemError) and error.code == "rate_limited":
            self._uncounted_s += state.upcoming_sleep
            return False
        self._broken_connections += isinstance(error, UnreachableError) and error.connected
        elapsed_s = (state.seconds_since_start or 0.0) - self._uncounted_s
        return (
            self._broken_connections >= self._policy.max_attempts
            or elapsed_s + state.upcoming_sleep >= self._policy.max_total_s
        )


def _is_retryable(error: BaseException) -> bool:
    if isinstance(error, ProblemError):
        return error.status in _RETRYABLE_STATUSES
    return isinstance(error, UnreachableError) and error.retryable


def _wait_s(state: tenacity.RetryCallState) -> float:
    """Wait for Retry-After, and a random time more: clients that were refused together do not return together."""
    error = _error_of(state)
    retry_after_s = error.retry_after_s if isinstance(error, ProblemError) else None
    return (retry_after_s or 0.0) + _EXPONENTIAL_WAIT(state)


def _error_of(state: tenacity.RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None

"""When to ask again, and when to give up.

Asking twice is harmless, nothing is kept of a request. What passes is asked again: 429 and 503, after the time that
`Retry-After` names, and connections that broke or were not made. An answer that took too long is not: the
service may still be at it, and would have twice the work.
"""

from dataclasses import dataclass
from typing import Any

import tenacity

from docextract.client.errors import ProblemError, UnreachableError

_PASSING = (429, 503)
_GROWING = tenacity.wait_random_exponential(multiplier=0.5, max=10)  # where no Retry-After tells better


@dataclass(frozen=True)
class Patience:
    """How often and for how long. Never sleeps past `within_s`, whatever `Retry-After` says."""

    tries: int = 5
    within_s: float = 60.0

    def terms(self) -> dict[str, Any]:
        """For tenacity's Retrying and AsyncRetrying."""
        return {
            "stop": tenacity.stop_after_attempt(self.tries) | tenacity.stop_before_delay(self.within_s),
            "wait": _pause_s,
            "retry": tenacity.retry_if_exception(_passes),
            "reraise": True,
        }


def _passes(error: BaseException) -> bool:
    if isinstance(error, ProblemError):
        return error.status in _PASSING
    return isinstance(error, UnreachableError) and error.passing


def _pause_s(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ProblemError) and error.retry_after_s is not None:
        return error.retry_after_s
    return _GROWING(state)

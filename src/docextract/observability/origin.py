"""The origin of an item in a batch: a batch has items of many requests, so each item carries its request's ids."""

import time
from contextvars import ContextVar
from dataclasses import dataclass, field

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


@dataclass(frozen=True)
class Origin:
    """The request that an item belongs to, and when the item was sent to its runner."""

    request_id: str | None = field(default_factory=request_id.get)
    traceparent: str | None = None  # value of that header (W3C Trace Context); None without a trace
    sent_ns: int = field(default_factory=time.time_ns)  # since 1970; all processes run on one machine with one clock

    @property
    def trace_id(self) -> str | None:
        """32 hexadecimal digits; None without a trace."""
        return None if self.traceparent is None else self.traceparent.split("-")[1]

"""Where an item in a batch comes from. It travels with the item: a batch holds items of many requests, and whoever
works on it knows of each request only what came along.
"""

import time
from contextvars import ContextVar
from dataclasses import dataclass, field

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


@dataclass(frozen=True)
class Origin:
    """The request that an item belongs to, and when it was sent to its runner."""

    request_id: str | None = field(default_factory=request_id.get)
    traceparent: str | None = None  # as in the header of that name (W3C Trace Context); None where nothing is traced
    sent_ns: int = field(default_factory=time.time_ns)  # since 1970, by the clock of the one machine that all run on

    @property
    def trace_id(self) -> str | None:
        """32 hexadecimal digits."""
        return None if self.traceparent is None else self.traceparent.split("-")[1]

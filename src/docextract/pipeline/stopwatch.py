"""Measures the steps of a request."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from docextract.observability import metrics, traces


@dataclass
class Stopwatch:
    """The duration of each step of a request, in milliseconds by step name."""

    ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def lap(self, step: str) -> Iterator[None]:
        """Measure the enclosed step; add it to the metrics and as a span to the trace."""
        start_s = time.perf_counter()
        try:
            with traces.step_span(step):
                yield
        finally:
            duration_s = time.perf_counter() - start_s
            self.ms[step] = round(duration_s * 1000, 1)
            metrics.front().step_seconds.labels(step).observe(duration_s)

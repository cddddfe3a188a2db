"""What the service tells of its work to those who run it: a log, metrics and traces, the same from all its processes.

None of the three ever holds what was sent or found: no value, no picture, no name of a file, no message of an
exception. What they hold are ids, counts, times and names out of lists that are known beforehand.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from docextract.observability import logs, metrics, traces
from docextract.observability.origin import Origin


def start(process: str, log_format: logs.Format) -> None:
    """Once in each process that serves, before it does anything else."""
    logs.configure(process, log_format)
    traces.configure(process)
    metrics.forget_the_dead()


@contextmanager
def batch(model: str, origins: Sequence[Origin]) -> Iterator[None]:
    """Account for a batch that `model` works on inside: in this runner's metrics, and in the trace of each request.

    origins: one for each item.
    """
    begun_ns = time.time_ns()
    try:
        yield
    finally:
        over_ns = time.time_ns()
        metrics.runner(model).ran([(begun_ns - origin.sent_ns) / 1e9 for origin in origins], (over_ns - begun_ns) / 1e9)
        traces.ran(model, origins, begun_ns, over_ns)

"""Log, metrics and traces, the same for all processes of the service.

None of the three ever contains document content: no value, picture or file name, and no message of an exception. They
contain ids, counts, times, and names from lists that are fixed in advance.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from docextract.observability import logs, metrics, traces
from docextract.observability.origin import Origin


def configure(process: str, log_format: logs.LogFormat) -> None:
    """Set up logging, tracing and metrics. Call once in each serving process, before anything else."""
    logs.configure_logging(process, log_format)
    traces.configure_tracing(process)
    metrics.remove_gauges_of_dead_processes()


@contextmanager
def observe_batch(model: str, origins: Sequence[Origin]) -> Iterator[None]:
    """Record the enclosed batch of `model` in this runner's metrics and in the trace of each request.

    origins: one per item of the batch.
    """
    start_ns = time.time_ns()
    try:
        yield
    finally:
        end_ns = time.time_ns()
        waits_s = [(start_ns - origin.sent_ns) / 1e9 for origin in origins]
        metrics.runner(model).record_batch(waits_s, (end_ns - start_ns) / 1e9)
        traces.add_batch_spans(model, origins, start_ns, end_ns)

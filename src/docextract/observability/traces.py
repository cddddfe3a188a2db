"""Trace spans of a request through all processes, exported by OTLP (HTTP, protobuf) to OTEL_EXPORTER_OTLP_ENDPOINT.

BentoML's own tracing stays off: it records URLs with their queries, which contain ids chosen by the callers, and it
assigns a whole batch to the request that came first. Instead, the front creates the spans of a request and sends the
trace context with each item; a runner adds one span to the trace of every request in a batch. The standard OTEL_
variables apply: sampler, headers, resource, timeouts. Without an endpoint, trace ids are still created and accepted,
and nothing is exported.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from docextract.observability.origin import Origin

NAMESPACE = "docextract"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROPAGATOR = TraceContextTextMapPropagator()


def configure_tracing(process: str) -> None:
    """Set up tracing in this process. process: the service.name of its spans."""
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    resource = Resource.create({"service.name": process, "service.namespace": NAMESPACE})
    provider = TracerProvider(resource=resource)
    if any(os.environ.get(name) for name in _ENDPOINTS):
        # Imported only when needed: it takes 20 MB.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def request_span(name: str, headers: Mapping[str, str]) -> Iterator[Span]:
    """The span of a whole request. headers: with the caller's `traceparent` and `tracestate`, if any."""
    with _span(name, SpanKind.SERVER, headers) as span:
        yield span


@contextmanager
def step_span(name: str) -> Iterator[Span]:
    """The span of one step of the current request."""
    with _span(name, SpanKind.INTERNAL, None) as span:
        yield span


@contextmanager
def _span(name: str, kind: SpanKind, headers: Mapping[str, str] | None) -> Iterator[Span]:
    context = None if headers is None else _PROPAGATOR.extract(headers)
    with _tracer().start_as_current_span(
        name, context, kind, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:  # record its type only: the message may contain document content
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def current_origin() -> Origin:
    """Return the origin for items that the current request sends to a runner now."""
    return Origin(traceparent=current_traceparent())


def add_batch_spans(model: str, origins: Sequence[Origin], start_ns: int, end_ns: int) -> None:
    """Add one span of the batch to the trace of each request that had items in it. Times are in ns since 1970."""
    sent = {origin.traceparent: origin.sent_ns for origin in origins if origin.traceparent is not None}
    for parent, sent_ns in sent.items():
        _tracer().start_span(
            f"{model} batch",
            _PROPAGATOR.extract({"traceparent": parent}),
            start_time=start_ns,
            attributes={"batch.items": len(origins), "queue_ms": (start_ns - sent_ns) / 1e6},
        ).end(end_ns)


def current_trace_id() -> str | None:
    """Return the current trace id, 32 hexadecimal digits; None without a trace."""
    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id) if context.is_valid else None


def current_traceparent() -> str | None:
    """Return the current span as the value of a `traceparent` header (W3C Trace Context); None without a trace."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get("traceparent")


def _tracer() -> trace.Tracer:
    return trace.get_tracer(NAMESPACE)

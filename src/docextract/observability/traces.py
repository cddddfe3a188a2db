"""Spans of a request through all processes, sent by OTLP (HTTP, protobuf) where OTEL_EXPORTER_OTLP_ENDPOINT says.

BentoML's own tracing stays off: it writes addresses with their queries, in which callers send ids of their own, and it
gives a whole batch to whichever request came first. So the front makes the spans of a request, hands each item its
context, and a runner tells every request in a batch of its share. The standard OTEL_ variables hold: sampler,
headers, resource, timeouts. Without an endpoint ids are made and honoured all the same, and nothing is sent.
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
_CONTEXT = TraceContextTextMapPropagator()


def configure(process: str) -> None:
    """Begin to make spans in this process. process: the service.name under which they are sent."""
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    resource = Resource.create({"service.name": process, "service.namespace": NAMESPACE})
    provider = TracerProvider(resource=resource)
    if any(os.environ.get(name) for name in _ENDPOINTS):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # 20 MB that few need

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def request(name: str, headers: Mapping[str, str]) -> Iterator[Span]:
    """The span of a whole request. headers: `traceparent` and `tracestate`, where its caller traces."""
    with _span(name, SpanKind.SERVER, headers) as span:
        yield span


@contextmanager
def step(name: str) -> Iterator[Span]:
    """One step of what goes on."""
    with _span(name, SpanKind.INTERNAL, None) as span:
        yield span


@contextmanager
def _span(name: str, kind: SpanKind, headers: Mapping[str, str] | None) -> Iterator[Span]:
    context = None if headers is None else _CONTEXT.extract(headers)
    with _tracer().start_as_current_span(
        name, context, kind, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:  # its kind alone: the message may hold what stood on a page
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def origin() -> Origin:
    """Of what is sent to a runner from here."""
    return Origin(traceparent=traceparent())


def ran(model: str, origins: Sequence[Origin], begun_ns: int, over_ns: int) -> None:
    """Tell each request of the batch in which its items were. Times are since 1970."""
    sent = {origin.traceparent: origin.sent_ns for origin in origins if origin.traceparent is not None}
    for parent, sent_ns in sent.items():
        _tracer().start_span(
            f"{model} batch",
            _CONTEXT.extract({"traceparent": parent}),
            start_time=begun_ns,
            attributes={"batch.items": len(origins), "queue_ms": (begun_ns - sent_ns) / 1e6},
        ).end(over_ns)


def trace_id() -> str | None:
    """32 hexadecimal digits. None where nothing is traced."""
    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id) if context.is_valid else None


def traceparent() -> str | None:
    """Where we are in which trace, as the W3C's headers say it."""
    carrier: dict[str, str] = {}
    _CONTEXT.inject(carrier)
    return carrier.get("traceparent")


def _tracer() -> trace.Tracer:
    return trace.get_tracer(NAMESPACE)

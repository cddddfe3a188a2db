import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from docextract import observability
from docextract.observability import traces
from docextract.observability.origin import Origin

PARENT = "00-{}-b7ad6b7169203331-01"


@pytest.fixture
def spans(monkeypatch):
    """A function that returns the finished spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces, "_tracer", lambda: provider.get_tracer("test"))
    return exporter.get_finished_spans


def test_every_request_of_a_batch_gets_one_span(spans):
    """One span however many items it has; requests without a trace get none."""
    first, second = PARENT.format("a" * 32), PARENT.format("b" * 32)

    with observability.observe_batch(
        "quality", [Origin("R1", first), Origin("R1", first), Origin("R2", second), Origin("R3")]
    ):
        pass

    assert sorted(f"{span.context.trace_id:032x}" for span in spans()) == ["a" * 32, "b" * 32]
    assert {span.attributes["batch.items"] for span in spans()} == {4}
    assert all(span.attributes["queue_ms"] > 0 for span in spans())


def test_trace_of_the_caller_is_continued(spans):
    """Items that are sent to a runner are part of it."""
    with (
        traces.request_span("POST /extraction", {"traceparent": PARENT.format("c" * 32)}),
        traces.step_span("extraction"),
    ):
        sent = traces.current_origin()

    step, request = spans()
    assert sent.trace_id == "c" * 32
    assert sent.traceparent == f"00-{'c' * 32}-{step.context.span_id:016x}-01"
    assert step.parent.span_id == request.context.span_id
    assert f"{request.parent.span_id:016x}" == "b7ad6b7169203331"


@pytest.mark.parametrize("header", ["", "rubbish", "00-" + "0" * 32 + "-b7ad6b7169203331-01"])
def test_invalid_traceparent_starts_a_new_trace(spans, header):
    """As the W3C recommendation requires."""
    with traces.request_span("GET /v1/limits", {"traceparent": header}):
        pass

    (span,) = spans()
    assert span.parent is None


def test_failed_step_records_only_the_type_of_the_exception(spans):
    """The message may contain document content."""
    with pytest.raises(ValueError, match="SECRET"), traces.step_span("decode"):
        raise ValueError("SECRET-NAME")

    (span,) = spans()
    assert span.status.description == "ValueError"
    assert not span.events


def test_there_is_no_id_without_a_trace():
    """Neither a trace id nor a traceparent."""
    assert traces.current_trace_id() is None
    assert traces.current_origin().traceparent is None

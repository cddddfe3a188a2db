"""Log, metrics and traces of the running service, read with Prometheus and a trace collector."""

import contextlib
import io
import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from PIL import Image

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "deploy" / "observability"
DASHBOARD = json.loads((SHIPPED / "dashboard.json").read_text())
TESTS = ("alerts_test.yml", "drift_test.yml")
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())]
METRIC = re.compile(r"\b(?:docextract|bentoml)_\w+")
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
MARK = "kilmarnock"  # part of every name that the caller chooses
PROCESSES = {"docextract", "quality_runner", "extraction_runner"}
WITHIN_S = 20.0

needs_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")),
    reason="prometheus and promtool are not installed (Debian: apt-get install prometheus)",
)


class Collector:
    """Receives spans by OTLP."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, object]] = []  # service.name, span
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def take(self, request: ExportTraceServiceRequest) -> None:
        for resource in request.resource_spans:
            (name,) = (one.value.string_value for one in resource.resource.attributes if one.key == "service.name")
            self.spans += [(name, span) for scope in resource.scope_spans for span in scope.spans]

    def of(self, trace_id: str) -> list[tuple[str, object]]:
        """Wait until every process has sent spans of this trace; return them."""
        start = time.monotonic()
        while time.monotonic() - start < WITHIN_S:
            found = [(name, span) for name, span in self.spans if span.trace_id.hex() == trace_id]
            if {name for name, _ in found} == PROCESSES and any("POST" in span.name for _, span in found):
                return found
            time.sleep(0.1)
        raise AssertionError(f"spans came only from {[name for name, _ in self.spans]}")


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever)
    thread.start()
    yield collector
    collector.server.shutdown()
    collector.server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def server(start_server, collector):
    """A service after five requests: an extracted page, a page on which the model fails, an undecodable file, an
    unknown path, and an unknown method.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")  # ms
        with start_server(log_format="json", api_key_file="keys.toml") as running:
            running.wait_until("/readyz", 200)
            traced = {"traceparent": f"00-{TRACE_ID}-b7ad6b7169203331-01"}
            running.answers = {
                "read": post(running, "/v1/extraction", grey(123), **traced),
                "failed": post(running, "/v1/extraction", grey(0)),
                "refused": post(running, "/v1/validation", MARK.encode()),
                "lost": running.client.get(f"/{MARK}", params={MARK: MARK}),
                "odd": running.client.request("BREW", "/v1/extraction"),
            }
            yield running


def post(server, path, data, **headers):
    return server.client.post(
        path,
        files=[("images", (f"{MARK}.png", data, "image/png"))],
        params={"external_id": MARK},
        headers=headers,
    )


def grey(level: int) -> bytes:
    out = io.BytesIO()
    Image.new("L", (64, 64), level).save(out, "PNG")
    return out.getvalue()


def lines(server) -> list[dict]:
    return [json.loads(line) for line in server.log.read_text().splitlines()]


def samples(server) -> dict[str, float]:
    text = server.client.get("/metrics").text
    return {name: float(value) for name, value in re.findall(r"^(\w.*) (\S+)$", text, re.M)}


@pytest.mark.processes
def test_trace_contains_the_front_and_both_runners(server, collector):
    """The caller's trace id, a span for each step, and below the step the runner's batch with its size."""
    found = collector.of(TRACE_ID)

    by_id = {span.span_id: span for _, span in found}
    found_spans = {
        (service, span.name, by_id[span.parent_span_id].name if span.parent_span_id in by_id else "the caller's")
        for service, span in found
    }
    assert found_spans == {
        ("docextract", "POST /v1/extraction", "the caller's"),
        ("docextract", "decode", "POST /v1/extraction"),
        ("docextract", "validation", "POST /v1/extraction"),
        ("docextract", "extraction", "POST /v1/extraction"),
        ("quality_runner", "quality batch", "validation"),
        ("extraction_runner", "extraction batch", "extraction"),
    }
    for service, span in found:
        if service != "docextract":
            attributes = {one.key: one.value for one in span.attributes}
            assert attributes["batch.items"].int_value == 1
            assert attributes["queue_ms"].double_value > 0
    assert server.answers["read"].headers["traceresponse"].startswith(f"00-{TRACE_ID}-")


@pytest.mark.processes
def test_a_misspelt_variable_is_logged_once(server):
    """It has no effect, which nobody would notice."""
    found = [line for line in lines(server) if line["message"] == "this variable is not a setting"]

    assert [(line["variable"], line["did_you_mean"]) for line in found] == [
        ("DOCEXTRACT_API_KEY_FILE", "DOCEXTRACT_API_KEYS_FILE")
    ]


@pytest.mark.processes
def test_every_log_line_of_every_process_is_json(server):
    """Also the lines of the supervisor and of BentoML."""
    assert {line["process"] for line in lines(server)} == {"supervisor", *PROCESSES}
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines(server))


@pytest.mark.processes
def test_request_is_logged_in_one_line_with_its_outcome(server):
    """The line has the request id that the caller received."""
    (line,) = (one for one in lines(server) if one.get("request_id") == server.answers["read"].json()["request_id"])

    assert line.pop("ms") > 0
    assert line.pop("time")
    assert line == {
        "level": "INFO", "logger": "docextract.access", "message": "answered", "process": "docextract",
        "method": "POST", "route": "/v1/extraction", "status": 200, "pages": 1, "documents": 1, "accepted": False,
        "quality_version": "0.0.1", "extraction_version": "0.0.1",
        "request_id": server.answers["read"].headers["x-request-id"], "trace_id": TRACE_ID,
    }  # fmt: skip


@pytest.mark.processes
def test_model_failure_is_logged_with_its_request(server):
    """The lines of the runner and the front have the same ids."""
    failed = server.answers["failed"]
    about = [line for line in lines(server) if line.get("request_id") == failed.json()["request_id"]]

    assert failed.status_code == 500
    assert {line["process"] for line in about} == {"docextract", "extraction_runner"}
    assert len({line["trace_id"] for line in about}) == 1
    (fault,) = (line for line in about if line["level"] == "ERROR" and line["process"] == "extraction_runner")
    assert fault["kind"] == "ValueError"


@pytest.mark.processes
def test_counters_match_the_requests(server):
    """/metrics has the metrics of all three processes."""
    counted = samples(server)

    assert counted['docextract_requests_total{method="POST",route="/v1/extraction",status="200"}'] == 1
    assert counted['docextract_problems_total{code="internal_error"}'] == 1
    assert counted['docextract_files_refused_total{code="image_undecodable"}'] == 1
    assert counted["docextract_pages_decoded_total"] == 2
    assert counted['docextract_verdicts_total{accepted="no",operation="extraction"}'] == 2
    assert counted['docextract_verdicts_total{accepted="yes",operation="extraction"}'] == 0
    assert counted['docextract_criteria_total{criterion="document_absent",outcome="passed"}'] == 2
    assert counted['docextract_documents_total{document_type="receipt",needs_review="yes"}'] == 1
    assert counted['docextract_fields_total{document_type="receipt",level="high"}'] == 1
    assert counted["docextract_quality_batch_items_count"] == 2
    assert counted["docextract_extraction_queue_seconds_count"] == 2
    assert counted["docextract_extraction_model_seconds_count"] == 2
    for model in ("quality", "extraction"):
        assert counted[f'docextract_model_info{{model="{model}",version="0.0.1"}}'] == 1


@pytest.mark.processes
def test_unknown_paths_and_methods_create_no_labels(server):
    """However many are requested."""
    for number in range(20):
        server.client.get(f"/{MARK}/{number}")
        server.client.request(f"M{number}", "/v1/limits")

    assert sum(name.startswith("docextract_requests_total") and '"none"' in name for name in samples(server)) == 1
    assert not any('"M1"' in name for name in samples(server))


@pytest.mark.processes
def test_log_metrics_and_spans_have_no_document_content(server, collector):
    """No file name, id, path, query or value in the log, the metrics or the spans."""
    collector.of(TRACE_ID)
    outputs = {
        "log": server.log.read_text(),
        "metrics": server.client.get("/metrics").text,
        "spans": "".join(str(span) for _, span in collector.spans),
    }

    for name, text in outputs.items():
        assert text
        for secret in (MARK, "GREY", "nothing but night"):
            assert secret not in text, name


@pytest.mark.processes
def test_dashboard_and_alerts_use_existing_metrics(server):
    """No panel is empty because a metric was renamed."""
    there = {re.match(r"\w+", name)[0] for name in samples(server)}
    rules = (SHIPPED / "alerts.yml").read_text()

    asked = set(METRIC.findall(" ".join([*QUERIES, rules])))
    assert len(asked) > 15
    assert asked - there == set()


@needs_prometheus
def test_each_alert_fires_only_for_its_own_condition():
    """`promtool` tests the rules of the repository with synthetic series."""
    for command in (["check", "config", "prometheus.yml"], ["test", "rules", *TESTS]):
        done = subprocess.run(["promtool", *command], cwd=SHIPPED, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    alerts = set(re.findall(r"alert: (\w+)", (SHIPPED / "alerts.yml").read_text()))
    tried = "".join((SHIPPED / name).read_text() for name in TESTS)
    assert alerts <= set(re.findall(r"alertname: (\w+)", tried))


@pytest.mark.processes
@needs_prometheus
@pytest.mark.slow
def test_prometheus_answers_every_panel_and_no_alert_fires(server, tmp_path):
    """With the configuration of the repository, except for the URL and the interval."""
    shutil.copytree(SHIPPED, tmp_path, dirs_exist_ok=True)
    config = tmp_path / "prometheus.yml"
    text = config.read_text().replace("127.0.0.1:3000", server.url.removeprefix("http://")).replace("15s", "1s")
    config.write_text(text)

    with prometheus(tmp_path) as client:
        assert until(lambda: asked(client, "count_over_time(docextract_requests_total[1m]) > 2"))
        for query in QUERIES:
            ready = query.replace("$__rate_interval", "1m").replace("$instance", ".*")
            assert asked(client, ready), query
        groups = client.get("/api/v1/rules").json()["data"]["groups"]
        states = {rule["name"]: (rule["health"], rule["state"]) for group in groups for rule in group["rules"]}
        assert states.pop("DocextractErrors") in {("ok", "pending"), ("ok", "inactive")}  # one request failed
        assert set(states.values()) == {("ok", "inactive")}, states


@contextlib.contextmanager
def prometheus(folder: Path) -> Iterator[httpx.Client]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    command = [
        "prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            with httpx.Client(base_url=f"http://{address}") as client:
                assert until(lambda: answers(client)), (folder / "log").read_text()[-2000:]
                yield client
        finally:
            process.terminate()


def answers(client: httpx.Client) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return client.get("/-/ready").status_code == 200
    return False


def asked(client: httpx.Client, query: str) -> list:
    answer = client.get("/api/v1/query", params={"query": query}).json()
    assert answer["status"] == "success", answer
    return answer["data"]["result"]


def until(holds) -> bool:
    start = time.monotonic()
    while time.monotonic() - start < WITHIN_S:
        if holds():
            return True
        time.sleep(0.2)
    return False

import asyncio
import logging

import pytest
from prometheus_client import REGISTRY
from starlette.testclient import TestClient

from docextract.http import request_record
from docextract.http.access_log import AccessLogMiddleware
from docextract.http.app import paths
from docextract.http.error_contract import ErrorContractMiddleware
from tests.http.conftest import LIMITS, jpeg

SECRET = "kilmarnock"


@pytest.fixture
def logged(app, caplog):
    """The complete HTTP application; its log lines are in caplog."""
    caplog.set_level(logging.INFO, logger="docextract.access")
    edge = ErrorContractMiddleware(app, paths(app), LIMITS["max_request_bytes"])
    with TestClient(AccessLogMiddleware(edge, paths(app)), raise_server_exceptions=False) as client:
        yield client


def post(client, path, *files, **options):
    return client.post(path, files=[("images", (f"{SECRET}.jpg", file)) for file in files], data=options)


def facts(caplog) -> dict:
    """The facts in the single log line."""
    (line,) = caplog.records
    names = {"method", "route", "status", "pages", "documents", "accepted", "code"}
    return {name: value for name, value in vars(line).items() if name in names}


def count(metric: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"docextract_{metric}_total", labels) or 0.0


def test_extraction_is_logged_with_its_counts(logged, caplog, good, poor):
    """The number of pages and documents, and whether the photos were accepted."""
    post(logged, "/v1/extraction", good, poor)

    assert facts(caplog) == {
        "method": "POST", "route": "/v1/extraction", "status": 200, "pages": 2, "documents": 2, "accepted": False,
    }  # fmt: skip


def test_verdicts_criteria_documents_and_fields_are_counted(logged, good, poor):
    """The label values are fixed in advance."""
    expected = {
        ("verdicts", ("operation", "extraction"), ("accepted", "yes")): 1,
        ("verdicts", ("operation", "extraction"), ("accepted", "no")): 1,
        ("criteria", ("criterion", "blurry"), ("outcome", "failed")): 1,
        ("criteria", ("criterion", "blurry"), ("outcome", "passed")): 1,
        ("documents", ("document_type", "receipt"), ("needs_review", "no")): 2,
        ("fields", ("document_type", "receipt"), ("level", "certain")): 4,
        ("fields", ("document_type", "receipt"), ("level", "high")): 2,
        ("pages_decoded",): 2,
    }  # fmt: skip
    before = {row: count(row[0], **dict(row[1:])) for row in expected}

    post(logged, "/v1/extraction", good, poor)

    assert {row: count(row[0], **dict(row[1:])) - before[row] for row in expected} == expected


def test_refusal_is_logged_with_its_code(logged, caplog):
    """Every refused file is also counted."""
    before = count("files_refused", code="image_undecodable")

    post(logged, "/validation", b"rubbish", b"rubbish")

    assert facts(caplog) == {"method": "POST", "route": "/validation", "status": 422, "code": "image_undecodable"}
    assert count("files_refused", code="image_undecodable") - before == 2


def test_documents_of_refused_photos_are_not_counted(logged, caplog, models, good):
    """They are read, but not answered."""
    models.total_confidence = models.name_confidence = models.date_confidence = 0.1
    rows = [("documents", {"document_type": "receipt", "needs_review": "yes"}),
            ("fields", {"document_type": "receipt", "level": "low"})]  # fmt: skip
    before = [count(name, **labels) for name, labels in rows]

    assert post(logged, "/v1/extraction", good, validation="enforce").status_code == 422

    assert "documents" not in facts(caplog)
    assert caplog.records[0].extraction_version == "1.2.3"
    assert [count(name, **labels) for name, labels in rows] == before


@pytest.mark.parametrize("arrived", [{"body": b"\xff\xd8", "more_body": True}, {"body": jpeg()}])
def test_a_caller_that_disconnects_is_logged_as_499(app, caplog, arrived):
    """While it sends its photo, or while it waits for the answer; that is no error of the caller."""
    caplog.set_level(logging.INFO, logger="docextract.access")
    before = count("problems", code="malformed_request")
    messages = iter([{"type": "http.request", **arrived}])

    async def receive():
        return next(messages, {"type": "http.disconnect"})

    async def send(message):
        pass

    edge = AccessLogMiddleware(ErrorContractMiddleware(app, paths(app), LIMITS["max_request_bytes"]), paths(app))
    headers = [(b"content-type", b"image/jpeg")]
    scope = {"type": "http", "method": "POST", "path": "/validation", "query_string": b"", "headers": headers}
    asyncio.run(edge(scope, receive, send))

    assert facts(caplog) == {"method": "POST", "route": "/validation", "status": 499}
    assert count("problems", code="malformed_request") == before


def test_unknown_paths_and_methods_are_not_logged_verbatim(logged, caplog):
    """Callers cannot choose labels of metrics or the text of log lines."""
    logged.get(f"/{SECRET}")
    logged.request(SECRET.upper(), "/v1/limits")

    assert [(line.method, line.route, line.status) for line in caplog.records] == [
        ("GET", "none", 404), ("other", "/v1/limits", 405),
    ]  # fmt: skip


def test_path_of_a_document_type_is_logged_as_its_route(logged, caplog):
    """The route template, not the name."""
    logged.get("/v1/document-types/receipt")

    assert facts(caplog)["route"] == "/v1/document-types/{name}"


def test_health_checks_are_counted_but_not_logged(logged, caplog):
    """They arrive every few seconds."""
    before = count("requests", method="GET", route="/livez", status="404")

    logged.get("/livez")  # BentoML answers it, so here it is 404

    assert caplog.records == []
    assert count("requests", method="GET", route="/livez", status="404") - before == 1


def test_document_content_is_not_logged(logged, caplog, good):
    """No extracted value, no file name, no id that the caller chose."""
    post(logged, "/v1/extraction", good, external_id=SECRET)

    (line,) = caplog.records
    assert SECRET not in repr(vars(line))
    assert "BAKERY" not in repr(vars(line))


def test_every_counter_starts_at_zero():
    """Before the first accepted photo, their share is 0 instead of undefined, and an alert on it can fire."""
    request_record.initialize_counters(["weighing_slip"])

    labels = {"document_type": "weighing_slip", "needs_review": "yes"}
    assert REGISTRY.get_sample_value("docextract_documents_total", labels) == 0
    assert REGISTRY.get_sample_value("docextract_problems_total", {"code": "rate_limited"}) is not None

import logging

import pytest
from prometheus_client import REGISTRY
from starlette.testclient import TestClient

from docextract.http import request_record
from docextract.http.access_log import AccessLogMiddleware
from docextract.http.app import paths
from docextract.http.error_contract import ErrorContractMiddleware
from tests.http.conftest import LIMITS

SECRET = "kilmarnock"


@pytest.fixture
def told(app, caplog):
    """The whole HTTP layer; its lines are in caplog."""
    caplog.set_level(logging.INFO, logger="docextract.access")
    edge = ErrorContractMiddleware(app, paths(app), LIMITS["max_request_bytes"])
    with TestClient(AccessLogMiddleware(edge, paths(app)), raise_server_exceptions=False) as client:
        yield client


def post(client, path, *files, **options):
    return client.post(path, files=[("images", (f"{SECRET}.jpg", file)) for file in files], data=options)


def facts(caplog) -> dict:
    """Of the one request that was told."""
    (line,) = caplog.records
    names = {"method", "route", "status", "pages", "documents", "accepted", "code"}
    return {name: value for name, value in vars(line).items() if name in names}


def count(metric: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"docextract_{metric}_total", labels) or 0.0


def test_an_extraction_is_told_by_its_counts(told, caplog, good, poor):
    """How many pages and documents, and whether the photos would do."""
    post(told, "/v1/extraction", good, poor)

    assert facts(caplog) == {
        "method": "POST", "route": "/v1/extraction", "status": 200, "pages": 2, "documents": 2, "accepted": False,
    }  # fmt: skip


def test_photos_criteria_documents_and_fields_are_counted(told, good, poor):
    """Each under names that are known beforehand."""
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

    post(told, "/v1/extraction", good, poor)

    assert {row: count(row[0], **dict(row[1:])) - before[row] for row in expected} == expected


def test_a_refusal_is_told_by_its_code(told, caplog):
    """Also that of a file, which is counted by itself."""
    before = count("files_refused", code="image_undecodable")

    post(told, "/validation", b"rubbish", b"rubbish")

    assert facts(caplog) == {"method": "POST", "route": "/validation", "status": 422, "code": "image_undecodable"}
    assert count("files_refused", code="image_undecodable") - before == 2


def test_an_address_that_is_none_is_not_repeated(told, caplog):
    """Strangers choose no label and write no line of their own."""
    told.get(f"/{SECRET}")
    told.request(SECRET.upper(), "/v1/limits")

    assert [(line.method, line.route, line.status) for line in caplog.records] == [
        ("GET", "none", 404), ("other", "/v1/limits", 405),
    ]  # fmt: skip


def test_a_type_s_page_is_told_by_its_route(told, caplog):
    """The template, not the name in it."""
    told.get("/v1/document-types/receipt")

    assert facts(caplog)["route"] == "/v1/document-types/{name}"


def test_who_asks_whether_it_is_well_leaves_no_line(told, caplog):
    """Every few seconds, for years; it is counted all the same."""
    before = count("requests", method="GET", route="/livez", status="404")

    told.get("/livez")  # BentoML's, and so not here

    assert caplog.records == []
    assert count("requests", method="GET", route="/livez", status="404") - before == 1


def test_nothing_of_a_document_is_told(told, caplog, good):
    """No value that was read, no file's name, no id of the caller's."""
    post(told, "/v1/extraction", good, external_id=SECRET)

    (line,) = caplog.records
    assert SECRET not in repr(vars(line))
    assert "BAKERY" not in repr(vars(line))


def test_every_count_begins_at_zero():
    """A share of photos of which none was accepted is 0, not nothing, and an alert on it is raised."""
    request_record.initialize_counters(["weighing_slip"])

    labels = {"document_type": "weighing_slip", "needs_review": "yes"}
    assert REGISTRY.get_sample_value("docextract_documents_total", labels) == 0
    assert REGISTRY.get_sample_value("docextract_problems_total", {"code": "rate_limited"}) is not None

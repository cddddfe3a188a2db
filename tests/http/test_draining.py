"""Draining: what the readiness probe answers."""

import logging

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from docextract.http.draining import DrainingMiddleware
from docextract.http.error_contract import ErrorContractMiddleware


@pytest.fixture
def drain_file(tmp_path):
    return tmp_path / "drain"


@pytest.fixture
def drained(drain_file):
    app = DrainingMiddleware(PlainTextResponse("served"), drain_file)
    return TestClient(ErrorContractMiddleware(app, ["/v1/limits"], 100))


def test_the_probe_of_a_draining_service_says_why(drained, drain_file, caplog):
    """The log has each change once; requests are still answered."""
    caplog.set_level(logging.INFO, logger="docextract.http")
    assert drained.get("/readyz").status_code == 200
    drain_file.touch()

    for _ in range(2):
        response = drained.get("/readyz")
        assert (response.status_code, response.json()["code"]) == (503, "model_not_ready")
        assert response.json()["detail"] == "The service is draining."
    assert [drained.get(path).text for path in ("/livez", "/v1/limits")] == ["served", "served"]

    drain_file.unlink()
    assert drained.get("/readyz").text == "served"
    assert [line.draining for line in caplog.records] == [True, False]


def test_a_service_without_a_drain_file_is_never_draining():
    """The setting has no default."""
    assert TestClient(DrainingMiddleware(PlainTextResponse("served"), None)).get("/readyz").text == "served"

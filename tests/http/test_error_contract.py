import asyncio
import json
import re
import socket
from contextlib import nullcontext

import pytest
import uvicorn
from starlette.testclient import TestClient

from docextract.http.error_contract import ErrorContractMiddleware, ProblemH11Protocol, new_request_id


def answering(status, body=b"inside", kind=b"text/plain", **headers):
    """An inner application that always returns this response."""

    async def app(scope, receive, send):
        extra = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *extra]})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return app


def client_of(app):
    return TestClient(ErrorContractMiddleware(app, {"/here"}, 1_000), raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("inner", "outer", "code"),
    [
        (400, 400, "malformed_request"),
        (405, 405, "method_not_allowed"),
        (418, 400, "malformed_request"),
        (429, 503, "overloaded"),
        (500, 500, "internal_error"),
        (502, 500, "internal_error"),
        (503, 503, "model_not_ready"),
        (504, 504, "timeout"),
    ],
)
def test_every_error_becomes_a_problem(inner, outer, code):
    """BentoML's 429 means that its queue is full, which is our 503; the inner text is not forwarded."""
    response = client_of(answering(inner)).get("/here")
    body = response.json()

    assert response.status_code == body["status"] == outer
    assert response.headers["content-type"] == "application/problem+json"
    assert body["code"] == code
    assert body["request_id"] == response.headers["x-request-id"]
    assert "inside" not in response.text
    assert ("retry-after" in response.headers) == (outer == 503)


def test_inner_problem_is_forwarded_unchanged():
    """It already has the format of the contract."""
    response = client_of(answering(422, b'{"code": "x"}', b"application/problem+json")).get("/here")

    assert (response.status_code, response.json()) == (422, {"code": "x"})


def test_exception_becomes_500_without_details():
    """Neither its message nor its type."""

    async def broken(scope, receive, send):
        raise KeyError("secret")

    response = client_of(broken).get("/here")

    assert response.json()["code"] == "internal_error"
    assert "secret" not in response.text
    assert "KeyError" not in response.text


def test_unknown_path_does_not_reach_the_application():
    """Otherwise scanners would fill the metrics."""
    asked = []

    async def app(scope, receive, send):
        asked.append(scope["path"])
        await answering(200)(scope, receive, send)

    client = client_of(app)
    statuses = [client.get(path).status_code for path in ("/here", "/wp-login.php", "/here/", "/schema.json", "/livez")]

    assert statuses == [200, 404, 404, 404, 200]
    assert asked == ["/here", "/livez"]


def test_misspelt_name_is_answered_with_the_existing_ones():
    """And nothing else: not the requested name, and no paths of other folders."""
    client = TestClient(
        ErrorContractMiddleware(answering(200), {"/v1/types/receipt", "/v1/types/card", "/v1/limits"}, 1_000)
    )

    problem = client.get("/v1/types/reciept").json()

    assert problem["code"] == "not_found"
    assert problem["detail"] == "The resource does not exist. Existing ones are /v1/types/card, /v1/types/receipt."
    assert client.get("/wp-login.php").json()["detail"] == "The resource does not exist."


def test_every_answer_has_the_common_headers():
    """The request id, the duration, and no caching."""
    headers = client_of(answering(200, **{"server-timing": "decode;dur=1"})).get("/here").headers

    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert re.fullmatch(r"decode;dur=1, total;dur=[\d.]+", headers["server-timing"])
    assert headers["x-request-id"]


def test_safe_request_id_is_kept():
    """The caller finds a request in both logs."""
    assert (
        client_of(answering(200)).get("/here", headers={"x-request-id": "abc-1.2_3"}).headers["x-request-id"]
        == "abc-1.2_3"
    )


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "a\tb", "<script>"])
def test_unsafe_request_id_is_replaced(given):
    """It is written to logs and headers."""
    answered = client_of(answering(200)).get("/here", headers={"x-request-id": given}).headers["x-request-id"]

    assert answered != given
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", answered)


def test_request_ids_sort_by_time_and_are_unique():
    """Like a ULID."""
    ids = [new_request_id() for _ in range(1_000)]

    assert len(set(ids)) == 1_000
    assert [one[:9] for one in ids] == sorted(one[:9] for one in ids)


@pytest.mark.parametrize("extensions", [{"websocket.http.response": {}}, {}], ids=["problem", "closed"])
def test_websockets_are_refused_with_a_problem(extensions):
    """If the server can send one before the connection is accepted."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/v1/extraction", "headers": [], "extensions": extensions}
    edge = ErrorContractMiddleware(answering(200), {"/here"}, 1000)
    asyncio.run(edge(scope, None, send))

    if not extensions:
        assert [message["type"] for message in sent] == ["websocket.close"]
        return
    start, body = sent
    assert (start["type"], start["status"]) == ("websocket.http.response.start", 404)
    problem = json.loads(body["body"])
    assert problem["code"] == "not_found"
    assert dict(start["headers"])[b"x-request-id"].decode() == problem["request_id"]


def test_what_is_not_http_gets_a_problem():
    """Before any application has seen it."""

    async def send_garbage():
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(
            uvicorn.Config(answering(200), http=ProblemH11Protocol, lifespan="off", log_level="error")
        )
        server.capture_signals = nullcontext  # do not replace the signal handlers of pytest
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GARBAGE\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), 5)
        writer.close()
        server.should_exit = True
        await serving
        return answer

    head, _, body = asyncio.run(send_garbage()).partition(b"\r\n\r\n")

    problem = json.loads(body)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/problem+json" in head
    assert problem["code"] == "malformed_request"
    assert f"x-request-id: {problem['request_id']}".encode() in head

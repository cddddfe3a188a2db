"""Tests of the clients that verify every answer."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks.verifying_clients import (
    GreyImage,
    LoadGenerator,
    PythonClient,
    RawHttpClient,
    RequestCounts,
    RequestRecord,
    recovery_time_s,
)


class ScriptedHandler(BaseHTTPRequestHandler):
    """Answer with the server's `script`: (status, body), or status None to close the connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body = self.server.script
        if status is None:
            self.close_connection = True
            return
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        if status == 503:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), ScriptedHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def address(server):
    return f"http://127.0.0.1:{server.server_address[1]}"


def extraction_answer(name):
    return 200, {"documents": [{"fields": {"merchant_name": {"value": name}}}]}


@pytest.mark.parametrize(
    ("script", "result"),
    [
        (extraction_answer("GREY 50"), "correct"),
        (extraction_answer("GREY 51"), "wrong"),
        ((503, {"code": "overloaded"}), "refused"),
        ((504, {"code": "timeout"}), "failed"),
        ((None, None), "cut_off"),
    ],
)
def test_each_answer_gets_its_result(server, script, result):
    """A result "wrong" means that an answer belongs to another request."""
    server.script = script
    with RawHttpClient(address(server)) as send:
        assert send(GreyImage.of(50))[0] == result


def test_refused_connection_counts_as_not_sent(server):
    """A request that was never sent does not count as lost."""
    with RawHttpClient("http://127.0.0.1:1") as send:
        assert send(GreyImage.of(50))[0] == "not_connected"


def test_python_client_reports_the_same_results(server):
    """The Python client's errors become the same results as those of raw HTTP."""
    server.script = 504, {"code": "timeout", "detail": "…", "request_id": "1"}
    with PythonClient(address(server)) as send:
        assert send(GreyImage.of(50)) == ("failed", "504 timeout")


def test_load_generator_uses_both_kinds_of_clients_until_it_ends(server):
    """Both kinds of clients send until the context ends, and every request is recorded."""
    server.script = 504, {"code": "timeout", "detail": "…", "request_id": "1"}
    until_s = time.monotonic() + 20
    with LoadGenerator(address(server), 2) as load:
        while len({one.client_kind for one in load.requests}) < 2:
            assert time.monotonic() < until_s, load.requests
            time.sleep(0.01)

    assert {one.result for one in load.requests} == {"failed"}


def record(sent_at_s, result="correct", duration_s=0.1):
    return RequestRecord("raw HTTP", sent_at_s, duration_s, result, "504 timeout" if result == "failed" else "")


def test_recovery_starts_at_the_first_of_ten_correct_answers():
    """Requests from before the fault do not count, and one refusal restarts the series."""
    before = [record(9 + number / 100) for number in range(20)]
    after = [record(10 + number) for number in range(5)] + [record(15, "refused")]
    recovered = [record(16 + number) for number in range(10)]

    assert recovery_time_s(before + after, 10) is None
    assert recovery_time_s(before + after + recovered, 10) == pytest.approx(6.1)


def test_request_counts_contain_sent_requests_and_details():
    """Requests without a connection are not counted as sent; details of failures are counted."""
    counts = RequestCounts.of("raw HTTP", [record(0), record(1, "failed", 3.0), record(2, "not_connected")])

    assert (counts.sent, counts.max_duration_s) == (2, 3.0)
    assert counts.details == Counter({"504 timeout": 1})

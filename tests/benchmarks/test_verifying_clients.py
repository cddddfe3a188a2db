"""A crowd of clients sees what became of each request."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks.verifying_clients import Asked, Crowd, OurClient, Picture, RawHttp, Tally, recovered_after_s


class Answers(BaseHTTPRequestHandler):
    """Says what the server's `script` has for this request: a status, or None to hang up."""

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
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def address(server):
    return f"http://127.0.0.1:{server.server_address[1]}"


def read(name):
    return 200, {"documents": [{"fields": {"merchant_name": {"value": name}}}]}


@pytest.mark.parametrize(
    ("script", "fate"),
    [
        (read("GREY 50"), "right"),
        (read("GREY 51"), "wrong"),
        ((503, {"code": "overloaded"}), "told"),
        ((504, {"code": "timeout"}), "failed"),
        ((None, None), "cut"),
    ],
)
def test_every_fate_is_known_by_its_name(server, script, fate):
    """An answer to somebody else's picture above all."""
    server.script = script
    with RawHttp(address(server)) as ask:
        assert ask(Picture.of(50))[0] == fate


def test_where_nobody_listens_nothing_was_sent(server):
    """That is not lost."""
    with RawHttp("http://127.0.0.1:1") as ask:
        assert ask(Picture.of(50))[0] == "nobody"


def test_our_client_s_answers_are_looked_at_alike(server):
    """An answer that is none of a docextract service has failed."""
    server.script = 504, {"code": "timeout", "detail": "…", "request_id": "1"}
    with OurClient(address(server)) as ask:
        assert ask(Picture.of(50)) == ("failed", "504 timeout")


def test_a_crowd_asks_in_both_ways_until_it_is_left(server):
    """And every request is in its list."""
    server.script = 504, {"code": "timeout", "detail": "…", "request_id": "1"}
    until_s = time.monotonic() + 20
    with Crowd(address(server), 2) as crowd:
        while len({one.way for one in crowd.asked}) < 2:
            assert time.monotonic() < until_s, crowd.asked
            time.sleep(0.01)

    assert {one.fate for one in crowd.asked} == {"failed"}


def asked(at_s, fate="right", took_s=0.1):
    return Asked("raw HTTP", at_s, took_s, fate, "504 timeout" if fate == "failed" else "")


def test_it_is_well_again_from_the_first_of_ten_right_answers():
    """What was sent before the fault says nothing, and one failure begins the count anew."""
    before = [asked(9 + number / 100) for number in range(20)]
    after = [asked(10 + number) for number in range(5)] + [asked(15, "told")]
    well = [asked(16 + number) for number in range(10)]

    assert recovered_after_s(before + after, 10) is None
    assert recovered_after_s(before + after + well, 10) == pytest.approx(6.1)


def test_a_tally_counts_what_was_sent():
    """With its reasons."""
    tally = Tally.of("raw HTTP", [asked(0), asked(1, "failed", 3.0), asked(2, "nobody")])

    assert (tally.sent, tally.longest_s) == (2, 3.0)
    assert tally.details == Counter({"504 timeout": 1})

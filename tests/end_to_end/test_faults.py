"""Killed processes, overload, slow and disconnecting callers: no request is lost, and other callers are not affected.

`make reliability` runs more of these faults for longer, and writes docs/reliability.md.
"""

import signal
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from benchmarks import verifying_clients
from benchmarks.verifying_clients import GreyImage, LoadGenerator, recovery_time_s
from docextract.client import RetryPolicy

pytestmark = pytest.mark.processes

PNG = {"content-type": "image/png"}


def results(load):
    return Counter(one.result for one in load.requests)


def wait_for_a_correct_answer(load):
    until_s = time.monotonic() + 60
    while not results(load)["correct"]:
        assert time.monotonic() < until_s, results(load)
        time.sleep(0.1)


@pytest.mark.slow
def test_no_request_is_lost_when_a_runner_dies_or_the_service_stops(start_server, monkeypatch):
    """A killed runner is restarted, also in a container, and waiting requests are answered; a shutdown loses none."""
    monkeypatch.setenv("BENTOML_CONTAINERIZED", "true")
    with start_server(extraction={"batch_s": 0.05}) as server:
        server.wait_until("/readyz", 200)
        with LoadGenerator(server.url, 8) as load:
            wait_for_a_correct_answer(load)
            killed_s = time.monotonic()
            server.worker("extraction_runner").kill()
            while recovery_time_s(load.requests, killed_s) is None:
                assert time.monotonic() < killed_s + 60, results(load)
                time.sleep(0.1)
        assert results(load).keys() <= {
            "correct",
            "refused",
        }  # refused, if it takes longer than max_wait_s to come back

        monkeypatch.setattr(verifying_clients, "RetryPolicy", lambda: RetryPolicy(max_total_s=5))  # nothing comes back
        with LoadGenerator(server.url, 8) as load:
            wait_for_a_correct_answer(load)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 0
        assert results(load).keys() <= {"correct", "refused", "not_connected"}


@pytest.fixture(scope="module")
def server(start_server):
    """A service with two pages per half second, and a maximum waiting time of 1.5 s."""
    with start_server(extraction={"batch_s": 0.5}, extraction_batch=2, max_wait_s=1.5, upload_timeout_s=1.0) as running:
        running.wait_until("/readyz", 200)
        with LoadGenerator(running.url, 4) as load:  # so that it has measured the time per page
            time.sleep(4)
        assert results(load).keys() <= {"correct", "refused"}
        yield running


def extract(server):
    picture, start_s = GreyImage.of(90), time.monotonic()
    response = server.client.post("/extraction", content=picture.png, headers=PNG)
    return response, time.monotonic() - start_s


def test_overload_is_refused_at_once_and_admitted_requests_are_in_time(server):
    """Refusals have Retry-After, /validation is not affected, and the service recovers soon."""
    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(extract, server) for _ in range(40)]
        time.sleep(0.3)
        validated = server.client.post("/validation", content=GreyImage.of(90).png, headers=PNG)
        answers = [one.result() for one in asked]

    answered = [took_s for response, took_s in answers if response.status_code == 200]
    refused = [(response, took_s) for response, took_s in answers if response.status_code == 503]
    assert validated.status_code == 200
    assert len(answered) + len(refused) == 40
    assert len(answered) >= 4
    assert len(refused) >= 20
    assert max(took_s for _, took_s in refused) < min(1.5, max(answered))
    for response, _ in refused:
        assert response.json()["code"] == "overloaded"
        assert 1 <= int(response.headers["retry-after"]) <= 2
    time.sleep(2)
    assert extract(server)[0].status_code == 200


def test_pages_of_disconnected_callers_are_not_extracted(server):
    """Only the pages in the runner are finished, the current batch and the next; waiting pages are dropped."""
    before = pages_extracted(server)
    with ExitStack() as callers:
        for _ in range(6):
            announce_upload(server, "/extraction", callers).sendall(GreyImage.of(90).png)
        time.sleep(0.2)

    until_s = time.monotonic() + 5
    while extract(server)[0].status_code != 200:
        assert time.monotonic() < until_s
        time.sleep(0.1)
    assert 1 < pages_extracted(server) - before <= 5  # 7 were sent


def announce_upload(server, path, callers):
    """Open a connection and send the header of an upload."""
    address = httpx.URL(server.url)
    caller = callers.enter_context(socket.create_connection((address.host, address.port)))
    head = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: image/png",
        f"Content-Length: {len(GreyImage.of(90).png)}",
    ]
    caller.sendall("\r\n".join([*head, "", ""]).encode())
    return caller


def pages_extracted(server):
    lines = server.client.get("/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("docextract_extraction_batch_items_sum"))


def test_slow_upload_is_cut_off(server):
    """An upload of single bytes is answered 408, and the connection is closed."""
    with ExitStack() as callers:
        caller = announce_upload(server, "/validation", callers)
        caller.settimeout(0.2)
        start_s, answer = time.monotonic(), b""
        while not answer and time.monotonic() < start_s + 10:
            caller.sendall(b"x")
            try:
                answer = caller.recv(4096)
            except TimeoutError:
                continue

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert 0.8 < time.monotonic() - start_s < 5

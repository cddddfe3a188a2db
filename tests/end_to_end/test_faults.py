"""Parts die, too much comes, callers trickle in or leave: nobody is lost, and nobody else pays for it.

`make reliability` does more of the same for longer, and writes docs/reliability.md.
"""

import signal
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from benchmarks.verifying_clients import GreyImage, LoadGenerator, recovery_time_s

pytestmark = pytest.mark.processes

PNG = {"content-type": "image/png"}


def results(load):
    return Counter(one.result for one in load.requests)


def test_no_request_is_lost_when_a_runner_dies_or_the_service_ends(start_server, monkeypatch):
    """In a container, too, a killed runner comes back and those who wait are answered; at the end nobody is cut off."""
    monkeypatch.setenv("BENTOML_CONTAINERIZED", "true")
    with start_server(extraction={"batch_s": 0.05}) as server:
        server.wait_until("/readyz", 200)
        with LoadGenerator(server.url, 8) as load:
            time.sleep(0.5)
            killed_s = time.monotonic()
            server.worker("extraction_runner").kill()
            while recovery_time_s(load.requests, killed_s) is None:
                assert time.monotonic() < killed_s + 60, results(load)
                time.sleep(0.1)
        assert results(load).keys() <= {
            "correct",
            "refused",
        }  # refused, if it takes longer than max_wait_s to come back

        with LoadGenerator(server.url, 8) as load:
            time.sleep(0.5)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 0
        assert results(load).keys() <= {"correct", "refused", "not_connected"}
        assert results(load)["correct"]


@pytest.fixture(scope="module")
def server(start_server):
    """Two pages in half a second, and nobody is to wait longer than a second and a half."""
    with start_server(extraction={"batch_s": 0.5}, extraction_batch=2, max_wait_s=1.5, upload_timeout_s=1.0) as running:
        running.wait_until("/readyz", 200)
        with LoadGenerator(running.url, 4) as load:  # so that it knows how long a page takes
            time.sleep(4)
        assert results(load).keys() <= {"correct", "refused"}
        yield running


def extract(server):
    picture, start_s = GreyImage.of(90), time.monotonic()
    response = server.client.post("/extraction", content=picture.png, headers=PNG)
    return response, time.monotonic() - start_s


def test_too_many_are_sent_away_at_once_and_the_rest_answered_in_time(server):
    """Each is told when to come back; /validation does not suffer; and soon all is as before."""
    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(extract, server) for _ in range(40)]
        time.sleep(0.3)
        looked = server.client.post("/validation", content=GreyImage.of(90).png, headers=PNG)
        answers = [one.result() for one in asked]

    answered = [took_s for response, took_s in answers if response.status_code == 200]
    refused = [(response, took_s) for response, took_s in answers if response.status_code == 503]
    assert looked.status_code == 200
    assert len(answered) + len(refused) == 40
    assert len(answered) >= 4
    assert len(refused) >= 20
    assert max(took_s for _, took_s in refused) < min(1.5, max(answered))
    for response, _ in refused:
        assert response.json()["code"] == "overloaded"
        assert 1 <= int(response.headers["retry-after"]) <= 2
    time.sleep(2)
    assert extract(server)[0].status_code == 200


def test_nothing_is_read_for_callers_who_left(server):
    """What is in the runner is finished, a batch and the next; whoever waited before it takes their page along."""
    before = pages_read(server)
    with ExitStack() as callers:
        for _ in range(6):
            hang_on(server, "/extraction", callers).sendall(GreyImage.of(90).png)
        time.sleep(0.2)

    until_s = time.monotonic() + 5
    while extract(server)[0].status_code != 200:
        assert time.monotonic() < until_s
        time.sleep(0.1)
    assert 1 < pages_read(server) - before <= 5  # 7 were sent


def hang_on(server, path, callers):
    """A connection over which a picture was announced."""
    address = httpx.URL(server.url)
    caller = callers.enter_context(socket.create_connection((address.host, address.port)))
    head = [
        f"POST {path} HTTP/1.1",
        "Host: x",
        "Content-Type: image/png",
        f"Content-Length: {len(GreyImage.of(90).png)}",
    ]
    caller.sendall("\r\n".join([*head, "", ""]).encode())
    return caller


def pages_read(server):
    lines = server.client.get("/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("docextract_extraction_batch_items_sum"))


def test_an_upload_that_trickles_in_is_cut_off(server):
    """A byte now and then is told 408, and the connection ends."""
    with ExitStack() as callers:
        caller = hang_on(server, "/validation", callers)
        caller.settimeout(0.2)
        start_s, said = time.monotonic(), b""
        while not said and time.monotonic() < start_s + 10:
            caller.sendall(b"x")
            try:
                said = caller.recv(4096)
            except TimeoutError:
                continue

    assert said.startswith(b"HTTP/1.1 408 ")
    assert 0.8 < time.monotonic() - start_s < 5

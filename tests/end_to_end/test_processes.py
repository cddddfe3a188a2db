"""The service as it is deployed: a front and two runners in separate processes.

BentoML 1.4.39 can lose requests, hang, or mix up answers; our settings and patches prevent each of these. An upgrade
of BentoML that brings one back fails here.
"""

import io
import os
import re
import socket
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from PIL import Image

from tests.end_to_end.conftest import ROOT

pytestmark = pytest.mark.processes

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def server(start_server):
    """One running service for all tests that leave it intact."""
    with start_server(extraction={"batch_s": 0.02}) as running:
        running.wait_until("/readyz", 200)
        yield running


def grey_png(level, side_px=64):
    """Return a page of one grey level, which the stub extractor returns as the merchant's name."""
    out = io.BytesIO()
    Image.new("L", (side_px, side_px), level).save(out, "PNG")
    return out.getvalue()


def extract(server, level):
    return server.client.post("/extraction", content=grey_png(level), headers={"content-type": "image/png"})


def name_read(response):
    return response.json()["documents"][0]["fields"]["merchant_name"]["value"]


def together(count, call):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


def test_no_call_is_lost_and_each_gets_its_own_answer(server):
    """Four hundred requests from sixteen clients: all are answered, none with the page of another caller.

    With BentoML's default connection settings, several in a hundred calls would have to be repeated.
    """
    levels = [20 + number % 200 for number in range(400)]
    with ThreadPoolExecutor(16) as pool:
        responses = list(pool.map(lambda level: extract(server, level), levels))

    assert [response.status_code for response in responses] == [200] * 400
    assert [name_read(response) for response in responses] == [f"GREY {level}" for level in levels]
    assert "called again" not in server.log.read_text()


def test_requests_are_batched_and_batch_sizes_are_counted(server):
    """Calls that arrive together form one batch, and /metrics counts the items of each batch."""
    together(24, lambda number: extract(server, 100 + number))

    metrics = server.client.get("/metrics").text
    for name in ("quality", "extraction"):
        total = float(re.search(rf"^docextract_{name}_batch_items_sum (\S+)", metrics, re.M)[1])
        batches = float(re.search(rf"^docextract_{name}_batch_items_count (\S+)", metrics, re.M)[1])
        assert total >= 24
        assert batches < total


def test_failing_page_affects_only_its_caller(server):
    """The model raises on a black page; the other pages of its batch are answered."""
    levels = [120] * 6 + [0] + [130] * 6
    responses = together(len(levels), lambda number: extract(server, levels[number]))

    assert [response.status_code for response in responses] == [200 if level else 500 for level in levels]
    assert responses[6].json()["code"] == "internal_error"


def test_undecodable_image_is_refused_among_other_requests(server):
    """Other requests are answered at the same time."""
    sent = [grey_png(99), b"rubbish", grey_png(98)]
    responses = together(3, lambda number: server.client.post("/validation", files={"images": sent[number]}))

    assert [response.status_code for response in responses] == [200, 422, 200]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/extraction", 405), ("GET", "/schema.json", 404), ("POST", "/validation", 415)],
)
def test_every_error_of_the_real_server_is_a_problem(server, method, path, status):
    """BentoML's own pages and texts are never sent."""
    response = server.client.request(method, path)

    assert (response.status_code, response.headers["content-type"]) == (status, PROBLEM)


def test_upload_over_the_limit_is_answered(server):
    """The answer arrives although the body was not read."""
    response = server.client.post(
        "/validation", content=b"x" * 25_000_001, headers={"content-type": "image/jpeg", "expect": "100-continue"}
    )

    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


def test_front_does_not_load_torch(server):
    """No library of torch is mapped into its process; another mapped library proves that the test can see them."""
    libraries = {Path(region.path).name for region in server.worker("docextract").memory_maps()}

    assert any("heif" in name for name in libraries)
    assert not any("torch" in name for name in libraries)


def test_dead_runner_is_reported_at_once_and_restarted(server):
    """/readyz answers 503 without hanging, the runner is restarted, and the log names it."""
    runner = server.worker("extraction_runner")
    runner.kill()

    slowest = 0.0
    for _ in range(5):
        start = time.monotonic()
        status = server.client.get("/readyz").status_code
        slowest = max(slowest, time.monotonic() - start)
        if status == 503:
            break
    assert status == 503
    assert slowest < 4
    assert server.client.get("/livez").status_code == 200
    server.wait_until("/readyz", 200)
    assert name_read(extract(server, 77)) == "GREY 77"
    assert re.search(
        rf"process died.*service=\S*extraction_runner\S* pid={runner.pid} exit_status=-9", server.log.read_text()
    )


def test_only_the_front_listens_on_a_port(server):
    """Runners unpickle their input, and BentoML's supervisor starts any program on command: neither has a port.

    Their sockets are files in folders that only the service's own user can open.
    """
    first = psutil.Process(server.process.pid)
    lines = [line for one in (first, *first.children(recursive=True)) for line in one.net_connections("all")]

    listening = {line.laddr.port for line in lines if line.family != socket.AF_UNIX and not line.raddr}
    files = {Path(line.laddr) for line in lines if line.family == socket.AF_UNIX and line.laddr}
    assert listening == {server.client.base_url.port}
    assert len(files) == 2
    for file in files:
        folder = file.parent.stat()
        assert (stat.S_IMODE(folder.st_mode), folder.st_uid) == (0o700, os.getuid())


def test_caller_behind_a_proxy_is_remote(server):
    """Without keys: the proxy's address is loopback, but it forwards the caller's address. The query is not logged."""
    asked = server.client.get("/v1/limits?q=Xq7MARK", headers={"x-forwarded-for": "127.0.0.1, 203.0.113.9"})

    assert (asked.status_code, asked.json()["code"]) == (403, "forbidden")
    assert server.client.get("/v1/limits").status_code == 200
    assert "Xq7MARK" not in server.log.read_text()


def test_killed_supervisor_leaves_no_process_behind(start_server):
    """The port is free again, so the service can be restarted."""
    with start_server() as server:
        server.wait_until("/readyz", 200)
        supervisor, port = psutil.Process(server.process.pid), server.client.base_url.port
        others = supervisor.children(recursive=True)
        supervisor.kill()
        supervisor.wait()

        _, left = psutil.wait_procs(others, timeout=20)
        assert len(others) >= 3
        assert left == []
        with socket.create_server(("127.0.0.1", port)):
            pass


def test_second_start_names_the_process_that_holds_the_port(server):
    """Instead of a stack trace."""
    port = server.client.base_url.port
    command = [*server.process.args[:-1], str(port)]

    second = subprocess.run(command, env=server.environment, cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert second.returncode == 1
    assert f"port {port} is in use by process {server.process.pid} " in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.slow
def test_loading_runner_is_reported_at_once(start_server):
    """While a model loads, /readyz answers 503 within seconds, with Retry-After, and /livez answers 200."""
    with start_server(quality={"load_s": 8.0}) as server:
        server.wait_until("/livez", 200)
        start = time.monotonic()
        response = server.client.get("/readyz")
        took_s = time.monotonic() - start

        assert (response.status_code, response.headers["content-type"]) == (503, PROBLEM)
        assert response.json()["code"] == "model_not_ready"
        assert "retry-after" in response.headers
        assert took_s < 4
        server.wait_until("/readyz", 200)


@pytest.mark.slow
def test_timeout_and_overload_are_problems(start_server):
    """504 when the answer takes too long; 503 with Retry-After, at once, when the service is at capacity."""
    with start_server(extraction={"batch_s": 4.5}, timeout_s=3, max_concurrency=2) as server:
        server.wait_until("/readyz", 200)
        start = time.monotonic()
        responses = together(6, lambda number: (extract(server, 50 + number), time.monotonic() - start))

    by_status: dict[int, list] = {}
    for response, finished_s in responses:
        assert response.headers["content-type"] == PROBLEM
        by_status.setdefault(response.status_code, []).append((response, finished_s))
    assert by_status.keys() == {503, 504}
    assert len(by_status[504]) == 2
    assert {response.json()["code"] for response, _ in by_status[503]} == {"overloaded"}
    assert all("retry-after" in response.headers for response, _ in by_status[503])
    assert max(finished_s for _, finished_s in by_status[503]) < 3


@pytest.mark.slow
def test_hanging_runner_is_restarted(start_server):
    """Its caller gets 504; later callers are answered by another process."""
    with start_server(extraction={"hangs_at": 200}, timeout_s=2) as server:
        server.wait_until("/readyz", 200)
        stuck = server.worker("extraction_runner")
        assert extract(server, 200).status_code == 504
        stuck.wait(timeout=20)
        server.wait_until("/readyz", 200)
        assert name_read(extract(server, 77)) == "GREY 77"


@pytest.mark.slow
def test_draining_before_the_shutdown_loses_no_request(start_server, tmp_path):
    """Create the drain file, wait until /readyz answers 503, then send SIGTERM: every request is answered 200.

    Without draining, no request would be lost, but late ones would be answered 503.
    """
    drain_file = tmp_path / "drain"
    with start_server(quality={"batch_s": 0.2}, extraction={"batch_s": 0.6}, drain_file=drain_file) as server:
        server.wait_until("/readyz", 200)
        draining = False

        def send_until_drained(client_number):
            statuses = []
            while not draining:  # like a load balancer: no new request after /readyz has answered 503
                statuses.append(extract(server, 60 + client_number).status_code)
            return statuses

        with ThreadPoolExecutor(6) as pool:
            senders = [pool.submit(send_until_drained, number) for number in range(6)]
            time.sleep(2)
            drain_file.touch()
            assert server.wait_until("/readyz", 503) < 3
            draining = True
            time.sleep(2)  # longer than any request takes
            assert server.terminate() == 0
            statuses = [status for one in senders for status in one.result()]

    assert len(statuses) >= 6
    assert set(statuses) == {200}


def test_lost_item_of_a_runner_is_noticed(start_server):
    """BentoML would split the remaining answers and give them to the wrong callers without an error.

    Every call has lost an answer or received one of another call, so each must fail, and for this reason.
    """
    with start_server(target="forgetful:Forgetful") as server:
        server.wait_until("/readyz", 200)
        outcomes = server.client.post("/outcomes", json={}).json()

        assert outcomes == ["the answers do not belong to the items"] * 4
        assert server.log.read_text().count("answers do not match the items") == 4

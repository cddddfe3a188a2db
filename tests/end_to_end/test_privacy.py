"""Nothing that is sent is stored or leaves the machine.

Requests with a marker get every kind of answer, then files are searched for it. In another test, each process reports
the connections that it attempts.
"""

import base64
import io
import json
import os
import shutil
import socket
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from docextract.keys import generate_key, key_digest
from docextract.pipeline.problems import CODES
from tests.end_to_end.conftest import HERE, ROOT
from tests.images.text_pdfs import text_pdf, words

pytestmark = pytest.mark.processes

MARK = "Xq7MARKEDvj"
REQUEST_ID = "followed-4711"  # it is logged, so the search must find it
KEY, LIMITED_KEY = generate_key(), generate_key()
ELSEWHERE = {
    "forbidden",
    "model_not_ready",
}  # tested in test_processes.py: without keys; while a model loads


def picture(level=120, size=(300, 200), kind="JPEG"):
    """Return a picture with the marker in its EXIF data and after its end."""
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = MARK  # ImageDescription
    Image.new("L", size, level).save(out, kind, exif=exif)
    return out.getvalue() + MARK.encode()


def heavy_picture():
    """Return a picture over one megabyte, a size that many servers write to disk."""
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = MARK
    Image.effect_noise((1400, 1000), 60).save(out, "JPEG", exif=exif, quality=97)
    assert 1_100_000 < len(out.getvalue()) < 2_000_000
    return out.getvalue()


def form(data, **options):
    files = [("images", (f"{MARK}.jpg", data, "image/jpeg"))]
    return {"files": files, "data": {"external_id": MARK, **options}}


def raw(data, **options):
    headers = {"content-type": "image/jpeg", "cookie": MARK, "referer": f"https://{MARK}.example/"}
    return {"content": data, "params": {"external_id": MARK, **options}, "headers": headers}


def encoded(data, **options):
    return {"json": {"images": [{"content": base64.b64encode(data).decode()}], "external_id": MARK, **options}}


def answers(client):
    """Yield successful answers and every problem that does not depend on timing."""
    good = picture()
    ask = client.post
    yield from (
        ask(path, **shape(good, **options))
        for path in ("/v1/extraction", "/validation")
        for shape in (form, raw, encoded)
        for options in ({}, {"document_type": "receipt"})
    )
    yield ask("/extraction", **form(heavy_picture(), include="lines,crops,polygons,verdict"))
    yield ask("/extraction", **form(good, validation="enforce", strictness="strict"))  # image_quality_insufficient
    yield ask("/extraction", **raw(picture(level=0)))  # internal_error: the model's exception contains the marker
    yield ask("/extraction", content=f'{{"{MARK}": '.encode(), headers={"content-type": "application/json"})
    yield ask("/extraction", **form(good, document_type=MARK))  # invalid_parameter
    yield ask("/extraction", **form(good, **{MARK: MARK}))
    yield ask("/extraction", **encoded(good, min_confidence=MARK))
    yield ask("/extraction", json={"images": [{"content": MARK + "!"}]})
    yield ask("/extraction", **raw(MARK.encode() * 10))  # image_undecodable
    yield ask("/extraction", **raw(good[:150]))
    yield ask("/extraction", **raw(b"%PDF-1.7\n" + MARK.encode()))
    yield ask("/extraction", **raw(picture(size=(20, 20))))  # image_too_small
    yield ask("/extraction", **raw(picture(size=(12_000, 70), kind="PNG")))  # image_too_large
    yield ask("/extraction", files=[("images", (f"{MARK}.jpg", good, "image/jpeg"))] * 11)  # too_many_images
    yield ask("/extraction", **raw(text_pdf(*[words(MARK, 60, 700)] * 21)))  # too_many_pages
    yield ask("/extraction", **raw(MARK.encode() * 300_000))  # payload_too_large
    yield ask("/extraction", content=good, headers={"content-type": f"image/{MARK}"})  # unsupported_media_type
    yield ask("/extraction", **raw(good) | {"headers": {"accept": f"image/{MARK}"}})  # not_acceptable
    yield client.get(f"/{MARK}")  # not_found
    yield client.get(f"/v1/document-types/{MARK}", params={"q": MARK})
    yield client.delete("/extraction", params={"q": MARK})  # method_not_allowed
    yield ask("/extraction", **raw(good) | {"headers": {"x-api-key": MARK}})  # unauthorized
    yield ask("/extraction", **raw(good) | {"headers": {"authorization": f"Basic {MARK}"}})
    limited = {"headers": {"x-api-key": LIMITED_KEY, "content-type": "image/jpeg"}}
    yield from [ask("/validation", **raw(good) | limited) for _ in range(2)]  # rate_limited
    yield client.get("/v1/limits", headers={"x-request-id": REQUEST_ID})


def answers_that_depend_on_timing(client):
    """Yield the answers to a page that takes too long and to one that arrives meanwhile: timeout, overloaded."""
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client.post, "/extraction", **form(picture(level=255)))
        time.sleep(0.7)
        yield client.post("/extraction", **form(picture()))
        yield slow.result()


def half_upload(server, leave):
    """Send half of an upload; then disconnect, or wait for the problem and return its code."""
    head = (
        f"POST /extraction?external_id={MARK} HTTP/1.1\r\nHost: x\r\nX-API-Key: {KEY}\r\nContent-Type: image/jpeg\r\n"
        f"Content-Length: 90000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.client.base_url.port)) as line:
        line.sendall(head.encode() + picture())
        if leave:
            return None
        line.settimeout(20)
        answer = line.recv(65_536)
        while b"\r\n\r\n{" not in answer:
            answer += line.recv(65_536)
        return json.loads(answer.partition(b"\r\n\r\n")[2])["code"]


@pytest.fixture
def temporary():
    """A folder for temporary files; its name is short because it becomes part of a socket's path."""
    folder = Path(tempfile.mkdtemp(prefix="marked-"))
    yield folder
    shutil.rmtree(folder)


def traces(*places):
    """Return the files that contain the marker or a key, in their content or their name."""
    markers = [MARK.encode(), KEY.encode(), LIMITED_KEY.encode(), base64.b64encode(b"\0" + MARK.encode())[4:-4]]
    files = [path for place in places for path in ([place] if place.is_file() else place.rglob("*")) if path.is_file()]
    assert files
    return [path for path in files if any(word in path.read_bytes() + path.name.encode() for word in markers)]


@pytest.mark.slow
def test_nothing_that_is_sent_is_stored(start_server, temporary):
    """Not in logs, metrics, temporary files, BentoML's home or the models, for every kind of answer and disconnect.

    And there is no telemetry: with these variables, BentoML would write to the log what it reports.
    """
    changes = {"TMPDIR": str(temporary), "BENTOML_DO_NOT_TRACK": None, "__BENTOML_DEBUG_USAGE": "True"}
    keys = f'one = "{key_digest(KEY)}"\nhasty = {{ digest = "{key_digest(LIMITED_KEY)}", rate_limit = "1/hour" }}'
    settings = {
        "api_keys": keys,
        "timeout_s": 4,
        "upload_timeout_s": 2,
        "max_concurrency": 1,
        "max_request_bytes": 2_000_000,
        "thresholds": '{"strict": 0.99}',
    }
    with start_server(extraction={"mark": MARK, "white_s": 6.0}, changes=changes, **settings) as server:
        server.wait_until("/readyz", 200)
        places = (server.log, temporary, Path(server.environment["BENTOML_HOME"]), server.models)
        before = traces(*places)  # the marker of the stub model is in its config.json
        server.client.headers["x-api-key"] = KEY
        given = [*answers(server.client), *answers_that_depend_on_timing(server.client)]
        half_upload(server, leave=True)
        slow = half_upload(server, leave=False)
        metrics = server.client.get("/metrics").text
        while_serving = traces(*places)
        server.client.close()
        server.terminate()

    codes = {one.json()["code"] for one in given if one.status_code != 200} | {slow}
    assert codes == CODES.keys() - ELSEWHERE, [one.text[:200] for one in given if one.status_code >= 500]
    read = [one.text for one in given if one.status_code == 200 and "extraction" in str(one.request.url)]
    assert len(read) == 7
    assert all(MARK in answer.replace(f'"external_id":"{MARK}"', "") for answer in read)  # the marker was extracted
    log = server.log.read_text()
    assert REQUEST_ID in log
    assert "Tracking" not in log
    assert MARK not in metrics
    assert {path.name for path in before} == {"config.json"}
    assert while_serving == before
    assert traces(*places) == before


# Python imports a module of this name in each process that it starts.
REPORT_CONNECTIONS = """
import os, socket, sys

LOCAL = (None, "127.0.0.1", "::1", "localhost", socket.gethostname())  # BentoML's supervisor looks up its own name

def report(event, values):
    if event == "socket.connect":
        host = values[1][0] if isinstance(values[1], tuple) else None  # sockets of the machine have a path
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = values[0]
    else:
        return
    if host not in LOCAL:
        with open(os.environ["ATTEMPTS"], "a") as file:
            print(event, host, sys.argv, file=file)

sys.addaudithook(report)
open(os.environ["ATTEMPTS"], "a").close()
"""


@pytest.mark.slow
def test_nothing_leaves_the_machine(start_server, temporary):
    """With the real models no process looks up, or connects to, another machine or writes into the home directory.

    Telemetry is off in BentoML and in OpenVINO, also without environment variables.
    """
    home, attempts = temporary / "home", temporary / "attempts"
    home.mkdir()
    (temporary / "sitecustomize.py").write_text(REPORT_CONNECTIONS)
    changes = {
        "HOME": str(home),
        "ATTEMPTS": str(attempts),
        "PYTHONPATH": os.pathsep.join([str(temporary), str(ROOT / "src"), str(HERE)]),
        **dict.fromkeys(("BENTOML_DO_NOT_TRACK", "CI", "TF_BUILD", "JENKINS_URL")),  # OpenVINO reports nothing in CI
    }
    photo = (ROOT / "docs" / "images" / "receipt.jpg").read_bytes()
    with start_server(models=ROOT / "models", changes=changes) as server:
        server.wait_until("/readyz", 200)
        answer = server.client.post("/extraction", files={"images": photo})
        server.client.close()
        server.terminate()

    assert answer.json()["documents"]
    assert attempts.read_text() == ""
    assert list(home.rglob("*")) == []

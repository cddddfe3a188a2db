import base64
import io
import tempfile
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import anyio
import numpy as np
import pypdfium2
import pytest
from PIL import Image
from starlette.testclient import TestClient

from docextract.client import calls
from docextract.http import requests
from docextract.http.app import create_app
from docextract.images import decoding
from docextract.images.decoding import DecodingLimits
from docextract.pipeline import options, steps
from docextract.pipeline.options import Upload
from docextract.pipeline.problems import ProblemError
from docextract.settings import Settings
from tests.http.conftest import jpeg, version

PAGE = np.full((200, 200, 3), 255, np.uint8)
OPERATIONS = ["/validation", "/v1/validation", "/extraction", "/v1/extraction"]


def problem(response, status, code):
    """The body of a problem that has this status and code."""
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert (response.status_code, body["status"], body["code"]) == (status, status, code), body
    return body


def in_base64(data, **more):
    return {"content": base64.b64encode(data).decode(), **more}


def pdf(pages):
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(200, 300)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize("path", OPERATIONS)
def test_three_forms_of_one_request_are_answered_alike(client, good, path):
    """A form, JSON with base64 and the file itself: the same answer but for its id and times."""
    answers = [
        client.post(path, files={"images": good}, data={"external_id": "a"}),
        client.post(path, json={"images": [in_base64(good)], "external_id": "a"}),
        client.post(path, params={"external_id": "a"}, content=good, headers={"content-type": "image/jpeg"}),
    ]

    assert [answer.status_code for answer in answers] == [200] * 3
    bodies = [answer.json() for answer in answers]
    for body in bodies:
        del body["request_id"]
        body.pop("timings_ms", None)
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0]["external_id"] == "a"


@pytest.mark.parametrize("kind", ["image/jpg", "IMAGE/JPEG; charset=binary", "application/octet-stream", "image/png"])
def test_the_bytes_say_what_a_file_is(client, good, kind):
    """A wrong or vague label on a JPEG does no harm."""
    assert client.post("/validation", content=good, headers={"content-type": kind}).status_code == 200


def test_several_images_keep_their_order(client, good, poor):
    """The verdicts stand in the order of the upload."""
    body = client.post("/validation", files=[("images", good), ("images", poor), ("images", good)]).json()

    assert [image["accepted"] for image in body["images"]] == [True, False, True]
    assert [image["index"] for image in body["images"]] == [0, 1, 2]


def test_each_page_of_a_pdf_is_an_image(client):
    """Three pages, one upload."""
    body = client.post("/validation", content=pdf(3), headers={"content-type": "application/pdf"}).json()

    assert [(image["index"], image["upload"]) for image in body["images"]] == [(0, 0), (1, 0), (2, 0)]


def test_the_caller_knows_which_side_it_is(client, good):
    """`side` in the request wins over what the network believes."""
    body = client.post("/validation", json={"images": [in_base64(good, side="back")]}).json()

    assert body["images"][0]["document"]["side"] == "back"


def test_a_data_url_is_base64_too(client, good):
    """What a browser's FileReader gives can be sent as it is."""
    content = "data:image/jpeg;base64," + base64.b64encode(good).decode()

    assert client.post("/validation", json={"images": [{"content": content}]}).status_code == 200


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"strictness": "harsh"}, "/strictness"),
        ({"severity": "glair:error"}, "/severity"),
        ({"severity": "glare:fatal"}, "/severity"),
        ({"severity": "document_absent:off"}, "/severity"),
        ({"document_type": "napkin"}, "/document_type"),
        ({"min_confidence": "1.5"}, "/min_confidence"),
        ({"min_confidence": "much"}, "/min_confidence"),
        ({"include": "polygons,everything"}, "/include/0"),
        ({"include": "portrait"}, "/include/0"),
        ({"group": "all"}, "/group"),
        ({"validation": "maybe"}, "/validation"),
        ({"strictnes": "strict"}, "/strictnes"),
        ({"external_id": "x" * 201}, "/external_id"),
    ],
)
@pytest.mark.parametrize("form", ["multipart", "json", "raw"])
def test_a_wrong_option_is_pointed_at(client, good, options, pointer, form):
    """422 with a pointer, in every form; a misspelt name is not passed over in silence."""
    if form == "multipart":
        response = client.post("/extraction", files={"images": good}, data=options)
    elif form == "json":
        response = client.post("/extraction", json={"images": [in_base64(good)], **options})
    else:
        response = client.post("/extraction", params=options, content=good, headers={"content-type": "image/jpeg"})

    (error,) = problem(response, 422, "invalid_parameter")["errors"]
    assert error["pointer"].startswith(pointer.rpartition("/0")[0] or pointer)


def test_an_option_of_the_other_operation_is_explained(client, good):
    """/validation has nothing to group."""
    response = client.post("/validation", files={"images": good}, data={"group": "single"})

    assert problem(response, 422, "invalid_parameter")["errors"] == [
        {"pointer": "/group", "detail": "is an option of /extraction only"}
    ]


@pytest.mark.parametrize("include", [["polygons", "raw"], ["polygons,raw"], [" polygons , raw "]])
def test_several_parts_are_a_list_or_have_commas(client, good, include):
    """include=polygons&include=raw is include=polygons,raw."""
    (document,) = client.post("/extraction", files={"images": good}, data={"include": include}).json()["documents"]

    assert "raw" in document
    assert "polygon" in document["fields"]["merchant_name"]


def test_the_python_client_knows_the_same_parts():
    """Neither promises what the other does not have."""
    assert set(get_args(calls.Part)) == set(get_args(options.AnswerPart))


@pytest.mark.parametrize(
    ("send", "code"),
    [
        ({"content": b"{", "headers": {"content-type": "application/json"}}, "malformed_request"),
        ({"content": b"[1]", "headers": {"content-type": "application/json"}}, "malformed_request"),
        ({"content": b"[" * 100_000, "headers": {"content-type": "application/json"}}, "malformed_request"),
        ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, "malformed_request"),
        ({"content": b"x", "headers": {"content-type": "multipart/form-data; boundary=b"}}, None),
    ],
)
def test_what_cannot_be_parsed_is_a_400(client, send, code):
    """Broken JSON, JSON that is no object, a form without its boundary."""
    response = client.post("/validation", **send)

    assert response.status_code in (400, 422)
    if code:
        problem(response, 400, code)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"images": [], **{f"option{at}": 1 for at in range(1_000)}}, 400),
        ({"images": [{f"option{at}": 1 for at in range(1_000)}]}, 400),
        ({"images": [], "include": [f"part{at}" for at in range(1_000)]}, 422),
        ({"images": [], "include": [[]] * 1_000}, 422),
    ],
)
def test_endless_options_get_one_complaint(client, body, status):
    """Not one for each: the time and the answer would grow with what was sent."""
    response = client.post("/extraction", json=body)

    assert response.status_code == status
    assert len(response.content) < 1_000


@pytest.mark.parametrize("value", [b"[]", b"{}", b"1", b'""'])
def test_a_body_of_millions_of_values_is_not_read(value):
    """Small ones take thirty times the memory of what was sent."""
    body = b'{"images":[' + value + (b"," + value) * 100_000 + b"]}"

    tracemalloc.start()
    with pytest.raises(ProblemError) as refused:
        requests._from_json(body, 10)
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert refused.value.code == "malformed_request"
    assert most_bytes < len(body)


def test_white_space_in_base64_costs_little():
    """It may stand after every second letter."""
    spaced = base64.b64encode(b"\0" * 1_000_000).decode().replace("AA", "AA \t\r\n")

    tracemalloc.start()
    upload = requests._from_json_image(0, {"content": spaced})
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert upload.data == b"\0" * 1_000_000
    assert most_bytes < 3 * len(spaced)


def form(charset, text):
    """A form whose header names a charset, and its body with one field."""
    body = b'--b\r\nContent-Disposition: form-data; name="external_id"\r\n\r\n' + text + b"\r\n"
    photo = b'--b\r\nContent-Disposition: form-data; name="images"; filename="a"\r\n\r\n' + jpeg() + b"\r\n"
    header = {"content-type": f"multipart/form-data; boundary=b; {charset}"}
    return {"content": body + photo + b"--b--\r\n", "headers": header}


@pytest.mark.parametrize(
    "charset",
    ["charset=punycode", "charset=undefined", "charset=utf-8; charset=punycode", 'charset="utf-16"'],
)
def test_codecs_that_no_form_needs_are_refused(client, charset):
    """Some of Python's take minutes, some end in errors of their own."""
    problem(client.post("/validation", **form(charset, b"a" * 100)), 400, "malformed_request")


@pytest.mark.parametrize(
    ("charset", "text"),
    [("charset=UTF-8", "é".encode()), ('charset="iso-8859-1"', b"\xe9"), ("Charset=us-ascii", b"\xe9")],
)
def test_charsets_that_clients_send_are_read(client, charset, text):
    """RFC 7578 knows none, older clients name theirs."""
    assert client.post("/validation", **form(charset, text)).json()["external_id"] == "é"


@pytest.mark.parametrize("ending", [b"", b"\r\n--b\r\n", b"\r\n--b-"])
def test_a_form_that_breaks_off_is_not_answered_in_part(client, good, ending):
    """The image that was cut short would be missing, and the verdict about the others alone."""
    part = b'--b\r\nContent-Disposition: form-data; name="images"; filename="a"\r\n\r\n' + good
    response = client.post(
        "/validation",
        content=part + b"\r\n" + part + ending,
        headers={"content-type": "multipart/form-data; boundary=b"},
    )

    problem(response, 400, "malformed_request")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/images"),
        ({"images": []}, "/images"),
        ({"images": "abc"}, "/images"),
        ({"images": [{}]}, "/images/0/content"),
        ({"images": ["abc"]}, "/images/0"),
        ({"images": [{"content": "%%%"}]}, "/images/0/content"),
        ({"images": [{"content": "AAAA", "side": "left"}]}, "/images/0/side"),
        ({"images": [{"content": "AAAA", "url": "http://example.org"}]}, "/images/0/url"),
    ],
)
def test_json_images_are_checked_one_by_one(client, body, pointer):
    """The pointer says which, and an address is never fetched."""
    (error,) = problem(client.post("/validation", json=body), 422, "invalid_parameter")["errors"]

    assert error["pointer"] == pointer


@pytest.mark.parametrize(
    "send",
    [
        {"files": {"file": b"x"}},
        {"files": {"other": b"x"}, "data": {"images": "@photo.jpg"}},
        {"content": b"", "headers": {"content-type": "image/jpeg"}},
    ],
)
def test_images_in_the_wrong_place_are_explained(client, send):
    """Another field name, text instead of a file, an empty body."""
    problem(client.post("/validation", **send), 422, "invalid_parameter")


@pytest.mark.parametrize("kind", ["text/csv", "application/x-www-form-urlencoded", "image/gif", ""])
def test_other_kinds_of_body_are_a_415_that_tells_the_right_ones(client, kind):
    """What curl sends by default is explained, too."""
    response = client.post("/validation", content=b"x", headers={"content-type": kind})

    assert "multipart/form-data" in problem(response, 415, "unsupported_media_type")["detail"]


def test_one_bad_image_of_several_is_named(client, good):
    """Two of three are broken; both are pointed at."""
    response = client.post("/extraction", files=[("images", b"text"), ("images", good), ("images", b"%PDF-")])

    errors = problem(response, 422, "image_undecodable")["errors"]
    assert [error["pointer"] for error in errors] == ["/images/0", "/images/2"]


@pytest.mark.parametrize("form", ["multipart", "json"])
def test_too_many_images_are_refused(client, good, form):
    """Four where three are allowed."""
    if form == "multipart":
        response = client.post("/validation", files=[("images", good)] * 5)
    else:
        response = client.post("/validation", json={"images": [in_base64(good)] * 4})

    assert problem(response, 422, "too_many_images")["errors"][0]["pointer"] == "/images/3"


def test_images_are_counted_before_the_first_is_opened(client):
    """A list of a million costs no more than its JSON."""
    response = client.post("/validation", json={"images": [{"content": "%%%"}] * 4})

    problem(response, 422, "too_many_images")


def test_pages_of_pdfs_count_as_images(client, good):
    """One photo and three pages are four images."""
    response = client.post("/validation", files=[("images", good), ("images", pdf(3))])

    assert problem(response, 422, "too_many_images")["errors"][0]["pointer"] == "/images/1"


def test_pages_are_counted_while_files_are_opened(monkeypatch):
    """Once there are too many, no further file is drawn: ten PDFs of ten pages would take a gigabyte."""
    opened = []
    monkeypatch.setattr(decoding, "decode_upload", lambda data, limits: opened.append(data) or (PAGE,) * 3)

    async def photos():
        await steps.decode_uploads([Upload(b"")] * 5, DecodingLimits(), 3, anyio.CapacityLimiter(1))

    with pytest.raises(ProblemError) as refused:
        anyio.run(photos)

    assert refused.value.code == "too_many_images"
    assert len(opened) == 2


def test_pictures_do_not_wait_for_slow_pdfs(client, good, monkeypatch):
    """PDFs are drawn by one process, one at a time; those who wait for it take no thread that decodes pictures."""
    mark_late = b"\n" * 1019 + b"%PDF-"
    drawing, drawn = threading.Semaphore(0), threading.Event()

    def decode(data, limits):
        if data == mark_late:
            drawing.release()
            drawn.wait(20)
        return (PAGE,)

    monkeypatch.setattr(decoding, "decode_upload", decode)
    with ThreadPoolExecutor(3) as callers:
        slow = [callers.submit(client.post, "/validation", files={"images": mark_late}) for _ in range(2)]
        try:
            assert drawing.acquire(timeout=10)
            assert not drawing.acquire(timeout=0.5)
            photo = callers.submit(client.post, "/extraction", files={"images": good}).result(timeout=10)
        finally:
            drawn.set()

    assert [photo.status_code, *(caller.result().status_code for caller in slow)] == [200] * 3


def test_a_body_over_the_limit_is_refused_by_its_length(client):
    """Content-Length is enough to know."""
    response = client.post("/validation", content=b"x" * 400_001, headers={"content-type": "image/jpeg"})

    problem(response, 413, "payload_too_large")


@pytest.mark.parametrize("kind", ["image/jpeg", "application/json", "multipart/form-data; boundary=b"])
def test_a_body_of_unknown_length_is_counted(client, kind):
    """Chunked uploads cannot get round the limit, and are not read to their end."""
    sent = []

    def chunks():
        for _ in range(1_000):
            sent.append(1)
            yield (
                b'--b\r\nContent-Disposition: form-data; name="images"; filename="a"\r\n\r\n'
                if not sent[1:]
                else b"x" * 10_000
            )

    response = client.post("/validation", content=chunks(), headers={"content-type": kind})

    problem(response, 413, "payload_too_large")


def test_no_upload_touches_a_disk(models, monkeypatch, tmp_path):
    """Not even one over a megabyte, for which starlette's own parser would make a file: there is no place for one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    photo = io.BytesIO()
    Image.effect_noise((1500, 1200), 60).save(photo, "JPEG", quality=97)
    assert len(photo.getvalue()) > 1_100_000

    served = {name: version(name) for name in ("quality", "extraction")}
    with TestClient(create_app(models, Settings(), served)) as client:
        response = client.post("/extraction", files=[("images", photo.getvalue())] * 2, data={"validation": "off"})

    assert response.status_code == 200


def test_an_image_over_its_own_limit_is_a_422(client):
    """The request may be larger than one image may be."""
    response = client.post("/validation", content=b"x" * 100_001, headers={"content-type": "image/jpeg"})

    problem(response, 422, "image_too_large")


@pytest.mark.parametrize("accept", ["text/html", "image/*", "application/json;q=0"])
def test_who_takes_no_json_is_told_before_uploading(client, good, accept):
    """406, whatever the body."""
    problem(client.post("/validation", files={"images": good}, headers={"accept": accept}), 406, "not_acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*;q=0.5", "text/html, application/json;q=0.9", ""])
def test_who_takes_json_gets_it(client, good, accept):
    """Among others, or by a wild card."""
    assert client.post("/validation", files={"images": good}, headers={"accept": accept}).status_code == 200


def test_a_file_without_a_name_is_a_file_by_its_type(client, good):
    """RFC 7578 makes the name optional, and generated clients leave it out."""
    part = b'--b\r\nContent-Disposition: form-data; name="images"\r\nContent-Type: image/jpeg\r\n\r\n' + good
    body = part + b"\r\n--b--\r\n"

    response = client.post("/validation", content=body, headers={"content-type": "multipart/form-data; boundary=b"})

    assert response.status_code == 200


@pytest.mark.parametrize("given", [False, "0.5", None])
def test_a_number_in_json_is_a_number(client, good, given):
    """A truth or a text in its place is a mistake of the caller's."""
    body = {"images": [{"content": base64.b64encode(good).decode()}], "min_confidence": given}

    assert client.post("/extraction", json=body).json()["errors"][0]["pointer"] == "/min_confidence"


def test_a_wrong_query_is_told_though_the_body_says_otherwise(client, good):
    """It is not passed over in silence."""
    response = client.post("/validation?strictness=wrong", files={"images": good}, data={"strictness": "strict"})

    assert response.json()["errors"][0]["pointer"] == "/strictness"

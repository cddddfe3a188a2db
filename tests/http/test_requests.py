import base64
import io
import tempfile
import tracemalloc
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
from docextract.images.decoder import PreparedFile, PreparedPage
from docextract.images.geometry import take_glimpse
from docextract.images.limits import DecodingLimits
from docextract.pipeline import options
from docextract.pipeline.decoding import decode_uploads
from docextract.pipeline.decoding_pool import TOO_EXPENSIVE
from docextract.pipeline.options import Upload
from docextract.pipeline.problems import ProblemError
from docextract.settings import Settings
from tests.http.conftest import jpeg, version

PAGE = np.full((200, 200, 3), 255, np.uint8)
OPERATIONS = ["/validation", "/v1/validation", "/extraction", "/v1/extraction"]


def problem(response, status, code):
    """Return the body; assert that it is a problem with this status and code."""
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
def test_three_formats_of_a_request_have_the_same_answer(client, good, path):
    """Multipart, JSON with base64 and raw bytes: the answers differ only in id and durations."""
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
def test_media_type_of_a_file_is_ignored(client, good, kind):
    """A JPEG with a wrong or general media type is accepted."""
    assert client.post("/validation", content=good, headers={"content-type": kind}).status_code == 200


def test_images_keep_their_order(client, good, poor):
    """The verdicts are in the order of the uploads."""
    body = client.post("/validation", files=[("images", good), ("images", poor), ("images", good)]).json()

    assert [image["accepted"] for image in body["images"]] == [True, False, True]
    assert [image["index"] for image in body["images"]] == [0, 1, 2]


def test_each_page_of_a_pdf_is_an_image(client):
    """One upload with three pages."""
    body = client.post("/validation", content=pdf(3), headers={"content-type": "application/pdf"}).json()

    assert [(image["index"], image["upload"]) for image in body["images"]] == [(0, 0), (1, 0), (2, 0)]


def test_stated_side_overrides_the_network(client, good):
    """`side` in the request takes precedence over the predicted side."""
    body = client.post("/validation", json={"images": [in_base64(good, side="back")]}).json()

    assert body["images"][0]["document"]["side"] == "back"


def test_data_url_is_accepted(client, good):
    """The output of a browser's FileReader can be sent unchanged."""
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
def test_invalid_option_has_a_pointer(client, good, options, pointer, form):
    """In every format; misspelt names are reported, too."""
    if form == "multipart":
        response = client.post("/extraction", files={"images": good}, data=options)
    elif form == "json":
        response = client.post("/extraction", json={"images": [in_base64(good)], **options})
    else:
        response = client.post("/extraction", params=options, content=good, headers={"content-type": "image/jpeg"})

    (error,) = problem(response, 422, "invalid_parameter")["errors"]
    assert error["pointer"].startswith(pointer.rpartition("/0")[0] or pointer)


def test_option_of_the_other_operation_is_explained(client, good):
    """`group` is an option of /extraction."""
    response = client.post("/validation", files={"images": good}, data={"group": "single"})

    assert problem(response, 422, "invalid_parameter")["errors"] == [
        {"pointer": "/group", "detail": "is an option of /extraction only"}
    ]


@pytest.mark.parametrize("include", [["polygons", "lines"], ["polygons,lines"], [" polygons , lines "]])
def test_include_accepts_repeated_names_and_commas(client, good, include):
    """include=polygons&include=lines has the same meaning as include=polygons,lines."""
    (document,) = client.post("/extraction", files={"images": good}, data={"include": include}).json()["documents"]

    assert "lines" in document
    assert "polygon" in document["fields"]["merchant_name"]


def test_python_client_has_the_same_parts():
    """The client and the service define the same values."""
    assert set(get_args(calls.IncludePart)) == set(get_args(options.IncludePart))


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
def test_unparsable_body_is_answered_400(client, send, code):
    """Invalid JSON, JSON that is not an object, a form without a boundary."""
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
def test_too_many_options_get_one_fault(client, body, status):
    """One fault per option would make the time and the answer grow with the request."""
    response = client.post("/extraction", json=body)

    assert response.status_code == status
    assert len(response.content) < 1_000


@pytest.mark.parametrize("name", ["a", "include", "{}"])
def test_a_query_with_too_many_options_is_refused(client, good, name):
    """As in a form, whether they have one name or many."""
    names = [name.format(at) for at in range(5_000)]

    response = client.post(f"/extraction?{'&'.join(names)}", content=good, headers={"content-type": "image/jpeg"})

    assert problem(response, 400, "malformed_request")["detail"] == "The query has more than 64 options."
    assert len(response.content) < 1_000


@pytest.mark.parametrize("value", [b"[]", b"{}", b"1", b'""'])
def test_json_with_too_many_values_is_not_parsed(value):
    """Small values would take thirty times the memory of the body."""
    body = b'{"images":[' + value + (b"," + value) * 100_000 + b"]}"

    tracemalloc.start()
    with pytest.raises(ProblemError) as refused:
        requests._from_json(body, 10)
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert refused.value.code == "malformed_request"
    assert most_bytes < len(body)


def test_whitespace_in_base64_takes_little_memory():
    """It may follow every second letter."""
    spaced = base64.b64encode(b"\0" * 1_000_000).decode().replace("AA", "AA \t\r\n")

    tracemalloc.start()
    upload = requests._from_json_image(0, {"content": spaced})
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert upload.data == b"\0" * 1_000_000
    assert most_bytes < 3 * len(spaced)


def form(charset, text):
    """Return the body and the header of a form with this charset and one text field."""
    body = b'--b\r\nContent-Disposition: form-data; name="external_id"\r\n\r\n' + text + b"\r\n"
    photo = b'--b\r\nContent-Disposition: form-data; name="images"; filename="a"\r\n\r\n' + jpeg() + b"\r\n"
    header = {"content-type": f"multipart/form-data; boundary=b; {charset}"}
    return {"content": body + photo + b"--b--\r\n", "headers": header}


@pytest.mark.parametrize(
    "charset",
    ["charset=punycode", "charset=undefined", "charset=utf-8; charset=punycode", 'charset="utf-16"'],
)
def test_unusual_codecs_are_refused(client, charset):
    """Some Python codecs take minutes, some raise other errors."""
    problem(client.post("/validation", **form(charset, b"a" * 100)), 400, "malformed_request")


@pytest.mark.parametrize(
    ("charset", "text"),
    [("charset=UTF-8", "é".encode()), ('charset="iso-8859-1"', b"\xe9"), ("Charset=us-ascii", b"\xe9")],
)
def test_usual_charsets_are_accepted(client, charset, text):
    """RFC 7578 defines no charset, but older clients send one."""
    assert client.post("/validation", **form(charset, text)).json()["external_id"] == "é"


@pytest.mark.parametrize("ending", [b"", b"\r\n--b\r\n", b"\r\n--b-"])
def test_incomplete_form_is_refused(client, good, ending):
    """Otherwise the incomplete image would be missing in the verdict."""
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
def test_json_images_have_individual_pointers(client, body, pointer):
    """URLs are never fetched."""
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
def test_misplaced_images_are_refused(client, send):
    """A wrong field name, text instead of a file, an empty body."""
    problem(client.post("/validation", **send), 422, "invalid_parameter")


@pytest.mark.parametrize("kind", ["text/csv", "application/x-www-form-urlencoded", "image/gif", ""])
def test_unsupported_content_type_is_answered_with_the_supported_ones(client, kind):
    """Also for the default content type of curl."""
    response = client.post("/validation", content=b"x", headers={"content-type": kind})

    assert "multipart/form-data" in problem(response, 415, "unsupported_media_type")["detail"]


def test_every_bad_image_has_a_pointer(client, good):
    """Two of three images are broken."""
    response = client.post("/extraction", files=[("images", b"text"), ("images", good), ("images", b"%PDF-")])

    errors = problem(response, 422, "image_undecodable")["errors"]
    assert [error["pointer"] for error in errors] == ["/images/0", "/images/2"]


@pytest.mark.parametrize("form", ["multipart", "json"])
def test_too_many_images_are_refused(client, good, form):
    """Four images where three are allowed."""
    if form == "multipart":
        response = client.post("/validation", files=[("images", good)] * 5)
    else:
        response = client.post("/validation", json={"images": [in_base64(good)] * 4})

    assert problem(response, 422, "too_many_images")["errors"][0]["pointer"] == "/images/3"


def test_images_are_counted_before_they_are_decoded(client):
    """A list of a million images takes no more time than its JSON."""
    response = client.post("/validation", json={"images": [{"content": "%%%"}] * 4})

    problem(response, 422, "too_many_images")


def test_pages_of_all_files_count_together(client, good):
    """One photo and five pages are six pages."""
    response = client.post("/validation", files=[("images", good), ("images", pdf(5))])

    refusal = problem(response, 422, "too_many_pages")
    assert refusal["errors"][0]["pointer"] == "/images/1"
    assert refusal["detail"].startswith("The files have 6 pages together")


class CountingDecoder:
    """Returns files of three pages, and counts them."""

    def __init__(self, answers=()):
        self.opened = 0
        self.answers = list(answers)

    async def decode(self, *file):
        self.opened += 1
        return self.answers.pop(0) if self.answers else file_of(3)


@pytest.mark.parametrize(
    ("answers", "code"),
    [((), "too_many_pages"), ([TOO_EXPENSIVE], "image_too_large")],
    ids=["pages", "an expensive file"],
)
def test_decoding_stops_when_the_answer_is_known(answers, code):
    """Ten PDFs of ten pages would take a gigabyte, and ten expensive files two minutes."""
    decoder = CountingDecoder(answers)

    async def photos():
        await decode_uploads([Upload(b"")] * 5, DecodingLimits(max_pages=3), None, decoder)

    with pytest.raises(ProblemError) as refused:
        anyio.run(photos)

    assert refused.value.code == code
    assert decoder.opened <= 2
    assert code != "too_many_pages" or "more than 3 pages" in refused.value.detail


def file_of(pages):
    """A decoded file with this number of pages."""
    glimpse = take_glimpse(PAGE)
    return PreparedFile(
        "image/png",
        pages,
        tuple(PreparedPage(1 + index, "photo", 9, 9, glimpse, PAGE, False) for index in range(pages)),
    )


def test_body_over_the_limit_is_refused_by_content_length(client):
    """The body need not be read."""
    response = client.post("/validation", content=b"x" * 400_001, headers={"content-type": "image/jpeg"})

    problem(response, 413, "payload_too_large")


@pytest.mark.parametrize("kind", ["image/jpeg", "application/json", "multipart/form-data; boundary=b"])
def test_chunked_body_is_counted(client, kind):
    """The limit also applies without Content-Length, and the body is not read to its end."""
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


def test_uploads_are_not_written_to_disk(models, monkeypatch, tmp_path):
    """Not even over one megabyte, where Starlette's own parser creates a file: here no folder for it exists."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    photo = io.BytesIO()
    Image.effect_noise((1500, 1200), 60).save(photo, "JPEG", quality=97)
    assert len(photo.getvalue()) > 1_100_000

    served = {name: version(name) for name in ("quality", "extraction")}
    with TestClient(create_app(models, Settings(), served)) as client:
        response = client.post("/extraction", files=[("images", photo.getvalue())] * 2, data={"validation": "off"})

    assert response.status_code == 200


def test_image_over_its_limit_is_answered_422(client):
    """The limit of the request is larger than that of one image."""
    response = client.post("/validation", content=b"x" * 100_001, headers={"content-type": "image/jpeg"})

    problem(response, 422, "image_too_large")


@pytest.mark.parametrize("accept", ["text/html", "image/*", "application/json;q=0"])
def test_caller_that_excludes_json_is_answered_406(client, good, accept):
    """Whatever the body is."""
    problem(client.post("/validation", files={"images": good}, headers={"accept": accept}), 406, "not_acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*;q=0.5", "text/html, application/json;q=0.9", ""])
def test_caller_that_accepts_json_gets_it(client, good, accept):
    """Among other types, or with a wildcard."""
    assert client.post("/validation", files={"images": good}, headers={"accept": accept}).status_code == 200


def test_file_without_a_name_is_detected_by_its_type(client, good):
    """RFC 7578 makes the file name optional, and generated clients omit it."""
    part = b'--b\r\nContent-Disposition: form-data; name="images"\r\nContent-Type: image/jpeg\r\n\r\n' + good
    body = part + b"\r\n--b--\r\n"

    response = client.post("/validation", content=body, headers={"content-type": "multipart/form-data; boundary=b"})

    assert response.status_code == 200


@pytest.mark.parametrize("given", [False, "0.5"])
def test_numeric_option_in_json_must_be_a_number(client, good, given):
    """A boolean or a text is a fault."""
    body = {"images": [{"content": base64.b64encode(good).decode()}], "min_confidence": given}

    assert client.post("/extraction", json=body).json()["errors"][0]["pointer"] == "/min_confidence"


def test_invalid_query_option_is_reported_despite_a_valid_body(client, good):
    """It is not silently ignored."""
    response = client.post("/validation?strictness=wrong", files={"images": good}, data={"strictness": "strict"})

    assert response.json()["errors"][0]["pointer"] == "/strictness"

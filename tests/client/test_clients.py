"""Tests of both clients with the real HTTP layer."""

import asyncio
import subprocess
import sys
from datetime import date

import httpx
import pytest

from docextract.client import AsyncClient, Client, Image, ProblemError, UnreachableError
from docextract.client.calls import ExtractionOptions, ValidationOptions
from docextract.pipeline import options
from tests.client.conftest import LIMITS_ANSWER, SHORT_RETRIES, ScriptedService


def call_async(service, call):
    """Await call(client) with a client of this application."""

    async def run():
        async with AsyncClient("http://service", transport=httpx.ASGITransport(service)) as client:
            return await call(client)

    return asyncio.run(run())


def test_extraction_returns_typed_answer(service, good, tmp_path):
    """A path is sent, and the answer is the contract's model."""
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(good)

    answer = call_async(service, lambda client: client.extract(photo, document_type="receipt", external_id="order 7"))

    (document,) = answer.documents
    assert document.fields["total"].value == {"amount": "9.00", "currency": None}
    assert date.fromisoformat(document.fields["document_date"].value) == date(2018, 12, 25)
    assert answer.external_id == "order 7"
    assert answer.verdict.accepted


def test_guidance_is_in_the_requested_language(service, poor):
    """A criterion with severity "warning" is reported as such."""
    answer = call_async(service, lambda client: client.validate(poor, language="de", severity={"blurry": "warning"}))

    assert answer.guidance[0].message.startswith("Das Bild ist unscharf")
    assert {c.name: c.severity for c in answer.images[0].criteria}["blurry"] == "warning"


def test_rejected_photo_is_an_answer_of_validation(service, good, poor):
    """No exception is raised; the guidance says how to improve the photo."""
    answer = call_async(service, lambda client: client.validate(good, poor, strictness="strict"))

    assert not answer.accepted
    assert answer.strictness == "strict"
    assert answer.guidance[0].image == 1


def test_every_option_reaches_the_service(service, good):
    """The service refuses unknown options, so an accepted request shows that they arrived."""
    options = {
        "document_type": "receipt", "strictness": "relaxed", "severity": {"blurry": "warning", "rotated": "off"},
        "external_id": "7", "language": "de",
        "pages": "1", "validation": "off", "group": "request", "include": ["lines", "polygons"],
        "min_confidence": 0.975,
    }  # fmt: skip

    answer = call_async(service, lambda client: client.extract(good, good, **options))

    (document,) = answer.documents
    assert document.images == [0, 1]
    assert document.lines is not None
    assert document.fields["merchant_name"].needs_review
    assert answer.verdict is None
    assert ExtractionOptions.__annotations__.keys() >= options.keys()


@pytest.mark.parametrize("side", [None, "front"])
@pytest.mark.parametrize(
    "options",
    [
        {"severity": "blurry:warning,rotated:off"},
        {"severity": {"blurry": "warning", "rotated": "off"}},
        {"include": "polygons,lines"},
        {"include": ("polygons", "lines")},
        {"pages": 1},
        {"external_id": 7},
        {"min_confidence": "0.975"},
    ],
)
def test_options_are_accepted_in_each_form(service, good, options, side):
    """As text, as in the API's documentation, or as a value of Python; with a stated side, the body is JSON."""
    (document,) = call_async(service, lambda client: client.extract(Image(good, side), **options)).documents

    assert (document.lines is not None) == ("include" in options)


def test_an_iterator_of_options_counts_for_every_file(service, good):
    """`include` may be a generator, which can be read only once."""

    async def extract_all(client):
        parts = (part for part in ["lines"])
        return [one async for one in client.extract_many([good] * 2, 1, include=parts)]

    outcomes = call_async(service, extract_all)

    assert [outcome.answer.documents[0].lines is None for outcome in outcomes] == [False, False]


@pytest.mark.parametrize(
    ("client_options", "service_options"),
    [(ValidationOptions, options.ValidationOptions), (ExtractionOptions, options.ExtractionOptions)],
)
def test_client_has_the_options_of_the_service(client_options, service_options):
    """An option that is added to pipeline/options.py must be added to client/calls.py."""
    assert client_options.__optional_keys__ - {"language"} == set(service_options.model_fields)


def test_side_of_a_card_is_sent(service, good):
    """The side is sent in the JSON form, which is the only form that has it."""
    answer = call_async(service, lambda client: client.validate(Image(good, "front"), Image(good, "back"), good))

    assert [image.document.side for image in answer.images] == ["front", "back", "front"]


def test_types_models_and_limits_are_returned(service):
    """Each is returned as its model."""
    types = call_async(service, lambda client: client.document_types())
    models = call_async(service, lambda client: client.models())
    limits = call_async(service, lambda client: client.limits())

    assert next(kind for kind in types if kind.name == "receipt").status == "trained"
    assert {model.name for model in models} == {"quality", "extraction"}
    assert limits.max_images == 3


def test_problem_names_the_bad_picture(service, good):
    """The error has the code, the detail and the place in the request."""
    with pytest.raises(ProblemError) as caught:
        call_async(service, lambda client: client.extract(good, b"no picture"))

    assert (caught.value.status, caught.value.code) == (422, "image_undecodable")
    assert [fault.pointer for fault in caught.value.errors] == ["/images/1"]
    assert caught.value.request_id
    assert str(caught.value) == caught.value.detail


def test_refused_photo_has_its_verdict(service, models, poor):
    """With validation="enforce" the problem contains the guidance."""
    models.total_confidence = 0.4

    with pytest.raises(ProblemError) as caught:
        call_async(service, lambda client: client.extract(poor, validation="enforce"))

    assert caught.value.verdict.guidance[0].code == "hold_steady"


def test_members_of_a_newer_service_are_ignored():
    """The unknown member `max_moons` is ignored."""
    assert ScriptedService(LIMITS_ANSWER).client().limits().max_images == 3


def test_file_name_is_not_sent(tmp_path):
    """File names may contain personal data."""
    script = ScriptedService(httpx.Response(500))
    photo = tmp_path / "passport-of-jane-doe.jpg"
    photo.write_bytes(b"picture")

    with pytest.raises(ProblemError):
        script.client().extract(photo)

    assert b"picture" in script.requests[0].content
    assert b"jane" not in script.requests[0].content


def test_api_key_is_sent():
    """The key is sent as a bearer token."""
    script = ScriptedService(LIMITS_ANSWER)

    script.client(api_key="secret").limits()

    assert script.requests[0].headers["authorization"] == "Bearer secret"


def test_answer_of_another_server_is_reported():
    """A proxy's page is not taken for an answer, and its text is not repeated."""
    for status in (200, 502):
        page = httpx.Response(status, html="<h1>router</h1>")
        with pytest.raises(ProblemError, match=r"is that a docextract service\?") as caught:
            ScriptedService(page).client().limits()
        assert (caught.value.status, caught.value.code) == (status, "unexpected_answer")


def test_refused_connection_is_reported_with_the_address(clock):
    """The message has the address of the service."""
    with (
        Client("http://127.0.0.1:9", retry_policy=SHORT_RETRIES) as client,
        pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9 does not answer"),
    ):
        client.limits()


def test_client_imports_no_heavy_library():
    """The client needs neither a machine learning library nor a server."""
    script_text = (
        "import sys, docextract.client; print(*sorted({'torch', 'bentoml', 'fastapi', 'starlette'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", script_text], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []

"""The two clients against the real HTTP layer."""

import asyncio
import subprocess
import sys
from datetime import date

import httpx
import pytest

from docextract.client import AsyncClient, Client, Image, ProblemError, UnreachableError
from docextract.client.calls import ExtractionOptions, ValidationOptions
from docextract.pipeline import options
from tests.client.conftest import LIMITS_ANSWER, SOON, Script


def ask(service, question):
    """Await question(client) for a client of this application."""

    async def run():
        async with AsyncClient("http://service", transport=httpx.ASGITransport(service)) as client:
            return await question(client)

    return asyncio.run(run())


def test_an_extraction_comes_back_typed(service, good, tmp_path):
    """A path is sent, the contract's own model comes back."""
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(good)

    answer = ask(service, lambda client: client.extract(photo, document_type="receipt", external_id="order 7"))

    (document,) = answer.documents
    assert document.fields["total"].value == {"amount": "9.00", "currency": None}
    assert date.fromisoformat(document.fields["transaction_date"].value) == date(2018, 12, 25)
    assert answer.external_id == "order 7"
    assert answer.validation.accepted


def test_advice_comes_in_the_language_asked_for(service, poor):
    """And a fault that the caller can live with is only a warning."""
    answer = ask(service, lambda client: client.validate(poor, language="de", severity={"blurry": "warning"}))

    assert answer.guidance[0].message.startswith("Das Bild ist unscharf")
    assert {c.name: c.severity for c in answer.images[0].criteria}["blurry"] == "warning"


def test_a_verdict_of_no_is_an_answer(service, good, poor):
    """Nothing is raised; the guidance says what to do."""
    answer = ask(service, lambda client: client.validate(good, poor, strictness="strict"))

    assert not answer.accepted
    assert answer.strictness == "strict"
    assert answer.guidance[0].image == 1


def test_every_option_of_the_service_can_be_asked_for(service, good):
    """And arrives: the service refuses an option that it does not understand."""
    options = {
        "document_type": "receipt", "strictness": "relaxed", "severity": {"blurry": "warning", "rotated": "off"},
        "external_id": "7", "language": "de",
        "validation": "off", "group": "single", "include": ["raw", "polygons"], "min_confidence": 0.975,
    }  # fmt: skip

    answer = ask(service, lambda client: client.extract(good, good, **options))

    (document,) = answer.documents
    assert document.images == [0, 1]
    assert document.raw is not None
    assert document.fields["merchant_name"].needs_review
    assert answer.validation is None
    assert ExtractionOptions.__annotations__.keys() >= options.keys()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ValidationOptions, options.ValidationOptions), (ExtractionOptions, options.ExtractionOptions)],
)
def test_the_client_knows_the_options_of_the_service(ours, theirs):
    """Whoever adds an option to pipeline/options.py adds it to client/calls.py, and the command line has it to gain."""
    assert ours.__optional_keys__ - {"language"} == set(theirs.model_fields)


def test_the_side_of_a_card_is_told(service, good):
    """Only the JSON form can say it, so that is what is sent."""
    answer = ask(service, lambda client: client.validate(Image(good, "front"), Image(good, "back"), good))

    assert [image.document.side for image in answer.images] == ["front", "back", "front"]


def test_what_is_served_can_be_asked(service):
    """Types, models and limits, each as its model."""
    types = ask(service, lambda client: client.document_types())
    models = ask(service, lambda client: client.models())
    limits = ask(service, lambda client: client.limits())

    assert next(kind for kind in types if kind.name == "receipt").status == "trained"
    assert {model.name for model in models} == {"quality", "extraction"}
    assert limits.max_images == 3


def test_a_bad_picture_is_named(service, good):
    """The problem has the service's code, its sentence and the place in the request."""
    with pytest.raises(ProblemError) as caught:
        ask(service, lambda client: client.extract(good, b"no picture"))

    assert (caught.value.status, caught.value.code) == (422, "image_undecodable")
    assert [fault.pointer for fault in caught.value.errors] == ["/images/1"]
    assert caught.value.request_id
    assert str(caught.value) == caught.value.detail


def test_a_refused_photo_brings_its_verdict(service, poor):
    """With validation="enforce" the caller learns what to do better."""
    with pytest.raises(ProblemError) as caught:
        ask(service, lambda client: client.extract(poor, validation="enforce"))

    assert caught.value.validation.guidance[0].code == "hold_steady"


def test_members_of_a_newer_service_do_no_harm():
    """`max_moons` is passed over."""
    assert Script(LIMITS_ANSWER).client().limits().max_images == 3


def test_no_file_name_leaves_the_machine(tmp_path):
    """It may say more than the picture does."""
    script = Script(httpx.Response(500))
    photo = tmp_path / "passport-of-jane-doe.jpg"
    photo.write_bytes(b"picture")

    with pytest.raises(ProblemError):
        script.client().extract(photo)

    assert b"picture" in script.requests[0].content
    assert b"jane" not in script.requests[0].content


def test_the_key_is_sent():
    """As a bearer token."""
    script = Script(LIMITS_ANSWER)

    script.client(api_key="secret").limits()

    assert script.requests[0].headers["authorization"] == "Bearer secret"


def test_something_else_at_the_address_is_said_so():
    """A proxy's page is neither an answer nor quoted."""
    for status in (200, 502):
        page = httpx.Response(status, html="<h1>router</h1>")
        with pytest.raises(ProblemError, match=r"is that a docextract service\?") as caught:
            Script(page).client().limits()
        assert (caught.value.status, caught.value.code) == (status, "unexpected_answer")


def test_nobody_listening_is_said_so():
    """With the address, not with a traceback of sockets."""
    with (
        Client("http://127.0.0.1:9", patience=SOON) as client,
        pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9 does not answer"),
    ):
        client.limits()


def test_the_client_is_light():
    """Asking a service takes no learning library and no server."""
    look = (
        "import sys, docextract.client; print(*sorted({'torch', 'bentoml', 'fastapi', 'starlette'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []

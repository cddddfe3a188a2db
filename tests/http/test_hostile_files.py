"""A file that anyone sends is taken, or refused by a name of the contract; it does no other harm."""

import base64
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.settings import Settings
from tests.http.conftest import PlainModels, version
from tests.images import hostile_files

SOUND = hostile_files.sound()
MALICIOUS = hostile_files.malicious()
REFUSALS = {"image_undecodable", "image_too_small", "image_too_large", "too_many_images", "payload_too_large"}


@pytest.fixture(scope="module")
def sent():
    """Sends a file, in each of the three forms, and returns the one answer."""
    app = create_app(PlainModels(), Settings(), {name: version(name) for name in ("quality", "extraction")})

    with TestClient(ErrorContractMiddleware(app, paths(app), 25_000_000), raise_server_exceptions=False) as client:

        def send(data: bytes, kind: str = "application/octet-stream", name: str = "file"):
            answers = [
                client.post("/validation", files={"images": (name, data, kind)}),
                client.post("/validation", json={"images": [{"content": base64.b64encode(data).decode()}]}),
                client.post("/validation", content=data, headers={"content-type": kind}) if data else None,
            ]
            told = [(answer.status_code, answer.json().get("code")) for answer in answers if answer is not None]
            assert len(set(told)) == 1, told
            return told[0]

        yield send


@pytest.mark.parametrize("name", SOUND)
def test_every_kind_of_file_is_taken(sent, name):
    """Whole, it is answered."""
    assert sent(SOUND[name]) == (200, None)


@pytest.mark.parametrize("name", [name for name in MALICIOUS if name != "nothing"])
def test_what_is_made_to_do_harm_is_refused_by_name(sent, name):
    """422, and why."""
    status, code = sent(MALICIOUS[name])

    assert (status, code in REFUSALS) == (422, True), code


@pytest.mark.parametrize(("name", "kind"), [("photo.pdf", "application/pdf"), ("photo.png", "image/png")])
def test_a_file_is_what_its_bytes_say(sent, name, kind):
    """Not what its name or its sender's software says."""
    assert sent(SOUND["JPEG"], kind, name) == (200, None)


@given(st.integers(0, 2**32))
def test_whatever_has_happened_to_a_file_it_is_answered(sent, seed):
    """Cut, flipped, overwritten or mixed: a verdict, or a refusal that the contract knows. Never a 5xx."""
    status, code = sent(hostile_files.damaged(Random(seed), [*SOUND.values(), *MALICIOUS.values()]))

    assert status == 200 or (status, code in REFUSALS) in {(422, True), (413, True)}, code


@given(st.binary(max_size=5_000))
def test_rubbish_is_answered(sent, data):
    """Also where it comes with a name."""
    status, code = sent(data + b"\0")

    assert (status, code) == (422, "image_undecodable")

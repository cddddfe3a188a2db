"""Any uploaded file is accepted or refused with a code of the contract, and does no other harm."""

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
    """Return a function that sends a file in each of the three formats and returns their common answer."""
    app = create_app(PlainModels(), Settings(), {name: version(name) for name in ("quality", "extraction")})

    with TestClient(ErrorContractMiddleware(app, paths(app), 25_000_000), raise_server_exceptions=False) as client:

        def send(data: bytes, kind: str = "application/octet-stream", name: str = "file"):
            answers = [
                client.post("/validation", files={"images": (name, data, kind)}),
                client.post("/validation", json={"images": [{"content": base64.b64encode(data).decode()}]}),
                client.post("/validation", content=data, headers={"content-type": kind}) if data else None,
            ]
            outcomes = [(answer.status_code, answer.json().get("code")) for answer in answers if answer is not None]
            assert len(set(outcomes)) == 1, outcomes
            return outcomes[0]

        yield send


@pytest.mark.parametrize("name", SOUND)
def test_every_file_format_is_accepted(sent, name):
    """An undamaged file is answered."""
    assert sent(SOUND[name]) == (200, None)


@pytest.mark.parametrize("name", [name for name in MALICIOUS if name != "nothing"])
def test_malicious_file_is_refused_with_a_code(sent, name):
    """The status is 422."""
    status, code = sent(MALICIOUS[name])

    assert (status, code in REFUSALS) == (422, True), code


@pytest.mark.parametrize(("name", "kind"), [("photo.pdf", "application/pdf"), ("photo.png", "image/png")])
def test_format_is_detected_from_the_bytes(sent, name, kind):
    """A wrong file name or media type has no effect."""
    assert sent(SOUND["JPEG"], kind, name) == (200, None)


@given(st.integers(0, 2**32))
def test_damaged_file_is_answered(sent, seed):
    """Cut, with flipped bits, overwritten or mixed: a verdict or a refusal of the contract, never a 5xx."""
    status, code = sent(hostile_files.damaged(Random(seed), [*SOUND.values(), *MALICIOUS.values()]))

    assert status == 200 or (status, code in REFUSALS) in {(422, True), (413, True)}, code


@given(st.binary(max_size=5_000))
def test_random_bytes_are_refused(sent, data):
    """With the code `image_undecodable`."""
    status, code = sent(data + b"\0")

    assert (status, code) == (422, "image_undecodable")

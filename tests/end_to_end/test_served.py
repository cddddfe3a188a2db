"""The service with the weights of the repository, as a new user starts it."""

import base64
import io
import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image

from docextract.images.geometry import Page
from tests.end_to_end.excerpts import assert_within
from training.synth import printing
from training.synth.documents import other
from training.synth.sheet import Sheet, Text

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
RECEIPT = ROOT / "docs" / "images" / "receipt.jpg"
REQUESTS = 200
CLIENTS = 16
LETTER = """14 Mill Lane, Ashcombe
3 March 2024
Dear Mrs Holloway,
thank you for your kind letter, which reached us last week while we were still
unpacking. The new house is smaller than the old one, but the garden makes up
for it: there are two apple trees, a patch of mint behind the kitchen door, and
a bench from which one can watch the boats on the river in the evening.
Our daughter has already found friends in the next street. They spend whole
afternoons at the stream. The boat we bought them for 45.00 pounds leaks already.
You asked about the piano. It survived the journey, although the men who
carried it upstairs did not enjoy the last corner. It is out of tune, of course,
and nobody here knows a good tuner, so for the time being we sing without it.
We would be very glad if you came to stay with us in spring, when the roads are
dry again. There is a spare room under the roof with a view over the valley, and
the train stops in the village three times a day.
With warm regards,
Eleanor and Thomas""".splitlines()


def jpeg(page: Page) -> bytes:
    out = io.BytesIO()
    Image.fromarray(page).save(out, "JPEG", quality=90)
    return out.getvalue()


def letter() -> Sheet:
    """A private letter on A4. It has an address, a date and an amount, as a receipt does."""
    height_mm = 4.2
    texts = [
        Text(line, 25.0, 30.0 + 1.7 * height_mm * row, 0.46 * height_mm * len(line), height_mm, face="serif")
        for row, line in enumerate(LETTER)
    ]
    return Sheet(210.0, 297.0, tuple(texts))


def syllables() -> Sheet:
    """A page of the generator's own: its words are random syllables."""
    return other.other_page(Random(5))


def printed_jpeg(sheet: Sheet) -> bytes:
    return jpeg(printing.print_sheet(sheet, np.random.default_rng(5), 4.0).pixels)


@pytest.fixture(scope="module")
def text_page() -> bytes:
    """A printed page of text that is no known document."""
    return printed_jpeg(syllables())


@pytest.fixture(scope="module")
def empty_table() -> bytes:
    """A photo without a document: a surface with gradual illumination."""
    y, x = np.mgrid[0:600, 0:450]
    light = 90 + 40 * np.sin(x / 190) + 30 * np.cos(y / 240) + np.random.default_rng(3).normal(0, 4, (600, 450))
    return jpeg(np.clip(light[..., None] * np.array([1.0, 0.8, 0.6]), 0, 255).astype(np.uint8))


def post(shipped, path, data, **query):
    return shipped.client.post(path, content=data, headers={"content-type": "image/jpeg"}, params=query)


def test_receipt_of_the_readme_is_extracted(shipped):
    """The first example of a new user: merchant, date and total, each with its polygon."""
    answer = post(shipped, "/extraction", RECEIPT.read_bytes(), include="polygons").json()

    (document,) = answer["documents"]
    assert document["type"] == "receipt"
    assert {"merchant_name", "document_date", "total"} <= document["fields"].keys()
    assert answer["verdict"]["accepted"]
    for field in ("merchant_name", "document_date", "total"):
        points = np.array(document["fields"][field]["polygon"])
        assert ((points > 0) & (points < 1)).all()


def test_three_request_formats_get_the_same_fields(shipped):
    """Raw, multipart and JSON."""
    data = RECEIPT.read_bytes()
    encoded = base64.b64encode(data).decode()

    bodies = [
        post(shipped, "/extraction", data).json(),
        shipped.client.post("/v1/extraction", files=[("images", ("r.jpg", data, "image/jpeg"))]).json(),
        shipped.client.post("/extraction", json={"images": [{"content": encoded}]}).json(),
    ]

    first, *others = (body["documents"][0]["fields"] for body in bodies)
    assert all(fields == first for fields in others)


@pytest.mark.parametrize("sheet_of_text", [syllables, letter])
def test_letter_is_not_a_receipt(shipped, sheet_of_text):
    """Its type is `other`, and no field gets an invented value, not even from the letter's date and amount."""
    (document,) = post(shipped, "/extraction", printed_jpeg(sheet_of_text())).json()["documents"]

    assert document["type"] == "other"
    assert document["fields"] == {}
    assert document["needs_review"]


def test_photo_without_a_document_gets_guidance(shipped, empty_table):
    """The status is 200, the photo is not accepted, and the guidance says what to do."""
    response = post(shipped, "/validation", empty_table)

    verdict = response.json()
    assert response.status_code == 200
    assert not verdict["accepted"]
    assert not verdict["images"][0]["document"]["detected"]
    assert verdict["guidance"][0]["code"] == "show_document"


def test_demo_page_is_served(shipped):
    """The page and the files that it needs first; tests/browser tests it in a browser."""
    page = shipped.client.get("/demo")

    assert page.status_code == 200
    assert "connect-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-cache"
    for path in ("/demo/main.js", "/demo/words/de.json", "/demo/samples/receipt.jpg"):
        assert shipped.client.get(path).status_code == 200


def test_truncated_jpeg_is_refused(shipped):
    """By both operations, with status 422 and a pointer."""
    half = RECEIPT.read_bytes()[:20_000]

    for path in ("/validation", "/extraction"):
        response = post(shipped, path, half)
        assert response.status_code == 422
        assert response.json()["code"] == "image_undecodable"
        assert response.json()["errors"][0]["pointer"] == "/images/0"


def test_enforced_validation_refuses_a_poor_photo(shipped, empty_table):
    """With validation=enforce, nothing is extracted from an unusable photo."""
    response = post(shipped, "/extraction", empty_table, validation="enforce")

    assert response.status_code == 422
    assert response.json()["code"] == "image_quality_insufficient"
    assert response.json()["verdict"]["accepted"] is False


@pytest.mark.slow
def test_two_hundred_mixed_requests_from_sixteen_clients(shipped, text_page, empty_table):
    """No request is lost, each gets the answer for its own picture, and requests are batched."""
    receipt = RECEIPT.read_bytes()
    alone = post(shipped, "/extraction", receipt).json()["documents"][0]["fields"]
    glance, empty = ("glance", "/validation", receipt), ("empty", "/validation", empty_table)
    broken, letter = ("broken", "/extraction", receipt[:20_000]), ("letter", "/validation", text_page)
    # Three receipts after each other: at least two of them wait for the runner, and become one batch.
    mixed = [("receipt", "/extraction", receipt)] * 3 + [glance, glance, empty, broken, letter, glance, empty] * 6
    work = list(islice(cycle(mixed), REQUESTS))

    with ThreadPoolExecutor(CLIENTS) as clients:
        responses = list(clients.map(lambda one: post(shipped, one[1], one[2]), work))

    statuses = Counter((kind, response.status_code) for (kind, _, _), response in zip(work, responses, strict=True))
    expected = Counter((kind, 422 if kind == "broken" else 200) for kind, _, _ in work)
    assert statuses == expected
    for (kind, _, _), response in zip(work, responses, strict=True):
        if kind == "receipt":
            fields = response.json()["documents"][0]["fields"]
            assert {name: field.get("value") for name, field in fields.items()} == {
                name: field.get("value") for name, field in alone.items()
            }
        elif kind != "broken":
            assert response.json()["images"][0]["document"]["detected"] == (kind != "empty")
    assert items_per_batch(shipped, "quality") > 1
    assert items_per_batch(shipped, "extraction") > 1


def items_per_batch(shipped, name: str) -> float:
    """Return the mean batch size since the start, from /metrics."""
    metrics = dict(
        line.rsplit(" ", 1) for line in shipped.client.get("/metrics").text.splitlines() if not line.startswith("#")
    )
    prefix = f"docextract_{name}_batch_items"
    return float(metrics[f"{prefix}_sum"]) / float(metrics[f"{prefix}_count"])


def test_answer_in_the_readme_is_current(shipped):
    """It is an excerpt of the service's answer; confidences may differ by 0.05."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    excerpt = json.loads(re.search(r"```json\n(\{\"documents.*?)\n```", readme, re.S)[1])

    assert_within(excerpt, post(shipped, "/extraction", RECEIPT.read_bytes()).json())

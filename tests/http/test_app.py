import base64
import io
import json
import logging
import re

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from docextract.answers.schema import ExtractionAnswer, ValidationAnswer
from docextract.documents.values import Conventions
from docextract.http.app import create_app
from docextract.pipeline.models import ModelFailedError, OverloadedError, TooSlowError, UnavailableError
from docextract.pipeline.problems import CODES
from docextract.predictions import PagePrediction, with_version
from docextract.quality.messages import catalogues
from docextract.settings import Settings
from tests.http.conftest import LIMITS, jpeg, version


def submit(client, path, *images, **options):
    return client.post(path, files=[("images", image) for image in images], data=options)


def test_a_verdict_of_no_is_still_an_answer(client, poor):
    """200, with what to do about it."""
    response = submit(client, "/validation", poor)
    body = response.json()

    assert response.status_code == 200
    assert not body["accepted"]
    assert body["guidance"][0]["code"] == "hold_steady"
    assert body["model"] == {"name": "quality", "version": "1.2.3"}
    assert next(iter(body)) == "request_id"


def test_the_weakest_image_decides(client, good, poor):
    """One poor photo among good ones is a no, and the score is its."""
    body = submit(client, "/validation", good, poor).json()

    assert not body["accepted"]
    assert body["score"] == min(image["score"] for image in body["images"])


def test_strictness_moves_the_bar(client):
    """The same photo passes a relaxed check and fails a strict one."""
    photo = io.BytesIO()
    Image.new("L", (400, 400), 150).save(photo, "PNG")

    verdicts = [submit(client, "/validation", photo.getvalue(), strictness=s).json() for s in ("relaxed", "strict")]

    assert [verdict["accepted"] for verdict in verdicts] == [True, False]


def test_an_extraction_says_what_it_read_and_how_good_the_photo_was(client, good):
    """Documents, verdict, models and times in one answer."""
    body = submit(client, "/extraction", good, external_id="order 7").json()

    (document,) = body["documents"]
    assert document["fields"]["total"]["value"] == {"amount": "9.00", "currency": None}
    assert not document["needs_review"]
    assert body["validation"]["accepted"]
    assert body["external_id"] == "order 7"
    assert body["models"]["extraction"] == {"name": "extraction", "version": "1.2.3"}
    assert body["timings_ms"].keys() == {"decode", "validation", "extraction"}


def test_a_poor_photo_is_read_all_the_same(client, poor):
    """By default the verdict is a warning."""
    body = submit(client, "/extraction", poor).json()

    assert body["documents"]
    assert not body["validation"]["accepted"]


def test_enforce_refuses_a_poor_photo_and_carries_the_verdict(client, models, good, poor):
    """422 with the verdict, and no time was spent on reading."""
    response = submit(client, "/extraction", good, poor, validation="enforce")
    body = response.json()

    assert (response.status_code, body["code"]) == (422, "image_quality_insufficient")
    assert [error["pointer"] for error in body["errors"]] == ["/images/1"]
    assert not body["validation"]["accepted"]
    assert models.tasks == []


def test_off_leaves_the_verdict_out_and_quality_brings_it_back(client, poor):
    """Even so the document is cut out of the photo."""
    assert "validation" not in submit(client, "/extraction", poor, validation="off").json()
    assert "validation" in submit(client, "/extraction", poor, validation="off", include="quality").json()


def test_the_reader_is_sent_the_document_alone(client, models):
    """The middle half of the photo, as the quality network saw it."""
    pixels = np.zeros((400, 400, 3), np.uint8)
    pixels[100:300, 100:300] = 255
    photo = io.BytesIO()
    Image.fromarray(pixels).save(photo, "PNG")

    submit(client, "/extraction", photo.getvalue(), document_type="receipt")

    (task,) = models.tasks
    margin = round(0.06 * 200)
    assert task.page.shape[0] == pytest.approx(200 + 2 * margin, abs=4)
    assert task.page[margin + 4 : -margin - 4, margin + 4 : -margin - 4].mean() > 250
    assert task.document_type == "receipt"


def test_evidence_comes_back_to_the_whole_photo(client, good):
    """The reader's (0, 0) lies a margin outside the document's corner in the photo."""
    body = submit(client, "/extraction", good, include="polygons").json()

    polygon = body["documents"][0]["fields"]["merchant_name"]["polygon"]
    assert polygon[0] == pytest.approx([0.25 - 0.06 / 2, 0.25 - 0.06 / 2], abs=0.015)


def test_images_are_documents_of_their_own_unless_they_are_said_to_be_one(client, good):
    """group=single makes one document of two images."""
    separate = submit(client, "/extraction", good, good).json()["documents"]
    single = submit(client, "/extraction", good, good, group="single").json()["documents"]

    assert [document["images"] for document in separate] == [[0], [1]]
    assert [document["images"] for document in single] == [[0, 1]]


def test_a_page_that_looked_like_another_type_is_read_again_as_the_common_one(client, models, good):
    """The second page of three is thin; the sender says that they belong together."""
    sure = models.found

    def found(task):
        alike = task.document_type != "auto" or len(models.tasks) != 2
        return sure(task) if alike else PagePrediction("other", 0.5, Conventions())

    models.found = found

    (document,) = submit(client, "/extraction", good, good, good, group="single").json()["documents"]

    assert (document["type"], document["images"]) == ("receipt", [0, 1, 2])
    assert [task.document_type for task in models.tasks] == ["auto", "auto", "auto", "receipt"]


def test_pages_of_separate_documents_are_read_once(client, models, good):
    """Each is what it looks like."""
    models.found = lambda task: PagePrediction("other", 0.5, Conventions())

    submit(client, "/extraction", good, good)

    assert len(models.tasks) == 2


def test_conditions_of_sale_stay_what_they_are(client, models, good):
    """A page that is surely no receipt is not searched for one's fields."""
    sure = models.found
    models.found = lambda task: sure(task) if len(models.tasks) == 1 else PagePrediction("other", 0.95, Conventions())

    (document,) = submit(client, "/extraction", good, good, group="single").json()["documents"]

    assert document["type"] == "receipt"
    assert len(models.tasks) == 2


@pytest.mark.parametrize(
    ("trouble", "status", "code", "waits"),
    [
        (OverloadedError("…"), 503, "overloaded", True),
        (UnavailableError("…"), 503, "model_not_ready", True),
        (TooSlowError("…"), 504, "timeout", False),
        (ModelFailedError("secret"), 500, "internal_error", False),
        (RuntimeError("secret"), 500, "internal_error", False),
    ],
)
def test_trouble_inside_has_a_name_outside_and_tells_nothing_more(
    client, models, good, caplog, trouble, status, code, waits
):
    """The caller learns what to do; neither answer nor log repeats a message of the inside."""
    models.trouble = trouble
    with caplog.at_level(logging.INFO):
        response = submit(client, "/extraction", good)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert ("retry-after" in response.headers) == waits
    assert "secret" not in response.text + caplog.text


def test_document_types_are_described(client):
    """Each has a schema, says whether it is trained, and how well it is read."""
    listed = client.get("/v1/document-types").json()["document_types"]
    receipt = client.get("/v1/document-types/receipt").json()

    assert receipt in listed
    assert receipt["status"] == "trained"
    assert receipt["accuracy"] == {"total": {"exact": 0.9}}
    assert "total" in receipt["required"]
    assert "merchant_name" in receipt["json_schema"]["properties"]
    unknown = client.get("/v1/document-types/napkin")
    assert (unknown.status_code, "/v1/document-types/receipt" in unknown.json()["detail"]) == (404, True)


def described(models, extraction, name):
    app = create_app(models, Settings(**LIMITS), {"quality": version("quality"), "extraction": extraction})
    with TestClient(app) as client:
        return client.get(f"/v1/document-types/{name}").json()


def test_each_field_says_whether_it_was_taught_and_how_well_it_is_read(models):
    """A field that came after the training is not pretended; where nothing was measured nothing is said."""
    scores = {"document_types": {"receipt": {"total": {"exact": 0.9}}}}
    extraction = version(
        "extraction", document_types=("receipt",), fields=("total", "line_items.quantity"), scores=scores
    )

    fields = described(models, extraction, "receipt")["fields"]

    assert fields["total"] == {"type": "currency", "required": True, "source": "trained", "accuracy": {"exact": 0.9}}
    assert fields["line_items.quantity"]["source"] == "trained"
    assert fields["tip"] == {"type": "currency", "required": False, "source": "none", "accuracy": None}


def test_a_type_that_was_not_trained_promises_nothing(models):
    """Its schema is there, for whoever trains it."""
    kind = described(models, version("extraction", document_types=("other",), fields=("total",)), "receipt")

    assert kind["status"] == "schema_only"
    assert {field["source"] for field in kind["fields"].values()} == {"none"}


def test_where_the_ledger_lists_no_fields_all_of_a_trained_type_are(models):
    """Ledgers written before they were listed."""
    fields = described(models, version("extraction", document_types=("receipt",)), "receipt")["fields"]

    assert {field["source"] for field in fields.values()} == {"trained"}


def test_models_and_limits_in_force_are_told(client):
    """What serves, and what it takes."""
    quality, extraction = client.get("/v1/models").json()["models"]

    assert (quality["version"], quality["digest"], quality["promoted"]) == ("1.2.3", "sha256:00", "2026-01-31")
    assert extraction["scores"]["pages"] == 9
    assert client.get("/v1/limits").json()["max_images"] == 3


def test_the_openapi_document_describes_every_form_of_both_operations(client):
    """3.1, three forms, an example and the problems, for each of the two."""
    described = client.get("/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    for path in ("/v1/validation", "/v1/extraction"):
        operation = described["paths"][path]["post"]
        assert {"multipart/form-data", "application/json", "image/jpeg"} <= operation["requestBody"]["content"].keys()
        assert operation["responses"]["200"]["content"]["application/json"]["example"]["request_id"]
        assert "application/problem+json" in operation["responses"]["422"]["content"]


def test_every_reference_in_the_openapi_document_leads_somewhere(client):
    """Generators of clients stumble over a single dangling one."""
    described = client.get("/openapi.json").json()
    references = set(re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(described)))

    assert references
    assert references <= described["components"]["schemas"].keys()


def test_the_examples_are_true_answers(client):
    """What the documentation shows has the fields that the models have."""
    described = client.get("/openapi.json").json()["paths"]
    for path, model in (("/v1/validation", ValidationAnswer), ("/v1/extraction", ExtractionAnswer)):
        example = described[path]["post"]["responses"]["200"]["content"]["application/json"]["example"]
        assert model.model_validate(example).model_dump(mode="json", exclude_unset=True) == example


def test_every_answer_that_is_no_success_is_described_as_a_problem(client):
    """FastAPI's own shape of errors never appears: there is one for all."""
    described = client.get("/openapi.json").json()

    operations = [operation for methods in described["paths"].values() for operation in methods.values()]
    refusals = [answer for one in operations for status, answer in one["responses"].items() if status != "200"]
    assert all(answer["content"].keys() == {"application/problem+json"} for answer in refusals)
    assert "404" in described["paths"]["/v1/document-types/{name}"]["get"]["responses"]
    assert "HTTPValidationError" not in described["components"]["schemas"]


def test_the_example_of_an_extraction_holds_together(client):
    """It names what is missing and checks what is there, as a true answer does."""
    described = client.get("/openapi.json").json()["paths"]["/v1/extraction"]["post"]
    example = described["responses"]["200"]["content"]["application/json"]["example"]

    (document,), (image,) = example["documents"], example["validation"]["images"]
    record = client.get("/v1/document-types/receipt").json()["json_schema"]["properties"]
    assert sorted([*document["fields"], *document["missing_fields"]]) == sorted(record)
    assert {name for check in document["checks"] for name in check["fields"]} <= document["fields"].keys()
    assert image["accepted"] == example["validation"]["accepted"]


def test_the_example_of_a_request_can_be_sent_as_it_is(client):
    """Whoever tries it gets an answer."""
    body = client.get("/openapi.json").json()["paths"]["/v1/extraction"]["post"]["requestBody"]
    example = body["content"]["application/json"]["examples"]["one image"]["value"]

    assert client.post("/extraction", json=example).status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_the_page_loads_nothing_from_anywhere(client, path):
    """No script, no font, no picture from another host, and a policy that would forbid them."""
    response = client.get(path)

    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert not re.search(r"<script|src=|@import|<link", response.text)
    for code in CODES:
        assert f'id="{code}"' in response.text


def test_a_scan_is_read_whole(client, models, good):
    """Where the document fills the picture there is nothing to cut off, and corners outside it are guesses."""
    models.corners = np.array([[-0.03, 0.01], [1.02, -0.02], [1.0, 1.05], [0.0, 1.0]], np.float32)

    submit(client, "/extraction", good, document_type="receipt")

    (task,) = models.tasks
    assert task.page.shape == (400, 300, 3)


def test_advice_is_given_in_the_caller_s_language(client, poor):
    """German for Switzerland, and the answer says so; English where nothing fits."""
    german = client.post("/validation", files={"images": poor}, headers={"accept-language": "de-CH, fr;q=0.5"})
    other = client.post("/validation", files={"images": poor}, headers={"accept-language": "ja"})

    assert german.headers["content-language"] == "de"
    assert german.json()["guidance"][0] == {
        "code": "hold_steady",
        "image": 0,
        "message": catalogues()["de"]["hold_steady"],
    }
    assert other.headers["content-language"] == "en"


def test_a_refusal_speaks_the_caller_s_language(client, poor):
    """Its reasons are the advice."""
    response = client.post(
        "/extraction", files={"images": poor}, data={"validation": "enforce"}, headers={"accept-language": "fr"}
    )

    assert response.status_code == 422
    assert response.headers["content-language"] == "fr"
    assert response.json()["errors"][0]["detail"] == catalogues()["fr"]["hold_steady"]


def test_severity_is_the_caller_s_to_set(client, poor):
    """In a form as text, in JSON as an object, and it goes before what the service is set to."""
    assert submit(client, "/validation", poor, severity="blurry:warning,glare:error").json()["accepted"]
    body = {"images": [{"content": base64.b64encode(poor).decode()}], "severity": {"blurry": "off"}}
    (image,) = client.post("/validation", json=body).json()["images"]
    assert image["accepted"]
    assert {"name": "blurry", "reason": "off"} in image["not_assessed"]


def test_a_service_can_be_set_stricter_or_laxer(models, good, poor):
    """By its settings, where the caller does not say."""
    served = {"quality": version("quality"), "extraction": version("extraction")}

    def accepted(photo, settings, **options):
        with TestClient(create_app(models, Settings(**settings), served)) as client:
            body = submit(client, "/validation", photo, **options).json()
            return body["accepted"], body["strictness"]

    assert accepted(poor, {"severity": {"blurry": "off"}}) == (True, "normal")
    assert accepted(poor, {"severity": {"blurry": "off"}}, severity="blurry:error") == (False, "normal")
    assert accepted(good, {"strictness": "strict"}) == (True, "strict")
    assert accepted(good, {"strictness": "strict"}, strictness="relaxed") == (True, "relaxed")
    assert accepted(good, {"thresholds": {"normal": 0.99}}) == (False, "normal")


def test_the_wrong_kind_of_document_is_told(client, models, good):
    """Whoever asked for a receipt hears that the photo shows something else."""
    right = submit(client, "/validation", good, document_type="receipt").json()
    models.seen = "other"
    wrong = submit(client, "/validation", good, document_type="receipt").json()

    assert [one["code"] for one in wrong["guidance"]] == ["show_requested_document"]
    assert right["guidance"] == []
    assert wrong["accepted"]


def test_a_small_frame_says_what_it_cannot_show(client):
    """A live preview is not blamed for small print; a photo of the same scene is, and so is one to be read."""
    frame, photo = jpeg(40, (288, 384)), jpeg(40, (300, 400))

    (seen,) = submit(client, "/validation", frame).json()["images"]
    assert seen["accepted"]
    assert {"name": "blurry", "reason": "resolution"} in seen["not_assessed"]
    assert not submit(client, "/validation", photo).json()["accepted"]
    assert not submit(client, "/extraction", frame).json()["validation"]["accepted"]


def test_an_answer_names_the_version_that_made_it(client, models, good, monkeypatch):
    """Amid a reload that need not be the one that the ledger names."""
    assess, extract = models.assess, models.extract

    async def older(glimpses):
        return with_version(await assess(glimpses), "1.2.2")

    async def newer(tasks):
        return with_version(await extract(tasks), "1.2.4")

    monkeypatch.setattr(models, "assess", older)
    monkeypatch.setattr(models, "extract", newer)
    body = submit(client, "/extraction", good).json()

    assert {name: one["version"] for name, one in body["models"].items()} == {"quality": "1.2.2", "extraction": "1.2.4"}
    assert body["validation"]["model"]["version"] == "1.2.2"


def test_what_the_runners_have_loaded_is_what_is_told(models):
    """Where models live in other processes, /v1/models asks these."""
    loaded = [version("quality"), version("extraction", document_types=("receipt",))]

    async def ask():
        return loaded

    async def nobody():
        raise UnavailableError("loading")

    for asked, status in ((ask, 200), (nobody, 503)):
        served = {"quality": version("quality"), "extraction": version("extraction", scores={"pages": 7})}
        with TestClient(create_app(models, Settings(), served, asked)) as client:
            response = client.get("/v1/models")
        assert response.status_code == status
        if status == 200:
            assert [one["scores"] for one in response.json()["models"]] == [{}, {}]
        else:
            assert "retry-after" in response.headers

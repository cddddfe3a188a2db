import base64
import io
import json
import logging
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from docextract.answers.schema import ExtractionAnswer, ValidationAnswer
from docextract.http.app import create_app
from docextract.images.geometry import MAX_ENLARGEMENT
from docextract.pipeline.models import ModelFailedError, OverloadedError, TooSlowError, UnavailableError
from docextract.pipeline.problems import CODES
from docextract.predictions import Legibility, TextLine, with_version
from docextract.quality.messages import catalogues
from docextract.settings import Settings
from tests.http.conftest import LIMITS, jpeg, version
from tests.images.text_pdfs import text_pdf, words


def submit(client, path, *images, **options):
    return client.post(path, files=[("images", image) for image in images], data=options)


def test_refused_photo_is_answered_200(client, poor):
    """The answer contains guidance."""
    response = submit(client, "/validation", poor)
    body = response.json()

    assert response.status_code == 200
    assert not body["accepted"]
    assert body["guidance"][0]["code"] == "hold_steady"
    assert body["model"] == {"name": "quality", "version": "1.2.3"}
    assert next(iter(body)) == "request_id"


def test_lowest_score_decides(client, good, poor):
    """One poor photo among good ones refuses the request, and the score is that of the poor one."""
    body = submit(client, "/validation", good, poor).json()

    assert not body["accepted"]
    assert body["score"] == min(image["score"] for image in body["images"])


def test_strictness_changes_the_threshold(client):
    """The same photo passes with `relaxed` and fails with `strict`."""
    photo = io.BytesIO()
    Image.new("L", (400, 400), 150).save(photo, "PNG")

    verdicts = [submit(client, "/validation", photo.getvalue(), strictness=s).json() for s in ("relaxed", "strict")]

    assert [verdict["accepted"] for verdict in verdicts] == [True, False]


def test_extraction_answers_documents_and_verdict(client, good):
    """Documents, verdict, models and durations in one answer."""
    body = submit(client, "/extraction", good, external_id="order 7").json()

    (document,) = body["documents"]
    assert document["fields"]["total"]["value"] == {"amount": "9.00", "currency": None}
    assert not document["needs_review"]
    assert body["verdict"]["accepted"]
    assert body["external_id"] == "order 7"
    assert body["models"]["extraction"] == {"name": "extraction", "version": "1.2.3"}
    assert body["timings_ms"].keys() == {"decode", "validation", "extraction"}


def test_poor_photo_is_extracted_by_default(client, poor):
    """By default, the verdict is only a warning."""
    body = submit(client, "/extraction", poor).json()

    assert body["documents"]
    assert not body["verdict"]["accepted"]


def test_enforce_refuses_a_poor_photo_with_the_verdict(client, models, good, poor):
    """The status is 422 where a required field is uncertain. A good photo is not refused for that."""
    models.total_confidence = 0.4

    response = submit(client, "/extraction", good, poor, validation="enforce")
    body = response.json()

    assert (response.status_code, body["code"]) == (422, "image_quality_insufficient")
    assert [error["pointer"] for error in body["errors"]] == ["/images/1"]
    assert not body["verdict"]["accepted"]


def test_enforce_refuses_a_good_photo_whose_required_fields_are_doubtful(client, models, good):
    """The guidance is to take it again; where no check is enforced, the answer says what is uncertain."""
    models.total_confidence = models.name_confidence = models.date_confidence = 0.02

    body = submit(client, "/extraction", good, validation="enforce").json()

    assert body["code"] == "image_quality_insufficient"
    assert body["verdict"]["accepted"]
    assert [advice["code"] for advice in body["verdict"]["guidance"]] == ["retake_photo"]
    assert body["detail"] == catalogues()["en"]["retake_photo"]
    assert submit(client, "/extraction", good).json()["documents"][0]["needs_review"]


def test_the_warnings_of_an_accepted_photo_are_not_why_it_is_refused(client, models, good):
    """The first advice is to take it again."""
    models.total_confidence = models.name_confidence = models.date_confidence = 0.02
    models.scores = {"off_center": 0.05}

    body = submit(client, "/extraction", good, validation="enforce").json()

    assert body["verdict"]["accepted"]
    assert [advice["code"] for advice in body["verdict"]["guidance"]] == ["retake_photo", "center_document"]
    assert body["detail"] == catalogues()["en"]["retake_photo"]


def test_enforce_answers_a_poor_photo_that_is_read_with_certainty(client, poor):
    """The verdict still names what is wrong with the photo."""
    body = submit(client, "/extraction", poor, validation="enforce").json()

    assert body["documents"][0]["fields"]["total"]["value"]["amount"] == "9.00"
    assert not body["verdict"]["accepted"]
    assert body["verdict"]["guidance"][0]["code"] == "hold_steady"


def _line(text, y):
    return TextLine(text, np.array([[100, y], [500, y], [500, y + 30], [100, y + 30]], np.float32), 0.9)


def test_two_documents_of_one_photo_are_answered_apart(client, models, good):
    """Each is of the same image. With `enforce`, the photo is refused if one of them cannot be read."""
    upper, lower = (_line("TOTAL 9.00", 100), _line("2026-03-14", 200)), (_line("TOTAL", 600), _line("2026-04-01", 700))
    whole = replace(models.found(None), parts=(upper, lower))
    read = replace(whole, parts=())
    blurred = read.with_values(lambda value: replace(value, confidence=0.02))
    found = iter([whole, read, blurred] * 2)
    models.found = lambda task: next(found)

    body = submit(client, "/extraction", good, group="auto").json()
    refused = submit(client, "/extraction", good, group="auto", validation="enforce")

    assert [document["images"] for document in body["documents"]] == [[0], [0]]
    assert [document["needs_review"] for document in body["documents"]] == [False, True]
    assert not any(check["name"] == "page_has_one_document" for one in body["documents"] for check in one["checks"])
    assert refused.json()["code"] == "image_quality_insufficient"


@pytest.mark.parametrize("sources", [("recognised", "embedded"), ("embedded", "recognised"), ("embedded",) * 2])
def test_the_text_of_an_image_is_embedded_if_that_of_all_its_documents_is(client, models, good, sources):
    """Whichever of them comes last."""
    parts = (_line("TOTAL 9.00", 100),), (_line("TOTAL 8.00", 600),)
    one = models.found(None)
    found = iter([replace(one, parts=parts), *(replace(one, text_source=source) for source in sources)])
    models.found = lambda task: next(found)

    body = submit(client, "/extraction", good, group="auto").json()

    assert body["images"][0]["text_source"] == ("embedded" if set(sources) == {"embedded"} else "recognised")


@pytest.mark.parametrize(("detected", "seen"), [(0.1, "receipt"), (0.97, "passport")])
def test_enforce_reads_no_photo_without_the_document(client, models, good, detected, seen):
    """What is read with certainty could be another document."""
    models.detected, models.seen = detected, seen
    expected = {"document_type": "receipt", "severity": "unexpected_document:error"}

    response = submit(client, "/extraction", good, validation="enforce", **expected)

    assert response.json()["code"] == "image_quality_insufficient"
    assert models.tasks == []


@pytest.mark.parametrize("operation", ["/v1/validation", "/v1/extraction"])
def test_empty_pages_of_a_file_with_others_are_no_fault(client, operation):
    """Such as the backs of a duplex scan."""
    body = submit(client, operation, text_pdf(words("A page with print", 50, 700), "")).json()
    verdict = body.get("verdict", body)
    assert (verdict["accepted"], verdict["guidance"]) == (True, [])
    assert [image["accepted"] for image in verdict["images"]] == [True, True]
    assert verdict["score"] == verdict["images"][0]["score"]


def test_enforce_reads_a_file_with_an_empty_page(client):
    """A file of empty pages alone is refused; each is named."""
    assert submit(client, "/extraction", text_pdf(words("Print", 50, 700), ""), validation="enforce").status_code == 200
    refused = submit(client, "/extraction", text_pdf("", ""), jpeg(), validation="enforce")
    assert refused.status_code == 422
    assert [(fault["pointer"], fault["page"]) for fault in refused.json()["errors"]] == [
        ("/images/0", 1),
        ("/images/0", 2),
    ]


def test_validation_off_omits_the_verdict_and_include_verdict_adds_it(client, poor):
    """include=verdict adds the verdict to the answer again."""
    assert "validation" not in submit(client, "/extraction", poor, validation="off").json()
    assert "verdict" in submit(client, "/extraction", poor, validation="off", include="verdict").json()


def test_extraction_model_knows_what_is_struck_out(client, models):
    """It is part of the text layer, so that it is not taken for print that the text layer lacks."""
    content = words("Due", 60, 700) + words("4 March 2026", 90, 700) + words("14 March 2026", 165, 700)
    submit(client, "/extraction", text_pdf(content + "90 703 66 0.6 re f"), document_type="receipt")

    (task,) = models.tasks
    assert {line.text: line.is_struck for line in task.lines} == {
        "Due": False,
        "14 March 2026": False,
        "4 March 2026": True,
    }


def test_extraction_model_receives_the_rectified_document(client, models):
    """The middle half of the photo, where the quality network detected the document."""
    pixels = np.zeros((400, 400, 3), np.uint8)
    pixels[100:300, 100:300] = 255
    photo = io.BytesIO()
    Image.fromarray(pixels).save(photo, "PNG")

    submit(client, "/extraction", photo.getvalue(), document_type="receipt")

    (task,) = models.tasks
    side = 200 * MAX_ENLARGEMENT
    margin = round(0.06 * side)
    assert task.page.shape[0] == pytest.approx(side + 2 * margin, abs=4)
    assert task.page[margin + 4 : -margin - 4, margin + 4 : -margin - 4].mean() > 250
    assert task.document_type == "receipt"


def test_polygons_are_relative_to_the_photo(client, good):
    """The point (0, 0) of the rectified page lies one margin outside the document's corner in the photo."""
    body = submit(client, "/extraction", good, include="polygons").json()

    polygon = body["documents"][0]["fields"]["merchant_name"]["polygon"]
    assert polygon[0] == pytest.approx([0.25 - 0.06 / 2, 0.25 - 0.06 / 2], abs=0.015)


def test_places_on_a_turned_page_are_those_in_the_photo(client, models, good):
    """The model has turned the page clockwise: its top left corner is the lower left one of the photo."""
    models.detected = 0.0  # the page is the whole photo
    found = models.found
    models.found = lambda task: replace(found(task), quarter_turns=3)

    (document,) = submit(client, "/extraction", good, include="polygons,crops").json()["documents"]

    top_left, top_right, _, _ = document["fields"]["merchant_name"]["polygon"]
    assert top_left == pytest.approx([0, 1], abs=0.001)
    assert top_right == pytest.approx([0, 1 - 9 / 400], abs=0.001)
    crop = Image.open(io.BytesIO(base64.b64decode(document["crops"][0]["content"])))
    assert crop.width > crop.height


def tiff(*levels):
    """Return a TIFF with one page of each grey level."""
    out = io.BytesIO()
    first, *others = [Image.new("RGB", (300, 400), (level,) * 3) for level in levels]
    first.save(out, "TIFF", save_all=True, append_images=others, compression="tiff_lzw")
    return out.getvalue()


@pytest.mark.parametrize(
    ("group", "documents"),
    [(None, [[0], [1, 2]]), ("file", [[0], [1, 2]]), ("page", [[0], [1], [2]]), ("request", [[0, 1, 2]])],
)
def test_group_states_what_one_document_is(client, good, group, documents):
    options = {"group": group} if group else {}
    body = submit(client, "/extraction", good, tiff(200, 210), **options).json()

    assert [document["images"] for document in body["documents"]] == documents
    assert [(image["upload"], image["page"]) for image in body["images"]] == [(0, 1), (1, 1), (1, 2)]


def test_pages_of_one_document_are_understood_together(client, models, good):
    """Each page is read once; then the model gets the predictions of the document's pages."""
    models.understood = lambda task: tuple(replace(page, type="invoice", has_invoice_title=True) for page in task.pages)

    body = submit(client, "/extraction", good, tiff(200, 210)).json()

    assert [document["type"] for document in body["documents"]] == ["receipt", "invoice"]
    assert len(models.tasks) == 3
    (task,) = models.together
    assert (len(task.pages), task.document_type) == (2, "auto")


@pytest.mark.parametrize("path", ["/validation", "/extraction"])
def test_uploads_state_which_pages_were_read(client, good, path):
    body = submit(client, path, good, tiff(200, 210, 220), pages="1-1").json()

    assert body["uploads"] == [
        {"index": 0, "media_type": "image/jpeg", "pages": 1, "pages_read": [1]},
        {"index": 1, "media_type": "image/tiff", "pages": 3, "pages_read": [1]},
    ]


@pytest.mark.parametrize("path", ["/validation", "/extraction"])
@pytest.mark.parametrize(
    ("files", "pages", "code", "pointer"),
    [
        ([tiff(*[200] * 6)], None, "too_many_pages", "/images/0"),
        ([tiff(*[200] * 6)], "1-6", "too_many_pages", "/images/0"),
        ([tiff(*[200] * 3), tiff(*[200] * 3)], None, "too_many_pages", "/images/1"),
        ([tiff(*[200] * 3), tiff(*[200] * 2)], "3", "invalid_parameter", "/images/1"),
        ([tiff(*[200] * 6)], "2-1", "invalid_parameter", "/pages"),
    ],
)
def test_no_page_is_dropped_silently(client, models, path, files, pages, code, pointer):
    """More pages than the limit of five are refused, and so are pages that do not exist."""
    response = submit(client, path, *files, **({"pages": pages} if pages else {}))

    assert (response.status_code, response.json()["code"]) == (422, code)
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]
    assert models.tasks == []


def test_wanted_pages_of_a_long_file_are_read(client, models):
    body = submit(client, "/extraction", tiff(200, 201, 202, 203, 204, 205, 206), pages="2,6-7").json()

    assert body["uploads"][0]["pages_read"] == [2, 6, 7]
    assert [image["page"] for image in body["images"]] == [2, 6, 7]


@pytest.mark.parametrize(
    ("error", "status", "code", "waits"),
    [
        (OverloadedError("…"), 503, "overloaded", True),
        (UnavailableError("…"), 503, "model_not_ready", True),
        (TooSlowError("…"), 504, "timeout", False),
        (ModelFailedError("secret"), 500, "internal_error", False),
        (RuntimeError("secret"), 500, "internal_error", False),
    ],
)
def test_internal_errors_have_a_code_and_no_details(client, models, good, caplog, error, status, code, waits):
    """The code tells the caller what to do; neither the answer nor the log repeats an internal message."""
    models.error = error
    with caplog.at_level(logging.INFO):
        response = submit(client, "/extraction", good)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert ("retry-after" in response.headers) == waits
    assert "secret" not in response.text + caplog.text


def test_document_types_are_described(client):
    """Each has a schema, a status and its accuracy."""
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


def test_each_field_has_its_source_and_accuracy(models):
    """A field that was added after the training has the source `none`; an unmeasured field has no accuracy."""
    scores = {"document_types": {"receipt": {"total": {"exact": 0.9}}}}
    extraction = version(
        "extraction", document_types=("receipt",), fields=("total", "line_items.quantity"), scores=scores
    )

    fields = described(models, extraction, "receipt")["fields"]

    assert fields["total"] == {"type": "currency", "required": True, "source": "trained", "accuracy": {"exact": 0.9}}
    assert fields["line_items.quantity"]["source"] == "trained"
    assert fields["tip"] == {"type": "currency", "required": False, "source": "none", "accuracy": None}


def test_untrained_type_has_only_a_schema(models):
    """The schema is there for users who train the type."""
    kind = described(models, version("extraction", document_types=("other",), fields=("total",)), "receipt")

    assert kind["status"] == "schema_only"
    assert {field["source"] for field in kind["fields"].values()} == {"none"}


def test_without_listed_fields_all_fields_of_a_trained_type_are_trained(models):
    """Older ledgers do not list fields."""
    fields = described(models, version("extraction", document_types=("receipt",)), "receipt")["fields"]

    assert {field["source"] for field in fields.values()} == {"trained"}


def test_served_models_and_limits_are_reported(client):
    """/v1/models and /v1/limits."""
    quality, extraction = client.get("/v1/models").json()["models"]

    assert (quality["version"], quality["digest"], quality["promoted"]) == ("1.2.3", "sha256:00", "2026-01-31")
    assert extraction["scores"]["pages"] == 9
    assert client.get("/v1/limits").json()["max_images"] == 3


def test_openapi_document_describes_all_formats_of_both_operations(client):
    """OpenAPI 3.1, three request formats, an example and the problems, for both operations."""
    described = client.get("/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    for path in ("/v1/validation", "/v1/extraction"):
        operation = described["paths"][path]["post"]
        assert {"multipart/form-data", "application/json", "image/jpeg"} <= operation["requestBody"]["content"].keys()
        assert operation["responses"]["200"]["content"]["application/json"]["example"]["request_id"]
        assert "application/problem+json" in operation["responses"]["422"]["content"]


def test_every_reference_in_the_openapi_document_resolves(client):
    """Client generators fail at a single unresolved reference."""
    described = client.get("/openapi.json").json()
    references = set(re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(described)))

    assert references
    assert references <= described["components"]["schemas"].keys()


def test_examples_are_valid_answers(client):
    """The examples validate against the answer models."""
    described = client.get("/openapi.json").json()["paths"]
    for path, model in (("/v1/validation", ValidationAnswer), ("/v1/extraction", ExtractionAnswer)):
        example = described[path]["post"]["responses"]["200"]["content"]["application/json"]["example"]
        assert model.model_validate(example).model_dump(mode="json", exclude_unset=True) == example


def test_every_error_response_is_described_as_a_problem(client):
    """FastAPI's own error format does not appear."""
    described = client.get("/openapi.json").json()

    operations = [operation for methods in described["paths"].values() for operation in methods.values()]
    refusals = [answer for one in operations for status, answer in one["responses"].items() if status != "200"]
    assert all(answer["content"].keys() == {"application/problem+json"} for answer in refusals)
    assert "404" in described["paths"]["/v1/document-types/{name}"]["get"]["responses"]
    assert "HTTPValidationError" not in described["components"]["schemas"]


def test_extraction_example_is_consistent(client):
    """It lists the missing fields, and its checks refer to present fields."""
    described = client.get("/openapi.json").json()["paths"]["/v1/extraction"]["post"]
    example = described["responses"]["200"]["content"]["application/json"]["example"]

    (document,), (image,) = example["documents"], example["verdict"]["images"]
    record = client.get("/v1/document-types/receipt").json()["json_schema"]["properties"]
    assert sorted([*document["fields"], *document["missing_fields"]]) == sorted(record)
    assert {name for check in document["checks"] for name in check["fields"]} <= document["fields"].keys()
    assert image["accepted"] == example["verdict"]["accepted"]


def test_request_example_can_be_sent_unchanged(client):
    """It gets an answer with status 200."""
    body = client.get("/openapi.json").json()["paths"]["/v1/extraction"]["post"]["requestBody"]
    example = body["content"]["application/json"]["examples"]["one image"]["value"]

    assert client.post("/extraction", json=example).status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_api_page_loads_no_resources(client, path):
    """No script, font or picture, and a policy that forbids them."""
    response = client.get(path)

    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert not re.search(r"<script|src=|@import|<link", response.text)
    for code in CODES:
        assert f'id="{code}"' in response.text


def test_scan_is_extracted_as_a_whole(client, models, good):
    """If the document fills the picture, there is no background, and corners outside the picture are estimates."""
    models.corners = np.array([[-0.03, 0.01], [1.02, -0.02], [1.0, 1.05], [0.0, 1.0]], np.float32)

    submit(client, "/extraction", good, document_type="receipt")

    (task,) = models.tasks
    assert task.page.shape == (400, 300, 3)


def test_values_at_the_border_of_a_photo_are_doubted(client, models, good):
    """Of a photo, what is outside cannot be known; a scan shows the whole page."""
    models.corners = np.array([[-0.03, 0.01], [1.02, -0.02], [1.0, 1.05], [0.0, 1.0]], np.float32)
    scan = io.BytesIO()
    Image.new("1", (300, 400), 1).save(scan, "PNG")

    photographed, scanned = (
        submit(client, "/extraction", file, validation="off").json()["documents"][0]["fields"]["merchant_name"]
        for file in (good, scan.getvalue())
    )

    assert scanned["confidence"] == models.name_confidence
    assert photographed["confidence"] < 0.6


def test_values_on_illegible_print_are_doubted(client, models, good):
    """By the legibility map of the photo; a name in the middle of the picture, as in the fixture."""

    def confidence(legibility):
        models.legibility = legibility
        fields = submit(client, "/extraction", good, validation="off").json()["documents"][0]["fields"]
        return fields["merchant_name"]["confidence"], fields["document_date"]["confidence"]

    nowhere = Legibility(np.zeros((24, 18), np.float32), {}, 0.0, np.zeros((24, 18), np.float32))
    assert confidence(None) == (models.name_confidence, models.date_confidence)
    assert confidence(nowhere) == (pytest.approx(0.9 * models.name_confidence, abs=1e-4), models.date_confidence)


def test_guidance_is_in_the_language_of_the_caller(client, poor):
    """German for de-CH; English if no language matches."""
    german = client.post("/validation", files={"images": poor}, headers={"accept-language": "de-CH, fr;q=0.5"})
    other = client.post("/validation", files={"images": poor}, headers={"accept-language": "ja"})

    assert german.headers["content-language"] == "de"
    assert german.json()["guidance"][0] == {
        "code": "hold_steady",
        "image": 0,
        "message": catalogues()["de"]["hold_steady"],
    }
    assert other.headers["content-language"] == "en"


def test_guidance_names_the_place(client, models, poor):
    """If only a part of the document is hard to read, the message says which one."""
    models.legibility = Legibility(np.full((24, 18), 0.9, np.float32), {}, 0.9, np.ones((24, 18), np.float32))
    models.legibility.cells[6:11, 10:14] = 0.1
    answer = client.post("/validation", files={"images": poor}, headers={"accept-language": "de"}).json()

    texts = catalogues()["de"]
    assert answer["guidance"][0] == {
        "code": "hold_steady",
        "image": 0,
        "message": f"{texts['hold_steady']} {texts['at_top_right']}",
        "place": "top_right",
    }
    assert "legibility" not in answer["images"][0]


@pytest.mark.parametrize("operation", ["/validation", "/extraction"])
def test_the_legibility_map_is_an_additional_part(client, models, good, operation):
    """It is null if the quality model has none."""
    without = submit(client, operation, good, include="legibility").json()
    models.legibility = Legibility(np.full((24, 18), 0.87654, np.float32), {}, 0.9, np.ones((24, 18), np.float32))
    answer = submit(client, operation, good, include="legibility").json()

    (before,), (image,) = (one.get("verdict", one)["images"] for one in (without, answer))
    assert before["legibility"] is None
    assert (image["legibility"]["rows"], image["legibility"]["columns"]) == (24, 18)
    assert image["legibility"]["cells"] == [[0.8765] * 18] * 24


def test_the_legibility_map_of_an_unchecked_photo(client, good):
    """Who asks for it gets it, and with it the verdict."""
    answer = submit(client, "/extraction", good, include="legibility", validation="off").json()

    assert "legibility" in answer["verdict"]["images"][0]


def test_parts_of_documents_are_no_parts_of_a_verdict(client, good):
    """Of a validation, only the map can be included."""
    assert submit(client, "/validation", good, include="lines").status_code == 422


def test_refusal_is_in_the_language_of_the_caller(client, models, poor):
    """The details of the faults are the guidance."""
    models.total_confidence = 0.4
    response = client.post(
        "/extraction", files={"images": poor}, data={"validation": "enforce"}, headers={"accept-language": "fr"}
    )

    assert response.status_code == 422
    assert response.headers["content-language"] == "fr"
    assert response.json()["errors"][0]["detail"] == catalogues()["fr"]["hold_steady"]


def test_caller_can_set_the_severity(client, poor):
    """As text in a form, as an object in JSON."""
    assert submit(client, "/validation", poor, severity="blurry:warning,glare:error").json()["accepted"]
    body = {"images": [{"content": base64.b64encode(poor).decode()}], "severity": {"blurry": "off"}}
    (image,) = client.post("/validation", json=body).json()["images"]
    assert image["accepted"]
    assert {"name": "blurry", "reason": "off"} in image["not_assessed"]


def test_settings_change_severity_strictness_and_thresholds(models, good, poor):
    """Options of the request override them."""
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


def test_unexpected_document_type_is_reported(client, models, good):
    """The requested type is a receipt, but the photo shows another type."""
    right = submit(client, "/validation", good, document_type="receipt").json()
    models.seen = "other"
    wrong = submit(client, "/validation", good, document_type="receipt").json()

    assert [one["code"] for one in wrong["guidance"]] == ["show_requested_document"]
    assert right["guidance"] == []
    assert wrong["accepted"]


def test_preview_frame_skips_full_resolution_criteria(client):
    """A preview frame is not judged by sharpness; a photo of the same scene is, and so is a frame for extraction."""
    frame, photo = jpeg(40, (288, 384)), jpeg(40, (300, 400))

    (seen,) = submit(client, "/validation", frame).json()["images"]
    assert seen["accepted"]
    assert {"name": "blurry", "reason": "resolution"} in seen["not_assessed"]
    assert not submit(client, "/validation", photo).json()["accepted"]
    assert not submit(client, "/extraction", frame).json()["verdict"]["accepted"]


def test_answer_names_the_version_that_made_it(client, models, good, monkeypatch):
    """During a reload, it may differ from the version in the ledger."""
    assess, extract = models.assess, models.extract

    async def older(glimpses):
        return with_version(await assess(glimpses), "1.2.2")

    async def newer(tasks):
        return with_version(await extract(tasks), "1.2.4")

    monkeypatch.setattr(models, "assess", older)
    monkeypatch.setattr(models, "extract", newer)
    body = submit(client, "/extraction", good).json()

    assert {name: one["version"] for name, one in body["models"].items()} == {"quality": "1.2.2", "extraction": "1.2.4"}
    assert body["verdict"]["model"]["version"] == "1.2.2"


def test_models_route_reports_the_loaded_versions(models):
    """With models in other processes, /v1/models asks these processes."""
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

import base64
from datetime import date
from decimal import Decimal

import cv2
import numpy as np
import pytest

from docextract.answers.merging import ExtractedPage
from docextract.answers.schema import AnswerOptions, build_document, confidence_level
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone, TextLine

PAGE = np.full((200, 100, 3), 240, np.uint8)
HALF = np.diag([1 / 200, 1 / 400, 1.0])  # the page is the top-left quarter of the photo


def box(left, top, right, bottom):
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def value(content, meaning, confidence=0.95, *polygons):
    return PredictedValue(content, meaning, confidence, polygons)


def receipt(image=0, confidence=0.95, **fields):
    """A page on which these fields were found, beside the three that are required."""
    found = {
        "merchant_name": value("Corner  Bakery", "Corner Bakery", confidence, box(10, 20, 50, 40)),
        "transaction_date": value("25/12/2018", date(2018, 12, 25), confidence),
        "total": value("RM 9.00", Decimal("9"), confidence),
        **fields,
    }
    rows = (
        {"description": value("bun", "bun"), "quantity": value("2", Decimal(2))},
        {"total_price": value("9", Decimal(9))},
    )
    lines = (TextLine("Corner Bakery", box(10, 20, 50, 40), 0.9),)
    return ExtractedPage(
        image,
        PAGE,
        HALF,
        PagePrediction("receipt", 0.99, Conventions("DMY", "MYR"), found, {"line_items": rows}, lines),
    )


def dumped(answer):
    return answer.model_dump(mode="json", exclude_unset=True)


def test_values_are_typed_and_what_is_printed_is_kept():
    """`content` is the print, `value` its meaning: ISO dates, money as text with its currency."""
    fields = dumped(build_document([receipt()], AnswerOptions()))["fields"]

    assert fields["transaction_date"] == {
        "type": "date", "value": "2018-12-25", "content": "25/12/2018", "confidence": 0.95, "level": "high", "image": 0,
    }  # fmt: skip
    assert fields["total"]["value"] == {"amount": "9.00", "currency": "MYR"}
    assert fields["merchant_name"]["content"] == "Corner  Bakery"


def test_what_is_not_on_the_document_is_absent_and_named():
    """Never an empty string, never null: the name is in missing_fields and nowhere else."""
    answer = dumped(build_document([receipt()], AnswerOptions()))

    assert "tip" not in answer["fields"]
    assert {"tip", "payments"} <= set(answer["missing_fields"])
    assert not set(answer["missing_fields"]) & answer["fields"].keys()


def test_a_list_has_rows_with_only_what_was_found():
    """Two line items, each with its own fields."""
    items = dumped(build_document([receipt()], AnswerOptions()))["fields"]["line_items"]

    assert items["type"] == "array"
    assert [sorted(row["fields"]) for row in items["items"]] == [["description", "quantity"], ["total_price"]]


def test_evidence_lies_where_the_photo_shows_it():
    """Polygons are relative to the upright photo, whatever was cut out of it."""
    options = AnswerOptions(include=frozenset({"polygons"}))

    polygon = dumped(build_document([receipt()], options))["fields"]["merchant_name"]["polygon"]

    assert polygon == [[0.05, 0.05], [0.25, 0.05], [0.25, 0.1], [0.05, 0.1]]


def test_a_value_on_two_lines_has_one_polygon_around_both():
    """An address has one frame, not two."""
    address = value("1 Road 2 Town", "1 Road 2 Town", 0.9, box(10, 20, 50, 40), box(20, 40, 80, 60))
    options = AnswerOptions(include=frozenset({"polygons"}))

    polygon = dumped(build_document([receipt(merchant_address=address)], options))["fields"]["merchant_address"]["polygon"]

    assert polygon == [[0.05, 0.05], [0.4, 0.05], [0.4, 0.15], [0.05, 0.15]]


@pytest.mark.parametrize("part", ["polygon", "crops", "raw"])
def test_what_was_not_asked_for_is_left_out(part):
    """Polygons, crops and raw text come with include only."""
    answer = dumped(build_document([receipt()], AnswerOptions()))

    assert part not in answer
    assert part not in answer["fields"]["merchant_name"]


def test_the_crop_is_the_page_that_was_read():
    """include=crop gives a JPEG of the flattened document."""
    (crop,) = dumped(build_document([receipt()], AnswerOptions(include=frozenset({"crop"}))))["crops"]

    pixels = cv2.imdecode(np.frombuffer(base64.b64decode(crop["content"]), np.uint8), cv2.IMREAD_COLOR)
    assert crop["media_type"] == "image/jpeg"
    assert pixels.shape == PAGE.shape


def test_raw_gives_every_line_that_was_read():
    """include=raw: text, confidence and place of each line."""
    (line,) = dumped(build_document([receipt()], AnswerOptions(include=frozenset({"raw"}))))["raw"]["lines"]

    assert line["text"] == "Corner Bakery"
    assert line["polygon"][0] == [0.05, 0.05]


def test_a_sure_and_complete_document_needs_no_review():
    """The required fields are there and sure enough."""
    assert not build_document([receipt()], AnswerOptions(min_confidence=0.9)).needs_review


def test_a_field_under_the_wished_confidence_is_marked():
    """Both the field and its document ask for a look."""
    answer = dumped(build_document([receipt(tip=value("1", Decimal(1), 0.6))], AnswerOptions(min_confidence=0.7)))

    assert answer["needs_review"]
    assert answer["fields"]["tip"]["needs_review"]
    assert "needs_review" not in answer["fields"]["total"]


def test_a_missing_required_field_asks_for_review():
    """A receipt without a total is not done."""
    page = receipt()
    del page.prediction.fields["total"]

    assert build_document([page], AnswerOptions()).needs_review


def test_pages_of_one_document_give_the_surest_value_of_each_field():
    """The total on page two is clearer; rows of both pages follow each other."""
    pages = [receipt(0, 0.8), receipt(1, 0.9, subtotal=value("8.50", Decimal("8.50"), 0.7))]

    answer = dumped(build_document(pages, AnswerOptions()))

    assert answer["images"] == [0, 1]
    assert answer["fields"]["total"]["image"] == 1
    assert answer["fields"]["subtotal"]["image"] == 1
    assert len(answer["fields"]["line_items"]["items"]) == 4


def test_a_blank_reverse_takes_nothing_from_the_front():
    """Of two sides of one document, the one that can be read says what it is, however sure the other is."""
    reverse = ExtractedPage(1, PAGE, HALF, PagePrediction("other", 1.0, Conventions()))

    answer = dumped(build_document([receipt(), reverse], AnswerOptions()))

    assert (answer["type"], answer["images"]) == ("receipt", [0, 1])
    assert answer["fields"]["total"]["value"]["amount"] == "9.00"


def passport(zone_number="L898902C3", **fields):
    """A passport whose zone has number, name and dates; the fields are what was found in print."""
    number = PredictedValue(zone_number, zone_number, 0.99, (box(10, 100, 50, 120),))
    in_zone = {"document_number": number, "birth_date": value("740812", date(1974, 8, 12), 0.99)}
    checks = {"document_number": True, "birth_date": True, "composite": True}
    zone = PredictedZone(
        "TD3", "P", ("P<UTO<<<", "L898902C3<<<"), True, checks, False, 0.9, (box(0, 100, 100, 140),), in_zone
    )
    return ExtractedPage(0, PAGE, HALF, PagePrediction("passport", 0.97, Conventions(), fields, zone=zone))


def test_a_field_with_two_sources_shows_both():
    """The recommended value first, with the place of each."""
    printed = value("L 898902C3", "L898902C3", 0.9, box(10, 20, 50, 40))

    answer = dumped(build_document([passport(document_number=printed)], AnswerOptions(include=frozenset({"polygons"}))))

    number = answer["fields"]["document_number"]
    assert number["value"] == "L898902C3"
    assert number["confidence"] > 0.99
    assert {name: one["content"] for name, one in number["sources"].items()} == {
        "mrz": "L898902C3", "printed": "L 898902C3",
    }  # fmt: skip
    assert number["sources"]["printed"]["polygon"][0] == [0.05, 0.05]
    assert number["polygon"] == number["sources"]["mrz"]["polygon"]
    assert {"name": "mrz_matches_printed", "passed": True, "fields": ["document_number"]} in answer["checks"]


def test_what_only_the_zone_says_is_given_with_its_place():
    """A birth date that was not found in print."""
    fields = dumped(build_document([passport()], AnswerOptions(include=frozenset({"polygons"}))))["fields"]

    assert fields["birth_date"]["value"] == "1974-08-12"
    assert "sources" not in fields["birth_date"]
    assert fields["document_number"]["polygon"][0] == [0.05, 0.25]


def test_the_zone_itself_is_answered():
    """Format, lines and whether every check digit agrees."""
    zone = dumped(build_document([passport()], AnswerOptions()))["fields"]["mrz"]

    assert zone["type"] == "mrz"
    assert zone["value"] == {"format": "TD3", "lines": ["P<UTO<<<", "L898902C3<<<"], "valid": True}
    assert zone["content"] == "P<UTO<<<\nL898902C3<<<"


def test_two_sources_that_differ_ask_for_review():
    """Forged, or misread: somebody should look."""
    complete = {
        "family_name": value("ERIKSSON", "ERIKSSON"), "given_name": value("ANNA", "ANNA"),
        "issuing_country": value("UTO", "UTO"), "expiry_date": value("15 APR 2012", date(2012, 4, 15)),
    }  # fmt: skip

    alike = dumped(build_document([passport(**complete)], AnswerOptions()))
    differing = dumped(build_document([passport(**complete, document_number=value("X1", "X898902C3"))], AnswerOptions()))

    assert not alike["needs_review"]
    assert differing["needs_review"]
    assert {"name": "mrz_matches_printed", "passed": False, "fields": ["document_number"]} in differing["checks"]


def test_a_passport_without_a_zone_lacks_one():
    """It is named among what is missing; a receipt never lacks one."""
    page = ExtractedPage(0, PAGE, HALF, PagePrediction("passport", 0.97, Conventions(), {"sex": value("F", "F")}))

    assert "mrz" in dumped(build_document([page], AnswerOptions()))["missing_fields"]
    assert "mrz" not in dumped(build_document([receipt()], AnswerOptions()))["missing_fields"]


def test_a_page_of_no_known_type_is_answered_without_fields():
    """A shopping list is a document too, and says so."""
    answer = dumped(build_document([ExtractedPage(0, PAGE, HALF, PagePrediction("other", 0.8, Conventions()))], AnswerOptions()))

    assert (answer["type"], answer["schema_version"], answer["fields"]) == ("other", None, {})
    assert answer["needs_review"]


@pytest.mark.parametrize(
    ("confidence", "word"),
    [(1.0, "certain"), (0.98, "certain"), (0.979, "high"), (0.9, "high"), (0.7, "medium"), (0.69, "low"), (0.0, "low")],
)
def test_confidence_in_words(confidence, word):
    """certain from 0.98, high from 0.9, medium from 0.7."""
    assert confidence_level(confidence) == word

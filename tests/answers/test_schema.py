import base64
from dataclasses import replace
from datetime import date
from decimal import Decimal

import cv2
import numpy as np
import pytest

from docextract.answers.documents import AnswerOptions, build_document
from docextract.answers.merging import ExtractedPage
from docextract.answers.schema import confidence_level
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone, TextLine

PAGE = np.full((200, 100, 3), 240, np.uint8)
HALF = np.diag([1 / 200, 1 / 400, 1.0])  # the page is the top-left quarter of the photo


def box(left, top, right, bottom):
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def value(content, meaning, confidence=0.95, *polygons):
    return PredictedValue(content, meaning, confidence, polygons)


def receipt(image=0, confidence=0.95, **fields):
    """A page with these fields and the three required ones."""
    found = {
        "merchant_name": value("Corner  Bakery", "Corner Bakery", confidence, box(10, 20, 50, 40)),
        "document_date": value("25/12/2018", date(2018, 12, 25), confidence),
        "total": value("RM 9.00", Decimal("9"), confidence),
        **fields,
    }
    rows = (
        {"description": value("bun", "bun"), "quantity": value("2", Decimal(2))},
        {"amount": value("9", Decimal(9))},
    )
    lines = (TextLine("Corner Bakery", box(10, 20, 50, 40), 0.9),)
    return ExtractedPage(
        image,
        PAGE,
        HALF,
        PagePrediction(
            "receipt",
            0.99,
            Conventions("DMY", "MYR", 0.97),
            found,
            {"line_items": rows},
            lines,
            error_bounds=((0.5, 0.001),),
        ),
    )


def dumped(answer):
    return answer.model_dump(mode="json", exclude_unset=True)


def test_values_are_typed_and_content_is_the_printed_text():
    """Dates are ISO 8601, and amounts are texts with their currency."""
    fields = dumped(build_document([receipt()], AnswerOptions()))["fields"]

    assert fields["document_date"] == {
        "type": "date", "value": "2018-12-25", "content": "25/12/2018", "source": "printed", "confidence": 0.95,
        "level": "high", "image": 0,
    }  # fmt: skip
    assert fields["total"]["value"] == {"amount": "9.00", "currency": "MYR"}
    assert fields["merchant_name"]["content"] == "Corner  Bakery"


def test_a_field_that_is_not_found_is_left_out_and_listed():
    """Its name is in missing_fields; its value is never an empty string or null."""
    answer = dumped(build_document([receipt()], AnswerOptions()))

    assert "tip" not in answer["fields"]
    assert {"tip", "payments"} <= set(answer["missing_fields"])
    assert not set(answer["missing_fields"]) & answer["fields"].keys()


def test_rows_contain_only_fields_that_were_found():
    """Two line items have different fields."""
    items = dumped(build_document([receipt()], AnswerOptions()))["fields"]["line_items"]

    assert items["type"] == "array"
    assert [sorted(row["fields"]) for row in items["items"]] == [["description", "quantity"], ["amount"]]


def test_polygons_are_relative_to_the_upright_photo():
    """They do not depend on how the document was cut out of the photo."""
    options = AnswerOptions(include=frozenset({"polygons"}))

    polygon = dumped(build_document([receipt()], options))["fields"]["merchant_name"]["polygon"]

    assert polygon == [[0.05, 0.05], [0.25, 0.05], [0.25, 0.1], [0.05, 0.1]]


def test_a_value_on_two_lines_has_one_polygon_around_both():
    """An address on two lines has one polygon."""
    address = value("1 Road 2 Town", "1 Road 2 Town", 0.9, box(10, 20, 50, 40), box(20, 40, 80, 60))
    options = AnswerOptions(include=frozenset({"polygons"}))

    polygon = dumped(build_document([receipt(merchant_address=address)], options))["fields"]["merchant_address"][
        "polygon"
    ]

    assert polygon == [[0.05, 0.05], [0.4, 0.05], [0.4, 0.15], [0.05, 0.15]]


@pytest.mark.parametrize("part", ["polygon", "crops", "lines"])
def test_optional_parts_need_include(part):
    """Polygons, crops and raw text are returned only if `include` names them."""
    answer = dumped(build_document([receipt()], AnswerOptions()))

    assert part not in answer
    assert part not in answer["fields"]["merchant_name"]


def test_the_crop_is_the_rectified_page():
    """include=crops returns a JPEG of the rectified document."""
    (crop,) = dumped(build_document([receipt()], AnswerOptions(include=frozenset({"crops"}))))["crops"]

    pixels = cv2.imdecode(np.frombuffer(base64.b64decode(crop["content"]), np.uint8), cv2.IMREAD_COLOR)
    assert crop["media_type"] == "image/jpeg"
    assert pixels.shape == PAGE.shape


def test_raw_contains_every_recognised_line():
    """include=lines returns text, confidence and polygon of each line."""
    (line,) = dumped(build_document([receipt()], AnswerOptions(include=frozenset({"lines"}))))["lines"]

    assert line["text"] == "Corner Bakery"
    assert line["polygon"][0] == [0.05, 0.05]


def test_a_complete_document_with_high_confidence_needs_no_review():
    """All required fields are present with sufficient confidence."""
    assert not build_document([receipt()], AnswerOptions(min_confidence=0.9)).needs_review


def test_the_currency_has_its_own_confidence():
    """It is doubtful where no currency is printed, and left out where the document has no amounts."""
    sure = build_document([receipt()], AnswerOptions(min_confidence=0.96))
    doubtful = build_document([receipt()], AnswerOptions(min_confidence=0.98))
    page = receipt()
    empty = replace(page, prediction=replace(page.prediction, fields={}, groups={}))

    assert dumped(sure)["currency"] == {"code": "MYR", "confidence": 0.97}
    assert "uncertain:currency" not in sure.review_reasons
    assert "uncertain:currency" in doubtful.review_reasons
    assert "currency" not in dumped(build_document([empty], AnswerOptions()))


def test_a_field_below_min_confidence_needs_review():
    """Both the field and its document are marked."""
    answer = dumped(build_document([receipt(tip=value("1", Decimal(1), 0.6))], AnswerOptions(min_confidence=0.7)))

    assert answer["needs_review"]
    assert answer["fields"]["tip"]["needs_review"]
    assert "needs_review" not in answer["fields"]["total"]


def test_a_missing_required_field_needs_review():
    """A receipt without a total is incomplete."""
    page = receipt()
    del page.prediction.fields["total"]

    assert build_document([page], AnswerOptions()).needs_review


def test_the_value_with_the_highest_confidence_is_used():
    """The total is clearer on page two; the rows of both pages are joined."""
    pages = [receipt(0, 0.8), receipt(1, 0.9, subtotal=value("8.50", Decimal("8.50"), 0.7))]

    answer = dumped(build_document(pages, AnswerOptions()))

    assert answer["images"] == [0, 1]
    assert answer["fields"]["total"]["image"] == 1
    assert answer["fields"]["subtotal"]["image"] == 1
    assert len(answer["fields"]["line_items"]["items"]) == 4


def test_a_blank_reverse_does_not_change_the_type():
    """A side of a known type decides, however high the confidence of the other side is."""
    reverse = ExtractedPage(1, PAGE, HALF, PagePrediction("other", 1.0, Conventions()))

    answer = dumped(build_document([receipt(), reverse], AnswerOptions()))

    assert (answer["type"], answer["images"]) == ("receipt", [0, 1])
    assert answer["fields"]["total"]["value"]["amount"] == "9.00"


def passport(zone_number="L898902C3", **fields):
    """A passport whose zone has number, name and dates; `fields` are the printed ones."""
    number = PredictedValue(zone_number, zone_number, 0.99, (box(10, 100, 50, 120),))
    in_zone = {"document_number": number, "birth_date": value("740812", date(1974, 8, 12), 0.99)}
    checks = {"document_number": True, "birth_date": True, "composite": True}
    zone = PredictedZone(
        "TD3", "P", ("P<UTO<<<", "L898902C3<<<"), True, checks, False, 0.9, (box(0, 100, 100, 140),), in_zone
    )
    return ExtractedPage(
        0, PAGE, HALF, PagePrediction("passport", 0.97, Conventions(), fields, zone=zone, error_bounds=((0.5, 0.001),))
    )


def test_a_field_with_two_sources_has_both_values():
    """The recommended value comes first; each value has its polygon."""
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


def test_a_value_from_the_zone_alone_has_a_polygon():
    """The printed birth date was not found."""
    fields = dumped(build_document([passport()], AnswerOptions(include=frozenset({"polygons"}))))["fields"]

    assert fields["birth_date"]["value"] == "1974-08-12"
    assert "sources" not in fields["birth_date"]
    assert fields["document_number"]["polygon"][0] == [0.05, 0.25]


def test_the_zone_is_part_of_the_answer():
    """It has the format, the lines and whether every check digit is valid."""
    zone = dumped(build_document([passport()], AnswerOptions()))["fields"]["mrz"]

    assert zone["type"] == "mrz"
    assert zone["value"] == {"format": "TD3", "lines": ["P<UTO<<<", "L898902C3<<<"], "valid": True}
    assert zone["content"] == "P<UTO<<<\nL898902C3<<<"


def test_different_sources_need_review():
    """The document may be forged or misread."""
    complete = {
        "family_name": value("ERIKSSON", "ERIKSSON"), "given_name": value("ANNA", "ANNA"),
        "issuing_country": value("UTO", "UTO"), "expiry_date": value("15 APR 2012", date(2012, 4, 15)),
    }  # fmt: skip

    alike = dumped(build_document([passport(**complete)], AnswerOptions()))
    differing = dumped(
        build_document([passport(**complete, document_number=value("X1", "X898902C3"))], AnswerOptions())
    )

    assert not alike["needs_review"]
    assert differing["needs_review"]
    assert {"name": "mrz_matches_printed", "passed": False, "fields": ["document_number"]} in differing["checks"]


def test_a_missing_zone_is_a_missing_field_of_passports_only():
    """A receipt never lacks a zone."""
    page = ExtractedPage(0, PAGE, HALF, PagePrediction("passport", 0.97, Conventions(), {"sex": value("F", "F")}))

    assert "mrz" in dumped(build_document([page], AnswerOptions()))["missing_fields"]
    assert "mrz" not in dumped(build_document([receipt()], AnswerOptions()))["missing_fields"]


def test_a_page_of_type_other_has_no_fields():
    """A shopping list gets an answer with the type `other`."""
    answer = dumped(
        build_document([ExtractedPage(0, PAGE, HALF, PagePrediction("other", 0.8, Conventions()))], AnswerOptions())
    )

    assert (answer["type"], answer["schema_version"], answer["fields"]) == ("other", None, {})
    assert answer["needs_review"]


@pytest.mark.parametrize(
    ("confidence", "word"),
    [(1.0, "certain"), (0.98, "certain"), (0.979, "high"), (0.9, "high"), (0.7, "medium"), (0.69, "low"), (0.0, "low")],
)
def test_levels_of_confidence(confidence, word):
    """certain from 0.98, high from 0.9, medium from 0.7."""
    assert confidence_level(confidence) == word


def passport_reasons(names_in_zone, **printed):
    zone = PredictedZone("TD3", "P", (), True, {}, False, 0.9, (), {n: value(v, v) for n, v in names_in_zone.items()})
    found = PagePrediction(
        "passport", 0.99, Conventions(), {name: value(text, text) for name, text in printed.items()}, {}, zone=zone
    )
    return build_document([ExtractedPage(0, PAGE, HALF, found)], AnswerOptions()).review_reasons


def test_a_family_name_that_the_holder_does_not_have_is_not_missing():
    """The zone has a single name, which is printed as given name."""
    single, both = {"family_name": "ANITA"}, {"family_name": "ANITA", "given_name": "MARIA"}

    assert "missing:family_name" not in passport_reasons(single, given_name="Anita")
    assert "missing:document_number" in passport_reasons(single, given_name="Anita")
    assert "missing:family_name" in passport_reasons({"given_name": "ANITA"}, given_name="Anita")
    assert "missing:family_name" in passport_reasons({}, given_name="Anita")
    assert "missing:given_name" in passport_reasons(single, family_name="Anita")
    assert not [one for one in passport_reasons(both) if one.startswith("missing:") and "name" in one]


@pytest.mark.parametrize("min_confidence", [None, 0.0])
def test_no_value_of_a_page_with_several_documents_is_accepted(min_confidence):
    """Each may be that of another document than the others, however sure it is."""
    page = receipt()
    several = replace(page, prediction=replace(page.prediction, parts=((), ())))
    options = AnswerOptions(min_confidence=min_confidence)

    one, mixed = (build_document([each], options) for each in (page, several))

    name = "page_has_one_document"
    assert name not in [check.name for check in one.checks]
    assert [(check.passed, check.fields) for check in mixed.checks if check.name == name] == [(False, [])]
    assert f"check_failed:{name}" in mixed.review_reasons
    assert "uncertain:total" in mixed.review_reasons
    assert mixed.fields["total"].needs_review
    assert mixed.accepted_from > 1 >= one.accepted_from
    assert not one.fields["total"].needs_review

"""What a person should review."""

import pytest

from docextract.answers.review import (
    NOTHING_ACCEPTED,
    estimate_error_bounds,
    lowest_accepted,
    required_confidence,
    review_reasons,
)
from docextract.answers.schema import DocumentAnswer, FieldAnswer
from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction

RECEIPT = document_types()["receipt"]


def page(*bounds):
    return PagePrediction("receipt", 1.0, Conventions(), error_bounds=bounds)


def test_the_estimate_counts_one_more_wrong_value_than_was_seen():
    """Without it, ten values that happen to be right would promise that none is wrong."""
    judged = [(0.99, True)] * 98 + [(0.9, True), (0.9, False), (0.4, False)]

    assert estimate_error_bounds(judged, (0.5, 0.95)) == [(0.5, 0.0198), (0.95, 0.0101)]
    assert estimate_error_bounds([], (0.5,)) == [(0.5, 1.0)]


@pytest.mark.parametrize(("target", "expected"), [(0.2, 0.5), (0.05, 0.9), (0.01, NOTHING_ACCEPTED)])
def test_values_are_accepted_from_where_few_enough_are_wrong(target, expected):
    """The lowest confidence at which the target is met; no value is accepted if none meets it."""
    assert lowest_accepted([page((0.5, 0.1), (0.9, 0.04), (0.95, 0.02))], target) == expected


def test_the_most_demanding_page_decides():
    """A model without error bounds is taken at its word."""
    assert lowest_accepted([page((0.5, 0.01)), page()], 0.02) == 0.98
    assert lowest_accepted([], 0.02) == 0.98


def test_reasons_name_what_a_person_has_to_look_at():
    """Missing required fields, uncertain values, failed checks."""
    found = {"merchant_name": False, "document_date": False, "total": True, "line_items": True}

    assert review_reasons(RECEIPT, found, ["line_items_sum_to_total"]) == [
        "uncertain:total", "uncertain:line_items", "check_failed:line_items_sum_to_total",
    ]  # fmt: skip
    assert review_reasons(RECEIPT, {"merchant_name": False, "document_date": False}, []) == ["missing:total"]
    assert review_reasons(RECEIPT, dict.fromkeys(found, False), []) == []
    assert review_reasons(None, {}, ["text_layer_matches_page"]) == [
        "unknown_type", "check_failed:text_layer_matches_page",
    ]  # fmt: skip


def document(kind: str = "receipt", **confidences: float | None) -> DocumentAnswer:
    """A document with these fields."""
    return DocumentAnswer(
        type=kind, type_confidence=1.0, schema_version=None, images=[0], confidence=0.7, needs_review=False,
        review_reasons=[], accepted_from=0.5, missing_fields=[], checks=[],
        fields={name: FieldAnswer(type="string", confidence=one) for name, one in confidences.items()},
    )  # fmt: skip


def test_the_least_sure_required_field_counts_most():
    """Other fields do not count; one that is missing counts as 0."""
    required = {"merchant_name": 0.6, "document_date": 0.9, "total": 0.9}

    assert required_confidence(document(**required, tip=0.1)) == pytest.approx((0.6 + 0.8) / 2)
    assert required_confidence(document(**{**required, "total": 0.3})) == pytest.approx((0.3 + 0.6) / 2)
    assert required_confidence(document(merchant_name=0.6, total=0.9)) == pytest.approx((0.0 + 0.5) / 2)


def test_pages_of_unknown_type_have_no_required_field():
    """Nor is there anything to be unsure of."""
    assert required_confidence(document("other")) is None

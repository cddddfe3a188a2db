"""The criteria, and severities in requests."""

import pytest

from docextract.quality.criteria import CRITERIA, CRITERION_NAMES, GROUPS, parse_severities


def test_three_groups_cover_all_criteria():
    """The groups of the specification are visible, readable and centered."""
    assert len(set(CRITERION_NAMES)) == len(CRITERION_NAMES) > len(CRITERIA)
    assert {criterion.group for criterion in CRITERIA} == set(GROUPS)


@pytest.mark.parametrize(
    "given",
    [
        "glare:error,rotated:off",
        " glare:error , rotated:off,",
        ["glare:error", "rotated:off"],
        {"glare": "error", "rotated": "off"},
    ],
)
def test_severities_are_texts_or_a_mapping(given):
    """Text in a query or a form, repeated or with commas; an object in JSON."""
    assert parse_severities(given) == {"glare": "error", "rotated": "off"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("glair:error", "glare"),
        ("glare:fatal", "warning"),
        ("glare", "warning"),
        ({"glare": 1}, "warning"),
        ({"glare": ["off"]}, "warning"),
        (3, "glare:error"),
        ([3], "glare:error"),
        ("document_absent:off", "document_absent"),
    ],
)
def test_invalid_severities_are_refused_with_the_possible_values(given, named):
    """Unknown names and severities, other shapes, and a document_absent that is not an error."""
    with pytest.raises(ValueError, match=named):
        parse_severities(given)

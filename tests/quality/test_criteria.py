"""The list of criteria, and severities as callers write them."""

import pytest

from docextract.quality.criteria import CRITERIA, CRITERION_NAMES, GROUPS, parse_severities


def test_three_groups_cover_all_criteria():
    """Visible, readable, centered: the specification's three words, and nothing outside them."""
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
def test_severities_are_pairs_or_a_table(given):
    """As text in a query or a form, repeated or with commas; as an object in JSON."""
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
def test_a_wrong_severity_is_refused_with_the_right_ones(given, named):
    """Misspelt names, unknown severities, other shapes; and nobody can do without a document."""
    with pytest.raises(ValueError, match=named):
        parse_severities(given)

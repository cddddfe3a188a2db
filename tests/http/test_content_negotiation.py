import pytest

from docextract.http.content_negotiation import accepts_json, best_language

SUPPORTED = ["en", "de", "fr", "pt"]


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/*;q=0.5",
        "text/html, application/json;q=0.9",
        "application/json; charset=utf-8",
        "*/*;q=0.001",
    ],
)
def test_json_is_accepted_by_name_by_wildcard_or_by_default(accept):
    """A missing Accept header accepts everything."""
    assert accepts_json(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "image/*",
        "application/json;q=0",
        "application/json;q=0.0",
        "application/json; q=0.000, */*",
        "*/*;q=0.0",
    ],
)
def test_weight_zero_excludes_json(accept):
    """However many zeros the weight has, and whatever a wildcard in the same header permits."""
    assert not accepts_json(accept)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("de-CH", "de"),
        ("de-Latn-AT;q=0.3", "de"),
        ("pt-BR, en;q=0.5", "pt"),
        ("en;q=0.2, fr;q=0.9, de;q=0.5", "fr"),
        ("ja, pt;q=0.1", "pt"),
        ("en;q=0, *", "de"),
        ("*", "en"),
    ],
)
def test_supported_language_with_the_highest_weight_is_chosen(header, expected):
    """The region of a language tag is ignored."""
    assert best_language(header, SUPPORTED) == expected


@pytest.mark.parametrize("header", ["", "ja", "de;q=0.0", ",;q=,,=", "x" * 10_000, "de;q=much"])
def test_default_language_without_a_match(header):
    """Guidance in English is more useful than status 406."""
    assert best_language(header, SUPPORTED) == "en"

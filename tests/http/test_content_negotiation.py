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
def test_json_may_be_named_or_meant(accept):
    """By its name, by a wild card, or by saying nothing."""
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
def test_a_weight_of_nothing_rules_out(accept):
    """However many noughts it is written with, and whatever a wild card beside it allows."""
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
def test_the_language_liked_best_of_those_we_speak(header, expected):
    """By weight; a region is no obstacle."""
    assert best_language(header, SUPPORTED) == expected


@pytest.mark.parametrize("header", ["", "ja", "de;q=0.0", ",;q=,,=", "x" * 10_000, "de;q=much"])
def test_where_nothing_fits_it_is_the_first(header):
    """A sentence in English helps more than a 406."""
    assert best_language(header, SUPPORTED) == "en"

"""Data files of the generators are validated, and messages name the file."""

import pytest

from training.synth.documents.data_files import check_keys, read_table, word_lists


def test_an_unknown_list_is_an_error_that_names_the_file():
    """A misspelt key would otherwise be ignored, and the generator would use other words."""
    with pytest.raises(ValueError, match=r"receipt_words\.toml: \[de\] has the unknown key 'totall'"):
        word_lists("receipt_words", {"de": {"totall": ["Summe"]}}, ("total",))


def test_a_list_that_a_template_uses_is_known():
    """Templates may use helper lists that no code names."""
    lists = word_lists("names", {"german": {"family": ["{noble} Berg"], "noble": ["von"]}}, ("family",))

    assert lists == {"german": {"family": ("{noble} Berg",), "noble": ("von",)}}


@pytest.mark.parametrize("options", ["Summe", [], [1]])
def test_a_list_must_hold_strings(options):
    """A single string would be taken for a list of letters."""
    with pytest.raises(ValueError, match=r"names\.toml: \[german\] family must be a list of strings"):
        word_lists("names", {"german": {"family": options}}, ("family",))


def test_an_unknown_fact_is_an_error_that_names_the_file():
    """The same holds for tables of facts."""
    with pytest.raises(ValueError, match=r"locales\.toml: \[locale DE\] has the unknown key 'coma'"):
        check_keys("locales", "locale DE", {"coma": True}, ("comma",))


def test_tables_keep_the_order_of_the_file():
    """Seeds depend on it: issuers are drawn by position."""
    assert list(read_table("issuers")["issuer"])[:3] == ["DEU", "AUT", "CHE"]

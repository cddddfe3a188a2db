"""The word lists of the parsers."""

from docextract.documents import data
from docextract.documents.countries import has_two_family_names, writes_month_first
from docextract.documents.data import load_data
from docextract.documents.einvoice.parsing import load_tables


def test_a_list_is_read_once(monkeypatch):
    """The list of countries takes 18 ms, and is asked for each card."""
    assert writes_month_first("USA")
    monkeypatch.setattr(data, "tomllib", None)

    assert writes_month_first("USA")
    assert has_two_family_names("ESP")


def test_the_tables_of_einvoices_leave_their_list_as_it_is():
    """They fill in parts of paths; the list is shared."""
    load_tables.cache_clear()
    load_tables()

    assert load_data("einvoices") == load_data.__wrapped__("einvoices")

"""Generated papers of many kinds."""

from random import Random

import pytest

from docextract.documents.accents import plain_letters
from training.synth.documents import papers
from training.synth.documents.data_files import read_table

LANGUAGES = frozenset(read_table("paper_words"))
MIN_LANGUAGES = 23


@pytest.mark.parametrize("kind", papers.kinds())
def test_each_kind_has_words_in_many_languages(kind):
    """And gives a page with its title, whatever its form."""
    assert set(papers.kinds()[kind]) <= LANGUAGES
    assert len(papers.kinds()[kind]) >= MIN_LANGUAGES
    for language, words in papers.kinds()[kind].items():
        sheet = papers.paper(kind, language, Random(f"{kind}/{language}"))
        text = plain_letters(" ".join(one.text for one in sheet.texts()))
        assert any(plain_letters(title) in text for title in words["titles"])


def test_a_seed_gives_the_same_page():
    one, same, other = (papers.paper("payslip", "fr", Random(seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_unusual_bills_are_no_other_papers():
    types = {kind: papers.type_of_kind(kind) for kind in papers.kinds()}
    assert types["delivery_note"] == "other"
    assert types["invoice_hotel_folio"] == "invoice"
    assert types["receipt_fuel"] == "receipt"


def test_cards_and_slips_are_kinds():
    """A wrong name in the lists would give a card or a slip the form of a letter."""
    assert papers.kinds().keys() >= papers.CARD_KINDS | papers.SLIP_KINDS


def test_words_that_are_missing_are_named(tmp_path):
    file = tmp_path / "ticket.toml"
    file.write_text('[de]\ntitles = ["Fahrschein"]\nlabels = []\nsentences = ["Gute Fahrt!"]\n')
    with pytest.raises(ValueError, match=r"ticket\.toml: \[de\]"):
        papers.words_of_file(file)

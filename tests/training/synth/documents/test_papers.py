"""Generated papers of many kinds."""

from random import Random

import pytest

from docextract.documents.accents import plain_letters
from docextract.documents.printed_labels import bare_label, is_caption
from docextract.predictions import OTHER_TYPE
from training.synth.documents import papers
from training.synth.documents.data_files import read_table

LANGUAGES = frozenset(read_table("paper_words"))


@pytest.mark.parametrize("kind", papers.kinds())
def test_each_kind_has_words_in_many_languages(kind):
    """And gives a page with its title, whatever its form. Older kinds have no Indonesian, newer ones Latin letters."""
    assert LANGUAGES - set(papers.kinds()[kind]) in (set(), {"id"}, {"bg", "el"})
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
    """A wrong name in the lists would give a card or a slip the form of a letter, and a letter that of a slip."""
    assert papers.kinds().keys() >= papers.CARD_KINDS | papers.SLIP_KINDS | papers.FORM_KINDS


def test_no_title_is_that_of_a_bill_and_of_another_paper():
    """Nor has another paper the title of an invoice or credit note."""
    types: dict[tuple[str, str], set[str]] = {}
    for kind, languages in papers.kinds().items():
        own = papers.type_of_kind(kind)
        for language, words in languages.items():
            for title in words["titles"]:
                types.setdefault((language, bare_label(title)), set()).add(own)
                assert own != OTHER_TYPE or not is_caption(title, "invoice_title", "credit_note_title"), (kind, title)

    assert [title for title, found in types.items() if OTHER_TYPE in found and len(found) > 1] == []


def test_words_that_are_missing_are_named(tmp_path):
    file = tmp_path / "ticket.toml"
    file.write_text('[de]\ntitles = ["Fahrschein"]\nlabels = []\nsentences = ["Gute Fahrt!"]\n')
    with pytest.raises(ValueError, match=r"ticket\.toml: \[de\]"):
        papers.words_of_file(file)

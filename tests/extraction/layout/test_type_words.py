"""What the words of a page say about its type."""

import numpy as np
import pytest

from docextract.extraction.layout.type_words import BUCKETS, TypeWords, label_buckets, word_buckets
from docextract.predictions import OTHER_TYPE, TextLine

TYPES = ("invoice", "id_card", OTHER_TYPE)


def words_for(kind, *texts, weight=4.0):
    """A model to which these lines speak for a type."""
    weights = np.zeros((BUCKETS, len(TYPES)), np.float32)
    for text in texts:
        for bucket in word_buckets([text]):
            weights[bucket, TYPES.index(kind)] = weight
    return TypeWords(TYPES, weights, np.zeros(len(TYPES), np.float32), network=0.5)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["STUDIERENDENAUSWEIS"], ["Studierendenausweis"]),
        (["Płatność kartą"], ["platnosc karta"]),
        (["Invoice 4711"], ["Invoice 0815 / 12.50"]),
        (["Carte", "étudiant"], ["Étudiant", "carte"]),
    ],
)
def test_case_accents_numbers_and_the_order_of_lines_do_not_count(one, other):
    assert word_buckets(one) == word_buckets(other)


def test_pairs_of_words_and_whole_lines_count():
    """ "Delivery note" is another thing than a note on a delivery, and a title than a word in a sentence."""
    assert set(word_buckets(["delivery note"])) != set(word_buckets(["note delivery"]))
    assert set(word_buckets(["invoice"])) - set(word_buckets(["please send your invoice to us soon"]))


def test_labels_are_the_same_in_all_languages():
    english = ["Invoice", "Due date: 31.12.2026", "Bill to", "Subtotal"]
    german = ["Rechnung", "Fällig am: 31.12.2026", "Rechnung an", "Zwischensumme"]

    assert label_buckets(english) == label_buckets(german)
    assert len(set(label_buckets(english))) >= len(english)


def test_labels_in_two_languages_count_once():
    assert label_buckets(["Surname / Nom", "Sex/Geschlecht: M"]) == label_buckets(["Nom", "Sex"])


def test_a_page_that_names_no_invoice_says_so():
    """A heading such as "Invoice address" does not name it: offers and orders have it, too."""
    assert label_buckets(["Your order", "Invoice address"]) != label_buckets(["Your order", "Invoice 4711"])
    assert label_buckets(["x"]) == label_buckets([])


def test_a_page_without_words_has_none():
    assert word_buckets(["12.50", "", "€ 3", "x"]) == []


def read(*texts, confidence=0.99):
    """The lines of a page with these texts; where they stand means nothing here."""
    return [TextLine(text, np.zeros((4, 2), np.float32), confidence) for text in texts]


def test_words_change_what_the_network_says():
    """Also where it is certain; other pages stay as they are."""
    words, certain = words_for(OTHER_TYPE, "Student card"), np.array([1e-12, 1.0, 1e-12], np.float32)

    changed = words.combine(certain, TYPES, read("University", "Student card"))
    same = words.combine(certain, TYPES, read("Identity card"))

    assert changed.sum() == pytest.approx(1)
    assert changed.argmax() == TYPES.index(OTHER_TYPE)
    assert same.argmax() == TYPES.index("id_card")


def test_a_type_that_it_has_not_learned_is_not_refused_by_words():
    """A user's own type, whose papers were papers of other kinds before."""
    words, types = words_for(OTHER_TYPE, "Delivery note"), (*TYPES, "delivery_note")

    found = words.combine(np.array([0.1, 0.1, 0.1, 0.7], np.float32), types, read("Delivery note"))

    assert found.argmax() == types.index("delivery_note")


def test_words_that_may_be_misread_say_nothing():
    """On poor photos, true invoices have many words that no invoice has: "Plestsn Day wfhin"."""
    words, invoice = words_for(OTHER_TYPE, "Student card"), np.array([0.9, 0.0, 0.1], np.float32)

    assert words.combine(invoice, TYPES, read("Student card")).argmax() == TYPES.index(OTHER_TYPE)
    assert words.combine(invoice, TYPES, read("Student card", confidence=0.8)).argmax() == TYPES.index("invoice")


def test_words_make_no_card_with_many_labels_another_paper():
    """An Indonesian identity card, of whose language it knows no word."""
    card = np.array([0.1, 0.5, 0.4], np.float32)
    labels = ["Nama", "Tempat/Tgl Lahir", "Jenis Kelamin", "Kewarganegaraan", "Berlaku Hingga"]
    words = words_for(OTHER_TYPE, "Kota Surakarta", *labels)

    found = words.combine(card, TYPES, read("Kota Surakarta", *labels))
    assert found.argmax() == TYPES.index("id_card")
    assert found[TYPES.index(OTHER_TYPE)] == pytest.approx(0.4)
    assert found.sum() == pytest.approx(1)
    assert words.combine(card, TYPES, read("Kota Surakarta", *labels[:2])).argmax() == TYPES.index(OTHER_TYPE)


def test_words_tell_which_card_one_with_many_labels_is():
    labels = ["Nama", "Tempat/Tgl Lahir", "Jenis Kelamin", "Kewarganegaraan", "Berlaku Hingga"]
    words = words_for("id_card", "Permanent resident card")

    found = words.combine(np.array([0.5, 0.4, 0.1], np.float32), TYPES, read("Permanent resident card", *labels))

    assert found.argmax() == TYPES.index("id_card")


def test_it_is_saved_next_to_the_network(tmp_path):
    saved = words_for("invoice", "Rechnung")
    saved.save(tmp_path)
    loaded = TypeWords.load(tmp_path)

    assert loaded is not None
    assert (loaded.types, loaded.network) == (TYPES, 0.5)
    np.testing.assert_array_equal(loaded.weights, saved.weights)


def test_weights_without_it_are_of_earlier_versions(tmp_path):
    assert TypeWords.load(tmp_path) is None

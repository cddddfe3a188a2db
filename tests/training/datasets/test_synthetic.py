"""Tests of writing simulated photos as a labelled folder."""

from docextract.documents import document_types
from training.datasets import labelled_folder, synthetic


def test_the_output_is_a_labelled_folder(tmp_path):
    """Every row is usable and states for each single field whether it is present."""
    synthetic.main([str(tmp_path), "--count", "2", "--plan", "good"])

    pages, unusable = labelled_folder.load(tmp_path)

    assert (len(pages), unusable) == (2, [])
    for page in pages:
        single = {field.name for field in document_types()[page.type].fields() if field.group is None}
        assert single <= page.fields.keys()
        assert any(page.fields[name] for name in single)


def test_values_only_in_the_zone_are_labels():
    """The back of a card: a name that is read from its zone is not invented."""
    passport = document_types()["passport"]
    lines = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
    record = passport.record(mrz=lines, given_name="Anna María")

    labels = synthetic.labels_of(record)

    assert (labels["family_name"], labels["birth_date"]) == ("ERIKSSON", "1974-08-12")
    assert labels["given_name"] == "Anna María"
    assert labels["birth_place"] is None
    assert labels["administrative_number"] is None
    assert "mrz" not in labels


def test_the_only_tax_rate_has_the_total_tax():
    """It is printed once, and the answer has it in both places."""
    taxes = ({"rate": 19},)
    invoice = document_types()["invoice"].record(total_tax="9.50", taxes=taxes)

    assert synthetic.labels_of(invoice)["taxes"] == [{"rate": "19", "net_amount": None, "amount": "9.50"}]

"""Numbers behind labels of registers and taxes are no telephone numbers."""

import pytest

from docextract.extraction.layout.fields import decode_fields


def phone(invoice, *lines):
    found = decode_fields(invoice(*lines)).get("vendor_phone")
    return found and found.value


@pytest.mark.parametrize(
    "label", ["Inscrição Municipal:", "Inscr. Est.", "CNPJ:", "KvK", "SIRET", "Steuernummer", "IČO:", "Org.nr", "ABN"]
)
def test_a_number_behind_a_label_of_a_register_is_no_telephone_number(line, invoice, label):
    number = "0711 448820"
    lines = [(line(label, 0, 0), {}), (line(number, 300, 0), {"vendor_phone": 0.95})]
    own = [(line("Tel.", 0, 40), {}), (line("41 3555 0118", 300, 40), {"vendor_phone": 0.9})]

    assert phone(invoice, *lines) is None
    assert phone(invoice, *lines, *own) == "41 3555 0118"


@pytest.mark.parametrize("label", ["Tel.", "Phone:", "Fon", "Call us", "Elevadores"])
def test_a_number_behind_other_words_may_be_one(line, invoice, label):
    """Such as behind a name; a label of a register further in front is that of another number."""
    lines = [(line(f"CNPJ 11.222.333 {label}", 0, 0), {}), (line("41 3555 0118", 400, 0), {"vendor_phone": 0.95})]

    assert phone(invoice, *lines) == "41 3555 0118"

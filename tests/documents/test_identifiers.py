"""Check digits of account and tax numbers."""

import pytest

from docextract.documents.identifiers import has_iban_form, is_payment_reference, is_valid_iban, is_valid_tax_id
from docextract.documents.values import parse_tax_id


@pytest.mark.parametrize(
    ("number", "currency", "right"),
    [
        ("DE 136 695 976", "EUR", True),
        ("DE 136 695 978", "EUR", False),
        ("ATU13585627", "EUR", True),
        ("CHE-100.155.212 MWST", "CHF", True),
        ("CHE-100.155.213 MWST", "CHF", False),
        ("GB 980 7806 84", "GBP", True),
        ("51 824 753 556", "AUD", True),
        ("51 824 753 557", "AUD", False),
        ("B-58378431", "EUR", True),
        ("EL 094019245", "EUR", True),
        ("EL 094019246", "EUR", False),
        ("00743110157", "EUR", True),  # Italian
        ("40003521600", "EUR", True),  # Latvian
        ("21481508156", "EUR", None),  # German, without its strokes
        ("12/345/67890", "EUR", None),
        ("12-3456789", "USD", None),
        ("Nr. 77", None, None),
    ],
)
def test_only_numbers_with_a_known_rule_are_verified(number, currency, right):
    """The file number of a tax office has no known check digits."""
    assert is_valid_tax_id(number, currency) is right


def test_every_single_wrong_digit_of_an_iban_is_detected():
    """Two check digits detect every single error."""
    right = "DE89370400440532013000"

    assert is_valid_iban(right)
    assert not any(
        is_valid_iban(right[:at] + digit + right[at + 1 :])
        for at in range(4, len(right))
        for digit in "0123456789"
        if digit != right[at]
    )


@pytest.mark.parametrize("text", ["", ".", "№ :", "A", "DE"])
def test_what_has_no_digits_has_no_form_of_an_iban(text):
    """A network may take a mark for a tax number; that ends nothing."""
    assert not has_iban_form("".join(filter(str.isalnum, text)))
    assert parse_tax_id(text) == (text or None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ALV 4931680-6", "4931680-6"),
        ("48-0917735 NPI 1770493328", "48-0917735"),
        ("123 456 789 MVA 0001", "123 456 789 MVA 0001"),
        ("123456789 RT 0001", "123456789 RT 0001"),
        ("CHE-123.456.789 MWST", "CHE-123.456.789 MWST"),
        ("N.o 516 121 677", "516 121 677"),
        ("04468280740 R", "04468280740"),
        ("SE558009121701 Godkänd", "SE558009121701"),
        ("NO 999 999 999 MVA", "NO 999 999 999 MVA"),
        ("GB 900 8146 12 Co.", "GB 900 8146 12"),
        ("IE 1234567 T", "IE 1234567 T"),
        ("12345678 Z", "12345678 Z"),
        ("NO 123 456 789 MVA", "NO 123 456 789 MVA"),
        ("272184375 RT0001", "272184375 RT0001"),
    ],
)
def test_what_is_printed_around_a_tax_number_is_no_part_of_it(text, number):
    """Letters of the number stay: the last one of an Irish or a Spanish number, the end of a Norwegian one."""
    assert parse_tax_id(text) == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RF18 5390 0754 7034", True),
        ("RF18539007547034", True),
        ("RF81 5390 0754 7034", False),
        ("210000000003139471430009017", True),
        ("210000000003139471430009071", False),
        ("+++090/9337/55493+++", True),
        ("*** 090/9337/55493 ***", True),
        ("+++090/9337/55439+++", False),
        ("090/9337/55493", False),
        ("RFQ 72", False),
        ("RFQ No. 61", False),
        ("", False),
    ],
)
def test_payment_references_have_a_form_and_check_digits(text, expected):
    """Of the public examples of ISO 11649, the Swiss QR bill and Belgian banks."""
    assert is_payment_reference(text) == expected

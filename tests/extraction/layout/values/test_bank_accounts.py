"""The numbers of bank accounts, behind labels."""

import pytest

from docextract.extraction.layout.values.bank_accounts import is_account
from tests.extraction.layout.conftest import value_of

ACCOUNT = "bank_account_number"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0004418820", True), ("2000.48.81175", True), ("120-0441882077/0100", True), ("4471 0020 8844 17", True),
        ("5488-1177", True), ("27 1050 1214 0000 0090 8844 1827", True),
        ("2401177209 / 2010", True),
        ("71884420 30.11.2026", False), ("5488-1177 20261234", False), ("1234567 / 37050198", False),
        ("4417", False), ("DE12 3456", False), ("12.11.2026", False), ("2026-11-12", False), ("1 234.50", False),
    ],
)  # fmt: skip
def test_accounts_have_digits_alone(text, expected):
    assert is_account(text) is expected


@pytest.mark.parametrize(
    ("texts", "number"),
    [
        (["Bank: Reg.nr. 6511, kontonr. 0004418820."], "0004418820"),
        (["Bankovní spojení: 120-0441882077/0100"], "120-0441882077/0100"),
        (["Bankovní účet: 2401177209 / 2010"], "2401177209 / 2010"),
        (["Bankgiro", "5488-1177"], "5488-1177"),
        (["BSB: 105-044 Account: 0441 88240 Ref: 17"], "0441 88240"),
        (["by BACS, sort code 40-11-88, account number 71884420, quoting"], "71884420"),
        (["Bank Name: HDFC Bank", "A/c No.: 50200044188207"], "50200044188207"),
        (["Nr konta: PL27 1050 1214 0000 0090 8844 1827"], None),
        (["Gas supply", "Account number: 419 77 1188"], None),
        (["Account number: 4197711", "Jane Smith", "12 Bank Street"], None),
        (["Número de cuenta: 4197711"], None),
    ],
)
def test_an_account_stands_behind_its_label(line, invoice, texts, number):
    """A label that may name the customer is that of a bank only beside words of banks; an IBAN has its own field."""
    page = invoice(*((line(text, 0, 22 * at), {}) for at, text in enumerate(texts)))

    assert value_of(page, ACCOUNT) == number


def test_what_the_network_takes_for_the_number_of_a_customer_is_no_account(line, invoice):
    page = invoice(
        (line("Account number:", 0, 0), {}),
        (line("4197711", 0, 22), {"customer_id": 0.95}),
        (line("Please pay at your bank", 0, 44), {}),
    )

    assert (value_of(page, ACCOUNT), value_of(page, "customer_id")) == (None, "4197711")


def test_a_polish_account_that_the_network_takes_for_an_iban_is_an_account(line, invoice):
    """Without the letters of the country it is no IBAN."""
    number = "27 1050 1214 0000 0090 8844 1827"
    lines = [(line("Nr konta:", 0, 0), {}), (line(number, 300, 0), {"iban": 0.95})]

    assert value_of(invoice(*lines), ACCOUNT) == number
    assert value_of(invoice(*lines), "iban") is None

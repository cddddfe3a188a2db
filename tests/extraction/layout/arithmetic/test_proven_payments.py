"""Payments whose method the network does not know are rows where they make the total."""

import pytest

from docextract.extraction.layout.arithmetic import proven_payments
from docextract.extraction.layout.arithmetic.proven_payments import add_payments
from docextract.extraction.layout.arithmetic.proven_totals import take_paid_total
from docextract.extraction.layout.arithmetic.tips import with_labelled_tip
from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidates
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.tables.rows import decode_groups
from tests.extraction.layout.conftest import RECEIPT


@pytest.fixture
def payments(line, receipt):
    """Return a function that decodes a page with a total of 20, and lines of words and an amount with its fields."""

    def decode(*rows, is_part=False):
        lines = [(line("TOTAL", 0, 0), {}), (line("20.00", 400, 0), {"total": 0.9})]
        for at, (words, amount, fields) in enumerate(rows, start=1):
            lines += [(line(words, 0, 40 * at), {}), (line(amount, 400, 40 * at), fields)]
        page = receipt(*lines)
        found = add_payments(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page, is_part)
        paid = [(row["method"].content, str(row["amount"].value)) for row in found.groups["payments"]]
        return paid, set(found.fields)

    return decode


@pytest.mark.parametrize(
    ("words", "method"),
    [
        ("KORTTITAPAHTUMA", "KORTTITAPAHTUMA"),
        ("Pagamento elettronico", "Pagamento elettronico"),
        ("Visa ****4421", "Visa"),
        ("CARD EUR", "CARD"),
        ("Bank Account", "Bank Account"),
        ("Konto", "Konto"),
        ("FSA/HSA", "FSA/HSA"),
        ("Carte d'achat", "Carte d'achat"),
        ("Bezahlt mit PostFinance Card", "PostFinance Card"),
        ("Bezahlt", "Bezahlt"),
    ],
)
def test_the_words_beside_what_pays_the_total_are_its_method(payments, words, method):
    assert payments((words, "20.00", {"payments.amount": 0.9})) == ([(method, "20.00")], {"total"})


@pytest.mark.parametrize(
    ("words", "method"),
    [("YAPE", "YAPE"), ("Bezahlt mit TWINT", "TWINT"), ("Pix", "Pix"), ("Touch 'n Go", "Touch 'n Go")],
)
@pytest.mark.parametrize("fields", [{}, {"total": 0.95, "payments.amount": 0.05}], ids=["nothing", "the total"])
def test_what_stands_beside_the_name_of_a_wallet_is_paid(payments, words, method, fields):
    """Whatever the network takes it for. The total is printed above it, too."""
    assert payments((words, "20.00", fields)) == ([(method, "20.00")], {"total"})


@pytest.mark.parametrize("other", [("QRIS", "20.00", {}), ("GoPay", "5.00", {})], ids=["the same", "another"])
def test_a_payment_is_found_without_another_one_beside_the_name_of_a_wallet(payments, other):
    """A slip of a terminal prints it again."""
    assert payments(("QRIS", "20.00", {"payments.amount": 0.9}), other) == ([("QRIS", "20.00")], {"total"})


@pytest.mark.parametrize("name", ["Boost", "OCTOPUS"])
def test_above_the_total_the_name_of_a_wallet_is_one_of_goods(line, receipt, name):
    lines = [(line(name, 0, 0), {}), (line("20.00", 400, 0), {})]
    page = receipt(*lines, (line("TOTAL", 0, 40), {}), (line("20.00", 400, 40), {"total": 0.9}))
    found = add_payments(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page)

    assert not found.groups.get("payments")


def test_the_total_beside_the_name_of_a_wallet_stays_if_it_is_printed_nowhere_else(line, receipt):
    page = receipt((line("QRIS", 0, 0), {}), (line("20.00", 400, 0), {"total": 0.9}))
    before = Candidates(decode_fields(page), decode_groups(page))
    found = add_payments(before, RECEIPT, page)

    assert str(found.fields["total"].value) == "20.00"
    assert not found.groups.get("payments")


def test_change_is_subtracted(payments):
    change = ("Povrat", "30.00", {"change": 0.9})

    assert payments(("Gotovina", "50.00", {"payments.amount": 0.9}), change)[0] == [("Gotovina", "50.00")]


def test_change_is_no_negative_payment(payments):
    """Where the network does not know its label."""
    rows = ("Gotovina", "50.00", {"payments.amount": 0.9}), ("Povrat", "-30.00", {"payments.amount": 0.5})

    assert payments(*rows)[0] == []


def test_several_payments_make_the_total_together(payments):
    """What the network takes for change is none where it pays the rest."""
    rows = ("FSA/HSA", "15.00", {"payments.amount": 0.8}), ("CHARGE", "5.00", {"payments.amount": 0.4, "change": 0.4})

    assert payments(*rows) == ([("FSA/HSA", "15.00"), ("CHARGE", "5.00")], {"total"})


@pytest.mark.parametrize(
    ("words", "amount", "fields"),
    [
        ("KARTA", "25.00", {"payments.amount": 0.9}),  # not the total
        ("KARTA", "20.00", {"payments.amount": 0.2}),  # unlikely
        ("KARTA", "20.00", {"payments.amount": 0.3, "tip": 0.6}),  # another value
        ("Balance due", "20.00", {"payments.amount": 0.9}),  # a label of another value
        ("****4421", "20.00", {"payments.amount": 0.9}),  # no words
        ("Betrag EUR", "20.00", {"payments.amount": 0.9}),  # a label of any amount
    ],
)
def test_other_amounts_are_no_payments(payments, words, amount, fields):
    assert payments((words, amount, fields))[0] == []


def test_a_less_likely_payment_is_left_out_if_the_others_make_the_total(payments):
    """Such as the total in another currency."""
    rows = ("UKUPNO HRK", "150.69", {"payments.amount": 0.4}), ("Gotovina", "20.00", {"payments.amount": 0.9})

    assert payments(*rows)[0] == [("Gotovina", "20.00")]


def test_payments_of_a_part_of_a_document_may_be_on_another_page(payments):
    assert payments(("KARTA", "20.00", {"payments.amount": 0.9}), is_part=True)[0] == []


def test_nothing_is_added_to_payments_that_make_the_total(line, receipt):
    """Slips of cards repeat what was paid."""
    paid = line("Cash", 0, 40), line("20.00", 400, 40), line("Beleg", 0, 80), line("20.00", 400, 80)
    method, amount, words, again = paid
    page = receipt(
        (line("TOTAL", 0, 0), {}), (line("20.00", 400, 0), {"total": 0.9}),
        (method, {"payments.method": 0.9}), (amount, {"payments.amount": 0.9}),
        (words, {}), (again, {"payments.amount": 0.9}),
    )  # fmt: skip
    before = Candidates(decode_fields(page), decode_groups(page))

    assert add_payments(before, RECEIPT, page) is before


def test_words_are_looked_up_only_where_they_are_alone_beside_an_amount(line, receipt, monkeypatch):
    """Where many columns of words and amounts stand at one height, each pair would be compared otherwise."""
    looked_up = []
    monkeypatch.setattr(proven_payments, "field_of_label", lambda text, _: looked_up.append(text))
    row = [(line(f"Card {number}", 300 * number, 40), {}) for number in range(8)]
    row += [(line("20.00", 300 * number + 150, 40), {"payments.amount": 0.9}) for number in range(8)]
    page = receipt((line("TOTAL", 0, 0), {}), (line("20.00", 400, 0), {"total": 0.9}), *row)
    before = Candidates(decode_fields(page), decode_groups(page))

    assert add_payments(before, RECEIPT, page) is before
    assert not looked_up


def test_payments_that_a_user_describes_as_text_stay(line, described_page):
    toml = """
        fields.total = "currency"
        fields.payments = {method = "string", amount = "string"}
        fields.line_items = {description = "string", amount = "string"}
    """
    page = described_page(
        toml, (line("TOTAL", 0, 0), {}), (line("20.00", 400, 0), {"total": 0.9}),
        (line("Cash", 0, 40), {"payments.method": 0.9}), (line("50.00", 400, 40), {"payments.amount": 0.9}),
    )  # fmt: skip
    before = Candidates(decode_fields(page), decode_groups(page))

    assert before.groups["payments"]
    assert add_payments(before, page.document_type, page) is before
    assert take_paid_total(before, page) is before


def test_a_method_without_an_amount_gets_the_one_that_pays_the_total(line, receipt):
    """The network may take the amount of a payment for the total, which is printed once more above it."""
    page = receipt(
        (line("TOTAL", 0, 0), {}),
        (line("20.00", 400, 0), {"total": 0.9}),
        (line("TWINT", 0, 40), {"payments.method": 0.9}),
        (line("20.00", 400, 40), {"payments.amount": 0.4, "total": 0.5}),
    )
    found = add_payments(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page)

    assert [(row["method"].content, str(row["amount"].value)) for row in found.groups["payments"]] == [
        ("TWINT", "20.00")
    ]


@pytest.fixture
def paid(line, receipt):
    """Return a function that decodes a page with a total of 20, a payment, and an amount behind a label."""

    def decode(label, amount, fields, payment="22.00"):
        page = receipt(
            (line("TOTAL", 0, 0), {}),
            (line("20.00", 400, 0), {"total": 0.9}),
            (line(label, 0, 40), {}),
            (line(amount, 400, 40), fields),
            (line("Karte", 0, 80), {}),
            (line(payment, 400, 80), {"payments.amount": 0.9}),
        )
        fields = with_labelled_tip(decode_fields(page), page)
        found = add_payments(Candidates(fields, decode_groups(page)), RECEIPT, page)
        values = {name: str(one.value) for name, one in found.fields.items() if one.support >= GIVEN_SUPPORT}
        return values, [str(row["amount"].value) for row in found.groups["payments"]]

    return decode


@pytest.mark.parametrize("fields", [{"change": 0.4, "payments.amount": 0.3}, {"change": 0.9}, {"tip": 0.4}])
@pytest.mark.parametrize("label", ["Trinkgeld", "Spropitné:", "TIP"])
def test_a_labelled_tip_is_no_change_and_is_paid_with_the_total(paid, label, fields):
    assert paid(label, "2.00", fields) == ({"total": "20.00", "tip": "2.00"}, ["22.00"])


@pytest.mark.parametrize(
    ("label", "amount", "payment"), [("Tip 15%", "3.00", "23.00"), ("TIP", "0.00", "20.00"), ("Pfand", "2.00", "22.00")]
)
def test_other_amounts_are_no_tip(paid, label, amount, payment):
    assert "tip" not in paid(label, amount, {}, payment)[0]


def test_change_behind_its_label_makes_the_total(line, receipt):
    page = receipt(
        (line("TOTALE", 0, 0), {}),
        (line("20.00", 400, 0), {"total": 0.9}),
        (line("Contante", 0, 40), {"payments.method": 0.9}),
        (line("50.00", 400, 40), {"payments.amount": 0.9}),
        (line("Pagamento elettronico", 0, 80), {}),
        (line("0.00", 400, 80), {"change": 0.6}),
        (line("Resto", 0, 120), {}),
        (line("30.00", 400, 120), {"total_discount": 0.5}),
    )
    found = add_payments(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page)

    assert str(found.fields["change"].value) == "30.00"

"""What a payer is to state: by a standard form, or behind a label beside a bank account."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import NO_FIELD, begin_label
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.values.labelled_values import labelled_values
from docextract.extraction.layout.values.payment_references import (
    beside_accounts,
    is_reference,
    printed_references,
    without_full_stop,
)

REFERENCE = "payment_reference"


def pieces_of(lines):
    return split_into_pieces(lines)[1].pieces


def reference_on(invoice, *lines):
    """The payment reference of a page, of which each line may have probabilities of fields."""
    page = invoice(*(one if isinstance(one, tuple) else (one, {}) for one in lines))
    found = decode_fields(page).get(REFERENCE)
    return found and found.value


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("Please state RF18 5390 0754 7034 with your payment", "RF18 5390 0754 7034"),
        ("Referenz 21 00000 00003 13947 14300 09017", "21 00000 00003 13947 14300 09017"),
        ("Mededeling: +++090/9337/55493+++", "+++090/9337/55493+++"),
        ("+71<005554444333226 +12345678<", "005554444333226"),
        ("Please state RF19 5390 0754 7034", None),
        ("21 00000 00003 13947 14300 09018", None),
        ("+++090/9337/55494+++", None),
        ("Call +45 12345678", None),
        ("Your enquiry RFQ No. 61", None),
    ],
)
def test_standard_references_are_found_by_their_form(line, text, reference):
    """One whose check digits are wrong is none."""
    pieces = pieces_of([line(text, 0, 0)])
    found = [join_pieces([pieces[i] for i in span]) for span in printed_references(pieces, PrintedLines(pieces))]

    assert found == ([reference] if reference else [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("44 01824", True), ("21 00000 00003", True), ("INV-2024/17", True), ("RF18 5390", True),
        ("invoice 17", False), ("thanks", False), ("12345 14", False), ("4711 500", False),
        ("12,34", False), ("1.012,34", False), ("12.05.2024", False), ("2024-05-12", False), ("12", False),
    ],
)  # fmt: skip
def test_a_reference_is_a_word_with_digits_or_even_groups_of_them(text, expected):
    """Words, two numbers, amounts and dates are none."""
    assert is_reference(text) == expected


def test_a_bare_label_counts_beside_an_account(line):
    """In front of another number it may name anything."""
    pieces = pieces_of([line("Reference 4711", 0, 0), line("IBAN DE20 2914", 0, 30), line("Reference 0815", 0, 400)])
    labels = [tuple(i for i, one in enumerate(pieces) if one.text == "Reference")[at : at + 1] for at in (0, 1)]

    assert beside_accounts(labels, pieces, PrintedLines(pieces)) == labels[:1]


def test_a_reference_stands_behind_a_bare_label_beside_an_account(line, invoice):
    """And it is none where no account is printed."""
    label = line("Reference: 88120934", 0, 30)

    assert reference_on(invoice, line("Bank transfer to our account", 0, 0), label) == "88120934"
    for other in ("Thank you for your order", "Customer account: C-1002", "Account manager: John", "Bankstraat 12"):
        assert reference_on(invoice, line(other, 0, 0), label) is None


def test_a_sentence_may_break_before_the_reference(line, invoice):
    """A label at the end of a line is followed by the first word of the next."""
    upper, lower = line("Pay by bank transfer, quoting", 0, 0), line("88120934 within ten days", 0, 30)

    assert reference_on(invoice, upper, lower) == "88120934"


def test_a_value_beside_its_label_is_not_searched_below(line, invoice):
    """The next line may begin with another number."""
    beside, below = line("88120934", 400, 0), line("1200 Main Street", 0, 30)
    page = invoice(*((one, {}) for one in (line("Bank transfer, payment reference", 0, 0), beside, below)))

    assert [page.text(span) for span in labelled_values(page)[REFERENCE]] == ["88120934"]


def test_a_part_that_the_network_knows_is_completed(line, invoice):
    """By the value behind its label."""
    page = invoice((line("Payment reference: 44 01824", 0, 0), {}))
    labels = page.labels.copy()
    first = [piece.text for piece in page.pieces].index("44")
    labels[first, begin_label(page.numbers[REFERENCE])] = 0.7
    labels[first, NO_FIELD] = 0.3

    assert decode_fields(page.with_labels(labels))[REFERENCE].value == "44 01824"


def test_the_only_number_may_be_the_payment_reference_too(line, invoice):
    """Another number that no such label names is preferred, even where the network is less sure of it."""
    label, reference = (line("Payment reference:", 0, 0), {}), (line("889928", 190, 0), {"customer_id": 0.7})
    other = (line("889930", 0, 200), {"customer_id": 0.68})

    assert decode_fields(invoice(label, reference))["customer_id"].value == "889928"
    assert decode_fields(invoice(label, reference, other))["customer_id"].value == "889930"


def test_the_full_stop_of_a_sentence_is_left_out(line):
    """A full stop alone stays what it is."""
    pieces = pieces_of([line("88120934 .", 0, 0)])

    assert without_full_stop((0, 1), pieces) == (0,)
    assert without_full_stop((1,), pieces) == (1,)

"""Second choices of OCR are taken where check digits, products or sums prove them."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.arithmetic.second_choices import (
    MIN_AMOUNT_ODDS,
    MIN_IBAN_ODDS,
    MIN_TAX_ID_ODDS,
    take_names_in_zone,
    take_second_choices,
)
from docextract.extraction.layout.candidates import Candidates, candidate_of
from docextract.predictions import CharacterAlternative, PredictedValue, PredictedZone

ITEM, TAX = ("quantity", "unit_price", "amount"), ("net_amount", "rate", "amount")


@pytest.fixture
def read(line, invoice):
    """Return a function that gives the values of an invoice after second choices, as text: of its fields and rows.

    A printed text is one word; "100.8|0@4*0.2" has 0 as second choice of the character at 4, with odds of 0.2. "=total"
    is printed where the total is.
    """
    return lambda *rows, **printed: _texts(*_answer(line, invoice, *rows, **printed))


@pytest.fixture
def read_receipt(line, receipt):
    """Like `read`, of a receipt."""
    return lambda *rows, **printed: _texts(*_answer(line, receipt, *rows, **printed))


def _answer(line, make, *rows, group="line_items", leaves=ITEM, is_part=False, **fields):
    named = list(fields.items())
    named += [(f"{group}.{leaf}", text) for row in rows for leaf, text in zip(leaves, row, strict=True)]
    lines = [
        replace(line(text.partition("|")[0], 0, 40 * at), alternatives=tuple(_alternatives(text)))
        for at, (_, text) in enumerate(named)
    ]
    page = make(*((one, {name: 0.9}) for one, (name, _) in zip(lines, named, strict=True)))
    page = replace(page, conventions=replace(page.conventions, currency="EUR"))
    by_name = {field.name: field for field in page.document_type.fields()}
    spans = [tuple(at for at, piece in enumerate(page.pieces) if piece.line == number) for number in range(len(named))]
    places = [spans[list(fields).index(text[1:])] if text.startswith("=") else span
              for span, (_, text) in zip(spans, named, strict=True)]  # fmt: skip
    found = [candidate_of(by_name[name], span, page) for (name, _), span in zip(named, places, strict=True)]
    cells, size = found[len(fields) :], len(leaves)
    groups = {group: [dict(zip(leaves, cells[at : at + size], strict=True)) for at in range(0, len(cells), size)]}
    answer = take_second_choices(Candidates(dict(zip(fields, found, strict=False)), groups), page, is_part)
    return answer.fields, answer.groups[group]


def _alternatives(text):
    for one in text.split("|")[1:]:
        other, at, odds = one[0], *one[2:].split("*")
        yield CharacterAlternative(int(at), other, float(odds))


def _texts(fields, rows):
    texts = {name: str(one.value) for name, one in fields.items()}
    return texts, [tuple(str(one.value) for one in row.values()) for row in rows]


def test_a_quantity_that_makes_the_product_is_taken(read):
    """The slashed zero of a typeface is read as 8."""
    _, rows = read(("2.8|0@2*0.1", "53.90|8@4*0.3", "107.80"))

    assert rows == [("2.0", "53.90", "107.80")]


def test_the_likeliest_of_several_products_is_taken(read):
    _, rows = read(("3|2@0*0.1", "5.00", "10.00|5@1*0.3"))

    assert rows == [("3", "5.00", "15.00")]


def test_the_printed_text_is_that_of_the_second_choice(line, invoice):
    _, (row,) = _answer(line, invoice, ("2.8|0@2*0.1", "53.90", "107.80"))

    assert row["quantity"].content == "2.0"


def test_a_tax_that_follows_from_its_rate_is_taken(read):
    _, rows = read(("400.00", "8.1", "52.40|3@0*0.1|9@3*0.9"), group="taxes", leaves=TAX)

    assert rows == [("400.00", "8.1", "32.40")]


@pytest.mark.parametrize("amount", ["10.00|4@1*0.9", "10.00|1@4*0.9"])
def test_a_row_that_agrees_stays(read, amount):
    """Also where a sum would be right with another amount, and where another amount would agree, too."""
    _, rows = read(("2", "5.00", amount), total="14.00")

    assert rows == [("2", "5.00", "10.00")]


@pytest.mark.parametrize(
    "row",
    [
        ("2", "5.00", "9.00|8@0*0.9"),
        ("21|l@1*0.9", "5.00", "10.00"),
        ("1", "5.00", "-5.00|1@0*0.9"),
        ("2", "5.00|0@0*0.9", "0.00"),
        ("2", "5.00", f"16.00|0@1*{MIN_AMOUNT_ODDS - 0.001}"),
    ],
    ids=["no reading agrees", "a letter", "a sign", "zero", "small odds"],
)
def test_a_row_that_nothing_proves_stays(read, row):
    """It may have a discount."""
    printed = tuple(text.partition("|")[0] for text in row)

    assert read(row)[1] == [printed]


def test_an_amount_whose_sum_is_right_stays(read):
    """It is that after a discount; with 12.00 the row would agree, and the sum fail."""
    _, rows = read(("3", "4.00", "11.00|2@1*0.9"), ("1", "9.00", "9.00"), subtotal="20.00")

    assert rows[0] == ("3", "4.00", "11.00")


def test_the_amount_that_makes_the_sum_is_taken(read):
    """The likeliest second choice makes no sum."""
    fields, _ = read(subtotal="100.00|8@1*0.4", total_tax="19.00", total="149.00|1@1*0.02")

    assert fields["total"] == "119.00"


def test_the_likeliest_amount_that_makes_a_sum_is_taken(read):
    fields, _ = read(subtotal="100.00|3@1*0.2", total_tax="19.00", total="149.00|1@1*0.3")

    assert fields == {"subtotal": "100.00", "total_tax": "19.00", "total": "119.00"}


def test_all_values_of_a_place_are_read_alike(read):
    """Amounts, that is; the network may also take one for a number of another kind."""
    fields, _ = read(
        subtotal="100.00", total_tax="19.00", total="149.00|1@1*0.2", amount_due="=total", customer_id="=total"
    )

    assert fields["total"] == fields["amount_due"] == "119.00"
    assert fields["customer_id"] == "149.00"


def test_a_total_that_is_the_subtotal_proves_nothing(read):
    """The sum is right then without the tax; here a discount was not found."""
    fields, _ = read(subtotal="150.00", total_tax="20.76", total="130.00|5@1*0.9")

    assert fields["total"] == "130.00"


def test_the_amount_of_a_row_that_makes_the_sum_is_taken(read):
    _, rows = read(("60.00|5@0*0.05",), ("20.00",), leaves=("amount",), total="70.00")

    assert rows == [("50.00",), ("20.00",)]


def test_rows_of_one_of_several_pages_make_no_sum(read):
    _, rows = read(("60.00|5@0*0.05",), ("20.00",), leaves=("amount",), total="70.00", is_part=True)

    assert rows[0] == ("60.00",)


def test_two_sums_can_be_proven_one_after_the_other(read):
    fields, rows = read(
        ("60.00|5@0*0.05",), ("20.00",), leaves=("amount",), subtotal="70.00", total_tax="7.00", total="17.00|7@0*0.1"
    )

    assert fields["total"] == "77.00"
    assert rows[0] == ("50.00",)


def test_no_other_sum_may_fail_instead(read):
    """With a subtotal of 70 the items would be right, and the total wrong."""
    fields, _ = read(("70.00",), leaves=("amount",), subtotal="10.00|7@0*0.9", total_tax="7.00", total="17.00")

    assert fields["subtotal"] == "10.00"


@pytest.mark.parametrize(("change", "taken"), [({"change": "9.00|8@0*0.1"}, "8.00"), ({}, None)])
def test_change_proves_payments(read_receipt, change, taken):
    """Without it, more may be paid than the total: of 20.00 and 10.00 none is certain."""
    fields, rows = read_receipt(
        ("20.00" if change else "10.00|2@0*0.9",), group="payments", leaves=("amount",), total="12.00", **change
    )

    assert fields.get("change") == taken
    assert rows == [("20.00" if change else "10.00",)]


@pytest.mark.parametrize(
    ("odds", "number"), [(MIN_IBAN_ODDS, "DE89370400440532013000"), (0.01, "DE89370400440532013006")]
)
def test_an_iban_with_valid_check_digits_is_taken(read, odds, number):
    """Unless its odds are so small that the check digits may be valid by chance."""
    fields, _ = read(iban=f"DE89370400440532013006|0@21*{odds}")

    assert fields["iban"] == number


@pytest.mark.parametrize(("odds", "number"), [(MIN_TAX_ID_ODDS, "ESB17859026"), (0.09, "ES817859026")])
def test_a_tax_number_with_valid_check_digits_is_taken(read, odds, number):
    fields, _ = read(vendor_tax_id=f"ES817859026|B@2*{odds}")

    assert fields["vendor_tax_id"] == number


def test_a_number_of_which_no_rule_is_known_stays(read):
    """Also if its second reading follows one."""
    fields, _ = read(vendor_tax_id="817859026|B@0*0.9")

    assert fields["vendor_tax_id"] == "817859026"


@pytest.mark.parametrize(
    ("printed", "in_zone", "name"),
    [
        ("ARNPÓRS|Þ@3*0.7", "ARNTHORS", "ARNÞÓRS"),
        ("ARNPÓRS|Þ@3*0.7", "ARNPORS", "ARNPÓRS"),
        ("ARNPÓRS|Þ@3*0.7", "BJORNSSON", "ARNPÓRS"),
    ],
)
def test_a_name_is_read_as_the_zone_has_it(line, passport, printed, in_zone, name):
    own = replace(line(printed.partition("|")[0], 0, 0), alternatives=tuple(_alternatives(printed)))
    page = passport((own, {"family_name": 0.9}))
    family = candidate_of(page.field("family_name"), (0,), page)
    fields = {"family_name": PredictedValue(in_zone, in_zone, 0.99, ())}
    zone = PredictedZone("TD3", "P", (), True, {}, False, 0.99, (), fields)

    answer = take_names_in_zone(Candidates({"family_name": family}, {}), page, zone)

    assert answer.fields["family_name"].value == name

"""Second choices of OCR are taken where check digits, products or sums prove them."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.candidates import Candidates, candidate_of
from docextract.extraction.layout.second_choices import MIN_IBAN_ODDS, MIN_TAX_ID_ODDS, take_second_choices
from docextract.predictions import CharacterAlternative

ITEM, TAX = ("quantity", "unit_price", "amount"), ("net_amount", "rate", "amount")


@pytest.fixture
def read(line, invoice):
    """Return a function that gives the values of a page after second choices, as text: of its fields, and of its rows.

    A printed text is one word; "100.8|0@4*0.2" has 0 as second choice of the character at 4, with odds of 0.2.
    """

    def values(rows=(), group="line_items", leaves=ITEM, **fields):
        named = list(fields.items())
        named += [(f"{group}.{leaf}", text) for row in rows for leaf, text in zip(leaves, row, strict=True)]
        lines = [replace(line(text.partition("|")[0], 0, 40 * at), alternatives=tuple(_alternatives(text)))
                 for at, (_, text) in enumerate(named)]  # fmt: skip
        page = invoice(*((one, {name: 0.9}) for one, (name, _) in zip(lines, named, strict=True)))
        page = replace(page, conventions=replace(page.conventions, currency="EUR"))
        by_name = {field.name: field for field in page.document_type.fields()}
        found = []
        for at, (name, _) in enumerate(named):
            span = tuple(index for index, piece in enumerate(page.pieces) if piece.line == at)
            found.append(candidate_of(by_name[name], span, page))
        cells = found[len(fields) :]
        size = len(leaves)
        groups = {group: [dict(zip(leaves, cells[at : at + size], strict=True)) for at in range(0, len(cells), size)]}
        answer = take_second_choices(Candidates(dict(zip(fields, found, strict=False)), groups), page)
        own = {name: str(one.value) for name, one in answer.fields.items()}
        return own, [tuple(str(one.value) for one in row.values()) for row in answer.groups[group]]

    return values


def _alternatives(text):
    for one in text.split("|")[1:]:
        other, at, odds = one[0], *one[2:].split("*")
        yield CharacterAlternative(int(at), other, float(odds))


def test_a_quantity_that_makes_the_product_is_taken(read):
    """The slashed zero of a typeface is read as 8."""
    _, rows = read(rows=[("2.8|0@2*0.1", "53.90|8@4*0.3", "107.80")])

    assert rows == [("2.0", "53.90", "107.80")]


def test_a_tax_that_follows_from_its_rate_is_taken(read):
    _, rows = read(rows=[("400.00", "8.1", "52.40|3@0*0.1|9@3*0.9")], group="taxes", leaves=TAX)

    assert rows == [("400.00", "8.1", "32.40")]


def test_a_row_that_agrees_stays(read):
    """Also where a sum would be right with another amount."""
    _, rows = read(rows=[("2", "5.00", "10.00|4@1*0.9")], total="14.00")

    assert rows == [("2", "5.00", "10.00")]


def test_a_row_that_no_reading_makes_right_stays(read):
    """It may have a discount."""
    _, rows = read(rows=[("2", "5.00", "9.00|8@0*0.9")])

    assert rows == [("2", "5.00", "9.00")]


def test_the_amount_that_makes_the_sum_is_taken(read):
    """The likeliest second choice makes no sum."""
    fields, _ = read(subtotal="100.00|8@1*0.4", total_tax="19.00", total="149.00|1@1*0.02")

    assert fields["total"] == "119.00"


def test_the_amount_of_a_row_that_makes_the_sum_is_taken(read):
    _, rows = read(rows=[("60.00|5@0*0.05",), ("20.00",)], leaves=("amount",), total="70.00")

    assert rows == [("50.00",), ("20.00",)]


def test_two_sums_can_be_proven_one_after_the_other(read):
    fields, rows = read(
        rows=[("60.00|5@0*0.05",), ("20.00",)], leaves=("amount",), subtotal="70.00", total_tax="7.00",
        total="17.00|7@0*0.1",
    )  # fmt: skip

    assert fields["total"] == "77.00"
    assert rows[0] == ("50.00",)


def test_no_other_sum_may_fail_instead(read):
    """With a subtotal of 70 the items would be right, and the total wrong."""
    fields, _ = read(rows=[("70.00",)], leaves=("amount",), subtotal="10.00|7@0*0.9", total_tax="7.00", total="17.00")

    assert fields["subtotal"] == "10.00"


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


def test_a_valid_number_stays(read):
    """And one whose rule is not known."""
    fields, _ = read(iban="DE89370400440532013000|8@21*0.9", vendor_tax_id="201/113/40209|8@0*0.9")

    assert fields == {"iban": "DE89370400440532013000", "vendor_tax_id": "201/113/40209"}

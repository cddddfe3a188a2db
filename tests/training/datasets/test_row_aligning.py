"""Tests of finding labelled rows among the pieces of a page."""

import numpy as np

from docextract.documents import document_types
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.predictions import TextLine
from training.datasets import LabelledPage
from training.datasets.aligning import align
from training.datasets.row_aligning import align_labelled_rows

KIND = document_types()["receipt"]
NAMES = tuple(field.name for field in KIND.fields())
SLIP = ["MOON MART", "COFFEE 2 x 3.00 6.00", "GREEN TEA", "1 x 4.00 4.00", "CAKE 1 x 4.00 4.00", "TOTAL 14.00"]
ROWS = [
    {"description": "COFFEE", "quantity": "2", "unit_price": "3.00", "amount": "6.00"},
    {"description": "GREEN TEA", "quantity": "1", "unit_price": "4.00", "amount": "4.00", "product_code": None},
    {"description": "CAKE", "quantity": "1", "unit_price": "4.00", "amount": "4.00"},
]


def lines(texts):
    return [
        TextLine(text, np.array([[0, y], [9 * len(text), y], [9 * len(text), y + 20], [0, y + 20]], np.float32), 0.99)
        for text, y in ((text, 30 * at) for at, text in enumerate(texts))
    ]


def aligned(texts, places=None, **fields):
    """The pieces, the labels that each may have, and where rows start."""
    _, page = split_into_pieces(lines(texts))
    label = LabelledPage(None, "receipt", fields, places=places or {})
    allowed = align(label, KIND, page.pieces, NAMES)
    to_photo = np.diag([1 / 400, 1 / 200, 1.0])
    return page.pieces, allowed, align_labelled_rows(label, KIND, page.pieces, NAMES, allowed, to_photo)


def certain(pieces, allowed, field):
    """The texts of the pieces that can only have this field's label, by the line that they stand on."""
    number = NAMES.index(field)
    own = allowed.labels[:, [begin_label(number), inside_label(number)]].any(axis=1)
    return [(pieces[at].line, pieces[at].text) for at in np.flatnonzero(own & (allowed.labels.sum(axis=1) == 1))]


def may_have(allowed, field):
    number = NAMES.index(field)
    return np.flatnonzero(allowed.labels[:, [begin_label(number), inside_label(number)]].any(axis=1))


def test_each_value_is_found_in_its_own_row():
    """4.00 is printed four times, as a price and as an amount."""
    pieces, allowed, starts = aligned(SLIP, line_items=ROWS)

    assert certain(pieces, allowed, "line_items.description") == [
        (1, "COFFEE"), (2, "GREEN"), (2, "TEA"), (4, "CAKE")
    ]  # fmt: skip
    assert {line for line, _ in certain(pieces, allowed, "line_items.amount")} == {1, 3, 4}
    assert [pieces[at].text for at in np.flatnonzero(starts == 1)] == ["COFFEE", "GREEN", "CAKE"]
    assert starts[0] == -1


def test_equal_values_are_told_apart_by_their_order():
    """The price stands before the amount; if only one of them is labelled, training chooses the place."""
    pieces, allowed, _ = aligned(["CAKE 1 x 4.00 4.00"], line_items=[ROWS[2]])
    prices, amounts = (may_have(allowed, f"line_items.{leaf}") for leaf in ("unit_price", "amount"))

    assert prices.max() < amounts.min()

    pieces, allowed, _ = aligned(["CAKE 1 x 4.00 4.00"], line_items=[{"description": "CAKE", "amount": "4.00"}])
    ((places, number),) = allowed.one_of

    assert NAMES[number] == "line_items.amount"
    assert "".join(pieces[at].text for at in places) == "4.004.00"


def test_where_all_rows_are_found_nothing_else_is_one():
    """The total is no amount of a row."""
    pieces, allowed, _ = aligned(SLIP, line_items=ROWS)

    assert {pieces[at].line for at in may_have(allowed, "line_items.amount")} == {1, 3, 4}
    assert {pieces[at].line for at in may_have(allowed, "line_items.product_code")} <= {1, 4}  # unknown there


def test_a_row_that_is_not_found_stays_open():
    """What recognition has lost says nothing about the other print."""
    lost = {"description": "SANDWICH", "amount": "77.00"}
    pieces, allowed, _ = aligned(SLIP, line_items=[*ROWS, lost])

    assert (1, "COFFEE") in certain(pieces, allowed, "line_items.description")
    assert 5 in {pieces[at].line for at in may_have(allowed, "line_items.amount")}


def test_an_empty_list_has_no_rows():
    _, allowed, starts = aligned(SLIP, line_items=[])

    assert not len(may_have(allowed, "line_items.amount"))
    assert (starts == -1).all()


def test_labelled_places_are_used():
    """The only amount of the row is the second of three equal ones."""
    texts = ["TEA 4.00", "TEA 4.00", "TEA 4.00"]
    box = ((0.0, 0.14), (1.0, 0.14), (1.0, 0.26), (0.0, 0.26))
    pieces, allowed, _ = aligned(
        texts, {"line_items.0.amount": (box,)}, line_items=[{"description": "TEA", "amount": "4.00"}]
    )

    assert {line for line, _ in certain(pieces, allowed, "line_items.amount")} == {1}


def test_the_only_print_of_a_total_is_no_row():
    """One piece cannot be both."""
    pieces, allowed, _ = aligned(["TEA 9.00"], total="9.00", line_items=[{"description": "TEA", "amount": "9.00"}])

    assert certain(pieces, allowed, "total")
    assert not certain(pieces, allowed, "line_items.amount")

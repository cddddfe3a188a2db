"""Values find their places."""

import numpy as np
import pytest
from pydantic import create_model

from docextract.documents import document_types
from docextract.documents.base import Country, DocumentType, Record
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.spans import NO_FIELD, begin_label, inside_label
from docextract.predictions import TextLine
from training.datasets import LabelledPage
from training.datasets.aligning import align, unseen

KIND = document_types()["receipt"]
NAMES = tuple(field.name for field in KIND.fields())


def lines(*texts):
    return [
        TextLine(text, np.array([[0, y], [9 * len(text), y], [9 * len(text), y + 20], [0, y + 20]], np.float32), 0.99)
        for text, y in ((text, 30 * at) for at, text in enumerate(texts))
    ]


def placed(texts, **fields):
    """Pieces, and what they may be."""
    _, page = split_into_pieces(lines(*texts))
    label = LabelledPage(image=None, type="receipt", fields=fields)
    return page.pieces, align(label, KIND, page.pieces, NAMES)


def sure(pieces, allowed, field):
    """The pieces that can only be this field."""
    number = NAMES.index(field)
    labels = [begin_label(number), inside_label(number)]
    only = allowed.labels[:, labels].any(axis=1) & (allowed.labels.sum(axis=1) == 1)
    return [piece.text for piece, one in zip(pieces, only, strict=True) if one]


def test_a_name_is_found_though_a_letter_was_misread():
    """The reader says MART, the label says MART, and a 0 for an O does not matter."""
    pieces, allowed = placed(["TAX INVOICE", "M0ON MART SDN BHD", "TOTAL 9.00"], merchant_name="MOON MART SDN BHD")

    assert sure(pieces, allowed, "merchant_name") == ["M", "0", "ON", "MART", "SDN", "BHD"]


@pytest.mark.parametrize("print_", ["25/12/2018", "25.12.18", "25 Dec 2018", "2018-12-25"])
def test_a_date_is_found_however_it_is_printed(print_):
    """Labels are ISO dates; print is not."""
    pieces, allowed = placed(["SHOP", f"Date : {print_} 20:13", "TOTAL 9.00"], transaction_date="2018-12-25")

    assert "".join(sure(pieces, allowed, "transaction_date")) == print_.replace(" ", "")


def test_an_amount_printed_twice_is_left_to_training():
    """At least one of the places is the total; which one, the label does not say."""
    pieces, allowed = placed(["TOTAL 9.00", "CASH 9.00", "CHANGE 0.00"], total="9.00")

    ((places, number),) = allowed.one_of
    assert [pieces[at].text for at in places] == ["9.00", "9.00"]
    assert number == NAMES.index("total")
    assert allowed.labels[places][:, NO_FIELD].all()


def test_other_amounts_are_not_the_total():
    """What has another value cannot carry the field."""
    pieces, allowed = placed(["TOTAL 9.00", "CASH 10.00"], total="9.00")

    cash = [piece.text for piece in pieces].index("10.00")
    assert not allowed.labels[cash, begin_label(NAMES.index("total"))]


def test_a_field_that_is_not_known_is_left_open():
    """A missing label says nothing; null says that it is not there."""
    _, open_ = placed(["TIP 1.00"])
    _, absent = placed(["TIP 1.00"], tip=None)

    tip = begin_label(NAMES.index("tip"))
    assert open_.labels[:, tip].all()
    assert not absent.labels[:, tip].any()


def test_a_value_that_cannot_be_read_teaches_nothing():
    """A faded name must not teach that there is none."""
    _, allowed = placed(["%%%%", "TOTAL 9.00"], merchant_name="MOON MART SDN BHD")

    assert allowed.labels[:, begin_label(NAMES.index("merchant_name"))].all()


def test_a_known_place_decides_between_two_prints():
    """Cash and total are both 9.00; whoever drew a box around one of them has said which is the total."""
    _, page = split_into_pieces(lines("TOTAL 9.00", "CASH 9.00", "CHANGE 0.00"))
    around_the_first = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (0.0, 0.25))
    label = LabelledPage(None, "receipt", {"total": "9.00"}, places={"total": (around_the_first,)})
    to_photo = np.diag([1 / 100, 1 / 100, 1.0])

    allowed = align(label, KIND, page.pieces, NAMES, to_photo)

    assert allowed.one_of == []
    assert sure(page.pieces, allowed, "total") == ["9.00"]
    assert allowed.labels[1, begin_label(NAMES.index("total"))]
    second = [at for at, piece in enumerate(page.pieces) if piece.text == "9.00"][1]
    assert not allowed.labels[second, begin_label(NAMES.index("total"))]


def test_a_value_that_cannot_be_read_in_its_place_teaches_nothing():
    """The same value elsewhere is not the one that was meant."""
    _, page = split_into_pieces(lines("TOTAL ????", "CASH 9.00"))
    around_the_first = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (0.0, 0.25))
    label = LabelledPage(None, "receipt", {"total": "9.00"}, places={"total": (around_the_first,)})

    allowed = align(label, KIND, page.pieces, NAMES, np.diag([1 / 100, 1 / 100, 1.0]))

    assert allowed.labels[:, begin_label(NAMES.index("total"))].all()


def test_what_cannot_be_found_on_a_page_is_named():
    """A label that was typed wrongly, or print that the reader cannot read: either way someone should look."""
    items = [{"description": "TEA"}, {"description": "COFFEE"}]
    label = LabelledPage(None, "receipt", {"total": "8.00", "tip": None, "change": "0.00", "line_items": items})
    _, page = split_into_pieces(lines("TEA 9.00", "TOTAL 9.00", "CHANGE 0.00"))

    assert unseen(label, KIND, page.pieces) == ["total", "line_items.description"]


def test_a_country_is_found_in_words():
    """The label says DEU, the page says what its people say."""
    kind = DocumentType("card", create_model("Card", __base__=Record, nationality=(Country | None, None)), frozenset())
    _, page = split_into_pieces(lines("Nationality", "DEUTSCH", "12.03.1990"))

    allowed = align(LabelledPage(None, "card", {"nationality": "DEU"}), kind, page.pieces, ("nationality",))

    assert [bool(row) for row in allowed.labels[:, begin_label(0)]] == [True, True, False]
    assert [bool(row) for row in allowed.labels[:, NO_FIELD]] == [True, False, True]

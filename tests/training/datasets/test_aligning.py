"""Tests of finding labels among the pieces of a page."""

import numpy as np
import pytest
from pydantic import create_model

from docextract.documents import document_types
from docextract.documents.base import Country, DocumentType, Record
from docextract.extraction.layout.labels import NO_FIELD, begin_label, inside_label
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.predictions import TextLine
from training.datasets import LabelledPage
from training.datasets.aligning import align, missing_fields

KIND = document_types()["receipt"]
NAMES = tuple(field.name for field in KIND.fields())


def lines(*texts):
    return [
        TextLine(text, np.array([[0, y], [9 * len(text), y], [9 * len(text), y + 20], [0, y + 20]], np.float32), 0.99)
        for text, y in ((text, 30 * at) for at, text in enumerate(texts))
    ]


def placed(texts, **fields):
    """The pieces, and the labels that each may have."""
    _, page = split_into_pieces(lines(*texts))
    label = LabelledPage(image=None, type="receipt", fields=fields)
    return page.pieces, align(label, KIND, page.pieces, NAMES)


def certain_pieces(pieces, allowed, field):
    """The pieces that can only have this field's label."""
    number = NAMES.index(field)
    labels = [begin_label(number), inside_label(number)]
    only = allowed.labels[:, labels].any(axis=1) & (allowed.labels.sum(axis=1) == 1)
    return [piece.text for piece, one in zip(pieces, only, strict=True) if one]


def test_a_name_with_a_misread_letter_is_found():
    """M0ON in the OCR text matches MOON in the label."""
    pieces, allowed = placed(["TAX INVOICE", "M0ON MART SDN BHD", "TOTAL 9.00"], merchant_name="MOON MART SDN BHD")

    assert certain_pieces(pieces, allowed, "merchant_name") == ["M", "0", "ON", "MART", "SDN", "BHD"]


@pytest.mark.parametrize("print_", ["25/12/2018", "25.12.18", "25 Dec 2018", "2018-12-25"])
def test_a_date_is_found_in_any_format(print_):
    """Labels are ISO dates; the print is not."""
    pieces, allowed = placed(["SHOP", f"Date : {print_} 20:13", "TOTAL 9.00"], document_date="2018-12-25")

    assert "".join(certain_pieces(pieces, allowed, "document_date")) == print_.replace(" ", "")


def test_an_amount_printed_twice_is_left_to_training():
    """At least one of the places is the total; the label does not say which one."""
    pieces, allowed = placed(["TOTAL 9.00", "CASH 9.00", "CHANGE 0.00"], total="9.00")

    ((places, number),) = allowed.one_of
    assert [pieces[at].text for at in places] == ["9.00", "9.00"]
    assert number == NAMES.index("total")
    assert allowed.labels[places][:, NO_FIELD].all()


def test_other_amounts_are_not_the_total():
    """A piece with another value cannot carry the field."""
    pieces, allowed = placed(["TOTAL 9.00", "CASH 10.00"], total="9.00")

    cash = [piece.text for piece in pieces].index("10.00")
    assert not allowed.labels[cash, begin_label(NAMES.index("total"))]


def test_an_unlabelled_field_stays_open():
    """A missing label means unknown; null means that the field is absent."""
    _, open_ = placed(["TIP 1.00"])
    _, absent = placed(["TIP 1.00"], tip=None)

    tip = begin_label(NAMES.index("tip"))
    assert open_.labels[:, tip].all()
    assert not absent.labels[:, tip].any()


def test_an_unreadable_value_gives_no_constraint():
    """A faded name must not teach that there is no name."""
    _, allowed = placed(["%%%%", "TOTAL 9.00"], merchant_name="MOON MART SDN BHD")

    assert allowed.labels[:, begin_label(NAMES.index("merchant_name"))].all()


def test_a_labelled_place_decides_between_two_prints():
    """Cash and total are both 9.00; a labelled box around one of them decides."""
    _, page = split_into_pieces(lines("TOTAL 9.00", "CASH 9.00", "CHANGE 0.00"))
    around_the_first = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (0.0, 0.25))
    label = LabelledPage(None, "receipt", {"total": "9.00"}, places={"total": (around_the_first,)})
    to_photo = np.diag([1 / 100, 1 / 100, 1.0])

    allowed = align(label, KIND, page.pieces, NAMES, to_photo)

    assert allowed.one_of == []
    assert certain_pieces(page.pieces, allowed, "total") == ["9.00"]
    assert allowed.labels[1, begin_label(NAMES.index("total"))]
    second = [at for at, piece in enumerate(page.pieces) if piece.text == "9.00"][1]
    assert not allowed.labels[second, begin_label(NAMES.index("total"))]


def test_a_value_unreadable_in_its_place_gives_no_constraint():
    """The same value in another place is not used."""
    _, page = split_into_pieces(lines("TOTAL ????", "CASH 9.00"))
    around_the_first = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (0.0, 0.25))
    label = LabelledPage(None, "receipt", {"total": "9.00"}, places={"total": (around_the_first,)})

    allowed = align(label, KIND, page.pieces, NAMES, np.diag([1 / 100, 1 / 100, 1.0]))

    assert allowed.labels[:, begin_label(NAMES.index("total"))].all()


def test_missing_values_are_listed():
    """A mistyped label, or print that OCR cannot read: a person should check either."""
    items = [{"description": "TEA"}, {"description": "COFFEE"}]
    label = LabelledPage(None, "receipt", {"total": "8.00", "tip": None, "change": "0.00", "line_items": items})
    _, page = split_into_pieces(lines("TEA 9.00", "TOTAL 9.00", "CHANGE 0.00"))

    assert missing_fields(label, KIND, page.pieces) == ["total", "line_items.description"]


def test_a_country_is_found_by_its_name():
    """The label is DEU, the page has the word in its own language."""
    kind = DocumentType("card", create_model("Card", __base__=Record, nationality=(Country | None, None)), frozenset())
    _, page = split_into_pieces(lines("Nationality", "DEUTSCH", "12.03.1990"))

    allowed = align(LabelledPage(None, "card", {"nationality": "DEU"}), kind, page.pieces, ("nationality",))

    assert [bool(row) for row in allowed.labels[:, begin_label(0)]] == [True, True, False]
    assert [bool(row) for row in allowed.labels[:, NO_FIELD]] == [True, False, True]

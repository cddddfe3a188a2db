"""Numbers that are printed with spaces between their digits."""

from decimal import Decimal

import pytest

from docextract.documents.values import Conventions
from docextract.extraction.layout.digit_groups import join_digit_groups
from docextract.extraction.layout.labels import LabelProbabilities, begin_label, inside_label
from docextract.extraction.layout.spans import decode_fields
from tests.extraction.layout.conftest import INVOICE, NAMES


def two_groups(line, invoice, text):
    """A number whose first group is rather the total, and whose second group is rather the amount due."""
    pieces, view = invoice((line(text, 0, 0), {}))
    labels = view.labels.copy()
    labels[:, 0] = 0
    for index, (label, shares) in enumerate(zip((begin_label, inside_label), ((0.6, 0.4), (0.2, 0.8)), strict=True)):
        for field, share in zip(("total", "amount_due"), shares, strict=True):
            labels[index, label(NAMES.index(field))] = share
    return pieces, LabelProbabilities(labels, view.row_starts)


def test_the_groups_of_an_amount_have_one_field(line, invoice):
    """Without it the total would be 2 and the amount due 160.51."""
    pieces, view = two_groups(line, invoice, "2 160,51")

    found = decode_fields(INVOICE, NAMES, pieces, join_digit_groups(pieces, view), Conventions())

    assert {name: one.value for name, one in found.items()} == {"amount_due": Decimal("2160.51")}


@pytest.mark.parametrize("text", ["2 16,51", "2160 160,51", "2 pcs"])
def test_other_neighbours_stay(line, invoice, text):
    """Only groups of three digits continue a number."""
    pieces, view = two_groups(line, invoice, text)

    assert (join_digit_groups(pieces, view).labels == view.labels).all()

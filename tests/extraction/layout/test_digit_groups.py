"""Numbers that are printed with spaces between their digits."""

from decimal import Decimal

import pytest

from docextract.extraction.layout.digit_groups import join_digit_groups
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import begin_label, inside_label
from tests.extraction.layout.conftest import NAMES


def two_groups(line, invoice, text):
    """A number whose first group is rather the total, and whose second group is rather the amount due."""
    page = invoice((line(text, 0, 0), {}))
    labels = page.labels.copy()
    labels[:, 0] = 0
    for index, (label, shares) in enumerate(zip((begin_label, inside_label), ((0.6, 0.4), (0.2, 0.8)), strict=True)):
        for field, share in zip(("total", "amount_due"), shares, strict=True):
            labels[index, label(NAMES.index(field))] = share
    return page.with_labels(labels)


def test_the_groups_of_an_amount_have_one_field(line, invoice):
    """Without it the total would be 2 and the amount due 160.51."""
    found = decode_fields(join_digit_groups(two_groups(line, invoice, "2 160,51")))

    assert {name: one.value for name, one in found.items()} == {"amount_due": Decimal("2160.51")}


@pytest.mark.parametrize("text", ["2 16,51", "2160 160,51", "2 pcs"])
def test_other_neighbours_stay(line, invoice, text):
    """Only groups of three digits continue a number."""
    page = two_groups(line, invoice, text)

    assert (join_digit_groups(page).labels == page.labels).all()

"""Training pages, made up and real."""

from dataclasses import replace
from pathlib import Path

import pytest

from docextract.documents import document_types
from training.datasets import LabelledPage
from training.tasks.layout import pages
from training.tasks.layout import train as layout_training
from training.tasks.layout.variations import Varied

SHAPE = pages.shape_of(("receipt",), layout_training.CURRENCIES, width=32, layers=1, heads=2)


def receipt(key, merchant):
    return LabelledPage(Path(f"{key}.jpg"), "receipt", {"merchant_name": merchant, "total": "9.00"}, (), "MYR", key)


def test_a_merchant_is_never_on_both_sides():
    """What confidences are fitted on was not learned from."""
    labels = [receipt(f"{at:03}", f"MERCHANT {at // 2} SDN BHD") for at in range(120)]

    kept = pages.kept_back(labels)

    apart = {
        name: {label.fields["merchant_name"] for label in labels if (label.key in kept) == name}
        for name in (True, False)
    }
    assert apart[True]
    assert apart[False]
    assert not apart[True] & apart[False]


def test_chains_are_not_kept_back():
    """Forty receipts of one shop would make a poor judge of new ones."""
    assert not pages.kept_back([receipt(str(at), "CHAIN SDN BHD") for at in range(40)])


def test_synthetic_pages_know_their_date_order():
    """Where only one order gives the true date, the page teaches it."""
    kind = document_types()["receipt"]
    orders = {pages.from_sheet(kind, SHAPE, seed).target.date_order for seed in range(60)}

    assert {0, 1} <= orders


def test_a_page_depends_on_its_number_alone():
    """Whoever makes it, and whatever was made before."""
    first, second = (pages.Mix(SHAPE, {"receipt": 1.0}, Varied([]), 0.0, 0.2, seed=4) for _ in range(2))

    backwards = {number: second(number) for number in reversed(range(5))}
    for number in range(5):
        made = [piece.text for piece in first(number).page.pieces]
        assert made == [piece.text for piece in backwards[number].page.pieces]


def test_a_type_without_a_generator_says_so():
    """It trains on labelled pages only."""
    with pytest.raises(ValueError, match="no generator"):
        pages.from_sheet(replace(document_types()["receipt"], name="note"), SHAPE, 1)

"""Training pages of the layout transformer, synthetic and real."""

from dataclasses import replace

import pytest

from docextract.documents import document_types
from training.datasets.shop_names import ShopNames
from training.tasks.layout import pages
from training.tasks.layout import train as layout_training
from training.tasks.layout.variations import RealPageVariations

SHAPE = pages.shape_for_types(("receipt",), layout_training.CURRENCIES, width=32, layers=1, heads=2)


def test_synthetic_pages_have_a_date_order():
    """If only one order gives the true date, it is the target."""
    kind = document_types()["receipt"]
    orders = {pages.page_from_sheet(kind, SHAPE, seed).target.date_order for seed in range(60)}

    assert {0, 1} <= orders


def test_a_page_depends_on_its_number_alone():
    """It does not depend on the pages that were made before it."""
    first, second = (pages.PageMix(SHAPE, {"receipt": 1.0}, RealPageVariations([]), 0.0, 0.2, seed=4) for _ in range(2))

    backwards = {number: second(number) for number in reversed(range(5))}
    for number in range(5):
        made = [piece.text for piece in first(number).page.pieces]
        assert made == [piece.text for piece in backwards[number].page.pieces]


def test_a_type_without_a_generator_has_no_synthetic_pages():
    """The error says that there is no generator: only labelled pages can be used."""
    with pytest.raises(ValueError, match="no generator"):
        pages.page_from_sheet(replace(document_types()["receipt"], name="note"), SHAPE, 1)


def test_receipts_have_names_of_real_shops():
    """The labelled pieces of the merchant's name are then the letters of such a name, some of them misread."""
    names = ShopNames(("Qwertzu Asdfgh",), share=1.0)
    own = [SHAPE.fields.index("merchant_name") * 2 + 1, SHAPE.fields.index("merchant_name") * 2 + 2]

    made = [pages.page_from_sheet(document_types()["receipt"], SHAPE, seed, names) for seed in range(8)]

    printed = "".join(
        piece.text
        for one in made
        for piece, allowed in zip(one.page.pieces, one.target.allowed, strict=True)
        if allowed[own].any() and not allowed[0]
    )
    assert sum(printed.upper().count(letters) for letters in ("QWERTZU", "ASDFGH")) >= 8

"""Filled templates as training pages."""

from random import Random

import numpy as np

from training.datasets.filled_templates import FilledTemplate
from training.synth.sheet import Sheet, Text
from training.tasks.layout import pages
from training.tasks.layout.targets import UNKNOWN
from training.tasks.layout.template_variations import TemplatePages, exchange_values, training_pages

SHAPE = pages.shape_for_types(("receipt", "invoice"), ("EUR", "USD"))


def text(content, x, y, field=None):
    return Text(content, x, y, 2.0 * len(content), 4.0, field, "sans")


def document(name="plain", kind="invoice", *more):
    texts = (
        text("Holzhof GmbH", 20, 20, "vendor_name"), text("Rechnung", 20, 60),
        text("R-4711", 60, 60, "document_number"), text("Regalboden", 20, 100, "line_items.0.description"),
        text("50,00", 160, 100, "line_items.0.amount"), text("Holzhof GmbH", 20, 250, "vendor_name"),
        text("Holzbank", 20, 260, "bank_name"), *more,
    )  # fmt: skip
    return FilledTemplate(name, 0, kind, "de", "DE", "EUR", "DMY", (Sheet(210.0, 297.0, texts),))


def labels_of(page):
    names = ["", *(f"{part}-{field}" for field in SHAPE.fields for part in "BI")]
    return {piece.text: names[row.argmax()] for piece, row in zip(page.page.pieces, page.target.allowed, strict=True)}


def test_a_name_is_exchanged_everywhere():
    """Amounts stay, because they depend on each other."""
    for seed in range(20):
        (sheet,) = exchange_values(document(), Random(seed))
        names = {one.text.strip() for one in sheet.texts() if one.field == "vendor_name"}
        assert len(names) == 1
        assert [one.text for one in sheet.texts() if one.field == "line_items.0.amount"] == ["50,00"]
    changed = {exchange_values(document(), Random(seed))[0].texts()[0].text for seed in range(20)}
    assert len(changed) > 10


def test_some_documents_have_prices_with_four_decimals():
    """All of their prices; amounts stay."""
    priced = document("plain", "invoice", text("25,00", 120, 100, "line_items.0.unit_price"))
    found = [exchange_values(priced, Random(seed))[0].texts() for seed in range(60)]
    prices = [one.text for texts in found for one in texts if one.field == "line_items.0.unit_price"]

    assert set(prices) == {"25,00", "25,0000"}
    assert prices.count("25,0000") < 20
    assert {one.text for texts in found for one in texts if one.field == "line_items.0.amount"} == {"50,00"}


def test_a_page_has_the_labels_of_its_values():
    """A field that the type does not have is none."""
    (page,) = training_pages(document(), SHAPE, seed=4)  # a seed without errors of recognition

    labels = labels_of(page)
    assert (labels["Holzhof"], labels["GmbH"]) == ("B-vendor_name", "I-vendor_name")
    assert (labels["50,00"], labels["Regalboden"]) == ("B-line_items.amount", "B-line_items.description")
    assert labels["Rechnung"] == labels["Holzbank"] == ""
    assert SHAPE.types[page.target.type] == "invoice"
    assert SHAPE.currencies[page.target.currency] == "EUR"
    assert sorted(set(page.target.row_starts.tolist())) == [UNKNOWN, 0, 1]


def test_what_templates_do_not_mark_on_receipts_may_be_anything():
    """Cash, change and the time of day are fields of receipts."""
    (page,) = training_pages(document("till", "receipt", text("20:15", 20, 280)), SHAPE, seed=4)

    (allowed,) = (
        row for piece, row in zip(page.page.pieces, page.target.allowed, strict=True) if piece.text == "20:15"
    )
    assert allowed.all()


def test_templates_have_equal_shares():
    """Whatever the number of their documents."""
    drawn = TemplatePages.of([document("many")] * 9 + [document("one", "receipt")])

    types = [SHAPE.types[drawn(SHAPE, seed).target.type] for seed in range(200)]
    assert 70 < types.count("receipt") < 130


def test_a_page_depends_on_its_seed_alone():
    """As every page of a run."""
    drawn = TemplatePages.of([document()])
    first, second = (drawn(SHAPE, 5) for _ in range(2))

    assert np.array_equal(first.page.ngrams, second.page.ngrams)
    assert np.array_equal(first.target.allowed, second.target.allowed)


def test_on_cards_only_names_are_exchanged():
    """Numbers and addresses of cards have the form of their issuer."""
    texts = (
        text("DL", 5, 5), text("D1234567", 12, 5, "document_number"), text("SAMPLE", 5, 10, "family_name"),
        text("AUSTIN, TX 73301", 5, 15, "resident_address"),
    )  # fmt: skip
    card = FilledTemplate("card", 0, "driver_licence", "en", "USA", None, "MDY", (Sheet(86.0, 54.0, texts),))
    exchanged = [exchange_values(card, Random(seed))[0].texts() for seed in range(20)]

    assert len({names.text for _, _, names, _ in exchanged}) > 5
    assert all(names.text.isupper() for _, _, names, _ in exchanged)
    assert {(number.text, address.text) for _, number, _, address in exchanged} == {("D1234567", "AUSTIN, TX 73301")}

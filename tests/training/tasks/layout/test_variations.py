"""Real pages are changed each time they are used, and their labels with them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docextract import documents
from docextract.documents import document_types
from docextract.predictions import TextLine
from training.datasets import LabelledPage
from training.datasets.reads import OcrResult
from training.tasks.layout.variations import RealPage, RealPageVariations, rename_merchant


def receipt(merchant, total, kind="receipt"):
    fields = {"merchant_name": merchant, "total": total}
    label = LabelledPage(Path(f"{merchant}.jpg"), kind, fields, (), "MYR", merchant)
    lines = tuple(
        TextLine(text, np.array([[0, y], [9 * len(text), y], [9 * len(text), y + 20], [0, y + 20]], np.float32), 0.99)
        for text, y in ((merchant, 0), ("12/03/2018", 40), (f"TOTAL {total}", 80))
    )
    return RealPage(label, OcrResult(label.key, lines, 400, 200))


def test_a_real_page_gets_another_merchant_on_the_page_and_in_the_label():
    """The network must not learn the names by heart."""
    page = receipt("MOON MART SDN BHD", "9.00")
    names = set()
    for seed in range(20):
        varied = rename_merchant(page, document_types()["receipt"], np.random.default_rng(seed))
        names.add(varied.label.fields["merchant_name"])
        assert varied.read.lines[0].text == varied.label.fields["merchant_name"]

    assert len(names) > 5


@pytest.fixture
def slip(monkeypatch):
    """A type without a generator: there are only photos of it."""
    kind = replace(document_types()["receipt"], name="slip")
    monkeypatch.setattr(documents, "_registered", {"slip": kind})
    return kind


def test_values_of_a_type_without_a_generator_are_exchanged(slip):
    """A page gets values as they are printed on other pages, longer or shorter, and their labels."""
    varied = RealPageVariations(
        [receipt("MOON MART", "9.00", "slip"), receipt("SUN AND STARS TRADING", "123.45", "slip")]
    )
    seen = set()
    for seed in range(40):
        page = varied(np.random.default_rng(seed))
        text = "\n".join(line.text for line in page.read.lines)
        if len(page.read.lines) == 3:
            assert page.label.fields["merchant_name"] in text
            assert f"TOTAL {page.label.fields['total']}" in text
            seen.add((page.label.fields["merchant_name"], page.label.fields["total"]))

    assert len(seen) == 4


def test_a_longer_value_has_a_wider_polygon(slip):
    """The network sees the width of a line: it has to match the text."""
    varied = RealPageVariations(
        [receipt("MOON MART", "9.00", "slip"), receipt("SUN AND STARS TRADING", "123.45", "slip")]
    )

    for seed in range(20):
        for line in varied(np.random.default_rng(seed)).read.lines:
            assert line.polygon[1, 0] - line.polygon[0, 0] == pytest.approx(9 * len(line.text), abs=6)


def test_an_exchanged_value_has_no_labelled_position(slip):
    """The polygon that was labelled for the old value would not fit the new one."""
    box = (((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),)
    pages = [receipt("MOON MART", "9.00", "slip"), receipt("SUN AND STARS TRADING", "123.45", "slip")]
    placed = [replace(page, label=replace(page.label, places={"merchant_name": box, "total": box})) for page in pages]
    varied = RealPageVariations(placed)

    for seed in range(20):
        page = varied(np.random.default_rng(seed))
        (own,) = (one for one in placed if one.label.image == page.label.image)
        for name in ("merchant_name", "total"):
            if page.label.fields[name] != own.label.fields[name]:
                assert name not in page.label.places

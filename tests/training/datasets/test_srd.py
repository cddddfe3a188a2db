"""Tests of our labels of SRD; its photos are not in the repository."""

from datetime import date
from decimal import Decimal

import pytest

from docextract.documents import document_types
from docextract.documents.values import collapse_whitespace
from training.datasets import srd, value_of
from training.evaluation.evaluate import evaluate


@pytest.fixture
def root(tmp_path):
    (tmp_path / "1000-receipt.jpg").touch()
    (tmp_path / "1001-receipt.jpg").touch()
    return tmp_path


def test_every_label_is_a_value_of_its_field(root):
    """And every photo is in one half."""
    pages = [*srd.load(root, "development"), *srd.load(root, "test")]
    kinds = {field.name: field.kind for field in document_types()["receipt"].fields()}

    assert len(pages) == len({page.key for page in pages}) == 98
    for page in pages:
        for name, label in page.fields.items():
            value = value_of(kinds[name], label)
            assert isinstance(value, {"document_date": date, "merchant_name": str}.get(name, Decimal)), (page, name)
            if isinstance(value, str):
                assert value == collapse_whitespace(label)
        for name, others in page.alternatives.items():
            spellings = [collapse_whitespace(one).upper() for one in (page.fields[name], *others)]
            assert len(set(spellings)) == len(spellings) > 1


def test_sums_agree(root):
    """Subtotal plus tax is at most the total; the rest is a tip."""
    for page in (*srd.load(root, "development"), *srd.load(root, "test")):
        amounts = {
            name: Decimal(page.fields[name]) for name in ("subtotal", "total_tax", "total") if name in page.fields
        }
        if len(amounts) == 3 and page.key[:4] not in ("1027", "1042"):  # these have a discount in between
            assert amounts["subtotal"] + amounts["total_tax"] <= amounts["total"], page


def test_alternative_labels_are_right(root):
    """A name is right with or without its second line."""
    (page,) = [page for page in srd.load(root, "development") if page.key == "1010-receipt"]
    whole, first = "Friendly Red's of Windham", "Friendly Red's"
    assert (page.fields["merchant_name"], page.alternatives["merchant_name"]) == (whole, (first,))

    for name, right in ((whole, True), (first.upper(), True), ("of Windham", False)):
        body = {"documents": [{"type": "receipt", "fields": {"merchant_name": {"value": name}}}]}
        (outcome,) = evaluate([page], lambda *_, body=body: body)
        (one,) = [one for one in outcome.comparisons if one.field == "merchant_name"]
        assert (one.exact, one.loose, one.edit_distance == 0) == (right, right, right)


def test_a_folder_without_photos_is_an_error(tmp_path):
    """A wrong folder is an error, not an accuracy of 0."""
    with pytest.raises(FileNotFoundError, match=r"srd\.jsonl"):
        srd.load(tmp_path, "test")

"""SROIE, on a folder of the same form."""

import json

import numpy as np
import pytest
from PIL import Image

from training.datasets import labelled_folder, sroie
from training.tasks.layout.pages import kept_back


@pytest.fixture
def root(tmp_path):
    """One receipt, with the label noise of the real ones."""
    for folder in ("images", "fields", "lines"):
        (tmp_path / folder).mkdir()
    Image.fromarray(np.full((400, 200, 3), 255, np.uint8)).save(tmp_path / "images" / "000.jpg")
    fields = {"company": "BOOK TA .K  SDN BHD", "date": "25/12/2018", "address": "", "total": "RM9.00"}
    (tmp_path / "fields" / "000.json").write_text(json.dumps(fields))
    (tmp_path / "lines" / "000.csv").write_text("20,40,180,40,180,60,20,60,BOOK TA .K SDN BHD\n")
    (tmp_path / "splits.json").write_text(json.dumps({"train": ["000"]}))
    return tmp_path


def test_labels_are_typed_and_unknown_ones_left_out(root):
    """Dates are day first, totals carry RM or not; an empty address is not known."""
    (page,) = sroie.load(root, "train")

    assert page.fields == {"merchant_name": "BOOK TA .K SDN BHD", "transaction_date": "2018-12-25", "total": "9.00"}
    assert page.currency == "MYR"


@pytest.mark.parametrize("photograph", [None, 3])
def test_a_split_becomes_a_labelled_folder(root, tmp_path, photograph):
    """Scans as they are, or photographed; either way what `make evaluate` takes."""
    out = tmp_path / "out"

    sroie.write_labelled_folder(sroie.load(root, "train"), out, photograph, "good", None)

    (page,), unusable = labelled_folder.load(out)
    assert page.fields["total"] == "9.00"
    assert unusable == []


def test_what_was_kept_back_can_be_photographed(root):
    """The receipts of rare merchants, as extraction's training leaves them alone."""
    for number in range(1, 20):
        name = f"{number:03}"
        (root / "fields" / f"{name}.json").write_text(json.dumps({"company": f"SHOP {number}"}))
    (root / "splits.json").write_text(json.dumps({"train": [f"{number:03}" for number in range(20)]}))
    labels = sroie.load(root, "train")

    kept = sroie.load(root, sroie.KEPT_BACK)

    assert 0 < len(kept) < len(labels)
    assert {label.key for label in kept} == kept_back(labels)

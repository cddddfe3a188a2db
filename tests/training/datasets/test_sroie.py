"""Tests of reading SROIE, on a small folder in its format."""

import json

import numpy as np
import pytest
from PIL import Image

from training.datasets import labelled_folder, sroie
from training.datasets.merchants import held_out_keys


@pytest.fixture
def root(tmp_path):
    """One receipt, with label noise as in the real data."""
    for folder in ("images", "fields", "lines"):
        (tmp_path / folder).mkdir()
    Image.fromarray(np.full((400, 200, 3), 255, np.uint8)).save(tmp_path / "images" / "000.jpg")
    fields = {"company": "BOOK TA .K  SDN BHD", "date": "25/12/2018", "address": "", "total": "RM9.00"}
    (tmp_path / "fields" / "000.json").write_text(json.dumps(fields))
    (tmp_path / "lines" / "000.csv").write_text("20,40,180,40,180,60,20,60,BOOK TA .K SDN BHD\n")
    (tmp_path / "splits.json").write_text(json.dumps({"train": ["000"]}))
    return tmp_path


def test_labels_are_typed_and_unknown_ones_left_out(root):
    """Dates are day first, totals may have RM; an empty address is unknown."""
    (page,) = sroie.load(root, "train")

    assert page.fields == {"merchant_name": "BOOK TA .K SDN BHD", "document_date": "2018-12-25", "total": "9.00"}
    assert page.currency == "MYR"


def test_further_readings_of_labels_are_right_too(root, tmp_path, monkeypatch):
    """A total after rounding, in the labels and in a folder that is written from them."""
    monkeypatch.setattr(sroie, "ALSO_PRINTED", {"000": {"total": ("9.05",)}})
    labels = sroie.load(root, "train")
    sroie.write_labelled_folder(labels, tmp_path / "out", None, "good", None)

    (page,), _ = labelled_folder.load(tmp_path / "out")
    assert labels[0].alternatives == page.alternatives == {"total": ("9.05",)}


@pytest.mark.parametrize("photograph", [None, 3])
def test_a_split_becomes_a_labelled_folder(root, tmp_path, photograph):
    """As scans or as simulated photos, in the format that `make evaluate` needs."""
    out = tmp_path / "out"

    sroie.write_labelled_folder(sroie.load(root, "train"), out, photograph, "good", None)

    (page,), unusable = labelled_folder.load(out)
    assert page.fields["total"] == "9.00"
    assert unusable == []


def test_the_held_out_split_has_the_rare_merchants(root):
    """The held-out split has the receipts of rare merchants that extraction's training does not use."""
    for number in range(1, 20):
        name = f"{number:03}"
        (root / "fields" / f"{name}.json").write_text(json.dumps({"company": f"SHOP {number}"}))
    (root / "splits.json").write_text(json.dumps({"train": [f"{number:03}" for number in range(20)]}))
    labels = sroie.load(root, "train")

    kept = sroie.load(root, sroie.HELD_OUT)

    assert 0 < len(kept) < len(labels)
    assert {label.key for label in kept} == held_out_keys(labels)

"""Weights between served ones and ones that were trained further."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from docextract.extraction.layout.network import LayoutShape, LayoutTransformer
from docextract.registry.typefaces import TYPEFACES_FILE
from training.tasks.layout import interpolate

SIZES = {"width": 16, "layers": 1, "heads": 2, "ngram_width": 8}


def written(folder, currencies, fields=("total",), types=("receipt",)):
    torch.manual_seed(len(currencies))
    network = LayoutTransformer(LayoutShape(fields, (*types, "other"), ("", *currencies), **SIZES))
    folder.mkdir()
    save_file({name: value.half() for name, value in network.state_dict().items()}, folder / "model.safetensors")
    config = {"architecture": "layout", "shape": network.shape.to_json()}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "zones.safetensors").write_bytes(b"zones")
    return folder


def test_weights_are_between_both(tmp_path):
    """Rows of new currencies are those of the new weights; other files are the served ones."""
    old, new = written(tmp_path / "old", ["EUR"]), written(tmp_path / "new", ["USD", "EUR"])
    interpolate.main([str(old), str(new), "--share", "0.25", "--out", str(tmp_path / "out")])

    was, now, out = (load_file(folder / "model.safetensors") for folder in (old, new, tmp_path / "out"))
    middle = 0.25 * now["label_head.weight"].float() + 0.75 * was["label_head.weight"].float()
    assert torch.allclose(out["label_head.weight"].float(), middle, atol=1e-3)
    assert torch.equal(out["currency_head.weight"][1], now["currency_head.weight"][1])
    euro = 0.25 * now["currency_head.weight"][2].float() + 0.75 * was["currency_head.weight"][1].float()
    assert torch.allclose(out["currency_head.weight"][2].float(), euro, atol=1e-3)
    assert (tmp_path / "out" / "zones.safetensors").read_bytes() == b"zones"
    assert json.loads((tmp_path / "out" / "config.json").read_text())["shape"]["currencies"] == ["", "USD", "EUR"]


def test_the_record_of_the_typefaces_is_kept(tmp_path):
    """Promotion finds it beside the weights."""
    old, new = written(tmp_path / "old", ["EUR"]), written(tmp_path / "new", ["EUR"])
    (tmp_path / TYPEFACES_FILE).write_text("{}")

    interpolate.main([str(old), str(new), "--out", str(tmp_path / "between" / "weights")])

    assert (tmp_path / "between" / TYPEFACES_FILE).read_text() == "{}"


def test_labels_of_new_fields_are_those_of_the_new_weights(tmp_path):
    """The labels of a field that both know are between both."""
    old, new = written(tmp_path / "old", ["EUR"], ("total",)), written(tmp_path / "new", ["EUR"], ("tip", "total"))
    interpolate.main([str(old), str(new), "--share", "0.25", "--out", str(tmp_path / "out")])

    was, now, out = (
        load_file(tmp_path / name / "model.safetensors")["label_head.bias"] for name in ("old", "new", "out")
    )
    assert torch.equal(out[1:3], now[1:3])
    assert torch.allclose(out[3:5].float(), 0.25 * now[3:5].float() + 0.75 * was[1:3].float(), atol=1e-3)


def test_networks_with_other_types_are_refused(tmp_path):
    """Their probabilities have other meanings."""
    old, new = written(tmp_path / "old", ["EUR"]), written(tmp_path / "new", ["EUR"], types=("invoice",))

    with pytest.raises(ValueError, match="other document types"):
        interpolate.main([str(old), str(new), "--out", str(tmp_path / "out")])

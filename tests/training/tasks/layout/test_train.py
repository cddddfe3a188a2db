"""Training the layout transformer, at a size that a test can wait for."""

import copy
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract import documents
from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.candidates import Candidate
from docextract.extraction.layout.network import LayoutTransformer
from docextract.predictions import TextLine
from tests.training.stopping import StoppedError, stop_after
from training import history
from training.datasets import LabelledPage
from training.datasets.reads import OcrResult
from training.loop import CHECKPOINT
from training.tasks.layout import pages
from training.tasks.layout import train as layout_training
from training.tasks.layout.pages import PageMix
from training.tasks.layout.train import (
    LayoutSettings,
    LayoutTask,
    build_network,
    export_layout,
    start_from_served,
    train_layout,
)
from training.tasks.layout.variations import RealPage, RealPageVariations

ROOT = Path(__file__).parents[4]
TINY = LayoutSettings(
    seed=3, steps=6, decay_steps=2, warmup_steps=2, peak_lr=1e-3, weight_decay=0.01, pieces_per_batch=600,
    real_share=0.0, other_share=0.2, evaluate_every=2, types={"receipt": 1.0},
    shape={"width": 32, "layers": 1, "heads": 2, "ngram_width": 8, "dropout": 0.1},
)  # fmt: skip


@pytest.fixture(autouse=True)
def _small_pools(monkeypatch):
    monkeypatch.setattr(layout_training, "POOL_PAGES", 12)


def train(settings, out, workers=0, on_step=None):
    """A run on synthetic pages. Returns its checkpoint."""
    network = build_network(settings)
    mix = PageMix(
        network.shape, settings.types, RealPageVariations([]), settings.real_share, settings.other_share, settings.seed
    )
    train_layout(network, settings, mix, [], out, workers, on_step)
    return torch.load(out / CHECKPOINT, weights_only=True)


def train_until(last_step, settings, out):
    """A run that is killed during the step after this one."""
    with pytest.raises(StoppedError):
        train(replace(settings, checkpoint_s=0), out, on_step=stop_after(last_step))


def test_training_writes_what_serving_loads(tmp_path):
    """The folder weights/ in the run's folder is a version that the service can load."""
    train(TINY, tmp_path)

    extractor = Extractor.load(tmp_path / "weights", threads=1)
    assert "receipt" in extractor.types


def test_weights_can_be_served_before_the_run_has_ended(tmp_path):
    """They are written at each checkpoint."""
    train_until(3, TINY, tmp_path)

    assert "receipt" in Extractor.load(tmp_path / "weights", threads=1).types


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    """A run that is killed in the middle of a pool and resumed has the same weights, to the bit."""
    settings = replace(TINY, evaluate_every=6)
    unbroken = train(settings, tmp_path / "unbroken")
    train_until(3, settings, tmp_path / "resumed")
    stopped = torch.load(tmp_path / "resumed" / CHECKPOINT, weights_only=True)
    resumed = train(settings, tmp_path / "resumed")

    assert stopped["step"] == 3
    assert stopped["positions"][0][1] > 0
    assert resumed["positions"] == unbroken["positions"]
    assert all(torch.equal(value, resumed["network"][name]) for name, value in unbroken["network"].items())


def test_the_history_of_a_resumed_run_has_no_row_twice(tmp_path):
    """Rows that were written after the last checkpoint are removed, and written again once."""
    train_until(3, TINY, tmp_path)
    (tmp_path / "history.jsonl").write_text('{"step": 2}\n{"step": 4}\n')
    train(TINY, tmp_path)

    assert [row["step"] for row in history.read(tmp_path)] == [2, 4, 6]


def test_a_run_without_a_checkpoint_starts_with_an_empty_history(tmp_path):
    """It was killed before its first checkpoint, and nothing of it is left."""
    (tmp_path / "history.jsonl").write_text('{"step": 2}\n')
    train(TINY, tmp_path)

    assert [row["step"] for row in history.read(tmp_path)] == [2, 4, 6]


def test_values_of_rows_count(monkeypatch):
    """A type of rows only would never be read better, and its training would end at once."""
    rows = [{"description": "Tea", "amount": "1.20"}, {"description": "Milk", "amount": "0.90", "unit": None}]
    label = LabelledPage(Path("a.jpg"), "receipt", {"line_items": rows, "merchant_name": None})
    real = RealPage(label, OcrResult("a", (TextLine("Milk 0.90", np.zeros((4, 2), np.float32), 1.0),), 10, 10))
    values = {"description": "Milk", "amount": Decimal("0.95")}
    decoded = {
        name: Candidate(f"line_items.{name}", "", value, (0,), 0.9, 0.9, 1.0, 0.99) for name, value in values.items()
    }
    monkeypatch.setattr(layout_training, "decode_groups", lambda page: {"line_items": [decoded]})

    accuracy = layout_training.field_accuracy(build_network(TINY).eval(), [real])

    assert accuracy == {"line_items.description": 0.5, "line_items.amount": 0.0}


IN_A_PROCESS_OF_ITS_OWN = """
import sys
from pathlib import Path
import torch
from tests.training.tasks.layout import test_train as these
torch.set_num_threads(1)
these.layout_training.POOL_PAGES = 12
these.train(these.replace(these.TINY, steps=2), Path(sys.argv[1]), workers=1)
"""


def test_the_number_of_workers_does_not_change_the_weights(tmp_path):
    """On one thread of one machine, the same seed trains the same weights, to the bit.

    It runs in a process of its own: torch's workers sometimes crash a process in which other tests have used OpenVINO.
    """
    threads = torch.get_num_threads()  # other tests may have changed it
    torch.set_num_threads(1)
    without = train(replace(TINY, steps=2), tmp_path / "without")["network"]
    torch.set_num_threads(threads)
    command = [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN, str(tmp_path / "with")]
    subprocess.run(command, check=True, cwd=ROOT)
    with_worker = torch.load(tmp_path / "with" / CHECKPOINT, weights_only=True)["network"]

    assert all(torch.equal(without[name], with_worker[name]) for name in without)


def test_a_run_without_a_gain_ends_early(tmp_path):
    """Without validation pages there is never a gain: after `patience` evaluations only the decay is left."""
    state = train(replace(TINY, steps=40, patience=2), tmp_path)

    assert state["step"] == 4 + 2 + 2  # the first evaluation is a gain


def test_a_new_type_keeps_what_the_served_network_knows(tmp_path):
    """Weights are copied by name: receipts are labelled as before, whatever other types there are now."""
    old = LayoutTransformer(TINY.network_shape())
    export_layout(old, tmp_path)
    shape = pages.shape_for_types(("receipt",), ("CHF", *layout_training.CURRENCIES), **TINY.shape)
    wider = replace(shape, fields=("aaa_new", *shape.fields), types=("new", *shape.types))
    new = LayoutTransformer(wider)

    start_from_served(new, tmp_path)

    page = pages.page_from_sheet(document_types()["receipt"], old.shape, seed=1).page
    batch = layout_training.collate_pages([page])
    with torch.inference_mode():
        before, after = old.eval()(batch), new.eval()(batch)
    kept = [0, *range(3, wider.labels)]
    assert torch.allclose(before.labels, after.labels[..., kept], atol=0.02)  # fp16 in between
    assert torch.allclose(before.type, after.type[:, 1:], atol=0.02)


def test_served_weights_of_another_width_are_refused(tmp_path):
    """The error says which weights do not fit."""
    export_layout(LayoutTransformer(TINY.network_shape()), tmp_path)

    with pytest.raises(ValueError, match="in the served weights"):
        start_from_served(LayoutTransformer(replace(TINY.network_shape(), width=64)), tmp_path)


def test_the_learning_rate_warms_up_and_ends_at_zero():
    """It is constant in between, so that a run can be ended early by lowering `steps`."""
    settings = replace(TINY, steps=100, warmup_steps=10, decay_steps=20)

    assert settings.learning_rate(0, 100) == pytest.approx(1e-4)
    assert settings.learning_rate(50, 100) == settings.learning_rate(79, 100) == pytest.approx(1e-3)
    assert settings.learning_rate(99, 100) == pytest.approx(5e-5)


@pytest.mark.parametrize("name", ["layout.toml", "retrain.toml"])
def test_committed_settings_can_be_read(name):
    """They have no unknown names."""
    assert LayoutSettings.read(ROOT / "training" / "configs" / name).steps > 0


def test_every_piece_of_a_synthetic_page_has_one_label():
    """One of them is the total. Numbers without a field may belong to the rows of taxes, which are not marked."""
    shape = pages.shape_for_types(("receipt",), layout_training.CURRENCIES, **TINY.shape)
    example = pages.page_from_sheet(document_types()["receipt"], shape, seed=11)
    unmarked = pages.UNMARKED_FIELDS["receipt"]
    of_taxes = [[1 + 2 * shape.fields.index(name), 2 + 2 * shape.fields.index(name)] for name in unmarked]
    marked = np.delete(example.target.allowed, np.ravel(of_taxes), axis=1)

    assert (marked.sum(axis=1) == 1).all()
    assert example.target.allowed[:, 1 + 2 * shape.fields.index("total")].any()
    is_number = np.array([any(char.isdigit() for char in piece.text) for piece in example.page.pieces])
    assert (example.target.allowed[:, of_taxes[0][0]] == (is_number & marked[:, 0])).all()


def test_types_of_type_files_are_stored_with_the_weights(tmp_path):
    """Training had the type file; serving needs only the weights."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "weighing_slip.toml").write_text('[fields]\nplate = "string"\n')
    documents.register_types(tmp_path)
    network = LayoutTransformer(replace(TINY, types={"receipt": 1.0, "weighing_slip": 1.0}).network_shape())

    export_layout(network, tmp_path / "weights")
    documents._registered.clear()
    extractor = Extractor.load(tmp_path / "weights")

    assert extractor.types == ("receipt", "weighing_slip", "other")
    assert [field.name for field in document_types()["weighing_slip"].fields()] == ["plate"]


def test_receipts_without_ocr_results_are_refused(monkeypatch, capsys, tmp_path):
    """A run that was given real receipts must not train on synthetic pages alone without a word."""
    receipt = LabelledPage(Path("1.jpg"), "receipt", {"merchant_name": "Corner Bakery"}, key="1")
    monkeypatch.setattr(layout_training.sroie, "load", lambda *_: [receipt])
    config = ROOT / "training" / "configs" / "layout.toml"

    with pytest.raises(SystemExit):
        layout_training.main([str(config), "--out", str(tmp_path), "--sroie", str(tmp_path)])

    assert "--reads has no receipt of --sroie to train on" in capsys.readouterr().err


def test_real_pages_keep_the_labels_of_the_teacher():
    """Only pages that are taught are compared with it; the loss has no gradient where the network says the same."""
    settings = replace(TINY, distillation=1.0, shape={**TINY.shape, "dropout": 0.0})
    network, other = LayoutTransformer(settings.network_shape()), LayoutTransformer(settings.network_shape())
    printed = pages.page_from_sheet(document_types()["receipt"], network.shape, seed=1)
    taught = replace(printed, target=replace(printed.target, is_taught=True))

    def distillation(teacher, page):
        task = LayoutTask(PageMix(network.shape, {}, RealPageVariations([]), 0, 0, 1), settings, [], teacher=teacher)
        return task.losses(network, [page]).get("distillation")

    def largest_gradient(loss):
        gradients = torch.autograd.grad(loss, list(network.parameters()), allow_unused=True)
        return max(float(one.abs().max()) for one in gradients if one is not None)

    same, different = distillation(copy.deepcopy(network), taught), distillation(other, taught)
    assert distillation(other, printed) is None
    assert different.item() > same.item()
    assert largest_gradient(same) < largest_gradient(different) / 100  # not zero: they may run in bfloat16


def test_pages_without_labels_teach_nothing_else():
    """All other losses are those of the other pages of the batch."""
    network = LayoutTransformer(replace(TINY, shape={**TINY.shape, "dropout": 0.0}).network_shape())
    read = TextLine("TOTAL 12.50", np.array([[0, 0], [90, 0], [90, 10], [0, 10]], np.float32), 0.99)
    printed = pages.page_from_sheet(document_types()["receipt"], network.shape, seed=1)
    total = np.flatnonzero(printed.target.allowed[:, 1 + 2 * network.shape.fields.index("total")])
    labelled = replace(printed, target=replace(printed.target, one_of=((total, network.shape.fields.index("total")),)))

    def losses(*some):
        logits = network(layout_training.collate_pages([one.page for one in some]))
        return layout_training.layout_losses(logits, [one.target for one in some])

    alone, together = losses(labelled), losses(labelled, pages.page_without_labels([read], network.shape))

    assert all(alone[name].item() == pytest.approx(together[name].item(), rel=1e-4) for name in alone)
    assert alone["places"].item() > 0


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        ("distillation = 1.0", (), "distillation needs --start"),
        ("unlabelled_share = 0.1", (), "belong together"),
        ("unlabelled_share = 0.1", ("--unlabelled", "missing.jsonl"), "--unlabelled has no page"),
    ],
)
def test_settings_that_would_have_no_effect_are_refused(capsys, tmp_path, settings, options, message):
    """Each option of distillation needs another one."""
    config = tmp_path / "layout.toml"
    config.write_text(f"{settings}\n" + (ROOT / "training" / "configs" / "layout.toml").read_text())

    with pytest.raises(SystemExit):
        layout_training.main([str(config), "--out", str(tmp_path), *options])

    assert message in capsys.readouterr().err

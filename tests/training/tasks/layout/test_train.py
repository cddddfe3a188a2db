"""Training the layout transformer, on a scale that a test can wait for."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from docextract import documents
from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.network import LayoutTransformer
from training.tasks.layout import pages
from training.tasks.layout import train as layout_training
from training.tasks.layout.pages import Mix
from training.tasks.layout.train import Config, Run, adopt, export
from training.tasks.layout.variations import Varied

ROOT = Path(__file__).parents[4]
TINY = Config(
    seed=3, steps=6, decay_steps=2, warmup_steps=2, peak_lr=1e-3, weight_decay=0.01, pieces_per_batch=600,
    real_share=0.0, other_share=0.2, evaluate_every=2, types={"receipt": 1.0},
    shape={"width": 32, "layers": 1, "heads": 2, "ngram_width": 8, "dropout": 0.1},
)  # fmt: skip


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(layout_training, "POOL", 12)


def train(config, out, stop_at=None, workers=0):
    """A whole run, or one that is killed after so many steps and its checkpoint."""
    out.mkdir(exist_ok=True)
    torch.manual_seed(config.seed)
    network = LayoutTransformer(config.whole_shape())
    mix = Mix(network.shape, config.types, Varied([]), config.real_share, config.other_share, config.seed)
    run = Run(config, out, network)
    if stop_at is None:
        run.train(mix, [], workers)
    else:
        batches = run._batches(mix, workers)
        while run.place.step < stop_at:
            run._step(*next(batches))
        run.save()
    return torch.load(out / layout_training.CHECKPOINT, weights_only=True)


def test_training_leaves_what_serving_loads(tmp_path):
    """The folder beside the checkpoint is a version as the service expects it."""
    train(TINY, tmp_path)

    extractor = Extractor.load(tmp_path / "weights", threads=1)
    assert "receipt" in extractor.types


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    """Killed in the middle of a pool, it goes on as if nothing had happened, to the bit."""
    config = replace(TINY, evaluate_every=6)
    unbroken = train(config, tmp_path / "unbroken")
    train(config, tmp_path / "broken", stop_at=3)
    resumed = train(config, tmp_path / "broken")

    assert resumed["places"] == unbroken["places"]
    assert all(torch.equal(value, resumed["network"][name]) for name, value in unbroken["network"].items())


def test_the_history_of_a_resumed_run_has_no_row_twice(tmp_path):
    """What was noted after the last checkpoint is noted again, once."""
    train(TINY, tmp_path, stop_at=3)
    (tmp_path / "history.jsonl").write_text('{"step": 2}\n{"step": 4}\n')
    train(TINY, tmp_path)

    assert [json.loads(row)["step"] for row in (tmp_path / "history.jsonl").open()] == [2, 4, 6]


def test_a_run_that_begins_anew_forgets_what_was_noted_before(tmp_path):
    """Killed before its first checkpoint, it has learned nothing."""
    (tmp_path / "history.jsonl").write_text('{"step": 2}\n')
    train(TINY, tmp_path)

    assert [json.loads(row)["step"] for row in (tmp_path / "history.jsonl").open()] == [2, 4, 6]


IN_A_PROCESS_OF_ITS_OWN = """
import sys
from pathlib import Path
from tests.training.tasks.layout import test_train as these
these.layout_training.POOL = 12
these.train(these.replace(these.TINY, steps=2), Path(sys.argv[1]), workers=1)
"""


def test_the_same_seed_trains_the_same_weights_whatever_the_workers(tmp_path):
    """On one thread of one machine, training repeats itself to the bit.

    Workers of torch's beside OpenVINO, which other tests have loaded into this process, crash it now and then.
    """
    alone = train(replace(TINY, steps=2), tmp_path / "alone")["network"]
    command = [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN, str(tmp_path / "fed")]
    subprocess.run(command, check=True, cwd=ROOT)
    fed = torch.load(tmp_path / "fed" / layout_training.CHECKPOINT, weights_only=True)["network"]

    assert all(torch.equal(alone[name], fed[name]) for name in alone)


def test_a_run_that_no_longer_helps_ends_early(tmp_path):
    """Without pages to watch nothing is ever gained: after `patience` evaluations only the decay is left."""
    state = train(replace(TINY, steps=40, patience=2), tmp_path)

    assert state["places"][0]["step"] == 4 + 2 + 2  # the first evaluation is a gain


def test_a_new_type_keeps_what_the_served_network_knows(tmp_path):
    """Weights are taken over by name: receipts are labelled as before, whatever stands beside them now."""
    old = LayoutTransformer(TINY.whole_shape())
    export(old, tmp_path)
    shape = pages.shape_of(("receipt",), ("CHF", *layout_training.CURRENCIES), **TINY.shape)
    wider = replace(shape, fields=("aaa_new", *shape.fields), types=("new", *shape.types))
    new = LayoutTransformer(wider)

    adopt(new, tmp_path)

    page = pages.from_sheet(document_types()["receipt"], old.shape, seed=1).page
    batch = layout_training.collate_pages([page])
    with torch.inference_mode():
        before, after = old.eval()(batch), new.eval()(batch)
    kept = [0, *range(3, wider.labels)]
    assert torch.allclose(before.labels, after.labels[..., kept], atol=0.02)  # fp16 in between
    assert torch.allclose(before.type, after.type[:, 1:], atol=0.02)


def test_another_width_cannot_be_taken_over(tmp_path):
    """And says which weights do not fit."""
    export(LayoutTransformer(TINY.whole_shape()), tmp_path)

    with pytest.raises(ValueError, match="in the served weights"):
        adopt(LayoutTransformer(replace(TINY.whole_shape(), width=64)), tmp_path)


def test_the_learning_rate_warms_up_and_ends_at_zero():
    """And is constant in between, so that a run can be ended early by lowering `steps`."""
    config = replace(TINY, steps=100, warmup_steps=10, decay_steps=20)

    assert config.lr(0, 100) == pytest.approx(1e-4)
    assert config.lr(50, 100) == config.lr(79, 100) == pytest.approx(1e-3)
    assert config.lr(99, 100) == pytest.approx(5e-5)


def test_every_committed_configuration_loads():
    """A key that no one reads is an error, not a surprise after an hour."""
    from pathlib import Path

    assert layout_training.load_config(Path("training/configs/layout.toml")).steps > 0


def test_a_sheet_is_labelled_all_over():
    """Each piece of a synthetic page has exactly one label; somewhere stands the total."""
    shape = pages.shape_of(("receipt",), layout_training.CURRENCIES, **TINY.shape)
    example = pages.from_sheet(document_types()["receipt"], shape, seed=11)

    assert (example.target.allowed.sum(axis=1) == 1).all()
    assert example.target.allowed[:, 1 + 2 * shape.fields.index("total")].any()


def test_a_described_type_travels_with_the_weights(tmp_path, monkeypatch):
    """Training saw its file; whoever loads the weights needs no other."""
    monkeypatch.setattr(documents, "_registered", {})
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "weighing_slip.toml").write_text('[fields]\nplate = "string"\n')
    documents.register_types(tmp_path)
    network = LayoutTransformer(replace(TINY, types={"receipt": 1.0, "weighing_slip": 1.0}).whole_shape())

    export(network, tmp_path / "weights")
    documents._registered.clear()
    extractor = Extractor.load(tmp_path / "weights")

    assert extractor.types == ("receipt", "weighing_slip", "other")
    assert [field.name for field in document_types()["weighing_slip"].fields()] == ["plate"]

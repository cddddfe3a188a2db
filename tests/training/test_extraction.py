"""Training the layout transformer, on a scale that a test can wait for."""

import logging
from dataclasses import replace

import pytest
import torch

from docextract.extraction.extractor import Extractor
from training import extraction, pages
from training.extraction import Config, train

TINY = Config(
    seed=3, steps=6, decay_steps=2, warmup_steps=2, peak_lr=1e-3, weight_decay=0.01, pieces_per_batch=600,
    real_share=0.0, other_share=0.2, evaluate_every=100,
    shape={"width": 32, "layers": 1, "heads": 2, "ngram_width": 8, "dropout": 0.0},
)  # fmt: skip


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(extraction, "POOL", 12)


def test_training_leaves_what_serving_loads(tmp_path):
    """The folder beside the checkpoint is a version as the service expects it."""
    train(TINY, tmp_path, [], [], workers=0)

    extractor = Extractor.load(tmp_path / "weights", threads=1)
    assert "receipt" in extractor.types


def test_a_run_goes_on_from_its_checkpoint(tmp_path, caplog):
    """A session ends, a machine is rebooted: nothing but the last minutes is lost."""
    train(replace(TINY, steps=3), tmp_path, [], [], workers=0)
    with caplog.at_level(logging.INFO):
        train(TINY, tmp_path, [], [], workers=0)

    assert "resumed at step 3" in caplog.text
    assert torch.load(tmp_path / "last.pt", weights_only=True)["step"] == 6


def test_the_same_seed_trains_the_same_weights(tmp_path):
    """On one thread of one machine, training repeats itself to the bit."""
    for run in ("first", "second"):
        train(replace(TINY, steps=2), tmp_path / run, [], [], workers=0)

    first, second = (
        torch.load(tmp_path / run / "last.pt", weights_only=True)["network"] for run in ("first", "second")
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_learning_rate_warms_up_and_ends_at_zero():
    """And is constant in between, so that a run can be ended early by lowering `steps`."""
    config = replace(TINY, steps=100, warmup_steps=10, decay_steps=20)

    assert config.lr(0) == pytest.approx(1e-4)
    assert config.lr(50) == config.lr(79) == pytest.approx(1e-3)
    assert config.lr(99) == pytest.approx(5e-5)


def test_every_committed_configuration_loads():
    """A key that no one reads is an error, not a surprise after an hour."""
    from pathlib import Path

    assert extraction.load_config(Path("training/configs/extraction.toml")).steps > 0


def test_a_sheet_is_labelled_all_over():
    """Each piece of a synthetic page has exactly one label; somewhere stands the total."""
    from docextract.documents import document_types

    shape = pages.shape_of(("receipt",), extraction.CURRENCIES, **TINY.shape)
    example = pages.from_sheet(document_types()["receipt"], shape, seed=11)

    assert (example.target.allowed.sum(axis=1) == 1).all()
    assert example.target.allowed[:, 1 + 2 * shape.fields.index("total")].any()

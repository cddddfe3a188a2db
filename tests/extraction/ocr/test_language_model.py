"""The language model of text lines."""

import numpy as np
import pytest
import torch

from docextract.extraction.ocr import language_model
from docextract.extraction.ocr.language_model import LanguageModel, LanguageModelShape, LanguageNetwork

LETTERS = "".join(chr(code) for code in range(32, 127)) + "äöü"


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    torch.manual_seed(3)
    return LanguageModel(LanguageNetwork(LanguageModelShape.for_letters(LETTERS, embedding=6, hidden=8)), 0.2)


def test_every_line_has_a_likelihood(model):
    """Longer lines have smaller ones; the empty line and unknown characters raise no error."""
    found = model.log_likelihoods(["TOTAL", "TOTAL AMOUNT PAYABLE", "", "漢字"])

    assert found.shape == (4,)
    assert np.isfinite(found).all()
    assert (found < 0).all()
    assert found[1] < found[0]
    assert model.log_likelihoods([]).shape == (0,)


def test_batches_do_not_change_likelihoods(model, monkeypatch):
    """Lines of different lengths are rated in one batch."""
    monkeypatch.setattr(language_model, "LINE_BATCH_SIZE", 3)
    lines = ["A", "SUB TOTAL 12.00", "Straße", "9", "TOTAL"]

    together = model.log_likelihoods(lines)

    assert together == pytest.approx([model.log_likelihoods([line])[0] for line in lines], abs=1e-4)


def test_probabilities_of_the_next_character_sum_to_one(model):
    """The likelihood of the empty line is the probability that a line ends at once."""
    with torch.inference_mode():
        logits = model._network(torch.zeros(1, 1, dtype=torch.long))[0, 0].log_softmax(0)

    assert float(logits.exp().sum()) == pytest.approx(1.0, abs=1e-5)
    assert model.log_likelihoods([""])[0] == pytest.approx(float(logits[0]), abs=1e-5)


def test_all_digits_are_equally_likely(model):
    """Only the pixels say which digit it is."""
    one, other, letter = model.log_likelihoods(["TOTAL 19.80", "TOTAL 72.45", "TOTAL l9.80"])

    assert one == other
    assert one != letter


def test_a_saved_model_can_be_loaded(model, tmp_path):
    """Likelihoods agree within half precision, and the digest identifies the model."""
    model.save(tmp_path)
    loaded = LanguageModel.load(tmp_path)
    lines = ["GRAND TOTAL", "Zu zahlen"]

    assert loaded is not None
    assert loaded.weight == model.weight
    assert loaded.digest == model.digest
    assert loaded.log_likelihoods(lines) == pytest.approx(model.log_likelihoods(lines), rel=1e-2)
    assert LanguageModel(loaded._network, 0.3).digest != loaded.digest
    assert LanguageModel.load(tmp_path / "elsewhere") is None

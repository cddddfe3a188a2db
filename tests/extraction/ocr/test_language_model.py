"""How likely lines are."""

import numpy as np
import pytest
import torch

from docextract.extraction.ocr import language_model as module
from docextract.extraction.ocr.language_model import LanguageModel, LanguageModelShape, LanguageNetwork

LETTERS = "".join(chr(code) for code in range(32, 127)) + "äöü"


@pytest.fixture(scope="module")
def language() -> LanguageModel:
    torch.manual_seed(3)
    return LanguageModel(LanguageNetwork(LanguageModelShape.for_letters(LETTERS, embedding=6, hidden=8)), 0.2)


def test_every_line_has_a_likelihood(language):
    """Longer ones a smaller one; none at all, and letters that it does not know, are no error."""
    found = language.log_likelihoods(["TOTAL", "TOTAL AMOUNT PAYABLE", "", "漢字"])

    assert found.shape == (4,)
    assert np.isfinite(found).all()
    assert (found < 0).all()
    assert found[1] < found[0]
    assert language.log_likelihoods([]).shape == (0,)


def test_neighbours_change_nothing(language, monkeypatch):
    """Lines of different lengths go together, so many at once."""
    monkeypatch.setattr(module, "LINE_BATCH_SIZE", 3)
    lines = ["A", "SUB TOTAL 12.00", "Straße", "9", "TOTAL"]

    together = language.log_likelihoods(lines)

    assert together == pytest.approx([language.log_likelihoods([line])[0] for line in lines], abs=1e-4)


def test_likelihoods_of_what_may_follow_sum_to_one(language):
    """One letter or none, then the end; and all longer lines, of which that letter is the beginning."""
    with torch.inference_mode():
        logits = language._network(torch.zeros(1, 1, dtype=torch.long))[0, 0].log_softmax(0)

    assert float(logits.exp().sum()) == pytest.approx(1.0, abs=1e-5)
    assert language.log_likelihoods([""])[0] == pytest.approx(float(logits[0]), abs=1e-5)


def test_no_figure_is_likelier_than_another(language):
    """What a number is, pixels alone say."""
    one, other, letter = language.log_likelihoods(["TOTAL 19.80", "TOTAL 72.45", "TOTAL l9.80"])

    assert one == other
    assert one != letter


def test_what_is_saved_is_loaded(language, tmp_path):
    """Within half precision; who has it is told from others."""
    language.save(tmp_path)
    loaded = LanguageModel.load(tmp_path)
    lines = ["GRAND TOTAL", "Zu zahlen"]

    assert loaded is not None
    assert loaded.weight == language.weight
    assert loaded.digest == language.digest
    assert loaded.log_likelihoods(lines) == pytest.approx(language.log_likelihoods(lines), rel=1e-2)
    assert LanguageModel(loaded._network, 0.3).digest != loaded.digest
    assert LanguageModel.load(tmp_path / "elsewhere") is None

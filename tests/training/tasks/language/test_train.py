"""TrainingState how likely lines are, on a scale that a test can wait for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.language_model import (
    END_OF_LINE,
    LANGUAGE_WEIGHTS_FILE,
    LanguageModel,
    LanguageModelShape,
    LanguageNetwork,
)
from docextract.extraction.ocr.ppocr import pretrained_layers
from tests.training.tasks.ocr.test_train import strips
from training import history
from training.tasks.language import train as language_training
from training.tasks.language.train import CHECKPOINT, Lessons, Run, Settings, Texts, lines, train

CONFIG = Path(__file__).parents[4] / "training" / "configs" / "language.toml"
TINY = replace(
    Settings.read(CONFIG), steps=4, streams=6, length=20, warmup_steps=1, average=0.9, evaluate_every=2, embedding=8,
    hidden=16,
)  # fmt: skip
LETTERS = "".join(chr(code) for code in range(32, 127))
KNOWN = Texts(("transcript one", "transcript two"), ("A shop", "Its goods"))


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(language_training, "SHEETS_AT_ONCE", 1)


@pytest.fixture
def network() -> LanguageNetwork:
    return LanguageNetwork(LanguageModelShape.for_letters(LETTERS))


def test_synthetic_documents_say_something():
    """The same for the same dice; of several types; in capitals at times."""
    said = [list(lines(np.random.default_rng(number))) for number in range(60)]

    assert said[3] == list(lines(np.random.default_rng(3)))
    assert all(line == " ".join(line.split()) for some in said for line in some)
    whole = ["\n".join(some) for some in said]
    assert 0 < sum("<<" in text for text in whole) < sum("TOTAL" in text.upper() for text in whole) < 60
    assert any(text == text.upper() for text in whole)
    assert any(text != text.upper() for text in whole)


def test_the_same_step_is_the_same_lesson(network):
    """As many letters as wanted, each stream from the beginning of a line."""
    lessons = Lessons(KNOWN, TINY, network)

    assert torch.equal(lessons(7), lessons(7))
    assert not torch.equal(lessons(7), lessons(8))
    assert lessons(7).shape == (TINY.streams, TINY.length + 1)
    assert (lessons(7)[:, 0] == END_OF_LINE).all()


@pytest.mark.parametrize(("texts", "real"), [(KNOWN, True), (Texts(), False)])
def test_what_was_not_synthetic_is_learned_from_if_it_is_there(network, texts, real):
    """Else synthetic documents alone."""
    streams = Lessons(texts, replace(TINY, streams=60), network)(1)

    for beginning in ("transcript", "A shop"):
        wanted = torch.tensor([END_OF_LINE, *network.encode(beginning)])
        assert bool((streams[:, : len(wanted)] == wanted).all(1).any()) == real


def test_lines_can_be_memorised():
    """If not, a wire is loose."""
    settings = replace(TINY, steps=150, peak_lr=2e-2)
    run = Run.begin(LETTERS, settings)
    streams = torch.tensor([[END_OF_LINE, *run.network.encode("GRAND TOTAL PAYABLE"), END_OF_LINE]] * 4)

    lost = [run.learn(settings, streams) for _ in range(settings.steps)]

    assert lost[-1] < 0.4 < 3 < lost[0]


def test_an_interrupted_run_equals_an_unbroken_one(tmp_path):
    """To the last bit."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for out, stops in ((whole, (4,)), (parts, (2, 4))):
        out.mkdir()
        for stop in stops:
            run = Run.begin(LETTERS, TINY)
            if (out / CHECKPOINT).exists():
                run.resume(out / CHECKPOINT)
            if stop < TINY.steps:
                lessons = Lessons(KNOWN, TINY, run.network)
                while run.step < stop:
                    run.learn(TINY, lessons(run.step))
                run.save(out / CHECKPOINT)
            else:
                train(run, TINY, out, KNOWN)

    one, other = (torch.load(out / CHECKPOINT, weights_only=True) for out in (whole, parts))
    assert all(torch.equal(one["average"][name], other["average"][name]) for name in one["average"])
    assert history.read(whole)[-1]["step"] == 4


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """Arguments of a run of a few steps, and the folder it writes to."""
    monkeypatch.setattr(
        language_training.ocr_training, "to_look_at", lambda gatherer, root, surfaces: {"strips": strips(3)}
    )
    beside = tmp_path / "extraction"
    beside.mkdir()
    (beside / "model.safetensors").write_bytes(b"weights")
    pretrained_layers().save(beside)
    config = tmp_path / "language.toml"
    config.write_text("\n".join(f"{name} = {value}" for name, value in vars(TINY).items()))
    return [str(config), "--out", str(tmp_path / "run"), "--extraction", str(beside)], tmp_path / "run"


def read_wrong(monkeypatch, shares):
    """By the weight of the language; None: without one."""
    monkeypatch.setattr(language_training, "WEIGHED", tuple(weight for weight in shares if weight is not None))
    monkeypatch.setattr(language_training, "Recogniser", lambda engine, layers, known: known and known.weight)
    monkeypatch.setattr(language_training, "_wrong", lambda weight, strips: shares[weight])


def test_training_leaves_what_serving_loads(begun, monkeypatch):
    """The given weights, with what was learned beside them, and the weight that reads most strips right."""
    arguments, out = begun
    read_wrong(monkeypatch, {None: 0.3, 0.1: 0.2, 0.2: 0.1, 0.3: 0.2})

    language_training.main(arguments)

    assert {file.name for file in (out / "weights").iterdir()} == {"model.safetensors", recogniser_graph.RECOGNISER_WEIGHTS_FILE, LANGUAGE_WEIGHTS_FILE}
    learned = LanguageModel.load(out / "weights")
    assert learned is not None
    assert learned.weight == 0.2


def test_what_mends_nothing_is_not_left(begun, monkeypatch):
    """It would cost time for nothing."""
    arguments, out = begun
    read_wrong(monkeypatch, {None: 0.1, 0.1: 0.1, 0.2: 0.2})

    with pytest.raises(SystemExit):
        language_training.main(arguments)

    assert not (out / "weights" / LANGUAGE_WEIGHTS_FILE).exists()


def test_strips_are_read_with_and_without_it(monkeypatch):
    """By the recogniser that serves."""
    monkeypatch.setattr(language_training, "WEIGHED", (0.1,))

    found = language_training.best_weight(LanguageNetwork(LanguageModelShape.for_letters("ab")), pretrained_layers(), {"one": strips(3)})

    assert found in (None, 0.1)

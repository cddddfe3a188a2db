"""Training the language model, at a size that a test can wait for."""

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
from docextract.predictions import CharacterAlternative, TextLine
from tests.training.stopping import StoppedError, stop_after
from tests.training.tasks.ocr.test_train import strips
from training import history, loop
from training.datasets import reads
from training.datasets.filled_templates import FilledTemplate, dump_document
from training.synth.sheet import Sheet, Text
from training.tasks.language import train as language_training
from training.tasks.language.train import LanguageSettings, LanguageTask, LanguageTexts, build_network, synthetic_lines
from training.tasks.ocr.accents import ACCENTED

CONFIG = Path(__file__).parents[4] / "training" / "configs" / "language.toml"
TINY = replace(
    LanguageSettings.read(CONFIG), steps=4, streams=6, length=20, warmup_steps=1, average=0.9, evaluate_every=2,
    embedding=8, hidden=16,
)  # fmt: skip
LETTERS = "".join(chr(code) for code in range(32, 127))
TEXTS = LanguageTexts(("transcript one", "transcript two"), ("A shop", "Its goods"), ("A form",), ("A letter",))


@pytest.fixture(autouse=True)
def _one_document_per_batch(monkeypatch):
    monkeypatch.setattr(language_training, "SHEETS_PER_BATCH", 1)


@pytest.fixture
def network() -> LanguageNetwork:
    return LanguageNetwork(LanguageModelShape.for_letters(LETTERS))


def fit(settings, out, batch=None, **hooks):
    """Train, always with the same batch if there is one."""
    network = build_network(LETTERS, settings)
    task = LanguageTask(settings, network, TEXTS)
    if batch is not None:
        task.batch = lambda step: batch
    return loop.fit(task, network, loop.adamw(network, settings), settings, out, **hooks)


def test_synthetic_lines_come_from_documents_of_several_types():
    """The same generator state gives the same lines; some documents are in capitals."""
    documents = [list(synthetic_lines(np.random.default_rng(number))) for number in range(60)]

    assert documents[3] == list(synthetic_lines(np.random.default_rng(3)))
    assert all(line == " ".join(line.split()) for lines in documents for line in lines)
    texts = ["\n".join(lines) for lines in documents]
    assert 0 < sum("<<" in text for text in texts) < sum("TOTAL" in text.upper() for text in texts) < 60
    assert any(text == text.upper() for text in texts)
    assert any(text != text.upper() for text in texts)


def test_a_batch_depends_on_its_step_alone(network):
    """It has the configured size, and each stream starts at the beginning of a line."""
    task = LanguageTask(TINY, network, TEXTS)

    assert torch.equal(task.batch(7), task.batch(7))
    assert not torch.equal(task.batch(7), task.batch(8))
    assert task.batch(7).shape == (TINY.streams, TINY.length + 1)
    assert (task.batch(7)[:, 0] == END_OF_LINE).all()


@pytest.mark.parametrize(("texts", "real"), [(TEXTS, True), (LanguageTexts(), False)])
def test_other_texts_are_trained_on_if_given(network, texts, real):
    """Without them, all streams come from synthetic documents."""
    streams = LanguageTask(replace(TINY, streams=100), network, texts).batch(1)

    for beginning in ("transcript", "A shop", "A form", "A letter"):
        expected = torch.tensor([END_OF_LINE, *network.encode(beginning)])
        assert bool((streams[:, : len(expected)] == expected).all(1).any()) == real


def filled_template(name: str, text: str) -> FilledTemplate:
    sheet = Sheet(210, 297, (Text(text, 20, 20, 60, 4, None, "sans"),))
    return FilledTemplate(name, 0, "invoice", "en", "GB", "GBP", None, (sheet,))


def test_templates_that_are_held_out_are_not_used(tmp_path):
    """As in the training of the layout network, so that both are measured on the same layouts."""
    documents = [filled_template(name, f"Text of {name}") for name in map(str, range(12))]
    file = tmp_path / "templates.jsonl"
    file.write_text("".join(dump_document(one) + "\n" for one in documents), encoding="utf-8")

    texts = LanguageTexts.load(None, None, templates=[file])

    assert texts.filled == tuple(f"Text of {one.template}" for one in documents if not one.is_held_out)
    assert 0 < len(texts.filled) < len(documents)


def test_only_lines_that_were_read_with_certainty_are_used(tmp_path):
    """A language model that learned misread words would prefer them."""
    box = np.zeros((4, 2), np.float32)
    doubt = (CharacterAlternative(2, "l", 0.4),)
    lines = (TextLine("Total", box, 0.99), TextLine("Tctal", box, 0.9), TextLine("Toial", box, 0.99, None, doubt))
    cache = tmp_path / "reads.jsonl"
    cache.write_text(reads.dump(reads.OcrResult("page", lines, 100, 100)) + "\n", encoding="utf-8")

    assert LanguageTexts.load(None, None, caches=[cache]).pages == ("Total",)


def test_streams_have_as_many_lines_with_accents_as_configured():
    network = LanguageNetwork(LanguageModelShape.for_letters(LETTERS + ACCENTED))
    accented = torch.tensor(network.encode(ACCENTED))

    def count(share):
        settings = replace(TINY, streams=30, transcripts=0.0, words=0.0, filled=0.0, pages=0.0, accented=share)
        return int(torch.isin(LanguageTask(settings, network, LanguageTexts()).batch(1), accented).sum())

    assert count(1.0) > 30 > 2 * count(0.0)


def test_a_line_can_be_memorised(network, tmp_path):
    """A network that cannot learn one line by heart is wired wrongly."""
    settings = replace(TINY, steps=150, peak_lr=2e-2, evaluate_every=1)
    streams = torch.tensor([[END_OF_LINE, *network.encode("GRAND TOTAL PAYABLE"), END_OF_LINE]] * 4)

    fit(settings, tmp_path, batch=streams)

    losses = [row["loss"]["characters"] for row in history.read(tmp_path)]
    assert losses[-1] < 0.4 < 3 < losses[0]


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    """A run that is killed after two steps and resumed has the same weights, to the bit."""
    unbroken = fit(TINY, tmp_path / "unbroken")
    often = replace(TINY, checkpoint_s=0)
    with pytest.raises(StoppedError):
        fit(often, tmp_path / "resumed", on_step=stop_after(2))
    resumed = fit(often, tmp_path / "resumed")

    assert all(torch.equal(one, other) for one, other in zip(unbroken.parameters(), resumed.parameters(), strict=True))
    assert [row["step"] for row in history.read(tmp_path / "resumed")] == [2, 4]


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """Command line of a run of a few steps, and the folder that it writes to."""
    monkeypatch.setattr(
        language_training.ocr_training, "validation_strips", lambda collector, root, surfaces: {"strips": strips(3)}
    )
    extraction = tmp_path / "extraction"
    extraction.mkdir()
    (extraction / "model.safetensors").write_bytes(b"weights")
    pretrained_layers().save(extraction)
    config = tmp_path / "language.toml"
    config.write_text("\n".join(f"{name} = {value}" for name, value in vars(TINY).items()))
    return [str(config), "--out", str(tmp_path / "run"), "--extraction", str(extraction)], tmp_path / "run"


def set_error_shares(monkeypatch, shares):
    """Shares of wrong lines by the weight of the language model; None: without it."""
    monkeypatch.setattr(language_training, "WEIGHTS_TO_TRY", tuple(weight for weight in shares if weight is not None))
    monkeypatch.setattr(language_training, "Recogniser", lambda engine, layers, model: model and model.weight)
    monkeypatch.setattr(language_training, "_error_share", lambda weight, strips: shares[weight])


def test_training_writes_what_serving_loads(arguments, monkeypatch):
    """The language model is stored next to the given weights, with the weight that has the fewest wrong lines."""
    command, out = arguments
    set_error_shares(monkeypatch, {None: 0.3, 0.1: 0.2, 0.2: 0.1, 0.3: 0.2})

    language_training.main(command)

    files = {"model.safetensors", recogniser_graph.RECOGNISER_WEIGHTS_FILE, LANGUAGE_WEIGHTS_FILE}
    assert {file.name for file in (out / "weights").iterdir()} == files
    model = LanguageModel.load(out / "weights")
    assert model is not None
    assert model.weight == 0.2


def test_a_model_without_a_gain_is_not_exported(arguments, monkeypatch, capsys):
    """It would cost time on every page, for nothing."""
    command, out = arguments
    set_error_shares(monkeypatch, {None: 0.1, 0.1: 0.1, 0.2: 0.2})

    with pytest.raises(SystemExit):
        language_training.main(command)

    assert "corrects no recognition errors" in capsys.readouterr().err
    assert not (out / "weights" / LANGUAGE_WEIGHTS_FILE).exists()


def test_weights_are_compared_by_the_served_recogniser(monkeypatch):
    """With the language model and without it."""
    monkeypatch.setattr(language_training, "WEIGHTS_TO_TRY", (0.1,))

    network = LanguageNetwork(LanguageModelShape.for_letters("ab"))
    weight = language_training.best_weight(network, pretrained_layers(), {"one": strips(3)})

    assert weight in (None, 0.1)

"""The reader's last layers, learned: they begin as PP-OCR's own, and end knowing what they were shown."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.extraction.last_layers import BLANK, LastLayers
from training import history, reader
from training.reader import CHECKPOINT, Alphabet, Layers, Run, Settings, accuracy, of, train
from training.strips import Strips

CONFIG = Path(__file__).parents[2] / "training" / "configs" / "reader.toml"
CLASSES = (BLANK, "A", "B", "a", "b", ",", " ")
DEPTH = 12
SETTINGS = replace(
    Settings.read(CONFIG),
    steps=60,
    columns=200,
    peak_lr=1e-2,
    warmup_steps=5,
    average=0.9,
    evaluate_every=30,
    width=8,
    noise=0.05,
    dropout=0.0,
)


@pytest.fixture
def own() -> LastLayers:
    """Letters have a direction each, but that a comma is taken for a space."""
    weight = np.eye(DEPTH, len(CLASSES), dtype=np.float32) * 6
    weight[5, 5], weight[5, 6] = 0, 6
    return LastLayers(CLASSES, weight, np.zeros(len(CLASSES), np.float32))


def strips(count: int, cased: bool = True) -> Strips:
    """Words, with a blank between letters; a comma also shows in a direction that the layers do not look at."""
    rng = np.random.default_rng(3)
    seen, texts = [], []
    for _ in range(count):
        text = "".join(rng.choice([*"ABab"], 3)) + "," + "".join(rng.choice([*"ABab"], 2))
        columns = np.zeros((2 * len(text) + 3, DEPTH), np.float16)
        columns[:, 0] = 1
        for at, char in enumerate(text):
            columns[1 + 2 * at, 0], columns[1 + 2 * at, CLASSES.index(char)] = 0, 1
            columns[1 + 2 * at, DEPTH - 1] = char == ","
        seen.append(columns + rng.normal(0, 0.05, columns.shape).astype(np.float16))
        texts.append(text if cased else text.upper())
    return Strips(tuple(seen), tuple(texts), np.full(count, cased))


def test_before_it_learns_it_reads_as_pp_ocr_does(own):
    """The convolutions add nothing yet."""
    network, seen = Layers(own, SETTINGS), torch.randn(2, 7, DEPTH)

    wanted = seen.numpy() @ own.weight + own.bias
    assert np.abs(network(seen).detach().numpy() - wanted).max() < 1e-5


def test_it_learns_what_it_is_shown(own, tmp_path):
    """Commas, here; and it says so on strips that it was not shown."""
    known, alphabet = strips(60), Alphabet(CLASSES)
    run = Run.begin(own, SETTINGS)

    train(run, SETTINGS, tmp_path, of(known, range(40)), {"others": of(known, range(40, 60))}, alphabet)

    looks = [row["others"]["lines"] for row in history.read(tmp_path)]
    assert looks[0] == 0
    assert looks[-1] == 1
    served = run.average.as_served(CLASSES)
    assert served.weight.shape == (DEPTH, len(CLASSES))
    assert [one.inner[0].shape for one in served.blocks] == [(8, DEPTH, SETTINGS.kernel)] * SETTINGS.blocks


def test_part_of_what_was_learned_can_be_served(own):
    """None of it reads as PP-OCR does, all of it as learned, half of it lies between."""
    torch.manual_seed(0)
    begun, learned, seen = Layers(own, SETTINGS), Layers(own, SETTINGS), torch.randn(2, 7, DEPTH)
    with torch.no_grad():
        for tensor in learned.parameters():
            tensor.add_(0.1 * torch.randn_like(tensor))
    none, half, whole = (learned.brought_back(begun, share)(seen) for share in (0.0, 0.5, 1.0))

    assert torch.allclose(none, begun(seen), atol=1e-5)
    assert torch.allclose(whole, learned(seen), atol=1e-5)
    assert (half - none).norm() < (whole - none).norm()
    assert (half - whole).norm() < (none - whole).norm()


def test_transcripts_in_capitals_say_nothing_of_the_case(own):
    """A small letter that was read as one is right, and stays one."""
    known, alphabet = strips(20, cased=False), Alphabet(CLASSES)
    small = replace(own, weight=own.weight.copy())
    small.weight[5] = 0
    small.weight[5, 5] = 6
    network = Layers(small, SETTINGS)
    seen, lengths = reader.padded(known)

    lost = reader.loss(network(seen), lengths, known, alphabet)
    as_cased = reader.loss(network(seen), lengths, replace(known, cased=np.full(20, True)), alphabet)

    assert accuracy(network, alphabet, known)["lines"] == 1
    assert lost < 0.1 < as_cased
    assert any(char.islower() for char in reader.read(network, alphabet, known.seen[0]))


def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(own, tmp_path):
    """The same weights, to the last bit."""
    known, alphabet, settings = strips(30), Alphabet(CLASSES), replace(SETTINGS, steps=12)
    unbroken, begun, resumed = (Run.begin(own, settings) for _ in range(3))

    other = tmp_path / "other"
    other.mkdir()
    train(unbroken, settings, other, known, {}, alphabet)
    lessons = reader.Lessons(known, settings)
    for _ in range(5):
        begun.learn(settings, lessons(begun.step), alphabet)
    begun.save(tmp_path / CHECKPOINT)
    resumed.resume(tmp_path / CHECKPOINT)
    train(resumed, settings, tmp_path, known, {}, alphabet)

    for one, other in zip(unbroken.average.parameters(), resumed.average.parameters(), strict=True):
        assert torch.equal(one, other)


def test_letters_that_cannot_be_read_are_not_asked_for(own, tmp_path):
    """A strip with 家 on it teaches nothing, and stops nothing."""
    known, alphabet, settings = strips(10), Alphabet(CLASSES), replace(SETTINGS, steps=2)
    odd = replace(known, texts=("家", *known.texts[1:]))

    train(Run.begin(own, settings), settings, tmp_path, odd, {}, alphabet)

    assert not alphabet.knows("家")
    assert alphabet.knows("Ab, a")

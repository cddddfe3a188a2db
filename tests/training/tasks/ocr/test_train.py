"""The recogniser, learned: it begins as PP-OCR reads, and ends knowing what it was shown."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from docextract.extraction.ocr import ppocr
from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, pretrained_layers
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from tests.extraction.ocr.test_ppocr import F32
from training import history
from training.tasks.ocr import train as ocr_training
from training.tasks.ocr.strips import MARGIN_PX, Strips
from training.tasks.ocr.train import CHECKPOINT, Alphabet, Recogniser, Run, Settings, accuracy, train

CONFIG = Path(__file__).parents[4] / "training" / "configs" / "ocr.toml"
SETTINGS = replace(
    Settings.read(CONFIG),
    steps=30,
    pixels=1600,
    peak_lr=1e-2,
    early_lr=0.01,
    warmup_steps=5,
    average=0.8,
    evaluate_every=15,
    width=8,
)


@pytest.fixture(scope="module")
def own() -> RecogniserLayers:
    return pretrained_layers()


@pytest.fixture(scope="module")
def alphabet(own) -> Alphabet:
    return Alphabet(own.classes)


def strips(count: int, cased: bool = True, seed: int = 3) -> Strips:
    """Digits in an outline font, the margin around them as the paper is."""
    rng = np.random.default_rng(seed)
    packed, texts, widths = [], [], []
    for _ in range(count):
        text = "".join(rng.choice([*"2345689"], 3)) + "aB"
        page = np.full((TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX, 150 + 2 * MARGIN_PX, 3), 240, np.uint8)
        cv2.putText(page, text, (MARGIN_PX + 4, MARGIN_PX + 38), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (30, 30, 30), 3)
        packed.append(cv2.imencode(".jpg", page)[1].tobytes())
        texts.append(text)
        widths.append(150)
    return Strips(
        tuple(packed), tuple(texts), np.full(count, cased), np.array(widths), np.ones(count, np.float32)
    )  # fmt: skip


def served_says(known: Strips, layers: RecogniserLayers | None = None) -> list[str]:
    lines = [known.line(at) for at in range(len(known))]
    return [one.text for one in ppocr.Recogniser(F32, layers).read(lines)]


def test_before_it_learns_it_reads_as_pp_ocr_does(own, alphabet):
    """The same words from the same strips, on the library that serves them and on the one that learns."""
    known = strips(6)

    assert ocr_training.read(Recogniser(own, SETTINGS), alphabet, known) == served_says(known)


def test_it_learns_what_it_is_shown(own, alphabet, tmp_path):
    """That a B is to be a D, here; it says so on strips that it was not shown, and so does what is served of it."""
    shown, others = (
        replace(some, texts=tuple(text.replace("B", "D") for text in some.texts))
        for some in (strips(40), strips(10, seed=4))
    )
    run = Run.begin(own, SETTINGS)

    train(run, SETTINGS, tmp_path, shown, {"others": others}, alphabet)

    looks = [row["others"]["lines"] for row in history.read(tmp_path)]
    assert looks[0] < 0.2
    assert looks[-1] > 0.8
    served = run.average.as_served(own.classes)
    assert served_says(others, served) == ocr_training.read(run.average, alphabet, others)


def test_what_was_learned_is_where_the_next_run_begins(own, alphabet):
    """Convolutions, last layer and those before it."""
    torch.manual_seed(0)
    learned = Recogniser(own, SETTINGS)
    with torch.no_grad():
        for tensor in learned.parameters():
            tensor.add_(0.01 * torch.randn_like(tensor))
    again = Recogniser(learned.as_served(own.classes), SETTINGS)

    for one, other in zip(learned.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_part_of_what_was_learned_can_be_served(own):
    """None of it reads as before, all of it as learned, half of it lies between."""
    torch.manual_seed(0)
    begun, learned = Recogniser(own, SETTINGS), Recogniser(own, SETTINGS)
    seen = ocr_training.plain(strips(2))
    with torch.no_grad():
        for tensor in learned.parameters():
            tensor.add_(0.01 * torch.randn_like(tensor))
    none, half, whole = (learned.brought_back(begun, share)(seen) for share in (0.0, 0.5, 1.0))

    assert torch.allclose(none, begun(seen), atol=1e-4)
    assert torch.allclose(whole, learned(seen), atol=1e-4)
    assert (half - none).norm() < (whole - none).norm()
    assert (half - whole).norm() < (none - whole).norm()


def test_a_run_begins_as_any_other_of_its_seed(own):
    """What is served lies between what was learned and this beginning, convolutions that began at random among it."""
    run, again = Run.begin(own, SETTINGS), Run.begin(own, SETTINGS)

    for one, other in zip(run.network.parameters(), again.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_start_of_another_shape_is_refused(own):
    """Rather than that a part of it is left out."""
    two = Recogniser(own, replace(SETTINGS, blocks=2)).as_served(own.classes)

    with pytest.raises(ValueError, match="2 blocks"):
        Recogniser(two, SETTINGS)
    with pytest.raises(ValueError, match="fixed now"):
        Recogniser(two, replace(SETTINGS, blocks=2, fixed=60))


def test_transcripts_in_capitals_say_nothing_of_the_case(own, alphabet):
    """A small letter that was read as one is right, and stays one."""
    known = strips(4, cased=False)
    known = replace(known, texts=tuple(map(str.upper, known.texts)))
    network = Recogniser(own, SETTINGS)
    logits = network(ocr_training.plain(known))

    lost = ocr_training.loss(logits, known, alphabet)
    as_cased = ocr_training.loss(logits, replace(known, cased=np.full(4, True)), alphabet)

    assert accuracy(network, alphabet, known)["lines"] == 1
    assert lost < 0.1 < as_cased
    assert all("a" in text for text in ocr_training.read(network, alphabet, known))


def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(own, alphabet, tmp_path):
    """The same weights, to the last bit."""
    known, settings = strips(12), replace(SETTINGS, steps=4, pixels=600)
    unbroken, begun, resumed = (Run.begin(own, settings) for _ in range(3))

    other = tmp_path / "other"
    other.mkdir()
    train(unbroken, settings, other, known, {}, alphabet)
    lessons = ocr_training.Lessons(known, settings)
    for _ in range(2):
        begun.learn(settings, lessons(begun.step), alphabet)
    begun.save(tmp_path / CHECKPOINT)
    resumed.resume(tmp_path / CHECKPOINT)
    train(resumed, settings, tmp_path, known, {}, alphabet)

    for one, other in zip(unbroken.average.parameters(), resumed.average.parameters(), strict=True):
        assert torch.equal(one, other)


def test_letters_that_cannot_be_read_are_not_asked_for(own, alphabet, tmp_path):
    """A strip with 家 on it teaches nothing, and stops nothing."""
    settings = replace(SETTINGS, steps=2, pixels=600)
    odd = replace(strips(4), texts=("家", *strips(4).texts[1:]))

    train(Run.begin(own, settings), settings, tmp_path, odd, {}, alphabet)

    assert not alphabet.knows("家")
    assert alphabet.knows("Ab, a")

"""Training the reader of machine-readable zones, on a scale that a test can wait for."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from docextract.documents.mrz.layout import ALPHABET, FILLER
from docextract.extraction.zones import network
from docextract.extraction.zones.network import STRIP_HEIGHT_PX, STRIP_WIDTH_PX, ZoneNetworkShape, ZoneReader
from training import history
from training.synth import fonts
from training.tasks.zones import strips as zone_strips
from training.tasks.zones import train as zone_training
from training.tasks.zones.train import NO_CHARACTER, Run, Settings, batch_of

TINY = Settings(
    seed=2, steps=4, batch=2, peak_lr=3e-3, warmup_steps=2, weight_decay=0.01, average=0.9, photographs=0,
    photographed_share=0.25, evaluate_every=2, checkpoint_s=1e6, shape=ZoneNetworkShape(widths=(4, 8, 8, 16), depth=1),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(zone_training, "HELD_BACK", 4)


def test_the_same_number_is_the_same_strip():
    """Whatever was drawn before."""
    one, other = (zone_strips.draw(np.random.default_rng((3, 5))) for _ in range(2))

    assert one.text == other.text
    assert (one.pixels == other.pixels).all()


def test_a_strip_knows_where_its_characters_lie():
    """As many places as characters, rising, at nearly one pitch."""
    for number in range(20):
        strip = zone_strips.draw(np.random.default_rng((4, number)))
        steps = np.diff(strip.middles)

        assert strip.pixels.shape == (STRIP_HEIGHT_PX, STRIP_WIDTH_PX)
        assert len(strip.text) == len(strip.middles)
        assert set(strip.text) <= set(ALPHABET + FILLER)
        assert steps.min() > 0
        assert steps.max() < 1.4 * steps.min()


def test_ink_lies_at_the_middles():
    """Between two letters there is less of it than in their middle columns; seen over many clear strips."""
    on, between = [], []
    for number in range(60):
        strip = zone_strips.draw(np.random.default_rng((6, number)))
        dark = 255.0 - strip.pixels[6:-6].mean(axis=0)
        inside = [x for x in strip.middles if 20 < x < STRIP_WIDTH_PX - 20]
        pitch = float(np.diff(strip.middles).mean())
        on.append(np.mean([dark[round(x)] for x in inside]))
        between.append(np.mean([dark[min(round(x + pitch / 2), STRIP_WIDTH_PX - 1)] for x in inside]))

    assert np.mean(np.array(on) > np.array(between)) > 0.8


def test_some_typefaces_are_never_learned():
    """They tell how it reads what it has not seen."""
    learned, held_out = zone_strips.faces(), zone_strips.faces(held_out=True)

    assert learned[1]
    assert held_out[1]
    assert not {*learned[0], *learned[1]} & {*held_out[0], *held_out[1]}


def test_every_typeface_that_is_held_out_is_listed():
    """A misspelt name would be learned from without a word."""
    assert set(zone_strips.HELD_OUT) <= {typeface.name for typeface in fonts.listed() if typeface.role == "mono"}


@pytest.mark.parametrize(("held_out", "lacking"), [(True, "one of DejaVu Sans Mono"), (False, "one that is not held")])
def test_too_few_typefaces_are_named(held_out, lacking):
    """With a single monospaced typeface there is nothing to learn from, or nothing to measure on."""
    only = [one for one in fonts.available() if one.role == "mono" and (one.name in zone_strips.HELD_OUT) != held_out]

    with pytest.raises(fonts.TypefaceError, match=f"found {only[0].name}; expected {lacking}.*make fonts"):
        zone_strips.faces_of(only, held_out)


def test_a_target_is_its_nearest_character():
    """Frames between two characters teach where middles are, and no character."""
    strip = replace(zone_strips.draw(np.random.default_rng(1)), text="A<" * 15,
                    middles=np.linspace(20, 680, 30, dtype=np.float32))  # fmt: skip

    batch = batch_of([strip])

    told = batch.characters[0][batch.characters[0] != NO_CHARACTER]
    assert batch.middles[0].max() > 0.8
    assert NO_CHARACTER in batch.characters[0]
    assert [(ALPHABET + FILLER)[at] for at in torch.unique_consecutive(told).tolist()] == list("A<" * 15)


def test_strips_of_photographs_are_cut_where_their_lines_are():
    """Two or three lines of a synthetic document, as its zone has them."""
    order = next(zone_strips.orders_with_zone(5, ("good",)))

    strips = list(zone_strips.photographed(order, np.random.default_rng(0)))

    assert {len(strip.text) for strip in strips} <= {30, 36, 44}
    assert 2 <= len(strips) <= 3


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    """Stopped half-way and begun again, to the bit."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for out, stops in ((whole, [4]), (parts, [2, 4])):
        out.mkdir()
        for stop in stops:
            run = Run.begin(TINY)
            if (out / zone_training.CHECKPOINT).exists():
                run.resume(out / zone_training.CHECKPOINT)
            settings = replace(TINY, steps=4)
            if stop < 4:
                strips = zone_training.Strips(settings, [])
                while run.step < stop:
                    run.learn(settings, strips(run.step))
                run.save(out / zone_training.CHECKPOINT)
            else:
                zone_training.train(run, settings, out, [])

    one, other = (torch.load(out / zone_training.CHECKPOINT, weights_only=True) for out in (whole, parts))
    assert all(torch.equal(one["average"][name], other["average"][name]) for name in one["average"])
    assert history.read(whole)[-1]["step"] == 4


def test_two_strips_can_be_memorised():
    """If not, a wire is loose."""
    settings = replace(TINY, steps=150, peak_lr=1e-2, shape=ZoneNetworkShape(widths=(8, 16, 16, 32), depth=2))
    clear = [zone_strips.draw(np.random.default_rng((8, number))) for number in (1, 4)]
    run, batch = Run.begin(settings), batch_of(clear)

    parts = [run.learn(settings, batch) for _ in range(settings.steps)]

    assert parts[-1]["characters"] < 0.3 < 2 < parts[0]["characters"]


def test_training_leaves_what_serving_loads(tmp_path):
    """The given weights, with the reader beside them."""
    beside = tmp_path / "extraction"
    beside.mkdir()
    (beside / "model.safetensors").write_bytes(b"weights")
    config = tmp_path / "zones.toml"
    config.write_text(
        "seed = 1\nsteps = 2\nbatch = 2\npeak_lr = 1e-3\nwarmup_steps = 1\nweight_decay = 0.0\naverage = 0.9\n"
        "photographs = 1\nphotographed_share = 0.5\nevaluate_every = 2\ncheckpoint_s = 60\n"
        "[shape]\nwidths = [4, 4, 8, 8]\ndepth = 1\n"
    )

    zone_training.main([str(config), "--out", str(tmp_path / "run"), "--extraction", str(beside)])

    weights = tmp_path / "run" / "weights"
    assert {file.name for file in weights.iterdir()} == {"model.safetensors", network.ZONE_WEIGHTS_FILE}
    assert ZoneReader.load(weights) is not None

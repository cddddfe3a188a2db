"""Training the zone network, at a size that a test can wait for."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.documents.mrz.layout import ALPHABET, FILLER
from docextract.extraction.zones import network
from docextract.extraction.zones.network import STRIP_HEIGHT_PX, STRIP_WIDTH_PX, ZoneNetworkShape, ZoneReader
from tests.training.stopping import StoppedError, stop_after
from training import history, loop
from training.synth import fonts
from training.tasks.zones import strips as zone_strips
from training.tasks.zones import train as zone_training
from training.tasks.zones.train import NO_CHARACTER, ZoneSettings, ZoneTask, build_network, zone_batch

TINY = ZoneSettings(
    seed=2, steps=4, batch=2, peak_lr=3e-3, warmup_steps=2, weight_decay=0.01, average=0.9, photographs=0,
    photographed_share=0.25, evaluate_every=2, checkpoint_s=1e6, shape=ZoneNetworkShape(widths=(4, 8, 8, 16), depth=1),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _few_validation_strips(monkeypatch):
    monkeypatch.setattr(zone_training, "VALIDATION_STRIPS", 4)


def fit(task, settings, out, **hooks):
    built = build_network(settings)
    return loop.fit(task, built, loop.adamw(built, settings), settings, out, **hooks)


def test_the_same_seed_draws_the_same_strip():
    """A strip depends on its own seed alone, not on what was drawn before it."""
    one, other = (zone_strips.draw(np.random.default_rng((3, 5))) for _ in range(2))

    assert one.text == other.text
    assert (one.pixels == other.pixels).all()


def test_a_strip_has_a_center_for_each_character():
    """The centers rise, at nearly one pitch."""
    for number in range(20):
        strip = zone_strips.draw(np.random.default_rng((4, number)))
        steps = np.diff(strip.centers)

        assert strip.pixels.shape == (STRIP_HEIGHT_PX, STRIP_WIDTH_PX)
        assert len(strip.text) == len(strip.centers)
        assert set(strip.text) <= set(ALPHABET + FILLER)
        assert steps.min() > 0
        assert steps.max() < 1.4 * steps.min()


def test_ink_is_at_the_centers():
    """There is more ink in the columns of the centers than halfway between them; checked on many strips."""
    on, between = [], []
    for number in range(60):
        strip = zone_strips.draw(np.random.default_rng((6, number)))
        dark = 255.0 - strip.pixels[6:-6].mean(axis=0)
        inside = [x for x in strip.centers if 20 < x < STRIP_WIDTH_PX - 20]
        pitch = float(np.diff(strip.centers).mean())
        on.append(np.mean([dark[round(x)] for x in inside]))
        between.append(np.mean([dark[min(round(x + pitch / 2), STRIP_WIDTH_PX - 1)] for x in inside]))

    assert np.mean(np.array(on) > np.array(between)) > 0.8


def test_held_out_typefaces_are_not_trained_with():
    """They measure how the network reads typefaces that it does not know."""
    learned, held_out = zone_strips.faces(), zone_strips.faces(held_out=True)

    assert learned[1]
    assert held_out[1]
    assert not {*learned[0], *learned[1]} & {*held_out[0], *held_out[1]}


def test_every_typeface_that_is_held_out_is_listed():
    """A misspelt name would be learned from without a word."""
    assert set(zone_strips.HELD_OUT_TYPEFACES) <= {
        typeface.name for typeface in fonts.listed() if typeface.role == "mono"
    }


@pytest.mark.parametrize(("held_out", "lacking"), [(True, "one of DejaVu Sans Mono"), (False, "one that is not held")])
def test_too_few_typefaces_are_named(held_out, lacking):
    """With a single monospaced typeface there is nothing to learn from, or nothing to measure on."""
    only = [
        one
        for one in fonts.available()
        if one.role == "mono" and (one.name in zone_strips.HELD_OUT_TYPEFACES) != held_out
    ]

    with pytest.raises(fonts.TypefaceError, match=f"found {only[0].name}; expected {lacking}.*make fonts"):
        zone_strips.faces_of(only, held_out)


def test_the_target_of_a_frame_is_its_nearest_character():
    """Frames between two characters have a target for the center, and none for the character."""
    strip = replace(zone_strips.draw(np.random.default_rng(1)), text="A<" * 15,
                    centers=np.linspace(20, 680, 30, dtype=np.float32))  # fmt: skip

    batch = zone_batch([strip])

    labelled = batch.characters[0][batch.characters[0] != NO_CHARACTER]
    assert batch.centers[0].max() > 0.8
    assert NO_CHARACTER in batch.characters[0]
    assert [(ALPHABET + FILLER)[at] for at in torch.unique_consecutive(labelled).tolist()] == list("A<" * 15)


def test_half_written_strips_are_made_again(tmp_path, monkeypatch):
    """A run that is stopped while it writes leaves no file that is taken as whole."""
    made = [zone_strips.draw(np.random.default_rng(1))]
    monkeypatch.setattr(zone_training, "_photo_strips", lambda photos: iter(made))
    written = np.savez_compressed

    def stopped(file, **arrays):
        Path(file).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", stopped)
    with pytest.raises(KeyboardInterrupt):
        zone_training.load_photo_strips(tmp_path, 1)
    monkeypatch.setattr(np, "savez_compressed", written)

    assert [one.text for one in zone_training.load_photo_strips(tmp_path, 1)] == [made[0].text]


def test_strips_of_simulated_photos_are_the_lines_of_the_zone():
    """A document's zone has two or three lines of 30, 36 or 44 characters; those at the edge are left out."""
    photos = itertools.islice(zone_strips.photos_with_zone(5, ("good",)), 4)

    found = [list(zone_strips.strips_of_photo(spec, np.random.default_rng(0))) for spec in photos]

    assert {len(strip.text) for strips in found for strip in strips} <= {30, 36, 44}
    assert 2 <= max(map(len, found)) <= 3


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    """A run that is killed after two steps and resumed has the same weights, to the bit."""
    often = replace(TINY, checkpoint_s=0)
    fit(ZoneTask(TINY, []), TINY, tmp_path / "unbroken")
    with pytest.raises(StoppedError):
        fit(ZoneTask(often, []), often, tmp_path / "resumed", on_step=stop_after(2))
    fit(ZoneTask(often, []), often, tmp_path / "resumed")

    one, other = (torch.load(tmp_path / name / loop.CHECKPOINT, weights_only=True) for name in ("unbroken", "resumed"))
    assert all(torch.equal(one["average"][name], other["average"][name]) for name in one["average"])
    assert history.read(tmp_path / "resumed")[-1]["step"] == 4


def test_two_strips_can_be_memorised(tmp_path, monkeypatch):
    """A network that cannot learn two strips by heart is wired wrongly."""
    settings = replace(
        TINY, steps=150, peak_lr=1e-2, evaluate_every=1, shape=ZoneNetworkShape(widths=(8, 16, 16, 32), depth=2)
    )
    task, batch = (
        ZoneTask(TINY, []),
        zone_batch([zone_strips.draw(np.random.default_rng((8, seed))) for seed in (1, 4)]),
    )
    monkeypatch.setattr(task, "batch", lambda step: batch)
    monkeypatch.setattr(task, "evaluate", lambda network: {})

    fit(task, settings, tmp_path)

    losses = [row["loss"]["characters"] for row in history.read(tmp_path)]
    assert losses[-1] < 0.3 < 2 < losses[0]


def test_training_writes_what_serving_loads(tmp_path):
    """OUT/weights has the given weights, and the zone network next to them."""
    extraction = tmp_path / "extraction"
    extraction.mkdir()
    (extraction / "model.safetensors").write_bytes(b"weights")
    config = tmp_path / "zones.toml"
    config.write_text(
        "seed = 1\nsteps = 2\nbatch = 2\npeak_lr = 1e-3\nwarmup_steps = 1\nweight_decay = 0.0\naverage = 0.9\n"
        "photographs = 1\nphotographed_share = 0.5\nevaluate_every = 2\ncheckpoint_s = 60\n"
        "[shape]\nwidths = [4, 4, 8, 8]\ndepth = 1\n"
    )

    zone_training.main([str(config), "--out", str(tmp_path / "run"), "--extraction", str(extraction)])

    weights = tmp_path / "run" / "weights"
    assert {file.name for file in weights.iterdir()} == {"model.safetensors", network.ZONE_WEIGHTS_FILE}
    assert ZoneReader.load(weights) is not None

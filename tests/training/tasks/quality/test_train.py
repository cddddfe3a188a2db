"""Training the quality network: what it is told is true, and a run can be stopped and gone on with."""

import dataclasses
import math
import multiprocessing
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from docextract.images.geometry import FRAME_PX
from docextract.quality.assessor import Assessor
from docextract.quality.criteria import CRITERIA
from docextract.quality.network import CELL_PX, FRAME_MARGIN_PX, locate_corners
from training import history
from training.datasets import pictures
from training.evaluation import metrics
from training.evaluation import quality as evaluate_quality
from training.synth.camera.simulation import Conditions
from training.tasks.quality import batches
from training.tasks.quality import photos as quality_photos
from training.tasks.quality import train as quality_training
from training.tasks.quality.labels import truths
from training.tasks.quality.photos import SHARD, Sample, Shards

CONFIGS = Path(__file__).parents[4] / "training" / "configs"
FINE = Conditions(
    document_present=True, documents=1, visible_fraction=1.0, occluded_fraction=0.0, background_contrast=50.0,
    blur_sigma_px=0.8, motion_px=0.0, exposure=92.0, clipped_fraction=0.0, glare_fraction=0.0, shadow_depth=0.1,
    ink_contrast=75.0, noise_sigma=2.0, text_height_px=24.0, screen=False, jpeg_quality=90, area_ratio=0.5,
    center_offset_x=0.0, center_offset_y=0.0, tilt_deg=5.0, rotation_deg=0.0, lines_cut=0.0, lines_covered=0.0,
)  # fmt: skip
SETTINGS = quality_training.Settings(
    steps=4, batch=4, warmup_steps=1, widths=(4, 4, 8, 8), crop_widths=(4, 4, 8), hidden=16
)


def sample(rng: np.random.Generator) -> Sample:
    """A pale sheet on a dark table, with a dark bar near its own top."""
    photo = np.full((400, 300, 3), 60, np.uint8)
    left, top = rng.integers(20, 80, 2)
    right, bottom = left + rng.integers(100, 180), top + rng.integers(150, 260)
    photo[top:bottom, left:right] = 230
    photo[top + 10 : top + 30, left + 10 : right - 10] = 30
    polygon = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return Sample(photo, FINE, polygon, "receipt")


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    """One shard of photos, in the folder where training looks for them."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "photos"
    folder.mkdir()
    quality_photos._write(folder, "train", 0, [sample(rng) for _ in range(SHARD)])
    return Shards(folder, "train")


def defects(conditions: Conditions) -> set[str]:
    return {name for name, defect in truths(conditions).items() if defect}


def test_fine_photo_has_no_defect():
    """An ordinary good photo is not blamed for anything, and nothing about it is in doubt."""
    assert set(truths(FINE).values()) == {False}


def test_every_criterion_has_a_truth():
    """No criterion is answered without having been taught."""
    assert set(truths(FINE)) == {criterion.name for criterion in CRITERIA}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"lines_cut": 0.2}, {"document_cutoff"}),
        ({"lines_cut": 0.2, "area_ratio": 0.9}, {"document_cutoff", "too_close"}),
        ({"visible_fraction": 0.6, "area_ratio": 0.9}, set()),
        ({"occluded_fraction": 0.1, "lines_covered": 0.2}, {"occluded"}),
        ({"occluded_fraction": 0.1}, set()),  # fingers on the blank margin
        ({"blur_sigma_px": 4.0}, {"blurry"}),
        ({"motion_px": 14.0}, {"blurry"}),
        ({"text_height_px": 8.0}, {"text_too_small"}),
        ({"glare_fraction": 0.05}, {"glare"}),
        ({"rotation_deg": 345.0}, set()),
        ({"rotation_deg": 270.0}, {"rotated"}),
        ({"center_offset_y": -0.3}, {"off_center"}),
    ],
)
def test_spoilt_condition_is_a_defect(change, expected):
    """Each physical cause is called by its name, and by no other."""
    assert defects(dataclasses.replace(FINE, **change)) == expected


def test_same_blur_is_worse_on_smaller_text():
    """Blur that large print survives makes small print unreadable."""
    blurred = dataclasses.replace(FINE, blur_sigma_px=2.4)

    assert "blurry" not in defects(dataclasses.replace(blurred, text_height_px=40.0))
    assert "blurry" in defects(dataclasses.replace(blurred, text_height_px=16.0))


def test_where_print_is_not_known_a_cut_of_some_paper_says_nothing():
    """Blank paper may be all that is lost; of half a page it is not, and of nothing nothing is lost."""
    unknown = dataclasses.replace(FINE, lines_cut=math.nan)

    found = [
        truths(dataclasses.replace(unknown, visible_fraction=visible))["document_cutoff"] for visible in (1.0, 0.9, 0.5)
    ]

    assert found == [False, None, True]


def test_where_print_is_not_known_something_small_over_the_paper_says_nothing():
    """A finger may lie on blank paper; a hand over half of the page does not, and nothing hides nothing."""
    unknown = dataclasses.replace(FINE, lines_covered=math.nan)

    found = [
        truths(dataclasses.replace(unknown, occluded_fraction=covered))["occluded"] for covered in (0.0, 0.05, 0.5)
    ]

    assert found == [False, None, True]


def test_without_a_document_only_its_absence_is_known():
    """A photo of a table teaches nothing about blur of text."""
    known = truths(dataclasses.replace(FINE, document_present=False))

    assert known.pop("document_absent") is True
    assert set(known.values()) == {None}


def test_what_was_not_measured_is_not_claimed():
    """A real photo that nobody has labelled is no example of sharpness, nor of blur."""
    known = truths(quality_photos._unknown(present=True))

    assert known.pop("document_absent") is False
    assert set(known.values()) == {None}


def test_of_real_receipts_it_is_known_that_nothing_hides_their_print(tmp_path):
    """Photos without labels teach two things: there is a document, and it is not occluded."""
    pictures.save(np.full((400, 300, 3), 200, np.uint8), tmp_path / "receipt.jpg")
    nothing_else = dict.fromkeys(vars(quality_photos.Weights()), 0.0) | {"photos": 1.0}
    folders = quality_photos.Folders(photos=tmp_path)
    photographer = quality_photos.Photographer(folders, "train", 1, quality_photos.Weights(**nothing_else))

    known = truths(photographer(0).conditions)

    assert {name for name, defect in known.items() if defect is not None} == {"document_absent", "occluded"}
    assert not known["document_absent"]
    assert not known["occluded"]


def test_photos_kept_before_a_condition_was_told_are_still_read(shards, tmp_path):
    """What the camera did not tell of yet is not known of them; all else stays."""
    path = quality_photos._file(tmp_path / "photos", "train", 0, "facts")
    kept = np.load(path)
    before = [(row["conditions"][:-1], *list(row)[1:]) for row in kept]
    form = [("conditions", np.float32, len(quality_photos.CONDITIONS) - 1), *quality_photos.FACTS.descr[1:]]
    np.save(path, np.array(before, form))

    again = Shards(tmp_path / "photos", "train").facts

    assert np.isnan(again["conditions"][:, -1]).all()
    assert np.array_equal(again["conditions"][:, :-1], shards.facts["conditions"][:, :-1])
    assert np.array_equal(again["polygon"], shards.facts["polygon"])
    assert (again["type"] == "receipt").all()


def test_turning_a_photo_turns_all_that_is_known(shards):
    """Turned by a quarter, the sheet lies where its outline says; after four quarters nothing has changed."""
    view = batches.view_of(shards, 0, None, 0.0)
    fitted = shards.facts[0]["fitted"]

    turned = batches.turn(view, fitted)

    inside = np.zeros((FRAME_PX, FRAME_PX), np.uint8)
    cv2.fillConvexPoly(inside, np.round(turned.polygon).astype(np.int32), 1)
    sheet = (turned.frame[..., 0] > 200) & (turned.frame[..., 0] < 250)
    assert (sheet & (inside == 1)).sum() > 0.95 * sheet.sum()
    assert batches.in_photo_order(turned.polygon)[1] == 1
    for _ in range(3):
        fitted = fitted[::-1]
        turned = batches.turn(turned, fitted)
    assert np.array_equal(turned.frame, view.frame)
    assert np.array_equal(turned.crops, view.crops)
    assert turned.polygon == pytest.approx(view.polygon, abs=1e-3)


def test_some_photos_are_seen_as_frames_of_a_preview(shards, monkeypatch):
    """The picture is as small as the frame, the document where it was, and nothing is said of what only pixels show."""
    monkeypatch.setattr(batches, "PREVIEWED", 1.0)
    monkeypatch.setattr(batches, "ADDED", dict.fromkeys(batches.LOCAL, 0.0))

    plain = batches.view_of(shards, 0, None, 0.0)
    seen = batches.view_of(shards, 0, np.random.default_rng(1), 0.0)
    known = truths(quality_photos.conditions_of(seen.conditions))

    assert max(seen.size) == FRAME_PX
    assert seen.crops.shape == plain.crops.shape
    assert np.array_equal(seen.polygon, plain.polygon)
    fine = {criterion.name for criterion in CRITERIA if criterion.full_resolution}
    assert {name for name, defect in known.items() if defect is None} == fine - {"text_too_small"}


def test_where_something_was_laid_over_a_document_is_known(shards, monkeypatch):
    """A reflection or a finger that was added covers the cells that are said, and as much as is said of the whole."""
    monkeypatch.setattr(batches, "ADDED", dict.fromkeys(batches.LOCAL, 1.0))

    plain = batches.view_of(shards, 0, None, 0.0)
    view = batches.view_of(shards, 0, np.random.default_rng(1), 0.0)

    assert np.isnan(plain.spots).all()
    for place, condition in enumerate(batches.LOCAL.values()):
        share = view.conditions[quality_photos.CONDITIONS.index(condition)]
        assert share > 0.01
        assert np.nanmean(view.spots[place]) == pytest.approx(share, rel=0.3)
        assert np.isnan(view.spots[place][0, 0])
    covered = np.nan_to_num(view.spots).max(0) > 0.9
    changed = np.abs(view.frame.astype(int) - plain.frame).max(2) > 30
    margin, cells = FRAME_MARGIN_PX // CELL_PX, FRAME_PX // CELL_PX
    shown = changed.reshape(cells, CELL_PX, cells, CELL_PX).any((1, 3))
    assert shown[covered[margin:-margin, margin:-margin]].mean() > 0.6


def test_things_lie_about_where_no_document_is(shards, monkeypatch):
    """Fingers and pens are no sign of a document: some are laid into photos without one, whose truth stays the same."""
    monkeypatch.setattr(batches, "ADDED", dict.fromkeys(batches.LOCAL, 1.0))
    shards.facts = shards.facts.copy()
    shards.facts["conditions"][0][quality_photos.CONDITIONS.index("document_present")] = 0
    shards.facts["polygon"][0] = np.nan

    plain = batches.view_of(shards, 0, None, 0.0)
    view = batches.view_of(shards, 0, np.random.default_rng(1), 0.0)

    assert (np.abs(view.frame.astype(int) - plain.frame).max(2) > 30).any()
    assert np.array_equal(view.conditions, plain.conditions, equal_nan=True)
    assert np.isnan(view.spots).all()


def test_a_photo_without_reflections_shows_none_anywhere(shards, monkeypatch):
    """What is not there is known of every cell; where only its share is known, of none."""
    monkeypatch.setattr(batches, "ADDED", dict.fromkeys(batches.LOCAL, 0.0))
    shards.facts = shards.facts.copy()
    shards.facts["conditions"][1][quality_photos.CONDITIONS.index("glare_fraction")] = 0.1

    free, glaring = (batches.view_of(shards, index, np.random.default_rng(1), 0.0) for index in (0, 1))

    assert np.nanmax(free.spots) == 0
    assert np.isnan(glaring.spots[0]).all()
    assert np.nanmax(glaring.spots[1]) == 0


def test_corner_far_outside_is_drawn_in_along_its_edge():
    """Of a receipt that runs out at the top, the sides stay where they are."""
    corners = np.array([[100, -200], [260, -200], [300, 300], [60, 300]], np.float32)

    drawn = batches.within_margin(corners)

    top = -FRAME_MARGIN_PX + CELL_PX / 2
    share = (top + 200) / 500
    assert drawn[0] == pytest.approx([100 - 40 * share, top], abs=0.01)
    assert drawn[1] == pytest.approx([260 + 40 * share, top], abs=0.01)
    assert np.array_equal(drawn[2:], corners[2:])


def test_what_is_unknown_teaches_nothing(shards):
    """A photo known only to show a document moves no other answer of the network."""
    known = batches.lesson(shards, range(2), SETTINGS.types, None)
    nan = math.nan
    unknown = dataclasses.replace(
        known,
        free=torch.where(torch.arange(known.free.shape[1]) == 0, known.free, nan),
        types=torch.full_like(known.types, batches.UNKNOWN),
        turns=torch.full_like(known.turns, batches.UNKNOWN),
        corners=torch.full_like(known.corners, nan),
        mask=torch.full_like(known.mask, nan),
        shares=torch.full_like(known.shares, nan),
    )
    network = quality_training.Run.begin(SETTINGS).network
    answers = network(known.frames, known.crops, known.scalars)

    torch.stack(list(quality_training.loss(answers, unknown).values())).sum().backward()

    asked, *others = network.criteria.weight.grad
    assert asked.abs().sum() > 0
    for grad in (*others, network.turns.weight.grad, network.types.weight.grad, network.decoder.maps.weight.grad):
        assert grad is None or grad.abs().sum() == 0


def test_resumed_run_equals_unbroken_run(shards, tmp_path):
    """Stopping after two steps and going on gives the very same weights."""
    unbroken = quality_training.Run.begin(SETTINGS)
    for _ in range(4):
        quality_training.train_step(unbroken, SETTINGS, shards)

    first = quality_training.Run.begin(SETTINGS)
    for _ in range(2):
        quality_training.train_step(first, SETTINGS, shards)
    first.save(tmp_path / "checkpoint.pt")
    second = quality_training.Run.begin(dataclasses.replace(SETTINGS, seed=1))
    second.resume(tmp_path / "checkpoint.pt")
    for _ in range(2):
        quality_training.train_step(second, SETTINGS, shards)

    for name, weights in unbroken.average.state_dict().items():
        assert torch.equal(weights, second.average.state_dict()[name]), name


def test_a_few_photos_can_be_memorised(shards):
    """Shown four photos again and again, the network finds their corners; if not, a wire is loose."""
    settings = dataclasses.replace(
        SETTINGS, steps=40, batch=4, peak_lr=1e-2, widths=(8, 8, 16, 16), crop_widths=(4, 4, 4)
    )
    run = quality_training.Run.begin(settings)
    known = batches.lesson(shards, range(4), settings.types, None)
    for _ in range(settings.steps):
        answers = run.network(known.frames, known.crops, known.scalars)
        run.optimizer.zero_grad()
        torch.stack(list(quality_training.loss(answers, known).values())).sum().backward()
        run.optimizer.step()

    points, _ = locate_corners(answers.corners.detach())

    assert (points - known.corners).norm(dim=-1).median() < 6
    assert (answers.turns.argmax(1) == 0).all()


def take(shards):
    """A run's photos, the same ones for every split."""
    return lambda split, photos: shards


def nothing(what, done, of):
    """Nobody watches."""


def test_a_run_tells_how_it_learns(shards, tmp_path):
    """At each evaluation and at the end, on what it learns from and on what it does not."""
    settings = dataclasses.replace(SETTINGS, steps=5, evaluate_every=2)
    shards.facts = shards.facts[:8]

    quality_training.train(quality_training.Run.begin(settings), settings, tmp_path, take(shards), nothing)

    rows = history.read(tmp_path)
    assert [row["step"] for row in rows] == [2, 4, 5]
    assert rows[0]["loss"].keys() == {"criteria", "type", "side", "turns", "corners", "mask", "shares", "spots"}
    assert rows[-1]["held_back"]["loss"] < rows[0]["held_back"]["loss"]
    assert 0 <= rows[-1]["held_back"]["types"] <= 1


def test_a_run_that_no_longer_helps_ends_early(shards, tmp_path, monkeypatch):
    """After so many evaluations without a gain, and it stays ended when it is asked again."""
    settings = dataclasses.replace(SETTINGS, steps=40, evaluate_every=1, patience=2)
    losses = iter([3.0, 2.0, 2.5, 2.0])
    monkeypatch.setattr(quality_training, "look", lambda *_: {"loss": next(losses)})
    run, again = quality_training.Run.begin(settings), quality_training.Run.begin(settings)

    quality_training.train(run, settings, tmp_path, take(shards), nothing)
    again.resume(tmp_path / quality_training.CHECKPOINT)
    quality_training.train(again, settings, tmp_path, take(shards), nothing)

    assert (run.step, again.step) == (4, 4)


def test_which_photos_a_step_sees_does_not_depend_on_how_fast_they_are_made():
    """The first ones at the beginning, all of them from half-way on, and after a kill the same as before it."""
    settings = quality_training.Settings(steps=800, photos=quality_training.Photos(train=1000, first=200))

    assert [quality_training.in_use(step, settings) for step in (0, 49, 200, 400, 799)] == [200, 200, 600, 1000, 1000]


def test_photos_are_waited_for(shards, tmp_path, monkeypatch):
    """Whoever watches is told, and a process that makes none any more is no reason to wait for ever."""
    told, made = [], [False, False, True]
    monkeypatch.setattr(quality_training.time, "sleep", lambda _: None)
    monkeypatch.setattr(quality_training, "are_made", lambda *_: made.pop(0))
    taking = quality_training.taking(tmp_path, [], lambda *state: told.append(state))

    assert len(taking("train", SHARD)) == SHARD
    assert told == [("photos to train", SHARD, SHARD)] * 2

    failed = multiprocessing.get_context("spawn").Process()
    monkeypatch.setattr(type(failed), "exitcode", 1)
    monkeypatch.setattr(quality_training, "are_made", lambda *_: False)
    with pytest.raises(RuntimeError, match="has failed"):
        quality_training.taking(tmp_path, [failed], nothing)("train", SHARD)


def test_photos_are_made_when_all_their_shards_are_there(shards, tmp_path):
    """One photo more than a shard holds takes another."""
    assert quality_photos.are_made(tmp_path / "photos", "train", SHARD)
    assert not quality_photos.are_made(tmp_path / "photos", "train", SHARD + 1)


def test_finished_run_can_be_served(shards, tmp_path):
    """What training leaves behind is what the service loads, and it can be measured."""
    (tmp_path / "photos" / "train-00000-frames.npy").rename(tmp_path / "photos" / "calibrate-00000-frames.npy")
    (tmp_path / "photos" / "train-00000-crops.npy").rename(tmp_path / "photos" / "calibrate-00000-crops.npy")
    (tmp_path / "photos" / "train-00000-facts.npy").rename(tmp_path / "photos" / "calibrate-00000-facts.npy")

    quality_training.finish(quality_training.Run.begin(SETTINGS), SETTINGS, tmp_path, take(shards))
    scores = evaluate_quality.evaluate_synthetic(Assessor.load(tmp_path / "weights"), Shards(tmp_path / "photos", "calibrate"))

    assert scores["photos"] == SHARD
    assert scores["corners"]["n"] == SHARD


def test_calibration_undoes_overconfidence():
    """Logits three times too large are brought back to honest probabilities."""
    rng = np.random.default_rng(0)
    honest = rng.normal(1, 2, 4000)
    free = (rng.random(4000) < 1 / (1 + np.exp(-honest))).astype(np.float32)

    platt = quality_training.calibrate((3 * honest - 1).astype(np.float32), free)

    assert platt.scale == pytest.approx(1 / 3, rel=0.15)
    assert platt.shift == pytest.approx(1 / 3, abs=0.15)


def test_calibration_leaves_alone_what_it_cannot_judge():
    """Without a single defect among the examples the logits stay as they are."""
    assert quality_training.calibrate(np.ones(50, np.float32), np.ones(50, np.float32)).scale == 1.0


def test_area_under_curve_counts_pairs():
    """The score is the share of pairs put in the right order, ties counting half."""
    assert metrics.auroc([0.9, 0.4, 0.4, 0.1], [True, True, False, False]) == pytest.approx(3.5 / 4)


def test_overlap_of_outlines():
    """Half covered is a third of the union."""
    whole = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    moved = whole + np.array([0.5, 0], np.float32)

    assert evaluate_quality.polygon_iou(whole, whole) == pytest.approx(1.0)
    # The second runs out of what heat maps can show: 0.5 of its width plus the margin is left.
    inside = 0.5 + FRAME_MARGIN_PX / FRAME_PX
    assert evaluate_quality.polygon_iou(whole, moved) == pytest.approx(0.5 / (1 + inside - 0.5), abs=1e-3)


@pytest.mark.parametrize("name", ["quality.toml", "quality-smoke.toml"])
def test_shipped_settings_can_be_read(name):
    """Every settings file names only what exists."""
    assert quality_training.Settings.read(CONFIGS / name).steps > 0


def test_misspelt_setting_is_refused(tmp_path):
    """A typing error in the settings stops the run before it costs an hour."""
    (tmp_path / "wrong.toml").write_text("stepps = 3\n")

    with pytest.raises(ValueError, match="stepps"):
        quality_training.Settings.read(tmp_path / "wrong.toml")


def test_same_number_same_photo():
    """The n-th photo does not depend on which were made before it."""
    first = quality_photos.Photographer(quality_photos.Folders(), "train", 1, quality_photos.Weights())
    photos = [first(number) for number in (3, 4)]

    again = quality_photos.Photographer(quality_photos.Folders(), "train", 1, quality_photos.Weights())(4)

    assert np.array_equal(again.photo, photos[1].photo)
    assert not np.array_equal(again.photo.shape, photos[0].photo.shape) or (again.photo != photos[0].photo).any()


def test_held_out_photos_are_others():
    """The photos of `test` are not those of `train`, number by number."""
    makers = [
        quality_photos.Photographer(quality_photos.Folders(), split, 1, quality_photos.Weights())
        for split in ("train", "test")
    ]

    train, test = (maker(0).photo for maker in makers)

    assert train.shape != test.shape or (train != test).any()


def test_every_fifth_surface_is_left_for_measuring():
    """No surface is both learnt from and measured on."""
    paths = [Path(f"{n}.jpg") for n in range(12)]

    kept, left = (quality_photos.held_out(paths, 5, wanted) for wanted in (True, False))

    assert kept == [Path("0.jpg"), Path("5.jpg"), Path("10.jpg")]
    assert sorted(kept + left) == sorted(paths)


def test_spoilt_real_photos_are_scored_step_by_step(tmp_path):
    """Every second photo of a folder, in each way and strength; a constant network tells none apart."""
    for number in range(4):
        pictures.save(sample(np.random.default_rng(number)).photo, tmp_path / f"{number}.png")
    network = quality_training.Run.begin(SETTINGS).network.eval()
    with torch.no_grad():
        network.criteria.weight.zero_()

    scores = evaluate_quality.evaluate_degraded(Assessor(network, {}), tmp_path)

    assert scores["blurry"] == {"auroc": dict.fromkeys(["0.25", "0.5", "0.75", "1.0"], 0.5), "falling": 1.0, "n": 2}
    assert scores.keys() == {"blurry", "dark", "glare", "document_cutoff"}

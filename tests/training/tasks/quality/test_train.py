"""Training the quality network: its labels are correct, and a run can be stopped and resumed."""

import dataclasses
import math
import multiprocessing
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from docextract.images.geometry import FRAME_PX
from docextract.quality.assessor import Assessor, load_weights
from docextract.quality.criteria import CRITERIA
from docextract.quality.network import CELL_PX, FRAME_MARGIN_PX, locate_corners
from tests.training.stopping import StoppedError, stop_after
from training import history, loop, metrics
from training.datasets import pictures
from training.evaluation import quality as evaluate_quality
from training.synth.camera.simulation import Conditions
from training.tasks.quality import batches
from training.tasks.quality import photos as quality_photos
from training.tasks.quality import train as quality_training
from training.tasks.quality.labels import label_defects
from training.tasks.quality.photos import PhotoSample, Shards
from training.tasks.quality.train import PhotoSettings, QualitySettings, QualityTask, build_network, build_optimizer

CONFIGS = Path(__file__).parents[4] / "training" / "configs"
FINE = Conditions(
    document_present=True, documents=1, visible_fraction=1.0, occluded_fraction=0.0, background_contrast=50.0,
    blur_sigma_px=0.8, motion_px=0.0, exposure=92.0, clipped_fraction=0.0, glare_fraction=0.0, shadow_depth=0.1,
    ink_contrast=75.0, noise_sigma=2.0, text_height_px=24.0, screen=False, jpeg_quality=90, area_ratio=0.5,
    center_offset_x=0.0, center_offset_y=0.0, tilt_deg=5.0, rotation_deg=0.0, lines_cut=0.0, lines_covered=0.0,
)  # fmt: skip
SHARD_PHOTOS = 16  # fewer than in training
SETTINGS = QualitySettings(steps=4, batch=4, warmup_steps=1, widths=(4, 4, 8, 8), crop_widths=(4, 4, 8), hidden=16)


def sample(rng: np.random.Generator) -> PhotoSample:
    """A pale sheet on a dark table, with a dark bar near its own top."""
    photo = np.full((400, 300, 3), 60, np.uint8)
    left, top = rng.integers(20, 80, 2)
    right, bottom = left + rng.integers(100, 180), top + rng.integers(150, 260)
    photo[top:bottom, left:right] = 230
    photo[top + 10 : top + 30, left + 10 : right - 10] = 30
    polygon = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return PhotoSample(photo, FINE, polygon, "receipt")


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch):
    monkeypatch.setattr(quality_photos, "SHARD_PHOTOS", SHARD_PHOTOS)


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    """One shard of photos, in the folder from which training loads them."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "photos"
    folder.mkdir()
    quality_photos._write(folder, "train", 0, [sample(rng) for _ in range(SHARD_PHOTOS)])
    return Shards(folder, "train")


def fit(settings, out, shards, **hooks):
    """Train a new network on these photos, for every split the same ones."""
    task = QualityTask(settings, lambda split, photos: shards)
    network = build_network(settings)
    return loop.fit(task, network, build_optimizer(network, settings), settings, out, **hooks)


def defects(conditions: Conditions) -> set[str]:
    return {name for name, defect in label_defects(conditions).items() if defect}


def test_a_good_photo_has_no_defect():
    """Every criterion is labelled, and none of them as a defect."""
    assert set(label_defects(FINE).values()) == {False}


def test_every_criterion_is_labelled():
    """No criterion is predicted without having been trained."""
    assert set(label_defects(FINE)) == {criterion.name for criterion in CRITERIA}


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
def test_a_bad_condition_is_the_defect_of_its_name(change, expected):
    """Each physical cause gives its own defect and no other."""
    assert defects(dataclasses.replace(FINE, **change)) == expected


def test_the_same_blur_is_a_defect_only_of_small_text():
    """Large text stays readable with a blur that makes small text unreadable."""
    blurred = dataclasses.replace(FINE, blur_sigma_px=2.4)

    assert "blurry" not in defects(dataclasses.replace(blurred, text_height_px=40.0))
    assert "blurry" in defects(dataclasses.replace(blurred, text_height_px=16.0))


def test_without_known_print_a_cut_of_some_paper_is_unlabelled():
    """It may be blank paper. Half of a page holds print; and if nothing is cut off, nothing is lost."""
    unknown = dataclasses.replace(FINE, lines_cut=math.nan)

    found = [
        label_defects(dataclasses.replace(unknown, visible_fraction=visible))["document_cutoff"]
        for visible in (1.0, 0.9, 0.5)
    ]

    assert found == [False, None, True]


def test_without_known_print_a_small_object_over_the_paper_is_unlabelled():
    """A finger may lie on blank paper; a hand over half of the page hides print, and no object hides none."""
    unknown = dataclasses.replace(FINE, lines_covered=math.nan)

    found = [
        label_defects(dataclasses.replace(unknown, occluded_fraction=covered))["occluded"]
        for covered in (0.0, 0.05, 0.5)
    ]

    assert found == [False, None, True]


def test_without_a_document_only_its_absence_is_labelled():
    """A photo of a table is no example of blurred or sharp text."""
    known = label_defects(dataclasses.replace(FINE, document_present=False))

    assert known.pop("document_absent") is True
    assert set(known.values()) == {None}


def test_conditions_that_were_not_measured_give_no_label():
    """A real photo without labels is an example neither of sharpness nor of blur."""
    known = label_defects(quality_photos._unknown(present=True))

    assert known.pop("document_absent") is False
    assert set(known.values()) == {None}


def test_real_receipts_are_labelled_as_present_and_not_occluded(tmp_path):
    """These photos have no other labels."""
    pictures.save(np.full((400, 300, 3), 200, np.uint8), tmp_path / "receipt.jpg")
    nothing_else = dict.fromkeys(vars(quality_photos.SourceShares()), 0.0) | {"photos": 1.0}
    folders = quality_photos.PhotoFolders(photos=tmp_path)
    source = quality_photos.PhotoSource(folders, "train", 1, quality_photos.SourceShares(**nothing_else))

    known = label_defects(source(0).conditions)

    assert {name for name, defect in known.items() if defect is not None} == {"document_absent", "occluded"}
    assert not known["document_absent"]
    assert not known["occluded"]


def test_shards_without_the_newest_condition_are_still_loaded(shards, tmp_path):
    """That condition is unknown for their photos; all others are as they were stored."""
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


def test_turning_a_photo_turns_its_labels(shards):
    """After a quarter turn the polygon still outlines the sheet; after four, nothing has changed."""
    view = batches.load_photo(shards, 0, None, 0.0)
    fitted = shards.facts[0]["fitted"]

    turned = batches.turn_quarter(view, fitted)

    inside = np.zeros((FRAME_PX, FRAME_PX), np.uint8)
    cv2.fillConvexPoly(inside, np.round(turned.polygon).astype(np.int32), 1)
    sheet = (turned.frame[..., 0] > 200) & (turned.frame[..., 0] < 250)
    assert (sheet & (inside == 1)).sum() > 0.95 * sheet.sum()
    assert batches.in_photo_order(turned.polygon)[1] == 1
    for _ in range(3):
        fitted = fitted[::-1]
        turned = batches.turn_quarter(turned, fitted)
    assert np.array_equal(turned.frame, view.frame)
    assert np.array_equal(turned.crops, view.crops)
    assert turned.polygon == pytest.approx(view.polygon, abs=1e-3)


def test_some_photos_are_reduced_to_frames_of_the_preview(shards, monkeypatch):
    """The photo is as small as the frame, and criteria that need the full resolution are unlabelled."""
    monkeypatch.setattr(batches, "PREVIEW_SHARE", 1.0)
    monkeypatch.setattr(batches, "ADDED_SHARES", dict.fromkeys(batches.LOCAL_CRITERIA, 0.0))

    plain = batches.load_photo(shards, 0, None, 0.0)
    seen = batches.load_photo(shards, 0, np.random.default_rng(1), 0.0)
    known = label_defects(quality_photos.conditions_of(seen.conditions))

    assert max(seen.size) == FRAME_PX
    assert seen.crops.shape == plain.crops.shape
    assert np.array_equal(seen.polygon, plain.polygon)
    fine = {criterion.name for criterion in CRITERIA if criterion.full_resolution}
    assert {name for name, defect in known.items() if defect is None} == fine - {"text_too_small"}


def test_added_objects_are_labelled_where_they_cover_the_document(shards, monkeypatch):
    """The labelled cells are those whose pixels changed, and their mean is the labelled share of the document."""
    monkeypatch.setattr(batches, "ADDED_SHARES", dict.fromkeys(batches.LOCAL_CRITERIA, 1.0))

    plain = batches.load_photo(shards, 0, None, 0.0)
    view = batches.load_photo(shards, 0, np.random.default_rng(1), 0.0)

    assert np.isnan(plain.spots).all()
    for place, condition in enumerate(batches.LOCAL_CRITERIA.values()):
        share = view.conditions[quality_photos.CONDITIONS.index(condition)]
        assert share > 0.01
        assert np.nanmean(view.spots[place]) == pytest.approx(share, rel=0.3)
        assert np.isnan(view.spots[place][0, 0])
    covered = np.nan_to_num(view.spots).max(0) > 0.9
    changed = np.abs(view.frame.astype(int) - plain.frame).max(2) > 30
    margin, cells = FRAME_MARGIN_PX // CELL_PX, FRAME_PX // CELL_PX
    shown = changed.reshape(cells, CELL_PX, cells, CELL_PX).any((1, 3))
    assert shown[covered[margin:-margin, margin:-margin]].mean() > 0.6


def test_objects_are_also_added_to_photos_without_a_document(shards, monkeypatch):
    """Fingers and pens must not become a sign of a document; the labels of these photos stay the same."""
    monkeypatch.setattr(batches, "ADDED_SHARES", dict.fromkeys(batches.LOCAL_CRITERIA, 1.0))
    shards.facts = shards.facts.copy()
    shards.facts["conditions"][0][quality_photos.CONDITIONS.index("document_present")] = 0
    shards.facts["polygon"][0] = np.nan

    plain = batches.load_photo(shards, 0, None, 0.0)
    view = batches.load_photo(shards, 0, np.random.default_rng(1), 0.0)

    assert (np.abs(view.frame.astype(int) - plain.frame).max(2) > 30).any()
    assert np.array_equal(view.conditions, plain.conditions, equal_nan=True)
    assert np.isnan(view.spots).all()


def test_cells_are_labelled_only_if_there_is_no_glare_or_it_was_added(shards, monkeypatch):
    """A photo without glare has none in any cell; where only the share is known, no cell is labelled."""
    monkeypatch.setattr(batches, "ADDED_SHARES", dict.fromkeys(batches.LOCAL_CRITERIA, 0.0))
    shards.facts = shards.facts.copy()
    shards.facts["conditions"][1][quality_photos.CONDITIONS.index("glare_fraction")] = 0.1

    free, glaring = (batches.load_photo(shards, index, np.random.default_rng(1), 0.0) for index in (0, 1))

    assert np.nanmax(free.spots) == 0
    assert np.isnan(glaring.spots[0]).all()
    assert np.nanmax(glaring.spots[1]) == 0


def test_a_corner_far_outside_is_moved_along_its_edge():
    """If a receipt extends beyond the top, its left and right edges stay where they are."""
    corners = np.array([[100, -200], [260, -200], [300, 300], [60, 300]], np.float32)

    drawn = batches.pull_into_margin(corners)

    top = -FRAME_MARGIN_PX + CELL_PX / 2
    share = (top + 200) / 500
    assert drawn[0] == pytest.approx([100 - 40 * share, top], abs=0.01)
    assert drawn[1] == pytest.approx([260 + 40 * share, top], abs=0.01)
    assert np.array_equal(drawn[2:], corners[2:])


def test_unlabelled_outputs_have_no_gradient(shards):
    """A photo that is labelled only as showing a document changes no other output of the network."""
    known = batches.load_batch(shards, range(2), SETTINGS.types, None)
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
    network = build_network(SETTINGS)
    outputs = network(known.frames, known.crops, known.scalars)

    torch.stack(list(quality_training.quality_losses(outputs, unknown).values())).sum().backward()

    labelled, *others = network.criteria.weight.grad
    assert labelled.abs().sum() > 0
    for grad in (*others, network.turns.weight.grad, network.types.weight.grad, network.decoder.maps.weight.grad):
        assert grad is None or grad.abs().sum() == 0


def test_a_resumed_run_equals_an_unbroken_one(shards, tmp_path):
    """A run that is killed after two steps and resumed has the same weights, to the bit."""
    often = dataclasses.replace(SETTINGS, checkpoint_s=0)
    shards.facts = shards.facts[:16]
    unbroken = fit(SETTINGS, tmp_path / "unbroken", shards)
    with pytest.raises(StoppedError):
        fit(often, tmp_path / "resumed", shards, on_step=stop_after(2))
    resumed = fit(often, tmp_path / "resumed", shards)

    for name, weights in unbroken.state_dict().items():
        assert torch.equal(weights, resumed.state_dict()[name]), name


def test_a_few_photos_can_be_memorised(shards):
    """A network that cannot learn the corners of four photos by heart is wired wrongly."""
    settings = dataclasses.replace(SETTINGS, peak_lr=1e-2, widths=(8, 8, 16, 16), crop_widths=(4, 4, 4))
    network = build_network(settings).train()
    optimizer = build_optimizer(network, settings)
    batch = batches.load_batch(shards, range(4), settings.types, None)
    for _ in range(20):
        outputs = network(batch.frames, batch.crops, batch.scalars)
        optimizer.zero_grad()
        torch.stack(list(quality_training.quality_losses(outputs, batch).values())).sum().backward()
        optimizer.step()

    points, _ = locate_corners(outputs.corners.detach())

    assert (points - batch.corners).norm(dim=-1).median() < 6
    assert (outputs.turns.argmax(1) == 0).all()


def test_the_history_has_losses_and_scores(shards, tmp_path):
    """A row for each evaluation and for the end: losses in training, scores on held-out photos."""
    settings = dataclasses.replace(SETTINGS, steps=5, evaluate_every=2)
    shards.facts = shards.facts[:8]

    fit(settings, tmp_path, shards)

    rows = history.read(tmp_path)
    assert [row["step"] for row in rows] == [2, 4, 5]
    assert rows[0]["loss"].keys() == {"criteria", "type", "side", "turns", "corners", "mask", "shares", "spots"}
    assert rows[-1]["held_back"]["loss"] < rows[0]["held_back"]["loss"]
    assert 0 <= rows[-1]["held_back"]["types"] <= 1


def test_a_run_without_a_gain_ends_early(shards, tmp_path, monkeypatch):
    """After `patience` evaluations without a gain; if it is started again, it stays ended."""
    settings = dataclasses.replace(SETTINGS, steps=40, evaluate_every=1, patience=2)
    losses = iter([3.0, 2.0, 2.5, 2.0])
    monkeypatch.setattr(quality_training, "quick_scores", lambda *_: {"loss": next(losses)})
    steps = []

    for _ in range(2):
        fit(settings, tmp_path, shards, on_step=lambda step, end: steps.append(step))

    assert steps == [0, 1, 2, 3, 4, 4]


def test_the_photos_of_a_step_do_not_depend_on_how_fast_they_are_made():
    """The first ones at the beginning, all of them from the middle on: a number that depends on the step alone."""
    settings = QualitySettings(steps=800, photos=PhotoSettings(train=1000, first=200))

    assert [quality_training.photos_in_use(step, settings) for step in (0, 49, 200, 400, 799)] == [
        200,
        200,
        600,
        1000,
        1000,
    ]


def test_more_photos_are_taken_as_the_run_goes_on(shards):
    """They are loaded again only when their number changes, not at every step."""
    taken = []

    def take(split, photos):
        taken.append((split, photos))
        return shards

    task = QualityTask(dataclasses.replace(SETTINGS, steps=200, photos=PhotoSettings(train=100, first=20)), take)
    for step in (0, 1, 49, 50, 51, 100, 150):
        task.batch(step)

    assert taken == [("train", 20), ("train", 60), ("train", 100)]


def test_training_waits_for_photos(shards, tmp_path, monkeypatch):
    """Progress is reported meanwhile; it does not wait for a process that has failed."""
    reported, on_disk = [], [False, False, True]
    monkeypatch.setattr(quality_training.time, "sleep", lambda _: None)
    monkeypatch.setattr(quality_training, "are_on_disk", lambda *_: on_disk.pop(0))
    take = quality_training.photo_taker(tmp_path, [], lambda *state: reported.append(state))

    assert len(take("train", SHARD_PHOTOS)) == SHARD_PHOTOS
    assert reported == [("photos to train", SHARD_PHOTOS, SHARD_PHOTOS)] * 2

    failed = multiprocessing.get_context("spawn").Process()
    monkeypatch.setattr(type(failed), "exitcode", 1)
    monkeypatch.setattr(quality_training, "are_on_disk", lambda *_: False)
    with pytest.raises(RuntimeError, match="has failed"):
        quality_training.photo_taker(tmp_path, [failed], lambda *_: None)("train", SHARD_PHOTOS)


def test_photos_are_on_disk_when_all_their_shards_are(shards, tmp_path):
    """One photo more than a shard has needs a second shard."""
    assert quality_photos.are_on_disk(tmp_path / "photos", "train", SHARD_PHOTOS)
    assert not quality_photos.are_on_disk(tmp_path / "photos", "train", SHARD_PHOTOS + 1)


def test_training_writes_what_serving_loads(shards, tmp_path):
    """The exported weights can be loaded and evaluated, with a calibration for every criterion."""
    (tmp_path / "photos" / "train-00000-frames.npy").rename(tmp_path / "photos" / "calibrate-00000-frames.npy")
    (tmp_path / "photos" / "train-00000-crops.npy").rename(tmp_path / "photos" / "calibrate-00000-crops.npy")
    (tmp_path / "photos" / "train-00000-facts.npy").rename(tmp_path / "photos" / "calibrate-00000-facts.npy")

    QualityTask(SETTINGS, lambda split, photos: shards).export(build_network(SETTINGS).eval(), tmp_path / "weights")
    scores = evaluate_quality.evaluate_synthetic(
        Assessor.load(tmp_path / "weights"), Shards(tmp_path / "photos", "calibrate")
    )

    assert load_weights(tmp_path / "weights")[1].keys() == {criterion.name for criterion in CRITERIA}
    assert scores["photos"] == SHARD_PHOTOS
    assert scores["corners"]["n"] == SHARD_PHOTOS


def test_calibration_corrects_overconfidence():
    """Logits that are three times too large become correct probabilities."""
    rng = np.random.default_rng(0)
    honest = rng.normal(1, 2, 4000)
    free = (rng.random(4000) < 1 / (1 + np.exp(-honest))).astype(np.float32)

    platt = quality_training.calibrate((3 * honest - 1).astype(np.float32), free)

    assert platt.scale == pytest.approx(1 / 3, rel=0.15)
    assert platt.shift == pytest.approx(1 / 3, abs=0.15)


def test_calibration_needs_examples_of_both_classes():
    """Without a single defect among the examples the logits stay as they are."""
    assert quality_training.calibrate(np.ones(50, np.float32), np.ones(50, np.float32)).scale == 1.0


def test_area_under_curve_counts_pairs():
    """The score is the share of correctly ordered pairs; ties count half."""
    assert metrics.auroc([0.9, 0.4, 0.4, 0.1], [True, True, False, False]) == pytest.approx(3.5 / 4)


def test_overlap_of_outlines():
    """Polygons that overlap by half have an intersection of a third of their union."""
    whole = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    moved = whole + np.array([0.5, 0], np.float32)

    assert evaluate_quality.polygon_iou(whole, whole) == pytest.approx(1.0)
    # The second polygon extends beyond the heat maps, which keep 0.5 of its width plus the margin.
    inside = 0.5 + FRAME_MARGIN_PX / FRAME_PX
    assert evaluate_quality.polygon_iou(whole, moved) == pytest.approx(0.5 / (1 + inside - 0.5), abs=1e-3)


@pytest.mark.parametrize("name", ["quality.toml", "quality-smoke.toml"])
def test_committed_settings_can_be_read(name):
    """They have no unknown names."""
    assert QualitySettings.read(CONFIGS / name).steps > 0


def test_a_misspelt_setting_is_refused(tmp_path):
    """The run does not start: it would train for an hour with another value than intended."""
    (tmp_path / "wrong.toml").write_text("stepps = 3\n")

    with pytest.raises(ValueError, match="stepps"):
        QualitySettings.read(tmp_path / "wrong.toml")


def test_the_same_number_gives_the_same_photo():
    """A photo does not depend on the photos that were made before it."""
    first = quality_photos.PhotoSource(quality_photos.PhotoFolders(), "train", 1, quality_photos.SourceShares())
    photos = [first(number) for number in (3, 4)]

    again = quality_photos.PhotoSource(quality_photos.PhotoFolders(), "train", 1, quality_photos.SourceShares())(4)

    assert np.array_equal(again.photo, photos[1].photo)
    assert not np.array_equal(again.photo.shape, photos[0].photo.shape) or (again.photo != photos[0].photo).any()


def test_splits_have_different_photos():
    """Photos of the same number in `train` and `test` are not the same."""
    makers = [
        quality_photos.PhotoSource(quality_photos.PhotoFolders(), split, 1, quality_photos.SourceShares())
        for split in ("train", "test")
    ]

    train, test = (maker(0).photo for maker in makers)

    assert train.shape != test.shape or (train != test).any()


def test_every_fifth_surface_is_held_out():
    """No surface is used both for training and for evaluation."""
    paths = [Path(f"{n}.jpg") for n in range(12)]

    held_out, others = (quality_photos.every_nth(paths, 5, held_out) for held_out in (True, False))

    assert held_out == [Path("0.jpg"), Path("5.jpg"), Path("10.jpg")]
    assert sorted(held_out + others) == sorted(paths)


def test_degraded_real_photos_are_scored_by_strength(tmp_path):
    """Every second photo of a folder is degraded in each way and strength; a constant network has an AUROC of 0.5."""
    for number in range(4):
        pictures.save(sample(np.random.default_rng(number)).photo, tmp_path / f"{number}.png")
    network = build_network(SETTINGS).eval()
    with torch.no_grad():
        network.criteria.weight.zero_()

    scores = evaluate_quality.evaluate_degraded(Assessor(network, {}), tmp_path)

    assert scores["blurry"] == {"auroc": dict.fromkeys(["0.25", "0.5", "0.75", "1.0"], 0.5), "falling": 1.0, "n": 2}
    assert scores.keys() == {"blurry", "dark", "glare", "document_cutoff"}

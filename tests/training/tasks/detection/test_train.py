"""Training the detector: it starts from PP-OCR's, without some channels, and learns its maps at a smaller size."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from docextract.extraction.ocr.detector_weights import DetectorWeights
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import Detector, detector_onnx
from docextract.extraction.ocr.reading import Reader
from tests.extraction.ocr.test_ppocr import F32, STRIPS
from training import loop
from training.tasks.detection import pages, train
from training.tasks.detection.pages import PageFolder
from training.tasks.detection.train import DetectionSettings, DetectionTask, agreement, build_network, dice

CONFIG = Path(__file__).parents[4] / "training" / "configs" / "detector.toml"
SETTINGS = replace(
    DetectionSettings.read(CONFIG), steps=15, batch=2, crop_px=128, channels=0.75, peak_lr=1e-4, warmup_steps=2,
    average=0.8, evaluate_every=15,
)  # fmt: skip


def page(number: int):
    """A page with two lines of print, and nothing that is known about it."""
    rng = np.random.default_rng(number)
    image = np.full((360, 420, 3), 250, np.uint8)
    for row in range(2):
        strip = STRIPS[int(rng.integers(len(STRIPS)))]
        top, left = 40 + 150 * row + int(rng.integers(60)), int(rng.integers(20, 60))
        height, width = min(strip.shape[0], 340 - top), min(strip.shape[1], 400 - left)
        image[top : top + height, left : left + width] = strip[:height, :width]
    return image, []


def full_page(number: int):
    """A page with print from top to bottom, so that most crops have some."""
    rng = np.random.default_rng(number)
    image = np.full((360, 420, 3), 250, np.uint8)
    for top in range(10, 320, 42):
        strip = cv2.resize(STRIPS[int(rng.choice([0, 3]))], (400, 32))
        image[top : top + 32, 10:410] = strip
    return image, []


@pytest.fixture(scope="module")
def canvases(tmp_path_factory) -> list[Path]:
    return PageFolder(tmp_path_factory.mktemp("pages")).collect("pages", page, 6)


def test_pages_are_stored_once_with_the_map_of_the_given_detector(canvases, monkeypatch):
    """A canvas has the size that detection gives it, and its map says where the print is."""
    canvas, text_map = pages.load(canvases[0])
    monkeypatch.setattr(Detector, "text_maps", None)

    assert canvas.shape[:2] == text_map.shape
    assert min(canvas.shape[:2]) == 736
    assert 0.005 < (text_map > 127).mean() < 0.3
    assert PageFolder(canvases[0].parent).collect("pages", page, 6) == canvases


def test_a_half_written_map_is_made_again(tmp_path, monkeypatch):
    """A run that is stopped while it writes leaves no map that is taken as whole."""
    written = cv2.imwrite

    def stopped(file, *rest):
        if file.endswith(".png"):
            Path(file).write_bytes(b"half")
            raise KeyboardInterrupt
        return written(file, *rest)

    monkeypatch.setattr(cv2, "imwrite", stopped)
    with pytest.raises(KeyboardInterrupt):
        PageFolder(tmp_path).collect("pages", page, 1)
    monkeypatch.setattr(cv2, "imwrite", written)

    (file,) = PageFolder(tmp_path).collect("pages", page, 1)
    assert pages.load(file)[1].shape


@pytest.mark.parametrize("side_px", [128, 900])
def test_crops_of_a_page_and_of_its_map_are_of_the_same_place(side_px):
    """Also beyond the page, where there is no print, and turned."""
    text_map = np.zeros((400, 500), np.uint8)
    cv2.rectangle(text_map, (100, 60), (400, 200), 255, -1)
    canvas = np.repeat(255 - text_map[..., None], 3, axis=2)

    for seed in range(8):
        part, part_map = pages.crop(canvas, text_map, side_px, 0.75, np.random.default_rng(seed))

        assert (part.shape, part_map.shape) == ((side_px, side_px, 3), (side_px, side_px))
        assert np.abs((255 - part[..., 0]).astype(int) - part_map).max() <= 1


def test_crops_are_degraded_in_ways_that_leave_print_where_it_was():
    """Differently each time."""
    part = np.full((64, 64, 3), 200, np.uint8)
    part[20:40, 20:40] = 20
    degraded = [pages.weaken_print(part, np.random.default_rng(seed)) for seed in range(30)]

    assert len({one.tobytes() for one in degraded}) > 15
    for one in degraded:
        assert one[24:36, 24:36].mean() < one[[4, 60]].mean()


def test_crops_are_larger_and_smaller_than_the_scale(canvases, monkeypatch):
    """By up to `zoom`, so that large print is learned too."""
    scales = []

    def crop(canvas, text_map, side_px, scale, rng):
        scales.append(scale)
        return pages.crop(canvas, text_map, side_px, scale, rng)

    monkeypatch.setattr(train, "crop", crop)
    task = DetectionTask(replace(SETTINGS, batch=20, zoom=1.3), canvases, {})
    task.batch(0)

    assert SETTINGS.scale / 1.3 <= min(scales) < SETTINGS.scale / 1.1
    assert SETTINGS.scale * 1.1 < max(scales) <= SETTINGS.scale * 1.3


def test_it_starts_near_the_given_detector_and_learns_from_it(tmp_path):
    """Channels were left out; the first steps already bring its maps closer."""
    canvases = PageFolder(tmp_path).collect("full", full_page, 6)
    task = DetectionTask(SETTINGS, canvases, {"same pages": canvases[:2]})
    network = build_network(SETTINGS, canvases)
    batches = [task.batch(1000 + number) for number in range(8)]

    def loss(network):
        with torch.no_grad():
            return sum(float(one) for batch in batches for one in task.losses(network.eval(), batch).values())

    before = loss(network)
    trained = loop.fit(task, network, torch.optim.AdamW(network.parameters()), SETTINGS, tmp_path)

    assert loss(trained) < 0.7 * before
    score = agreement(trained, canvases, SETTINGS.scale, Detector(F32))
    assert score["recall"] > 0.5


def test_trained_weights_are_served_on_smaller_canvases(canvases, tmp_path):
    """The reader finds the same lines with them, and its results are not mistaken for those of PP-OCR's own weights."""
    network = build_network(replace(SETTINGS, channels=1.0), canvases)
    DetectionTask(SETTINGS, canvases, {}).export(network, tmp_path)
    weights = DetectorWeights.load(tmp_path)
    image, _ = page(3)

    usual, other = Reader(F32), Reader(F32, detector=weights)

    assert (weights.scale, other.digest != usual.digest) == (0.75, True)
    assert [one.text for one in other.read([image])[0]] == [one.text for one in usual.read([image])[0]]
    assert DetectorWeights.load(tmp_path / "pages") is None


def test_tensors_that_are_not_given_stay():
    """The detector of PP-OCR is changed where the weights say so."""
    image, _ = page(1)
    name, value = next(iter(OnnxGraph(detector_onnx()).tensors().items()))

    (plain,) = Detector(F32).text_maps([image], [1.0])
    (same,) = Detector(F32, DetectorWeights({name: value})).text_maps([image], [1.0])
    (other,) = Detector(F32, DetectorWeights({name: value * 0})).text_maps([image], [1.0])

    assert np.abs(same - plain).max() < 1e-5
    assert np.abs(other - plain).max() > 1e-3


def test_dice_is_one_for_equal_maps():
    """And 0 for maps without a common place."""
    one = torch.tensor([[1.0, 0.0, 0.5]])

    assert float(dice(one, one)) == pytest.approx(1)
    assert float(dice(one, torch.tensor([[0.0, 1.0, 0.0]]))) == 0

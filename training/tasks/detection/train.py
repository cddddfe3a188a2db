"""Train a text detector that costs less: narrower, and for smaller canvases. It learns from PP-OCR's own.

    python -m training.tasks.detection.train training/configs/detector.toml --out runs/detector --sroie DATA/sroie \\
        --surfaces DATA/surfaces --extraction models/extraction/weights

Run the same command again to resume from the last checkpoint. At the end OUT/weights holds the given extraction weights
with the detector stored next to them: candidate weights, to be calibrated, evaluated and promoted.

PP-OCR's detector says for each place of a page how likely it is print. The trained one starts from its weights, without
some of its hidden channels (training/narrowing.py), and learns to say the same of the page at a smaller size. So any
page will do: real scans, simulated photos of them and of synthetic documents, and pictures of your own (--pages).
"""

import json
import logging
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docextract.extraction.ocr.detector_weights import DetectorWeights
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import Detector, Engine, canvas_size, detector_onnx
from docextract.images.geometry import Page
from training import command_line, loop
from training.datasets import pictures, sroie
from training.narrowing import narrowed_tensors
from training.tasks.detection.pages import PageFolder, TextMap, crop, load, weaken_print
from training.tasks.ocr import strips

log = logging.getLogger("training.tasks.detection.train")

SYNTHETIC_SEED, SIMULATED_PHOTOS_SEED, VALIDATION_SEED = 8701, 8702, 8703  # no evaluation set is made with them
UNSEEN_PHOTOS = 30  # simulated photos of synthetic documents, in unseen typefaces
NARROWING_CROPS = 60  # from which it is seen which channels are needed
MIN_PROBABILITY = 1e-4
SAME_BOX_IOU = 0.6  # of the upright boxes around two lines


@dataclass(frozen=True, kw_only=True)
class DetectionSettings(loop.Settings):
    """Settings of one training run, see training/configs/detector.toml."""

    batch: int
    crop_px: int
    scale: float
    channels: float
    synthetic: int
    zoom: float = 1.0  # most by which a crop is larger or smaller than `scale` says


@dataclass(frozen=True)
class DetectionBatch:
    """N crops of canvases."""

    pixels: Tensor  # [N, 3, H, W]
    text_maps: Tensor  # [N, H, W], 0..1


class DetectionTask(loop.Task):
    """Teaches a detector the maps of PP-OCR's."""

    channels_last = True
    evaluate_first = True

    def __init__(
        self, settings: DetectionSettings, training: Sequence[Path], validation: Mapping[str, Sequence[Path]],
        extraction: Path | None = None, workers: int = 0,
    ) -> None:  # fmt: skip
        """training, validation: stored canvases. extraction: weights folder that `export` copies.

        workers: additional processes that make batches.
        """
        self._settings, self._training, self._validation = settings, training, validation
        self._extraction, self.workers = extraction, workers

    def batch(self, step: int) -> DetectionBatch:
        rng = np.random.default_rng((self._settings.seed, step))
        files = [self._training[at] for at in rng.integers(len(self._training), size=self._settings.batch)]
        crops = [crop(*load(file), self._settings.crop_px, self._scale(rng), rng) for file in files]
        return DetectionBatch(
            torch.from_numpy(np.concatenate([page_pixels(weaken_print(one, rng)) for one, _ in crops])),
            torch.from_numpy(np.stack([text_map for _, text_map in crops])).float() / 255,
        )

    def _scale(self, rng: np.random.Generator) -> float:
        most = math.log(self._settings.zoom)
        return self._settings.scale * math.exp(rng.uniform(-most, most))

    def losses(self, network: OnnxGraph, batch: DetectionBatch) -> dict[str, Tensor]:
        device = next(network.parameters()).device
        with loop.autocast(device.type):
            output = network(batch.pixels.to(device))
        said = output.float()[:, 0].clamp(MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        taught = batch.text_maps.to(device)
        entropy = -(taught * said.log() + (1 - taught) * (1 - said).log())
        return {"print": entropy.mean(), "overlap": 1 - dice(said, taught)}

    def evaluate(self, network: OnnxGraph) -> dict[str, dict[str, float]]:
        detector = Detector(Engine(library="torch"))  # only makes boxes of maps
        return {
            name: agreement(network, files, self._settings.scale, detector) for name, files in self._validation.items()
        }

    def export(self, network: OnnxGraph, folder: Path) -> None:
        if self._extraction:
            shutil.copytree(self._extraction, folder, dirs_exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        log.info("exported %s", json.dumps(self.evaluate(network)))
        DetectorWeights(network.tensors(), self._settings.scale).save(folder)


def page_pixels(canvas: Page) -> NDArray[np.float32]:
    """Return a canvas as PP-OCR's graph takes it, [1, 3, H, W], BGR, -1..1."""
    return np.asarray(cv2.dnn.blobFromImage(canvas, 1 / 127.5, mean=(127.5, 127.5, 127.5), swapRB=True), np.float32)


def dice(said: Tensor, taught: Tensor) -> Tensor:
    """Twice the overlap of two maps over their sizes, 0..1 (Milletari et al., V-Net, 2016)."""
    return 2 * (said * taught).sum() / (said.square().sum() + taught.square().sum()).clamp(min=1e-6)


@torch.inference_mode()
def agreement(network: OnnxGraph, files: Sequence[Path], scale: float, detector: Detector) -> dict[str, float]:
    """Of the lines on stored canvases: shares that this network finds (recall) and that are lines (precision)."""
    found = same = expected = 0
    device = next(network.parameters()).device
    for file in files:
        canvas, text_map = load(file)
        size = canvas_size(canvas, scale)
        small = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA)
        said = network(torch.from_numpy(page_pixels(small)).to(device))[0, 0].cpu().numpy()
        height, width = canvas.shape[:2]
        ours = detector.boxes(said, height, width)
        theirs = detector.boxes(_as_probabilities(text_map), height, width)
        found, expected = found + len(ours), expected + len(theirs)
        same += sum(any(_iou(one, other) > SAME_BOX_IOU for other in ours) for one in theirs)
    return {"recall": round(same / max(1, expected), 4), "precision": round(same / max(1, found), 4)}


def _as_probabilities(text_map: TextMap) -> NDArray[np.float32]:
    return (text_map / 255).astype(np.float32)


def _iou(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Intersection over union of the upright boxes around two polygons."""
    low = np.maximum(one.min(axis=0), other.min(axis=0))
    high = np.minimum(one.max(axis=0), other.max(axis=0))
    inside = float(np.prod((high - low).clip(0)))
    areas = sum(float(np.prod(np.ptp(polygon, axis=0))) for polygon in (one, other))
    return inside / max(areas - inside, 1e-6)


def build_network(
    settings: DetectionSettings, training: Sequence[Path], start: DetectorWeights | None = None
) -> OnnxGraph:
    """PP-OCR's detector with the settings' share of hidden channels. start: of a detector that was trained before."""
    network = OnnxGraph(detector_onnx())
    if start:
        network.load_tensors(start.tensors)
    elif settings.channels < 1:
        crops: list[Page] = []
        for number in range(NARROWING_CROPS):
            rng = np.random.default_rng((settings.seed, number, 1))
            file = training[int(rng.integers(len(training)))]
            crops.append(crop(*load(file), settings.crop_px, settings.scale, rng)[0])
        batches = (torch.from_numpy(page_pixels(one)) for one in crops)
        network.load_tensors(narrowed_tensors(network, batches, settings.channels))
    return network


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__)
    command_line.add_reading_options(parser)
    parser.add_argument("--pages", type=Path, nargs="*", default=[], help="folders of further pictures of pages")
    parser.add_argument(
        "--start", type=Path, metavar="WEIGHTS", help="extraction weights with the detector to start with"
    )
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, DetectionSettings)
    folder = PageFolder(options.out / "pages")
    tables = pictures.load_folder(options.surfaces)
    held_out, labels = sroie.load(options.sroie, sroie.HELD_OUT), sroie.load_not_held_out(options.sroie)
    unseen = strips.synthetic_photos("everyday", VALIDATION_SEED, tables, "unseen")
    photos = strips.photos_of(strips.scans(options.sroie, labels), "everyday", SIMULATED_PHOTOS_SEED, tables)
    synthetic = strips.synthetic_photos("everyday", SYNTHETIC_SEED, tables, "known")
    validation = {
        "scans": folder.collect("kept_back", strips.scans(options.sroie, held_out), min(30, len(held_out))),
        "unseen typefaces": folder.collect("unseen", unseen, UNSEEN_PHOTOS),
    }
    training = [
        *folder.collect("scans", strips.scans(options.sroie, labels), len(labels)),
        *folder.collect("photographs", photos, len(labels) // 2),
        *folder.collect("synthetic", synthetic, settings.synthetic),
        *(
            file
            for one in options.pages
            for file in folder.collect(strips.name_of_pictures(one), *strips.pictures_of(one))
        ),
    ]
    task = DetectionTask(settings, training, validation, options.extraction, options.workers)
    start = DetectorWeights.load(options.start) if options.start else None
    network = build_network(settings, training, start).to(loop.default_device())
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=settings.weight_decay)
    task.export(loop.fit(task, network, optimizer, settings, options.out), options.out / loop.WEIGHTS)


if __name__ == "__main__":
    main()

"""Fine-tune the text recogniser (PP-OCR) on the kinds of documents that are read.

    python -m training.tasks.ocr.train training/configs/ocr.toml --out runs/reader --sroie DATA/sroie \\
        --surfaces DATA/surfaces --start models/extraction/weights --extraction models/extraction/weights

Run the same command again, with the same --start, to resume from the last checkpoint. At the end OUT/weights holds the
given extraction weights with the fine-tuned layers stored next to them: candidate weights, to be calibrated, evaluated
and promoted. OUT/history.jsonl is the history of the run.

All but the first of PP-OCR's layers are trained, and additional residual convolutions before the last layer, which add
nothing at first. With --start, training starts from the layers in that weights folder. Strips are cut and degraded
differently each time they are used. SROIE's transcripts are in capitals: on its strips, a letter and its capital count
as the same.

With `channels` below 1, PP-OCR's layers are narrowed first (training/narrowing.py), and with `distillation`,
the trained network also learns the probabilities that the initial weights, or those of --teacher, give for the strips
that they read right (Hinton et al., Distilling the knowledge in a neural network, 2015), as in
training/configs/ocr-narrow.toml.
With --pages, it also learns what the teacher reads with certainty on pictures without transcripts.
"""

import copy
import json
import logging
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import (
    backbone_onnx,
    emission_mask,
    padded_width,
    pretrained_layers,
    strips_to_pixels,
)
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.recogniser_graph import RecogniserBlock, RecogniserLayers
from docextract.images.geometry import Page
from training import command_line, loop
from training.datasets import pictures, sroie
from training.narrowing import narrowed_tensors
from training.tasks.ocr import augmentation, strips
from training.tasks.ocr.accents import accented_line
from training.tasks.ocr.numbers import line_of_numbers
from training.tasks.ocr.printed_lines import pages_of_lines
from training.tasks.ocr.ranges import measure_ranges
from training.tasks.ocr.strips import MARGIN_PX, StripCollector, TextStrips

log = logging.getLogger("training.tasks.ocr.train")

STRIPS = "strips"
ACCENTED_LINES = "accented"  # of the validation sets, the one with lines full of accents
SYNTHETIC_SEED, SIMULATED_PHOTOS_SEED, VALIDATION_SEED = 8601, 8602, 8603  # no evaluation set is made with them
ACCENTED_SEED, NUMBERS_SEED = 8604, 8605
VALIDATION_ACCENTED = 20  # pages, in unseen typefaces
VALIDATION_NUMBERS = 40  # simulated photos of pages, in unseen typefaces
VALIDATION_PHOTOS = 60  # simulated photos of synthetic documents, in unseen typefaces
LARGE_PRINT = 1.35  # of the median line height of a page; such as the names of shops
NEIGHBOURS = 400  # strips of similar width, of which a batch is drawn
OCR_EVALUATION_BATCH = 32
MAX_VALIDATION_STRIPS = 1000  # of each set
NARROWING_STRIPS = 1000  # from which it is seen which channels are needed
MEASURED_STRIPS = 500  # of every width, for the ranges of 8-bit integers
MAX_STRIP_LOSS = 30.0  # nats per character; above it the transcript belongs to another line


@dataclass(frozen=True, kw_only=True)
class OcrSettings(loop.Settings):
    """Settings of one training run, see training/configs/ocr.toml."""

    pixels: int
    early_lr: float
    fixed: int
    own_lr: float
    large: float
    learned_share: float
    synthetic: int
    accented: int
    blocks: int
    width: int
    kernel: int
    channels: float = 1.0  # share of the backbone's hidden channels that stays
    distillation: float = 0.0  # weight of the divergence from the initial weights' probabilities
    numbers: int = 0  # printed pages of numbers
    int8: bool = False  # learn to read in 8-bit integers, with ranges that are measured first


class TrainableRecogniser(nn.Module):
    """PP-OCR's recogniser with the layers of `RecogniserLayers`: pixels [N, 3, H, W] to logits [N, T, classes]."""

    def __init__(self, start: RecogniserLayers, settings: OcrSettings) -> None:
        """start: the initial weights. Raises ValueError if their shape is not that of the settings."""
        super().__init__()
        if start.blocks and len(start.blocks) != settings.blocks:
            raise ValueError(
                f"the initial weights have {len(start.blocks)} blocks; the settings have {settings.blocks}"
            )
        depth, classes = start.weight.shape
        width, kernel = settings.width, settings.kernel
        self.before = OnnxGraph(backbone_onnx(), settings.fixed)
        self.inner = nn.ModuleList(nn.Conv1d(depth, width, kernel, padding="same") for _ in range(settings.blocks))
        self.outer = nn.ModuleList(nn.Conv1d(width, depth, kernel, padding="same") for _ in range(settings.blocks))
        self.last = nn.Linear(depth, classes)
        with torch.no_grad():
            self.last.weight.copy_(torch.tensor(start.weight.T))
            self.last.bias.copy_(torch.tensor(start.bias))
            for layer in self.outer:
                for tensor in layer.parameters():
                    tensor.zero_()
            for block, inner, outer in zip(start.blocks, self.inner, self.outer, strict=False):
                for layer, values in ((inner, block.inner), (outer, block.outer)):
                    for tensor, value in zip(layer.parameters(), values, strict=True):
                        tensor.copy_(torch.tensor(value))
            self.before.load_tensors(start.backbone)
        self.before.ranges = start.ranges

    def forward(self, pixels: Tensor) -> Tensor:
        with loop.autocast(pixels.device.type):
            features = self.before(pixels)  # [N, T, D]
        features = features.float().transpose(1, 2)  # [N, D, T]
        for inner, outer in zip(self.inner, self.outer, strict=True):
            features = features + outer(torch.relu(inner(features)))
        return self.last(features.transpose(1, 2))  # type: ignore[no-any-return]

    def to_layers(self, classes: tuple[str, ...]) -> RecogniserLayers:
        """The trained layers, in the format that is stored next to the weights of extraction."""
        blocks = [
            RecogniserBlock(_arrays(inner), _arrays(outer)) for inner, outer in zip(self.inner, self.outer, strict=True)
        ]
        weight, bias = _arrays(self.last)
        weight = np.ascontiguousarray(weight.T)
        return RecogniserLayers(classes, weight, bias, tuple(blocks), self.before.tensors(), ranges=self.before.ranges)


def _arrays(layer: nn.Module) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    weight, bias = (tensor.detach().cpu().numpy() for tensor in layer.parameters())
    return weight, bias


@torch.no_grad()
def interpolate_weights(start: TrainableRecogniser, trained: TrainableRecogniser, share: float) -> TrainableRecogniser:
    """A network between two others. share: 0 for the start, 1 for the trained network.

    On print unlike all training data, such a network reads better than either (Wortsman et al., Robust fine-tuning of
    zero-shot models, 2022).
    """
    between = copy.deepcopy(trained)
    for weights, start_weights in zip(between.parameters(), start.parameters(), strict=True):
        weights.lerp_(start_weights, 1 - share)
    return between


class Alphabet:
    """Characters and their classes."""

    def __init__(self, classes: Sequence[str]) -> None:
        self.classes = tuple(classes)
        self._index = {char: index for index, char in enumerate(classes)}
        self._uppercase = torch.tensor([self._index.get(char.upper(), at) for at, char in enumerate(classes)])

    def has_all(self, text: str) -> bool:
        """Whether every character of the text has a class."""
        return all(char in self._index for char in text)

    def encode(self, text: str) -> Tensor:
        """Classes, int [len(text)]."""
        return torch.tensor([self._index[char] for char in text])

    def greedy_text(self, best: NDArray[np.intp]) -> str:
        """The text of a strip. best: the likeliest class of each column, [T]."""
        return " ".join("".join(self.classes[char] for char in best[emission_mask(best)]).split())

    def merge_case(self, log_probabilities: Tensor) -> Tensor:
        """[..., classes]; a capital gets the probability of its small letter too, and the small letter none."""
        probabilities = log_probabilities.exp()
        uppercase = self._uppercase.to(probabilities.device)
        merged = torch.zeros_like(probabilities).index_add(-1, uppercase, probabilities)
        return merged.clamp(min=1e-9).log()


@dataclass(frozen=True)
class OcrBatch:
    """N strips, degraded."""

    pixels: Tensor  # [N, 3, TEXT_STRIP_HEIGHT_PX, W]
    strips: TextStrips


class OcrTask(loop.Task):
    """Fine-tunes the recogniser on strips of similar width."""

    channels_last = True
    evaluate_first = True

    def __init__(
        self, settings: OcrSettings, start: RecogniserLayers, training: TextStrips,
        validation: Mapping[str, TextStrips], extraction: Path | None = None, teacher: RecogniserLayers | None = None,
        workers: int = 0,
    ) -> None:  # fmt: skip
        """start: the initial weights. extraction: weights folder that `export` copies, to store the layers next to.

        teacher: whose probabilities are learned, if `distillation` is not 0; with the same classes.
        workers: additional processes that make batches.
        """
        self._settings, self._start, self._extraction, self.workers = settings, start, extraction, workers
        self._teacher = build_network(teacher, settings).eval() if teacher and settings.distillation else None
        if self._teacher:
            self._teacher.to(loop.default_device(), memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.alphabet = Alphabet(start.classes)
        readable = [at for at, text in enumerate(expected_texts(training)) if self.alphabet.has_all(text)]
        self._strips, self._validation = training.select(readable), validation
        self._by_width = np.argsort(self._strips.widths, kind="stable")
        self._frequencies = np.where(self._strips.heights > LARGE_PRINT, settings.large, 1.0)

    def batch(self, step: int) -> OcrBatch:
        chosen = self._draw(np.random.default_rng((self._settings.seed, step)))
        rng = np.random.default_rng((self._settings.seed, step, 1))
        return OcrBatch(_to_tensor([augmentation.degrade(chosen.pixels(at), rng) for at in range(len(chosen))]), chosen)

    def _draw(self, rng: np.random.Generator) -> TextStrips:
        at = int(rng.integers(len(self._by_width)))
        nearby = self._by_width[max(0, at - NEIGHBOURS // 2) : at + NEIGHBOURS // 2]
        widest_px = padded_width(int(self._strips.widths[nearby[-1]]) + MARGIN_PX)
        count = min(max(1, self._settings.pixels // widest_px), len(nearby))
        probabilities = self._frequencies[nearby] / self._frequencies[nearby].sum()
        return self._strips.select(rng.choice(nearby, count, replace=False, p=probabilities).tolist())

    def losses(self, network: TrainableRecogniser, batch: OcrBatch) -> dict[str, Tensor]:
        pixels = batch.pixels.to(network.last.weight.device)
        logits = network(pixels)
        losses = {"characters": ctc_loss(logits, batch.strips, self.alphabet)}
        if self._teacher:
            with torch.no_grad():
                taught = self._teacher(pixels)
            right = torch.tensor(self._are_right(taught, batch.strips), device=pixels.device)
            losses["distillation"] = self._settings.distillation * divergence(logits, taught, right)
        return losses

    def _are_right(self, logits: Tensor, labelled: TextStrips) -> list[bool]:
        """For each strip, whether these logits [N, T, classes] give its text."""
        given = match_case([self.alphabet.greedy_text(best) for best in logits.argmax(-1).cpu().numpy()], labelled)
        return [text == expected for text, expected in zip(given, expected_texts(labelled), strict=True)]

    def evaluate(self, network: TrainableRecogniser) -> dict[str, dict[str, float]]:
        return {
            name: ocr_accuracy(network, self.alphabet, held_out.at_most(MAX_VALIDATION_STRIPS))
            for name, held_out in self._validation.items()
        }

    def export(self, network: TrainableRecogniser, folder: Path) -> None:
        """Write a network between the start and the trained one, see `interpolate_weights`."""
        if self._extraction:
            shutil.copytree(self._extraction, folder, dirs_exist_ok=True)
        start = build_network(self._start, self._settings).to(network.last.weight.device)
        served = interpolate_weights(start, network, self._settings.learned_share)
        scores = {name: ocr_accuracy(served, self.alphabet, held_out) for name, held_out in self._validation.items()}
        log.info("exported %s", json.dumps(scores))
        served.to_layers(self.alphabet.classes).save(folder)


def build_network(start: RecogniserLayers, settings: OcrSettings) -> TrainableRecogniser:
    """It reads as the initial weights do; additional convolutions are random, the same for the same seed."""
    torch.manual_seed(settings.seed)
    return TrainableRecogniser(start, settings)


def with_ranges(start: RecogniserLayers, settings: OcrSettings, training: TextStrips) -> RecogniserLayers:
    """The weights with the ranges of what their convolutions read."""
    by_width = np.argsort(training.widths, kind="stable")[:: max(1, len(training) // MEASURED_STRIPS)]
    device = loop.default_device()
    batches = (pixels_of(training.select([at])).to(device) for at in by_width.tolist())
    return replace(start, ranges=measure_ranges(build_network(start, settings).before.to(device), batches))


def narrow(start: RecogniserLayers, settings: OcrSettings, training: TextStrips) -> RecogniserLayers:
    """The weights with the settings' share of hidden channels, of those that are trained."""
    some = training.at_most(NARROWING_STRIPS)
    by_width = np.argsort(some.widths, kind="stable")
    parts = np.array_split(by_width, math.ceil(len(some) / OCR_EVALUATION_BATCH))
    device = loop.default_device()
    graph = build_network(start, settings).before.to(device)
    batches = (pixels_of(some.select(part.tolist())).to(device) for part in parts)
    return replace(start, backbone=narrowed_tensors(graph, batches, settings.channels))


def build_optimizer(network: TrainableRecogniser, settings: OcrSettings) -> torch.optim.Optimizer:
    """AdamW; layers that start with PP-OCR's weights have a smaller learning rate than additional ones."""
    additional = [*network.inner.parameters(), *network.outer.parameters()]
    groups = [
        {"params": additional, "lr_scale": 1.0},
        {"params": network.last.parameters(), "lr_scale": settings.own_lr},
        {"params": network.before.parameters(), "lr_scale": settings.early_lr},
    ]
    return torch.optim.AdamW(groups, weight_decay=settings.weight_decay)


def ctc_loss(logits: Tensor, batch: TextStrips, alphabet: Alphabet) -> Tensor:
    """CTC loss in nats per character. logits: [N, T, classes]."""
    log_probabilities = logits.log_softmax(-1)
    device = logits.device
    cased = torch.tensor(batch.cased, device=device)[:, None, None]
    log_probabilities = torch.where(cased, log_probabilities, alphabet.merge_case(log_probabilities))
    targets = [alphabet.encode(text) for text in expected_texts(batch)]
    target_lengths = torch.tensor([len(target) for target in targets], device=device)
    lengths = torch.full((len(batch),), logits.shape[1], device=device)
    losses = functional.ctc_loss(
        log_probabilities.transpose(0, 1), torch.cat(targets).to(device), lengths, target_lengths,
        reduction="none", zero_infinity=True,
    )  # fmt: skip
    return (losses * (losses / target_lengths < MAX_STRIP_LOSS)).sum() / target_lengths.sum()


def divergence(logits: Tensor, taught: Tensor, right: Tensor) -> Tensor:
    """Kullback–Leibler divergence of the probabilities from those taught, in nats per column.

    logits, taught: [N, T, classes]. right: bool [N], the strips that count.
    """
    log_probabilities, target = (one.log_softmax(-1) for one in (logits, taught))
    by_column = functional.kl_div(log_probabilities, target, reduction="none", log_target=True).sum(-1)
    return (by_column * right[:, None]).sum() / (right.sum() * logits.shape[1]).clamp(min=1)


def pixels_of(batch: TextStrips) -> Tensor:
    """Strips as they are served, not degraded: [N, 3, TEXT_STRIP_HEIGHT_PX, W]."""
    return _to_tensor([batch.line(at) for at in range(len(batch))])


def _to_tensor(images: Sequence[Page]) -> Tensor:
    """images: uint8 [TEXT_STRIP_HEIGHT_PX, w, 3], RGB, each. returns: [N, 3, TEXT_STRIP_HEIGHT_PX, W]."""
    pixels = strips_to_pixels(images, [image.shape[1] for image in images])
    return torch.from_numpy(pixels).to(memory_format=torch.channels_last)


def ocr_accuracy(network: TrainableRecogniser, alphabet: Alphabet, labelled: TextStrips) -> dict[str, float]:
    """Shares of correct lines and of wrong characters; case counts where it is labelled."""
    expected = expected_texts(labelled)
    recognised = match_case(recognise(network, alphabet, labelled), labelled)
    errors = [Levenshtein.distance(text, truth) for text, truth in zip(recognised, expected, strict=True)]
    lines = sum(not count for count in errors) / len(labelled)
    return {"lines": round(lines, 4), "wrong_characters": round(sum(errors) / sum(map(len, expected)), 4)}


@torch.inference_mode()
def recognise(network: TrainableRecogniser, alphabet: Alphabet, labelled: TextStrips) -> list[str]:
    """The recognised text of each strip, in input order."""
    texts: dict[int, str] = {}
    by_width = np.argsort([padded_width(int(width)) for width in labelled.widths], kind="stable")
    for part in np.array_split(by_width, math.ceil(len(by_width) / OCR_EVALUATION_BATCH)):
        indices = part.tolist()
        pixels = pixels_of(labelled.select(indices)).to(network.last.weight.device)
        for at, best in zip(indices, network(pixels).argmax(-1).cpu().numpy(), strict=True):
            texts[at] = alphabet.greedy_text(best)
    return [texts[at] for at in range(len(labelled))]


def expected_texts(labelled: TextStrips) -> list[str]:
    """The text to recognise on each strip: in capitals where case is not labelled."""
    return match_case(labelled.texts, labelled)


def match_case(texts: Sequence[str], labelled: TextStrips) -> list[str]:
    """One text for each strip: in capitals where the strip's case is not labelled, else unchanged."""
    return [text if cased else text.upper() for text, cased in zip(texts, labelled.cased, strict=True)]


def training_strips(collector: StripCollector, settings: OcrSettings, root: Path, surfaces: Path | None) -> TextStrips:
    """Real receipts, scanned and as simulated photos, and synthetic documents of every type. root: of SROIE."""
    labels = sroie.load_not_held_out(root)
    tables = pictures.load_folder(surfaces)
    scans = strips.scans(root, labels)
    photos = strips.photos_of(scans, "everyday", SIMULATED_PHOTOS_SEED, tables)
    accented = pages_of_lines(accented_line, ACCENTED_SEED, "known")
    numbers = pages_of_lines(line_of_numbers, NUMBERS_SEED, "known")
    synthetic = strips.synthetic_photos("everyday", SYNTHETIC_SEED, tables, "known")
    return (
        collector.collect("synthetic", synthetic, settings.synthetic, cased=True)
        + collector.collect("accented", accented, settings.accented, cased=True)
        + collector.collect("numbers", numbers, settings.numbers, cased=True)
        + collector.collect("scans", scans, len(labels), cased=False)
        + collector.collect("photographs", photos, len(labels), cased=False)
    )


def validation_strips(collector: StripCollector, root: Path | None, surfaces: Path | None) -> dict[str, TextStrips]:
    """Strips that are not trained on, by the name of their set. root: of SROIE, whose held-out receipts are one set."""
    tables = pictures.load_folder(surfaces)
    synthetic = strips.synthetic_photos("everyday", VALIDATION_SEED, tables, "unseen")
    accented = pages_of_lines(accented_line, VALIDATION_SEED, "unseen")
    numbers = pages_of_lines(line_of_numbers, VALIDATION_SEED, "unseen")
    numbers_photos = strips.photos_of(numbers, "everyday", VALIDATION_SEED, tables)
    unseen = {
        "unseen typefaces": collector.collect("unseen", synthetic, VALIDATION_PHOTOS, cased=True),
        ACCENTED_LINES: collector.collect("accented-unseen", accented, VALIDATION_ACCENTED, cased=True),
        "numbers": collector.collect("numbers-unseen", numbers_photos, VALIDATION_NUMBERS, cased=True),
    }
    if root is None:
        return unseen
    labels = sroie.load(root, sroie.HELD_OUT)
    return {"scans": collector.collect("kept_back", strips.scans(root, labels), len(labels), cased=False)} | unseen


def _layers(folder: Path | None) -> RecogniserLayers:
    """Those in a folder of extraction weights, or PP-OCR's; computed in floating point."""
    stored = recogniser_graph.load_layers(folder) if folder else None
    return replace(stored or pretrained_layers(), ranges={})


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__)
    command_line.add_reading_options(parser)
    parser.add_argument(
        "--start", type=Path, metavar="WEIGHTS", help="extraction weights whose recogniser is the start"
    )
    parser.add_argument(
        "--teacher", type=Path, metavar="WEIGHTS", help="extraction weights whose reader is the teacher; else the start"
    )
    parser.add_argument("--pages", type=Path, nargs="*", default=[], help="folders of further pictures of pages")
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, OcrSettings)
    collector = StripCollector(options.out / STRIPS)
    validation = validation_strips(collector, options.sroie, options.surfaces)
    training = training_strips(collector, settings, options.sroie, options.surfaces)
    teacher_weights = options.teacher or options.start
    start, teacher = _layers(options.start), _layers(teacher_weights)
    reader = Reader.load(teacher_weights) if teacher_weights else Reader()
    for one in options.pages:
        name = strips.name_of_pictures(one, reader.digest)
        training += collector.collect_read(name, *strips.pictures_of(one), reader)
    if settings.channels < 1:
        start = narrow(start, settings, training)
    if settings.int8:
        start = with_ranges(start, settings, training)
    task = OcrTask(settings, start, training, validation, options.extraction, teacher, options.workers)
    network = build_network(start, settings).to(loop.default_device())
    optimizer = build_optimizer(network, settings)
    task.export(loop.fit(task, network, optimizer, settings, options.out), options.out / loop.WEIGHTS)


if __name__ == "__main__":
    main()

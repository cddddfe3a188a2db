"""Text detection and text recognition with PP-OCR's networks, as RapidOCR distributes them.

OpenVINO runs them on CPUs, torch on GPUs; both in bfloat16 where that is faster than float32: up to twice as fast.
A recogniser that has ranges is run in 8-bit integers on CPUs. docs/reading-speed.md compares the alternatives.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.ctc import BLANK_CLASS, ColumnOptions, CtcHypothesis, prefix_beam_search
from docextract.extraction.ocr.detector_graph import with_faster_nodes, with_image_input
from docextract.extraction.ocr.detector_weights import DetectorWeights
from docextract.extraction.ocr.int8 import Ranges, with_int8_convolutions
from docextract.extraction.ocr.language_model import LanguageModel
from docextract.extraction.ocr.openvino_import import import_openvino
from docextract.extraction.ocr.recogniser_graph import RecogniserGraph, RecogniserLayers
from docextract.images.geometry import Page
from docextract.processors import has_fast_bfloat16

Pixels = NDArray[np.float32]  # of strips, [N, 3, H, W], BGR, -1..1
NetworkInput = Pixels | NDArray[np.uint8]  # canvases [N, H, W, 3], RGB
NetworkOutput = NDArray[np.float32]
_Result = TypeVar("_Result")

DETECTION_MODEL, RECOGNITION_MODEL = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
CANVAS_STEP_PX = 32  # the sides of a detection canvas are multiples of it
MAP_THRESHOLD, BOX_THRESHOLD, UNCLIP_RATIO = 0.3, 0.5, 1.6  # PP-OCR's defaults, see DBPostProcess
# Steps per px in which boxes are reported. DBPostProcess rounds to whole px, which on a small scan is a twelfth of a
# line's height: 0.6 % of the lines of 40 receipts were read wrong because of it.
BOX_STEPS_PER_PX = 8
TEXT_STRIP_HEIGHT_PX = 48  # height of a line in the input of the recogniser
MIN_STRIP_WIDTH_PX = 96  # after padding; with PP-OCR's own 320, two fifths of all pixels are padding
# On a GPU, a large batch takes hardly longer than a small one. Strips, fewer of those that are longer than
# FULL_BATCH_WIDTH_PX; and pixels of a batch of canvases: 8 pages. CPUs read one strip after another: batches of four
# were no faster, and their shapes took 90 MB more.
GPU_STRIPS_PER_BATCH, FULL_BATCH_WIDTH_PX, GPU_CANVAS_PIXELS_PER_BATCH = 64, 160, 8 * 1280 * 960
# On a GPU, each new shape of an input costs a second or two, probably while cuDNN plans every layer. So canvases are
# filled up to multiples of this, and batches to powers of two.
GPU_CANVAS_STEP_PX = 128
# Size of OpenVINO's cache of kernels per layer and input shape. Pages have many shapes: with the default of 5000,
# memory was still growing after 200 pages. Strips have few shapes.
PAGE_SHAPES, STRIP_SHAPES = 200, 5000
# A column is certain if its likeliest class has this probability. In other columns, classes with at least that share of
# the likeliest class's probability are considered.
CERTAIN_PROBABILITY, MIN_OPTION_RATIO = 0.98, 0.015
LETTERS = ((0x0020, 0x024F), (0x2010, 0x214F))  # Latin; dashes, quotes, superscript digits, currencies, № and ™


@dataclass(frozen=True)
class Engine:
    """Settings of the inference library."""

    threads: int = 1
    library: Literal["openvino", "torch", "onnxruntime"] = "openvino"  # ONNX Runtime is for comparisons alone
    # auto: 8-bit integers where ranges are known, else bfloat16 where that is faster than float32
    precision: Literal["auto", "bf16", "f32"] = "auto"
    device: str = "cpu"  # of torch
    letters: tuple[tuple[int, int], ...] = LETTERS  # ranges of code points to recognise; () for all that PP-OCR has


def engine_for(device: str, threads: int) -> Engine:
    """Return the settings for a torch device, such as `cpu` or `cuda:0`. threads: on CPUs."""
    return Engine(threads) if device == "cpu" else Engine(threads, "torch", device=device)


@dataclass(frozen=True)
class RecognisedText:
    """The text of one strip. The sequences have one entry per character."""

    text: str
    confidence: float  # mean probability of the likeliest characters, even if others were chosen; 0 without any
    columns: NDArray[np.intp]  # at which the characters were emitted, 0..column_count
    column_count: float  # columns that the strip covers, without padding
    alternatives: tuple[str, ...] = ()  # the likeliest other character; "" if there is none
    odds: NDArray[np.float32] = field(  # of the alternatives over the characters of the text, 0..1
        default_factory=lambda: np.zeros(0, np.float32)
    )


class Detector:
    """Finds text lines on pages."""

    def __init__(self, engine: Engine, weights: DetectorWeights | None = None) -> None:
        """weights: replace PP-OCR's own."""
        from rapidocr.ch_ppocr_det.utils import DBPostProcess

        self._engine = engine
        model = weights.applied_to(detector_onnx()) if weights else detector_onnx()
        model = with_image_input(with_faster_nodes(model))
        self._network = _load_network(model, engine, streams=1, cached_shapes=PAGE_SHAPES)
        self._boxes = DBPostProcess(MAP_THRESHOLD, BOX_THRESHOLD, unclip_ratio=UNCLIP_RATIO, use_dilation=True)

    def detect(self, pages: Sequence[Page], scales: Sequence[float]) -> Iterator[list[NDArray[np.float32]]]:
        """Yield the boxes [4, 2] of each page in px of the page, clockwise from the top left; in input order.

        On CPUs, the next page is processed while the caller uses the boxes of one. scales: approximate canvas px per
        page px.
        """
        return _in_order(
            (index, self.boxes(text_map, pages[index].shape[0], pages[index].shape[1]))
            for index, text_map in self._text_maps(pages, scales)
        )

    def text_maps(self, pages: Sequence[Page], scales: Sequence[float]) -> list[NetworkOutput]:
        """Return how likely each place of each page is print, 0..1, [H, W] of its canvas. scales: see `detect`."""
        by_page = dict(self._text_maps(pages, scales))
        return [by_page[index] for index in range(len(pages))]

    def _text_maps(self, pages: Sequence[Page], scales: Sequence[float]) -> Iterator[tuple[int, NetworkOutput]]:
        """Yield the index of each page and its map, in any order."""
        on_gpu = self._engine.device != "cpu"
        sizes = [canvas_size(page, scale) for page, scale in zip(pages, scales, strict=True)]
        filled = [_filled_up(size) if on_gpu else size for size in sizes]
        batches = _batches_of_canvases(filled, GPU_CANVAS_PIXELS_PER_BATCH if on_gpu else 0)
        canvases = (
            np.stack([_canvas(pages[index], sizes[index], scales[index], filled[index]) for index in batch])
            for batch in batches
        )
        for batch, maps in zip(batches, self._network(canvases), strict=True):
            for index, text_map in zip(batch, maps[:, 0], strict=True):
                width, height = sizes[index]
                yield index, text_map[:height, :width]

    def boxes(self, text_map: NetworkOutput, height: int, width: int) -> list[NDArray[np.float32]]:
        """Return the boxes of a map [H, W], in px of its page of this height and width."""
        boxes, _ = self._boxes(text_map[None, None], (height * BOX_STEPS_PER_PX, width * BOX_STEPS_PER_PX))
        return [box.astype(np.float32) / BOX_STEPS_PER_PX for box in boxes]


def canvas_size(page: Page, scale: float) -> tuple[int, int]:
    """Return width and height in px of the canvas of a page."""
    height, width = (
        max(CANVAS_STEP_PX, round(side * scale / CANVAS_STEP_PX) * CANVAS_STEP_PX) for side in page.shape[:2]
    )
    return width, height


def _filled_up(size: tuple[int, int]) -> tuple[int, int]:
    width, height = (math.ceil(side / GPU_CANVAS_STEP_PX) * GPU_CANVAS_STEP_PX for side in size)
    return width, height


def _canvas(page: Page, size: tuple[int, int], scale: float, filled: tuple[int, int]) -> Page:
    """Return a page in this size; its border is continued to the right and below up to `filled`."""
    canvas = cv2.resize(page, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    if filled != size:
        right, down = (side - own for side, own in zip(filled, size, strict=True))
        canvas = cv2.copyMakeBorder(canvas, 0, down, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(canvas, np.uint8)


def _batches_of_canvases(sizes: Sequence[tuple[int, int]], pixels: int) -> list[list[int]]:
    """Return batches of indices of canvases of one size, each with at least one canvas and at most so many pixels."""
    by_size: dict[tuple[int, int], list[int]] = {}
    for index, size in enumerate(sizes):
        by_size.setdefault(size, []).append(index)
    batches = []
    for (width, height), indices in by_size.items():
        count = max(1, pixels // (width * height))
        batches += [indices[start : start + count] for start in range(0, len(indices), count)]
    return sorted(batches)


@dataclass(frozen=True)
class _StripColumns:
    """The class probabilities of a strip with T columns, reduced to what decoding needs."""

    best: NDArray[np.intp]  # [T], the likeliest class
    probability: NDArray[np.float32]  # [T], of the likeliest class
    second: NDArray[np.intp]  # [T], the next likeliest character of columns that emit one; otherwise 0
    odds: NDArray[np.float32]  # [T], of the second over the likeliest
    options: Mapping[int, ColumnOptions]  # of the uncertain columns


class Recogniser:
    """Reads strips, each with one text line."""

    def __init__(
        self, engine: Engine, layers: RecogniserLayers | None = None, language_model: LanguageModel | None = None
    ) -> None:
        """Load the weights.

        layers: replace PP-OCR's own for the engine's letters.
        language_model: chooses among texts that the pixels leave open; without it, the likeliest class of each column
                        is taken.
        """
        layers = layers or pretrained_layers(engine.letters)
        self._classes = np.array(layers.classes)
        self._network = _load_network(
            recogniser_onnx(layers), engine, engine.threads, cached_shapes=STRIP_SHAPES, ranges=layers.ranges
        )
        self._language_model = language_model
        self._strips_per_batch = 1 if engine.device == "cpu" else GPU_STRIPS_PER_BATCH

    def read(self, strips: Sequence[Page], pixels_only: bool = False) -> list[RecognisedText]:
        """Return one text per strip, in input order.

        strips: uint8 [h, w, 3], RGB, level. pixels_only: do not use the language model.
        """
        columns: dict[int, _StripColumns] = {}
        texts: dict[int, RecognisedText] = {}
        hypotheses: dict[int, list[CtcHypothesis]] = {}
        # In any order, so that the network processes other strips meanwhile.
        for index, strip, column_count in _run_network(strips, self._network, self._strips_per_batch):
            columns[index], texts[index] = strip, self._greedy_text(strip, column_count)
            if self._language_model and not pixels_only and strip.options:
                hypotheses[index] = prefix_beam_search(strip.best.tolist(), strip.options)
        if self._language_model:
            for index, hypothesis in self._choose_hypotheses(hypotheses, self._language_model).items():
                if self._text(hypothesis.classes) != texts[index].text:
                    texts[index] = self._replace_text(texts[index], columns[index], hypothesis)
        return [texts[index] for index in range(len(strips))]

    def _choose_hypotheses(
        self, hypotheses: Mapping[int, Sequence[CtcHypothesis]], language_model: LanguageModel
    ) -> dict[int, CtcHypothesis]:
        """Return the likeliest hypothesis by pixels and language, for each strip with more than one."""
        hypotheses = {index: some for index, some in hypotheses.items() if len(some) > 1}
        texts = [" ".join(self._text(one.classes).split()) for some in hypotheses.values() for one in some]
        log_likelihoods = language_model.log_likelihoods(texts)
        chosen, start = {}, 0
        for index, some in hypotheses.items():
            language = log_likelihoods[start : start + len(some)]
            scores = [one.log_likelihood for one in some] + language_model.weight * language
            chosen[index] = some[int(np.argmax(scores))]
            start += len(some)
        return chosen

    def _text(self, classes: Sequence[int] | NDArray[np.intp]) -> str:
        return "".join(self._classes[np.asarray(classes, np.intp)])

    def _greedy_text(self, strip: _StripColumns, column_count: float) -> RecognisedText:
        """Take the likeliest class of each column."""
        columns = np.flatnonzero(emission_mask(strip.best))
        return RecognisedText(
            self._text(strip.best[columns]),
            float(strip.probability[columns].mean()) if len(columns) else 0.0,
            columns,
            column_count,
            tuple(self._classes[strip.second[columns]].tolist()),
            strip.odds[columns],
        )

    def _replace_text(self, greedy: RecognisedText, strip: _StripColumns, chosen: CtcHypothesis) -> RecognisedText:
        """Return the chosen text in place of the greedy one. The confidence stays: it describes the pixels."""
        alternatives = [
            _alternative(strip, column, class_) for column, class_ in zip(chosen.columns, chosen.classes, strict=True)
        ]
        return replace(
            greedy,
            text=self._text(chosen.classes),
            columns=np.array(chosen.columns, np.intp),
            alternatives=tuple(self._classes[[other for other, _ in alternatives]].tolist()),
            odds=np.array([odds for _, odds in alternatives], np.float32),
        )


def _alternative(strip: _StripColumns, column: int, class_: int) -> tuple[int, float]:
    """Return the likeliest other character of a column and its odds; BLANK_CLASS and 0 if there is none.

    The odds are at most 1, even if the pixels prefer the other character.
    """
    if column not in strip.options:
        return int(strip.second[column]), float(strip.odds[column])
    classes, probabilities = strip.options[column]
    chosen = float(probabilities[classes == class_][0])
    others = [
        (float(probability), int(other))
        for other, probability in zip(classes, probabilities, strict=True)
        if other not in (class_, BLANK_CLASS)
    ]
    probability, other = max(others, default=(0.0, BLANK_CLASS))
    return other, min(1.0, probability / chosen)


def _run_network(
    strips: Sequence[Page], network: "_Network", strips_per_batch: int
) -> Iterator[tuple[int, _StripColumns, float]]:
    """Yield the index of each strip, its columns, and how many of them are no padding; in any order."""
    widths = [math.ceil(TEXT_STRIP_HEIGHT_PX * strip.shape[1] / strip.shape[0]) for strip in strips]
    batches = group_by_width([padded_width(width) for width in widths], strips_per_batch)
    pixels = (
        strips_to_pixels([strips[index] for index in batch], [widths[index] for index in batch]) for batch in batches
    )
    for batch, probabilities in zip(batches, network(pixels), strict=True):
        for index, strip in zip(batch, _reduce(probabilities), strict=True):
            yield index, strip, len(strip.best) * widths[index] / padded_width(widths[index])


def _in_order(numbered: Iterable[tuple[int, _Result]]) -> Iterator[_Result]:
    """Yield results, numbered from 0 without gaps, in the order of their numbers, each as early as possible."""
    waiting: dict[int, _Result] = {}
    following = 0
    for number, result in numbered:
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def padded_width(width: int) -> int:
    """Return the width in px that a strip of this width is padded to.

    There are few such widths: OpenVINO keeps 10 MB of kernels for each, and takes 3 ms more for a strip that is not as
    wide as the strip before. From MIN_STRIP_WIDTH_PX on, at most a third is added, and a ninth on average.
    """
    step = 32 if width <= 192 else 64 if width <= 384 else 128 if width <= 768 else 256
    return max(MIN_STRIP_WIDTH_PX, math.ceil(width / step) * step)


def group_by_width(widths: Sequence[int], strips_per_batch: int) -> list[list[int]]:
    """Return batches of strip indices. A batch has one padded width, so that other strips do not change a result.

    strips_per_batch: of FULL_BATCH_WIDTH_PX or less; fewer, but at least one, of longer strips. The widest come first,
    so that no thread is left with a long batch at the end.
    """
    by_width: dict[int, list[int]] = {}
    for index in sorted(range(len(widths)), key=lambda index: -widths[index]):
        by_width.setdefault(widths[index], []).append(index)
    batches = []
    for width, some in by_width.items():
        count = max(1, min(strips_per_batch, strips_per_batch * FULL_BATCH_WIDTH_PX // width))
        batches += [some[start : start + count] for start in range(0, len(some), count)]
    return batches


def strips_to_pixels(strips: Sequence[Page], widths: Sequence[int]) -> Pixels:
    """Scale strips to these widths, and pad them to the padded width of the widest."""
    pixels = np.zeros((len(strips), 3, TEXT_STRIP_HEIGHT_PX, padded_width(max(widths))), np.float32)
    for row, strip, width in zip(pixels, strips, widths, strict=True):
        scaled = cv2.resize(strip, (width, TEXT_STRIP_HEIGHT_PX))
        row[:, :, :width] = scaled[..., ::-1].transpose(2, 0, 1) * np.float32(1 / 127.5) - np.float32(1)
    return pixels


def _reduce(probabilities: NetworkOutput) -> list[_StripColumns]:
    """Reduce the probabilities [N, T, classes] of N strips."""
    best = probabilities.argmax(2)
    best_probability = np.take_along_axis(probabilities, best[..., None], 2)[..., 0]
    second, odds = np.zeros_like(best), np.zeros_like(best_probability)
    emitted = emission_mask(best)
    others = probabilities[emitted]  # [emitted, classes]
    others[:, BLANK_CLASS] = 0
    np.put_along_axis(others, best[emitted][:, None], 0, 1)
    second[emitted] = others.argmax(1)
    odds[emitted] = others.max(1, initial=0) / best_probability[emitted]
    options = [_options(*strip) for strip in zip(best_probability, probabilities, strict=True)]
    return [_StripColumns(*strip) for strip in zip(best, best_probability, second, odds, options, strict=True)]


def _options(best_probability: NDArray[np.float32], probabilities: NetworkOutput) -> dict[int, ColumnOptions]:
    """Return the possible classes of uncertain columns. best_probability: [T]. probabilities: [T, classes]."""
    options = {}
    for column in np.flatnonzero(best_probability < CERTAIN_PROBABILITY).tolist():
        classes = np.flatnonzero(probabilities[column] > MIN_OPTION_RATIO * best_probability[column])
        if len(classes) > 1:
            options[column] = classes, probabilities[column, classes]
    return options


def emission_mask(best: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return where a character is emitted: in CTC, repetitions without a blank between are one. best: [..., T]."""
    begins = np.ones(best.shape, np.bool_)
    begins[..., 1:] = best[..., 1:] != best[..., :-1]
    return np.asarray(begins & (best != BLANK_CLASS))


def pretrained_layers(letters: Sequence[tuple[int, int]] = LETTERS) -> RecogniserLayers:
    """Return PP-OCR's own layers. letters: see Engine."""
    return _with_letters(RecogniserGraph(_model_file(RECOGNITION_MODEL)).pretrained_layers(), letters)


def backbone_onnx() -> bytes:
    """Return PP-OCR's recogniser without its classifier, as ONNX: pixels [N, 3, H, W] to features [N, T, D]."""
    return RecogniserGraph(_model_file(RECOGNITION_MODEL)).backbone()


def recogniser_onnx(layers: RecogniserLayers) -> bytes:
    """Return the recogniser with these layers, as ONNX: pixels [N, 3, H, W] to probabilities [N, T, classes]."""
    return RecogniserGraph(_model_file(RECOGNITION_MODEL)).with_layers(layers)


def _with_letters(layers: RecogniserLayers, letters: Sequence[tuple[int, int]]) -> RecogniserLayers:
    return layers.with_classes(
        [index for index, char in enumerate(layers.classes) if index == BLANK_CLASS or _is_in(char, letters)]
    )


def _is_in(char: str, letters: Sequence[tuple[int, int]]) -> bool:
    return not letters or any(first <= ord(char) <= last for first, last in letters)


def detector_onnx() -> bytes:
    """Return PP-OCR's detector, as ONNX: pixels [N, 3, H, W] to a map of print, 0..1, [N, 1, H, W]."""
    return _model_file(DETECTION_MODEL).read_bytes()


def _model_file(name: str) -> Path:
    import rapidocr

    return Path(rapidocr.__file__).parent / "models" / name


class _Network(Protocol):
    """Runs a network on several inputs and yields one output per input, in input order.

    While the caller uses an output, other inputs may be processed. Outputs must be used up, or dropped, before the next
    call.
    """

    def __call__(self, inputs: Iterable[NetworkInput]) -> Iterator[NetworkOutput]: ...


def _load_network(
    network: bytes, engine: Engine, streams: int, cached_shapes: int, ranges: Ranges = MappingProxyType({})
) -> _Network:
    """network: ONNX. streams: inputs processed in parallel. The others are for OpenVINO only.

    cached_shapes: see PAGE_SHAPES. ranges: of inputs of convolutions, see `int8`.
    """
    if engine.library == "openvino":
        return _OpenVinoNetwork(network, engine, streams, cached_shapes, ranges)
    return _TorchNetwork(network, engine) if engine.library == "torch" else _OnnxRuntimeNetwork(network, engine)


class _OpenVinoNetwork:
    def __init__(self, network: bytes, engine: Engine, streams: int, cached_shapes: int, ranges: Ranges) -> None:
        core = import_openvino().Core()
        model = core.read_model(network)
        native = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") and has_fast_bfloat16()
        precision = engine.precision if engine.precision != "auto" else "bf16" if native else "f32"
        if ranges and engine.precision == "auto":
            model, precision = with_int8_convolutions(model, ranges), "f32"  # of all that is not a convolution
        options = {
            "INFERENCE_NUM_THREADS": engine.threads,
            "NUM_STREAMS": streams,
            "INFERENCE_PRECISION_HINT": precision,
            # Pinned threads wait for a core on which another process works: a page took four times its CPU seconds.
            "ENABLE_CPU_PINNING": False,
            "CPU_RUNTIME_CACHE_CAPACITY": cached_shapes,
        }
        # One request more than are processed at a time, so that there is always a next one while an output is used.
        compiled = core.compile_model(model, "CPU", options)
        self._requests = [compiled.create_infer_request() for _ in range(streams + 1)]

    def __call__(self, inputs: Iterable[NetworkInput]) -> Iterator[NetworkOutput]:
        for request in self._requests:  # a caller that raised has left some running; their errors were its own
            with suppress(RuntimeError):
                request.wait()
        running: deque[Any] = deque()
        # Requests are waited for in turn: a callback waits for other Python code, and meanwhile its thread runs no
        # network.
        for batch, request in zip(inputs, cycle(self._requests), strict=False):
            outputs = [self._output(running.popleft())] if len(running) == len(self._requests) else []
            request.start_async({0: batch})
            running.append(request)
            yield from outputs
        yield from map(self._output, running)

    def _output(self, request: Any) -> NetworkOutput:
        request.wait()
        return np.asarray(request.get_output_tensor(0).data.copy())


class _TorchNetwork:
    def __init__(self, network: bytes, engine: Engine) -> None:
        import torch

        from docextract.extraction.ocr.onnx_graph import OnnxGraph

        self._device, self._graph = torch.device(engine.device), OnnxGraph(network).to(engine.device).eval()
        native = self._device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        self._bfloat16 = native if engine.precision == "auto" else engine.precision == "bf16"
        self._fills_batches = self._device.type != "cpu"  # up to powers of two, see GPU_CANVAS_STEP_PX

    def __call__(self, inputs: Iterable[NetworkInput]) -> Iterator[NetworkOutput]:
        return map(self._output, inputs)

    def _output(self, batch: NetworkInput) -> NetworkOutput:
        import torch

        count = len(batch)
        inputs = torch.from_numpy(batch).to(self._device)
        if self._fills_batches:
            missing = (1 << (count - 1).bit_length()) - count
            inputs = torch.cat([inputs, inputs.new_zeros((missing, *inputs.shape[1:]))])
        with torch.inference_mode(), torch.autocast(self._device.type, torch.bfloat16, enabled=self._bfloat16):
            return np.asarray(self._graph(inputs)[:count].float().cpu())


class _OnnxRuntimeNetwork:
    """As RapidOCR runs the networks, for comparisons."""

    def __init__(self, network: bytes, engine: Engine) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = engine.threads
        self._session = onnxruntime.InferenceSession(network, options, ["CPUExecutionProvider"])

    def __call__(self, inputs: Iterable[NetworkInput]) -> Iterator[NetworkOutput]:
        name = self._session.get_inputs()[0].name
        for batch in inputs:
            yield self._session.run(None, {name: batch})[0]

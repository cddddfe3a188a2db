"""PP-OCR's two networks as RapidOCR carries them: where print is, and what it says.

OpenVINO runs them on a processor, in bfloat16 where the processor multiplies that natively: twice as fast as in
float32. A GPU takes ONNX Runtime. docs/reading-speed.md has what was tried.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.ctc import BLANK, ColumnOptions, CtcHypothesis, prefix_beam_search
from docextract.extraction.ocr.language_model import LanguageModel
from docextract.extraction.ocr.recogniser_graph import RecogniserGraph, RecogniserLayers
from docextract.images.geometry import Page

Pixels = NDArray[np.float32]  # [N, 3, H, W], BGR, -1..1
Raw = NDArray[np.float32]
Out = TypeVar("Out")

DETECTION, RECOGNITION = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
STEP_PX = 32  # sides of a detection canvas are multiples of it
MAP_THRESHOLD, BOX_THRESHOLD, UNCLIP = 0.3, 0.5, 1.6  # PP-OCR's own, see DBPostProcess
# To a pixel. DBPostProcess rounds to whole ones: on a small scan a twelfth of a line's height, for which 0.6 % of the
# lines of 40 receipts were read wrong.
BOX_STEPS = 8
TEXT_STRIP_HEIGHT_PX = 48  # height of a line as recognition wants it
MIN_STRIP_WIDTH_PX = 96  # its least width; with PP-OCR's own 320, two fifths of all pixels are padding
STRIPS_AT_ONCE = 4  # of one padded width: more are no faster, and each new shape costs 20 ms once
# OpenVINO keeps what it has prepared for a layer and a shape. Pages come in many shapes: with its usual 5000, memory
# was still growing after 200 of them. Strips come in few.
PAGE_SHAPES, STRIP_SHAPES = 200, 5000
# A column that is of one class with this chance is settled; elsewhere classes with that share of the likeliest one's
# chance are thought of.
SETTLED, NEAR = 0.98, 0.015
LETTERS = ((0x0020, 0x024F), (0x2010, 0x214F))  # Latin; dashes, quotes, raised figures, currencies, № and ™


@dataclass(frozen=True)
class Engine:
    """What runs the networks."""

    threads: int = 1
    library: Literal["openvino", "onnxruntime"] = "openvino"
    precision: Literal["auto", "bf16", "f32"] = "auto"  # OpenVINO's. auto: bfloat16 where it is native
    cuda: bool = False  # on a GPU if onnxruntime-gpu is installed, whatever the library
    letters: tuple[tuple[int, int], ...] = LETTERS  # first and last code point; () for all that PP-OCR knows


@dataclass(frozen=True)
class RecognisedText:
    """What a strip says."""

    text: str
    confidence: float  # mean of the likeliest characters, whether they or others are said; 0 without any
    columns: NDArray[np.intp]  # at which each character was emitted, 0..span
    span: float  # columns that the strip takes
    others: tuple[str, ...] = ()  # the likeliest other character at each column; "" where there is none
    odds: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(0, np.float32)
    )  # of these over what is said, 0..1


class Detector:
    """Finds lines of print."""

    def __init__(self, engine: Engine) -> None:
        """Load the weights."""
        from rapidocr.ch_ppocr_det.utils import DBPostProcess

        self._network = _start(_weights(DETECTION), engine, streams=1, shapes=PAGE_SHAPES)
        self._boxes = DBPostProcess(MAP_THRESHOLD, BOX_THRESHOLD, unclip_ratio=UNCLIP, use_dilation=True)

    def find(self, page: Page, scale: float) -> list[NDArray[np.float32]]:
        """Boxes [4, 2] in px of the page, clockwise from the top left. scale: canvas px per page px, about."""
        height, width = page.shape[:2]
        size = tuple(max(STEP_PX, round(side * scale / STEP_PX) * STEP_PX) for side in (width, height))
        canvas = cv2.resize(page, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        pixels = cv2.dnn.blobFromImage(canvas, 1 / 127.5, mean=(127.5, 127.5, 127.5), swapRB=True)  # [1, 3, H, W]
        fine = (height * BOX_STEPS, width * BOX_STEPS)
        (found,) = self._network([np.asarray(pixels, np.float32)], lambda raw: self._boxes(raw, fine)[0])
        return [box.astype(np.float32) / BOX_STEPS for box in found]


@dataclass(frozen=True)
class _Columns:
    """What stands at each of T columns of a strip."""

    best: NDArray[np.intp]  # the likeliest class
    sure: NDArray[np.float32]  # how likely it is
    second: NDArray[np.intp]  # the next likeliest character, where one is emitted; elsewhere 0
    odds: NDArray[np.float32]  # of that one over the likeliest
    options: Mapping[int, ColumnOptions]  # of the columns that are not settled


class Recogniser:
    """Reads strips of print."""

    def __init__(
        self, engine: Engine, layers: RecogniserLayers | None = None, language: LanguageModel | None = None
    ) -> None:
        """Load the weights. layers: in the place of PP-OCR's own for the engine's letters.

        language: chooses among texts that the pixels leave open; the likeliest class of each column without.
        """
        recognition = RecogniserGraph(_weights(RECOGNITION))
        layers = layers or _of_letters(recognition.own(), engine.letters)
        self._letters = np.array(layers.classes)
        self._network = _start(recognition.with_layers(layers), engine, streams=engine.threads, shapes=STRIP_SHAPES)
        self._language = language

    def read(self, strips: Sequence[Page], by_pixels: bool = False) -> list[RecognisedText]:
        """What each says, in the order given. strips: uint8 [h, w, 3], RGB, level. by_pixels: by these alone."""
        found = _each(strips, self._network)
        said = [self._said(columns, span) for columns, span in found]
        if self._language and not by_pixels:
            for at, chosen in self._chosen([columns for columns, _ in found], self._language).items():
                if self._text(chosen.classes) != said[at].text:
                    said[at] = self._mended(said[at], found[at][0], chosen)
        return said

    def _chosen(self, found: Sequence[_Columns], language: LanguageModel) -> dict[int, CtcHypothesis]:
        """Of the strips that may say several texts the likeliest by what the pixels and the language say together."""
        ways = {at: prefix_beam_search(one.best.tolist(), one.options) for at, one in enumerate(found) if one.options}
        ways = {at: some for at, some in ways.items() if len(some) > 1}
        texts = [" ".join(self._text(one.classes).split()) for some in ways.values() for one in some]
        likely = language.log_likelihoods(texts)
        chosen, start = {}, 0
        for at, some in ways.items():
            own = [one.log_likelihood for one in some] + language.weight * likely[start : start + len(some)]
            chosen[at] = some[int(np.argmax(own))]
            start += len(some)
        return chosen

    def _text(self, classes: Sequence[int] | NDArray[np.intp]) -> str:
        return "".join(self._letters[np.asarray(classes, np.intp)])

    def _said(self, found: _Columns, span: float) -> RecognisedText:
        columns = np.flatnonzero(emission_mask(found.best))
        return RecognisedText(
            self._text(found.best[columns]),
            float(found.sure[columns].mean()) if len(columns) else 0.0,
            columns, span, tuple(self._letters[found.second[columns]].tolist()), found.odds[columns],
        )  # fmt: skip

    def _mended(self, said: RecognisedText, found: _Columns, chosen: CtcHypothesis) -> RecognisedText:
        """The text that was chosen in the place of what the pixels say, which are as clear as they were."""
        beside = [_beside(found, column, class_) for column, class_ in zip(chosen.columns, chosen.classes, strict=True)]
        return replace(
            said, text=self._text(chosen.classes), columns=np.array(chosen.columns, np.intp),
            others=tuple(self._letters[[other for other, _ in beside]].tolist()),
            odds=np.array([odds for _, odds in beside], np.float32),
        )  # fmt: skip


def _beside(found: _Columns, column: int, class_: int) -> tuple[int, float]:
    """The likeliest other character where one was chosen, and its odds; BLANK and 0 where there is none.

    What it was chosen over is no likelier than it, whatever the pixels say.
    """
    if column not in found.options:
        return int(found.second[column]), float(found.odds[column])
    classes, chances = found.options[column]
    own = float(chances[classes == class_][0])
    others = [(float(chance), int(other)) for other, chance in zip(classes, chances, strict=True)
              if other not in (class_, BLANK)]  # fmt: skip
    chance, other = max(others, default=(0.0, BLANK))
    return other, min(1.0, chance / own)


def _each(strips: Sequence[Page], network: "_Network") -> list[tuple[_Columns, float]]:
    """What `_columns` has of each strip, in the order given, and how many columns the strip takes."""
    widths = [math.ceil(TEXT_STRIP_HEIGHT_PX * strip.shape[1] / strip.shape[0]) for strip in strips]
    packs = group_by_width([padded_width(width) for width in widths])
    pixels = (strips_to_pixels([strips[at] for at in pack], [widths[at] for at in pack]) for pack in packs)
    found = {
        at: (row, len(row.best) * widths[at] / padded_width(widths[at]))
        for pack, rows in zip(packs, network(pixels, _columns), strict=True)
        for at, row in zip(pack, rows, strict=True)
    }
    return [found[at] for at in range(len(strips))]


def padded_width(width: int) -> int:
    """The width that a strip is padded to. Few, so that shapes are met again."""
    step = 32 if width <= 256 else 64 if width <= 512 else 128
    return max(MIN_STRIP_WIDTH_PX, math.ceil(width / step) * step)


def group_by_width(widths: Sequence[int]) -> list[list[int]]:
    """Which strips are read together, by their place: those of one width, so that neighbours change nothing.

    The widest come first: when threads share the packs, none is left with a long one at the end.
    """
    same: dict[int, list[int]] = {}
    for at in sorted(range(len(widths)), key=lambda at: -widths[at]):
        same.setdefault(widths[at], []).append(at)
    return [
        some[start : start + STRIPS_AT_ONCE] for some in same.values() for start in range(0, len(some), STRIPS_AT_ONCE)
    ]


def strips_to_pixels(strips: Sequence[Page], widths: Sequence[int]) -> Pixels:
    """Strips scaled to these widths, padded to what the widest is padded to."""
    pixels = np.zeros((len(strips), 3, TEXT_STRIP_HEIGHT_PX, padded_width(max(widths))), np.float32)
    for row, strip, width in zip(pixels, strips, widths, strict=True):
        scaled = cv2.resize(strip, (width, TEXT_STRIP_HEIGHT_PX))
        row[:, :, :width] = scaled[..., ::-1].transpose(2, 0, 1) * np.float32(1 / 127.5) - np.float32(1)
    return pixels


def _columns(chances: Raw) -> list[_Columns]:
    """Of each of N strips: chances [N, T, classes]."""
    best = chances.argmax(2)
    sure = np.take_along_axis(chances, best[..., None], 2)[..., 0]
    second, odds = np.zeros_like(best), np.zeros_like(sure)
    said = emission_mask(best)
    some = chances[said]  # [emitted, classes]
    some[:, BLANK] = 0
    np.put_along_axis(some, best[said][:, None], 0, 1)
    second[said] = some.argmax(1)
    odds[said] = some.max(1, initial=0) / sure[said]
    options = [_options(*row) for row in zip(best, sure, chances, strict=True)]
    return [_Columns(*row) for row in zip(best, sure, second, odds, options, strict=True)]


def _options(best: NDArray[np.intp], sure: NDArray[np.float32], chances: Raw) -> dict[int, ColumnOptions]:
    """Of the columns of a strip that are not settled: best, sure [T]; chances [T, classes]."""
    found = {}
    for column in np.flatnonzero(sure < SETTLED).tolist():
        near = np.flatnonzero(chances[column] > NEAR * sure[column])
        if len(near) > 1:
            found[column] = near, chances[column, near]
    return found


def emission_mask(best: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Where a character is said. CTC: the same character again without a blank between is one. best: [..., T]"""
    begins = np.ones(best.shape, np.bool_)
    begins[..., 1:] = best[..., 1:] != best[..., :-1]
    return np.asarray(begins & (best != BLANK))


def pretrained_layers() -> RecogniserLayers:
    """PP-OCR's own, for LETTERS."""
    return _of_letters(RecogniserGraph(_weights(RECOGNITION)).own(), LETTERS)


def backbone_onnx() -> bytes:
    """PP-OCR's recogniser up to where its last layers begin, as ONNX: pixels [N, 3, H, W] → [N, T, D]."""
    return RecogniserGraph(_weights(RECOGNITION)).without_last()


def _of_letters(layers: RecogniserLayers, letters: Sequence[tuple[int, int]]) -> RecogniserLayers:
    return layers.only([at for at, char in enumerate(layers.classes) if at == BLANK or _is_known(char, letters)])


def _is_known(char: str, letters: Sequence[tuple[int, int]]) -> bool:
    return not letters or any(first <= ord(char) <= last for first, last in letters)


def _weights(name: str) -> Path:
    import rapidocr

    return Path(rapidocr.__file__).parent / "models" / name


class _Network(Protocol):
    """Answers for several inputs, in order. digest: takes what is wanted of what comes out, and keeps none of it."""

    def __call__(self, inputs: Iterable[Pixels], digest: Callable[[Raw], Out]) -> list[Out]: ...


def _start(network: bytes | Path, engine: Engine, streams: int, shapes: int) -> _Network:
    """network: as ONNX. streams: inputs that are worked on at once. shapes: see OpenVINO's cache."""
    if engine.library == "onnxruntime" or (engine.cuda and _has_cuda()):
        return _OnnxRuntime(network, engine)
    return _OpenVino(network, engine, streams, shapes)


def _has_cuda() -> bool:
    import onnxruntime

    return "CUDAExecutionProvider" in onnxruntime.get_available_providers()


class _OpenVino:
    def __init__(self, network: bytes | Path, engine: Engine, streams: int, shapes: int) -> None:
        import openvino

        core = openvino.Core()
        precision: str = engine.precision
        if precision == "auto":
            precision = "bf16" if "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "f32"
        options = {
            "INFERENCE_NUM_THREADS": engine.threads,
            "NUM_STREAMS": streams,
            "INFERENCE_PRECISION_HINT": precision,
            # Pinned, threads wait for a core on which another process works: a page took four times its CPU seconds.
            "ENABLE_CPU_PINNING": False,
            "CPU_RUNTIME_CACHE_CAPACITY": shapes,
        }
        self._queue = openvino.AsyncInferQueue(core.compile_model(core.read_model(network), "CPU", options), streams)

    def __call__(self, inputs: Iterable[Pixels], digest: Callable[[Raw], Out]) -> list[Out]:
        found: dict[int, Out] = {}

        def done(request: Any, at: int) -> None:
            found[at] = digest(request.get_output_tensor(0).data)

        self._queue.set_callback(done)
        for at, pixels in enumerate(inputs):
            self._queue.start_async({0: pixels}, at)
        self._queue.wait_all()  # raises what a callback raised
        return [found[at] for at in range(len(found))]


class _OnnxRuntime:
    def __init__(self, network: bytes | Path, engine: Engine) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = engine.threads
        providers = ["CUDAExecutionProvider"] if engine.cuda and _has_cuda() else []
        self._session = onnxruntime.InferenceSession(network, options, [*providers, "CPUExecutionProvider"])

    def __call__(self, inputs: Iterable[Pixels], digest: Callable[[Raw], Out]) -> list[Out]:
        return [digest(self._session.run(None, {"x": pixels})[0]) for pixels in inputs]

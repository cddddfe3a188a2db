"""Serves a public LayoutLMv3 or LiLT checkpoint as an extraction model: it labels the words of our OCR.

Both are transformers' token classifiers over subwords with boxes. LayoutLMv3 (Huang et al. 2022, arXiv:2204.08387) also
sees a small copy of the page, LiLT (Wang et al. 2022, arXiv:2202.13669) does not. Their labels have the form
B-MENU.NM. Values are decoded as for our own network, so they have polygons, checks and confidences.
`python -m docextract.registry import-layout` makes a candidate of a checkpoint.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.field_mapping import FieldMapping
from docextract.documents.values import Conventions
from docextract.extraction.checkpoints import common
from docextract.extraction.checkpoints.common import CHECKPOINT_FOLDER, CheckpointConfig
from docextract.extraction.layout.calibration import UNCALIBRATED, Calibration
from docextract.extraction.layout.candidates import Candidates
from docextract.extraction.layout.labels import NO_FIELD, LabelProbabilities, begin_label, inside_label
from docextract.extraction.layout.pieces import Piece, substring_polygon
from docextract.extraction.layout.postprocessing import LayoutOutput, PredictionBuilder
from docextract.extraction.ocr.ppocr import engine_for
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.rows import in_reading_order
from docextract.extraction.ocr.upright import turn_upright
from docextract.images.geometry import Page, size_of, turn_page
from docextract.predictions import OTHER_TYPE, PagePrediction, TextLine

WINDOW_TOKENS = 512  # input length of the networks; longer pages are split into several windows
WINDOW_BATCH_SIZE = 8
_WORD = re.compile(r"\S+")
_LABEL = re.compile(r"(?:(?P<place>[BIESLU])-)?(?P<name>.+)")
_BEGIN_PREFIXES = ("B-", "S-", "U-")
_NO_BOX = (0, 0, 0, 0)  # of special tokens

# W windows, T tokens, K labels of the checkpoint


@dataclass(frozen=True)
class TokenWindow:
    """Consecutive words of a page as one input of the network."""

    page: int
    words: tuple[int, ...]  # indices of its words
    firsts: tuple[int, ...]  # position of each word's first token
    tokens: tuple[int, ...]
    boxes: tuple[tuple[int, int, int, int], ...]  # of each token: x0, y0, x1, y1 in thousandths of the page


class PublicLayout:
    """OCR and one checkpoint."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        image_processor: Any,
        config: CheckpointConfig,
        mapping: FieldMapping,
        calibration: Calibration,
        reader: Reader,
    ) -> None:
        """image_processor: LayoutLMv3ImageProcessorPil, or None for a network without pixel input."""
        self._model = model
        self._tokenizer = tokenizer
        self._image_processor = image_processor
        self._document_type = document_types()[config.document_type]
        self._builder = PredictionBuilder((config.document_type, OTHER_TYPE), config.fields, calibration)
        self._conventions = Conventions(
            mapping.date_order or "DMY", mapping.currency, currency_confidence=1.0 if mapping.currency else 0.0
        )
        self._label_map = _label_map(label_names(model), mapping, config.fields)
        self._reader = reader

    @classmethod
    def load(cls, folder: Path, device: str = "cpu", threads: int | None = None) -> "PublicLayout":
        """Load from a folder of weights, see common.py. threads: of the OCR; None for as many as torch uses."""
        config = CheckpointConfig.load(folder)
        dtype = common.inference_dtype(device)
        model, tokenizer, image_processor = open_layout_model(folder / CHECKPOINT_FOLDER, dtype)
        mapping, calibration = common.load_field_mapping(folder), common.load_calibration(folder, UNCALIBRATED)
        reader = Reader(engine_for(device, threads or torch.get_num_threads()))
        return cls(model.to(device), tokenizer, image_processor, config, mapping, calibration, reader)

    @property
    def types(self) -> tuple[str, ...]:
        """The types that pages can get, "other" included."""
        return self._builder.types

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        """Return one prediction per page, in input order. document_types: a type's name or "auto" for each page."""
        outputs, turns = self._layout_outputs(pages)
        return [
            replace(self._builder.build(output, name), quarter_turns=quarter_turns)
            for output, name, quarter_turns in zip(outputs, document_types, turns, strict=True)
        ]

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """Return the candidates of each page, to fit the calibration to."""
        return [self._builder.candidates(self._document_type, output) for output in self._layout_outputs(pages)[0]]

    def _layout_outputs(self, pages: Sequence[Page]) -> tuple[list[LayoutOutput], list[int]]:
        """Return what the network says about each page after as many quarter turns as are returned with it."""
        upright = [
            turn_upright(found, size_of(page)) for found, page in zip(self._reader.read(pages), pages, strict=True)
        ]
        turns = [quarter_turns for _, quarter_turns in upright]
        lines = [in_reading_order(found) for found, _ in upright]
        words = [tuple(split_into_words(found)) for found in lines]
        labels = self._labels([turn_page(*page) for page in zip(pages, turns, strict=True)], words)
        return [self._layout_output(*page) for page in zip(lines, words, labels, strict=True)], turns

    def _layout_output(
        self, lines: tuple[TextLine, ...], words: tuple[Piece, ...], labels: NDArray[np.float32]
    ) -> LayoutOutput:
        # The network does not predict the type. A page of another type has no word with a high field probability.
        probability = float(labels[:, 1:].max(initial=0.0))
        types = np.array([probability, 1 - probability], np.float32)
        starts = _row_starts(labels.argmax(axis=1), self._builder.fields)
        return LayoutOutput(lines, words, LabelProbabilities(labels, starts), types, self._conventions)

    def _labels(self, pages: Sequence[Page], words: Sequence[Sequence[Piece]]) -> list[NDArray[np.float32]]:
        """Return the probabilities of our labels for each page, [words, labels]."""
        labels = [np.zeros((len(some), self._label_map.shape[1]), np.float32) for some in words]
        windows = [
            window
            for number, (page, some) in enumerate(zip(pages, words, strict=True))
            for window in split_into_windows(number, some, page.shape[1], page.shape[0], self._tokenizer)
        ]
        for start in range(0, len(windows), WINDOW_BATCH_SIZE):
            batch = windows[start : start + WINDOW_BATCH_SIZE]
            for window, probabilities in zip(batch, self._run_network(pages, batch), strict=True):
                labels[window.page][list(window.words)] = probabilities[list(window.firsts)] @ self._label_map
        return labels

    @torch.inference_mode()
    def _run_network(self, pages: Sequence[Page], windows: Sequence[TokenWindow]) -> NDArray[np.float32]:
        """Return the probabilities of the checkpoint's labels, [W, T, K]; those of padding are meaningless."""
        longest = max(len(window.tokens) for window in windows)
        tokens = torch.full((len(windows), longest), self._tokenizer.pad_token_id)  # [W, T]
        boxes = torch.zeros(len(windows), longest, 4, dtype=torch.long)  # [W, T, 4]
        mask = torch.zeros(len(windows), longest, dtype=torch.long)  # [W, T]
        for row, window in enumerate(windows):
            length = len(window.tokens)
            tokens[row, :length] = torch.tensor(window.tokens)
            boxes[row, :length] = torch.tensor(window.boxes)
            mask[row, :length] = 1
        inputs = {"input_ids": tokens, "bbox": boxes, "attention_mask": mask}
        if self._image_processor is not None:
            images = [pages[window.page] for window in windows]
            pixels = self._image_processor(images=images, apply_ocr=False, return_tensors="pt").pixel_values
            inputs["pixel_values"] = pixels.to(self._model.dtype)
        logits = self._model(**{name: tensor.to(self._model.device) for name, tensor in inputs.items()}).logits
        probabilities: NDArray[np.float32] = logits.float().softmax(-1).cpu().numpy()  # [W, T, K]
        return probabilities


def split_into_words(lines: Sequence[TextLine]) -> Iterator[Piece]:
    """Yield the words between spaces, the units that such networks are trained on."""
    for number, line in enumerate(lines):
        for match in _WORD.finditer(line.text):
            polygon = substring_polygon(line, *match.span())
            yield Piece(match[0], number, *match.span(), True, polygon, polygon, line.confidence)


def split_into_windows(
    page: int, words: Sequence[Piece], width: int, height: int, tokenizer: Any
) -> Iterator[TokenWindow]:
    """Yield windows of consecutive words, each with as many as fit. width, height: of the page, px."""
    max_tokens = WINDOW_TOKENS - 2  # without the begin and the end token
    encoded = tokenizer.backend_tokenizer.encode_batch(
        [[word.text] for word in words], is_pretokenized=True, add_special_tokens=False
    )
    tokens_by_word = [one.ids[:max_tokens] or [tokenizer.unk_token_id] for one in encoded]
    for window in _runs([len(tokens) for tokens in tokens_by_word], max_tokens):
        tokens, boxes, firsts = [tokenizer.cls_token_id], [_NO_BOX], []
        for index in window:
            firsts.append(len(tokens))
            tokens += tokens_by_word[index]
            boxes += [_thousandths(words[index], width, height)] * len(tokens_by_word[index])
        yield TokenWindow(page, tuple(window), tuple(firsts), (*tokens, tokenizer.sep_token_id), (*boxes, _NO_BOX))


def _runs(lengths: Sequence[int], max_length: int) -> Iterator[range]:
    """Yield runs of consecutive items with a total length of at most max_length."""
    start, used = 0, 0
    for index, length in enumerate(lengths):
        if used + length > max_length:
            yield range(start, index)
            start, used = index, 0
        used += length
    if lengths:
        yield range(start, len(lengths))


def _thousandths(word: Piece, width: int, height: int) -> tuple[int, int, int, int]:
    low, high = word.polygon.min(axis=0), word.polygon.max(axis=0)
    corners = np.array([low[0] / width, low[1] / height, high[0] / width, high[1] / height])
    left, top, right, bottom = (corners.clip(0, 1) * 1000).astype(int).tolist()
    return left, top, right, bottom


def label_names(model: Any) -> list[str]:
    """Return the names of the network's labels, in the order of its output."""
    names = model.config.id2label
    return [str(names[number]) for number in range(len(names))]


def field_name(label: str) -> str | None:
    """Return the field name in a label: "menu.nm" for "B-MENU.NM", None for "O"."""
    match = _LABEL.fullmatch(label)
    return match["name"].lower() if match and label != "O" else None


def _label_map(labels: Sequence[str], mapping: FieldMapping, fields: Sequence[str]) -> NDArray[np.float32]:
    """Return the matrix from the checkpoint's label probabilities to ours, [K, our labels].

    Labels that we have no field for become "no field".
    """
    matrix = np.zeros((len(labels), 1 + 2 * len(fields)), np.float32)
    index = {name: number for number, name in enumerate(fields)}
    for row, label in zip(matrix, labels, strict=True):
        name = field_name(label)
        number = index.get(mapping.map_name(name) or "") if name else None
        if number is None:
            row[NO_FIELD] = 1
        else:
            row[begin_label(number) if label.startswith(_BEGIN_PREFIXES) else inside_label(number)] = 1
    return matrix


def _row_starts(labels: NDArray[np.int64], fields: Sequence[str]) -> NDArray[np.float32]:
    """Return 1 where a row of a list begins, [T]: wherever the field begins with which the first row began."""
    starts = np.zeros(len(labels), np.float32)
    first_labels: dict[str, int] = {}  # the label with which each list begins
    group_of = {begin_label(number): name.rpartition(".")[0] for number, name in enumerate(fields) if "." in name}
    for index, label in enumerate(labels.tolist()):
        if label in group_of:
            starts[index] = first_labels.setdefault(group_of[label], label) == label
    return starts


def open_layout_model(folder: Path, dtype: torch.dtype) -> tuple[Any, Any, Any]:
    """Return the network, its tokenizer, and its image processor or None."""
    library = common.import_transformers()
    model = common.load_transformers_model(library.AutoModelForTokenClassification, folder, dtype)
    tokenizer = library.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if model.config.model_type != "layoutlmv3":
        return model, tokenizer, None
    processor_class = library.LayoutLMv3ImageProcessorPil
    if (folder / "preprocessor_config.json").exists():
        return model, tokenizer, processor_class.from_pretrained(folder, local_files_only=True)
    return model, tokenizer, processor_class()

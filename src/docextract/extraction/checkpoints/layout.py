"""Pages in, found values out: our reader's words, labelled by a public LayoutLMv3 or LiLT.

Both are transformers' token classifiers over subwords with boxes; LayoutLMv3 (Huang et al. 2022, arXiv:2204.08387)
looks at a small copy of the page too, LiLT (Wang et al. 2022, arXiv:2202.13669) does not. Labels are of the form
B-MENU.NM; what they mean is found as for our own network, so values have polygons, checks and confidences.
`python -m docextract.registry import-layout` makes a candidate of one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from docextract.extraction.layout.pieces import Piece, substring_polygon
from docextract.extraction.layout.postprocessing import LayoutOutput, PredictionBuilder
from docextract.extraction.layout.spans import NO_FIELD, Candidates, LabelProbabilities, begin_label, inside_label
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.rows import in_reading_order
from docextract.images.geometry import Page
from docextract.predictions import OTHER_TYPE, PagePrediction, TextLine

WINDOW = 512  # tokens a network sees at once; what goes on behind is another window
WINDOW_BATCH_SIZE = 8
_WORD = re.compile(r"\S+")
_LABEL = re.compile(r"(?:(?P<place>[BIESLU])-)?(?P<name>.+)")
_BEGINNINGS = ("B", "S", "U")
_NOWHERE = (0, 0, 0, 0)  # where a token stands that is not printed


@dataclass(frozen=True)
class Window:
    """Some words of a page as the network takes them."""

    page: int
    words: tuple[int, ...]  # whose labels it tells
    firsts: tuple[int, ...]  # where the first token of each stands
    tokens: tuple[int, ...]
    boxes: tuple[tuple[int, int, int, int], ...]  # one for each token: x0, y0, x1, y1 in thousandths of the page


class PublicLayout:
    """The reader and one checkpoint."""

    def __init__(
        self, model: Any, tokenizer: Any, pixels: Any, setting: CheckpointConfig, naming: FieldMapping, calibration: Calibration,
        reader: Reader,
    ) -> None:  # fmt: skip
        """pixels: LayoutLMv3ImageProcessorPil, or None for a network that sees none."""
        self._model = model
        self._tokenizer = tokenizer
        self._pixels = pixels
        self._kind = document_types()[setting.document_type]
        self._finder = PredictionBuilder((setting.document_type, OTHER_TYPE), setting.fields, calibration)
        self._conventions = Conventions(naming.date_order or "DMY", naming.currency)
        self._ours = _translation(label_names(model), naming, setting.fields)
        self._reader = reader

    @classmethod
    def load(cls, folder: Path, device: str = "cpu", threads: int | None = None) -> "PublicLayout":
        """From a folder of weights, see checkpoints.py. threads: the reader's; as many as torch uses."""
        setting = CheckpointConfig.load(folder)
        model, tokenizer, pixels = open_checkpoint(folder / CHECKPOINT_FOLDER, common.inference_dtype(device))
        naming, calibration = common.load_naming(folder), common.load_calibration(folder, UNCALIBRATED)
        reader = Reader(threads or torch.get_num_threads(), cuda=device != "cpu")
        return cls(model.to(device), tokenizer, pixels, setting, naming, calibration, reader)

    @property
    def types(self) -> tuple[str, ...]:
        """What a page can be taken for, "other" included."""
        return self._finder.types

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        """Answer for each page, in the order given. document_types: a type's name or "auto" for each page."""
        views = self._views(pages)
        return [self._finder.build(view, wanted) for view, wanted in zip(views, document_types, strict=True)]

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """What calibration is fitted to, for each page."""
        return [self._finder.candidates(self._kind, view) for view in self._views(pages)]

    def _views(self, pages: Sequence[Page]) -> list[LayoutOutput]:
        lines = [in_reading_order(found) for found in self._reader.read(pages)]
        words = [tuple(split_into_words(found)) for found in lines]
        labels = self._labels(pages, words)
        return [self._view(*one) for one in zip(lines, words, labels, strict=True)]

    def _view(self, lines: tuple[TextLine, ...], words: tuple[Piece, ...], labels: NDArray[np.float32]) -> LayoutOutput:
        # It is not asked what the page is; one of another type has no word that is surely one of its fields.
        sure = float(labels[:, 1:].max(initial=0.0))
        types = np.array([sure, 1 - sure], np.float32)
        starts = _row_starts(labels.argmax(axis=1), self._finder.fields)
        return LayoutOutput(lines, words, LabelProbabilities(labels, starts), types, self._conventions)

    def _labels(self, pages: Sequence[Page], words: Sequence[Sequence[Piece]]) -> list[NDArray[np.float32]]:
        """For each page the probabilities of our labels, [words, labels]."""
        labels = [np.zeros((len(some), self._ours.shape[1]), np.float32) for some in words]
        windows = [
            window
            for number, (page, some) in enumerate(zip(pages, words, strict=True))
            for window in split_into_windows(number, some, page.shape[1], page.shape[0], self._tokenizer)
        ]
        for start in range(0, len(windows), WINDOW_BATCH_SIZE):
            some_windows = windows[start : start + WINDOW_BATCH_SIZE]
            for window, said in zip(some_windows, self._look(pages, some_windows), strict=True):
                labels[window.page][list(window.words)] = said[list(window.firsts)] @ self._ours
        return labels

    @torch.inference_mode()
    def _look(self, pages: Sequence[Page], windows: Sequence[Window]) -> NDArray[np.float32]:
        """Probabilities of the network's own labels, [W, T, K]; those of padding are meaningless."""
        longest = max(len(window.tokens) for window in windows)
        tokens = torch.full((len(windows), longest), self._tokenizer.pad_token_id)  # [W, T]
        boxes = torch.zeros(len(windows), longest, 4, dtype=torch.long)
        mask = torch.zeros(len(windows), longest, dtype=torch.long)
        for row, window in enumerate(windows):
            length = len(window.tokens)
            tokens[row, :length] = torch.tensor(window.tokens)
            boxes[row, :length] = torch.tensor(window.boxes)
            mask[row, :length] = 1
        given = {"input_ids": tokens, "bbox": boxes, "attention_mask": mask}
        if self._pixels is not None:
            seen = [pages[window.page] for window in windows]
            pixels = self._pixels(images=seen, apply_ocr=False, return_tensors="pt").pixel_values
            given["pixel_values"] = pixels.to(self._model.dtype)
        logits = self._model(**{name: part.to(self._model.device) for name, part in given.items()}).logits
        said: NDArray[np.float32] = logits.float().softmax(-1).cpu().numpy()
        return said


def split_into_words(lines: Sequence[TextLine]) -> Iterator[Piece]:
    """What stands between spaces, as such networks were taught."""
    for number, line in enumerate(lines):
        for match in _WORD.finditer(line.text):
            yield Piece(match[0], number, *match.span(), True, substring_polygon(line, *match.span()), line.confidence)


def split_into_windows(page: int, words: Sequence[Piece], width: int, height: int, tokenizer: Any) -> Iterator[Window]:
    """Words in order, as many at once as there is room for. width, height: of the page, px."""
    room = WINDOW - 2  # a token that begins, and one that ends
    encoded = tokenizer.backend_tokenizer.encode_batch(
        [[word.text] for word in words], is_pretokenized=True, add_special_tokens=False
    )
    spelled = [one.ids[:room] or [tokenizer.unk_token_id] for one in encoded]
    for some in _runs([len(tokens) for tokens in spelled], room):
        tokens, boxes, firsts = [tokenizer.cls_token_id], [_NOWHERE], []
        for at in some:
            firsts.append(len(tokens))
            tokens += spelled[at]
            boxes += [_thousandths(words[at], width, height)] * len(spelled[at])
        yield Window(page, tuple(some), tuple(firsts), (*tokens, tokenizer.sep_token_id), (*boxes, _NOWHERE))


def _runs(lengths: Sequence[int], room: int) -> Iterator[range]:
    """What follows one another and fits into the room together."""
    start, used = 0, 0
    for at, length in enumerate(lengths):
        if used + length > room:
            yield range(start, at)
            start, used = at, 0
        used += length
    if lengths:
        yield range(start, len(lengths))


def _thousandths(word: Piece, width: int, height: int) -> tuple[int, int, int, int]:
    low, high = word.polygon.min(axis=0), word.polygon.max(axis=0)
    corners = np.array([low[0] / width, low[1] / height, high[0] / width, high[1] / height])
    left, top, right, bottom = (corners.clip(0, 1) * 1000).astype(int).tolist()
    return left, top, right, bottom


def label_names(model: Any) -> list[str]:
    """What the network's labels are called, in their order."""
    names = model.config.id2label
    return [str(names[number]) for number in range(len(names))]


def field_name(label: str) -> str | None:
    """B-MENU.NM → menu.nm; None for O."""
    match = _LABEL.fullmatch(label)
    return match["name"].lower() if match and label != "O" else None


def _translation(labels: Sequence[str], naming: FieldMapping, fields: Sequence[str]) -> NDArray[np.float32]:
    """Probabilities of their labels @ this = those of ours, [theirs, ours]; what we have no field for is none."""
    ours = np.zeros((len(labels), 1 + 2 * len(fields)), np.float32)
    index = {name: number for number, name in enumerate(fields)}
    for row, label in zip(ours, labels, strict=True):
        name = field_name(label)
        number = index.get(naming.map_name(name) or "") if name else None
        if number is None:
            row[NO_FIELD] = 1
        else:
            row[
                begin_label(number) if label[:2] in [f"{place}-" for place in _BEGINNINGS] else inside_label(number)
            ] = 1
    return ours


def _row_starts(labels: NDArray[np.int64], fields: Sequence[str]) -> NDArray[np.float32]:
    """1 where a row of a list begins: at what its first row began with, when that begins again. [T]"""
    starts = np.zeros(len(labels), np.float32)
    leads: dict[str, int] = {}  # the label that each list begins with
    begins = {begin_label(number): name.rpartition(".")[0] for number, name in enumerate(fields) if "." in name}
    for at, label in enumerate(labels.tolist()):
        if label in begins:
            starts[at] = leads.setdefault(begins[label], label) == label
    return starts


def open_checkpoint(folder: Path, dtype: torch.dtype) -> tuple[Any, Any, Any]:
    """The network, its tokenizer, and what makes its pixels if it looks at any."""
    library = common.import_transformers()
    model = common.load_model(library.AutoModelForTokenClassification, folder, dtype)
    tokenizer = library.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if model.config.model_type != "layoutlmv3":
        return model, tokenizer, None
    pixels = library.LayoutLMv3ImageProcessorPil
    stated = (folder / "preprocessor_config.json").exists()
    return model, tokenizer, pixels.from_pretrained(folder, local_files_only=True) if stated else pixels()

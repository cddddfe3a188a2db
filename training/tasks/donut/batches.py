"""Batches for training a Donut: simulated photos with the expected answer, and the text lines with their fields.

The page is rectified as in serving, and converted to the network's input by the processor that is published with the
network: training and serving have the same input.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.extraction.checkpoints import common
from docextract.extraction.checkpoints.json_tokens import SEPARATOR
from docextract.images import geometry
from docextract.images.geometry import Page, Polygon, project
from docextract.pipeline.decoding import MAX_EXTRACTION_SIDE_PX
from training.datasets import synthetic
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.documents import generator_of
from training.synth.examples import PhotoExamples

# One token each: ASCII, Latin-1, Latin Extended-A and the punctuation of documents in these scripts.
CHARACTERS = (
    "".join(chr(code) for part in ((0x21, 0x7E), (0xA1, 0x17F)) for code in range(part[0], part[1] + 1)) + "€‘’“”–—…"
)
SAMPLE_SPACING_PX = 4  # between the points along a line at which the feature map is sampled to read the line
SAMPLE_ROWS = (0.25, 0.5, 0.75)  # heights of these points, as shares of the line's height
NOT_TAGGED, NO_FIELD = -100, 0  # target of a cell: none; text that belongs to no field
PAD = 1  # the tokenizer's padding token


@dataclass(frozen=True)
class PrintedLine:
    """A run of printed text: its position, text and field."""

    polygon: Polygon  # px of the canvas, clockwise from the text's own top-left corner
    characters: list[int]  # indices in CHARACTERS, from 1; 0 is CTC's blank
    field: int  # from 1, or NO_FIELD


@dataclass(frozen=True)
class DonutExample:
    """One page."""

    page: Page  # rectified as in serving
    label: Mapping[str, Any]  # as in a labelled folder
    pixels: NDArray[np.float32]  # [3, H, W], the network's input
    tokens: list[int]  # the prompt, the answer, the end
    lines: list[PrintedLine]


@dataclass(frozen=True)
class DonutBatch:
    """B pages."""

    pixels: Tensor  # [B, 3, H, W]
    tokens: Tensor  # [B, T], padded with PAD
    lines: Sequence[Sequence[PrintedLine]]  # all lines of each page
    read_lines: Sequence[Sequence[PrintedLine]]  # the lines of each page that the network has to read

    def to(self, device: torch.device) -> "DonutBatch":
        """The same batch with its tensors on another device."""
        return replace(self, pixels=self.pixels.to(device), tokens=self.tokens.to(device))


def donut_batch(
    examples: Sequence[DonutExample], size: tuple[int, int], lines: int, rng: np.random.Generator
) -> DonutBatch:
    """A batch of these pages. size: of the canvas. lines: number of lines of each page to read, drawn at random."""
    tokens = torch.full((len(examples), max(len(one.tokens) for one in examples)), PAD)
    for row, one in zip(tokens, examples, strict=True):
        row[: len(one.tokens)] = torch.tensor(one.tokens)
    pixels = torch.from_numpy(np.stack([one.pixels for one in examples]))
    read_lines = []
    for one in examples:
        readable = [line for line in one.lines if can_be_read(line, size)]
        read_lines.append([readable[at] for at in rng.permutation(len(readable))[:lines].tolist()])
    return DonutBatch(pixels, tokens, [one.lines for one in examples], read_lines)


def prompt(document_type: str) -> str:
    """The prompt of the network for a document of this type."""
    return f"<s_{document_type}>"


def build_tokenizer(kind: DocumentType, longest: int) -> Any:
    """XLM-RoBERTa's class, as published Donuts have it: a token for each character and for each tag of the type."""
    vocabulary = [
        ("<s>", 0.0),
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁", -2.0),
        *((one, -3.0) for one in CHARACTERS),
    ]
    tokenizer = common.import_transformers().XLMRobertaTokenizer(vocab=vocabulary, model_max_length=longest)
    keys = dict.fromkeys(part for field in kind.fields() for part in field.name.split("."))
    tags = [tag for key in keys for tag in (f"<s_{key}>", f"</s_{key}>")]
    tokenizer.add_tokens([SEPARATOR, *tags, prompt(kind.name)], special_tokens=True)
    return tokenizer


def answer_text(kind: DocumentType, label: Mapping[str, Any]) -> str:
    """A label in Donut's tokens; fields that are not on the page are left out."""
    groups = dict.fromkeys(field.group for field in kind.fields() if field.group)
    single = [_enclosed(field.name, label.get(field.name)) for field in kind.fields() if not field.group]
    rows = {
        group: [
            "".join(_enclosed(field.leaf, row.get(field.leaf)) for field in kind.fields() if field.group == group)
            for row in label.get(group) or ()
        ]
        for group in groups
    }
    return "".join([*single, *(_enclosed(group, SEPARATOR.join(filter(None, some))) for group, some in rows.items())])


def _enclosed(key: str, text: str | None) -> str:
    return f"<s_{key}>{text}</s_{key}>" if text else ""


class DonutExamples(torch.utils.data.Dataset[DonutExample]):
    """Synthetic pages by number; the same number gives the same page in every process."""

    def __init__(
        self, kind: DocumentType, seed: int, plan: str, size: tuple[int, int], longest: int,
        surfaces: Sequence[Page] = (), pages: int = 0,
    ) -> None:  # fmt: skip
        """size: of the canvas, height and width in px. longest: tokens. pages: how many different ones; 0: endless."""
        self._photos = PhotoExamples(seed, [kind], PHOTO_PLANS[plan], surfaces)
        self._kind, self._size, self._longest, self._pages = kind, size, longest, pages
        self._fields = {field.name: number for number, field in enumerate(kind.fields(), NO_FIELD + 1)}
        self._characters = {character: number for number, character in enumerate(CHARACTERS, 1)}
        self._tokenizer = build_tokenizer(kind, longest)
        self._processor = build_processor(size)

    def __getitem__(self, number: int) -> DonutExample:
        record, printed, shot, kind = self._photos[number % self._pages if self._pages else number]
        label = synthetic.labels_of(record)
        rectified = geometry.rectify(shot.photo, shot.polygon, MAX_EXTRACTION_SIDE_PX)
        to_canvas = page_to_canvas(rectified.page, self._size) @ np.linalg.inv(rectified.to_photo)
        text = f"{prompt(kind.name)}{answer_text(kind, label)}</s>"
        pixels = self._processor(images=[rectified.page], return_tensors="np").pixel_values[0]
        lines = [
            PrintedLine(
                project(shot.to_photo(run.polygon), to_canvas), self._encode(run.text), self._field_number(run.field)
            )
            for run in printed.runs
        ]
        return DonutExample(rectified.page, label, pixels, self._tokenize(text), lines)

    def _tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer(text, add_special_tokens=False).input_ids
        return tokens[: self._longest]

    def _encode(self, text: str) -> list[int]:
        return [self._characters[character] for character in text if character in self._characters]

    def _field_number(self, name: str | None) -> int:
        """name: such as "total" or "line_items.2.description"."""
        field = ".".join(part for part in (name or "").split(".") if not part.isdigit())
        return self._fields.get(field, NO_FIELD)


def build_processor(size: tuple[int, int]) -> Any:
    """Converts pages to the network's input. size: height and width of the canvas, px."""
    return common.import_transformers().DonutImageProcessorPil(size={"height": size[0], "width": size[1]})


def page_to_canvas(page: Page, size: tuple[int, int]) -> NDArray[np.float64]:
    """Homography [3, 3] from px of a page to px of the canvas, as the processor places the page.

    It scales the shorter side to that of the canvas, scales again if the page is still too long, and centers it.
    """
    height, width = page.shape[:2]
    scale = min(size) / min(height, width)
    scale *= min(1.0, size[0] / (height * scale), size[1] / (width * scale))
    left, top = (size[1] - width * scale) / 2, (size[0] - height * scale) / 2
    return np.array([[scale, 0, left], [0, scale, top], [0, 0, 1]])


def count_samples(line: PrintedLine) -> int:
    """Number of points along a line at which the feature map is sampled."""
    return max(1, int(np.linalg.norm(line.polygon[1] - line.polygon[0]) // SAMPLE_SPACING_PX))


def can_be_read(line: PrintedLine, size: tuple[int, int]) -> bool:
    """Whether a line is within the canvas and long enough for CTC, which needs a blank between equal characters."""
    inside = (line.polygon >= 0).all() and (line.polygon <= (size[1], size[0])).all()
    repeated = sum(one == other for one, other in zip(line.characters, line.characters[1:], strict=False))
    return bool(inside) and 0 < len(line.characters) + repeated <= count_samples(line)


def sample_points(line: PrintedLine, size: tuple[int, int]) -> NDArray[np.float32]:
    """Points at which the feature map is sampled to read a line: [SAMPLE_ROWS, samples, 2], x and y.

    -1..1 from edge to edge of the canvas, as `grid_sample` expects it.
    """
    top_left, top_right, bottom_right, bottom_left = line.polygon
    along = ((np.arange(count_samples(line)) + 0.5) / count_samples(line))[None, :, None]
    down = np.array(SAMPLE_ROWS)[:, None, None]
    upper, lower = top_left + along * (top_right - top_left), bottom_left + along * (bottom_right - bottom_left)
    return ((upper + down * (lower - upper)) / (size[1], size[0]) * 2 - 1).astype(np.float32)


def tag_cells(lines: Sequence[PrintedLine], cells: tuple[int, int], size: tuple[int, int]) -> NDArray[np.int64]:
    """The field in each cell of the feature map, [h, w]; NOT_TAGGED without text."""
    tags = np.full(cells, NOT_TAGGED, np.int64)
    cell_px = np.array([size[1] / cells[1], size[0] / cells[0]])
    for line in lines:
        along = (np.arange(2 * cells[1]) + 0.5) / (2 * cells[1])
        start, end = line.polygon[[0, 3]].mean(0), line.polygon[[1, 2]].mean(0)
        at = np.floor((start + along[:, None] * (end - start)) / cell_px).astype(int)
        inside = ((at >= 0) & (at < (cells[1], cells[0]))).all(1)
        tags[at[inside, 1], at[inside, 0]] = line.field
    return tags


def type_named(name: str) -> DocumentType:
    """The document type of this name. Raises ValueError if it has no generator."""
    generator_of(name)
    return document_types()[name]

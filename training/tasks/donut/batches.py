"""Synthetic photographs as a Donut learns from them: pixels, the answer it is to give, and what stands where.

The page is cut out as the service cuts it out, and made pixels of by the processor that is published with the network:
what is served sees the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from docextract.pipeline.steps import MAX_EXTRACTION_SIDE_PX
from training.datasets import synthetic
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.documents import generator_of
from training.synth.examples import PhotoExamples

# ASCII, Latin-1 and Latin Extended-A, and what else documents in these scripts print: a token each.
LETTERS = (
    "".join(chr(code) for part in ((0x21, 0x7E), (0xA1, 0x17F)) for code in range(part[0], part[1] + 1)) + "€‘’“”–—…"
)
COLUMN_PX = 4  # between the places along a line at which it is read
ROWS = (0.25, 0.5, 0.75)  # of a line's height, at which the map is looked at
NOT_TAGGED, NO_FIELD = -100, 0  # of a cell: nothing is learned there; what stands there is part of no field
PAD = 1  # the tokenizer's


@dataclass(frozen=True)
class Line:
    """A run of print: where it is, and what it is."""

    polygon: Polygon  # px of the canvas, clockwise from the print's own top left
    letters: list[int]  # places in LETTERS, from 1; 0 is CTC's blank
    field: int  # from 1; NO_FIELD


@dataclass(frozen=True)
class Example:
    """One page."""

    page: Page  # as the service cuts it out
    label: Mapping[str, Any]  # as in a labelled folder
    pixels: NDArray[np.float32]  # [3, H, W], as the network wants them
    tokens: list[int]  # the prompt, the answer, the end
    lines: list[Line]


@dataclass(frozen=True)
class Lesson:
    """A batch of B pages."""

    pixels: Tensor  # [B, 3, H, W]
    tokens: Tensor  # [B, T], padded with PAD
    lines: Sequence[Sequence[Line]]  # of each page

    @staticmethod
    def of(examples: Sequence[Example]) -> "Lesson":
        """Together."""
        tokens = torch.full((len(examples), max(len(one.tokens) for one in examples)), PAD)
        for row, one in zip(tokens, examples, strict=True):
            row[: len(one.tokens)] = torch.tensor(one.tokens)
        pixels = torch.from_numpy(np.stack([one.pixels for one in examples]))
        return Lesson(pixels, tokens, [one.lines for one in examples])


def prompt(document_type: str) -> str:
    """What the network is asked for a document of this type."""
    return f"<s_{document_type}>"


def tokenizer(kind: DocumentType, longest: int) -> Any:
    """XLM-RoBERTa's class, as published Donuts have it: a token for each letter, and for each bracket of the type."""
    words = [
        ("<s>", 0.0),
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁", -2.0),
        *((one, -3.0) for one in LETTERS),
    ]
    made = common.import_transformers().XLMRobertaTokenizer(vocab=words, model_max_length=longest)
    keys = dict.fromkeys(part for field in kind.fields() for part in field.name.split("."))
    brackets = [bracket for key in keys for bracket in (f"<s_{key}>", f"</s_{key}>")]
    made.add_tokens([SEPARATOR, *brackets, prompt(kind.name)], special_tokens=True)
    return made


def answer(kind: DocumentType, label: Mapping[str, Any]) -> str:
    """A label in Donut's tokens: what is not on the page is left out."""
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


class Examples(torch.utils.data.Dataset[Example]):
    """By number; the same number is the same page, on any worker."""

    def __init__(
        self, kind: DocumentType, seed: int, plan: str, size: tuple[int, int], longest: int,
        surfaces: Sequence[Page] = (), pages: int = 0,
    ) -> None:  # fmt: skip
        """size: of the canvas, height and width in px. longest: tokens. pages: so many, again and again; 0: no end."""
        self._photos = PhotoExamples(seed, [kind], PHOTO_PLANS[plan], surfaces)
        self._kind, self._size, self._longest, self._pages = kind, size, longest, pages
        self._fields = {field.name: number for number, field in enumerate(kind.fields(), NO_FIELD + 1)}
        self._letters = {letter: number for number, letter in enumerate(LETTERS, 1)}
        self._words = tokenizer(kind, longest)
        self._processor = processor(size)

    def __getitem__(self, number: int) -> Example:
        record, printed, shot, kind = self._photos[number % self._pages if self._pages else number]
        label = synthetic.labels_of(record)
        cut = geometry.rectify(shot.photo, shot.polygon, MAX_EXTRACTION_SIDE_PX)
        to_canvas = onto_canvas(cut.page, self._size) @ np.linalg.inv(cut.to_photo)
        text = f"{prompt(kind.name)}{answer(kind, label)}</s>"
        pixels = self._processor(images=[cut.page], return_tensors="np").pixel_values[0]
        lines = [
            Line(project(shot.to_photo(run.polygon), to_canvas), self._spelt(run.text), self._field(run.field))
            for run in printed.runs
        ]
        return Example(cut.page, label, pixels, self._tokens(text), lines)

    def _tokens(self, text: str) -> list[int]:
        tokens: list[int] = self._words(text, add_special_tokens=False).input_ids
        return tokens[: self._longest]

    def _spelt(self, text: str) -> list[int]:
        return [self._letters[letter] for letter in text if letter in self._letters]

    def _field(self, name: str | None) -> int:
        """name: "total", "line_items.2.description"."""
        known = ".".join(part for part in (name or "").split(".") if not part.isdigit())
        return self._fields.get(known, NO_FIELD)


def processor(size: tuple[int, int]) -> Any:
    """Makes pixels of pages. size: height and width, px."""
    return common.import_transformers().DonutImageProcessorPil(size={"height": size[0], "width": size[1]})


def onto_canvas(page: Page, size: tuple[int, int]) -> NDArray[np.float64]:
    """Where the processor puts a page: px of the page → px of the canvas, [3, 3].

    It scales the shorter side to the canvas's, then what is still too long, and pads evenly.
    """
    height, width = page.shape[:2]
    scale = min(size) / min(height, width)
    scale *= min(1.0, size[0] / (height * scale), size[1] / (width * scale))
    left, top = (size[1] - width * scale) / 2, (size[0] - height * scale) / 2
    return np.array([[scale, 0, left], [0, scale, top], [0, 0, 1]])


def columns_of(line: Line) -> int:
    """Places along a line at which it is read."""
    return max(1, int(np.linalg.norm(line.polygon[1] - line.polygon[0]) // COLUMN_PX))


def can_be_read(line: Line, size: tuple[int, int]) -> bool:
    """Whether it is within the canvas, and long enough for CTC to spell it: the same letter twice needs one between."""
    inside = (line.polygon >= 0).all() and (line.polygon <= (size[1], size[0])).all()
    twice = sum(one == other for one, other in zip(line.letters, line.letters[1:], strict=False))
    return bool(inside) and 0 < len(line.letters) + twice <= columns_of(line)


def places_along(line: Line, size: tuple[int, int]) -> NDArray[np.float32]:
    """Where the map is looked at to read a line, [ROWS, columns, 2], -1..1 of the canvas as `grid_sample` has it."""
    top_left, top_right, bottom_right, bottom_left = line.polygon
    along = ((np.arange(columns_of(line)) + 0.5) / columns_of(line))[None, :, None]
    down = np.array(ROWS)[:, None, None]
    upper, lower = top_left + along * (top_right - top_left), bottom_left + along * (bottom_right - bottom_left)
    return ((upper + down * (lower - upper)) / (size[1], size[0]) * 2 - 1).astype(np.float32)


def tags(lines: Sequence[Line], cells: tuple[int, int], size: tuple[int, int]) -> NDArray[np.int64]:
    """Which field stands in each cell of the map, [h, w]: NOT_TAGGED where nothing is printed."""
    found = np.full(cells, NOT_TAGGED, np.int64)
    step = np.array([size[1] / cells[1], size[0] / cells[0]])
    for line in lines:
        middle = (np.arange(2 * cells[1]) + 0.5) / (2 * cells[1])
        start, end = line.polygon[[0, 3]].mean(0), line.polygon[[1, 2]].mean(0)
        at = np.floor((start + middle[:, None] * (end - start)) / step).astype(int)
        inside = ((at >= 0) & (at < (cells[1], cells[0]))).all(1)
        found[at[inside, 1], at[inside, 0]] = line.field
    return found


def type_named(name: str) -> DocumentType:
    """Raises ValueError for one that has no generator."""
    generator_of(name)
    return document_types()[name]

"""Augmentation of real pages: each time a page is used, it is changed, so that the network learns layouts, not pages.

Lines are dropped and polygons shifted. If the type has a generator, the merchant gets another, synthetic name; if it
has none, values are exchanged between its pages, each as it is printed on the other page.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.extraction.layout.labels import NO_FIELD, begin_label, inside_label
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.predictions import TextLine
from training.datasets import LabelledPage
from training.datasets.aligning import align
from training.datasets.reads import OcrResult
from training.synth.documents import generators

RENAMED_SHARE = 0.6  # of the pages whose type has a generator
EXCHANGED_SHARE = 0.6  # of the values on other pages
DROPPED_SHARE = 0.01  # of the lines
JITTER_SIGMA_PX = 0.6  # of the corners of a line


@dataclass(frozen=True)
class RealPage:
    """A labelled page and its OCR result."""

    label: LabelledPage
    read: OcrResult


@dataclass(frozen=True)
class _PrintedValue:
    """Position of a value in a line of a page, its printed text and its label."""

    line: int
    start: int
    end: int
    content: str
    label: str


class RealPageVariations:
    """Draws real pages, each changed at random."""

    def __init__(self, pages: Sequence[RealPage]) -> None:
        self._pages = [
            replace(page, read=replace(page.read, lines=split_into_pieces(page.read.lines)[0])) for page in pages
        ]
        self._printed = [_printed_values(page) if _has_no_generator(page) else {} for page in self._pages]
        self._values: dict[tuple[str, str], list[_PrintedValue]] = defaultdict(list)
        for page, printed in zip(self._pages, self._printed, strict=True):
            for name, one in printed.items():
                self._values[page.label.type, name].append(one)

    def __len__(self) -> int:
        return len(self._pages)

    def __call__(self, rng: np.random.Generator) -> RealPage:
        """Draw and change one page."""
        at = int(rng.integers(len(self._pages)))
        page = self._pages[at]
        if _has_no_generator(page):
            page = self._exchange_values(page, self._printed[at], rng)
        elif rng.random() < RENAMED_SHARE:
            page = rename_merchant(page, document_types()[page.label.type], rng)
        return replace(page, read=replace(page.read, lines=shift_lines(page.read.lines, rng)))

    def _exchange_values(self, page: RealPage, printed: dict[str, _PrintedValue], rng: np.random.Generator) -> RealPage:
        lines, fields = list(page.read.lines), dict(page.label.fields)
        # From right to left: a value of another length moves only the text to its right.
        for name, own in sorted(printed.items(), key=lambda item: -item[1].start):
            if rng.random() < EXCHANGED_SHARE:
                others = self._values[page.label.type, name]
                other = others[int(rng.integers(len(others)))]
                lines[own.line] = _replace_text(lines[own.line], own, other.content)
                fields[name] = other.label
        # On changed lines, labelled positions are no longer valid.
        places = {
            name: place
            for name, place in page.label.places.items()
            if name not in printed or lines[printed[name].line] is page.read.lines[printed[name].line]
        }
        return RealPage(replace(page.label, fields=fields, places=places), replace(page.read, lines=tuple(lines)))


def _has_no_generator(page: RealPage) -> bool:
    return page.label.type not in generators()


def _printed_values(page: RealPage) -> dict[str, _PrintedValue]:
    """Values by field name, if they have one possible position on the page, within one line."""
    kind = document_types()[page.label.type]
    names = [field.name for field in kind.fields() if field.group is None]
    _, read = split_into_pieces(page.read.lines)
    allowed = align(page.label, kind, read.pieces, names, page.read.to_photo).labels
    found: dict[str, _PrintedValue] = {}
    for number, name in enumerate(names):
        field_labels = [begin_label(number), inside_label(number)]
        own = allowed[:, field_labels].any(axis=1) & ~allowed[:, NO_FIELD]
        at = np.flatnonzero(own)
        if len(at) and read.pieces[at[0]].line == read.pieces[at[-1]].line:
            first, last = read.pieces[at[0]], read.pieces[at[-1]]
            content = page.read.lines[first.line].text[first.start : last.end]
            found[name] = _PrintedValue(first.line, first.start, last.end, content, str(page.label.fields[name]))
    return found


def _replace_text(line: TextLine, own: _PrintedValue, content: str) -> TextLine:
    """The line with another value in it; its polygon is as much longer as its text."""
    text = line.text[: own.start] + content + line.text[own.end :]
    scale = len(text) / max(1, len(line.text))
    polygon = line.polygon.copy()
    polygon[1], polygon[2] = (
        line.polygon[0] + scale * (line.polygon[1] - line.polygon[0]),
        line.polygon[3] + scale * (line.polygon[2] - line.polygon[3]),
    )
    return replace(line, text=text, polygon=polygon, cuts=None)


def shift_lines(lines: Sequence[TextLine], rng: np.random.Generator) -> tuple[TextLine, ...]:
    """The lines with their corners shifted a little; few are dropped."""
    kept = [line for line in lines if rng.random() > DROPPED_SHARE]
    return tuple(
        replace(line, polygon=line.polygon + rng.normal(0, JITTER_SIGMA_PX, (4, 2)).astype(np.float32)) for line in kept
    )


def rename_merchant(page: RealPage, kind: DocumentType, rng: np.random.Generator) -> RealPage:
    """Replace the merchant's name by a synthetic one, if it fills lines of its own; else return the page unchanged."""
    lines, label = page.read.lines, page.label
    name = label.fields.get("merchant_name")
    if not name or kind.name not in generators():
        return page
    letters = "".join(filter(str.isalnum, str(name).upper()))
    own = [
        line
        for line in lines
        if _letters(line) and _letters(line) in letters and 3 * len(_letters(line)) > len(letters)
    ]
    if sum(len(_letters(line)) for line in own) < 0.9 * len(letters):
        return page
    other = getattr(generators()[kind.name].sample(Random(int(rng.integers(1 << 62)))), "merchant_name", None)
    if not other:
        return page
    words, parts = str(other).split(), len({_letters(line) for line in own})
    if len(words) < parts:
        return page
    words_of_lines = np.array_split(np.array(words), parts)
    texts = dict(zip(dict.fromkeys(_letters(line) for line in sorted(own, key=_top)), words_of_lines, strict=True))
    renamed = [
        replace(line, text=" ".join(texts[_letters(line)]), cuts=None) if any(line is one for one in own) else line
        for line in lines
    ]
    return RealPage(
        replace(label, fields={**label.fields, "merchant_name": " ".join(words)}),
        replace(page.read, lines=tuple(renamed)),
    )


def _letters(line: TextLine) -> str:
    return "".join(filter(str.isalnum, line.text.upper()))


def _top(line: TextLine) -> float:
    return float(line.polygon[0, 1])

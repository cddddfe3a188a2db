"""Real pages, changed each time they are shown: what is learned must be the layout, not the few pages there are.

Lines go missing, boxes shift. Where a type has a generator the merchant becomes another one, made up; where
it has none, values are exchanged between its pages, each as it is printed on the other.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.extraction.layout import spans
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.predictions import TextLine
from training.datasets import LabelledPage
from training.datasets.aligning import align
from training.datasets.reads import OcrResult
from training.synth.documents import generators

RENAMED = 0.6  # of the pages whose type has a generator
EXCHANGED = 0.6  # of the values of the others


@dataclass(frozen=True)
class RealPage:
    """A labelled page, as read."""

    label: LabelledPage
    read: OcrResult


@dataclass(frozen=True)
class _Printed:
    """Where a value stands on a page, within one line, and how it is printed there."""

    line: int
    start: int
    end: int
    content: str
    label: str  # as the labels have it


class Varied:
    """Draws real pages, each in a variation of its own."""

    def __init__(self, pages: Sequence[RealPage]) -> None:
        self._pages = [replace(page, read=replace(page.read, lines=split_into_pieces(page.read.lines)[0])) for page in pages]
        self._printed = [_printed(page) if _made_from_photos(page) else {} for page in self._pages]
        self._values: dict[tuple[str, str], list[_Printed]] = defaultdict(list)
        for page, printed in zip(self._pages, self._printed, strict=True):
            for name, one in printed.items():
                self._values[page.label.type, name].append(one)

    def __len__(self) -> int:
        return len(self._pages)

    def __call__(self, rng: np.random.Generator) -> RealPage:
        """One page, varied."""
        at = int(rng.integers(len(self._pages)))
        page = self._pages[at]
        if _made_from_photos(page):
            page = self._exchanged(page, self._printed[at], rng)
        elif rng.random() < RENAMED:
            page = renamed(page, document_types()[page.label.type], rng)
        return _jittered(page, rng)

    def _exchanged(self, page: RealPage, printed: dict[str, _Printed], rng: np.random.Generator) -> RealPage:
        lines, fields = list(page.read.lines), dict(page.label.fields)
        # From the right, so that places to the left stay where they are.
        for name, own in sorted(printed.items(), key=lambda item: -item[1].start):
            if rng.random() < EXCHANGED:
                others = self._values[page.label.type, name]
                other = others[int(rng.integers(len(others)))]
                lines[own.line] = _reprinted(lines[own.line], own, other.content)
                fields[name] = other.label
        # On lines that were changed nothing stands where it stood.
        places = {
            name: place
            for name, place in page.label.places.items()
            if name not in printed or lines[printed[name].line] is page.read.lines[printed[name].line]
        }
        return RealPage(replace(page.label, fields=fields, places=places), replace(page.read, lines=tuple(lines)))


def _made_from_photos(page: RealPage) -> bool:
    """Whether photos are all there is of this type."""
    return page.label.type not in generators()


def _printed(page: RealPage) -> dict[str, _Printed]:
    """Values whose one place on the page is known and lies within a line."""
    kind = document_types()[page.label.type]
    names = [field.name for field in kind.fields() if field.group is None]
    _, read = split_into_pieces(page.read.lines)
    allowed = align(page.label, kind, read.pieces, names, page.read.to_photo).labels
    found: dict[str, _Printed] = {}
    for number, name in enumerate(names):
        own = allowed[:, [spans.begin_label(number), spans.inside_label(number)]].any(axis=1) & ~allowed[:, spans.NO_FIELD]
        at = np.flatnonzero(own)
        if len(at) and read.pieces[at[0]].line == read.pieces[at[-1]].line:
            first, last = read.pieces[at[0]], read.pieces[at[-1]]
            content = page.read.lines[first.line].text[first.start : last.end]
            found[name] = _Printed(first.line, first.start, last.end, content, str(page.label.fields[name]))
    return found


def _reprinted(line: TextLine, own: _Printed, content: str) -> TextLine:
    """The line with another value in it, as long as its text is now."""
    text = line.text[: own.start] + content + line.text[own.end :]
    longer = len(text) / max(1, len(line.text))
    polygon = line.polygon.copy()
    polygon[1], polygon[2] = (
        line.polygon[0] + longer * (line.polygon[1] - line.polygon[0]),
        line.polygon[3] + longer * (line.polygon[2] - line.polygon[3]),
    )
    return replace(line, text=text, polygon=polygon, cuts=None)


def _jittered(page: RealPage, rng: np.random.Generator) -> RealPage:
    kept = [line for line in page.read.lines if rng.random() > 0.01]
    lines = [replace(line, polygon=line.polygon + rng.normal(0, 0.6, (4, 2)).astype(np.float32)) for line in kept]
    return replace(page, read=replace(page.read, lines=tuple(lines)))


def renamed(page: RealPage, kind: DocumentType, rng: np.random.Generator) -> RealPage:
    """Put another merchant's name, made up, where this one's is, if it fills lines of its own."""
    lines, label = page.read.lines, page.label
    name = label.fields.get("merchant_name")
    if not name or kind.name not in generators():
        return page
    wanted = "".join(filter(str.isalnum, str(name).upper()))
    own = [
        line for line in lines if _letters(line) and _letters(line) in wanted and 3 * len(_letters(line)) > len(wanted)
    ]
    if sum(len(_letters(line)) for line in own) < 0.9 * len(wanted):
        return page
    other = getattr(generators()[kind.name].sample(Random(int(rng.integers(1 << 62)))), "merchant_name", None)
    if not other:
        return page
    words, parts = str(other).split(), len({_letters(line) for line in own})
    if len(words) < parts:
        return page
    cut = np.array_split(np.array(words), parts)
    texts = dict(zip(dict.fromkeys(_letters(line) for line in sorted(own, key=_top)), cut, strict=True))
    reprinted = [
        replace(line, text=" ".join(texts[_letters(line)]), cuts=None) if any(line is one for one in own) else line
        for line in lines
    ]
    return RealPage(
        replace(label, fields={**label.fields, "merchant_name": " ".join(words)}),
        replace(page.read, lines=tuple(reprinted)),
    )


def _letters(line: TextLine) -> str:
    return "".join(filter(str.isalnum, line.text.upper()))


def _top(line: TextLine) -> float:
    return float(line.polygon[0, 1])

"""Lines of text → pieces: the units that get labels, with what a reader of the whole page knows of each.

A piece is a run of letters, a number with its separators, or one sort of punctuation: finer than a word,
because a reader of print often glues what stands close ("TOTAL:RM9.00"), and a label must be able to
begin in the middle.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from docextract.documents.values import parse_amount
from docextract.extraction.ocr.rows import reading_order, straighten_rows
from docextract.images.geometry import Polygon
from docextract.predictions import CharacterAlternative, TextLine

MAX_PIECES = 1000  # the longest receipts have about 700; what stands after is not labelled
NGRAM_BUCKETS = 32768
MAX_NGRAMS = 24
FEATURES = 14
MOST_CENTS = 10**15  # longer runs of digits are bar codes and noise, and their sums would not fit into 64 bits

_PIECE = re.compile(r"\d+(?:[.,:/\-]\d+)*|[^\W\d_]+|([^\w\s]|_)\1*")
_AMOUNT = re.compile(r"\d{1,3}(?:[.,]\d{3})*[.,]\d{2}|\d+[.,]\d{2}")


@dataclass(frozen=True)
class Piece:
    """A labelled unit: characters start..end of a line of the page."""

    text: str
    line: int  # index into the lines in reading order
    start: int
    end: int
    space_before: bool
    polygon: Polygon  # px of the page
    confidence: float  # of its line, as read
    alternatives: tuple[CharacterAlternative, ...] = ()  # about its characters; `at` counts from the line's beginning


@dataclass(frozen=True)
class PieceSequence:
    """A page as the network takes it. T pieces.

    boxes: int [T, 4] x0, y0, x1, y1 in thousandths of the printed area, in straight rows.
    ngrams: int [T, MAX_NGRAMS], hashed letter n-grams, 0 for none.
    features: float32 [T, FEATURES], see `_features`.
    """

    pieces: tuple[Piece, ...]
    boxes: NDArray[np.int64]
    ngrams: NDArray[np.int64]
    features: NDArray[np.float32]


def split_into_pieces(lines: Sequence[TextLine]) -> tuple[tuple[TextLine, ...], PieceSequence]:
    """Lines in any order → the same lines in reading order, and their pieces."""
    level = straighten_rows([line.polygon for line in lines])
    order = reading_order(level)
    ordered = tuple(lines[index] for index in order)
    return ordered, _sequenced(ordered, level[order])


def _sequenced(lines: Sequence[TextLine], level: NDArray[np.float32]) -> PieceSequence:
    found = [(number, match) for number, line in enumerate(lines) for match in _PIECE.finditer(line.text)][:MAX_PIECES]
    if not found:
        empty = np.zeros((0, 4), np.int64)
        return PieceSequence((), empty, np.zeros((0, MAX_NGRAMS), np.int64), np.zeros((0, FEATURES), np.float32))
    owner = np.array([number for number, _ in found])
    spans = np.array([_span(lines[number], *match.span()) for number, match in found], np.float32)
    polygons = _between(np.stack([line.polygon for line in lines])[owner], spans)
    pieces = [
        Piece(
            match[0],
            number,
            *match.span(),
            _spaced(lines[number].text, match.start()),
            polygon,
            lines[number].confidence,
            tuple(doubt for doubt in lines[number].alternatives if match.start() <= doubt.at < match.end()),
        )
        for (number, match), polygon in zip(found, polygons, strict=True)
    ]
    corners = _between(level[owner], spans)
    letters = np.array([ngrams(piece.text) for piece in pieces], np.int64)
    return PieceSequence(tuple(pieces), _thousandths(corners), letters, _features(pieces, corners))


def _spaced(text: str, start: int) -> bool:
    return start == 0 or text[start - 1].isspace()


def substring_polygon(line: TextLine, start: int, end: int) -> Polygon:
    """Where characters start..end of a line stand; px of the page."""
    polygon: Polygon = _between(line.polygon[None].astype(np.float32), np.array([_span(line, start, end)], np.float32))[
        0
    ]
    return polygon


def _span(line: TextLine, start: int, end: int) -> tuple[float, float]:
    """Where characters start..end lie along the line, 0..1."""
    if line.cuts is not None:
        return line.cuts[start], line.cuts[end]
    return start / len(line.text), end / len(line.text)


def _between(polygons: NDArray[np.float32], spans: NDArray[np.float32]) -> NDArray[np.float32]:
    """The parts of quadrilaterals [T, 4, 2] from left to right, spans [T, 2] in 0..1 along them."""
    left, right = spans[:, :1], spans[:, 1:]
    top_left, top_right, bottom_right, bottom_left = polygons.transpose(1, 0, 2)
    top, bottom = top_right - top_left, bottom_right - bottom_left
    return np.stack(
        [top_left + left * top, top_left + right * top, bottom_left + right * bottom, bottom_left + left * bottom],
        axis=1,
    )


def _thousandths(corners: NDArray[np.float32]) -> NDArray[np.int64]:
    """Boxes relative to the printed area: independent of margins, of resolution and of how well the page was cut."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    origin = low.min(axis=0)
    extent = np.maximum(high.max(axis=0) - origin, 1.0)
    relative = np.concatenate([(low - origin) / extent, (high - origin) / extent], axis=1)
    return np.round(relative.clip(0, 1) * 1000).astype(np.int64)


@lru_cache(maxsize=1 << 16)
def ngrams(text: str) -> tuple[int, ...]:
    """Hashed letter n-grams of a piece: as printed, in lower case, and its shape (Aa9). 1-based, padded with 0.

    Robust to a misread letter: most n-grams survive. Digits count by shape and by their first three.
    """
    lower = text.lower()
    shape = re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", text))
    cased = "U" if text.isupper() else "L" if text.islower() else "T" if text.istitle() else "M"
    grams = [f"w{lower}", f"s{shape[:12]}", f"c{cased}{min(len(text), 15)}"]
    padded = f"<{lower[:14]}>"
    for size in (3, 2, 4):
        grams += [f"{size}{padded[at : at + size]}" for at in range(len(padded) - size + 1)]
    hashed = [zlib.crc32(gram.encode()) % (NGRAM_BUCKETS - 1) + 1 for gram in grams[:MAX_NGRAMS]]
    return (*hashed, *[0] * (MAX_NGRAMS - len(hashed)))


def _features(pieces: Sequence[Piece], corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """What no piece knows alone: its size among the others, and how its amount relates to the other amounts.

    0 relative text height, 1 recogniser confidence, 2 space before, 3 first of its line, 4 last of its line,
    5 is an amount, 6 log amount, 7 rank among amounts, 8 how often it is printed, 9 largest on the page,
    10 is the sum of two others, 11 is part of a sum that is printed, 12 is the difference of two others
    (total = cash − change), 13 is the sum of a run of amounts right above.
    """
    out = np.zeros((len(pieces), FEATURES), np.float32)
    heights = np.linalg.norm(corners[:, 3] - corners[:, 0], axis=1)
    out[:, 0] = np.clip(np.log(np.maximum(heights, 1) / max(float(np.median(heights)), 1.0)), -1.5, 1.5)
    out[:, 1] = [piece.confidence for piece in pieces]
    out[:, 2] = [piece.space_before for piece in pieces]
    line = np.array([piece.line for piece in pieces])
    out[:, 3] = np.concatenate([[1], line[1:] != line[:-1]])
    out[:, 4] = np.concatenate([line[1:] != line[:-1], [1]])
    cents = {at: amount for at, piece in enumerate(pieces) if (amount := _cents(piece.text)) is not None}
    _add_sums(out, cents)
    return out


def _cents(text: str) -> int | None:
    if not _AMOUNT.fullmatch(text):
        return None
    amount = parse_amount(text)
    return None if amount is None or amount * 100 > MOST_CENTS else int(amount * 100)


def _add_sums(out: NDArray[np.float32], cents: dict[int, int]) -> None:
    """Features 5 to 13, in place. Amounts of zero take part in no sum: everything would fit."""
    if not cents:
        return
    printed = Counter(cents.values())
    distinct = np.array(sorted(amount for amount in printed if amount > 0)[-80:], np.int64)
    known = set(distinct.tolist())
    sums = {int(a + b) for at, a in enumerate(distinct) for b in distinct[at + 1 :]}
    largest = int(distinct[-1]) if len(distinct) else 0
    rank = {int(amount): place / max(len(distinct), 1) for place, amount in enumerate(distinct[::-1])}
    above: list[int] = []
    for at, amount in sorted(cents.items()):
        partial, matches = 0, False
        for earlier in reversed(above):
            partial += earlier
            if partial >= amount:
                matches = partial == amount and earlier != amount
                break
        above.append(amount)
        out[at, 5] = 1
        out[at, 6] = np.log1p(amount / 100) / 5
        out[at, 7] = rank.get(amount, 1.0)
        out[at, 8] = min(printed[amount], 5) / 5
        if amount <= 0:
            continue
        out[at, 9] = amount == largest
        out[at, 10] = amount in sums
        out[at, 11] = any(int(amount + other) in known for other in distinct if other != amount)
        out[at, 12] = any(int(other - amount) in known and other != 2 * amount for other in distinct if other > amount)
        out[at, 13] = matches

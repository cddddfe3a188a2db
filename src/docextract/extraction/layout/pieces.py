"""Splits text lines into pieces, the units that the layout network labels, and computes the network's input.

A piece is a run of letters, a number with its separators, or a run of one punctuation mark. It is finer than a word,
because OCR often joins words that are printed close to each other ("TOTAL:RM9.00"), and a label must be able to begin
between them.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from docextract.documents.signs import with_plain_hyphens
from docextract.documents.values import parse_amount
from docextract.extraction.layout.litres import with_litres
from docextract.extraction.ocr.rows import in_straight_rows
from docextract.images.geometry import Polygon
from docextract.predictions import CharacterAlternative, TextLine

MAX_PIECES = 1000  # of a sequence; the longest receipts that training has seen have about 700
MAX_WINDOW_ROWS = 110  # of a sequence; rows of longer pages lie closer than any that training has seen
END_ROWS = 60  # the first and the last ones of a long list, which tell its type
END_GAP = 0.3  # heights between the first and the last rows
NGRAM_BUCKETS = 32768
MAX_NGRAMS = 24
FEATURE_COUNT = 14
_CONJUNCTIONS = frozenset("und oder bzw sowie of og och eller and or".split())  # behind a word cut short by a hyphen
MAX_CENTS = 10**15  # larger numbers are bar codes and noise, and their sums would not fit into 64 bits

_TIME_BEHIND = r"(?!\d{1,2}:\d{2})"  # "30.12.2018/16:16" is a date and a time
# "01.03.2024-31.03.2024" are two dates.
_DATE_BEHIND = r"(?!(?:\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}(?:[./]\d{1,2}[./]\d{1,2}|-\d\d-\d\d))(?!\d))"
# "1 734 Ft" is one piece; of amounts with decimals the network has learned to join the groups. Behind another number it
# may be divided elsewhere: "2 349 698 Ft" may be a quantity, a price and an amount.
_GROUPED = r"(?<![\w.,])(?<!\d )\d{1,3} \d{3}(?= ?(?:Ft|HUF)(?!\w))"
_PIECE = re.compile(rf"{_GROUPED}|\d+(?:(?:[.,:]|-{_DATE_BEHIND}|/{_TIME_BEHIND})\d+)*|[^\W\d_]+|([^\w\s]|_)\1*")
_WHOLE = re.compile(r"\d{1,3}(?:[ .,]\d{3})*|\d+")
_BEFORE_WHOLE_AMOUNTS = frozenset("Rp IDR ISK CLP COP ¥ ￥ ₩ ₫ JPY KRW VND".split())
_BEHIND_WHOLE_AMOUNTS = frozenset("Ft HUF ISK CLP COP 円 원 ₫ JPY KRW VND IDR".split())
_AMOUNT = re.compile(r"\d{1,3}(?:[.,]\d{3})*[.,]\d{2}|\d+[.,]\d{2}")
Span = tuple[int, ...]  # indices of pieces, in reading order


@dataclass(frozen=True)
class Piece:
    """Characters start..end of a text line of the page."""

    text: str
    line: int  # index into the lines in reading order
    start: int
    end: int
    space_before: bool
    polygon: Polygon  # px of the page
    straight: Polygon  # where it would be with rows straightened, px; places of pieces are compared with it
    confidence: float  # OCR confidence of its line
    alternatives: tuple[CharacterAlternative, ...] = ()  # of its characters; `at` counts from the start of the line


@dataclass(frozen=True)
class PieceSequence:
    """A page as the input of the layout network. T pieces.

    boxes: int [T, 4] x0, y0, x1, y1 in thousandths of the printed area, with rows straightened.
    ngrams: int [T, MAX_NGRAMS], hashed letter n-grams; 0 is padding.
    features: float32 [T, FEATURE_COUNT], see `_features`.
    """

    pieces: tuple[Piece, ...]
    boxes: NDArray[np.int64]
    ngrams: NDArray[np.int64]
    features: NDArray[np.float32]


def split_into_pieces(lines: Sequence[TextLine]) -> tuple[tuple[TextLine, ...], PieceSequence]:
    """Return the lines in reading order, and their pieces. lines: in any order."""
    ordered, straight = in_straight_rows(lines)
    return ordered, _piece_sequence(ordered, straight)


def split_page(lines: Sequence[TextLine]) -> tuple[tuple[TextLine, ...], list[PieceSequence]]:
    """Return the lines in reading order, and their pieces: one sequence, or several of whole rows on a long page.

    Each window has its own printed area, and amounts are related over all windows.
    """
    ordered, straight = in_straight_rows(lines)
    counts, begins_row = _counts(ordered), _begin_rows(straight)
    count = max(math.ceil(sum(counts) / MAX_PIECES), math.ceil(sum(begins_row) / MAX_WINDOW_ROWS))
    if count <= 1:
        return ordered, [_piece_sequence(ordered, straight)]
    starts = _window_starts(counts, begins_row, sum(counts) / count)
    windows = []
    for start, end in pairwise([*starts, len(ordered)]):
        window = _piece_sequence(ordered[start:end], straight[start:end])
        pieces = tuple(replace(piece, line=piece.line + start) for piece in window.pieces)
        windows.append(replace(window, pieces=pieces))
    relate_amounts(windows)
    return ordered, windows


def split_off_ends(lines: Sequence[TextLine]) -> tuple[tuple[TextLine, ...], PieceSequence] | None:
    """Return the first and the last rows of a long list as one page: their lines in reading order, and their pieces.

    What tells the type of a list is above and below it. The last rows are moved up to the first ones. None for a page
    of few rows, and for one whose rows have many words: it is no list.
    """
    ordered, straight = in_straight_rows(lines)
    rows = np.cumsum(_begin_rows(straight))
    ends = np.flatnonzero((rows <= END_ROWS // 2) | (rows > rows[-1] - END_ROWS // 2)) if len(rows) else rows
    kept = tuple(ordered[index] for index in ends)
    if len(rows) == 0 or rows[-1] <= END_ROWS or sum(_counts(kept)) > MAX_PIECES:
        return None
    moved = straight[ends]
    is_last = rows[ends] > END_ROWS // 2
    height = np.median(np.linalg.norm(moved[:, 3] - moved[:, 0], axis=1))
    moved[is_last, :, 1] += moved[~is_last, :, 1].max() + END_GAP * height - moved[is_last, :, 1].min()
    return kept, _piece_sequence(kept, moved)


def _counts(lines: Sequence[TextLine]) -> list[int]:
    """Return the number of pieces of each line."""
    return [sum(1 for _ in _PIECE.finditer(with_litres(line))) for line in lines]


def _begin_rows(straight: NDArray[np.float32]) -> list[bool]:
    """Return whether each line is the first of its row. straight: polygons of lines in reading order.

    It begins before the middle of the line above. In a column of whole rows, all begin at the same place.
    """
    return [at == 0 or bool(straight[at, 0, 0] < straight[at - 1, :2, 0].mean()) for at in range(len(straight))]


def _window_starts(counts: Sequence[int], begins_row: Sequence[bool], pieces: float) -> list[int]:
    """Return the first lines of windows with about this number of pieces; each is the first line of a row."""
    starts, held = [0], 0
    for index, count in enumerate(counts):
        if held and (held + count > MAX_PIECES or (begins_row[index] and held >= pieces)):
            starts.append(index)
            held = 0
        held += count
    return starts


def _piece_sequence(lines: Sequence[TextLine], straight: NDArray[np.float32]) -> PieceSequence:
    """lines: in reading order. straight: their polygons [L, 4, 2] with rows straightened."""
    texts = [with_litres(line) for line in lines]
    matches = [(number, match) for number, text in enumerate(texts) for match in _PIECE.finditer(text)]
    matches = matches[:MAX_PIECES]
    if not matches:
        no_boxes = np.zeros((0, 4), np.int64)
        no_features = np.zeros((0, FEATURE_COUNT), np.float32)
        return PieceSequence((), no_boxes, np.zeros((0, MAX_NGRAMS), np.int64), no_features)
    owner = np.array([number for number, _ in matches])
    spans = np.array([_span(lines[number], *match.span()) for number, match in matches], np.float32)
    polygons = _cut_quadrilaterals(np.stack([line.polygon for line in lines])[owner], spans)
    corners = _cut_quadrilaterals(straight[owner], spans)
    pieces = [
        Piece(
            match[0],
            number,
            *match.span(),
            _has_space_before(texts[number], match.start()),
            polygon,
            corner,
            lines[number].confidence,
            tuple(other for other in lines[number].alternatives if match.start() <= other.at < match.end()),
        )
        for (number, match), polygon, corner in zip(matches, polygons, corners, strict=True)
    ]
    ngrams = np.array([hash_ngrams(piece.text) for piece in pieces], np.int64)
    return PieceSequence(tuple(pieces), _thousandths(corners), ngrams, _features(pieces, corners))


def _has_space_before(text: str, start: int) -> bool:
    return start == 0 or text[start - 1].isspace()


def substring_polygon(line: TextLine, start: int, end: int) -> Polygon:
    """Return the polygon of characters start..end of a line; px of the page."""
    span = np.array([_span(line, start, end)], np.float32)
    polygon: Polygon = _cut_quadrilaterals(line.polygon[None].astype(np.float32), span)[0]
    return polygon


def text_of(span: Sequence[int], pieces: Sequence[Piece]) -> str:
    """Return the text of some pieces of a page, see `join_pieces`."""
    return join_pieces([pieces[index] for index in span])


def join_pieces(pieces: Sequence[Piece], odds_factors: Mapping[tuple[str, str], float] = MappingProxyType({})) -> str:
    """Return the text as printed: spaces as recognised, lines joined by one space, a word behind a hyphen by none.

    odds_factors: see Kind. A character becomes its alternative if the odds times the factor exceed 1; the last piece
                  is never changed.
    """
    text = ""
    for before, piece in zip([None, *pieces], pieces, strict=False):
        spaced = before is not None and (piece.space_before or piece.line != before.line or piece.start != before.end)
        if before is not None and piece.line != before.line and _is_divided(text, piece.text):
            spaced = False
        text += (" " if spaced else "") + (piece.text if piece is pieces[-1] else _corrected(piece, odds_factors))
    return text


def _is_divided(upper: str, lower: str) -> bool:
    """Whether a word goes on in the next line behind a hyphen, in the same letters: "GARMISCH-" and "PARTENKIRCHEN".

    Not in front of a conjunction: "Garten-" and "und Landschaftsbau".
    """
    is_hyphen = len(upper) > 2 and upper[-1] == "-" and upper[-3:-1].isalpha() and lower.lower() not in _CONJUNCTIONS
    return is_hyphen and len(lower) > 1 and lower[:2].isalpha() and upper[-3:-1].isupper() == lower[:2].isupper()


def _corrected(piece: Piece, odds_factors: Mapping[tuple[str, str], float]) -> str:
    for alternative in piece.alternatives:
        letter = piece.text[alternative.at - piece.start]
        if alternative.odds * odds_factors.get((letter, alternative.other), 0.0) > 1:
            piece = with_alternative(piece, alternative)
    return piece.text


def with_alternative(piece: Piece, alternative: CharacterAlternative) -> Piece:
    """Return a piece with the alternative of one of its characters."""
    at = alternative.at - piece.start
    return replace(piece, text=piece.text[:at] + alternative.other + piece.text[at + 1 :])


def _span(line: TextLine, start: int, end: int) -> tuple[float, float]:
    """Return the extent of characters start..end along the line, 0..1."""
    if line.cuts is not None:
        return line.cuts[start], line.cuts[end]
    return start / len(line.text), end / len(line.text)


def _cut_quadrilaterals(polygons: NDArray[np.float32], spans: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the parts of quadrilaterals [T, 4, 2] that spans [T, 2], 0..1 from left to right, select."""
    left, right = spans[:, :1], spans[:, 1:]
    top_left, top_right, bottom_right, bottom_left = polygons.transpose(1, 0, 2)
    top, bottom = top_right - top_left, bottom_right - bottom_left
    return np.stack(
        [top_left + left * top, top_left + right * top, bottom_left + right * bottom, bottom_left + left * bottom],
        axis=1,
    )


def _thousandths(corners: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return boxes relative to the printed area, so that margins, resolution and rectification do not matter."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    origin = low.min(axis=0)
    extent = np.maximum(high.max(axis=0) - origin, 1.0)
    relative = np.concatenate([(low - origin) / extent, (high - origin) / extent], axis=1)
    return np.round(relative.clip(0, 1) * 1000).astype(np.int64)


@lru_cache(maxsize=1 << 16)
def hash_ngrams(text: str) -> tuple[int, ...]:
    """Return hashes of a piece: of the whole text, its 2- to 4-grams in lower case, and its shape (Aa9).

    They are 1-based and padded with 0. Most n-grams of a word stay the same if one letter is misread.
    """
    text = with_plain_hyphens(text)
    lower = text.lower()
    shape = re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", text))
    case = "U" if text.isupper() else "L" if text.islower() else "T" if text.istitle() else "M"
    grams = [f"w{lower}", f"s{shape[:12]}", f"c{case}{min(len(text), 15)}"]
    padded = f"<{lower[:14]}>"
    for size in (3, 2, 4):
        grams += [f"{size}{padded[start : start + size]}" for start in range(len(padded) - size + 1)]
    hashed = [zlib.crc32(gram.encode()) % (NGRAM_BUCKETS - 1) + 1 for gram in grams[:MAX_NGRAMS]]
    return (*hashed, *[0] * (MAX_NGRAMS - len(hashed)))


def _features(pieces: Sequence[Piece], corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return features that need the whole page: relative size, and arithmetic relations between amounts.

    0 relative text height, 1 OCR confidence, 2 space before, 3 first of its line, 4 last of its line,
    5 is an amount, 6 log amount, 7 rank among amounts, 8 how often it is printed, 9 largest on the page,
    10 is the sum of two others, 11 is part of a sum that is printed, 12 is the difference of two others
    (total = cash - change), 13 is the sum of a run of amounts directly above.
    """
    features = np.zeros((len(pieces), FEATURE_COUNT), np.float32)
    heights = np.linalg.norm(corners[:, 3] - corners[:, 0], axis=1)
    features[:, 0] = np.clip(np.log(np.maximum(heights, 1) / max(float(np.median(heights)), 1.0)), -1.5, 1.5)
    features[:, 1] = [piece.confidence for piece in pieces]
    features[:, 2] = [piece.space_before for piece in pieces]
    line = np.array([piece.line for piece in pieces])
    features[:, 3] = np.concatenate([[1], line[1:] != line[:-1]])
    features[:, 4] = np.concatenate([line[1:] != line[:-1], [1]])
    _add_amount_features(features, _cents_by_piece(pieces))
    return features


def relate_amounts(pages: Sequence[PieceSequence]) -> None:
    """Replace features 5 to 13 of consecutive pages of one document, in place, by those of all its amounts together."""
    pieces = [piece for page in pages for piece in page.pieces]
    features = np.zeros((len(pieces), FEATURE_COUNT), np.float32)
    _add_amount_features(features, _cents_by_piece(pieces))
    start = 0
    for page in pages:
        page.features[:, 5:] = features[start : start + len(page.pieces), 5:]
        start += len(page.pieces)


def _cents_by_piece(pieces: Sequence[Piece]) -> dict[int, int]:
    amounts = ((index, _cents(piece.text, _is_whole_amount(index, pieces))) for index, piece in enumerate(pieces))
    return {index: amount for index, amount in amounts if amount is not None}


def _is_whole_amount(index: int, pieces: Sequence[Piece]) -> bool:
    """Whether a whole number stands beside a currency whose amounts have no decimals: "7 543 Ft", "Rp 17.955"."""
    if not _WHOLE.fullmatch(pieces[index].text):
        return False
    sides = ((index - 1, _BEFORE_WHOLE_AMOUNTS), (index + 1, _BEHIND_WHOLE_AMOUNTS))
    return any(
        0 <= at < len(pieces) and pieces[at].text in currencies and pieces[at].line == pieces[index].line
        for at, currencies in sides
    )


def _cents(text: str, is_whole: bool) -> int | None:
    if not (is_whole or _AMOUNT.fullmatch(text)):
        return None
    amount = parse_amount(text)
    return None if amount is None or amount * 100 > MAX_CENTS else int(amount * 100)


def _add_amount_features(features: NDArray[np.float32], cents: dict[int, int]) -> None:
    """Set features 5 to 13 in place. Amounts of zero take part in no sum, because they would fit everywhere."""
    if not cents:
        return
    printed = Counter(cents.values())
    distinct = np.array(sorted(amount for amount in printed if amount > 0)[-80:], np.int64)
    amounts = set(distinct.tolist())
    sums = {int(a + b) for index, a in enumerate(distinct) for b in distinct[index + 1 :]}
    largest = int(distinct[-1]) if len(distinct) else 0
    rank = {int(amount): place / max(len(distinct), 1) for place, amount in enumerate(distinct[::-1])}
    above: list[int] = []
    for index, amount in sorted(cents.items()):
        partial, matches = 0, False
        for earlier in reversed(above):
            partial += earlier
            if partial >= amount:
                matches = partial == amount and earlier != amount
                break
        above.append(amount)
        features[index, 5] = 1
        features[index, 6] = np.log1p(amount / 100) / 5
        features[index, 7] = rank.get(amount, 1.0)
        features[index, 8] = min(printed[amount], 5) / 5
        if amount <= 0:
            continue
        features[index, 9] = amount == largest
        features[index, 10] = amount in sums
        features[index, 11] = any(int(amount + other) in amounts for other in distinct if other != amount)
        features[index, 12] = any(
            int(other - amount) in amounts and other != 2 * amount for other in distinct if other > amount
        )
        features[index, 13] = matches

"""What a network saw along the lines of a machine-readable zone → the likeliest zone, character by character.

A line has 30, 36 or 44 characters of one pitch, so fillers need not be counted: a comb of as many teeth is laid over
the places where middles of characters seem to be. Then what may stand in a column decides, and then the check digits,
among characters that the network holds for possible; never one that it does not.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from docextract.documents.mrz.fitting import ALPHABETS, alphabet_of
from docextract.documents.mrz.layout import ALPHABET, FILLER, LAYOUTS, Layout
from docextract.documents.mrz.mending import document_number

Floats = NDArray[np.float32]

CHARACTERS = ALPHABET + FILLER
MOST_ODDS = 6.0  # log odds that one frame may speak for or against a middle with
TIGHTEST, WIDEST = 0.6, 1.01  # pitch, in shares of the strip's length by the number of characters
SNAP = 0.4  # of the pitch: so far from its tooth a character's middle may lie
_COMBS, _MANY = 5, 300  # ways to lay a comb that are looked at in full, and roughly
REACH = 1.25  # frames around its middle that tell a character
IMPOSSIBLE = -30.0  # log probability of what may not stand in a column
MOST_DOUBT = 7.0  # log odds against characters that check digits may choose all the same, together
MOST_CHANGES = 3
MOST_TRIALS = 1500
CLEAR = 1.0  # log odds by which one zone whose check digits agree must be likelier than another

_INDEX = {character: at for at, character in enumerate(CHARACTERS)}


@dataclass(frozen=True)
class Frames:
    """T places along a strip, C characters."""

    middles: Floats  # [T], log odds that the middle of a character lies there
    characters: Floats  # [T, C], log probabilities
    _known: dict[int, "Columns"] = field(default_factory=dict, compare=False, repr=False)

    def columns(self, count: int) -> "Columns":
        """The likeliest places of so many characters, and what stands there."""
        if count not in self._known:
            self._known[count] = columns_of(self, count)
        return self._known[count]


@dataclass(frozen=True)
class Columns:
    """N characters along a strip."""

    middles: Floats  # [N], 0..1 along the strip, rising
    characters: Floats  # [N, C], log probabilities
    score: float  # log likelihood of these places, against none being one

    @cached_property
    def cuts(self) -> tuple[float, ...]:
        """Borders between them, N + 1, 0..1 along the strip."""
        between = (self.middles[1:] + self.middles[:-1]) / 2
        first, last = 2 * self.middles[0] - between[0], 2 * self.middles[-1] - between[-1]
        return tuple(np.clip([first, *between, last], 0, 1).tolist())


@dataclass(frozen=True)
class Spelling:
    """The lines of a zone as they were made out.

    chances: for each line [N], the probability of the character that stands there.
    doubt: log odds against the characters that check digits decided for, the likeliest ones being otherwise; 0 where
           they agreed at once.
    """

    layout: Layout
    lines: tuple[str, ...]
    columns: tuple[Columns, ...]
    chances: tuple[Floats, ...]
    score: float
    doubt: float

    def against(self, lines: Sequence[str]) -> float:
        """Log odds of the likeliest characters against these."""
        return sum(
            float(columns.characters.max(axis=1).sum() - _of(columns, line).sum())
            for columns, line in zip(self.columns, lines, strict=True)
        )


def _of(columns: Columns, line: str) -> Floats:
    """Log probabilities of a line's characters."""
    found: Floats = columns.characters[np.arange(len(line)), [_INDEX[character] for character in line]]
    return found


def spell(rows: Sequence[Frames], printed_numbers: Collection[str] = ()) -> Spelling | None:
    """The likeliest zone in these lines, from the top; None where no zone has as many.

    printed_numbers: document numbers read elsewhere on the document; they decide between zones that all fit.
    """
    spellings = [_spelt(rows, layout) for layout in LAYOUTS.values() if layout.height == len(rows)]
    best = max(spellings, key=lambda one: one.score, default=None)
    return None if best is None else _checked(best, printed_numbers)


def _spelt(rows: Sequence[Frames], layout: Layout) -> Spelling:
    """The likeliest character that may stand in each column."""
    columns = tuple(row.columns(layout.width) for row in rows)
    score, lines = 0.0, []
    for at, line in enumerate(columns):
        chances = np.where(_possible(layout, at), line.characters, IMPOSSIBLE)
        score += line.score + float(chances.max(axis=1).sum())
        lines.append("".join(CHARACTERS[one] for one in chances.argmax(axis=1)))
    return _spelling(layout, tuple(lines), columns, score, 0.0)


def _spelling(
    layout: Layout, lines: tuple[str, ...], columns: tuple[Columns, ...], score: float, doubt: float
) -> Spelling:
    chances = tuple(np.exp(_of(one, line)) for one, line in zip(columns, lines, strict=True))
    return Spelling(layout, lines, columns, chances, score, doubt)


def _possible(layout: Layout, line: int) -> NDArray[np.bool_]:
    """Which characters may stand in each column of a line; [N, C]."""
    return np.array([[one in ALPHABETS[name] for one in CHARACTERS] for name in alphabet_of(layout, line)])


def columns_of(frames: Frames, count: int) -> Columns:
    """The likeliest places of so many characters, evenly spread, and what stands there."""
    heat = np.clip(frames.middles, -MOST_ODDS, MOST_ODDS)
    laid = [_snapped(heat, teeth) for teeth in _combs(heat, count)]
    scores = [float(_between(heat, places).sum()) for places in laid]
    score = max(scores)
    places = laid[scores.index(score)]
    length = len(heat)
    near = np.clip(1 - np.abs(np.arange(length)[None] - places[:, None]) / REACH, 0, None)  # [N, T]
    near /= np.maximum(near.sum(axis=1, keepdims=True), 1e-6)
    blended = near @ frames.characters  # [N, C]
    blended -= np.log(np.exp(blended).sum(axis=1, keepdims=True))
    return Columns(((places + 0.5) / length).astype(np.float32), blended.astype(np.float32), score)


def _between(heat: Floats, places: NDArray[np.floating]) -> NDArray[np.floating]:
    """Heat at fractions of frames; beyond the ends nothing is."""
    return np.asarray(np.interp(places, np.arange(len(heat)), heat, left=-MOST_ODDS, right=-MOST_ODDS))


def _combs(heat: Floats, count: int) -> list[NDArray[np.float64]]:
    """Teeth at one pitch, [N] frames each, where they meet most heat; and a few other ways to lay them."""
    length = len(heat)
    wide = np.maximum(heat, np.maximum(np.roll(heat, 1), np.roll(heat, -1)) - 0.5)  # steps of a frame must not miss
    wide = np.concatenate([wide, [-MOST_ODDS]]).astype(np.float32)
    pitches = np.arange(TIGHTEST * length / count, WIDEST * length / count, 1.0 / count)
    starts = np.arange(0.0, length * (1 - TIGHTEST), 1.0)
    teeth = starts[:, None, None] + pitches[:, None] * np.arange(count)  # [S, P, N]
    at = np.rint(teeth).astype(np.int32)
    at[at >= length] = length
    total = wide[at].sum(axis=2)
    kept: list[tuple[float, float]] = []
    for best in np.argsort(-total, axis=None)[:_MANY].tolist():
        start, pitch = (
            float(values[one]) for values, one in zip((starts, pitches), divmod(best, len(pitches)), strict=True)
        )
        end = start + pitch * (count - 1)
        if all(max(abs(start - first), abs(end - last)) > 0.5 * pitch for first, last in kept):
            kept.append((start, end))
        if len(kept) == _COMBS:
            break
    return [np.linspace(start, end, count) for start, end in kept]


def _snapped(heat: Floats, teeth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each tooth moved to the middle that lies near it, the others with those beside them: paper is seldom flat."""
    count = len(teeth)
    number = np.linspace(-1, 1, count)
    powers = np.stack([np.ones(count), number, number**2, number**3], axis=1)
    ridge = np.diag([0.0, 0.0, 0.5, 1.0])
    for _ in range(3):
        peaks, sure = _peaks(heat, teeth)
        weighed = powers * sure[:, None]
        bend = np.linalg.solve(weighed.T @ powers + ridge + 1e-3 * np.eye(4), weighed.T @ (peaks - teeth))
        teeth = teeth + powers @ bend
    peaks, sure = _peaks(heat, teeth)
    return np.asarray(np.where(sure > 0.5, peaks, teeth))


def _peaks(heat: Floats, teeth: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The warmest place near each tooth, frames, and the probability that it is a middle; both [N]."""
    pitch = (teeth[-1] - teeth[0]) / (len(teeth) - 1)
    steps = np.linspace(-SNAP * pitch, SNAP * pitch, 13)
    smooth = np.convolve(np.pad(heat, 1, constant_values=-MOST_ODDS), [0.2, 0.6, 0.2], mode="valid")
    values = _between(smooth.astype(np.float32), teeth[:, None] + steps)  # [N, 13]
    best = values.argmax(axis=1)
    return teeth + steps[best], 1 / (1 + np.exp(-values.max(axis=1)))


def _checked(spelling: Spelling, printed_numbers: Collection[str]) -> Spelling:
    """With the likeliest characters with which all check digits agree; as it was where none or several fit."""
    fitting: list[tuple[float, tuple[str, ...]]] = []
    for doubt, lines in _trials(spelling):
        if fitting and doubt > fitting[0][0] + CLEAR:
            break
        if all(check.agrees(lines) for check in spelling.layout.checks_of(lines)):
            fitting.append((doubt, lines))
    known = [one for one in fitting if document_number(one[1], spelling.layout) in printed_numbers]
    chosen = known if len(fitting) > 1 else fitting
    if len(chosen) != 1 or chosen[0][0] == 0:
        return spelling
    doubt, lines = chosen[0]
    return _spelling(spelling.layout, lines, spelling.columns, spelling.score - doubt, doubt)


def _trials(spelling: Spelling) -> Iterator[tuple[float, tuple[str, ...]]]:
    """The lines, and lines with some of their guarded characters changed, the likeliest first; with what speaks
    against them."""
    yield 0.0, spelling.lines
    changes = _changes(spelling)
    if not changes:
        return
    waiting: list[tuple[float, tuple[int, ...]]] = [(changes[0][0], (0,))]
    for _ in range(MOST_TRIALS):
        if not waiting:
            return
        doubt, chosen = heapq.heappop(waiting)
        if doubt > MOST_DOUBT:
            return
        following = chosen[-1] + 1
        if following < len(changes):
            cost = changes[following][0]
            heapq.heappush(waiting, (doubt - changes[chosen[-1]][0] + cost, (*chosen[:-1], following)))
            if len(chosen) < MOST_CHANGES:
                heapq.heappush(waiting, (doubt + cost, (*chosen, following)))
        cells = {changes[one][1:3] for one in chosen}
        if len(cells) == len(chosen):
            rows = [list(line) for line in spelling.lines]
            for one in chosen:
                _, line, column, character = changes[one]
                rows[line][column] = character
            yield doubt, tuple("".join(row) for row in rows)


def _changes(spelling: Spelling) -> list[tuple[float, int, int, str]]:
    """Log odds against it, line, column, character: of whatever check digits guard and the network is not sure of."""
    layout = spelling.layout
    cells = {cell for check in layout.checks for cell in (check.at, *check.over)}
    possible = [_possible(layout, line) for line in range(layout.height)]
    found = []
    for line, column in sorted(cells):
        chances = spelling.columns[line].characters[column]
        standing = chances[_INDEX[spelling.lines[line][column]]]
        for at in np.flatnonzero(possible[line][column] & (standing - chances <= MOST_DOUBT)).tolist():
            if CHARACTERS[at] != spelling.lines[line][column]:
                found.append((float(standing - chances[at]), line, column, CHARACTERS[at]))
    return sorted(found)

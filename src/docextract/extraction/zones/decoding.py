"""What a network saw along the lines of a machine-readable zone → the likeliest zone, character by character.

A line has 30, 36 or 44 characters of one pitch, so fillers need not be counted: a comb of as many teeth is laid over
the places where middles of characters seem to be. Then what may stand in a column decides, and then the check digits,
among characters that the network holds for possible; never one that it does not.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from docextract.documents.countries import is_country_code
from docextract.documents.mrz.fitting import ALPHABETS, column_alphabets
from docextract.documents.mrz.layout import ALPHABET, COMPOSITE, FILLER, LAYOUTS, Cell, ZoneLayout
from docextract.documents.mrz.repair import full_document_number

Floats = NDArray[np.float32]

ZONE_CHARACTERS = ALPHABET + FILLER
# Log odds with which one frame may speak against a middle, which may lie under a thumb, and for one.
UNLIKELY_MIDDLE, LIKELY_MIDDLE = 1.5, 3.0
VALLEY = 0.7  # how much what lies between two teeth counts
TIGHTEST, WIDEST = 0.7, 1.01  # pitch, in shares of the strip's length by the number of characters
SNAP = 0.4  # of the pitch: so far from its tooth a character's middle may lie
BOWS = (-2.5, 0.0, 2.5)  # frames by which the middle of a line may lie aside
UNEVEN = 8.0  # log odds against two teeth twice as far apart as others, or on one middle
_COMBS, _MANY = 8, 2000  # ways to lay a comb that are looked at in full, and roughly
REACH = 1.25  # frames around its middle that tell a character
UNSEEN = 3e-5  # probability that each character has in a column beside what the network gives it
HEARD = 20.0  # times as likely is a letter that another reader has there, too
APART = 3.0  # log odds against a line whose ends lie a character off the other lines'
LIKELY, MOST = 0.5, 0.6  # so many columns must show a character that is likelier than not
HARDLY = 0.5  # so unlikely is no character that was seen and that no check digit guards
CLEARLY = 0.35  # of the probability of everything else, a tenth of which would fit by chance
MOST_DOUBT = 7.0  # log odds against characters that check digits may choose all the same, together
MOST_CHANGES = 3
MOST_LETTERS = 4  # in each column of a state's code
MOST_TRIALS = 1500
CLEAR = 1.0  # log odds by which one zone whose check digits agree must be likelier than another

_INDEX = {character: at for at, character in enumerate(ZONE_CHARACTERS)}


@dataclass(frozen=True)
class FrameScores:
    """T places along a strip, C characters."""

    middles: Floats  # [T], log odds that the middle of a character lies there
    characters: Floats  # [T, C], log probabilities
    _laid: dict[int, "list[CharacterGrid]"] = field(default_factory=dict, compare=False, repr=False)

    def combs(self, count: int) -> "list[CharacterGrid]":
        """Some ways to lay so many characters along the strip, the likeliest first."""
        if count not in self._laid:
            self._laid[count] = fit_grids(self.middles, count)
        return self._laid[count]

    def read_columns(self, count: int) -> "CharacterColumns":
        """So many characters, laid in the likeliest way."""
        return read_columns(self, self.combs(count)[0])


@dataclass(frozen=True)
class CharacterGrid:
    """N teeth along a strip."""

    places: NDArray[np.float64]  # [N], frames, rising
    score: float  # log likelihood of middles there, against none being one


@dataclass(frozen=True)
class CharacterColumns:
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
class DecodedZone:
    """The lines of a zone as they were made out. N columns, C characters.

    chances: for each line [N, C], log probabilities of the characters that may stand there.
    best: the lines of the likeliest characters; check digits may have decided for others.
    """

    layout: ZoneLayout
    lines: tuple[str, ...]
    best: tuple[str, ...]
    columns: tuple[CharacterColumns, ...]
    chances: tuple[Floats, ...]
    score: float

    def of(self, line: int) -> Floats:
        """The probabilities of the characters of a line; [N]."""
        return np.exp(_of(self.chances[line], self.lines[line]))

    def against(self, lines: Sequence[str]) -> float:
        """Log odds of the likeliest characters against these."""
        pairs = zip(self.chances, self.best, lines, strict=True)
        return sum(float(_of(chances, best).sum() - _of(chances, line).sum()) for chances, best, line in pairs)

    @property
    def plausible(self) -> bool:
        """Whether most of it was seen so well that there is a zone at all."""
        seen = np.concatenate([self.of(line) for line in range(len(self.lines))])
        return float((seen > LIKELY).mean()) >= MOST

    def clear(self, lines: Sequence[str]) -> bool:
        """Whether all of it was seen, so that no others may as well stand there.

        In a part that a check digit guards, others would have to agree with it: one in ten does by chance, and of
        characters under a thumb there are always some.
        """
        others = {cell for check in self.layout.checks_of(lines) if check.name != COMPOSITE for cell in check.over}
        for check in self.layout.checks_of(lines):
            cells = [cell for cell in (check.at, *check.over) if check.name != COMPOSITE or cell not in others]
            chosen, best = self._chance(cells, lines), self._chance(cells, self.best)
            left = 1 - best if list(lines) != list(self.best) and chosen < best else 1 - chosen
            if chosen < CLEARLY * left:
                return False
        guarded = {cell for check in self.layout.checks_of(lines) for cell in (check.at, *check.over)}
        free = [(at, column) for at, line in enumerate(lines) for column in range(len(line))]
        return all(self._chance([cell], lines) > HARDLY for cell in free if cell not in guarded)

    def _chance(self, cells: Sequence[Cell], lines: Sequence[str]) -> float:
        """That these cells hold what stands there in the lines."""
        return float(np.exp(sum(self.chances[line][column, _INDEX[lines[line][column]]] for line, column in cells)))


def _of(chances: Floats, line: str) -> Floats:
    """Log probabilities of a line's characters."""
    found: Floats = chances[np.arange(len(line)), [_INDEX[character] for character in line]]
    return found


def decode_zone(
    rows: Sequence[FrameScores], printed_numbers: Collection[str] = (), heard: Collection[tuple[str, ...]] = ()
) -> DecodedZone | None:
    """The likeliest zone in these lines, from the top; None where no zone has as many.

    printed_numbers: document numbers read elsewhere on the document; they decide between zones that all fit.
    heard: the lines as another reader has them; it is good at letters, and has a say in names.
    """
    spellings = [_spelt(rows, layout, heard) for layout in LAYOUTS.values() if layout.height == len(rows)]
    best = max(spellings, key=lambda one: one.score, default=None)
    return _checked(best, printed_numbers) if best else None


def _spelt(rows: Sequence[FrameScores], layout: ZoneLayout, heard: Collection[tuple[str, ...]]) -> DecodedZone:
    """The likeliest character that may stand in each column."""
    columns = tuple(read_columns(*pair) for pair in zip(rows, _aligned(rows, layout.width), strict=True))
    score, lines, chances = 0.0, [], []
    for at, line in enumerate(columns):
        possible = _possible(layout, at)
        among = np.where(possible, np.exp(line.characters) + UNSEEN, 0.0) * _said(heard, layout, at)
        chances.append(np.log(np.maximum(among / among.sum(axis=1, keepdims=True), 1e-12)).astype(np.float32))
        best = chances[-1].argmax(axis=1)
        score += line.score + float(line.characters[np.arange(len(best)), best].sum())
        lines.append("".join(ZONE_CHARACTERS[one] for one in best))
    known = _with_states(lines, layout, chances)
    return DecodedZone(layout, known, known, columns, tuple(chances), score)


def _with_states(lines: Sequence[str], layout: ZoneLayout, chances: Sequence[Floats]) -> tuple[str, ...]:
    """With the likeliest codes that there are, where one may have been seen."""
    found = list(lines)
    for name in ("issuing_country", "nationality"):
        place = layout.fields[name]
        there = chances[place.line][place.start : place.end]  # [3, C]
        likeliest = np.argsort(-there, axis=1)[:, :MOST_LETTERS].tolist()
        codes = {
            "".join(ZONE_CHARACTERS[at] for at in code): float(sum(there[column, at] for column, at in enumerate(code)))
            for code in product(*likeliest)
        }
        known = max((code for code in codes if is_country_code(code.rstrip(FILLER))), key=codes.__getitem__, default=None)
        if known and max(codes.values()) - codes[known] <= MOST_DOUBT:
            line = found[place.line]
            found[place.line] = line[: place.start] + known + line[place.end :]
    return tuple(found)


def _said(heard: Collection[tuple[str, ...]], layout: ZoneLayout, line: int) -> Floats:
    """How much likelier each character is for having been heard there; [N, C]."""
    said = np.ones((layout.width, len(ZONE_CHARACTERS)), np.float32)
    for lines in heard:
        if len(lines) == layout.height and len(lines[line]) == layout.width:
            for column, (name, character) in enumerate(zip(column_alphabets(layout, line), lines[line], strict=True)):
                if name == "letters" and character in ALPHABETS["letters"]:
                    said[column, _INDEX[character]] = HEARD
    return said


def _aligned(rows: Sequence[FrameScores], count: int) -> tuple[CharacterGrid, ...]:
    """A comb for each row, so that characters stand under each other."""

    def merit(combs: Sequence[CharacterGrid]) -> float:
        ends = np.array([[comb.places[0], comb.places[-1]] for comb in combs])
        apart = (ends - ends.mean(axis=0)) * (count - 1) / (ends[:, 1] - ends[:, 0]).mean()
        return sum(comb.score for comb in combs) - APART * float((apart**2).sum())

    return max(product(*(row.combs(count) for row in rows)), key=merit)


def _possible(layout: ZoneLayout, line: int) -> NDArray[np.bool_]:
    """Which characters may stand in each column of a line; [N, C]."""
    return np.array([[one in ALPHABETS[name] for one in ZONE_CHARACTERS] for name in column_alphabets(layout, line)])


def fit_grids(middles: Floats, count: int) -> list[CharacterGrid]:
    """The likeliest ways to lay a comb with so many teeth."""
    heat = np.clip(middles, -UNLIKELY_MIDDLE, LIKELY_MIDDLE)
    laid = [_snapped(middles, teeth) for teeth in _combs(heat, count)]
    combs = [CharacterGrid(places, _merit(heat, places)) for places in laid]
    return sorted(combs, key=lambda comb: -comb.score)


def _merit(heat: Floats, places: NDArray[np.float64]) -> float:
    """Middles at the teeth, and none between them: else two teeth may share one."""
    steps = np.diff(places)
    uneven = float(np.square(np.clip(steps / np.median(steps) - 1, -1, 1)).sum())
    met, between = _between(heat, places).sum(), _between(heat, places[1:] - steps / 2).sum()
    return float(met - VALLEY * between - UNEVEN * uneven)


def read_columns(frames: FrameScores, comb: CharacterGrid) -> CharacterColumns:
    """What stands at the teeth of a comb."""
    length = len(frames.middles)
    near = np.clip(1 - np.abs(np.arange(length)[None] - comb.places[:, None]) / REACH, 0, None)  # [N, T]
    near /= np.maximum(near.sum(axis=1, keepdims=True), 1e-6)
    blended = near @ frames.characters  # [N, C]
    blended -= np.log(np.exp(blended).sum(axis=1, keepdims=True))
    return CharacterColumns(((comb.places + 0.5) / length).astype(np.float32), blended.astype(np.float32), comb.score)


def _between(heat: Floats, places: NDArray[np.floating]) -> NDArray[np.floating]:
    """Heat at fractions of frames; beyond the ends nothing is."""
    return np.asarray(np.interp(places, np.arange(len(heat)), heat, left=-UNLIKELY_MIDDLE, right=-UNLIKELY_MIDDLE))


def _combs(heat: Floats, count: int) -> list[NDArray[np.float64]]:
    """Teeth at one pitch, [N] frames each, where they meet most heat; and a few other ways to lay them."""
    length = len(heat)
    aside = np.stack([np.roll(heat, 1), np.roll(heat, -1)])
    wide = np.append(np.maximum(heat, aside.max(axis=0) - 0.5), -2 * UNLIKELY_MIDDLE)  # steps must not miss a middle
    cold = np.append(VALLEY * np.minimum(heat, aside.min(axis=0) + 0.5), 0.0)
    pitches = np.arange(TIGHTEST * length / count, WIDEST * length / count, 1.0 / count)
    starts = np.arange(0.0, length * (1 - TIGHTEST), 1.0)
    bow = 4 * np.linspace(0, 1, count) * np.linspace(1, 0, count)
    total = np.full((len(BOWS), len(starts), len(pitches)), -np.inf)
    for number, bend in enumerate(BOWS):
        teeth = starts[:, None, None] + pitches[:, None] * np.arange(count) + bend * bow  # [S, P, N]
        at, between = (
            np.minimum(np.rint(one).astype(np.int32), length) for one in (teeth, teeth + pitches[:, None] / 2)
        )
        total[number] = wide[at].sum(axis=2) - cold[between].sum(axis=2)
    kept: list[NDArray[np.float64]] = []
    for best in np.argsort(-total, axis=None)[:_MANY].tolist():
        bend, start, pitch = np.unravel_index(best, total.shape)
        teeth = starts[start] + pitches[pitch] * np.arange(count) + BOWS[bend] * bow
        if all(np.abs(teeth - other).max() > 0.35 * pitches[pitch] for other in kept):
            kept.append(teeth)
        if len(kept) == _COMBS:
            break
    return kept


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
    smooth = np.convolve(np.pad(heat, 1, mode="edge"), [0.2, 0.6, 0.2], mode="valid")
    values = _between(smooth.astype(np.float32), teeth[:, None] + steps)  # [N, 13]
    best = values.argmax(axis=1)
    return teeth + steps[best], 1 / (1 + np.exp(-values.max(axis=1)))


def _checked(spelling: DecodedZone, printed_numbers: Collection[str]) -> DecodedZone:
    """With the likeliest characters with which all check digits agree; as it was where none or several fit."""
    fitting: list[tuple[float, tuple[str, ...]]] = []
    for doubt, lines in _trials(spelling):
        if fitting and doubt > fitting[0][0] + CLEAR:
            break
        if all(check.agrees(lines) for check in spelling.layout.checks_of(lines)) and spelling.clear(lines):
            fitting.append((doubt, lines))
    known = [one for one in fitting if full_document_number(one[1], spelling.layout) in printed_numbers]
    chosen = known if len(fitting) > 1 else fitting
    return replace(spelling, lines=chosen[0][1]) if len(chosen) == 1 else spelling


def _trials(spelling: DecodedZone) -> Iterator[tuple[float, tuple[str, ...]]]:
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


def _changes(spelling: DecodedZone) -> list[tuple[float, int, int, str]]:
    """Log odds against it, line, column, character: of whatever check digits guard and the network is not sure of."""
    layout = spelling.layout
    cells = {cell for check in layout.checks for cell in (check.at, *check.over)}
    possible = [_possible(layout, line) for line in range(layout.height)]
    found = []
    for line, column in sorted(cells):
        chances = spelling.chances[line][column]
        standing = chances[_INDEX[spelling.lines[line][column]]]
        for at in np.flatnonzero(possible[line][column] & (standing - chances <= MOST_DOUBT)).tolist():
            if ZONE_CHARACTERS[at] != spelling.lines[line][column]:
                found.append((float(standing - chances[at]), line, column, ZONE_CHARACTERS[at]))
    return sorted(found)

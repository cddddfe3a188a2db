"""Decodes the frame scores of machine-readable zone lines into the most likely zone (ICAO Doc 9303).

A line has 30, 36 or 44 characters at a constant pitch. A grid with that many positions is therefore fitted to the
character centres, and fillers need not be counted. The characters that the format allows in a column decide first, then
the check digits. They choose only among characters that the network considers possible.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from docextract.documents.countries import is_country_code
from docextract.documents.mrz.fitting import ALPHABETS, column_alphabets
from docextract.documents.mrz.layout import ALPHABET, COMPOSITE, FILLER, LAYOUTS, Cell, ZoneLayout
from docextract.documents.mrz.repair import replace_characters, select_repair

Float32Array = NDArray[np.float32]

ZONE_CHARACTERS = ALPHABET + FILLER

# Fitting of the grid.
# Bounds of one frame's log odds of a character centre. A thumb may hide a centre, so the lower bound is weak.
MIN_CENTRE_LOG_ODDS, MAX_CENTRE_LOG_ODDS = -1.5, 3.0
GAP_WEIGHT = 0.7  # of the log odds halfway between two positions, where no centre may lie
MIN_PITCH_RATIO, MAX_PITCH_RATIO = 0.7, 1.01  # pitch divided by (strip length / number of characters)
MAX_CLEAR_DEVIATION = 0.4  # of the distance of two clear centres from the median, as its share
MAX_MISSING_CENTRES = 3  # in a row between clear centres
MAX_SNAP_PITCHES = 0.4  # distance between a grid position and its character's centre
BOW_FRAMES = (-2.5, 0.0, 2.5)  # displacement of the middle of a line
UNEVEN_PITCH_PENALTY = 8.0  # log odds against two positions at twice the usual distance, or on the same centre
MAX_GRIDS, MAX_ROUGH_GRIDS = 8, 2000  # grids that are evaluated exactly, and roughly
CHARACTER_RADIUS_FRAMES = 1.25  # frames around a centre that are averaged into a character
MISALIGNMENT_PENALTY = 3.0  # log odds against a line whose ends are one character away from those of the other lines

# Choice of the characters.
SMOOTHING_PROBABILITY = 3e-5  # added to the probability of each character in each column
OTHER_READER_WEIGHT = 20.0  # factor on the probability of a letter that another reader found in the same column
MAX_LETTERS_PER_CODE_COLUMN = 4  # letters tried in each column of a country code
MAX_CHANGE_LOG_ODDS = 7.0  # total log odds against the characters that check digits may choose
MAX_CHANGES = 3
MAX_TRIALS = 1500
MIN_MARGIN_LOG_ODDS = 1.0  # by which one zone with correct check digits must be likelier than the next

# Acceptance of the result.
MIN_LIKELY_PROBABILITY, MIN_LIKELY_SHARE = 0.5, 0.6  # this share of the columns must reach this probability
MIN_CHARACTER_PROBABILITY = 0.5  # of a character that no check digit protects
MIN_ODDS_AGAINST_OTHERS = 0.35  # of the chosen characters over all others; a tenth of the others agree by chance

_INDEX = {character: index for index, character in enumerate(ZONE_CHARACTERS)}


@dataclass(frozen=True)
class FrameScores:
    """Output of the zone network for one strip. T frames along the strip, C characters."""

    centre_log_odds: Float32Array  # [T], that the centre of a character lies in the frame
    character_log_probabilities: Float32Array  # [T, C]
    _grids: dict[int, "list[CharacterGrid]"] = field(default_factory=dict, compare=False, repr=False)

    def grids(self, count: int) -> "list[CharacterGrid]":
        """Return grids of `count` characters that fit the centres, the most likely first."""
        if count not in self._grids:
            self._grids[count] = fit_grids(self.centre_log_odds, count)
        return self._grids[count]

    def read_columns(self, count: int) -> "CharacterColumns":
        """Read `count` characters on the most likely grid."""
        return read_columns(self, self.grids(count)[0])


@dataclass(frozen=True)
class CharacterGrid:
    """Positions of N characters along a strip."""

    positions: NDArray[np.float64]  # [N], frames, ascending
    score: float  # log likelihood ratio of centres at the positions over no centres


@dataclass(frozen=True)
class CharacterColumns:
    """N characters along a strip."""

    centres: Float32Array  # [N], 0..1 along the strip, ascending
    log_probabilities: Float32Array  # [N, C]
    score: float  # see CharacterGrid

    @cached_property
    def cuts(self) -> tuple[float, ...]:
        """The N + 1 borders of the characters, 0..1 along the strip."""
        between = (self.centres[1:] + self.centres[:-1]) / 2
        first, last = 2 * self.centres[0] - between[0], 2 * self.centres[-1] - between[-1]
        return tuple(np.clip([first, *between, last], 0, 1).tolist())


@dataclass(frozen=True)
class DecodedZone:
    """The lines of a zone with the probabilities of all alternatives. N columns, C characters.

    lines: the decoded lines; check digits may have replaced characters of `likeliest_lines`.
    log_probabilities: for each line [N, C], of the characters that the format allows; the others are close to zero.
    """

    layout: ZoneLayout
    lines: tuple[str, ...]
    likeliest_lines: tuple[str, ...]
    columns: tuple[CharacterColumns, ...]
    log_probabilities: tuple[Float32Array, ...]
    score: float

    def character_probabilities(self, line: int) -> Float32Array:
        """Return the probabilities of the decoded characters of a line, [N]."""
        return np.exp(_log_probabilities_of(self.log_probabilities[line], self.lines[line]))

    def log_odds_against(self, lines: Sequence[str]) -> float:
        """Return the log odds of the likeliest lines over these lines."""
        pairs = zip(self.log_probabilities, self.likeliest_lines, lines, strict=True)
        return sum(
            float(_log_probabilities_of(scores, likeliest).sum() - _log_probabilities_of(scores, line).sum())
            for scores, likeliest, line in pairs
        )

    @property
    def is_plausible(self) -> bool:
        """Whether enough characters are clear that the lines are a zone at all."""
        probabilities = np.concatenate([self.character_probabilities(line) for line in range(len(self.lines))])
        return float((probabilities > MIN_LIKELY_PROBABILITY).mean()) >= MIN_LIKELY_SHARE

    def is_unambiguous(self, lines: Sequence[str]) -> bool:
        """Whether the pixels support these lines so clearly that no other lines are about as likely.

        In a part that a check digit protects, other characters must agree with the digit too. One in ten does by
        chance, and characters under a thumb always have such alternatives.
        """
        checks = self.layout.check_digits_of(lines)
        others = {cell for check in checks if check.name != COMPOSITE for cell in check.covered_cells}
        for check in checks:
            cells = [
                cell for cell in (check.cell, *check.covered_cells) if check.name != COMPOSITE or cell not in others
            ]
            chosen, likeliest = self._probability(cells, lines), self._probability(cells, self.likeliest_lines)
            replaced = list(lines) != list(self.likeliest_lines) and chosen < likeliest
            if chosen < MIN_ODDS_AGAINST_OTHERS * (1 - likeliest if replaced else 1 - chosen):
                return False
        protected = {cell for check in checks for cell in (check.cell, *check.covered_cells)}
        cells = [(number, column) for number, line in enumerate(lines) for column in range(len(line))]
        return all(
            self._probability([cell], lines) > MIN_CHARACTER_PROBABILITY for cell in cells if cell not in protected
        )

    def _probability(self, cells: Sequence[Cell], lines: Sequence[str]) -> float:
        """Return the joint probability of the characters that the lines have in these cells."""
        return float(
            np.exp(sum(self.log_probabilities[line][column, _INDEX[lines[line][column]]] for line, column in cells))
        )


def _log_probabilities_of(scores: Float32Array, line: str) -> Float32Array:
    """Return the log probabilities of a line's characters, [N]. scores: [N, C]."""
    found: Float32Array = scores[np.arange(len(line)), [_INDEX[character] for character in line]]
    return found


def decode_zone(
    strips: Sequence[FrameScores],
    printed_numbers: Collection[str] = (),
    other_readings: Collection[tuple[str, ...]] = (),
) -> DecodedZone | None:
    """Decode the most likely zone; None if no format has this number of lines.

    strips: one per line, from top to bottom.
    printed_numbers: document numbers printed elsewhere on the document; they decide between zones that all agree with
                     their check digits.
    other_readings: the lines of the zone as another reader reports them. It is good at letters, so its letters count
                    in columns where only letters are allowed.
    """
    zones = [_decode(strips, layout, other_readings) for layout in LAYOUTS.values() if layout.height == len(strips)]
    best = max(zones, key=lambda zone: zone.score, default=None)
    return _apply_check_digits(best, printed_numbers) if best else None


def _decode(
    strips: Sequence[FrameScores], layout: ZoneLayout, other_readings: Collection[tuple[str, ...]]
) -> DecodedZone:
    """Choose the likeliest allowed character in each column."""
    columns = tuple(read_columns(*pair) for pair in zip(strips, _aligned_grids(strips, layout.width), strict=True))
    score, lines, log_probabilities = 0.0, [], []
    for number, line in enumerate(columns):
        allowed = _allowed_characters(layout, number)
        weights = np.where(allowed, np.exp(line.log_probabilities) + SMOOTHING_PROBABILITY, 0.0)
        weights = weights * _other_reader_weights(other_readings, layout, number)
        normalised = np.maximum(weights / weights.sum(axis=1, keepdims=True), 1e-12)
        log_probabilities.append(np.log(normalised).astype(np.float32))
        best = log_probabilities[-1].argmax(axis=1)
        score += line.score + float(line.log_probabilities[np.arange(len(best)), best].sum())
        lines.append("".join(ZONE_CHARACTERS[index] for index in best))
    decoded = _with_country_codes(lines, layout, log_probabilities)
    return DecodedZone(layout, decoded, decoded, columns, tuple(log_probabilities), score)


def _with_country_codes(
    lines: Sequence[str], layout: ZoneLayout, log_probabilities: Sequence[Float32Array]
) -> tuple[str, ...]:
    """Replace country codes by the likeliest codes that exist, unless these are too unlikely."""
    corrected = list(lines)
    for name in ("issuing_country", "nationality"):
        place = layout.fields[name]
        scores = log_probabilities[place.line][place.start : place.end]  # [3, C]
        likeliest = np.argsort(-scores, axis=1)[:, :MAX_LETTERS_PER_CODE_COLUMN].tolist()
        codes = {
            "".join(ZONE_CHARACTERS[index] for index in code): float(
                sum(scores[column, index] for column, index in enumerate(code))
            )
            for code in product(*likeliest)
        }
        existing = max(
            (code for code in codes if is_country_code(code.rstrip(FILLER))), key=codes.__getitem__, default=None
        )
        if existing and max(codes.values()) - codes[existing] <= MAX_CHANGE_LOG_ODDS:
            line = corrected[place.line]
            corrected[place.line] = line[: place.start] + existing + line[place.end :]
    return tuple(corrected)


def _other_reader_weights(other_readings: Collection[tuple[str, ...]], layout: ZoneLayout, line: int) -> Float32Array:
    """Return the factor on each character's probability that other readers' letters give, [N, C]."""
    weights = np.ones((layout.width, len(ZONE_CHARACTERS)), np.float32)
    for lines in other_readings:
        if len(lines) == layout.height and len(lines[line]) == layout.width:
            for column, (name, character) in enumerate(zip(column_alphabets(layout, line), lines[line], strict=True)):
                if name == "letters" and character in ALPHABETS["letters"]:
                    weights[column, _INDEX[character]] = OTHER_READER_WEIGHT
    return weights


def _aligned_grids(strips: Sequence[FrameScores], count: int) -> tuple[CharacterGrid, ...]:
    """Choose one grid per line such that the characters of all lines are below each other."""
    # L lines, K choices of one grid for each of them.
    grids = [strip.grids(count) for strip in strips]
    choices = np.indices([len(some) for some in grids]).reshape(len(grids), -1)  # [L, K]
    by_line = list(zip(grids, choices, strict=True))
    ends = np.stack([np.array([grid.positions[[0, -1]] for grid in some])[chosen] for some, chosen in by_line])
    scores = sum(np.array([grid.score for grid in some])[chosen] for some, chosen in by_line)  # [K]
    widths = (ends[..., 1] - ends[..., 0]).mean(axis=0)  # [K], frames; ends: [L, K, 2]
    offsets = (ends - ends.mean(axis=0)) * (count - 1) / widths[:, None]  # characters
    best = (scores - MISALIGNMENT_PENALTY * np.square(offsets).sum(axis=(0, 2))).argmax()
    return tuple(some[chosen[best]] for some, chosen in by_line)


def _allowed_characters(layout: ZoneLayout, line: int) -> NDArray[np.bool_]:
    """Return which characters the format allows in each column of a line, [N, C]."""
    return np.array([[one in ALPHABETS[name] for one in ZONE_CHARACTERS] for name in column_alphabets(layout, line)])


def fit_grids(centre_log_odds: Float32Array, count: int) -> list[CharacterGrid]:
    """Fit grids of `count` positions to the centres, the most likely first. centre_log_odds: [T]."""
    heat = np.clip(centre_log_odds, MIN_CENTRE_LOG_ODDS, MAX_CENTRE_LOG_ODDS)
    snapped = _snap_to_centres(centre_log_odds, np.stack(_rough_grids(heat, count)))
    grids = [
        CharacterGrid(positions, _grid_score(heat, positions))
        for positions in (*snapped, *_clear_grids(centre_log_odds, count))
    ]
    return sorted(grids, key=lambda grid: -grid.score)


def _grid_score(heat: Float32Array, positions: NDArray[np.float64]) -> float:
    """Score centres at the positions and none between them; otherwise two positions could share one centre."""
    steps = np.diff(positions)
    uneven = float(np.square(np.clip(steps / np.median(steps) - 1, -1, 1)).sum())
    on, between = _interpolate(heat, positions).sum(), _interpolate(heat, positions[1:] - steps / 2).sum()
    return float(on - GAP_WEIGHT * between - UNEVEN_PITCH_PENALTY * uneven)


def read_columns(frames: FrameScores, grid: CharacterGrid) -> CharacterColumns:
    """Average the character scores of the frames around each grid position."""
    length = len(frames.centre_log_odds)
    distances = np.abs(np.arange(length)[None] - grid.positions[:, None])  # [N, T]
    weights = np.clip(1 - distances / CHARACTER_RADIUS_FRAMES, 0, None)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-6)
    scores = weights @ frames.character_log_probabilities  # [N, C]
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    centres = ((grid.positions + 0.5) / length).astype(np.float32)
    return CharacterColumns(centres, scores.astype(np.float32), grid.score)


def _interpolate(heat: Float32Array, positions: NDArray[np.floating]) -> NDArray[np.floating]:
    """Interpolate log odds at fractions of frames; beyond the ends of the strip no centre is likely."""
    outside = MIN_CENTRE_LOG_ODDS
    return np.asarray(np.interp(positions, np.arange(len(heat)), heat, left=outside, right=outside))


def _rough_grids(heat: Float32Array, count: int) -> list[NDArray[np.float64]]:
    """Search grids of constant pitch exhaustively. Returns up to MAX_GRIDS different ones, [N] frames each."""
    shifted = np.stack([np.roll(heat, 1), np.roll(heat, -1)])
    # Steps of a frame must not miss a centre.
    widened = np.append(np.maximum(heat, shifted.max(axis=0) - 0.5), 2 * MIN_CENTRE_LOG_ODDS)
    gaps = np.append(GAP_WEIGHT * np.minimum(heat, shifted.min(axis=0) + 0.5), 0.0)
    search = _grid_search(len(heat), count)
    # Sums of rows, not products of matrices: threads of NumPy's BLAS would wait for the next product, at full load.
    on, between = widened[search.frames][search.on], gaps[search.frames][search.between]  # [G, N, S]
    scores = on.sum(axis=1) - between.sum(axis=1)  # [G, S]
    grids: list[NDArray[np.float64]] = []
    for best in np.argsort(-scores, axis=None)[:MAX_ROUGH_GRIDS].tolist():
        number, start = divmod(best, scores.shape[1])
        grid, pitch = search.grids[number] + start, search.pitches[number]
        if all(np.abs(grid - other).max() > 0.35 * pitch for other in grids):
            grids.append(grid)
        if len(grids) == MAX_GRIDS:
            break
    return grids


@dataclass(frozen=True)
class _GridSearch:
    """G grids of N positions that begin at frame 0, and S frames to which each is moved; for strips of T frames.

    on, between: [G, N], the frames nearest to the positions, and to the places half a pitch behind them.
    frames:      [T + 1, S], where each frame is after the moves. T is every frame beyond the end of the strip; none is
                 before its beginning.
    """

    grids: NDArray[np.float64]  # [G, N], frames
    pitches: NDArray[np.float64]  # [G], frames
    on: NDArray[np.intp]
    between: NDArray[np.intp]
    frames: NDArray[np.intp]


@cache
def _grid_search(length: int, count: int) -> _GridSearch:
    """Return the grids of `count` positions on a strip of `length` frames; all strips have one length."""
    pitches = np.arange(MIN_PITCH_RATIO * length / count, MAX_PITCH_RATIO * length / count, 1.0 / count)
    bow_shape = 4 * np.linspace(0, 1, count) * np.linspace(1, 0, count)
    bows = np.multiply.outer(BOW_FRAMES, bow_shape)  # [B, N]
    grids = (bows[:, None] + pitches[:, None] * np.arange(count)).reshape(-1, count)
    pitches = np.tile(pitches, len(BOW_FRAMES))
    starts = np.arange(length * (1 - MIN_PITCH_RATIO), dtype=np.intp)
    on, between = (
        np.minimum(np.rint(places).astype(np.intp), length) for places in (grids, grids + pitches[:, None] / 2)
    )
    return _GridSearch(grids, pitches, on, between, np.minimum(np.arange(length + 1)[:, None] + starts, length))


def _clear_grids(centre_log_odds: Float32Array, count: int) -> Iterator[NDArray[np.float64]]:
    """Yield runs of `count` clear centres, [N] frames each. Where paper is folded, the pitch changes on a line."""
    centres = _with_missing(_clear_centres(centre_log_odds))
    for start in range(len(centres) - count + 1):
        run = centres[start : start + count]
        steps = np.diff(run)
        if (np.abs(steps / np.median(steps) - 1) < MAX_CLEAR_DEVIATION).all():
            yield run


def _clear_centres(centre_log_odds: Float32Array) -> NDArray[np.float64]:
    """Return the places where a centre is likelier than none and than beside it, ascending, in frames."""
    before, here, behind = centre_log_odds[:-2], centre_log_odds[1:-1], centre_log_odds[2:]
    at = np.flatnonzero((here > 0) & (here >= before) & (here > behind))
    curvature = before[at] - 2 * here[at] + behind[at]  # below zero; the vertex of the parabola through the three
    return np.asarray(at + 1 + (before[at] - behind[at]) / (2 * curvature), np.float64)


def _with_missing(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the centres with up to MAX_MISSING_CENTRES in a row that are missing between them, at equal distances."""
    if len(centres) < 2:
        return centres
    steps = np.diff(centres)
    missing = np.clip(np.rint(steps / np.median(steps)) - 1, 0, MAX_MISSING_CENTRES).astype(int)
    filled = [
        left + step * np.arange(gap + 1) / (gap + 1)
        for left, step, gap in zip(centres[:-1], steps, missing, strict=True)
    ]
    return np.concatenate([*filled, centres[-1:]])


def _snap_to_centres(centre_log_odds: Float32Array, grids: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move each position to the centre near it, and the others along with their neighbours: paper is seldom flat.

    The common displacement is a cubic polynomial, fitted by weighted ridge regression. centre_log_odds: [T]. grids, and
    what is returned: [G, N], frames.
    """
    smooth = np.convolve(np.pad(centre_log_odds, 1, mode="edge"), [0.2, 0.6, 0.2], mode="valid").astype(np.float32)
    powers = np.vander(np.linspace(-1, 1, grids.shape[1]), 4, increasing=True)  # [N, 4]
    ridge = np.diag([0.0, 0.0, 0.5, 1.0]) + 1e-3 * np.eye(4)
    for _ in range(3):
        peaks, probabilities = _peaks(smooth, grids)
        weighted = powers.T * probabilities[:, None]  # [G, 4, N]
        factors = np.linalg.solve(weighted @ powers + ridge, weighted @ (peaks - grids)[..., None])
        grids = grids + (powers @ factors)[..., 0]
    peaks, probabilities = _peaks(smooth, grids)
    return np.where(probabilities > 0.5, peaks, grids)


def _peaks(smooth: Float32Array, grids: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the likeliest centre near each position, in frames, and its probability; both [G, N].

    smooth: [T], log odds.
    """
    pitches = (grids[:, -1] - grids[:, 0]) / (grids.shape[1] - 1)
    steps = np.linspace(-MAX_SNAP_PITCHES, MAX_SNAP_PITCHES, 13) * pitches[:, None]  # [G, 13]
    places = grids[..., None] + steps[:, None]  # [G, N, 13]
    values = _interpolate(smooth, places)
    best = values.argmax(axis=2, keepdims=True)
    return np.take_along_axis(places, best, 2)[..., 0], 1 / (1 + np.exp(-values.max(axis=2)))


def _apply_check_digits(zone: DecodedZone, printed_numbers: Collection[str]) -> DecodedZone:
    """Choose the likeliest lines that agree with all check digits; no change if none or several do."""
    agreeing: list[tuple[float, tuple[str, ...]]] = []
    for log_odds, lines in _trials(zone):
        if agreeing and log_odds > agreeing[0][0] + MIN_MARGIN_LOG_ODDS:
            break
        if zone.layout.check_digits_are_valid(lines) and zone.is_unambiguous(lines):
            agreeing.append((log_odds, lines))
    chosen = select_repair([lines for _, lines in agreeing], zone.layout, printed_numbers)
    return replace(zone, lines=chosen) if chosen else zone


def _trials(zone: DecodedZone) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Yield the lines, then variants with up to MAX_CHANGES changed characters, the likeliest first.

    Each comes with the log odds against it. The variants are enumerated best first with a heap of change sets.
    """
    yield 0.0, zone.lines
    changes = _changes(zone)
    if not changes:
        return
    queue: list[tuple[float, tuple[int, ...]]] = [(changes[0][0], (0,))]
    for _ in range(MAX_TRIALS):
        if not queue:
            return
        log_odds, chosen = heapq.heappop(queue)
        if log_odds > MAX_CHANGE_LOG_ODDS:
            return
        following = chosen[-1] + 1
        if following < len(changes):
            cost = changes[following][0]
            heapq.heappush(queue, (log_odds - changes[chosen[-1]][0] + cost, (*chosen[:-1], following)))
            if len(chosen) < MAX_CHANGES:
                heapq.heappush(queue, (log_odds + cost, (*chosen, following)))
        cells = {changes[number][1:3] for number in chosen}
        if len(cells) == len(chosen):
            replacements = [
                ((line, column), character) for _, line, column, character in map(changes.__getitem__, chosen)
            ]
            yield log_odds, replace_characters(zone.lines, replacements)


def _changes(zone: DecodedZone) -> list[tuple[float, int, int, str]]:
    """Return the possible changes of characters that check digits protect, the likeliest first.

    Each is (log odds against it, line, column, character).
    """
    layout = zone.layout
    cells = {cell for check in layout.checks for cell in (check.cell, *check.covered_cells)}
    allowed = [_allowed_characters(layout, line) for line in range(layout.height)]
    changes = []
    for line, column in sorted(cells):
        scores = zone.log_probabilities[line][column]
        current = scores[_INDEX[zone.lines[line][column]]]
        for index in np.flatnonzero(allowed[line][column] & (current - scores <= MAX_CHANGE_LOG_ODDS)).tolist():
            if ZONE_CHARACTERS[index] != zone.lines[line][column]:
                changes.append((float(current - scores[index]), line, column, ZONE_CHARACTERS[index]))
    return sorted(changes)

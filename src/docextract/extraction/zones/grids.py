"""Finds the characters along a line of a machine-readable zone.

A line has 30, 36 or 44 characters at a constant pitch. A grid with that many positions is therefore fitted to the
character centres, and fillers need not be counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]

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


def aligned_grids(strips: Sequence[FrameScores], count: int) -> tuple[CharacterGrid, ...]:
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


def fit_grids(centre_log_odds: Float32Array, count: int) -> list[CharacterGrid]:
    """Fit grids of `count` positions to the centres, the most likely first. centre_log_odds: [T]."""
    heat = np.clip(centre_log_odds, MIN_CENTRE_LOG_ODDS, MAX_CENTRE_LOG_ODDS)
    snapped = _snap_to_centres(centre_log_odds, np.stack(_rough_grids(heat, count)))
    grids = [
        CharacterGrid(positions, _grid_score(heat, positions))
        for positions in (*snapped, *_clear_grids(centre_log_odds, count))
    ]
    return sorted(grids, key=lambda grid: -grid.score)


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


def _grid_score(heat: Float32Array, positions: NDArray[np.float64]) -> float:
    """Score centres at the positions and none between them; otherwise two positions could share one centre."""
    steps = np.diff(positions)
    uneven = float(np.square(np.clip(steps / np.median(steps) - 1, -1, 1)).sum())
    on, between = _interpolate(heat, positions).sum(), _interpolate(heat, positions[1:] - steps / 2).sum()
    return float(on - GAP_WEIGHT * between - UNEVEN_PITCH_PENALTY * uneven)


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

"""How far chance may have played a part when two models are compared on the same pages: the paired bootstrap.

Pages are drawn again with replacement, a thousand times, and both models are scored on each drawing (Efron and
Tibshirani, An Introduction to the Bootstrap, 1993, section 16). What varies between the drawings is what other pages of
the same kind would have changed. Pages are drawn, not fields: the fields of one page stand or fall together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

DRAWINGS = 2000
OUTER_PERCENT = 2.5  # left out at each end: a 95 % interval

Floats = NDArray[np.float64]
Pair = tuple[ArrayLike, ArrayLike]  # one value a page: of the candidate, and of the served model


@dataclass(frozen=True)
class Compared:
    """One score of two models. A gain is positive where the candidate is better, be high scores good or bad."""

    candidate: float
    served: float
    gain: float
    low: float  # of the gain's 95 % interval
    high: float
    n: int  # what was counted: values, pages, photos

    @property
    def certain(self) -> bool:
        """Whether the interval lies on one side."""
        return self.low > 0 or self.high < 0


def drawings(pages: int, rng: np.random.Generator, count: int = DRAWINGS) -> Floats:
    """[count, pages]: how often each page was drawn; each row sums to `pages`."""
    return rng.multinomial(pages, np.full(pages, 1 / pages), size=count).astype(np.float64)


def shares(pair: Pair, counts: ArrayLike, drawn: Floats, less_is_better: bool = False) -> Compared | None:
    """Compare two shares: of `counts` things on each page, so many were right. None where nothing was counted."""
    n = np.asarray(counts, np.float64)
    if not n.sum():
        return None

    def share(right: Floats, weights: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(weights @ right / (weights @ n))

    return _compared(pair, share, drawn, int(n.sum()), less_is_better)


def aurocs(pair: Pair, positive: Sequence[bool], drawn: Floats) -> Compared | None:
    """Compare two rankings of the same photos. None where all are positive, or none is."""
    truth = np.asarray(positive, bool)
    if truth.all() or not truth.any():
        return None
    return _compared(pair, lambda scores, weights: _auroc(scores, truth, weights), drawn, len(truth), False)


def _compared(
    pair: Pair, measure: Callable[[Floats, Floats], Floats], drawn: Floats, n: int, less_is_better: bool
) -> Compared:
    once = np.ones((1, drawn.shape[1]))
    mine, theirs = (np.asarray(side, np.float64) for side in pair)
    candidate, served = (float(measure(side, once)[0]) for side in (mine, theirs))
    sign = -1 if less_is_better else 1
    gains = sign * (measure(mine, drawn) - measure(theirs, drawn))
    gains = gains[np.isfinite(gains)]  # a drawing may hold no page on which there was anything to count
    low, high = np.percentile(gains, [OUTER_PERCENT, 100 - OUTER_PERCENT])
    return Compared(
        round(candidate, 4), round(served, 4), _rounded(sign * (candidate - served)), _rounded(low), _rounded(high), n
    )


def _rounded(gain: float) -> float:
    return round(float(gain), 4) + 0.0  # no -0.0


def _auroc(scores: Floats, positive: NDArray[np.bool_], weights: Floats) -> Floats:
    """The chance that a positive scores above a negative, ties counting half, for each row of weights [B, N]. [B]."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(scores[order]) > 0])  # where equal scores begin
    sorted_weights, truth = weights[:, order], positive[order]
    above = np.add.reduceat(sorted_weights * truth, starts, axis=1)  # [B, groups of equals]
    below = np.add.reduceat(sorted_weights * ~truth, starts, axis=1)
    wins = (above * (below.cumsum(axis=1) - below / 2)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(wins / (above.sum(axis=1) * below.sum(axis=1)))

"""Confidence intervals for the difference of two models on the same pages: the paired bootstrap.

Pages are resampled with replacement 2,000 times, and both models are scored on each sample (Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, section 16). The variation between the samples shows what other pages of the same
kind would have changed. Pages are resampled, not fields, because the fields of one page are not independent; groups of
pages that resemble each other are resampled, not their pages. Fewer than MIN_GROUPS groups with anything to count vary
too little for that. The interval of a share is then that of independent values (Newcombe 1998, Statistics in Medicine
17:873, method 10), so that only large differences count; the interval of an AUROC is all that is possible.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLE_COUNT = 2000
MIN_GROUPS = 5
TAIL_PERCENT = 2.5  # cut off at each end: a 95 % interval
_DEVIATIONS = 1.96  # of a normal distribution, on each side of its mean: 95 %
ANY_SHARE = (0.0, 1.0)
ANY_GAIN = (-1.0, 1.0)

Floats = NDArray[np.float64]
PairedValues = tuple[ArrayLike, ArrayLike]  # one value per page, of the candidate and of the served model


@dataclass(frozen=True)
class PairedComparison:
    """One score of two models. A gain is positive if the candidate is better, whether high scores are good or bad."""

    candidate: float
    served: float
    gain: float
    low: float  # limits of the gain's 95 % interval
    high: float
    n: int  # number of values, pages or photos

    @property
    def certain(self) -> bool:
        """Whether the 95 % interval does not contain 0."""
        return self.low > 0 or self.high < 0


def better_or_worse(one: Mapping[str, float]) -> str:
    """Return whether the candidate of a comparison, as a mapping, is better or worse; empty if it may be chance."""
    return "better" if one["low"] > 0 else "worse" if one["high"] < 0 else ""


@dataclass(frozen=True)
class Resamples:
    """Samples of pages, drawn with replacement."""

    weights: Floats  # how often each page is in each sample, [samples, pages]
    groups: NDArray[np.intp]  # of each page; the pages of a group are drawn together

    def of(self, pages: Sequence[int]) -> "Resamples":
        """The same samples of some of the pages, by index."""
        return Resamples(self.weights[:, pages], self.groups[pages])

    def limits(self, values: Floats, counted: ArrayLike, possible: tuple[float, float]) -> tuple[float, float]:
        """The 95 % interval of one value for each sample.

        counted: whether a page has anything to count, [pages], or [2, pages] for each model. possible: the interval
        where the groups are too few.
        """
        if any(len(np.unique(self.groups[own])) < MIN_GROUPS for own in np.atleast_2d(np.asarray(counted, bool))):
            return possible
        finite = values[np.isfinite(values)]  # a sample may have no page with anything to count
        low, high = np.percentile(finite, [TAIL_PERCENT, 100 - TAIL_PERCENT])
        return float(low), float(high)


def draw_resamples(pages: int, rng: np.random.Generator, count: int = RESAMPLE_COUNT) -> Resamples:
    """Samples of as many pages as there are, each page on its own."""
    return draw_group_resamples([str(page) for page in range(pages)], rng, count)


def draw_group_resamples(groups: Sequence[str], rng: np.random.Generator, count: int = RESAMPLE_COUNT) -> Resamples:
    """Samples of as many groups as there are. groups: of each page."""
    names, of_page = np.unique(np.array(groups, str), return_inverse=True)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=count).astype(np.float64)
    return Resamples(drawn[:, of_page], of_page)


def compare_shares(
    pair: PairedValues, counts: ArrayLike, resamples: Resamples, less_is_better: bool = False
) -> PairedComparison | None:
    """Compare two shares. pair: the number of right things on each page.

    counts: how many things each page has, [pages], or [2, pages] if the two models count other things. The comparison's
    n is the first model's count. Returns None if one of them has nothing to count.
    """
    rights = np.array(pair, np.float64)
    n = np.broadcast_to(np.asarray(counts, np.float64), rights.shape)
    totals = n.sum(axis=1)
    if not totals.all():
        return None

    def share(side: Floats, weights: Floats) -> Floats:
        right, counted = side
        with np.errstate(invalid="ignore"):
            return np.asarray(weights @ right / (weights @ counted))

    shares = [_wilson(right, total) for right, total in zip(rights.sum(axis=1), totals, strict=True)]
    of_few_groups = _independent_gain(*(reversed(shares) if less_is_better else shares))
    sides = np.stack([rights, n], axis=1)  # [2 models, right and counted, pages]
    return _compared((sides[0], sides[1]), share, resamples, n, of_few_groups, less_is_better)


def compare_aurocs(pair: PairedValues, positive: Sequence[bool], resamples: Resamples) -> PairedComparison | None:
    """Compare two rankings of the same photos by AUROC. Returns None if all photos are positive, or none is."""
    truth = np.asarray(positive, bool)
    if truth.all() or not truth.any():
        return None
    once = np.ones(len(truth))
    return _compared(pair, lambda scores, weights: _auroc(scores, truth, weights), resamples, once, ANY_GAIN)


def auroc_interval(
    scores: ArrayLike, positive: NDArray[np.bool_], resamples: Resamples
) -> tuple[float, float, float] | None:
    """The AUROC of a ranking with its 95 % interval: value, low, high. None if all photos are positive, or none is."""
    truth = np.asarray(positive, bool)
    if truth.all() or not truth.any():
        return None
    values = np.asarray(scores, np.float64)
    areas = _auroc(values, truth, resamples.weights)
    area = float(_auroc(values, truth, np.ones((1, len(values))))[0])
    low, high = resamples.limits(areas, np.ones(len(values)), ANY_SHARE)
    return round(area, 4), _rounded(low), _rounded(high)


def _compared(
    pair: PairedValues,
    measure: Callable[[Floats, Floats], Floats],
    resamples: Resamples,
    counts: Floats,
    of_few_groups: tuple[float, float],
    less_is_better: bool = False,
) -> PairedComparison:
    """counts: things on each page, of the first model or of both. of_few_groups: limits of the gain of few groups."""
    n = np.atleast_2d(counts)
    once = np.ones((1, n.shape[1]))
    mine, theirs = (np.asarray(side, np.float64) for side in pair)
    candidate, served = (float(measure(side, once)[0]) for side in (mine, theirs))
    sign = -1 if less_is_better else 1
    gains = sign * (measure(mine, resamples.weights) - measure(theirs, resamples.weights))
    limits = resamples.limits(gains, n, of_few_groups)
    gain, low, high = map(_rounded, (sign * (candidate - served), *limits))
    return PairedComparison(round(candidate, 4), round(served, 4), gain, low, high, int(n[0].sum()))


def _independent_gain(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float]:
    """The 95 % interval of the difference of two independent shares, each with its own interval."""
    (share, low, high), (other_share, other_low, other_high) = one, other
    gain = share - other_share
    return (
        gain - math.hypot(share - low, other_high - other_share),
        gain + math.hypot(high - share, other_share - other_low),
    )


def _wilson(right: float, n: float) -> tuple[float, float, float]:
    """A share with its 95 % score interval (Wilson 1927): value, low, high."""
    share, doubt = right / n, _DEVIATIONS**2 / n
    middle = (share + doubt / 2) / (1 + doubt)
    half = math.sqrt(doubt * share * (1 - share) + doubt**2 / 4) / (1 + doubt)
    return share, middle - half, middle + half


def _rounded(gain: float) -> float:
    return round(float(gain), 4) + 0.0  # + 0.0 turns -0.0 into 0.0


def _auroc(scores: Floats, positive: NDArray[np.bool_], weights: Floats) -> Floats:
    """AUROC for each row of weights [B, N], as [B]; see training.metrics.auroc."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(scores[order]) > 0])  # start of each group of equal scores
    sorted_weights, truth = weights[:, order], positive[order]
    above = np.add.reduceat(sorted_weights * truth, starts, axis=1)  # [B, groups of equal scores]
    below = np.add.reduceat(sorted_weights * ~truth, starts, axis=1)
    wins = (above * (below.cumsum(axis=1) - below / 2)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(wins / (above.sum(axis=1) * below.sum(axis=1)))


def interval(templates: Sequence[str], values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """95 % interval of a mean share by bootstrap over templates (Efron and Tibshirani 1993), not over documents."""
    drawn = draw_group_resamples(templates, np.random.default_rng(seed))
    means = (drawn.weights @ np.asarray(values, np.float64)) / drawn.weights.sum(axis=1)
    return drawn.limits(means, np.ones(len(values)), ANY_SHARE)

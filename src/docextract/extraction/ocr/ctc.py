"""What a strip of print may say: the likeliest texts by all the ways in which CTC can spell them.

Prefix beam search: Hannun et al. 2014, "First-Pass Large Vocabulary Continuous Speech Recognition using Bi-Directional
Recurrent DNNs", arXiv:1408.2873, algorithm 1, without the language model, which judges whole lines afterwards. Most
columns leave no doubt; only the others branch.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLANK = 0  # the class of none
BEAM_WIDTH = 8  # texts kept
# Nats below the likeliest text; with 5, or with all that are kept, no fewer of 3,000 lines were read wrong.
MAX_LOG_LIKELIHOOD_GAP = 4.0

ColumnOptions = tuple[NDArray[np.intp], NDArray[np.float32]]  # classes that a column may be of, and how likely each is


@dataclass(frozen=True)
class CtcHypothesis:
    """One text, as classes, and the column at which each is emitted."""

    classes: tuple[int, ...]
    columns: tuple[int, ...]
    log_likelihood: float  # in nats; of the columns that leave doubt, as all others have none


class _Ways(NamedTuple):
    """Log-likelihoods of all ways to spell a prefix that end in a blank, and of those that end in its last class."""

    closed: float
    open: float
    columns: tuple[int, ...]

    @property
    def all(self) -> float:
        return _either(self.closed, self.open)


_Beam = dict[tuple[int, ...], _Ways]
_NEVER = float("-inf")
_DOUBTED = -1


def prefix_beam_search(best: Sequence[int], options: Mapping[int, ColumnOptions]) -> list[CtcHypothesis]:
    """The likeliest first.

    best: class of each column, [T]. options: of the columns that leave doubt; all others are what they are.
    """
    beam: _Beam = {(): _Ways(0.0, _NEVER, ())}
    before = BLANK  # class of the column before, as it changes nothing to see it again
    for column, settled in enumerate(best):
        if column in options:
            beam, before = _widened(beam, column, options[column]), _DOUBTED
        elif settled != before:
            beam, before = _followed(beam, column, settled), settled
    ranked = sorted(beam.items(), key=lambda item: -item[1].all)
    least = ranked[0][1].all - MAX_LOG_LIKELIHOOD_GAP
    return [CtcHypothesis(classes, ways.columns, ways.all) for classes, ways in ranked if ways.all >= least]


def _followed(beam: _Beam, column: int, settled: int) -> _Beam:
    """After a column that is of one class beyond doubt, where the one before was of another or in doubt."""
    return _widened(beam, column, (np.array([settled]), np.ones(1, np.float32)))


def _widened(beam: _Beam, column: int, options: ColumnOptions) -> _Beam:
    wider: _Beam = {}

    def add(prefix: tuple[int, ...], ways: _Ways) -> None:
        known = wider.get(prefix)
        if known is not None:
            columns = max(known, ways, key=lambda some: some.all).columns
            ways = _Ways(_either(known.closed, ways.closed), _either(known.open, ways.open), columns)
        wider[prefix] = ways

    for class_, cost in zip(options[0].tolist(), np.log(options[1]).tolist(), strict=True):
        for prefix, ways in beam.items():
            if class_ == BLANK:
                add(prefix, _Ways(ways.all + cost, _NEVER, ways.columns))
            elif prefix and prefix[-1] == class_:
                add(prefix, _Ways(_NEVER, ways.open + cost, ways.columns))
                add((*prefix, class_), _Ways(_NEVER, ways.closed + cost, (*ways.columns, column)))
            else:
                add((*prefix, class_), _Ways(_NEVER, ways.all + cost, (*ways.columns, column)))
    likeliest = sorted(wider, key=lambda prefix: -wider[prefix].all)[:BEAM_WIDTH]
    return {prefix: wider[prefix] for prefix in likeliest if wider[prefix].all > _NEVER}


def _either(one: float, other: float) -> float:
    """log(e^one + e^other)."""
    less, more = sorted((one, other))
    return more if less == _NEVER else more + math.log1p(math.exp(less - more))

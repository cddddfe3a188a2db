"""CTC decoding of a text strip into its most likely texts.

Prefix beam search after Hannun et al. 2014, "First-Pass Large Vocabulary Continuous Speech Recognition using
Bi-Directional Recurrent DNNs", arXiv:1408.2873, algorithm 1, without its language model: here the language model scores
whole lines afterwards. In most columns one class is certain; only the others branch.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLANK_CLASS = 0
BEAM_WIDTH = 8  # texts
# Nats below the likeliest text. With 5, or with the whole beam, no fewer of 3,000 lines were read wrong.
MAX_LOG_LIKELIHOOD_GAP = 4.0

ColumnOptions = tuple[NDArray[np.intp], NDArray[np.float32]]  # possible classes of a column, and their probabilities


@dataclass(frozen=True)
class CtcHypothesis:
    """One possible text of a strip."""

    classes: tuple[int, ...]
    columns: tuple[int, ...]  # at which each class is emitted
    log_likelihood: float  # nats; of the uncertain columns, the others count as certain


class _PrefixScore(NamedTuple):
    """Log likelihoods of all alignments of a prefix that end in a blank, and of those that end in its last class."""

    blank: float
    non_blank: float
    columns: tuple[int, ...]

    @property
    def total(self) -> float:
        return _log_add(self.blank, self.non_blank)


_Beam = dict[tuple[int, ...], _PrefixScore]
_IMPOSSIBLE = float("-inf")
_UNCERTAIN = -1


def prefix_beam_search(best: Sequence[int], options: Mapping[int, ColumnOptions]) -> list[CtcHypothesis]:
    """Return the possible texts, the likeliest first.

    best: the likeliest class of each column, [T]. options: of the uncertain columns; in the others `best` is certain.
    """
    beam: _Beam = {(): _PrefixScore(0.0, _IMPOSSIBLE, ())}
    previous = BLANK_CLASS  # certain class of the column before; a repetition of it changes nothing
    pending: list[tuple[int, int]] = []  # class and column of certain characters that no prefix has yet
    for column, certain in enumerate(best):
        if column in options:
            beam = _extend(_append(beam, pending, previous), column, options[column])
            previous, pending = _UNCERTAIN, []
        elif previous == _UNCERTAIN:
            beam, previous = _extend(beam, column, (np.array([certain]), np.ones(1, np.float32))), certain
        elif certain != previous:
            previous = certain
            if certain != BLANK_CLASS:
                pending.append((certain, column))
    beam = _append(beam, pending, previous)
    ranked = sorted(beam.items(), key=lambda item: -item[1].total)
    least = ranked[0][1].total - MAX_LOG_LIKELIHOOD_GAP
    return [CtcHypothesis(classes, score.columns, score.total) for classes, score in ranked if score.total >= least]


def _append(beam: _Beam, characters: Sequence[tuple[int, int]], last: int) -> _Beam:
    """Append certain characters, each a class and its column, to all prefixes.

    last: the certain class of the column before the next one; _UNCERTAIN if there is none, and no character.
    """
    if last == _UNCERTAIN:
        return beam
    classes, columns = tuple(class_ for class_, _ in characters), tuple(column for _, column in characters)
    return {
        (*prefix, *classes): _PrefixScore(
            *((score.total, _IMPOSSIBLE) if last == BLANK_CLASS else (_IMPOSSIBLE, score.total)),
            (*score.columns, *columns),
        )
        for prefix, score in beam.items()
    }


def _extend(beam: _Beam, column: int, options: ColumnOptions) -> _Beam:
    """Extend all prefixes by one column, and keep the likeliest BEAM_WIDTH."""
    extended: _Beam = {}

    def add(prefix: tuple[int, ...], score: _PrefixScore) -> None:
        other = extended.get(prefix)
        if other is not None:
            columns = other.columns if other.total >= score.total else score.columns
            blank, non_blank = _log_add(other.blank, score.blank), _log_add(other.non_blank, score.non_blank)
            score = _PrefixScore(blank, non_blank, columns)
        extended[prefix] = score

    choices = list(zip(options[0].tolist(), np.log(options[1]).tolist(), strict=True))
    for prefix, score in beam.items():
        total, columns = score.total, (*score.columns, column)
        for class_, log_probability in choices:
            if class_ == BLANK_CLASS:
                add(prefix, _PrefixScore(total + log_probability, _IMPOSSIBLE, score.columns))
            elif not (prefix and prefix[-1] == class_):
                add((*prefix, class_), _PrefixScore(_IMPOSSIBLE, total + log_probability, columns))
            else:
                if score.non_blank > _IMPOSSIBLE:
                    add(prefix, _PrefixScore(_IMPOSSIBLE, score.non_blank + log_probability, score.columns))
                if score.blank > _IMPOSSIBLE:
                    add((*prefix, class_), _PrefixScore(_IMPOSSIBLE, score.blank + log_probability, columns))
    return dict(nlargest(BEAM_WIDTH, extended.items(), key=lambda item: item[1].total))


def _log_add(one: float, other: float) -> float:
    """Return log(e^one + e^other)."""
    if one < other:
        one, other = other, one
    return one if other == _IMPOSSIBLE else one + math.log1p(math.exp(other - one))

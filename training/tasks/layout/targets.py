"""What the layout transformer should answer, and how far off it is.

Truth comes in two strengths: a sheet knows the label of every piece; a labelled page knows values, not
places. Both are the same here: the set of labels each piece may have, and groups of pieces of which at least
one carries a field (multiple-instance learning).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from docextract.extraction.layout.network import LayoutLogits
from docextract.extraction.layout.pieces import PieceSequence

UNKNOWN = -1


@dataclass(frozen=True)
class Target:
    """The truth about one page. T pieces, K labels."""

    allowed: NDArray[np.bool_]  # [T, K]
    row_starts: NDArray[np.int64]  # [T]: 0, 1 or UNKNOWN
    type: int
    currency: int = UNKNOWN
    date_order: int = UNKNOWN
    one_of: tuple[tuple[NDArray[np.int64], int], ...] = field(default=())  # (pieces, field number)


@dataclass(frozen=True)
class Example:
    """A page and its truth."""

    page: PieceSequence
    target: Target


def loss(logits: LayoutLogits, targets: Sequence[Target]) -> dict[str, Tensor]:
    """Mean losses by name; their sum is what training minimises."""
    return {
        "labels": _labels(logits.labels, targets),
        "places": _places(logits.labels, targets),
        "rows": _rows(logits.row_starts, targets),
        "type": _classes(logits.type, [target.type for target in targets]),
        "currency": 0.2 * _classes(logits.currency, [target.currency for target in targets]),
        "date_order": 0.2 * _classes(logits.date_order, [target.date_order for target in targets]),
    }


def _labels(logits: Tensor, targets: Sequence[Target]) -> Tensor:
    """−log of the probability that a piece has one of its possible labels. logits [B, T, K]

    Pieces of fields weigh three times as much as the others: they are few.
    """
    allowed = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    weight = torch.zeros(logits.shape[:2], device=logits.device)
    for row, target in enumerate(targets):
        count = len(target.allowed)
        allowed[row, :count] = torch.from_numpy(target.allowed)
        weight[row, :count] = torch.from_numpy(np.where(target.allowed[:, 0], 1.0, 3.0)).to(weight)
    allowed[weight == 0] = True
    log_p = logits.log_softmax(-1)
    mass = torch.logsumexp(log_p.masked_fill(~allowed, -1e4), dim=-1)  # [B, T]
    return -(mass * weight).sum() / weight.sum().clamp(min=1)


def _places(logits: Tensor, targets: Sequence[Target]) -> Tensor:
    """−log of the probability that at least one of the possible places carries the field."""
    terms = []
    for row, target in enumerate(targets):
        for pieces, number in target.one_of:
            p = logits[row, torch.from_numpy(pieces)].softmax(-1)[:, [1 + 2 * number, 2 + 2 * number]].sum(-1)
            missed = torch.log1p(-p.clamp(max=1 - 1e-5)).sum()
            terms.append(-torch.log((1 - missed.exp()).clamp(min=1e-6)))
    return 0.3 * torch.stack(terms).sum() / len(targets) if terms else logits.new_zeros(())


def _rows(logits: Tensor, targets: Sequence[Target]) -> Tensor:
    truth = torch.full(logits.shape, UNKNOWN, device=logits.device)
    for row, target in enumerate(targets):
        truth[row, : len(target.row_starts)] = torch.from_numpy(target.row_starts).to(truth)
    known = truth != UNKNOWN
    if not known.any():
        return logits.new_zeros(())
    return functional.binary_cross_entropy_with_logits(logits[known], truth[known].to(logits))


def _classes(logits: Tensor, truths: Sequence[int]) -> Tensor:
    truth = torch.tensor(truths, device=logits.device)
    if not (truth != UNKNOWN).any():
        return logits.new_zeros(())
    return 0.2 * functional.cross_entropy(logits, truth, ignore_index=UNKNOWN)

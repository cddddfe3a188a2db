"""Targets and losses of the layout transformer.

A synthetic sheet has a label for every piece; a labelled page has values, but not their positions. Both are described
in the same way: by the set of labels that each piece may have, and by groups of pieces of which at least one has a
given field (multiple-instance learning).
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
class PageTarget:
    """Ground truth of one page. T pieces, K labels."""

    allowed: NDArray[np.bool_]  # [T, K]; the labels that a piece may have
    row_starts: NDArray[np.int64]  # [T]; 1: a table row starts here, 0: none starts, or UNKNOWN
    type: int
    currency: int = UNKNOWN
    date_order: int = UNKNOWN
    one_of: tuple[tuple[NDArray[np.int64], int], ...] = field(default=())  # (pieces, field number)
    is_taught: bool = False  # whether the labels of a teacher are learned on the page too, see `distillation_loss`


@dataclass(frozen=True)
class TrainingPage:
    """A page and its ground truth."""

    page: PieceSequence
    target: PageTarget


def layout_losses(logits: LayoutLogits, targets: Sequence[PageTarget]) -> dict[str, Tensor]:
    """Weighted mean losses by name; training minimises their sum."""
    return {
        "labels": _label_loss(logits.labels, targets),
        "places": _position_loss(logits.labels, targets),
        "rows": _row_loss(logits.row_starts, targets),
        "type": _class_loss(logits.type, [target.type for target in targets]),
        "currency": 0.2 * _class_loss(logits.currency, [target.currency for target in targets]),
        "date_order": 0.2 * _class_loss(logits.date_order, [target.date_order for target in targets]),
    }


def _label_loss(logits: Tensor, targets: Sequence[PageTarget]) -> Tensor:
    """−log of the probability that a piece has one of its allowed labels. logits: [B, T, K].

    Pieces of fields have three times the weight of other pieces, because there are few of them; pieces that may have
    any label have none.
    """
    allowed = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    weight = torch.zeros(logits.shape[:2], device=logits.device)
    for row, target in enumerate(targets):
        count = len(target.allowed)
        allowed[row, :count] = torch.from_numpy(target.allowed)
        weights = np.where(target.allowed.all(1), 0.0, np.where(target.allowed[:, 0], 1.0, 3.0))
        weight[row, :count] = torch.from_numpy(weights).to(weight)
    allowed[weight == 0] = True
    log_p = logits.log_softmax(-1)
    mass = torch.logsumexp(log_p.masked_fill(~allowed, -1e4), dim=-1)  # [B, T]
    return -(mass * weight).sum() / weight.sum().clamp(min=1)


def _position_loss(logits: Tensor, targets: Sequence[PageTarget]) -> Tensor:
    """−log of the probability that at least one of the pieces that may have a field has it. logits: [B, T, K]."""
    terms = []
    for row, target in enumerate(targets):
        for pieces, number in target.one_of:
            p = logits[row, torch.from_numpy(pieces)].softmax(-1)[:, [1 + 2 * number, 2 + 2 * number]].sum(-1)
            missed = torch.log1p(-p.clamp(max=1 - 1e-5)).sum()
            terms.append(-torch.log((1 - missed.exp()).clamp(min=1e-6)))
    labelled = sum(not target.allowed.all() for target in targets)
    return 0.3 * torch.stack(terms).sum() / labelled if terms else logits.new_zeros(())


def _row_loss(logits: Tensor, targets: Sequence[PageTarget]) -> Tensor:
    """Binary cross-entropy of the starts of table rows. logits: [B, T]."""
    truth = torch.full(logits.shape, UNKNOWN, device=logits.device)
    for row, target in enumerate(targets):
        truth[row, : len(target.row_starts)] = torch.from_numpy(target.row_starts).to(truth)
    labelled = truth != UNKNOWN
    if not labelled.any():
        return logits.new_zeros(())
    return functional.binary_cross_entropy_with_logits(logits[labelled], truth[labelled].to(logits))


def distillation_loss(student: LayoutLogits, teacher: LayoutLogits, targets: Sequence[PageTarget]) -> Tensor:
    """Mean divergence of labels from a teacher's, and cross-entropy of row starts, on the pages that are taught.

    A network that is trained further keeps what it does on such pages (Li, Hoiem: Learning without Forgetting, 2016).
    """
    is_taught = torch.zeros(student.row_starts.shape, dtype=torch.bool, device=student.row_starts.device)
    for row, target in enumerate(targets):
        is_taught[row, : len(target.allowed)] = target.is_taught
    if not is_taught.any():
        return student.labels.new_zeros(())
    own, taught = (one.labels[is_taught].float().log_softmax(-1) for one in (student, teacher))
    labels = functional.kl_div(own, taught, reduction="batchmean", log_target=True)
    starts, taught_starts = (one.row_starts[is_taught].float() for one in (student, teacher))
    return labels + functional.binary_cross_entropy_with_logits(starts, taught_starts.sigmoid())


def _class_loss(logits: Tensor, classes: Sequence[int]) -> Tensor:
    """Cross-entropy of one class for each page, or UNKNOWN. logits: [B, classes]."""
    truth = torch.tensor(classes, device=logits.device)
    if not (truth != UNKNOWN).any():
        return logits.new_zeros(())
    return 0.2 * functional.cross_entropy(logits, truth, ignore_index=UNKNOWN)

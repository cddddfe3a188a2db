"""Narrow a recogniser: take hidden channels out of its backbone, so that a strip costs less.

Four fifths of the recogniser's time are pairs of convolutions of size 1 with a GELU between, which make twice as many
channels and fewer again. The hidden channels between them can be left out one by one, least important first. The
weights of the others are changed after each so that the output of the pair stays as close as it can, in the mean square
over the strips given (optimal brain surgeon: Hassibi and Stork, 1993; for channels: Kurtic et al., ZipLM, 2023).
Training repairs the rest.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docextract.extraction.ocr.onnx_graph import OnnxGraph

CHANNEL_STEP = 16  # the channels that are kept are a multiple of it, as vector units process them
DAMPING = 1e-4  # share of the mean of a matrix's diagonal that is added to it, so that its inverse is stable

Float32Array = NDArray[np.float32]


class HiddenChannels(NamedTuple):
    """Names, in the graph, of H hidden channels and of the tensors before and after them."""

    values: str  # [N, H, height, width], after the GELU
    weight: str  # [H, C, 1, 1]
    bias: str  # [1, H, 1, 1]
    next_weight: str  # [D, H, 1, 1]
    next_bias: str  # [1, D, 1, 1]


def narrowed_tensors(graph: OnnxGraph, batches: Iterable[Tensor], share: float) -> dict[str, Float32Array]:
    """The tensors of a graph with this share of each pair's hidden channels; without what is fixed in the graph.

    batches: pixels [N, 3, H, W] from which it is seen what the channels contribute.
    """
    tensors = graph.tensors()
    hidden = [one for one in find_hidden_channels(graph) if set(one[1:]) <= set(tensors)]
    moments = _second_moments(graph, hidden, batches)
    for one in hidden:
        count = max(CHANNEL_STEP, round(len(tensors[one.weight]) * share / CHANNEL_STEP) * CHANNEL_STEP)
        after = np.hstack([tensors[one.next_weight][:, :, 0, 0], tensors[one.next_bias].reshape(-1, 1)])
        kept, after = _without_least_important(after, moments[one.values], count)
        tensors[one.weight], tensors[one.bias] = tensors[one.weight][kept], tensors[one.bias][:, kept]
        tensors[one.next_weight] = after[:, :-1, None, None].astype(np.float32)
        tensors[one.next_bias] = after[:, -1].reshape(tensors[one.next_bias].shape).astype(np.float32)
    return tensors


def find_hidden_channels(graph: OnnxGraph) -> list[HiddenChannels]:
    """All pairs of convolutions of size 1 with nothing but a bias and a GELU between them, in order of use."""
    makers = {node.output: node for node in graph.nodes}
    users: dict[str, list[str]] = {}
    for node in graph.nodes:
        for name in node.inputs:
            users.setdefault(name, []).append(node.output)

    def before(name: str, kind: str) -> tuple[str, str] | None:
        """The two inputs of the node of this kind that makes a value, through nodes that only rename it."""
        while name in makers and makers[name].kind == "Identity":
            name = makers[name].inputs[0]
        node = makers.get(name)
        return (node.inputs[0], node.inputs[1]) if node and node.kind == kind and len(node.inputs) == 2 else None

    found = []
    for node in graph.nodes:
        added = before(node.output, "Add") if node.kind == "Add" else None
        outer = before(added[0], "Conv") if added else None
        gelu = makers.get(outer[0]) if outer else None
        if not (added and outer and gelu) or gelu.kind != "Gelu" or len(users[gelu.output]) > 1:
            continue
        inner_added = before(gelu.inputs[0], "Add")
        inner = before(inner_added[0], "Conv") if inner_added else None
        if inner_added and inner:
            found.append(HiddenChannels(gelu.output, inner[1], inner_added[1], outer[1], added[1]))
    return found


def _second_moments(
    graph: OnnxGraph, hidden: Iterable[HiddenChannels], batches: Iterable[Tensor]
) -> Mapping[str, NDArray[np.float64]]:
    """Mean products [H + 1, H + 1] of all hidden channels and of a constant 1, over all places of all strips."""
    sums = {one.values: 0.0 for one in hidden}
    counts = dict.fromkeys(sums, 0)

    def add(name: str, values: Tensor) -> None:
        if name in sums:
            rows = values.movedim(1, -1).reshape(-1, values.shape[1]).float()
            rows = torch.cat([rows, rows.new_ones(len(rows), 1)], 1)
            sums[name] = sums[name] + (rows.T @ rows).double().cpu().numpy()
            counts[name] += len(rows)

    with torch.inference_mode():
        for pixels in batches:
            graph(pixels, add)
    return {name: total / counts[name] for name, total in sums.items()}


def _without_least_important(
    weight: NDArray[np.floating], moments: NDArray[np.float64], count: int
) -> tuple[list[int], NDArray[np.float64]]:
    """Leave channels out until `count` are left. Returns which are left, and the weights of their outputs.

    weight: [D, H + 1], the last column for a constant that stays. moments: [H + 1, H + 1], mean products.
    """
    weight = weight.astype(np.float64)
    inverse = np.linalg.inv(moments + DAMPING * np.trace(moments) / len(moments) * np.eye(len(moments)))
    left = np.ones(len(moments) - 1, np.bool_)
    for _ in range(len(left) - count):
        losses = (weight[:, :-1] ** 2).sum(0) / np.diagonal(inverse)[:-1].clip(1e-12)
        at = int(np.argmin(np.where(left, losses, np.inf)))
        row = inverse[at] / inverse[at, at]
        weight -= np.outer(weight[:, at], row)
        inverse -= np.outer(inverse[:, at], row)
        left[at] = False
    kept = np.flatnonzero(left).tolist()
    return kept, weight[:, [*kept, -1]]

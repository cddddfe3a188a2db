"""Measures the ranges of values in a network, so that processors can compute its convolutions in 8-bit integers."""

from collections.abc import Iterable

import torch
from torch import Tensor

from docextract.extraction.ocr.int8 import Ranges, with_zero
from docextract.extraction.ocr.onnx_graph import OnnxGraph


@torch.inference_mode()
def measure_ranges(graph: OnnxGraph, batches: Iterable[Tensor]) -> Ranges:
    """Return the smallest and largest value of what each ordinary convolution reads.

    Convolutions of single channels, and those of one value for each channel, are left out: they cost little. batches:
    pixels, [N, 3, H, W].
    """
    inputs = {node.inputs[0] for node in graph.nodes if node.is_ordinary_convolution}
    ranges: dict[str, tuple[float, float]] = {}

    def observe(name: str, value: Tensor) -> None:
        if name in inputs and value[0, 0].numel() > 1:
            least, most = ranges.get(name, (0.0, 0.0))
            ranges[name] = min(least, float(value.min())), max(most, float(value.max()))

    for pixels in batches:
        graph(pixels, observe)
    return {name: with_zero(*both) for name, both in ranges.items()}

"""Convolutions in 8-bit integers, for OpenVINO: a text recogniser takes 0.7 of the time of bfloat16.

Values are rounded to 256 steps between the smallest and the largest value that was seen in training, the weights of
each output channel to 127 steps (Jacob et al. 2018, Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference, arXiv:1712.05877). Convolutions of single channels stay as they are: rounding them
costs accuracy and gains no time.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.openvino_import import import_openvino

VALUE_STEPS, WEIGHT_STEPS = 256, 255
# Weights use half of their steps: processors without VNNI add pairs of products in 16 bits, which would overflow.
WEIGHT_HEADROOM = 2.0
MIN_RANGE = 1e-6

Ranges = Mapping[str, tuple[float, float]]  # smallest and largest value of tensors, by their names in the ONNX graph


def with_zero(least: float, most: float) -> tuple[float, float]:
    """Return the range, moved by less than a step so that one of its steps is zero: padding stays exact."""
    least, most = min(least, 0.0), max(most, MIN_RANGE)
    step = (most - least) / (VALUE_STEPS - 1)
    steps_below = round(-least / step)
    return -steps_below * step, (VALUE_STEPS - 1 - steps_below) * step


def with_int8_convolutions(model: Any, ranges: Ranges) -> Any:
    """Mark the convolutions of an `openvino.Model`, in place, whose input has a range. Returns the model.

    Raises ValueError if a range belongs to no convolution: then the ranges are of another network.
    """
    operations = import_openvino().opset13

    rounded: dict[str, Any] = {}  # inputs, by name: several convolutions can have the same
    for node in model.get_ordered_ops():
        if node.get_type_name() != "Convolution":
            continue
        source = node.input(0).get_source_output()
        name = next((name for name in source.get_names() if name in ranges), None)
        if name is None:
            continue
        if name not in rounded:
            limits = [operations.constant(np.float32(value)) for value in ranges[name]]
            rounded[name] = operations.fake_quantize(source, *limits, *limits, VALUE_STEPS)
        node.input(0).replace_source_output(rounded[name].output(0))
        weights = _constant(node.input(1).get_source_output().get_node())
        largest = np.maximum(np.abs(weights).max(axis=tuple(range(1, weights.ndim)), keepdims=True), MIN_RANGE)
        limits = [operations.constant(sign * WEIGHT_HEADROOM * largest) for sign in (-1, 1)]
        steps = operations.fake_quantize(operations.constant(weights), *limits, *limits, WEIGHT_STEPS)
        node.input(1).replace_source_output(steps.output(0))
    if missing := sorted(ranges.keys() - rounded.keys()):
        raise ValueError(f"no convolution reads {', '.join(missing[:3])}: the ranges are of another network")
    model.validate_nodes_and_infer_types()
    return model


def _constant(node: Any) -> NDArray[np.float32]:
    """The value of a constant; convolutions along a line have theirs behind a reshaping."""
    shape = tuple(node.get_output_shape(0))
    while node.get_type_name() != "Constant":
        node = node.input_value(0).get_node()
    return np.asarray(node.data, np.float32).reshape(shape)

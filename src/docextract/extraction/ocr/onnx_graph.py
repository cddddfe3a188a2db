"""PP-OCR's networks as torch modules: the ONNX graph, node by node. So they run on GPUs, and can be trained.

Libraries that convert ONNX to torch refuse these graphs (padding of one side only) or need torchvision. The graphs have
30 kinds of nodes.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.ocr.int8 import MIN_RANGE, VALUE_STEPS, WEIGHT_HEADROOM, WEIGHT_STEPS, Ranges

Attributes = Mapping[str, Any]


class Node(NamedTuple):
    """One operation of the graph."""

    kind: str
    inputs: tuple[str, ...]
    output: str
    attributes: Attributes

    @property
    def is_ordinary_convolution(self) -> bool:
        """Whether it is a convolution of all channels together, not of each alone."""
        return self.kind == "Conv" and self.attributes.get("group", 1) == 1


class OnnxGraph(nn.Module):
    """An ONNX graph with one input and one output, such as pixels [N, 3, H, W], −1..1, to a map of text [N, 1, H, W].

    Its parameters have the names of the graph's tensors, with slashes instead of dots. The statistics of normalisation
    layers stay as they are.
    """

    def __init__(self, model: bytes, fixed: int = 0) -> None:
        """model: ONNX, with one input and one output. fixed: number of tensors, in order of use, that are not trained.

        Raises NotImplementedError for a kind of node that is not implemented here.
        """
        super().__init__()
        # Of what convolutions read: with them, the network computes as it does in 8-bit integers, and can learn to.
        self.ranges: Ranges = {}
        graph = onnx.load_from_string(model).graph
        (self._input,), (self._output,) = ([one.name for one in ends] for ends in (graph.input, graph.output))
        self.nodes = _with_gelu([
            Node(node.op_type, tuple(node.input), node.output[0], _attributes(node)) for node in graph.node
        ])  # fmt: skip
        if unknown := sorted({node.kind for node in self.nodes} - set(_OPERATIONS)):
            raise NotImplementedError(f"the graph has nodes of kinds that are not implemented: {', '.join(unknown)}")
        statistics = {name for node in self.nodes if node.kind == "BatchNormalization" for name in node.inputs[3:]}
        values = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
        used_names = dict.fromkeys(name for node in self.nodes for name in node.inputs if name in values)
        weights = [name for name in used_names if values[name].is_floating_point() and values[name].numel() > 1]
        factors = {name for node in self.nodes if node.kind == "Resize" for name in node.inputs[1:]}
        trained = [name for name in weights if name not in statistics | factors][fixed:]
        self.learned = nn.ParameterDict({_key(name): nn.Parameter(values[name]) for name in trained})
        # Shapes, axes and factors are read as numbers: they stay on the CPU.
        read = {name for name in used_names if name in factors or not values[name].is_floating_point()}
        self._read = {name: values[name] for name in read}
        for name in used_names:
            if name not in trained and name not in read:
                self.register_buffer(_key(name), values[name], persistent=False)

    def forward(self, pixels: Tensor, observe: Callable[[str, Tensor], None] = lambda name, value: None) -> Tensor:
        """observe: is given each value that is computed, with its name."""
        values: dict[str, Tensor] = {self._input: pixels, **self._read}
        for node in self.nodes:
            inputs = [self._value(name, values) for name in node.inputs]
            if node.is_ordinary_convolution and node.inputs[0] in self.ranges:
                inputs[:2] = _rounded(inputs[0], inputs[1], self.ranges[node.inputs[0]])
            values[node.output] = _OPERATIONS[node.kind](inputs, node.attributes)
            observe(node.output, values[node.output])
        return values[self._output]

    def _value(self, name: str, values: Mapping[str, Tensor]) -> Tensor:
        if name in values:
            return values[name]
        return self.learned[_key(name)] if _key(name) in self.learned else self.get_buffer(_key(name))

    @torch.no_grad()
    def load_tensors(self, tensors: Mapping[str, np.ndarray[Any, np.dtype[np.float32]]]) -> None:
        """Set trained tensors, by the graph's own names. They may have another number of hidden channels.

        Raises ValueError if one of them is fixed in this network.
        """
        if fixed := sorted(name for name in tensors if _key(name) not in self.learned):
            raise ValueError(f"these tensors were trained before and are fixed now: {', '.join(fixed)}")
        for name, value in tensors.items():
            parameter = self.learned[_key(name)]
            parameter.data = torch.from_numpy(value).clone().to(parameter.device)

    def tensors(self) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
        """The trained tensors, by the graph's own names."""
        return {key.replace("/", "."): value.detach().cpu().numpy().copy() for key, value in self.learned.items()}


class _Rounding(torch.autograd.Function):
    """Values as 8-bit integers represent them; gradients pass unchanged. torch's own function needs 20 times longer."""

    @staticmethod
    def forward(context: Any, values: Tensor, least: float, most: float) -> Tensor:
        step = (most - least) / (VALUE_STEPS - 1)
        return values.float().clamp(least, most).div_(step).round_().mul_(step)  # zero is one of the steps

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient, None, None


def _rounded(values: Tensor, weights: Tensor, limits: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """Round what a convolution reads as `int8.with_int8_convolutions` does."""
    half = WEIGHT_STEPS // 2
    largest = weights.detach().abs().amax(dim=tuple(range(1, weights.ndim)), keepdim=True).clamp(min=MIN_RANGE)
    steps = WEIGHT_HEADROOM * largest / half
    rounded: Tensor = _Rounding.apply(values, *limits)  # type: ignore[no-untyped-call]
    return rounded, weights + ((weights / steps).round() * steps - weights).detach()


def _with_gelu(nodes: Sequence[Node]) -> list[Node]:
    """Replace x · (1 + erf(x / √2)) · ½, five nodes in ONNX, by torch's GELU: it takes a third of the time."""
    by_input: dict[str, list[Node]] = {}
    for node in nodes:
        for name in node.inputs:
            by_input.setdefault(name, []).append(node)
    inputs_of_gelu: dict[str, str] = {}  # by the output of the last of five nodes
    for node in nodes:
        chain = [node]
        for kind in ("Erf", "Add", "Mul", "Mul"):
            users = by_input.get(chain[-1].output, [])
            if chain[0].kind != "Div" or [one.kind for one in users] != [kind]:
                break
            chain += users
        if len(chain) == 5 and node.inputs[0] in chain[3].inputs:
            inputs_of_gelu[chain[-1].output] = node.inputs[0]
    return _without_unused([
        Node("Gelu", (inputs_of_gelu[node.output],), node.output, {}) if node.output in inputs_of_gelu else node
        for node in nodes
    ])  # fmt: skip


def _without_unused(nodes: Sequence[Node]) -> list[Node]:
    """The nodes that the last one depends on, and the last one itself."""
    needed_values, needed_nodes = {nodes[-1].output}, list[Node]()
    for node in reversed(nodes):
        if node.output in needed_values:
            needed_values |= set(node.inputs)
            needed_nodes.append(node)
    return needed_nodes[::-1]


def _key(name: str) -> str:
    """A ParameterDict allows no dots in names."""
    return name.replace(".", "/")


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {one.name: helper.get_attribute_value(one) for one in node.attribute}


def _pad(image: Tensor, attributes: Attributes, value: float = 0.0) -> Tensor:
    """Pad an image. SAME_UPPER at stride 1 pads bottom and right by one more than top and left."""
    if attributes.get("auto_pad", b"NOTSET") != b"SAME_UPPER":
        top, left, bottom, right = attributes.get("pads", (0, 0, 0, 0))
    else:
        down, across = (size - 1 for size in attributes["kernel_shape"])
        top, left, bottom, right = down // 2, across // 2, down - down // 2, across - across // 2
    return functional.pad(image, (left, right, top, bottom), value=value) if top + left + bottom + right else image


def _convolution(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    """Convolve an image, or a line of features [N, D, T] as in the layers that are added to the recogniser."""
    image, weight = inputs[:2]
    bias = inputs[2] if len(inputs) > 2 else None
    if weight.ndim == 3:
        left, _ = attributes["pads"]  # the same on both sides
        return functional.conv1d(image, weight, bias, padding=left)
    top, left, bottom, right = attributes.get("pads", (0, 0, 0, 0))
    is_symmetric = "auto_pad" not in attributes and (top, left) == (bottom, right)
    image, padding = (image, (top, left)) if is_symmetric else (_pad(image, attributes), (0, 0))
    stride, groups = attributes["strides"], attributes["group"]
    return functional.conv2d(image, weight, bias, stride=stride, padding=padding, groups=groups)


def _transposed_convolution(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    image, weights = inputs
    return functional.conv_transpose2d(image, weights, stride=attributes["strides"], groups=attributes["group"])


def _enlarge(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    """Repeat pixels: the only resizing that is implemented. inputs: image, nothing, and factors of the four axes."""
    if attributes["mode"] != b"nearest":
        raise NotImplementedError(f"resizing by {attributes['mode'].decode()}")
    image, *_, factors = inputs
    return functional.interpolate(image, scale_factor=tuple(factors.tolist()[2:]), mode="nearest")


def _distribute_channels(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    """Make one channel of b x b channels: the only use of DepthToSpace that is implemented, where its modes agree."""
    (image,) = inputs
    if image.shape[1] != attributes["blocksize"] ** 2:
        raise NotImplementedError(f"distributing {image.shape[1]} channels")
    return functional.pixel_shuffle(image, attributes["blocksize"])


def _slice(inputs: Sequence[Tensor], _: Attributes) -> Tensor:
    value, *rest = inputs
    starts, ends, axes, *steps = (one.tolist() for one in rest)
    for start, end, axis, step in zip(starts, ends, axes, steps[0] if steps else [1] * len(axes), strict=True):
        where = [slice(None)] * value.ndim
        where[axis] = slice(start, min(end, value.shape[axis]), step)
        value = value[tuple(where)]
    return value


def _reshape(inputs: Sequence[Tensor], _: Attributes) -> Tensor:
    value, shape = inputs
    return value.reshape([value.shape[at] if size == 0 else size for at, size in enumerate(shape.tolist())])


def _squeeze(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    value = inputs[0]
    for axis in sorted(attributes["axes"], reverse=True):
        value = value.squeeze(axis)
    return value


def _norm(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    image, scale, shift, mean, variance = inputs
    return functional.batch_norm(image, mean, variance, scale, shift, eps=attributes["epsilon"])


def _to_float(inputs: Sequence[Tensor], attributes: Attributes) -> Tensor:
    if attributes["to"] != TensorProto.FLOAT:
        raise NotImplementedError("only casts to float32 are computed")
    return inputs[0].float()


def _to_common_type(inputs: Sequence[Tensor]) -> list[Tensor]:
    """Convert all to bfloat16 if one is: otherwise every bias makes a large tensor float32."""
    if any(one.dtype == torch.bfloat16 for one in inputs):
        return [one.to(torch.bfloat16) for one in inputs]
    return list(inputs)


_OPERATIONS: Mapping[str, Callable[[Sequence[Tensor], Attributes], Tensor]] = {
    "Add": lambda inputs, _: operator.add(*_to_common_type(inputs)),
    "AveragePool": lambda inputs, a: functional.avg_pool2d(inputs[0], a["kernel_shape"], a["strides"]),
    "BatchNormalization": _norm,
    "Cast": _to_float,
    "Concat": lambda inputs, a: torch.cat(list(inputs), a["axis"]),
    "Conv": _convolution,
    "ConvTranspose": _transposed_convolution,
    "DepthToSpace": _distribute_channels,
    "Div": lambda inputs, _: inputs[0] / inputs[1],
    "Erf": lambda inputs, _: inputs[0].erf(),
    "Gelu": lambda inputs, _: functional.gelu(inputs[0]),
    "GlobalAveragePool": lambda inputs, _: inputs[0].mean((2, 3), keepdim=True),
    "HardSigmoid": lambda inputs, a: (inputs[0] * a["alpha"] + a["beta"]).clamp(0, 1),
    "Identity": lambda inputs, _: inputs[0],
    "MatMul": lambda inputs, _: inputs[0] @ inputs[1],
    "MaxPool": lambda inputs, a: functional.max_pool2d(_pad(inputs[0], a, -torch.inf), a["kernel_shape"], a["strides"]),
    "Mul": lambda inputs, _: operator.mul(*_to_common_type(inputs)),
    "Pow": lambda inputs, _: inputs[0] ** inputs[1],
    "ReduceMean": lambda inputs, a: inputs[0].mean(tuple(a["axes"]), keepdim=bool(a.get("keepdims", 1))),
    "Relu": lambda inputs, _: inputs[0].relu(),
    "Reshape": _reshape,
    "Resize": _enlarge,
    "Shape": lambda inputs, _: torch.tensor(inputs[0].shape),
    "Sigmoid": lambda inputs, _: inputs[0].sigmoid(),
    "Slice": _slice,
    "Softmax": lambda inputs, a: inputs[0].softmax(a["axis"]),
    "Sqrt": lambda inputs, _: inputs[0].sqrt(),
    "Squeeze": _squeeze,
    "Sub": lambda inputs, _: inputs[0] - inputs[1],
    "Transpose": lambda inputs, a: inputs[0].permute(*a["perm"]),
    "Unsqueeze": lambda inputs, a: inputs[0].unsqueeze(a["axes"][0]),
}

"""PP-OCR's recogniser as torch modules, so that all of it can learn: the very graph that is served, node by node.

Libraries that turn ONNX into torch refuse this one (padding of one side) or want torchvision. It has 25 kinds of nodes.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

Attributes = Mapping[str, Any]


class _Node(NamedTuple):
    kind: str
    inputs: tuple[str, ...]
    output: str
    attributes: Attributes


class Graph(nn.Module):
    """What stands before the last layers: pixels [N, 3, H, W], −1..1 → what they see, [N, T, D].

    Its parameters have the names of the graph's tensors, with dots as slashes. Norms keep what they were fitted to.
    """

    def __init__(self, model: bytes, fixed: int = 0) -> None:
        """model: as ONNX, with one input and one output. fixed: tensors that do not learn, from the first that is used.

        Raises NotImplementedError for a node of another kind.
        """
        super().__init__()
        graph = onnx.load_from_string(model).graph
        (self._input,), (self._output,) = ([one.name for one in ends] for ends in (graph.input, graph.output))
        self._nodes = _with_gelu([
            _Node(node.op_type, tuple(node.input), node.output[0], _attributes(node)) for node in graph.node
        ])  # fmt: skip
        if unknown := sorted({node.kind for node in self._nodes} - set(_KINDS)):
            raise NotImplementedError(f"nodes of these kinds: {', '.join(unknown)}")
        fitted = {name for node in self._nodes if node.kind == "BatchNormalization" for name in node.inputs[3:]}
        values = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
        used = dict.fromkeys(name for node in self._nodes for name in node.inputs if name in values)
        able = [name for name in used if values[name].is_floating_point() and values[name].numel() > 1]
        learned = [name for name in able if name not in fitted][fixed:]
        self.learned = nn.ParameterDict({_key(name): nn.Parameter(values[name]) for name in learned})
        self._constants = {name: values[name] for name in used if name not in learned}

    def forward(self, pixels: Tensor) -> Tensor:
        known: dict[str, Tensor] = {self._input: pixels, **self._constants}
        for node in self._nodes:
            given = [self._value(name, known) for name in node.inputs]
            known[node.output] = _KINDS[node.kind](given, node.attributes)
        return known[self._output]

    def _value(self, name: str, known: Mapping[str, Tensor]) -> Tensor:
        return known[name] if name in known else self.learned[_key(name)]

    @torch.no_grad()
    def take(self, tensors: Mapping[str, np.ndarray[Any, np.dtype[np.float32]]]) -> None:
        """What was learned before, by the graph's own names. Raises ValueError where some of it is fixed now."""
        if fixed := sorted(name for name in tensors if _key(name) not in self.learned):
            raise ValueError(f"learned before, and fixed now: {', '.join(fixed)}")
        for name, value in tensors.items():
            self.learned[_key(name)].copy_(torch.from_numpy(value))

    def tensors(self) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
        """What was learned, by the graph's own names."""
        return {key.replace("/", "."): value.detach().numpy().copy() for key, value in self.learned.items()}


def _with_gelu(nodes: Sequence[_Node]) -> list[_Node]:
    """x · (1 + erf(x / √2)) · ½ is five nodes in ONNX, and one in torch: a third of the time."""
    by_input: dict[str, list[_Node]] = {}
    for node in nodes:
        for name in node.inputs:
            by_input.setdefault(name, []).append(node)
    found: dict[str, str] = {}  # last output of five → x
    for node in nodes:
        following = [node]
        for kind in ("Erf", "Add", "Mul", "Mul"):
            after = by_input.get(following[-1].output, [])
            if following[0].kind != "Div" or [one.kind for one in after] != [kind]:
                break
            following += after
        if len(following) == 5 and node.inputs[0] in following[3].inputs:
            found[following[-1].output] = node.inputs[0]
    whole = [_Node("Gelu", (found[node.output],), node.output, {}) if node.output in found else node for node in nodes]
    return _needed(whole)


def _needed(nodes: Sequence[_Node]) -> list[_Node]:
    """Those that lead to the last one."""
    wanted, kept = {nodes[-1].output}, list[_Node]()
    for node in reversed(nodes):
        if node.output in wanted:
            wanted |= set(node.inputs)
            kept.append(node)
    return kept[::-1]


def _key(name: str) -> str:
    """A ParameterDict takes no dots."""
    return name.replace(".", "/")


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {one.name: helper.get_attribute_value(one) for one in node.attribute}


def _padded(image: Tensor, attributes: Attributes, value: float = 0.0) -> Tensor:
    """SAME_UPPER at stride 1 pads the far side by one more."""
    if attributes.get("auto_pad", b"NOTSET") != b"SAME_UPPER":
        top, left, bottom, right = attributes.get("pads", (0, 0, 0, 0))
    else:
        down, across = (size - 1 for size in attributes["kernel_shape"])
        top, left, bottom, right = down // 2, across // 2, down - down // 2, across - across // 2
    return functional.pad(image, (left, right, top, bottom), value=value) if top + left + bottom + right else image


def _convolution(given: Sequence[Tensor], attributes: Attributes) -> Tensor:
    image, *weights = given
    top, left, bottom, right = attributes.get("pads", (0, 0, 0, 0))
    strides, groups = attributes["strides"], attributes["group"]
    if "auto_pad" not in attributes and (top, left) == (bottom, right):
        return functional.conv2d(image, *weights, stride=strides, padding=(top, left), groups=groups)
    return functional.conv2d(_padded(image, attributes), *weights, stride=strides, groups=groups)


def _slice(given: Sequence[Tensor], _: Attributes) -> Tensor:
    value, *rest = given
    starts, ends, axes, *steps = (one.tolist() for one in rest)
    for start, end, axis, step in zip(starts, ends, axes, steps[0] if steps else [1] * len(axes), strict=True):
        where = [slice(None)] * value.ndim
        where[axis] = slice(start, min(end, value.shape[axis]), step)
        value = value[tuple(where)]
    return value


def _reshape(given: Sequence[Tensor], _: Attributes) -> Tensor:
    value, shape = given
    return value.reshape([value.shape[at] if size == 0 else size for at, size in enumerate(shape.tolist())])


def _squeeze(given: Sequence[Tensor], attributes: Attributes) -> Tensor:
    value = given[0]
    for axis in sorted(attributes["axes"], reverse=True):
        value = value.squeeze(axis)
    return value


def _norm(given: Sequence[Tensor], attributes: Attributes) -> Tensor:
    image, scale, shift, mean, variance = given
    return functional.batch_norm(image, mean, variance, scale, shift, eps=attributes["epsilon"])


def _halved(given: Sequence[Tensor]) -> list[Tensor]:
    """Where one number is a bfloat16, both: else every bias makes a wide tensor a wider one."""
    if any(one.dtype == torch.bfloat16 for one in given):
        return [one.to(torch.bfloat16) for one in given]
    return list(given)


_KINDS: Mapping[str, Callable[[Sequence[Tensor], Attributes], Tensor]] = {
    "Add": lambda given, _: operator.add(*_halved(given)),
    "AveragePool": lambda given, a: functional.avg_pool2d(given[0], a["kernel_shape"], a["strides"]),
    "BatchNormalization": _norm,
    "Concat": lambda given, a: torch.cat(list(given), a["axis"]),
    "Conv": _convolution,
    "Div": lambda given, _: given[0] / given[1],
    "Erf": lambda given, _: given[0].erf(),
    "Gelu": lambda given, _: functional.gelu(given[0]),
    "HardSigmoid": lambda given, a: (given[0] * a["alpha"] + a["beta"]).clamp(0, 1),
    "Identity": lambda given, _: given[0],
    "MatMul": lambda given, _: given[0] @ given[1],
    "MaxPool": lambda given, a: functional.max_pool2d(
        _padded(given[0], a, -torch.inf), a["kernel_shape"], a["strides"]
    ),
    "Mul": lambda given, _: operator.mul(*_halved(given)),
    "Pow": lambda given, _: given[0] ** given[1],
    "ReduceMean": lambda given, a: given[0].mean(tuple(a["axes"]), keepdim=bool(a.get("keepdims", 1))),
    "Relu": lambda given, _: given[0].relu(),
    "Reshape": _reshape,
    "Shape": lambda given, _: torch.tensor(given[0].shape),
    "Sigmoid": lambda given, _: given[0].sigmoid(),
    "Slice": _slice,
    "Softmax": lambda given, a: given[0].softmax(a["axis"]),
    "Sqrt": lambda given, _: given[0].sqrt(),
    "Squeeze": _squeeze,
    "Sub": lambda given, _: given[0] - given[1],
    "Transpose": lambda given, a: given[0].permute(*a["perm"]),
    "Unsqueeze": lambda given, a: given[0].unsqueeze(a["axes"][0]),
}

"""PP-OCR's recogniser as a graph whose layers can be exchanged: cut down to the letters wanted, or learned anew.

As it comes it was learned from signs and pages of many scripts: a comma becomes a point, a nought an O, and words grow
together where a till prints them close. `training.tasks.ocr.train` learns it anew from receipts, invoices and cards;
what was
learned lies beside the extraction weights that were judged with it. The graph is edited as ONNX, which every library
that runs it takes.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from safetensors import safe_open
from safetensors.numpy import save_file

RECOGNISER_WEIGHTS_FILE = "reader.safetensors"
BEFORE = "before."  # what names of tensors begin with
BLANK = ""  # CTC's class, the first
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ResidualBlock:
    """x + outer(relu(inner(x))), both convolutions along the line, its ends padded with zeros."""

    inner: tuple[Floats, Floats]  # weight [W, D, K] and bias [W]
    outer: tuple[Floats, Floats]  # weight [D, W, K] and bias [D]


@dataclass(frozen=True)
class RecogniserLayers:
    """What stands in the place of PP-OCR's own.

    The last ones, from what the others see, [T, D], to the likelihood of each class, [T, classes]; and, if they were
    learned too, those before them.
    """

    classes: tuple[str, ...]  # BLANK first
    weight: Floats  # [D, classes]
    bias: Floats  # [classes]
    blocks: tuple[ResidualBlock, ...] = ()
    backbone: Mapping[str, Floats] = field(
        default_factory=dict
    )  # by the names of PP-OCR's graph; its own where missing

    def only(self, places: Sequence[int]) -> "RecogniserLayers":
        """The same, telling fewer classes apart: telling 18,710 apart is a quarter of the reader's work."""
        kept = list(places)
        return replace(
            self,
            classes=tuple(self.classes[at] for at in kept),
            weight=self.weight[:, kept],
            bias=self.bias[kept],
        )  # fmt: skip

    @cached_property
    def digest(self) -> str:
        """Of all of them; 20 characters."""
        whole = hashlib.blake2b(json.dumps(self.classes).encode(), digest_size=10)
        for tensor in self._tensors().values():
            whole.update(tensor.astype(np.float16).tobytes())
        return whole.hexdigest()

    def save(self, folder: Path) -> None:
        """As half-precision numbers in RECOGNISER_WEIGHTS_FILE."""
        halves = {name: np.ascontiguousarray(tensor, np.float16) for name, tensor in self._tensors().items()}
        save_file(halves, folder / RECOGNISER_WEIGHTS_FILE, {"classes": json.dumps(self.classes)})

    def _tensors(self) -> dict[str, Floats]:
        tensors = {"weight": self.weight, "bias": self.bias}
        for at, block in enumerate(self.blocks):
            for name in ("inner", "outer"):
                tensors |= dict(zip((f"{at}.{name}.weight", f"{at}.{name}.bias"), getattr(block, name), strict=True))
        return tensors | {BEFORE + name: self.backbone[name] for name in sorted(self.backbone)}


def load_layers(folder: Path) -> RecogniserLayers | None:
    """Those that lie in a folder of weights; None where there are none, and PP-OCR's own are meant."""
    if not (folder / RECOGNISER_WEIGHTS_FILE).exists():
        return None
    with safe_open(folder / RECOGNISER_WEIGHTS_FILE, "np") as file:
        tensors = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
        classes = tuple(json.loads(file.metadata()["classes"]))
    blocks = [
        ResidualBlock(*((tensors[f"{at}.{name}.weight"], tensors[f"{at}.{name}.bias"]) for name in ("inner", "outer")))
        for at in range(sum(name.endswith(".inner.bias") for name in tensors))
    ]
    before = {name.removeprefix(BEFORE): tensor for name, tensor in tensors.items() if name.startswith(BEFORE)}
    return RecogniserLayers(classes, tensors["weight"], tensors["bias"], tuple(blocks), before)


class RecogniserGraph:
    """PP-OCR's recogniser as a graph whose layers can be exchanged."""

    def __init__(self, file: Path) -> None:
        """Read a recogniser that ends as PP-OCR's do: a matrix, a bias, a softmax."""
        self._model = onnx.load(file)
        self._graph = self._model.graph
        last = max(at for at, node in enumerate(self._graph.node) if node.op_type == "MatMul")
        self._end = list(self._graph.node[last:])
        self._before = list(self._graph.node[:last])
        self._seen, self._weight = self._end[0].input
        self._bias = next(name for name in self._end[1].input if name != self._end[0].output[0])

    def own(self) -> RecogniserLayers:
        """The last layers that it comes with."""
        held = {tensor.name: tensor for tensor in self._graph.initializer}
        (characters,) = (row.value for row in self._model.metadata_props if row.key == "character")
        weight, bias = (numpy_helper.to_array(held[name]) for name in (self._weight, self._bias))
        return RecogniserLayers((BLANK, *characters.splitlines(), " "), weight, bias.reshape(-1))

    def with_layers(self, layers: RecogniserLayers) -> bytes:
        """The network with these in the place of its own: pixels [N, 3, H, W] → likelihoods [N, T, classes]."""
        nodes: list[onnx.NodeProto] = []
        tensors: list[onnx.TensorProto] = []
        seen = self._seen
        if layers.blocks:
            nodes.append(helper.make_node("Transpose", [seen], ["across"], perm=[0, 2, 1]))
            seen = "across"
            for at, block in enumerate(layers.blocks):
                made, held = _block(block, seen, f"block{at}")
                seen, nodes, tensors = f"block{at}", [*nodes, *made], [*tensors, *held]
            nodes.append(helper.make_node("Transpose", [seen], ["down"], perm=[0, 2, 1]))
            seen = "down"
        end = [onnx.NodeProto.FromString(node.SerializeToString()) for node in self._end]
        end[0].input[0] = seen
        own = {self._weight: layers.weight, self._bias: layers.bias, **layers.backbone}
        tensors += [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in own.items()]
        return self._built([*self._before, *nodes, *end], tensors, self._graph.output[0].name, list(own))

    def without_last(self) -> bytes:
        """The network up to where its last layers begin: pixels → what they see, [N, T, D]."""
        return self._built(self._before, [], self._seen, [self._weight, self._bias])

    def _built(
        self, nodes: Sequence[onnx.NodeProto], tensors: Sequence[onnx.TensorProto], output: str, without: Sequence[str]
    ) -> bytes:  # fmt: skip
        others = [tensor for tensor in self._graph.initializer if tensor.name not in without]
        inputs = list(self._graph.input)
        found = helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, [None] * 3)
        graph = helper.make_graph(list(nodes), "recognition", inputs, [found], [*others, *tensors])
        model = helper.make_model(graph, opset_imports=self._model.opset_import, ir_version=self._model.ir_version)
        return bytes(model.SerializeToString())


def _block(block: ResidualBlock, seen: str, name: str) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """Nodes that take `seen`, [N, D, T], to `name`, of the same shape, and what they hold."""
    nodes, tensors = [], []
    for part, source, target in (("inner", seen, f"{name}.bent"), ("outer", f"{name}.straight", f"{name}.added")):
        held = [f"{name}.{part}.weight", f"{name}.{part}.bias"]
        weight, bias = getattr(block, part)
        tensors += [numpy_helper.from_array(np.ascontiguousarray(value), key)
                    for key, value in zip(held, (weight, bias), strict=True)]  # fmt: skip
        half = weight.shape[2] // 2
        nodes.append(helper.make_node("Conv", [source, *held], [target], pads=[half, half]))
        if part == "inner":
            nodes.append(helper.make_node("Relu", [target], [f"{name}.straight"]))
    nodes.append(helper.make_node("Add", [seen, f"{name}.added"], [name]))
    return nodes, tensors

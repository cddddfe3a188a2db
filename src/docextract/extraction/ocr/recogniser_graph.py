"""PP-OCR's text recogniser as an ONNX graph whose layers can be replaced: by fewer classes, or by fine-tuned weights.

PP-OCR's recogniser was trained on signs and pages of many scripts. On receipts it confuses commas with points and the
digit 0 with O, and joins words that are printed close to each other. `training.tasks.ocr.train` fine-tunes it on
receipts, invoices and cards; the result is stored next to the extraction weights that were evaluated with it. The graph
is edited as ONNX because every inference library reads that.
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

from docextract.extraction.ocr.int8 import Ranges

RECOGNISER_WEIGHTS_FILE = "reader.safetensors"
BACKBONE_PREFIX = "before."  # of the names of backbone tensors in the file
BLANK_CHARACTER = ""  # name of CTC's blank class, which is the first
Float32Array = NDArray[np.float32]

# N strips, T columns, D channels before the classifier, W channels inside a block, K columns of a kernel


@dataclass(frozen=True)
class RecogniserBlock:
    """x + outer(relu(inner(x))): two convolutions along the line with zero padding."""

    inner: tuple[Float32Array, Float32Array]  # weight [W, D, K] and bias [W]
    outer: tuple[Float32Array, Float32Array]  # weight [D, W, K] and bias [D]


@dataclass(frozen=True)
class RecogniserLayers:
    """Layers that replace those of PP-OCR's recogniser.

    The classifier maps the backbone's output [T, D] to class probabilities [T, classes]. Residual blocks before it and
    fine-tuned backbone tensors are optional.
    """

    classes: tuple[str, ...]  # BLANK_CHARACTER first
    weight: Float32Array  # [D, classes]
    bias: Float32Array  # [classes]
    blocks: tuple[RecogniserBlock, ...] = ()
    backbone: Mapping[str, Float32Array] = field(default_factory=dict)  # by name in PP-OCR's graph; others are kept
    ranges: Ranges = field(default_factory=dict)  # of the inputs of convolutions that are computed in 8-bit integers

    def with_classes(self, indices: Sequence[int]) -> "RecogniserLayers":
        """Keep only these classes. All 18,710 classes of PP-OCR take a quarter of the recogniser's time."""
        kept = list(indices)
        classes = tuple(self.classes[index] for index in kept)
        return replace(self, classes=classes, weight=self.weight[:, kept], bias=self.bias[kept])

    @cached_property
    def digest(self) -> str:
        """Digest of classes and weights, 20 characters; stored OCR results are identified by it."""
        digest = hashlib.blake2b(json.dumps(self.classes).encode(), digest_size=10)
        for tensor in self._tensors().values():
            digest.update(tensor.astype(np.float16).tobytes())
        if self.ranges:
            digest.update(json.dumps(self.ranges, sort_keys=True).encode())
        return digest.hexdigest()

    def save(self, folder: Path) -> None:
        """Write RECOGNISER_WEIGHTS_FILE in half precision."""
        tensors = {name: np.ascontiguousarray(tensor, np.float16) for name, tensor in self._tensors().items()}
        described = {"classes": self.classes, "ranges": dict(self.ranges)}
        save_file(
            tensors,
            folder / RECOGNISER_WEIGHTS_FILE,
            {name: json.dumps(value, sort_keys=True) for name, value in described.items()},
        )

    def _tensors(self) -> dict[str, Float32Array]:
        tensors = {"weight": self.weight, "bias": self.bias}
        for number, block in enumerate(self.blocks):
            for name in ("inner", "outer"):
                names = f"{number}.{name}.weight", f"{number}.{name}.bias"
                tensors |= dict(zip(names, getattr(block, name), strict=True))
        return tensors | {BACKBONE_PREFIX + name: self.backbone[name] for name in sorted(self.backbone)}


def load_layers(folder: Path) -> RecogniserLayers | None:
    """Load the layers from a folder of weights; None if it has none, so that PP-OCR's own are used."""
    if not (folder / RECOGNISER_WEIGHTS_FILE).exists():
        return None
    with safe_open(folder / RECOGNISER_WEIGHTS_FILE, "np") as file:
        tensors = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
        classes = tuple(json.loads(file.metadata()["classes"]))
        ranges = json.loads(file.metadata().get("ranges", "{}"))
    blocks = [
        RecogniserBlock(
            *((tensors[f"{number}.{name}.weight"], tensors[f"{number}.{name}.bias"]) for name in ("inner", "outer"))
        )
        for number in range(sum(name.endswith(".inner.bias") for name in tensors))
    ]
    backbone = {
        name.removeprefix(BACKBONE_PREFIX): tensor
        for name, tensor in tensors.items()
        if name.startswith(BACKBONE_PREFIX)
    }
    return RecogniserLayers(classes, tensors["weight"], tensors["bias"], tuple(blocks), backbone, ranges)


class RecogniserGraph:
    """PP-OCR's recogniser as an ONNX graph whose layers can be replaced."""

    def __init__(self, file: Path) -> None:
        """Read the ONNX file of a recogniser that ends as PP-OCR's do: matrix multiplication, bias, softmax."""
        self._model = onnx.load(file)
        self._graph = self._model.graph
        last = max(index for index, node in enumerate(self._graph.node) if node.op_type == "MatMul")
        self._classifier = list(self._graph.node[last:])
        self._backbone = list(self._graph.node[:last])
        self._features, self._weight = self._classifier[0].input
        self._bias = next(name for name in self._classifier[1].input if name != self._classifier[0].output[0])

    def pretrained_layers(self) -> RecogniserLayers:
        """Return the classifier of the file."""
        initializers = {tensor.name: tensor for tensor in self._graph.initializer}
        (characters,) = (row.value for row in self._model.metadata_props if row.key == "character")
        weight, bias = (numpy_helper.to_array(initializers[name]) for name in (self._weight, self._bias))
        return RecogniserLayers((BLANK_CHARACTER, *characters.splitlines(), " "), weight, bias.reshape(-1))

    def with_layers(self, layers: RecogniserLayers) -> bytes:
        """Return the network with these layers, as ONNX: pixels [N, 3, H, W] to probabilities [N, T, classes]."""
        nodes: list[onnx.NodeProto] = []
        tensors: list[onnx.TensorProto] = []
        features = self._features  # [N, T, D]
        if layers.blocks:
            nodes.append(helper.make_node("Transpose", [features], ["channels_first"], perm=[0, 2, 1]))
            features = "channels_first"  # [N, D, T]
            for number, block in enumerate(layers.blocks):
                block_nodes, block_tensors = _block_nodes(block, features, f"block{number}")
                features, nodes, tensors = f"block{number}", [*nodes, *block_nodes], [*tensors, *block_tensors]
            nodes.append(helper.make_node("Transpose", [features], ["channels_last"], perm=[0, 2, 1]))
            features = "channels_last"  # [N, T, D]
        classifier = [onnx.NodeProto.FromString(node.SerializeToString()) for node in self._classifier]
        classifier[0].input[0] = features
        replaced = {self._weight: layers.weight, self._bias: layers.bias, **layers.backbone}
        tensors += [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in replaced.items()]
        nodes = [*self._backbone, *nodes, *classifier]
        return self._serialise(nodes, tensors, self._graph.output[0].name, list(replaced))

    def backbone(self) -> bytes:
        """Return the network without its classifier, as ONNX: pixels [N, 3, H, W] to features [N, T, D]."""
        return self._serialise(self._backbone, [], self._features, [self._weight, self._bias])

    def _serialise(
        self, nodes: Sequence[onnx.NodeProto], tensors: Sequence[onnx.TensorProto], output: str, without: Sequence[str]
    ) -> bytes:
        """Serialise a graph of these nodes with the file's other tensors; `without` names tensors to leave out."""
        others = [tensor for tensor in self._graph.initializer if tensor.name not in without]
        inputs = list(self._graph.input)
        outputs = [helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, [None] * 3)]
        graph = helper.make_graph(list(nodes), "recognition", inputs, outputs, [*others, *tensors])
        model = helper.make_model(graph, opset_imports=self._model.opset_import, ir_version=self._model.ir_version)
        return bytes(model.SerializeToString())


def _block_nodes(
    block: RecogniserBlock, features: str, name: str
) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """Return the nodes that map `features`, [N, D, T], to `name`, of the same shape, and their tensors."""
    nodes, tensors = [], []
    for part, source, target in (
        ("inner", features, f"{name}.hidden"),
        ("outer", f"{name}.activated", f"{name}.residual"),
    ):
        names = [f"{name}.{part}.weight", f"{name}.{part}.bias"]
        weight, bias = getattr(block, part)
        tensors += [
            numpy_helper.from_array(np.ascontiguousarray(value), key)
            for key, value in zip(names, (weight, bias), strict=True)
        ]
        half = weight.shape[2] // 2
        nodes.append(helper.make_node("Conv", [source, *names], [target], pads=[half, half]))
        if part == "inner":
            nodes.append(helper.make_node("Relu", [target], [f"{name}.activated"]))
    nodes.append(helper.make_node("Add", [features, f"{name}.residual"], [name]))
    return nodes, tensors

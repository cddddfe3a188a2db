"""PP-OCR's recogniser in torch is the one that is served."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper

from docextract.extraction.ocr.ppocr import backbone_onnx
from training.tasks.ocr.recogniser import Graph


def test_it_sees_what_the_served_one_sees():
    """On strips of several widths, to the last digit that matters."""
    served, network = onnxruntime.InferenceSession(backbone_onnx()), Graph(backbone_onnx())
    for width in (96, 224):
        pixels = torch.rand(2, 3, 48, width, generator=torch.Generator().manual_seed(1)) * 2 - 1
        (wanted,) = served.run(None, {"x": pixels.numpy()})

        assert np.abs(network(pixels).detach().numpy() - wanted).max() < 1e-3


def test_what_learns_has_the_names_of_the_graph():
    """So that it can be put back; the first tensors stay as they are."""
    names = {tensor.name for tensor in onnx.load_from_string(backbone_onnx()).graph.initializer}
    all_of_them, some = Graph(backbone_onnx()).tensors(), Graph(backbone_onnx(), fixed=20).tensors()

    assert set(all_of_them) <= names
    assert len(all_of_them) > 100
    assert len(some) == len(all_of_them) - 20
    assert set(some) < set(all_of_them)


def test_what_was_learned_before_is_taken():
    """By name."""
    network = Graph(backbone_onnx())
    name, value = next(iter(network.tensors().items()))

    network.take({name: value + 1})

    assert np.allclose(network.tensors()[name], value + 1)


def test_a_node_of_another_kind_is_refused():
    """By its name."""
    node = helper.make_node("Tanh", ["x"], ["y"])
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([node], "one", ends[:1], ends[1:])

    with pytest.raises(NotImplementedError, match="Tanh"):
        Graph(helper.make_model(graph).SerializeToString())

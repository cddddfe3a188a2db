"""PP-OCR's recogniser in torch gives what the served ONNX graph gives."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper

from docextract.extraction.ocr.ppocr import backbone_onnx
from training.tasks.ocr.recogniser import OnnxGraph


def test_its_features_are_those_of_the_served_graph():
    """Checked on strips of two widths; features differ by less than 0.001."""
    served, network = onnxruntime.InferenceSession(backbone_onnx()), OnnxGraph(backbone_onnx())
    for width in (96, 224):
        pixels = torch.rand(2, 3, 48, width, generator=torch.Generator().manual_seed(1)) * 2 - 1
        (expected,) = served.run(None, {"x": pixels.numpy()})

        assert np.abs(network(pixels).detach().numpy() - expected).max() < 1e-3


def test_trained_tensors_have_the_names_of_the_graph():
    """They are written back by name; the first `fixed` tensors are not trained."""
    names = {tensor.name for tensor in onnx.load_from_string(backbone_onnx()).graph.initializer}
    all_of_them, some = OnnxGraph(backbone_onnx()).tensors(), OnnxGraph(backbone_onnx(), fixed=20).tensors()

    assert set(all_of_them) <= names
    assert len(all_of_them) > 100
    assert len(some) == len(all_of_them) - 20
    assert set(some) < set(all_of_them)


def test_trained_tensors_are_loaded_by_name():
    """Training can start from layers that were trained before."""
    network = OnnxGraph(backbone_onnx())
    name, value = next(iter(network.tensors().items()))

    network.load_tensors({name: value + 1})

    assert np.allclose(network.tensors()[name], value + 1)


def test_an_unknown_kind_of_node_is_refused():
    """The error names the kind."""
    node = helper.make_node("Tanh", ["x"], ["y"])
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([node], "one", ends[:1], ends[1:])

    with pytest.raises(NotImplementedError, match="Tanh"):
        OnnxGraph(helper.make_model(graph).SerializeToString())

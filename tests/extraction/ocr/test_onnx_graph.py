"""PP-OCR's networks in torch give what the served ONNX graphs give."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import rapidocr
import torch
from onnx import helper

from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import DETECTION_MODEL, RECOGNITION_MODEL, backbone_onnx, detector_onnx

MODELS = Path(rapidocr.__file__).parent / "models"


def test_its_features_are_those_of_the_served_graph():
    """Checked on strips of two widths; features differ by less than 0.001."""
    served, network = onnxruntime.InferenceSession(backbone_onnx()), OnnxGraph(backbone_onnx())
    for width in (96, 224):
        pixels = torch.rand(2, 3, 48, width, generator=torch.Generator().manual_seed(1)) * 2 - 1
        (expected,) = served.run(None, {"x": pixels.numpy()})

        assert np.abs(network(pixels).detach().numpy() - expected).max() < 1e-3


@pytest.mark.parametrize(("name", "shape"), [(DETECTION_MODEL, (2, 3, 96, 160)), (RECOGNITION_MODEL, (2, 3, 48, 224))])
def test_outputs_are_those_of_onnx_runtime(name, shape):
    """Probabilities of PP-OCR's own files differ by less than 0.0001."""
    file = MODELS / name
    pixels = torch.rand(shape, generator=torch.Generator().manual_seed(2)) * 2 - 1
    (expected,) = onnxruntime.InferenceSession(file).run(None, {"x": pixels.numpy()})

    with torch.inference_mode():
        output = OnnxGraph(file.read_bytes())(pixels)

    assert np.abs(output.numpy() - expected).max() < 1e-4


@pytest.mark.parametrize(("name", "shape"), [(DETECTION_MODEL, (2, 1, 96, 160)), (RECOGNITION_MODEL, (2, 28, 18710))])
def test_a_graph_moves_to_another_device(name, shape):
    """All that is computed with; shapes stay where they can be read. `meta` has no values, but devices are checked."""
    graph = OnnxGraph((MODELS / name).read_bytes()).to("meta")
    height, width = shape[2:] if len(shape) == 4 else (48, 8 * shape[1])

    output = graph(torch.zeros(2, 3, height, width, device="meta"))

    assert (output.device.type, output.shape) == ("meta", shape)


def test_trained_tensors_have_the_names_of_the_graph():
    """They are written back by name; the first `fixed` tensors are not trained."""
    names = {tensor.name for tensor in onnx.load_from_string(backbone_onnx()).graph.initializer}
    all_of_them, some = OnnxGraph(backbone_onnx()).tensors(), OnnxGraph(backbone_onnx(), fixed=20).tensors()

    assert set(all_of_them) <= names
    assert len(all_of_them) > 100
    assert len(some) == len(all_of_them) - 20
    assert set(some) < set(all_of_them)


def test_factors_of_sizes_are_not_trained():
    """The detector enlarges maps by fixed factors."""
    nodes = onnx.load_from_string(detector_onnx()).graph.node
    factors = {name for node in nodes if node.op_type == "Resize" for name in node.input[1:]}

    assert factors
    assert not factors & set(OnnxGraph(detector_onnx()).tensors())


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

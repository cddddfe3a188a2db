"""The faster form of the text detector computes the same."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from docextract.extraction.ocr.detector_graph import with_faster_nodes, with_image_input
from docextract.extraction.ocr.detector_weights import DetectorWeights
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import backbone_onnx, detector_onnx

PIXELS = np.random.default_rng(1).uniform(-1, 1, (2, 3, 96, 160)).astype(np.float32)
IMAGES = np.random.default_rng(3).integers(0, 256, (2, 96, 160, 3), np.uint8)


def run(model: bytes, value: np.ndarray = PIXELS) -> np.ndarray:
    session = onnxruntime.InferenceSession(model)
    (text_map,) = session.run(None, {session.get_inputs()[0].name: value})
    return np.asarray(text_map)


def kinds(model: bytes) -> list[str]:
    return [node.op_type for node in onnx.load_from_string(model).graph.node]


@pytest.fixture(scope="module")
def faster() -> bytes:
    return with_faster_nodes(detector_onnx())


def test_the_map_of_print_is_the_same(faster):
    """Each value is at its place: probabilities differ by rounding alone."""
    expected = run(detector_onnx())

    assert run(faster).shape == (2, 1, 96, 160)
    assert np.abs(run(faster) - expected).max() < 1e-5
    assert np.ptp(expected) > 0.001  # so that a value at another place would show


def test_trained_weights_are_used_in_the_new_head():
    """They are set before, by their names in PP-OCR's graph."""
    network = OnnxGraph(detector_onnx())
    noise = np.random.default_rng(2)
    tensors = {name: value * noise.uniform(0.5, 1.5, value.shape) for name, value in network.tensors().items()}
    trained = DetectorWeights(tensors).applied_to(detector_onnx())

    assert np.ptp(run(trained)) > 0.01
    assert np.abs(run(with_faster_nodes(trained)) - run(trained)).max() < 1e-4


def test_large_maps_are_neither_enlarged_nor_added(faster):
    """No transposed convolution is left, and a sum of a map and the same map with factors is one product."""
    before, after = kinds(detector_onnx()), kinds(faster)

    assert "ConvTranspose" in before
    assert "ConvTranspose" not in after
    assert "Identity" not in after
    assert before.count("Mul") == after.count("Mul")
    onnx.checker.check_model(onnx.load_from_string(faster))


def test_images_give_the_map_of_their_pixels(faster):
    pixels = IMAGES[..., ::-1].transpose(0, 3, 1, 2) / np.float32(127.5) - np.float32(1)
    expected = run(faster, pixels)

    assert np.abs(run(with_image_input(faster), IMAGES) - expected).max() < 1e-5
    assert np.abs(run(with_image_input(faster), IMAGES[..., ::-1].copy()) - expected).max() > 1e-3  # red is not blue


def test_torch_runs_it_too(faster):
    """GPUs use torch."""
    with torch.inference_mode():
        text_map = OnnxGraph(faster)(torch.from_numpy(PIXELS)).numpy()
        of_images = OnnxGraph(with_image_input(faster))(torch.from_numpy(IMAGES)).numpy()

    assert np.abs(text_map - run(detector_onnx())).max() < 1e-4
    assert np.abs(of_images - run(with_image_input(faster), IMAGES)).max() < 1e-4


def test_another_network_is_refused():
    """The recogniser ends otherwise."""
    with pytest.raises(ValueError, match="does not end in two transposed convolutions"):
        with_faster_nodes(backbone_onnx())


def test_a_network_of_other_nodes_is_refused(faster):
    """Such as one that takes images already."""
    with pytest.raises(ValueError, match="does not begin with a convolution"):
        with_image_input(with_image_input(faster))

"""The recogniser in 8-bit integers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.int8 import VALUE_STEPS, with_zero
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import Engine, Recogniser, pretrained_layers, recogniser_onnx, strips_to_pixels
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from tests.extraction.ocr.test_ppocr import F32, STRIPS
from training.tasks.ocr.ranges import measure_ranges


@pytest.fixture(scope="module")
def pixels() -> np.ndarray:
    return strips_to_pixels(STRIPS[:2], [160, 160])


@pytest.fixture(scope="module")
def layers(pixels) -> RecogniserLayers:
    """PP-OCR's own, with the ranges of some strips."""
    own = pretrained_layers()
    batches = [torch.from_numpy(strips_to_pixels([strip], [160])) for strip in STRIPS]
    return replace(own, ranges=measure_ranges(OnnxGraph(recogniser_onnx(own)), batches))


@pytest.mark.parametrize(("least", "most"), [(-0.37, 5.1), (0.0, 3.0), (0.2, 0.5), (-2.0, 0.0)])
def test_zero_is_a_step_of_every_range(least, most):
    """The range moves by less than a step; a range that does not reach zero is extended to it."""
    low, high = with_zero(least, most)

    step = (high - low) / (VALUE_STEPS - 1)
    assert -low / step == pytest.approx(round(-low / step), abs=1e-6)
    assert low == pytest.approx(min(least, 0), abs=step)
    assert high == pytest.approx(max(most, 0), abs=step)


def test_strips_are_read_as_in_float(layers):
    """But for the case of a single letter. Probabilities differ a little, because the convolutions are rounded."""
    usual, rounded = (Recogniser(engine, layers).read(STRIPS) for engine in (F32, Engine()))

    assert [one.text.upper() for one in rounded] == [one.text.upper() for one in usual]
    differences = [abs(one.confidence - other.confidence) for one, other in zip(rounded, usual, strict=True)]
    assert 1e-6 < np.median(differences) < 0.01


def test_training_computes_what_is_served(layers, pixels):
    """Rounding changes the output in torch as it does in OpenVINO, but for steps that are rounded the other way."""
    graph = OnnxGraph(recogniser_onnx(layers)).eval()
    (served,) = Recogniser(Engine(), layers)._network([pixels])
    with torch.inference_mode():
        exact = graph(torch.from_numpy(pixels)).numpy()
        graph.ranges = layers.ranges
        rounded = graph(torch.from_numpy(pixels)).numpy()

    changes = [(np.log(one + 1e-12) - np.log(exact + 1e-12)).ravel() for one in (served, rounded)]
    assert np.corrcoef(*changes)[0, 1] > 0.5


def test_gradients_pass_the_rounding(layers, pixels):
    """Otherwise nothing could be learned."""
    graph = OnnxGraph(recogniser_onnx(layers))
    graph.ranges = layers.ranges
    graph(torch.from_numpy(pixels)).square().sum().backward()

    assert all(one.grad is not None and one.grad.isfinite().all() for one in graph.learned.values())


def test_ranges_are_stored_with_the_layers(layers, tmp_path):
    """They change the digest, because they change what is read."""
    layers.save(tmp_path)

    loaded = recogniser_graph.load_layers(tmp_path)
    assert {name: tuple(both) for name, both in loaded.ranges.items()} == dict(layers.ranges)
    assert loaded.digest != replace(loaded, ranges={}).digest


def test_ranges_of_another_network_are_refused(layers):
    """They would be ignored in silence."""
    with pytest.raises(ValueError, match="no convolution reads somewhere"):
        Recogniser(Engine(), replace(layers, ranges={"somewhere": (0.0, 1.0)}))

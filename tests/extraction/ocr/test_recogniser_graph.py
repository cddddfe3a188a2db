"""Replacement of layers of PP-OCR's recogniser."""

import math
from dataclasses import replace

import cv2
import numpy as np
import onnxruntime
import pytest

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import (
    TEXT_STRIP_HEIGHT_PX,
    Engine,
    Recogniser,
    backbone_onnx,
    padded_width,
    pretrained_layers,
)
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.recogniser_graph import RecogniserBlock, RecogniserLayers
from tests.extraction.ocr.test_ppocr import F32, STRIPS

ONNX_RUNTIME = Engine(library="onnxruntime")


@pytest.fixture(scope="module")
def own() -> RecogniserLayers:
    return pretrained_layers()


@pytest.fixture(scope="module")
def layers(own) -> RecogniserLayers:
    """PP-OCR's own classifier behind two random residual blocks."""
    rng = np.random.default_rng(0)

    def convolution(out: int, into: int) -> tuple[np.ndarray, np.ndarray]:
        return (rng.normal(0, 0.08, (out, into, 3)).astype(np.float32), rng.normal(0, 0.08, out).astype(np.float32))

    depth = len(own.weight)
    return replace(own, blocks=tuple(RecogniserBlock(convolution(16, depth), convolution(depth, 16)) for _ in range(2)))


def backbone_features(strip: np.ndarray) -> np.ndarray:
    """The output of the backbone for a strip and its padding, [T, D]."""
    width = math.ceil(TEXT_STRIP_HEIGHT_PX * strip.shape[1] / strip.shape[0])
    pixels = np.zeros((1, 3, TEXT_STRIP_HEIGHT_PX, padded_width(width)), np.float32)
    scaled = cv2.resize(strip, (width, TEXT_STRIP_HEIGHT_PX))[..., ::-1]
    pixels[0, :, :, :width] = scaled.transpose(2, 0, 1) * np.float32(1 / 127.5) - np.float32(1)
    (features,) = onnxruntime.InferenceSession(backbone_onnx()).run(None, {"x": pixels})
    return features[0]


def reference_probabilities(layers: RecogniserLayers, features: np.ndarray) -> np.ndarray:
    """Apply the layers in plain numpy, [T, classes]. features: [T, D]"""

    def convolve(columns: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        padded = np.pad(columns, ((1, 1), (0, 0)))
        return sum(padded[at : at + len(columns)] @ weight[:, :, at].T for at in range(3)) + bias

    for block in layers.blocks:
        features = features + convolve(np.maximum(convolve(features, *block.inner), 0), *block.outer)
    logits = features @ layers.weight + layers.bias
    exponentials = np.exp(logits - logits.max(1, keepdims=True))
    return exponentials / exponentials.sum(1, keepdims=True)


def test_pretrained_layers_give_the_pretrained_texts(own):
    """It makes no difference whether the recogniser selects them or they are given."""
    usual, given = Recogniser(F32).read(STRIPS), Recogniser(F32, own).read(STRIPS)

    assert [one.text for one in given] == [one.text for one in usual]
    assert [one.confidence for one in given] == pytest.approx([one.confidence for one in usual], abs=1e-5)


@pytest.mark.parametrize("engine", [F32, ONNX_RUNTIME], ids=["openvino", "onnxruntime"])
def test_given_layers_are_used(layers, engine):
    """Both libraries agree with the reference in numpy, and differ from the pretrained layers."""
    blurred = cv2.GaussianBlur(STRIPS[0], (0, 0), 3.5)
    (recognised,), (plain,) = Recogniser(engine, layers).read([blurred]), Recogniser(engine).read([blurred])
    expected = reference_probabilities(layers, backbone_features(blurred))
    probabilities = expected.max(1)[recognised.columns]

    assert recognised.text == "".join(layers.classes[at] for at in expected.argmax(1)[recognised.columns])
    assert recognised.confidence == pytest.approx(float(probabilities.mean()), abs=5e-3)
    assert abs(recognised.confidence - plain.confidence) > 0.01


@pytest.mark.parametrize("engine", [F32, ONNX_RUNTIME], ids=["openvino", "onnxruntime"])
def test_backbone_tensors_can_be_replaced(own, engine, tmp_path):
    """They have PP-OCR's own names; tensors that are not given stay."""
    backbone = OnnxGraph(backbone_onnx()).tensors()
    some = dict(list(backbone.items())[::2])
    replace(own, backbone={name: value * 0.95 for name, value in some.items()}).save(tmp_path)

    (usual,), (same,), (other,) = (
        Recogniser(engine, layers).read(STRIPS[:1])
        for layers in (own, replace(own, backbone=backbone), recogniser_graph.load_layers(tmp_path))
    )

    assert (same.text, same.confidence) == (usual.text, pytest.approx(usual.confidence, abs=1e-4))
    assert abs(other.confidence - usual.confidence) > 1e-3


def test_saved_layers_can_be_loaded(layers, tmp_path):
    """They are stored in half precision; a folder without them gives None."""
    assert recogniser_graph.load_layers(tmp_path) is None

    layers.save(tmp_path)
    loaded = recogniser_graph.load_layers(tmp_path)

    assert loaded.classes == layers.classes
    assert len(loaded.blocks) == 2
    assert np.abs(loaded.weight - layers.weight).max() < 2e-3
    assert np.abs(loaded.blocks[1].outer[0] - layers.blocks[1].outer[0]).max() < 1e-3


def test_the_digest_identifies_the_layers(layers, tmp_path):
    """Stored results of one reader are not used for another."""
    layers.save(tmp_path)
    other = replace(layers, bias=layers.bias + 1)

    assert Reader().digest == ""
    assert Reader(layers=layers).digest == Reader(layers=recogniser_graph.load_layers(tmp_path)).digest
    assert len({Reader(layers=layers).digest, Reader(layers=other).digest, ""}) == 3

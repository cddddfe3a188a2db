"""RecogniserLayers of PP-OCR's recogniser can be exchanged, and whatever is put there is what reads."""

import math
from dataclasses import replace

import cv2
import numpy as np
import onnxruntime
import pytest

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.ppocr import (
    TEXT_STRIP_HEIGHT_PX,
    Engine,
    Recogniser,
    backbone_onnx,
    padded_width,
    pretrained_layers,
)
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers, ResidualBlock
from tests.extraction.ocr.test_ppocr import F32, STRIPS
from training.tasks.ocr.recogniser import Graph

ONNX_RUNTIME = Engine(library="onnxruntime")


@pytest.fixture(scope="module")
def own() -> RecogniserLayers:
    return pretrained_layers()


@pytest.fixture(scope="module")
def layers(own) -> RecogniserLayers:
    """PP-OCR's own behind two blocks that change something."""
    rng = np.random.default_rng(0)

    def convolution(out: int, into: int) -> tuple[np.ndarray, np.ndarray]:
        return (rng.normal(0, 0.08, (out, into, 3)).astype(np.float32), rng.normal(0, 0.08, out).astype(np.float32))

    depth = len(own.weight)
    return replace(own, blocks=tuple(ResidualBlock(convolution(16, depth), convolution(depth, 16)) for _ in range(2)))


def seen_of(strip: np.ndarray) -> np.ndarray:
    """What the layers before the last see of a strip and its padding, [T, D]."""
    width = math.ceil(TEXT_STRIP_HEIGHT_PX * strip.shape[1] / strip.shape[0])
    pixels = np.zeros((1, 3, TEXT_STRIP_HEIGHT_PX, padded_width(width)), np.float32)
    scaled = cv2.resize(strip, (width, TEXT_STRIP_HEIGHT_PX))[..., ::-1]
    pixels[0, :, :, :width] = scaled.transpose(2, 0, 1) * np.float32(1 / 127.5) - np.float32(1)
    (seen,) = onnxruntime.InferenceSession(backbone_onnx()).run(None, {"x": pixels})
    return seen[0]


def likelihoods(layers: RecogniserLayers, seen: np.ndarray) -> np.ndarray:
    """As the dataclasses say it, in plain numpy. seen: [T, D]"""

    def along(columns: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        around = np.pad(columns, ((1, 1), (0, 0)))
        return sum(around[at : at + len(columns)] @ weight[:, :, at].T for at in range(3)) + bias

    for block in layers.blocks:
        seen = seen + along(np.maximum(along(seen, *block.inner), 0), *block.outer)
    logits = seen @ layers.weight + layers.bias
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def test_pp_ocrs_own_put_back_change_nothing(own):
    """Cut down to the letters wanted or given as they are."""
    usual, given = Recogniser(F32).read(STRIPS), Recogniser(F32, own).read(STRIPS)

    assert [one.text for one in given] == [one.text for one in usual]
    assert [one.confidence for one in given] == pytest.approx([one.confidence for one in usual], abs=1e-5)


@pytest.mark.parametrize("engine", [F32, ONNX_RUNTIME], ids=["openvino", "onnxruntime"])
def test_the_layers_given_are_what_reads(layers, engine):
    """On both libraries, to the last digit that matters, and not as without them."""
    blurred = cv2.GaussianBlur(STRIPS[0], (0, 0), 3.5)
    (said,), (plain,) = Recogniser(engine, layers).read([blurred]), Recogniser(engine).read([blurred])
    wanted = likelihoods(layers, seen_of(blurred))
    sure = wanted.max(1)[said.columns]

    assert said.text == "".join(layers.classes[at] for at in wanted.argmax(1)[said.columns])
    assert said.confidence == pytest.approx(float(sure.mean()), abs=5e-3)
    assert abs(said.confidence - plain.confidence) > 0.01


@pytest.mark.parametrize("engine", [F32, ONNX_RUNTIME], ids=["openvino", "onnxruntime"])
def test_layers_before_the_last_can_be_given_too(own, engine, tmp_path):
    """By PP-OCR's own names; those that are not given stay."""
    before = Graph(backbone_onnx()).tensors()
    some = dict(list(before.items())[::2])
    replace(own, backbone={name: value * 0.95 for name, value in some.items()}).save(tmp_path)

    (usual,), (same,), (other,) = (
        Recogniser(engine, layers).read(STRIPS[:1])
        for layers in (own, replace(own, backbone=before), recogniser_graph.load_layers(tmp_path))
    )

    assert (same.text, same.confidence) == (usual.text, pytest.approx(usual.confidence, abs=1e-4))
    assert abs(other.confidence - usual.confidence) > 1e-3


def test_layers_are_kept_beside_the_weights(layers, tmp_path):
    """In half the bytes; weights without them have none."""
    assert recogniser_graph.load_layers(tmp_path) is None

    layers.save(tmp_path)
    kept = recogniser_graph.load_layers(tmp_path)

    assert kept.classes == layers.classes
    assert len(kept.blocks) == 2
    assert np.abs(kept.weight - layers.weight).max() < 2e-3
    assert np.abs(kept.blocks[1].outer[0] - layers.blocks[1].outer[0]).max() < 1e-3


def test_readers_are_told_apart(layers, tmp_path):
    """What one has read is not taken for what another would."""
    layers.save(tmp_path)
    other = replace(layers, bias=layers.bias + 1)

    assert Reader().digest == ""
    assert Reader(layers=layers).digest == Reader(layers=recogniser_graph.load_layers(tmp_path)).digest
    assert len({Reader(layers=layers).digest, Reader(layers=other).digest, ""}) == 3

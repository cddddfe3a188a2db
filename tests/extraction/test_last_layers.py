"""The end of PP-OCR's recogniser can be exchanged, and whatever is put there is what reads."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from docextract.extraction import last_layers
from docextract.extraction.last_layers import Block, LastLayers
from docextract.extraction.ppocr import Engine, Recogniser, Sight
from docextract.extraction.reading import Reader
from tests.extraction.test_ppocr import F32, STRIPS

ONNX_RUNTIME = Engine(library="onnxruntime")


@pytest.fixture(scope="module")
def sight():
    return Sight(F32)


@pytest.fixture(scope="module")
def layers(sight) -> LastLayers:
    """PP-OCR's own behind two blocks that change something."""
    rng = np.random.default_rng(0)

    def convolution(out: int, into: int) -> tuple[np.ndarray, np.ndarray]:
        return (rng.normal(0, 0.08, (out, into, 3)).astype(np.float32), rng.normal(0, 0.08, out).astype(np.float32))

    depth = len(sight.own.weight)
    return replace(sight.own, blocks=tuple(Block(convolution(16, depth), convolution(depth, 16)) for _ in range(2)))


def likelihoods(layers: LastLayers, seen: np.ndarray) -> np.ndarray:
    """As the dataclasses say it, in plain numpy. seen: [T, D]"""

    def along(columns: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        around = np.pad(columns, ((1, 1), (0, 0)))
        return sum(around[at : at + len(columns)] @ weight[:, :, at].T for at in range(3)) + bias

    for block in layers.blocks:
        seen = seen + along(np.maximum(along(seen, *block.inner), 0), *block.outer)
    logits = seen @ layers.weight + layers.bias
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def test_pp_ocrs_own_put_back_change_nothing(sight):
    """Cut down to the letters wanted or given as they are."""
    usual, given = Recogniser(F32).read(STRIPS), Recogniser(F32, sight.own).read(STRIPS)

    assert [one.text for one in given] == [one.text for one in usual]
    assert [one.confidence for one in given] == pytest.approx([one.confidence for one in usual], abs=1e-5)


@pytest.mark.parametrize("engine", [F32, ONNX_RUNTIME], ids=["openvino", "onnxruntime"])
def test_the_layers_given_are_what_reads(sight, layers, engine):
    """On both libraries, to the last digit that matters, and not as without them."""
    blurred = [cv2.GaussianBlur(strip, (0, 0), 3.5) for strip in STRIPS[:1]]
    for said, plain, (seen, span) in zip(
        Recogniser(engine, layers).read(blurred), Recogniser(engine).read(blurred), sight.look(blurred), strict=True
    ):
        wanted = likelihoods(layers, seen.astype(np.float32))
        sure = wanted.max(1)[said.columns]

        assert span == pytest.approx(said.span)
        assert said.text == "".join(layers.classes[at] for at in wanted.argmax(1)[said.columns])
        assert said.confidence == pytest.approx(float(sure.mean()), abs=5e-3)
        assert abs(said.confidence - plain.confidence) > 0.01


def test_layers_are_kept_beside_the_weights(layers, tmp_path):
    """In half the bytes; weights without them have none."""
    assert last_layers.load(tmp_path) is None

    layers.save(tmp_path)
    kept = last_layers.load(tmp_path)

    assert kept.classes == layers.classes
    assert len(kept.blocks) == 2
    assert np.abs(kept.weight - layers.weight).max() < 2e-3
    assert np.abs(kept.blocks[1].outer[0] - layers.blocks[1].outer[0]).max() < 1e-3


def test_readers_are_told_apart(layers, tmp_path):
    """What one has read is not taken for what another would."""
    layers.save(tmp_path)
    other = replace(layers, bias=layers.bias + 1)

    assert Reader().digest == ""
    assert Reader(layers=layers).digest == Reader(layers=last_layers.load(tmp_path)).digest
    assert len({Reader(layers=layers).digest, Reader(layers=other).digest, ""}) == 3

"""Hidden channels are taken out of a recogniser: the least important first, and what is left makes up for them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from docextract.extraction.ocr import ppocr
from docextract.extraction.ocr.onnx_graph import OnnxGraph
from docextract.extraction.ocr.ppocr import Recogniser, backbone_onnx, pretrained_layers
from tests.extraction.ocr.test_ppocr import F32, STRIPS
from training.narrowing import CHANNEL_STEP, find_hidden_channels, narrowed_tensors


def pixels(seed: int) -> torch.Tensor:
    return torch.rand(2, 3, 48, 96, generator=torch.Generator().manual_seed(seed)) * 2 - 1


def one_pair(rng: np.random.Generator) -> OnnxGraph:
    """Three channels, through 32 hidden ones, to four; half of the hidden ones say what the other half says."""
    weight = rng.normal(size=(32, 3, 1, 1)).astype(np.float32)
    weight[16:] = weight[:16]
    tensors = {
        "w": weight, "b": np.zeros((1, 32, 1, 1), np.float32), "v": rng.normal(size=(4, 32, 1, 1)).astype(np.float32),
        "c": rng.normal(size=(1, 4, 1, 1)).astype(np.float32), "root": np.float32(2**0.5), "one": np.float32(1),
        "half": np.float32(0.5),
    }  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["wide"], kernel_shape=[1, 1], strides=[1, 1], group=1, pads=[0] * 4),
        helper.make_node("Add", ["wide", "b"], ["biased"]),
        helper.make_node("Div", ["biased", "root"], ["divided"]),
        helper.make_node("Erf", ["divided"], ["erf"]),
        helper.make_node("Add", ["erf", "one"], ["shifted"]),
        helper.make_node("Mul", ["biased", "shifted"], ["product"]),
        helper.make_node("Mul", ["product", "half"], ["gelu"]),
        helper.make_node("Conv", ["gelu", "v"], ["narrow"], kernel_shape=[1, 1], strides=[1, 1], group=1, pads=[0] * 4),
        helper.make_node("Add", ["narrow", "c"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * 4) for name in "xy"]
    initializers = [numpy_helper.from_array(np.asarray(value), name) for name, value in tensors.items()]
    graph = helper.make_graph(nodes, "pair", ends[:1], ends[1:], initializers)
    return OnnxGraph(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)]).SerializeToString())


def test_channels_that_repeat_others_are_left_out_without_loss():
    """Half of the channels are enough, whichever of two equal ones is kept."""
    rng = np.random.default_rng(1)
    graph = one_pair(rng)
    batches = [torch.from_numpy(rng.normal(size=(2, 3, 8, 8)).astype(np.float32)) for _ in range(4)]
    expected = graph(batches[0]).detach()

    tensors = narrowed_tensors(graph, batches, 0.5)
    graph.load_tensors(tensors)

    assert tensors["w"].shape == (16, 3, 1, 1)
    assert tensors["v"].shape == (4, 16, 1, 1)
    assert torch.allclose(graph(batches[0]), expected, atol=0.02 * float(expected.std()))


def test_all_pairs_of_the_served_recogniser_are_found():
    """Thirteen, of which those with fixed tensors stay as they are."""
    graph = OnnxGraph(backbone_onnx(), fixed=20)
    before, after = graph.tensors(), narrowed_tensors(graph, [pixels(1)], 0.5)

    assert len(find_hidden_channels(graph)) == 13
    assert sum(before[name].shape != after[name].shape for name in before) == 12 * 3


def test_what_is_left_makes_up_for_what_is_not():
    """Features stay closer than if the same number of channels were simply left out."""
    graph, batches = OnnxGraph(backbone_onnx()), [pixels(seed) for seed in range(3)]
    tensors = narrowed_tensors(graph, batches, 0.75)
    plain = dict(graph.tensors())
    for one in find_hidden_channels(graph):
        count = len(tensors[one.weight])
        plain[one.weight], plain[one.bias] = plain[one.weight][:count], plain[one.bias][:, :count]
        plain[one.next_weight] = plain[one.next_weight][:, :count]
    expected = graph(batches[0]).detach()

    def difference(tensors):
        other = OnnxGraph(backbone_onnx())
        other.load_tensors(tensors)
        with torch.no_grad():
            return float((other(batches[0]) - expected).square().mean())

    assert difference(tensors) < 0.3 * difference(plain)


@pytest.mark.parametrize("share", [0.01, 0.26])
def test_numbers_of_channels_suit_vector_units(share):
    """Each is a multiple of CHANNEL_STEP and at least one step."""
    tensors = narrowed_tensors(OnnxGraph(backbone_onnx()), [pixels(1)], share)

    for one in find_hidden_channels(OnnxGraph(backbone_onnx())):
        assert len(tensors[one.weight]) % CHANNEL_STEP == 0 < len(tensors[one.weight])


def test_a_narrowed_recogniser_is_served():
    """Clear print is still read right by the library that serves, even before training."""
    layers = pretrained_layers()
    wide = [ppocr.strips_to_pixels([strip], [160]) for strip in STRIPS[:4]]
    tensors = narrowed_tensors(OnnxGraph(backbone_onnx()), [torch.from_numpy(one) for one in wide], 0.75)

    read = Recogniser(F32, replace(layers, backbone=tensors)).read(STRIPS[:4])

    assert [one.text for one in read] == [one.text for one in Recogniser(F32, layers).read(STRIPS[:4])]

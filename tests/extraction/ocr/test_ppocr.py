"""PP-OCR's networks, on all inference libraries."""

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

import cv2
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from docextract.extraction.ocr import ppocr
from docextract.extraction.ocr.ctc import prefix_beam_search
from docextract.extraction.ocr.ppocr import Detector, Engine, Recogniser, group_by_width, padded_width
from docextract.extraction.ocr.reading import Reader

F32 = Engine(precision="f32")


def strip(text: str) -> np.ndarray:
    """Draw a level line of black print on white."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.2, 2)
    image = np.full((height + 20, width + 20, 3), 255, np.uint8)
    cv2.putText(image, text, (10, height + 10), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    return image


STRIPS = [strip(text) for text in ("GRAND TOTAL 12.50", "9.00", "X", "DATE 12/03/2018 18:45", "7.00", "3.50")]


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser(F32)


def test_texts_are_in_input_order(recogniser):
    """Sorting and batching do not change the order."""
    assert [one.text for one in recogniser.read(STRIPS)] == [
        "GRAND TOTAL 12.50", "9.00", "X", "DATE 12/03/2018 18:45", "7.00", "3.50",
    ]  # fmt: skip
    assert recogniser.read([]) == []


def test_batches_do_not_change_texts(recogniser):
    """The padding of a strip depends on its own width only."""
    alone = [recogniser.read([one])[0] for one in STRIPS]

    for one, other in zip(recogniser.read(STRIPS), alone, strict=True):
        assert (one.text, one.column_count) == (other.text, other.column_count)
        assert one.confidence == pytest.approx(other.confidence, abs=1e-4)


def test_columns_give_the_positions_of_characters(recogniser):
    """There is one column per character, from left to right, inside the strip."""
    (recognised,) = recogniser.read(STRIPS[:1])

    assert len(recognised.columns) == len(recognised.text)
    assert (np.diff(recognised.columns) > 0).all()
    assert 0 <= recognised.columns[0] < recognised.columns[-1] < recognised.column_count


def test_alternatives_of_characters_are_reported(recogniser):
    """In clear print their odds are small, in blurred print they are larger."""
    clear, blurred = recogniser.read([STRIPS[1], cv2.GaussianBlur(STRIPS[1], (0, 0), 4.5)])

    assert len(clear.alternatives) == len(clear.odds) == len(clear.text)
    assert all(other != read for other, read in zip(clear.alternatives, clear.text, strict=True))
    assert clear.odds.min() >= 0
    assert clear.odds.max() < 0.05
    assert blurred.odds.max() > clear.odds.max()


class AvoidingLanguageModel:
    """A language model that prefers lines without a certain character."""

    weight, digest = 1.0, "avoiding"

    def __init__(self, avoided: str, penalty: float = 20.0) -> None:
        self.avoided, self.penalty = avoided, penalty

    def log_likelihoods(self, lines):
        return np.array([-self.penalty * line.count(self.avoided) for line in lines], np.float32)


def test_the_language_model_decides_between_similar_characters(recogniser):
    """In blurred print it replaces a character; columns and alternatives belong to the new text."""
    blurred = cv2.GaussianBlur(STRIPS[0], (0, 0), 7)
    (recognised,) = recogniser.read([blurred])
    uncertain = recognised.text[int(recognised.odds.argmax())]

    (chosen,) = Recogniser(F32, language_model=AvoidingLanguageModel(uncertain)).read([blurred])

    assert recognised.odds.max() > 0.1
    assert chosen.text.count(uncertain) < recognised.text.count(uncertain)
    assert len(chosen.alternatives) == len(chosen.odds) == len(chosen.columns) == len(chosen.text)
    assert 0.1 < chosen.odds.max() <= 1
    assert (np.diff(chosen.columns) > 0).all()
    assert chosen.confidence == recognised.confidence


def test_the_language_model_does_not_change_clear_print(recogniser):
    """It does not change blurred print either if only the pixels are requested."""
    avoiding = Recogniser(F32, language_model=AvoidingLanguageModel("0"))
    blurred = [cv2.GaussianBlur(one, (0, 0), 8) for one in STRIPS]

    assert [one.text for one in avoiding.read(STRIPS)] == [one.text for one in recogniser.read(STRIPS)]
    assert [one.text for one in avoiding.read(blurred)] != [one.text for one in recogniser.read(blurred)]
    assert [one.text for one in avoiding.read(blurred, pixels_only=True)] == [
        one.text for one in recogniser.read(blurred)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_chosen_hypotheses_replace_the_text_completely(recogniser, seed):
    """A hypothesis may be longer or shorter than the greedy text, or repeat a character."""
    probabilities = np.random.default_rng(seed).dirichlet(np.full(3, 0.4), 6).astype(np.float32)
    (columns,) = ppocr._reduce(probabilities[None])
    greedy = recogniser._greedy_text(columns, 6.0)
    hypotheses = prefix_beam_search(columns.best.tolist(), columns.options)

    replaced = [recogniser._replace_text(greedy, columns, one) for one in hypotheses]

    assert len({one.text for one in replaced}) == len(hypotheses)
    for one, chosen in zip(replaced, hypotheses, strict=True):
        assert one.text == recogniser._text(chosen.classes)
        assert len(one.text) == len(one.columns) == len(one.alternatives) == len(one.odds)
        assert all(other != char for other, char in zip(one.alternatives, one.text, strict=True))
        assert ((one.odds >= 0) & (one.odds <= 1)).all()


def test_the_digest_of_a_reader_includes_its_language_model():
    """Stored results of one reader are not used for another."""
    assert Reader().digest == ""
    assert Reader(language_model=AvoidingLanguageModel("0")).digest == "avoiding"


OTHER_LIBRARIES = pytest.mark.parametrize("library", ["torch", "onnxruntime"])


@OTHER_LIBRARIES
def test_all_libraries_recognise_the_same_texts(recogniser, library):
    """torch, which runs on GPUs, and ONNX Runtime give the same texts as OpenVINO."""
    other = Recogniser(Engine(library=library))

    for one, two in zip(recogniser.read(STRIPS), other.read(STRIPS), strict=True):
        assert one.text == two.text
        assert one.confidence == pytest.approx(two.confidence, abs=1e-3)


@OTHER_LIBRARIES
def test_all_libraries_detect_the_same_lines(library):
    """The boxes differ by rounding at most."""
    page = np.full((200, 500, 3), 255, np.uint8)
    page[40 : 40 + STRIPS[0].shape[0], 30 : 30 + STRIPS[0].shape[1]] = STRIPS[0]

    (one,), (two,) = (next(Detector(engine).detect([page], [1.5])) for engine in (F32, Engine(library=library)))

    assert np.abs(one - two).max() <= 1


def load_gpu_network_on_cpu(batch_sizes, sides, network, engine, *_, **__):
    """What a GPU would run, on the CPU; records what it is given."""
    on_cpu = ppocr._TorchNetwork(network, replace(engine, device="cpu"))
    on_cpu._fills_batches = True

    def run(inputs):
        batches = list(inputs)
        batch_sizes.append([len(batch) for batch in batches])
        sides.update(batch.shape[1:3] if batch.dtype == np.uint8 else batch.shape[2:] for batch in batches)
        return on_cpu(batches)

    return run


def test_a_gpu_gets_pages_and_strips_in_large_batches(recogniser, monkeypatch):
    """Pages of one size are detected together, and strips of one width recognised together. No GPU is needed here."""
    batch_sizes, sides = [], set()
    monkeypatch.setattr(ppocr, "_load_network", partial(load_gpu_network_on_cpu, batch_sizes, sides))
    engine = ppocr.engine_for("cuda", threads=1)
    page = np.full((200, 500, 3), 255, np.uint8)
    page[40 : 40 + STRIPS[0].shape[0], 30 : 30 + STRIPS[0].shape[1]] = STRIPS[0]
    small = np.ascontiguousarray(page[:120, :400])

    first, other, last = Detector(engine).detect([page, small, page], [1.5, 1.5, 1.5])
    texts = Recogniser(engine).read([STRIPS[0]] * 9)

    assert batch_sizes == [[2, 1], [9]]
    assert sides == {(384, 768), (256, 640), (48, padded_width(STRIPS[0].shape[1]))}  # there are few shapes
    assert len(first) == len(other) == len(last) == 1
    assert np.array_equal(first[0], last[0])
    (on_cpu,) = next(Detector(F32).detect([page], [1.5]))
    assert np.abs(first[0] - on_cpu).max() <= 1
    assert {one.text for one in texts} == {recogniser.read(STRIPS[:1])[0].text}


def test_torch_reads_in_bfloat16():
    """As on a GPU: probabilities differ, texts do not."""
    reading = Recogniser(Engine(library="torch", precision="bf16")).read(STRIPS)

    assert [one.text for one in reading] == [one.text for one in Recogniser(F32).read(STRIPS)]


def test_boxes_are_finer_than_pixels():
    """On a page whose letters are few px high, boxes in whole px would cut into them."""
    page = np.full((60, 150, 3), 255, np.uint8)
    small = cv2.resize(STRIPS[0], None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA)
    page[20 : 20 + small.shape[0], 10 : 10 + small.shape[1]] = small

    ((box,),) = Detector(F32).detect([page], [5])

    assert np.abs(box - box.round()).max() > 0.1


def test_boxes_are_those_of_their_page_after_a_caller_that_stopped():
    """Pages that are still processed for it must not be taken for those of the next call."""
    detector = Detector(F32)
    page = np.full((200, 500, 3), 255, np.uint8)
    page[40 : 40 + STRIPS[0].shape[0], 30 : 30 + STRIPS[0].shape[1]] = STRIPS[0]
    empty = np.full_like(page, 255)

    next(detector.detect([page] * 5, [1.5] * 5))
    found = list(detector.detect([empty, page, empty], [1.5] * 3))

    assert [len(boxes) for boxes in found] == [0, 1, 0]


def test_several_threads_give_the_same_texts(recogniser):
    """Batches are distributed over the threads."""
    assert [one.text for one in Recogniser(Engine(threads=2, precision="f32")).read(STRIPS)] == [
        one.text for one in recogniser.read(STRIPS)
    ]


def test_other_scripts_are_not_recognised(recogniser):
    """The reduced classifier has no class for 家; the complete one has."""
    assert len(recogniser._classes) < 1000 < len(Recogniser(Engine(letters=()))._classes)


def test_batches_have_strips_of_one_width():
    """The widest strips come first, and each strip is in one batch."""
    assert group_by_width([96, 320, 96, 96, 96, 96], strips_per_batch=4) == [[1], [0, 2, 3, 4], [5]]
    assert group_by_width([96, 320, 96], strips_per_batch=1) == [[1], [0], [2]]
    assert group_by_width([], strips_per_batch=4) == []


def test_batches_of_long_strips_are_smaller():
    """So that no batch takes more memory than four short strips, or one long one."""
    assert group_by_width([320] * 3 + [192] * 4, strips_per_batch=4) == [[0, 1], [2], [3, 4, 5], [6]]
    assert group_by_width([1280, 1280], strips_per_batch=4) == [[0], [1]]
    assert group_by_width([1280] * 9, strips_per_batch=64) == [list(range(8)), [8]]


def test_there_are_few_padded_widths():
    """Known input shapes cost nothing. No strip is cut off, and the padding is small."""
    widths = range(1, 2000)

    assert all(width <= padded_width(width) <= max(96, 1.35 * width) for width in widths)
    assert len({padded_width(width) for width in widths}) <= 15


@pytest.fixture(scope="module")
def pairs_network():
    """A network that OpenVINO runs, whose output is its input as [2, 2]; it fails on inputs of another size."""
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["given", "shape"], ["pairs"])],
        "pairs",
        [helper.make_tensor_value_info("given", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info("pairs", TensorProto.FLOAT, [2, 2])],
        [numpy_helper.from_array(np.array([2, 2]), "shape")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return ppocr._load_network(model.SerializeToString(), Engine(threads=2), streams=2, cached_shapes=1)


def _numbers(*firsts):
    return [np.arange(first, first + 4, dtype=np.float32) for first in firsts]


BAD_INPUT = np.zeros(3, np.float32)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 20])
def test_openvino_answers_in_input_order(pairs_network, count):
    outputs = [output.flatten().tolist() for output in pairs_network(_numbers(*range(count)))]

    assert outputs == [numbers.tolist() for numbers in _numbers(*range(count))]


@pytest.mark.parametrize("used", [0, 1, 10])
def test_openvino_goes_on_after_a_caller_that_failed_or_left(pairs_network, used):
    """OpenVINO keeps the error of a request until it is started again."""
    inputs = [*_numbers(0, 1), BAD_INPUT, *_numbers(3, 4)]
    with suppress(RuntimeError):
        list(islice(pairs_network(inputs), used))

    outputs = [output.flatten().tolist() for output in pairs_network(_numbers(*range(9)))]
    assert outputs == [numbers.tolist() for numbers in _numbers(*range(9))]


def test_openvino_reports_the_input_that_fails(pairs_network):
    with pytest.raises(RuntimeError):
        list(pairs_network([*_numbers(0), BAD_INPUT]))


def test_openvino_goes_on_after_inputs_that_raise(pairs_network):
    def inputs():
        yield from _numbers(0, 1)
        raise OSError

    with pytest.raises(OSError):
        list(pairs_network(inputs()))
    assert len(list(pairs_network(_numbers(0, 1, 2, 3)))) == 4


def test_openvino_reports_nothing(tmp_path):
    """Its import looks up no name and writes nothing to the home directory, also that of its converter."""
    code = (
        "import sys\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, _: seen.append(event) if event.startswith('socket.') else None)\n"
        "from docextract.extraction.ocr.openvino_import import import_openvino\n"
        "import_openvino()\n"
        "import openvino.tools.ovc.main\n"
        "sys.exit(bool({'socket.getaddrinfo', 'socket.connect'} & set(seen)))"
    )
    without_ci = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_BUILD", "JENKINS_URL")}

    done = subprocess.run([sys.executable, "-c", code], env=without_ci | {"HOME": str(tmp_path)}, timeout=60)

    assert done.returncode == 0
    assert list(tmp_path.rglob("*")) == []

"""Training a Donut, at a size that a test can wait for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.documents import document_types
from docextract.extraction.checkpoints.donut import Donut
from docextract.extraction.checkpoints.importing import import_donut
from docextract.extraction.checkpoints.json_tokens import parse_leaves
from tests.training.stopping import StoppedError, stop_after
from training import history, loop
from training.tasks.donut.batches import (
    NO_FIELD,
    NOT_TAGGED,
    DonutExamples,
    PrintedLine,
    answer_text,
    build_processor,
    build_tokenizer,
    can_be_read,
    count_samples,
    donut_batch,
    page_to_canvas,
    prompt,
    sample_points,
    tag_cells,
    type_named,
)
from training.tasks.donut.train import PUBLISHED, DonutSettings, DonutTask, build_network

CONFIG = Path(__file__).parents[4] / "training" / "configs" / "donut.toml"
TINY = replace(
    DonutSettings.read(CONFIG), pages=2, steps=4, batch=2, height=256, width=128, embedding=16, depths=(1, 1, 1),
    heads=(1, 2, 4), window=4, decoder_layers=1, decoder_heads=2, longest=448, peak_lr=6e-3, warmup_steps=2,
    average=0.9, reading=0.1, lines=3, watched=2, evaluate_every=2, weight_decay=0.0,
)  # fmt: skip
RECEIPT = document_types()["receipt"]
SIZE = (64, 48)


class CachedExamples(DonutExamples):
    """Makes each page once."""

    def __init__(self, *arguments, pages, **options):
        super().__init__(*arguments, pages=pages, **options)
        self.cache = {}

    def __getitem__(self, number):
        page = number % self._pages if self._pages else number
        if page not in self.cache:
            self.cache[page] = super().__getitem__(page)
        return self.cache[page]


def examples(settings):
    return CachedExamples(RECEIPT, settings.seed, settings.plan, settings.size, settings.longest, pages=settings.pages)


def fit(settings, out, **hooks):
    """The trained network and its task."""
    task = DonutTask(settings, RECEIPT, examples(settings), workers=0)
    network = build_network(settings, RECEIPT, torch.device("cpu"))
    return loop.fit(task, network, loop.adamw(network, settings), settings, out, **hooks), task


def line(left, top, right, bottom, characters=(1, 2), field=NO_FIELD):
    polygon = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return PrintedLine(polygon, list(characters), field)


@pytest.fixture(scope="module")
def memorised(tmp_path_factory):
    """The folder of a run that has learned two receipts by heart, with its published checkpoint."""
    folder = tmp_path_factory.mktemp("donut")
    network, task = fit(replace(TINY, steps=160, evaluate_every=80), folder)
    task.export(network, folder / PUBLISHED)
    return folder


@pytest.mark.parametrize("number", range(4))
def test_the_answer_has_the_values_of_the_label(number):
    """It is parsed by the parser that reads a served Donut's tokens."""
    example = examples(replace(TINY, pages=0))[number]
    tokenizer = build_tokenizer(RECEIPT, 2000)
    text = answer_text(RECEIPT, example.label)
    tokens = tokenizer.convert_ids_to_tokens(tokenizer(text, add_special_tokens=False).input_ids)

    values = {
        (leaf.name, leaf.row): tokenizer.convert_tokens_to_string(tokens[leaf.first + 1 : leaf.last]).strip()
        for leaf in parse_leaves(tokens)
    }

    for name, value in example.label.items():
        if isinstance(value, str):
            assert values[name, 0] == value
        for row, one in enumerate(value or () if isinstance(value, list) else ()):
            assert {values.get((f"{name}.{leaf}", row)) for leaf in one if one[leaf]} == {
                one[leaf] for leaf in one if one[leaf]
            }


@pytest.mark.parametrize("shape", [(100, 60), (200, 50), (40, 90), (64, 48)])
def test_positions_on_the_canvas_follow_the_published_processor(shape):
    """The processor scales and pads a page: a bright spot is where `page_to_canvas` puts it."""
    page = np.zeros((*shape, 3), np.uint8)
    y, x = shape[0] * 3 // 4, shape[1] // 3
    page[y - 4 : y + 5, x - 4 : x + 5] = 255

    canvas = build_processor(SIZE)(images=[page], return_tensors="np").pixel_values[0].mean(0) + 1

    at = [(canvas.sum(axis) * np.arange(canvas.shape[1 - axis])).sum() / canvas.sum() + 0.5 for axis in (0, 1)]
    assert at == pytest.approx((page_to_canvas(page, SIZE) @ [x + 0.5, y + 0.5, 1])[:2], abs=1.0)


def test_some_lines_cannot_be_read():
    """Lines that leave the canvas, and lines that are too short for their characters."""
    assert can_be_read(line(4, 4, 40, 12, characters=[1, 2, 3]), SIZE)
    assert not can_be_read(line(4, 4, 60, 12), SIZE)
    assert not can_be_read(line(4, 4, 12, 12, characters=[1, 2, 3]), SIZE)
    assert not can_be_read(line(4, 4, 12, 12, characters=[1, 1]), SIZE)


def test_a_line_is_sampled_along_its_center():
    """From left to right, in three rows, in the coordinates of `grid_sample`."""
    one = line(0, 16, 48, 32)
    points = sample_points(one, SIZE)

    assert points.shape == (3, count_samples(one), 2)
    assert (np.diff(points[..., 0]) > 0).all()
    assert points[1, :, 1] == pytest.approx(24 / 64 * 2 - 1)


def test_cells_are_tagged_with_their_field():
    """Cells without text have no target; text that belongs to no field has a target of its own."""
    tags = tag_cells([line(0, 16, 47, 32, field=5), line(0, 48, 24, 64)], (4, 3), SIZE)

    assert tags.tolist() == [[NOT_TAGGED] * 3, [5] * 3, [NOT_TAGGED] * 3, [NO_FIELD, NO_FIELD, NOT_TAGGED]]


def test_the_same_number_gives_the_same_page():
    """The next number gives another one."""
    one, again, other = (examples(replace(TINY, pages=0))[number] for number in (3, 3, 4))

    assert np.array_equal(one.pixels, again.pixels)
    assert one.tokens == again.tokens
    assert one.label != other.label


def test_a_batch_has_a_few_lines_to_read_of_each_page():
    """They are drawn at random from the lines that can be read."""
    pages = [examples(TINY)[number] for number in range(2)]

    one, other = (donut_batch(pages, TINY.size, 2, np.random.default_rng(seed)) for seed in (1, 2))

    assert one.tokens.shape[0] == len(one.pixels) == 2
    assert [len(lines) for lines in one.read_lines] == [2, 2]
    assert all(can_be_read(line, TINY.size) for lines in one.read_lines for line in lines)
    assert [[id(line) for line in lines] for lines in one.read_lines] != [
        [id(line) for line in lines] for lines in other.read_lines
    ]


def test_an_unknown_type_is_refused():
    """The error lists the types with a generator."""
    with pytest.raises(ValueError, match="receipt"):
        type_named("menu")


def test_two_pages_can_be_memorised(memorised):
    """All losses fall, and most fields of the answers are correct."""
    first, *_, last = history.read(memorised)

    assert all(last["loss"][name] < 0.5 * first["loss"][name] for name in first["loss"])
    assert last["held_back"]["right"] > 0.8


def test_the_published_checkpoint_can_be_imported_and_served(memorised, tmp_path):
    """Like any other Donut."""
    import_donut(memorised / PUBLISHED, tmp_path / "weights", "receipt", prompt(RECEIPT.name))
    example = examples(TINY)[0]

    (found,) = Donut.load(tmp_path / "weights").extract([example.page], ["auto"])

    assert found.type == "receipt"
    assert f"{found.fields['total'].value:.2f}" == f"{float(example.label['total']):.2f}"


def test_a_resumed_run_equals_an_unbroken_one(tmp_path):
    """A run that is killed after two steps and resumed has the same weights, to the bit."""
    often = replace(TINY, checkpoint_s=0)
    unbroken, _ = fit(TINY, tmp_path / "unbroken")
    with pytest.raises(StoppedError):
        fit(often, tmp_path / "resumed", on_step=stop_after(2))
    resumed, _ = fit(often, tmp_path / "resumed")

    for one, other in zip(unbroken.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)

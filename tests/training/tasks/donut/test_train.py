"""TrainingState a Donut, on a scale that a test can wait for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.documents import document_types
from docextract.extraction.checkpoints.donut import Donut
from docextract.extraction.checkpoints.importing import import_donut
from docextract.extraction.checkpoints.json_tokens import parse_leaves
from training import history
from training.tasks.donut.batches import (
    NO_FIELD,
    NOT_TAGGED,
    Examples,
    Lesson,
    Line,
    answer,
    can_be_read,
    columns_of,
    onto_canvas,
    places_along,
    processor,
    prompt,
    tags,
    tokenizer,
    type_named,
)
from training.tasks.donut.train import CHECKPOINT, PUBLISHED, Run, Settings, train

CONFIG = Path(__file__).parents[4] / "training" / "configs" / "donut.toml"
TINY = replace(
    Settings.read(CONFIG), pages=2, steps=4, batch=2, height=256, width=128, embedding=16, depths=(1, 1, 1),
    heads=(1, 2, 4), window=4, decoder_layers=1, decoder_heads=2, longest=448, peak_lr=6e-3, warmup_steps=2,
    average=0.9, reading=0.1, lines=3, watched=2, evaluate_every=2, weight_decay=0.0,
)  # fmt: skip
RECEIPT = document_types()["receipt"]
SIZE = (64, 48)


class Kept(Examples):
    """Makes each page once."""

    def __init__(self, *arguments, pages, **options):
        super().__init__(*arguments, pages=pages, **options)
        self.kept = {}

    def __getitem__(self, number):
        page = number % self._pages if self._pages else number
        if page not in self.kept:
            self.kept[page] = super().__getitem__(page)
        return self.kept[page]


def examples(settings):
    return Kept(RECEIPT, settings.seed, settings.plan, settings.size, settings.longest, pages=settings.pages)


def learned(settings, out, run=None):
    out.mkdir(exist_ok=True)
    run = run or Run.begin(settings, RECEIPT, torch.device("cpu"))
    train(run, settings, RECEIPT, examples(settings), out, workers=0)
    return run


def line(left, top, right, bottom, letters=(1, 2), field=NO_FIELD):
    outline = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return Line(outline, list(letters), field)


@pytest.fixture(scope="module")
def memorised(tmp_path_factory):
    """A run that knows two receipts by heart, and where it is published."""
    folder = tmp_path_factory.mktemp("donut")
    settings = replace(TINY, steps=160, evaluate_every=40)
    learned(settings, folder).publish(settings, RECEIPT, folder / PUBLISHED)
    return folder


@pytest.mark.parametrize("number", range(4))
def test_an_answer_says_what_the_label_does(number):
    """Read back by what reads a served Donut's tokens."""
    example = examples(replace(TINY, pages=0))[number]
    words = tokenizer(RECEIPT, 2000)
    text = answer(RECEIPT, example.label)
    tokens = words.convert_ids_to_tokens(words(text, add_special_tokens=False).input_ids)

    said = {
        (leaf.name, leaf.row): words.convert_tokens_to_string(tokens[leaf.first + 1 : leaf.last]).strip()
        for leaf in parse_leaves(tokens)
    }

    for name, value in example.label.items():
        if isinstance(value, str):
            assert said[name, 0] == value
        for row, one in enumerate(value or () if isinstance(value, list) else ()):
            assert {said.get((f"{name}.{leaf}", row)) for leaf in one if one[leaf]} == {
                one[leaf] for leaf in one if one[leaf]
            }


@pytest.mark.parametrize("shape", [(100, 60), (200, 50), (40, 90), (64, 48)])
def test_what_is_where_on_the_canvas_is_known(shape):
    """The published processor scales and pads: a bright spot lands where it is said to."""
    page = np.zeros((*shape, 3), np.uint8)
    y, x = shape[0] * 3 // 4, shape[1] // 3
    page[y - 4 : y + 5, x - 4 : x + 5] = 255

    seen = processor(SIZE)(images=[page], return_tensors="np").pixel_values[0].mean(0) + 1

    at = [(seen.sum(axis) * np.arange(seen.shape[1 - axis])).sum() / seen.sum() + 0.5 for axis in (0, 1)]
    assert at == pytest.approx((onto_canvas(page, SIZE) @ [x + 0.5, y + 0.5, 1])[:2], abs=1.0)


def test_lines_that_cannot_be_spelt_are_not_read():
    """Those that leave the canvas, or that are shorter than their letters."""
    assert can_be_read(line(4, 4, 40, 12, letters=[1, 2, 3]), SIZE)
    assert not can_be_read(line(4, 4, 60, 12), SIZE)
    assert not can_be_read(line(4, 4, 12, 12, letters=[1, 2, 3]), SIZE)
    assert not can_be_read(line(4, 4, 12, 12, letters=[1, 1]), SIZE)


def test_a_line_is_looked_at_along_its_middle():
    """From its left to its right, in three rows, as `grid_sample` counts."""
    one = line(0, 16, 48, 32)
    places = places_along(one, SIZE)

    assert places.shape == (3, columns_of(one), 2)
    assert (np.diff(places[..., 0]) > 0).all()
    assert places[1, :, 1] == pytest.approx(24 / 64 * 2 - 1)


def test_cells_know_their_field():
    """Where nothing is printed nothing is learned; print of no field is known as such."""
    found = tags([line(0, 16, 47, 32, field=5), line(0, 48, 24, 64)], (4, 3), SIZE)

    assert found.tolist() == [[NOT_TAGGED] * 3, [5] * 3, [NOT_TAGGED] * 3, [NO_FIELD, NO_FIELD, NOT_TAGGED]]


def test_a_number_is_the_same_page_for_everyone():
    """And the next another one."""
    one, again, other = (examples(replace(TINY, pages=0))[number] for number in (3, 3, 4))

    assert np.array_equal(one.pixels, again.pixels)
    assert one.tokens == again.tokens
    assert one.label != other.label
    assert Lesson.of([one, other]).tokens.shape[0] == 2


def test_an_unknown_type_is_named():
    """With those that there are."""
    with pytest.raises(ValueError, match="receipt"):
        type_named("menu")


def test_two_pages_are_learned_by_heart(memorised):
    """Every head loses less, and what is asked of the network is right."""
    first, *_, last = history.read(memorised)

    assert all(last["loss"][name] < 0.5 * first["loss"][name] for name in first["loss"])
    assert last["held_back"]["right"] > 0.8


def test_what_is_published_is_imported_and_served(memorised, tmp_path):
    """In the format in which Donuts are published, by the way that any other takes."""
    import_donut(memorised / PUBLISHED, tmp_path / "weights", "receipt", prompt(RECEIPT.name))
    example = examples(TINY)[0]

    (found,) = Donut.load(tmp_path / "weights").extract([example.page], ["auto"])

    assert found.type == "receipt"
    assert f"{found.fields['total'].value:.2f}" == f"{float(example.label['total']):.2f}"


def test_a_run_that_is_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    """To the last bit."""
    unbroken = learned(TINY, tmp_path / "unbroken")
    run = Run.begin(TINY, RECEIPT, torch.device("cpu"))
    (tmp_path / "broken").mkdir()
    halfway = examples(TINY)
    for number in range(2):
        run.learn(TINY, Lesson.of([halfway[2 * number + one] for one in range(2)]))
    run.save(tmp_path / "broken" / CHECKPOINT)

    resumed = Run.begin(TINY, RECEIPT, torch.device("cpu"))
    resumed.resume(tmp_path / "broken" / CHECKPOINT)
    learned(TINY, tmp_path / "broken", resumed)

    for one, other in zip(unbroken.network.parameters(), resumed.network.parameters(), strict=True):
        assert torch.equal(one, other)

"""What stands between two letters is looked at once more."""

import cv2
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from docextract.extraction.separators import FILE, SEPARATORS, Network, Separators, hints, places, spelled, strips
from docextract.findings import Line

PAGE = np.full((60, 400, 3), 255, np.uint8)


def line(text, left=10, right=390):
    """A line whose letters are equally wide."""
    box = np.array([[left, 10], [right, 10], [right, 50], [left, 50]], np.float32)
    return Line(text, box, 0.99, tuple(np.linspace(0, 1, len(text) + 1).tolist()))


def found_in(text):
    one = line(text)
    return places(one, strips(PAGE, [one])[0])


def test_places_stand_between_letters():
    """Wherever a space, a comma or a stop may be."""
    found = found_in("AB, C")
    assert [(one.first, one.second, SEPARATORS[one.read]) for one in found] == [(0, 1, ""), (1, 4, ", ")]


@pytest.mark.parametrize("text", ["12.50", "1,250", "81 100"])
def test_amounts_are_left_alone(text):
    """Another separator between two digits would be another amount."""
    assert found_in(text) == []


def test_what_is_read_into_numbers_beside_letters_may_be_mended():
    """43000KAJANG."""
    assert [(one.first, one.second) for one in found_in("00KA")] == [(1, 2), (2, 3)]


@pytest.mark.parametrize(("text", "at"), [("P<UTOERIKSSON", []), ("AB .C", [(0, 1)])])
def test_what_has_rules_of_its_own_is_left_alone(text, at):
    """Machine-readable zones, and separators that it does not know."""
    assert [(one.first, one.second) for one in found_in(text)] == at


def test_lines_without_known_letters_are_left_alone():
    """Nobody knows where to look."""
    one = Line("AB", line("AB").polygon, 0.9)
    assert places(one, strips(PAGE, [one])[0]) == []


@pytest.mark.parametrize(
    ("text", "changes", "wanted"),
    [
        ("SDNBHD", {2: " "}, "SDN BHD"),
        ("A. B", {0: ", "}, "A, B"),
        ("NO. 5", {1: "."}, "NO.5"),
        ("A B C", {0: "", 2: ", "}, "AB, C"),
        ("AB", {}, "AB"),
    ],
)
def test_a_line_is_spelled_anew(text, changes, wanted):
    """Letters stay where they are, and there is a cut for every character."""
    one = line(text)
    found = places(one, strips(PAGE, [one])[0])
    decided = [SEPARATORS.index(changes[place.first]) if place.first in changes else place.read for place in found]
    new = spelled(one, found, decided)
    assert new.text == wanted
    assert len(new.cuts) == len(wanted) + 1
    assert list(new.cuts) == sorted(new.cuts)
    assert (new.cuts[0], new.cuts[-1]) == (0.0, 1.0)
    before, after = len(text) - 1, len(wanted) - 1
    middle = (one.cuts[before] + one.cuts[before + 1]) / 2
    assert abs((new.cuts[after] + new.cuts[after + 1]) / 2 - middle) < 0.5 / len(text)


def test_pixels_are_of_the_place():
    """The white between two black letters is in the middle of what is looked at."""
    page = PAGE.copy()
    page[10:50, 10:190] = 0
    page[10:50, 210:390] = 0
    one = line("AB")
    (place,) = places(one, strips(page, [one])[0])
    assert place.pixels.shape == (32, 64)
    assert place.pixels[16, 32] > 200 > 50 > place.pixels[16, 8]


def test_without_its_weights_nothing_is_mended(tmp_path):
    """Older versions of the model have none."""
    assert Separators.load(tmp_path) is None


def test_lines_come_back_page_by_page(tmp_path):
    """In their order, also of pages without any; what the network says is what is written."""
    torch.manual_seed(0)
    network = Network()
    network.decide[-1].bias.data += torch.tensor([0.0, 50.0, 0, 0, 0, 0])  # a space everywhere
    save_file(network.state_dict(), tmp_path / FILE)
    pages = [PAGE, PAGE, PAGE]
    mended = Separators.load(tmp_path).mended(pages, [[line("ABC"), line("12")], [], [line("XY")]])
    assert [[one.text for one in some] for some in mended] == [["A B C", "12"], [], ["X Y"]]


def test_what_is_hidden_is_not_told():
    """Hints say what was read and what the neighbours are, one of each."""
    rows = hints(found_in("Ab, 1"))
    assert rows.shape == (2, 15)
    assert rows[:, :-1].sum(1).tolist() == [3.0, 3.0]


def test_the_network_can_learn_to_see_a_gap():
    """Bars that touch are one word, bars that do not are two: told apart by pixels alone after a few steps."""
    from training.separators import Lessons, train, tried

    rng = np.random.default_rng(0)
    truth = torch.tensor([0, 1] * 128)
    pixels = np.full((256, 32, 64), 40, np.uint8)
    for image, gap in zip(pixels, truth.tolist(), strict=True):
        if gap:
            cv2.rectangle(image, (26, 0), (38, 31), 230, -1)
        image += rng.integers(0, 20, image.shape, dtype=np.uint8)
    told = torch.zeros(256, 15)
    told[:, 0] = 1.0  # the reader saw no space anywhere
    lessons = Lessons(torch.from_numpy(pixels), told, torch.zeros(256, dtype=torch.long), truth)
    counts = tried(train(lessons, steps=60), lessons, sure=0.5)
    assert counts["read wrong"] == 128
    assert counts["mended"] > 120
    assert counts["spoilt"] < 8

"""Photographs to order, and the truth about them."""

import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.evaluation.accuracy.photographs import OfScan, SyntheticPhoto, take
from training.evaluation.accuracy.sets import sample


@pytest.fixture(scope="module")
def taken():
    """One passport."""
    return take(SyntheticPhoto("passport", 3, plan="scan"), ())


def test_the_same_order_gives_the_same_photograph(taken):
    """Whoever takes it, and whenever."""
    again = take(SyntheticPhoto("passport", 3, plan="scan"), ())

    assert np.array_equal(again.photo, taken.photo)
    assert again.truth == taken.truth


def test_print_lies_where_the_truth_says(taken):
    """Inside the place of a line of print the picture is darker than around it."""
    page = sample(LabelledPage("", "passport", {}), None, "photo.jpg", taken.truth)
    height, width = taken.photo.shape[:2]
    grey = taken.photo.mean(axis=2)
    darker = []
    for run in page.runs:
        (left, top), (right, bottom) = (np.array(run.outline) * [width, height]).round().astype(int)[[0, 2]]
        inside = grey[max(0, top) : bottom, max(0, left) : right]
        darker.append(np.percentile(inside, 5) < np.percentile(grey, 60) - 25 if inside.size else False)

    assert np.mean(darker) > 0.9


def test_the_zone_and_every_field_are_known(taken):
    """What is printed has a place, under the name of its field."""
    page = sample(LabelledPage("", "passport", {}), None, "photo.jpg", taken.truth)

    assert len(page.zone) == 2
    assert {run.text for run in page.runs} >= set(page.zone)
    named = {run.field for run in page.runs if run.field}
    assert {"document_number", "family_name"} <= named
    assert {name for name in named if "." not in name} <= {name for name, value in page.label.fields.items() if value}


def test_grades_shrink_the_same_photograph(tmp_path):
    """A receipt at a quarter of its size: fewer pixels, the same places."""
    root = tmp_path
    for folder in ("lines", "images"):
        (root / folder).mkdir()
    (root / "lines" / "1.csv").write_text("10,20,90,20,90,40,10,40,TOTAL 9.00\n")
    pictures.save(np.full((300, 200, 3), 230, np.uint8), root / "images" / "1.jpg")
    scan = root / "images" / "1.jpg"

    whole, small = (take(OfScan(scan, root, 0, "size", grade), ()) for grade in (0, 3))

    assert small.photo.shape[0] / whole.photo.shape[0] == pytest.approx(0.25 / 0.7, rel=0.02)
    assert small.truth["runs"] == whole.truth["runs"]
    assert small.truth["conditions"]["text_height_px"] < whole.truth["conditions"]["text_height_px"]

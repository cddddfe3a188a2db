"""Tests of simulated photos and their ground truth."""

import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.datasets.simulated_photos import ScanPhotoSpec, SyntheticPhotoSpec, simulate_photo
from training.evaluation.accuracy.sets import evaluation_page


@pytest.fixture(scope="module")
def made():
    """One passport."""
    return simulate_photo(SyntheticPhotoSpec("passport", 3, plan="scan"), ())


def test_the_same_specification_gives_the_same_photo(made):
    """Independent of process and time."""
    again = simulate_photo(SyntheticPhotoSpec("passport", 3, plan="scan"), ())

    assert np.array_equal(again.photo, made.photo)
    assert again.truth == made.truth


def test_text_is_at_its_place_in_the_ground_truth(made):
    """Inside the place of a text line the picture is darker than around it."""
    page = evaluation_page(LabelledPage("", "passport", {}), None, "photo.jpg", made.truth)
    height, width = made.photo.shape[:2]
    grey = made.photo.mean(axis=2)
    darker = []
    for run in page.runs:
        (left, top), (right, bottom) = (np.array(run.outline) * [width, height]).round().astype(int)[[0, 2]]
        inside = grey[max(0, top) : bottom, max(0, left) : right]
        darker.append(np.percentile(inside, 5) < np.percentile(grey, 60) - 25 if inside.size else False)

    assert np.mean(darker) > 0.9


def test_the_ground_truth_has_the_zone_and_every_field(made):
    """Printed text has a place under the name of its field."""
    page = evaluation_page(LabelledPage("", "passport", {}), None, "photo.jpg", made.truth)

    assert len(page.zone) == 2
    assert {run.text for run in page.runs} >= set(page.zone)
    named = {run.field for run in page.runs if run.field}
    assert {"document_number", "family_name"} <= named
    assert {name for name in named if "." not in name} <= {name for name, value in page.label.fields.items() if value}


def test_size_grades_shrink_the_same_photo(tmp_path):
    """A receipt at a quarter of its size: fewer pixels, the same relative places."""
    root = tmp_path
    for folder in ("lines", "images"):
        (root / folder).mkdir()
    (root / "lines" / "1.csv").write_text("10,20,90,20,90,40,10,40,TOTAL 9.00\n")
    pictures.save(np.full((300, 200, 3), 230, np.uint8), root / "images" / "1.jpg")
    scan = root / "images" / "1.jpg"

    whole, small = (simulate_photo(ScanPhotoSpec(scan, root, 0, "size", grade), ()) for grade in (0, 3))

    assert small.photo.shape[0] / whole.photo.shape[0] == pytest.approx(0.25 / 0.7, rel=0.02)
    assert small.truth["runs"] == whole.truth["runs"]
    assert small.truth["conditions"]["text_height_px"] < whole.truth["conditions"]["text_height_px"]

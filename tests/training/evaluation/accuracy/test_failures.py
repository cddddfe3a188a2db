"""Tests of the selection and description of typical failures."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.evaluation.accuracy.failures import MAX_PICTURE_BYTES, Failure, draw_failure, select_failures
from training.evaluation.accuracy.page_results import build_page_result
from training.evaluation.accuracy.sets import EvaluationPage, PrintedRun

PLACE = ((0.2, 0.1), (0.8, 0.1), (0.8, 0.14), (0.2, 0.14))


def page(expected, given, read=(), confidence=0.9, image=Path("page.jpg"), others=None):
    """A receipt whose merchant name was answered in this way. others: further labels."""
    label = LabelledPage(image, "receipt", {"merchant_name": expected, **(others or {})}, key=str(given))
    answer = {"value": given, "content": given, "confidence": confidence, "polygon": PLACE}
    runs = (PrintedRun(expected, PLACE, "merchant_name"),) if expected else ()
    body = {
        "documents": [{"type": "receipt", "fields": {"merchant_name": answer}, "lines": [{"text": t} for t in read]}]
    }
    return build_page_result(EvaluationPage(label, runs), body)


@pytest.mark.parametrize(
    ("expected", "given", "read", "words"),
    [
        (None, "CORNER", (), "has no such field"),
        ("CORNER SHOP", "C0RNER SHOP", ("C0RNER SHOP",), "1 of 10 letters and digits were misread"),
        ("CORNER SHOP", "CORNER", ("CORNER SHOP",), "cut short"),
        ("CORNER SHOP", "CORNER SHOP MAIN ROAD", ("CORNER SHOP", "MAIN ROAD"), "includes text next to it"),
        ("CORNER SHOP", "THANK YOU", ("CORNER SHOP", "THANK YOU"), "another place"),
    ],
)
def test_the_sentence_says_how_the_values_differ(expected, given, read, words):
    """The sentence can be checked by looking at the picture."""
    (failure,) = select_failures([page(expected, given, read)], 10)

    assert words in str(failure)


def test_a_value_of_another_field_names_that_field():
    """If the value belongs to another field, that field is named."""
    mixed = page("CORNER SHOP", "A-1 77", ("CORNER SHOP", "A-1 77"), others={"document_number": "A177"})

    assert "it is the page's `document_number`" in str(select_failures([mixed], 1)[0])


def test_the_most_confident_wrong_value_of_each_field_is_selected():
    """Right values and less confident wrong ones of the same field are not shown."""
    pages = [page("A", "B", confidence=0.5), page("A", "C", confidence=0.99), page("A", "A", confidence=1.0)]

    assert [failure.comparison.predicted for failure in select_failures(pages, 10)] == ["C"]


def test_pictures_are_small_and_show_both_places(tmp_path):
    """The limit holds even for a photo of pure noise."""
    noise = np.random.default_rng(0).integers(0, 256, (900, 700, 3)).astype(np.uint8)
    pictures.save(noise, tmp_path / "photo.jpg")
    (failure,) = select_failures([page("CORNER SHOP", "C0RNER", image=tmp_path / "photo.jpg")], 1)

    drawn = draw_failure(failure)

    assert isinstance(failure, Failure)
    assert len(drawn) <= MAX_PICTURE_BYTES
    assert max(cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR).shape) <= 640

"""Failures as pictures, chosen and described by rule."""

import cv2
import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.evaluation.accuracy.answered import answered
from training.evaluation.accuracy.failures import MOST_BYTES, Failure, picture, typical
from training.evaluation.accuracy.sets import Run, Sample

PLACE = ((0.2, 0.1), (0.8, 0.1), (0.8, 0.14), (0.2, 0.14))


def page(wanted, given, read=(), confidence=0.9, image=None, also=None):
    """A receipt whose merchant, or what else is named, was given so."""
    label = LabelledPage(image, "receipt", {"merchant_name": wanted, **(also or {})}, key=str(given))
    answer = {"value": given, "content": given, "confidence": confidence, "polygon": PLACE}
    runs = (Run(wanted, PLACE, "merchant_name"),) if wanted else ()
    body = {
        "documents": [
            {"type": "receipt", "fields": {"merchant_name": answer}, "raw": {"lines": [{"text": t} for t in read]}}
        ]
    }
    return answered(Sample(label, runs), body)


@pytest.mark.parametrize(
    ("wanted", "given", "read", "words"),
    [
        (None, "CORNER", (), "has no such field"),
        ("CORNER SHOP", "C0RNER SHOP", ("C0RNER SHOP",), "1 of its 10 letters and digits were misread"),
        ("CORNER SHOP", "CORNER", ("CORNER SHOP",), "cut short"),
        ("CORNER SHOP", "CORNER SHOP MAIN ROAD", ("CORNER SHOP", "MAIN ROAD"), "takes in what stands beside it"),
        ("CORNER SHOP", "THANK YOU", ("CORNER SHOP", "THANK YOU"), "another place"),
    ],
)
def test_the_line_says_what_differs(wanted, given, read, words):
    """In words that whoever looks at the picture can check."""
    (failure,) = typical([page(wanted, given, read)], 10)

    assert words in str(failure)


def test_a_mix_up_names_the_other_field():
    """The value of another field was taken."""
    mixed = page("CORNER SHOP", "A-1 77", ("CORNER SHOP", "A-1 77"), also={"receipt_number": "A177"})

    assert "that is the page's `receipt_number`" in str(typical([mixed], 1)[0])


def test_the_surest_wrong_ones_come_first_each_field_once():
    """Right values and unsure ones make no picture."""
    pages = [page("A", "B", confidence=0.5), page("A", "C", confidence=0.99), page("A", "A", confidence=1.0)]

    assert [failure.one.given for failure in typical(pages, 10)] == ["C"]


def test_pictures_are_small_and_show_both_places(tmp_path):
    """Even of a photograph that is all noise."""
    noise = np.random.default_rng(0).integers(0, 256, (900, 700, 3)).astype(np.uint8)
    pictures.save(noise, tmp_path / "photo.jpg")
    (failure,) = typical([page("CORNER SHOP", "C0RNER", image=tmp_path / "photo.jpg")], 1)

    drawn = picture(failure)

    assert isinstance(failure, Failure)
    assert len(drawn) <= MOST_BYTES
    assert max(cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR).shape) <= 640

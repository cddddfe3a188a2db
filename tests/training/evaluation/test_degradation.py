"""Real photos spoilt by hand."""

import cv2
import numpy as np
import pytest

from training.evaluation.degradation import DEGRADATIONS, STRENGTHS, contact_sheet


@pytest.fixture
def photo():
    """Dark print on a pale sheet on a table."""
    page = np.full((600, 450, 3), 90, np.uint8)
    cv2.rectangle(page, (60, 60), (390, 540), (225, 225, 220), -1)
    for y in range(90, 520, 24):
        cv2.putText(page, "TOTAL 12.50 EUR", (80, y), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (30, 30, 30), 2)
    return page


def spoilt(photo, name, strength):
    return DEGRADATIONS[name](photo, strength, np.random.default_rng(1))


@pytest.mark.parametrize("name", DEGRADATIONS)
def test_at_strength_nought_nothing_happens(photo, name):
    """What is compared with is the photo itself."""
    assert np.array_equal(spoilt(photo, name, 0.0), photo)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("blurry", lambda page: cv2.Laplacian(page, cv2.CV_32F).std()),
        ("dark", lambda page: page.mean()),
        ("glare", lambda page: -(page == 255).mean()),
        ("document_cutoff", lambda page: page.shape[0] * page.shape[1]),
    ],
)
def test_more_is_worse(photo, name, measure):
    """Each step up takes more of what the defect takes, and no photo comes out empty."""
    steps = [spoilt(photo, name, strength) for strength in (0.0, *STRENGTHS)]

    measured = [float(measure(page)) for page in steps]
    assert measured == sorted(measured, reverse=True)
    assert measured[0] > measured[-1]
    assert all(page.dtype == np.uint8 and min(page.shape[:2]) > 100 for page in steps)


@pytest.mark.parametrize("name", DEGRADATIONS)
def test_same_seed_same_spoiling(photo, name):
    """A score can be measured again."""
    assert np.array_equal(spoilt(photo, name, 0.5), spoilt(photo, name, 0.5))


def test_contact_sheet_has_a_row_for_each_way(photo):
    """Each way below the other, stronger to the right."""
    sheet = contact_sheet([photo, photo])

    assert sheet.shape == (2 * len(DEGRADATIONS) * 384, (1 + len(STRENGTHS)) * 384, 3)

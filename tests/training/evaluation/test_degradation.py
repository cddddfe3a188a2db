"""Tests of the degradation of real photos."""

import cv2
import numpy as np
import pytest

from training.evaluation.degradation import DEGRADATIONS, STRENGTHS, degradation_contact_sheet


@pytest.fixture
def photo():
    """Dark text on a bright page on a table."""
    page = np.full((600, 450, 3), 90, np.uint8)
    cv2.rectangle(page, (60, 60), (390, 540), (225, 225, 220), -1)
    for y in range(90, 520, 24):
        cv2.putText(page, "TOTAL 12.50 EUR", (80, y), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (30, 30, 30), 2)
    return page


def degraded(photo, name, strength):
    return DEGRADATIONS[name](photo, strength, np.random.default_rng(1))


@pytest.mark.parametrize("name", DEGRADATIONS)
def test_strength_0_changes_nothing(photo, name):
    """Strength 0 returns the photo unchanged, as the reference."""
    assert np.array_equal(degraded(photo, name, 0.0), photo)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("blurry", lambda page: cv2.Laplacian(page, cv2.CV_32F).std()),
        ("dark", lambda page: page.mean()),
        ("glare", lambda page: -(page == 255).mean()),
        ("document_cutoff", lambda page: page.shape[0] * page.shape[1]),
    ],
)
def test_a_higher_strength_is_worse(photo, name, measure):
    """Each step up makes the defect stronger, and no photo becomes empty."""
    steps = [degraded(photo, name, strength) for strength in (0.0, *STRENGTHS)]

    measured = [float(measure(page)) for page in steps]
    assert measured == sorted(measured, reverse=True)
    assert measured[0] > measured[-1]
    assert all(page.dtype == np.uint8 and min(page.shape[:2]) > 100 for page in steps)


@pytest.mark.parametrize("name", DEGRADATIONS)
def test_the_same_seed_gives_the_same_degradation(photo, name):
    """Scores can be reproduced."""
    assert np.array_equal(degraded(photo, name, 0.5), degraded(photo, name, 0.5))


def test_contact_sheet_has_a_row_for_each_photo_and_defect(photo):
    """One row for each photo and defect, one column for each strength."""
    sheet = degradation_contact_sheet([photo, photo])

    assert sheet.shape == (2 * len(DEGRADATIONS) * 384, (1 + len(STRENGTHS)) * 384, 3)

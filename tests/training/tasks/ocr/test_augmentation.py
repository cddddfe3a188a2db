"""Strips are varied, and stay strips that say the same."""

import cv2
import numpy as np

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Engine, Recogniser
from training.tasks.ocr.augmentation import varied
from training.tasks.ocr.strips import MARGIN_PX


def strip() -> np.ndarray:
    page = np.full((TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX, 320 + 2 * MARGIN_PX, 3), 235, np.uint8)
    cv2.putText(page, "TOTAL 42.50", (MARGIN_PX + 4, MARGIN_PX + 38), cv2.FONT_HERSHEY_SIMPLEX, 1.3, (20, 20, 20), 3)
    return page


def test_each_is_another_and_the_same_dice_give_the_same():
    """Of the height that is read, and of about its width."""
    some = [varied(strip(), np.random.default_rng(seed)) for seed in range(20)]

    assert all(one.shape[0] == TEXT_STRIP_HEIGHT_PX and 200 < one.shape[1] < 480 and one.dtype == np.uint8 for one in some)
    assert len({one.tobytes() for one in some}) == len(some)
    assert np.array_equal(some[0], varied(strip(), np.random.default_rng(0)))


def test_most_can_still_be_read():
    """What nobody could read teaches nothing."""
    said = Recogniser(Engine()).read([varied(strip(), np.random.default_rng(seed)) for seed in range(30)])

    assert sum("".join(one.text.split()) == "TOTAL42.50" for one in said) >= 18

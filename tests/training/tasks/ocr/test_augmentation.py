"""Augmented text strips differ, and most of them stay readable."""

import cv2
import numpy as np

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Engine, Recogniser
from training.tasks.ocr.augmentation import degrade
from training.tasks.ocr.strips import MARGIN_PX


def strip() -> np.ndarray:
    page = np.full((TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX, 320 + 2 * MARGIN_PX, 3), 235, np.uint8)
    cv2.putText(page, "TOTAL 42.50", (MARGIN_PX + 4, MARGIN_PX + 38), cv2.FONT_HERSHEY_SIMPLEX, 1.3, (20, 20, 20), 3)
    return page


def test_each_seed_gives_another_strip_and_always_the_same():
    """The height is that of served strips; the width changes a little."""
    strips = [degrade(strip(), np.random.default_rng(seed)) for seed in range(20)]

    assert all(
        one.shape[0] == TEXT_STRIP_HEIGHT_PX and 200 < one.shape[1] < 480 and one.dtype == np.uint8 for one in strips
    )
    assert len({one.tobytes() for one in strips}) == len(strips)
    assert np.array_equal(strips[0], degrade(strip(), np.random.default_rng(0)))


def test_most_degraded_strips_can_still_be_read():
    """The network learns nothing from a strip that cannot be read at all."""
    recognised = Recogniser(Engine()).read([degrade(strip(), np.random.default_rng(seed)) for seed in range(30)])

    assert sum("".join(one.text.split()) == "TOTAL42.50" for one in recognised) >= 18

"""Reads are kept: reading is slow, and training asks again."""

from dataclasses import replace

import cv2
import numpy as np

from docextract.findings import Line
from training.datasets import reads

LINE = Line("TOTAL 9.00", np.array([[0, 0], [90, 1], [90, 21], [0, 20]], np.float32), 0.9875)
READ = reads.Read("000", (LINE,), 400, 900)


def test_what_is_kept_is_what_was_read():
    """Text, place, confidence and the page's size survive."""
    again = reads.parse(reads.dump(READ))

    assert (again.key, again.width, again.height) == ("000", 400, 900)
    assert again.lines[0].text == "TOTAL 9.00"
    assert again.lines[0].confidence == 0.9875
    assert np.array_equal(again.lines[0].polygon, LINE.polygon)


def test_the_way_back_to_the_photo_is_kept():
    """Labels say where things stand on the photo, the reader where they stand on the page cut out of it."""
    to_photo = np.array([[1e-3, 0, 0.1], [0, 2e-3, 0.2], [0, 1e-5, 1]])

    assert np.array_equal(reads.parse(reads.dump(replace(READ, to_photo=to_photo))).to_photo, to_photo)
    assert reads.parse(reads.dump(READ)).to_photo is None


def test_a_cache_cut_off_by_a_kill_goes_on(tmp_path):
    """The half-written line is read again, and nothing is lost with it."""
    cache, image = tmp_path / "reads.jsonl", tmp_path / "001.png"
    cache.write_text(reads.dump(READ) + "\n" + reads.dump(READ)[:40])
    page = np.full((120, 400, 3), 255, np.uint8)
    cv2.putText(page, "TOTAL 9.00", (30, 70), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    cv2.imwrite(str(image), page)

    reads.grow(cache, [image], threads=1)

    kept = reads.load(cache)
    assert list(kept) == ["000", "001"]
    assert kept["001"].lines[0].text == "TOTAL 9.00"

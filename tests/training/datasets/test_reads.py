"""Tests of the cache of OCR results."""

import errno
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from docextract.images.geometry import project
from docextract.predictions import CharacterAlternative, TextLine
from training.datasets import LabelledPage, reads

OUTLINE = np.array([[0, 0], [90, 1], [90, 21], [0, 20]], np.float32)
LINE = TextLine("TOTAL 9.00", OUTLINE, 0.9875, alternatives=(CharacterAlternative(7, ",", 0.0312),))
MODELS = Path(__file__).parents[3] / "models"
READ = reads.OcrResult("000", (LINE,), 400, 900)


def test_ocr_results_survive_dump_and_parse():
    """Text, place, confidence, alternatives and the page's size survive."""
    again = reads.parse(reads.dump(READ))

    assert (again.key, again.width, again.height) == ("000", 400, 900)
    assert again.lines[0].text == "TOTAL 9.00"
    assert again.lines[0].confidence == 0.9875
    assert again.lines[0].alternatives == LINE.alternatives
    assert np.array_equal(again.lines[0].polygon, LINE.polygon)


def test_keys_that_are_not_utf_8_survive_in_a_file(tmp_path):
    """A key is the name of a picture, which may be of an old archive."""
    cache = tmp_path / "reads.jsonl"
    cache.write_text(reads.dump(replace(READ, key="M\udcfcller")) + "\n")

    assert list(reads.load(cache)) == ["M\udcfcller"]


def test_the_mapping_to_the_photo_is_cached():
    """Labels give places on the photo, OCR gives places on the page cut out of it."""
    to_photo = np.array([[1e-3, 0, 0.1], [0, 2e-3, 0.2], [0, 1e-5, 1]])

    assert np.array_equal(reads.parse(reads.dump(replace(READ, to_photo=to_photo))).to_photo, to_photo)
    assert reads.parse(reads.dump(READ)).to_photo is None


def test_pages_on_their_side_are_loaded_upright(tmp_path):
    """As the service turns them; places in the photo stay the same."""
    cache, to_photo = tmp_path / "reads.jsonl", np.diag([1 / 400, 1 / 900, 1.0])
    down = np.array([[300, 100], [300, 190], [280, 190], [280, 100]], np.float32)  # runs down the page
    cache.write_text(reads.dump(replace(READ, lines=(replace(LINE, polygon=down),), to_photo=to_photo)) + "\n")

    (read,) = reads.load(cache).values()

    assert (read.width, read.height) == (900, 400)
    assert read.lines[0].polygon.tolist() == [[100, 100], [190, 100], [190, 120], [100, 120]]
    np.testing.assert_allclose(project(read.lines[0].polygon, read.to_photo), down / [400, 900], atol=1e-6)


def test_a_cache_cut_off_by_a_kill_is_resumed(tmp_path):
    """Only the page of the half-written line is read again."""
    cache, image = tmp_path / "reads.jsonl", tmp_path / "001.png"
    cache.write_text(reads.dump(READ) + "\n" + reads.dump(READ)[:40])
    page = np.full((120, 400, 3), 255, np.uint8)
    cv2.putText(page, "TOTAL 9.00", (30, 70), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    cv2.imwrite(str(image), page)

    reads.read_into_cache(cache, [image], Reader())

    kept = reads.load(cache)
    assert list(kept) == ["000", "001"]
    assert kept["001"].lines[0].text == "TOTAL 9.00"


def test_a_full_disk_leaves_the_cache(tmp_path, monkeypatch):
    """Reading all pages again would take hours."""
    cache = tmp_path / "reads.jsonl"
    cache.write_text(reads.dump(READ) + "\n")

    def fill_up(path, text):
        path.touch() if path != cache else path.write_bytes(b"")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fill_up)
    with pytest.raises(OSError, match="No space left"):
        reads.read_into_cache(cache, [], Reader())

    assert list(reads.load(cache)) == ["000"]


def test_lines_of_another_format_are_dropped(tmp_path):
    """Lines of an earlier format lack information that is needed now."""
    cache = tmp_path / "reads.jsonl"
    older = reads.dump(replace(READ, key="001")).replace(f'{{"form": {reads.FORMAT_VERSION}, ', "{")
    cache.write_text(f"{reads.dump(READ)}\n{older}\n")

    assert list(reads.load(cache)) == ["000"]


def test_another_picture_of_the_same_name_is_read_again(tmp_path, monkeypatch):
    """A new picture under an old name is read; an unchanged one is not read again."""
    calls = []

    async def read(label, picture, models):
        calls.append(picture)
        return replace(READ, key=label.key)

    monkeypatch.setattr(reads, "_as_served", read)
    cache, image = tmp_path / "reads.jsonl", tmp_path / "0001.jpg"
    label = LabelledPage(image, "receipt", {}, key="0001")

    for picture in (b"this year", b"this year", b"next year"):
        image.write_bytes(picture)
        (found,) = reads.read_as_served(cache, [label], MODELS)
        assert found.key == "0001"

    assert calls == [b"this year", b"next year"]


def test_another_reader_does_not_use_the_cached_results(tmp_path, monkeypatch):
    """Results are cached separately for each reader."""
    calls = []

    async def read(label, picture, models):
        calls.append(models.reader.digest)
        return replace(READ, key=label.key)

    monkeypatch.setattr(reads, "_as_served", read)
    cache, image = tmp_path / "reads.jsonl", tmp_path / "0001.jpg"
    image.write_bytes(b"the same")
    label = LabelledPage(image, "receipt", {}, key="0001")
    own = Reader(layers=RecogniserLayers(("", "A"), np.zeros((3, 2), np.float32), np.zeros(2, np.float32)))

    for reader in (Reader(), Reader(), own, own):
        (found,) = reads.read_as_served(cache, [label], MODELS, reader)
        assert found.reader == reader.digest

    assert calls == ["", own.digest]

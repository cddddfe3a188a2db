"""Tests of the photos that the legibility map is trained on."""

import numpy as np
import pytest

from docextract.predictions import TextLine
from training.datasets import legibility, reads
from training.datasets.legibility import LegibilityPhoto, LegibilitySource, ReadLine, characters_right, field_of_line
from training.datasets.reads import OcrResult
from training.datasets.simulated_photos import SimulatedPhoto

LINE = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.2], [0.1, 0.2]], np.float32)


def read_line(text: str, left: float, right: float, top: float = 0.1) -> tuple[TextLine, np.ndarray]:
    """A read line of a page, and its place in the photo."""
    place = np.array([[left, top], [right, top], [right, top + 0.1], [left, top + 0.1]], np.float32)
    return TextLine(text, place * 100, 0.9), place


def right_characters(text: str, *found: tuple[TextLine, np.ndarray]) -> str:
    """The letters and digits of a line that are read right; the others are dots."""
    right = characters_right(text, LINE, [line for line, _ in found], [place for _, place in found])
    letters = [one for one in text if one.isalnum()]
    return "".join(letter if good else "." for letter, good in zip(letters, right, strict=True))


def test_a_misread_character_alone_is_wrong():
    """Case, spaces and punctuation do not count."""
    assert right_characters("Total 12.50", read_line("TOTAL: 17.50", 0.1, 0.9)) == "Total1.50"


def test_a_line_read_in_parts_is_put_together_from_left_to_right():
    """The recogniser splits a line at wide gaps."""
    assert right_characters("Total 12.50", read_line("12.50", 0.6, 0.9), read_line("Total", 0.1, 0.4)) == "Total1250"


def test_a_part_of_a_longer_read_line_is_found():
    """The recogniser joins a label and its amount."""
    assert right_characters("12.50", read_line("Total for all articles 12.50 EUR", 0.0, 1.0)) == "1250"


def test_the_same_text_elsewhere_does_not_count():
    """A total that is hidden is not read right because it is printed again at the bottom."""
    assert right_characters("12.50", read_line("12.50", 0.1, 0.9, top=0.6)) == "...."
    assert right_characters("12.50") == "...."


def test_characters_lie_along_their_line():
    """The map is taught where the wrong characters stand."""
    line = ReadLine("A 1", LINE, None, np.array([True, False]))

    np.testing.assert_allclose(line.places, [[0.1 + 0.8 / 6, 0.15], [0.1 + 0.8 * 5 / 6, 0.15]], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("TOTAL : RM 9.00", "total"),
        ("MR D.I.Y. (M) SDN BHD", "merchant_name"),
        ("BHD", None),  # too short a part of the name
        ("CASH 10.00", None),
    ],
)
def test_fields_of_transcripts_are_found_by_their_labels(text, name):
    """SROIE's transcripts do not say which line prints which field."""
    labels = {"merchant_name": "MR D.I.Y. (M) SDN BHD", "total": "9.00"}

    assert field_of_line(text, labels) == name


def test_a_stopped_run_is_resumed(tmp_path, monkeypatch):
    """Photos that exist are neither made nor read again; a half-written row is made again."""
    made: list[str] = []

    def simulate(spec, textures):
        made.append(spec.type)
        runs = [["Total", LINE.tolist(), "total"]]
        return SimulatedPhoto(np.full((40, 60, 3), 255, np.uint8), 92, {"runs": runs, "conditions": {}})

    def read(cache, pages, models_dir):
        for page in pages:
            result = OcrResult(page.key, (read_line("Tota1", 0.1, 0.9)[0],), 60, 40, np.diag([0.01, 0.01, 1.0]))
            with cache.open("a") as out:
                out.write(reads.dump(result) + "\n")
            yield result

    monkeypatch.setattr(legibility, "simulate_photo", simulate)
    monkeypatch.setattr(reads, "read_as_served", read)
    legibility.write_photos(tmp_path, LegibilitySource(), 2, (), tmp_path)
    with (tmp_path / legibility.PHOTOS_FILE).open("a") as out:
        out.write('{"key": "0000')

    legibility.write_photos(tmp_path, LegibilitySource(), 3, (), tmp_path)

    photos: list[LegibilityPhoto] = legibility.load(tmp_path)
    assert len(made) == 3
    assert [photo.image.name for photo in photos] == ["000000.jpg", "000001.jpg", "000002.jpg"]
    assert [line.right.tolist() for line in photos[0].lines] == [[True] * 4 + [False]]


def test_photos_without_a_document_have_no_lines(tmp_path, monkeypatch):
    """Where no document was photographed, the places of its lines mean nothing."""
    row = {"key": "0", "image": "0.jpg", "type": "receipt", "origin": "0", "lines": [["Total", LINE.tolist(), None]]}
    (tmp_path / legibility.READS_FILE).write_text(reads.dump(OcrResult("0", (), 60, 40)) + "\n")
    for present in (True, False):
        conditions = {"conditions": {"document_present": float(present)}}
        (tmp_path / legibility.PHOTOS_FILE).write_text(legibility._dump(row | conditions))

        assert len(legibility.load(tmp_path)[0].lines) == int(present)

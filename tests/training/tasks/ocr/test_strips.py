"""Text strips have a transcript only where it is certain."""

import cv2
import numpy as np
import pytest

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Engine, Recogniser
from docextract.extraction.ocr.reading import Reader
from training.datasets import LabelledPage
from training.tasks.ocr import strips
from training.tasks.ocr.strips import MARGIN_PX, StripCollector, text_within


def box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


LINE = box(100, 100, 400, 130)


@pytest.fixture(scope="module")
def photo():
    """A simulated photo of a synthetic document, and all text that is printed on it."""
    return strips.synthetic_photos("good", 5, (), "known")(0)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([(box(102, 103, 398, 127), "TOTAL 9.00")], "TOTAL 9.00"),
        ([(box(300, 103, 398, 127), "9.00"), (box(102, 103, 200, 127), " TOTAL ")], "TOTAL 9.00"),
        ([(box(102, 103, 398, 127), "TOTAL 9.00"), (box(102, 143, 398, 167), "CASH 10.00")], "TOTAL 9.00"),
        ([(box(102, 103, 200, 127), "TOTAL"), (box(200, 103, 212, 127), ":")], "TOTAL:"),  # touching
        ([(box(102, 103, 200, 127), "TOTAL"), (box(204, 103, 216, 127), ":")], "TOTAL:"),  # no visible gap
        ([(box(102, 103, 200, 127), "TOTAL"), (box(206, 103, 300, 127), "9.00")], "TOTAL 9.00"),
        ([(box(102, 103, 216, 127), "TOTAL: "), (box(216, 103, 300, 127), "9.00")], "TOTAL: 9.00"),
        ([(box(102, 103, 480, 127), "TOTAL 9.00")], None),  # runs out of the strip
        ([(box(102, 115, 398, 145), "TOTAL 9.00")], None),  # between two lines
        ([(box(102, 103, 300, 127), "TOTAL"), (box(200, 103, 398, 127), "9.00")], None),  # overlapping
        ([(box(102, 143, 398, 167), "CASH 10.00")], None),
        ([], None),
    ],
)
def test_the_transcript_is_the_text_within_the_strip(runs, text):
    """There is none if text runs out of the strip or lies across its edge."""
    assert text_within(LINE, runs) == text


def test_a_rotated_line_has_its_text_in_reading_order():
    """Its polygon starts at the text's own top-left corner."""
    turned = LINE[:, ::-1] * [1, -1] + [0, 1000]  # quarter turn
    runs = [(box(300, 103, 398, 127)[:, ::-1] * [1, -1] + [0, 1000], "9.00"),
            (box(102, 103, 200, 127)[:, ::-1] * [1, -1] + [0, 1000], "TOTAL")]  # fmt: skip

    assert text_within(turned, runs) == "TOTAL 9.00"


def test_slanted_runs_keep_the_gap_between_them():
    """Their corners are nearer to each other than their edges."""
    slant = np.array([[2, 0], [2, 0], [-2, 0], [-2, 0]])
    runs = [(box(104, 103, 200, 127) + slant, "TOTAL"), (box(206, 103, 300, 127) + slant, "9.00")]

    assert text_within(LINE, runs) == "TOTAL 9.00"


def test_boxes_of_scans_are_words_of_their_own(tmp_path):
    """People drew them around the print, with margins that may touch."""
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines/7.csv").write_text("102,103,200,103,200,127,102,127,TOTAL\n200,103,300,103,300,127,200,127,9.00")
    cv2.imwrite(str(tmp_path / "7.jpg"), np.full((200, 500, 3), 255, np.uint8))
    label = LabelledPage(tmp_path / "7.jpg", "receipt", {}, key="7")

    _, runs = strips.scans(tmp_path, [label])(0)

    assert text_within(LINE, runs) == "TOTAL 9.00"


def test_strips_of_a_page_are_made_once(tmp_path, photo):
    """They are stored; strips whose recognised text is unlike the transcript are left out."""
    requested = []
    page, runs = photo

    def source(number: int):
        requested.append(number)
        return page[: len(page) // 3], [(place, "QQQQQQQQQQQQ" if number else text) for place, text in runs]

    found = StripCollector(tmp_path).collect("synthetic", source, 2, cased=True)
    again = StripCollector(tmp_path).collect("synthetic", source, 2, cased=True)

    assert requested == [0, 1]
    assert len(found) > 5
    assert found.texts == again.texts
    assert found.jpegs == again.jpegs
    assert set(found.texts) <= {text for _, text in runs} | {" ".join(text.split()) for text in found.texts}
    assert not any("QQQ" in text for text in found.texts)
    assert found.cased.all()
    for at, width in enumerate(found.widths.tolist()):
        assert found.pixels(at).shape == (TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX, width + 2 * MARGIN_PX, 3)
    assert found.select([2, 0]).texts == (found.texts[2], found.texts[0])
    assert 0.3 < float(np.median(found.heights)) < 3


def test_a_stored_strip_without_its_margin_is_what_serving_cuts_out(tmp_path, photo):
    """The served recogniser reads most of these strips correctly."""
    page, runs = photo
    upper = page[: len(page) // 2]
    found = StripCollector(tmp_path).collect("one", lambda _: (upper, runs), 1, cased=True)
    recognised = Recogniser(Engine()).read([found.line(at) for at in range(len(found))])

    right = sum(
        "".join(one.text.split()) == "".join(text.split()) for one, text in zip(recognised, found.texts, strict=True)
    )
    assert right >= 0.7 * len(found)


def test_pictures_of_a_folder_are_pages_too(tmp_path):
    """Also those in folders below it; other files are left out."""
    (tmp_path / "more").mkdir()
    for name, shade in (("b.png", 10), ("more/a.jpg", 200)):
        cv2.imwrite(str(tmp_path / name), np.full((20, 30, 3), shade, np.uint8))
    (tmp_path / "labels.jsonl").write_text("{}")

    source, count = strips.pictures_of(tmp_path)

    assert [round(float(source(number)[0].mean())) for number in range(count)] == [10, 200]
    assert source(0)[1] == ()


def test_pictures_of_two_folders_are_stored_apart(tmp_path):
    """Also of folders with the same last name, after a change of their files, and as another reader reads them."""
    folders = [tmp_path / "invoices" / "scans", tmp_path / "letters" / "scans"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "1.png").write_bytes(b"one")
    names = [strips.name_of_pictures(folder) for folder in folders]
    names.append(strips.name_of_pictures(folders[0], "another reader"))
    (folders[0] / "2.png").write_bytes(b"two")
    names.append(strips.name_of_pictures(folders[0]))

    assert len({*names, "scans"}) == 5
    assert strips.name_of_pictures(folders[1]) == names[1]


def test_strips_of_a_page_without_transcript_have_the_text_that_is_read_with_certainty(tmp_path, photo):
    """Lines that the reader doubts are left out."""
    page, _ = photo
    reader = Reader(Engine())
    found = StripCollector(tmp_path).collect_read("one", lambda _: (page, ()), 1, reader)

    (lines,) = reader.read([page])
    assert found.texts == tuple(line.text for line in lines if line.confidence >= strips.MIN_READ_CONFIDENCE)
    assert 5 < len(found) < len(lines)
    assert found.cased.all()


def test_an_empty_page_has_no_strips(tmp_path):
    white = np.full((400, 300, 3), 255, np.uint8)

    assert len(StripCollector(tmp_path).collect_read("white", lambda _: (white, ()), 1, Reader(Engine()))) == 0

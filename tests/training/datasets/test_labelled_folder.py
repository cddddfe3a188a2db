"""Tests of reading labelled folders."""

import json

import numpy as np
import pytest

from training.datasets import LabelledPage, labelled_folder


@pytest.fixture
def folder(tmp_path):
    """A folder with one image; the test adds rows."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "1.jpg").write_bytes(b"not opened here")

    def write(*rows):
        text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        (tmp_path / "labels.jsonl").write_text(text + "\n")
        return tmp_path

    return write


ROW = {"image": "images/1.jpg", "type": "receipt", "fields": {"total": "9.00"}, "tags": ["dark"]}


def test_a_good_row_is_a_labelled_page(folder):
    """A valid row is read completely."""
    (page,), unusable = labelled_folder.load(folder(ROW))

    assert (page.key, page.type, page.fields, page.tags) == ("1", "receipt", {"total": "9.00"}, ("dark",))
    assert unusable == []


def test_further_right_labels_survive_writing_and_reading(tmp_path):
    """A value with two right readings is not counted as wrong."""
    with labelled_folder.LabelledFolderWriter(tmp_path) as writer:
        writer.add("1", np.zeros((8, 8, 3), np.uint8), "receipt", {"total": "9.00"}, also={"total": ["9.05"]})

    (page,), _ = labelled_folder.load(tmp_path)

    assert page.alternatives == {"total": ("9.05",)}


def test_pages_of_one_file_share_its_copy(tmp_path):
    """The copies of others with the same name have names of their own."""
    pages = []
    for folder, numbers in (("a", (1, 2)), ("b", (3,))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scan.pdf").write_bytes(folder.encode())
        pages += [
            LabelledPage(tmp_path / folder / "scan.pdf", "receipt", {"total": "9.00"}, key=f"scan-{at}", page=at)
            for at in numbers
        ]
    with labelled_folder.LabelledFolderWriter(tmp_path / "copy") as writer:
        for page in pages:
            writer.copy(page)

    copied, _ = labelled_folder.load(tmp_path / "copy")

    assert [page.image.name for page in copied] == ["scan.pdf", "scan.pdf", "scan-3.pdf"]
    assert [page.image.read_bytes() for page in copied] == [b"a", b"a", b"b"]
    assert [page.page for page in copied] == [1, 2, 3]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"image": "images/2.jpg"}, "does not exist"),
        ({"type": "menu"}, "not known"),
        ({"fields": {"totall": "9.00"}}, "no field 'totall'"),
        ({"fields": {"total": "nine"}}, "is not a currency"),
        ({"fields": {"document_date": "31/31/2018"}}, "is not a date"),
        ({"fields": {"total": 9.0}}, "written as text"),
        ({"fields": []}, "no object"),
        ({"also": {"total": "9.0"}}, "no object of lists"),
    ],
)
def test_an_unusable_row_says_why(folder, change, reason):
    """The reason is reported, and other rows are not affected."""
    pages, (unusable,) = labelled_folder.load(folder(ROW, {**ROW, **change}))

    assert len(pages) == 1
    assert unusable.row == 2
    assert reason in unusable.reason


def test_a_line_that_is_not_json_is_reported(folder):
    """Rows are counted from one, as in editors."""
    _, (unusable,) = labelled_folder.load(folder("{", ROW))

    assert unusable.row == 1


def test_rows_of_lists_are_checked_too(folder):
    """line_items is a list of objects with the list's own field names."""
    good = {**ROW, "fields": {"line_items": [{"description": "Tea", "amount": "1.20"}]}}
    bad = {**ROW, "fields": {"line_items": [{"colour": "green"}]}}

    pages, (unusable,) = labelled_folder.load(folder(good, bad))

    assert len(pages) == 1
    assert "line_items.colour" in unusable.reason

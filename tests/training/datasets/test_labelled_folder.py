"""Tests of reading labelled folders."""

import hashlib
import json
from decimal import Decimal

import numpy as np
import pytest

from docextract.documents import document_types
from training.datasets import LabelledPage, labelled_folder, value_of


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


def test_a_row_about_another_file_is_unusable(folder):
    """The file was replaced by another of the same name after it was labelled."""
    digest = hashlib.sha256(b"not opened here").hexdigest()
    (page,), (unusable,) = labelled_folder.load(
        folder(ROW | {"file_sha256": digest}, ROW | {"file_sha256": digest[::-1]})
    )

    assert page.fields == {"total": "9.00"}
    assert "was replaced" in unusable.reason


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


def test_labels_are_replaced_when_all_are_written(folder, tmp_path):
    """An error in between leaves the old ones."""
    before = (folder(ROW) / "labels.jsonl").read_text()

    def write_until_interrupted():
        with labelled_folder.LabelledFolderWriter(tmp_path) as writer:
            writer.add("2", np.zeros((8, 8, 3), np.uint8), "receipt", {"total": "8.00"})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_until_interrupted()

    assert (tmp_path / "labels.jsonl").read_text() == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"image": "images/2.jpg"}, "does not exist"),
        ({"type": "menu"}, "not known"),
        ({"fields": {"totall": "9.00"}}, "no field 'totall'"),
        ({"fields": {"total": "nine"}}, "is not a currency"),
        ({"fields": {"document_date": "31/31/2018"}}, "is not a date"),
        ({"fields": {"total": 9.0}}, "total: 9.0 is not a currency written as 1234.50"),
        ({"fields": {"merchant_name": 9}}, "written as text"),
        ({"fields": {"document_date": "03/04/2024"}}, "written as 2024-04-19"),
        ({"fields": {"transaction_time": "2:05 PM"}}, "written as 14:05"),
        ({"fields": {"total": "1,234"}}, "written as 1234.50"),
        ({"fields": {"total": []}}, "receipt has no list 'total'"),
        ({"fields": {"totall": []}}, "no list 'totall'"),
        ({"fields": {"line_items": {"amount": "1.20"}}}, "line_items is a list, but its label is none"),
        ({"fields": {"line_items": "tea"}}, "line_items is a list, but its label is none"),
        ({"fields": {"totall": None}}, "no field 'totall'"),
        ({"also": {"totall": ["9.00"]}}, "no field 'totall'"),
        ({"also": {"total": ["nine"]}}, "is not a currency"),
        ({"places": {"totall": [[[0, 0], [1, 0], [1, 1]]]}}, "no field 'totall'"),
        ({"places": {"total": [[]]}}, "no outlines"),
        ({"places": {"total": [[[0, 0], [1, 0], [10**400, 1]]]}}, "no outlines"),
        ({"places": {"total": [[[600, 700], [800, 700], [800, 730]]]}}, "600 of total is not relative to the page"),
        ({"places": {"total": [[[0.6, 0.7], [0.8, float("nan")], [0.8, 0.73]]]}}, "nan of total is not relative"),
        ({"places": {"total": [[[0.6, 0.7], [0.8, 0.7], [0.8, float("inf")]]]}}, "inf of total is not relative"),
        ({"currency": "€"}, "'€' is no ISO 4217 code"),
        ({"currency": "euro"}, "'euro' is no ISO 4217 code"),
        ({"page": -1}, '"page" is not a number from 1'),
        ({"page": True}, '"page" is not a number from 1'),
        ({"feilds": {}}, "'feilds' is not a member of a row, did you mean 'fields'?"),
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


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW | {"image": "data:image/jpeg;base64," + "A" * 5000}, "File name too long"),
        (ROW | {"image": "data:image/jpeg;base64," + "A/" * 900}, "does not exist"),
        (ROW | {"image": "a\0.jpg"}, "does not exist"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_row_of_any_content_is_reported_shortly(folder, row, reason):
    """Such as a picture in the row itself, as some tools export them; other rows are not affected."""
    pages, (unusable,) = labelled_folder.load(folder(ROW, row))

    assert len(pages) == 1
    assert unusable.row == 2
    assert reason in unusable.reason
    assert len(unusable.reason) < 500


def test_rows_may_have_members_of_the_users_own(folder):
    (page,), unusable = labelled_folder.load(folder({**ROW, "note": "second scale", "id": 7}))

    assert (page.type, unusable) == (ROW["type"], [])


def test_places_may_lie_a_little_outside_the_page(folder):
    """As corners of values that the photo cuts."""
    outline = [[-0.1, 0.7], [1.2, 0.7], [1.2, 1.05]]

    (page,), unusable = labelled_folder.load(folder({**ROW, "currency": "EUR", "places": {"total": [outline]}}))

    assert unusable == []
    assert page.places == {"total": (tuple(map(tuple, outline)),)}


def test_three_decimals_are_no_thousands(folder):
    """A label has a decimal point: fuel at 1.659 a litre."""
    (page,), _ = labelled_folder.load(folder({**ROW, "fields": {"total": "1.659"}}))
    (kind,) = (field.kind for field in document_types()["receipt"].fields() if field.name == "total")

    assert value_of(kind, page.fields["total"]) == Decimal("1.659")


def test_places_of_rows_are_named_with_their_number(folder):
    """As `docextract review` writes them."""
    outline = [[[0, 0], [1, 0], [1, 1]]]
    rows = {"line_items": [{"amount": "1.20"}]}

    (page,), _ = labelled_folder.load(folder({**ROW, "fields": rows, "places": {"line_items.0.amount": outline}}))

    assert list(page.places) == ["line_items.0.amount"]


def test_null_for_a_list_says_that_it_has_no_rows(folder):
    """As for a single field, which is not on the page."""
    (page,), unusable = labelled_folder.load(folder({**ROW, "fields": {"total": None, "taxes": None}}))

    assert (page.fields, unusable) == ({"total": None, "taxes": []}, [])


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

"""Tests of reading Donut's format."""

import json

import pytest

from training.datasets import donut

MENU = {"menu": [{"nm": "TEA", "price": "1,20"}, {"nm": "CAKE", "price": "3,40"}], "total": {"price": "4,60"}}
NAMES = """
type = "receipt"
ignore = ["void_menu"]
[fields]
"menu.nm" = "line_items.description"
"menu.price" = "line_items.amount"
"total.price" = "total"
"date" = "document_date"
"""


@pytest.fixture
def data(tmp_path):
    """A folder with one image, field names that differ from ours, and the lines of the test."""
    (tmp_path / "1.jpg").write_bytes(b"not opened here")

    def write(*parses, names=NAMES):
        rows = [{"file_name": "1.jpg", "ground_truth": json.dumps({"gt_parse": parse})} for parse in parses]
        (tmp_path / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / "fields.toml").write_text(names)
        return tmp_path

    return write


def test_nested_names_become_ours(data):
    """A menu of dishes becomes a list of line items, and amounts become plain decimals."""
    (page,), unusable = donut.load(data(MENU))

    assert unusable == []
    assert (page.key, page.type, page.source) == ("1", "receipt", "metadata.jsonl:1")
    assert page.fields == {
        "total": "4.60",
        "line_items": [
            {"description": "TEA", "amount": "1.20"},
            {"description": "CAKE", "amount": "3.40"},
        ],
    }


def test_a_list_of_one_may_be_written_without_the_list(data):
    """As in CORD."""
    (page,), _ = donut.load(data({"menu": {"nm": "TEA"}}))

    assert page.fields == {"line_items": [{"description": "TEA"}]}


def test_names_like_ours_need_no_file(data):
    """Our own names need no fields.toml; an empty text is unknown, null is absent."""
    (page,), _ = donut.load(data({"type": "receipt", "total": "9.00", "tip": None, "change": ""}, names=""))

    assert page.fields == {"total": "9.00", "tip": None}


def test_of_several_true_parses_the_first_is_taken(data):
    """They differ in form, not in content."""
    folder = data(MENU)
    truth = {"gt_parses": [{"total": {"price": "1.00"}}, {"total": {"price": "1"}}]}
    (folder / "metadata.jsonl").write_text(json.dumps({"file_name": "1.jpg", "ground_truth": json.dumps(truth)}))

    (page,), _ = donut.load(folder)

    assert page.fields == {"total": "1.00"}


@pytest.mark.parametrize(
    ("parse", "reason"),
    [
        ({"total": {"price": "many"}}, "total: 'many' is not a currency"),
        ({"grand_total": "1.00"}, "no field 'grand_total'; rename or ignore 'grand_total' in fields.toml"),
        ({"date": "03/04/2019"}, "can be two dates"),
        ({"total": [{"price": "1.00"}, {"price": "2.00"}]}, "total is both '1.00' and '2.00'"),
        ({"void_menu": {"nm": "TEA"}}, "no field has a label"),
        ({"type": "menu", "total": {"price": "1"}}, "type 'menu' is not known"),
    ],
)
def test_an_unusable_line_says_why(data, parse, reason):
    """The reason is reported, and other lines are not affected."""
    (page,), (unusable,) = donut.load(data(MENU, parse))

    assert page.row == 1
    assert unusable.source == "metadata.jsonl:2"
    assert reason in unusable.reason


@pytest.mark.parametrize(("order", "day"), [("DMY", "2019-04-03"), ("MDY", "2019-03-04")])
def test_the_date_order_can_be_configured(data, order, day):
    """If the page does not show it, fields.toml states it."""
    (page,), _ = donut.load(data({"date": "03/04/2019"}, names=f'date_order = "{order}"\n{NAMES}'))

    assert page.fields == {"document_date": day}


def test_fields_missing_in_complete_labels_are_absent(data):
    """A field without a label is then known to be absent, not unknown."""
    (page,), _ = donut.load(data(MENU, names=f"complete = true\n{NAMES}"))

    assert page.fields["tip"] is None
    assert page.fields["total"] == "4.60"
    assert "payments" not in page.fields


@pytest.mark.parametrize("line", ["{", "[]", '{"ground_truth": "{}"}', '{"file_name": "1.jpg"}',
                                  '{"file_name": "1.jpg", "ground_truth": "{}"}'])  # fmt: skip
def test_an_incomplete_line_is_reported(data, line):
    """It is unusable, with its line number."""
    folder = data(MENU)
    with (folder / "metadata.jsonl").open("a") as file:
        file.write(line + "\n")

    assert [one.row for one in donut.load(folder).unusable] == [2]


@pytest.mark.parametrize("names", ["type = ", 'typ = "receipt"', 'date_order = "YDM"', 'fields = "total"'])
def test_a_wrong_fields_toml_is_an_error(data, names):
    """An error in fields.toml concerns all lines and is raised."""
    with pytest.raises(ValueError, match=r"fields\.toml"):
        donut.load(data(MENU, names=names))


def test_parts_are_read_together_and_are_tags(data, tmp_path):
    """train/ and test/ with a metadata.jsonl each, as image folders are published."""
    data(MENU)
    for part in ("test", "train"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "1.jpg").write_bytes(part.encode())
        (tmp_path / part / "metadata.jsonl").write_text((tmp_path / "metadata.jsonl").read_text())
    (tmp_path / "metadata.jsonl").unlink()

    pages, _ = donut.load(tmp_path)

    assert [page.tags for page in pages] == [("test",), ("train",)]

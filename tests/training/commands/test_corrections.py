"""Tests of converting corrected answers to labels."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from docextract import documents
from docextract.answers import schema
from training import datasets
from training.commands import corrections
from training.datasets import pictures


@pytest.fixture
def images(tmp_path):
    """Three pictures, as the caller stored them."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    for number in (1, 2, 3):
        pictures.save(np.full((80, 100, 3), 60 * number, np.uint8), folder / f"{number}.png")
    return folder


@pytest.fixture
def run(tmp_path, images, capsys):
    """Convert lines to a labelled folder: the exit status, the loaded folder, and the messages."""

    def run(*lines):
        (tmp_path / "corrections.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        out = tmp_path / "out"
        status = corrections.main([str(tmp_path / "corrections.jsonl"), str(images), str(out)])
        return status, datasets.load(out), capsys.readouterr().err.splitlines()

    return run


def money(amount):
    return {"value": {"amount": amount, "currency": "MYR"}}


LINE = {"image": "1.png", "document_type": "receipt", "fields": {"total": money("9.00")}}


def test_a_corrected_answer_becomes_a_label(run, images):
    """A confirmed value, a corrected value, and null."""
    fields = {
        "merchant_name": {"type": "string", "value": "MOON MART", "content": "MOON MART", "confidence": 0.9},
        "total": {"type": "currency", **money("9.00"), "confidence": 0.4},
        "tip": None,
        "line_items": {"type": "array", "items": [
            {"type": "object", "fields": {"description": {"value": "TEA"}, "quantity": {"value": 2.0},
                                          "amount": money("9.00")}},
        ]},
    }  # fmt: skip
    line = {**LINE, "fields": fields, "by": "anna", "at": "2026-11-21T10:12:00Z"}

    status, ((page,), unusable), complaints = run(line)

    assert (status, unusable, complaints) == (0, [], [])
    assert (page.type, page.currency, page.tags) == ("receipt", "MYR", ("corrected",))
    assert page.fields == {
        "merchant_name": "MOON MART",
        "total": "9.00",
        "tip": None,
        "line_items": [{"description": "TEA", "quantity": "2", "amount": "9.00"}],
    }
    assert page.image.read_bytes() == (images / "1.png").read_bytes()


def test_the_last_correction_counts(run):
    """Of several corrections of a picture the last one counts; the earlier line is reported."""
    _, ((page,), _), complaints = run(LINE, {**LINE, "fields": {"total": money("8.00")}})

    assert page.fields == {"total": "8.00"}
    assert complaints == ["corrections.jsonl:1: not used: 1.png is corrected again by line 2"]


def test_the_only_page_of_a_file_need_not_be_named(run):
    """With its number and without it is the same page, and the last line counts."""
    _, ((page,), _), complaints = run(LINE, {**LINE, "page": 1, "fields": {"total": money("8.00")}})

    assert page.fields == {"total": "8.00"}
    assert complaints == ["corrections.jsonl:1: not used: 1.png is the same picture as corrections.jsonl:2"]


def test_the_last_line_of_a_page_counts_in_whatever_words(run):
    """The first and the last line have no number of the page, the second has one."""
    second, third = ({**LINE, "fields": {"total": money(amount)}} for amount in ("8.00", "7.00"))
    _, ((page,), _), _ = run(LINE, {**second, "page": 1}, third)

    assert page.fields == {"total": "7.00"}


@pytest.mark.parametrize("items", [5, {"a": 1}])
def test_a_value_with_odd_items_is_one_line_that_is_not_used(run, items):
    """The other lines are."""
    odd = {**LINE, "image": "2.png", "fields": {"total": {**money("8.00"), "items": items}}}
    _, ((page, *_), _), _ = run(LINE, odd)

    assert page.fields["total"] == "9.00"


def test_fields_of_the_client_have_null_for_what_they_lack(run):
    """The client writes every member of a field: `items` of a value, and `value` of rows, are null."""
    total = schema.FieldAnswer.model_validate({"type": "currency", **money("9.00")}).model_dump(mode="json")
    assert total["items"] is None

    _, ((page,), _), complaints = run({**LINE, "fields": {"total": total}})

    assert (complaints, page.fields, page.currency) == ([], {"total": "9.00"}, "MYR")


def test_missing_fields_are_null_lists_among_them(run):
    """The answer names both in `missing_fields`, and its caller confirms that they are not on the page."""
    _, ((page,), _), complaints = run({**LINE, "fields": {"total": money("9.00"), "taxes": None, "tip": None}})

    assert (complaints, page.fields) == ([], {"total": "9.00", "taxes": [], "tip": None})


def test_the_machine_readable_zone_is_no_label(run):
    """The answer of a passport has it among the fields, but nothing is learned from it."""
    zone = {"type": "mrz", "value": {"format": "TD3", "lines": ["P<"], "valid": True}}
    fields = {"mrz": zone, "document_number": {"value": "X123"}}

    _, ((page,), _), complaints = run({"image": "1.png", "document_type": "passport", "fields": fields})

    assert (complaints, page.fields) == ([], {"document_number": "X123"})


def test_pages_of_one_file_are_corrected_one_by_one(run, images):
    """Each page is named by its number and replaced by a later line for the same page only."""
    first, second = (Image.open(images / f"{number}.png") for number in (1, 2))
    first.resize((400, 500)).save(images / "both.pdf", save_all=True, append_images=[second.resize((400, 500))])
    lines = [{**LINE, "image": "both.pdf", "page": page, "fields": {"total": money(f"{page}.00")}} for page in (1, 2)]

    _, (pages, _), complaints = run(*lines, {**lines[0], "fields": {"total": money("3.00")}})

    assert {(page.page, page.fields["total"]) for page in pages} == {(1, "3.00"), (2, "2.00")}
    assert complaints == ["corrections.jsonl:1: not used: both.pdf is corrected again by line 3"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"image": "4.png"}, "4.png does not exist"),
        ({"document_type": "menu"}, "type 'menu' is not known"),
        ({"fields": {"totl": money("9.00")}}, "no field 'totl'"),
        ({"fields": {"total": money("nine")}}, "'nine' is not a currency"),
        ({"fields": {"total": "9.00"}}, 'total is neither null nor an object with "value"'),
        ({"fields": {"line_items": {"items": ["TEA"]}}}, "line_items: a row is not an object"),
        ({"fields": {"total": {"value": None}}}, "neither"),
        ({"fields": []}, '"fields" is not an object'),
        ({"field": {}}, "'field' is not a member"),
        ({"page": 0}, '"page" is not a number from 1'),
        ({"fields": {"total": {"value": {"amount": "nine", "currency": ["MYR"]}}}}, "'nine' is not a currency"),
    ],
)
def test_a_line_that_cannot_be_used_says_why(run, change, reason):
    """The reason is reported, and other lines are not affected."""
    status, (pages, _), (complaint,) = run(LINE, {**LINE, "image": "2.png", **change})

    assert (status, [page.key for page in pages]) == (0, ["1"])
    assert complaint.startswith("corrections.jsonl:2: not used: ")
    assert reason in complaint


def test_labels_of_the_folder_stay(run, tmp_path, images):
    """Also lines that cannot be read, and where no correction is usable; a label by hand is not replaced."""
    out = tmp_path / "out"
    (out / "images").mkdir(parents=True)
    shutil.copy(images / "1.png", out / "images")
    by_hand = ['{"image": "images/1.png", "type": "receipt", "fields": {"total": "5.00"}, "note": "mine"}', "{not JSON"]
    (out / "labels.jsonl").write_text("".join(f"{line}\n" for line in by_hand))

    nothing, _, _ = run({**LINE, "image": "4.png"})
    assert nothing == 1
    assert (out / "labels.jsonl").read_text().splitlines() == by_hand

    status, (pages, _), _ = run({**LINE, "image": "2.png"})

    assert status == 0
    assert [page.fields["total"] for page in pages] == ["5.00", "9.00"]
    assert (out / "labels.jsonl").read_text().splitlines()[:2] == by_hand


@pytest.mark.parametrize("folder", ["images", "."])
def test_a_correction_counts_beside_a_label_by_hand(run, tmp_path, images, folder):
    """In this folder as in another one: the label stays, completes the correction, and keeps its picture."""
    labels, picture = tmp_path / "out" / "labels.jsonl", tmp_path / "out" / folder / "scan.png"
    picture.parent.mkdir(parents=True)
    shutil.copy(images / "1.png", picture)
    by_hand = {"image": f"{folder}/scan.png", "type": "receipt", "fields": {"total": "5.00", "tip": "1.00"}, "note": 1}
    labels.write_text(json.dumps(by_hand) + "\n")

    for amount in ("9.00", "8.00", "8.00"):
        status, ((page,), _), complaints = run({**LINE, "fields": {"total": money(amount)}})
        assert (status, complaints, page.fields) == (0, [], {"total": amount, "tip": "1.00"})

    assert labels.read_text().splitlines()[0] == json.dumps(by_hand)
    assert list((tmp_path / "out").rglob("*.png")) == [picture]


def test_a_picture_that_is_a_link_is_not_copied(run, tmp_path, images):
    """The correction has the name of the label by hand, so that docextract review shows one document."""
    labels = tmp_path / "out" / "labels.jsonl"
    labels.parent.mkdir()
    (tmp_path / "out" / "scan.png").symlink_to(images / "1.png")
    labels.write_text(json.dumps({"image": "scan.png", "type": "receipt", "fields": {"total": "5.00"}}) + "\n")

    run({**LINE, "fields": {"total": money("9.00")}})

    assert [json.loads(line)["image"] for line in labels.read_text().splitlines()] == ["scan.png", "scan.png"]


def test_later_corrections_are_added(run, images):
    """One of a page that was corrected before replaces it; another picture of the same name is another one."""
    run(LINE, {**LINE, "image": "2.png"})
    (images / "2.png").write_bytes((images / "3.png").read_bytes())

    status, (pages, _), complaints = run(
        {**LINE, "fields": {"total": money("8.00")}}, {**LINE, "image": "2.png", "fields": {"total": money("7.00")}}
    )

    assert (status, complaints) == (0, [])
    assert [(page.image.name, page.fields["total"]) for page in pages] == [
        ("2.png", "9.00"), ("1.png", "8.00"), ("2_.png", "7.00"),
    ]  # fmt: skip
    assert len({page.image.read_bytes() for page in pages}) == 3


def test_a_later_correction_keeps_what_it_leaves_out(run, images):
    """Of the row that it replaces, also if the picture has another name then."""
    shutil.copy(images / "1.png", images / "copy.png")
    run({**LINE, "fields": {"merchant_name": {"value": "MOON"}, "tip": None, "total": money("9.00")}})

    status, ((page,), unusable), complaints = run({**LINE, "image": "copy.png", "fields": {"total": money("8.00")}})

    assert (status, unusable, complaints) == (0, [], [])
    assert page.fields == {"merchant_name": "MOON", "tip": None, "total": "8.00"}
    assert (page.image.name, page.tags) == ("1.png", ("corrected",))
    assert [path.name for path in page.image.parent.iterdir()] == ["1.png"]


def change_values(labels, **values):
    """Change values of the only row by hand."""
    row = json.loads(labels.read_text())
    row["fields"] |= values
    labels.write_text(json.dumps(row) + "\n")


def test_a_correction_is_not_written_again_over_changes_of_its_row(run, tmp_path, capsys):
    """Only a line that has changed is; the exit status is that of success in any case."""
    line = {**LINE, "fields": {"merchant_name": {"value": "MOON"}, "total": money("9.00")}}
    run(line)
    change_values(tmp_path / "out" / "labels.jsonl", merchant_name="MOON MART", total="9.50")

    status, ((page,), _), complaints = run({name: line[name] for name in reversed(line)})
    assert (status, complaints, page.fields) == (0, [], {"merchant_name": "MOON MART", "total": "9.50"})

    _, ((page,), _), _ = run(line, {**line, "fields": {"total": money("8.00")}})
    assert page.fields == {"merchant_name": "MOON MART", "total": "8.00"}


def test_an_earlier_correction_is_written_again_after_another(run):
    """Somebody has taken the second one back."""
    second = {**LINE, "fields": {"total": money("8.00")}}
    for line in (LINE, second, LINE):
        _, ((page,), _), _ = run(line)

    assert page.fields == {"total": "9.00"}


def test_unchanged_corrections_are_counted(run, tmp_path, images, capsys):
    """Of a file that grows, only the new line is written."""
    run(LINE)
    (tmp_path / "corrections.jsonl").write_text(f"{json.dumps(LINE)}\n{json.dumps({**LINE, 'image': '2.png'})}\n")

    corrections.main([str(tmp_path / "corrections.jsonl"), str(images), str(tmp_path / "out")])

    printed = capsys.readouterr().out
    assert printed == f"1 of 2 corrections written to {tmp_path / 'out'}; 1 unchanged since they were written\n"


def test_a_broken_picture_is_left_out(run, images):
    """A picture that the service refuses cannot be learned from."""
    (images / "2.png").write_bytes((images / "2.png").read_bytes()[:50])

    status, (pages, _), (complaint,) = run(LINE, {**LINE, "image": "2.png"})

    assert (status, len(pages)) == (0, 1)
    assert "damaged or cut short" in complaint


def test_without_a_usable_line_the_exit_status_is_1(run):
    """A script that continues with training stops here."""
    assert run({**LINE, "image": "4.png"})[0] == 1


def test_described_types_are_copied_with_the_labels(run, tmp_path):
    """A described type is written next to the labels, so that they can be used anywhere."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "weighing_slip.toml").write_text('[fields]\nplate = "string"\n')
    documents.register_types(tmp_path)

    run({"image": "1.png", "document_type": "weighing_slip", "fields": {"plate": {"value": "B-AB 123"}}})

    assert [path.name for path in (tmp_path / "out" / "types").iterdir()] == ["weighing_slip.toml"]


def test_types_that_out_describes_are_known(run, tmp_path):
    """A review has described them there, and no model knows them yet."""
    (tmp_path / "out" / "types").mkdir(parents=True)
    (tmp_path / "out" / "types" / "parking_slip.toml").write_text('[fields]\nplate = "string"\n')

    line = {"image": "1.png", "document_type": "parking_slip", "fields": {"plate": {"value": "B-AB 123"}}}
    status, ((page,), _), complaints = run(line)

    assert (status, complaints, page.fields) == (0, [], {"plate": "B-AB 123"})

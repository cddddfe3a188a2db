"""Tests of reading labelled data in any format."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docextract.documents import document_types
from tests.images.text_pdfs import text_pdf, words
from training import datasets
from training.datasets import LabelledPage, Unusable, labelled, labelled_folder, pictures

FIELDS = {"plate": "B-AB 123", "weight": "7.5"}
TYPE = '[fields]\nplate = "string"\nweight = "number"\n'


@pytest.fixture
def data(tmp_path):
    """Two pictures and a described document type; the test adds labels."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "weighing_slip.toml").write_text(TYPE)
    for name, grey in (("1", 90), ("2", 120)):
        pictures.save(np.full((80, 100, 3), grey, np.uint8), tmp_path / f"{name}.jpg")
    return tmp_path


def write_rows(folder, *images):
    rows = [{"image": image, "type": "weighing_slip", "fields": FIELDS} for image in images]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_same_labels_in_three_formats_give_the_same_pages(data):
    """Training and evaluation do not depend on the labelling tool."""
    donut = {"file_name": "1.jpg", "ground_truth": json.dumps({"gt_parse": FIELDS | {"type": "weighing_slip"}})}
    regions = [
        {"id": name, "type": "textarea", "value": {"labels": [name], "text": [text]}} for name, text in FIELDS.items()
    ]
    choice = {"type": "choices", "value": {"choices": ["weighing_slip"]}}
    task = {"data": {"image": "/data/upload/1/1.jpg"}, "annotations": [{"result": [choice, *regions]}]}

    write_rows(data, "1.jpg")
    found = [datasets.load(data)]
    (data / "labels.jsonl").unlink()
    (data / "metadata.jsonl").write_text(json.dumps(donut))
    found.append(datasets.load(data))
    (data / "metadata.jsonl").unlink()
    (data / "export.json").write_text(json.dumps([task]))
    found.append(datasets.load(data))

    for pages, unusable in found:
        assert unusable == []
        assert pages == [LabelledPage(data / "1.jpg", "weighing_slip", FIELDS)]


def test_types_described_next_to_the_data_are_known(data):
    """A list of fields is enough for a new document type."""
    write_rows(data, "1.jpg")

    datasets.load(data)

    assert "weighing_slip" in document_types()


def test_a_folder_without_labels_is_an_error(tmp_path):
    """The message names the three formats."""
    with pytest.raises(FileNotFoundError, match=r"labels\.jsonl nor metadata\.jsonl nor an export"):
        datasets.load(tmp_path)


def test_labels_in_two_files_are_not_mixed(data):
    """The caller must pass one of the files."""
    write_rows(data, "1.jpg")
    (data / "metadata.jsonl").write_text("")

    with pytest.raises(ValueError, match="pass the file to read"):
        datasets.load(data)
    assert len(datasets.load(data / "labels.jsonl").pages) == 1


def test_an_export_beside_labels_is_not_ignored(data):
    """As after the first review of a folder with an export; other JSON files beside labels are no labels."""
    write_rows(data, "1.jpg")
    (data / "notes.json").write_text('[{"by": "anna"}]')
    (data / "empty.json").write_text("[]")
    assert len(datasets.load(data).pages) == 1

    choice = {"type": "choices", "value": {"choices": ["weighing_slip"]}}
    region = {"id": "plate", "type": "textarea", "value": {"labels": ["plate"], "text": ["B-AB 123"]}}
    tasks = [{"data": {"image": f"{name}.jpg"}, "annotations": [{"result": [choice, region]}]} for name in (1, 2)]
    (data / "export.json").write_text(json.dumps(tasks))

    with pytest.raises(ValueError, match=r"labels\.jsonl and export\.json; pass the file to read"):
        datasets.load(data)
    pages, (again,) = datasets.load(data / "labels.jsonl", data / "export.json")
    assert [(page.image.name, page.fields) for page in pages] == [("1.jpg", FIELDS), ("2.jpg", {"plate": "B-AB 123"})]
    assert again.reason == f"1.jpg is labelled already, in {data}/labels.jsonl:1"


def test_pictures_of_one_name_have_different_keys(data):
    """Keys of caches and reports are unique; may/1.jpg and june/1.jpg must not share one."""
    for month in ("may", "june"):
        (data / month).mkdir()
        (data / month / "1.jpg").write_bytes(b"not opened here")
    write_rows(data, "may/1.jpg", "june/1.jpg", "2.jpg")

    assert [page.key for page in datasets.load(data).pages] == ["may_1.jpg", "june_1.jpg", "2"]


def test_a_picture_is_labelled_once(data):
    """Two labels of one picture may contradict each other, or be on both sides of the split."""
    write_rows(data, "1.jpg", "2.jpg", "types/../1.jpg")

    pages, (unusable,) = datasets.load(data)

    assert [page.key for page in pages] == ["1", "2"]
    assert (unusable.source, unusable.reason) == ("labels.jsonl:3", "1.jpg is labelled already, in labels.jsonl:1")


def test_broken_and_repeated_pictures_are_found_by_opening(data):
    """Each is reported with its row; the other pages are unchanged."""
    (data / "3.jpg").write_bytes((data / "1.jpg").read_bytes())
    (data / "4.jpg").write_bytes((data / "2.jpg").read_bytes()[:300])
    pictures.save(np.full((20, 100, 3), 90, np.uint8), data / "5.png")
    write_rows(data, "1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.png", "6.jpg")

    found = list(labelled.open_pages(datasets.load(data)))

    reasons = {one.source: one.reason for one in found if isinstance(one, Unusable)}
    assert [page.key for page in found if isinstance(page, LabelledPage)] == ["1", "2"]
    assert reasons["labels.jsonl:3"] == "3.jpg is the same picture as labels.jsonl:1"
    assert "damaged or cut short" in reasons["labels.jsonl:4"]
    assert "at least 64 px" in reasons["labels.jsonl:5"]
    assert "does not exist" in reasons["labels.jsonl:6"]


def test_a_picture_that_may_not_be_read_is_reported(data):
    """Reading this file fails, also for root."""
    (data / "3.jpg").symlink_to("/proc/self/mem")
    write_rows(data, "1.jpg", "3.jpg")

    page, refused = labelled.open_pages(datasets.load(data))

    assert (page.key, refused.source) == ("1", "labels.jsonl:2")
    assert "3.jpg cannot be read: Input/output error" in refused.reason


def test_a_page_stays_on_its_side_when_others_are_added():
    """Held-out pages are never trained on, also not in a later run; the key may differ in another folder."""
    pages = [LabelledPage(Path(f"inbox/{number:04}.jpg"), "receipt", {}, key=f"{number:04}") for number in range(500)]

    back = [page for page in pages if datasets.is_held_out(page)]

    assert 0.15 < len(back) / len(pages) < 0.25
    assert all(datasets.is_held_out(replace(page, key=f"inbox_{page.key}.jpg")) for page in back)


def test_pages_of_a_group_are_in_one_part():
    """A group is named in the label, or is the shop or vendor; capitals and signs do not matter."""
    names = ("Bean & Co.", "BEAN CO", "Bean-Co")
    shop = [LabelledPage(Path(f"{at}.jpg"), "receipt", {"merchant_name": name}) for at, name in enumerate(names)]
    named = [LabelledPage(Path(f"{at}.jpg"), "id_card", {}, group="card 7") for at in range(9)]
    single = [LabelledPage(Path(f"{at}.jpg"), "id_card", {}) for at in range(9)]

    assert set(map(datasets.group_of, shop)) == {"BEANCO"}
    assert set(map(datasets.group_of, named)) == {"CARD7"}
    assert len(set(map(datasets.group_of, single))) == 9


def test_groups_are_read_and_copied(data, tmp_path):
    """Copies of held-out pages keep their group."""
    row = {"image": "1.jpg", "type": "receipt", "fields": {"total": "9.00"}, "group": "till 3"}
    (data / "labels.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row | {"group": 3}) + "\n")

    found = labelled_folder.load(data)
    with labelled_folder.LabelledFolderWriter(tmp_path / "copy") as writer:
        writer.copy(found.pages[0])

    assert labelled_folder.load(tmp_path / "copy").pages[0].group == "till 3"
    assert [one.reason for one in found.unusable] == ['"group" is no text']


def test_several_folders_are_one_data_set(data, tmp_path):
    """The first labels and later corrections; a picture in both counts once."""
    later = data / "later"
    (later / "images").mkdir(parents=True)
    (later / "images" / "1.jpg").write_bytes(b"another picture of the same name")
    write_rows(data, "1.jpg", "2.jpg")
    write_rows(later, "images/1.jpg", "../2.jpg")

    pages, (unusable,) = datasets.load(data, later)

    assert [page.key for page in pages] == ["1.jpg", "2", "later_images_1.jpg"]
    assert unusable.reason == f"2.jpg is labelled already, in {data}/labels.jsonl:2"


@pytest.mark.parametrize("order", [("data", "corrections"), ("corrections", "data")])
def test_corrections_count_before_other_rows(data, tmp_path, order):
    """In any order of the folders, for the same file and for a copy; of several corrections the last one counts."""
    row = {"image": "1.jpg", "type": "weighing_slip", "fields": FIELDS}
    corrected = [row | {"fields": {"plate": plate}, "tags": ["corrected"]} for plate in ("FIRST", "LAST")]
    copy = corrected[1] | {"image": "copy.jpg"}
    folders = {"data": data, "corrections": tmp_path / "corrections"}
    shutil.copytree(data / "types", folders["corrections"] / "types")
    (folders["corrections"] / "copy.jpg").write_bytes((data / "2.jpg").read_bytes())
    for folder, rows in (("data", [row, *corrected, row | {"image": "2.jpg"}]), ("corrections", [copy])):
        (folders[folder] / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))

    found = list(labelled.open_pages(datasets.load(*(folders[name] for name in order))))

    assert {one.image.name: one.fields for one in found if isinstance(one, LabelledPage)} == {
        "1.jpg": FIELDS | {"plate": "LAST"},
        "2.jpg": FIELDS | {"plate": "LAST"},
    }
    assert {one.source: one.reason for one in found if isinstance(one, Unusable)} == {
        "labels.jsonl:1": "1.jpg is labelled already, in labels.jsonl:3",
        "labels.jsonl:2": "1.jpg is labelled already, in labels.jsonl:3",
        "labels.jsonl:4": f"2.jpg is the same picture as {folders['corrections']}/labels.jsonl:1",
    }


@pytest.mark.parametrize("picture", ["1.jpg", "copy.jpg"])
def test_a_correction_keeps_what_it_leaves_out(data, picture):
    """As in the label of the file, or of a copy: other fields, the group, places of values that are not corrected."""
    outline = ((0.1, 0.1), (0.2, 0.1), (0.2, 0.2))
    label = {
        "image": "1.jpg",
        "type": "receipt",
        "fields": {"merchant_name": "MOON", "total": "9.00", "line_items": [{"amount": "9.00"}]},
        "places": {name: [outline] for name in ("merchant_name", "total", "line_items.0.amount")},
        "also": {"merchant_name": ["MOON MART"], "total": ["9.0"]},
        "tags": ["crumpled"],
        "currency": "MYR",
        "group": "till 3",
    }
    ignored = {"image": "1.jpg", "type": "receipt", "fields": {"tip": "1.00"}}
    corrected = {"image": picture, "type": "receipt", "fields": {"total": "8.00"}, "tags": ["corrected"]}
    shutil.copy(data / "1.jpg", data / "copy.jpg")
    (data / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (label, ignored, corrected)))

    (page,) = labelled.load_usable(data)

    assert page.fields == label["fields"] | {"total": "8.00"}
    assert page.places == {"merchant_name": (outline,), "line_items.0.amount": (outline,)}
    assert page.alternatives == {"merchant_name": ("MOON MART",)}
    assert (page.tags, page.currency, page.group) == (("corrected", "crumpled"), "MYR", "till 3")
    assert (page.image.name, page.key, page.row) == ("1.jpg", "1", 3)


def test_a_correction_of_the_type_keeps_no_field(data):
    """Fields of another type may mean something else; the group and the currency are those of the page."""
    label = {"image": "1.jpg", "type": "receipt", "fields": {"total": "9.00"}, "currency": "MYR", "group": "till 3"}
    corrected = {"image": "1.jpg", "type": "weighing_slip", "fields": {"weight": "7.5"}, "tags": ["corrected"]}
    (data / "labels.jsonl").write_text(json.dumps(label) + "\n" + json.dumps(corrected) + "\n")

    ((page,), _) = datasets.load(data)

    assert (page.type, page.fields, page.group, page.currency) == ("weighing_slip", {"weight": "7.5"}, "till 3", "MYR")


def test_a_corrected_copy_stays_in_the_part_of_its_picture(data):
    """Of pages without a group or vendor the name of the picture tells the part."""
    rng = np.random.default_rng(1)
    for number in range(20):
        pictures.save(rng.integers(0, 255, (80, 100, 3)).astype(np.uint8), data / f"{number}.png")
        shutil.copy(data / f"{number}.png", data / f"load-{number}.png")
    write_rows(data, *(f"{number}.png" for number in range(20)))
    before = {page.key: datasets.part_of(page) for page in labelled.load_usable(data)}
    corrected = {"type": "weighing_slip", "fields": FIELDS, "tags": ["corrected"]}
    with (data / "labels.jsonl").open("a") as labels:
        labels.writelines(json.dumps(corrected | {"image": f"load-{at}.png"}) + "\n" for at in range(20))

    after = {page.key: datasets.part_of(page) for page in labelled.load_usable(data) if page.is_corrected}

    assert "evaluate" in before.values()
    assert after == before


def test_messages_about_several_folders_name_the_folder(data, capsys):
    """Both files have the same name."""
    later = data / "later"
    later.mkdir()
    write_rows(data, "1.jpg", "2.jpg")
    write_rows(later, "../2.jpg", "3.jpg")

    labelled.load_usable(data, later)

    message = f"{later}/labels.jsonl:1: not used: 2.jpg is labelled already, in {data}/labels.jsonl:2"
    assert message in capsys.readouterr().err


def test_pictures_whose_name_is_not_utf_8_are_read_and_copied(data, tmp_path):
    """As unpacked from an old archive: their keys can be written, and each is in a part."""
    for name in ("M\udcfcller.jpg", "\udcfc\udce4.jpg"):
        (data / "1.jpg").rename(data / name)
        write_rows(data, name)

        (page,) = labelled.load_usable(data)
        with labelled_folder.LabelledFolderWriter(tmp_path / "copy") as writer:
            writer.copy(replace(page, tags=("\ud800",)))
        (copied,) = labelled.load_usable(tmp_path / "copy")

        assert page.key == copied.key == name.removesuffix(".jpg").replace("\udcfc", r"\xfc").replace("\udce4", r"\xe4")
        assert copied.image.read_bytes() == page.image.read_bytes()
        assert copied.tags == ("\ud800",)
        assert datasets.part_of(page)
        (data / name).rename(data / "1.jpg")


def test_the_only_page_of_a_file_need_not_be_named(data):
    """With its number and without it is the same page."""
    (data / "a.pdf").write_bytes(text_pdf(words("FIRST", 50, 700, 40)))
    row = {"image": "a.pdf", "type": "weighing_slip", "fields": FIELDS}
    (data / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (row, row | {"page": 1})))

    refused, usable = sorted(labelled.open_pages(datasets.load(data)), key=lambda one: isinstance(one, LabelledPage))

    assert isinstance(usable, LabelledPage)
    assert refused.reason == "a.pdf is the same picture as labels.jsonl:1"


def test_pages_of_a_file_are_labelled_each_on_its_own(data, tmp_path):
    """Each has its own key and its own pixels, and all are of one group; a file with several pages names the page."""
    (data / "a.pdf").write_bytes(text_pdf(words("FIRST", 50, 700, 40), words("SECOND", 50, 400, 40)))
    row = {"image": "a.pdf", "type": "weighing_slip", "fields": FIELDS}
    rows = [row | {"page": 1}, row | {"page": 2}, row | {"page": 3}, row, row | {"page": "two"}]
    (data / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))

    found = list(labelled.open_pages(datasets.load(data)))

    first, second = (page for page in found if isinstance(page, LabelledPage))
    reasons = {one.source: one.reason for one in found if isinstance(one, Unusable)}
    assert (first.key, second.key, datasets.group_of(first)) == ("a-1", "a-2", datasets.group_of(second))
    assert (
        pictures.load(first.image, selection=first.selection)
        != pictures.load(data / "a.pdf", selection=second.selection)
    ).any()
    assert "names page 3; the file has 2 pages" in reasons["labels.jsonl:3"]
    assert 'has 2 pages; name one of them as "page"' in reasons["labels.jsonl:4"]
    assert reasons["labels.jsonl:5"] == '"page" is not a number from 1'


def test_places_are_read_and_copied(data, tmp_path):
    """Each value may have several outlines; other forms are reported."""
    outline = [[0.1, 0.1], [0.2, 0.1], [0.2, 0.2], [0.1, 0.2]]
    row = {"image": "1.jpg", "type": "receipt", "fields": {"total": "9.00"}, "places": {"total": [outline, outline]}}
    (data / "labels.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row | {"places": {"total": 3}}) + "\n")

    found = labelled_folder.load(data)
    with labelled_folder.LabelledFolderWriter(tmp_path / "copy") as writer:
        writer.copy(found.pages[0])

    assert found.pages[0].places == {"total": (tuple(map(tuple, outline)),) * 2}
    assert labelled_folder.load(tmp_path / "copy").pages[0].places == found.pages[0].places
    assert [one.reason for one in found.unusable] == ['"places" are no outlines by value']

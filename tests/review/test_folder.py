"""The files of a reviewed folder: the lock, revisions, labels, and types that are described there."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from docextract.documents import DescriptionError, document_types
from docextract.files import write_atomically
from docextract.review.folder import FolderInUseError, OutdatedError, Review, ReviewedFolder
from docextract.review.sheets import SheetValue, blank_sheet
from tests.http.conftest import jpeg
from training.datasets import labelled_folder, load


def key_of(folder, name):
    return next(key for key, one in folder.documents.items() if one.name == name)


def review(total="9.00", **values):
    sheet = blank_sheet("receipt")
    sheet.fields["total"] = SheetValue(state="printed", text=total)
    return Review(**{"reviewed": True, "pages": [1], "sheet": sheet} | values)


def labels(photos):
    return [json.loads(line) for line in (photos / "labels.jsonl").read_text("utf-8").splitlines()]


def test_documents_are_the_pictures_and_pdfs_below_the_folder(folder, photos):
    """What the review itself writes is none of them; an e-invoice as XML has no picture."""
    (photos / "c.xml").write_text("<x/>")

    assert [one.name for one in folder.documents.values()] == ["a.jpg", "more/b.jpg"]


def test_reviewed_documents_become_labels_that_training_reads(folder, photos):
    """A draft has no labels; a finished review has a row, with which training can begin."""
    key = key_of(folder, "more/b.jpg")
    folder.save(key, review(reviewed=False))
    assert not (photos / "labels.jsonl").exists()

    folder.save(key, review(revision=1))

    (page,), unusable = labelled_folder.load(photos)
    assert (page.image, page.fields["total"], unusable) == (photos / "more" / "b.jpg", "9.00", [])


def test_a_reopened_review_replaces_its_labels(folder, photos):
    """A document has one row, however often it is saved, also with places; a draft leaves it as it is."""
    key = key_of(folder, "a.jpg")
    placed = review("9.00")
    placed.sheet.fields["total"].image = 0
    placed.sheet.fields["total"].polygons = [[(0.1, 0.2), (0.3, 0.2), (0.3, 0.25), (0.1, 0.25)]]
    folder.save(key, placed)
    folder.save(key, review("8.00", revision=1))
    folder.save(key, review("7.00", revision=2, reviewed=False))

    assert [row["fields"]["total"] for row in labels(photos)] == ["8.00"]


def test_an_outdated_review_is_refused(folder, photos):
    """Of two people who opened the same revision, the second one hears of it, and nothing of the first is lost."""
    key = key_of(folder, "a.jpg")
    folder.save(key, review("9.00"))

    with pytest.raises(OutdatedError):
        folder.save(key, review("8.00"))

    assert [row["fields"]["total"] for row in labels(photos)] == ["9.00"]


def test_a_folder_is_reviewed_by_one_program(folder, photos):
    """Two programs would overwrite each other's labels."""
    with pytest.raises(FolderInUseError, match="another program"):
        ReviewedFolder(photos)


def test_a_review_goes_on_where_it_was_left(folder, photos):
    """Drafts and finished reviews are there again, and no label is lost."""
    one, other = key_of(folder, "a.jpg"), key_of(folder, "more/b.jpg")
    folder.save(one, review())
    folder.save(other, review(reviewed=False))
    folder.close()

    again = ReviewedFolder(photos)

    assert (again.is_reviewed(one), again.is_reviewed(other)) == (True, False)
    assert again.review(other).sheet.fields["total"].text == "9.00"
    again.save(other, review(revision=1))
    assert len(labels(photos)) == 2
    again.close()


def test_labels_from_elsewhere_are_kept(photos):
    """Rows of other images and lines that are no labels stay in the file; a labelled document counts as reviewed."""
    foreign = ['{"image": "a.jpg", "type": "receipt", "fields": {"total": "1.00"}}', '{"image": "x.jpg"}', "nothing"]
    (photos / "labels.jsonl").write_text("\n".join(foreign) + "\n")
    folder = ReviewedFolder(photos)
    assert folder.is_reviewed(key_of(folder, "a.jpg"))
    assert folder.labels(key_of(folder, "a.jpg"))[1]["fields"] == {"total": "1.00"}

    folder.save(key_of(folder, "more/b.jpg"), review())

    lines = (photos / "labels.jsonl").read_text("utf-8").splitlines()
    assert lines[:3] == foreign
    assert len(lines) == 4
    folder.close()


@pytest.mark.parametrize("spelling", ["./a.jpg", "more/../a.jpg", "{photos}/a.jpg"])
def test_labels_of_a_document_are_found_by_its_path(photos, spelling):
    """As training finds them: a review shows them and replaces them, so that the correction is not a second row."""
    image = spelling.format(photos=photos)
    strange = ['{"image": "\\u0000"}', '{"image": "\\ud800"}', '{"image": "../elsewhere.jpg"}']
    row = {"image": image, "type": "receipt", "fields": {"total": "1.00"}}
    (photos / "labels.jsonl").write_text("\n".join([json.dumps(row), *strange]) + "\n")
    folder = ReviewedFolder(photos)
    assert folder.labels(key_of(folder, "a.jpg"))[1]["fields"] == {"total": "1.00"}

    folder.save(key_of(folder, "a.jpg"), review())
    folder.close()

    (page,) = labelled_folder.load(photos).pages
    assert page.fields["total"] == "9.00"
    assert (photos / "labels.jsonl").read_text("utf-8").splitlines()[1:] == strange


PLACE = [[[0.1, 0.2], [0.3, 0.2], [0.3, 0.25]]]
BY_HAND = {
    "image": "a.jpg", "type": "receipt", "currency": "EUR", "group": "shop 3",
    "fields": {"total": "1.00", "tip": "2.00"}, "places": {"total": PLACE, "tip": PLACE},
}  # fmt: skip
SECOND = BY_HAND | {"fields": {"total": "5.00", "merchant_name": "MOON"}}
CORRECTION = {"image": "./a.jpg", "type": "receipt", "fields": {"total": "3.00"}, "tags": ["corrected"]}
LATER = CORRECTION | {"fields": {"tip": None}, "tags": ["creased", "corrected"]}


@pytest.mark.parametrize(
    "rows",
    [
        (BY_HAND, SECOND),
        (BY_HAND, CORRECTION),
        (CORRECTION, SECOND, BY_HAND, LATER),
        (BY_HAND, CORRECTION | {"type": "invoice", "fields": {"document_number": "7"}}),
    ],
)
def test_of_several_rows_of_a_page_that_which_training_takes_is_shown(photos, rows):
    """Otherwise a person confirms what nobody learns from; a finished review replaces all of them."""
    (photos / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    folder = ReviewedFolder(photos)
    key = key_of(folder, "a.jpg")

    ((trained, *_), _) = load(photos)
    shown = folder.labels(key)[1]

    assert (shown["type"], shown["fields"]) == (trained.type, trained.fields)
    assert (tuple(shown.get("tags", ())), shown["currency"]) == (trained.tags, trained.currency)
    assert shown["places"].keys() == trained.places.keys()
    folder.save(key, review("9.00"))
    folder.close()
    assert [row["fields"]["total"] for row in labels(photos)] == ["9.00"]


def test_labels_that_are_written_meanwhile_are_kept(folder, photos):
    """Another program adds rows while the folder is under review."""
    added = [{"image": name, "type": "receipt", "fields": {"total": "7.00"}} for name in ("more/b.jpg", "later.jpg")]
    (photos / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in added))

    folder.save(key_of(folder, "a.jpg"), review())

    assert labels(photos)[:2] == added
    assert len(labels(photos)) == 3
    assert folder.is_reviewed(key_of(folder, "more/b.jpg"))


def test_labels_behind_a_symbolic_link_are_written_there(folder, photos, tmp_path_factory):
    """Several folders may share them; a copy in place of the link would part them."""
    shared = tmp_path_factory.mktemp("central") / "labels.jsonl"
    (photos / "labels.jsonl").symlink_to(shared)

    folder.save(key_of(folder, "a.jpg"), review("9.00"))

    assert (photos / "labels.jsonl").is_symlink()
    assert "9.00" in shared.read_text()


def test_labels_of_the_same_document_are_not_overwritten_unseen(folder, photos):
    """Another program labels a document that is open: the review is refused once, and the labels are shown then."""
    key, row = key_of(folder, "a.jpg"), {"image": "a.jpg", "type": "receipt", "fields": {"total": "7.00"}}
    (photos / "labels.jsonl").write_text(json.dumps(row) + "\n")

    with pytest.raises(OutdatedError, match=r"labels\.jsonl"):
        folder.save(key, review("9.00"))

    assert labels(photos) == [row]
    assert folder.labels(key) == {1: row}
    assert folder.save(key, review("9.00")).revision == 1
    assert [row["fields"]["total"] for row in labels(photos)] == ["9.00"]


@pytest.mark.parametrize("reviewed", [True, False])
def test_labels_that_were_changed_after_a_review_count(photos, reviewed):
    """A finished review and a draft are set aside, not shown over the label; a mere other form changes nothing."""
    (photos / "labels.jsonl").write_text('{"image": "a.jpg", "type": "receipt", "fields": {"total": "1.00"}}\n')
    folder = ReviewedFolder(photos)
    key = key_of(folder, "a.jpg")
    folder.save(key, review("9.00", reviewed=reviewed))
    folder.close()

    (row,) = labels(photos)
    (photos / "labels.jsonl").write_text(json.dumps(dict(reversed(row.items())), separators=(",", ":")) + "\n")
    again = ReviewedFolder(photos)
    assert again.review(key).sheet.fields["total"].text == "9.00"
    again.close()

    (photos / "labels.jsonl").write_text(json.dumps(row | {"fields": {"total": "7.00"}}) + "\n")
    again = ReviewedFolder(photos)
    assert (again.review(key), again.revision(key), again.is_reviewed(key)) == (None, 1, True)
    assert again.labels(key)[1]["fields"] == {"total": "7.00"}
    assert again.save(key, review("8.00", revision=1)).revision == 2
    assert again.review(key).sheet.fields["total"].text == "8.00"
    again.close()


def digest_of(folder, key):
    return folder.documents[key].digest


def test_a_replaced_file_is_open_again(folder, photos):
    """A scanner that counts from 1 again writes another document under the name: it has no review and no labels."""
    key = key_of(folder, "a.jpg")
    folder.save(key, review("9.00", file=digest_of(folder, key)))
    assert folder.is_reviewed(key)
    folder.close()
    (photos / "a.jpg").write_bytes(jpeg(150, (700, 900)))

    again = ReviewedFolder(photos)

    assert not again.is_reviewed(key)
    assert (again.review(key), again.revision(key), again.labels(key)) == (None, 1, {})
    assert labelled_folder.load(photos)[0] == []
    again.save(key, review("8.00", revision=1, file=digest_of(again, key)))
    assert again.is_reviewed(key)
    ((page,), _) = labelled_folder.load(photos)
    assert page.fields["total"] == "8.00"
    again.close()


def test_a_review_of_a_file_that_is_replaced_meanwhile_is_refused(folder, photos):
    """The values on the page are not those of the file that has the name now."""
    key = key_of(folder, "a.jpg")
    opened = digest_of(folder, key)
    (photos / "a.jpg").write_bytes(jpeg(150, (700, 900)))

    with pytest.raises(OutdatedError, match="replaced"):
        folder.save(key, review(file=opened))


def test_a_finished_review_changes_only_what_it_shows(photos):
    """Members of a row that a sheet does not have stay, and so do rows of pages that were not read."""
    first = {"image": "a.jpg", "type": "receipt", "fields": {"total": "1.00"}, "tags": ["creased"], "group": "shop 3"}
    eleventh = first | {"page": 11}
    (photos / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in (first, eleventh)))
    folder = ReviewedFolder(photos)

    folder.save(key_of(folder, "a.jpg"), review("9.00"))
    folder.close()

    row, other = labels(photos)
    assert (row["fields"]["total"], row["tags"], row["group"]) == ("9.00", ["creased"], "shop 3")
    assert other == eleventh


@pytest.mark.parametrize("unwritable", ["labels.jsonl", "reviews"])
def test_a_review_that_cannot_be_written_can_be_saved_again(folder, photos, monkeypatch, unwritable):
    """What could not be written is not taken for saved, so that no finished review is without its label."""
    key, write = key_of(folder, "a.jpg"), write_atomically

    def full(path, text):
        if unwritable in path.parts:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, text)

    monkeypatch.setattr("docextract.review.folder.write_atomically", full)
    with pytest.raises(OSError, match="No space"):
        folder.save(key, review())
    monkeypatch.undo()
    assert folder.review(key) is None

    assert folder.save(key, review()).revision == 1
    assert [row["fields"]["total"] for row in labels(photos)] == ["9.00"]


def test_the_labels_of_finished_reviews_come_back(folder, photos):
    """After a lost or replaced labels.jsonl, at the next start; drafts get none."""
    for name, reviewed in (("a.jpg", True), ("more/b.jpg", False)):
        folder.save(key_of(folder, name), review(reviewed=reviewed))
    folder.close()
    (photos / "labels.jsonl").unlink()

    ReviewedFolder(photos).close()

    assert [row["image"] for row in labels(photos)] == ["a.jpg"]


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff"])
def test_a_damaged_review_is_set_aside(folder, photos, caplog, content):
    """It is named, and the others are reviewed."""
    key = key_of(folder, "a.jpg")
    folder.save(key, review())
    folder.close()
    (photos / ".review" / "reviews" / f"{key}.json").write_bytes(content)

    again = ReviewedFolder(photos)
    again.close()

    assert again.review(key) is None
    assert "document=a.jpg" in caplog.text
    assert (photos / ".review" / "reviews" / f"{key}.damaged").read_bytes() == content


def test_a_name_that_is_not_utf8_is_reviewed(photos):
    """Its row names the file in a form that training can open."""
    path = Path(os.fsdecode(os.fsencode(photos) + b"/caf\xe9.jpg"))
    try:
        shutil.copyfile(photos / "a.jpg", path)
    except OSError:
        pytest.skip("this file system has only names in UTF-8")
    folder = ReviewedFolder(photos)
    key = key_of(folder, path.name)

    folder.save(key, review())
    folder.close()

    (page,), unusable = labelled_folder.load(photos)
    assert (page.image, unusable) == (path, [])
    assert folder.documents[key].shown_name == "caf\ufffd.jpg"


def test_only_line_feeds_end_a_row(photos):
    """JSON text may have the other characters that end lines in Unicode."""
    line = json.dumps(
        {"image": "a.jpg", "type": "receipt", "fields": {"merchant_name": "A\u2028B\x85C"}}, ensure_ascii=False
    )
    (photos / "labels.jsonl").write_text(f"{line}\n", "utf-8")
    folder = ReviewedFolder(photos)
    assert folder.is_reviewed(key_of(folder, "a.jpg"))

    folder.save(key_of(folder, "more/b.jpg"), review())
    folder.close()

    assert (photos / "labels.jsonl").read_text("utf-8").split("\n")[0] == line


def test_an_answer_is_kept_for_the_same_file_and_model(folder):
    """Another model, another file or another type is asked anew."""
    key = key_of(folder, "a.jpg")
    folder.write_answer(key, {"model": "1"}, {"documents": []})

    assert folder.read_answer(key, {"model": "1"}) == {"documents": []}
    assert folder.read_answer(key, {"model": "2"}) is None
    (folder.folder / ".review" / "answers" / f"{key}.json").write_text("[]")
    assert folder.read_answer(key, {"model": "1"}) is None


def test_a_new_type_is_described_in_the_folder(folder, photos):
    """Training finds it there, next to the labels."""
    folder.add_type("ticket", {"price": "currency", "stops.name": "string", "stops.at": "time"}, ["price"])

    kind = document_types()["ticket"]
    assert [field.name for field in kind.fields()] == ["price", "stops.name", "stops.at"]
    assert kind.required == {"price"}
    assert (photos / "types" / "ticket.toml").is_file()


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("Ticket", {"price": "currency"}, "lower-case"),
        ("receipt", {"price": "currency"}, "already"),
        ("ticket", {"model_fields": "string"}, "reserved"),
        ("ticket", {"price": "money"}, "type of a field is one of"),
    ],
)
def test_an_invalid_type_is_not_written(folder, photos, name, fields, message):
    """The message says what is wrong."""
    with pytest.raises(DescriptionError, match=message):
        folder.add_type(name, fields, [])

    assert not list(photos.glob("types/*"))

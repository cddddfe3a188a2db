"""Tests of joining pages that look alike."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from docextract.predictions import TextLine
from training.datasets import LabelledPage, group_of, pictures
from training.datasets.near_duplicates import find_alike, join_alike, perceptual_hash

OUTLINE = np.zeros((4, 2), np.float32)


def drawing(seed):
    """A picture of a few large shapes."""
    rng = np.random.default_rng(seed)
    picture = np.full((300, 220, 3), 255, np.uint8)
    for _ in range(12):
        left, top = rng.integers(0, 200), rng.integers(0, 280)
        cv2.rectangle(
            picture, (int(left), int(top)), (int(left) + 60, int(top) + 30), rng.integers(0, 200, 3).tolist(), -1
        )
    return picture


@pytest.fixture
def photos(tmp_path):
    """Twelve originals; of the first one there is a second, darker and smaller photo."""
    made = []
    for number in range(12):
        pictures.save(drawing(number), tmp_path / f"{number}.jpg")
        made.append(LabelledPage(tmp_path / f"{number}.jpg", "id_card", {}, key=str(number)))
    again = cv2.resize((drawing(0) * 0.8).astype(np.uint8), (180, 250))
    pictures.save(again, tmp_path / "again.jpg")
    return [*made, LabelledPage(tmp_path / "again.jpg", "id_card", {}, key="again")]


def test_two_photos_of_one_original_are_one_group(photos):
    """Names and sizes of the files do not matter; other originals stay apart."""
    groups = {page.key: group_of(page) for page in join_alike(photos)}

    assert groups["again"] == groups["0"]
    assert len(set(groups.values())) == 12


def test_pages_with_the_same_words_are_one_group(photos):
    """Forms of one vendor, whose name is in no label; numbers do not count."""
    form = "Invoice number Customer Delivery address Payment within days Total amount Thank you"
    texts = {
        page.key: [TextLine(f"{page.key} unlike words {'abcdefghijklm'[at] * 9}", OUTLINE, 1.0)]
        for at, page in enumerate(photos)
    }
    texts |= {key: [TextLine(f"{form} {key}{key}", OUTLINE, 1.0)] for key in ("4", "5")}

    groups = {page.key: group_of(page) for page in join_alike(photos, texts)}

    assert groups["4"] == groups["5"]
    assert groups["4"] != groups["6"]


def test_groups_that_labels_name_are_joined_as_a_whole(photos):
    """If one page of a group is like one of another, all pages of both are one group."""
    named = [replace(page, group="B") if page.key in ("again", "3") else page for page in photos]

    groups = {page.key: group_of(page) for page in join_alike(named)}

    assert groups["0"] == groups["again"] == groups["3"]


def test_the_only_form_of_a_type_is_divided_nevertheless(photos):
    """All pages look alike: they would leave nothing to judge by."""
    texts = {
        page.key: [TextLine("Weighing slip Gross Tare Net Carrier Driver Signature Goods Plate", OUTLINE, 1.0)]
        for page in photos
    }

    assert len({group_of(page) for page in join_alike(photos, texts)}) == len(photos)


@pytest.fixture
def alike(tmp_path):
    """Nine pictures that are nearly the same, among nine others."""
    made = []
    for number in range(18):
        picture = cv2.convertScaleAbs(drawing(99), alpha=1 - number / 50) if number < 9 else drawing(number)
        pictures.save(picture, tmp_path / f"{number}.jpg")
        made.append(LabelledPage(tmp_path / f"{number}.jpg", "id_card", {}, key=str(number)))
    return made


def labelled(pages, values):
    """The first pages with these fields."""
    return [
        *(replace(page, fields=fields) for page, fields in zip(pages, values, strict=False)),
        *pages[len(values) :],
    ]


def test_many_photos_of_one_original_are_one_group(alike):
    """However many they are; a field may be illegible on some of them."""
    card = {"document_number": "X1", "family_name": "Roe", "sex": "F"}
    joined = find_alike(labelled(alike, [{**card, "sex": None}, *[card] * 8]))

    groups = [group_of(page) for page in joined.pages]
    assert len(set(groups[:9])) == 1
    assert len(set(groups)) == 10
    assert joined.left_apart == []


@pytest.mark.parametrize("named", [False, True])
def test_scans_of_the_only_form_are_divided_nevertheless(alike, named):
    """Their pictures are alike, their values are not; also if the labels give each a group, as the message says."""
    values = [{"document_number": str(number), "family_name": "Roe", "sex": "F"} for number in range(9)]
    pages = [replace(page, group=f"own {page.key}") if named else page for page in labelled(alike, values)]
    joined = find_alike(pages)

    assert len({group_of(page) for page in joined.pages}) == 18
    assert joined.left_apart == [9]


@pytest.mark.parametrize(
    "sparse",
    [{"nationality": "FRA", "issuing_country": "FRA"}, {"family_name": "Roe", "sex": "F", "document_number": None}],
    ids=["what every card has", "no number"],
)
def test_a_label_without_a_number_joins_no_forms(alike, sparse):
    """It contradicts none of them."""
    card = {"family_name": "Roe", "sex": "F", "nationality": "FRA", "issuing_country": "FRA"}
    values = [sparse, *({**card, "document_number": str(number)} for number in range(1, 9))]

    assert len({group_of(page) for page in join_alike(labelled(alike, values))}) == 18


def test_photos_of_one_original_stay_together_among_many_forms(alike):
    """The form is divided between its originals."""
    values = [{"document_number": str(number // 3), "family_name": "Roe"} for number in range(9)]

    groups = [group_of(page) for page in join_alike(labelled(alike, values))]

    assert groups[0] == groups[1] == groups[2] != groups[3]
    assert len(set(groups)) == 12


def test_a_blank_picture_is_like_no_other():
    """It has no frequencies to compare."""
    assert perceptual_hash(np.full((90, 90, 3), 200, np.uint8)) is None


@pytest.mark.parametrize("group", ["", "one original"])
def test_pages_of_one_file_are_one_group(tmp_path, group):
    """Only the first page names the vendor, and only it may be named a group."""
    path = tmp_path / "scan.pdf"
    first = LabelledPage(path, "invoice", {"vendor_name": "Acme"}, key="scan-1", page=1, group=group)
    second = LabelledPage(path, "invoice", {"vendor_name": None}, key="scan-2", page=2)
    other = LabelledPage(tmp_path / "other.pdf", "invoice", {}, key="other")

    groups = [group_of(page) for page in join_alike([first, second, other])]

    assert groups[0] == groups[1] != groups[2]


def test_pages_of_a_vendor_with_many_files_stay_with_them(tmp_path):
    """Sets of that size are not joined for their pictures alone."""
    pages = [
        LabelledPage(tmp_path / f"{number}.pdf", "invoice", {"vendor_name": name}, key=f"{number}-{page}", page=page)
        for number in range(10)
        for page, name in ((1, "Acme"), (2, None))
    ]

    assert len({group_of(page) for page in join_alike(pages)}) == 1


@pytest.mark.parametrize("groups", [["", ""], ["first", "second"]])
def test_documents_that_were_scanned_into_one_file_are_divided(tmp_path, groups):
    """Their vendors tell, or the groups that their labels name."""
    pages = [
        LabelledPage(tmp_path / "a.pdf", "receipt", {"merchant_name": f"Shop {at}"}, key=f"{at}", page=at, group=group)
        for at, group in enumerate(groups, start=1)
    ]

    assert len({group_of(page) for page in join_alike(pages)}) == 2


def test_files_with_several_shops_do_not_join_the_shops(tmp_path):
    """Each file has two receipts, of shops that recur in other files."""
    pages = [
        LabelledPage(tmp_path / f"{at}.pdf", "receipt", {"merchant_name": f"Shop {shop % 7}"}, key=f"{at}-{n}", page=n)
        for at in range(14)
        for n, shop in ((1, at), (2, at + 1))
    ]

    assert len({group_of(page) for page in join_alike(pages)}) == 7

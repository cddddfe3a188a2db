"""Tests of the photos that tell whether the check of photos is right."""

import json

import numpy as np
import pytest

from training.datasets import labelled_folder
from training.evaluation.usability_photos import (
    KnownPage,
    PhotoSet,
    collection_pages,
    draw_first_page,
    photo_sets,
    photograph_page,
    printed_pages,
    write_clean,
    write_photo_set,
)

PAGE = np.full((500, 400, 3), 240, np.uint8)


def known_pages(*keys: str) -> list[KnownPage]:
    """White pages that are receipts."""
    return [KnownPage(key, "receipt", {"total": "9.00"}, {"total": ["9.05"]}, lambda: PAGE) for key in keys]


def test_a_damaged_photo_keeps_key_and_labels_of_its_page(tmp_path):
    """The outcome of the photo is compared with that of the page. A page that is not found has no damaged photo."""
    write_clean(tmp_path / "clean", iter(known_pages("a", "b")))
    cut = iter([PAGE, None])

    write_photo_set(tmp_path, PhotoSet("damaged-0", "damaged", (1, 0)), lambda photo: next(cut))

    (page,) = labelled_folder.load(tmp_path / "damaged-0").pages
    assert (page.key, page.fields, page.alternatives) == ("a", {"total": "9.00"}, {"total": ("9.05",)})


def test_photos_that_exist_are_not_made_again(tmp_path):
    """The outcomes are cached for these pictures."""
    write_clean(tmp_path / "clean", iter(known_pages("a")))

    write_clean(tmp_path / "clean", iter(known_pages("b")))

    assert [page.key for page in labelled_folder.load(tmp_path / "clean").pages] == ["a"]


def test_a_folder_that_was_not_finished_is_made_again(tmp_path):
    """A stopped run leaves no folder that looks complete."""

    def broken():
        yield from known_pages("a")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_clean(tmp_path / "clean", broken())
    write_clean(tmp_path / "clean", iter(known_pages("a", "b")))

    assert len(labelled_folder.load(tmp_path / "clean").pages) == 2


def test_the_same_seed_gives_the_same_damage():
    """A figure can be measured again."""
    first, second, other = (photograph_page(PAGE, "damaged", np.random.default_rng(seed)) for seed in (1, 1, 2))

    assert np.array_equal(first, second)
    assert first.shape != other.shape or not np.array_equal(first, other)


def test_no_two_sets_repeat_a_photo():
    """Each set has a folder and a seed of its own; careful photos come first."""
    sets = list(photo_sets())

    assert len({one.folder for one in sets}) == len({one.seed for one in sets}) == len(sets)
    assert [one.plan for one in sets[:2]] == ["good", "good"]


def test_a_collection_gives_pages_with_required_fields_only(tmp_path):
    """Keys begin with the template; rows of other kinds have no fields to read."""
    (tmp_path / "1.png").write_bytes(b"")
    rows = [
        {"image": "1.png", "type": "invoice", "template": "acme", "fields": {"invoice_total": "9.00", "iban": None}},
        {"image": "1.png", "type": "other", "kind": "letter"},
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    (page,) = collection_pages(tmp_path)

    assert (page.key, page.fields) == ("acme--1", {"total": "9.00"})


def test_synthetic_pages_have_their_fields_and_pixels():
    """Each page keeps its own pixels until it is written."""
    first, second = printed_pages(2)

    assert first.key != second.key
    assert first.fields
    assert not np.array_equal(first.load(), second.load())


def test_the_first_page_of_a_pdf_is_drawn(tmp_path):
    """Without its text layer: the reader has to read it."""
    from PIL import Image

    Image.new("RGB", (300, 200), "white").save(
        tmp_path / "two.pdf", save_all=True, append_images=[Image.new("RGB", (9, 9))]
    )

    drawn = draw_first_page(tmp_path / "two.pdf")

    assert drawn.shape[2] == 3
    assert drawn.shape[1] > drawn.shape[0]
    assert drawn.mean() > 250

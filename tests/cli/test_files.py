"""What the words on the command line stand for."""

import io
import sys
from types import SimpleNamespace

import pytest

from docextract.cli.files import find


@pytest.fixture
def scans(tmp_path, monkeypatch):
    """A folder with pictures at two depths, and things that are none."""
    for name in ("b.jpg", "a.PDF", "notes.txt", ".hidden.jpg", "deep/c.heic", ".trash/d.jpg"):
        path = tmp_path / "scans" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    monkeypatch.chdir(tmp_path)


def names(*words):
    files, _ = find(words)
    return [file.name for file in files]


def test_a_folder_is_all_its_pictures(scans):
    """PDFs too, and folders within; neither notes nor hidden thumbnails."""
    assert names("scans") == ["scans/a.PDF", "scans/b.jpg", "scans/deep/c.heic"]


def test_patterns_are_expanded_where_the_shell_did_not(scans):
    """As on Windows, or in quotes."""
    assert names("scans/*.jpg") == ["scans/b.jpg"]
    assert names("scans/**/*.heic") == ["scans/deep/c.heic"]


def test_a_file_whose_name_is_a_pattern_is_that_file(scans, tmp_path):
    """A scanner may well write scan[1].jpg."""
    (tmp_path / "scan[1].jpg").write_bytes(b"x")

    assert names("scan[1].jpg") == ["scan[1].jpg"]


def test_each_file_once_in_the_order_named(scans):
    """Whoever names a folder and a file in it wants no answer twice."""
    assert names("scans/b.jpg", "scans", "scans/b.jpg") == ["scans/b.jpg", "scans/a.PDF", "scans/deep/c.heic"]


def test_an_empty_place_is_named(scans, tmp_path):
    """A pattern that fits nothing, a folder without pictures."""
    (tmp_path / "empty").mkdir()

    assert find(["empty", "*.png", "scans/b.jpg"])[1] == ["empty", "*.png"]


def test_a_plain_name_is_taken_as_it_is(scans):
    """Whether it can be read shows when it is; the others do not wait for that."""
    assert names("missing.jpg", "scans/notes.txt") == ["missing.jpg", "scans/notes.txt"]


def test_a_dash_is_standard_input(monkeypatch):
    """As everywhere."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"picture")))

    files, _ = find(["-"])

    assert [(file.name, file.source) for file in files] == [("-", b"picture")]

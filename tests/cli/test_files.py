"""Tests of how FILE arguments become files."""

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from docextract.cli.files import find_files
from tests.images.folders import closed_folder


@pytest.fixture
def scans(tmp_path, monkeypatch):
    """A folder with pictures at two depths, hidden files and a text file."""
    for name in ("b.jpg", "a.PDF", "notes.txt", ".hidden.jpg", "deep/c.heic", ".trash/d.jpg"):
        path = tmp_path / "scans" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    monkeypatch.chdir(tmp_path)


def names(*arguments):
    files, _ = find_files(arguments)
    return [file.name for file in files]


def test_folder_stands_for_all_its_pictures(scans):
    """PDFs and subfolders count; text files and hidden files do not."""
    assert names("scans") == ["scans/a.PDF", "scans/b.jpg", "scans/deep/c.heic"]


def test_folders_that_cannot_be_listed_are_reported(scans, tmp_path, monkeypatch):
    """They stand for themselves, so that reading them fails with the reason; a broken link does, too."""
    (tmp_path / "scans" / "link.jpg").symlink_to("gone.jpg")
    monkeypatch.setattr(os, "scandir", closed_folder("deep"))

    assert names("scans") == ["scans/a.PDF", "scans/b.jpg", "scans/deep", "scans/link.jpg"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("scans/**/*.jpg", ["scans/b.jpg", "scans/deep"]),
        ("sc*/*/*.heic", ["scans/deep"]),
        ("scans/d*/*.heic", ["scans/deep"]),
        ("scans/*.jpg", ["scans/b.jpg"]),
        ("scans/x*/*.heic", ["scans/x*/*.heic"]),
    ],
)
def test_folders_that_cannot_be_listed_are_reported_if_a_pattern_may_have_files_in_them(
    scans, monkeypatch, pattern, found
):
    monkeypatch.setattr(os, "scandir", closed_folder("deep"))
    files, without_files = find_files([pattern])

    assert [*(file.name for file in files), *without_files] == found


def test_files_of_folders_that_cannot_be_entered_are_reported(scans, tmp_path, monkeypatch):
    """Their names can be read, but nothing else."""
    whole = Path.stat

    def stat(path, **options):
        if path.name == "c.heic":
            raise PermissionError(13, "Permission denied", str(path))
        return whole(path, **options)

    monkeypatch.setattr(Path, "stat", stat)

    assert "scans/deep/c.heic" in names("scans")


def test_names_that_are_not_utf8_are_printable(scans, tmp_path):
    """Old file systems have them; each file keeps its own path."""
    (tmp_path / "scans" / os.fsdecode(b"b\xe9.jpg")).write_bytes(b"x")
    (tmp_path / "scans" / "b\\xe9.jpg").write_bytes(b"x")

    files, _ = find_files(["scans"])

    assert [file.name for file in files].count("scans/b\\xe9.jpg") == 2
    assert {os.fsencode(file.source) for file in files} >= {b"scans/b\xe9.jpg", b"scans/b\\xe9.jpg"}


def test_patterns_are_expanded(scans):
    """On Windows and in quotes the shell does not expand patterns."""
    assert names("scans/*.jpg") == ["scans/b.jpg"]
    assert names("scans/**/*.heic") == ["scans/deep/c.heic"]


def test_file_whose_name_is_a_pattern_is_that_file(scans, tmp_path):
    """A scanner may name its files scan[1].jpg."""
    (tmp_path / "scan[1].jpg").write_bytes(b"x")

    assert names("scan[1].jpg") == ["scan[1].jpg"]


def test_each_file_occurs_once_in_argument_order(scans):
    """A file that is named twice is processed once."""
    assert names("scans/b.jpg", "scans", "scans/b.jpg") == ["scans/b.jpg", "scans/a.PDF", "scans/deep/c.heic"]


def test_arguments_without_files_are_returned(scans, tmp_path):
    """A pattern without a match, and a folder without pictures."""
    (tmp_path / "empty").mkdir()

    assert find_files(["empty", "*.png", "scans/b.jpg"])[1] == ["empty", "*.png"]


def test_plain_name_is_not_checked(scans):
    """A missing file is reported when it is read."""
    assert names("missing.jpg", "scans/notes.txt") == ["missing.jpg", "scans/notes.txt"]


def test_dash_is_standard_input(monkeypatch):
    """The argument "-" reads standard input."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"picture")))

    files, _ = find_files(["-"])

    assert [(file.name, file.source) for file in files] == [("-", b"picture")]

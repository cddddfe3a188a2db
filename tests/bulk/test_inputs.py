"""Tests of the input listing, on a disk and on an in-memory object store."""

import os

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from docextract.bulk.inputs import Inputs
from tests.images.folders import closed_folder


@pytest.fixture(params=["a disk", "a store"])
def location(request, tmp_path, monkeypatch):
    """URL of a folder with these files."""
    names = ("b.jpg", "a/2.PDF", "a/deep/3.heic", "a/notes.txt", ".trash/old.jpg", "a/.thumb.jpg")
    if request.param == "a disk":
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(name.encode())
        return str(tmp_path)
    monkeypatch.setattr(MemoryFileSystem, "store", {})
    monkeypatch.setattr(MemoryFileSystem, "pseudo_dirs", [""])
    for name in names:
        MemoryFileSystem().pipe_file(f"/bucket/{name}", name.encode())
    return "memory://bucket"


def test_folder_contains_every_picture_and_pdf_below_it(location):
    """Names are relative to the folder and sorted; hidden files are left out."""
    assert Inputs(location).names() == ["a/2.PDF", "a/deep/3.heic", "b.jpg"]
    assert Inputs(f"{location}/").names() == Inputs(location).names()


def test_folders_that_cannot_be_listed_are_named(tmp_path, monkeypatch):
    """Reading one fails, which becomes a row; if it is the input itself, nothing begins."""
    for name in ("1.jpg", "closed/2.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.setattr(os, "scandir", closed_folder("closed"))

    assert Inputs(str(tmp_path)).names() == ["1.jpg", "closed"]
    with pytest.raises(OSError, match="directory"):
        Inputs(str(tmp_path)).reader().read("closed")
    with pytest.raises(PermissionError):
        Inputs(str(tmp_path / "closed")).names()


def test_folders_that_cannot_be_listed_are_named_if_a_pattern_may_have_files_in_them(tmp_path, monkeypatch):
    """Otherwise their files would be missing in the output, and nothing would say so."""
    for name in ("a/1.jpg", "a/closed/2.jpg", "b/closed/3.jpg", "b/.hidden/closed/4.jpg"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.setattr(os, "scandir", closed_folder("closed"))

    assert Inputs(f"{tmp_path}/**/*.jpg").names() == ["a/1.jpg", "a/closed", "b/closed"]
    assert Inputs(f"{tmp_path}/a*/*/*.jpg").names() == ["a/closed"]
    assert Inputs(f"{tmp_path}/*/*.jpg").names() == ["a/1.jpg"]
    with pytest.raises(PermissionError):
        Inputs(f"{tmp_path}/a/closed/*.jpg").names()


def test_pattern_selects_matching_files(location):
    """Names are relative to the last folder before the wildcard."""
    assert Inputs(f"{location}/a/**/*.heic").names() == ["deep/3.heic"]


def test_single_file_is_used_whatever_its_name(location):
    """A file that is given explicitly needs no known suffix."""
    assert Inputs(f"{location}/a/notes.txt").names() == ["notes.txt"]


@pytest.mark.parametrize("folder", ["scans [2024]", "new?", "**"])
@pytest.mark.parametrize("file", ["", "/1.jpg"])
def test_names_may_look_like_patterns(tmp_path, folder, file):
    """A folder or a file that exists is no pattern."""
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "1.jpg").write_bytes(b"1")
    (tmp_path / "2.jpg").write_bytes(b"2")
    inputs = Inputs(f"{tmp_path}/{folder}{file}")

    assert inputs.names() == ["1.jpg"]
    assert inputs.reader().read("1.jpg") == b"1"


@pytest.mark.parametrize("where", ["", "/a/**/*.heic", "/b.jpg"])
def test_listed_files_can_be_read(location, where):
    """Each file is read by its listed name."""
    inputs = Inputs(location + where)
    reader = inputs.reader()

    assert all(reader.read(name).decode().endswith(name) for name in inputs.names())
    assert inputs.names()


def test_errors_of_a_store_are_those_of_a_file(monkeypatch):
    """The libraries behind stores have errors of their own, which must not end the process that reads."""
    monkeypatch.setattr(MemoryFileSystem, "cat_file", lambda *_: 1 / 0)

    with pytest.raises(OSError, match="ZeroDivisionError"):
        Inputs("memory://bucket").reader().read("1.jpg")


def test_missing_location_raises(location):
    """It is not treated as an empty folder."""
    with pytest.raises(FileNotFoundError):
        Inputs(f"{location}/nowhere").names()

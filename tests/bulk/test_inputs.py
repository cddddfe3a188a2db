"""Finding the files, on a disk and in something like an object store."""

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from docextract.bulk.inputs import Inputs


@pytest.fixture(params=["a disk", "a store"])
def place(request, tmp_path, monkeypatch):
    """The address of a folder with these files in it."""
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


def test_a_folder_is_every_picture_and_pdf_below_it(place):
    """Named from the folder on, in one order; hidden ones are left out."""
    assert Inputs(place).names() == ["a/2.PDF", "a/deep/3.heic", "b.jpg"]
    assert Inputs(f"{place}/").names() == Inputs(place).names()


def test_a_pattern_is_what_fits_it(place):
    """Named from the last folder that has no star in it."""
    assert Inputs(f"{place}/a/**/*.heic").names() == ["deep/3.heic"]


def test_a_single_file_is_itself(place):
    """Whatever its name: somebody meant it."""
    assert Inputs(f"{place}/a/notes.txt").names() == ["notes.txt"]


@pytest.mark.parametrize("where", ["", "/a/**/*.heic", "/b.jpg"])
def test_what_is_found_can_be_read(place, where):
    """By the name under which it was found."""
    inputs = Inputs(place + where)
    reader = inputs.reader()

    assert all(reader.read(name).decode().endswith(name) for name in inputs.names())
    assert inputs.names()


def test_no_such_place_is_said(place):
    """It is not taken for an empty one."""
    with pytest.raises(FileNotFoundError):
        Inputs(f"{place}/nowhere").names()

"""Tests of files that are complete if they exist."""

import os
from pathlib import Path

import pytest

from docextract.files import whole_file, write_atomically


def test_an_exception_leaves_the_old_file_alone(tmp_path):
    """The unfinished file is removed."""
    file = tmp_path / "labels.jsonl"
    file.write_text("old")

    def write():
        with whole_file(file) as unfinished:
            unfinished.write_text("ne")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk is full"):
        write()

    assert [path.name for path in tmp_path.iterdir()] == ["labels.jsonl"]
    assert file.read_text() == "old"


@pytest.mark.parametrize("content", ["old", None])
def test_a_symbolic_link_stays(tmp_path, content):
    """The file that it leads to is written, in its own folder, whether it exists or not."""
    target, link = tmp_path / "central" / "labels.jsonl", tmp_path / "slips.jsonl"
    target.parent.mkdir()
    if content:
        target.write_text(content)
    link.symlink_to(target)

    with whole_file(link) as unfinished:
        unfinished.write_text("new")

    assert link.is_symlink()
    assert target.read_text() == "new"
    assert [path.name for path in target.parent.iterdir()] == ["labels.jsonl"]


def test_a_text_that_cannot_be_written_leaves_the_old_file_alone(tmp_path, monkeypatch):
    """And nothing else in the folder."""
    (tmp_path / "promoted.toml").write_text("old")

    def fill_up(path, text, **options):
        path.write_bytes(b"ne")
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_text", fill_up)
    with pytest.raises(OSError, match="disk is full"):
        write_atomically(tmp_path / "promoted.toml", "new")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("promoted.toml", b"old")]


def test_files_are_on_the_disk_before_they_have_their_name(tmp_path, monkeypatch):
    """A power failure may leave an empty file in the place of the old one; their folder has the name."""
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_ino), fsync(handle)))
    folder, files = tmp_path.stat().st_ino, [tmp_path / "run.json", tmp_path / "promoted.toml"]

    with whole_file(files[0]) as unfinished:
        unfinished.write_text("new")
    write_atomically(files[1], "new")

    assert synced == [files[0].stat().st_ino, folder, files[1].stat().st_ino, folder]

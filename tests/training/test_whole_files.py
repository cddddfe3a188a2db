"""Tests of files that are complete if they exist."""

import pytest

from training.whole_files import whole_file


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

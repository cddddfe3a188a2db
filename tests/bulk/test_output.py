"""Parts that are there or not, and what a later run makes of them."""

from pathlib import Path
from typing import get_args

import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from docextract.bulk.output import Format, OtherRunError, Output, Row, Tally

ABOUT = {"input": "scans", "options": {"strictness": "strict"}}
GOOD = Row("1.jpg", "ab", 200, accepted=True, score=0.9, needs_review=False, documents=[{"type": "receipt"}], ms=3.5)
REVIEW = Row("2.jpg", "cd", 200, accepted=False, score=0.1, needs_review=True, documents=[])
REFUSED = Row("3.jpg", "ef", 422, "image_quality_insufficient", "Hold still.", accepted=False, score=0.1)
BROKEN = Row("4.jpg", "01", 422, "image_undecodable", "The file is damaged – or cut short.")
ROWS = [GOOD, REVIEW, REFUSED, BROKEN]
NAMES = [row.path for row in ROWS]


@pytest.fixture(params=get_args(Format))
def form(request):
    return request.param


@pytest.fixture(params=["a disk", "a store"])
def output(request, tmp_path, monkeypatch, form):
    if request.param == "a disk":
        return Output(str(tmp_path / "answers"), form)
    monkeypatch.setattr(MemoryFileSystem, "store", {})
    monkeypatch.setattr(MemoryFileSystem, "pseudo_dirs", [""])
    return Output("memory://bucket/answers", form)


def files(output):
    fs, folder = output._opened()
    return {Path(path).name: path for path in fs.ls(folder, detail=False)}


def test_rows_come_back_as_they_were(output):
    """Documents with all that is in them, in either format."""
    output.begin(ABOUT)
    output.part(NAMES).write(ROWS)

    rows = list(output.rows())
    assert [Row(**row) for row in rows] == ROWS


def test_a_later_run_knows_what_is_done(output):
    """Which files have a row, and how it went with them; a row that says no is a row."""
    assert output.begin(ABOUT).paths == frozenset()
    output.part(NAMES[:2]).write(ROWS[:2])
    output.part(NAMES[2:]).write(ROWS[2:])

    finished = output.begin(ABOUT)

    assert finished.paths == frozenset(NAMES)
    assert finished.tally == Tally(good=1, review=2, failed=1)


def test_the_same_part_written_twice_is_there_once(output):
    """Two workers may do it, the first having been taken for dead."""
    output.begin(ABOUT)
    output.part(NAMES).write(ROWS)
    output.part(NAMES).write(ROWS)

    assert len(list(output.rows())) == len(ROWS)


def test_a_writer_that_dies_leaves_nothing_that_counts(output, monkeypatch):
    """Its part appears only when it is whole; the next run clears up after it."""
    output.begin(ABOUT)
    with monkeypatch.context() as dying:
        for kind in (LocalFileSystem, MemoryFileSystem):
            dying.setattr(kind, "mv", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            output.part(NAMES).write(ROWS)

    assert len(files(output)) == 2  # what it is about, and what was not finished
    assert output.begin(ABOUT).paths == frozenset()
    assert len(files(output)) == 1


def test_a_part_that_is_cut_short_is_done_again(output):
    """A disk whose power failed may hold half of a file that was there as a whole."""
    output.begin(ABOUT)
    output.part(NAMES).write(ROWS)
    fs, _ = output._opened()
    (path,) = [path for name, path in files(output).items() if name.startswith("part-")]
    fs.pipe_file(path, fs.cat_file(path)[:-5])

    assert output.begin(ABOUT).paths == frozenset()
    assert list(output.rows()) == []


@pytest.mark.parametrize("other", [{"options": {}}, {"input": "more"}, {"models": {"quality": "2.0.0"}}])
def test_answers_of_another_kind_are_not_mixed_in(output, other):
    """Other options, other files, other models: all that would make rows differ has a folder of its own."""
    output.begin(ABOUT)

    with pytest.raises(OtherRunError, match=next(iter(other))):
        output.begin(ABOUT | other)


def test_word_is_left_for_whoever_takes_over(output):
    """And taken back at the end; readers of the folder pass over it."""
    output.begin(ABOUT)
    part = output.part(NAMES)
    assert part.tried() is None

    part.try_(["4.jpg"])
    assert output.part(NAMES).tried() == ["4.jpg"]
    assert list(output.rows()) == []

    part.end()
    assert output.part(NAMES).tried() is None

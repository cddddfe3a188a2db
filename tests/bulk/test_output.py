"""Tests of the output parts, and of resuming from them."""

import errno
from pathlib import Path
from typing import get_args

import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from docextract.bulk.output import FileCounts, Format, OtherRunError, OutputFolder, ResultRow

RUN_INFO = {"input": "scans", "options": {"strictness": "strict"}}
GOOD_ROW = ResultRow(
    "1.jpg", "ab", 200, accepted=True, score=0.9, needs_review=False, documents=[{"type": "receipt"}], ms=3.5
)
REVIEW_ROW = ResultRow("2.jpg", "cd", 200, accepted=False, score=0.1, needs_review=True, documents=[])
UNACCEPTED_ROW = ResultRow("5.jpg", "23", 200, accepted=False, score=0.3, needs_review=False, documents=[])
REFUSED_ROW = ResultRow("3.jpg", "ef", 422, "image_quality_insufficient", "Hold still.", accepted=False, score=0.1)
BROKEN_ROW = ResultRow("4.jpg", "01", 422, "image_undecodable", "The file is damaged – or cut short.")
ROWS = [GOOD_ROW, REVIEW_ROW, REFUSED_ROW, BROKEN_ROW, UNACCEPTED_ROW]
NAMES = [row.path for row in ROWS]


@pytest.fixture(params=get_args(Format))
def file_format(request):
    return request.param


@pytest.fixture(params=["a disk", "a store"])
def output(request, tmp_path, monkeypatch, file_format):
    if request.param == "a disk":
        return OutputFolder(str(tmp_path / "answers"), file_format)
    monkeypatch.setattr(MemoryFileSystem, "store", {})
    monkeypatch.setattr(MemoryFileSystem, "pseudo_dirs", [""])
    return OutputFolder("memory://bucket/answers", file_format)


def files(output):
    fs, folder = output._open()
    return {Path(path).name: path for path in fs.ls(folder, detail=False)}


def test_rows_survive_writing_and_reading(output):
    """Both formats keep complete documents."""
    output.start(RUN_INFO)
    output.part(NAMES).write(ROWS)

    rows = list(output.rows())
    assert [ResultRow(**row) for row in rows] == ROWS


def test_later_run_finds_finished_files(output):
    """Every file with a row is finished, with its result; a row with an error counts, too.

    A photo that was not accepted is to be looked at, whatever is read on it.
    """
    assert output.start(RUN_INFO).paths == frozenset()
    output.part(NAMES[:2]).write(ROWS[:2])
    output.part(NAMES[2:]).write(ROWS[2:])

    finished = output.start(RUN_INFO)

    assert finished.paths == frozenset(NAMES)
    assert finished.counts == FileCounts(good=1, review=3, failed=1)


def test_part_written_twice_exists_once(output):
    """Two workers may process the same part if the first was taken for dead."""
    output.start(RUN_INFO)
    output.part(NAMES).write(ROWS)
    output.part(NAMES).write(ROWS)

    assert len(list(output.rows())) == len(ROWS)


def test_interrupted_write_leaves_no_part(output, monkeypatch):
    """A part appears only when it is complete; the next run removes unfinished files."""
    output.start(RUN_INFO)
    with monkeypatch.context() as failing_moves:
        for kind in (LocalFileSystem, MemoryFileSystem):
            failing_moves.setattr(kind, "mv", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            output.part(NAMES).write(ROWS)

    assert len(files(output)) == 2  # the run description and the unfinished file
    assert output.start(RUN_INFO).paths == frozenset()
    assert len(files(output)) == 1


@pytest.mark.parametrize(
    "damage", [lambda content: content[:-5], lambda content: content[:4] + bytes(400) + content[404:]]
)
def test_damaged_part_is_processed_again(output, damage):
    """After a power failure a disk may hold only a part of a complete file, or zeros."""
    output.start(RUN_INFO)
    output.part(NAMES).write(ROWS)
    fs, _ = output._open()
    (path,) = [path for name, path in files(output).items() if name.startswith("part-")]
    fs.pipe_file(path, damage(fs.cat_file(path)))

    assert output.start(RUN_INFO).paths == frozenset()
    assert list(output.rows()) == []


def test_part_is_kept_if_the_store_does_not_answer(output, monkeypatch):
    """That says nothing about the part."""
    output.start(RUN_INFO)
    output.part(NAMES).write(ROWS)
    fs, _ = output._open()

    def read(path, read_file=fs.cat_file):
        if "part-" in path:
            raise OSError("no answer")
        return read_file(path)

    with monkeypatch.context() as failing_reads:
        failing_reads.setattr(fs, "cat_file", read)  # fsspec has one object for each store
        with pytest.raises(OSError, match="no answer"):
            output.start(RUN_INFO)

    assert output.start(RUN_INFO).paths == frozenset(NAMES)


def test_damaged_description_of_the_run_is_reported(output):
    """It is not known whether the answers belong to this run; who knows it can delete the file."""
    output.start(RUN_INFO)
    output.part(NAMES).write(ROWS)
    fs, _ = output._open()
    path = files(output)["_about.json"]
    fs.pipe_file(path, b"")

    with pytest.raises(OtherRunError, match=r"_about\.json is damaged"):
        output.start(RUN_INFO)
    fs.rm_file(path)
    assert output.start(RUN_INFO).paths == frozenset(NAMES)


@pytest.mark.parametrize("other", [{"options": {}}, {"input": "more"}, {"models": {"quality": "2.0.0"}}])
def test_answers_of_another_run_are_refused(output, other):
    """Other options, inputs or models need an output folder of their own."""
    output.start(RUN_INFO)

    with pytest.raises(OtherRunError, match=next(iter(other))):
        output.start(RUN_INFO | other)


def test_runs_of_an_earlier_release_are_resumed(output):
    """What it has not recorded is not known to differ."""
    output.start(RUN_INFO)
    output.part(NAMES).write(ROWS)

    assert output.start(RUN_INFO | {"settings": {"strictness": "strict"}}).paths == frozenset(NAMES)


def test_two_runs_do_not_write_to_one_local_folder(tmp_path):
    """The second would remove the unfinished files of the first. A killed run holds no lock: the system releases it."""
    output = OutputFolder(str(tmp_path), "jsonl")
    first = output.reserve()

    with pytest.raises(OtherRunError, match="another run is writing"):
        output.reserve()
    first.release()
    output.reserve().release()


def test_a_file_system_without_locks_can_be_used(tmp_path, monkeypatch):
    """Some network file systems have none; a lock that outlives a killed run would keep it from being resumed."""
    monkeypatch.setattr("fcntl.flock", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSYS, "not implemented")))
    output = OutputFolder(str(tmp_path), "jsonl")

    assert output.reserve() is None
    assert output.start(RUN_INFO).paths == frozenset()


def test_attempts_are_recorded_for_the_next_actor(output):
    """The record is removed at the end; readers of the folder ignore it."""
    output.start(RUN_INFO)
    part = output.part(NAMES)
    assert part.read_attempts() is None

    part.record_attempts(["4.jpg"])
    assert output.part(NAMES).read_attempts() == ["4.jpg"]
    assert list(output.rows()) == []

    part.clear_attempts()
    assert output.part(NAMES).read_attempts() is None

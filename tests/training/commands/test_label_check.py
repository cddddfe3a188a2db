"""Tests of checking labels before training."""

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from docextract import documents
from docextract.predictions import TextLine
from training.commands import label_check
from training.datasets import part_of, pictures, reads


@pytest.fixture
def data(tmp_path):
    """Twenty labelled receipts with different grey values; the test adds rows."""
    rows = []
    for number in range(20):
        pictures.save(np.full((80, 100, 3), 60 + number, np.uint8), tmp_path / f"{number:02}.png")
        rows.append({"image": f"{number:02}.png", "type": "receipt", "fields": {"total": f"{number}.00", "tip": None}})

    def write(*more):
        (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, *more]))
        return tmp_path

    return write


GOOD = {"image": "00.png", "type": "receipt", "fields": {"total": "9.00"}}


def test_every_row_is_counted_or_reported(data, tmp_path, capsys):
    """Nothing is skipped silently: each unusable row is reported with its line and reason."""
    (tmp_path / "broken.jpg").write_bytes(b"no picture")
    pictures.save(np.full((80, 100, 3), 60, np.uint8), tmp_path / "copy.png")
    folder = data(
        {**GOOD, "image": "99.png"}, {**GOOD, "image": "broken.jpg"}, {**GOOD, "type": "menu"}, {**GOOD, "fields": {}},
        {**GOOD, "fields": {"totl": "1"}}, {**GOOD, "fields": {"total": "one"}}, GOOD, {**GOOD, "image": "copy.png"},
    )  # fmt: skip

    assert label_check.main([str(folder)]) == 0

    text = capsys.readouterr().out
    for line, reason in (
        (21, "99.png does not exist"), (22, "broken.jpg cannot be used"), (23, "type 'menu' is not known"),
        (24, "no field has a label"), (25, "receipt has no field 'totl'"), (26, "'one' is not a currency"),
        (27, "00.png is labelled already, in labels.jsonl:1"), (28, "copy.png is the same picture as labels.jsonl:1"),
    ):  # fmt: skip
        (reported,) = (one for one in text.splitlines() if one.startswith(f"  labels.jsonl:{line}: "))
        assert reason in reported
    assert "8 of 28 rows cannot be used" in text
    assert "20 pages of 20 groups can be used" in text


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_names_that_are_not_utf_8_are_reported_too(data, capsys, options):
    """Escaped, as in JSON."""
    assert label_check.main([str(data({**GOOD, "image": "M\udcfcller.png"})), *options]) == 0

    assert r"M\udcfcller.png does not exist" in capsys.readouterr().out


def test_counts_are_by_type_and_field(data, capsys):
    """Counts of labelled and absent values, and of held-out pages."""
    assert label_check.main([str(data()), "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    receipt = found["types"]["receipt"]
    parts = Counter(map(part_of, label_check.check_labels(data()).pages))
    assert (found["rows"], found["usable"], found["unusable"]) == (20, 20, [])
    counted = {"train": found["trained_on"], "evaluate": found["held_back"]} | {
        name: found[name] for name in ("stop", "calibrate")
    }
    assert counted == {name: parts[name] for name in counted}
    assert sum(counted.values()) == 20
    assert 0 < receipt["held_back"] == parts["evaluate"] < 20
    assert receipt["fields"]["total"] == {"known": 20, "absent": 0}
    assert receipt["fields"]["tip"] == {"known": 0, "absent": 20}
    assert receipt["fields"]["subtotal"] == {"known": 0, "absent": 0}


def test_of_few_pages_none_is_held_out(data, capsys):
    """All are trained on, also by the counts of each type."""
    folder = data()
    rows = (folder / "labels.jsonl").read_text().splitlines(keepends=True)[:9]
    (folder / "labels.jsonl").write_text("".join(rows))

    label_check.main([str(folder), "--json"])

    found = json.loads(capsys.readouterr().out)
    assert (found["trained_on"], found["held_back"], found["types"]["receipt"]["held_back"]) == (9, 0, 0)


def test_types_of_the_served_model_are_known(data, tmp_path, monkeypatch, capsys):
    """As in retraining, without a description next to the labels."""
    (tmp_path / "served" / "types").mkdir(parents=True)
    (tmp_path / "served" / "types" / "menu.toml").write_text('version = "1.0"\n[fields]\nsoup = "string"\n')
    monkeypatch.setattr(label_check, "promoted_version", lambda *_: SimpleNamespace(folder=tmp_path / "served"))
    monkeypatch.setattr(documents, "_registered", dict(documents._registered))

    pictures.save(np.full((80, 100, 3), 200, np.uint8), tmp_path / "menu.png")

    assert label_check.main([str(data({"image": "menu.png", "type": "menu", "fields": {"soup": "Leek"}}))]) == 0

    assert "menu: 1 pages" in capsys.readouterr().out


def test_without_a_usable_row_the_exit_status_is_1(tmp_path, capsys):
    """A script that continues with training stops here."""
    (tmp_path / "labels.jsonl").write_text("{\n")

    assert label_check.main([str(tmp_path)]) == 1
    assert "labels.jsonl:1: no JSON" in capsys.readouterr().out


def test_unreadable_data_is_reported_in_one_sentence(tmp_path, capsys):
    """The message is one sentence, not a traceback."""
    with pytest.raises(SystemExit) as stopped:
        label_check.main([str(tmp_path)])

    assert stopped.value.code == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path} holds no labels")


def test_values_missing_on_the_page_are_reported(data, tmp_path, monkeypatch, capsys):
    """With --read, mistyped or unreadable values are reported with their place."""

    def as_read(cache, pages, models_dir):
        for page in pages:
            total = "TOTAL 7.00" if page.key == "03" else f"TOTAL {page.fields['total']}"
            line = TextLine(total, np.array([[0, 0], [90, 0], [90, 20], [0, 20]], np.float32), 0.99)
            yield reads.OcrResult(page.key, (line,), 100, 80)

    monkeypatch.setattr(reads, "read_as_served", as_read)

    assert label_check.main([str(data()), "--read", "--reads", str(tmp_path / "reads.jsonl")]) == 0

    text = capsys.readouterr().out
    assert "1 values are not found" in text
    assert "  labels.jsonl:4: total (03.png)" in text


def test_alike_pages_that_are_not_joined_are_reported(tmp_path, capsys):
    """Nine pictures that are nearly the same, of different documents."""
    rows = []
    for number in range(12):
        picture = np.full((90, 90, 3), 255, np.uint8)
        picture[10:40, 10:60] = 20 + number
        if number >= 9:
            picture = np.rot90(picture, number - 8).copy()
            picture[50 : 50 + 10 * (number - 8), 20:45] = 0
        pictures.save(picture, tmp_path / f"{number:02}.png")
        rows.append({"image": f"{number:02}.png", "type": "receipt", "fields": {"total": f"{number}.00", "tip": "1"}})
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    assert label_check.main([str(tmp_path)]) == 0
    assert "9 of them look alike, too many to be one group" in capsys.readouterr().out

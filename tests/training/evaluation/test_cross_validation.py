"""Tests of the cross-validation of retraining: who trains, and who is judged."""

import json
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from docextract.registry import gate
from training.datasets import LabelledPage, UnusableDataError, group_of, labelled_folder
from training.datasets.reads import OcrResult
from training.evaluation import cross_validation
from training.evaluation.evaluate import PageOutcome
from training.loop import CHECKPOINT
from training.metrics import Comparison
from training.tasks.layout.variations import RealPage


def page(name, group):
    return RealPage(
        LabelledPage(Path(f"{name}.png"), "receipt", {}, key=name, group=group), OcrResult(name, (), 10, 10)
    )


def pages(counts):
    return [page(f"{group}{number}", group) for group, count in counts.items() for number in range(count)]


def keys(some):
    return {one.label.key for one in some}


def test_parts_share_no_group_and_are_about_equal():
    parts = cross_validation.divide(pages({"A": 4, "B": 3, "C": 2, "D": 2, "E": 1}), 3, seed=1)

    groups = [{group_of(one.label) for one in part} for part in parts]
    assert set.union(*groups) == set("ABCDE")
    assert sum(map(len, groups)) == 5
    assert [len(part) for part in parts] == [4, 4, 4]


def test_no_part_is_empty():
    assert len(cross_validation.divide(pages({"A": 4, "B": 3}), 5, seed=1)) == 2


def test_further_pages_are_always_trained_on():
    """Pages that stop, calibrate and are held out are never among those trained on."""
    others, further, held_out = pages({"A": 3, "B": 2, "C": 1}), pages({"X": 2}), pages({"D": 1})

    parts = cross_validation.parts_of(others, further, held_out, seed=1)

    assert keys(parts.train) | keys(parts.stop) | keys(parts.calibrate) == keys(others) | keys(further)
    assert keys(further) < keys(parts.train)
    assert not keys(parts.train) & (keys(parts.stop) | keys(parts.calibrate))
    assert not keys(parts.stop) & keys(parts.calibrate)
    assert parts.stop
    assert parts.calibrate
    assert keys(parts.evaluate) == keys(held_out)


def test_two_groups_are_too_few():
    with pytest.raises(UnusableDataError, match="too few groups"):
        cross_validation.parts_of(pages({"A": 3, "B": 2}), [], pages({"C": 1}), seed=1)


def test_documents_with_several_pages_are_left_out(tmp_path):
    """Values of the second page are on none of the pages that would be trained on."""
    rows = []
    for name, count in (("one", 1), ("two", 2)):
        pdf = pypdfium2.PdfDocument.new()
        for _ in range(count):
            pdf.new_page(100, 100)
        pdf.save(tmp_path / f"{name}.pdf")
        rows.append(
            {"image": f"{name}.pdf", "type": "invoice", "template": "layout", "fields": {"invoice_total": "1.00"}}
        )
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    (found,) = cross_validation.single_page_documents(tmp_path, tmp_path / "copies")

    assert found.image.name.endswith("one.pdf")
    assert (found.fields, found.group) == ({"total": "1.00"}, "layout")


def write_receipts(folder, count):
    with labelled_folder.LabelledFolderWriter(folder) as writer:
        for number in range(count):
            writer.add(f"{number}", np.full((64, 64, 3), 20 * number, np.uint8), "receipt", {"total": "1.00"})


@pytest.fixture
def recorded(monkeypatch):
    """By folder, what its model was trained on; and of every judged page the key, the folder and the synthetic pages.

    A folder with a checkpoint is not trained again.
    """
    seen, judged = {}, []

    def read(labels, cache, models, bar):
        return [RealPage(label, OcrResult(label.key, (), 9, 9)) for label in labels]

    def retrain(parts, out, models, settings, workers, bar):
        if not (out / CHECKPOINT).exists():
            seen[out] = keys(parts.train) | keys(parts.stop) | keys(parts.calibrate)
            (out / CHECKPOINT).touch()
        return out

    class Versions:
        def __init__(self, weights):
            self.weights = weights

        @classmethod
        def of(cls, model, weights, models):
            return cls(weights)

        def provenance(self):
            return {}

    def compare_pages(versions, sets, synthetic, bar):
        (left_out,) = sets.values()
        judged.extend((label.key, versions.weights, synthetic) for label in left_out)
        right, wrong = (Comparison("total", 1, value, 0.9, (), answer={}, alternatives=()) for value in (1, 2))
        pairs = [
            tuple(PageOutcome(label.key, "receipt", (one,), True, True, None, label.key) for one in (right, wrong))
            for label in left_out
        ]
        return {cross_validation.LEFT_OUT: pairs}

    monkeypatch.setattr(cross_validation, "read_user_pages", read)
    monkeypatch.setattr(cross_validation, "retrain_extraction", retrain)
    monkeypatch.setattr(cross_validation.compare, "Versions", Versions)
    monkeypatch.setattr(cross_validation.compare, "compare_pages", compare_pages)
    return seen, judged


def cross_validate(tmp_path):
    cross_validation.main([str(tmp_path / "data"), "--folds", "4", "--out", str(tmp_path / "out")])


def test_every_page_is_judged_by_a_model_that_has_not_seen_its_group(tmp_path, recorded, capsys):
    """Each page is judged once, and known types once."""
    seen, judged = recorded
    write_receipts(tmp_path / "data", 8)
    with (tmp_path / "data" / "labels.jsonl").open("a") as rows:
        rows.write("{\n")

    cross_validate(tmp_path)

    assert sorted(key for key, _, _ in judged) == [str(number) for number in range(8)]
    assert all(key not in seen[weights] for key, weights, _ in judged)
    assert sum(synthetic > 0 for _, _, synthetic in judged) == 2  # the pages of the first part
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert scores[gate.COMPARISON]["left_out.fields.all.exact"]["gain"] == 1.0
    said = capsys.readouterr()
    assert "100.0% are right, 0.0% with the served model" in said.out
    assert "labels.jsonl:9: not used: no JSON" in said.err


def test_no_model_of_an_earlier_run_judges_pages_that_it_was_trained_on(tmp_path, recorded):
    """The same data is resumed; with more data the parts are others, and all are trained again."""
    seen, judged = recorded
    write_receipts(tmp_path / "data", 8)
    cross_validate(tmp_path)
    seen.clear()
    cross_validate(tmp_path)
    assert not seen

    write_receipts(tmp_path / "data", 11)
    judged.clear()
    cross_validate(tmp_path)

    assert len(judged) == 11
    assert all(key not in seen[weights] for key, weights, _ in judged)


@pytest.mark.parametrize(
    ("count", "message"), [(None, "data does not exist"), (0, "no page can be used"), (2, "too few groups")]
)
def test_data_that_cannot_be_used_is_named(tmp_path, recorded, capsys, count, message):
    """Without a traceback, and with a status that ends a script."""
    if count is not None:
        write_receipts(tmp_path / "data", count)

    with pytest.raises(SystemExit, match="1"):
        cross_validate(tmp_path)

    assert message in capsys.readouterr().err

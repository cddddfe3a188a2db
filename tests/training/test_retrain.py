"""Retraining, on a scale that a test can wait for: the reader's place is taken by the misreading model."""

import json
from datetime import date
from random import Random

import numpy as np
import pytest
import torch

from docextract import documents
from docextract.documents import document_types
from docextract.extraction.calibration import Calibration
from docextract.extraction.extractor import Extractor
from docextract.extraction.network import LayoutTransformer
from docextract.extraction.pieces import sequence
from docextract.registry import promote
from tests.renderers import weighing_slips
from training import extraction, pages, retrain, retrain_extraction
from training.datasets import UnusableDataError, labelled, labelled_folder
from training.datasets.reads import Read
from training.extraction import Config
from training.synth.misreading import misread

QUICK = Config(
    seed=5, steps=4, decay_steps=2, warmup_steps=1, peak_lr=1e-3, weight_decay=0.0, pieces_per_batch=400,
    real_share=0.6, other_share=0.0, evaluate_every=2,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(extraction, "POOL", 12)
    monkeypatch.setattr(documents, "_described", {})


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Twenty labelled photos of weighing slips, and what a reader makes of them."""
    folder, lines = tmp_path / "data", {}
    weighing_slips.describe(folder)
    with labelled_folder.Writer(folder) as writer:
        for number in range(20):
            made = weighing_slips.slip(Random(number))
            writer.add(f"{number:02}", np.full((120, 90, 3), 9 * number, np.uint8), "weighing_slip", made.fields)
            lines[f"{number:02}"] = [one.line for one in misread(made.sheet, np.random.default_rng(number), set())]

    def read(cache, labels, models_dir):
        for label in labels:
            yield Read(label.key, tuple(lines[label.key]), 600, 900)

    monkeypatch.setattr(retrain_extraction.reads, "grow_as_served", read)
    return folder


@pytest.fixture
def models(tmp_path):
    """A ledger that serves a tiny extraction model, which knows receipts."""
    torch.manual_seed(0)
    shape = pages.shape_of(("receipt",), extraction.CURRENCIES, width=32, layers=1, heads=2, ngram_width=8)
    extraction.export(LayoutTransformer(shape), tmp_path / "served")
    known = {"weights": {"*": [0.0] * 6, "total": [9.0] * 6}, "accept": {"*": 0.3, "total": 0.4}}
    (tmp_path / "served" / "calibration.json").write_text(json.dumps(known))
    promote("extraction", tmp_path / "served", "1.0.0", tmp_path / "models", day=date(2026, 1, 1))
    return tmp_path / "models"


def run(data, models, out, config=QUICK):
    out.mkdir(exist_ok=True)
    return retrain_extraction.retrain_extraction(
        labelled.load(data).pages, out, models, config, 0, retrain.progress_bar()
    )


def test_the_candidate_knows_the_new_type_and_the_old_ones(data, models, tmp_path):
    """And carries the new type's description, so that whoever serves it knows its fields."""
    weights = run(data, models, tmp_path / "out")
    documents._described.clear()

    extractor = Extractor.load(weights, threads=1)

    assert extractor.types == ("receipt", "weighing_slip", "other")
    assert "net_weight" in {field.name for field in document_types()["weighing_slip"].fields()}


def test_the_command_keeps_pages_for_the_judge_and_says_what_comes_next(data, models, tmp_path, monkeypatch, capsys):
    """They come out as a labelled folder of their own, photos included; unusable rows are named."""
    monkeypatch.setattr(retrain.extraction, "load_config", lambda path: QUICK)
    with (data / "labels.jsonl").open("a") as rows:
        rows.write('{"image": "images/gone.jpg", "type": "weighing_slip", "fields": {}}\n')

    status = retrain.main([str(data), "--out", str(tmp_path / "out"), "--models", str(models), "--workers", "0"])

    kept = labelled.load(tmp_path / "out" / "held_back").pages
    said = capsys.readouterr()
    assert status == 0
    assert 0 < len(kept) < 10
    assert all(page.image.is_file() for page in kept)
    assert "training.judge extraction" in said.out
    assert "labels.jsonl:21" in said.err


def test_a_page_stays_on_its_side_when_others_are_added(data, models):
    """Else yesterday's judge would be today's teacher."""
    labels = labelled.load(data).pages
    read = [retrain_extraction.RealPage(label, Read(label.key, (), 1, 1)) for label in labels]

    few, all_of_them = retrain_extraction.split(read[:12]), retrain_extraction.split(read)

    held_back = {page.label.key for page in all_of_them.held_back}
    assert {page.label.key for page in few.held_back} == held_back & {page.label.key for page in read[:12]}


def test_confidences_of_what_was_known_stay_as_they_were(data, models, tmp_path):
    """A few pages of something else say nothing about totals."""
    weights = run(data, models, tmp_path / "out")

    fitted = Calibration(**json.loads((weights / "calibration.json").read_text()))
    assert fitted.weights["total"] == [9.0] * 6
    assert "plate" in fitted.weights
    assert "plate" in fitted.accept


def test_the_report_shows_curves_and_pages(data, models, tmp_path):
    """One file, with everything in it."""
    run(data, models, tmp_path / "out")

    html = (tmp_path / "out" / "report.html").read_text()
    assert html.count("<polyline") >= 2
    assert "data:image/jpeg;base64," in html
    assert "gross_weight" in html
    assert 'src="http' not in html


def test_too_few_pages_are_refused(data, models, tmp_path):
    """Nothing can be held back of three."""
    labels = labelled.load(data).pages[:2]

    with pytest.raises(UnusableDataError, match="too few"):
        retrain_extraction.retrain_extraction(labels, tmp_path, models, QUICK, 0, retrain.progress_bar())


def test_the_new_type_can_be_learned_by_heart(data, models, tmp_path):
    """With a network of no size and a minute's training the wires must show: loss falls on the user's own pages."""
    long = Config(**{**vars(QUICK), "steps": 60, "evaluate_every": 20, "real_share": 1.0, "peak_lr": 5e-3})

    run(data, models, tmp_path / "out", long)

    rows = [json.loads(row) for row in (tmp_path / "out" / "history.jsonl").open()]
    assert rows[-1]["labels"] < 0.6 * rows[0]["labels"]


def test_every_piece_of_a_slip_is_read():
    """The renderer prints what its labels say."""
    made = weighing_slips.slip(Random(3))
    _, page = sequence([one.line for one in misread(made.sheet, np.random.default_rng(0), set())])

    assert len(page.pieces) > 20

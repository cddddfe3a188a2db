"""Tests of comparing two models on the same pages."""

import dataclasses
import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from docextract import documents
from docextract.registry import candidate_version, gate, promote, promoted_version
from tests.renderers import weighing_slips
from training.datasets import labelled_folder
from training.evaluation import compare, evaluate
from training.evaluation.bootstrap import draw_resamples
from training.evaluation.evaluate import PageOutcome
from training.metrics import Comparison

STUBS = Path(__file__).parents[2] / "end_to_end"
EXTRACTOR, ASSESSOR = "stub_models:StubExtractor", "stub_models:StubAssessor"
PAGES = 40


def outcome(number, right, tip=None, tags=()):
    """A page with a total and without a tip."""
    total = Comparison("total", "9.00", "9.00" if right else "8.00", 0.9, tags)
    return PageOutcome(str(number), "receipt", (total, Comparison("tip", None, tip, 0.9, tags)), True, True)


def pairs_of(mine, theirs):
    return [(outcome(n, one), outcome(n, other)) for n, (one, other) in enumerate(zip(mine, theirs, strict=True))]


@pytest.fixture
def resamples():
    return draw_resamples(PAGES, np.random.default_rng(0))


def test_a_large_gain_is_significant_and_a_small_one_is_not(resamples):
    """Ten more right pages of forty are significant, one is not."""
    served = [True] * 20 + [False] * 20
    ten, one = [True] * 30 + [False] * 10, [True] * 21 + [False] * 19

    large = compare.compare_pairs(pairs_of(ten, served), resamples)["fields.total.exact"]
    small = compare.compare_pairs(pairs_of(one, served), resamples)["fields.total.exact"]

    assert (large.served, large.candidate, large.gain, large.n) == (0.5, 0.75, 0.25, PAGES)
    assert large.low > 0.1
    assert small.low == 0


def test_an_invented_value_is_a_loss(resamples):
    """More invented values are a negative gain."""
    pairs = [(outcome(n, True, tip="1.00" if n < 20 else None), outcome(n, True)) for n in range(PAGES)]

    row = compare.compare_pairs(pairs, resamples)["document_types.receipt.tip.invented"]

    assert (row.candidate, row.gain, row.high < 0) == (0.5, -0.5, True)


def test_a_row_that_is_not_on_the_page_is_a_loss_of_precision(resamples):
    """All labelled values of both models are right, but the candidate also has a row too many on every page."""
    extra = Comparison("line_items.amount", None, "5.00", extra=True)
    pairs = [
        (dataclasses.replace(outcome(n, True), comparisons=(*outcome(n, True).comparisons, extra)), outcome(n, True))
        for n in range(PAGES)
    ]

    rows = compare.compare_pairs(pairs, resamples)

    precision = rows["document_types.receipt.all.precision"]
    assert (precision.candidate, precision.served, precision.gain, precision.n) == (0.5, 1, -0.5, 2 * PAGES)
    assert precision.high < 0
    assert rows["document_types.receipt.all.exact"].gain == 0
    assert "document_types.receipt.line_items.amount.invented" not in rows


def test_tags_of_some_pages_have_rows_of_their_own(resamples):
    """A loss on dark photos is visible there; a tag on every page gets no row."""
    pairs = [
        (outcome(n, n >= 20, tags=("shop", "dark") if n < 20 else ("shop",)),
         outcome(n, True, tags=("shop", "dark") if n < 20 else ("shop",)))
        for n in range(PAGES)
    ]  # fmt: skip

    rows = compare.compare_pairs(pairs, resamples)

    assert rows["tags.dark.total.exact"].gain == -1
    assert not [row for row in rows if row.startswith("tags.shop")]


def test_pages_are_read_once_per_reader():
    """Models with the same reader share the OCR results."""
    reads_seen = []

    class Counting:
        def __init__(self, digest):
            self.digest = digest

        def read(self, pages):
            reads_seen.append((self.digest, len(pages)))
            return [[self.digest + str(page.mean())] for page in pages]

    reads, mine, theirs = compare.MemoryReads(), Counting(""), Counting("other ")
    one, two = np.full((4, 4, 3), 1, np.uint8), np.full((4, 4, 3), 2, np.uint8)

    assert reads.read(mine, [one]) == reads.read(Counting(""), [one.copy()]) == [["1.0"]]
    assert reads.read(mine, [two, one]) == [["2.0"], ["1.0"]]
    assert reads.read(theirs, [one]) == [["other 1.0"]]
    assert reads_seen == [("", 1), ("", 1), ("other ", 1)]


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Stub models that are served: the merchant's name is the page's grey value."""
    monkeypatch.syspath_prepend(str(STUBS))
    monkeypatch.setenv("BENTOML_HOME", str(tmp_path / "bentoml"))
    folder = tmp_path / "models"
    for name, loader in (("quality", ASSESSOR), ("extraction", EXTRACTOR)):
        promote(name, weights(tmp_path / name), "1", folder, day=date(2026, 1, 31), loader=loader)
    return folder


def weights(folder, **config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def data(tmp_path):
    """Grey pages with the names that the served stub reads."""
    with labelled_folder.LabelledFolderWriter(tmp_path / "mine") as writer:
        for grey in range(100, 106):
            fields = {"merchant_name": f"GREY {grey}", "tip": None}
            writer.add(str(grey), np.full((80, 80, 3), grey, np.uint8), "receipt", fields, ["dark"] * (grey < 102))
    return tmp_path / "mine"


def run(models, candidate_folder, data, out):
    return compare.main(
        ["extraction", str(candidate_folder), str(data), "--out", str(out), "--models", str(models),
         "--synthetic", "0", "--loader", EXTRACTOR]
    )  # fmt: skip


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_types_of_the_served_model_are_known(models, tmp_path, monkeypatch, capsys, command):
    """Labels of a type that is described nowhere else, with the models of the setting."""
    served = weights(tmp_path / "own")
    weighing_slips.describe(served)
    promote("extraction", served, "2", models, day=date(2026, 2, 1), loader=EXTRACTOR)
    with labelled_folder.LabelledFolderWriter(tmp_path / "slips") as writer:
        writer.add("1", np.full((80, 80, 3), 100, np.uint8), "weighing_slip", {"plate": "X 1"})
    documents._registered.clear()
    for description in (tmp_path / "slips").glob("types/*"):
        description.unlink()
    monkeypatch.setenv("DOCEXTRACT_MODELS_DIR", str(models))

    if command == "compare":
        own = ["extraction", str(weights(tmp_path / "mine")), str(tmp_path / "slips"), "--synthetic", "0"]
        status = compare.main([*own, "--loader", EXTRACTOR])
    else:
        status = evaluate.main([str(tmp_path / "slips")])

    assert status == 0, capsys.readouterr().err


def test_a_missing_candidate_is_named(models, data, tmp_path, capsys):
    assert run(models, tmp_path / "gone", data, tmp_path / "scores.json") == 2
    assert "gone contains no files" in capsys.readouterr().err


def test_a_worse_candidate_is_refused_with_the_rows_it_lost(models, data, tmp_path, capsys):
    """The command prints the rows, and the gate refuses the promotion."""
    (models / "extraction" / "gate.toml").write_text('[may_lose]\n"*.document_types.*.all.exact" = 0.01\n')
    worse = weights(tmp_path / "worse", mark=" AND MORE")

    assert run(models, worse, data, tmp_path / "scores.json") == 0

    output = capsys.readouterr().out
    assert "Its gate is closed" in output
    assert "mine.document_types.receipt.all.exact is 0, and 1 with the served model" in output
    scores = json.loads((tmp_path / "scores.json").read_text())
    with pytest.raises(gate.GateFailedError, match=r"mine\.document_types\.receipt\.all\.exact"):
        promote("extraction", worse, "2", models, day=date(2026, 2, 1), loader=EXTRACTOR, scores=scores)


def lose_the_only_name(models, folder, capsys, pages):
    """What the command prints of a model that reads it wrong; only the first of the receipts has a name."""
    (models / "extraction" / "gate.toml").write_text('[may_lose]\n"*.document_types.*.all.exact" = 0.01\n')
    with labelled_folder.LabelledFolderWriter(folder / "one") as writer:
        for number in range(pages):
            name = None if number else "GREY 100"
            writer.add(str(number), np.full((80, 80, 3), 100, np.uint8), "receipt", {"merchant_name": name})

    run(models, weights(folder / "worse", mark=" AND MORE"), folder / "one", folder / "scores.json")

    return capsys.readouterr().out


def test_a_loss_on_few_pages_closes_the_gate(models, tmp_path, capsys):
    """Otherwise a model that lost a field would be promoted after a comparison on one page of each type."""
    output = lose_the_only_name(models, tmp_path, capsys, pages=4)

    assert "Its gate is closed:\n  one.document_types.receipt.all.exact is 0, and 1 with the served model" in output
    assert "too few documents to tell: 4 of this type were compared, at least 5 are needed" in output


def test_a_loss_on_few_groups_is_named_but_does_not_close_the_gate(models, tmp_path, capsys):
    """One name is too few to judge a model; the command lists that it was lost."""
    output = lose_the_only_name(models, tmp_path, capsys, pages=5)

    assert "Its gate is open.\n  Not counted, because they may be chance:" in output
    assert "one.document_types.receipt.all.exact is 0, and 1 with the served model" in output


def test_an_equal_candidate_passes_and_its_scores_are_published(models, data, tmp_path, capsys):
    """It is promoted, and /v1/document-types has its accuracy."""
    (models / "extraction" / "gate.toml").write_text(
        '[floors]\n"mine.fields.merchant_name.exact" = 0.9\n[may_lose]\n"*.all.exact" = 0.01\n'
    )
    equal = weights(tmp_path / "equal", batch_s=0.0)

    assert run(models, equal, data, tmp_path / "scores.json") == 0
    assert "Its gate is open." in capsys.readouterr().out
    scores = json.loads((tmp_path / "scores.json").read_text())
    promote("extraction", equal, "2", models, day=date(2026, 2, 1), loader=EXTRACTOR, scores=scores)

    published = promoted_version("extraction", models).scores
    assert published["document_types"]["receipt"]["merchant_name"]["exact"] == 1
    assert published["mine"]["calibration"]["values"] == 6
    assert set(published["comparison"]) == {
        "mine.fields.all.exact", "mine.document_types.receipt.all.exact", "mine.tags.dark.all.exact"
    }  # fmt: skip


def test_the_same_command_gives_the_same_scores(models, data, tmp_path):
    """The bootstrap uses a fixed seed."""
    for out in ("one.json", "two.json"):
        run(models, models / "extraction" / "weights", data, tmp_path / out)

    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()


@pytest.mark.parametrize("name", ["nowhere", "served={data}", "a.b={data}"])
def test_unusable_data_is_reported(models, data, tmp_path, name, capsys):
    """Wrong data is reported before anything is loaded."""
    assert run(models, models / "extraction" / "weights", name.format(data=data), tmp_path / "scores.json") == 2
    assert capsys.readouterr().err


def test_synthetic_photos_are_of_the_requested_types(tmp_path):
    """The photos are always the same, and only of requested types."""
    pages = compare.synthetic_pages(tmp_path / "one", ["receipt", "parking_ticket"], 1, None)
    again = compare.synthetic_pages(tmp_path / "two", ["receipt"], 1, None)

    assert [page.type for page in pages] == ["receipt"]
    assert pages[0].image.read_bytes() == again[0].image.read_bytes()
    assert "total" in pages[0].fields


def test_a_candidate_has_the_digest_of_its_files(tmp_path):
    """The version has the digest of exactly these files."""
    folder = weights(tmp_path / "w", architecture="layout", shape={"types": ["receipt", "other"]})

    version = candidate_version("extraction", folder, "candidate", day=date(2026, 1, 31))

    assert (version.architecture, version.document_types) == ("layout", ("receipt",))
    version.verify()

"""Tests of fine-tuning the layout network, small enough for a test: the misreading model replaces OCR."""

import errno
import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from docextract import documents
from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout import type_words
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.candidates import Candidate
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.ocr import language_model, recogniser_graph
from docextract.extraction.zones import network
from docextract.extraction.zones.network import ZoneNetwork, ZoneNetworkShape
from docextract.registry import promote, promoted_version
from docextract.registry.typefaces import TYPEFACES_FILE
from docextract.registry.version import file_digests
from tests.renderers import weighing_slips
from training.commands import retrain, retrain_extraction
from training.datasets import LabelledPage, UnusableDataError, labelled, labelled_folder, part_of
from training.datasets.reads import OcrResult
from training.evaluation.evaluate import PageOutcome
from training.loop import CHECKPOINT
from training.metrics import Comparison
from training.progress import progress_bar
from training.synth.misreading import misread
from training.tasks.calibration.examples import CalibrationExample
from training.tasks.layout import pages
from training.tasks.layout import train as layout_training
from training.tasks.layout.train import LayoutSettings
from training.tasks.layout.variations import RealPage

KEPT = (
    network.ZONE_WEIGHTS_FILE,
    recogniser_graph.RECOGNISER_WEIGHTS_FILE,
    language_model.LANGUAGE_WEIGHTS_FILE,
    type_words.TYPE_WORDS_FILE,
)
QUICK = LayoutSettings(
    seed=5, steps=4, decay_steps=2, warmup_steps=1, peak_lr=1e-3, weight_decay=0.0, pieces_per_batch=400,
    real_share=0.6, other_share=0.0, evaluate_every=2,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(layout_training, "POOL_PAGES", 12)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Twenty labelled photos of weighing slips, with their OCR results."""
    folder, lines = tmp_path / "data", {}
    weighing_slips.describe(folder)
    with labelled_folder.LabelledFolderWriter(folder) as writer:
        for number in range(20):
            made = weighing_slips.slip(Random(number))
            writer.add(f"{number:02}", np.full((120, 90, 3), 9 * number, np.uint8), "weighing_slip", made.fields)
            lines[f"{number:02}"] = [one.line for one in misread(made.sheet, np.random.default_rng(number), set())]

    def read(cache, labels, models_dir):
        for label in labels:
            yield OcrResult(label.key, tuple(lines[label.key]), 600, 900)

    monkeypatch.setattr(retrain_extraction.reads, "read_as_served", read)
    return folder


@pytest.fixture
def models(tmp_path):
    """A registry that serves a tiny extraction model for receipts."""
    torch.manual_seed(0)
    shape = pages.shape_for_types(("receipt",), layout_training.CURRENCIES, width=32, layers=1, heads=2, ngram_width=8)
    layout_training.export_layout(LayoutTransformer(shape), tmp_path / "served")
    known = {"weights": {"*": [0.0] * 6, "total": [9.0] * 6}, "accept": {"*": 0.3, "total": 0.4}}
    (tmp_path / "served" / "calibration.json").write_text(json.dumps(known))
    network.save_zone_network(ZoneNetwork(ZoneNetworkShape(widths=(4, 4, 8, 8), depth=1)), tmp_path / "served")
    recogniser_graph.RecogniserLayers(("", "A"), np.zeros((3, 2), np.float32), np.zeros(2, np.float32)).save(
        tmp_path / "served"
    )
    spelling = language_model.LanguageNetwork(language_model.LanguageModelShape.for_letters("A", embedding=2, hidden=2))
    language_model.LanguageModel(spelling, 0.2).save(tmp_path / "served")
    weights = np.zeros((type_words.BUCKETS, 2), np.float32)
    type_words.TypeWords(shape.types, weights, np.zeros(2, np.float32), 0.5).save(tmp_path / "served")
    promote("extraction", tmp_path / "served", "1.0.0", tmp_path / "models", day=date(2026, 1, 1))
    return tmp_path / "models"


def test_new_fields_have_rows_of_their_own():
    """Also where known fields have several: without a row of the label head a field could never be learned."""
    served = LayoutShape(
        fields=("line_items.amount", "total"),
        types=("receipt", "other"),
        currencies=("",),
        head_fields=("total", "total", "line_items.amount"),
    )

    shape = retrain_extraction.shape_with(served, ["passport"])

    assert shape.head_fields[:3] == served.head_fields
    assert set(shape.head_fields) == set(shape.fields) > {"family_name"}
    assert len(LayoutTransformer(shape).label_head.weight) == 1 + 2 * len(shape.head_fields)


def run(data, models, out, config=QUICK):
    out.mkdir(exist_ok=True)
    bar = progress_bar()
    pages = retrain_extraction.read_user_pages(labelled.load(data).pages, out / retrain_extraction.READS, models, bar)
    return retrain_extraction.retrain_extraction(retrain_extraction.divide_pages(pages), out, models, config, 0, bar)


def outcome(page, right):
    """A page whose last field is right or missing."""
    name, value = list(page.fields.items())[-1]
    found = Comparison(name, value, value if right else None, 0.9 if right else None)
    return PageOutcome(
        page.key, page.type, (found,), True, True, group=page.key, review_reasons=() if right else ("x",)
    )


def compared(versions, sets, synthetic, bar):
    """The candidate reads all pages, the served model none."""
    return {name: [(outcome(page, True), outcome(page, False)) for page in pages] for name, pages in sets.items()}


def command(data, models, tmp_path, monkeypatch, *more):
    """Run the whole command with few steps, without the comparison on photos; returns its exit status."""
    monkeypatch.setattr(LayoutSettings, "read", lambda path: QUICK)
    monkeypatch.setattr(retrain.compare, "compare_pages", compared)
    if not (models / "quality").exists():
        promote("quality", models.parent / "served", "1.0.0", models, day=date(2026, 1, 1))
    return retrain.main(
        [str(data), "--out", str(tmp_path / "out"), "--models", str(models), "--workers", "0", *map(str, more)]
    )


def relabel(data, old, new):
    """Correct a label."""
    labels = data / "labels.jsonl"
    text = labels.read_text()
    assert old in text
    labels.write_text(text.replace(old, new))


def test_the_candidate_knows_new_and_old_types(data, models, tmp_path):
    """It has the new type's description, and the served networks for text and zones, and what words say about types."""
    weights = run(data, models, tmp_path / "out")
    documents._registered.clear()

    extractor = Extractor.load(weights, threads=1)

    assert extractor.types == ("receipt", "weighing_slip", "other")
    assert "net_weight" in {field.name for field in document_types()["weighing_slip"].fields()}
    kept, served = file_digests(weights), promoted_version("extraction", models).files
    assert [kept[name] for name in KEPT] == [served[name] for name in KEPT]


def test_the_command_writes_the_held_out_pages_and_the_next_step(data, models, tmp_path, monkeypatch, capsys):
    """The held-out pages are a labelled folder with photos; unusable rows are reported."""
    with (data / "labels.jsonl").open("a") as rows:
        rows.write('{"image": "images/gone.jpg", "type": "weighing_slip", "fields": {}}\n')

    status = command(data, models, tmp_path, monkeypatch)

    kept = labelled.load(tmp_path / "out" / "held_back").pages
    output = capsys.readouterr()
    assert status == 0
    assert 0 < len(kept) < 10
    assert all(page.image.is_file() for page in kept)
    assert f"registry promote extraction {tmp_path / 'out' / 'weights'}" in output.out
    assert f"{len(kept)} pages: of {len(kept)} values 100.0% are right, 0.0% with the served model" in output.out
    assert json.loads((tmp_path / "out" / "scores.json").read_text())["held_back"]["pages"] == len(kept)
    assert "labels.jsonl:21" in output.err


@pytest.mark.parametrize("fault", ["configuration", "served model", "type", "data"])
def test_faults_are_reported_before_any_page_is_read(data, models, tmp_path, monkeypatch, capsys, fault):
    """Reading takes a second or two for each page."""
    arguments = [str(data), "--out", str(tmp_path / "out"), "--models", str(models)]
    if fault == "configuration":
        (tmp_path / "own.toml").write_text("stepps = 3")
        arguments, message = [*arguments, "--config", str(tmp_path / "own.toml")], "stepps"
    elif fault == "served model":
        arguments[-1], message = str(tmp_path / "elsewhere"), "No extraction model is promoted"
    elif fault == "type":
        description, message = data / "types" / "weighing_slip.toml", "is already defined differently"
        served = promoted_version("extraction", models).folder / "types"
        served.mkdir()
        (served / description.name).write_text(description.read_text().replace('goods = "string"', 'goods = "address"'))
        promote("extraction", served.parent, "1.1.0", models, day=date(2026, 1, 2))
    else:
        (data / "labels.jsonl").unlink()
        message = "holds no labels"
    monkeypatch.setattr(retrain, "read_user_pages", None)

    with pytest.raises(SystemExit) as ended:
        retrain.main(arguments)

    assert ended.value.code == 1
    assert message in capsys.readouterr().err


def test_the_same_command_again_does_nothing_more(data, models, tmp_path, monkeypatch, capsys):
    """A finished run is not trained further."""
    command(data, models, tmp_path, monkeypatch)
    finished = (tmp_path / "out" / CHECKPOINT).stat().st_mtime_ns

    assert command(data, models, tmp_path, monkeypatch) == 0
    assert (tmp_path / "out" / CHECKPOINT).stat().st_mtime_ns == finished
    assert "from the beginning" not in capsys.readouterr().err


def test_corrected_labels_start_the_training_again(data, models, tmp_path, monkeypatch, capsys):
    """Changed labels start the training again; the OCR results are kept."""
    command(data, models, tmp_path, monkeypatch)
    before = torch.load(tmp_path / "out" / CHECKPOINT, weights_only=True)["network"]
    (tmp_path / "out" / "reads.jsonl").write_text("read")
    relabel(data, '"net_weight": "', '"net_weight": "1')

    assert command(data, models, tmp_path, monkeypatch) == 0

    after = torch.load(tmp_path / "out" / CHECKPOINT, weights_only=True)
    assert "other data: training starts from the beginning" in capsys.readouterr().err
    assert after["step"] == QUICK.steps
    assert any(not torch.equal(after["network"][name], value) for name, value in before.items())
    assert [json.loads(row)["step"] for row in (tmp_path / "out" / "history.jsonl").open()] == [2, 4]
    assert (tmp_path / "out" / "reads.jsonl").read_text() == "read"


@pytest.mark.parametrize("other", ["model", "served model", "configuration"])
def test_other_inputs_start_the_training_again(data, models, tmp_path, monkeypatch, capsys, other):
    """Neither the checkpoint nor the photos of the old run are used."""
    out, config, fresh_starts = tmp_path / "out", tmp_path / "own.toml", []

    def train(*_):
        fresh_starts.append(not list(out.glob("*.pt")) and not (out / "photos").exists())
        (out / CHECKPOINT).touch()
        (out / "photos").mkdir(exist_ok=True)
        (out / "weights").mkdir(exist_ok=True)
        (out / "weights" / "calibration.json").write_text("{}")
        return out / "weights"

    monkeypatch.setattr(retrain, "retrain_extraction", train)
    monkeypatch.setattr(retrain, "retrain_quality", train)
    config.write_text("seed = 1")
    options = ["--config", config]
    command(data, models, tmp_path, monkeypatch, *options)
    command(data, models, tmp_path, monkeypatch, *options)
    if other == "model":
        options += ["--model", "quality"]
    elif other == "served model":
        (tmp_path / "served" / "calibration.json").write_text("{}")
        promote("extraction", tmp_path / "served", "1.1.0", models, day=date(2026, 1, 2))
    else:
        config.write_text("seed = 2")
    command(data, models, tmp_path, monkeypatch, *options)

    assert fresh_starts == [True, False, True]
    assert f"other {other}" in capsys.readouterr().err


def test_a_new_run_is_not_bound_to_the_typefaces_of_the_last(tmp_path):
    """Nothing of a run with other inputs is left, its record of typefaces included."""
    retrain.clear_other_run(tmp_path, {"data": "one"})
    (tmp_path / TYPEFACES_FILE).write_text("{}")
    retrain.clear_other_run(tmp_path, {"data": "one"})
    assert (tmp_path / TYPEFACES_FILE).exists()

    retrain.clear_other_run(tmp_path, {"data": "two"})

    assert not (tmp_path / TYPEFACES_FILE).exists()


@pytest.mark.parametrize("damaged", ["", '{"data": "on', "[]"])
def test_a_damaged_record_of_a_run_is_reported(tmp_path, damaged):
    """As a full disk leaves it; without it, the folder can be used again, with the OCR results in it."""
    (tmp_path / "run.json").write_text(damaged)
    (tmp_path / "reads.jsonl").write_text("read")

    with pytest.raises(UnusableDataError, match=r"run\.json is damaged, or no record of a run: remove it"):
        retrain.clear_other_run(tmp_path, {"data": "one"})

    (tmp_path / "run.json").unlink()
    retrain.clear_other_run(tmp_path, {"data": "one"})
    assert (tmp_path / "reads.jsonl").read_text() == "read"


def test_the_record_of_a_run_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    """On a full disk the old one stays."""
    retrain.clear_other_run(tmp_path, {"data": "one"})

    def fill_up(path, text):
        path.write_bytes(b"")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fill_up)
    with pytest.raises(OSError, match="No space left"):
        retrain.clear_other_run(tmp_path, {"data": "two"})

    assert json.loads((tmp_path / "run.json").read_text()) == {"data": "one"}


@pytest.mark.parametrize("out", ["data", ".", "data/images"])
def test_a_run_is_never_in_the_folder_of_its_data(data, models, tmp_path, monkeypatch, capsys, out):
    """A later run would remove the pictures with what the first one has left."""
    before = sorted(tmp_path.rglob("*.jpg"))
    monkeypatch.setattr(retrain, "read_user_pages", None)

    with pytest.raises(SystemExit) as ended:
        retrain.main([str(data), "--out", str(tmp_path / out), "--models", str(models)])

    assert ended.value.code == 1
    assert "which is read: choose a folder that has no data in it" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*.jpg")) == before


@pytest.mark.parametrize("name", ["photos", "pages", "weights", "held_back", "scores.json"])
def test_only_what_a_run_has_made_is_removed(data, models, tmp_path, monkeypatch, capsys, name):
    """A folder of the user may have the same name, and is no run's without its record."""
    own = tmp_path / "out" / name / "1.jpg" if "." not in name else tmp_path / "out" / name
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    monkeypatch.setattr(retrain, "read_user_pages", None)

    with pytest.raises(SystemExit) as ended:
        retrain.main([str(data), "--out", str(tmp_path / "out"), "--models", str(models)])
    with pytest.raises(UnusableDataError, match=f"holds {name}, but no run.json"):
        retrain.clear_other_run(tmp_path / "out", {"data": "one"})

    assert ended.value.code == 1
    assert f"holds {name}, but no run.json" in capsys.readouterr().err
    assert own.read_text() == "mine"


def test_a_run_may_be_in_a_folder_of_its_own_below_the_data(data):
    """Nothing that is read is in it."""
    retrain._check_out(data / "run", [data, *(page.image for page in labelled.load(data).pages)])


def test_later_types_start_the_training_again(data, models, tmp_path, monkeypatch):
    """A checkpoint with fewer types would not fit, so training starts again."""
    command(data, models, tmp_path, monkeypatch)
    shutil.copy(data / "types" / "weighing_slip.toml", data / "types" / "delivery_note.toml")
    first, *others = (data / "labels.jsonl").read_text().splitlines(keepends=True)
    (data / "labels.jsonl").write_text(first.replace("weighing_slip", "delivery_note") + "".join(others))
    documents._registered.clear()

    assert command(data, models, tmp_path, monkeypatch) == 0
    assert "delivery_note" in Extractor.load(tmp_path / "out" / "weights", threads=1).types


@pytest.mark.parametrize(
    ("old", "new"), [('goods = "string"', 'goods = "address"'), ("[fields]", '[fields]\ndriver = "string"')]
)
def test_changed_descriptions_start_the_training_again(data, models, tmp_path, monkeypatch, capsys, old, new):
    """The checkpoint reads fields of other kinds, or does not fit."""
    command(data, models, tmp_path, monkeypatch)
    description = data / "types" / "weighing_slip.toml"
    assert old in description.read_text()
    description.write_text('version = "1.1"\n' + description.read_text().replace(old, new))
    documents._registered.clear()

    assert command(data, models, tmp_path, monkeypatch) == 0
    assert "other document types: training starts from the beginning" in capsys.readouterr().err
    kept = tmp_path / "out" / "weights" / "types" / "weighing_slip.toml"
    assert kept.read_text() == description.read_text()


def test_only_the_main_process_writes(data, models, tmp_path, monkeypatch):
    """The other processes do not change the folder."""
    out = tmp_path / "out"
    monkeypatch.setattr(retrain.PartialState, "is_main_process", False)
    monkeypatch.setattr(retrain, "retrain_extraction", lambda *_: out)
    out.mkdir()

    assert command(data, models, tmp_path, monkeypatch) == 0
    assert list(out.iterdir()) == []


def test_a_page_stays_on_its_side_when_others_are_added(data, models):
    """Otherwise a page would be trained on after it was used for evaluation."""
    labels = labelled.load(data).pages
    read = [retrain_extraction.RealPage(label, OcrResult(label.key, (), 1, 1)) for label in labels]

    few, all_of_them = retrain_extraction.divide_pages(read[:12]), retrain_extraction.divide_pages(read)

    held_out = {page.label.key for page in all_of_them.evaluate}
    assert {page.label.key for page in few.evaluate} == held_out & {page.label.key for page in read[:12]}


def test_parts_are_disjoint_and_share_no_vendor():
    """Photos of one shop are never trained on and judged."""
    labels = [
        LabelledPage(Path(f"{number}.jpg"), "receipt", {"merchant_name": f"Shop {number % 60}"}, key=f"{number}")
        for number in range(240)
    ]
    read = [retrain_extraction.RealPage(label, OcrResult(label.key, (), 1, 1)) for label in labels]

    parts = retrain_extraction.divide_pages(read)

    shops = [{page.label.fields["merchant_name"] for page in part} for part in vars(parts).values()]
    assert all(shops)
    assert sum(map(len, shops)) == 60
    assert sum(map(len, vars(parts).values())) == 240


def test_few_pages_for_stopping_and_calibration_are_shared(data, models):
    """Evaluation never shares its pages."""
    labels = [label for label in labelled.load(data).pages if part_of(label) != "stop"]
    read = [retrain_extraction.RealPage(label, OcrResult(label.key, (), 1, 1)) for label in labels]

    parts = retrain_extraction.divide_pages(read)

    assert parts.stop == parts.calibrate != []
    assert not {id(page) for page in parts.evaluate} & {id(page) for page in [*parts.stop, *parts.train]}


def test_known_fields_with_enough_examples_are_fitted_anew():
    """Others keep the served confidences; a new field gets its own or, with few examples, the shared ones."""
    known = Calibration({"*": [0.0] * 6, "total": [9.0] * 6, "tip": [8.0] * 6}, {"*": 0.3, "total": 0.4, "tip": 0.5})

    def examples(name, count):
        candidate = Candidate(name, "9", 9, (0,), 0.9, 0.9, 1.0, 0.99)
        return [
            CalibrationExample("receipt", name, candidate, 9 if number % 3 else 8, page=str(number))
            for number in range(count)
        ]

    enough = retrain_extraction.merge_calibrations(
        known, [*examples("total", 60), *examples("tip", 5), *examples("plate", 5)]
    )
    few = retrain_extraction.merge_calibrations(known, [*examples("tip", 5), *examples("plate", 5)])

    assert enough.weights["total"] != known.weights["total"]
    assert enough.weights["tip"] == known.weights["tip"]
    assert "plate" in enough.weights
    assert few.weights == {**known.weights, "plate": known.weights["*"]}


@pytest.mark.parametrize("known", [{}, {"line_items.quantity": [8.0] * 6}])
def test_many_values_of_few_documents_fit_no_confidences(known):
    """They are right or wrong together. What is labelled as absent, and is not found, counts for nothing."""
    served = Calibration({"*": [0.0] * 6, **known}, {"*": 0.3})
    candidate = Candidate("line_items.quantity", "9", 9, (0,), 0.9, 0.9, 1.0, 0.99)
    rows = [
        CalibrationExample("invoice", "line_items.quantity", candidate, 9, page=str(number % 3))
        for number in range(300)
    ]
    absent = [
        CalibrationExample("invoice", "line_items.quantity", None, None, page=f"none {number}") for number in range(300)
    ]

    merged = retrain_extraction.merge_calibrations(served, [*rows, *absent])

    assert merged.confidence(candidate) == served.confidence(candidate)


def test_confidences_of_left_out_documents_are_fitted_like_those_of_all(data, models, tmp_path, monkeypatch):
    """Also where what is left of the documents would be too few: error bounds must be of the fitted confidences."""
    served = promoted_version("extraction", models).folder
    weights = tmp_path / "weights"
    shutil.copytree(served, weights)
    groups = retrain_extraction.MIN_FITTED_GROUPS
    made = [replace(one, page=str(number % groups)) for number, one in enumerate(candidates_of(10 * groups, 0.5))]
    monkeypatch.setattr(retrain_extraction, "real_examples", lambda extractor, pages: made)

    assert retrain_extraction._calibrate(weights, served, [])

    found = Calibration.load(weights / "calibration.json")
    bounds = dict(found.error_bounds_of("receipt"))
    assert found.confidence(made[0].candidate) == pytest.approx(0.5, abs=0.02)
    assert bounds[0.99] == 1.0  # no left-out value has the served confidence, which is higher


def candidates_of(count, right_share):
    """Examples of totals, each of a page of its own."""
    candidate = Candidate("total", "9", 9, (0,), 0.9, 0.9, 1.0, 0.99)
    wrong = round(count * (1 - right_share))
    return [
        CalibrationExample("receipt", "total", candidate, 8 if number < wrong else 9, page=str(number))
        for number in range(count)
    ]


@pytest.mark.parametrize(("count", "bounds"), [(400, "estimated"), (100, "served")])
def test_error_bounds_are_estimated_on_enough_values(data, models, tmp_path, monkeypatch, count, bounds):
    """Of a type with enough; those of the served model stay for others, which would be taken at their word without."""
    served = promoted_version("extraction", models).folder
    known = json.loads((served / "calibration.json").read_text()) | {"error_bounds": {"*": [[0.5, 0.25]]}}
    (served / "calibration.json").write_text(json.dumps(known))
    weights = tmp_path / "weights"
    shutil.copytree(served, weights)
    monkeypatch.setattr(retrain_extraction, "real_examples", lambda extractor, pages: candidates_of(count, 0.9))

    retrain_extraction._calibrate(weights, served, [])

    found = Calibration.load(weights / "calibration.json")
    assert found.error_bounds_of("invoice") == ((0.5, 0.25),)
    if bounds == "served":
        assert found.error_bounds_of("receipt") == ((0.5, 0.25),)
    else:
        assert dict(found.error_bounds_of("receipt"))[0.5] == pytest.approx(0.1, abs=0.01)


def test_only_confidences_change(data, models, tmp_path, monkeypatch):
    """`docextract calibrate`: the same weights, with confidences of the pages that are not held out."""
    rows = [json.loads(row) for row in (data / "labels.jsonl").read_text().splitlines()]
    receipts = [{**row, "type": "receipt", "fields": {"total": row["fields"]["net_weight"]}} for row in rows]
    (data / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in receipts))
    fitted = []

    def examples(extractor, pages):
        fitted.extend(pages)
        return candidates_of(60, 0.5)

    monkeypatch.setattr(retrain_extraction, "real_examples", examples)
    status = command(data, models, tmp_path, monkeypatch, "--only-confidences")

    weights, served = file_digests(tmp_path / "out" / "weights"), promoted_version("extraction", models).files
    assert status == 0
    assert {name for name in served if weights[name] != served[name]} == {"calibration.json"}
    assert fitted
    assert all(part_of(page.label) != "evaluate" for page in fitted)


def test_confidences_are_not_fitted_to_few_pages(data, models, tmp_path, monkeypatch, capsys):
    """None of them could be held back, and the report would be about pages that were fitted to."""
    rows = (data / "labels.jsonl").read_text().splitlines()[:9]
    (data / "labels.jsonl").write_text("".join(f"{row}\n" for row in rows))

    status = command(data, models, tmp_path, monkeypatch, "--only-confidences")

    said = capsys.readouterr()
    assert (status, said.out) == (1, "")
    assert "9 usable pages are too few: confidences are fitted to at least 10" in said.err


def test_confidences_that_would_not_change_are_no_candidate(data, models, tmp_path, monkeypatch, capsys):
    """The command says what is missing."""
    rows = [json.loads(row) for row in (data / "labels.jsonl").read_text().splitlines()]
    receipts = [{**row, "type": "receipt", "fields": {"total": row["fields"]["net_weight"]}} for row in rows]
    (data / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in receipts))
    monkeypatch.setattr(retrain_extraction, "real_examples", lambda extractor, pages: candidates_of(20, 0.5))

    status = command(data, models, tmp_path, monkeypatch, "--only-confidences")

    assert status == 1
    assert "no field has values of 60 vendors or groups" in capsys.readouterr().err
    assert not (tmp_path / "out" / "weights").exists()


def test_confidences_of_an_unknown_type_cannot_be_fitted(data, models, tmp_path, monkeypatch, capsys):
    """The served model has no values of it."""
    status = command(data, models, tmp_path, monkeypatch, "--only-confidences")

    assert status == 1
    assert "does not know the type weighing_slip" in capsys.readouterr().err


def test_confidences_of_known_fields_are_unchanged(data, models, tmp_path):
    """A few pages of another type say nothing about totals."""
    weights = run(data, models, tmp_path / "out")

    fitted = Calibration.load(weights / "calibration.json")
    assert fitted.weights["total"] == [9.0] * 6
    assert "plate" in fitted.weights
    assert "plate" in fitted.accept


@pytest.mark.parametrize("best", retrain_extraction.INTERPOLATION_SHARES)
def test_the_weights_that_read_best_are_kept(tmp_path, models, monkeypatch, best):
    """Of those between the served and the trained ones."""
    served = promoted_version("extraction", models).folder
    weights = tmp_path / "weights"
    shutil.copytree(served, weights)
    trained = {name: tensor.float() + 1 for name, tensor in load_file(served / "model.safetensors").items()}
    save_file(trained, weights / "model.safetensors")
    name, before = next(iter(load_file(served / "model.safetensors").items()))

    def accuracy(shape, tensors, pages):
        return -abs(float((tensors[name].float() - before.float()).mean()) - best)

    monkeypatch.setattr(retrain_extraction, "_mean_accuracy", accuracy)
    retrain_extraction._interpolate(weights, served, [], retrain_extraction.INTERPOLATION_SHARES)

    gained = load_file(weights / "model.safetensors")[name].float() - before.float()
    assert float(gained.mean()) == pytest.approx(best, abs=1e-2)


def test_progress_is_lines_where_there_is_no_terminal(capsys):
    """A log file shows each stage, and its end, but not every page."""
    with progress_bar() as bar:
        task = bar.add_task("reading", total=1000)
        for _ in range(1000):
            bar.update(task, advance=1)

    assert capsys.readouterr().err.splitlines() == ["reading: 1 of 1000", "reading: 1000 of 1000"]


def test_the_report_shows_curves_and_pages(data, models, tmp_path, monkeypatch):
    """Everything is in one file."""
    command(data, models, tmp_path, monkeypatch)

    html = (tmp_path / "out" / "report.html").read_text()
    assert html.count("<polyline") >= 2
    assert "data:image/jpeg;base64," in html
    assert "net_weight" in html
    assert 'src="http' not in html


def test_data_without_a_usable_page_is_refused(models, tmp_path):
    """Nothing is trained on nothing."""
    with pytest.raises(UnusableDataError, match="no page can be used"):
        retrain_extraction.divide_pages([])


def test_pages_of_one_vendor_cannot_be_divided(data, models, tmp_path):
    """The message says what to do."""
    labels = [replace(page, group="one scale") for page in labelled.load(data).pages]
    read = [RealPage(label, OcrResult(label.key, (), 600, 900)) for label in labels]

    with pytest.raises(UnusableDataError, match="too few"):
        retrain_extraction.divide_pages(read)


def test_few_pages_are_all_trained_on(data, models, tmp_path, monkeypatch, capsys):
    """Nothing is held back, and the command and the report say so."""
    rows = (data / "labels.jsonl").read_text().splitlines()[:5]
    (data / "labels.jsonl").write_text("".join(f"{row}\n" for row in rows))

    status = command(data, models, tmp_path, monkeypatch)

    assert status == 0
    assert "all 5 were trained on" in capsys.readouterr().out
    assert (tmp_path / "out" / "held_back" / "labels.jsonl").read_text() == ""
    assert "All pages were trained on" in (tmp_path / "out" / "report.html").read_text()
    assert (tmp_path / "out" / "weights" / "model.safetensors").is_file()


@pytest.mark.parametrize(("new_types", "steps"), [(False, 40), (True, 200)])
def test_few_pages_take_few_steps(new_types, steps):
    """The learning rate decays to zero within them. A new type begins with random heads and takes more."""
    long = replace(QUICK, steps=1600, decay_steps=400, warmup_steps=50)

    few = retrain_extraction.settings_for_few(long, 5, new_types)

    assert (few.steps, few.decay_steps) == (steps, steps // 2)
    assert few.learning_rate(steps // 2, steps) == few.peak_lr
    assert retrain_extraction.settings_for_few(long, 1000, new_types).steps == 1600


def test_the_new_type_can_be_overfitted(data, models, tmp_path):
    """With a tiny network and a minute of training the loss on the user's pages falls."""
    long = LayoutSettings(**{**vars(QUICK), "steps": 60, "evaluate_every": 20, "real_share": 1.0, "peak_lr": 5e-3})

    run(data, models, tmp_path / "out", long)

    rows = [json.loads(row) for row in (tmp_path / "out" / "history.jsonl").open()]
    assert rows[-1]["loss"]["labels"] < 0.6 * rows[0]["loss"]["labels"]


def test_every_piece_of_a_slip_is_read():
    """The generator of slips prints its labels."""
    made = weighing_slips.slip(Random(3))
    _, page = split_into_pieces([one.line for one in misread(made.sheet, np.random.default_rng(0), set())])

    assert len(page.pieces) > 20

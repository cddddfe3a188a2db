"""A public Donut checkpoint is imported, promoted and served."""

import json
import re
import shutil
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from docextract.documents import document_types
from docextract.documents.field_mapping import FieldMapping
from docextract.extraction.checkpoints import donut, importing
from docextract.extraction.checkpoints.donut import Donut
from docextract.extraction.checkpoints.greedy import greedy_decode
from docextract.extraction.checkpoints.importing import import_donut
from docextract.registry import __main__ as command
from docextract.registry import promote

ROOT = Path(__file__).resolve().parents[3]
PROMPT = "<s_cord-v2>"


@pytest.fixture(scope="module")
def tiny():
    import_path = str(Path(__file__).parent)
    sys.path.insert(0, import_path)
    import donut_checkpoint

    sys.path.remove(import_path)
    return donut_checkpoint


@pytest.fixture(scope="module")
def tokenizer(tiny):
    return tiny.make_tokenizer()


@pytest.fixture(scope="module")
def published(tiny, tokenizer, tmp_path_factory):
    """A checkpoint as it would be downloaded."""
    return tiny.save_checkpoint(tmp_path_factory.mktemp("published"), tiny.memorised(tokenizer), tokenizer)


@pytest.fixture(scope="module")
def candidate(published, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "candidate"
    import_donut(published, out, "receipt", PROMPT)
    return out


@pytest.fixture(scope="module")
def served(candidate, tmp_path_factory):
    """The candidate, promoted in a registry of its own and loaded as a runner loads it."""
    return promote("extraction", candidate, "1.0", tmp_path_factory.mktemp("models"), day=date(2026, 1, 31)).load("cpu")


def values(found):
    fields = {name: value.value for name, value in found.fields.items()}
    rows = {group: [{k: v.value for k, v in row.items()} for row in some] for group, some in found.groups.items()}
    return fields | rows


def test_pages_become_typed_fields(served, tiny):
    """Each page of a batch gets its own prediction, in input order; names that we have no field for are left out."""
    bill, total, rice, table = served.extract(tiny.pages(), ["auto", "receipt", "auto", "auto"])

    assert values(bill) == {
        "total": Decimal("4.50"),
        "line_items": [
            {"description": "Tea", "quantity": Decimal(2), "amount": Decimal("3.00")},
            {"description": "Green bun"},
        ],
    }
    assert (bill.type, bill.fields["total"].content, bill.fields["total"].polygons) == ("receipt", "4.50", ())
    assert values(total) == {"total": Decimal("12.00")}
    assert values(rice) == {"total_tax": Decimal("0.70"), "line_items": [{"description": "Rice"}]}
    assert (table.type, values(table)) == ("other", {})
    assert all(0.5 < value.confidence <= 1 for value in bill.fields.values())


def test_a_batch_gives_the_same_predictions_as_single_pages(served, tiny):
    """Pages of different callers do not influence each other."""
    together = served.extract(tiny.pages() * 3, ["auto"] * 12)  # more than one batch
    alone = [found for page in tiny.pages() for found in served.extract([page], ["auto"])]

    assert [values(found) for found in together] == [values(found) for found in alone] * 3
    for one, other in zip(together, alone * 3, strict=True):
        assert one.type_confidence == pytest.approx(other.type_confidence, abs=1e-4)
    assert served.extract([], []) == []


def test_a_task_prompt_covers_one_type(served, tiny):
    """If an invoice is requested, no fields of a receipt are returned."""
    (found,) = served.extract(tiny.pages()[:1], ["invoice"])

    assert (found.type, found.type_confidence, values(found)) == ("invoice", 0.0, {})


@pytest.mark.parametrize("trained", [True, False])
def test_batched_decoding_agrees_with_transformers(published, tiny, tokenizer, trained):
    """The tokens are the same for outputs of different lengths, although finished rows leave the batch."""
    model, processor, _ = donut.open_donut(published, torch.float32)
    model.eval()
    if not trained:  # random weights generate tokens up to the maximum length
        model = tiny.network(len(tokenizer))
    memory = model.encoder(processor(images=tiny.pages(), return_tensors="pt").pixel_values).last_hidden_state
    prompt = tokenizer(PROMPT, add_special_tokens=False).input_ids
    reference = model.generate(
        encoder_outputs=(memory,), decoder_input_ids=torch.tensor([prompt] * len(memory)), max_length=tiny.MAX_LENGTH,
        num_beams=1, do_sample=False, bad_words_ids=[[tokenizer.unk_token_id]], eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, forced_eos_token_id=None,
    )  # fmt: skip

    generated = greedy_decode(
        model, memory, prompt, tiny.MAX_LENGTH, tokenizer.eos_token_id, forbidden=[tokenizer.unk_token_id]
    )

    tokens = [[one.token for one in page] for page in generated]
    assert tokens == [until_end(row, tokenizer) for row in reference[:, len(prompt) :]]
    assert len({len(page) for page in tokens}) == (4 if trained else 1)
    assert all(0 <= one.margin <= one.probability <= 1 for page in generated for one in page)


def until_end(row, tokenizer):
    """Return the tokens before the end token."""
    tokens = row.tolist()
    return tokens[: tokens.index(tokenizer.eos_token_id)] if tokenizer.eos_token_id in tokens else tokens


def test_confidence_is_the_joint_probability_of_the_tokens(served, tiny, candidate, tmp_path):
    """With a calibration.json, the fitted weights and thresholds are used instead."""
    found = served.candidates(tiny.pages()[1:2])[0].fields
    (plain,) = served.extract(tiny.pages()[1:2], ["auto"])
    fitted = shutil.copytree(candidate, tmp_path / "fitted")
    weights = {"*": [0.5, 0, 0, 0, 0, 0], "total": [-1.0, 0, 0, 0, 0, 0]}

    assert plain.fields["total"].confidence == pytest.approx(found["total"].probability, abs=1e-6)
    assert found["total"].probability < found["total"].support < found["total"].confidence < 1
    (fitted / "calibration.json").write_text(json.dumps({"weights": weights, "accept": {"*": 0.0}}))
    (calibrated,) = Donut.load(fitted).extract(tiny.pages()[1:2], ["auto"])
    assert calibrated.fields["total"].confidence == pytest.approx(0.2689, abs=1e-4)
    (fitted / "calibration.json").write_text(json.dumps({"weights": weights, "accept": {"*": 1.0}}))
    assert Donut.load(fitted).extract(tiny.pages()[1:2], ["auto"])[0].fields == {}


def test_a_candidate_has_half_precision_and_no_pickles(candidate):
    """It also has the architecture, types and fields that the registry reads."""
    weights = load_file(candidate / "checkpoint" / "model.safetensors")
    stated = json.loads((candidate / "config.json").read_text())

    assert {part.dtype for part in weights.values() if part.is_floating_point()} == {torch.float16}
    assert {path.suffix for path in candidate.rglob("*") if path.is_file()} == {".json", ".safetensors", ".toml"}
    assert (stated["architecture"], stated["shape"]["types"]) == ("donut", ["receipt"])
    assert set(stated["shape"]["fields"]) == {
        "subtotal", "total_tax", "total", "change", "line_items.description", "line_items.product_code",
        "line_items.quantity", "line_items.unit_price", "line_items.amount",
    }  # fmt: skip


def test_two_commands_import_and_promote_a_checkpoint(published, tmp_path, capsys):
    """The registry takes the architecture and its loader from the candidate."""
    models, out = ["--models", str(tmp_path / "models")], tmp_path / "candidate"

    assert command.main([*models, "import-donut", str(published), "--document-type", "receipt", "--task-prompt", PROMPT,
                         "--out", str(out)]) == 0  # fmt: skip
    output = capsys.readouterr().out
    assert command.main([*models, "promote", "extraction", str(out), "--version", "1.0"]) == 0

    assert "not used: table" in output
    assert "sub_total.discount_price" in output  # the field mapping of CORD has it, this tokenizer does not
    ledger = (tmp_path / "models" / "extraction" / "promoted.toml").read_text()
    assert 'architecture = "donut"' in ledger
    assert 'loader = "docextract.extraction.checkpoints.donut:Donut"' in ledger


def test_a_field_mapping_and_a_described_type_become_part_of_the_candidate(published, tiny, tmp_path):
    """The mapping is applied, and the type described next to it is copied."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "till_slip.toml").write_text('[fields]\nsum = "currency"\n[fields.goods]\nname = "string"\n')
    mapping = tmp_path / "fields.toml"
    mapping.write_text('currency = "IDR"\n[fields]\n"total.total_price" = "sum"\n"menu.nm" = "goods.name"\n')

    import_donut(published, tmp_path / "candidate", "till_slip", PROMPT, str(mapping))
    (found,) = Donut.load(tmp_path / "candidate").extract(tiny.pages()[:1], ["auto"])

    assert values(found) == {"sum": Decimal("4.50"), "goods": [{"name": "Tea"}, {"name": "Green bun"}]}
    assert (found.type, found.conventions.currency) == ("till_slip", "IDR")
    assert (tmp_path / "candidate" / "types" / "till_slip.toml").exists()


def damage_config(folder, **sides):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **sides}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "config.json does not exist"),
        (lambda folder: (folder / "config.json").write_text("{"), "is not valid JSON"),
        (lambda folder: damage_config(folder, encoder={"model_type": "vit"}), "'vit', 'mbart'.*donut-swin"),
        (lambda folder: (folder / "model.safetensors").unlink(), "model.safetensors does not exist"),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "Pickle.*save_pretrained"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"nonsense"), "cannot be imported"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "cannot be imported"),
        (lambda folder: (folder / "preprocessor_config.json").unlink(), "cannot be imported"),
    ],
)
def test_invalid_checkpoints_are_refused_with_a_reason(published, tmp_path, capsys, damage, message):
    """Nothing is written that could be promoted."""
    folder = shutil.copytree(published, tmp_path / "published")
    damage(folder)

    with pytest.raises(SystemExit):
        command.main(["import-donut", str(folder), "--document-type", "receipt", "--task-prompt", PROMPT,
                      "--out", str(tmp_path / "candidate")])  # fmt: skip

    error = capsys.readouterr().err
    assert error.startswith(f"{folder} cannot be imported")
    assert re.search(message, error)
    assert not (tmp_path / "candidate" / "config.json").exists()


@pytest.mark.parametrize(
    ("document_type", "prompt", "mapping", "message"),
    [
        ("receipt", "<s_docvqa>", None, "no token '<s_docvqa>'.*<s_cord-v2>"),
        ("bill", PROMPT, None, "document type 'bill' is unknown"),
        ("passport", PROMPT, 'ignore = ["menu"]', "the checkpoint predicts no field of passport.*field_mapping.py"),
        (
            "receipt",
            PROMPT,
            '[fields]\n"menu.nm" = "goods"',
            "'menu.nm' is mapped to 'goods', but receipt has no such field",
        ),
    ],
)
def test_invalid_options_are_refused_with_a_reason(published, tmp_path, document_type, prompt, mapping, message):
    """The message names the invalid value, and the possible ones if there are few."""
    file = tmp_path / "fields.toml"
    if mapping:
        file.write_text(mapping)

    with pytest.raises(ValueError, match=message):
        import_donut(published, tmp_path / "candidate", document_type, prompt, str(file) if mapping else None)


def test_a_folder_that_is_not_empty_is_refused(published, tmp_path):
    """A candidate is everything in its folder, so existing files would be promoted with it."""
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(ValueError, match="is not empty"):
        import_donut(published, tmp_path, "receipt", PROMPT)


@pytest.mark.parametrize("file", sorted(importing.FIELD_NAMES_FOLDER.glob("*.toml")), ids=lambda file: file.stem)
def test_included_field_mappings_map_to_existing_fields(file):
    """A field that is renamed must be renamed in them too."""
    mapping = FieldMapping.load(file)

    assert mapping.type is not None
    assert set(mapping.fields.values()) <= {field.name for field in document_types()[mapping.type].fields()}


def test_ambiguous_dates_have_two_possible_values():
    """With a date order in fields.toml there is one."""
    kind = next(field.kind for field in document_types()["receipt"].fields() if field.name == "document_date")

    assert FieldMapping().possible_values(kind, "03/04/2019") == {date(2019, 4, 3), date(2019, 3, 4)}
    assert FieldMapping(date_order="MDY").possible_values(kind, "03/04/2019") == {date(2019, 3, 4)}
    assert FieldMapping().possible_values(kind, "25/12/2018") == {date(2018, 12, 25)}


def test_serving_the_layout_transformer_does_not_import_transformers():
    """The library takes 126 MB and seconds, and only public checkpoints need it."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom docextract.registry import promoted_version\n"
        "version = promoted_version('extraction', Path('models'))\n"
        "assert version.architecture == 'layout'\nversion.load('cpu')\n"
        "sys.exit('transformers' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0

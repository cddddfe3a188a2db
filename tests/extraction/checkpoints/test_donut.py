"""A public Donut becomes a candidate, is promoted, and reads pages into fields."""

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
def words(tiny):
    return tiny.tokenizer()


@pytest.fixture(scope="module")
def published(tiny, words, tmp_path_factory):
    """A folder as it would be downloaded."""
    return tiny.save(tmp_path_factory.mktemp("published"), tiny.memorised(words), words)


@pytest.fixture(scope="module")
def candidate(published, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "candidate"
    import_donut(published, out, "receipt", PROMPT)
    return out


@pytest.fixture(scope="module")
def served(candidate, tmp_path_factory):
    """Promoted in a ledger of its own, and loaded as a runner loads it."""
    return promote("extraction", candidate, "1.0", tmp_path_factory.mktemp("models"), day=date(2026, 1, 31)).load("cpu")


def values(found):
    fields = {name: value.value for name, value in found.fields.items()}
    rows = {group: [{k: v.value for k, v in row.items()} for row in some] for group, some in found.groups.items()}
    return fields | rows


def test_pages_become_typed_fields(served, tiny):
    """Each page of a batch gets its own answer, in the order given; a name that is no field of ours is left out."""
    bill, total, rice, table = served.extract(tiny.pages(), ["auto", "receipt", "auto", "auto"])

    assert values(bill) == {
        "total": Decimal("4.50"),
        "line_items": [
            {"description": "Tea", "quantity": Decimal(2), "total_price": Decimal("3.00")},
            {"description": "Green bun"},
        ],
    }
    assert (bill.type, bill.fields["total"].content, bill.fields["total"].polygons) == ("receipt", "4.50", ())
    assert values(total) == {"total": Decimal("12.00")}
    assert values(rice) == {"total_tax": Decimal("0.70"), "line_items": [{"description": "Rice"}]}
    assert (table.type, values(table)) == ("other", {})
    assert all(0.5 < value.confidence <= 1 for value in bill.fields.values())


def test_alone_or_in_a_batch_a_page_reads_the_same(served, tiny):
    """Nothing of one caller's page reaches another's."""
    together = served.extract(tiny.pages() * 3, ["auto"] * 12)  # more than are decoded at once
    alone = [found for page in tiny.pages() for found in served.extract([page], ["auto"])]

    assert [values(found) for found in together] == [values(found) for found in alone] * 3
    for one, other in zip(together, alone * 3, strict=True):
        assert one.type_confidence == pytest.approx(other.type_confidence, abs=1e-4)
    assert served.extract([], []) == []


def test_a_prompt_answers_for_one_type_alone(served, tiny):
    """An invoice is not made of a receipt's fields."""
    (found,) = served.extract(tiny.pages()[:1], ["invoice"])

    assert (found.type, found.type_confidence, values(found)) == ("invoice", 0.0, {})


@pytest.mark.parametrize("learned", [True, False])
def test_batched_decoding_says_what_generate_says(published, tiny, words, learned):
    """Token for token, for answers of different lengths, though finished rows leave the batch."""
    model, processor, _ = donut.open_checkpoint(published, torch.float32)
    model.eval()
    if not learned:  # random weights: they babble until there is no more room
        model = tiny.network(len(words))
    memory = model.encoder(processor(images=tiny.pages(), return_tensors="pt").pixel_values).last_hidden_state
    prompt = words(PROMPT, add_special_tokens=False).input_ids
    theirs = model.generate(
        encoder_outputs=(memory,), decoder_input_ids=torch.tensor([prompt] * len(memory)), max_length=tiny.LONGEST,
        num_beams=1, do_sample=False, bad_words_ids=[[words.unk_token_id]], eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id, forced_eos_token_id=None,
    )  # fmt: skip

    ours = greedy_decode(model, memory, prompt, tiny.LONGEST, words.eos_token_id, never=[words.unk_token_id])

    said = [[one.token for one in answer] for answer in ours]
    assert said == [without(row, words) for row in theirs[:, len(prompt) :]]
    assert len({len(answer) for answer in said}) == (4 if learned else 1)
    assert all(0 <= one.margin <= one.probability <= 1 for answer in ours for one in answer)


def without(row, words):
    """Up to the end of the answer."""
    tokens = row.tolist()
    return tokens[: tokens.index(words.eos_token_id)] if words.eos_token_id in tokens else tokens


def test_confidence_is_the_probability_of_all_its_tokens(served, tiny, candidate, tmp_path):
    """Until it is fitted; then calibration.json beside the weights decides, and can call a field absent."""
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


def test_a_candidate_holds_what_was_published_and_no_more(candidate):
    """Half the size, nothing pickled, and what the registry wants to know."""
    weights = load_file(candidate / "checkpoint" / "model.safetensors")
    stated = json.loads((candidate / "config.json").read_text())

    assert {part.dtype for part in weights.values() if part.is_floating_point()} == {torch.float16}
    assert {path.suffix for path in candidate.rglob("*") if path.is_file()} == {".json", ".safetensors", ".toml"}
    assert (stated["architecture"], stated["shape"]["types"]) == ("donut", ["receipt"])
    assert set(stated["shape"]["fields"]) == {
        "subtotal", "total_tax", "total", "change", "line_items.description", "line_items.product_code",
        "line_items.quantity", "line_items.unit_price", "line_items.total_price",
    }  # fmt: skip


def test_from_a_download_to_the_ledger_with_two_commands(published, tmp_path, capsys):
    """The registry finds the architecture and its loader in the candidate."""
    models, out = ["--models", str(tmp_path / "models")], tmp_path / "candidate"

    assert command.main([*models, "import-donut", str(published), "--document-type", "receipt", "--task-prompt", PROMPT,
                         "--out", str(out)]) == 0  # fmt: skip
    told = capsys.readouterr().out
    assert command.main([*models, "promote", "extraction", str(out), "--version", "1.0"]) == 0

    assert "nothing is made of: table" in told
    assert "sub_total.discount_price" in told  # CORD's naming has it, this tokenizer does not
    ledger = (tmp_path / "models" / "extraction" / "promoted.toml").read_text()
    assert 'architecture = "donut"' in ledger
    assert 'loader = "docextract.extraction.checkpoints.donut:Donut"' in ledger


def test_names_of_ones_own_and_a_described_type(published, tiny, tmp_path):
    """fields.toml says what names mean; a type that is described beside it travels with the weights."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "till_slip.toml").write_text('[fields]\nsum = "currency"\n[fields.goods]\nname = "string"\n')
    naming = tmp_path / "fields.toml"
    naming.write_text('currency = "IDR"\n[fields]\n"total.total_price" = "sum"\n"menu.nm" = "goods.name"\n')

    import_donut(published, tmp_path / "candidate", "till_slip", PROMPT, str(naming))
    (found,) = Donut.load(tmp_path / "candidate").extract(tiny.pages()[:1], ["auto"])

    assert values(found) == {"sum": Decimal("4.50"), "goods": [{"name": "Tea"}, {"name": "Green bun"}]}
    assert (found.type, found.conventions.currency) == ("till_slip", "IDR")
    assert (tmp_path / "candidate" / "types" / "till_slip.toml").exists()


def spoil_config(folder, **sides):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **sides}))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "there is no .*config.json"),
        (lambda folder: (folder / "config.json").write_text("{"), "is no JSON"),
        (lambda folder: spoil_config(folder, encoder={"model_type": "vit"}), "'vit', 'mbart'.*donut-swin"),
        (lambda folder: (folder / "model.safetensors").unlink(), "there is no model.safetensors"),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "pickle.*save_pretrained"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"nonsense"), "cannot be imported"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "cannot be imported"),
        (lambda folder: (folder / "preprocessor_config.json").unlink(), "cannot be imported"),
    ],
)
def test_what_is_no_checkpoint_is_refused_with_a_reason(published, tmp_path, capsys, harm, said):
    """And leaves nothing that could be promoted."""
    folder = shutil.copytree(published, tmp_path / "published")
    harm(folder)

    with pytest.raises(SystemExit):
        command.main(["import-donut", str(folder), "--document-type", "receipt", "--task-prompt", PROMPT,
                      "--out", str(tmp_path / "candidate")])  # fmt: skip

    error = capsys.readouterr().err
    assert error.startswith(f"{folder} cannot be imported")
    assert re.search(said, error)
    assert not (tmp_path / "candidate" / "config.json").exists()


@pytest.mark.parametrize(
    ("document_type", "prompt", "naming", "said"),
    [
        ("receipt", "<s_docvqa>", None, "no token '<s_docvqa>'.*<s_cord-v2>"),
        ("bill", PROMPT, None, "type 'bill' is not known"),
        ("passport", PROMPT, 'ignore = ["menu"]', "nothing that it says is a field of passport.*naming.py"),
        ("receipt", PROMPT, '[fields]\n"menu.nm" = "goods"', "'menu.nm' is 'goods', and receipt has no such field"),
    ],
)
def test_a_wrong_word_on_the_command_line_is_named(published, tmp_path, document_type, prompt, naming, said):
    """With those that could be meant."""
    file = tmp_path / "fields.toml"
    if naming:
        file.write_text(naming)

    with pytest.raises(ValueError, match=said):
        import_donut(published, tmp_path / "candidate", document_type, prompt, str(file) if naming else None)


def test_a_folder_with_something_in_it_is_left_alone(published, tmp_path):
    """A candidate is all that lies in its folder; what is there already would be promoted with it."""
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(ValueError, match="is not empty"):
        import_donut(published, tmp_path, "receipt", PROMPT)


@pytest.mark.parametrize("file", sorted(importing.NAMES.glob("*.toml")), ids=lambda file: file.stem)
def test_namings_that_come_along_name_our_fields(file):
    """A field that is renamed one day is renamed there too."""
    naming = FieldMapping.load(file)

    assert naming.type is not None
    assert set(naming.fields.values()) <= {field.name for field in document_types()[naming.type].fields()}


def test_a_date_that_can_be_two_is_left_out():
    """Unless fields.toml says how dates are written."""
    kind = next(field.kind for field in document_types()["receipt"].fields() if field.name == "transaction_date")

    assert FieldMapping().possible_values(kind, "03/04/2019") == {date(2019, 4, 3), date(2019, 3, 4)}
    assert FieldMapping(date_order="MDY").possible_values(kind, "03/04/2019") == {date(2019, 3, 4)}
    assert FieldMapping().possible_values(kind, "25/12/2018") == {date(2018, 12, 25)}


def test_who_serves_the_layout_transformer_never_loads_transformers():
    """Neither its 126 MB nor its seconds: only a Donut needs it."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom docextract.registry import promoted\n"
        "version = promoted('extraction', Path('models'))\n"
        "assert version.architecture == 'layout'\nversion.load('cpu')\n"
        "sys.exit('transformers' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0

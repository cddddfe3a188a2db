"""A public LayoutLMv3 or LiLT checkpoint is imported, and labels the words of our OCR."""

import json
import re
import shutil
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
import torch
import transformers

from docextract.extraction.checkpoints import layout
from docextract.extraction.checkpoints.common import CHECKPOINT_FOLDER, CheckpointConfig, load_field_mapping
from docextract.extraction.checkpoints.importing import import_layout
from docextract.extraction.checkpoints.layout import PublicLayout, field_name, split_into_windows, split_into_words
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.ocr.rows import in_reading_order
from docextract.registry import __main__ as command

HEIGHT, WIDTH = 240, 320
# The words of each line, with the labels that the network is trained on.
PRINT = (
    (("KEDAI", "B-STORE"), ("KOPI", "I-STORE")),
    (("Tea", "B-MENU.NM"), ("2", "B-MENU.CNT"), ("3.00", "B-MENU.PRICE")),
    (("Green", "B-MENU.NM"), ("bun", "I-MENU.NM"), ("1.50", "B-MENU.PRICE")),
    (("TOTAL", "O"), ("4.50", "B-TOTAL.TOTAL_PRICE")),
    (("25/12/2018", "B-DATE"), ("12:30", "B-TIME")),
)
LABELS = sorted({label for line in PRINT for _, label in line})
NAMES = """
currency = "MYR"
ignore = ["time"]
[fields]
store = "merchant_name"
date = "document_date"
"menu.nm" = "line_items.description"
"menu.cnt" = "line_items.quantity"
"menu.price" = "line_items.amount"
"total.total_price" = "total"
"menu.num" = "line_items.product_code"
"""


def tokenizer():
    """Return a tokenizer of LayoutLMv3's class with a token for each letter; LiLT's checkpoints use the same class."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = ["Ġ", *map(chr, range(33, 127))]
    return transformers.LayoutLMv3Tokenizer(vocab={t: n for n, t in enumerate([*special, *letters])}, merges=[])


def network(kind):
    shared = {
        "vocab_size": 110, "hidden_size": 36, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 64,
        "max_position_embeddings": 514, "pad_token_id": 1, "hidden_dropout_prob": 0.0, "initializer_range": 0.1,
        "attention_probs_dropout_prob": 0.0, "id2label": dict(enumerate(LABELS)),
        "label2id": {label: number for number, label in enumerate(LABELS)},
    }  # fmt: skip
    torch.manual_seed(0)
    if kind == "lilt":
        return transformers.LiltForTokenClassification(transformers.LiltConfig(**shared, channel_shrink_ratio=2))
    return transformers.LayoutLMv3ForTokenClassification(
        transformers.LayoutLMv3Config(**shared, input_size=32, patch_size=16, coordinate_size=6, shape_size=6)
    )


@pytest.fixture
def lines(line):
    """OCR lines in another order than the reading order."""
    return tuple(line(" ".join(w for w, _ in words), x=10, y=10 + 40 * at) for at, words in enumerate(PRINT))[::-1]


class FixedReader:
    """A reader that gives the same lines for every page that is not blank."""

    def __init__(self, lines):
        self.lines = lines

    def read(self, pages):
        return [() if page.min() == 255 else self.lines for page in pages]


def page(shade=90):
    return np.full((HEIGHT, WIDTH, 3), shade, np.uint8)


def train_network(kind, lines):
    """Train a network to label the words as in PRINT."""
    model = network(kind).eval()
    (window,) = split_into_windows(0, tuple(split_into_words(in_reading_order(lines))), WIDTH, HEIGHT, tokenizer())
    labels = torch.full((1, len(window.tokens)), -100)
    labels[0, list(window.firsts)] = torch.tensor([LABELS.index(label) for line in PRINT for _, label in line])
    inputs = {"input_ids": torch.tensor([window.tokens]), "bbox": torch.tensor([window.boxes])}
    if kind == "layoutlmv3":
        inputs["pixel_values"] = torch.full((1, 3, 32, 32), 90 / 127.5 - 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(100):
        loss = model(**inputs, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0.02:
            return model
    raise AssertionError(f"one page was not memorised; loss {loss:.3f}")


@pytest.fixture(params=["layoutlmv3", "lilt"])
def published(request, lines, tmp_path):
    """A checkpoint as it would be downloaded, with a field mapping next to it."""
    folder = tmp_path / "published"
    train_network(request.param, lines).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    if request.param == "layoutlmv3":
        size = {"height": 32, "width": 32}
        transformers.LayoutLMv3ImageProcessorPil(apply_ocr=False, size=size).save_pretrained(folder)
    (tmp_path / "fields.toml").write_text(NAMES)
    return folder


@pytest.fixture
def served(published, lines, tmp_path):
    """The imported candidate with a reader that needs no OCR."""
    out = tmp_path / "candidate"
    import_layout(published, out, "receipt", str(tmp_path / "fields.toml"))
    model, words, image_processor = layout.open_layout_model(out / CHECKPOINT_FOLDER, torch.float32)
    return PublicLayout(
        model,
        words,
        image_processor,
        CheckpointConfig.load(out),
        load_field_mapping(out),
        UNCALIBRATED,
        FixedReader(lines),
    )


def test_words_become_typed_fields_with_polygons(served):
    """A row begins where its first label begins again; values have the polygons of their words."""
    found, blank, invoice = served.extract([page(), page(255), page()], ["auto", "auto", "invoice"])

    assert {name: value.value for name, value in found.fields.items()} == {
        "merchant_name": "KEDAI KOPI", "document_date": date(2018, 12, 25), "total": Decimal("4.50"),
    }  # fmt: skip
    assert [{leaf: value.value for leaf, value in row.items()} for row in found.groups["line_items"]] == [
        {"description": "Tea", "quantity": Decimal(2), "amount": Decimal("3.00")},
        {"description": "Green bun", "amount": Decimal("1.50")},
    ]
    (box,) = found.fields["total"].polygons
    assert box == pytest.approx(np.array([[70, 130], [110, 130], [110, 150], [70, 150]]), abs=1)
    assert (found.type, found.conventions.currency) == ("receipt", "MYR")
    assert found.type_confidence > 0.9
    assert all(value.confidence > 0.5 for value in found.fields.values())
    assert (blank.type, blank.fields) == ("other", {})
    assert (invoice.type, invoice.type_confidence, invoice.fields) == ("invoice", 0.0, {})


def test_a_batch_gives_the_same_candidates_as_single_pages(served, monkeypatch):
    """Windows of several pages are padded to the longest and processed together."""
    monkeypatch.setattr(layout, "WINDOW_BATCH_SIZE", 2)
    pages = [page(), page(60), page(255), page(120), page()]

    together = served.candidates(pages)

    for some, one in zip((one.fields for one in together), pages, strict=True):
        alone = served.candidates([one])[0].fields
        assert {n: c.value for n, c in some.items()} == {n: c.value for n, c in alone.items()}
        for name, candidate in some.items():
            assert candidate.support == pytest.approx(alone[name].support, abs=1e-4)


def test_windows_agree_with_the_tokenizer_of_transformers(lines):
    """Tokens and boxes are the same; longer pages continue in the next window, and no word is lost."""
    words, own_tokenizer = tuple(split_into_words(in_reading_order(lines))), tokenizer()
    (window,) = split_into_windows(0, words, WIDTH, HEIGHT, own_tokenizer)
    boxes = [window.boxes[first] for first in window.firsts]
    reference = own_tokenizer([word.text for word in words], boxes=[list(box) for box in boxes])

    assert list(window.tokens) == reference["input_ids"]
    assert [list(box) for box in window.boxes] == reference["bbox"]
    many = list(split_into_windows(0, words * 40, WIDTH, HEIGHT, own_tokenizer))
    assert [at for window in many for at in window.words] == list(range(40 * len(words)))
    assert max(len(window.tokens) for window in many) <= 512 < sum(len(window.tokens) for window in many)
    assert list(split_into_windows(0, (), WIDTH, HEIGHT, own_tokenizer)) == []


@pytest.mark.parametrize(
    ("label", "name"),
    [("B-MENU.NM", "menu.nm"), ("I-COMPANY", "company"), ("S-TOTAL", "total"), ("total", "total"), ("O", None)],
)
def test_field_names_are_taken_from_labels(label, name):
    """Labels of CORD and SROIE, with and without a BIO prefix."""
    assert field_name(label) == name


def test_two_commands_import_and_promote_a_checkpoint(published, tmp_path, capsys):
    """Fields without a label are reported, and not listed in the ledger."""
    models, out = ["--models", str(tmp_path / "models")], tmp_path / "candidate"

    assert command.main([*models, "import-layout", str(published), "--document-type", "receipt", "--out", str(out),
                         "--fields", str(tmp_path / "fields.toml")]) == 0  # fmt: skip
    output = capsys.readouterr().out
    assert command.main([*models, "promote", "extraction", str(out), "--version", "1.0"]) == 0

    assert "unknown to the checkpoint: menu.num" in output
    assert "not used" not in output  # "time" is ignored on purpose
    ledger = (tmp_path / "models" / "extraction" / "promoted.toml").read_text()
    assert 'loader = "docextract.extraction.checkpoints.layout:PublicLayout"' in ledger
    assert "line_items.product_code" not in ledger


@pytest.mark.parametrize("published", ["lilt"], indirect=True)
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda folder: change_config(folder, model_type="bert"),
            "model type 'bert'; supported are layoutlmv3 and lilt",
        ),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "AutoModelForTokenClass"),
        (
            lambda folder: change_config(folder, id2label={n: f"LABEL_{n}" for n in range(len(LABELS))}),
            "it predicts label_0",
        ),
        (lambda folder: change_config(folder, num_hidden_layers=3), "lacks .* of the network's weights"),
    ],
)
def test_unsupported_checkpoints_are_refused_with_a_reason(published, tmp_path, capsys, damage, message):
    """Nothing is written that could be promoted."""
    folder = shutil.copytree(published, tmp_path / "damaged")
    damage(folder)

    with pytest.raises(SystemExit):
        command.main(["import-layout", str(folder), "--document-type", "receipt", "--fields", "sroie",
                      "--out", str(tmp_path / "out")])  # fmt: skip

    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def change_config(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


@pytest.mark.parametrize("published", ["lilt"], indirect=True)
def test_an_unknown_field_mapping_is_refused_with_the_known_ones(published, tmp_path):
    """A field mapping is a path or the name of an included one."""
    with pytest.raises(ValueError, match=r"cord is neither a file nor an included field mapping: cord-v2, sroie"):
        import_layout(published, tmp_path / "out", "receipt", "cord")

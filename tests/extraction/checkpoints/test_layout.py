"""A public LayoutLMv3 or LiLT becomes a candidate, and labels what our reader reads."""

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
from docextract.extraction.checkpoints.common import CHECKPOINT_FOLDER, CheckpointConfig, load_naming
from docextract.extraction.checkpoints.importing import import_layout
from docextract.extraction.checkpoints.layout import PublicLayout, field_name, split_into_windows, split_into_words
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.ocr.rows import in_reading_order
from docextract.registry import __main__ as command

HEIGHT, WIDTH = 240, 320
# By word: what is printed, and how the network was taught to label it.
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
date = "transaction_date"
"menu.nm" = "line_items.description"
"menu.cnt" = "line_items.quantity"
"menu.price" = "line_items.total_price"
"total.total_price" = "total"
"menu.num" = "line_items.product_code"
"""


def tokenizer():
    """LayoutLMv3's class with a token for each letter; LiLT's checkpoints use the same."""
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
    """As our reader would give them, out of order."""
    return tuple(line(" ".join(w for w, _ in words), x=10, y=10 + 40 * at) for at, words in enumerate(PRINT))[::-1]


class Reads:
    """The same lines on every page that is not blank."""

    def __init__(self, lines):
        self.lines = lines

    def read(self, pages):
        return [() if page.min() == 255 else self.lines for page in pages]


def page(shade=90):
    return np.full((HEIGHT, WIDTH, 3), shade, np.uint8)


def taught(kind, lines):
    """A network that labels these words as PRINT says."""
    model, words = network(kind).eval(), tokenizer()
    (window,) = split_into_windows(0, tuple(split_into_words(in_reading_order(lines))), WIDTH, HEIGHT, words)
    wanted = torch.full((1, len(window.tokens)), -100)
    wanted[0, list(window.firsts)] = torch.tensor([LABELS.index(label) for line in PRINT for _, label in line])
    given = {"input_ids": torch.tensor([window.tokens]), "bbox": torch.tensor([window.boxes])}
    if kind == "layoutlmv3":
        given["pixel_values"] = torch.full((1, 3, 32, 32), 90 / 127.5 - 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(100):
        error = model(**given, labels=wanted).loss
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        if error < 0.02:
            return model
    raise AssertionError(f"one page was not learned; error {error:.3f}")


@pytest.fixture(params=["layoutlmv3", "lilt"])
def published(request, lines, tmp_path):
    """A folder as it would be downloaded, and what its names mean."""
    folder = tmp_path / "published"
    taught(request.param, lines).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    if request.param == "layoutlmv3":
        size = {"height": 32, "width": 32}
        transformers.LayoutLMv3ImageProcessorPil(apply_ocr=False, size=size).save_pretrained(folder)
    (tmp_path / "fields.toml").write_text(NAMES)
    return folder


@pytest.fixture
def served(published, lines, tmp_path):
    """Imported, and opened around lines that nobody had to read."""
    out = tmp_path / "candidate"
    import_layout(published, out, "receipt", str(tmp_path / "fields.toml"))
    model, words, pixels = layout.open_checkpoint(out / CHECKPOINT_FOLDER, torch.float32)
    return PublicLayout(model, words, pixels, CheckpointConfig.load(out), load_naming(out), UNCALIBRATED, Reads(lines))


def test_words_become_typed_fields_with_their_places(served):
    """Rows begin where a row's first label begins again; every value stands where its words do."""
    found, blank, invoice = served.extract([page(), page(255), page()], ["auto", "auto", "invoice"])

    assert {name: value.value for name, value in found.fields.items()} == {
        "merchant_name": "KEDAI KOPI", "transaction_date": date(2018, 12, 25), "total": Decimal("4.50"),
    }  # fmt: skip
    assert [{leaf: value.value for leaf, value in row.items()} for row in found.groups["line_items"]] == [
        {"description": "Tea", "quantity": Decimal(2), "total_price": Decimal("3.00")},
        {"description": "Green bun", "total_price": Decimal("1.50")},
    ]
    (box,) = found.fields["total"].polygons
    assert box == pytest.approx(np.array([[70, 130], [110, 130], [110, 150], [70, 150]]), abs=1)
    assert (found.type, found.conventions.currency) == ("receipt", "MYR")
    assert found.type_confidence > 0.9
    assert all(value.confidence > 0.5 for value in found.fields.values())
    assert (blank.type, blank.fields) == ("other", {})
    assert (invoice.type, invoice.type_confidence, invoice.fields) == ("invoice", 0.0, {})


def test_a_batch_says_what_each_page_says_alone(served, monkeypatch):
    """Though windows of all pages are looked at together, padded to the longest."""
    monkeypatch.setattr(layout, "WINDOW_BATCH_SIZE", 2)
    pages = [page(), page(60), page(255), page(120), page()]

    together = served.candidates(pages)

    for some, one in zip((one.fields for one in together), pages, strict=True):
        alone = served.candidates([one])[0].fields
        assert {n: c.value for n, c in some.items()} == {n: c.value for n, c in alone.items()}
        for name, candidate in some.items():
            assert candidate.support == pytest.approx(alone[name].support, abs=1e-4)


def test_windows_are_what_transformers_makes_of_words_and_boxes(lines):
    """Token for token, box for box; what is longer than a window goes on in the next, and no word is lost."""
    words, made = tuple(split_into_words(in_reading_order(lines))), tokenizer()
    (window,) = split_into_windows(0, words, WIDTH, HEIGHT, made)
    boxes = [window.boxes[first] for first in window.firsts]
    theirs = made([word.text for word in words], boxes=[list(box) for box in boxes])

    assert list(window.tokens) == theirs["input_ids"]
    assert [list(box) for box in window.boxes] == theirs["bbox"]
    many = list(split_into_windows(0, words * 40, WIDTH, HEIGHT, made))
    assert [at for window in many for at in window.words] == list(range(40 * len(words)))
    assert max(len(window.tokens) for window in many) <= 512 < sum(len(window.tokens) for window in many)
    assert list(split_into_windows(0, (), WIDTH, HEIGHT, made)) == []


@pytest.mark.parametrize(
    ("label", "name"),
    [("B-MENU.NM", "menu.nm"), ("I-COMPANY", "company"), ("S-TOTAL", "total"), ("total", "total"), ("O", None)],
)
def test_labels_of_any_custom_are_understood(label, name):
    """CORD's, SROIE's, with a place in the word or without."""
    assert field_name(label) == name


def test_from_a_download_to_the_ledger_with_two_commands(published, tmp_path, capsys):
    """What the network has no label for is told, and nothing is promised of it."""
    models, out = ["--models", str(tmp_path / "models")], tmp_path / "candidate"

    assert command.main([*models, "import-layout", str(published), "--document-type", "receipt", "--out", str(out),
                         "--fields", str(tmp_path / "fields.toml")]) == 0  # fmt: skip
    told = capsys.readouterr().out
    assert command.main([*models, "promote", "extraction", str(out), "--version", "1.0"]) == 0

    assert "no word for it: menu.num" in told
    assert "nothing is made of" not in told  # "time" is ignored on purpose
    ledger = (tmp_path / "models" / "extraction" / "promoted.toml").read_text()
    assert 'loader = "docextract.extraction.checkpoints.layout:PublicLayout"' in ledger
    assert "line_items.product_code" not in ledger


@pytest.mark.parametrize("published", ["lilt"], indirect=True)
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: restate(folder, model_type="bert"), "type 'bert'; layoutlmv3 and lilt"),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "AutoModelForTokenClass"),
        (lambda folder: restate(folder, id2label={n: f"LABEL_{n}" for n in range(len(LABELS))}), "it says label_0"),
        (lambda folder: restate(folder, num_hidden_layers=3), "lacks .* of the network's weights"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(published, tmp_path, capsys, harm, said):
    """And leaves nothing that could be promoted."""
    folder = shutil.copytree(published, tmp_path / "harmed")
    harm(folder)

    with pytest.raises(SystemExit):
        command.main(["import-layout", str(folder), "--document-type", "receipt", "--fields", "sroie",
                      "--out", str(tmp_path / "out")])  # fmt: skip

    assert re.search(said, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def restate(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


@pytest.mark.parametrize("published", ["lilt"], indirect=True)
def test_a_naming_that_is_not_there_is_named_with_those_that_are(published, tmp_path):
    """A path, or the name of one that comes along."""
    with pytest.raises(ValueError, match=r"cord is neither a file nor one that comes along: cord-v2, sroie"):
        import_layout(published, tmp_path / "out", "receipt", "cord")

"""Tests of the model cards."""

from datetime import date
from pathlib import Path

import pytest

from docextract.registry import promote, promoted_version
from docextract.registry.gate import Gate
from training.commands import card as cards
from training.commands.card import format_card, load_attributions, weaknesses

ROOT = Path(__file__).parents[3]
FIELD = {"pages": 40, "exact": 0.9, "loose": 0.95}
SCORES = {
    "date": "2026-01-31",
    "commit": "abc1234",
    "learned_from": ["synthetic", "sroie"],
    "candidate": {"digest": "sha256:00"},
    "served": {"version": "1.0", "digest": "sha256:11"},
    "mine": {
        "pages": 40,
        "type_right": 1.0,
        "calibration": {"values": 70, "error": 0.031, "from 0.9": {"values": 50, "confidence": 0.96, "right": 0.94}},
        "fields": {"total": FIELD},
        "document_types": {"receipt": {"total": FIELD, "tip": {"pages": 3, "exact": 0.0},
                                       "merchant_name": {"pages": 40, "exact": 0.4, "loose": 0.6}, "all": FIELD}},
        "tags": {"dark": {"total": FIELD, "all": {"pages": 20, "exact": 0.3}}},
    },
    "synthetic": {"criteria": {"glare": {"auroc": 0.541, "n": 664, "defects": 38}}, "overall": {"auroc": 0.879, "n":
    700},
                "document_types": {"receipt": {"merchant_name": {"pages": 40, "exact": 0.8}}}},
    "comparison": {"mine.document_types.receipt.all.exact": {"candidate": 0.9, "served": 0.85, "gain": 0.05,
                                                             "low": 0.01, "high": 0.09, "n": 120}},
}  # fmt: skip
NOTES = "Reads receipts.\n\n## What it cannot do\n\n* Dance.\n"


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.setenv("BENTOML_HOME", str(tmp_path / "bentoml"))
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "config.json").write_text("{}")
    (tmp_path / "models" / "extraction").mkdir(parents=True)
    (tmp_path / "models" / "extraction" / "gate.toml").write_text('[may_lose]\n"*.all.exact" = 0.01\n')
    promote("extraction", tmp_path / "weights", "1.1", tmp_path / "models", day=date(2026, 2, 1), scores=SCORES,
            forced="a fire", document_types=["receipt"])  # fmt: skip
    return tmp_path / "models"


@pytest.fixture
def text(models):
    gate = Gate(floors={"mine.document_types.receipt.total.exact": 0.8, "other.total": 0.5}, may_lose={"*.all": 0.01})
    return format_card(promoted_version("extraction", models), gate, NOTES, load_attributions())


def test_the_card_has_all_measurements(text):
    """Fields, confidences, the gate, and the comparison with the version before."""
    for line in (
        "# extraction 1.1",
        "2026-01-31, commit abc1234. Shares",
        "* pages 40, type_right 1.000",
        "| `merchant_name` | 40 | 0.400 | 0.600 |",
        "| `from 0.9` | 50 | 0.960 | 0.940 |",
        "| `dark` | 20 | 0.300 |",
        "* `overall`: auroc 0.879, n 700",
        "### Against 1.0",
        "| `mine.document_types.receipt.all.exact` | 0.900 | 0.850 | 0.050 | 0.010 | 0.090 | 120 |",
        "* `mine.document_types.receipt.total.exact`: 0.9; at least 0.8",
        "* `other.total`: not measured; at least 0.5",
        "**It was promoted without passing the gate: a fire**",
    ):
        assert line in text, line


def test_notes_open_and_end_the_card(text):
    """NOTES.md opens and ends the card."""
    assert text.index("Reads receipts.") < text.index("## Scores") < text.index("## What it cannot do\n\n* Dance.")


def test_the_card_names_the_owners_of_the_data(text):
    """With the licence, and a link if there is one."""
    assert "(https://rrc.cvc.uab.es/?ch=13) | Huang et al. | CC BY 4.0 |" in text


def test_weaknesses_are_sorted_and_need_enough_items():
    """Three tips are too few; each field is listed for the set where it scores lowest."""
    assert [line.split(":")[0] for line in weaknesses(SCORES)] == [
        "`all` of dark on mine",
        "`merchant_name` of receipt on mine",
        "`glare` on synthetic",
        "`total` of receipt on mine",
    ]


def test_the_command_writes_the_card(models):
    """The same text each time."""
    for _ in range(2):
        cards.main(["extraction", "--models", str(models)])
        written = (models / "extraction" / "CARD.md").read_text()
        assert written.startswith("# extraction 1.1\n")
    assert "* Dance." not in written  # no notes here


@pytest.mark.parametrize("name", ["quality", "extraction"])
def test_all_training_data_of_our_models_is_attributed(name):
    """Every data source has its owner and licence."""
    known = load_attributions()

    for source in promoted_version(name, ROOT / "models").scores["learned_from"]:
        assert {"title", "owner", "licence", "use"} <= known[source].keys()

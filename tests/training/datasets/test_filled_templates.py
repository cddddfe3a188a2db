"""Filled templates: what they print, and which are held out."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from training.datasets.filled_templates import (
    FILLS,
    FilledTemplate,
    dump_document,
    held_out,
    load_documents,
    printed_values,
)
from training.synth.sheet import Sheet, Text


def text(content, x, y, field=None):
    return Text(content, x, y, 2.0 * len(content), 4.0, field, "sans")


SHEET = Sheet(210.0, 297.0, (
    text("Holzhof", 20, 20, "vendor_name"), text("Nord GmbH", 20, 25, "vendor_name"),
    text("03.02.2024", 150, 30, "document_date"), text("Regal", 20, 100, "line_items.0.description"),
    text("50,00", 160, 100, "line_items.0.amount"), text("9,50", 160, 110, "line_items.1.amount"),
    text("59,50 EUR", 160, 120, "total"), text("Holzhof Nord GmbH", 20, 280, "vendor_name"), text("Seite 1", 150, 290),
))  # fmt: skip
DOCUMENT = FilledTemplate("plain", 0, "invoice", "de", "DE", "EUR", "DMY", (SHEET,))


def test_a_text_may_be_printed_whole_and_in_parts():
    """Parts that are too short are no reading of it; other values are parsed as the document prints them."""
    printed = printed_values(DOCUMENT)

    assert printed.keys() == {"vendor_name", "document_date", "total"}
    assert "Holzhof Nord GmbH" in printed["vendor_name"]
    assert printed["document_date"] == [date(2024, 2, 3)]
    assert printed["total"] == [Decimal("59.50")]


def test_rows_are_counted():
    """Each once, however many values it has."""
    assert (DOCUMENT.rows("line_items"), DOCUMENT.rows("taxes")) == (2, 0)


def test_the_first_documents_of_some_templates_are_held_out():
    """The name of the template alone decides."""
    documents = [replace(DOCUMENT, template=f"layout-{name}", number=n) for name in range(50) for n in (0, FILLS)]

    kept = list(held_out(documents))
    assert 3 < len(kept) < 20
    assert {(one.number, one.is_held_out) for one in kept} == {(0, True)}


def test_documents_survive_dump_and_load(tmp_path):
    """Places are rounded to hundredths of a millimetre."""
    (tmp_path / "a.jsonl").write_text(dump_document(DOCUMENT) + "\n")

    assert list(load_documents([tmp_path / "a.jsonl"])) == [DOCUMENT]

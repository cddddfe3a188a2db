"""What is found on filled templates: comparison with what they print, and the page."""

from dataclasses import replace
from pathlib import Path

from training.datasets.filled_templates import FilledTemplate
from training.evaluation import held_out_layouts
from training.evaluation.held_out_layouts import (
    ROWS,
    LayoutResult,
    layout_results,
    layout_rows,
    layouts_page,
    overall_table,
)
from training.metrics import loose_form
from training.synth.misreading import read_without_errors
from training.synth.sheet import Sheet, Text

TEMPLATES = Path(__file__).parents[3] / "training" / "synth" / "data" / "templates"


def text(content, x, y, field=None):
    return Text(content, x, y, 2.0 * len(content), 4.0, field, "sans")


DOCUMENT = FilledTemplate(
    "plain", 0, "invoice", "de", "DE", "EUR", "DMY",
    (Sheet(210.0, 297.0, (
        text("Holzhof GmbH", 20, 20, "vendor_name"), text("Deichstr. 1", 20, 25, "vendor_address"),
        text("20459 Hamburg", 20, 30, "vendor_address"), text("01.02.2024", 150, 30, "document_date"),
        text("Regalboden", 20, 100, "line_items.0.description"), text("50,00", 160, 100, "line_items.0.amount"),
        text("Gesamt: ", 130, 120), text("59,50 EUR", 160, 120, "total"), text("Holzhof GmbH", 20, 280, "vendor_name"),
    )),),
)  # fmt: skip


def results_of(**values):
    answer = {name: {"value": value, "confidence": 0.9} for name, value in values.items()}
    return {one.name: one for one in layout_results(DOCUMENT, answer)}


def test_values_are_compared_as_they_are_printed():
    """Fields that are not printed are not counted, and one that is not given is wrong."""
    found = results_of(
        vendor_name="Holzhof GmbH", vendor_address="Deichstr. 1 20459 Hamburg", document_date="2024-02-01",
        total={"amount": "59.50", "currency": "EUR"}, due_date="2024-03-01",
    )  # fmt: skip

    assert set(found) == {"vendor_name", "vendor_address", "document_date", "total", ROWS}
    assert [name for name, one in found.items() if not one.is_right(loose_form)] == [ROWS]


def test_a_part_of_an_address_is_wrong():
    found = results_of(vendor_address="20459 Hamburg")

    assert not found["vendor_address"].is_right(loose_form)


def test_lines_are_read_without_errors():
    """A gap ends a line."""
    lines = read_without_errors(DOCUMENT.sheets[0], gap=6.0)

    assert [line.text for line in lines][-2:] == ["Gesamt: 59,50 EUR", "Holzhof GmbH"]
    assert {line.confidence for line in lines} == {1.0}


def test_values_of_rows_are_compared_as_they_are_printed():
    """A row is whole if all that is printed of it is right."""
    items = [{"fields": {"description": {"value": "Regalboden"}, "amount": {"value": {"amount": "5.00"}}}}]
    (row,) = layout_rows(DOCUMENT, {"line_items": {"items": items}})

    assert row.is_right("description")
    assert not row.is_right("amount")
    assert not row.is_whole


def test_layouts_of_which_nobody_saw_an_error_are_counted_apart(monkeypatch):
    """Each kind of them; without any there is no row for them."""
    results = list(results_of(vendor_name="Holzhof GmbH").values())
    usual = list(overall_table(results, {"plain": "invoice"}))
    monkeypatch.setattr(held_out_layouts, "UNSEEN_LAYOUTS", frozenset({"plain"}))

    assert usual[2:] == ["| all | 1 | 5 | 20.0% (0.0% to 100.0%) |"]
    row = "| errors not looked at: {} | 1 | 5 | 20.0% (0.0% to 100.0%) |"
    assert list(overall_table(results, {"plain": "invoice"}))[3:] == [row.format("invoices, receipts, bills")]
    assert list(overall_table(results, {"plain": "passport"}))[3:] == [row.format("cards")]


def test_layouts_that_nobody_saw_exist_and_are_held_out():
    """Others would be trained on."""
    for name in held_out_layouts.UNSEEN_LAYOUTS:
        assert (TEMPLATES / name / "template.html").exists()
        assert replace(DOCUMENT, template=name).is_held_out


def test_the_page_counts_by_type_and_by_layout():
    fields = list(results_of(vendor_name="Holzhof GmbH").values())
    written = layouts_page([LayoutResult(DOCUMENT, fields, list(layout_rows(DOCUMENT, {})))], "extraction 9.9.9")

    assert "| `vendor_name` | 1 | 100.0% |" in written
    assert "| plain | invoice | 5 | 20.0% |" in written
    assert "| **whole rows** | 1 | 0.0% (0.0% to 100.0%) | 100.0% | 0.0% |" in written

"""New layouts out of filled templates."""

from dataclasses import replace
from random import Random

from training.datasets.filled_templates import FilledTemplate
from training.synth.sheet import Sheet, Text
from training.tasks.layout.layout_mixing import cross_layouts, exchange_columns, mix_layouts, remove_customer_label


def text(content, x, y, field=None):
    return Text(content, x, y, 2.0 * len(content), 4.0, field, "sans")


def document(*texts, width=210.0, **others):
    sheet = Sheet(width, 297.0, texts)
    return replace(FilledTemplate("a", 0, "invoice", "de", "DE", "EUR", "DMY", (sheet,)), **others)


HEAD = (
    text("Holzhof GmbH", 20, 20, "vendor_name"), text("R-4711", 150, 20, "document_number"),
    text("Amt Nord", 20, 50, "customer_name"), text("Zu zahlen", 120, 50), text("59,50", 170, 50, "total"),
)  # fmt: skip
TABLE = (text("Artikel", 20, 93), text("Regal", 20, 100, "line_items.0.description"), text("59,50", 170, 110, "total"))
OTHER = (
    text("Eisen AG", 90, 10, "vendor_name"), text("Pos Text", 30, 153),
    text("Nagel", 30, 160, "line_items.0.description"), text("11,90", 170, 170, "total"),
    text("Eisen AG", 30, 280, "vendor_name"), text("IBAN", 80, 280),
)  # fmt: skip


def found(sheet, field):
    return [one.text for one in sheet.texts() if one.field == field]


def test_a_head_stands_above_the_other_table():
    """Amounts are those of the table, names those of the head, also in the foot."""
    (sheet,) = cross_layouts(document(*HEAD, *TABLE), document(*OTHER)).sheets

    assert found(sheet, "vendor_name") == ["Holzhof GmbH", "Holzhof GmbH"]
    assert found(sheet, "document_number") == ["R-4711"]
    assert found(sheet, "line_items.0.description") == ["Nagel"]
    assert found(sheet, "total") == ["11,90", "11,90"]
    assert "Artikel" not in found(sheet, None)
    heads, rows = ([one for one in sheet.texts() if one.text == name] for name in ("Amt Nord", "Pos Text"))
    assert heads[0].y_mm + heads[0].height_mm <= rows[0].y_mm < 100
    assert sheet.height_mm >= max(one.y_mm + one.height_mm for one in sheet.texts())


def test_what_goes_over_several_lines_is_not_replaced():
    """The foot keeps its own address; one line of the head's would be a part of it."""
    addresses = [text("Am Deich 1", 20, 25, "vendor_address"), text("20459 Hamburg", 20, 30, "vendor_address")]
    foot = text("Weg 7, 10115 Berlin", 30, 285, "vendor_address")
    (sheet,) = cross_layouts(document(*HEAD, *addresses, *TABLE), document(*OTHER, foot)).sheets

    assert found(sheet, "vendor_address") == ["Am Deich 1", "20459 Hamburg", "Weg 7, 10115 Berlin"]


def test_a_name_of_several_lines_is_not_put_into_the_foot():
    """Its longest line alone would be a part of it."""
    second = text("Niederlassung Hamburg ", 20, 25, "vendor_name")
    (sheet,) = cross_layouts(document(*HEAD, second, *TABLE), document(*OTHER)).sheets

    assert found(sheet, "vendor_name") == ["Holzhof GmbH", "Niederlassung Hamburg ", "Eisen AG"]


def test_an_amount_that_the_table_does_not_have_prevents_crossing():
    """It would contradict the others."""
    owed = text("99,00", 170, 55, "amount_due")

    assert cross_layouts(document(*HEAD, owed, *TABLE), document(*OTHER)) is None
    assert cross_layouts(document(*HEAD, *TABLE), document(*OTHER, replace(owed, y_mm=180.0))) is not None


def test_documents_of_other_kinds_are_not_crossed():
    """Another type, language or date order, another width, or no table."""
    head = document(*HEAD, *TABLE)
    others = [
        document(*OTHER, type="receipt"), document(*OTHER, language="fr"), document(*OTHER, date_order="MDY"),
        document(*OTHER, width=80.0), document(*HEAD),
    ]  # fmt: skip

    assert [cross_layouts(head, other) for other in others] == [None] * len(others)


def test_columns_are_exchanged_with_their_labels():
    """Each column keeps its inner places."""
    left = (text("Holzhof GmbH", 20, 20, "vendor_name"), text("Weg 1", 20, 25, "vendor_address"))
    right = (text("Nr.", 140, 20), text("R-4711", 150, 20, "document_number"))
    sheet = exchange_columns(Sheet(210.0, 297.0, (*left, *right, *TABLE)))
    places = {one.text: one.x_mm for one in sheet.texts()}

    assert places["Nr."] == 20
    assert places["R-4711"] == 30
    assert places["Holzhof GmbH"] == places["Weg 1"] == 162 - 24
    assert places["Regal"] == 20


def test_labels_are_not_put_behind_their_values():
    """A column of labels alone stays where it is, and a page without a table as well."""
    labels = (text("Rechnungsnummer", 20, 20), text("Datum", 20, 25))
    values = (text("R-4711", 140, 20, "document_number"), text("01.02.2026", 140, 25, "document_date"))
    for texts in ((*labels, *values, *TABLE), HEAD):
        sheet = Sheet(210.0, 297.0, texts)
        assert {(one.text, one.x_mm) for one in exchange_columns(sheet).texts()} == {
            (one.text, one.x_mm) for one in texts
        }


def test_the_label_of_the_customer_is_removed():
    """Right above the name; other text stays."""
    name = text("Amt Nord", 60, 50, "customer_name")
    sheet = Sheet(210.0, 297.0, (text("Name:", 40, 50), text("An", 60, 45), text("Seite 1", 150, 45), name))

    assert [one.text for one in remove_customer_label(sheet).texts()] == ["Name:", "Seite 1", "Amt Nord"]
    assert remove_customer_label(Sheet(210.0, 297.0, TABLE)).texts() == TABLE


def test_mixing_depends_on_the_seed_and_changes_most_documents():
    """A document that cannot be crossed may still stay as it is."""
    head, other = document(*HEAD, *TABLE), document(*OTHER)
    mixed = [mix_layouts(head, other, Random(seed)) for seed in range(20)]

    assert mixed[3] == mix_layouts(head, other, Random(3))
    assert sum(one != head for one in mixed) > 12

"""Sheets: from answers to labels, and what is refused on the way."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docextract.answers.schema import CurrencyAnswer, DocumentAnswer, FieldAnswer
from docextract.documents import document_types
from docextract.review import sheets
from docextract.review.sheets import InvalidSheetError, Sheet, SheetValue

BOX = [(0.1, 0.2), (0.3, 0.2), (0.3, 0.25), (0.1, 0.25)]


def value(kind, value, confidence=0.9, image=0, polygon=BOX):
    return FieldAnswer(
        type=kind, value=value, content="x", confidence=confidence, needs_review=confidence < 0.5, image=image,
        polygon=polygon,
    )  # fmt: skip


def answer(**fields):
    return DocumentAnswer(
        type="receipt", type_confidence=1, schema_version="receipt/1.0", images=[0], confidence=1, needs_review=False,
        review_reasons=[], accepted_from=0.5, fields=fields, missing_fields=[], checks=[],
        currency=CurrencyAnswer(code="MYR", confidence=1),
    )  # fmt: skip


def printed(text, image=0, polygons=(BOX,)):
    return SheetValue(state="printed", text=text, image=image, polygons=list(polygons))


def test_values_of_an_answer_become_labels():
    """Dates stay ISO 8601, money becomes a plain decimal, and a field that was not found is absent."""
    amount = {"amount": "9.00", "currency": "MYR"}
    row = FieldAnswer(type="object", fields={"quantity": value("number", 2.0), "amount": value("currency", amount)})
    found = answer(
        total=value("currency", amount, 0.4),
        document_date=value("date", "2018-12-25"),
        line_items=FieldAnswer(type="array", items=[row]),
    )

    sheet = sheets.sheet_of(found)

    assert (sheet.fields["total"].text, sheet.fields["total"].doubtful) == ("9.00", True)
    assert sheet.fields["document_date"].text == "2018-12-25"
    assert sheet.fields["merchant_name"] == SheetValue(state="absent")
    assert [cell.text for cell in sheet.rows["line_items"][0].values()] == ["2", "9.00"]
    assert sheet.currency == "MYR"
    assert sheets.checked_sheet(sheet) == sheet


def data(kind, content, polygon=BOX, **more):
    """Make a value of an e-invoice; polygon: None if it is not printed."""
    found = value(kind, content, 0.99, None if polygon is None else 0, polygon)
    return found.model_copy(update={"source": "embedded_xml", **more})


def test_labels_of_an_einvoice_are_what_is_printed():
    """What only the data state may be printed otherwise, so a person looks at it, or nowhere: then it has no label."""
    money = {"amount": "119.00", "currency": "EUR"}
    read = value("currency", {"amount": "120.00", "currency": "EUR"})
    both = {"embedded_xml": data("currency", money, None), "printed": read}
    found = answer(
        total=data("currency", money, None, sources=both, needs_review=True),
        merchant_name=data("string", "Holzhof GmbH"),
        merchant_address=data("address", "Waldweg 1, 80333 München, DE", None),
        document_date=value("date", "2018-12-25"),
    ).model_copy(update={"currency": None})

    fields = sheets.sheet_of(found).fields

    assert (fields["total"].text, fields["total"].doubtful) == ("120.00", True)
    assert (fields["merchant_name"].state, fields["merchant_name"].doubtful) == ("printed", True)
    assert (fields["merchant_address"].state, fields["merchant_address"].doubtful) == ("unclear", True)
    assert not fields["document_date"].doubtful


@pytest.mark.parametrize(("polygon", "unclear"), [(BOX, []), (None, ["line_items"])])
def test_a_list_with_a_row_that_is_not_printed_has_no_label(polygon, unclear):
    """Its other rows may be printed otherwise, too."""
    rows = [
        FieldAnswer(type="object", fields={"description": data("string", "TEA"), "quantity": data("number", 2, None)}),
        FieldAnswer(type="object", fields={"description": data("string", "MILK", polygon)}),
    ]
    sheet = sheets.sheet_of(answer(line_items=FieldAnswer(type="array", items=rows)))

    (row,) = sheets.label_rows(sheet, "a.pdf", [1])

    assert sheet.unclear_rows == unclear
    assert row["fields"].get("line_items") == (None if unclear else [{"description": "TEA"}, {"description": "MILK"}])


def test_labels_say_what_is_printed_and_what_is_absent():
    """An unclear value has no label, rows keep their order, and places are numbered like the rows."""
    sheet = sheets.blank_sheet("receipt")
    sheet.fields |= {"total": printed("9.00"), "tip": SheetValue(state="unclear")}
    sheet.rows["line_items"] = [{"description": printed("TEA", polygons=()), "amount": printed("9.00")}]

    (row,) = sheets.label_rows(sheet, "a.jpg", [1])

    assert (row["image"], row["type"], "page" in row) == ("a.jpg", "receipt", False)
    assert row["fields"]["total"] == "9.00"
    assert row["fields"]["merchant_name"] is None
    assert "tip" not in row["fields"]
    assert row["fields"]["line_items"] == [{"description": "TEA", "amount": "9.00"}]
    assert row["places"] == {"total": [BOX], "line_items.0.amount": [BOX]}


def test_each_page_has_the_labels_that_stand_on_it():
    """What is on another page is unknown; what is on none is absent from all. A page without values gets no row."""
    sheet = sheets.blank_sheet("invoice")
    sheet.fields |= {"document_number": printed("A1", 0), "total": printed("9.00", 2)}
    sheet.rows["line_items"] = [{"amount": printed("4.00", 0)}, {"amount": printed("5.00", 2)}]

    first, third = sheets.label_rows(sheet, "a.pdf", [1, 2, 3])

    assert (first["page"], third["page"]) == (1, 3)
    assert (first["fields"]["document_number"], "total" in first["fields"]) == ("A1", False)
    assert (third["fields"]["total"], "document_number" in third["fields"]) == ("9.00", False)
    assert third["fields"]["line_items"] == [{"amount": "5.00"}]
    assert third["places"] == {"total": [BOX], "line_items.0.amount": [BOX]}
    assert first["group"] == third["group"] == "a.pdf"
    assert first["fields"]["due_date"] is third["fields"]["due_date"] is None


def test_a_list_can_be_left_out():
    """Its rows are unknown, not absent."""
    sheet = sheets.blank_sheet("receipt")
    sheet.unclear_rows = ["line_items"]

    (row,) = sheets.label_rows(sheet, "a.jpg", [1])

    assert "line_items" not in row["fields"]
    assert row["fields"]["payments"] == []


@pytest.mark.parametrize(
    ("change", "path", "fault"),
    [
        ({"fields": {"total": printed("nine")}}, "total", "is not a currency"),
        ({"fields": {"total": printed("9,00 EUR")}}, "total", "is not written as a label: 9.00"),
        ({"fields": {"document_date": printed("")}}, "document_date", "has no value"),
        ({"fields": {"colour": printed("red")}}, "colour", "is not a field of this type"),
        ({"fields": {"line_items.amount": printed("1.00")}}, "line_items.amount", "is not a field of this type"),
        ({"rows": {"line_items": [{"amount": printed("x")}]}}, "line_items.0.amount", "is not a currency"),
        ({"rows": {"colours": []}}, "colours", "is not a list of this type"),
        ({"type": "ticket"}, "type", "ticket is not a document type"),
    ],
)
def test_a_value_that_is_no_label_is_named(change, path, fault):
    """The fault has the path of the value."""
    with pytest.raises(InvalidSheetError) as raised:
        sheets.checked_sheet(Sheet.model_validate({"type": "receipt"} | change))

    assert raised.value.faults == {path: fault}


def test_labels_from_elsewhere_keep_the_places_that_agree():
    """A label that differs from what was extracted has no place; a field without a label is unclear."""
    sheet = sheets.blank_sheet("receipt")
    sheet.fields |= {"total": printed("9.00"), "merchant_name": printed("BAKERY")}
    sheet.rows["line_items"] = [{"amount": printed("9.00")}]
    fields = {"total": "9.00", "merchant_name": "CORNER BAKERY", "tip": None, "line_items": [{"amount": "8.00"}]}

    labelled = sheets.with_labels(sheet, {1: {"fields": fields}}, [1])

    assert labelled.fields["total"].polygons == [BOX]
    assert (labelled.fields["merchant_name"].text, labelled.fields["merchant_name"].polygons) == ("CORNER BAKERY", [])
    assert labelled.fields["tip"].state == "absent"
    assert labelled.fields["document_date"].state == "unclear"
    assert labelled.rows["line_items"][0]["amount"].text == "8.00"
    assert labelled.unclear_rows == ["payments", "taxes"]


def test_labels_from_elsewhere_have_their_own_places_and_currency():
    """What the model has found does not replace them."""
    other_box = [(x, y + 0.5) for x, y in BOX]
    sheet = sheets.blank_sheet("receipt").model_copy(update={"currency": "MYR"})
    sheet.fields["total"] = printed("9.00")
    row = {
        "fields": {"total": "9.00", "line_items": [{"amount": "9.00"}]},
        "places": {"total": [other_box], "line_items.0.amount": [BOX]},
        "currency": "USD",
    }

    labelled = sheets.with_labels(sheet, {1: row}, [1])

    assert (labelled.fields["total"].polygons, labelled.currency) == ([other_box], "USD")
    assert labelled.rows["line_items"][0]["amount"].polygons == [BOX]
    assert sheets.with_labels(sheet, {1: {"fields": {"total": "9.00"}}}, [1]).currency is None


def test_labels_of_several_pages_are_shown_together():
    """Each value on its page; of a field with a label on several pages the first one."""
    first = {"fields": {"total": None, "merchant_name": "BAKERY", "line_items": [{"amount": "4.00"}]}}
    third = {
        "fields": {"total": "9.00", "merchant_name": "THE BAKERY", "line_items": [{"amount": "5.00"}]},
        "places": {"line_items.0.amount": [BOX]},
    }

    labelled = sheets.with_labels(sheets.blank_sheet("receipt"), {3: third, 1: first}, [1, 2, 3])

    shown = {name: (labelled.fields[name].text, labelled.fields[name].image) for name in ("total", "merchant_name")}
    assert shown == {"total": ("9.00", 2), "merchant_name": ("BAKERY", 0)}
    amounts = [row["amount"] for row in labelled.rows["line_items"]]
    assert [(cell.text, cell.image, cell.polygons) for cell in amounts] == [("4.00", 0, []), ("5.00", 2, [BOX])]


def test_what_a_sheet_does_not_show_stays_in_the_rows():
    """Tags, further labels and the group; the label of a page for a field whose label of another page is shown."""
    rows = {
        1: {"image": "a.pdf", "page": 1, "type": "receipt", "fields": {"total": "9.00"}, "tags": ["creased"]},
        2: {
            "image": "a.pdf", "page": 2, "type": "receipt", "fields": {"total": "9.50"}, "places": {"total": [BOX]},
            "group": "shop 3", "also": {"total": ["9.5"]},
        },
    }  # fmt: skip
    sheet = sheets.with_labels(sheets.blank_sheet("receipt"), rows, [1, 2])
    sheet.fields["total"].text = "8.00"

    first, second = sheets.label_rows(sheet, "a.pdf", [1, 2], rows)

    assert (first["fields"], first["tags"], first["group"]) == ({"total": "8.00"}, ["creased"], "shop 3")
    assert second == rows[2]


def test_confirming_without_a_change_leaves_the_rows_as_they_are():
    """Each page keeps its currency, and a list without label does not become one without rows."""
    known = dict.fromkeys(name for name, cell in sheets.blank_sheet("receipt").fields.items())
    row = {"image": "a.pdf", "type": "receipt", "group": "shop 3", "places": {}}
    rows = {
        1: row | {"page": 1, "fields": known | {"line_items": [{"amount": "4.00"}]}, "currency": "MYR"},
        2: row | {"page": 2, "fields": known, "currency": "USD"},
        3: row | {"page": 3, "fields": known | {"line_items": []}},
    }
    sheet = sheets.with_labels(sheets.blank_sheet("receipt"), rows, [1, 2, 3])

    assert list(sheets.label_rows(sheet, "a.pdf", [1, 2, 3], rows)) == list(rows.values())


def test_a_changed_currency_and_new_rows_are_those_of_each_page():
    """A reviewer sees one currency for all pages."""
    row = {"image": "a.pdf", "type": "receipt", "currency": "MYR"}
    rows = {1: row | {"page": 1, "fields": {"line_items": []}}, 2: row | {"page": 2, "fields": {}}}
    sheet = sheets.with_labels(sheets.blank_sheet("receipt"), rows, [1, 2])
    sheet.currency = "EUR"
    sheet.rows["line_items"] = [{"amount": printed("5.00", 1)}]

    first, second = sheets.label_rows(sheet, "a.pdf", [1, 2], rows)

    assert first["currency"] == second["currency"] == "EUR"
    assert (first["fields"], second["fields"]) == ({"line_items": []}, {"line_items": [{"amount": "5.00"}]})


@pytest.mark.parametrize(
    "fields",
    [
        None,
        {"total": 88.26},
        {"total": "9" * 3000},
        {"line_items": "9.00"},
        {"line_items": ["9.00"]},
        {"line_items": [{"amount": 9}]},
        {"line_items": [{"colour": "red"}]},
        {"colour": "red"},
    ],
)
def test_labels_that_are_no_text_are_unclear(fields):
    """A person can correct the document all the same."""
    row = {"fields": fields, "places": {"line_items.0.amount": 7}, "currency": 3}

    labelled = sheets.with_labels(sheets.blank_sheet("receipt"), {1: row}, [1])

    assert {cell.state for _, _, cell in labelled.cells()} == {"unclear"}
    assert sheets.checked_sheet(labelled) == labelled


@pytest.mark.parametrize(
    ("order", "text", "label"),
    [("DMY", "03/04/2024", "2024-04-03"), ("MDY", "03/04/2024", "2024-03-04"), ("MDY", "2024-04-03", "2024-04-03")],
)
def test_a_typed_date_is_read_in_the_users_order(order, text, label):
    """ISO 8601 is the same in every order."""
    assert sheets.normalise("receipt", "document_date", text, order) == label


@given(
    kind=st.sampled_from([(t.name, f.name) for t in document_types().values() for f in t.fields()]),
    text=st.one_of(
        st.text(max_size=30), st.dates().map(str), st.decimals(-9999, 9999, places=2).map(str),
        st.from_regex(r"[A-Z]{2}[0-9]{2} ?[A-Z0-9 ]{4,20}", fullmatch=True), st.just(str(Decimal("1234.5"))),
    ),
)  # fmt: skip
def test_a_label_stays_as_it_is(kind, text):
    """What was made a label once can be saved."""
    label = sheets.normalise(*kind, text, "DMY")

    assert label is None or sheets.normalise(*kind, label, "YMD") == label

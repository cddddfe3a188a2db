"""Document types without code."""

import tomllib
from decimal import Decimal

import pytest

from docextract import documents
from docextract.documents import DescriptionError, document_types, register_types, type_files, values

NOTE = """
version = "1.2"
description = "What a carrier hands over."
required = ["note_number"]

[fields]
note_number = "string"
delivery_date = "date"
subtotal = "currency"
discount = "currency"
total = "currency"

[fields.items]
description = "string"
price = "currency"

[sums]
total = "subtotal - discount"
subtotal = "items.price"
"""


@pytest.fixture(autouse=True)
def _nothing_described(monkeypatch):
    """What a test describes is known to that test alone."""
    monkeypatch.setattr(documents, "_described", {})


@pytest.fixture
def write(tmp_path):
    """Write types/delivery_note.toml, or one of another name; the folder that `types` is in."""

    def write(text=NOTE, name="delivery_note"):
        (tmp_path / "types").mkdir(exist_ok=True)
        (tmp_path / "types" / f"{name}.toml").write_text(text)
        return tmp_path

    return write


def test_a_list_of_fields_makes_a_document_type(write):
    """Nothing but names and sorts of values is needed."""
    register_types(write('[fields]\nplate = "string"\nweight = "number"\n', "weighing_slip"))

    kind = document_types()["weighing_slip"]
    assert [(field.name, field.kind) for field in kind.fields()] == [
        ("plate", values.STRING),
        ("weight", values.NUMBER),
    ]
    assert (kind.schema_version, kind.required) == ("weighing_slip/1.0", frozenset())


def test_everything_that_can_be_said_is_heard(write):
    """Version, description, required fields, rows."""
    register_types(write())

    kind = document_types()["delivery_note"]
    assert kind.schema_version == "delivery_note/1.2"
    assert kind.required == {"note_number"}
    assert [field.name for field in kind.fields()][-2:] == ["items.description", "items.price"]
    assert kind.json_schema()["description"] == "What a carrier hands over."
    assert kind.json_schema()["properties"]["items"]["type"] == "array"


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        ({"total": "8.00", "subtotal": "10.00", "discount": "2.00"}, {"subtotal_discount_make_total": True}),
        ({"total": "9.00", "subtotal": "10.00", "discount": "2.00"}, {"subtotal_discount_make_total": False}),
        ({"total": "9.00", "subtotal": "10.00"}, {}),
        ({"subtotal": "3.00", "items": [{"price": "1.00"}, {"price": "2.00"}]}, {"items_price_make_subtotal": True}),
        ({"subtotal": "3.00", "items": [{"price": "1.00"}, {}]}, {}),
    ],
)
def test_sums_are_checked_where_all_of_them_are_printed(write, record, kept):
    """A sum that lacks a part says nothing, as everywhere."""
    register_types(write())
    kind = document_types()["delivery_note"]

    assert {check.name: check.passed for check in kind.check(kind.record(**record))} == kept


def test_sums_keep_the_cents():
    """Amounts are decimals, no floating-point numbers."""
    kind = type_files._described("slip", tomllib.loads(NOTE), NOTE)

    assert kind.record(total="0.10").total + kind.record(total="0.20").total == Decimal("0.30")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("[fields]", "[felds]"), "'felds' means nothing here"),
        (('total = "currency"', 'total = "money"'), "total is 'money'; a field is one of string, company_name"),
        (('price = "currency"', 'price = "money"'), "items.price is 'money'"),
        (('note_number = "string"', 'Note-Number = "string"'), "'Note-Number' can be no field's name"),
        (('note_number = "string"', 'currency = "string"'), "'currency'; that name is taken"),
        (('note_number = "string"', 'json = "string"'), "'json'; that name is taken"),
        (('required = ["note_number"]', 'required = ["items.price"]'), "'items.price' is required"),
        (('required = ["note_number"]', 'required = "total"'), "`required` is a list"),
        (('version = "1.2"', "version = 1"), 'write it as "1.0"'),
        (("subtotal - discount", "subtotal * discount"), "the sum of total is 'subtotal \\* discount'"),
        (("subtotal - discount", "subtotal - delivery_date"), "speaks of 'delivery_date'"),
        (('description = "What', 'description "What'), "this is no TOML"),
    ],
)
def test_what_is_wrong_is_said_with_the_file_s_name(write, change, complaint):
    """Whoever wrote the file can mend it without reading our code."""
    with pytest.raises(DescriptionError, match=complaint) as error:
        register_types(write(NOTE.replace(*change)))

    assert "delivery_note.toml: " in str(error.value)
    assert "delivery_note" not in document_types()


@pytest.mark.parametrize("name", ["Delivery Note", "other", "auto"])
def test_a_type_needs_a_name_that_can_be_asked_for(write, name):
    """It is an option's value, and part of a path."""
    with pytest.raises(DescriptionError, match="can be no type's name"):
        register_types(write(name=name))


def test_a_type_of_our_own_is_not_overwritten(write):
    """A receipt is a receipt for everyone."""
    with pytest.raises(DescriptionError, match=r"receipt\.toml.*another name"):
        register_types(write(name="receipt"))


def test_the_higher_version_holds_whichever_was_seen_first(write, tmp_path):
    """A served model knows the fields of its day; the data that the next one learns from may name more."""
    older, newer = NOTE.replace("1.2", "1.9"), NOTE.replace("1.2", "1.10")
    for texts in ((older, newer), (newer, older)):
        documents._described.clear()
        for text in texts:
            register_types(write(text))
        assert document_types()["delivery_note"].version == "1.10"


def test_two_of_one_version_are_not_confused(write):
    """Answers name the version by which they are to be read."""
    register_types(write())
    register_types(write(f"# a comment changes nothing\n{NOTE}"))

    with pytest.raises(DescriptionError, match="raise `version`"):
        register_types(write(NOTE.replace('discount = "currency"', 'discount = "number"')))


def test_what_is_written_beside_weights_is_what_was_read(write, tmp_path):
    """A type goes where its model goes; those of the package need no file."""
    register_types(write())
    weights = tmp_path / "weights"

    type_files.save_types(document_types().values(), weights / "types")

    assert [path.name for path in weights.rglob("*.toml")] == ["delivery_note.toml"]
    assert (weights / "types" / "delivery_note.toml").read_text() == NOTE


def test_a_folder_without_types_adds_none(tmp_path):
    """Most weights have none."""
    before = dict(document_types())

    register_types(tmp_path)

    assert document_types() == before

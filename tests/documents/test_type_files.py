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


@pytest.fixture
def write(tmp_path):
    """Write types/delivery_note.toml, or a file of another name; return the folder that contains `types`."""

    def write(text=NOTE, name="delivery_note"):
        (tmp_path / "types").mkdir(exist_ok=True)
        (tmp_path / "types" / f"{name}.toml").write_text(text)
        return tmp_path

    return write


def test_a_list_of_fields_makes_a_document_type(write):
    """Names and kinds of values are enough."""
    register_types(write('[fields]\nplate = "string"\nweight = "number"\n', "weighing_slip"))

    kind = document_types()["weighing_slip"]
    assert [(field.name, field.kind) for field in kind.fields()] == [
        ("plate", values.STRING),
        ("weight", values.NUMBER),
    ]
    assert (kind.schema_version, kind.required) == ("weighing_slip/1.0", frozenset())


def test_all_members_of_a_type_file_are_used(write):
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
def test_sums_are_checked_only_if_all_their_values_are_printed(write, record, kept):
    """A sum with a missing value is not checked, as in the built-in types."""
    register_types(write())
    kind = document_types()["delivery_note"]

    assert {check.name: check.passed for check in kind.check(kind.record(**record))} == kept


def test_sums_keep_the_cents():
    """Amounts are decimals, not floating-point numbers."""
    kind = type_files._parse_type("slip", tomllib.loads(NOTE), NOTE)

    assert kind.record(total="0.10").total + kind.record(total="0.20").total == Decimal("0.30")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("[fields]", "[felds]"), "unknown key 'felds'"),
        (
            ('total = "currency"', 'total = "money"'),
            "total is 'money'; the type of a field is one of string, company_name",
        ),
        (('price = "currency"', 'price = "money"'), "items.price is 'money'"),
        (('note_number = "string"', 'Note-Number = "string"'), "'Note-Number' cannot be the name of a field"),
        (('note_number = "string"', 'currency = "string"'), "'currency'; the name is reserved"),
        (('note_number = "string"', 'json = "string"'), "'json'; the name is reserved"),
        (('required = ["note_number"]', 'required = ["items.price"]'), "'items.price' is required"),
        (('required = ["note_number"]', 'required = "total"'), "`required` must be a list"),
        (('version = "1.2"', "version = 1"), 'write it as "1.0"'),
        (("subtotal - discount", "subtotal * discount"), "the sum of total is 'subtotal \\* discount'"),
        (("subtotal - discount", "subtotal - delivery_date"), "uses 'delivery_date'"),
        (('description = "What', 'description "What'), "not valid TOML"),
    ],
)
def test_error_messages_name_the_file_and_the_mistake(write, change, complaint):
    """The author of the file can fix it without reading our code."""
    with pytest.raises(DescriptionError, match=complaint) as error:
        register_types(write(NOTE.replace(*change)))

    assert "delivery_note.toml: " in str(error.value)
    assert "delivery_note" not in document_types()


@pytest.mark.parametrize("name", ["Delivery Note", "other", "auto"])
def test_invalid_and_reserved_type_names_are_refused(write, name):
    """The name is the value of an option and part of a path."""
    with pytest.raises(DescriptionError, match="cannot be the name of a type"):
        register_types(write(name=name))


def test_a_built_in_type_cannot_be_replaced(write):
    """`receipt` has the same fields in every installation."""
    with pytest.raises(DescriptionError, match=r"receipt\.toml.*another name"):
        register_types(write(name="receipt"))


def test_the_higher_version_is_used_in_either_order(write, tmp_path):
    """A served model may have an older description than the data that the next model is trained on."""
    older, newer = NOTE.replace("1.2", "1.9"), NOTE.replace("1.2", "1.10")
    for texts in ((older, newer), (newer, older)):
        documents._registered.clear()
        for text in texts:
            register_types(write(text))
        assert document_types()["delivery_note"].version == "1.10"


def test_two_different_descriptions_of_one_version_are_refused(write):
    """Answers name the version of their schema, so a version has one meaning."""
    register_types(write())
    register_types(write(f"# a comment changes nothing\n{NOTE}"))

    with pytest.raises(DescriptionError, match="raise `version`"):
        register_types(write(NOTE.replace('discount = "currency"', 'discount = "number"')))


def test_saved_type_files_equal_the_loaded_ones(write, tmp_path):
    """Types are stored next to the weights that use them; built-in types need no file."""
    register_types(write())
    weights = tmp_path / "weights"

    type_files.save_types(document_types().values(), weights / "types")

    assert [path.name for path in weights.rglob("*.toml")] == ["delivery_note.toml"]
    assert (weights / "types" / "delivery_note.toml").read_text() == NOTE


def test_a_type_file_of_equal_content_keeps_its_comments(write, tmp_path):
    """Another description of the type replaces it, and so does one in place of a broken file."""
    kind = type_files.load_type(write("[fields]\nplate = 'string'\n") / "types" / "delivery_note.toml")
    file = tmp_path / "saved" / f"{kind.name}.toml"
    file.parent.mkdir()
    for content, is_kept in (
        ("# my notes\n[fields]\nplate = 'string'\n", True),
        ("# my notes\n[fields]\nplate = 'integer'\n", False),
        ("[fields", False),
    ):
        file.write_text(content)
        type_files.save_types([kind], file.parent)
        assert file.read_text() == (content if is_kept else kind.toml_source)


def test_a_folder_without_types_adds_none(tmp_path):
    """Most weights have none."""
    before = dict(document_types())

    register_types(tmp_path)

    assert document_types() == before

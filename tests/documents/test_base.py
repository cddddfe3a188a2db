"""The parts of a document type, on a small example."""

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar

import pytest
from pydantic import ValidationError

from docextract.documents import document_types, values
from docextract.documents.base import (
    Check,
    Date,
    DocumentType,
    Field,
    Money,
    PhoneNumber,
    Quantity,
    Record,
    RecordRow,
    String,
    Time,
)


class Stop(RecordRow):
    """One stop of a journey."""

    place: String | None = None
    fare: Money | None = None


class Ticket(Record):
    """One field of each kind, and a list."""

    operator: String | None = None
    hotline: PhoneNumber | None = None
    day: Date | None = None
    departure: Time | None = None
    price: Money | None = None
    zones: Quantity | None = None
    stops: tuple[Stop, ...] = ()


def fares_sum_to_price(ticket: Ticket) -> Sequence[Check]:
    """The only check of tickets."""
    if ticket.price is None or not ticket.stops:
        return ()
    total = sum(stop.fare or 0 for stop in ticket.stops)
    return (Check("fares_sum_to_price", total == ticket.price, ("stops.fare", "price")),)


TICKET = DocumentType("ticket", Ticket, frozenset({"operator", "price"}), fares_sum_to_price, version="1.2")


def test_fields_are_listed_in_the_order_of_the_record():
    """Defining the record defines the fields; the currency is not a field."""
    assert TICKET.fields() == (
        Field("operator", values.STRING, True),
        Field("hotline", values.PHONE_NUMBER, False),
        Field("day", values.DATE, False),
        Field("departure", values.TIME, False),
        Field("price", values.CURRENCY, True),
        Field("zones", values.NUMBER, False),
        Field("stops.place", values.STRING, False, "stops"),
        Field("stops.fare", values.CURRENCY, False, "stops"),
    )
    assert [field.leaf for field in TICKET.fields()][-2:] == ["place", "fare"]


def test_the_kind_is_found_with_and_without_none():
    """A field that is always present needs no `| None`."""

    class Slip(Record):
        """Required and optional, typed alike."""

        total: Money
        paid: Money | None = None
        rest: Annotated[int, values.NUMBER] | None = None

    kinds = [field.kind for field in DocumentType("slip", Slip, frozenset()).fields()]

    assert kinds == [values.CURRENCY, values.CURRENCY, values.NUMBER]


def test_a_plain_python_type_is_refused():
    """A field without a kind cannot be parsed; the message names the module with the field types."""

    class Slip(Record):
        """Not a field type of ours."""

        total: float | None = None

    with pytest.raises(TypeError, match=r"docextract\.documents\.base"):
        DocumentType("slip", Slip, frozenset()).fields()


def test_schema_version_names_the_type():
    """Answers name the schema of their fields."""
    assert TICKET.schema_version == "ticket/1.2"


def test_records_are_immutable_and_refuse_unknown_fields():
    """A misspelt field is an error and not a silent loss."""
    ticket = Ticket(operator="ÖBB")

    with pytest.raises(ValidationError, match="frozen"):
        ticket.operator = "SBB"
    with pytest.raises(ValidationError, match="pric"):
        Ticket(pric="3.00")


def test_checks_name_their_fields():
    """A failed check names its fields; a check without all its fields is left out."""
    stops = (Stop(place="Wien", fare="2.00"), Stop(place="Linz", fare="1.00"))

    assert TICKET.check(Ticket(price="3.00", stops=stops))[0].passed
    assert not TICKET.check(Ticket(price="4.00", stops=stops))[0].passed
    assert TICKET.check(Ticket(stops=stops)) == ()


def test_a_type_may_have_no_checks():
    """Checks are optional."""
    assert list(DocumentType("slip", Ticket, frozenset()).check(Ticket())) == []


def test_document_types_are_found_by_their_modules():
    """A new module in documents/ adds a type without editing a list."""
    found = document_types()

    assert "receipt" in found
    assert list(found) == sorted(found)
    assert all(name == kind.name for name, kind in found.items())


PRINTED = {
    values.STRING: "METRO",
    values.PHONE_NUMBER: "03-123 456",
    values.DATE: "25/12/2018",
    values.TIME: "8:13 PM",
    values.CURRENCY: "9.00",
    values.NUMBER: "2",
}
PYTHON = {"string": str, "number": float, "object": dict}


@pytest.mark.parametrize("field", TICKET.fields(), ids=lambda field: field.name)
def test_values_in_answers_match_the_json_schema(field):
    """Money is an object and a quantity is a number, so that generated clients are correct."""
    properties = TICKET.json_schema()["properties"]
    schema = properties[field.group]["items"]["properties"][field.leaf] if field.group else properties[field.name]

    for conventions in (values.Conventions(), values.Conventions(currency="MYR")):
        wire = field.kind.to_json(field.kind.parse(PRINTED[field.kind], conventions), conventions)
        assert isinstance(wire, PYTHON[schema["type"]])
        assert re.search(schema.get("pattern", ""), str(wire))
        if schema["type"] == "object":
            assert wire.keys() == schema["properties"].keys()


def test_the_json_schema_has_exactly_the_fields():
    """The currency is part of the amounts and not a field."""
    schema = TICKET.json_schema()

    assert list(schema["properties"]) == ["operator", "hotline", "day", "departure", "price", "zones", "stops"]
    assert (schema["title"], schema["description"]) == ("ticket", "One field of each kind, and a list.")


def test_the_json_schema_of_an_identity_document_has_the_zone():
    """The zone is not a field, but it is in every answer."""

    class Pass(Record):
        """A record that may have a machine-readable zone."""

        non_fields: ClassVar[frozenset[str]] = Record.non_fields | {"mrz"}

        mrz: tuple[str, ...] = ()
        holder: String | None = None

    schema = DocumentType("pass", Pass, frozenset()).json_schema()

    assert list(schema["properties"]) == ["holder", "mrz"]
    assert schema["properties"]["mrz"]["required"] == ["format", "lines", "valid"]


@pytest.mark.parametrize("kind", document_types().values(), ids=lambda kind: kind.name)
class TestEveryDocumentType:
    """Properties of each document type."""

    def test_required_fields_are_fields(self, kind):
        """Every required field exists."""
        assert kind.required <= {field.name for field in kind.fields()}

    def test_an_empty_record_passes_its_checks(self, kind):
        """A page without any value still gets an answer."""
        assert all(check.passed for check in kind.check(kind.record()))

    def test_field_names_are_unique(self, kind):
        """A name identifies one field."""
        names = [field.name for field in kind.fields()]
        assert len(set(names)) == len(names)

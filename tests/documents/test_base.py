"""What a document type is, shown on a small one."""

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
    """The one rule that tickets keep."""
    if ticket.price is None or not ticket.stops:
        return ()
    total = sum(stop.fare or 0 for stop in ticket.stops)
    return (Check("fares_sum_to_price", total == ticket.price, ("stops.fare", "price")),)


TICKET = DocumentType("ticket", Ticket, frozenset({"operator", "price"}), fares_sum_to_price, version="1.2")


def test_fields_are_the_leaves_of_the_record_in_order():
    """Writing the record is all it takes to say what can be read; the currency is no field of its own."""
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


def test_kind_is_found_with_and_without_none():
    """A field that is always there needs no `| None`."""

    class Slip(Record):
        """Required and optional, typed alike."""

        total: Money
        paid: Money | None = None
        rest: Annotated[int, values.NUMBER] | None = None

    kinds = [field.kind for field in DocumentType("slip", Slip, frozenset()).fields()]

    assert kinds == [values.CURRENCY, values.CURRENCY, values.NUMBER]


def test_plain_type_is_refused_with_advice():
    """A field whose kind is not said cannot be parsed; the message tells where the kinds are."""

    class Slip(Record):
        """Not a field type of ours."""

        total: float | None = None

    with pytest.raises(TypeError, match=r"docextract\.documents\.base"):
        DocumentType("slip", Slip, frozenset()).fields()


def test_schema_version_names_the_type():
    """An answer says by which schema it is to be read."""
    assert TICKET.schema_version == "ticket/1.2"


def test_record_does_not_change_and_takes_nothing_unknown():
    """What was read stays as it was read; a misspelt field is an error, not a silent loss."""
    ticket = Ticket(operator="ÖBB")

    with pytest.raises(ValidationError, match="frozen"):
        ticket.operator = "SBB"
    with pytest.raises(ValidationError, match="pric"):
        Ticket(pric="3.00")


def test_checks_tell_what_they_tie_together():
    """A check that fails names the fields to look at; one that lacks a field is left out."""
    stops = (Stop(place="Wien", fare="2.00"), Stop(place="Linz", fare="1.00"))

    assert TICKET.check(Ticket(price="3.00", stops=stops))[0].passed
    assert not TICKET.check(Ticket(price="4.00", stops=stops))[0].passed
    assert TICKET.check(Ticket(stops=stops)) == ()


def test_type_without_checks_passes_none():
    """Checks are an offer, not a duty."""
    assert list(DocumentType("slip", Ticket, frozenset()).check(Ticket())) == []


def test_document_types_are_found_by_their_files():
    """A new file in documents/ is a new type; no list is edited."""
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
def test_the_schema_tells_what_answers_hold(field):
    """Money is an object and a quantity a number there, as in answers; whoever makes a client from it gets it right."""
    properties = TICKET.json_schema()["properties"]
    schema = properties[field.group]["items"]["properties"][field.leaf] if field.group else properties[field.name]

    for conventions in (values.Conventions(), values.Conventions(currency="MYR")):
        wire = field.kind.to_json(field.kind.parse(PRINTED[field.kind], conventions), conventions)
        assert isinstance(wire, PYTHON[schema["type"]])
        assert re.search(schema.get("pattern", ""), str(wire))
        if schema["type"] == "object":
            assert wire.keys() == schema["properties"].keys()


def test_the_schema_has_the_fields_and_no_more():
    """The currency goes with the amounts and is no field of its own."""
    schema = TICKET.json_schema()

    assert list(schema["properties"]) == ["operator", "hotline", "day", "departure", "price", "zones", "stops"]
    assert (schema["title"], schema["description"]) == ("ticket", "One field of each kind, and a list.")


def test_the_schema_of_an_identity_document_has_its_zone():
    """Which is beside the fields and in every answer all the same."""

    class Pass(Record):
        """May bear a machine-readable zone."""

        non_fields: ClassVar[frozenset[str]] = Record.non_fields | {"mrz"}

        mrz: tuple[str, ...] = ()
        holder: String | None = None

    schema = DocumentType("pass", Pass, frozenset()).json_schema()

    assert list(schema["properties"]) == ["holder", "mrz"]
    assert schema["properties"]["mrz"]["required"] == ["format", "lines", "valid"]


@pytest.mark.parametrize("kind", document_types().values(), ids=lambda kind: kind.name)
class TestEveryDocumentType:
    """What holds for each type that is found."""

    def test_required_fields_are_fields(self, kind):
        """What must be there can be there."""
        assert kind.required <= {field.name for field in kind.fields()}

    def test_empty_record_is_valid_and_keeps_its_checks(self, kind):
        """A page on which nothing was read is still an answer, and nothing about it is wrong."""
        assert all(check.passed for check in kind.check(kind.record()))

    def test_field_names_are_unique(self, kind):
        """A name says where the value goes."""
        names = [field.name for field in kind.fields()]
        assert len(set(names)) == len(names)

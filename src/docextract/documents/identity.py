"""What an identity document says of its holder and of itself, in the names of ISO/IEC 18013-5 and ICAO Doc 9303."""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import ClassVar

from docextract.documents.base import (
    Address,
    BirthDate,
    Check,
    Country,
    Date,
    DocumentNumber,
    Record,
    RecordRow,
    Sex,
    String,
)

REQUIRED_FIELDS = frozenset({"document_number", "family_name", "given_name", "birth_date", "issuing_country", "expiry_date"})
MAX_AGE_YEARS = 125
MAX_VALIDITY_YEARS = 75  # some licences are valid until the holder is old


class Identity(Record):
    """One side of a card, or the data page of a passport: what is on another side is None here."""

    non_fields: ClassVar[frozenset[str]] = Record.non_fields | {"mrz"}

    mrz: tuple[str, ...] = ()  # the lines of the machine-readable zone; read by rule

    document_number: DocumentNumber | None = None
    family_name: String | None = None
    given_name: String | None = None
    birth_date: BirthDate | None = None
    birth_place: String | None = None
    sex: Sex | None = None
    nationality: Country | None = None
    issuing_country: Country | None = None
    issuing_authority: String | None = None
    issue_date: Date | None = None
    expiry_date: Date | None = None
    administrative_number: String | None = None  # the holder's own, for life: CPF, PESEL, CURP …
    resident_address: Address | None = None


class DrivingPrivilege(RecordRow):
    """A category of vehicles that the holder may drive."""

    vehicle_category_code: String | None = None
    issue_date: Date | None = None
    expiry_date: Date | None = None
    restrictions: String | None = None


class DriverLicence(Identity):
    """One side of a driving licence."""

    driving_privileges: tuple[DrivingPrivilege, ...] = ()


def check_identity(identity: Identity) -> Sequence[Check]:
    """Dates that follow one another, in spans that a life and a document can have."""
    checks = (_in_order(identity), _of_a_life(identity))
    return tuple(found for found in checks if found is not None)


def _in_order(identity: Identity) -> Check | None:
    """The holder is born, then the document is issued, then it expires."""
    days = {name: day for name in ("birth_date", "issue_date", "expiry_date") if (day := getattr(identity, name))}
    if len(days) < 2:
        return None
    in_time = list(days.values())
    return Check("dates_in_order", all(a < b for a, b in pairwise(in_time)), tuple(days))


def _of_a_life(identity: Identity) -> Check | None:
    """Nobody is older than anybody has become, and no document is valid for longer than a grown-up's life."""
    start, end = identity.birth_date or identity.issue_date, identity.expiry_date or identity.issue_date
    if start is None or end is None or start == end:
        return None
    spans = [(identity.birth_date, MAX_AGE_YEARS), (identity.issue_date, MAX_VALIDITY_YEARS)]
    passed = all(first is None or _years(first, end) <= most for first, most in spans)
    names = ("birth_date", "issue_date", "expiry_date")
    return Check("dates_plausible", passed, tuple(name for name in names if getattr(identity, name) is not None))


def _years(first: date, last: date) -> float:
    return (last - first).days / 365.25

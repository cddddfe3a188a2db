"""The fields and checks of identity documents, with the field names of ISO/IEC 18013-5 and ICAO Doc 9303."""

from collections.abc import Sequence
from datetime import date
from itertools import chain, pairwise
from typing import ClassVar

from docextract.documents.base import (
    Address,
    BirthDate,
    Check,
    Country,
    DocumentNumber,
    DocumentType,
    ExpiryDate,
    IssueDate,
    PlaceName,
    Record,
    RecordRow,
    Sex,
    String,
)
from docextract.documents.dates import latest_today
from docextract.documents.validity import expires

REQUIRED_FIELDS = frozenset(
    {"document_number", "family_name", "given_name", "birth_date", "issuing_country", "expiry_date"}
)
MAX_AGE_YEARS = 125
MAX_VALIDITY_YEARS = 75  # some licences are valid for most of a life


class Identity(Record):
    """The values on one side of a card, or on the data page of a passport; values of other sides are None."""

    non_fields: ClassVar[frozenset[str]] = Record.non_fields | {"mrz"}

    mrz: tuple[str, ...] = ()  # the lines of the machine-readable zone; parsed by rules, not found by the network

    document_number: DocumentNumber | None = None
    family_name: String | None = None
    given_name: String | None = None
    birth_date: BirthDate | None = None
    birth_place: PlaceName | None = None
    sex: Sex | None = None
    nationality: Country | None = None
    issuing_country: Country | None = None
    issuing_authority: String | None = None
    issue_date: IssueDate | None = None
    expiry_date: ExpiryDate | None = None
    administrative_number: String | None = None  # personal number of the holder, valid for life: CPF, PESEL, CURP, ...
    resident_address: Address | None = None


class DrivingPrivilege(RecordRow):
    """A category of vehicles that the holder may drive."""

    vehicle_category_code: String | None = None
    issue_date: IssueDate | None = None
    expiry_date: ExpiryDate | None = None
    restrictions: String | None = None


class DriverLicence(Identity):
    """One side of a driving licence."""

    driving_privileges: tuple[DrivingPrivilege, ...] = ()


def is_identity(document_type: DocumentType) -> bool:
    """Whether documents of a type tell who their holder is: cards, licences and passports."""
    return issubclass(document_type.record, Identity)


def check_identity(identity: Identity) -> Sequence[Check]:
    """Check that the dates are in order, the periods between them plausible, and past dates not in the future."""
    checks = (_dates_in_order(identity), _dates_plausible(identity), _dates_not_in_future(identity))
    return tuple(check for check in checks if check is not None)


def _dates_in_order(identity: Identity) -> Check | None:
    """The birth date is before the issue date, and the issue date before the expiry date."""
    dates = {name: day for name in ("birth_date", "issue_date", "expiry_date") if (day := getattr(identity, name))}
    if len(dates) < 2:
        return None
    return Check("dates_in_order", all(first < second for first, second in pairwise(dates.values())), tuple(dates))


def _dates_plausible(identity: Identity) -> Check | None:
    """The holder is not older than MAX_AGE_YEARS, and the document is valid for at most MAX_VALIDITY_YEARS or ever."""
    expiry = identity.expiry_date
    end = expiry if expiry is not None and expires(expiry) else identity.issue_date
    start = identity.birth_date or identity.issue_date
    if start is None or end is None or start == end:
        return None
    limits = [(identity.birth_date, MAX_AGE_YEARS), (identity.issue_date, MAX_VALIDITY_YEARS)]
    passed = all(first is None or _years_between(first, end) <= max_years for first, max_years in limits)
    names = ("birth_date", "issue_date", "expiry_date")
    return Check("dates_plausible", passed, tuple(name for name in names if getattr(identity, name) is not None))


def _dates_not_in_future(identity: Identity) -> Check | None:
    """The holder is born, and the document and its categories are issued. Nearly all misread dates pass, too."""
    dates = {"birth_date": [identity.birth_date], "issue_date": [identity.issue_date]}
    if isinstance(identity, DriverLicence):
        dates["driving_privileges"] = [row.issue_date for row in identity.driving_privileges]
    given = {name: [day for day in some if day is not None] for name, some in dates.items() if any(some)}
    if not given:
        return None
    passed = max(chain.from_iterable(given.values())) <= latest_today()
    return Check("dates_not_in_future", passed, tuple(given), is_evidence=False)


def _years_between(first: date, last: date) -> float:
    return (last - first).days / 365.25

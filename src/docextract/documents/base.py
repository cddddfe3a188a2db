"""The parts of a document type: a record of typed fields, and checks that tie fields together."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, ClassVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict

from docextract.documents import values
from docextract.documents.values import FieldKind

String = Annotated[str, values.STRING]
Reference = Annotated[str, values.REFERENCE]  # a number with letters and hyphens, such as that of an invoice
CompanyName = Annotated[str, values.COMPANY_NAME]
Address = Annotated[str, values.ADDRESS]
PlaceName = Annotated[str, values.PLACE]  # with its region or country
Iban = Annotated[str, values.IBAN]  # without spaces
TaxId = Annotated[str, values.TAX_ID]
Bic = Annotated[str, values.BIC]  # without spaces
EmailAddress = Annotated[str, values.EMAIL_ADDRESS]
InvoiceKind = Annotated[str, values.INVOICE_KIND]  # invoice, credit_note
PhoneNumber = Annotated[str, values.PHONE_NUMBER]
Money = Annotated[Decimal, values.CURRENCY]  # the amount only; the record has the currency
Discount = Annotated[Decimal, values.DISCOUNT]  # or change: positive, however it is printed
Quantity = Annotated[Decimal, values.NUMBER]
Integer = Annotated[int, values.INTEGER]
TaxRate = Annotated[Decimal, values.PERCENT]
Date = Annotated[date, values.DATE]
BirthDate = Annotated[date, values.BIRTH_DATE]
IssueDate = BirthDate  # of a document: a date whose year has two digits is not in the future, either
ExpiryDate = Annotated[date, values.EXPIRY_DATE]
PeriodStart = Annotated[date, values.PERIOD_START]
Time = Annotated[time, values.TIME]
Country = Annotated[str, values.COUNTRY]  # alpha-3
Sex = Annotated[str, values.SEX]  # M, F, X
DocumentNumber = Annotated[str, values.DOCUMENT_NUMBER]

MRZ = "mrz"  # member of records of documents with a machine-readable zone: its lines; not a field
SUM_TOLERANCE = Decimal("0.05")  # between a sum and the printed value, except where the coins are larger
# Coins to which totals are rounded, of currencies where half of one is more than that. By currency, ISO 4217.
SMALLEST_COINS: Mapping[str, Decimal] = {
    "CZK": Decimal(1), "DKK": Decimal("0.5"), "HUF": Decimal(5), "INR": Decimal(1), "NOK": Decimal(1),
    "SEK": Decimal(1),
}  # fmt: skip
SUM_PARTS = ("subtotal", "total_tax", "total")  # the first two make the third


class RecordRow(BaseModel):
    """One row of a list in a record, such as a line item or a payment."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Record(BaseModel):
    """The values on a document. A field that is not printed is None, never an empty string."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    non_fields: ClassVar[frozenset[str]] = frozenset({"currency"})  # members that are not fields

    currency: str | None = None  # ISO 4217, of every amount


@dataclass(frozen=True)
class Field:
    """A field of a record: `name` is "total", or "line_items.unit_price" for a field of a row."""

    name: str
    kind: FieldKind
    required: bool
    group: str | None = None  # the name of the list whose rows have it

    @property
    def leaf(self) -> str:
        """The name within its row."""
        return self.name.rpartition(".")[2]


MIN_ROW_LEAVES = 2  # of a list with amounts; a heading has one


@dataclass(frozen=True)
class RowRule:
    """What makes a row of one list. Headings, remarks and addresses, in which some leaf may be found, make none."""

    amounts: tuple[str, ...]  # leaves that are sums of money; the last one is the amount of the whole row
    numbers: frozenset[str]  # leaves that are numbers or sums of money

    @staticmethod
    def of(fields: Iterable[Field]) -> "RowRule":
        """Return the rule of a list with these fields."""
        some = list(fields)
        return RowRule(
            tuple(field.leaf for field in some if field.kind.name == "currency"),
            frozenset(field.leaf for field in some if field.kind.name not in ("string", "date")),
        )

    @property
    def amount_of_row(self) -> str:
        """The leaf with the amount of the whole row. Raises IndexError for a list without amounts."""
        return self.amounts[-1]

    def has_amount(self, leaves: Set[str]) -> bool:
        """Whether one of the leaves is a sum of money."""
        return not leaves.isdisjoint(self.amounts)

    def makes_row(self, leaves: Set[str]) -> bool:
        """Whether these leaves of a list with amounts make a row: an amount and something else, or two numbers."""
        return len(leaves) >= MIN_ROW_LEAVES and (self.has_amount(leaves) or len(leaves & self.numbers) > 1)


@dataclass(frozen=True)
class Check:
    """The result of a rule that ties fields together, for one record."""

    name: str
    passed: bool
    fields: tuple[str, ...]
    is_evidence: bool = True  # its result tells right values from misread ones, which extraction uses


_ZONE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "description": "The machine-readable zone (ICAO Doc 9303); valid: every check digit agrees",
    "properties": {
        "format": {"enum": ["TD1", "TD2", "TD3"]},
        "lines": {"type": "array", "items": {"type": "string"}},
        "valid": {"type": "boolean"},
    },
    "required": ["format", "lines", "valid"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class DocumentType:
    """A document type. Its generator of synthetic documents is in training/synth/documents."""

    name: str
    record: type[Record]
    required: frozenset[str]
    check: Callable[[Any], Sequence[Check]] = lambda record: ()  # returns only the checks whose fields are all present
    version: str = "1.0"
    toml_source: str | None = None  # text of the TOML file that describes it; None for a built-in type

    @property
    def schema_version(self) -> str:
        """The name in answers, such as receipt/1.0."""
        return f"{self.name}/{self.version}"

    def fields(self) -> tuple[Field, ...]:
        """Return every field, in the order of the record."""
        return self._fields

    @cached_property
    def _fields(self) -> tuple[Field, ...]:
        fields: list[Field] = []
        for name, info in self.record.model_fields.items():
            if name in self.record.non_fields:
                continue
            group = _group_of(info.annotation)
            if group is None:
                fields.append(Field(name, _kind_of(info.annotation, info.metadata), name in self.required))
            else:
                fields += [
                    Field(f"{name}.{leaf}", _kind_of(inner.annotation, inner.metadata), False, name)
                    for leaf, inner in group.model_fields.items()
                ]
        return tuple(fields)

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values in answers: money has its currency, and no field is null."""
        properties: dict[str, Any] = {}
        for field in self.fields():
            if field.group is None:
                properties[field.name] = dict(field.kind.schema)
            else:
                row = {"type": "object", "properties": {}, "additionalProperties": False}
                rows = properties.setdefault(field.group, {"type": "array", "items": row})
                rows["items"]["properties"][field.leaf] = dict(field.kind.schema)
        if MRZ in self.record.non_fields:
            properties[MRZ] = dict(_ZONE_SCHEMA)
        about = {"title": self.name, "description": inspect.cleandoc(self.record.__doc__ or "")}
        return about | {"type": "object", "properties": properties, "additionalProperties": False}


def _group_of(annotation: Any) -> type[RecordRow] | None:
    """Return LineItem for tuple[LineItem, ...], and None for a single field."""
    if get_origin(annotation) is not tuple:
        return None
    inner = get_args(annotation)[0]
    return inner if isinstance(inner, type) and issubclass(inner, RecordRow) else None


def _kind_of(annotation: Any, metadata: Sequence[Any]) -> FieldKind:
    """Return the FieldKind of Annotated[...] | None; pydantic puts it into the annotation or the metadata."""
    for item in metadata:
        if isinstance(item, FieldKind):
            return item
    for part in get_args(annotation):
        if part is not NoneType:
            return _kind_of(part, get_args(part)[1:] if get_origin(part) is Annotated else ())
    raise TypeError(f"{annotation!r} is not a field type; use a type of docextract.documents.base")


def matches_any(target: Decimal, sums: Iterable[Decimal], currency: str | None = None) -> bool:
    """Whether a printed value equals one of the sums, or one of them rounded as totals in this currency are."""
    coin = SMALLEST_COINS.get(currency or "")
    allowed = coin / 2 if coin and not target % coin else SUM_TOLERANCE
    return any(abs(target - one) <= allowed for one in sums)


__all__ = [
    "MIN_ROW_LEAVES", "MRZ", "SUM_TOLERANCE", "Address", "Bic", "BirthDate", "Check", "CompanyName", "Country", "Date",
    "Discount", "DocumentNumber", "DocumentType", "EmailAddress", "ExpiryDate", "Field", "Iban", "Integer",
    "InvoiceKind", "IssueDate", "Money", "PeriodStart", "PhoneNumber", "PlaceName", "Quantity", "Record", "RecordRow",
    "RowRule", "Sex", "String", "TaxId", "TaxRate", "Time", "matches_any",
]  # fmt: skip


def total_adds_up(document_type: DocumentType, values: Mapping[str, Any]) -> bool:
    """Whether the type's own check of the total passes, which knows discounts, tips and taxes that are included.

    values: of single fields, by name. False where the check lacks a field, or the type has none.
    """
    checks = document_type.check(document_type.record(**values))
    return any(check.passed for check in checks if check.name.endswith("make_total"))

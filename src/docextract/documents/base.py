"""What a document type is: a record of typed fields, its checks."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from types import NoneType
from typing import Annotated, Any, ClassVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict

from docextract.documents import values
from docextract.documents.values import FieldKind

String = Annotated[str, values.STRING]
CompanyName = Annotated[str, values.COMPANY_NAME]
Address = Annotated[str, values.ADDRESS]
Iban = Annotated[str, values.IBAN]  # without spaces
PhoneNumber = Annotated[str, values.PHONE_NUMBER]
Money = Annotated[Decimal, values.CURRENCY]  # the amount alone; its currency is the record's
Quantity = Annotated[Decimal, values.NUMBER]
Integer = Annotated[int, values.INTEGER]
TaxRate = Annotated[Decimal, values.PERCENT]
Date = Annotated[date, values.DATE]
BirthDate = Annotated[date, values.BIRTH_DATE]
Time = Annotated[time, values.TIME]
Country = Annotated[str, values.COUNTRY]  # alpha-3
Sex = Annotated[str, values.SEX]  # M, F, X
DocumentNumber = Annotated[str, values.DOCUMENT_NUMBER]


MRZ = "mrz"  # what a record has beside its fields where the document may bear a machine-readable zone: its lines


class RecordRow(BaseModel):
    """One row of a list in a record: a line item, a payment."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Record(BaseModel):
    """The values on a document. None is a field that is not printed; never an empty string."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    non_fields: ClassVar[frozenset[str]] = frozenset({"currency"})  # what goes with the fields and is none itself

    currency: str | None = None  # ISO 4217; goes with every amount


@dataclass(frozen=True)
class Field:
    """A leaf of a record. `name` is "total", or "line_items.unit_price" within a list."""

    name: str
    kind: FieldKind
    required: bool
    group: str | None = None  # the list it stands in

    @property
    def leaf(self) -> str:
        """The name within its group."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True)
class Check:
    """A rule that ties fields together, and whether this record keeps it."""

    name: str
    passed: bool
    fields: tuple[str, ...]


_ZONE: Mapping[str, Any] = {
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
    """All that is true of one type. The generator of synthetic ones is in training/synth/documents."""

    name: str
    record: type[Record]
    required: frozenset[str]
    check: Callable[[Any], Sequence[Check]] = lambda record: ()  # only checks whose fields are present
    version: str = "1.0"
    toml_source: str | None = None  # the text of the TOML file that describes it, where one does

    @property
    def schema_version(self) -> str:
        """As in answers: receipt/1.0."""
        return f"{self.name}/{self.version}"

    def fields(self) -> tuple[Field, ...]:
        """Every leaf, in the order of the record."""
        found: list[Field] = []
        for name, info in self.record.model_fields.items():
            if name in self.record.non_fields:
                continue
            group = _group_of(info.annotation)
            if group is None:
                found.append(Field(name, _kind_of(info.annotation, info.metadata), name in self.required))
            else:
                found += [
                    Field(f"{name}.{leaf}", _kind_of(inner.annotation, inner.metadata), False, name)
                    for leaf, inner in group.model_fields.items()
                ]
        return tuple(found)

    def json_schema(self) -> dict[str, Any]:
        """JSON Schema of a document's values as answers have them: money with its currency, no field that is null."""
        properties: dict[str, Any] = {}
        for field in self.fields():
            if field.group is None:
                properties[field.name] = dict(field.kind.schema)
            else:
                row = {"type": "object", "properties": {}, "additionalProperties": False}
                rows = properties.setdefault(field.group, {"type": "array", "items": row})
                rows["items"]["properties"][field.leaf] = dict(field.kind.schema)
        if MRZ in self.record.non_fields:
            properties[MRZ] = dict(_ZONE)
        about = {"title": self.name, "description": inspect.cleandoc(self.record.__doc__ or "")}
        return about | {"type": "object", "properties": properties, "additionalProperties": False}


def _group_of(annotation: Any) -> type[RecordRow] | None:
    """tuple[LineItem, ...] → LineItem; None for a plain field."""
    if get_origin(annotation) is not tuple:
        return None
    inner = get_args(annotation)[0]
    return inner if isinstance(inner, type) and issubclass(inner, RecordRow) else None


def _kind_of(annotation: Any, metadata: Sequence[Any]) -> FieldKind:
    """The Kind in Annotated[…] | None, wherever pydantic left it."""
    for item in metadata:
        if isinstance(item, FieldKind):
            return item
    for part in get_args(annotation):
        if part is not NoneType:
            return _kind_of(part, get_args(part)[1:] if get_origin(part) is Annotated else ())
    raise TypeError(f"{annotation!r} is no field type; use those of docextract.documents.base")


__all__ = [
    "Address", "BirthDate", "Check", "Time", "CompanyName", "Country", "Date", "DocumentNumber", "DocumentType", "Field",
    "RecordRow", "Iban", "Money", "PhoneNumber", "Quantity", "Record", "Sex", "TaxRate", "String", "Integer",
]  # fmt: skip

"""Document types without code, each described by a TOML file with the name of the type.

    # delivery_note.toml
    version = "1.0"
    description = "A list of goods that the carrier hands over with them."
    required = ["note_number", "delivery_date"]

    [fields]
    note_number = "string"
    delivery_date = "date"
    subtotal = "currency"
    total_tax = "currency"
    total = "currency"

    [fields.items]                      # a list of rows
    description = "string"
    price = "currency"

    [sums]                              # checked where all of their fields are printed
    total = "subtotal + total_tax"
    subtotal = "items.price"            # the sum over the rows

Only `fields` is required. The file is stored in a folder `types/` next to labelled pages, and next to the weights that
were trained on them, so that a served model always has the descriptions of its types.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import create_model

from docextract.documents.base import (
    Address,
    BirthDate,
    Check,
    CompanyName,
    Country,
    Date,
    DocumentNumber,
    DocumentType,
    Field,
    Iban,
    Integer,
    Money,
    PhoneNumber,
    Quantity,
    Record,
    RecordRow,
    Sex,
    String,
    TaxRate,
    Time,
    matches_any,
)

TYPES_FOLDER = "types"
FIELD_TYPES: Mapping[str, Any] = {
    "string": String,
    "company_name": CompanyName,
    "address": Address,
    "phone_number": PhoneNumber,
    "document_number": DocumentNumber,
    "iban": Iban,
    "date": Date,
    "birth_date": BirthDate,  # two-digit years are never in the future
    "time": Time,
    "currency": Money,
    "number": Quantity,
    "percent": TaxRate,
    "country_code": Country,
    "sex": Sex,
    "integer": Integer,  # commas and full stops only group digits: counts, kilograms
}

_KEYS = {"version", "description", "required", "fields", "sums"}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_VERSION = re.compile(r"\d+\.\d+")
_SUM = re.compile(r"[a-z0-9_.]+(?:\s*[+-]\s*[a-z0-9_.]+)*")
_TERM = re.compile(r"([+-]?)\s*([a-z0-9_.]+)")
_RESERVED_NAMES = {"other", "auto"}  # a page of no type; the option of callers who do not know the type


class DescriptionError(ValueError):
    """The file of a document type is invalid. The message begins with the name of the file."""


def load_type(path: Path) -> DocumentType:
    """Return the type that a file describes. Raises DescriptionError for an invalid file."""
    try:
        text = path.read_text(encoding="utf-8")
        return _parse_type(path.stem, tomllib.loads(text), text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DescriptionError(f"{path}: not valid TOML: {error}") from None
    except ValueError as error:
        raise DescriptionError(f"{path}: {error}") from None


def load_types(folder: Path) -> list[DocumentType]:
    """Return all types of a folder, sorted by name; an empty list if the folder does not exist."""
    return [load_type(path) for path in sorted(folder.glob("*.toml"))]


def save_types(kinds: Iterable[DocumentType], folder: Path) -> None:
    """Write the files of the types that have one; built-in types have none.

    A file in the folder that describes its type alike stays, with its comments.
    """
    for kind in kinds:
        file = folder / f"{kind.name}.toml"
        if kind.toml_source and not _describes(file, kind.toml_source):
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(kind.toml_source, encoding="utf-8")


def _describes(file: Path, source: str) -> bool:
    """Whether a file has the content of this TOML, comments and spaces aside."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8")) == tomllib.loads(source)
    except (FileNotFoundError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False


def newest_version(known: DocumentType, found: DocumentType) -> DocumentType:
    """Return the description with the higher version, of two descriptions of one type.

    Raises ValueError if two descriptions with the same version differ, because answers name the version by which they
    are to be interpreted.
    """
    if known.version != found.version:
        return max(known, found, key=lambda kind: tuple(map(int, kind.version.split("."))))
    if tomllib.loads(known.toml_source or "") != tomllib.loads(found.toml_source or ""):
        raise ValueError(
            f"{known.schema_version} is already defined differently; raise `version` in the correct description"
        )
    return known


def _parse_type(name: str, table: Mapping[str, Any], text: str) -> DocumentType:
    if name in _RESERVED_NAMES or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a type; use lower-case letters, digits and _")
    if unknown := sorted(table.keys() - _KEYS):
        raise ValueError(f"unknown key {unknown[0]!r}; possible keys are {', '.join(sorted(_KEYS))}")
    fields = table.get("fields")
    if not isinstance(fields, dict) or not fields:
        raise ValueError('the table [fields] is missing; each of its lines is a field, such as total = "currency"')
    version = table.get("version", "1.0")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise ValueError(f'version is {version!r}; write it as "1.0"')
    description = str(table.get("description", ""))
    fields_only = DocumentType(name, _create_record(name, description, fields), frozenset())
    known = {field.name: field for field in fields_only.fields()}
    return DocumentType(
        name,
        fields_only.record,
        _parse_required(table.get("required", []), known),
        _parse_sums(table.get("sums", {}), known),
        version=version,
        toml_source=text,
    )


def _create_record(name: str, description: str, fields: Mapping[str, Any]) -> type[Record]:
    members: dict[str, Any] = {}
    for field, field_type in fields.items():
        if isinstance(field_type, dict):
            if not field_type:
                raise ValueError(f"[fields.{field}] is empty; a list of rows needs at least one field")
            row = create_model(
                _class_name(field), __base__=RecordRow, **_create_members(field_type, RecordRow, f"{field}.")
            )
            members |= {_valid_name(field, Record): (tuple[row, ...], ())}
        else:
            members |= _create_members({field: field_type}, Record)
    return create_model(_class_name(name), __base__=Record, __doc__=description, **members)


def _create_members(
    fields: Mapping[str, Any], base: type[Record] | type[RecordRow], prefix: str = ""
) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, field_type in fields.items():
        if not isinstance(field_type, str) or field_type not in FIELD_TYPES:
            raise ValueError(
                f"{prefix}{name} is {field_type!r}; the type of a field is one of {', '.join(FIELD_TYPES)}"
            )
        members[_valid_name(name, base)] = (FIELD_TYPES[field_type] | None, None)
    return members


def _valid_name(name: str, base: type[Record] | type[RecordRow]) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a field; use lower-case letters, digits and _")
    if hasattr(base, name) or name in base.model_fields:
        raise ValueError(f"a field cannot be called {name!r}; the name is reserved")
    return name


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _parse_required(names: Any, known: Mapping[str, Field]) -> frozenset[str]:
    if not isinstance(names, list):
        raise ValueError('`required` must be a list of names, such as required = ["total"]')
    for name in names:
        if name not in known or known[name].group is not None:
            raise ValueError(f"{name!r} is required, but there is no single field with this name")
    return frozenset(names)


def _parse_sums(sums: Any, known: Mapping[str, Field]) -> Callable[[Any], Sequence[Check]]:
    if not isinstance(sums, dict):
        raise ValueError('[sums] must be a table with lines such as total = "subtotal + total_tax"')
    terms_of = {target: _parse_terms(target, text, known) for target, text in sums.items()}

    def check_sums(record: Record) -> Sequence[Check]:
        checks = (_check_sum(record, target, terms) for target, terms in terms_of.items())
        return tuple(check for check in checks if check is not None)

    return check_sums


def _parse_terms(target: str, text: Any, known: Mapping[str, Field]) -> list[tuple[int, str]]:
    """Parse a sum: "subtotal - discount" becomes [(1, "subtotal"), (-1, "discount")]."""
    if not isinstance(text, str) or not _SUM.fullmatch(text.strip()):
        raise ValueError(f'the sum of {target} is {text!r}; write it as "subtotal + total_tax"')
    terms = [(-1 if sign == "-" else 1, name) for sign, name in _TERM.findall(text)]
    for name in (target, *(name for _, name in terms)):
        if name not in known or known[name].kind.name not in ("currency", "number", "integer"):
            raise ValueError(f"the sum of {target} uses {name!r}, which is not a field with an amount or number")
    if known[target].group is not None:
        raise ValueError(f"{target} is in rows; only a single field can be a sum")
    return terms


def _check_sum(record: Record, target: str, terms: Sequence[tuple[int, str]]) -> Check | None:
    """Check one sum; None where one of its values is not on the page."""
    printed = getattr(record, target)
    values = [value for _, name in terms for value in _values(record, name)]
    if printed is None or not all(_values(record, name) for _, name in terms) or None in values:
        return None
    total = sum((sign * value for sign, name in terms for value in _values(record, name) if value), Decimal(0))
    names = "_".join(name.replace(".", "_") for _, name in terms)
    return Check(f"{names}_make_{target}", matches_any(printed, [total]), (*(name for _, name in terms), target))


def _values(record: Record, name: str) -> list[Decimal | None]:
    group, _, leaf = name.rpartition(".")
    return [getattr(row, leaf) for row in getattr(record, group)] if group else [getattr(record, name)]

"""A document type without code: a list of its fields in a TOML file that is called as the type.

    # delivery_note.toml
    version = "1.0"
    description = "What a carrier hands over with the goods."
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

    [sums]                              # checked where all of them are printed
    total = "subtotal + total_tax"
    subtotal = "items.price"            # the sum over the rows

Only `fields` is needed. The file lies in a folder `types/`, beside labelled pages and beside the weights that
were trained on them: it travels with the weights, so a model that is served always knows its types.
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
)

TYPES_FOLDER = "types"  # the folder's name
FIELD_TYPES: Mapping[str, Any] = {
    "string": String,
    "company_name": CompanyName,
    "address": Address,
    "phone_number": PhoneNumber,
    "document_number": DocumentNumber,
    "iban": Iban,
    "date": Date,
    "birth_date": BirthDate,  # whose two-digit years are never to come
    "time": Time,
    "currency": Money,
    "number": Quantity,
    "percent": TaxRate,
    "country_code": Country,
    "sex": Sex,
    "integer": Integer,  # where a comma or a full stop only groups digits: counts, kilograms
}
SUM_TOLERANCE = Decimal("0.05")  # between a sum and what is printed: cash is rounded

_KEYS = {"version", "description", "required", "fields", "sums"}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_VERSION = re.compile(r"\d+\.\d+")
_SUM = re.compile(r"[a-z0-9_.]+(?:\s*[+-]\s*[a-z0-9_.]+)*")
_TERM = re.compile(r"([+-]?)\s*([a-z0-9_.]+)")
_TAKEN = {"other", "auto"}  # what pages are called that are of no type, and what callers say who do not know


class DescriptionError(ValueError):
    """What is wrong in a type's file, in a sentence that begins with the file's name."""


def load_type(path: Path) -> DocumentType:
    """The type that a file describes. Raises DescriptionError for a file that makes no sense."""
    try:
        text = path.read_text(encoding="utf-8")
        return _described(path.stem, tomllib.loads(text), text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DescriptionError(f"{path}: this is no TOML: {error}") from None
    except ValueError as error:
        raise DescriptionError(f"{path}: {error}") from None


def load_types(folder: Path) -> list[DocumentType]:
    """All types of a folder, by name; none where there is no such folder."""
    return [load_type(path) for path in sorted(folder.glob("*.toml"))]


def save_types(kinds: Iterable[DocumentType], folder: Path) -> None:
    """Write the files of those types that were described in one; the others are part of the package."""
    for kind in kinds:
        if kind.toml_source:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kind.name}.toml").write_text(kind.toml_source, encoding="utf-8")


def newest_version(known: DocumentType, found: DocumentType) -> DocumentType:
    """Of two descriptions of one type the one with the higher version.

    Raises ValueError where two differ under one version: answers say by which version they are to be read.
    """
    if known.version != found.version:
        return max(known, found, key=lambda kind: tuple(map(int, kind.version.split("."))))
    if tomllib.loads(known.toml_source or "") != tomllib.loads(found.toml_source or ""):
        raise ValueError(f"another {known.schema_version} is known already; raise `version` in the one that is right")
    return known


def _described(name: str, table: Mapping[str, Any], text: str) -> DocumentType:
    if name in _TAKEN or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} can be no type's name; use lower-case letters, digits and _")
    if unknown := sorted(table.keys() - _KEYS):
        raise ValueError(f"{unknown[0]!r} means nothing here; there are {', '.join(sorted(_KEYS))}")
    fields = table.get("fields")
    if not isinstance(fields, dict) or not fields:
        raise ValueError('there is no [fields] table; each of its lines is a field, as in total = "currency"')
    version = table.get("version", "1.0")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise ValueError(f'version is {version!r}; write it as "1.0"')
    about = str(table.get("description", ""))
    kind = DocumentType(name, _record(name, about, fields), frozenset(), version=version, toml_source=text)
    known = {field.name: field for field in kind.fields()}
    return DocumentType(
        name,
        kind.record,
        _required(table.get("required", []), known),
        _checks(table.get("sums", {}), known),
        version=version,
        toml_source=text,
    )


def _record(name: str, about: str, fields: Mapping[str, Any]) -> type[Record]:
    made: dict[str, Any] = {}
    for field, what in fields.items():
        if isinstance(what, dict):
            if not what:
                raise ValueError(f"[fields.{field}] is empty; a list of rows needs a field")
            row = create_model(_camel(field), __base__=RecordRow, **_leaves(what, RecordRow, f"{field}."))
            made |= {_named(field, Record): (tuple[row, ...], ())}
        else:
            made |= _leaves({field: what}, Record)
    return create_model(_camel(name), __base__=Record, __doc__=about, **made)


def _leaves(fields: Mapping[str, Any], base: type[Record] | type[RecordRow], within: str = "") -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, what in fields.items():
        if not isinstance(what, str) or what not in FIELD_TYPES:
            raise ValueError(f"{within}{name} is {what!r}; a field is one of {', '.join(FIELD_TYPES)}")
        made[_named(name, base)] = (FIELD_TYPES[what] | None, None)
    return made


def _named(name: str, base: type[Record] | type[RecordRow]) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} can be no field's name; use lower-case letters, digits and _")
    if hasattr(base, name) or name in base.model_fields:
        raise ValueError(f"a field cannot be called {name!r}; that name is taken")
    return name


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _required(names: Any, known: Mapping[str, Field]) -> frozenset[str]:
    if not isinstance(names, list):
        raise ValueError('`required` is a list of names, as in required = ["total"]')
    for name in names:
        if name not in known or known[name].group is not None:
            raise ValueError(f"{name!r} is required, and no single field is called so")
    return frozenset(names)


def _checks(sums: Any, known: Mapping[str, Field]) -> Callable[[Any], Sequence[Check]]:
    if not isinstance(sums, dict):
        raise ValueError('[sums] is a table; each of its lines is as total = "subtotal + total_tax"')
    parsed = {target: _terms(target, text, known) for target, text in sums.items()}

    def check(record: Record) -> Sequence[Check]:
        found = (_check(record, target, terms) for target, terms in parsed.items())
        return tuple(one for one in found if one is not None)

    return check


def _terms(target: str, text: Any, known: Mapping[str, Field]) -> list[tuple[int, str]]:
    """ "subtotal - discount" → [(1, "subtotal"), (-1, "discount")]."""
    if not isinstance(text, str) or not _SUM.fullmatch(text.strip()):
        raise ValueError(f'the sum of {target} is {text!r}; write it as "subtotal + total_tax"')
    terms = [(-1 if sign == "-" else 1, name) for sign, name in _TERM.findall(text)]
    for name in (target, *(name for _, name in terms)):
        if name not in known or known[name].kind.name not in ("currency", "number", "integer"):
            raise ValueError(f"the sum of {target} speaks of {name!r}; no amount or number is called so")
    if known[target].group is not None:
        raise ValueError(f"{target} stands in rows; only a single field can be a sum")
    return terms


def _check(record: Record, target: str, terms: Sequence[tuple[int, str]]) -> Check | None:
    """None where one of the values is not on the page."""
    wanted = getattr(record, target)
    values = [value for _, name in terms for value in _values(record, name)]
    if wanted is None or not all(_values(record, name) for _, name in terms) or None in values:
        return None
    total = sum((sign * value for sign, name in terms for value in _values(record, name) if value), Decimal(0))
    names = "_".join(name.replace(".", "_") for _, name in terms)
    return Check(f"{names}_make_{target}", abs(wanted - total) <= SUM_TOLERANCE, (*(name for _, name in terms), target))


def _values(record: Record, name: str) -> list[Decimal | None]:
    group, _, leaf = name.rpartition(".")
    return [getattr(row, leaf) for row in getattr(record, group)] if group else [getattr(record, name)]

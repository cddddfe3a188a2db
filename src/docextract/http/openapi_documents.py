"""The documents of an answer in OpenAPI: one schema for each document type, told apart by `type`.

Clients that are generated from them have typed fields: `document.fields.total.value.amount`.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from docextract.documents.base import MRZ, DocumentType
from docextract.documents.values import FieldKind
from docextract.predictions import OTHER_TYPE

_REF = "#/components/schemas/"
_DOCUMENT, _FIELD = "DocumentAnswer", "FieldAnswer"
_OF_VALUES = ("content", "source", "confidence", "level")  # members that each single value has
_MAY_HAVE = ("needs_review", "image", "polygon")

Schemas = dict[str, dict[str, Any]]


def type_documents(schemas: Schemas, kinds: Iterable[DocumentType]) -> None:
    """Replace the schema of all documents by one for each type, in place. schemas: `components.schemas`."""
    document, field = schemas.pop(_DOCUMENT), schemas.pop(_FIELD)
    names = {}
    for kind in kinds:
        names[kind.name] = f"{_pascal(kind.name)}Document"
        fields = _fields_of(kind, field, schemas)
        schemas[names[kind.name]] = _document(document, kind.name, kind.schema_version, fields)
    names[OTHER_TYPE] = "OtherDocument"
    nothing = {"type": "object", "maxProperties": 0, "additionalProperties": False}
    schemas[names[OTHER_TYPE]] = _document(document, OTHER_TYPE, None, nothing)
    schemas["Document"] = {
        "oneOf": [{"$ref": _REF + name} for name in names.values()],
        "discriminator": {
            "propertyName": "type",
            "mapping": {kind: _REF + name for kind, name in names.items()},
        },
    }
    schemas["ExtractionAnswer"]["properties"]["documents"]["items"] = {"$ref": _REF + "Document"}


def _document(base: Mapping[str, Any], name: str, version: str | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    schema = deepcopy(dict(base))
    schema["title"] = f"{_pascal(name)}Document"
    schema["properties"] |= {
        "type": {"type": "string", "const": name},
        "schema_version": {"type": "null"} if version is None else {"type": "string", "const": version},
        "fields": dict(fields),
    }
    return schema


def _fields_of(kind: DocumentType, base: Mapping[str, Any], schemas: Schemas) -> dict[str, Any]:
    """Return a reference to the schema of a type's fields, which is added with those that it needs."""
    properties: dict[str, Any] = {}
    rows: dict[str, dict[str, Any]] = {}
    for field in kind.fields():
        reference = _single_field(field.kind, base, schemas)
        if field.group is None:
            properties[field.name] = reference
        else:
            rows.setdefault(field.group, {})[field.leaf] = reference
    for group, leaves in rows.items():
        properties[group] = _list_field(f"{_pascal(kind.name)}{_pascal(group)}", leaves, schemas)
    if MRZ in kind.record.non_fields:
        zone = FieldKind(MRZ, lambda text, _: text, lambda value, _: value, kind.json_schema()["properties"][MRZ])
        properties[MRZ] = _single_field(zone, base, schemas)
    return _added(f"{_pascal(kind.name)}Fields", _object(properties), schemas)


def _single_field(kind: FieldKind, base: Mapping[str, Any], schemas: Schemas) -> dict[str, Any]:
    name = _name_of(kind, schemas)
    members = {member: _without_null(base["properties"][member]) for member in (*_OF_VALUES, *_MAY_HAVE)}
    own = {"type": {"type": "string", "const": kind.name}, "value": dict(kind.schema), **members}
    source = _without_null(base["properties"]["sources"])
    own["sources"] = source | {"additionalProperties": {"$ref": _REF + name}}
    return _added(name, _object(own, ["type", "value", *_OF_VALUES]), schemas)


def _name_of(kind: FieldKind, schemas: Schemas) -> str:
    """One schema for each kind of value; a number has another than a percentage if their values differ."""
    name = f"{_pascal(kind.name)}Field"
    known = schemas.get(name)
    differs = known is not None and known["properties"]["value"] != kind.schema
    return f"{_pascal(kind.name)}Value{len(schemas)}Field" if differs else name


def _list_field(name: str, leaves: Mapping[str, Any], schemas: Schemas) -> dict[str, Any]:
    fields = _added(f"{name}RowFields", _object(dict(leaves)), schemas)
    row = _object({"type": {"type": "string", "const": "object"}, "fields": fields}, ["type", "fields"])
    items = {"type": "array", "items": _added(f"{name}Row", row, schemas)}
    whole = _object({"type": {"type": "string", "const": "array"}, "items": items}, ["type", "items"])
    return _added(f"{name}Field", whole, schemas)


def _object(properties: Mapping[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


def _added(name: str, schema: dict[str, Any], schemas: Schemas) -> dict[str, Any]:
    schemas[name] = {"title": name, **schema}
    return {"$ref": _REF + name}


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a member that is left out where it has no value."""
    kept = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    for one in schema.get("anyOf", ()):
        if one != {"type": "null"}:
            kept |= one
    return kept


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))

"""The document types: every module of this package that defines a DOCUMENT_TYPE is found automatically.

Types without code are described in TOML files, which are stored next to weights or labelled pages. Whoever loads those
adds the types with `register_types`.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from docextract.documents import type_files
from docextract.documents.base import DocumentType
from docextract.documents.type_files import TYPES_FOLDER, DescriptionError

_registered: dict[str, DocumentType] = {}


def document_types() -> Mapping[str, DocumentType]:
    """Return every document type by name."""
    return dict(sorted((_built_in_types() | _registered).items()))


def register_types(folder: Path) -> None:
    """Add the types of folder/types/*.toml to this process; nothing is added where there is no such folder.

    Of two descriptions of one type, the one with the higher version is used. Raises DescriptionError, whose message
    names the file, and then adds none of the types.
    """
    added: dict[str, DocumentType] = {}
    for new in type_files.load_types(folder / TYPES_FOLDER):
        path = folder / TYPES_FOLDER / f"{new.name}.toml"
        if new.name in _built_in_types():
            raise DescriptionError(f"{path}: docextract has a built-in type {new.name}; choose another name")
        try:
            known = _registered.get(new.name)
            added[new.name] = type_files.newest_version(known, new) if known else new
        except ValueError as error:
            raise DescriptionError(f"{path}: {error}") from None
    _registered.update(added)


@cache
def _built_in_types() -> dict[str, DocumentType]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    types = [module.DOCUMENT_TYPE for module in modules if hasattr(module, "DOCUMENT_TYPE")]
    return {document_type.name: document_type for document_type in types}


__all__ = ["DescriptionError", "DocumentType", "document_types", "register_types"]

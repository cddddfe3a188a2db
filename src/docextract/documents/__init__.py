"""What can be read. Every module beside this one that defines a DOCUMENT_TYPE is found; nothing here is edited.

Types that are only described, in a TOML file, are added with `describe_types` by whoever opens what they travel
with: weights or labelled pages.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from docextract.documents import type_files
from docextract.documents.base import DocumentType
from docextract.documents.type_files import TYPES_FOLDER, DescriptionError

_described: dict[str, DocumentType] = {}


def document_types() -> Mapping[str, DocumentType]:
    """Every document type, by name."""
    return dict(sorted((_found() | _described).items()))


def register_types(folder: Path) -> None:
    """Add the types described in folder/types/*.toml, to this process; without such a folder there are none.

    Of two descriptions of one type the one with the higher version holds, whichever came first. Raises
    DescriptionError, whose message names the file, and then adds nothing.
    """
    added: dict[str, DocumentType] = {}
    for kind in type_files.load_types(folder / TYPES_FOLDER):
        path = folder / TYPES_FOLDER / f"{kind.name}.toml"
        if kind.name in _found():
            raise DescriptionError(f"{path}: docextract has a type {kind.name} of its own; give this one another name")
        try:
            added[kind.name] = type_files.newest_version(_described[kind.name], kind) if kind.name in _described else kind
        except ValueError as error:
            raise DescriptionError(f"{path}: {error}") from None
    _described.update(added)


@cache
def _found() -> dict[str, DocumentType]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    found = [module.DOCUMENT_TYPE for module in modules if hasattr(module, "DOCUMENT_TYPE")]
    return {kind.name: kind for kind in found}


__all__ = ["DescriptionError", "DocumentType", "describe_types", "document_types"]

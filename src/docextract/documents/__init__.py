"""What can be read. Every module beside this one that defines a DOCUMENT_TYPE is found; nothing here is edited."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from docextract.documents.base import DocumentType


@cache
def document_types() -> dict[str, DocumentType]:
    """Every document type, by name."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    found = [module.DOCUMENT_TYPE for module in modules if hasattr(module, "DOCUMENT_TYPE")]
    return {kind.name: kind for kind in sorted(found, key=lambda kind: kind.name)}

"""Generators of synthetic documents, found by the name of their document type.

A module or package of this folder that defines GENERATOR generates the document type of the same name. Types without
one, such as those described in TOML, train on labelled pages only.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from training.synth.documents.generator import Generator


@cache
def generators() -> Mapping[str, Generator]:
    """Every generator by the name of its document type, sorted by name."""
    modules = {module.name: import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)}
    return {name: module.GENERATOR for name, module in sorted(modules.items()) if hasattr(module, "GENERATOR")}


def generator_of(name: str) -> Generator:
    """Return the generator of a document type. Raises ValueError for a type that has none."""
    if name not in generators():
        raise ValueError(
            f"{name} has no generator, it trains on labelled pages only; there are {', '.join(generators())}"
        )
    return generators()[name]


__all__ = ["Generator", "generator_of", "generators"]

"""Public names have one meaning: a name that several modules define is listed here with its reason."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SEVERAL_MODULES = {
    "DOCUMENT_TYPE": "found by this name in each module of docextract.documents",
    "GENERATOR": "found by this name in each module of training.synth.documents",
    "check": "the checks of a document type",
    "sample": "a generator's function",
    "typeset": "a generator's function",
    "main": "the entry point of a program",
    "load": "reads what the module's name says",
    "log": "a module's logger",
}
TYPE_VARIABLES = "TypeVar"


def public_names(path: Path) -> set[str]:
    """Classes, functions and constants that a module defines at its top level, without type variables."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign) and TYPE_VARIABLES not in ast.unparse(node.value):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def defined_in(folder: str) -> dict[str, list[str]]:
    """Each public name of a package with the modules that define it."""
    found = defaultdict(list)
    for path in sorted((ROOT / folder).rglob("*.py")):
        for name in public_names(path):
            found[name].append(str(path.relative_to(ROOT)))
    return found


def test_public_names_of_the_package_have_one_meaning():
    """A reader who knows a name from one module knows it everywhere."""
    names = defined_in("src/docextract")

    assert len(names) > 400
    assert {name: modules for name, modules in names.items() if len(modules) > 1 and name not in SEVERAL_MODULES} == {}

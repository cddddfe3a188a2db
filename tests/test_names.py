"""Public names have one meaning: a name that several modules define is listed here with its reason."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

CLIENT = "the client's own, which installs without the server; tests/client compares both"
SEVERAL_MODULES = {
    "ExtractionOptions": CLIENT,
    "IncludePart": CLIENT,
    "Operation": CLIENT,
    "ProblemError": CLIENT,
    "Side": CLIENT,
    "ValidationOptions": CLIENT,
    "DOCUMENT_TYPE": "found by this name in each module of docextract.documents",
    "GENERATOR": "found by this name in each module of training.synth.documents",
    "sample": "a generator's function",
    "typeset": "a generator's function",
    "Float32Array": "an alias of NDArray[np.float32]",
    "log": "a module's logger",
    "main": "the entry point of a program",
    "run": "carries out one command of the command line",
    "load": "reads a data set, in each module of training.datasets",
    "build_network": "of each training task",
    "build_optimizer": "of each training task",
    "READS": "the same file name in the programs that read and write it",
    "SYNTHETIC": "the same name of a set of pages",
    "UNKNOWN": "a class label that is not known, in two tasks",
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


@pytest.mark.parametrize("folder", ["src/docextract", "training"])
def test_public_names_have_one_meaning(folder):
    """A reader who knows a name from one module knows it everywhere."""
    names = defined_in(folder)

    assert len(names) > 400
    assert {name: modules for name, modules in names.items() if len(modules) > 1 and name not in SEVERAL_MODULES} == {}

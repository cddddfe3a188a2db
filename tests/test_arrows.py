"""Which way imports point: read from the source, so that a module is held to it from the day it appears."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A line imports only from lines below it, and within its own folder. A module that is not named here is held to
# everything else in this file.
LAYERS = (
    ("docextract.cli",),
    ("docextract.bulk", "docextract.review"),
    ("docextract.serving",),
    ("docextract.http",),
    ("docextract.pipeline", "docextract.client"),
    ("docextract.extraction.checkpoints.importing",),
    ("docextract.extraction.extractor", "docextract.extraction.checkpoints", "docextract.quality.assessor"),
    ("docextract.extraction.layout.postprocessing",),
    ("docextract.extraction.zones.search",),
    ("docextract.extraction.layout.calibration",),
    ("docextract.extraction.layout.network", "docextract.extraction.zones.network", "docextract.quality.network"),
    ("docextract.extraction.layout.arithmetic",),
    ("docextract.extraction.layout.tables", "docextract.extraction.layout.fields"),
    ("docextract.extraction.layout.values.spans", "docextract.extraction.zones.recognition"),
    ("docextract.extraction.layout.parties.roles", "docextract.extraction.layout.digit_groups"),
    ("docextract.extraction.layout.parties.headings",),
    ("docextract.extraction.layout.parties.blocks",),
    ("docextract.extraction.layout.values.person_names",),
    (
        "docextract.extraction.layout.values.addresses",
        "docextract.extraction.layout.values.card_elements",
        "docextract.extraction.layout.values.company_names",
        "docextract.extraction.layout.values.labelled_values",
        "docextract.extraction.layout.values.printed_forms",
    ),
    ("docextract.extraction.layout.candidates",),
    ("docextract.extraction.layout.page_labels",),
    ("docextract.extraction.layout.labels", "docextract.extraction.layout.places"),
    ("docextract.extraction.layout.pieces", "docextract.extraction.zones.decoding", "docextract.quality.verdict"),
    ("docextract.quality.usability", "docextract.extraction.ocr"),
    ("docextract.answers", "docextract.registry"),
    ("docextract.settings",),
    ("docextract.predictions", "docextract.keys"),
    ("docextract.documents", "docextract.images", "docextract.quality.criteria"),
    ("docextract.observability",),
)

# Never, not even through another module.
NEVER = (
    ("docextract", ("training", "service", "tests")),
    ("docextract.documents", ("torch", "PIL", "numpy")),
    ("docextract.images", ("torch",)),
    ("docextract.answers", ("torch",)),
    ("docextract.pipeline", ("torch", "bentoml", "fastapi", "starlette")),
    ("docextract.registry", ("torch",)),
    ("docextract.registry.gate", ("torch", "bentoml")),
    ("docextract.settings", ("torch",)),
    ("docextract.serving.runners", ("torch",)),
    ("docextract.serving.bentoml_patches", ("torch",)),
    ("docextract.quality.criteria", ("torch",)),
    ("docextract.quality.verdict", ("torch",)),
    ("docextract.client", ("torch", "bentoml", "fastapi", "starlette")),
    ("docextract.cli", ("torch", "bentoml")),
    ("docextract.http", ("torch", "docextract.extraction.layout.network", "docextract.quality.network")),
    ("docextract.extraction", ("docextract.http", "docextract.quality", "bentoml")),
    ("docextract.quality", ("docextract.http", "docextract.extraction", "bentoml")),
    ("service", ("torch", "training")),
    ("training", ("service",)),
)


@dataclass(frozen=True)
class Module:
    """One source file: what it imports when it is itself imported, and what its functions import later."""

    name: str
    at_once: frozenset[str]
    later: frozenset[str]


def source_files(root: Path) -> dict[str, Path]:
    """Every module of the project under its dotted name."""
    found = {}
    for base, folder in ((root / "src", "docextract"), (root, "training"), (root, "benchmarks"), (root, "service.py")):
        for path in sorted((base / folder).rglob("*.py") if (base / folder).is_dir() else base.glob(folder)):
            parts = path.relative_to(base).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def read_modules(root: Path) -> dict[str, Module]:
    """The project's modules with their imports."""
    files = source_files(root)
    return {name: _read(name, path, frozenset(files)) for name, path in files.items()}


def _read(name: str, path: Path, known: frozenset[str]) -> Module:
    at_once: set[str] = set()
    later: set[str] = set()

    def visit(node: ast.AST, deferred: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                (later if deferred else at_once).update(_targets(child, name, path, known))
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            visit(child, deferred or is_function or _is_for_types_only(child))

    visit(ast.parse(path.read_text(encoding="utf-8")), deferred=False)
    return Module(name, frozenset(at_once - {name}), frozenset(later - {name}))


def _is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _targets(node: ast.Import | ast.ImportFrom, name: str, path: Path, known: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    source = node.module or ""
    if node.level:
        package = name.split(".")[: None if path.stem == "__init__" else -1]
        source = ".".join(package[: len(package) - node.level + 1] + ([source] if source else []))
    for alias in node.names:
        inner = f"{source}.{alias.name}"
        yield inner if inner in known else source


def within(module: str, place: str) -> bool:
    """Whether the module is that place or lies inside it."""
    return module == place or module.startswith(f"{place}.")


def loaded_with(name: str, modules: dict[str, Module]) -> dict[str, str]:
    """Everything that importing `name` imports, each with the module that asked for it."""
    reached: dict[str, str] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop()
        module = modules.get(current)
        for target in sorted(module.at_once) if module else ():
            if target not in reached:
                reached[target] = current
                waiting.append(target)
    return reached


def layer(module: str) -> int | None:
    """0 is the top; None for a module that the list does not name."""
    return next((level for level, row in enumerate(LAYERS) if any(within(module, place) for place in row)), None)


def upward_imports(modules: dict[str, Module]) -> list[str]:
    """Imports that do not point down, deferred ones too."""
    wrong = []
    for module in modules.values():
        for target in sorted(module.at_once | module.later):
            mine, theirs = layer(module.name), layer(target)
            if mine is None or theirs is None or mine < theirs:
                continue
            if mine == theirs and any(within(module.name, place) and within(target, place) for place in LAYERS[mine]):
                continue
            wrong.append(f"{module.name} imports {target}")
    return wrong


def forbidden_imports(modules: dict[str, Module]) -> list[str]:
    """Imports that the table NEVER names, direct, deferred or through others."""
    wrong = []
    for place, names in NEVER:
        for module in modules.values():
            if not within(module.name, place):
                continue
            reached = loaded_with(module.name, modules)
            if place != "service":  # its runners load torch in their constructors, each in a process of its own
                reached |= dict.fromkeys(module.later, module.name)
            wrong += [
                f"{module.name} reaches {target} through {asker}"
                for target, asker in reached.items()
                if any(within(target, name) for name in names)
            ]
    return wrong


@cache
def project() -> dict[str, Module]:
    """This repository's modules."""
    return read_modules(ROOT)


def test_imports_point_down():
    """Whoever reads a module needs to know only what lies below it."""
    assert upward_imports(project()) == []


def test_nothing_loads_what_its_place_forbids():
    """The front never loads torch, a document type needs no pixels, the package runs without training/."""
    assert forbidden_imports(project()) == []


@pytest.mark.parametrize("name", sorted(source_files(ROOT)))
def test_no_module_needs_itself(name):
    """There is an order in which the modules can be read."""
    assert name not in loaded_with(name, project())


def test_document_types_need_only_pydantic_and_the_standard_library():
    """Describing a document takes no imaging and no learning library; stdnum has the rules of check digits."""
    allowed = sys.stdlib_module_names | {"pydantic", "stdnum", "docextract"}
    strangers = {
        (module.name, target)
        for module in project().values()
        if within(module.name, "docextract.documents")
        for target in module.at_once | module.later
        if target.split(".")[0] not in allowed
    }

    assert strangers == set()


def test_openvino_is_imported_in_one_place():
    """There its telemetry is turned off; any other import would start it."""
    importing = [
        module.name
        for module in project().values()
        if any(within(target, "openvino") for target in module.at_once | module.later)
    ]

    assert importing == ["docextract.extraction.ocr.openvino_import"]


def test_wrong_arrows_are_noticed(tmp_path):
    """An import hidden in a helper, in a function or behind a relative name is still found."""
    sources = {
        "src/docextract/__init__.py": "",
        "src/docextract/http/__init__.py": "",
        "src/docextract/http/app.py": "from docextract import helper",
        "src/docextract/helper.py": "import torch.nn",
        "src/docextract/images/__init__.py": "",
        "src/docextract/images/geometry.py": "def late():\n    from ..answers import schema",
        "src/docextract/answers/__init__.py": "",
        "src/docextract/answers/schema.py": "from docextract.images.geometry import Page",
        "src/docextract/documents/__init__.py": "from training.synth import camera",
    }
    for name, text in sources.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    modules = read_modules(tmp_path)

    assert upward_imports(modules) == ["docextract.images.geometry imports docextract.answers.schema"]
    assert set(forbidden_imports(modules)) == {
        "docextract.http.app reaches torch.nn through docextract.helper",
        "docextract.documents reaches training.synth through docextract.documents",
    }

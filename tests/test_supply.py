"""The software supply chain: locked package versions, and weights that contain data, not code."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SERVED = [ROOT / "service.py", *sorted((ROOT / "src").rglob("*.py"))]
TRAINING = sorted((ROOT / "training").rglob("*.py"))
UNPICKLERS = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "jsonpickle", "marshal", "shelve", "hickle"}
_WEIGHTS = (".safetensors", ".json", ".toml")


def unpickling(source):
    """Return the names in Python source that may execute the data they read, with their line numbers."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found += [(name, node.lineno) for name in named if name.partition(".")[0] in UNPICKLERS]
        if isinstance(node, ast.Call):
            called, options = ast.unparse(node.func), {one.arg: ast.unparse(one.value) for one in node.keywords}
            loose = called in ("torch.load", "pd.read_pickle", "yaml.load")
            if (loose and options.get("weights_only") != "True") or options.get("allow_pickle") == "True":
                found.append((called, node.lineno))
            if called in ("eval", "exec", "bentoml.picklable_model.load_model"):
                found.append((called, node.lineno))
    return found


@pytest.mark.parametrize("file", [*SERVED, *TRAINING], ids=lambda file: file.relative_to(ROOT).as_posix())
def test_no_module_executes_the_data_it_reads(file):
    """Weights, documents and files of users are data: no module loads pickles or evaluates code."""
    assert unpickling(file.read_text(encoding="utf-8")) == []


def test_serving_does_not_use_torch_load():
    """Training may resume from its own checkpoint with weights_only; served weights are safetensors."""
    assert [file for file in SERVED if "torch.load" in file.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(
    "line",
    [
        "import pickle", "from joblib import load", "def f():\n    import cloudpickle as c", "torch.load(path)",
        "torch.load(path, weights_only=False)", "np.load(path, allow_pickle=True)", "exec(text)",
    ],
)  # fmt: skip
def test_unpickling_is_noticed(line):
    """Also if it is imported in a function or renamed."""
    assert unpickling(line)


def test_served_weights_are_numbers_and_text():
    """Their folders contain no other files."""
    files = [path for path in (ROOT / "models").glob("*/weights/**/*") if path.is_file()]

    assert [path for path in files if path.suffix not in _WEIGHTS] == []
    assert any(path.suffix == ".safetensors" for path in files)


def test_every_package_is_locked_to_one_version():
    """The versions that `make audit` checks are those that are installed."""
    lines = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
    locked = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}

    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in lines)
    assert len(locked) == len(lines)
    required = re.findall(r'^    "([A-Za-z0-9._-]+)(?:\[[^]]*\])?[><=]=', (ROOT / "pyproject.toml").read_text(), re.M)
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in required} - {"docextract", "setuptools"} <= locked


def test_what_the_locked_packages_need_is_locked():
    """Also what only development needs. The command fails for a package that the lock file lacks."""
    command = [sys.executable, str(ROOT / "deploy" / "requirements.py"), "dev"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "ray==" in done.stdout  # a package of a group that dev names


def test_the_lock_file_is_made_of_all_groups():
    """dev names the other groups, except fuzz."""
    (groups,) = re.findall(r"build/lock/bin/python -m pip install .*'\.\[(.*)\]'", (ROOT / "Makefile").read_text())
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {*groups.split(","), *re.findall(r"\w+", extras["dev"][0].partition("[")[2])}

    assert named == extras.keys()

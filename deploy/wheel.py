"""Build two wheels for `pip install` without a clone: the package with the promoted models, and the client alone.

    python deploy/wheel.py dist

The requirements of the package are those of requirements.lock that serving needs, exactly: another set is not tested.
The client is the same code as in the package, and needs three packages, in the ranges of pyproject.toml. Prints paths
and sizes.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement
from requirements import serving_requirements

ROOT = Path(__file__).parents[1]
MODEL_FILES = ("promoted.toml", "gate.toml", "weights")
# What the client imports of the package; a test installs it alone and calls the service.
CLIENT_FILES = ("__init__.py", "py.typed", "sources.py", "answers/__init__.py", "answers/schema.py", "client")
CLIENT_REQUIREMENTS = ("httpx", "pydantic", "tenacity")
CLIENT_PROJECT = """
[build-system]
requires = {build}
build-backend = "setuptools.build_meta"

[project]
name = "docextract-client"
version = "{version}"
description = "Python client of docextract; not to be installed beside docextract, which contains it."
license = "Apache-2.0"
license-files = ["LICENSE"]
requires-python = "{python}"
dependencies = {dependencies}

[tool.setuptools.packages.find]
where = ["src"]

[tool.setuptools.package-data]
docextract = ["py.typed"]
"""


def build_wheel(out: Path) -> Path:
    """Build the wheel and return its path. Raises CalledProcessError if pip fails."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        for name in ("LICENSE", "NOTICE"):
            shutil.copy(ROOT / name, project)
        shutil.copytree(ROOT / "src", project / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for model in sorted(path.parent for path in (ROOT / "models").glob("*/promoted.toml")):
            _copy_model(model, project / "src" / "docextract" / "models" / model.name)
        (project / "pyproject.toml").write_text(_with_pins((ROOT / "pyproject.toml").read_text()))
        return _built(project, out)


def build_client_wheel(out: Path) -> Path:
    """Build the wheel of the client and return its path. Raises CalledProcessError if pip fails."""
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())
    ranges = {Requirement(one).name: one for one in whole["project"]["dependencies"]}
    with tempfile.TemporaryDirectory() as folder:
        project, package = Path(folder), Path(folder) / "src" / "docextract"
        shutil.copy(ROOT / "LICENSE", project)
        for name in CLIENT_FILES:
            source = ROOT / "src" / "docextract" / name
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, package / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, package / name)
        text = CLIENT_PROJECT.format(
            build=whole["build-system"]["requires"],
            version=whole["project"]["version"],
            python=whole["project"]["requires-python"],
            dependencies=[ranges[name] for name in CLIENT_REQUIREMENTS],
        )
        (project / "pyproject.toml").write_text(text)
        return _built(project, out)


def _built(project: Path, out: Path) -> Path:
    built = project / "dist"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(built), str(project)]
    subprocess.run(command, check=True)
    (wheel,) = built.glob("*.whl")
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(wheel, out))


def _copy_model(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for name in MODEL_FILES:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        elif (source / name).exists():
            shutil.copy(source / name, target)


def _with_pins(project: str) -> str:
    """The project file with the locked versions as dependencies, and with the models among the package's data."""
    pins = "\n".join(f'    "{line}",' for line in serving_requirements())
    project = re.sub(r"(?ms)^dependencies = \[.*?^\]", f"dependencies = [\n{pins}\n]", project, count=1)
    return project.replace('"py.typed"]', '"py.typed", "models/**"]', 1)


def main(arguments: Sequence[str]) -> None:
    """Run the command line; see the module docstring."""
    for build in (build_wheel, build_client_wheel):
        wheel = build(Path(arguments[0]))
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Build a wheel with the package and the promoted models, for `pip install` without a clone.

    python deploy/wheel.py dist

Its requirements are those of requirements.lock that serving needs, exactly: another set is not tested. Prints the path
and the size of the wheel.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from requirements import serving_requirements

ROOT = Path(__file__).parents[1]
MODEL_FILES = ("promoted.toml", "gate.toml", "weights")


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
        built = project / "dist"
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(built),
            str(project),
        ]
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
    wheel = build_wheel(Path(arguments[0]))
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Select the lines of requirements.lock that serving needs, so that the image has no packages of tests or training.

    python deploy/requirements.py [donut] > build/requirements.txt

Starts with the dependencies in pyproject.toml and those of the named groups, and follows the requirements of the
installed packages.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PINNED_BY_TORCH = re.compile("nvidia-|cuda-|triton$")  # on machines with a GPU; see the head of requirements.lock


def serving_requirements(groups: Sequence[str] = ()) -> list[str]:
    """Return the lines of requirements.lock in their order. Raises KeyError if a required package is missing there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [
        *project["dependencies"],
        *(one for group in groups for one in project["optional-dependencies"][group]),
    ]
    visited: set[tuple[str, frozenset[str]]] = set()
    pending = [one for one in map(Requirement, requirements) if one.marker is None or one.marker.evaluate()]
    while pending:
        one = pending.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if (name, extras) not in visited:
            visited.add((name, extras))
            pending += _requirements_of(name, extras)
    names = {name for name, _ in visited} - {"docextract"}  # one group may name another
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    pins = {canonicalize_name(line.partition("==")[0]): line for line in lock if "==" in line}
    if missing := {name for name in names - pins.keys() if not PINNED_BY_TORCH.match(name)}:
        raise KeyError(f"requirements.lock lacks {', '.join(sorted(missing))}: make lock")
    return [line for name, line in pins.items() if name in names]


def _requirements_of(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    for text in metadata.requires(name) or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield one


if __name__ == "__main__":
    print("\n".join(serving_requirements(sys.argv[1:])))

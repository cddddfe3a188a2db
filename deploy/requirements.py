"""What of requirements.lock the service needs: an image holds nothing that only tests and training do.

    python deploy/requirements.py [donut] > build/requirements.txt

Begins with the dependencies in pyproject.toml, and those of the groups that are named, and goes on to what the
installed packages say that they need.
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


def serving(groups: Sequence[str] = ()) -> list[str]:
    """Lines of requirements.lock, in their order. Raises KeyError for a package that is needed and not in it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(one for group in groups for one in project["optional-dependencies"][group])]
    found: set[tuple[str, frozenset[str]]] = set()
    todo = [Requirement(one) for one in wanted]
    while todo:
        one = todo.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if (name, extras) not in found:
            found.add((name, extras))
            todo += _needed_by(name, extras)
    names = {name for name, _ in found}
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    pins = {canonicalize_name(line.partition("==")[0]): line for line in lock if "==" in line}
    if missing := {name for name in names - pins.keys() if not PINNED_BY_TORCH.match(name)}:
        raise KeyError(f"requirements.lock lacks {', '.join(sorted(missing))}: make lock")
    return [line for name, line in pins.items() if name in names]


def _needed_by(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    for text in metadata.requires(name) or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield one


if __name__ == "__main__":
    print("\n".join(serving(sys.argv[1:])))

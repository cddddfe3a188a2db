"""Weights that learned from fewer typefaces than their recipe asks for are not promoted.

A training run notes in typefaces.json, beside its folder of weights, how many it had and how many were asked for.
"""

import json
from pathlib import Path

from docextract.registry.version import RegistryError

TYPEFACES_FILE = "typefaces.json"


def check_typefaces(weights: Path) -> None:
    """weights: a run's folder of weights, in whose parent its typefaces are noted. Without a note nothing is checked.

    Raises RegistryError where there were fewer than asked for, or the note cannot be read.
    """
    path = weights.resolve().parent / TYPEFACES_FILE
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
        found, required = int(noted["found"]), int(noted["required"])
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RegistryError(f"{path} is not as a training run writes it: {type(error).__name__}: {error}") from None
    if found < required:
        raise RegistryError(
            f"{weights} was trained with {found} typefaces; its recipe requires {required}. Run `make fonts` on the "
            "machine that trains, and train again."
        )

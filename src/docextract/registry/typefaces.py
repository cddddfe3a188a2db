"""Refuse to promote weights that were trained with fewer typefaces than their recipe requires."""

import json
from pathlib import Path

from docextract.registry.version import RegistryError

TYPEFACES_FILE = "typefaces.json"  # next to the weights folder of a training run


def check_typefaces(weights: Path) -> None:
    """Compare the typefaces of the run that wrote `weights` with the required number; no record, no check.

    Raises RegistryError if there were too few, or if the record cannot be read.
    """
    path = weights.resolve().parent / TYPEFACES_FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        found, required = int(record["found"]), int(record["required"])
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RegistryError(f"{path} is not as a training run writes it: {type(error).__name__}: {error}") from None
    if found < required:
        raise RegistryError(
            f"{weights} was trained with {found} typefaces; its recipe requires {required}. Run `make fonts` on the "
            "machine that trains, and train again."
        )

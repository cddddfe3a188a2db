"""Which typefaces a training run has: logged at its start, and recorded in OUT/typefaces.json beside its weights.

A recipe says with `typefaces = N` how many a network should learn from at least. A run with fewer goes on, for a trial
needs no more, but promotion refuses its weights; see src/docextract/registry/typefaces.py. Programs that make other
weights of them copy the record.
"""

import json
import logging
import shutil
import tomllib
from pathlib import Path

from docextract.registry.typefaces import TYPEFACES_FILE
from training.synth import fonts

RECIPE_KEY = "typefaces"

log = logging.getLogger(__name__)


def keep_record(weights: Path, out: Path) -> None:
    """Copy the record of the run that trained `weights` beside `out`, the folder of weights that are made of them."""
    record, copy = (folder.resolve().parent / TYPEFACES_FILE for folder in (weights, out))
    if record.exists() and record != copy:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(record, copy)


def record(recipe: Path, out: Path) -> None:
    """Log the typefaces of this machine, and write them to `out`, which is made.

    recipe: TOML file of the run; its `typefaces` is the least number that it asks for, 0 where it is not there.

    Raises TypefaceError where the run began with other typefaces: its pages would change half-way.
    """
    available = fonts.available()
    found, required = fonts.count(available), int(tomllib.loads(recipe.read_text()).get(RECIPE_KEY, 0))
    digest = fonts.digest(available)
    by_role = {str(role): number for role, number in fonts.count_by_role(available).items()}
    roles = ", ".join(f"{number} {role}" for role, number in by_role.items())
    log.info("%d typefaces (%s), digest %s", found, roles, digest)
    if found < required:
        log.warning("the recipe asks for %d typefaces, found %d: run `make fonts` before you train", required, found)
    path = out / TYPEFACES_FILE
    if path.exists() and (before := json.loads(path.read_text(encoding="utf-8")))["digest"] != digest:
        raise fonts.TypefaceError(
            f"{out} was begun with {before['found']} typefaces, digest {before['digest'][:12]}; now there are {found}, "
            f"digest {digest[:12]}. Run `make fonts` to have the listed ones, or begin a run in another folder."
        )
    files = {f"{one.role}: {one.name}": [file.sha256 for file in one.files] for one in available}
    written = {"found": found, "required": required, "digest": digest, "by_role": by_role, "files": files}
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

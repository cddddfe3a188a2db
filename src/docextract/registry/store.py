"""Versions in BentoML's model store, which keeps those that are not in git; `bentoml models list` shows them.

    <BENTOML_HOME>/models/<name>/<version>-<digest>/weights/        a version's files, never rewritten
                                                    version.toml    its entry in the ledger
                         /<name>/latest                             the last version that was served successfully

Reading uses only the file system, so the store may be read-only or missing.
"""

import os
import shutil
import tempfile
from pathlib import Path

from docextract.files import sync, write_atomically

WEIGHTS_FOLDER = "weights"
DESCRIPTION_FILE = "version.toml"
_LATEST = "latest"


def store_folder() -> Path:
    """Return the folder of BentoML: the environment variable BENTOML_HOME, or ~/bentoml."""
    return Path(os.environ.get("BENTOML_HOME") or "~/bentoml").expanduser()


def version_folder(tag: str) -> Path:
    """Return the folder of `name:version` in the store; it may not exist."""
    name, _, version = tag.partition(":")
    return store_folder() / "models" / name / version


def weights_folder(tag: str) -> Path:
    """Return the folder with the files of a version."""
    return version_folder(tag) / WEIGHTS_FOLDER


def list_tags(name: str) -> list[str]:
    """Return the tags of a model in the store, sorted; their files may be damaged."""
    folder = store_folder() / "models" / name
    return sorted(f"{name}:{path.name}" for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def add_version(tag: str, weights: Path, description: str) -> None:
    """Add a version to the store in one atomic step; a version with the same tag is replaced.

    Raises OSError if the store cannot be written.
    """
    from bentoml import Model  # imported here, because reading does not need it
    from bentoml.models import ModelContext

    model = Model.create(  # not bentoml.models.create, which sends usage data and saves file by file
        tag, module=__name__, api_version="v1", signatures={}, context=ModelContext("docextract", {})
    )
    model.flush()  # type: ignore[no-untyped-call]
    target, temporary_folder = version_folder(tag), store_folder() / "tmp"
    temporary_folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=temporary_folder) as scratch:
        complete = Path(scratch) / "item"
        shutil.move(model.path, complete)  # BentoML would leave it in the folder for temporary files
        complete.chmod(0o755)
        copy_weights(weights, complete / WEIGHTS_FOLDER)
        (complete / DESCRIPTION_FILE).write_text(description, encoding="utf-8")
        for path in (*complete.iterdir(), complete):  # the weights have been written to the disk already
            sync(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.rename(Path(scratch) / "replaced")
        complete.rename(target)
    for folder in target.parents[:3]:  # those of the name and of all models may be new
        sync(folder)


def copy_weights(weights: Path, target: Path) -> None:
    """Copy the files of a version durably and make them readable for every user.

    Training may write files that only their owner can read, as safetensors does, but a service runs as another user.
    Raises OSError if the target cannot be written or already exists.
    """
    shutil.copytree(weights, target)
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    sync_files(target)


def sync_files(folder: Path) -> None:
    """Write a folder with all that is in it to the disk, so that a power failure does not lose it."""
    for path in (*folder.rglob("*"), folder):
        sync(path)


def update_description(tag: str, description: str) -> None:
    """Update the description of a version, which may have new scores. Raises OSError if it cannot be written."""
    path = version_folder(tag) / DESCRIPTION_FILE
    if not path.is_file() or path.read_text(encoding="utf-8") != description:
        write_atomically(path, description)


def latest_tag(name: str) -> str | None:
    """Return the tag of the version that was served last; None if it is unknown."""
    try:
        return f"{name}:{(version_folder(name) / _LATEST).read_text(encoding='utf-8').strip()}"
    except (OSError, UnicodeDecodeError):
        return None


def mark_latest(tag: str) -> None:
    """Record that this version is served. Raises OSError if the store cannot be written."""
    name, _, version = tag.partition(":")
    write_atomically(store_folder() / "models" / name / _LATEST, version)

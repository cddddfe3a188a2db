"""Where versions are kept that are not in git: BentoML's model store, `bentoml models list` shows them.

    <BENTOML_HOME>/models/<name>/<version>-<digest>/weights/        a version's files, never rewritten
                                                    version.toml    what its ledger said of it
                         /<name>/latest                             the version that was served last, and well

Reading takes no more than the file system, so a store that is read-only, or not there at all, is no hindrance.
"""

import os
import shutil
import tempfile
from pathlib import Path

WEIGHTS_FOLDER = "weights"
DESCRIPTION_FILE = "version.toml"
_LATEST = "latest"


def store_folder() -> Path:
    """BentoML's own setting: BENTOML_HOME, or ~/bentoml."""
    return Path(os.environ.get("BENTOML_HOME") or "~/bentoml").expanduser()


def version_folder(tag: str) -> Path:
    """The place of `name:version` in the store, whether it is there or not."""
    name, _, version = tag.partition(":")
    return store_folder() / "models" / name / version


def weights_folder(tag: str) -> Path:
    """The files of a version."""
    return version_folder(tag) / WEIGHTS_FOLDER


def list_tags(name: str) -> list[str]:
    """What the store has of a model, whole or not."""
    place = store_folder() / "models" / name
    return sorted(f"{name}:{path.name}" for path in place.iterdir() if path.is_dir()) if place.is_dir() else []


def add_version(tag: str, weights: Path, description: str) -> None:
    """Put a version into the store, in one step: it is there whole or not at all. Replaces what has that tag.

    Raises OSError where the store cannot be written.
    """
    from bentoml import Model  # late: whoever only reads does not wait for it
    from bentoml.models import ModelContext

    model = Model.create(  # not bentoml.models.create: that reports to its makers, and saves file by file
        tag, module=__name__, api_version="v1", signatures={}, context=ModelContext("docextract", {})
    )
    model.flush()  # type: ignore[no-untyped-call]
    target, waiting_room = version_folder(tag), store_folder() / "tmp"
    waiting_room.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=waiting_room) as scratch:
        whole = Path(scratch) / "item"
        shutil.move(model.path, whole)  # BentoML would leave it in the folder for temporary files
        whole.chmod(0o755)
        copy_weights(weights, whole / WEIGHTS_FOLDER)
        (whole / DESCRIPTION_FILE).write_text(description, encoding="utf-8")
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.rename(Path(scratch) / "replaced")
        whole.rename(target)


def copy_weights(weights: Path, target: Path) -> None:
    """Copy a version's files, for everybody to read: training may write for its owner alone, as safetensors does, and
    a service runs as someone else. Raises OSError where the target cannot be written, or is there already.
    """
    shutil.copytree(weights, target)
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def update_description(tag: str, description: str) -> None:
    """Bring what is told of a version up to date: it may have been scored again. Raises OSError."""
    path = version_folder(tag) / DESCRIPTION_FILE
    if not path.is_file() or path.read_text(encoding="utf-8") != description:
        write_atomically(path, description)


def latest_tag(name: str) -> str | None:
    """The tag of the version that was served last."""
    try:
        return f"{name}:{(version_folder(name) / _LATEST).read_text(encoding='utf-8').strip()}"
    except (OSError, UnicodeDecodeError):
        return None


def mark_latest(tag: str) -> None:
    """Remember that this version is being served. Raises OSError where the store cannot be written."""
    name, _, version = tag.partition(":")
    write_atomically(store_folder() / "models" / name / _LATEST, version)


def write_atomically(path: Path, text: str) -> None:
    """Write a file in one step, and wait until the disk has it: a reader finds the old text or the new one."""
    new = path.with_name(f".{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)

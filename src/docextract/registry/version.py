"""One model, as it is promoted: its files by their digests, and all that is told about it.

The digests are the truth, not the place: whatever folder holds exactly these files is this version.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import tomli_w

from docextract.predictions import OTHER_TYPE
from docextract.registry import store

LOADERS: Mapping[str, str] = {
    "quality": "docextract.quality.assessor:Assessor",
    "extraction": "docextract.extraction.extractor:Extractor",
}
_OTHER_LOADERS: Mapping[tuple[str, str], str] = {  # of other architectures than the usual one
    ("extraction", "donut"): "docextract.extraction.checkpoints.donut:Donut",
    ("extraction", "public_layout"): "docextract.extraction.checkpoints.layout:PublicLayout",
}
# Files that run code when they are opened as what their names say. Weights are .safetensors, which are numbers alone.
_PICKLED = (".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth")
_CHUNK_BYTES = 1 << 20
_DIGEST_LETTERS = 12  # of the digest, in a tag


class RegistryError(Exception):
    """What stands in models/ or in the model store cannot be served as it is."""


@dataclass(frozen=True)
class Version:
    """One promoted model, as its ledger describes it."""

    name: str
    version: str
    architecture: str  # for people: "layout", "donut"
    loader: str  # "module:Class" with load(folder, device)
    digest: str  # sha256:…, over the names and digests of all files
    promoted: date
    folder: Path  # where its files are, or ought to be
    files: Mapping[str, str]  # relative path → sha256
    document_types: tuple[str, ...] = ()  # that it was trained for
    scores: Mapping[str, Any] = field(default_factory=dict)
    forced: str | None = None  # why it was promoted although its gate was closed
    fields: tuple[str, ...] = ()  # that it was taught, "line_items.quantity"; empty where that is not known

    @property
    def tag(self) -> str:
        """Its name in the model store."""
        return version_tag(self.name, self.version, self.digest)

    def verify(self) -> None:
        """Read every file of its folder and compare. Raises RegistryError that names what differs."""
        found = file_digests(self.folder) if self.folder.is_dir() else {}
        for path in sorted(self.files.keys() | found.keys()):
            if found.get(path) != self.files.get(path):
                state = "missing" if path not in found else "not promoted" if path not in self.files else "different"
                raise RegistryError(
                    f"{self.name} {self.version}: {self.folder / path} is {state}. Restore the weights of that "
                    f"version, or promote these with `python -m docextract.registry promote {self.name} FOLDER`."
                )

    def verified(self) -> "Version":
        """The same, in a folder whose files have just been compared: the model store's copy, else its own.

        The store comes first because nothing in it is ever rewritten, while models/<name>/weights follows each
        promotion. Raises RegistryError that names what differs in its own folder.
        """
        for place in dict.fromkeys((store.weights_folder(self.tag), self.folder)):
            here = replace(self, folder=place)
            try:
                here.verify()
            except RegistryError:
                if place == self.folder:
                    raise
            else:
                return here
        raise AssertionError  # its own folder is always among the places

    def load(self, device: str) -> Any:
        """Verify the files, then `loader`'s load(folder, device). Imports torch when the loader does."""
        return load_model(self.loader, self.verified().folder, device)


def candidate_version(
    name: str,
    folder: Path,
    version: str,
    *,
    day: date,
    architecture: str | None = None,
    loader: str | None = None,
    document_types: Sequence[str] | None = None,
    scores: Mapping[str, Any] | None = None,
    forced: str | None = None,
) -> Version:
    """A folder of weights as a version. Architecture, its loader and types are what config.json says, if not given.

    Raises RegistryError where the folder holds no files, or pickles.
    """
    files = file_digests(folder) if folder.is_dir() else {}
    if not files:
        raise RegistryError(f"{folder} holds no files to promote")
    if pickled := next((path for path in files if path.lower().endswith(_PICKLED)), None):
        raise RegistryError(f"{folder / pickled} can run code when it is opened. Weights are promoted as .safetensors.")
    stated = _config(folder)
    types = stated.get("shape", {}).get("types", ()) if document_types is None else document_types
    return Version(
        name=name,
        version=version,
        architecture=architecture or stated.get("architecture", "default"),
        loader=loader or find_loader(name, folder, architecture),
        digest=overall_digest(files),
        promoted=day,
        folder=folder,
        files=files,
        document_types=tuple(kind for kind in types if kind != OTHER_TYPE),
        fields=tuple(stated.get("shape", {}).get("fields", ())),
        scores=dict(scores or {}),
        forced=forced,
    )


def _config(folder: Path) -> dict[str, Any]:
    """What a network says of itself; {} for one that says nothing that we understand."""
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def find_loader(name: str, folder: Path, architecture: str | None = None) -> str:
    """What loads such a model; architecture: what config.json says if not given."""
    return _OTHER_LOADERS.get((name, architecture or _config(folder).get("architecture", "")), LOADERS[name])


def load_model(loader: str, folder: Path, device: str) -> Any:
    """What "module:Class" makes of a folder of weights."""
    module, _, attribute = loader.partition(":")
    return getattr(import_module(module), attribute).load(folder, device)


def version_tag(name: str, version: str, digest: str) -> str:
    """`extraction:1.0.0-7fafe259fdb6`."""
    return f"{name}:{version}-{digest.removeprefix('sha256:')[:_DIGEST_LETTERS]}"


def file_digests(folder: Path) -> dict[str, str]:
    """relative path → sha256 of each file below the folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _sha256(path) for path in paths}


def overall_digest(files: Mapping[str, str]) -> str:
    """One name for a set of files; two sets share it only when they are the same."""
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))
    return "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def parse_version(name: str, entry: Mapping[str, Any], folder: Path, source: Path) -> Version:
    """The inverse of `table`. source: for the message of the RegistryError that an unsound entry raises."""
    try:
        version = Version(
            name=name,
            version=entry["version"],
            architecture=entry["architecture"],
            loader=entry["loader"],
            digest=entry["digest"],
            promoted=entry["promoted"],
            folder=folder,
            files=entry["files"],
            document_types=tuple(entry.get("document_types", ())),
            fields=tuple(entry.get("fields", ())),
            scores=entry.get("scores", {}),
            forced=entry.get("forced"),
        )
    except KeyError as error:
        raise RegistryError(f"{source} lacks {error}") from None
    if version.digest != overall_digest(version.files):
        raise RegistryError(f"{source}: `digest` does not fit `files`; was it edited by hand?")
    return version


def version_table(version: Version) -> dict[str, Any]:
    """What is written of a version; its name and its folder follow from where it is written."""
    written = {
        "version": version.version,
        "architecture": version.architecture,
        "loader": version.loader,
        "digest": version.digest,
        "promoted": version.promoted,
        "document_types": list(version.document_types),
        "fields": list(version.fields) or None,
        "forced": version.forced,
        "files": dict(version.files),
        "scores": version.scores,
    }
    return _without_nulls(written)


def _without_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no null; a score that was not measured is left out."""
    return {
        key: _without_nulls(value) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if value is not None
    }


def read_toml(path: Path) -> dict[str, Any]:
    """Raises FileNotFoundError, or RegistryError where it is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RegistryError(f"{path} is not valid TOML: {error}") from None


def format_toml(values: Mapping[str, Any]) -> str:
    """TOML for people who review it: a table of nothing but figures is one line.

    tomli_w would give each figure a line of its own, and a ledger a thousand lines.
    """
    return "\n".join(_lines((), values)).strip() + "\n"


def _lines(path: tuple[str, ...], values: Mapping[str, Any]) -> list[str]:
    plain = {key: value for key, value in values.items() if not _is_deep(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    if path and (lines or not values):
        lines = ["", f"[{'.'.join(map(_key, path))}]", *lines]
    for key, value in values.items():
        if isinstance(value, list) and _is_deep(value):
            for row in value:
                lines += ["", f"[[{'.'.join(map(_key, (*path, key)))}]]", *_lines((), row)]
        elif _is_deep(value):
            lines += _lines((*path, key), value)
    return lines


def _is_deep(value: Any) -> bool:
    """Whether it gets a heading of its own: a list of tables, or a table that is not one of figures."""
    if isinstance(value, Mapping):
        return not value or any(not isinstance(inner, int | float) for inner in value.values())
    return isinstance(value, list) and bool(value) and all(isinstance(inner, Mapping) for inner in value)


def _key(key: str) -> str:
    return tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(figure)}" for key, figure in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return tomli_w.dumps({"v": value}).removeprefix("v = ").rstrip("\n")

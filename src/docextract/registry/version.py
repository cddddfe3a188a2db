"""A promoted version of a model: the digests of its files and its description.

The digests identify the version, not its location: any folder with exactly these files is this version.
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
_OTHER_LOADERS: Mapping[tuple[str, str], str] = {  # of architectures other than the default
    ("extraction", "donut"): "docextract.extraction.checkpoints.donut:Donut",
    ("extraction", "public_layout"): "docextract.extraction.checkpoints.layout:PublicLayout",
}
# Files of these types can run code when they are opened. Weights are .safetensors files, which contain only numbers.
_PICKLE_SUFFIXES = (".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth")
_CHUNK_BYTES = 1 << 20
_TAG_DIGEST_LENGTH = 12  # hexadecimal digits of the digest in a tag


class RegistryError(Exception):
    """A model in models/ or in the model store cannot be served."""


@dataclass(frozen=True)
class Version:
    """One promoted model, as its ledger describes it."""

    name: str
    version: str
    architecture: str  # for people: "layout", "donut"
    loader: str  # "module:Class" with load(folder, device)
    digest: str  # sha256:…, over the names and digests of all files
    promoted: date
    folder: Path  # of its files, which may be missing or damaged
    files: Mapping[str, str]  # SHA-256 by relative path
    document_types: tuple[str, ...] = ()  # on which it was trained
    scores: Mapping[str, Any] = field(default_factory=dict)
    forced: str | None = None  # the reason for a promotion without passing the gate
    fields: tuple[str, ...] = ()  # on which it was trained, such as "line_items.quantity"; empty if unknown

    @property
    def tag(self) -> str:
        """The tag in the model store."""
        return version_tag(self.name, self.version, self.digest)

    def verify(self) -> None:
        """Compare every file of the folder with its digest. Raises RegistryError with the first file that differs."""
        found = file_digests(self.folder) if self.folder.is_dir() else {}
        for path in sorted(self.files.keys() | found.keys()):
            if found.get(path) != self.files.get(path):
                state = "missing" if path not in found else "unexpected" if path not in self.files else "different"
                raise RegistryError(
                    f"{self.name} {self.version}: {self.folder / path} is {state}. Restore the weights of this "
                    f"version, or promote these files with `python -m docextract.registry promote {self.name} FOLDER`."
                )

    def verified(self) -> "Version":
        """Return this version with a folder whose files were just verified: in the model store, else its own.

        The store is tried first because its files are never rewritten, while models/<name>/weights changes with each
        promotion. Raises RegistryError with the first file that differs in its own folder.
        """
        for place in dict.fromkeys((store.weights_folder(self.tag), self.folder)):
            version = replace(self, folder=place)
            try:
                version.verify()
            except RegistryError:
                if place == self.folder:
                    raise
            else:
                return version
        raise AssertionError  # its own folder is always tried

    def load(self, device: str) -> Any:
        """Verify the files, then load the model with `loader`. Imports torch if the loader does."""
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
    """Return a folder of weights as a version. Architecture, loader and types default to those of config.json.

    Raises RegistryError if the folder contains no files, or pickles.
    """
    files = file_digests(folder) if folder.is_dir() else {}
    if not files:
        raise RegistryError(f"{folder} contains no files to promote")
    if pickle_path := next((path for path in files if path.lower().endswith(_PICKLE_SUFFIXES)), None):
        raise RegistryError(
            f"{folder / pickle_path} can run code when it is opened. Weights must be .safetensors files."
        )
    config = _read_config(folder)
    types = config.get("shape", {}).get("types", ()) if document_types is None else document_types
    return Version(
        name=name,
        version=version,
        architecture=architecture or config.get("architecture", "default"),
        loader=loader or find_loader(name, folder, architecture),
        digest=overall_digest(files),
        promoted=day,
        folder=folder,
        files=files,
        document_types=tuple(kind for kind in types if kind != OTHER_TYPE),
        fields=tuple(config.get("shape", {}).get("fields", ())),
        scores=dict(scores or {}),
        forced=forced,
    )


def _read_config(folder: Path) -> dict[str, Any]:
    """Return the content of config.json; {} if it is missing or invalid."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def find_loader(name: str, folder: Path, architecture: str | None = None) -> str:
    """Return the loader, "module:Class", of a model. architecture: defaults to that of config.json."""
    return _OTHER_LOADERS.get((name, architecture or _read_config(folder).get("architecture", "")), LOADERS[name])


def load_model(loader: str, folder: Path, device: str) -> Any:
    """Load a folder of weights with the loader "module:Class"."""
    module, _, attribute = loader.partition(":")
    return getattr(import_module(module), attribute).load(folder, device)


def version_tag(name: str, version: str, digest: str) -> str:
    """Return the tag in the model store, such as `extraction:1.0.0-7fafe259fdb6`."""
    return f"{name}:{version}-{digest.removeprefix('sha256:')[:_TAG_DIGEST_LENGTH]}"


def file_digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 digest of each file below the folder, by relative path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _sha256(path) for path in paths}


def overall_digest(files: Mapping[str, str]) -> str:
    """Return one digest for a set of files, from their paths and digests."""
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))
    return "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def parse_version(name: str, entry: Mapping[str, Any], folder: Path, source: Path) -> Version:
    """Parse an entry that `version_table` has made. Raises RegistryError for an invalid entry.

    source: the file of the entry, for error messages.
    """
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
        raise RegistryError(f"{source}: the key {error} is missing") from None
    if version.digest != overall_digest(version.files):
        raise RegistryError(f"{source}: `digest` does not match `files`; was it edited by hand?")
    return version


def version_table(version: Version) -> dict[str, Any]:
    """Return the entry of a version; its name and its folder follow from the place of the file."""
    entry = {
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
    return _without_nulls(entry)


def _without_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out values that are None, such as a score that was not measured: TOML has no null."""
    return {
        key: _without_nulls(value) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if value is not None
    }


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raises FileNotFoundError, or RegistryError for invalid TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RegistryError(f"{path} is not valid TOML: {error}") from None


def format_toml(values: Mapping[str, Any]) -> str:
    """Format TOML for review: a table that contains only numbers is one line.

    tomli_w would write each number on its own line, and a ledger would have a thousand lines.
    """
    return "\n".join(_lines((), values)).strip() + "\n"


def _lines(path: tuple[str, ...], values: Mapping[str, Any]) -> list[str]:
    plain = {key: value for key, value in values.items() if not _needs_heading(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    if path and (lines or not values):
        lines = ["", f"[{'.'.join(map(_key, path))}]", *lines]
    for key, value in values.items():
        if isinstance(value, list) and _needs_heading(value):
            for row in value:
                lines += ["", f"[[{'.'.join(map(_key, (*path, key)))}]]", *_lines((), row)]
        elif _needs_heading(value):
            lines += _lines((*path, key), value)
    return lines


def _needs_heading(value: Any) -> bool:
    """Whether a value needs its own heading: a list of tables, or a table that contains more than numbers."""
    if isinstance(value, Mapping):
        return not value or any(not isinstance(inner, int | float) for inner in value.values())
    return isinstance(value, list) and bool(value) and all(isinstance(inner, Mapping) for inner in value)


def _key(key: str) -> str:
    return tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(number)}" for key, number in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return tomli_w.dumps({"v": value}).removeprefix("v = ").rstrip("\n")

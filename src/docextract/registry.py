"""models/ as a ledger: which version of each model is served, and whether its files are those that were promoted.

    models/<name>/promoted.toml    version, loader, digest, date, scores: a small text file, reviewed like code
    models/<name>/weights/         the files it speaks of

`python -m docextract.registry list` shows what is served; `--help` the rest. No torch here.
"""

import argparse
import hashlib
import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import tomli_w

LEDGER = "promoted.toml"
WEIGHTS = "weights"
LOADERS: Mapping[str, str] = {
    "quality": "docextract.quality.assessor:Assessor",
    "extraction": "docextract.extraction.extractor:Extractor",
}
_CHUNK_BYTES = 1 << 20


class RegistryError(Exception):
    """What stands in models/ cannot be served as it is."""


@dataclass(frozen=True)
class Version:
    """One promoted model, as its ledger describes it."""

    name: str
    version: str
    architecture: str  # for people: "layout", "donut"
    loader: str  # "module:Class" with load(folder, device)
    digest: str  # sha256:…, over the names and digests of all files
    promoted: date
    folder: Path  # of the weights
    files: Mapping[str, str]  # relative path → sha256
    document_types: tuple[str, ...] = ()  # that it was trained for
    scores: Mapping[str, Any] = field(default_factory=dict)

    def verify(self) -> None:
        """Read every file and compare. Raises RegistryError that names what differs."""
        found = file_digests(self.folder) if self.folder.is_dir() else {}
        for path in sorted(self.files.keys() | found.keys()):
            if found.get(path) != self.files.get(path):
                state = "missing" if path not in found else "not promoted" if path not in self.files else "different"
                raise RegistryError(
                    f"{self.name} {self.version}: {self.folder / path} is {state}. Restore the weights of that "
                    f"version, or promote these with `python -m docextract.registry promote {self.name} FOLDER`."
                )

    def load(self, device: str) -> Any:
        """Verify the files, then `loader`'s load(folder, device). Imports torch when the loader does."""
        self.verify()
        module, _, attribute = self.loader.partition(":")
        return getattr(import_module(module), attribute).load(self.folder, device)


def promoted(name: str, models_dir: Path) -> Version:
    """The version that is to be served. Reads only the ledger."""
    ledger = models_dir / name / LEDGER
    try:
        entry = tomllib.loads(ledger.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RegistryError(
            f"No {name} model is promoted: {ledger} does not exist. Run `python -m docextract.registry promote "
            f"{name} FOLDER --version V` with a folder of trained weights."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"{ledger} is not valid TOML: {error}") from None
    try:
        version = Version(
            name=name,
            version=entry["version"],
            architecture=entry["architecture"],
            loader=entry["loader"],
            digest=entry["digest"],
            promoted=entry["promoted"],
            folder=ledger.parent / WEIGHTS,
            files=entry["files"],
            document_types=tuple(entry.get("document_types", ())),
            scores=entry.get("scores", {}),
        )
    except KeyError as error:
        raise RegistryError(f"{ledger} lacks {error}") from None
    if version.digest != overall_digest(version.files):
        raise RegistryError(f"{ledger}: `digest` does not fit `files`; was it edited by hand?")
    return version


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


def promote(
    name: str,
    folder: Path,
    version: str,
    models_dir: Path,
    *,
    day: date,
    architecture: str = "default",
    loader: str | None = None,
    document_types: Sequence[str] = (),
    scores: Mapping[str, Any] | None = None,
) -> Version:
    """Copy a candidate's weights into models/<name>/weights and write the ledger.

    The ledger is written last: a copy that was cut short is noticed by `verify`, never served.
    """
    candidate = file_digests(folder) if folder.is_dir() else {}
    if not candidate:
        raise RegistryError(f"{folder} holds no files to promote")
    target = models_dir / name / WEIGHTS
    if folder.resolve() != target.resolve():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target)
    entry = Version(
        name=name,
        version=version,
        architecture=architecture,
        loader=loader or LOADERS[name],
        digest=overall_digest(candidate),
        promoted=day,
        folder=target,
        files=candidate,
        document_types=tuple(document_types),
        scores=_without_nulls(scores or {}),
    )
    (models_dir / name / LEDGER).write_text(_as_toml(entry), encoding="utf-8")
    return entry


def _without_nulls(table: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no null; a score that was not measured is left out."""
    return {
        key: _without_nulls(value) if isinstance(value, Mapping) else value
        for key, value in table.items()
        if value is not None
    }


def _as_toml(entry: Version) -> str:
    table = {key: value for key, value in asdict(entry).items() if key not in ("name", "folder")}
    table["document_types"] = list(entry.document_types)
    heading = "# Written by `python -m docextract.registry promote`; read when the service starts.\n\n"
    return heading + tomli_w.dumps(table)


def _main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m docextract.registry",
        description="Which models are served.",
        epilog="example: python -m docextract.registry promote quality runs/quality/export --version 1.0.0",
    )
    parser.add_argument("--models", type=Path, default=Path("models"), help="the ledger's folder (models)")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="name, version, day and digest of each model that is served")
    verbs.add_parser("show", help="all that is known about one").add_argument("name")
    verb = verbs.add_parser("promote", help="serve these weights from the next start on")
    verb.add_argument("name", choices=sorted(LOADERS))
    verb.add_argument("folder", type=Path)
    verb.add_argument("--version", required=True)
    verb.add_argument("--architecture", default="default")
    verb.add_argument("--loader", help="module:Class, where it is not the usual one")
    verb.add_argument("--document-types", nargs="*", default=[])
    verb.add_argument("--scores", type=Path, help="scores.json of the evaluation")
    given = parser.parse_args(arguments)
    try:
        _run(given)
    except RegistryError as error:
        parser.exit(1, f"{error}\n")
    return 0


def _run(given: argparse.Namespace) -> None:
    if given.verb == "promote":
        entry = promote(
            given.name,
            given.folder,
            given.version,
            given.models,
            day=date.today(),
            architecture=given.architecture,
            loader=given.loader,
            document_types=given.document_types,
            scores=json.loads(given.scores.read_text(encoding="utf-8")) if given.scores else None,
        )
        print(f"{entry.name} {entry.version} will be served from the next start on ({entry.digest[:19]})")
    elif given.verb == "show":
        version = promoted(given.name, given.models)
        version.verify()
        print(_as_toml(version))
    else:
        for ledger in sorted(given.models.glob(f"*/{LEDGER}")):
            version = promoted(ledger.parent.name, given.models)
            print(f"{version.name}  {version.version}  {version.promoted}  {version.digest[:19]}")


if __name__ == "__main__":
    raise SystemExit(_main())

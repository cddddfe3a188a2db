"""The ledger models/<name>/promoted.toml: the served version, its predecessors, promotion and rollback.

A change of version replaces one file atomically, after the files of the version are complete in the model store. If it
is interrupted at any moment, either the old or the new version is served.
"""

import fcntl
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from docextract.files import sync, write_atomically
from docextract.registry import gate, store, typefaces
from docextract.registry.gate import Gate, GateFailedError, Shortfall
from docextract.registry.version import (
    LOADERS,
    RegistryError,
    Version,
    candidate_version,
    file_digests,
    format_toml,
    parse_version,
    read_toml,
    version_table,
    version_tag,
)

LEDGER_FILE = "promoted.toml"
_HEADING = "# Written by `python -m docextract.registry`; read when the service starts.\n\n"
_VERSION = re.compile(r"[a-z0-9]([a-z0-9._-]{0,38}[a-z0-9])?")  # allowed in the model store, with room for a digest

log = logging.getLogger("docextract.registry")
Started = TypeVar("Started")


@dataclass(frozen=True)
class EarlierVersion:
    """A version that was served earlier."""

    version: str
    digest: str
    promoted: date
    withdrawn: date | None = None  # the day of the rollback from it; later rollbacks skip it
    reason: str | None = None


@dataclass(frozen=True)
class Ledger:
    """The promoted version and the earlier ones, newest first."""

    promoted: Version
    history: tuple[EarlierVersion, ...] = ()


def promoted_version(name: str, models_dir: Path) -> Version:
    """Return the promoted version. Only the ledger is read; the files are not verified."""
    return read_ledger(name, models_dir).promoted


def read_ledger(name: str, models_dir: Path) -> Ledger:
    """Read the ledger of a model. Raises RegistryError if it is missing or invalid."""
    path = models_dir / name / LEDGER_FILE
    try:
        entry = read_toml(path)
    except FileNotFoundError:
        raise RegistryError(
            f"No {name} model is promoted: {path} does not exist. Run `python -m docextract.registry promote "
            f"{name} FOLDER --version V` with a folder of trained weights."
        ) from None
    try:
        history = tuple(EarlierVersion(**row) for row in entry.pop("history", ()))
    except TypeError as error:
        raise RegistryError(f"{path}: `history` is invalid: {error}") from None
    return Ledger(parse_version(name, entry, path.parent / store.WEIGHTS_FOLDER, path), history)


def stored_version(tag: str) -> Version:
    """Return a version as described in the model store. Raises RegistryError if the store has no such tag."""
    path = store.version_folder(tag) / store.DESCRIPTION_FILE
    try:
        return parse_version(tag.partition(":")[0], read_toml(path), store.weights_folder(tag), path)
    except OSError:
        raise RegistryError(f"{tag} is not in the model store: {path} cannot be read") from None


def store_version(version: Version) -> Version:
    """Add a version to the model store unless it is already there; return it with its folder in the store.

    Raises RegistryError if its files are damaged, or the store cannot be written.
    """
    intact = version.verified()
    target = replace(version, folder=store.weights_folder(version.tag))
    description = _HEADING + format_toml(version_table(version))
    try:
        if intact.folder == target.folder:
            store.update_description(version.tag, description)
            return target
        store.add_version(version.tag, intact.folder, description)
    except OSError as error:
        raise RegistryError(
            f"{version.tag} cannot be added to the model store at {store.store_folder()}: {error}. "
            "The environment variable BENTOML_HOME sets its location."
        ) from None
    target.verify()
    return target


def promote(
    name: str,
    folder: Path,
    version: str,
    models_dir: Path,
    *,
    day: date,
    architecture: str | None = None,
    loader: str | None = None,
    document_types: Sequence[str] | None = None,
    scores: Mapping[str, Any] | None = None,
    forced: str | None = None,
) -> Version:
    """Promote a candidate that passes its gate: add it and the old version to the model store, and write the ledger.

    forced: a reason to skip the gate; it is recorded in the ledger. Raises GateFailedError, or RegistryError if the
    files of the candidate are invalid. After an exception the old version is still served.
    """
    if not _VERSION.fullmatch(version):
        raise RegistryError(f"{version!r} is not a valid version: use at most 40 of a-z, 0-9, dot, dash and underscore")
    coming = candidate_version(
        name,
        folder,
        version,
        day=day,
        architecture=architecture,
        loader=loader,
        document_types=document_types,
        scores=scores,
        forced=forced,
    )
    with _exclusive(models_dir / name):
        old = read_ledger(name, models_dir) if (models_dir / name / LEDGER_FILE).exists() else None
        _require_unused_version(coming, old)
        conditions = gate.load_gate(models_dir / name / gate.GATE_FILE)
        if forced is None:
            typefaces.check_typefaces(folder)
            _require_passed_gate(coming, old.promoted if old else None, conditions)
        if old and old.promoted.digest == coming.digest:  # new scores only: the date of the promotion stays
            coming = replace(coming, promoted=old.promoted.promoted)
        history = _history(old, coming) if old else ()
        return _publish(store_version(_with_published_scores(coming, conditions)), history, models_dir)


def rollback(
    name: str, models_dir: Path, *, day: date, version: str | None = None, reason: str | None = None
) -> Version:
    """Promote the previous version again, or the earlier `version`.

    Raises RegistryError if there is no such version or its files are damaged; then the current version stays.
    """
    with _exclusive(models_dir / name):
        old = read_ledger(name, models_dir)
        target = _rollback_target(old, version)
        restored = _stored_earlier(name, target, models_dir)
        left = EarlierVersion(old.promoted.version, old.promoted.digest, old.promoted.promoted, day, reason)
        history = (left, *(one for one in old.history if one.digest not in (target.digest, left.digest)))
        _store_outgoing(old.promoted)
        return _publish(store_version(restored), history, models_dir)


def restore(name: str, models_dir: Path) -> Version:
    """Restore the promoted files in models/<name>/weights, after a promotion that was interrupted in its last step."""
    with _exclusive(models_dir / name):
        ledger = read_ledger(name, models_dir)
        return _publish(store_version(ledger.promoted), ledger.history, models_dir)


def start_first_working(
    name: str, models_dir: Path, start: Callable[[Version], Started], chosen: str | None = None
) -> tuple[Version, Started]:
    """Start the promoted version; if that fails, the version that was served last, then earlier ones.

    If the version that was served last has been withdrawn, it comes after the earlier ones.

    chosen: the tag of the version to start instead of the promoted one, which then comes last.

    A service that reloads has no old process to fall back to, so it falls back to an older version here and logs it.
    Raises the exception of the first version that was tried if none can be started.
    """
    first_error: Exception | None = None
    for find_version in _fallbacks(name, models_dir, chosen):
        try:
            version = find_version()
            started = start(version)
        except Exception as error:  # of any kind: an old model that works is better than none
            first_error = first_error or error
            log.error("model cannot be started model=%s error=%s", name, error)
        else:
            if first_error is not None:
                log.error("earlier version started model=%s version=%s", name, version.version)
            return version, started
    assert first_error is not None
    raise first_error


def _fallbacks(name: str, models_dir: Path, chosen: str | None) -> Iterator[Callable[[], Version]]:
    promoted = partial(promoted_version, name, models_dir)
    yield promoted if chosen is None else partial(_chosen_version, chosen, models_dir)
    try:
        history = read_ledger(name, models_dir).history
    except RegistryError:
        history = ()
    withdrawn = {version_tag(name, one.version, one.digest) for one in history if one.withdrawn is not None}
    latest = store.latest_tag(name)
    if latest is not None and latest not in withdrawn:
        yield partial(stored_version, latest)
    for earlier in history:
        if earlier.withdrawn is None:
            yield partial(_stored_earlier, name, earlier, models_dir)
    if latest in withdrawn:
        yield partial(stored_version, latest)
    if chosen is not None:
        yield promoted


def _chosen_version(tag: str, models_dir: Path) -> Version:
    """Return a version that was promoted when it was chosen; another one may be promoted now."""
    promoted = promoted_version(tag.partition(":")[0], models_dir)
    return promoted if promoted.tag == tag else stored_version(tag)


def record_served_version(version: Version) -> None:
    """Record that a version is served: its files are added to the model store, as a fallback for later versions.

    If the store cannot be written, this is logged and the version is still served.
    """
    try:
        store_version(version)
        if store.latest_tag(version.name) != version.tag:
            store.mark_latest(version.tag)
    except (RegistryError, OSError) as error:
        log.warning("version not stored model=%s error=%s", version.name, error)


def _require_unused_version(coming: Version, old: Ledger | None) -> None:
    known = [(old.promoted.version, old.promoted.digest)] if old else []
    known += [(one.version, one.digest) for one in old.history] if old else []
    for version, digest in known:
        if version == coming.version and digest != coming.digest:
            raise RegistryError(
                f"{coming.name} {version} already exists with other files ({digest[:19]}); choose another version"
            )


def _require_passed_gate(coming: Version, served: Version | None, conditions: Gate) -> None:
    scores = coming.scores
    rival = served if served is not None and served.digest != coming.digest and conditions.may_lose else None
    failed = gate.find_shortfalls(conditions, scores, rival.document_types if rival else None)
    scored_digest = scores.get("candidate", {}).get("digest")
    if scored_digest not in (None, coming.digest):
        failed.insert(0, Shortfall("candidate", f"is {scored_digest[:19]} in the scores, not {coming.digest[:19]}"))
    compared = scores.get("served", {})
    if rival and gate.COMPARISON in scores and compared.get("digest") != rival.digest:
        reason = f"was {compared.get('version')} in the evaluation, and is {rival.version} now: evaluate again"
        failed.insert(0, Shortfall("served", reason))
    failed[:0] = _missing_files(coming, served)
    if failed:
        raise GateFailedError(coming.name, coming.version, failed)


def _missing_files(coming: Version, served: Version | None) -> list[Shortfall]:
    """Files that the served version has and the candidate lacks, if both are of the architecture that is trained here.

    A training that was interrupted leaves a network without confidences and without its readers, which can be loaded.
    Folders are not compared: document types may be left out.
    """
    if served is None or not coming.loader == served.loader == LOADERS[coming.name]:
        return []
    reason = "is missing, and the served version has it: finish the training, which adds it"
    return [Shortfall(file, reason) for file in served.files if "/" not in file and file not in coming.files]


def _with_published_scores(coming: Version, conditions: Gate) -> Version:
    """Keep only the rows of a comparison that the gate uses; a comparison has hundreds of rows."""
    if gate.COMPARISON not in coming.scores:
        return coming
    rows = gate.compared_rows(conditions, coming.scores)
    return replace(coming, scores={**coming.scores, gate.COMPARISON: rows})


def _history(old: Ledger, new: Version) -> tuple[EarlierVersion, ...]:
    """Return the versions before `new`. An old version whose files are damaged is left out: it cannot be restored."""
    before = tuple(one for one in old.history if one.digest != new.digest)
    if old.promoted.digest == new.digest or not _store_outgoing(old.promoted):
        return before
    left = EarlierVersion(old.promoted.version, old.promoted.digest, old.promoted.promoted)
    return (left, *(one for one in before if one.digest != left.digest))


def _store_outgoing(outgoing: Version) -> bool:
    try:
        outgoing.verified()
    except RegistryError as error:
        log.warning("rollback will not be possible model=%s error=%s", outgoing.name, error)
        return False
    store_version(outgoing)
    return True


def _rollback_target(ledger: Ledger, version: str | None) -> EarlierVersion:
    name = ledger.promoted.name
    if version is None:
        target = next((one for one in ledger.history if one.withdrawn is None), None)
        if target is None:
            raise RegistryError(f"{name} {ledger.promoted.version} has no earlier version to roll back to")
        return target
    target = next((one for one in ledger.history if one.version == version), None)
    if target is None:
        known = ", ".join(one.version for one in ledger.history) or "none"
        raise RegistryError(f"{name} {version} was never served here; earlier versions: {known}")
    return target


def _stored_earlier(name: str, earlier: EarlierVersion, models_dir: Path) -> Version:
    """Return an earlier version after verifying its files. The model store must match the digest in the ledger."""
    version = stored_version(version_tag(name, earlier.version, earlier.digest))
    if version.digest != earlier.digest:
        raise RegistryError(f"{version.tag} in the model store does not match {models_dir / name / LEDGER_FILE}")
    version.verify()
    return version


def _publish(version: Version, history: Sequence[EarlierVersion], models_dir: Path) -> Version:
    """Write the ledger, which makes `version` the promoted one; its files must be in the model store.

    Afterwards models/<name>/weights is replaced, for git and for the Bento; serving does not need it before that.
    """
    folder = models_dir / version.name
    weights = folder / store.WEIGHTS_FOLDER
    new_weights, old_weights = (folder / f".{store.WEIGHTS_FOLDER}.{state}" for state in ("coming", "going"))
    for leftover in (new_weights, old_weights):
        shutil.rmtree(leftover, ignore_errors=True)
    entry = version_table(version)
    if history:
        entry |= {
            "history": [_history_entry(one) for one in history],
            "scores": entry.pop("scores"),
        }  # the history comes before the long scores
    replace_weights = not weights.is_dir() or file_digests(weights) != version.files
    if replace_weights:
        store.copy_weights(version.folder, new_weights)
    write_atomically(folder / LEDGER_FILE, _HEADING + format_toml(entry))
    if replace_weights:
        if weights.exists():
            weights.rename(old_weights)
        new_weights.rename(weights)
        sync(folder)
        shutil.rmtree(old_weights, ignore_errors=True)
    log.info("promoted model=%s version=%s", version.name, version.version)
    return replace(version, folder=weights)


def _history_entry(earlier: EarlierVersion) -> dict[str, Any]:
    return {key: value for key, value in asdict(earlier).items() if value is not None}


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Lock a model's folder: two promotions at once would lose entries of the history."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise RegistryError(f"{folder} is being changed by another promotion or rollback") from None
    finally:
        os.close(handle)

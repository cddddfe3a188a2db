"""models/<name>/promoted.toml: which version is served, which were before it, and how one takes another's place.

A change of version is one file replaced in one step, after the files it speaks of are whole in the model store:
stopped at any moment, it leaves the old version served or the new one.
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

from docextract.registry import gate, store, typefaces
from docextract.registry.gate import Gate, GateFailedError, Shortfall
from docextract.registry.version import (
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
WEIGHTS_FOLDER = "weights"
_HEADING = "# Written by `python -m docextract.registry`; read when the service starts.\n\n"
_VERSION = re.compile(r"[a-z0-9]([a-z0-9._-]{0,38}[a-z0-9])?")  # what the model store takes, with room for a digest

log = logging.getLogger("docextract.registry")
Started = TypeVar("Started")


@dataclass(frozen=True)
class EarlierVersion:
    """A version that was served before."""

    version: str
    digest: str
    promoted: date
    withdrawn: date | None = None  # the day it was rolled back from; a later rollback passes it over
    reason: str | None = None


@dataclass(frozen=True)
class Ledger:
    """The version that is to be served, and those that were, newest first."""

    promoted: Version
    history: tuple[EarlierVersion, ...] = ()


def promoted_version(name: str, models_dir: Path) -> Version:
    """The version that is to be served. Reads only the ledger."""
    return read_ledger(name, models_dir).promoted


def read_ledger(name: str, models_dir: Path) -> Ledger:
    """Raises RegistryError where there is no sound ledger."""
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
        raise RegistryError(f"{path}: history is not as it was written: {error}") from None
    return Ledger(parse_version(name, entry, path.parent / WEIGHTS_FOLDER, path), history)


def stored_version(tag: str) -> Version:
    """A version as the model store describes it. Raises RegistryError where it has none of that tag."""
    path = store.version_folder(tag) / store.DESCRIPTION_FILE
    try:
        return parse_version(tag.partition(":")[0], read_toml(path), store.weights_folder(tag), path)
    except OSError:
        raise RegistryError(f"{tag} is not in the model store: {path} cannot be read") from None


def store_version(version: Version) -> Version:
    """Put a version into the model store unless it is there whole; its place there.

    Raises RegistryError where its files are not whole, or the store cannot be written.
    """
    whole = version.verified()
    target = replace(version, folder=store.weights_folder(version.tag))
    description = _HEADING + format_toml(version_table(version))
    try:
        if whole.folder == target.folder:
            store.update_description(version.tag, description)
            return target
        store.add_version(version.tag, whole.folder, description)
    except OSError as error:
        raise RegistryError(
            f"{version.tag} cannot be put into the model store at {store.store_folder()}: {error}. "
            "BENTOML_HOME says where the store is."
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
    """Hold a candidate against its gate, keep it and the outgoing version in the model store, and write the ledger.

    forced: a reason; the gate is not asked, and the ledger says why. Raises GateFailed, or RegistryError where the
    candidate is not to be had whole. Whatever is raised, what was served stays.
    """
    if not _VERSION.fullmatch(version):
        raise RegistryError(f"{version!r} is no version: at most 40 of a-z, 0-9, dot, dash and underscore")
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
    with _only_one(models_dir / name):
        old = read_ledger(name, models_dir) if (models_dir / name / LEDGER_FILE).exists() else None
        _must_be_a_new_name(coming, old)
        wanted = gate.load_gate(models_dir / name / gate.GATE_FILE)
        if forced is None:
            typefaces.check_typefaces(folder)
            _must_pass(coming, old.promoted if old else None, wanted)
        if old and old.promoted.digest == coming.digest:  # scored again, not promoted again
            coming = replace(coming, promoted=old.promoted.promoted)
        history = _history(old, coming) if old else ()
        return _serve(store_version(_to_publish(coming, wanted)), history, models_dir)


def rollback(
    name: str, models_dir: Path, *, day: date, version: str | None = None, reason: str | None = None
) -> Version:
    """Serve again what was served before; version: not the last one, but this one.

    Raises RegistryError where there is none, or where its files are not whole: then what is served stays.
    """
    with _only_one(models_dir / name):
        old = read_ledger(name, models_dir)
        target = _target(old, version)
        found = _found(name, target, models_dir)
        left = EarlierVersion(old.promoted.version, old.promoted.digest, old.promoted.promoted, day, reason)
        history = (left, *(one for one in old.history if one.digest not in (target.digest, left.digest)))
        _keep_outgoing(old.promoted)
        return _serve(store_version(found), history, models_dir)


def restore(name: str, models_dir: Path) -> Version:
    """Bring models/<name>/weights up to the ledger, where a promotion was stopped in its last step."""
    with _only_one(models_dir / name):
        ledger = read_ledger(name, models_dir)
        return _serve(store_version(ledger.promoted), ledger.history, models_dir)


def start_first_working(name: str, models_dir: Path, start: Callable[[Version], Started]) -> tuple[Version, Started]:
    """Start the promoted version; where that fails, the one that was served last, then those before it.

    A running service that is told to reload has no old process to fall back to, so it falls back here, and says so
    in its log. Raises what was wrong with the promoted version where none starts.
    """
    trouble: Exception | None = None
    for choice in _choices(name, models_dir):
        try:
            version = choice()
            started = start(version)
        except Exception as error:  # whatever it is: an old model that works is better than none
            trouble = trouble or error
            log.error("not served model=%s trouble=%s", name, error)
        else:
            if trouble is not None:
                log.error("served in its place model=%s version=%s", name, version.version)
            return version, started
    assert trouble is not None
    raise trouble


def _choices(name: str, models_dir: Path) -> Iterator[Callable[[], Version]]:
    yield partial(promoted_version, name, models_dir)
    if (latest := store.latest_tag(name)) is not None:
        yield partial(stored_version, latest)
    try:
        history = read_ledger(name, models_dir).history
    except RegistryError:
        return
    for earlier in history:
        if earlier.withdrawn is None:
            yield partial(_found, name, earlier, models_dir)


def record_served_version(version: Version) -> None:
    """Note that a version is being served: its files go into the model store, as what can be fallen back to.

    A store that cannot be written is no reason not to serve.
    """
    try:
        store_version(version)
        if store.latest_tag(version.name) != version.tag:
            store.mark_latest(version.tag)
    except (RegistryError, OSError) as error:
        log.warning("not kept for a rollback model=%s trouble=%s", version.name, error)


def _must_be_a_new_name(coming: Version, old: Ledger | None) -> None:
    known = [(old.promoted.version, old.promoted.digest)] if old else []
    known += [(one.version, one.digest) for one in old.history] if old else []
    for version, digest in known:
        if version == coming.version and digest != coming.digest:
            raise RegistryError(
                f"{coming.name} {version} is the name of other files already ({digest[:19]}); choose another"
            )


def _must_pass(coming: Version, served: Version | None, wanted: Gate) -> None:
    scores = coming.scores
    against = served is not None and served.digest != coming.digest and bool(wanted.may_lose)
    missed = gate.find_shortfalls(wanted, scores, served.document_types if against and served is not None else None)
    about = scores.get("candidate", {}).get("digest")
    if about not in (None, coming.digest):
        missed.insert(0, Shortfall("candidate", f"is {about[:19]} in the scores, not {coming.digest[:19]}"))
    compared = scores.get("served", {})
    if against and served is not None and gate.COMPARISON in scores and compared.get("digest") != served.digest:
        other = f"was {compared.get('version')} when it was judged, and is {served.version} now: judge it again"
        missed.insert(0, Shortfall("served", other))
    if missed:
        raise GateFailedError(coming.name, coming.version, missed)


def _to_publish(coming: Version, wanted: Gate) -> Version:
    """Of a comparison with hundreds of rows, the ledger takes those that the gate asked for."""
    if gate.COMPARISON not in coming.scores:
        return coming
    rows = gate.compared_rows(wanted, coming.scores)
    return replace(coming, scores={**coming.scores, gate.COMPARISON: rows})


def _history(old: Ledger, new: Version) -> tuple[EarlierVersion, ...]:
    """What was served before `new`. An outgoing version whose files are lost cannot be gone back to."""
    before = tuple(one for one in old.history if one.digest != new.digest)
    if old.promoted.digest == new.digest or not _keep_outgoing(old.promoted):
        return before
    left = EarlierVersion(old.promoted.version, old.promoted.digest, old.promoted.promoted)
    return (left, *(one for one in before if one.digest != left.digest))


def _keep_outgoing(outgoing: Version) -> bool:
    try:
        outgoing.verified()
    except RegistryError as error:
        log.warning("cannot be rolled back to model=%s trouble=%s", outgoing.name, error)
        return False
    store_version(outgoing)
    return True


def _target(ledger: Ledger, version: str | None) -> EarlierVersion:
    name = ledger.promoted.name
    if version is None:
        target = next((one for one in ledger.history if one.withdrawn is None), None)
        if target is None:
            raise RegistryError(f"{name} {ledger.promoted.version} replaced nothing that could be served again")
        return target
    target = next((one for one in ledger.history if one.version == version), None)
    if target is None:
        known = ", ".join(one.version for one in ledger.history) or "none"
        raise RegistryError(f"{name} {version} was never served here; served before were: {known}")
    return target


def _found(name: str, earlier: EarlierVersion, models_dir: Path) -> Version:
    """An earlier version, whole. The ledger's digest is believed, the model store's description only if it fits."""
    version = stored_version(version_tag(name, earlier.version, earlier.digest))
    if version.digest != earlier.digest:
        raise RegistryError(f"{version.tag} in the model store is not what {models_dir / name / LEDGER_FILE} speaks of")
    version.verify()
    return version


def _serve(version: Version, history: Sequence[EarlierVersion], models_dir: Path) -> Version:
    """Write the ledger; from then on `version`, which lies in the model store, is the one that is served.

    Last, models/<name>/weights follows, for git and for the Bento. Until then nobody needs it.
    """
    folder = models_dir / version.name
    weights = folder / WEIGHTS_FOLDER
    coming, going = (folder / f".{WEIGHTS_FOLDER}.{state}" for state in ("coming", "going"))
    for leftover in (coming, going):
        shutil.rmtree(leftover, ignore_errors=True)
    entry = version_table(version)
    if history:
        entry |= {"history": [_row(one) for one in history], "scores": entry.pop("scores")}  # before the long scores
    follows = not weights.is_dir() or file_digests(weights) != version.files
    if follows:
        store.copy_weights(version.folder, coming)
    store.write_atomically(folder / LEDGER_FILE, _HEADING + format_toml(entry))
    if follows:
        if weights.exists():
            weights.rename(going)
        coming.rename(weights)
        shutil.rmtree(going, ignore_errors=True)
    log.info("promoted model=%s version=%s", version.name, version.version)
    return replace(version, folder=weights)


def _row(earlier: EarlierVersion) -> dict[str, Any]:
    return {key: value for key, value in asdict(earlier).items() if value is not None}


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Two promotions of one model at once would lose one another's history."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise RegistryError(f"{folder} is being changed by another promotion or rollback") from None
    finally:
        os.close(handle)

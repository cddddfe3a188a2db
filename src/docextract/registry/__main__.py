"""The command line of the registry: python -m docextract.registry list|show|compare|promote|rollback|restore|..."""

import argparse
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

from docextract.registry import store, typefaces
from docextract.registry.gate import (
    COMPARISON,
    GATE_FILE,
    GateError,
    GateFailedError,
    Shortfall,
    load_gate,
    uncertain_losses,
)
from docextract.registry.ledger import (
    LEDGER_FILE,
    promote,
    promoted_version,
    read_ledger,
    restore,
    rollback,
    stored_version,
)
from docextract.registry.reloading import reload_services
from docextract.registry.version import (
    LOADERS,
    RegistryError,
    Version,
    file_digests,
    find_loader,
    format_toml,
    load_model,
    version_table,
    version_tag,
)
from docextract.settings import models_folder_of

_IMPORTING = "docextract.extraction.checkpoints.importing"  # by name, because this package does not import torch


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; exit with status 1 and a message if it fails."""
    logging.basicConfig(format="%(message)s")
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        options.models = options.models or models_folder_of(os.environ, Path())
        options.run(options)
    except (RegistryError, GateFailedError, GateError, OSError, TOMLDecodeError) as error:
        parser.exit(1, f"{error}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m docextract.registry",
        description="Show, promote and roll back the versions of the served models.",
        epilog="example: python -m docextract.registry promote extraction runs/extraction/weights --version 1.1.0 "
        "--scores runs/extraction/scores.json --reload",
    )
    parser.add_argument(
        "--models", type=Path, help="the folder of the registry (default: the one that the service would read here)"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("list", help="list the promoted, earlier and stored versions")
    command.set_defaults(run=_list)

    command = commands.add_parser("show", help="show one version and verify its files")
    command.add_argument("name")
    command.add_argument("version", nargs="?", help="default: the promoted version")
    command.set_defaults(run=_show)

    command = commands.add_parser("compare", help="compare the scores of two versions")
    command.add_argument("name")
    command.add_argument("one")
    command.add_argument("other", nargs="?", help="default: the promoted version")
    command.set_defaults(run=_compare)

    command = commands.add_parser("promote", help="promote a folder of weights if it passes the gate")
    command.add_argument("name", choices=sorted(LOADERS))
    command.add_argument("folder", type=Path)
    command.add_argument("--version", required=True)
    command.add_argument("--scores", type=Path, help="scores.json, written by `python -m training.evaluation.compare`")
    command.add_argument("--architecture", help="default: as in config.json")
    command.add_argument("--loader", help="module:Class; default: the loader of the architecture")
    command.add_argument("--document-types", nargs="*", help="default: as in config.json")
    command.add_argument("--force", metavar="REASON", help="skip the gate; the reason is recorded in the ledger")
    _add_reload(command)
    command.set_defaults(run=_promote)

    command = commands.add_parser("rollback", help="promote an earlier version again")
    command.add_argument("name", choices=sorted(LOADERS))
    command.add_argument("version", nargs="?", help="default: the previous version")
    command.add_argument("--reason", help="it is recorded in the ledger")
    _add_reload(command)
    command.set_defaults(run=_rollback)

    command = commands.add_parser("restore", help="restore the files of the promoted version in models/<name>/weights")
    command.add_argument("name", choices=sorted(LOADERS))
    command.set_defaults(run=_restore)

    command = commands.add_parser(
        "reload", help="load the promoted versions in the running service; no request is lost"
    )
    command.add_argument("--pid", type=int, help="process id of `bentoml serve`; default: it is searched")
    command.set_defaults(run=_reload)

    command = commands.add_parser("import-donut", help="create a candidate from a public Donut checkpoint")
    command.add_argument(
        "--task-prompt", required=True, help='the task prompt of the checkpoint, such as "<s_cord-v2>"'
    )
    _add_import(command)

    command = commands.add_parser(
        "import-layout", help="create a candidate from a public LayoutLMv3 or LiLT token classifier"
    )
    _add_import(command)
    return parser


def _add_import(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", type=Path, help="contains config.json, model.safetensors, tokenizer and preprocessor"
    )
    command.add_argument("--document-type", required=True, help="the document type of the checkpoint, such as receipt")
    command.add_argument(
        "--fields", help="mapping of its field names: a fields.toml file, or a built-in mapping: cord-v2, sroie"
    )
    command.add_argument("--out", type=Path, required=True, help="an empty folder for the candidate")
    command.set_defaults(run=_import)


def _add_reload(command: argparse.ArgumentParser) -> None:
    command.add_argument("--reload", action="store_true", help="also load it in the running service")
    command.add_argument("--pid", type=int, help="process id of `bentoml serve`; default: it is searched")


def _list(options: argparse.Namespace) -> None:
    ledgers = sorted(options.models.glob(f"*/{LEDGER_FILE}"))
    if not ledgers:
        raise RegistryError(f"{options.models} has no promoted models; name the folder of the registry with --models")
    for path in ledgers:
        name = path.parent.name
        ledger = read_ledger(name, options.models)
        served = ledger.promoted
        rows = {served.tag: ("promoted", served.promoted)}
        for one in ledger.history:
            state = "earlier" if one.withdrawn is None else "withdrawn"
            rows[version_tag(name, one.version, one.digest)] = (state, one.promoted)
        stored = [tag for tag in store.list_tags(name) if tag not in rows and _is_intact_in_store(tag)]
        rows |= {tag: ("stored", stored_version(tag).promoted) for tag in stored}
        for tag, (state, day) in rows.items():
            intact = (tag == served.tag and _is_intact(served)) or _is_intact_in_store(tag)
            missing = tag != served.tag and not store.version_folder(tag).exists()  # as on a fresh clone
            files = "intact" if intact else "not stored" if missing else "damaged"
            print(f"{tag:44}  {state:9}  {day}  {files}")


def _is_intact(version: Version) -> bool:
    try:
        version.verified()
    except RegistryError:
        return False
    return True


def _is_intact_in_store(tag: str) -> bool:
    """Whether the model store has a version with intact files."""
    try:
        return _is_intact(stored_version(tag))
    except RegistryError:
        return False


def _restore(options: argparse.Namespace) -> None:
    print(f"{restore(options.name, options.models).tag} is restored")


def _show(options: argparse.Namespace) -> None:
    version = _version(options.name, options.version, options.models).verified()
    print(format_toml(version_table(version)), end="")
    weights = promoted_version(options.name, options.models).folder
    if version.folder != weights and file_digests(weights) != promoted_version(options.name, options.models).files:
        print(f"\n# {weights} has other files; `restore {options.name}` restores these.")


def _version(name: str, version: str | None, models_dir: Path) -> Version:
    """Return a version from the ledger or the model store. Raises RegistryError if there is none."""
    ledger = read_ledger(name, models_dir)
    if version in (None, ledger.promoted.version, ledger.promoted.tag.partition(":")[2]):
        return ledger.promoted
    earlier = [version_tag(name, one.version, one.digest) for one in ledger.history if one.version == version]
    others = [tag for tag in store.list_tags(name) if version in (tag.partition(":")[2], _version_in(tag))]
    if tags := [*earlier, *others]:
        return stored_version(tags[0])
    raise RegistryError(f"{name} {version} is neither in {models_dir / name / LEDGER_FILE} nor in the model store")


def _version_in(tag: str) -> str:
    """Return 1.0.0 for `extraction:1.0.0-7fafe259fdb6`."""
    return tag.partition(":")[2].rpartition("-")[0]


def _compare(options: argparse.Namespace) -> None:
    pair = [_version(options.name, version, options.models) for version in (options.one, options.other)]
    one, other = (dict(_flatten_scores(version.scores)) for version in pair)
    rows = [*one, *(row for row in other if row not in one)]
    width = max(map(len, rows), default=0)
    print(f"{'':{width}}  {pair[0].version:>10}  {pair[1].version:>10}  {'difference':>10}")
    for row in rows:
        difference = f"{other[row] - one[row]:+10.4f}" if row in one and row in other else f"{'':>10}"
        cells = (f"{side[row]:10.4f}" if row in side else f"{'–':>10}" for side in (one, other))
        print(f"{row:{width}}  {'  '.join(cells)}  {difference}")


def _flatten_scores(scores: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float]]:
    for key, value in scores.items():
        if not path and key == COMPARISON:
            continue  # a comparison with the version that was served at that time
        if isinstance(value, Mapping):
            yield from _flatten_scores(value, f"{path}{key}.")
        elif isinstance(value, int | float):
            yield f"{path}{key}", value


def _promote(options: argparse.Namespace) -> None:
    _require_loadable(options.loader or find_loader(options.name, options.folder, options.architecture), options.folder)
    scores = _read_scores(options.scores) if options.scores else {}
    forced = options.force is not None
    possible_losses = [] if forced else _possible_losses(options.name, scores, options.models)
    entry = promote(
        options.name,
        options.folder,
        options.version,
        options.models,
        day=date.today(),
        architecture=options.architecture,
        loader=options.loader,
        document_types=options.document_types,
        scores=scores,
        forced=options.force,
    )
    print(f"{entry.tag} is promoted{'; its gate was skipped' if forced else ''}")
    if possible_losses:
        print("\n  ".join(["Losses that were not counted, because they may be chance:", *map(str, possible_losses)]))
    _reload_if_asked(options)


def _possible_losses(name: str, scores: Mapping[str, Any], models_dir: Path) -> list[Shortfall]:
    """Return the losses against the served version that the gate does not count; none without a served version."""
    if not (models_dir / name / LEDGER_FILE).exists():
        return []
    served_types = promoted_version(name, models_dir).document_types
    return uncertain_losses(load_gate(models_dir / name / GATE_FILE), scores, served_types)


def _read_scores(path: Path) -> dict[str, Any]:
    try:
        scores = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RegistryError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(scores, dict):
        raise RegistryError(f"{path} does not hold scores; `python -m training.evaluation.compare` writes them")
    return scores


def _require_loadable(loader: str, folder: Path) -> None:
    """Load the weights before the promotion, while the old version is still served."""
    try:
        load_model(loader, folder, "cpu")
    except Exception as error:
        raise RegistryError(f"{folder} cannot be loaded by {loader}: {type(error).__name__}: {error}") from None


def _import(options: argparse.Namespace) -> None:
    typefaces.check_typefaces(options.folder)  # here, because --out has no record of the run
    importing = import_module(_IMPORTING)
    try:
        if options.command == "import-donut":
            lines = importing.import_donut(
                options.folder, options.out, options.document_type, options.task_prompt, options.fields
            )
        else:
            lines = importing.import_layout(options.folder, options.out, options.document_type, options.fields)
    except Exception as error:  # a foreign checkpoint can fail in many ways
        raise RegistryError(f"{options.folder} cannot be imported: {error}") from None
    print("\n".join(lines))
    promotion = f"python -m docextract.registry promote extraction {options.out} --version V --scores SCORES"
    print(f"Evaluate it, then run: {promotion}")


def _rollback(options: argparse.Namespace) -> None:
    entry = rollback(options.name, options.models, day=date.today(), version=options.version, reason=options.reason)
    print(f"{entry.tag} is promoted again")
    _reload_if_asked(options)


def _reload_if_asked(options: argparse.Namespace) -> None:
    if options.reload:
        _reload(options)
    else:
        print("It is served after a restart of the service, or after `python -m docextract.registry reload`.")


def _reload(options: argparse.Namespace) -> None:
    pids = ", ".join(map(str, reload_services(options.models, options.pid)))
    print(f"Process {pids} has reloaded; its log and /v1/models show the served versions.")


if __name__ == "__main__":
    raise SystemExit(main())

"""The command line: python -m docextract.registry list|show|compare|promote|rollback|restore|reload|import-…."""

import argparse
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

from docextract.registry import store, typefaces
from docextract.registry.gate import COMPARISON, GateError, GateFailedError
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

_IMPORTING = "docextract.extraction.checkpoints.importing"  # by name, as the loaders are: no torch here


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; 1 and a message where it cannot be done."""
    logging.basicConfig(format="%(message)s")
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except (RegistryError, GateFailedError, GateError, OSError) as error:
        parser.exit(1, f"{error}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m docextract.registry",
        description="Which models are served, and which were.",
        epilog="example: python -m docextract.registry promote extraction runs/extraction/weights --version 1.1.0 "
        "--scores runs/extraction/scores.json --reload",
    )
    parser.add_argument("--models", type=Path, default=Path("models"), help="the ledger's folder (models)")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    verb = verbs.add_parser("list", help="every version that is served, was served, or is kept")
    verb.set_defaults(run=_list)

    verb = verbs.add_parser("show", help="all that is known about one, and whether its files are sound")
    verb.add_argument("name")
    verb.add_argument("version", nargs="?", help="the promoted one if not given")
    verb.set_defaults(run=_show)

    verb = verbs.add_parser("compare", help="the scores of two versions side by side")
    verb.add_argument("name")
    verb.add_argument("one")
    verb.add_argument("other", nargs="?", help="the promoted one if not given")
    verb.set_defaults(run=_compare)

    verb = verbs.add_parser("promote", help="serve these weights, if the gate lets them pass")
    verb.add_argument("name", choices=sorted(LOADERS))
    verb.add_argument("folder", type=Path)
    verb.add_argument("--version", required=True)
    verb.add_argument("--scores", type=Path, help="scores.json of `python -m training.evaluation.compare`")
    verb.add_argument("--architecture", help="what config.json says if not given")
    verb.add_argument("--loader", help="module:Class, where it is not the usual one of that architecture")
    verb.add_argument("--document-types", nargs="*", help="what config.json says if not given")
    verb.add_argument("--force", metavar="REASON", help="do not ask the gate; the reason goes into the ledger")
    _add_reload(verb)
    verb.set_defaults(run=_promote)

    verb = verbs.add_parser("rollback", help="serve again what was served before")
    verb.add_argument("name", choices=sorted(LOADERS))
    verb.add_argument("version", nargs="?", help="the one before if not given")
    verb.add_argument("--reason", help="goes into the ledger")
    _add_reload(verb)
    verb.set_defaults(run=_rollback)

    verb = verbs.add_parser("restore", help="put the promoted version's files back into models/<name>/weights")
    verb.add_argument("name", choices=sorted(LOADERS))
    verb.set_defaults(run=lambda given: print(f"{restore(given.name, given.models).tag} is whole"))

    verb = verbs.add_parser("reload", help="have the running service take on what is promoted; no request is lost")
    verb.add_argument("--pid", type=int, help="of `bentoml serve`; it is looked for if not given")
    verb.set_defaults(run=_reload)

    verb = verbs.add_parser("import-donut", help="make a candidate of a public Donut checkpoint")
    verb.add_argument("--task-prompt", required=True, help='what it is asked: "<s_cord-v2>", …')
    _add_import(verb)

    verb = verbs.add_parser("import-layout", help="make a candidate of a public LayoutLMv3 or LiLT token classifier")
    _add_import(verb)
    return parser


def _add_import(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("folder", type=Path, help="config.json, model.safetensors, tokenizer, preprocessor")
    verb.add_argument("--document-type", required=True, help="what it reads: receipt, …")
    verb.add_argument(
        "--fields", help="what its names mean here: a fields.toml, or one that comes along: cord-v2, sroie"
    )
    verb.add_argument("--out", type=Path, required=True, help="an empty folder for the candidate")
    verb.set_defaults(run=_import)


def _add_reload(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--reload", action="store_true", help="and have the running service take it on")
    verb.add_argument("--pid", type=int, help="of `bentoml serve`; it is looked for if not given")


def _list(given: argparse.Namespace) -> None:
    for path in sorted(given.models.glob(f"*/{LEDGER_FILE}")):
        name = path.parent.name
        ledger = read_ledger(name, given.models)
        served = ledger.promoted
        told = {served.tag: ("promoted", served.promoted)}
        for one in ledger.history:
            state = "earlier" if one.withdrawn is None else "withdrawn"
            told[version_tag(name, one.version, one.digest)] = (state, one.promoted)
        told |= {tag: ("kept", stored_version(tag).promoted) for tag in store.list_tags(name) if tag not in told and _is_whole(tag)}
        for tag, (state, day) in told.items():
            where = "whole" if (tag == served.tag and _is_sound(served)) or _is_whole(tag) else "not whole"
            print(f"{tag:44}  {state:9}  {day}  {where}")


def _is_sound(version: Version) -> bool:
    try:
        version.verified()
    except RegistryError:
        return False
    return True


def _is_whole(tag: str) -> bool:
    """Whether the model store has it, and has it whole."""
    try:
        return _is_sound(stored_version(tag))
    except RegistryError:
        return False


def _show(given: argparse.Namespace) -> None:
    version = _version(given.name, given.version, given.models).verified()
    print(format_toml(version_table(version)), end="")
    weights = promoted_version(given.name, given.models).folder
    if version.folder != weights and file_digests(weights) != promoted_version(given.name, given.models).files:
        print(f"\n# {weights} does not hold these files; `restore {given.name}` puts them back.")


def _version(name: str, version: str | None, models_dir: Path) -> Version:
    """One that the ledger names, or that lies in the model store."""
    ledger = read_ledger(name, models_dir)
    if version in (None, ledger.promoted.version, ledger.promoted.tag.partition(":")[2]):
        return ledger.promoted
    earlier = [version_tag(name, one.version, one.digest) for one in ledger.history if one.version == version]
    others = [tag for tag in store.list_tags(name) if version in (tag.partition(":")[2], _version_in(tag))]
    if tags := [*earlier, *others]:
        return stored_version(tags[0])
    raise RegistryError(f"there is no {name} {version}, neither in {models_dir / name / LEDGER_FILE} nor in the model store")


def _version_in(tag: str) -> str:
    """`extraction:1.0.0-7fafe259fdb6` → 1.0.0."""
    return tag.partition(":")[2].rpartition("-")[0]


def _compare(given: argparse.Namespace) -> None:
    pair = [_version(given.name, version, given.models) for version in (given.one, given.other)]
    one, other = (dict(_figures(version.scores)) for version in pair)
    rows = [*one, *(row for row in other if row not in one)]
    width = max(map(len, rows), default=0)
    print(f"{'':{width}}  {pair[0].version:>10}  {pair[1].version:>10}  {'difference':>10}")
    for row in rows:
        difference = f"{other[row] - one[row]:+10.4f}" if row in one and row in other else f"{'':>10}"
        cells = (f"{side[row]:10.4f}" if row in side else f"{'–':>10}" for side in (one, other))
        print(f"{row:{width}}  {'  '.join(cells)}  {difference}")


def _figures(scores: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float]]:
    for key, value in scores.items():
        if not path and key == COMPARISON:
            continue  # with what was served at the time
        if isinstance(value, Mapping):
            yield from _figures(value, f"{path}{key}.")
        elif isinstance(value, int | float):
            yield f"{path}{key}", value


def _promote(given: argparse.Namespace) -> None:
    _must_load(given.loader or find_loader(given.name, given.folder, given.architecture), given.folder)
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
        forced=given.force,
    )
    print(f"{entry.tag} is promoted")
    _reload_if_asked(given)


def _must_load(loader: str, folder: Path) -> None:
    """What the service could not load is found out here, while the old version is being served."""
    try:
        load_model(loader, folder, "cpu")
    except Exception as error:
        raise RegistryError(f"{folder} cannot be loaded by {loader}: {type(error).__name__}: {error}") from None


def _import(given: argparse.Namespace) -> None:
    typefaces.check_typefaces(given.folder)  # here, because --out has no note of the run
    importing = import_module(_IMPORTING)
    try:
        if given.verb == "import-donut":
            told = importing.import_donut(given.folder, given.out, given.document_type, given.task_prompt, given.fields)
        else:
            told = importing.import_layout(given.folder, given.out, given.document_type, given.fields)
    except Exception as error:  # of what others have written, anything may be wrong
        raise RegistryError(f"{given.folder} is not imported: {error}") from None
    print("\n".join(told))
    print(f"Judge it, then: python -m docextract.registry promote extraction {given.out} --version V --scores SCORES")


def _rollback(given: argparse.Namespace) -> None:
    entry = rollback(given.name, given.models, day=date.today(), version=given.version, reason=given.reason)
    print(f"{entry.tag} is promoted again")
    _reload_if_asked(given)


def _reload_if_asked(given: argparse.Namespace) -> None:
    if given.reload:
        _reload(given)
    else:
        print("It is served from the next start on, or from `python -m docextract.registry reload`.")


def _reload(given: argparse.Namespace) -> None:
    pids = ", ".join(map(str, reload_services(given.models, given.pid)))
    print(f"Process {pids} was told to reload; its log and /v1/models say what it serves.")


if __name__ == "__main__":
    raise SystemExit(main())

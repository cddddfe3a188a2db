"""Write a model's card, models/<name>/CARD.md, from its measured scores.

    python -m training.commands.card extraction

Scores, weaknesses, calibration, gate and attribution come from promoted.toml. models/<name>/NOTES.md has what is not
measured: how the model works, how it was trained, what was chosen or fitted on measured pages, what it cannot do. The
text before its first heading opens the card, the rest ends it.
"""

import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from docextract.registry import Version, gate, promoted_version
from training.command_line import add_models_option

ATTRIBUTIONS_FILE = Path(__file__).parent / "attributions.toml"
CARD_FILE, NOTES_FILE = "CARD.md", "NOTES.md"
MIN_COUNT = 10  # fewer items do not make a weakness
MAX_WEAKNESSES = 8
_NOT_SETS = ("document_types", "candidate", "served", "learned_from", gate.COMPARISON)
_COUNTS = ("pages", "n", "values", "photos", "defects", "absent", "extra")
_TABLES = {  # tables of a set; "fields" repeats the types
    "document_types": "By field",
    "criteria": "By criterion",
    "calibration": "Confidences",
    "fields_of_accepted": "By field, on photos that validation accepts",
}

Figures = Mapping[str, float]


def format_card(
    version: Version, conditions: gate.Gate, notes: str, attributions: Mapping[str, Mapping[str, str]]
) -> str:
    """The card as Markdown."""
    opening, _, rest = notes.partition("\n## ")
    parts = [
        f"# {version.name} {version.version}",
        "*Written by `python -m training.commands.card` from promoted.toml and NOTES.md; edit those files instead.*",
        opening.strip(),
        _identity(version),
        "## Scores",
        _circumstances(version.scores),
        *_sets(version.scores),
        "## Weaknesses",
        f"The lowest scores of all fields and criteria with at least {MIN_COUNT} items:\n\n"
        f"{_bullets(weaknesses(version.scores))}",
        "## Gate",
        _gate(version, conditions),
        "## Data",
        _data(version.scores, attributions),
        f"## {rest.strip()}" if rest else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _identity(version: Version) -> str:
    lines = [
        f"Promoted on {version.promoted}; architecture `{version.architecture}`; files `{version.digest[:19]}`; "
        f"document types: {', '.join(f'`{kind}`' for kind in version.document_types) or 'not stated'}."
    ]
    if version.forced:
        lines.append(f"**It was promoted without passing the gate: {version.forced}**")
    return "\n\n".join(lines)


def _circumstances(scores: Mapping[str, Any]) -> str:
    parts = [str(scores[key]) for key in ("date", "machine") if key in scores]
    if "commit" in scores:
        parts.insert(1, f"commit {scores['commit']}")
    return (f"{', '.join(parts)}. " if parts else "") + "Shares are of the counted items (`n`, `pages`, `values`)."


def _sets(scores: Mapping[str, Any]) -> Iterator[str]:
    for name, found in scores.items():
        if name in _NOT_SETS or not isinstance(found, Mapping):
            continue
        yield f"### {name}"
        if alone := list(_rows_alone(found, ())):
            yield _bullets([_line(path, row) for path, row in alone])
        for key, title in _TABLES.items():
            for path, rows in _tables(found.get(key, {}), ()):
                yield f"**{title}{_of(path)}**"
                yield _table(rows)
        tags = {tag: rows["all"] for tag, rows in found.get("tags", {}).items() if "all" in rows}
        if tags:
            yield "**All fields, by tag**"
            yield _table(tags)
    if compared := scores.get(gate.COMPARISON):
        yield f"### Against {scores.get('served', {}).get('version', 'the version before')}"
        yield "On the same pages in one run; low and high: the gain's 95 % interval, by paired bootstrap over groups."
        yield _table(compared)


def _of(path: tuple[str, ...]) -> str:
    return f": {' '.join(path)}" if path else ""


def _tables(found: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Figures]]]:
    """Every table of rows of figures in a nested mapping, with its path."""
    if not isinstance(found, Mapping):
        return
    rows = {key: value for key, value in found.items() if isinstance(value, Mapping) and _is_row(value)}
    if rows:
        yield path, rows
    for key, value in found.items():
        if key not in rows:
            yield from _tables(value, (*path, key))


def _is_row(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(figure, int | float) for figure in value.values())


def _rows_alone(found: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Figures]]:
    """Figures that are in none of the tables, with their path."""
    if row := {key: value for key, value in found.items() if isinstance(value, int | float)}:
        yield path, row
    for key, value in found.items():
        if isinstance(value, Mapping) and (path or key not in (*_TABLES, "fields", "tags")):
            yield from _rows_alone(value, (*path, key))


def _line(path: tuple[str, ...], row: Figures) -> str:
    parts = ", ".join(f"{key} {_figure(key, value)}" for key, value in row.items())
    return f"`{' '.join(path)}`: {parts}" if path else parts


def _table(rows: Mapping[str, Figures]) -> str:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [["", *columns], ["---"] * (len(columns) + 1)]
    lines += [[f"`{name}`", *(_figure(column, row.get(column)) for column in columns)] for name, row in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _figure(column: str, value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if column in _COUNTS or isinstance(value, int) else f"{value:.3f}"


def weaknesses(scores: Mapping[str, Any]) -> list[str]:
    """The lowest rows, lowest first: fields and tags by their exact share, criteria by their AUROC.

    Each field, tag or criterion is listed once, for the set where it scores lowest.
    """
    worst: dict[tuple[tuple[str, ...], str], tuple[float, str]] = {}
    for name, one in scores.items():
        if name in _NOT_SETS or not isinstance(one, Mapping):
            continue
        for key, figure in (("document_types", "exact"), ("tags", "exact"), ("criteria", "auroc")):
            for path, rows in _tables(one.get(key, {}), ()):
                for field, row in rows.items():
                    if figure not in row or _counted(row) < MIN_COUNT or (field == "all") != (key == "tags"):
                        continue
                    row_text = (
                        row[figure],
                        f"{_words(name, path, field)}: {figure} {row[figure]:.3f} of {_counted(row)}",
                    )
                    worst[path, field] = min(row_text, worst.get((path, field), row_text))
    return [text for _, text in sorted(worst.values())[:MAX_WEAKNESSES]]


def _words(name: str, path: tuple[str, ...], field: str) -> str:
    return f"`{field}`{_of(path).replace(':', ' of')} on {name}"


def _counted(row: Figures) -> int:
    """The number of items behind a score; for a criterion, of the photos with the defect, because those are rare."""
    return int(row.get("defects", row.get("pages", row.get("n", 0))))


def _gate(version: Version, conditions: gate.Gate) -> str:
    rows = []
    for limits, word in ((conditions.floors, "at least"), (conditions.ceilings, "at most")):
        for row, limit in limits.items():
            found = gate.find_score(version.scores, row)
            rows.append(f"`{row}`: {'not measured' if found is None else f'{found:g}'}; {word} {limit:g}")
    lost = [
        f"`{row}`: may be up to {allowed:g} worse than the served model" for row, allowed in conditions.may_lose.items()
    ]
    return _bullets([*rows, *lost]) or "The model has no gate."


def _data(scores: Mapping[str, Any], attributions: Mapping[str, Mapping[str, str]]) -> str:
    names = scores.get("learned_from", [])
    if not names:
        return "The training data was not stated when the model was measured."
    lines = ["| data | owner | licence | use |", "| --- | --- | --- | --- |"]
    for name in names:
        one = attributions[name]
        title = f"[{one['title']}]({one['url']})" if "url" in one else one["title"]
        lines.append(f"| {title} | {one['owner']} | {one['licence']} | {one['use']} |")
    return "\n".join(lines)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)


def load_attributions(path: Path = ATTRIBUTIONS_FILE) -> dict[str, dict[str, str]]:
    """Attributions by name: title, owner, licence, use, and url if there is one."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(
        prog="python -m training.commands.card",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=("quality", "extraction"))
    add_models_option(parser)
    options = parser.parse_args(arguments)
    folder = options.models / options.name
    notes = folder / NOTES_FILE
    text = format_card(
        promoted_version(options.name, options.models),
        gate.load_gate(folder / gate.GATE_FILE),
        notes.read_text(encoding="utf-8") if notes.exists() else "",
        load_attributions(),
    )
    (folder / CARD_FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

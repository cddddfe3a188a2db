"""What a candidate must reach and may not lose: models/<name>/gate.toml, and scores held against it.

    optional = ["unseen_good"]                                 sets that not everyone has
    [floors]      "unseen_good.fields.total.exact" = 0.78      at least
    [ceilings]    "synthetic.fields.all.invented" = 0.05         at most
    [may_lose]    "*.document_types.*.all.exact" = 0.01        against the model that is served, in the scores' own unit

Rows are paths into scores.json, the first word a set of pages. What was not measured is missed, but for sets that are
optional. A loss counts when it is larger than allowed and the whole 95 % interval of the difference lies on the losing
side: on sixty pages one page more or less is chance, and no reason to refuse.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

GATE_FILE = "gate.toml"
_OF_TYPE = re.compile(r"\.document_types\.(?P<type>[^.]+)\.")
COMPARISON = "comparison"  # in scores.json: row → candidate, served, gain, low, high


class GateError(Exception):
    """The gate itself cannot be read."""


class GateFailedError(Exception):
    """A candidate is not good enough to be served. Names every row that it misses, and by how much."""

    def __init__(self, name: str, version: str, shortfalls: Sequence["Shortfall"]) -> None:
        self.shortfalls = tuple(shortfalls)
        rows = "\n".join(f"  {shortfall}" for shortfall in shortfalls)
        count = f"{len(shortfalls)} row" + ("s" if len(shortfalls) != 1 else "")
        super().__init__(f"{name} {version} is not good enough, by {count} of its gate:\n{rows}")


@dataclass(frozen=True)
class Shortfall:
    """One row that a candidate misses."""

    row: str
    reason: str

    def __str__(self) -> str:
        return f"{self.row} {self.reason}"


@dataclass(frozen=True)
class Gate:
    """Limits by row."""

    floors: Mapping[str, float] = field(default_factory=dict)
    ceilings: Mapping[str, float] = field(default_factory=dict)
    may_lose: Mapping[str, float] = field(default_factory=dict)  # a row's * stands for anything
    optional: Sequence[str] = ()

    def requires(self, row: str, scores: Mapping[str, Any]) -> bool:
        """Whether a row has to be there: not where its set is optional and was not measured."""
        name = row.partition(".")[0]
        return name not in self.optional or name in scores


def load_gate(path: Path) -> Gate:
    """A gate that is not there asks nothing. Raises GateError where it cannot be understood."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Gate()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GateError(f"{path} is not valid TOML: {error}") from None
    unknown = table.keys() - Gate.__dataclass_fields__.keys()
    if unknown:
        raise GateError(f"{path}: {min(unknown)} is not known; there are floors, ceilings, may_lose, optional")
    for kind, limits in table.items():
        for row, limit in limits.items() if isinstance(limits, dict) else ():
            if not isinstance(limit, int | float):
                raise GateError(f"{path}: [{kind}] {row} is no number: {limit!r}")
    return Gate(**table)


def find_shortfalls(gate: Gate, scores: Mapping[str, Any], served_types: Collection[str] | None = None) -> list[Shortfall]:
    """Every row that is missed, in the gate's order. served_types: also what is lost to the served model, which was
    taught these document types (none named: any); what it was never taught it cannot lose, not even that it invents
    nothing there.

    A row that was not measured is missed.
    """
    return [*_limits_missed(gate, scores), *(() if served_types is None else _losses(gate, scores, served_types))]


def _limits_missed(gate: Gate, scores: Mapping[str, Any]) -> Iterator[Shortfall]:
    for limits, sign, word in ((gate.floors, 1, "at least"), (gate.ceilings, -1, "at most")):
        for row, limit in limits.items():
            found = find_score(scores, row)
            if found is None and not gate.requires(row, scores):
                continue
            if found is None:
                yield Shortfall(row, f"was not measured; the gate asks {word} {limit:g}")
            elif sign * found < sign * limit:
                away = "short" if sign > 0 else "over"
                yield Shortfall(row, f"is {found:g}; the gate asks {word} {limit:g}: {abs(limit - found):.4g} {away}")


def _losses(gate: Gate, scores: Mapping[str, Any], served_types: Collection[str]) -> Iterator[Shortfall]:
    of_type = {row: _OF_TYPE.search(row) for row in scores.get(COMPARISON, {})}
    known = {row for row, match in of_type.items() if not match or not served_types or match["type"] in served_types}
    comparison = {row: figures for row, figures in scores.get(COMPARISON, {}).items() if row in known}
    for pattern, allowed in gate.may_lose.items():
        rows = [row for row in comparison if fnmatchcase(row, pattern)]
        if not rows and gate.requires(pattern, scores):
            yield Shortfall(pattern, f"was not compared with the served model's; it may lose {allowed:g}")
        for row in rows:
            compared = comparison[row]
            if compared["gain"] >= -allowed or compared["high"] >= 0:
                continue
            interval = f"95 % interval {-compared['high']:.4g} to {-compared['low']:.4g}"
            yield Shortfall(
                row,
                f"is {compared['candidate']:g} where the served model has {compared['served']:g}: "
                f"{-compared['gain']:.4g} lost ({interval}); it may lose {allowed:g}",
            )


def compared_rows(gate: Gate, scores: Mapping[str, Any]) -> dict[str, Any]:
    """Of a comparison with hundreds of rows, those that the gate asks for."""
    rows = scores.get(COMPARISON, {})
    return {row: rows[row] for row in rows if any(fnmatchcase(row, pattern) for pattern in gate.may_lose)}


def find_score(scores: Mapping[str, Any], row: str) -> float | None:
    """The figure at a path like "synthetic.fields.line_items.description.exact"; None where there is none.

    Names may hold dots themselves, as those of fields in rows do.
    """
    parts = row.split(".")
    for length in range(len(parts), 0, -1):
        found = scores.get(".".join(parts[:length]))
        if length == len(parts) and isinstance(found, int | float):
            return found
        if isinstance(found, Mapping) and (inner := find_score(found, ".".join(parts[length:]))) is not None:
            return inner
    return None

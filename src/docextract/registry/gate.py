"""The gate: conditions on the scores of a candidate, in models/<name>/gate.toml.

    optional = ["unseen_good"]                                 sets of pages that not everyone has
    [floors]      "unseen_good.fields.total.exact" = 0.78      minimum
    [ceilings]    "synthetic.fields.all.invented" = 0.05       maximum
    [may_lose]    "*.document_types.*.all.exact" = 0.01        loss against the served model, in the score's unit

Rows are paths into scores.json; their first word is a set of pages. A row that was not measured fails, except for
optional sets. So does a document type of the served model that is not in the comparison. A loss counts if it is larger
than allowed and the 95 % interval of the difference contains only losses: on sixty pages, one page more or less is
chance and no reason to refuse a candidate. With fewer than five groups of pages only large
differences are certain. On fewer than MIN_PAGES pages of a document type, in all sets together, any larger loss fails.
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
MIN_PAGES = 5  # of a document type; with fewer, a loss that may be chance closes the gate
PAGES_BY_TYPE = "pages_by_type"  # in each set of scores.json: number of pages by document type
COMPARISON = "comparison"  # in scores.json, by row: candidate, served, gain, low, high


class GateError(Exception):
    """The file of the gate is invalid."""


class GateFailedError(Exception):
    """A candidate does not pass its gate. The message has every row that failed, and by how much."""

    def __init__(self, name: str, version: str, shortfalls: Sequence["Shortfall"]) -> None:
        self.shortfalls = tuple(shortfalls)
        lines = "\n".join(f"  {shortfall}" for shortfall in shortfalls)
        count = f"{len(shortfalls)} row" + ("s" if len(shortfalls) != 1 else "")
        super().__init__(f"{name} {version} fails {count} of its gate:\n{lines}")


@dataclass(frozen=True)
class Shortfall:
    """One row of the gate that a candidate fails."""

    row: str
    reason: str

    def __str__(self) -> str:
        return f"{self.row} {self.reason}"


@dataclass(frozen=True)
class Gate:
    """The limits of a gate, by row."""

    floors: Mapping[str, float] = field(default_factory=dict)
    ceilings: Mapping[str, float] = field(default_factory=dict)
    may_lose: Mapping[str, float] = field(default_factory=dict)  # * in a row matches any text
    optional: Sequence[str] = ()

    def requires(self, row: str, scores: Mapping[str, Any]) -> bool:
        """Whether the scores must have a row: not if its set is optional and was not measured."""
        name = row.partition(".")[0]
        return name not in self.optional or name in scores


def load_gate(path: Path) -> Gate:
    """Read a gate; a missing file is a gate without conditions. Raises GateError for an invalid file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Gate()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GateError(f"{path} is not valid TOML: {error}") from None
    unknown = table.keys() - Gate.__dataclass_fields__.keys()
    if unknown:
        raise GateError(f"{path}: unknown key {min(unknown)}; possible keys are floors, ceilings, may_lose, optional")
    for kind, limits in table.items():
        for row, limit in limits.items() if isinstance(limits, dict) else ():
            if not isinstance(limit, int | float):
                raise GateError(f"{path}: [{kind}] {row} is not a number: {limit!r}")
    return Gate(**table)


def find_shortfalls(
    gate: Gate, scores: Mapping[str, Any], served_types: Collection[str] | None = None
) -> list[Shortfall]:
    """Return every row that fails, in the order of the gate; a row that was not measured fails.

    served_types: document types on which the served model was trained, to check losses against it; empty for any type,
    None to check no losses. A type on which the served model was not trained cannot be lost.
    """
    return [*_failed_limits(gate, scores), *(() if served_types is None else _losses(gate, scores, served_types))]


def _failed_limits(gate: Gate, scores: Mapping[str, Any]) -> Iterator[Shortfall]:
    for limits, sign, word in ((gate.floors, 1, "at least"), (gate.ceilings, -1, "at most")):
        for row, limit in limits.items():
            found = find_score(scores, row)
            if found is None and not gate.requires(row, scores):
                continue
            if found is None:
                yield Shortfall(row, f"was not measured; the gate requires {word} {limit:g}")
            elif not sign * found >= sign * limit:  # this also refuses NaN
                side = "too low" if sign > 0 else "too high"
                yield Shortfall(
                    row, f"is {found:g}; the gate requires {word} {limit:g}: {abs(limit - found):.4g} {side}"
                )


def uncertain_losses(gate: Gate, scores: Mapping[str, Any], served_types: Collection[str]) -> list[Shortfall]:
    """Return the losses that are larger than allowed, but do not count because they may be chance."""
    losses = _possible_losses(gate, scores, served_types)
    return [loss for loss in losses if _few_pages(scores, loss.row) is None]


def _losses_on_few_pages(gate: Gate, scores: Mapping[str, Any], served_types: Collection[str]) -> Iterator[Shortfall]:
    for loss in _possible_losses(gate, scores, served_types):
        if (pages := _few_pages(scores, loss.row)) is not None:
            reason = f"too few documents to tell: {pages} of this type were compared, at least {MIN_PAGES} are needed"
            yield Shortfall(loss.row, f"{loss.reason}; {reason}")


def _possible_losses(gate: Gate, scores: Mapping[str, Any], served_types: Collection[str]) -> list[Shortfall]:
    """Return the losses that are larger than allowed, but may be chance."""
    rows = _known_rows(scores, served_types)
    return [
        _loss(row, rows[row], allowed)
        for pattern, allowed in gate.may_lose.items()
        for row in rows
        if fnmatchcase(row, pattern) and rows[row]["gain"] < -allowed and rows[row]["high"] >= 0
    ]


def _few_pages(scores: Mapping[str, Any], row: str) -> int | None:
    """Return the number of pages of a row's document type in all sets; None if they are enough, or unknown."""
    if (match := _OF_TYPE.search(row)) is None:
        return None
    counts = [one[PAGES_BY_TYPE] for one in scores.values() if isinstance(one, Mapping) and PAGES_BY_TYPE in one]
    pages = sum(count.get(match["type"], 0) for count in counts)
    return pages if counts and pages < MIN_PAGES else None


def _known_rows(scores: Mapping[str, Any], served_types: Collection[str]) -> dict[str, Any]:
    """The comparison without types on which the served model was not trained."""
    of_type = {row: _OF_TYPE.search(row) for row in scores.get(COMPARISON, {})}
    known = {row for row, match in of_type.items() if not match or not served_types or match["type"] in served_types}
    return {row: figures for row, figures in scores.get(COMPARISON, {}).items() if row in known}


def _loss(row: str, compared: Mapping[str, float], allowed: float) -> Shortfall:
    interval = f"95 % interval {-compared['high']:.4g} to {-compared['low']:.4g}"
    return Shortfall(
        row,
        f"is {compared['candidate']:g}, and {compared['served']:g} with the served model: "
        f"a loss of {-compared['gain']:.4g} ({interval}); the allowed loss is {allowed:g}",
    )


def _losses(gate: Gate, scores: Mapping[str, Any], served_types: Collection[str]) -> Iterator[Shortfall]:
    comparison = _known_rows(scores, served_types)
    compared_types = {match["type"] for row in scores.get(COMPARISON, {}) if (match := _OF_TYPE.search(row))}
    if compared_types and any(_OF_TYPE.search(pattern) for pattern in gate.may_lose):
        for kind in (kind for kind in served_types if kind not in compared_types):
            reason = "was not compared with the served model; compare on pages of it"
            yield Shortfall(f"*.document_types.{kind}", reason)
    for pattern, allowed in gate.may_lose.items():
        rows = [row for row in comparison if fnmatchcase(row, pattern)]
        if not rows and gate.requires(pattern, scores):
            yield Shortfall(pattern, f"was not compared with the served model; the allowed loss is {allowed:g}")
        for row in rows:
            if comparison[row]["gain"] < -allowed and comparison[row]["high"] < 0:
                yield _loss(row, comparison[row], allowed)
    yield from _losses_on_few_pages(gate, scores, served_types)


def compared_rows(gate: Gate, scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of a comparison that the gate uses; a comparison has hundreds of rows."""
    rows = scores.get(COMPARISON, {})
    return {row: rows[row] for row in rows if any(fnmatchcase(row, pattern) for pattern in gate.may_lose)}


def find_score(scores: Mapping[str, Any], row: str) -> float | None:
    """Return the score at a path such as "synthetic.fields.line_items.description.exact"; None if there is none.

    Names may contain dots themselves, as those of fields in rows do.
    """
    parts = row.split(".")
    for length in range(len(parts), 0, -1):
        found = scores.get(".".join(parts[:length]))
        if length == len(parts) and isinstance(found, int | float):
            return found
        if isinstance(found, Mapping) and (inner := find_score(found, ".".join(parts[length:]))) is not None:
            return inner
    return None

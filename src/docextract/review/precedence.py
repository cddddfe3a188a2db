"""Which of several rows of labels.jsonl counts for one page: the same as in training, see training.datasets.page."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

CORRECTED = "corrected"  # the tag of rows that training.commands.corrections writes
LabelRow = Mapping[str, Any]


def merge_rows(rows: Sequence[LabelRow]) -> LabelRow:
    """Return the row that counts, of at least one in the order of the file: the last correction, or the first row.

    A correction is completed from earlier ones and from the label that would count without corrections.
    """
    corrections = [row for row in rows if CORRECTED in _tags(row)]
    others = [row for row in rows if CORRECTED not in _tags(row)]
    return reduce(_completed, [*reversed(corrections), *others[:1]])


def _completed(correction: LabelRow, older: LabelRow) -> LabelRow:
    """A correction with what an older row says besides, except places and alternatives of values that it corrects."""
    fields = _members(older, "fields") if older.get("type") == correction.get("type") else {}
    corrected = _members(correction, "fields")
    same = {name for name, value in fields.items() if corrected.get(name, value) == value}
    merged = {**older, **{name: value for name, value in correction.items() if value is not None}}
    merged["fields"] = {**fields, **corrected}
    merged["tags"] = list(dict.fromkeys((*_tags(correction), *_tags(older))))
    for name in {"places", "also"} & merged.keys():
        kept = {path: one for path, one in _members(older, name).items() if path.partition(".")[0] in same}
        merged[name] = {**kept, **_members(correction, name)}
    return merged


def _members(row: LabelRow, name: str) -> Mapping[str, Any]:
    value = row.get(name)
    return value if isinstance(value, Mapping) else {}


def _tags(row: LabelRow) -> list[str]:
    tags = row.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []

"""What all labelled data becomes, whatever form it came in."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from docextract.documents.values import Conventions, FieldKind

Outline = tuple[tuple[float, float], ...]  # points relative to the upright image, 0..1
HELD_OUT_ONE_IN = 5
CONVENTIONS = Conventions("YMD")  # of labels: ISO 8601, plain decimals


@dataclass(frozen=True)
class LabelledPage:
    """One image and what is known to stand on it.

    fields: a name that is missing is not known; None says that the field is not on the page.
    places: where single fields are printed, for those whose place is known; one outline for each printed part.
    also: other labels of single fields that are as right: a name with or without its second line.
    """

    image: Path
    type: str
    fields: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    currency: str | None = None
    key: str = field(default="", compare=False)  # short name for reports and caches
    places: Mapping[str, tuple[Outline, ...]] = field(default_factory=dict)
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    file: Path | None = field(default=None, compare=False)  # where it is labelled,
    row: int = field(default=0, compare=False)  # and in which row of it, from 1

    @property
    def source(self) -> str:
        """As compilers say it: labels.jsonl:7."""
        return _source(self.file, self.row)


def is_held_out(page: LabelledPage) -> bool:
    """Whether training never sees this page: one in five is kept to judge by.

    By the picture's name alone: a page stays on its side when others are added.
    """
    return zlib.crc32(page.image.stem.encode()) % HELD_OUT_ONE_IN == 0


def value_of(kind: FieldKind, label: str | None) -> Any:
    """What a label says, typed; None where the field is not on the page."""
    return None if label is None else kind.parse(label, CONVENTIONS)


class UnusableDataError(Exception):
    """Labelled data that cannot be worked with as a whole; the message says what to do."""


@dataclass(frozen=True)
class Unusable:
    """A row that cannot be used, and why: nothing is skipped silently."""

    row: int  # from 1; a line, or an export's task
    reason: str
    file: Path | None = None

    @property
    def source(self) -> str:
        """As compilers say it: labels.jsonl:7."""
        return _source(self.file, self.row)


class LabelledPages(NamedTuple):
    """What a data set holds, each row in one of the two."""

    pages: list[LabelledPage]
    unusable: list[Unusable]


def _source(file: Path | None, row: int) -> str:
    return f"{file.name if file else 'row'}:{row}"

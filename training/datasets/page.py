"""The common form of all labelled data: LabelledPage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from docextract.documents.values import LABEL_CONVENTIONS, FieldKind
from docextract.images.uploads import PageSelection
from docextract.review.precedence import CORRECTED

Outline = tuple[tuple[float, float], ...]  # points relative to the upright image, 0..1, or a little outside


@dataclass(frozen=True)
class LabelledPage:
    """One page of a file and what is known about its content.

    page: its number in a file with several pages, from 1; None in a file with one.
    fields: a missing name is unknown; None means that the field is not on the page.
    places: where values are printed, if known; one outline for each printed part. Of a row: "line_items.0.amount".
    alternatives: further labels of single fields that are as right, such as a name with or without its second line.
    correction: SHA-256 of the correction from which the row was written; "" for any other row.
    """

    image: Path
    type: str
    fields: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    currency: str | None = None
    key: str = field(default="", compare=False)  # short name for reports and caches
    places: Mapping[str, tuple[Outline, ...]] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    page: int | None = None
    group: str = ""  # pages that look alike, such as photos of one original; see parts.py
    correction: str = field(default="", compare=False)
    file: Path | None = field(default=None, compare=False)  # the file with its label
    row: int = field(default=0, compare=False)  # row in that file, from 1

    @property
    def selection(self) -> PageSelection | None:
        """The page to decode; None for all of a file that has one page."""
        return None if self.page is None else PageSelection(((self.page, self.page),))

    @property
    def source(self) -> str:
        """File and row as compilers write it: labels.jsonl:7."""
        return _source(self.file, self.row)

    @property
    def is_corrected(self) -> bool:
        """Whether a person has corrected or confirmed what the service read."""
        return CORRECTED in self.tags

    def source_for(self, other: "LabelledPage") -> str:
        """File and row in a message about another row: with the folder if that is in another file."""
        return self.source if self.file == other.file else f"{self.file}:{self.row}"


def in_order_of_precedence(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Rows in the order in which they count: the last correction, earlier ones, then all others from the first."""
    corrections = [page for page in pages if page.is_corrected]
    return [*reversed(corrections), *(page for page in pages if not page.is_corrected)]


def counting_row(rows: Sequence[LabelledPage]) -> LabelledPage:
    """The row that counts, of rows for one page in the order of precedence.

    A correction is completed from earlier ones and from the label that would count without corrections.
    docextract.review.precedence does the same with rows as they are in the file.
    """
    corrections = [row for row in rows if row.is_corrected]
    return reduce(_completed, [*corrections, *rows[len(corrections) :][:1]])


def _completed(correction: LabelledPage, older: LabelledPage) -> LabelledPage:
    """A correction with what an older row for the same page says besides.

    It keeps the picture of the older row, whose name may be its group: the page stays in its part of the data.
    Outlines and alternatives of a value stay unless the value is corrected; nothing is kept of another type's fields.
    """
    fields = older.fields if older.type == correction.type else {}
    same = {name for name, value in fields.items() if correction.fields.get(name, value) == value}
    places = {name: outlines for name, outlines in older.places.items() if name.partition(".")[0] in same}
    alternatives = {name: labels for name, labels in older.alternatives.items() if name in same}
    return replace(
        correction,
        image=older.image,
        page=older.page,
        key=older.key,
        fields={**fields, **correction.fields},
        tags=tuple(dict.fromkeys((*correction.tags, *older.tags))),
        currency=correction.currency or older.currency,
        places={**places, **correction.places},
        alternatives={**alternatives, **correction.alternatives},
        group=correction.group or older.group,
    )


def value_of(kind: FieldKind, label: str | None) -> Any:
    """The typed value of a label; None if the field is not on the page."""
    return None if label is None else kind.parse(label, LABEL_CONVENTIONS)


class UnusableDataError(Exception):
    """Labelled data as a whole cannot be used; the message says what to do."""


@dataclass(frozen=True)
class Unusable:
    """A row that cannot be used, with the reason: nothing is skipped silently."""

    row: int  # from 1: a line, or a task of an export
    reason: str
    file: Path | None = None

    @property
    def source(self) -> str:
        """File and row as compilers write it: labels.jsonl:7."""
        return _source(self.file, self.row)


class LabelledPages(NamedTuple):
    """The content of a data set; each row is in one of the two lists."""

    pages: list[LabelledPage]
    unusable: list[Unusable]


def _source(file: Path | None, row: int) -> str:
    return f"{file.name if file else 'row'}:{row}"

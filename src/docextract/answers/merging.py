"""Pages of one document → what they say together.

Pages of an invoice, sides of a card: each field has one value, lists follow each other in the order of the pages. On
identity documents the printed fields of any side are held against the machine-readable zone of any side.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.answers.sources import ValueSource, recommend, zone_value
from docextract.documents import document_types
from docextract.documents.base import MRZ, Check, DocumentType, Record
from docextract.documents.values import Conventions
from docextract.images.geometry import Page
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone


@dataclass(frozen=True)
class ExtractedPage:
    """One page as it was read: what was found, and the way back to the photo."""

    image: int
    page: Page  # what the reader saw
    to_photo: NDArray[np.float64]  # [3, 3], px of that page → relative to the upright photo, 0..1
    found: PagePrediction


@dataclass(frozen=True)
class LocatedValue:
    """A value, and the page on which it stands. `sources`: where there are two, both."""

    value: PredictedValue
    page: ExtractedPage
    sources: Mapping[ValueSource, "LocatedValue"] = field(default_factory=dict)
    agree: bool = True  # the sources, where there are two


@dataclass(frozen=True)
class LocatedZone:
    """A machine-readable zone, and the page on which it stands."""

    zone: PredictedZone
    page: ExtractedPage


MergedRow = dict[str, LocatedValue]


@dataclass(frozen=True)
class MergedDocument:
    """What all pages of one document say together."""

    fields: Mapping[str, LocatedValue]
    groups: Mapping[str, Sequence[MergedRow]]
    conventions: Conventions
    zone: LocatedZone | None = None

    def confidences(self) -> Iterator[float]:
        """Of all values, those in rows too."""
        yield from (located.value.confidence for located in self.fields.values())
        yield from (
            located.value.confidence for rows in self.groups.values() for row in rows for located in row.values()
        )
        if self.zone is not None:
            yield self.zone.zone.confidence


def common_type(found: Sequence[PagePrediction]) -> str:
    """The type of a document with these pages, at least one: what most of them are, weighed by how sure that is.

    Types that can be read go before others: a blank reverse takes nothing from the front.
    """
    weights: dict[str, float] = {}
    for one in found:
        weights[one.type] = weights.get(one.type, 0.0) + one.type_confidence
    return max(weights, key=lambda name: (name in document_types(), weights[name]))


def merge_pages(pages: Sequence[ExtractedPage], kind: DocumentType) -> MergedDocument:
    """The values of a document of this type. Pages of another type have none, but may bear its zone."""
    of_kind = [page for page in pages if page.found.type == kind.name]
    known = {leaf.name for leaf in kind.fields()}
    zone = _zone(pages) if MRZ in kind.record.non_fields else None
    printed = {
        name: _surest([LocatedValue(page.found.fields[name], page) for page in of_kind if name in page.found.fields])
        for name in sorted(known & {name for page in of_kind for name in page.found.fields})
    }
    fields = _with_zone(printed, zone, known) if zone else printed
    currency = next((page.found.conventions.currency for page in of_kind if page.found.conventions.currency), None)
    conventions = of_kind[0].found.conventions if of_kind else Conventions()
    return MergedDocument(fields, _rows(of_kind, known), replace(conventions, currency=currency), zone)


def build_record(kind: DocumentType, merged: MergedDocument) -> Record:
    """The values as the type's record, for its checks."""
    values: dict[str, Any] = {name: located.value.value for name, located in merged.fields.items()}
    for group, rows in merged.groups.items():
        values[group] = tuple({leaf: located.value.value for leaf, located in row.items()} for row in rows)
    if merged.zone is not None:
        values[MRZ] = merged.zone.zone.lines
    return kind.record(currency=merged.conventions.currency, **values)


def zone_checks(merged: MergedDocument) -> Iterator[Check]:
    """Whether the zone's check digits agree, and whether it says what is printed; what differs is named."""
    if merged.zone is None:
        return
    zone = merged.zone.zone
    wrong = tuple(name for name, agrees in zone.checks.items() if not agrees and name in merged.fields)
    yield Check("mrz_check_digits", zone.valid, (MRZ, *wrong))
    compared = {name: located.agree for name, located in merged.fields.items() if located.sources}
    if compared:
        differing = tuple(name for name, agree in compared.items() if not agree)
        yield Check("mrz_matches_printed", not differing, differing or tuple(compared))


def _zone(pages: Sequence[ExtractedPage]) -> LocatedZone | None:
    """The first that is valid, else the first."""
    zones = [LocatedZone(page.found.zone, page) for page in pages if page.found.zone is not None]
    return max(zones, key=lambda located: located.zone.valid, default=None)


def _surest(places: Sequence[LocatedValue]) -> LocatedValue:
    """The value that its pages together speak for most; of the places where it stands, the surest, the first of equals.

    An amount carried over stands on one page; the invoice's number on all.
    """
    doubts: dict[Any, float] = {}
    for place in places:
        key = _same(place.value.value)
        doubts[key] = doubts.get(key, 0.0) + math.log(max(1 - place.value.confidence, 1e-6))
    best = min(doubts, key=lambda key: doubts[key])
    return max((p for p in places if _same(p.value.value) == best), key=lambda place: place.value.confidence)


def _same(value: Any) -> Any:
    return " ".join(value.upper().split()) if isinstance(value, str) else value


def _rows(pages: Sequence[ExtractedPage], known: set[str]) -> dict[str, list[MergedRow]]:
    """The rows of each list, page by page."""
    groups: dict[str, list[MergedRow]] = {}
    for page in pages:
        for group, rows in page.found.groups.items():
            kept = [{leaf: LocatedValue(v, page) for leaf, v in row.items() if f"{group}.{leaf}" in known} for row in rows]
            groups.setdefault(group, []).extend(row for row in kept if row)
    return {name: rows for name, rows in groups.items() if rows}


def _with_zone(printed: Mapping[str, LocatedValue], located: LocatedZone, known: set[str]) -> dict[str, LocatedValue]:
    """Printed fields held against the zone's, and those that only the zone has."""
    fields = dict(printed)
    for name in sorted(known):
        own = printed.get(name)
        said = zone_value(located.zone, name, own.value if own else None)
        if said is None:
            continue
        of_zone = LocatedValue(said, located.page)
        fields[name] = _recommended(name, own, of_zone, located.zone) if own else of_zone
    return fields


def _recommended(name: str, printed: LocatedValue, of_zone: LocatedValue, zone: PredictedZone) -> LocatedValue:
    choice = recommend(name, printed.value, of_zone.value, zone)
    taken = of_zone if choice.source == "mrz" else printed
    return LocatedValue(
        replace(taken.value, confidence=choice.confidence),
        taken.page,
        {"mrz": of_zone, "printed": printed},
        choice.agree,
    )

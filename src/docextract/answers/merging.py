"""Merging of the pages or sides of one document.

Each field has one value, and the rows of a list are joined in the order of the pages; those of one vehicle category are
united. On identity documents the printed fields of any side are compared with the machine-readable zone of any side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.answers.odds import confidence_of, log_odds
from docextract.answers.repeated_rows import PageRows, comparable, without_repeated_rows
from docextract.answers.sources import recommend, with_single_name_as_printed, zone_value
from docextract.documents import mrz
from docextract.documents.base import MRZ, SUM_PARTS, Check, DocumentType, Record, RowRule, total_adds_up
from docextract.documents.values import Conventions
from docextract.images.geometry import Page
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone
from docextract.sources import ValueSource

MIN_DOUBT = 1e-6  # of a value
CONTRADICTED_LOG_ODDS = -3.0  # nats; a guess: of 13 such values on 20 invoices of several pages 5 were wrong
CATEGORY = "vehicle_category_code"  # of driving licences
_VISA = "V"  # begins the document code of visas (ICAO Doc 9303 part 7)


@dataclass(frozen=True)
class ExtractedPage:
    """The prediction for one page, with the mapping from the page back to the photo."""

    image: int
    page: Page  # the rectified page that the model got, turned upright
    to_photo: NDArray[np.float64]  # [3, 3], from px of `page` to the upright photo, 0..1
    prediction: PagePrediction


@dataclass(frozen=True)
class LocatedValue:
    """A value with its page.

    page:    None for a value of an e-invoice that is printed on none.
    sources: both values of a field that is printed and also in the zone or the e-invoice, else empty.
    """

    value: PredictedValue
    page: ExtractedPage | None
    source: ValueSource = "printed"
    sources: Mapping[ValueSource, "LocatedValue"] = field(default_factory=dict)
    agree: bool = True  # whether both sources have the same value

    @property
    def is_data(self) -> bool:
        """Whether an e-invoice states the value and no print contradicts it."""
        return self.agree and "embedded_xml" in (self.source, *self.sources)


@dataclass(frozen=True)
class LocatedZone:
    """A machine-readable zone with its page."""

    zone: PredictedZone
    page: ExtractedPage


MergedRow = dict[str, LocatedValue]


@dataclass(frozen=True)
class MergedDocument:
    """The values of all pages of one document."""

    fields: Mapping[str, LocatedValue]
    groups: Mapping[str, Sequence[MergedRow]]
    conventions: Conventions
    zone: LocatedZone | None = None
    checks: tuple[Check, ...] = ()  # of the values' sources, in addition to those of the type

    @property
    def has_single_name(self) -> bool:
        """Whether the zone has only one name, which the print confirms as given name: see sources.py."""
        given = self.fields.get("given_name")
        in_zone = self.zone.zone.fields if self.zone is not None else {}
        return "family_name" in in_zone and "given_name" not in in_zone and given is not None and "mrz" in given.sources

    def confidences(self) -> Iterator[float]:
        """Yield the confidence of every value, in rows too."""
        yield from (located.value.confidence for located in self.fields.values())
        yield from (
            located.value.confidence for rows in self.groups.values() for row in rows for located in row.values()
        )
        if self.zone is not None:
            yield self.zone.zone.confidence


def merge_pages(pages: Sequence[ExtractedPage], kind: DocumentType) -> MergedDocument:
    """Merge the values of a document of this type. Pages of another type contribute only a zone."""
    of_kind = [page for page in pages if page.prediction.type == kind.name]
    known = {leaf.name for leaf in kind.fields()}
    zone = _zone(pages) if MRZ in kind.record.non_fields else None
    printed = {
        name: _most_confident(
            [LocatedValue(page.prediction.fields[name], page) for page in of_kind if name in page.prediction.fields]
        )
        for name in sorted(known & {name for page in of_kind for name in page.prediction.fields})
    }
    summed = _with_sum_of_page(printed, of_kind, kind)
    fields = _with_zone(summed, zone, known) if zone else summed
    conventions = max(
        (page.prediction.conventions for page in of_kind),
        key=lambda one: (one.currency is not None, one.currency_confidence),
        default=Conventions(),
    )
    groups = _rows(of_kind, [page.prediction.groups for page in of_kind], known)
    if len(of_kind) > 1:
        confirmed = _confirmed(MergedDocument(fields, groups, conventions), kind)
        predictions = [page.prediction for page in of_kind]
        groups = _rows(of_kind, without_repeated_rows(predictions, kind, _sums_of_goods(fields), confirmed), known)
    rows = _with_single_tax({name: _without_remarks(name, rows, fields, kind) for name, rows in groups.items()}, fields)
    merged = MergedDocument(fields, rows, conventions, zone, _zones_agree(pages, zone) if zone else ())
    return _with_doubted_sums(merged, kind) if len(of_kind) > 1 else merged


def _with_doubted_sums(merged: MergedDocument, kind: DocumentType) -> MergedDocument:
    """Return a document with less confidence in sums on different pages that contradict each other.

    The confidences of one page depend on its checks already. A check of a list may fail because a row was lost.
    """
    contradicted = {
        name
        for check in kind.check(build_record(kind, merged))
        if check.is_evidence
        and not check.passed
        and merged.fields.keys() >= {*check.fields}
        and _are_on_pages(check.fields, merged)
        for name in check.fields
    } - _confirmed(merged, kind)
    doubted = {
        name: replace(located, value=replace(located.value, confidence=_contradicted(located.value.confidence)))
        for name, located in merged.fields.items()
        if name in contradicted and isinstance(located.value.value, Decimal)
    }
    return replace(merged, fields={**merged.fields, **doubted})


def _confirmed(merged: MergedDocument, kind: DocumentType) -> set[str]:
    """Return the fields and lists that a check of values confirms."""
    checks = kind.check(build_record(kind, merged))
    return {name for check in checks if check.is_evidence and check.passed for name in check.fields}


def _are_on_pages(names: Sequence[str], merged: MergedDocument) -> bool:
    """Whether values are on different pages."""
    return len({place.page.image for name in names if (place := merged.fields[name]).page}) > 1


def _contradicted(confidence: float) -> float:
    return confidence_of(log_odds(confidence) + CONTRADICTED_LOG_ODDS)


def _with_single_tax(
    groups: dict[str, list[MergedRow]], fields: Mapping[str, LocatedValue]
) -> dict[str, list[MergedRow]]:
    """Give the only rate of a document its amount: the total tax, which is printed once."""
    taxes = groups.get("taxes", [])
    if len(taxes) != 1 or "amount" in taxes[0] or "total_tax" not in fields:
        return groups
    return {**groups, "taxes": [{**taxes[0], "amount": fields["total_tax"]}]}


def build_record(kind: DocumentType, merged: MergedDocument) -> Record:
    """Return the values as a record of the type, for its checks."""
    values: dict[str, Any] = {name: located.value.value for name, located in merged.fields.items()}
    for group, rows in merged.groups.items():
        values[group] = tuple({leaf: located.value.value for leaf, located in row.items()} for row in rows)
    if merged.zone is not None:
        values[MRZ] = merged.zone.zone.lines
    return kind.record(currency=merged.conventions.currency, **values)


def zone_checks(merged: MergedDocument) -> Iterator[Check]:
    """Yield the checks of the zone: its check digits, and its agreement with printed values.

    The fields of a failed check are those that are wrong or differ.
    """
    if merged.zone is None:
        return
    zone = merged.zone.zone
    wrong = tuple(name for name, valid in zone.checks.items() if not valid and name in merged.fields)
    yield Check("mrz_check_digits", zone.valid, (MRZ, *wrong))
    compared = {name: located.agree for name, located in merged.fields.items() if located.sources}
    if compared:
        differing = tuple(name for name, agree in compared.items() if not agree)
        yield Check("mrz_matches_printed", not differing, differing or tuple(compared))


def _zone(pages: Sequence[ExtractedPage]) -> LocatedZone | None:
    """Return the first valid zone, else the first one."""
    zones = [LocatedZone(page.prediction.zone, page) for page in pages if page.prediction.zone is not None]
    return max(zones, key=lambda located: located.zone.valid, default=None)


def _zones_agree(pages: Sequence[ExtractedPage], used: LocatedZone) -> tuple[Check, ...]:
    """Return the check that the other zones are of the same document as the one that is used; none without others.

    Only values whose check digits are right in both are compared: of another document, its number differs. Visas have
    zones of their own, and stand in the passport.
    """
    own = _checked_values(used.zone)
    compared: dict[str, bool] = {}
    for page in pages:
        other = page.prediction.zone
        if other is None or page is used.page or _is_visa(other) != _is_visa(used.zone):
            continue
        for name, value in _checked_values(other).items():
            if name in own:
                compared[name] = compared.get(name, True) and value == own[name]
    differing = tuple(name for name, agree in compared.items() if not agree)
    return (Check("zones_agree", not differing, differing or tuple(compared)),) if compared else ()


def _is_visa(zone: PredictedZone) -> bool:
    return zone.document_code.startswith(_VISA)


def _checked_values(zone: PredictedZone) -> dict[str, Any]:
    """Return the values of a zone that have a check digit of their own, and a right one."""
    return {name: one.value for name, one in zone.fields.items() if name in mrz.ZONE_FIELDS and zone.checks.get(name)}


def _most_confident(places: Sequence[LocatedValue]) -> LocatedValue:
    """Return the value with the largest combined confidence of its pages, from the page with the highest confidence.

    An amount carried over is on one page only, but the number of an invoice is on all pages. Where pages differ, the
    confidence is that of the value against the others and none: of the odds of each, only one can be true.
    """
    doubts: dict[Any, float] = {}
    for place in places:
        key = comparable(place.value.value)
        doubts[key] = max(doubts.get(key, 1.0) * (1 - place.value.confidence), MIN_DOUBT)
    best = min(doubts, key=lambda key: doubts[key])
    found = max((p for p in places if comparable(p.value.value) == best), key=lambda place: place.value.confidence)
    if len(doubts) == 1:
        return found
    own = _odds(max(1 - found.value.confidence, MIN_DOUBT))
    others = sum(_odds(doubt) for key, doubt in doubts.items() if key != best)
    return replace(found, value=replace(found.value, confidence=own / (1 + own + others)))


def _odds(doubt: float) -> float:
    return (1 - doubt) / doubt


def _with_sum_of_page(
    fields: Mapping[str, LocatedValue], pages: Sequence[ExtractedPage], kind: DocumentType
) -> Mapping[str, LocatedValue]:
    """Return the fields with subtotal and tax from the page where they make the total, if those of all pages do not."""
    printed = {name: located.value.value for name, located in fields.items()}
    if len(pages) < 2 or total_adds_up(kind, printed):
        return fields
    for page in pages:
        own = page.prediction.fields
        if _adds_up(own) and own["total"].value == fields["total"].value.value:
            return {**fields, **{name: LocatedValue(own[name], page) for name in SUM_PARTS}}
    return fields


def _sums_of_goods(fields: Mapping[str, LocatedValue]) -> frozenset[Decimal]:
    """Return what the amounts of the rows may add up to: with or without taxes."""
    found = {name: fields[name].value.value for name in ("subtotal", "total", "total_tax") if name in fields}
    money = {name: value for name, value in found.items() if isinstance(value, Decimal)}
    tax = money.pop("total_tax", Decimal(0))
    return frozenset((*money.values(), *(value - tax for value in money.values())))


def _adds_up(fields: Mapping[str, PredictedValue]) -> bool:
    if any(name not in fields for name in SUM_PARTS):
        return False
    subtotal, tax, total = (fields[name].value for name in SUM_PARTS)
    return bool(subtotal + tax == total)


def _rows(
    pages: Sequence[ExtractedPage], own_rows: Sequence[Mapping[str, PageRows]], known: set[str]
) -> dict[str, list[MergedRow]]:
    """Return the rows of each list, in the order of the pages. own_rows: of each page, by list."""
    groups: dict[str, list[MergedRow]] = {}
    for page, own in zip(pages, own_rows, strict=True):
        for group, rows in own.items():
            kept = [
                {leaf: LocatedValue(v, page) for leaf, v in row.items() if f"{group}.{leaf}" in known} for row in rows
            ]
            groups.setdefault(group, []).extend(row for row in kept if row)
    return {name: _with_united_categories(rows) for name, rows in groups.items() if rows}


def _with_united_categories(rows: Sequence[MergedRow]) -> list[MergedRow]:
    """Unite rows of one vehicle category on different pages: the front of a licence has no dates, the back has them.

    Rows with another value in common stay apart, and so do those of other lists: a log may repeat its rows.
    """
    united: list[MergedRow] = []
    for row in rows:
        same = next((at for at, other in enumerate(united) if _are_of_one_category(row, other)), None)
        if same is None:
            united.append(row)
        else:
            other = united[same]
            united[same] = {
                leaf: _most_confident([one[leaf] for one in (other, row) if leaf in one]) for leaf in {**other, **row}
            }
    return united


def _are_of_one_category(row: MergedRow, other: MergedRow) -> bool:
    """Whether two rows on different pages have a vehicle category in common, and differ in no value."""
    shared = row.keys() & other.keys()
    if CATEGORY not in shared or _images(row) & _images(other):
        return False
    return all(comparable(row[leaf].value.value) == comparable(other[leaf].value.value) for leaf in shared)


def _images(row: MergedRow) -> set[int]:
    return {located.page.image for located in row.values() if located.page is not None}


def _without_remarks(
    group: str, rows: list[MergedRow], fields: Mapping[str, LocatedValue], kind: DocumentType
) -> list[MergedRow]:
    """Drop what is no row of a list with amounts, such as remarks behind the total; a page alone may not show that.

    Lists in which no row has an amount are returned unchanged.
    """
    rule = RowRule.of(field for field in kind.fields() if field.group == group)
    if not any(rule.has_amount(row.keys()) and rule.makes_row(row.keys()) for row in rows):
        return rows
    end = _place(fields["total"]) if "total" in fields else None

    def is_behind_total(row: MergedRow) -> bool:
        places = [place for located in row.values() if (place := _place(located)) is not None]
        return end is not None and bool(places) and min(places) > end

    kept = [
        row for row in rows if rule.makes_row(row.keys()) and (rule.has_amount(row.keys()) or not is_behind_total(row))
    ]
    return kept[: _end_of_goods(kept, rule, fields)] if "tax_rate" in rule.numbers else kept


def _end_of_goods(rows: Sequence[MergedRow], rule: RowRule, fields: Mapping[str, LocatedValue]) -> int:
    """Return the number of rows in front of a table of taxes whose amounts, by rate, are those of all goods again.

    Its rows have a rate, but no quantity and no price, and add up to the sum on the document.
    """
    amount = rule.amount_of_row
    sums = {fields[name].value.value for name in ("subtotal", "total") if name in fields}
    for end in range(len(rows) - 1, 0, -1):
        if amount not in rows[end] or not rows[end].keys() & rule.numbers <= {amount, "tax_rate"}:
            break
        goods, taxes = (
            sum(row[amount].value.value for row in some if amount in row) for some in (rows[:end], rows[end:])
        )
        if goods == taxes and goods in sums:
            return end
    return len(rows)


def _place(located: LocatedValue) -> tuple[int, float] | None:
    """Return the image and the lowest y of a value, px of the page; None if it is printed on no page."""
    if located.page is None or not located.value.polygons:
        return None
    return located.page.image, max(float(polygon[:, 1].max()) for polygon in located.value.polygons)


def _with_zone(printed: Mapping[str, LocatedValue], located: LocatedZone, known: set[str]) -> dict[str, LocatedValue]:
    """Return the printed fields, compared with the zone, and the fields that only the zone has."""
    fields = dict(printed)
    zone = with_single_name_as_printed(located.zone, {name: own.value for name, own in printed.items()})
    for name in sorted(known):
        own = printed.get(name)
        value = zone_value(zone, name, own.value if own else None)
        if value is None:
            continue
        in_zone = LocatedValue(value, located.page, "mrz")
        fields[name] = _recommended(name, own, in_zone, zone) if own else in_zone
    return fields


def _recommended(name: str, printed: LocatedValue, in_zone: LocatedValue, zone: PredictedZone) -> LocatedValue:
    choice = recommend(name, printed.value, in_zone.value, zone)
    used = in_zone if choice.source == "mrz" else printed
    return LocatedValue(
        replace(used.value, confidence=choice.confidence),
        used.page,
        choice.source,
        {"mrz": in_zone, "printed": printed},
        choice.agree,
    )

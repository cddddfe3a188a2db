"""A document under review: its values as labels, where they are printed, and what a person has decided about each.

The text of a value is its label: ISO 8601 dates, plain decimals, countries as three letters, and text as printed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from docextract.answers.schema import DocumentAnswer, FieldAnswer, PointList
from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.documents.billing import ISSUER_FIELDS
from docextract.documents.values import LABEL_CONVENTIONS, Conventions, DateOrder, FieldKind, label_text
from docextract.predictions import OTHER_TYPE

MAX_TEXT = 2000  # characters of a value
MAX_LIST_ROWS = 500
_CURRENCY = "^[A-Z]{3}$"
# of a row of labels.jsonl, and the file that it is about; others are not in a sheet
_SHOWN_MEMBERS = ("type", "fields", "places", "currency", "file_sha256")

ValueState = Literal["printed", "absent", "unclear"]
Outlines = Annotated[list[PointList], Field(max_length=100)]
LabelRows = Mapping[int, Mapping[str, Any]]  # rows of labels.jsonl for one file, by the number of its page, from 1
_OUTLINES: TypeAdapter[list[PointList]] = TypeAdapter(Outlines)


class SheetValue(BaseModel):
    """One value.

    state:      `absent`: it is not on the document; `unclear`: the reviewer cannot tell, so it gets no label.
    text:       its label; "" if it is not printed.
    image:      index of the page on which it stands; None if its place is unknown.
    polygons:   of its printed parts, relative to the page, 0..1.
    confidence: of what was extracted; None for what a person has entered.
    """

    model_config = ConfigDict(extra="forbid")

    state: ValueState = "absent"
    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    image: int | None = None
    polygons: Outlines = []
    confidence: float | None = None
    doubtful: bool = False


Row = dict[str, SheetValue]


class Sheet(BaseModel):
    """All values of one document, by field; `rows` by list.

    currency:     ISO 4217, of all amounts.
    unclear_rows: names of the lists that get no label.
    """

    model_config = ConfigDict(extra="forbid")

    type: str
    currency: Annotated[str | None, Field(pattern=_CURRENCY)] = None
    fields: dict[str, SheetValue] = {}
    rows: dict[str, Annotated[list[Row], Field(max_length=MAX_LIST_ROWS)]] = {}
    unclear_rows: list[str] = []

    def cells(self) -> Iterator[tuple[str, str, SheetValue]]:
        """Yield each value with the path of its place, such as line_items.0.amount, and the name of its field."""
        for name, cell in self.fields.items():
            yield name, name, cell
        for group, rows in self.rows.items():
            for number, row in enumerate(rows):
                for leaf, cell in row.items():
                    yield f"{group}.{number}.{leaf}", f"{group}.{leaf}", cell


class InvalidSheetError(ValueError):
    """Values that are no labels. faults: what is wrong, by path."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        """faults: a message by path."""
        super().__init__("; ".join(f"{path}: {fault}" for path, fault in faults.items()))
        self.faults = faults


def blank_sheet(type_name: str) -> Sheet:
    """Return a sheet without values."""
    kind = document_types().get(type_name)
    fields = kind.fields() if kind else ()
    return Sheet(
        type=type_name,
        fields={field.name: SheetValue() for field in fields if field.group is None},
        rows={field.group: [] for field in fields if field.group is not None},
    )


def sheet_of(answer: DocumentAnswer) -> Sheet:
    """Return the values of an answer as they are printed. Fields that were not found are absent."""
    sheet = blank_sheet(answer.type)
    kind = document_types().get(answer.type)
    if kind is None:
        return sheet
    kinds = _kinds(kind)
    for name, field in answer.fields.items():
        if name in sheet.fields:
            sheet.fields[name] = _cell(field, kinds[name])
        elif name in sheet.rows:
            sheet.rows[name] = [
                {leaf: _cell(one, kinds[f"{name}.{leaf}"]) for leaf, one in (row.fields or {}).items()}
                for row in field.items or []
            ]
    sheet.unclear_rows = [group for group, rows in sheet.rows.items() if _has_unseen_row(rows)]
    return sheet.model_copy(update={"currency": answer.currency.code if answer.currency else None})


def _kinds(kind: DocumentType) -> dict[str, FieldKind]:
    return {field.name: field.kind for field in kind.fields()}


def _cell(field: FieldAnswer, kind: FieldKind) -> SheetValue:
    """Return what is printed of a value. What only an e-invoice states may be printed otherwise, or nowhere."""
    sources = field.sources or {}
    if "embedded_xml" in sources and "printed" in sources:
        return _printed_cell(sources["printed"], kind, bool(field.needs_review))
    if field.source != "embedded_xml":
        return _printed_cell(field, kind, bool(field.needs_review))
    return _printed_cell(field, kind, True) if field.polygon else SheetValue(state="unclear", doubtful=True)


def _printed_cell(field: FieldAnswer, kind: FieldKind, doubtful: bool) -> SheetValue:
    value = field.value["amount"] if kind.name == "currency" else field.value
    plain = f"{Decimal(str(value)).normalize():f}" if isinstance(value, float) else str(value)
    text = _normalised(kind, plain, LABEL_CONVENTIONS)
    if text is None:
        return SheetValue(state="unclear", doubtful=True)
    return SheetValue(
        state="printed", text=text, image=field.image if field.polygon else None,
        polygons=[field.polygon] if field.polygon else [], confidence=field.confidence, doubtful=doubtful,
    )  # fmt: skip


def _has_unseen_row(rows: Sequence[Row]) -> bool:
    """Whether nothing of one of the rows is printed: an e-invoice states it, and the print of the list is not known."""
    return any(all(cell.state == "unclear" for cell in row.values()) for row in rows)


def with_labels(sheet: Sheet, rows: LabelRows, pages: Sequence[int]) -> Sheet:
    """Return the sheet with the values of rows of labels.jsonl that were written elsewhere.

    pages: numbers of the pages of the file, from 1. A label without a place has that of an equal extracted value.
    Fields without a label, and labels that are no text, are unclear.
    """
    labelled = blank_sheet(sheet.type)
    rows = {number: rows[number] for number in pages if number in rows}
    for name in labelled.fields:
        number = _page_shown(name, rows)
        labelled.fields[name] = (
            SheetValue(state="unclear") if number is None else
            _labelled_cell(rows[number], name, _fields(rows[number])[name], sheet.fields[name], pages.index(number))
        )  # fmt: skip
    for group, cells in labelled.rows.items():
        lists = {number: _fields(row)[group] for number, row in rows.items() if group in _fields(row)}
        if not lists or not all(map(_is_list_of_rows, lists.values())):
            labelled.unclear_rows.append(group)
            continue
        for number in lists:
            cells += _labelled_rows(rows[number], group, sheet, len(cells), pages.index(number))
    return labelled.model_copy(update={"currency": _currency_shown(rows)})


def _fields(row: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = row.get("fields")
    return fields if isinstance(fields, dict) else {}


def _currency(row: Mapping[str, Any]) -> str | None:
    code = row.get("currency")
    return code if isinstance(code, str) and re.fullmatch(_CURRENCY, code) else None


def _currency_shown(rows: LabelRows) -> str | None:
    return next(filter(None, map(_currency, rows.values())), None)


def _page_shown(name: str, rows: LabelRows) -> int | None:
    """The page whose label of a field is shown: the first on which it is printed. None for a field without a label."""
    known = [number for number, row in rows.items() if name in _fields(row)]
    return next((number for number in known if _fields(rows[number])[name] is not None), next(iter(known), None))


def _is_list_of_rows(labels: Any) -> bool:
    return labels is None or (isinstance(labels, list) and all(isinstance(row, dict) for row in labels))


def _labelled_rows(row: Mapping[str, Any], group: str, sheet: Sheet, first: int, image: int) -> Iterator[Row]:
    """Yield the rows of a list in one row of labels.jsonl. first: index of its first one among those of all pages."""
    kinds, extracted = _kinds(document_types()[sheet.type]), sheet.rows.get(group, [])
    for number, labels in enumerate(_fields(row)[group] or ()):
        cells = extracted[first + number] if first + number < len(extracted) else {}
        yield {
            leaf: _labelled_cell(row, f"{group}.{number}.{leaf}", label, cells.get(leaf, SheetValue()), image)
            for leaf, label in labels.items()
            if f"{group}.{leaf}" in kinds
        }


def _labelled_cell(row: Mapping[str, Any], path: str, label: Any, extracted: SheetValue, image: int) -> SheetValue:
    if label is None:
        return SheetValue()
    if not isinstance(label, str) or len(label) > MAX_TEXT:
        return SheetValue(state="unclear")
    outlines = _outlines(row, path)
    if not outlines and (extracted.text, extracted.image) == (label, image):
        return extracted
    return SheetValue(state="printed", text=label, image=image, polygons=outlines)


def _outlines(row: Mapping[str, Any], path: str) -> list[PointList]:
    places = row.get("places")
    try:
        return _OUTLINES.validate_python(places.get(path, [])) if isinstance(places, dict) else []
    except ValidationError:
        return []


def normalise(type_name: str, field: str, text: str, date_order: DateOrder) -> str | None:
    """Return a typed or recognised text as a label; None if it is no value of the field.

    date_order: of ambiguous dates. Raises KeyError for an unknown field.
    """
    return _normalised(_kinds(document_types()[type_name])[field], text, Conventions(date_order))


def _normalised(kind: FieldKind, text: str, conventions: Conventions) -> str | None:
    value = kind.parse(text, conventions)
    return None if value is None else label_text(value)


def checked_sheet(sheet: Sheet) -> Sheet:
    """Return the sheet if all its values are labels. Raises InvalidSheetError, which names all faults."""
    kind = document_types().get(sheet.type)
    if kind is None:
        if sheet.type != OTHER_TYPE:
            raise InvalidSheetError({"type": f"{sheet.type} is not a document type"})
        return Sheet(type=OTHER_TYPE)
    kinds, groups = _kinds(kind), {field.group for field in kind.fields()}
    faults = dict.fromkeys(sheet.rows.keys() - groups, "is not a list of this type")
    for path, name, cell in sheet.cells():
        if name not in kinds or (path == name and "." in name):
            faults[path] = "is not a field of this type"
        elif cell.state == "printed":
            text = _normalised(kinds[name], cell.text, LABEL_CONVENTIONS)
            if text is None:
                faults[path] = f"is not a {kinds[name].name}" if cell.text.strip() else "has no value"
            elif text != cell.text:
                faults[path] = f"is not written as a label: {text}"
        else:
            cell.text, cell.image, cell.polygons = "", None, []
    if faults:
        raise InvalidSheetError(faults)
    return sheet


def label_rows(
    sheet: Sheet, image: str, pages: Sequence[int], earlier: LabelRows = MappingProxyType({})
) -> Iterator[dict[str, Any]]:
    """Yield one row of labels.jsonl for each page on which values stand, and for the only page of a document.

    image: the name of the file. pages: numbers of its pages, from 1. A value without a place belongs to the first page.
    What stands on another page is unknown on this one, because it may be repeated there. Pages of one file are named as
    one group, so that training never divides them.

    earlier: rows that are replaced. What a sheet does not show stays as it is there: other members, such as `tags`, the
    label of a field that is shown as it is on another page, a list without label whose rows of another page are shown,
    and the currency of a page, if that of the first one was not changed. Their group is also that of new rows.
    """
    if sheet.type == OTHER_TYPE:
        return
    issuer = next((sheet.fields[name].text for name in ISSUER_FIELDS if name in sheet.fields), "")
    earlier = {number: earlier[number] for number in pages if number in earlier}
    group = next((row["group"] for row in earlier.values() if row.get("group")), issuer or image)
    labelled_lists = {name for row in earlier.values() for name in _fields(row)}
    same_currency = sheet.currency == _currency_shown(earlier)
    for index, number in enumerate(pages):
        old = earlier.get(number, {})
        fields: dict[str, Any] = {}
        for name, cell in sheet.fields.items():
            if cell.state == "absent":
                fields[name] = None
            elif cell.state == "printed" and (cell.image or 0) == index:
                fields[name] = cell.text
        hidden = {name: label for name, label in _hidden_labels(sheet, number, earlier) if name not in fields}
        rows = {name: _rows_on(rows, index) for name, rows in sheet.rows.items()}
        fields |= hidden | {
            name: [{leaf: cell.text or None for leaf, cell in row.items() if cell.state != "unclear"} for row in own]
            for name, own in rows.items()
            if name not in sheet.unclear_rows and (own or not old or name in _fields(old) or name not in labelled_lists)
        }
        if len(pages) > 1 and not any(fields.values()) and not old:
            continue
        row: dict[str, Any] = {"image": image, "type": sheet.type, "fields": fields}
        if len(pages) > 1:
            row |= {"page": number, "group": group}
        if currency := _currency(old) if old and same_currency else sheet.currency:
            row["currency"] = currency
        row["places"] = {name: outlines for name in hidden if (outlines := _outlines(old, name))}
        row["places"] |= _places(Sheet(type=sheet.type, fields=sheet.fields, rows=rows), index)
        yield row | {name: value for name, value in old.items() if name not in _SHOWN_MEMBERS}


def _hidden_labels(sheet: Sheet, number: int, earlier: LabelRows) -> Iterator[tuple[str, Any]]:
    """The labels of a page in the earlier rows that the sheet does not show, because it has that of another page."""
    for name, label in _fields(earlier.get(number, {})).items():
        if name in sheet.fields and sheet.fields[name].state == "printed" and _page_shown(name, earlier) != number:
            yield name, label


def _rows_on(rows: Sequence[Row], index: int) -> list[Row]:
    """The rows whose values stand on a page; a row whose places are unknown is on the first one."""
    return [row for row in rows if next((c.image for c in row.values() if c.image is not None), 0) == index]


def _places(sheet: Sheet, index: int) -> Iterator[tuple[str, list[PointList]]]:
    for path, _, cell in sheet.cells():
        if cell.state == "printed" and cell.image == index and cell.polygons:
            yield path, cell.polygons


def describe_types() -> list[dict[str, Any]]:
    """Return every document type with its fields in order, for the page."""
    return [
        {
            "name": kind.name,
            "fields": [
                {"name": one.name, "kind": one.kind.name, "required": one.required, "list": one.group, "leaf": one.leaf}
                for one in kind.fields()
            ],
        }
        for kind in document_types().values()
    ]

"""The values of an electronic invoice, by the names and kinds of the fields of `documents.invoice`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Literal
from xml.etree.ElementTree import Element

from docextract.documents.data import load_data
from docextract.documents.einvoice.hardening import EInvoiceError, parse_untrusted_xml
from docextract.documents.invoice import DOCUMENT_TYPE
from docextract.documents.values import (
    ADDRESS,
    IBAN,
    NUMBER,
    PERCENT,
    FieldKind,
    collapse_whitespace,
)

EInvoiceSyntax = Literal["cii", "zugferd_1", "ubl"]

MAX_ROWS = 10_000  # 5 MB hold about 4,000 rows of a real invoice
MAX_VALUE_CHARACTERS = 10_000
_PRICE_DECIMALS = Decimal("0.000001")

_DECIMAL = re.compile(r"[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})", re.ASCII)
_COMPACT_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)  # UNTDID 2379, format 102
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:Z|[+-]\d\d:\d\d|T[\d:.+Z-]{0,30})?", re.ASCII)
_IBAN_FORM = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)
_CURRENCY_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True)
class EInvoice:
    """The values of an electronic invoice, as the sender's data have them; a credit note's amounts keep their sign.

    profile: the identifier of the rules that the data follow, such as urn:cen.eu:en16931:2017; None if not stated.
    values:  by field name; only what the data have and what can be parsed.
    others:  by field name, what the data also have for it: a subtotal after discounts beside the one before.
    groups:  by name of a list, its rows, each by the names within a row.
    """

    syntax: EInvoiceSyntax
    profile: str | None
    kind: str  # invoice or credit_note
    currency: str | None  # ISO 4217
    values: Mapping[str, Any]
    groups: Mapping[str, tuple[Mapping[str, Any], ...]]
    others: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


def parse_einvoice(data: bytes) -> EInvoice:
    """Parse an electronic invoice.

    Of several paths of a field the first with a value counts (a VAT number before a tax number). Of several different
    values of one path the first is used if EN 16931 allows several, such as accounts; otherwise the data contradict
    themselves, and the field is left out. Amounts in another currency than the invoice's are left out too.

    Raises EInvoiceError, whose message is for the caller, for anything that is no readable electronic invoice.
    """
    root = parse_untrusted_xml(data)
    invoice = _Reader(root).read()
    if not {"document_number", "total"} & invoice.values.keys():
        raise EInvoiceError("The electronic invoice has neither a number nor a total.")
    return invoice


class _Reader:
    """Finds the values in one document by the table of its syntax."""

    def __init__(self, root: Element) -> None:
        tables = load_tables()
        known = {name: syntax for syntax in ("cii", "zugferd_1", "ubl") for name in tables[syntax]["roots"]}
        if root.tag not in known:
            raise EInvoiceError(
                f"The XML is not an e-invoice: its root element is {root.tag[:200]}; read are CrossIndustryInvoice, "
                "CrossIndustryDocument (ZUGFeRD 1), and the Invoice and CreditNote of UBL 2.1."
            )
        self._root = root
        self._syntax: EInvoiceSyntax = known[root.tag]  # type: ignore[assignment]
        self._table = tables[self._syntax]
        self._several_allowed = frozenset(tables["several_allowed"])
        self._placeholders = frozenset(tables["placeholders"])
        self._credit_note_codes = frozenset(tables["credit_note_codes"])
        self._currency: str | None = None  # until it has been read

    def read(self) -> EInvoice:
        currency = (self._text(self._root, self._table["currency"]) or "").upper()
        self._currency = currency if _CURRENCY_CODE.fullmatch(currency) else None
        kind, kinds = self._kind(), {field.name: field.kind for field in DOCUMENT_TYPE.fields()}
        values = {
            name: value
            for name, paths in self._table["fields"].items()
            if (value := self._value(self._root, paths, kinds[name], name in self._several_allowed)) is not None
        }
        return EInvoice(
            syntax=self._syntax,
            profile=self._text(self._root, self._table["profile"]),
            kind=kind,
            currency=self._currency,
            values={"kind": kind, **values},
            others={name: tuple(self._others(name, value, kinds[name])) for name, value in values.items()},
            groups={name: rows for name in self._table["rows"] if (rows := tuple(self._rows(name, kinds)))},
        )

    def _others(self, name: str, value: Any, kind: FieldKind) -> Iterator[Any]:
        for path in self._table["fields"][name]:
            yield from (other for other in self._values(self._root, path, kind) if other != value)

    def _kind(self) -> str:
        code = next(filter(None, (self._text(self._root, path) for path in self._table["type_code"])), None)
        is_credit_note = code in self._credit_note_codes or self._root.tag.endswith("}CreditNote")
        return "credit_note" if is_credit_note else "invoice"

    def _rows(self, group: str, kinds: Mapping[str, FieldKind]) -> Iterator[Mapping[str, Any]]:
        table = self._table["rows"][group]
        elements = [element for path in table["rows"] for element in self._elements(self._root, path)]
        if len(elements) > MAX_ROWS:
            raise EInvoiceError(f"The electronic invoice has {len(elements):,} rows; at most {MAX_ROWS:,} are read.")
        for element in elements:
            if "role" in table and self._text(element, table["role"]) in table["skipped_roles"]:
                continue
            row = {
                leaf: value
                for leaf, paths in table["fields"].items()
                if (value := self._value(element, paths, kinds[f"{group}.{leaf}"], several_allowed=True)) is not None
            }
            if "unit_price" in row:
                quantity = self._value(element, [table["price_quantity"]], NUMBER, several_allowed=True)
                row["unit_price"] = _price_of_one(row["unit_price"], quantity) if quantity else row["unit_price"]
            if row:
                yield row

    def _value(self, parent: Element, paths: Sequence[str], kind: FieldKind, several_allowed: bool) -> Any:
        for path in paths:
            values = list(dict.fromkeys(self._values(parent, path, kind)))
            if len(values) == 1 or (values and several_allowed):
                return values[0]
            if values:
                return None  # the data contradict themselves
        return None

    def _values(self, parent: Element, path: str, kind: FieldKind) -> Iterator[Any]:
        element_path, _, attribute = path.partition("/@")
        for element in self._elements(parent, element_path):
            if kind == ADDRESS:
                value: Any = self._address(element)
            elif kind.name == "currency" and element.get("currencyID", self._currency) not in (self._currency, ""):
                value = None
            else:
                value = _parse(_limited(element.get(attribute) if attribute else element.text), kind)
            if value is not None and value not in self._placeholders:
                yield value

    def _address(self, element: Element) -> str | None:
        """Return the parts in the order in which most countries print them, the country as its alpha-2 code."""
        parts = self._table["address"]
        street = [_limited(line.text) for path in parts["street"] for line in self._elements(element, path)]
        town = (self._text(element, parts[name]) for name in ("postal_code", "town"))
        lines = [*street, " ".join(filter(None, town)), self._text(element, parts["country"])]
        return ", ".join(dict.fromkeys(filter(None, lines))) or None

    def _text(self, parent: Element, path: str) -> str | None:
        return next((text for element in self._elements(parent, path) if (text := _limited(element.text))), None)

    def _elements(self, parent: Element, path: str) -> list[Element]:
        return parent.findall(path, self._table["namespaces"])


def _limited(text: str | None) -> str:
    if text is not None and len(text) > MAX_VALUE_CHARACTERS:
        raise EInvoiceError(
            f"A value of the electronic invoice has {len(text):,} characters; {MAX_VALUE_CHARACTERS:,} are allowed."
        )
    return collapse_whitespace(text or "")


def _parse(text: str, kind: FieldKind) -> Any:
    """Return a value of the kind as XML Schema and UNTDID 2379 write it, or None."""
    if kind.name == "date":
        return _parse_date(text)
    if kind.name in ("currency", "number"):
        number = Decimal(text) if _DECIMAL.fullmatch(text) else None
        return None if kind == PERCENT and number is not None and not 0 <= number <= 100 else number
    if kind == IBAN:
        number_text = re.sub(r"[\s-]", "", text).upper()
        return number_text if _IBAN_FORM.fullmatch(number_text) else None
    return text or None


def _parse_date(text: str) -> date | None:
    match = _COMPACT_DATE.fullmatch(text) or _ISO_DATE.fullmatch(text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def _price_of_one(price: Decimal, quantity: Decimal) -> Decimal:
    """Return the price of one unit, to six decimals; data may give the price of a hundred."""
    return price if quantity == 1 else (price / quantity).quantize(_PRICE_DECIMALS).normalize()


@cache
def load_tables() -> Mapping[str, Any]:
    """Return data/einvoices.toml with each field's paths as a list, and with the parts of paths filled in."""
    tables = deepcopy(load_data("einvoices"))
    for syntax in ("cii", "zugferd_1", "ubl"):
        table = tables[syntax]
        parts: dict[str, str] = {}
        for name, path in table["parts"].items():
            parts[name] = path.format_map(parts)
        for fields in (table["fields"], *(rows["fields"] for rows in table["rows"].values())):
            for name, paths in fields.items():
                listed = [paths] if isinstance(paths, str) else paths
                fields[name] = [path.format_map(parts) for path in listed]
    return tables

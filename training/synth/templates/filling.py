"""Fills an HTML template with the values of an invented document, as its country and its layout write them.

A template is a folder with template.html (Jinja2, one element with `data-field` for each value) and meta.json
(type, language, country, currency, and how money and dates are written). See `cards` for those of cards, and
macros.html for the macros that every template has.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import jinja2
import markupsafe

from docextract.documents.billing import LineItem
from docextract.documents.values import DateOrder
from training.synth.documents.data_files import read_table
from training.synth.documents.grammar import expand
from training.synth.documents.identifiers import banking_countries, make_iban, make_tax_id, tax_id_countries
from training.synth.documents.invoice import sampling
from training.synth.documents.invoice.markets import Market, markets
from training.synth.documents.invoice.parties import address_lines
from training.synth.documents.locales import format_date, round_to_cents
from training.synth.templates.cards import RECORDS, card_values

_MACROS = Path(__file__).parent / "macros.html"
MAX_TILL_QUANTITY, MAX_TILL_PRICE = 6, 60  # of one item on a receipt
MAX_ROWS_FACTOR = 3  # some documents have this many times the rows that are usual for their template
_SUBTOTAL_DISCOUNTS = (2, 3, 5, 10, 15, 20)
_SPACE = " "  # between thousands: it does not break
# Of countries whose account numbers have no rule in data/identifiers.toml; their check digits are not valid.
_OTHER_IBANS = {
    "PL": "{d26}", "CZ": "{d22}", "SE": "{d22}", "DK": "{d16}", "NO": "{d13}", "FI": "{d16}",
    "LV": "{d2}BANK{d13}", "LT": "{d18}", "EE": "{d18}", "RO": "{d2}BANK{d16}", "TR": "{d24}",
}  # fmt: skip
_LANGUAGES_WITH_SPACES = frozenset({"fr", "pl", "cs", "sv", "nb", "fi"})


@dataclass(frozen=True)
class Template:
    """A layout. meta: the content of meta.json, see the README of a folder of templates."""

    name: str
    html: str
    meta: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "Template":
        """Read one folder. Raises FileNotFoundError or KeyError where something is missing."""
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        needed = {"type", "language", "country", "date_format"}
        if meta.get("type") not in RECORDS:
            needed |= {"currency", "decimal"}
        if missing := needed - meta.keys():
            raise KeyError(f"{folder / 'meta.json'} lacks {', '.join(sorted(missing))}")
        return cls(folder.name, (folder / "template.html").read_text(encoding="utf-8"), meta)

    @property
    def document_type(self) -> str:
        """Bills and credit notes are invoices."""
        kind = str(self.meta["type"])
        return kind if kind in ("receipt", *RECORDS) else "invoice"

    @property
    def date_order(self) -> DateOrder | None:
        """None where the month is a word."""
        pattern = self.meta["date_format"]
        if "%B" in pattern or "%b" in pattern:
            return None
        orders: dict[str, DateOrder] = {"d": "DMY", "m": "MDY", "Y": "YMD"}
        return orders[next(char for char in pattern if char in "dmY")]


@dataclass(frozen=True)
class Bill:
    """Rows and sums that agree with each other. by_rate: (tax rate in percent, amount before tax, tax)."""

    items: Sequence[LineItem]
    subtotal: Decimal
    discount: Decimal
    by_rate: Sequence[tuple[Decimal, Decimal, Decimal]]
    total: Decimal
    paid: Decimal = field(default=Decimal(0))

    @property
    def tax(self) -> Decimal:
        """The tax of all rates."""
        return sum((tax for _, _, tax in self.by_rate), Decimal(0))


def fill(template: Template, rng: Random) -> str:
    """Return the HTML of one document. Raises ValueError for a template that prints a value that the document lacks."""
    meta = template.meta
    if template.document_type in RECORDS:
        values = card_values(meta, lambda day: write_date(day, meta["date_format"], meta["language"]), rng)
    else:
        values = _Context(meta, rng).values()
    helpers = {
        "pick": lambda choices: _as_html(rng.choice(choices)),
        "chance": lambda share: rng.random() < share,
        "seq": rng,
    }
    return _compiled(template.html).render({**values, **helpers})


def _as_html(choice: Any) -> Any:
    """A text that a template chooses is part of it, not escaped: typefaces are named in quotes."""
    return markupsafe.Markup(choice) if isinstance(choice, str) else choice


@lru_cache(maxsize=8)
def _compiled(html: str) -> jinja2.Template:
    return _environment().from_string(html)


@cache
def _environment() -> jinja2.Environment:
    """With the macros of macros.html."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_present
    )
    macros = environment.from_string(_MACROS.read_text(encoding="utf-8")).module
    environment.globals |= {name: macro for name, macro in vars(macros).items() if not name.startswith("_")}
    return environment


def _present(value: Any) -> Any:
    if value is None:
        raise ValueError("the template prints a value that this document does not have; put {% if %} around it")
    return value


def _decimals(number: Decimal) -> int:
    """How many decimals a number needs."""
    return max(0, -int(number.normalize().as_tuple().exponent))


def write_date(day: date, pattern: str, language: str) -> str:
    """A date by a pattern of strftime; months have their names in this language (ISO 639-1)."""
    pattern = pattern.replace("%-d", str(day.day)).replace("%-m", str(day.month))
    months = read_table("locales")["months"].get(language)
    if months:
        pattern = pattern.replace("%B", months[day.month - 1])
    short = format_date(day, "{mon}", language) if "%b" in pattern else ""
    return day.strftime(pattern.replace("%b", short))


class _Context:
    """The variables of one invoice or receipt."""

    def __init__(self, meta: Mapping[str, Any], rng: Random) -> None:
        self._meta, self._rng = meta, rng
        self._market = _market_for(self._meta["country"], self._meta["language"], rng)
        self._day = date(2012, 1, 1) + timedelta(days=rng.randrange(365 * 16))

    def values(self) -> dict[str, Any]:
        """Every variable that a template may use, by name."""
        bill = self._bill()
        values = {**self._parties(), **self._sums(bill), **self._numbers(), **self._others(bill)}
        for name in self._meta.get("always", ()):
            while values.get(name) is None:
                values[name] = {**self._parties(), **self._numbers(), **self._others(bill)}.get(name, "")
        return values

    def _maybe(self, value: Any, share: float) -> Any:
        return value if self._rng.random() < share else None

    def _drawn(self, *templates: str) -> str:
        """One of these templates of grammar.py, filled."""
        return " ".join(expand(self._rng.choice(templates), self._market.lists, self._rng).split())

    def _date(self, day: date) -> str:
        return write_date(day, self._meta["date_format"], self._meta["language"])

    def _number(self, number: Decimal, places: int = 2) -> str:
        separator = self._meta.get("thousands")
        if separator is None:
            separator = "." if self._meta["decimal"] == "," else ","
            if self._meta["language"] in _LANGUAGES_WITH_SPACES:
                separator = _SPACE
            if self._meta["country"] == "CH":
                separator = "'"
        whole, _, decimals = f"{abs(number):,.{places}f}".partition(".")
        text = whole.replace(",", separator) + (self._meta["decimal"] + decimals if decimals else "")
        return f"-{text}" if number < 0 else text

    def _money(self, amount: Decimal, of_item: bool = False) -> str:
        pattern = self._meta.get("item_money" if of_item else "money", "{n}")
        text = pattern.replace("{n}", self._number(abs(amount), self._meta.get("places", 2)))
        return f"-{text}" if amount < 0 else text

    def _percent(self, rate: Decimal) -> str:
        return self._number(rate, _decimals(rate)) + str(self._meta.get("pct", "%"))

    def _bill(self) -> Bill:
        low, high = self._meta.get("rows", (1, 6))
        high = high * MAX_ROWS_FACTOR if high < 10 and self._rng.random() < 0.12 else high
        rates = self._meta.get("rates") or [[rate] for rate in self._market.tax_rates]
        some = [Decimal(str(rate)) for rate in self._rng.choice(rates)]
        if not self._meta.get("rates") and self._rng.random() < 0.25:
            some.append(Decimal(self._rng.choice(self._market.tax_rates)))
        items = sampling.draw_items(self._market, some, self._rng.randint(low, high), self._rng)
        if names := self._meta.get("items"):
            items = [item.model_copy(update={"description": self._rng.choice(names)}) for item in items]
        if self._meta["type"] == "receipt":
            items = [_small_purchase(item, self._rng) for item in items]
        if self._meta.get("int_qty"):
            items = [_whole_quantity(item) for item in items]
        items = [_with_amount(item) for item in items]
        if self._meta.get("negative"):
            items = [item.model_copy(update={"amount": -(item.amount or Decimal(0))}) for item in items]
        included = bool(self._meta.get("gross_prices"))
        subtotal = sum((item.amount or Decimal(0) for item in items), Decimal(0))
        may_have_discount = self._meta.get("discount", True) and not included and subtotal > 10
        percent = self._rng.choice(_SUBTOTAL_DISCOUNTS) if may_have_discount and self._rng.random() < 0.25 else 0
        discount = round_to_cents(subtotal * percent / 100)
        by_rate = _taxes(items, Decimal(percent) / 100, included)
        net = sum((amount for _, amount, _ in by_rate), Decimal(0))
        tax = sum((amount for _, _, amount in by_rate), Decimal(0))
        total = net + tax
        paid = Decimal(0)
        if self._meta["type"] == "receipt":
            paid = total
        elif total > 0 and self._rng.random() < 0.2:
            paid = round_to_cents(total * Decimal(self._rng.choice(("0.25", "0.5", "1"))))
        return Bill(items, net + discount if not included else net, discount, by_rate, total, paid)

    def _sums(self, bill: Bill) -> dict[str, Any]:
        discount = bill.discount if self._meta.get("neg_discount") is False else -bill.discount
        single_rate = len(bill.by_rate) == 1 and self._meta["country"] != "IN"
        return {
            "items": [self._row(item) for item in bill.items],
            "taxes": self._taxes(bill),
            "subtotal": self._money(bill.subtotal),
            "total_discount": self._money(discount) if bill.discount else None,
            "total_tax": self._money(bill.tax),
            "tax_rate": self._percent(bill.by_rate[0][0]) if single_rate else None,
            "invoice_total": self._money(bill.total),
            "amount_due": self._money(bill.total - bill.paid),
            "amount_paid": self._money(bill.paid) if bill.paid else None,
            "zero": self._money(Decimal(0)),
            "half_tax_total": self._money(round_to_cents(bill.tax / 2)),
            "tax_in_total": self._money(bill.tax),
            "cash": self._money((bill.total / 5).to_integral_value() * 5 + 5),
            "change": self._money((bill.total / 5).to_integral_value() * 5 + 5 - bill.total),
            "amount_words": self._drawn("{coin} {coin} {coin} 00/100", "{coin} {coin} 50/100"),
            "item_count": str(len(bill.items)),
            "tot_qty": str(len(bill.items)),
        }

    def _row(self, item: LineItem) -> dict[str, str]:
        amount, rate = item.amount or Decimal(0), item.tax_rate or Decimal(0)
        included = bool(self._meta.get("gross_prices"))
        net = round_to_cents(amount / (1 + rate / 100)) if included else amount
        tax = amount - net if included else round_to_cents(amount * rate / 100)
        quantity = item.quantity or Decimal(1)
        places = self._meta.get("qty_places", _decimals(quantity))
        day = self._day - timedelta(days=self._rng.randrange(25))
        return {
            "description": item.description or "",
            "detail": "",
            "quantity": self._number(quantity, places),
            "unit": item.unit or "",
            "unit_price": self._money(item.unit_price or Decimal(0), of_item=True),
            "tax_rate": self._percent(rate),
            "amount": self._money(amount, of_item=True),
            "product_code": item.product_code or "",
            "hsn": self._drawn("{n4}", "{n6}", "{n8}"),
            "tax_amount": self._money(tax, of_item=True),
            "half_tax": self._money(round_to_cents(tax / 2), of_item=True),
            "half_rate": self._percent(rate / 2),
            "net": self._money(net, of_item=True),
            "gross": self._money(net + tax, of_item=True),
            "discount": self._money(Decimal(0), of_item=True),
            "date": self._date(day),
            "period": f"{self._date(day - timedelta(days=30))} - {self._date(day)}",
            "sku": self._drawn("SKU {n4}", "{letter}{n5}"),
        }

    def _taxes(self, bill: Bill) -> list[dict[str, str]]:
        rows = []
        for rate, net, tax in bill.by_rate:
            split = self._meta["country"] == "IN" and self._meta.get("split_gst", True)
            for name in ("CGST", "SGST") if split else (self._rng.choice(self._market.tax_names),):
                part = 2 if split else 1
                rows.append(
                    {
                        "name": name,
                        "rate": self._percent(rate / part),
                        "net": self._money(net),
                        "amount": self._money(round_to_cents(tax / part)),
                        "gross": self._money(net + tax),
                    }
                )
        return rows

    def _parties(self) -> dict[str, Any]:
        private = 0.4 if self._meta["type"] in ("receipt", "hotel_bill", "utility_bill") else 0.2
        vendor, contact = sampling.draw_company(self._market, self._rng), sampling.draw_person(self._market, self._rng)
        person = sampling.draw_person(self._market, self._rng)
        is_private = self._rng.random() < private
        customer = person if is_private else sampling.draw_company(self._market, self._rng)
        address = self._address()
        host = "".join(char for char in vendor.lower() if "a" <= char <= "z")[:14] or "shop"
        return {
            "vendor_name": vendor,
            "vendor_address_lines": address,
            "vendor_city": expand("{town}", self._market.lists, self._rng),
            "vendor_tax_id": self._maybe(self._tax_id(), 0.92),
            "vendor_email": self._maybe(f"{self._rng.choice(('info', 'office', 'billing'))}@{host}.example", 0.85),
            "vendor_phone": self._maybe(self._drawn("{phone}"), 0.85),
            "fax": self._drawn("{phone}"),
            "website": f"www.{host}.example",
            "contact_person": contact,
            "director": contact,
            "cashier": contact.split()[0],
            "seller_country": self._market.name,
            "customer_name": customer,
            "customer_address_lines": self._address(),
            "customer_tax_id": None if is_private else self._maybe(self._tax_id(), 0.5),
            "customer_contact": person,
            "customer_country": self._market.name,
            "customer_email": f"{person.split()[0].lower()}@mail.example",
            "customer_phone": self._drawn("{phone}"),
            "ship_to_name": customer if self._rng.random() < 0.5 else sampling.draw_company(self._market, self._rng),
            "ship_to_address_lines": self._address(),
        }

    def _address(self) -> list[str]:
        return address_lines(sampling.draw_address(self._market, self._rng), self._rng)

    def _tax_id(self) -> str:
        if self._market.country in tax_id_countries():
            return make_tax_id(self._market.country, self._rng)
        lists = self._market.locale.lists
        return " ".join(expand(self._rng.choice(lists["tax_id"]), lists, self._rng).split())

    def _numbers(self) -> dict[str, Any]:
        country = self._market.country
        patterns = self._meta.get("invoice_pattern")
        number = sampling.draw_invoice_id(self._market, self._rng)
        if patterns and self._rng.random() < 0.7:
            year = (
                self._rng.choice(patterns).replace("{Y}", str(self._day.year)).replace("{M}", f"{self._day.month:02}")
            )
            number = self._drawn(year.replace("{A}", "{letter}"))
        iban = make_iban(country, self._rng) if country in banking_countries() else None
        if iban is None and country in _OTHER_IBANS:
            iban = self._drawn(f"{country}{_OTHER_IBANS[country]}")
        if iban and self._rng.random() < 0.75:
            iban = " ".join(iban[start : start + 4] for start in range(0, len(iban), 4))
        bic = (
            self._drawn("{letter}{letter}{letter}{letter}")
            + country
            + self._drawn("{letter}{letter}", "{letter}{n}XXX")
        )
        return {
            "invoice_id": number,
            "purchase_order": self._maybe(sampling.draw_order_number(self._rng), 0.55),
            "customer_id": self._maybe(self._drawn("{n5}", "K-{n4}", "C{n6}", "10{n3}", "{n6}"), 0.75),
            "payment_reference": self._maybe(self._drawn("{n12}", "RF{n2} {n4} {n4}", "{n10}"), 0.8),
            "iban": iban,
            "bic": self._maybe(bic, 0.85) if iban else None,
            "bank_name": self._maybe(self._drawn("{coin}bank", "{coin} Bank", "Bank {coin}"), 0.85),
            "register_court": expand("{town}", self._market.lists, self._rng),
            "register_no": self._drawn("HRB {n5}", "{n8}", "{n9}", "RCS {town} {n9}"),
            "tax_number": self._drawn("{n2}/{n3}/{d5}", "{n8}", "{n11}", "{n10}"),
            "customer_regno": self._drawn("{n8}"),
            "account_no": self._drawn("{n4} {n4}", "{n9}", "{n10}"),
            "sort_code": self._drawn("{n2}-{n2}-{n2}"),
            "bsb": self._drawn("{n3}-{n3}"),
            "routing": self._drawn("{n9}"),
            "ifsc": self._drawn("{letter}{letter}{letter}{letter}0{n6}"),
            "bankgiro": self._drawn("{n4}-{n4}"),
            "order_no": self._drawn("{n6}", "{n5}", "{letter}{n6}"),
            "orig_invoice": self._drawn("{n6}", "{n5}"),
            "card": self._drawn("**** {d4}"),
            "auth": self._drawn("{n6}"),
            "txn": self._drawn("{n6}"),
            "till": self._drawn("{n}"),
            "irn": self._drawn("{n12}{n12}"),
            "doc_hash": f"{self._rng.getrandbits(96):024x}",
            "long_barcode": self._drawn("{n5}.{n5} {n5}.{n6} {n5}.{n6} {n} {n14}"),
            "meter_no": self._drawn("{n8}"),
            "room": self._drawn("{n3}"),
            "guests": self._drawn("{n}"),
            "nights": self._drawn("{n}"),
            "usage": self._drawn("{n3}"),
            "prev_read": self._drawn("{n5}"),
            "cur_read": self._drawn("{n5}"),
            "state": self._drawn("{n2}-{coin}"),
        }

    def _others(self, bill: Bill) -> dict[str, Any]:
        days = self._rng.choice((7, 10, 14, 30))
        due = self._day + timedelta(days=days)
        filled_by_layouts = {
            "days": str(days), "cur": self._meta["currency"], "date": self._date(due), "id": "{n6}",
            "amount": self._money(bill.total), "percent": "2", "rate": "20", "maker": "{coin}",
            "tax_name": self._market.tax_names[0],
        }  # fmt: skip
        lists = {**self._market.lists, **{name: (value,) for name, value in filled_by_layouts.items()}}
        first = self._day.replace(day=1) - timedelta(days=30)
        term = " ".join(
            expand(self._rng.choice(("{term_days}", "{term_sentence}", "{term_now}")), lists, self._rng).split()
        )
        return {
            "invoice_date": self._date(self._day),
            "due_date": self._maybe(self._date(due), 0.85),
            "due_text": self._date(due),
            "order_date": self._date(self._day - timedelta(days=self._rng.randint(1, 12))),
            "orig_date": self._date(self._day - timedelta(days=40)),
            "arrival": self._date(self._day - timedelta(days=3)),
            "departure": self._date(self._day),
            "delivery_date": self._maybe(self._date(self._day - timedelta(days=self._rng.randrange(9))), 0.6),
            "service_period": self._maybe(f"{self._date(first)} - {self._date(first + timedelta(days=30))}", 0.6),
            "payment_term": self._maybe(term, 0.75),
            "notes": self._maybe(expand(self._rng.choice(("{note}", "{thanks}")), lists, self._rng), 0.8),
            "time": f"{self._rng.randint(8, 21):02}:{self._rng.randint(0, 59):02}",
            "currency": self._meta["currency"],
        }


def _market_for(country: str, language: str, rng: Random) -> Market:
    """A market of the country in the language; else one of the country, or of the language."""
    for suits in (
        lambda one: (one.country, one.language) == (country, language),
        lambda one: one.country == country,
        lambda one: one.language == language,
    ):
        if found := [one for one in markets() if suits(one)]:
            return rng.choice(found)
    raise KeyError(f"no market of data/markets.toml has the country {country} or the language {language}")


def _small_purchase(item: LineItem, rng: Random) -> LineItem:
    """The item as people buy it at a till: few pieces or a weight, and a low price."""
    quantity, price = item.quantity or Decimal(1), item.unit_price or Decimal(1)
    if quantity > MAX_TILL_QUANTITY:
        quantity = Decimal(rng.choice((1, 1, 1, 2, 3)))
    while price > MAX_TILL_PRICE:
        price /= 10
    price = max(round_to_cents(price), Decimal("0.05"))
    return item.model_copy(update={"quantity": quantity, "unit_price": price})


def _whole_quantity(item: LineItem) -> LineItem:
    return item.model_copy(update={"quantity": Decimal(max(1, int(item.quantity or 1)))})


def _with_amount(item: LineItem) -> LineItem:
    """The item with the product of its quantity and its price: templates print no rebate of a row."""
    amount = round_to_cents((item.quantity or Decimal(1)) * (item.unit_price or Decimal(0)))
    return item.model_copy(update={"amount": amount})


def _taxes(items: Sequence[LineItem], discount: Decimal, included: bool) -> list[tuple[Decimal, Decimal, Decimal]]:
    """Rate, amount before tax and tax, the highest rate first. discount: a share. included: amounts are after tax."""
    rows = []
    for rate in sorted({item.tax_rate or Decimal(0) for item in items}, reverse=True):
        amount = sum((item.amount or Decimal(0) for item in items if item.tax_rate == rate), Decimal(0))
        amount = round_to_cents(amount * (1 - discount))
        net = round_to_cents(amount / (1 + rate / 100)) if included else amount
        rows.append((rate, net, amount - net if included else round_to_cents(net * rate / 100)))
    return rows

"""Draws the values of synthetic invoices of small companies, with the habits of many countries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import TypeVar

from docextract.documents.billing import LineItem, Tax
from docextract.documents.invoice import Invoice
from training.synth.documents.grammar import WordLists, expand
from training.synth.documents.identifiers import make_iban, make_tax_id
from training.synth.documents.invoice.markets import Market, choose_market, markets
from training.synth.documents.locales import round_to_cents

RowT = TypeVar("RowT", LineItem, Tax)

FIGURES_SHARE = 0.15  # of the descriptions that `draw_description` draws
_CENT = Decimal("0.01")
_FIRST_DAY = date(2008, 1, 1)
_DAYS = 365 * 20
CREDIT_NOTE_SHARE = 0.06
_PAYMENT_TERMS_DAYS = (7, 8, 10, 14, 14, 14, 15, 20, 21, 28, 30, 30, 30, 30, 45, 60, 60, 90)
_FOREIGN_CURRENCIES = ("EUR", "USD", "USD", "GBP", "CHF")
_INVOICE_ID_TEMPLATES = (
    "{n4}", "{n5}", "{n6}", "{n6}", "{n8}", "{n10}", "{year}-{d3}", "{year}-{d4}", "{year}/{d3}", "{year}/{n4}",
    "{year}{d4}", "{year}{d5}", "{year}{month}{d3}", "{short}-{d4}", "{short}/{n4}", "{n3}/{short}", "{n2}/{year}",
    "{letter}{n5}", "{letter}{letter}{n5}", "{letter}-{n4}", "{letter}{year}-{d3}", "{prefix}-{n5}", "{prefix}-{n5}",
    "{prefix}{n6}", "{prefix}-{year}-{d3}", "{prefix} {n5}", "{prefix}/{year}/{d3}", "{prefix}{year}{d4}",
    "{n3}-{n4}", "{prefix}-{d6}", "{d5}", "{n3}", "{n5}-{n2}", "{prefix}{short}{d5}", "{year}-{month}-{d2}",
    "{n4} {n4}", "{prefix}-{n4}-{letter}", "{prefix} {year}/{n3}", "{letter}{letter}{letter}-{n4}", "{n2}-{n5}",
    "{n9}",
)  # fmt: skip
_INVOICE_ID_PREFIXES = {
    "de": "RE RG R AR Rg RE", "fr": "FA F FAC FC FACT", "es": "F FV A FAC V", "it": "FPR FT V A", "pt": "FT FA FR FAT",
    "nl": "F VF FAC VFA", "en": "INV INV INV SI IN I TI Inv IV CI",
}  # fmt: skip
_ORDER_NUMBER_TEMPLATES = (
    "PO-{n5}", "PO{n6}", "P{n5}", "45{d8}", "45{d8}", "{n6}", "{n5}", "{n8}", "{year}-{d4}", "{letter}{n4}",
    "{n4}/{short}", "PO {n4}", "{letter}{letter}-{n5}", "B{n6}", "{n3}-{n3}", "BE{n5}", "{d6}", "{n4}-{letter}",
    "OC-{n4}", "{letter}{letter}{letter}{n3}", "{n7}", "PO#{n5}", "{year}/{n3}", "{n10}",
)  # fmt: skip
_PRODUCT_CODE_TEMPLATES = (
    "{n4}", "{n5}", "{n6}", "{letter}{n4}", "{letter}{letter}-{n3}", "{n3}-{n3}", "{letter}{letter}{n4}", "{n3}.{d3}",
    "{n8}", "{n13}", "{letter}{letter}{letter}-{d3}", "{letter}{n2}-{n3}", "{d4}-{letter}", "SKU{n4}",
    "{n2}.{d2}.{d3}", "{letter}{letter}{letter}{n3}",
)  # fmt: skip

_ASSORTMENTS = (
    ("goods",), ("goods",), ("goods", "bulk"), ("hours",), ("flat",), ("hours", "flat", "goods"),
    ("hours", "goods", "bulk", "flat"), ("days", "flat"),
)  # fmt: skip


@dataclass(frozen=True)
class _PrintedColumns:
    """Which fields of an item this vendor prints."""

    product_code: bool
    quantity: bool
    unit: bool
    unit_price: bool
    tax_rate: bool
    amount: bool


@dataclass(frozen=True)
class _Amounts:
    """The sums of the items, printed or not."""

    items: Decimal
    discount: Decimal
    charge: Decimal
    tax: Decimal
    total: Decimal
    tax_within: bool
    by_rate: tuple[Tax, ...]  # of each rate, 0 % too

    @property
    def rates(self) -> int:
        """Number of tax rates other than 0 %."""
        return sum(1 for tax in self.by_rate if tax.rate)


def sample(rng: Random) -> Invoice:
    """Draw the values of an invoice of an invented company; its sums add up and its check digits are valid."""
    market = choose_market(rng)
    day = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS))
    lists = _dated_lists(market, day)
    currency = market.locale.currency
    if market.bank and rng.random() < 0.04:
        currency = rng.choice(_FOREIGN_CURRENCIES)
    days = rng.choice(_PAYMENT_TERMS_DAYS) if rng.random() < 0.85 else 0
    bank = rng.choice(markets()).bank if rng.random() < 0.02 else market.bank
    iban = make_iban(bank, rng) if bank and rng.random() < 0.75 else None
    invoice = Invoice(
        currency=currency,
        document_number=_fill_template(rng.choice(_INVOICE_ID_TEMPLATES), lists, rng) if rng.random() < 0.97 else None,
        document_date=day if rng.random() < 0.98 else None,
        kind="invoice" if rng.random() < 0.85 else None,
        **_service_period(day, rng),
        due_date=day + timedelta(days=days) if rng.random() < (0.58 if days else 0.2) else None,
        purchase_order=_fill_template(rng.choice(_ORDER_NUMBER_TEMPLATES), lists, rng) if rng.random() < 0.36 else None,
        payment_term=_term(days, lists, rng),
        iban=iban,
        **_account(iban, rng),
        **_vendor(market, lists, rng),
        **_customer(market, rng),
        **_bill(market, lists, rng),
    )  # fmt: skip
    return _as_credit_note(invoice, rng) if rng.random() < CREDIT_NOTE_SHARE else invoice


def _as_credit_note(invoice: Invoice, rng: Random) -> Invoice:
    """Many credit notes print all sums as negative, the prices of one unit not."""
    title = {"kind": "credit_note", "due_date": None}
    within = invoice.subtotal is None or invoice.total_discount is not None
    if within or rng.random() < 0.55:
        return invoice.model_copy(update=title)
    names = ("subtotal", "total_charge", "total_tax", "total", "amount_due")
    sums = {name: -value for name in names if (value := getattr(invoice, name)) is not None}
    rows = {
        "line_items": tuple(_negated(item, "quantity", "amount") for item in invoice.line_items),
        "taxes": tuple(_negated(tax, "net_amount", "amount") for tax in invoice.taxes),
    }
    return invoice.model_copy(update=title | sums | rows)


def _negated(row: RowT, *names: str) -> RowT:
    return row.model_copy(update={name: -value for name in names if (value := getattr(row, name)) is not None})


def _account(iban: str | None, rng: Random) -> dict[str, object]:
    """What stands beside the IBAN or in its place."""
    number = rng.choice(("{n8}", "{n10}", "{n3} {n3} {n3}", "{n4} {n4} {n4}", "{n2}-{n4}-{n6}", "{n9}"))
    bic = rng.choice(("{letter}{letter}", "{d2}{letter}{letter}{letter}", "{letter}{letter}XXX"))
    bank = "{letter}{letter}{letter}{letter}"
    reference = rng.choice(
        ("{n12}", "RF{n2} {n4} {n4}", "{n10}", "{n3}/{n4}/{n5}", "{d4} {d4} {d4}", "{letter}{letter}{n6}")
    )
    return {
        "bic": _fill_template(bank + iban[:2] + bic, {}, rng) if iban and rng.random() < 0.75 else None,
        "bank_account_number": _fill_template(number, {}, rng) if rng.random() < (0.1 if iban else 0.3) else None,
        "payment_reference": _fill_template(reference, {}, rng) if rng.random() < 0.14 else None,
    }


def _service_period(day: date, rng: Random) -> dict[str, date]:
    """The month before the invoice, or some days before it."""
    if rng.random() > 0.14:
        return {}
    if rng.random() < 0.5:
        end = day.replace(day=1) - timedelta(days=1)
        return {"service_period_start": end.replace(day=1), "service_period_end": end}
    end = day - timedelta(days=rng.randrange(10))
    return {"service_period_start": end - timedelta(days=rng.choice((1, 4, 6, 13, 30))), "service_period_end": end}


def draw_company(market: Market, rng: Random) -> str:
    """Draw the name of a company."""
    return _company(market.lists, rng)


def draw_person(market: Market, rng: Random) -> str:
    """Draw the name of a person."""
    return _fill_template("{person}", market.lists, rng)


def draw_address(market: Market, rng: Random) -> str:
    """Draw an address on one line; `parties.address_lines` breaks it into lines."""
    return _address(market, rng, 0.2)


def draw_description(market: Market, rng: Random) -> str:
    """Draw the description of an item, some with figures: sizes, shares, days."""
    text = _description(rng.choice(("goods", "hours")), rng.choice((0.0, 0.15, 0.5)), market.lists, rng)
    return _with_figures(text, rng) if rng.random() < FIGURES_SHARE else text


def _with_figures(text: str, rng: Random) -> str:
    """Return a description with figures in front, behind, or both: "12 ft …", "… (30 %)", "… 06/12/2022"."""
    number, other = rng.choice((2, 3, 4, 6, 8, 10, 12, 15, 16, 20, 24, 27, 30, 50, 100)), rng.randint(1, 99)
    fronts = ("{} x ", "{} ", '{}" ', "{}-", "{} cm ", "{} ft ", "{} x {} ")
    backs = (
        " ({} %)",
        " {} %",
        " {}%",
        " ({})",
        " {} x {}",
        " {},000",
        " {:02}/{:02}/2022",
        " - {},{:02}",
        " ({} x {}%)",
    )
    front = rng.choice(fronts).format(number, other) if rng.random() < 0.5 else ""
    back = rng.choice(backs).format(number, min(other, 12)) if not front or rng.random() < 0.4 else ""
    return front + text + back


def draw_invoice_id(market: Market, rng: Random) -> str:
    """Draw the number of an invoice."""
    day = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS))
    return _fill_template(rng.choice(_INVOICE_ID_TEMPLATES), _dated_lists(market, day), rng)


def draw_order_number(rng: Random) -> str:
    """Draw the number of a customer's order."""
    day = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS))
    return _fill_template(rng.choice(_ORDER_NUMBER_TEMPLATES), _dated(day), rng)


def draw_email_address(market: Market, rng: Random) -> str:
    """Draw the e-mail address of a company."""
    return _email_address(_company(market.lists, rng), market, rng)


def draw_phone_number(market: Market, rng: Random) -> str:
    """Draw a phone number."""
    return _fill_template("{phone}", market.lists, rng)


def draw_product_code(rng: Random) -> str:
    """Draw the code of a product."""
    return _fill_template(rng.choice(_PRODUCT_CODE_TEMPLATES), {}, rng)


def _dated(day: date) -> WordLists:
    return {"year": (str(day.year),), "short": (f"{day.year % 100:02}",), "month": (f"{day.month:02}",)}


def _dated_lists(market: Market, day: date) -> WordLists:
    """The lists of a market, with the parts of a day and the prefixes of invoice numbers."""
    return {**market.lists, **_dated(day), "prefix": tuple(_INVOICE_ID_PREFIXES.get(market.language, "F FV").split())}


def _fill_template(template: str, lists: WordLists, rng: Random) -> str:
    return " ".join(expand(template, lists, rng).split())


def _term(days: int, lists: WordLists, rng: Random) -> str | None:
    """Payment terms, as a phrase or a sentence."""
    if rng.random() > 0.55:
        return None
    form = "term_now" if not days else "term_sentence" if rng.random() < 0.35 else "term_days"
    term = _fill_template("{" + form + "}", {**lists, "days": (str(days),)}, rng)
    if form == "term_sentence" and rng.random() < 0.6:
        term += "."
    return term.upper() if rng.random() < 0.04 else term


def _vendor(market: Market, lists: WordLists, rng: Random) -> dict[str, object]:
    name = _company(lists, rng)
    upper_cased = rng.random() < 0.12
    address = _address(market, rng, 0.12) if rng.random() < 0.83 else None
    return {
        "vendor_name": (name.upper() if upper_cased else name) if rng.random() < 0.98 else None,
        "vendor_address": address.upper() if address and upper_cased and rng.random() < 0.6 else address,
        "vendor_tax_id": _tax_id(market, rng),
        "vendor_phone": _fill_template("{phone}", market.lists, rng) if rng.random() < 0.55 else None,
        "vendor_email": _email_address(name, market, rng) if rng.random() < 0.4 else None,
    }


def _email_address(name: str, market: Market, rng: Random) -> str:
    host = re.sub(r"[^a-z0-9-]", "", name.lower().replace(" ", "-" if rng.random() < 0.3 else ""))[:18].strip("-")
    user = rng.choice(("info", "office", "billing", "mail", "contact", "buchhaltung", "sales", "accounts", "hello"))
    return f"{user}@{host or 'office'}.{rng.choice(('com', market.country.lower(), market.country.lower()))}"


def _company(lists: WordLists, rng: Random) -> str:
    roll = rng.random()
    trade = rng.choice(("grocery", "hardware", "services", "electronics", "stationery", "restaurant"))
    return _fill_template(
        "{business}" if roll < 0.72 else "{name}",
        lists if roll < 0.9 else {**lists, "trade": lists[f"trade_{trade}"]}, rng,
    )  # fmt: skip


def _tax_id(market: Market, rng: Random) -> str | None:
    if market.country == "US":
        return _fill_template("{tax_id_number}", {"tax_id_number": ("{n2}-{n7}",)}, rng) if rng.random() < 0.3 else None
    if rng.random() > 0.74:
        return None
    if market.country == "DE" and rng.random() < 0.15:
        return _fill_template(rng.choice(("{n2}/{n3}/{d5}", "{n3}/{n4}/{d4}")), {}, rng)
    if market.tax_id is None:
        return _fill_template(rng.choice(market.locale.lists["tax_id"]), market.locale.lists, rng)
    return make_tax_id(market.tax_id, rng)


def _customer(market: Market, rng: Random) -> dict[str, object]:
    abroad = rng.random() < 0.07
    home = choose_market(rng) if abroad else market
    person = rng.random() < 0.22
    name = _fill_template("{person}", home.lists, rng) if person else _company(home.lists, rng)
    address = _address(home, rng, 0.9 if abroad else 0.06)
    if rng.random() < 0.06:
        name, address = name.upper(), address.upper()
    ship_to = rng.random() < 0.1
    other = _company(home.lists, rng) if rng.random() < 0.5 else name
    number = rng.choice(("{n5}", "{n6}", "{n4}", "K{n5}", "C{n4}", "{letter}{n4}", "1{d4}", "D{n5}", "{n3}-{n3}"))
    return {
        "customer_name": name if rng.random() < 0.84 else None,
        "customer_address": address if rng.random() < 0.79 else None,
        "customer_id": _fill_template(number, {}, rng) if rng.random() < 0.34 else None,
        "customer_tax_id": _customer_tax_id(home, rng) if not person and rng.random() < 0.22 else None,
        "ship_to_name": other if ship_to else None,
        "ship_to_address": _address(home, rng, 0.06) if ship_to else None,
    }


def _customer_tax_id(market: Market, rng: Random) -> str:
    return _tax_id(market, rng) or _fill_template(rng.choice(("{letter}{letter}{n9}", "{n9}", "{n11}")), {}, rng)


def _address(market: Market, rng: Random, with_country: float) -> str:
    """An address on one line; `parties.address_lines` breaks it into lines."""
    lines = [_fill_template(line, market.lists, rng) for line in rng.choice(market.address).split("/")]
    if rng.random() < with_country:
        lines.append(market.name.upper() if rng.random() < 0.3 else market.name)
    between = " " if any(line.endswith(",") for line in lines) or rng.random() < 0.72 else ", "
    return between.join(lines).replace("..", ".").lstrip("#")


def _bill(market: Market, lists: WordLists, rng: Random) -> dict[str, object]:
    """Items and sums that agree with each other, as far as they are printed."""
    columns = _columns(market, rng)
    taxed = rng.random() >= market.untaxed
    tax_within_prices = taxed and rng.random() < market.tax_within
    rates = _rates(market, rng) if taxed else (Decimal(0),)
    items = _items(market, lists, rates, rng)
    amounts = _sum_items(items, tax_within_prices, rng, market)
    shown = () if rng.random() < 0.16 else tuple(_as_printed(item, columns) for item in items)
    simple = not (amounts.tax or amounts.discount or amounts.charge)
    subtotal = amounts.items if rng.random() < (0.4 if simple else 0.15 if tax_within_prices else 0.86) else None
    tax: Decimal | None = amounts.tax
    if rng.random() < (0.85 if not amounts.tax else 0.45 if amounts.rates > 1 else 0.08):
        tax = None
    due, paid = None, rng.random() < 0.13 and amounts.total > 20
    if paid:
        due = amounts.total - _deposit(amounts.total, rng)
    elif rng.random() < 0.2:
        due = amounts.total
    within = tax_within_prices and bool(amounts.tax)
    return {
        "line_items": shown,
        "taxes": _printed_taxes(amounts, tax, within, market, rng),
        "total_charge": amounts.charge or None,
        "subtotal": subtotal,
        "total_discount": amounts.discount or None,
        "total_tax": tax,
        "total": amounts.total,
        "amount_due": due,
    }


def _printed_taxes(
    amounts: _Amounts, tax: Decimal | None, within: bool, market: Market, rng: Random
) -> tuple[Tax, ...]:
    """What is printed of the taxes besides their sum, `tax`, which is a field of its own where there is one rate."""
    with_net = rng.random() < 0.18
    if not amounts.tax:
        return ()
    if tax is None:
        if within:
            return ()
        return amounts.by_rate if len(amounts.by_rate) > 1 else _in_parts(amounts.by_rate[0], market, rng)
    if len(amounts.by_rate) > 1:
        rows = amounts.by_rate if not within or with_net else ()
        return tuple(row if with_net else row.model_copy(update={"net_amount": None}) for row in rows)
    only = amounts.by_rate[0]
    if with_net:
        return (Tax(rate=only.rate, net_amount=only.net_amount),)
    return (Tax(rate=only.rate),) if rng.random() < 0.75 else ()


def _in_parts(tax: Tax, market: Market, rng: Random) -> tuple[Tax, ...]:
    """A tax of two parts: of India's centre and state, or of a state and a town."""
    amount = tax.amount or Decimal(0)
    if market.country == "IN":
        half = round_to_cents(amount / 2)
        return tuple(Tax(rate=(tax.rate or Decimal(0)) / 2, amount=part) for part in (half, amount - half))
    first = round_to_cents(amount * Decimal(rng.choice(("0.5", "0.7", "0.8", "0.9"))))
    return Tax(amount=first), Tax(amount=amount - first)


def _columns(market: Market, rng: Random) -> _PrintedColumns:
    quantity = rng.random() < 0.88
    europe = market.bank is not None
    return _PrintedColumns(
        product_code=rng.random() < 0.3,
        quantity=quantity,
        unit=quantity and rng.random() < (0.55 if europe else 0.35),
        unit_price=quantity and rng.random() < 0.92,
        tax_rate=rng.random() < (0.34 if europe else 0.12),
        amount=rng.random() < 0.97,
    )


def _rates(market: Market, rng: Random) -> tuple[Decimal, ...]:
    """The tax rates of one invoice, percent: mostly one, sometimes two."""
    usual = Decimal(rng.choice(market.tax_rates))
    if rng.random() < 0.85 or market.country in ("US", "CA"):
        return (usual,)
    return (usual, Decimal(rng.choice((*market.tax_rates, "0"))))


def draw_items(market: Market, rates: Sequence[Decimal], count: int, rng: Random) -> list[LineItem]:
    """Draw so many items with all of their fields. rates: of the tax, percent."""
    items: list[LineItem] = []
    while len(items) < count:
        items += _items(market, market.lists, rates, rng)
    return items[:count]


def _items(market: Market, lists: WordLists, rates: Sequence[Decimal], rng: Random) -> list[LineItem]:
    """All items, with all of their fields."""
    kinds = rng.choice(_ASSORTMENTS)
    count = min(30, 1 + int(rng.expovariate(1 / rng.choice((0.8, 2.0, 3.0, 6.0, 12.0)))))
    code, detailed, upper_cased = (
        rng.choice(_PRODUCT_CODE_TEMPLATES),
        rng.choice((0.0, 0.0, 0.15, 0.5, 0.9)),
        rng.random() < 0.08,
    )
    rebate = Decimal(rng.choice((5, 10, 10, 15, 20, 25))) if rng.random() < 0.06 else Decimal(0)
    level = rng.lognormvariate(0, 0.8) * market.locale.price_scale
    units = {kind: rng.choice(lists[f"unit_{kind}"]) for kind in ("hours", "days", "goods", "bulk", "flat")}
    items: list[LineItem] = []
    for _ in range(count):
        kind = rng.choice(kinds)
        quantity = _quantity(kind, rng)
        price = _price(kind, level, rng)
        less = rebate if rng.random() < 0.6 else Decimal(0)
        amount = round_to_cents(price * quantity * (1 - less / 100))
        description = _description(kind, detailed, lists, rng)
        unit = rng.choice(lists[f"unit_{kind}"]) if rng.random() < 0.15 else units[kind]
        items.append(
            LineItem(
                description=description.upper() if upper_cased else description,
                product_code=expand(code, lists, rng),
                quantity=quantity,
                unit=unit,
                unit_price=price,
                tax_rate=rng.choice(rates) if len(rates) > 1 else rates[0],
                amount=amount,
            )
        )
    if "goods" in kinds and rng.random() < 0.12:
        price = round_to_cents(Decimal(str(round(rng.uniform(3, 45), 2))) * market.locale.price_scale)
        charge = _fill_template("{charge}", lists, rng)
        code = expand(code, lists, rng)
        one = Decimal(1)
        items.append(
            LineItem(
                description=charge,
                product_code=code,
                quantity=one,
                unit=units["flat"],
                unit_price=price,
                tax_rate=rates[0],
                amount=price,
            )
        )
    return items


def _description(kind: str, detailed: float, lists: WordLists, rng: Random) -> str:
    source = "goods" if kind in ("goods", "bulk") else "service"
    text = _fill_template("{" + source + "}", lists, rng)
    while rng.random() < detailed * 0.7 and len(text) < 120:
        text += rng.choice((", ", " - ", " ", "; ", ", ")) + _fill_template("{detail}", lists, rng)
    return text[:1].upper() + text[1:]


def _quantity(kind: str, rng: Random) -> Decimal:
    if kind == "hours":
        return Decimal(rng.choice((1, 2, 3, 4, 8, rng.randint(1, 60)))) + Decimal(
            rng.choice(("0", "0", "0", "0.5", "0.25", "0.75"))
        )
    if kind == "bulk":
        return Decimal(str(round(rng.uniform(0.5, 180), rng.choice((0, 1, 2, 2, 3))))) or Decimal(1)
    if kind in ("flat", "days"):
        return Decimal(rng.choice((1, 1, 1, 1, 2, 3, 5, 12, "0.5") if kind == "days" else (1, 1, 1, 1, 1, 2, 3, 12)))
    return Decimal(
        rng.choice((1, 1, 1, 2, 2, 3, 4, 5, 6, 10, 12, 20, 25, 50, 100, rng.randint(1, 40), rng.randint(1, 1500)))
    )


def _price(kind: str, level: float, rng: Random) -> Decimal:
    middle = {"goods": 24.0, "bulk": 9.0, "hours": 68.0, "days": 420.0, "flat": 160.0}[kind]
    spread = 0.25 if kind == "hours" else 0.9
    amount = Decimal(str(round(middle * level * rng.lognormvariate(0, spread), 2)))
    ending = rng.choice((None, None, "0.00", "0.00", "0.50", "0.90", "0.95", "0.99"))
    if ending is not None:
        amount = amount.to_integral_value() + Decimal(ending)
    return max(amount, Decimal("0.35")).quantize(_CENT)


def _sum_items(items: Sequence[LineItem], tax_within_prices: bool, rng: Random, market: Market) -> _Amounts:
    """Discount and charges over all items; the tax of each rate is rounded separately."""
    gross = sum((item.amount or Decimal(0) for item in items), Decimal(0))
    rates = {item.tax_rate or Decimal(0) for item in items}
    discount = _discount(gross, rng)
    scale = market.locale.price_scale
    charge = Decimal(0)
    if len(rates) == 1 and rng.random() < 0.12:
        charge = min(round_to_cents(Decimal(str(round(rng.uniform(2.5, 60), 2))) * scale), round_to_cents(gross / 5))
    taxes: list[Tax] = []
    for rate in sorted(rates):
        share = sum((item.amount or Decimal(0) for item in items if item.tax_rate == rate), Decimal(0))
        base = share * (1 - discount / gross) + (charge if len(rates) == 1 else Decimal(0))
        amount = round_to_cents(base * rate / (100 + rate if tax_within_prices else 100))
        net = round_to_cents(base) - (amount if tax_within_prices else 0)
        taxes.append(Tax(rate=rate, net_amount=net, amount=amount))
    tax = sum((one.amount or Decimal(0) for one in taxes), Decimal(0))
    total = gross - discount + charge + (Decimal(0) if tax_within_prices else tax)
    if market.country == "CH" and rng.random() < 0.4:
        total = round_to_cents((total / Decimal("0.05")).quantize(Decimal(1), ROUND_HALF_UP) * Decimal("0.05"))
    return _Amounts(gross, discount, charge, tax, total, tax_within_prices, tuple(taxes))


def _discount(gross: Decimal, rng: Random) -> Decimal:
    if rng.random() < 0.84 or gross < 5:
        return Decimal(0)
    percent = Decimal(rng.choice((2, 3, 5, 5, 10, 10, 15, 20, 25)))
    return (
        round_to_cents(gross * percent / 100)
        if rng.random() < 0.75
        else Decimal(max(1, int(gross / rng.randint(5, 30))))
    )


def _deposit(total: Decimal, rng: Random) -> Decimal:
    """What was paid in advance; less than the total."""
    share = Decimal(rng.choice(("0.1", "0.2", "0.25", "0.3", "0.5", "0.5")))
    part = total * share
    return round_to_cents(part) if rng.random() < 0.5 else max(Decimal(1), Decimal(int(part / 10) * 10)).quantize(_CENT)


def _as_printed(item: LineItem, columns: _PrintedColumns) -> LineItem:
    return LineItem(
        description=item.description,
        product_code=item.product_code if columns.product_code else None,
        quantity=item.quantity if columns.quantity else None,
        unit=item.unit if columns.unit else None,
        unit_price=item.unit_price if columns.unit_price else None,
        tax_rate=item.tax_rate if columns.tax_rate else None,
        amount=item.amount if columns.amount else None,
    )

"""Draws the values of synthetic receipts, with the habits of many countries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from docextract.documents.base import SUM_TOLERANCE
from docextract.documents.billing import LineItem
from docextract.documents.receipt import Payment, Receipt
from training.synth.documents.grammar import expand
from training.synth.documents.locales import Locale, locales, round_to_cents
from training.synth.documents.receipt.words import receipt_words

_CENT = Decimal("0.01")
_TRADES = (
    ("restaurant", 30), ("cafe", 12), ("grocery", 22), ("hardware", 9), ("pharmacy", 5), ("clothing", 6),
    ("stationery", 5), ("electronics", 3), ("services", 4), ("fuel", 4),
)  # fmt: skip
_SHORT_CODES = ("{n4}", "{n3}", "{n5}", "{letter}{n4}", "{letter}{letter}{d2}", "{d3}", "{letter}{letter}{n3}")
_BARCODES = (
    "{n13}", "{n13}", "9{d12}", "{n12}", "{n8}", "0000{n8}", "{n4}-{d4}", "{n6}", "{n9}",
    "{letter}{letter}{d2}-{n2}/{n2}",
)  # fmt: skip
_FIRST_DAY = date(2009, 1, 1)
_DAYS = 365 * 18


@dataclass(frozen=True)
class _Shop:
    """The shop of a receipt and the habits of its cash register."""

    locale: Locale
    trade: str
    upper_cased: frozenset[str]  # what is in capitals: of "name", "address", "items", "payments"
    tax_rate: Decimal  # 0.06 is 6 %
    tax_added: bool


def sample(rng: Random) -> Receipt:
    """Draw the values of a receipt of an invented shop; its sums add up."""
    every = locales()
    locale = rng.choices(every, [each.weight for each in every])[0]
    trade = rng.choices([name for name, _ in _TRADES], [weight for _, weight in _TRADES])[0]
    rate = Decimal(rng.choice(locale.tax_rates)) / 100 if rng.random() < 0.85 else Decimal(0)
    probability = rng.choice((0.0, 0.7, 1.0, 1.0) if locale.code == "MY" else (0.0, 0.0, 0.4, 1.0))
    upper_cased = frozenset(part for part in ("name", "address", "items", "payments") if rng.random() < probability)
    shop = _Shop(locale, trade, upper_cased, rate, rng.random() < locale.tax_added)
    lists = {**locale.lists, "trade": locale.lists[f"trade_{trade}"]}

    def text(slot: str, presence: float = 1.0) -> str | None:
        """A text drawn from this slot; None with probability 1 - presence."""
        if rng.random() >= presence:
            return None
        made = " ".join(expand("{" + slot + "}", lists, rng).split())
        return _change_case(made, shop, slot)

    moment = _moment(rng)
    return Receipt(
        currency=locale.currency,
        merchant_name=text("name"),
        merchant_address=_address(text("address", 0.94), rng),
        merchant_phone=text("phone", 0.72),
        merchant_tax_id=text("tax_id", 0.08 if locale.code == "US" else 0.6),
        document_number=text("receipt_id", 0.8),
        document_date=_FIRST_DAY + timedelta(days=rng.randrange(_DAYS)),
        transaction_time=moment if rng.random() < 0.8 else None,
        **_purchase(shop, rng),
    )  # fmt: skip


def _change_case(text: str, shop: _Shop, part: str) -> str:
    return text.upper() if part in shop.upper_cased else text


def _address(address: str | None, rng: Random) -> str | None:
    """The address as shops type it: on some receipts without the space behind a comma, or with a space before it."""
    if address is None:
        return None
    roll = rng.random()
    if roll < 0.06:
        return address.replace(", ", ",")
    return address.replace(", ", " , ") if roll < 0.08 else address


def _moment(rng: Random) -> time:
    hour = rng.choice((rng.randint(0, 23), rng.randint(8, 21), rng.randint(11, 20)))
    return time(hour, rng.randint(0, 59), rng.choice((0, rng.randint(0, 59))))


def _purchase(shop: _Shop, rng: Random) -> dict[str, object]:
    """Items, sums and payments that agree with each other."""
    items = _items(shop, rng)
    gross = sum((item.amount or Decimal(0) for item in items), Decimal(0))
    discount = _discount(gross, rng)
    due = gross - (discount or Decimal(0))
    tip = _tip(shop, due, rng)
    base = due + (tip or Decimal(0)) if shop.locale.code in ("MY", "SG", "IN") else due
    tax = round_to_cents(base * shop.tax_rate if shop.tax_added else base - base / (1 + shop.tax_rate))
    exact = due + (tip or Decimal(0)) + (tax if shop.tax_added else Decimal(0))
    total = _round_total(exact, shop.locale, rng)
    shown_tax = None if not tax and rng.random() < 0.7 else tax
    if rng.random() < (0.06 if shop.tax_added else 0.35):
        shown_tax = None
    subtotal = _subtotal(shop, gross, due, shown_tax or Decimal(0), rng)
    payments, change = _payments(shop, total, rng)
    return {
        "line_items": _as_printed(items, rng), "subtotal": subtotal, "total_tax": shown_tax, "tip": tip,
        "total_discount": discount, "total": total, "payments": payments, "change": change,
    }  # fmt: skip


def _subtotal(shop: _Shop, gross: Decimal, due: Decimal, tax: Decimal, rng: Random) -> Decimal | None:
    """The value of the goods, as this cash register defines it."""
    if shop.tax_added:
        return rng.choice((gross, due)) if not tax or rng.random() < 0.93 else None
    if rng.random() < 0.5:
        return None
    return due - tax if tax and rng.random() < 0.4 else rng.choice((gross, due))


def _discount(gross: Decimal, rng: Random) -> Decimal | None:
    roll = rng.random()
    if roll < 0.82 or gross <= 1:
        return None
    if roll < 0.88:
        return Decimal("0.00")
    share = Decimal(rng.choice(("0.05", "0.1", "0.1", "0.15", "0.2", "0.25", "0.5")))
    return (
        round_to_cents(gross * share)
        if rng.random() < 0.7
        else min(Decimal(rng.choice((1, 2, 3, 5, 10))), round_to_cents(gross / 2))
    )


def _tip(shop: _Shop, due: Decimal, rng: Random) -> Decimal | None:
    """A tip or a service charge where it is usual."""
    code = shop.locale.code
    presence = {"US": 0.3, "CA": 0.3, "MY": 0.22, "SG": 0.35, "GB": 0.3, "IN": 0.15, "MX": 0.2}.get(code, 0.06)
    if shop.trade not in ("restaurant", "cafe") or rng.random() >= presence:
        return None
    if rng.random() < 0.12:
        return Decimal("0.00")
    shares = ("0.15", "0.18", "0.2", "0.22") if code in ("US", "CA") else ("0.1", "0.1", "0.05", "0.125")
    tip = due * Decimal(rng.choice(shares))
    return Decimal(max(1, round(tip))) if code == "US" and rng.random() < 0.3 else round_to_cents(tip)


def _round_total(exact: Decimal, locale: Locale, rng: Random) -> Decimal:
    """The total rounded to the smallest coin, where cash is rounded."""
    presence = {"MY": 0.8, "IN": 0.6, "CH": 1.0}.get(locale.code, 0.3)
    step = locale.cash_step if rng.random() < presence else _CENT
    if step > 1 - _CENT and abs(exact - round(exact)) > SUM_TOLERANCE:
        step = _CENT  # rounding by up to a whole rupee is more than the checks allow
    return round_to_cents((exact / step).quantize(Decimal(1), ROUND_HALF_UP) * step)


def _price(shop: _Shop, quantity: Decimal, rng: Random) -> Decimal:
    """The price of one piece: mostly small, seldom large, with a usual ending."""
    middle = {
        "restaurant": 11, "cafe": 4, "grocery": 4, "hardware": 12, "pharmacy": 14, "clothing": 28, "stationery": 6,
        "electronics": 45, "services": 22, "fuel": 5,
    }[shop.trade]  # fmt: skip
    if shop.trade == "fuel" and quantity % 1:  # price per litre or gallon
        return round_to_cents(Decimal(str(rng.uniform(1.1, 4.2))) * min(shop.locale.price_scale, 20))
    amount = Decimal(str(round(middle * shop.locale.price_scale * rng.lognormvariate(0, 0.75), 2)))
    ending = rng.choice((None, None, "0.00", "0.50", "0.90", "0.95", "0.99", "0.99", "0.05", "0.80"))
    if ending is not None:
        amount = amount.to_integral_value() + Decimal(ending)
    return max(amount, Decimal("0.10")).quantize(_CENT)


def _items(shop: _Shop, rng: Random) -> list[LineItem]:
    """All items, with all of their fields."""
    lists = shop.locale.lists
    templates = _assortment(shop)
    served = shop.trade in ("restaurant", "cafe", "services", "fuel")
    coded = rng.random() < (0.12 if served else 0.42)
    code = rng.choice(_SHORT_CODES if served else _SHORT_CODES + _BARCODES)
    count = min(28, 1 + int(rng.expovariate(1 / rng.choice((1.5, 3.0, 7.0)))))
    items: list[LineItem] = []
    for _ in range(count if shop.trade != "fuel" else min(count, 3)):
        quantity = _quantity(shop, rng)
        unit_price = _price(shop, quantity, rng)
        description = " ".join(expand(rng.choice(templates), lists, rng).split())
        items.append(
            LineItem(
                description=_change_case(description, shop, "items"),
                product_code=expand(code, lists, rng) if coded else None,
                quantity=quantity,
                unit_price=unit_price,
                amount=round_to_cents(unit_price * quantity),
            )
        )
        if len(items) > 1 and rng.random() < 0.015:
            worth = min(round_to_cents(unit_price / 2), items[-1].amount or unit_price)
            items.append(LineItem(description=rng.choice(("DISCOUNT", "COUPON", "REFUND", "VOID")), amount=-worth))
    return items


def _assortment(shop: _Shop) -> tuple[str, ...]:
    """Templates of the goods of this shop."""
    lists = shop.locale.lists
    if shop.locale.language != "en" and shop.trade not in ("restaurant", "cafe", "grocery"):
        return lists["items_general"]
    return lists[f"items_{shop.trade}"]


def _quantity(shop: _Shop, rng: Random) -> Decimal:
    if shop.trade in ("grocery", "fuel") and rng.random() < (0.1 if shop.trade == "grocery" else 0.5):
        return Decimal(str(round(rng.uniform(0.1, 2.5 if shop.trade == "grocery" else 45.0), 3)))
    return Decimal(rng.choice((1, 1, 1, 1, 1, 1, 2, 2, 3, rng.randint(1, 12))))


def _as_printed(items: Sequence[LineItem], rng: Random) -> tuple[LineItem, ...]:
    """What the receipt prints of its items: the same columns for all of them."""
    if rng.random() < 0.05:
        return ()
    keep = rng.choices(("all", "quantity", "many", "price"), (38, 26, 18, 18))[0]
    printed: list[LineItem] = []
    for item in items:
        single = item.quantity in (None, 1)
        detailed = keep == "all" or (keep == "many" and not single)
        quantity = item.quantity if detailed or keep == "quantity" else None
        unit_price = item.unit_price if detailed else None
        if quantity is not None and quantity % 1 and unit_price is None:
            quantity = None
        printed.append(item.model_copy(update={"quantity": quantity, "unit_price": unit_price}))
    return tuple(printed)


def _payments(shop: _Shop, total: Decimal, rng: Random) -> tuple[tuple[Payment, ...], Decimal | None]:
    """The printed payments, and the change."""
    if rng.random() < 0.16 or total <= 0:
        return (), None
    words = receipt_words(shop.locale.language, shop.locale.code)
    lists = {**shop.locale.lists, **words}

    def method(kind: str) -> str:
        return _change_case(expand("{" + kind + "}", lists, rng), shop, "payments")

    if rng.random() < 0.55:
        given = _cash_given(total, shop.locale, rng)
        change = given - total
        shown = change if change or rng.random() < 0.6 else None
        return (Payment(method=method("cash"), amount=given),), shown
    if rng.random() < 0.07 and total > 5:
        first = round_to_cents(total * Decimal(rng.choice(("0.25", "0.5", "0.4"))))
        return (
            Payment(method=method("card"), amount=first), Payment(method=method("cash"), amount=total - first),
        ), None  # fmt: skip
    amount = total if rng.random() < 0.9 else None
    return (Payment(method=method("card"), amount=amount),), Decimal("0.00") if rng.random() < 0.15 else None


def _cash_given(total: Decimal, locale: Locale, rng: Random) -> Decimal:
    """The exact amount, or the next larger amount in notes."""
    if rng.random() < 0.3:
        return total
    note = Decimal(rng.choice((1, 5, 10, 10, 20, 50, 50, 100))) * (1 if locale.price_scale == 1 else 10)
    return round_to_cents((total / note).quantize(Decimal(1), "ROUND_CEILING") * note)

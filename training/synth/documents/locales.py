"""How countries print names, addresses, dates and money, for the generators of all document types."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, time
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

from docextract.documents.values import DateOrder
from training.synth.documents.data_files import check_keys, read_table, word_lists
from training.synth.documents.grammar import WordLists

_LIST_NAMES = (
    "address", "company_id", "items_general", "phone", "receipt_id", "receipt_label", "tax_id", "tax_id_label",
)  # fmt: skip
_SWAP_COMMA_AND_POINT = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class Locale:
    """How one country prints."""

    code: str  # ISO 3166-1 alpha-2
    weight: float  # share of the synthetic receipts, relative to the other locales
    language: str  # ISO 639-1
    currency: str  # ISO 4217
    date_order: DateOrder
    money: tuple[str, ...]  # templates of an amount to pay, the most usual first
    dates: tuple[str, ...]  # templates of `format_date`
    clocks: tuple[str, ...]  # templates of `format_time`
    tax_rates: tuple[str, ...]  # percent
    tax_added: float  # probability that prices are before tax
    lists: WordLists
    comma: bool = False  # decimal comma: 12,50 rather than 12.50
    cash_step: Decimal = Decimal("0.01")  # what a total is rounded to where cash is rounded
    price_scale: int = 1  # rough price of a small thing, in units of the currency


def format_date(day: date, template: str, language: str) -> str:
    """Format a day by a template of a locale.

    language: ISO 639-1. Where only the short names of its months are known, they stand for the long ones too.
    """
    tables = read_table("locales")
    short = tables["short_months"][language]
    return template.format(
        d=day.day,
        m=day.month,
        y=day.year,
        s=day.year % 100,
        mon=short[day.month - 1],
        month=tables["months"].get(language, short)[day.month - 1],
        day=tables["weekdays"].get(language, tables["weekdays"]["en"])[day.weekday()],
    )


def format_time(moment: time, template: str) -> str:
    """Format a time by a template of a locale; {t} is the hour on a 12-hour clock."""
    half = "AM" if moment.hour < 12 else "PM"
    return template.format(h=moment.hour, t=(moment.hour - 1) % 12 + 1, i=moment.minute, s=moment.second, ap=half)


def format_amount(amount: Decimal, comma: bool = False, grouped: bool = True) -> str:
    """Format an amount with two decimals; the sign is kept.

    comma: a decimal comma instead of a point. grouped: with separators between thousands.
    """
    text = f"{amount:,.2f}" if grouped else f"{amount:.2f}"
    return text.translate(_SWAP_COMMA_AND_POINT) if comma else text


def round_to_cents(amount: Decimal) -> Decimal:
    """Round to two decimals, half a cent up, as cash registers do."""
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


@cache
def locales() -> tuple[Locale, ...]:
    """Return every locale, in the order of data/locales.toml."""
    tables = read_table("locale_words")
    words = word_lists("locale_words", tables, {*tables["en"], *_LIST_NAMES})
    return tuple(_locale(facts, words) for facts in read_table("locales")["locale"])


def _locale(facts: Mapping[str, Any], words: Mapping[str, WordLists]) -> Locale:
    known = {field.name for field in fields(Locale)} - {"lists"} | {"words"}
    check_keys("locales", f"locale {facts.get('code')}", facts, known)
    lists: dict[str, tuple[str, ...]] = {}
    for name in facts["words"]:
        lists |= words[name]
    return Locale(
        code=facts["code"],
        weight=facts["weight"],
        language=facts["language"],
        currency=facts["currency"],
        date_order=facts["date_order"],
        money=tuple(facts["money"]),
        dates=_templates("date_templates", facts["dates"]),
        clocks=_templates("clock_templates", facts["clocks"]),
        tax_rates=tuple(facts["tax_rates"]),
        tax_added=facts["tax_added"],
        lists=lists,
        comma=facts.get("comma", False),
        cash_step=Decimal(facts.get("cash_step", "0.01")),
        price_scale=facts.get("price_scale", 1),
    )


def _templates(table: str, groups: list[str]) -> tuple[str, ...]:
    """The templates of these groups, one group after the other."""
    return tuple(template for group in groups for template in read_table("locales")[table][group])


@cache
def towns(locale_code: str) -> tuple[str, ...]:
    """Return the towns of a locale in capitals, to find the place within an address."""
    found = next(locale for locale in locales() if locale.code == locale_code)
    return tuple(name.upper() for name in found.lists["town"] if "{" not in name)

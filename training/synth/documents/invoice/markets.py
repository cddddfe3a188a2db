"""Where invoices are written: a country and a language with its money, taxes, banks and address lines."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cache, cached_property
from random import Random
from typing import Any, Literal

from training.synth.documents.data_files import check_keys, read_table, word_lists
from training.synth.documents.grammar import WordLists
from training.synth.documents.invoice.words import invoice_words
from training.synth.documents.locales import Locale, locales

Separators = Literal["1,234.56", "1.234,56", "1 234,56", "1'234.56", "1234,56", "1234.56", "1,23,456.00"]

_SEPARATOR_CHARACTERS = {  # between thousands, before the decimals
    "1,234.56": (",", "."), "1.234,56": (".", ","), "1 234,56": (" ", ","), "1'234.56": ("'", "."),
    "1234,56": ("", ","), "1234.56": ("", "."), "1,23,456.00": ("lakh", "."),
}  # fmt: skip
_OWN_LIST_NAMES = ("town", "phone", "suffix", "postcode", "county", "family", "letter_low")


@dataclass(frozen=True)
class Market:
    """One country in one language."""

    country: str  # ISO 3166-1 alpha-2
    name: str  # as the last line of an address
    weight: float  # share of the synthetic invoices, relative to the other markets
    locale: Locale
    lists: WordLists  # names, places and the words of its invoices
    separators: tuple[Separators, ...]
    tax_names: tuple[str, ...]
    tax_rates: tuple[str, ...]  # percent, the most usual ones repeated
    untaxed: float  # share of invoices without tax
    tax_within: float  # share of invoices whose prices are after tax
    address: tuple[str, ...]  # templates, "/" between lines
    tax_id: str | None  # country of `make_tax_id`, or None where numbers have no rule
    bank: str | None  # country of its IBANs, or None
    letter: bool = False  # US Letter rather than A4

    @property
    def language(self) -> str:
        """ISO 639-1."""
        return self.locale.language

    @cached_property
    def towns(self) -> tuple[str, ...]:
        """Its towns in lower case, to find the place within an address."""
        return tuple(town.lower() for town in self.lists["town"] if "{" not in town and len(town) > 2)


@cache
def markets() -> tuple[Market, ...]:
    """Return every market, in the order of data/markets.toml."""
    return tuple(_market(facts) for facts in read_table("markets")["market"])


def _market(facts: Mapping[str, Any]) -> Market:
    name = f"market {facts.get('name')}"
    known = {field.name for field in fields(Market)} - {"lists"} | {"words", "language", "currency"}
    check_keys("markets", name, facts, known)
    base = next(locale for locale in locales() if locale.code == facts["locale"])
    locale = replace(
        base,
        code=facts["country"],
        language=facts.get("language", base.language),
        currency=facts.get("currency", base.currency),
    )
    own = word_lists("markets", {f"{name} words": facts.get("words", {})}, _OWN_LIST_NAMES)[f"{name} words"]
    return Market(
        country=facts["country"],
        name=facts["name"],
        weight=facts["weight"],
        locale=locale,
        lists={**base.lists, **invoice_words(locale.language, facts["country"]), **own},
        separators=tuple(facts["separators"]),
        tax_names=tuple(facts["tax_names"]),
        tax_rates=tuple(facts["tax_rates"]),
        untaxed=facts.get("untaxed", 0.1),
        tax_within=facts.get("tax_within", 0.08),
        address=tuple(facts["address"]),
        tax_id=facts.get("tax_id"),
        bank=facts.get("bank"),
        letter=facts.get("letter", False),
    )


def choose_market(rng: Random) -> Market:
    """Draw a market by its weight."""
    every = markets()
    return rng.choices(every, [market.weight for market in every])[0]


def format_number(number: Decimal, separators: Separators, decimals: int = 2) -> str:
    """Format a number with the separators of a country; the sign is kept."""
    group, point = _SEPARATOR_CHARACTERS[separators]
    whole, _, cents = f"{number:,.{decimals}f}".partition(".")
    whole = _group_in_lakhs(whole.replace(",", "")) if group == "lakh" else whole.replace(",", group)
    return whole + point + cents if decimals else whole


def _group_in_lakhs(whole: str) -> str:
    """Group digits as in India: "1234567" becomes "12,34,567"."""
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    head, tail = digits[:-3], digits[-3:]
    groups: list[str] = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return sign + ",".join([*groups, tail])

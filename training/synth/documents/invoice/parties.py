"""Breaks addresses into lines, and finds the market of an invoice."""

import re
from functools import cache
from itertools import pairwise
from random import Random

from docextract.documents.invoice import Invoice
from training.synth.documents.invoice.markets import Market, markets

_POSTCODE_BEFORE = r"(?:(?:C\.P\. )?(?:[A-Z]{1,3}-)?\d{4,6}(?:-\d{3,4})?(?: [A-Z]{2})?,? )?"
_FRESH_LINE = re.compile(
    r"(?<= )(?:Suite|Ste\.?|Unit|Bldg|Col\.|Postfach|#\d|Bâtiment|bureau|Co\. (?=Dublin|Cork|Galway|Kildare|Wicklow)"
    r"|Centro\b|[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|C\.P\. \d)"
)
_COMMA = re.compile(
    r"(?<!^\d)(?<!^\d\d)(?<!^\d\d\d),\s(?!nº|\d+(?:[-º ]|,|$|\s\d))"
)  # no house number on a line of its own
_STATE = re.compile(r"[A-Z][A-Za-z. ]{1,6}\.?(?=\s\d|\s[A-Z]\d|$)")  # no break before a state: "Austin, TX 78701"


def address_lines(address: str, rng: Random) -> list[str]:
    """Break an address into its lines: street, town and country, mostly."""
    text = address
    cuts = {match.end() for match in _COMMA.finditer(text) if not _STATE.match(text, match.end())}
    cuts |= {match.start() for match in _FRESH_LINE.finditer(text) if rng.random() < 0.7}
    place = _town_start(text)
    if place is not None:
        cuts.add(place)
    country = _country_at_end(text)
    if country is not None:
        cuts.add(country)
    kept = sorted(cut for cut in cuts if 0 < cut < len(text) and (cut == place or rng.random() < 0.85))
    edges = [0, *kept, len(text)]
    return [line for start, end in pairwise(edges) if (line := text[start:end].strip())]


@cache
def _towns_pattern() -> re.Pattern[str]:
    """A pattern of all towns, with their postcodes."""
    towns = sorted({town for market in markets() for town in market.towns}, key=lambda town: (-len(town), town))
    names = "|".join(map(re.escape, towns))
    return re.compile(rf"(?<![^\s,]){_POSTCODE_BEFORE}(?:{names})(?![^\s,.)-])", re.I)


def _town_start(address: str) -> int | None:
    """Where the line with the town begins; None when no town is found."""
    found = None
    for found in _towns_pattern().finditer(address):  # noqa: B007 - the last one counts
        pass
    if found is None:
        return None
    boxed = re.match(r"\d+ ", found[0]) if re.search(r"(?:Box|BP|Postbus) $", address[: found.start()], re.I) else None
    return found.start() + (boxed.end() if boxed else 0)


def _country_at_end(address: str) -> int | None:
    """Where the country begins; None when the address does not end in one."""
    lower = address.lower()
    for market in markets():
        if lower.endswith(" " + market.name.lower()):
            return len(address) - len(market.name)
    return None


def market_of(invoice: Invoice, rng: Random) -> Market:
    """Return the market of an invoice: by the town in the vendor's address, tax number, bank or currency."""
    every = markets()
    likely = [market for market in every if market.locale.currency == invoice.currency]
    address = (invoice.vendor_address or "").lower()
    for candidates in (likely, every):
        homes = (
            [market for market in candidates if any(f" {town}" in address for town in market.towns)] if address else []
        )
        if homes:
            return _by_weight(homes, rng)
    prefix = (invoice.vendor_tax_id or "")[:2], (invoice.iban or "")[:2]
    homes = [market for market in likely if market.country in prefix]
    return _by_weight(homes or likely or list(every), rng)


def _by_weight(candidates: list[Market], rng: Random) -> Market:
    return rng.choices(candidates, [market.weight for market in candidates])[0]

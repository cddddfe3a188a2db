"""Where invoices are written: a country and a language with its money, taxes, banks and the lines of its addresses."""

# ruff: noqa: E501 - facts of one country on as few lines as they fit; broken at 120 they read no better

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property
from random import Random
from typing import Literal

from training.synth.documents.grammar import Rules, rules
from training.synth.documents.invoice.words import words
from training.synth.documents.locales import Locale, locales

Separators = Literal["1,234.56", "1.234,56", "1 234,56", "1'234.56", "1234,56", "1234.56", "1,23,456.00"]


@dataclass(frozen=True)
class Market:
    """One country in one language. `lists` holds names, places and the words of its invoices."""

    country: str  # ISO 3166-1 alpha-2
    name: str  # as the last line of an address
    weight: float  # share of the invoices made up
    locale: Locale
    lists: Rules
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
        """Its towns in small letters, to find a place within an address."""
        return tuple(town.lower() for town in self.lists["town"] if "{" not in town and len(town) > 2)


_BELGIUM = """
town: Bruxelles | Liège | Namur | Charleroi | Mons | Tournai | Wavre | Verviers | Louvain-la-Neuve | Huy | Arlon | Dinant
phone: 0{n} {n3} {d2} {d2} | +32 {n} {n3} {d2} {d2} | 04{d2} {d2} {d2} {d2} | 02/{n3}.{d2}.{d2}
suffix: SRL | SA | SPRL | SNC | SCRL | ASBL
"""
_FLANDERS = """
town: Antwerpen | Gent | Brugge | Leuven | Mechelen | Hasselt | Kortrijk | Oostende | Aalst | Genk | Roeselare | Turnhout
phone: 0{n} {n3} {d2} {d2} | +32 {n} {n3} {d2} {d2} | 04{d2} {d2} {d2} {d2} | 03/{n3}.{d2}.{d2}
suffix: BV | NV | BVBA | VOF | Comm.V | CVBA
"""
_ROMANDY = """
town: Genève | Lausanne | Fribourg | Neuchâtel | Sion | Montreux | Yverdon-les-Bains | Nyon | Vevey | Bulle | Martigny
phone: 0{n2} {n3} {d2} {d2} | +41 {n2} {n3} {d2} {d2}
suffix: Sàrl | SA | S.A. | & Fils | & Cie
"""
_QUEBEC = """
town: Montréal (Québec) | Québec (Québec) | Laval (Québec) | Gatineau QC | Sherbrooke, QC | Longueuil (Québec) | Lévis, QC
phone: ({n3}) {n3}-{d4} | {n3} {n3}-{d4} | {n3}-{n3}-{d4}
suffix: inc. | Inc. | ltée | enr. | S.E.N.C.
postcode: {letter}{n}{letter} {n}{letter}{n}
"""
_IRELAND = """
town: Dublin 2 | Dublin 8 | Cork | Galway | Limerick | Waterford | Kilkenny | Sligo | Tralee | Wexford | Drogheda | Naas
postcode: D{d2} {letter}{letter}{n2} | {letter}{d2} {letter}{n3}
county: Co. Dublin | Co. Cork | Co. Galway | Co. Kildare | Co. Wicklow | Ireland
phone: 01 {n3} {d4} | +353 1 {n3} {d4} | 021 {n3} {d4} | +353 8{n} {n3} {d4}
suffix: Ltd | Limited | Ltd. | DAC | Teoranta | & Sons
"""


@cache
def markets() -> tuple[Market, ...]:
    """Every market, in a fixed order."""
    euro: tuple[Separators, ...] = ("1.234,56", "1.234,56", "1.234,56", "1.234,56", "1234,56", "1 234,56")
    spaced: tuple[Separators, ...] = ("1 234,56", "1 234,56", "1 234,56", "1234,56", "1.234,56")
    point: tuple[Separators, ...] = ("1,234.56", "1,234.56", "1,234.56", "1,234.56", "1234.56")
    swiss: tuple[Separators, ...] = ("1'234.56", "1'234.56", "1'234.56", "1234.56", "1,234.56")
    vat, tva, ust = (
        ("VAT", "VAT", "V.A.T."),
        ("TVA",),
        ("MwSt.", "USt.", "MwSt", "USt", "Mehrwertsteuer", "Umsatzsteuer"),
    )
    german, dutch = "{street} {num}/{n5} {town}", "{street} {num}/{n4} {letter}{letter} {town}"
    french = "{num} {rue} {ruename}/{n5} {town}"
    american = "{house} {road}/{town} {n5}"

    def market(
        country: str, name: str, weight: float, base: str, separators: tuple[Separators, ...], tax_names: tuple[str, ...],
        rates: str, address: tuple[str, ...], tax_id: str | None, bank: str | None = None, *, extra: str = "",
        language: str = "", currency: str = "", untaxed: float = 0.1, tax_within: float = 0.08, letter: bool = False,
    ) -> Market:  # fmt: skip
        locale = next(each for each in locales() if each.code == base)
        locale = replace(
            locale, code=country, language=language or locale.language, currency=currency or locale.currency
        )
        lists = {**locale.lists, **words(locale.language, country), **rules(extra)}
        return Market(
            country, name, weight, locale, lists, separators, tax_names, tuple(rates.split()), untaxed, tax_within,
            address, tax_id, bank, letter,
        )  # fmt: skip

    return (
        market("DE", "Deutschland", 20, "DE", euro, ust, "19 19 19 19 19 7",
               (german, german, german, "{street} {num}/D-{n5} {town}", "{street} {num}{letter2}/{n5} {town}"), "DE", "DE"),
        market("AT", "Österreich", 3, "AT", euro, ("USt.", "MwSt.", "USt", "MwSt"), "20 20 20 10 13",
               ("{street} {num}/{n4} {town}", "{street} {num}-{n}/{n4} {town}", "{street} {num}/A-{n4} {town}"), "AT", "AT",
               extra="family: Gruber | Huber | Wagner | Müller | Pichler | Moser | Steiner | Mayer | Hofer | Leitner | Berger | Fuchs | Eder"),
        market("CH", "Schweiz", 4, "CH", swiss, ("MWST", "MwSt.", "MWST"), "8.1 8.1 7.7 2.6",
               ("{street} {num}/{n4} {town}", "{street} {num}/CH-{n4} {town}"), "CH", "CH"),
        market("CH", "Suisse", 2, "FR", swiss, tva, "8.1 8.1 7.7 2.6",
               ("{rue} {ruename} {num}/{n4} {town}", "{rue} {ruename} {num}/CH-{n4} {town}"), "CH", "CH",
               extra=_ROMANDY, currency="CHF"),
        market("FR", "France", 11, "FR", spaced, tva, "20 20 20 20 10 5.5",
               (french, french, "{num}, {rue} {ruename}/{n5} {town}", "ZA {coin} - {num} {rue} {ruename}/{n5} {town}",
                "{num} {rue} {ruename}/Bâtiment {letter}/{n5} {town}", "BP {n3}/{n5} {town} Cedex"), "FR", "FR"),
        market("BE", "Belgique", 3, "FR", euro, tva, "21 21 21 6",
               ("{rue} {ruename} {num}/{n4} {town}", "{rue} {ruename}, {num}/B-{n4} {town}"), "BE", "BE", extra=_BELGIUM),
        market("BE", "België", 2.5, "NL", euro, ("BTW", "btw"), "21 21 21 6",
               ("{street} {num}/{n4} {town}", "{street} {num} bus {n}/{n4} {town}", "{street} {num}/B-{n4} {town}"), "BE", "BE",
               extra=_FLANDERS),
        market("NL", "Nederland", 6, "NL", euro, ("BTW", "BTW", "btw"), "21 21 21 9",
               (dutch, dutch, "{street} {num}{letter_low}/{n4} {letter}{letter} {town}", "Postbus {n4}/{n4} {letter}{letter} {town}"),
               "NL", "NL", extra="letter_low: a | b | c"),
        market("ES", "España", 8, "ES", euro, ("IVA", "I.V.A."), "21 21 21 10",
               ("{calle} {callename}, {num}/{n5} {town}", "{calle} {callename} {num}, {n}º {letter}/{n5} {town}",
                "Pol. Ind. {coin}, nave {n2}/{n5} {town}"), "ES", "ES"),
        market("MX", "México", 3, "MX", point, ("IVA", "I.V.A."), "16 16 16 8",
               ("{calle} {callename} {num}/Col. {colonia}/C.P. {n5} {town}", "{calle} {callename} No. {num}/{colonia}/{town} C.P. {n5}"),
               "MX", letter=True),
        market("IT", "Italia", 8, "IT", euro, ("IVA", "I.V.A."), "22 22 22 10 4",
               ("{via} {vianame}, {num}/{n5} {town} {province}", "{via} {vianame} {num}/{n5} {town}", "{via} {vianame}, {num}/{letter}/{n5} {town} {province}"),
               "IT", "IT"),
        market("PT", "Portugal", 4, "PT", euro, ("IVA", "I.V.A."), "23 23 23 13 6",
               ("{rua} {ruaname}, {num}/{n4}-{d3} {town}", "{rua} {ruaname}, nº {num}/{n4}-{d3} {town}"), "PT", "PT"),
        market("BR", "Brasil", 3, "BR", euro, ("ISS", "ICMS"), "5 18 2",
               ("{rua} {ruaname}, {num}/{bairro}/{town}", "{rua} {ruaname}, {num} - {bairro}/{n5}-{d3} {town}"), "BR",
               untaxed=0.6),
        market("US", "USA", 18, "US", point, ("Tax", "Sales Tax", "Sales tax", "State Tax"), "6 8.25 7 9.5 8.875 5.5 10 4 7.5",
               (american, american, american, "{house} {road}/{unit}/{town} {n5}", "{house} {road}, {unit}/{town} {n5}",
                "P.O. Box {n4}/{town} {n5}", "{house} {road}/{town} {n5}-{d4}"), None, untaxed=0.4, tax_within=0.0, letter=True),
        market("CA", "Canada", 3, "CA", point, ("GST", "HST", "Tax", "GST/HST"), "5 13 15",
               ("{house} {road}/{town} {postcode}", "{house} {road}, {unit}/{town}/{postcode}"), "CA", tax_within=0.0, letter=True),
        market("CA", "Canada", 2, "FR", spaced, ("TPS", "TPS/TVQ"), "5 14.975",
               ("{num}, {rue} {ruename}/{town} {postcode}", "{num} {rue} {ruename}, bureau {n3}/{town}/{postcode}"), "CA",
               extra=_QUEBEC, currency="CAD", tax_within=0.0, letter=True),
        market("GB", "United Kingdom", 10, "GB", point, vat, "20 20 20 20 5",
               ("{house} {road}/{town}/{postcode}", "{house} {road}/{town} {postcode}", "Unit {n}, {family} Business Park/{road}/{town}/{postcode}"),
               "GB", "GB", untaxed=0.25),
        market("IE", "Ireland", 3, "IE", point, vat, "23 23 13.5",
               ("{house} {road}/{town}/{county}", "{house} {road}/{town}/{postcode}", "Unit {n}, {family} Business Park/{town}/{county}"),
               "IE", "IE", extra=_IRELAND, untaxed=0.2),
        market("AU", "Australia", 4, "AU", point, ("GST",), "10",
               ("{house} {road}/{town} {n4}", "PO Box {n3}/{town} {n4}", "Unit {n}, {house} {road}/{town} {n4}"), "AU", tax_within=0.2),
        market("SG", "Singapore", 3, "SG", point, ("GST",), "9 8 7",
               ("{num} {road}/#{d2}-{d2}/Singapore {n6}", "{num} {road} #{d2}-{d2}/Singapore {n6}", "Blk {num} {road}/#{d2}-{d2} {coin} Building/Singapore {n6}"),
               "SG", untaxed=0.3),
        market("MY", "Malaysia", 4, "MY", point, ("SST", "GST", "Service Tax"), "6 8 10",
               ("{lot}, {road},/{estate},/{n5} {town},/{state}.", "{lot}, {road},/{n5} {town}, {state}", "{lot}, {road}, {estate},/{n5} {town}, {state}."),
               None, untaxed=0.55),
        market("IN", "India", 4, "IN", ("1,23,456.00", "1,23,456.00", "1,234.56", "1234.56"), ("GST", "IGST", "IGST"), "18 18 18 12 5",
               ("{house}, {road}/{town} - {n6}", "{house}, {road},/{family} Complex,/{town} {n6}", "{house}, {road}, {town}/{n6}"), "IN",
               tax_within=0.05),
    )  # fmt: skip


def choose_market(rng: Random) -> Market:
    """A market, by its share."""
    every = markets()
    return rng.choices(every, [each.weight for each in every])[0]


_TABLES = {
    "1,234.56": (",", "."), "1.234,56": (".", ","), "1 234,56": (" ", ","), "1'234.56": ("'", "."),
    "1234,56": ("", ","), "1234.56": ("", "."), "1,23,456.00": ("lakh", "."),
}  # fmt: skip


def print_number(number: Decimal, separators: Separators, decimals: int = 2) -> str:
    """A number in a country's punctuation; the sign is kept."""
    group, point = _TABLES[separators]
    whole, _, cents = f"{number:,.{decimals}f}".partition(".")
    whole = _lakhs(whole.replace(",", "")) if group == "lakh" else whole.replace(",", group)
    return whole + point + cents if decimals else whole


def _lakhs(whole: str) -> str:
    """1234567 → 12,34,567."""
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    head, tail = digits[:-3], digits[-3:]
    groups: list[str] = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return sign + ",".join([*groups, tail])

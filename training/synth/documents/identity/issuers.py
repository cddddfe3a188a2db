"""The countries that issue identity documents, and how their numbers, names and dates look."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from docextract.documents.values import DateOrder
from training.synth.documents.data_files import read_table, word_lists
from training.synth.documents.grammar import WordLists
from training.synth.documents.locales import locales

# "apart": family and given names are two fields; "together": both on one line; "whole": one field, the name has no
# parts.
NameStyle = Literal["apart", "together", "whole"]
# "numbered": fields are numbered as in the EU; "american": fields as AAMVA defines them; "plain": labels only.
LicenceStyle = Literal["numbered", "american", "plain"]

_LIST_NAMES = (
    "address", "authority", "authority_driver_licence", "birth_place", "birth_place_driver_licence", "categories",
    "codes", "country_code", "dates", "dates_driver_licence", "dates_id_card", "dates_language", "dates_own",
    "dates_passport", "driver_licence", "heading", "id_card", "name_style_driver_licence", "name_style_id_card",
    "nationality", "nationality_driver_licence", "passport", "personal", "sex_f", "sex_f_id_card", "sex_f_passport",
    "sex_m", "sex_m_id_card", "sex_m_passport", "sign",
)  # fmt: skip
_SETTINGS = frozenset({"weight", "languages", "date_order", "name_style", "licence_style", "culture", "locale"})


@dataclass(frozen=True)
class Issuer:
    """One issuing country."""

    code: str  # ISO 3166-1 alpha-3
    weight: float  # share of the synthetic documents, relative to the other issuers
    languages: tuple[str, ...]  # each: languages of labels separated by spaces, the country's own first
    date_order: DateOrder
    name_style: NameStyle
    licence_style: LicenceStyle
    culture: str  # of `names`
    lists: WordLists  # for the templates of places, authorities and numbers

    def options(self, *keys: str) -> tuple[str, ...]:
        """Return the first of these lists that this country has; () when it has none of them."""
        return next((self.lists[key] for key in keys if key in self.lists), ())

    def date_templates(self, document_type: str) -> tuple[str, ...]:
        """Return templates of `format_date` for one document type; {mon2} is the month in a second language."""
        named = self.options(f"dates_{document_type}")
        own = self.options("dates_own")
        if own and not named:
            return own
        return tuple(read_table("issuers")["date_templates"][(named or self.lists["dates"])[0]])


@cache
def issuers() -> Mapping[str, Issuer]:
    """Return every issuing country by its alpha-3 code, in the order of data/issuers.toml."""
    tables: Mapping[str, Mapping[str, Any]] = read_table("issuers")["issuer"]
    lists = {code: {key: value for key, value in table.items() if key not in _SETTINGS}
             for code, table in tables.items()}  # fmt: skip
    checked = word_lists("issuers", {"common": read_table("issuers")["common"], **lists}, _LIST_NAMES)
    return {code: _issuer(code, table, checked["common"], checked[code]) for code, table in tables.items()}


def issuing_states() -> Mapping[str, Mapping[str, str]]:
    """Return states and provinces that issue cards themselves: abbreviation to name, by the country's alpha-3 code."""
    states: Mapping[str, Mapping[str, str]] = read_table("issuers")["states"]
    return states


def _issuer(code: str, settings: Mapping[str, Any], common: WordLists, own: WordLists) -> Issuer:
    places = next((locale.lists for locale in locales() if locale.code == settings.get("locale")), {})
    return Issuer(
        code=code,
        weight=float(settings.get("weight", 1)),
        languages=tuple(settings["languages"]),
        date_order=settings.get("date_order", "DMY"),
        name_style=settings.get("name_style", "apart"),
        licence_style=settings.get("licence_style", "numbered"),
        culture=settings["culture"],
        lists={**common, **places, **own},
    )

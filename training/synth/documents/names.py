"""Names of people, by the language or culture that they come from, for documents of any type."""

from collections.abc import Mapping
from functools import cache
from random import Random

from training.synth.documents.data_files import read_table, word_lists
from training.synth.documents.grammar import WordLists, expand, invent_word

INVENTED_SHARE = 0.12  # share of invented names, so that a network gains nothing by memorising names
_LIST_NAMES = ("family", "family_female", "female", "male", "person")


@cache
def _cultures() -> Mapping[str, WordLists]:
    return word_lists("names", read_table("names"), _LIST_NAMES)


def name_lists(culture: str) -> WordLists:
    """Return the lists "family", "female" and "male" of a culture; some have "person", a whole name without parts.

    Raises KeyError for a culture that data/names.toml does not have.
    """
    return _cultures()[culture]


def family_name(culture: str, female: bool, rng: Random) -> str:
    """Return a family name; sometimes an invented one, or a double name."""
    if rng.random() < INVENTED_SHARE:
        return invent_word(rng)
    lists = name_lists(culture)
    key = "family_female" if female and "family_female" in lists else "family"
    return expand("{" + key + "}", lists, rng)


def given_names(culture: str, female: bool, rng: Random) -> str:
    """Return one to four given names, separated by spaces."""
    slot = "{female}" if female else "{male}"
    count = rng.choices((1, 2, 3, 4), (55, 33, 10, 2))[0]
    picked = dict.fromkeys(
        invent_word(rng) if rng.random() < INVENTED_SHARE else expand(slot, name_lists(culture), rng)
        for _ in range(count)
    )
    return " ".join(picked)


def whole_name(culture: str, rng: Random) -> str:
    """Return a name that has no family and given part. The culture must have the list "person"."""
    return expand("{person}", name_lists(culture), rng)

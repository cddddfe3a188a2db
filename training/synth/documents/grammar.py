"""Fills templates with words from lists at random, so that a few hundred words give millions of names and addresses.

A template is text with {slots}. A slot names a list of templates, or is one of the built-in ones: {d3} three digits,
{n3} three digits without a leading zero, {num} 1..250, {letter} A..Z, {coin} an invented word.
"""

import re
from collections.abc import Mapping
from random import Random

WordLists = Mapping[str, tuple[str, ...]]  # options by the name of the list; an option is a template

_SLOT = re.compile(r"\{(\w+)\}")
_DIGITS = re.compile(r"([dn])(\d*)$")

_ONSETS = tuple("b c d f g h j k l m n p r s t v w z br ch cr dr fl gl gr kr pl pr sh sk sl st th tr".split())
_NUCLEI = tuple("a e i o u a e i o ai ea ee ia io oo ou".split())
_CODAS = tuple("n r s l t m k x nd rt st ng ck ll".split())
_ENDINGS = tuple("a o ex ia io ix on us ora ino elle ette ly ify era um is en eo".split())


def expand(template: str, lists: WordLists, rng: Random) -> str:
    """Fill every slot of a template, and the slots of what was filled in.

    Raises KeyError for a slot that is neither a list nor built in.
    """

    def fill(match: re.Match[str]) -> str:
        slot = match[1]
        if slot in lists:
            return rng.choice(lists[slot])
        return _built_in(slot, rng)

    while "{" in template:
        template = _SLOT.sub(fill, template)
    return template


def _built_in(slot: str, rng: Random) -> str:
    if slot == "coin":
        return invent_word(rng)
    if slot == "num":
        return str(rng.randint(1, 250))
    if slot == "letter":
        return rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    digits = _DIGITS.match(slot)
    if digits is None:
        raise KeyError(f"there is no list {slot!r}, and it is not a built-in slot")
    count = int(digits[2] or 1)
    lowest = 10 ** (count - 1) if digits[1] == "n" else 0
    return str(rng.randrange(lowest, 10**count)).zfill(count)


def invent_word(rng: Random) -> str:
    """Return an invented, pronounceable word with a capital first letter: "Trelora", "Skand"."""
    word = rng.choice(_ONSETS) + rng.choice(_NUCLEI)
    for _ in range(rng.choice((0, 1, 1, 2))):
        if rng.random() < 0.3:
            word += rng.choice("nrlsm")
        word += rng.choice(_ONSETS[:18]) + rng.choice(_NUCLEI[:9])
    word += (
        rng.choice(_CODAS)
        if rng.random() < 0.5
        else rng.choice(_ENDINGS).lstrip("aeiou" if word[-1] in "aeiou" else "")
    )
    return word.capitalize()

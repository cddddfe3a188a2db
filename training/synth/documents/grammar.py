"""Make up names, addresses and numbers from short lists, so that a few hundred words give millions of strings.

A template is text with {slots}. A slot names a list of templates, or is one of the built-in ones:
{d3} three digits, {n3} three digits without a leading zero, {num} 1..250, {letter} A..Z, {coin} an
invented word.
"""

import re
from collections.abc import Mapping
from random import Random

Rules = Mapping[str, tuple[str, ...]]

_SLOT = re.compile(r"\{(\w+)\}")
_DIGITS = re.compile(r"([dn])(\d*)$")

_ONSETS = tuple("b c d f g h j k l m n p r s t v w z br ch cr dr fl gl gr kr pl pr sh sk sl st th tr".split())
_NUCLEI = tuple("a e i o u a e i o ai ea ee ia io oo ou".split())
_CODAS = tuple("n r s l t m k x nd rt st ng ck ll".split())
_ENDINGS = tuple("a o ex ia io ix on us ora ino elle ette ly ify era um is en eo".split())


def rules(text: str) -> dict[str, tuple[str, ...]]:
    """Read lists written as lines of "name: one | two | three"; a line that starts with white space goes on."""
    found: dict[str, tuple[str, ...]] = {}
    for line in re.sub(r"\n[ \t]+", " ", text.strip()).splitlines():
        name, _, options = line.partition(":")
        found[name.strip()] = tuple(option.strip() for option in options.split("|") if option.strip())
    return found


def expand(template: str, lists: Rules, rng: Random) -> str:
    """Fill every slot, also those within what was filled in. Raises KeyError for a slot that has no list."""

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
        return coin(rng)
    if slot == "num":
        return str(rng.randint(1, 250))
    if slot == "letter":
        return rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    digits = _DIGITS.match(slot)
    if digits is None:
        raise KeyError(f"no list is called {slot!r}")
    count = int(digits[2] or 1)
    lowest = 10 ** (count - 1) if digits[1] == "n" else 0
    return str(rng.randrange(lowest, 10**count)).zfill(count)


def coin(rng: Random) -> str:
    """An invented word that can be spoken, capitalised: "Trelora", "Skand"."""
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

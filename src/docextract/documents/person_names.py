"""Names of people as addresses print them: with a title, or with a common given name in front."""

import re

from docextract.documents.accents import letters_alone
from docextract.documents.data import load_data

NAME_WORDS = range(2, 5)  # of a person with a given name, particles and titles left out
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.-])*")
_WORDS = load_data("person_names")
_TITLES = frozenset(map(letters_alone, _WORDS["titles"]))
_OF_FATHERS = frozenset(map(letters_alone, _WORDS["of_fathers"]))
_GIVEN_NAMES = frozenset(letters_alone(name) for names in _WORDS["given_names"].values() for name in names)


def is_person(text: str) -> bool:
    """Whether a text is the name of a person, as far as it is a common one: "Anna Schmidt", "Mr Rao"."""
    words = text.split()
    if not words or not all(map(_WORD.fullmatch, words)):
        return False
    names = [word for word in words if word[0].isupper() and letters_alone(word) not in _TITLES]
    if has_title(text):
        return 0 < len(names) < NAME_WORDS.stop
    return len(names) in NAME_WORDS and letters_alone(names[0].partition("-")[0]) in _GIVEN_NAMES


def has_title(text: str) -> bool:
    """Whether a text begins with the title of a person: "Frau Schmidt"."""
    first, *_ = text.split() or [""]
    return letters_alone(first) in _TITLES


def leads_to_father(text: str) -> bool:
    """Whether a text ends with a word behind which the name of the father stands: "NUR AISYAH BINTI"."""
    *front, last = text.split() or [""]
    return bool(front) and letters_alone(last) in _OF_FATHERS

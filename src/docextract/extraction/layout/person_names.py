"""Tells given names, family name and what is neither apart where a card prints them on one line: "CHRIS SMITH JR"."""

from collections.abc import Sequence

from docextract.extraction.layout.pieces import Piece, Span, join_pieces
from docextract.extraction.layout.places import PrintedLines

# Where given names are printed first. Elsewhere a whole name may have no family name, or begin with it.
GIVEN_NAMES_FIRST = frozenset({"USA", "CAN"})
_SUFFIXES = frozenset("jr sr ii iii iv".split())  # behind the family name, and no part of it
_NOTICES = frozenset({"veteran", "donor", "organ donor"})  # printed among the values of American cards
_TITLES = frozenset("mr mrs miss ms mx dr".split())  # in front of given names, on British licences
_PARTICLES = frozenset("st van von de del della di da du la le mc mac der den ter".split())


def family_and_given(span: Span, pieces: Sequence[Piece]) -> tuple[Span, Span] | None:
    """Return the family name and the given names of a whole name on one line; None if it has one word or several lines.

    A comma is behind the family name: "SMITH, CHRIS". A suffix as in "CHRIS SMITH JR" is left out.
    """
    if len({pieces[index].line for index in span}) != 1:  # none, or several
        return None
    commas = [at for at, index in enumerate(span) if pieces[index].text == ","]
    if commas:
        family, given = span[: commas[0]], span[commas[0] + 1 :]
    else:
        own = _without_suffix(span, pieces)
        at = _start_of_last_word(own, pieces)
        family, given = own[at:], own[:at]
    return (family, given) if family and given else None


def line_below_family_name(family: Span, address: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span | None:
    """Return the words that stand alone on the line between a family name and an address: the given names.

    American cards print the three below each other, often without labels. None if there is no such line.
    """
    below = lines.below(family) or []
    last = lines.below(below) if below else None
    are_words = bool(below) and all(pieces[index].text.isalpha() for index in below)
    return tuple(below) if are_words and last and address[0] in last and not is_notice(tuple(below), pieces) else None


def is_notice(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a text is what cards print about every other holder: "VETERAN"; it is nobody's name."""
    return join_pieces([pieces[index] for index in span]).lower() in _NOTICES


def without_title(span: Span, pieces: Sequence[Piece]) -> Span:
    """Drop a courtesy title in front of given names: "MISS" of "MISS ANNA"; one that is alone is a name."""
    end = 2 if len(span) > 2 and pieces[span[1]].text == "." else 1
    return span[end:] if len(span) > end and pieces[span[0]].text.lower() in _TITLES else span


def _without_suffix(span: Span, pieces: Sequence[Piece]) -> Span:
    end = len(span)
    while end > 1 and (pieces[span[end - 1]].text.lower() in _SUFFIXES or pieces[span[end - 1]].text == "."):
        end -= 1
    return span[:end]


def _start_of_last_word(span: Span, pieces: Sequence[Piece]) -> int:
    """Return where the last word begins, with particles in front of it: "ST. JOHN"."""
    starts = [at for at, index in enumerate(span) if at == 0 or pieces[index].space_before]
    while len(starts) > 1 and pieces[span[starts[-2]]].text.lower() in _PARTICLES:
        starts.pop()
    return starts[-1]

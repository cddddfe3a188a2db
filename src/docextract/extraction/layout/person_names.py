"""Tells given names and family name apart where a card prints both on one line without a label: "CHRIS SMITH"."""

from collections.abc import Sequence

from docextract.extraction.layout.pieces import Piece, Span

# Where given names are printed first. Elsewhere a whole name may have no family name, or begin with it.
GIVEN_NAMES_FIRST = frozenset({"USA", "CAN"})
_PARTICLES = frozenset("st van von de del della di da du la le mc mac der den ter".split())


def family_and_given(span: Span, pieces: Sequence[Piece]) -> tuple[Span, Span] | None:
    """Return the family name and the given names of a whole name on one line; None if it has one word or several lines.

    A comma is behind the family name: "SMITH, CHRIS".
    """
    if len({pieces[index].line for index in span}) != 1:  # none, or several
        return None
    commas = [at for at, index in enumerate(span) if pieces[index].text == ","]
    if commas:
        family, given = span[: commas[0]], span[commas[0] + 1 :]
    else:
        at = _start_of_last_word(span, pieces)
        family, given = span[at:], span[:at]
    return (family, given) if family and given else None


def _start_of_last_word(span: Span, pieces: Sequence[Piece]) -> int:
    """Return where the last word begins, with particles in front of it: "ST. JOHN"."""
    starts = [at for at, index in enumerate(span) if at == 0 or pieces[index].space_before]
    while len(starts) > 1 and pieces[span[starts[-2]]].text.lower() in _PARTICLES:
        starts.pop()
    return starts[-1]

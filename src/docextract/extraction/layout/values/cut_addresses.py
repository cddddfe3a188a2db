"""Lowers the confidence of addresses of parties that may lack a line, and of names that may be that line."""

from collections.abc import Mapping

from docextract.extraction.layout.candidates import Candidate, at_most
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.values.addresses import has_town_below, street_above

_NAME, _ADDRESS = "_name", "_address"  # ends of the names of a party's fields
CUT_PROBABILITY = 0.5  # of an address that may lack a line, or of a name that may be the street


def doubt_cut_addresses(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page; an address is doubtful if a line beside it may be its street or its town.

    So is the name of its party if it is the line with the form of a street. Only of parties that have both.
    """
    decided = dict(found)
    for name in found:
        party = name.removesuffix(_ADDRESS)
        if party == name or page.single_field(party + _NAME) is None:
            continue
        street = street_above(found[name].piece_indices, page.pieces, page.lines)
        if street or has_town_below(found[name].piece_indices, page.pieces, page.lines):
            decided[name] = at_most(found[name], CUT_PROBABILITY)
        named = decided.get(party + _NAME)
        if named and street and set(named.piece_indices) <= set(street):
            decided[party + _NAME] = at_most(named, CUT_PROBABILITY)
    return decided

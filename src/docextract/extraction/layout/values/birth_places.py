"""Completes places of birth: those on two lines, and those below the date of birth on licences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from docextract.documents.countries import is_country_code
from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.card_texts import is_alike_below, is_close_below, may_be_text_of_card
from docextract.extraction.layout.values.labelled_values import BIRTH_PLACE, DRIVER_LICENCE, RESIDENT_ADDRESS

BELOW_DATE_PROBABILITY = 0.6  # of words alone below the date of birth
CODE_PROBABILITY = 0.6  # of the code of a country without a label, that it is the nationality
NATIONALITY = "nationality"
MIN_SECOND_LINE_PROBABILITY = 0.1  # of the second line of a place, that it is one
_NUMBER_OF_BIRTH = ("3", ".")  # of the element for date and place, on European licences


def complete_birth_place(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page with the whole place of birth; if none is likely, with that below the date."""
    found = _with_code_of_nation(found, page)
    field, known = page.single_field(BIRTH_PLACE), found.get(BIRTH_PLACE)
    if field is None:
        return dict(found)
    if known is not None and known.is_likely:
        rest = _second_line(known, found, page)
        whole = candidate_of(field, (*known.piece_indices, *rest), page) if rest else None
        return {**found, **({BIRTH_PLACE: replace(whole, labelled=known.labelled)} if whole else {})}
    below = _below_date_of_birth(found, page)
    place = candidate_of(field, below, page) if below else None
    return {**found, **({BIRTH_PLACE: at_least(place, BELOW_DATE_PROBABILITY)} if place else {})}


def _with_code_of_nation(found: Mapping[str, Candidate], page: PageLabels) -> Mapping[str, Candidate]:
    """Return the candidates, with a place of birth that is the code of a country as nationality, if there is no other.

    Without a label, which may be misread, the two look alike; few cards print a country as the place.
    """
    place, field = found.get(BIRTH_PLACE), page.single_field(NATIONALITY)
    is_code = place is not None and len(place.content) == 3 and is_country_code(place.content)
    if place is None or field is None or not is_code or place.labelled or NATIONALITY in found:
        return found
    nation = candidate_of(field, place.piece_indices, page)
    others = {name: one for name, one in found.items() if name != BIRTH_PLACE}
    return {**others, NATIONALITY: at_least(nation, CODE_PROBABILITY)} if nation else found


def _second_line(place: Candidate, found: Mapping[str, Candidate], page: PageLabels) -> Span:
    """Return the line below a labelled place that is alone on its line, if the network finds it possible, too.

    No other value may be there.
    """
    span = place.piece_indices
    below = page.lines.below(span) if place.labelled and span == tuple(page.lines.of(span[0])) else None
    likelihood = float(page.probability(BIRTH_PLACE)[below].mean()) if below else 0.0
    if not below or likelihood < MIN_SECOND_LINE_PROBABILITY or not _is_free(below, found, likelihood):
        return ()
    is_rest = may_be_text_of_card(below, page) and is_alike_below(span, below, page)
    return tuple(below) if is_rest else ()


def _is_free(line: Sequence[int], found: Mapping[str, Candidate], least: float = GIVEN_SUPPORT) -> bool:
    """Whether no other value is on a line.

    least: support of such a value. Only a likely address is one: the network may rather take a town for a part of an
           address, but has chosen another.
    """
    others = (one for name, one in found.items() if name != BIRTH_PLACE and not set(line).isdisjoint(one.piece_indices))
    return all(one.support < (GIVEN_SUPPORT if one.field == RESIDENT_ADDRESS else least) for one in others)


def _below_date_of_birth(found: Mapping[str, Candidate], page: PageLabels) -> Span:
    """Return the words below "3. 15.07.1984", where nothing else is on the line of the date, as on Swiss licences."""
    birth = found.get("birth_date")
    if birth is None or page.document_type.name != DRIVER_LICENCE:
        return ()
    line = page.lines.of(birth.piece_indices[0])
    number, rest = tuple(page.pieces[index].text for index in line[:2]), set(line[2:])
    below = page.lines.below(line) if number == _NUMBER_OF_BIRTH and rest.issubset(birth.piece_indices) else None
    if not below or not may_be_text_of_card(below, page) or not _is_free(below, found):
        return ()
    return tuple(below) if is_close_below(line, below, page) else ()

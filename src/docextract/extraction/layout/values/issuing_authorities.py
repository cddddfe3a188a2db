"""Finds the authority that issued a card, where neither the network nor a label names a likely one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from docextract.documents.authorities import names_authority
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.card_elements import AUTHORITY_LETTER, behind_part_of_element_4
from docextract.extraction.layout.values.card_texts import (
    MAX_TEXT_PIECES,
    is_label_on_card,
    is_next_line,
    may_be_text_of_card,
)
from docextract.extraction.layout.values.issuing_countries import is_card_of_part
from docextract.extraction.layout.values.labelled_values import DRIVER_LICENCE, printed_labels
from docextract.extraction.layout.values.person_names import PERSON_NAMES
from docextract.extraction.layout.values.spans import LABELLED_PROBABILITY

ISSUING_AUTHORITY = "issuing_authority"
NUMBERED_AUTHORITY_PROBABILITY = 0.95
NAMED_AUTHORITY_PROBABILITY = 0.6
# What does not end a name: prepositions, articles and conjunctions.
LEADING_ON = frozenset("& and of for the de del des du di della do da et e y van voor der und für von i za w".split())
SURE_PROBABILITY = 0.75  # of a town, for example, on a page with the name of a ministry, that it is the authority
MIN_AUTHORITY_LETTERS = 3  # of an authority that no label names; with fewer it may be an emblem


def complete_issuing_authority(
    found: Mapping[str, Candidate], page: PageLabels, labelled: Sequence[Span]
) -> dict[str, Candidate]:
    """Return the candidates of a page with the authority behind its label or number, or one that is named by its words.

    Only if no other is likely. The holder is no authority: names also stand beside the signature.
    labelled: the values behind or below labels of the authority.
    """
    field = page.single_field(ISSUING_AUTHORITY)
    known = found.get(ISSUING_AUTHORITY)
    others = {name: one for name, one in found.items() if name != ISSUING_AUTHORITY}
    named = list(_named_authorities(page)) if field else []
    is_other = known is not None and _is_named_better(known, named)
    if is_card_of_part(page, others) and not labelled and not (known and known.labelled):
        return others  # it prints officials and offices, but none as the authority
    if known and (is_other or _is_holder(known, others)):
        known = None
    if field is None or (known and known.is_likely and not _may_be_emblem(known)):
        return dict(found)
    places = [(span, LABELLED_PROBABILITY) for span in labelled]
    is_licence = page.document_type.name == DRIVER_LICENCE
    if is_licence:  # European ones number their authority
        numbered = behind_part_of_element_4(AUTHORITY_LETTER, page)
        places += [(span, NUMBERED_AUTHORITY_PROBABILITY) for span in numbered]
    if is_other or not is_licence:
        places += [(span, NAMED_AUTHORITY_PROBABILITY) for span in named]
    values = ((candidate_of(field, span, page), least) for span, least in places if not is_label_on_card(span, page))
    completed = next((at_least(one, least) for one, least in values if one), known)
    return {**others, **({ISSUING_AUTHORITY: completed} if completed else {})}


def _is_named_better(known: Candidate, named: Sequence[Span]) -> bool:
    """Whether a line of the page names an authority, and a found one is part of it, or neither named nor sure."""
    is_part = any(set(known.piece_indices) < set(line) for line in named)
    is_unnamed = not known.labelled and known.probability < SURE_PROBABILITY and not names_authority(known.content)
    return bool(named) and (is_part or is_unnamed)


def to_end_of_authority(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page; an authority goes on in the lines below it.

    If "of" or the like is at its end, or a label is above it and the line below is close, in its column and no other
    field's.
    """
    field, known = page.single_field(ISSUING_AUTHORITY), found.get(ISSUING_AUTHORITY)
    if field is None or known is None:
        return dict(found)
    span = known.piece_indices
    while len(span) <= MAX_TEXT_PIECES and (below := _next_line(span, page, known.labelled)):
        span = (*span, *below)
    whole = candidate_of(field, span, page) if span != known.piece_indices else None
    own = replace(at_least(whole, known.probability), labelled=known.labelled) if whole else known
    return {**found, ISSUING_AUTHORITY: own}


def _next_line(span: Span, page: PageLabels, is_labelled: bool) -> Span:
    """Return what an authority goes on with: the next line, and the hyphen at the end of its own; () if it ends."""
    line = page.lines.of(span[-1])
    last, rest = [index for index in line if index in span], line[line.index(span[-1]) + 1 :]
    below = page.lines.below(last) if page.text(rest) in ("", "-") else None
    if not below or not may_be_text_of_card(below, page):
        return ()
    leads_on = bool(rest) or page.pieces[span[-1]].text.casefold() in LEADING_ON
    return (*rest, *below) if leads_on or (is_labelled and is_next_line(ISSUING_AUTHORITY, last, below, page)) else ()


def _is_holder(authority: Candidate, found: Mapping[str, Candidate]) -> bool:
    """Whether an authority without a label is made of the holder's names and initials: "ROSSI, Elena", "E ROSSI"."""
    names = _words(" ".join(found[name].content for name in PERSON_NAMES if name in found))
    own, initials = _words(authority.content), {name[0] for name in names}
    return not authority.labelled and bool(own & names) and own <= names | initials


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.upper()))


def _may_be_emblem(authority: Candidate) -> bool:
    letters = sum(map(str.isalpha, authority.content))
    return not authority.labelled and 0 < letters < MIN_AUTHORITY_LETTERS


def _named_authorities(page: PageLabels) -> Iterator[Span]:
    """Yield lines that are the name of an authority, and not mainly another field: "UNITED STATES" is the country."""
    named = [line for line in page.lines if names_authority(page.text(line)) and may_be_text_of_card(line, page)]
    if not named:  # as on most pages: labels are not searched for
        return
    of_another = page.is_of_another(ISSUING_AUTHORITY)
    of_labels = {index for labels in printed_labels(page).values() for label in labels for index in label}
    for line in named:
        if of_another[line].mean() < 0.5 and of_labels.isdisjoint(line):
            yield tuple(line)

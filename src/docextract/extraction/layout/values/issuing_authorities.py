"""Finds the authority that issued a card, where neither the network nor a label names a likely one."""

import re
from collections.abc import Iterator, Mapping, Sequence

from docextract.documents.authorities import names_authority
from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.card_elements import behind_authority_number
from docextract.extraction.layout.values.labelled_values import printed_labels
from docextract.extraction.layout.values.person_names import PERSON_NAMES
from docextract.extraction.layout.values.spans import LABELLED_PROBABILITY

ISSUING_AUTHORITY = "issuing_authority"
DRIVING_LICENCE = "driver_licence"  # European ones number their authority, others are labelled without one
NUMBERED_AUTHORITY_PROBABILITY = 0.95
NAMED_AUTHORITY_PROBABILITY = 0.6
MAX_AUTHORITY_PIECES = 9  # longer lines are sentences
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
    if known and _is_holder(known, others):
        known = None
    if field is None or (known and known.support >= GIVEN_SUPPORT and not _may_be_emblem(known)):
        return dict(found)
    places = [(span, LABELLED_PROBABILITY) for span in labelled]
    if page.document_type.name == DRIVING_LICENCE:
        places += [(span, NUMBERED_AUTHORITY_PROBABILITY) for span in behind_authority_number(page)]
    else:
        places += [(span, NAMED_AUTHORITY_PROBABILITY) for span in _named_authorities(page)]
    values = ((candidate_of(field, span, page), least) for span, least in places if not _is_label(span, page))
    completed = next((at_least(one, least) for one, least in values if one), known)
    return {**others, **({ISSUING_AUTHORITY: completed} if completed else {})}


def _is_holder(authority: Candidate, found: Mapping[str, Candidate]) -> bool:
    """Whether an authority that no label names is made of the holder's names: "ROSSI, Elena"."""
    names = _words(" ".join(found[name].content for name in PERSON_NAMES if name in found))
    own = _words(authority.content)
    return not authority.labelled and bool(own) and own <= names


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.upper()))


def _may_be_emblem(authority: Candidate) -> bool:
    letters = sum(map(str.isalpha, authority.content))
    return not authority.labelled and 0 < letters < MIN_AUTHORITY_LETTERS


def _is_label(span: Span, page: PageLabels) -> bool:
    """Whether a text is a label, maybe in several languages: "Utstedt av / Authority"."""
    parts = page.text(span).split("/")
    return any(field_of_label(part, page.document_type) for part in parts)


def _named_authorities(page: PageLabels) -> Iterator[Span]:
    """Yield lines that are the name of an authority, and not mainly another field: "UNITED STATES" is the country."""
    of_another = page.is_of_another(ISSUING_AUTHORITY)
    of_labels = {index for labels in printed_labels(page).values() for label in labels for index in label}
    for line in page.lines:
        text = page.text(line)
        is_name = len(line) <= MAX_AUTHORITY_PIECES and names_authority(text) and not re.search(r"[\d:]", text)
        if is_name and of_another[line].mean() < 0.5 and of_labels.isdisjoint(line):
            yield tuple(line)

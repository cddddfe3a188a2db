"""Texts of cards in Greek or Cyrillic letters, which recognition reads as Latin ones that look like them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from docextract.documents.scripts import has_other_script, may_be_misread_script
from docextract.extraction.layout.candidates import Candidate, at_most, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.labelled_values import RESIDENT_ADDRESS, TEXTS_OF_WORDS
from docextract.extraction.layout.values.person_names import PERSON_NAMES

MISREAD_PROBABILITY = 0.5  # of a text that may be in another script
_TEXTS = TEXTS_OF_WORDS | {RESIDENT_ADDRESS}
_BETWEEN_SCRIPTS = "/"


def doubt_misread_scripts(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page: names without what may be read from another script, if they are printed twice.

    A text of which all may be is doubtful.
    """
    country = page.conventions.issuing_country
    if country is None or not has_other_script(country):
        return dict(found)
    return {name: _in_latin(one, country, page) if name in _TEXTS else one for name, one in found.items()}


def _in_latin(text: Candidate, country: str, page: PageLabels) -> Candidate:
    if may_be_misread_script(text.content, country):
        return at_most(text, MISREAD_PROBABILITY)
    if text.field not in PERSON_NAMES:
        return text
    parts = list(_parts(text.piece_indices, page))
    latin = [part for part in parts if not may_be_misread_script(page.text(part), country)]
    is_printed_twice = 0 < len(latin) < len(parts)
    name = candidate_of(page.field(text.field), tuple(chain(*latin)), page) if is_printed_twice else None
    return replace(name, labelled=text.labelled) if name else text


def _parts(span: Span, page: PageLabels) -> Iterator[Sequence[int]]:
    """Yield the parts of a text on different lines, or around a slash."""
    part: list[int] = []
    for index in span:
        is_slash = page.pieces[index].text == _BETWEEN_SCRIPTS
        if part and (is_slash or page.pieces[index].line != page.pieces[part[-1]].line):
            yield part
            part = []
        if not is_slash:
            part.append(index)
    if part:
        yield part

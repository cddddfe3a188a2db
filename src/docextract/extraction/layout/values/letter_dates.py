"""Finds the date of a letter, which stands alone on its line or behind a town: "Hamburg, den 11. März 2014"."""

from collections.abc import Mapping, Sequence

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels

DOCUMENT_DATE = "document_date"
LETTER_DATE_PROBABILITY = 0.6
MAX_TOWN_PIECES = 5  # in front of the date, with a comma
MAX_DATE_PIECES = 8
_BEFORE_DATES = frozenset({",", "den", "le", "am", "the", "on", "dnia", "dne", "dňa"})  # the last word in front
_DAYS = frozenset({"dnia", "dne", "dňa"})  # of these words, which are also in sentences: "Uhrazeno kartou dne 5. 11."
_IN = frozenset({"v", "ve", "vo", "w", "we"})  # in front of a town: "V Praze dne"
_BEHIND_DATES = frozenset("drg")  # words behind dates: "2024 m. gegužės 5 d.", "5 marca 2024 r."


def complete_document_date(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page with the first date that stands as in a letter, if there is no other date.

    Dates of other fields are left out.
    """
    field = page.single_field(DOCUMENT_DATE)
    given = [one for one in found.values() if one.is_likely]
    if field is None or any(one.field == DOCUMENT_DATE for one in given):
        return dict(found)
    taken = {index for one in given for index in one.piece_indices}
    dates = (_date_of_line(field, line, page) for line in page.lines if taken.isdisjoint(line))
    first = next(filter(None, dates), None)
    return {**found, **({DOCUMENT_DATE: at_least(first, LETTER_DATE_PROBABILITY)} if first else {})}


def _date_of_line(field: Field, line: Sequence[int], page: PageLabels) -> Candidate | None:
    """Return the date with which a line ends, if at most a town is in front of it."""
    texts = [page.pieces[index].text for index in line]
    end = next((-count for count in (1, 2) if "".join(texts[-count:]).rstrip(".") in _BEHIND_DATES), len(line))
    line, texts = line[:end], texts[:end]
    for start in range(max(0, len(line) - MAX_DATE_PIECES), min(MAX_TOWN_PIECES, len(line) - 1) + 1):
        is_behind_town = start and texts[start - 1].lower() in _BEFORE_DATES
        if start and not (is_behind_town and all(text.isalpha() or text == "," for text in texts[:start])):
            continue
        if start and not _is_town(texts[:start]):
            continue
        span = tuple(line[start:])
        found = candidate_of(field, span, page)
        if found and not any(candidate_of(field, part, page) for part in (span[1:], span[:-1]) if part):
            return found
    return None


def _is_town(words: Sequence[str]) -> bool:
    """Whether words in front of a date are not a part of a sentence. The last is one of _BEFORE_DATES."""
    return words[-1].lower() not in _DAYS or "," in words or words[0].lower() in _IN

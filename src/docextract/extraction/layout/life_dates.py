"""Decides the dates of birth, issue and expiry of a card together, where the network's are in no possible order.

Of a period such as "19/11/2021 - 18/11/2026" the first day is that of issue.
A date of which only half of the year is visible is none: "06-Feb-20" beside "05-Feb-2033" was not issued in 2020.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import product

from docextract.documents.base import DocumentType
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.labelled_values import LIFE_DATES, MAX_PERIOD_DATE_PIECES
from docextract.extraction.layout.values.text_spans import find_spans

ROLES = LIFE_DATES
_, ISSUE_DATE, EXPIRY_DATE = ROLES
MIN_DATE_PROBABILITY = 0.05  # of a piece, for the likeliest of the roles
MAX_DATES = 8  # of a card with more, the least likely ones are left out
NO_DATE = 0.01  # probability that counts for a role without a date
MIN_PROBABILITY = 0.002  # that counts for a date in a role
ORDERED_PROBABILITY = 0.6  # of a date that only its order gives its role
_DASHES = frozenset("-–—")
_WHOLE_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HALF_YEAR = re.compile(r"(?<!\d)(?:19|20)\W*\Z")  # also a day: then a whole year stands before it


def decide_dates(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with the likeliest dates that are in order, without those whose year is cut.

    Candidates whose years are whole and whose order is possible are returned as they were found.
    """
    if not set(ROLES) <= {field.name for field in page.single_fields()}:
        return dict(found)
    cut = _cut_dates([found[role].content for role in ROLES if role in found])
    whole = {name: one for name, one in found.items() if name not in ROLES or one.content not in cut}
    return _in_order(_with_period(whole, page), page, cut)


def _with_period(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with both days of a printed period, if the expiry date was found in it.

    An issue date that is likely and not in the period stays.
    """
    expiry, issue = found.get(EXPIRY_DATE), found.get(ISSUE_DATE)
    period = _period(page.lines.of(expiry.piece_indices[0]), page) if expiry else None
    if expiry is None or period is None or expiry.value not in (days := [one.value for one in period]):
        return dict(found)
    first, last = period
    is_other = issue is not None and issue.is_likely and issue.value not in days
    both = {EXPIRY_DATE: at_least(last, expiry.probability)}
    return {**found, **both, **({} if is_other else {ISSUE_DATE: at_least(first, ORDERED_PROBABILITY)})}


def _period(line: Sequence[int], page: PageLabels) -> tuple[Candidate, Candidate] | None:
    """Return the first and the last day of a period on a line: two dates with a dash between them, the later behind."""
    for at, index in enumerate(line):
        if page.pieces[index].text in _DASHES:
            least, most = max(0, at - MAX_PERIOD_DATE_PIECES), min(len(line), at + 1 + MAX_PERIOD_DATE_PIECES)
            before = (tuple(line[start:at]) for start in range(at - 1, least - 1, -1))
            behind = (tuple(line[at + 1 : end]) for end in range(at + 2, most + 1))
            first, last = _first_candidate(ISSUE_DATE, before, page), _first_candidate(EXPIRY_DATE, behind, page)
            if first and last and first.value < last.value:
                return first, last
    return None


def _first_candidate(role: str, spans: Iterable[Span], page: PageLabels) -> Candidate | None:
    return next(filter(None, (candidate_of(page.field(role), span, page) for span in spans)), None)


def _cut_dates(texts: Collection[str]) -> frozenset[str]:
    """Return the texts that end with the first half of a year, if all others have a whole year."""
    cut = frozenset(text for text in texts if _HALF_YEAR.search(text) and not _WHOLE_YEAR.search(text))
    others = [text for text in texts if text not in cut]
    return cut if others and all(map(_WHOLE_YEAR.search, others)) else frozenset()


def _in_order(found: Mapping[str, Candidate], page: PageLabels, cut: Collection[str]) -> dict[str, Candidate]:
    """Return the candidates with the likeliest dates that are in order, without cut ones; unchanged if they are."""
    given = {role: found[role] for role in ROLES if role in found and found[role].is_likely}
    if _are_possible(page.document_type, {role: found[role].value for role in ROLES if role in found}):
        return dict(found)
    options = {role: {day: one for day, one in _dates(role, page) if one.content not in cut} for role in ROLES}
    for role, one in given.items():
        options[role][one.value] = one
    chosen = (dict(zip(ROLES, dates, strict=True)) for dates in product(*(_likeliest(own) for own in options.values())))
    possible = (dates for dates in chosen if _are_possible(page.document_type, _without_none(dates)))
    best = max(possible, key=lambda dates: sum(_score(options[role], day) for role, day in dates.items()))
    ordered = {role: at_least(options[role][day], ORDERED_PROBABILITY) for role, day in _without_none(best).items()}
    return {name: one for name, one in found.items() if name not in ROLES} | ordered


def _without_none(dates: Mapping[str, date | None]) -> dict[str, date]:
    return {role: day for role, day in dates.items() if day is not None}


def _are_possible(document_type: DocumentType, dates: Mapping[str, date]) -> bool:
    """Whether the type's own checks of dates pass, and no date has two roles, not even in two centuries."""
    checks = document_type.check(document_type.record(**dates))
    is_possible = all(check.passed for check in checks if check.is_evidence)
    return is_possible and len({f"{day:%y%m%d}" for day in dates.values()}) == len(dates)


def _dates(role: str, page: PageLabels) -> Iterator[tuple[date, Candidate]]:
    """Yield the dates of the page with the probability of a role, less likely ones first."""
    field = page.field(role)
    found = (find_spans(page.numbers[name], page.pieces, page.labels, MIN_DATE_PROBABILITY) for name in ROLES)
    some = [candidate_of(field, span, page) for span in {span for spans in found for span in spans}]
    for one in sorted(filter(None, some), key=lambda one: one.probability):
        yield one.value, one


def _likeliest(options: Mapping[date, Candidate]) -> list[date | None]:
    ordered = sorted(options, key=lambda day: options[day].probability, reverse=True)
    return [None, *ordered[:MAX_DATES]]


def _score(options: Mapping[date, Candidate], day: date | None) -> float:
    return math.log(NO_DATE if day is None else max(options[day].probability, MIN_PROBABILITY))

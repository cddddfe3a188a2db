"""Decodes the labels of pieces into the values of single fields."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from docextract.documents import driver_licence, id_card
from docextract.documents.base import Field
from docextract.documents.currencies import currency_of_label, find_currency
from docextract.documents.persons import is_curp_of_woman
from docextract.extraction.layout.candidates import (
    Candidate,
    at_least,
    at_most,
    best_candidate,
    candidate_of,
)
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.birth_places import complete_birth_place
from docextract.extraction.layout.values.cut_addresses import doubt_cut_addresses
from docextract.extraction.layout.values.issuing_authorities import (
    ISSUING_AUTHORITY,
    complete_issuing_authority,
    to_end_of_authority,
)
from docextract.extraction.layout.values.issuing_countries import (
    ISSUING_COUNTRY,
    complete_issuing_country,
    without_fields_of_nations,
)
from docextract.extraction.layout.values.labelled_values import OTHER_ADDRESS_PART, labelled_values
from docextract.extraction.layout.values.letter_dates import complete_document_date
from docextract.extraction.layout.values.merchants import complete_merchant
from docextract.extraction.layout.values.misread_scripts import doubt_misread_scripts
from docextract.extraction.layout.values.person_names import complete_names
from docextract.extraction.layout.values.personal_numbers import complete_personal_number, doubt_only_number
from docextract.extraction.layout.values.resident_addresses import with_labelled_parts
from docextract.extraction.layout.values.spans import value_spans

MAX_FOREIGN_PROBABILITY = 0.3  # of an amount beside which another currency than the page's is printed
MIN_OWN_PROBABILITY = 0.1  # of an amount with the page's currency, beside which those with another are left out


def decode_fields(page: PageLabels) -> dict[str, Candidate]:
    """Return the best candidate of each single field of a page's type; fields without a candidate are left out."""
    labelled = labelled_values(page)
    if country := _likely_country(page, labelled):
        page = _with_country(page, country)
        labelled = labelled_values(page)
    candidates = {field.name: _candidates(field, page, labelled) for field in page.single_fields()}
    found = {name: best_candidate(some) for name, some in candidates.items() if some}
    # Names are divided by the customs of a country, and their holder is no authority.
    found = with_labelled_parts(complete_issuing_country(found, page), page, labelled.get(OTHER_ADDRESS_PART, ()))
    found = complete_names(found, page, labelled)
    found = to_end_of_authority(complete_issuing_authority(found, page, labelled.get(ISSUING_AUTHORITY, ())), page)
    found = without_fields_of_nations(complete_birth_place(found, page), page)
    found = complete_personal_number(doubt_misread_scripts(found, page), page)
    found = doubt_cut_addresses(doubt_only_number(found, page), page)
    return complete_document_date(complete_merchant(found, page), page)


def likely_country(page: PageLabels) -> str | None:
    """Return the alpha-3 code of the country that issued a document; None if none is likely."""
    return _likely_country(page, labelled_values(page))


def _likely_country(page: PageLabels, labelled: Mapping[str, Sequence[Span]]) -> str | None:
    """Return the alpha-3 code of the country that issued a document, on which the meaning of values depends."""
    field = page.single_field(ISSUING_COUNTRY)
    if field is None:
        return None
    candidates = _candidates(field, page, labelled)
    found = complete_issuing_country({field.name: best_candidate(candidates)} if candidates else {}, page)
    country = found.get(ISSUING_COUNTRY)
    return country.value if country is not None and country.is_likely else None


def _with_country(page: PageLabels, country: str) -> PageLabels:
    """Return the page with the country that issued it."""
    own_sexes = country if _has_own_sexes(page) else None
    conventions = replace(page.conventions, issuing_country=country, country_of_sexes=own_sexes)
    return replace(page, conventions=conventions)


def _has_own_sexes(page: PageLabels) -> bool:
    """Whether a page may have its country's own letters for sexes, and not those of ICAO Doc 9303, as passports have.

    Licences of Mexican states differ: M is a woman there only if a personal number on the page is a woman's.
    """
    if page.document_type.name == driver_licence.DOCUMENT_TYPE.name:
        return any(is_curp_of_woman(page.text(line)) for line in page.lines)
    return page.document_type.name == id_card.DOCUMENT_TYPE.name


def _candidates(field: Field, page: PageLabels, labelled: Mapping[str, Sequence[Span]]) -> list[Candidate]:
    """Return all candidates of a field. labelled: the values behind or below labels, by field."""
    spans, behind_labels = value_spans(field, page, labelled)
    found = {span: candidate_of(field, span, page) for span in spans}
    likely = [replace(at_least(one, spans[span]), labelled=span in behind_labels) for span, one in found.items() if one]
    return _in_currency(likely, page) if field.kind.name == "currency" else likely


def _in_currency(candidates: list[Candidate], page: PageLabels) -> list[Candidate]:
    """Leave out amounts that print another currency than the page's, or make them uncertain.

    They are left out only beside a likely amount that prints the page's own: one without a currency may be any number.
    """
    expected = page.conventions.currency
    if expected is None:
        return candidates
    printed = [(one, _printed_currency(one, page)) for one in candidates]
    if any(code == expected and one.probability >= MIN_OWN_PROBABILITY for one, code in printed):
        return [one for one, code in printed if code in (None, expected)]
    return [one if code in (None, expected) else at_most(one, MAX_FOREIGN_PROBABILITY) for one, code in printed]


def _printed_currency(amount: Candidate, page: PageLabels) -> str | None:
    """Return the currency of an amount, in front of it on its line, or at the end of the label; None without one."""
    first = amount.piece_indices[0]
    is_first = first == 0 or page.pieces[first - 1].line != page.pieces[first].line
    before = () if is_first else (first - 1,)
    found = find_currency([amount.content]) or find_currency([page.text((*before, *amount.piece_indices))])
    return found or currency_of_label(page.text(page.lines.in_front_of(first)))

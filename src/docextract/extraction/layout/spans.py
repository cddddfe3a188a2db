"""Decodes the labels of pieces into the values of single fields."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType, Field
from docextract.documents.identifiers import VAT_PREFIXES
from docextract.documents.values import ADDRESS, COMPANY_NAME, DOCUMENT_NUMBER, EMAIL_ADDRESS, IBAN, TAX_ID, Conventions
from docextract.extraction.layout.addresses import (
    complete_address,
    with_country_below,
    with_street_above,
    with_unit_above,
    with_unit_between,
    with_unit_in_front,
    without_captions,
    without_company,
)
from docextract.extraction.layout.card_elements import (
    is_numbered,
    without_discriminators,
    without_next_number,
    without_number,
)
from docextract.extraction.layout.labelled_values import TEXTS_OF_LINES, labelled_values
from docextract.extraction.layout.labels import (
    NO_FIELD,
    LabelProbabilities,
    field_probability,
)
from docextract.extraction.layout.payment_terms import dates_behind_discounts, discount_lines, due_dates
from docextract.extraction.layout.person_names import (
    GIVEN_NAMES_FIRST,
    family_and_given,
    is_notice,
    line_below_family_name,
    without_title,
)
from docextract.extraction.layout.pieces import Piece, Span, join_pieces
from docextract.extraction.layout.places import PrintedLines, box_of
from docextract.extraction.layout.printed_forms import printed_email_addresses, printed_ibans
from docextract.extraction.layout.text_spans import (
    begins_field,
    find_spans,
    is_span_below,
    join_lines,
    on_likely_lines,
    with_legal_form,
    with_other_line,
    without_caption,
    without_repetition,
    without_shop_number,
)
from docextract.extraction.layout.whole_words import whole_words
from docextract.images.geometry import Polygon
from docextract.predictions import PredictedValue

CURRENCY_OF_PAGE = "currency"  # in calibrations, among the names of fields
MAX_SUPPORTING_PLACES = 3  # of one value: totals are printed once more beside the payment, and on the customer's part
GIVEN_SUPPORT = 0.5  # of a value that is more likely than not on the page
MIN_VALUE_PROBABILITY = 0.15  # of a piece of an amount or a date; candidates that do not parse are dropped later
MIN_TEXT_PROBABILITY = 0.5  # of a piece of a text, where parsing cannot tell where the text ends
# Of the probability of the likeliest line of a text: lines below it, and above it, with at least this share belong to
# the text. With these values 122 of 171 names of held-out real receipts are exactly right, and 112 without the rule.
# With 0.95 for both it would be 129, because SROIE's labels are the company alone; but photos from elsewhere then lost
# "Friendly Red's" of "Friendly Red's of Windham" (2026-11-21, weights 2.1.0).
NAME_LINE_RATIOS = (0.9, 0.8)  # below, above
ADDRESS_LINE_RATIOS = (0.6, 0.6)  # a name in front of an address is another field
MAX_COMPLETED = 30  # addresses of one field that are completed; a page with more is no invoice
IBAN_FORM_PROBABILITY = 0.5  # of a text with the form of an IBAN that the network does not take for one
DUE_DATE = "due_date"
GIVEN_NAME = "given_name"
PERSON_NAMES = frozenset({"family_name", GIVEN_NAME})
LABELLED_PROBABILITY = 0.6  # of a value behind a label that names its field
NUMBERED_PROBABILITY = 0.95  # of a probable value behind the number of its data element
_SIGNS = frozenset("-−–")


@dataclass(frozen=True)
class Candidate:
    """One place on the page that may be the value of a field. Scores are 0..1 and not yet calibrated."""

    field: str
    content: str
    value: Any
    piece_indices: Span  # in reading order
    probability: float  # mean label probability of its pieces
    support: float  # probability that at least one place with this value is right
    margin: float  # support minus that of the best other value; 1 if there is no other
    confidence: float  # lowest OCR confidence of its lines
    whole: float = 1.0  # probability that all of its pieces belong to the field
    misread: float = 0.0  # expected number of misread characters, by the OCR confidence
    doubted: float = 0.0  # expected number of characters for which OCR's second choice is right, by its odds
    page_doubt: float = 0.0  # share of the page's pieces of whose label the network is not sure
    checked: float = 0.0  # 1: the type's checks with this field pass on its page, -1: one fails, 0: there is none
    labelled: bool = False  # a label that names the field is printed before the value, in one of its places


@dataclass(frozen=True)
class Candidates:
    """All candidates of one page for one type: by single field, and by list the rows, each by leaf."""

    fields: Mapping[str, Candidate]
    groups: Mapping[str, Sequence[Mapping[str, Candidate]]]
    currency: Candidate | None = None


def currency_candidate(conventions: Conventions) -> Candidate | None:
    """Return the currency of a page as a candidate, so that its confidence is calibrated like those of fields."""
    code, probability = conventions.currency, conventions.currency_confidence
    if code is None:
        return None
    return Candidate(
        CURRENCY_OF_PAGE, code, code, (), probability, support=probability, margin=1.0, confidence=1.0,
        whole=probability,
    )  # fmt: skip


def decode_fields(
    document_type: DocumentType,
    names: Sequence[str],
    pieces: Sequence[Piece],
    probabilities: LabelProbabilities,
    conventions: Conventions,
) -> dict[str, Candidate]:
    """Return the best candidate of each single field of a type; fields without a candidate are left out.

    names: the network's fields, in the order of its labels.
    """
    index = {name: number for number, name in enumerate(names)}
    best: dict[str, Candidate] = {}
    lines = PrintedLines(pieces)
    labelled = labelled_values(document_type, index, pieces, lines, probabilities.labels, conventions)
    for field in document_type.fields():
        if field.group is None and field.name in index:
            candidates = _candidates(field, index[field.name], pieces, lines, probabilities, conventions, labelled)
            if candidates:
                best[field.name] = _best(candidates)
    given = next((field for field in document_type.fields() if field.name == GIVEN_NAME), None)
    span = None if given is None or GIVEN_NAME in best else _stacked_given_names(best, pieces, lines)
    if given and span and GIVEN_NAME in index:
        alone = candidate_of(given, span, index[GIVEN_NAME], pieces, probabilities.labels, conventions)
        best |= {GIVEN_NAME: at_least(alone, LABELLED_PROBABILITY)} if alone else {}
    return _with_both_names(best, pieces)


def _stacked_given_names(found: Mapping[str, Candidate], pieces: Sequence[Piece], lines: PrintedLines) -> Span | None:
    """Return the line between the family name and the address that were found."""
    family, address = found.get("family_name"), found.get("resident_address")
    if family is None or address is None:
        return None
    return line_below_family_name(family.piece_indices, address.piece_indices, pieces, lines)


def _with_both_names(found: Mapping[str, Candidate], pieces: Sequence[Piece]) -> dict[str, Candidate]:
    """Divide a whole name that was found as one of two names, or as both."""
    country = found.get("issuing_country")
    names = [found[name] for name in ("family_name", "given_name") if name in found]
    if country is None or country.value not in GIVEN_NAMES_FIRST or not names:
        return dict(found)
    whole = max(names, key=lambda name: (len(name.piece_indices), name.probability))
    words = tuple(dropwhile(lambda index: not pieces[index].text.isalpha(), whole.piece_indices))
    parts = family_and_given(words, pieces)
    if parts is None or is_numbered(whole.field, words, pieces) or not _is_alone(whole, names):
        return dict(found)
    divided = {}
    for name, span in zip(("family_name", "given_name"), parts, strict=True):
        content = join_pieces([pieces[at] for at in span])
        divided[name] = replace(whole, field=name, content=content, value=content, piece_indices=span)
    return {**found, **divided}


def _is_alone(name: Candidate, names: Sequence[Candidate]) -> bool:
    """Whether all other names are unlikely or parts of a name, there or in a signature."""
    own, words = set(name.piece_indices), name.content.upper().split()
    others = [one for one in names if one is not name and one.probability >= MIN_TEXT_PROBABILITY]
    return all(own.issuperset(one.piece_indices) or one.content.upper() in words for one in others)


def _candidates(
    field: Field, number: int, pieces: Sequence[Piece], lines: PrintedLines,
    probabilities: LabelProbabilities, conventions: Conventions, labelled: Mapping[str, Sequence[Span]],
) -> list[Candidate]:  # fmt: skip
    """labelled: the values behind or below labels, by field."""
    is_text = field.kind.name == "string"
    labels = probabilities.labels
    own = field_probability(number, labels)
    spans = find_spans(number, pieces, labels, MIN_TEXT_PROBABILITY if is_text else MIN_VALUE_PROBABILITY, is_text)
    parts = whole_words(field, spans, pieces)
    spans = list(parts)
    if field.kind == DOCUMENT_NUMBER:
        spans = without_discriminators(spans, pieces, has_others=bool(labelled.get(field.name)))
        spans = [without_next_number(span, pieces) for span in spans]
    if is_text:
        ratios = ADDRESS_LINE_RATIOS if field.kind == ADDRESS else NAME_LINE_RATIOS
        likely = on_likely_lines(spans, own, pieces, ratios)
        spans = join_lines(likely, pieces, begins_field(number, labels))
        if field.kind == COMPANY_NAME:
            alone = [without_caption("company_name", span, pieces) for span in spans]
            once = [without_repetition(without_shop_number(span, pieces), pieces) for span in alone]
            formed = [with_legal_form(span, pieces) for span in once]
            joined = {with_other_line(span, own, pieces, lines): span for span in formed}
            parts, spans = parts | joined, list(joined)
        if field.name in PERSON_NAMES:
            spans = [span for span in spans if not is_notice(span, pieces)]
        if field.name == GIVEN_NAME:
            spans = [without_title(span, pieces) for span in spans]
        if field.kind == ADDRESS:
            whole = _whole_addresses(spans[:MAX_COMPLETED], number, pieces, lines, labels)
            spans = [without_number(field.name, span, pieces) for span in _replaced_by(whole, spans)]
    least = {whole: float(own[list(part)].mean()) for whole, part in parts.items() if whole != part}
    least |= dict.fromkeys((span for span in spans if is_numbered(field.name, span, pieces)), NUMBERED_PROBABILITY)
    if field.kind == IBAN:
        least = dict.fromkeys(printed_ibans(pieces, lines), IBAN_FORM_PROBABILITY)
        spans = _replaced_by(least, spans)
    if field.kind == EMAIL_ADDRESS:
        addresses = printed_email_addresses(pieces)
        spans = _replaced_by([span for span in addresses if own[list(span)].max() >= MIN_VALUE_PROBABILITY], spans)
    own_values = labelled.get(field.name, ())
    if field.name == DUE_DATE:
        discounts = discount_lines(pieces, lines, lambda text: field.kind.parse(text, conventions))
        spans = due_dates(spans, discounts, lines)
        own_values = [*own_values, *dates_behind_discounts(discounts, pieces)]
    if is_text:
        spans = _without_others(spans, field.name, labelled)
    if field.name in TEXTS_OF_LINES:
        own_values = [_continued(value, spans, pieces) for value in own_values]
        spans = _replaced_by(own_values, spans)
    if own_values:
        own_values = [next((span for span in spans if set(value) < set(span)), value) for value in own_values]
        least = {**dict.fromkeys(own_values, LABELLED_PROBABILITY), **least}
        spans = [*spans, *(value for value in own_values if value not in spans)]
    found = {span: candidate_of(field, span, number, pieces, labels, conventions) for span in spans}
    marked = {span: replace(one, labelled=span in own_values) for span, one in found.items() if one}
    return [at_least(one, least[span]) if span in least else one for span, one in marked.items()]


def _without_others(spans: Sequence[Span], field: str, labelled: Mapping[str, Sequence[Span]]) -> list[Span]:
    """Leave out what stands behind labels of other fields only."""
    others = {value for name, values in labelled.items() if name != field for value in values}
    return [span for span in spans if span not in others or span in labelled.get(field, ())]


def _continued(value: Span, found: Sequence[Span], pieces: Sequence[Piece]) -> Span:
    """Return the text behind a label, as far as it was found if it was, with another one that goes on below it."""
    upper = next((one for one in found if value[0] in one), value)
    return next((upper + one for one in found if _goes_on(upper, one, pieces)), upper)


def _goes_on(upper: Span, lower: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a span is directly below the last line of another, and begins in its column."""
    left, top, _, bottom = box_of(upper, pieces)
    return is_span_below(upper, lower, pieces) and abs(box_of(lower, pieces)[0] - left) < bottom - top


def _whole_addresses(
    spans: Sequence[Span], number: int, pieces: Sequence[Piece], lines: PrintedLines,
    labels: NDArray[np.float32],
) -> list[Span]:  # fmt: skip
    """Return the addresses from their street down to their postal code, without those that are part of another."""
    own, taken = field_probability(number, labels), _taken(number, labels)
    alone = [with_unit_in_front(without_company(span, pieces), pieces, taken) for span in spans]
    begun = [with_street_above(span, pieces, lines, own, taken) for span in alone]
    coded = [complete_address(span, pieces, lines, taken) for span in begun]
    inside = [with_unit_between(span, pieces, lines, taken) for span in coded]
    whole = [with_country_below(with_unit_above(one, pieces, lines, taken), pieces, lines, taken) for one in inside]
    bare = [without_captions(span, pieces) for span in whole]
    return [span for span in bare if not any(set(span) < set(other) for other in bare)]


def at_least(candidate: Candidate, probability: float) -> Candidate:
    """Return the candidate with at least this probability."""
    likely = max(candidate.probability, probability)
    return replace(candidate, probability=likely, support=likely, whole=max(candidate.whole, probability))


def _replaced_by(better: Iterable[Span], spans: Sequence[Span]) -> list[Span]:
    """Return the better spans, and those of the others that share no piece with them."""
    found = list(better)
    pieces = {index for span in found for index in span}
    return [*found, *(span for span in spans if pieces.isdisjoint(span))]


def _taken(number: int, labels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where a label of another field is the likeliest, [T]."""
    likeliest = labels.argmax(axis=1)
    return np.asarray((likeliest != NO_FIELD) & ((likeliest - 1) // 2 != number))


def candidate_of(
    field: Field, span: Span, number: int, pieces: Sequence[Piece],
    labels: NDArray[np.float32], conventions: Conventions,
) -> Candidate | None:  # fmt: skip
    """Return the candidate that some pieces make; None if their text is no value of the field.

    number: of the field, in the order of the labels. labels: probabilities, [T, K].
    """
    if field.kind.name == "currency":
        span = _with_sign(span, pieces)
    printed = _with_country_code(span, pieces) if field.kind == TAX_ID else span
    own_pieces = [pieces[index] for index in printed]
    content = join_pieces(own_pieces, field.kind.odds_factors)
    value = field.kind.parse(content, conventions)
    if value is None:
        return None
    own = field_probability(number, labels[list(span)])
    probability = float(own.mean())
    return Candidate(
        field.name, content, value, printed, probability, support=probability, margin=1.0,
        confidence=min(piece.confidence for piece in own_pieces),
        whole=float(own.prod(dtype=np.float64)),
        misread=sum((1 - piece.confidence) * len(piece.text) for piece in own_pieces),
        doubted=sum(other.odds / (1 + other.odds) for piece in own_pieces for other in piece.alternatives),
    )  # fmt: skip


def _with_country_code(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include the country directly in front of a tax number: "DE" of "DE136695976", not "No" of "No136695976"."""
    before, first = span[0] - 1, pieces[span[0]]
    attached = before >= 0 and pieces[before].line == first.line and not first.space_before
    return (before, *span) if attached and first.text[0].isdigit() and pieces[before].text in VAT_PREFIXES else span


def _with_sign(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include a minus directly in front of an amount, but not a dash behind a word: "-218,48", "Total-218,48"."""
    sign = span[0] - 1
    if sign < 0 or pieces[sign].text not in _SIGNS or pieces[sign].line != pieces[span[0]].line:
        return span
    attached = not pieces[span[0]].space_before
    alone = sign == 0 or pieces[sign].space_before or pieces[sign - 1].line != pieces[sign].line
    return (sign, *span) if attached and alone else span


def _best(candidates: Sequence[Candidate]) -> Candidate:
    """Choose the best value. Places with the same value support each other; the likeliest of them is the evidence.

    A few of them only: a price on each of a hundred rows is no total, however often it might be one.
    """
    probabilities: dict[Any, list[float]] = {}
    for candidate in candidates:
        probabilities.setdefault(_comparable(candidate.value), []).append(candidate.probability)
    support = {
        key: 1 - math.prod(1 - one for one in sorted(some)[-MAX_SUPPORTING_PLACES:])
        for key, some in probabilities.items()
    }
    winner = max(support, key=lambda key: support[key])
    others = [value for key, value in support.items() if key != winner]
    places = [one for one in candidates if _comparable(one.value) == winner]
    best = max(places, key=lambda one: one.probability)
    return replace(
        best,
        support=support[winner],
        margin=support[winner] - max(others) if others else 1.0,
        labelled=any(one.labelled for one in places),
    )


def _comparable(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def line_polygons(pieces: Sequence[Piece]) -> tuple[Polygon, ...]:
    """Return one polygon for each line that the pieces are on, px of the page."""
    lines: dict[int, list[Piece]] = {}
    for piece in pieces:
        lines.setdefault(piece.line, []).append(piece)
    return tuple(
        np.stack([row[0].polygon[0], row[-1].polygon[1], row[-1].polygon[2], row[0].polygon[3]])
        for row in lines.values()
    )


def predicted_value(candidate: Candidate, confidence: float, pieces: Sequence[Piece]) -> PredictedValue:
    """Return a candidate with its calibrated confidence and its place on the page."""
    polygons = line_polygons([pieces[index] for index in candidate.piece_indices])
    return PredictedValue(candidate.content, candidate.value, confidence, polygons)

"""Candidates: places on a page that may be the value of a field, with what speaks for and against them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from docextract.documents.base import Field
from docextract.documents.identifiers import VAT_PREFIXES
from docextract.documents.values import TAX_ID, Conventions
from docextract.extraction.layout.labels import field_probability
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span, join_pieces
from docextract.extraction.layout.values.amount_signs import with_credit, with_sign, without_credit
from docextract.extraction.layout.values.whole_words import with_whole_numbers
from docextract.images.geometry import Polygon
from docextract.predictions import PredictedValue

CURRENCY_OF_PAGE = "currency"  # in calibrations, among the names of fields
MAX_SUPPORTING_PLACES = 3  # of one value: totals are printed once more beside the payment, and on the customer's part
GIVEN_SUPPORT = 0.5  # of a value that is more likely than not on the page
_REMARKS = frozenset({"unit_price", "total_tax", "tip"})  # "2 Pizza (26,99)", "GST included (4.63)"
_DESCRIPTION = "description"  # of a row; the network takes CR for a word of it
_NUMBERS = frozenset({"currency", "number", "integer"})  # kinds


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
    checked: float = 0.0  # 1: its row's product or the type's checks with this field are right, -1: one is not, 0: none
    labelled: bool = False  # a label that names the field is printed before the value, in one of its places

    @property
    def is_likely(self) -> bool:
        """Whether it is more likely than not that the value is on the page."""
        return self.support >= GIVEN_SUPPORT


@dataclass(frozen=True)
class Candidates:
    """All candidates of one page for one type: by single field, and by list the rows, each by leaf."""

    fields: Mapping[str, Candidate]
    groups: Mapping[str, Sequence[Mapping[str, Candidate]]]
    currency: Candidate | None = None

    def likely_pieces(self) -> set[int]:
        """Return the pieces of likely single fields and of all rows."""
        given = (one for one in self.fields.values() if one.is_likely)
        in_rows = (one for rows in self.groups.values() for row in rows for one in row.values())
        return {index for one in chain(given, in_rows) for index in one.piece_indices}

    def with_rows(self, group: str, rows: Sequence[Mapping[str, Candidate]]) -> "Candidates":
        """Return the candidates with further rows of a list, without single fields of the same print."""
        own = {index for row in rows for one in row.values() for index in one.piece_indices}
        fields = {name: one for name, one in self.fields.items() if own.isdisjoint(one.piece_indices)}
        return replace(self, fields=fields, groups={**self.groups, group: [*self.groups.get(group, ()), *rows]})


def currency_candidate(conventions: Conventions) -> Candidate | None:
    """Return the currency of a page as a candidate, so that its confidence is calibrated like those of fields."""
    code, probability = conventions.currency, conventions.currency_confidence
    if code is None:
        return None
    return Candidate(
        CURRENCY_OF_PAGE, code, code, (), probability, support=probability, margin=1.0, confidence=1.0,
        whole=probability,
    )  # fmt: skip


def at_least(candidate: Candidate, probability: float) -> Candidate:
    """Return the candidate with at least this probability."""
    likely = max(candidate.probability, probability)
    return replace(candidate, probability=likely, support=likely, whole=max(candidate.whole, probability))


def at_most(candidate: Candidate, probability: float) -> Candidate:
    """Return the candidate with at most this probability."""
    return replace(
        candidate,
        probability=min(candidate.probability, probability),
        support=min(candidate.support, probability),
        whole=min(candidate.whole, probability),
    )


def candidate_of(field: Field, span: Span, page: PageLabels, is_credit: bool = False) -> Candidate | None:
    """Return the candidate that some pieces make; None if their text is no value of the field.

    is_credit: brackets and CR make a price negative, too; they are mostly those of a remark, and a unit.
    """
    pieces = page.pieces
    printed = scored = span
    if field.kind == TAX_ID:
        printed = _with_country_code(span, pieces)
    elif field.kind.name in _NUMBERS:
        printed = whole = with_whole_numbers(span, pieces)
        if field.kind.name == "currency":
            printed = _with_own_sign(field, whole, page, is_credit)
            sign = {*printed} - {*whole}  # one apart has no label
            scored = tuple(sorted({*span, *(at for at in sign if pieces[at].line == pieces[span[-1]].line)}))
    own_pieces = [pieces[index] for index in printed]
    content = join_pieces(own_pieces, field.kind.odds_factors)
    value = field.kind.parse(content, page.conventions)
    if value is None:
        return None
    own = field_probability(page.numbers[field.name], page.labels[list(scored)])
    probability = float(own.mean())
    return Candidate(
        field.name, content, value, printed, probability, support=probability, margin=1.0,
        confidence=min(piece.confidence for piece in own_pieces),
        whole=float(own.prod(dtype=np.float64)),
        misread=sum((1 - piece.confidence) * len(piece.text) for piece in own_pieces),
        doubted=sum(other.odds / (1 + other.odds) for piece in own_pieces for other in piece.alternatives),
    )  # fmt: skip


def _with_own_sign(field: Field, span: Span, page: PageLabels, is_credit: bool) -> Span:
    """Include the sign of an amount: a minus, brackets or CR, if it is one and not a remark or a unit."""
    may_be_credit = is_credit or field.leaf not in _REMARKS
    printed = with_sign(span, page.pieces, has_brackets=may_be_credit)
    if field.group is not None and not may_be_credit:
        return without_credit(printed, page.pieces)
    return _with_credit(field, span, page) if field.group is not None and printed == span else printed


def _with_credit(field: Field, span: Span, page: PageLabels) -> Span:
    """Include CR behind an amount of a row, unless it is another value, such as a unit.

    Behind sums of credit notes, which are positive, CR names their kind.
    """
    own = {None, field.name, f"{field.group}.{_DESCRIPTION}"}
    signed = with_credit(span, page.pieces)
    return signed if own.issuperset(map(page.likeliest_field, set(signed) - set(span))) else span


def _with_country_code(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include the country directly in front of a tax number: "DE" of "DE136695976", not "No" of "No136695976"."""
    before, first = span[0] - 1, pieces[span[0]]
    attached = before >= 0 and pieces[before].line == first.line and not first.space_before
    return (before, *span) if attached and first.text[0].isdigit() and pieces[before].text in VAT_PREFIXES else span


def best_candidate(candidates: Sequence[Candidate]) -> Candidate:
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

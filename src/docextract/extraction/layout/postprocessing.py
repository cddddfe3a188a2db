"""Turns the output of a labelling network into the prediction for a page; shared by all such networks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types, invoice, receipt
from docextract.documents.base import MRZ, DocumentType
from docextract.documents.countries import writes_month_first
from docextract.documents.dates import are_dates_dotted, proven_date_order
from docextract.documents.identity import is_identity
from docextract.documents.other_papers import has_statement_of_other_paper
from docextract.documents.printed_labels import has_identity_labels
from docextract.documents.seller_countries import currency_of_seller
from docextract.documents.values import Conventions, DateOrder
from docextract.extraction.layout import digit_groups, life_dates
from docextract.extraction.layout.arithmetic import (
    decimal_points,
    missed_rows,
    proven_payments,
    proven_rows,
    proven_taxes,
    proven_totals,
    second_choices,
    split_amounts,
    sums,
    tax_tables,
    tips,
)
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.candidates import (
    Candidate,
    Candidates,
    currency_candidate,
    predicted_value,
)
from docextract.extraction.layout.fields import decode_fields, likely_country
from docextract.extraction.layout.labels import LabelProbabilities, of_type
from docextract.extraction.layout.page_evidence import with_page_evidence
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.parties import roles
from docextract.extraction.layout.pieces import Piece
from docextract.extraction.layout.tables.rows import decode_groups
from docextract.extraction.layout.values.invoice_titles import (
    has_large_title,
    has_other_title,
    is_fiscal_receipt,
    is_other_paper_like_card,
    is_titled,
)
from docextract.extraction.zones import recognition
from docextract.extraction.zones.search import ZoneRefiner
from docextract.predictions import AUTO, OTHER_TYPE, PagePrediction, PredictedValue, PredictedZone, TextLine

MIN_TYPE_CONFIDENCE = 0.9  # below this probability a valid machine-readable zone decides the type of the page
# A page is `other` from this probability. Refusing a document costs more than an answer about another paper, which has
# a low probability of its type and is marked for review. Cross-validated over templates and kinds, four times: 95.5 %
# of other papers are refused and 0.3 % of real documents; with 0.7, 93.3 and 0.2 % (2026-11-25, extraction 2.14.0).
MIN_OTHER_PROBABILITY = 0.55
MIN_OTHER_PROBABILITY_OF_CARD = 0.8  # on a page with labels of cards; four of five such other papers have 0.86 or more
ZONE_TYPE_CONFIDENCE = 0.99  # probability of a type that a valid zone implies
SELLERS = ("merchant", "vendor")
SELLER_CURRENCY_PROBABILITY = 0.6  # of the currency of the seller's country, before it is calibrated
OTHER_TITLE_CONFIDENCE = 0.95  # probability that a page is no invoice, if it has the title of another paper


@dataclass(frozen=True)
class LayoutOutput:
    """Output of a labelling network for one page. T pieces, N types."""

    lines: tuple[TextLine, ...]  # in reading order
    pieces: tuple[Piece, ...]
    labels: LabelProbabilities
    types: NDArray[np.float32]  # [N], probabilities
    conventions: Conventions
    zone_refiner: ZoneRefiner | None = None  # reads machine-readable zones with their own network
    is_part: bool = False  # of a document of several pages


@dataclass(frozen=True)
class PredictionBuilder:
    """Builds predictions from the output of one network, whose types, fields and calibration it knows."""

    types: tuple[str, ...]  # in the order of the network's type probabilities, "other" included
    fields: tuple[str, ...]  # in the order of the network's labels
    calibration: Calibration

    def candidates(self, document_type: DocumentType, output: LayoutOutput) -> Candidates:
        """Return the best candidate of each single field, likely or not, and the rows of lists."""
        return self._candidates(self._page(document_type, output), output)

    def _candidates(self, page: PageLabels, output: LayoutOutput) -> Candidates:
        document_type = page.document_type
        page = roles.decide_parties(digit_groups.join_digit_groups(page))
        fields = decode_fields(page)
        decisions = (
            tips.with_labelled_tip, sums.close_sum, sums.leave_out_amount_without_tax, life_dates.decide_dates,
        )  # fmt: skip
        for decide_together in decisions:
            fields = decide_together(fields, page)
        currency = currency_candidate(output.conventions) or _currency_of_seller(fields)
        found = Candidates(fields, decode_groups(page), currency)
        found = second_choices.take_second_choices(found, page, output.is_part)
        found = decimal_points.restore_points(found, document_type)
        found = split_amounts.split_amounts(found, document_type, page, output.is_part)
        found = proven_rows.leave_out_other_rows(found, document_type, page, output.is_part)
        found = missed_rows.add_missed_rows(found, document_type, page, output.is_part)
        found = proven_payments.add_payments(found, document_type, page, output.is_part)
        found = proven_totals.take_total_with_tip(found, page, output.is_part)
        found = proven_totals.take_paid_total(found, page, output.is_part)
        found = tax_tables.take_sums_of_taxes(found, page, output.is_part)
        found = proven_taxes.complete_taxes(found, document_type, page, output.is_part)
        found = proven_taxes.take_total_tax(found, page, output.is_part)
        return with_page_evidence(found, document_type, output.labels, output.is_part)

    def _page(self, document_type: DocumentType, output: LayoutOutput) -> PageLabels:
        labels = of_type(output.labels, document_type, self.fields)
        page = PageLabels(document_type, self.fields, output.pieces, labels, output.conventions)
        return replace(page, conventions=_with_date_order(page, output.lines))

    def build(self, output: LayoutOutput, requested_type: str) -> PagePrediction:
        """Return the prediction for a page. requested_type: a type's name or "auto"."""
        if not output.pieces:  # training has no page without print, so the network's output would be arbitrary
            if requested_type == AUTO:
                return PagePrediction(OTHER_TYPE, 1.0, Conventions())
            return PagePrediction(requested_type, 0.0, Conventions())
        if self._has_other_title(output, requested_type):
            return PagePrediction(
                OTHER_TYPE, OTHER_TITLE_CONFIDENCE, output.conventions, lines=output.lines, has_other_title=True
            )
        zone = self._zone(output, requested_type)
        name, confidence = self._type(output, requested_type, zone)
        document_type = document_types().get(name) if name in self.types else None
        page = self._page(document_type, output) if document_type else None
        candidates = self._candidates(page, output) if page else Candidates({}, {})
        candidates = second_choices.take_names_in_zone(candidates, page, zone) if page and zone else candidates
        fields, groups = self._fields(candidates, output), self._groups(candidates, output)
        bounds = self.calibration.error_bounds_of(name)
        conventions = self._conventions(candidates, page.conventions if page else output.conventions)
        is_titled_invoice = name == invoice.DOCUMENT_TYPE.name and has_large_title(self._as_invoice(output))
        return PagePrediction(
            name, confidence, conventions, fields, groups, output.lines, zone,
            error_bounds=bounds, has_invoice_title=is_titled_invoice,
        )  # fmt: skip

    def _has_other_title(self, output: LayoutOutput, requested_type: str) -> bool:
        """Whether a page has the title or a statement of an offer, order or other paper, and may be one.

        It looks like an invoice, or without certainty like a card that has no valid machine-readable zone. Receipts
        have numbers of orders.
        """
        name = self._likeliest_type(output)
        if requested_type != AUTO or name in (OTHER_TYPE, receipt.DOCUMENT_TYPE.name):
            return False
        page = self._as_invoice(output)
        if name == invoice.DOCUMENT_TYPE.name:
            text = page.text(range(len(output.pieces)))
            return has_other_title(page) or (not is_titled(page) and has_statement_of_other_paper(text))
        is_certain = output.types[self.types.index(name)] >= MIN_TYPE_CONFIDENCE
        return (
            not is_certain
            and is_other_paper_like_card(page)
            and recognition.document_type_of(self._zone(output, requested_type)) is None
        )

    def _as_invoice(self, output: LayoutOutput) -> PageLabels:
        return PageLabels(invoice.DOCUMENT_TYPE, self.fields, output.pieces, output.labels, output.conventions)

    def _zone(self, output: LayoutOutput, requested_type: str) -> PredictedZone | None:
        """Return the machine-readable zone of a page, unless its type is certain and has none.

        Long numbers and rows of marks on receipts look like zones, and to read them costs as much as to read the page.
        """
        name, confidence = self._type(output, requested_type, None)
        if confidence >= MIN_TYPE_CONFIDENCE and name != OTHER_TYPE and not _may_have_zone(name):
            return None
        today, refiner = date.today(), output.zone_refiner
        zone = recognition.find_zone(output.lines, today, refiner.read_lines if refiner else None)
        if refiner and not (zone and zone.valid):
            name, _ = self._type(output, requested_type, zone)
            return recognition.find_zone_in_strips(refiner.find_lines(name), output.lines, today) or zone
        return zone

    def _type(self, output: LayoutOutput, requested_type: str, zone: PredictedZone | None) -> tuple[str, float]:
        """Return the page's type and its probability; for a requested type, that type and its probability."""
        name = requested_type if requested_type != AUTO else self._likeliest_type(output)
        confidence = float(output.types[self.types.index(name)]) if name in self.types else 0.0
        zone_type = recognition.document_type_of(zone)
        if zone_type in self.types and confidence < MIN_TYPE_CONFIDENCE and requested_type in (AUTO, zone_type):
            return zone_type, max(confidence, ZONE_TYPE_CONFIDENCE)
        return name, confidence

    def _likeliest_type(self, output: LayoutOutput) -> str:
        """Return the likeliest type. A page is `other` only if that is clear, and no title makes it another."""
        by_probability = sorted(zip(output.types.tolist(), self.types, strict=True), reverse=True)
        (probability, name), *others = by_probability
        if name != OTHER_TYPE or not others:
            return name
        if probability < MIN_OTHER_PROBABILITY or (
            probability < MIN_OTHER_PROBABILITY_OF_CARD and _may_be_card(others[0][1], output)
        ):
            return others[0][1]
        page = self._as_invoice(output)
        kinds = {invoice.DOCUMENT_TYPE.name: has_large_title, receipt.DOCUMENT_TYPE.name: is_fiscal_receipt}
        return next((kind for kind, has_title in kinds.items() if kind in self.types and has_title(page)), name)

    def _conventions(self, candidates: Candidates, conventions: Conventions) -> Conventions:
        """Return the conventions by which values were read, with the currency and its calibrated confidence."""
        currency = candidates.currency
        confidence = self.calibration.confidence(currency) if currency else 0.0
        code = currency.value if currency else None
        return replace(conventions, currency=code, currency_confidence=confidence)

    def _fields(self, candidates: Candidates, output: LayoutOutput) -> dict[str, PredictedValue]:
        return {
            name: self._value(candidate, output)
            for name, candidate in candidates.fields.items()
            if self.calibration.accepts(candidate)
        }

    def _groups(self, candidates: Candidates, output: LayoutOutput) -> dict[str, tuple[dict[str, PredictedValue], ...]]:
        return {
            group: tuple({leaf: self._value(candidate, output) for leaf, candidate in row.items()} for row in rows)
            for group, rows in candidates.groups.items()
            if rows
        }

    def _value(self, candidate: Candidate, output: LayoutOutput) -> PredictedValue:
        return predicted_value(candidate, self.calibration.confidence(candidate), output.pieces)


def _may_be_card(name: str, output: LayoutOutput) -> bool:
    kind = document_types().get(name)
    return kind is not None and is_identity(kind) and has_identity_labels(line.text for line in output.lines)


def _currency_of_seller(fields: Mapping[str, Candidate]) -> Candidate | None:
    """Return the currency of the seller's country, for a page that names none; None if its data tell no country."""
    for party in SELLERS:
        parts = [fields.get(f"{party}_{part}") for part in ("tax_id", "phone", "address")]
        texts = [one.content if one and one.is_likely else None for one in parts]
        if code := currency_of_seller(*texts):
            return currency_candidate(Conventions(currency=code, currency_confidence=SELLER_CURRENCY_PROBABILITY))
    return None


def _with_date_order(page: PageLabels, lines: Sequence[TextLine]) -> Conventions:
    """Return the conventions of a page of this type. On cards, dates with points never begin with the month.

    On American receipts they do. Nor do any dates on cards of most countries. A date like 24.13.2008 would have proven
    its order.
    """
    texts = [line.text for line in lines]
    own = page.conventions
    is_card = not any(field.kind.name == "currency" for field in page.document_type.fields())
    may_be_month_first = "MDY" in (own.date_order, *own.date_order_probabilities)
    if not is_card or not may_be_month_first or proven_date_order(texts):
        return own
    if not are_dates_dotted(texts) and not _is_of_other_country(page):
        return own
    order: DateOrder = "DMY" if own.date_order == "MDY" else own.date_order
    others = {other: one for other, one in own.date_order_probabilities.items() if other != "MDY"}
    return replace(own, date_order=order, date_order_probabilities=cast(dict[DateOrder, float], others))


def _is_of_other_country(page: PageLabels) -> bool:
    """Whether the country that issued a card is likely, and writes no dates that begin with the month."""
    country = likely_country(page)
    return country is not None and not writes_month_first(country)


def _may_have_zone(name: str) -> bool:
    kind = document_types().get(name)
    return kind is None or MRZ in kind.record.non_fields

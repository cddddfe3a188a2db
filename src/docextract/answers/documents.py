"""The conversion of predictions into the documents of an answer."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from docextract.answers.date_orders import with_dates_in_order
from docextract.answers.einvoices import merge_einvoice
from docextract.answers.merging import (
    ExtractedPage,
    LocatedValue,
    LocatedZone,
    MergedDocument,
    build_record,
    merge_pages,
    zone_checks,
)
from docextract.answers.review import NOTHING_ACCEPTED, lowest_accepted, review_reasons
from docextract.answers.schema import (
    DECIMALS,
    CheckAnswer,
    CropAnswer,
    CurrencyAnswer,
    DocumentAnswer,
    FieldAnswer,
    LineAnswer,
    PointList,
    confidence_level,
)
from docextract.documents import document_types, invoice
from docextract.documents.base import MRZ, DocumentType
from docextract.documents.einvoice import EInvoice
from docextract.documents.values import Conventions, FieldKind
from docextract.images.geometry import Polygon, project
from docextract.predictions import common_type

_CROP_JPEG_QUALITY = 90


@dataclass(frozen=True)
class AnswerOptions:
    """The options of a request that affect its documents."""

    include: frozenset[str] = frozenset()
    min_confidence: float | None = None  # if None, the confidence at which the target error is met
    target_error: float = 0.01


@dataclass(frozen=True)
class _AcceptedFrom:
    """From which confidence on values are accepted without review.

    predicted: what the models have read. data: what an e-invoice states and no print contradicts, to which the measured
    errors of the models do not apply.
    """

    predicted: float
    data: float

    def of(self, is_data: bool) -> float:
        """The limit of one value."""
        return self.data if is_data else self.predicted


def build_document(
    pages: Sequence[ExtractedPage],
    options: AnswerOptions,
    einvoice: EInvoice | None = None,
    einvoice_damaged: bool = False,
    uploads: Sequence[int] = (),
) -> DocumentAnswer:
    """Build the answer for one document from its pages, its e-invoice, or both.

    einvoice_damaged: the file contains an e-invoice that cannot be parsed.
    uploads:          indices of the files of the document, that of its first page first.
    """
    name = invoice.DOCUMENT_TYPE.name if einvoice else common_type([page.prediction for page in pages])
    kind = document_types().get(name)
    if kind and not einvoice:  # an e-invoice states its dates
        pages = _with_dates_in_order(pages, kind)
    merged = merge_pages(pages, kind) if kind else None
    if kind and merged and einvoice:
        merged = merge_einvoice(merged, einvoice, pages, kind)
    accepted_from = options.min_confidence
    if accepted_from is None:
        accepted_from = lowest_accepted([page.prediction for page in pages], options.target_error)
    if _have_several_documents(pages):  # a value may be that of another document, however surely it is read
        accepted_from = NOTHING_ACCEPTED
    limits = _AcceptedFrom(accepted_from, options.min_confidence or 0.0)
    fields = _field_answers(kind, merged, options, limits) if kind and merged else {}
    checks = _checks(kind, merged) if kind and merged else []
    checks += _page_checks(pages, einvoice_damaged)
    confidences = list(merged.confidences()) if merged else []
    failed = [check.name for check in checks if not check.passed]
    currency = _currency(kind, merged) if kind and merged else None
    uncertain = {name: _is_uncertain(answer) for name, answer in fields.items()}
    if currency:
        uncertain["currency"] = currency.confidence < limits.of(is_data=bool(einvoice and einvoice.currency))
    absent = ("family_name",) if merged and merged.has_single_name else ()
    reasons = review_reasons(kind, uncertain, failed, absent)
    type_confidences = [page.prediction.type_confidence for page in pages if page.prediction.type == name]
    answer: dict[str, Any] = {
        "type": name,
        "type_confidence": 1.0 if einvoice else _rounded(max(type_confidences)),
        "schema_version": kind.schema_version if kind else None,
        "uploads": list(uploads),
        "images": [page.image for page in pages],
        "confidence": _rounded(float(np.mean(confidences)) if confidences else 0.0),
        "needs_review": bool(reasons),
        "review_reasons": reasons,
        "accepted_from": accepted_from,
        "fields": fields,
        "missing_fields": [name for name in _top_level(kind) if name not in fields] if kind else [],
        "checks": checks,
    }
    if currency:
        answer["currency"] = currency
    if "crops" in options.include:
        answer["crops"] = [_crop(page) for page in pages]
    if "lines" in options.include:
        answer["lines"] = [line for page in pages for line in _lines(page)]
    return DocumentAnswer(**answer)


def _with_dates_in_order(pages: Sequence[ExtractedPage], kind: DocumentType) -> list[ExtractedPage]:
    """Return the pages with the dates of those of this type in order, see `with_dates_in_order`."""
    of_kind = [page for page in pages if page.prediction.type == kind.name]
    read = with_dates_in_order([page.prediction for page in of_kind], kind)
    predictions = {page.image: prediction for page, prediction in zip(of_kind, read, strict=True)}
    return [replace(page, prediction=predictions.get(page.image, page.prediction)) for page in pages]


def _currency(kind: DocumentType, merged: MergedDocument) -> CurrencyAnswer | None:
    """Return the currency of a document with amounts."""
    sums = {field.name for field in kind.fields() if field.kind.name == "currency"}
    has_amount = not sums.isdisjoint(merged.fields) or any(
        f"{group}.{leaf}" in sums for group, rows in merged.groups.items() for row in rows for leaf in row
    )
    code = merged.conventions.currency
    if code is None or not has_amount:
        return None
    return CurrencyAnswer(code=code, confidence=_rounded(merged.conventions.currency_confidence))


def _is_uncertain(answer: FieldAnswer) -> bool:
    """Whether a value of the field, or in a row of the list, is to be reviewed."""
    values = [one for row in answer.items or () for one in (row.fields or {}).values()] or [answer]
    return any(one.needs_review for one in values)


def _page_checks(pages: Sequence[ExtractedPage], einvoice_damaged: bool) -> list[CheckAnswer]:
    """Return the checks of the file itself, which documents of every type have."""
    layers = [matches for page in pages if (matches := page.prediction.text_layer_matches) is not None]
    checks = [CheckAnswer(name="text_layer_matches_page", passed=all(layers), fields=[])] if layers else []
    if _have_several_documents(pages):
        checks.append(CheckAnswer(name="page_has_one_document", passed=False, fields=[]))
    if einvoice_damaged:
        checks.append(CheckAnswer(name="embedded_invoice_is_valid", passed=False, fields=[]))
    return checks


def _have_several_documents(pages: Sequence[ExtractedPage]) -> bool:
    return any(page.prediction.parts for page in pages)


def _top_level(kind: DocumentType) -> list[str]:
    """Return the names of fields and lists in the order of the record, and at last the machine-readable zone."""
    names = dict.fromkeys(field.group or field.name for field in kind.fields())
    return [*names, *([MRZ] if MRZ in kind.record.non_fields else [])]


def _field_answers(
    kind: DocumentType, merged: MergedDocument, options: AnswerOptions, limits: _AcceptedFrom
) -> dict[str, FieldAnswer]:
    kinds = {field.name: field.kind for field in kind.fields()}
    answers: dict[str, FieldAnswer] = {}
    for name in _top_level(kind):
        if name in merged.fields:
            answers[name] = _field_answer(merged.fields[name], kinds[name], merged.conventions, options, limits)
        elif name in merged.groups:
            rows = [
                FieldAnswer(
                    type="object",
                    fields={
                        leaf: _field_answer(located, kinds[f"{name}.{leaf}"], merged.conventions, options, limits)
                        for leaf, located in row.items()
                    },
                )
                for row in merged.groups[name]
            ]
            answers[name] = FieldAnswer(type="array", items=rows)
        elif name == MRZ and merged.zone is not None:
            answers[name] = _zone_answer(merged.zone, options, limits)
    return answers


def _field_answer(
    located: LocatedValue, kind: FieldKind, conventions: Conventions, options: AnswerOptions, limits: _AcceptedFrom
) -> FieldAnswer:
    value = located.value
    answer: dict[str, Any] = {
        "type": kind.name,
        "value": kind.to_json(value.value, conventions),
        "content": value.content,
        "source": located.source,
        **_confidence_members(value.confidence, limits.of(located.is_data)),
        **_place_members(value.polygons, located.page, options),
    }
    if located.sources:
        answer["sources"] = {
            name: _field_answer(one, kind, conventions, options, limits) for name, one in located.sources.items()
        }
    return FieldAnswer(**answer)


def _zone_answer(located: LocatedZone, options: AnswerOptions, limits: _AcceptedFrom) -> FieldAnswer:
    zone = located.zone
    return FieldAnswer(
        type=MRZ,
        value={"format": zone.format, "lines": list(zone.lines), "valid": zone.valid},
        content="\n".join(zone.lines),
        source="mrz",
        **_confidence_members(zone.confidence, limits.predicted),
        **_place_members(zone.polygons, located.page, options),
    )


def _confidence_members(confidence: float, accepted_from: float) -> dict[str, Any]:
    members = {"confidence": _rounded(confidence), "level": confidence_level(confidence)}
    return members | {"needs_review": True} if _rounded(confidence) < accepted_from else members


def _place_members(polygons: Sequence[Polygon], page: ExtractedPage | None, options: AnswerOptions) -> dict[str, Any]:
    """Return where a value stands. page: None for a value of an e-invoice that is not printed."""
    if page is None:
        return {}
    if "polygons" not in options.include or not polygons:
        return {"image": page.image}
    return {"image": page.image, "polygon": _relative(_enclosing_polygon(polygons), page)}


def _checks(kind: DocumentType, merged: MergedDocument) -> list[CheckAnswer]:
    checks = [*kind.check(build_record(kind, merged)), *zone_checks(merged), *merged.checks]
    return [CheckAnswer(name=one.name, passed=one.passed, fields=list(one.fields)) for one in checks]


def _enclosing_polygon(polygons: Sequence[Polygon]) -> Polygon:
    """Return one polygon for a value on several lines: their bounding box on the rectified page."""
    if len(polygons) == 1:
        return polygons[0]
    points = np.concatenate([np.asarray(polygon) for polygon in polygons])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _relative(polygon: Polygon, page: ExtractedPage) -> PointList:
    return [(_rounded(x), _rounded(y)) for x, y in project(np.asarray(polygon, np.float32), page.to_photo).tolist()]


def _lines(page: ExtractedPage) -> list[LineAnswer]:
    return [
        LineAnswer(
            image=page.image,
            text=line.text,
            confidence=_rounded(line.confidence),
            polygon=_relative(line.polygon, page),
        )
        for line in page.prediction.lines
    ]


def _crop(page: ExtractedPage) -> CropAnswer:
    bgr = cv2.cvtColor(page.page, cv2.COLOR_RGB2BGR)
    _, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _CROP_JPEG_QUALITY])
    return CropAnswer(image=page.image, media_type="image/jpeg", content=base64.b64encode(encoded.tobytes()).decode())


def _rounded(number: float) -> float:
    return round(float(number), DECIMALS)

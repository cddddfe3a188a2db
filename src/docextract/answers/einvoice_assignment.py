"""Which document of a request an e-invoice is of.

A file may have a letter or another invoice in front of the one that its data are of.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from docextract.answers.einvoices import PrintedLine, find_printed, same_value
from docextract.answers.merging import ExtractedPage
from docextract.documents import invoice
from docextract.documents.einvoice import EInvoice
from docextract.documents.values import FieldKind
from docextract.predictions import OTHER_TYPE

_INVOICE = invoice.DOCUMENT_TYPE
_MIN_NUMBER_LENGTH = 4  # letters and digits; shorter ones stand in dates and amounts by chance
_TELLING_FIELDS = {
    field.name: field.kind for field in _INVOICE.fields() if field.name in ("document_number", "document_date", "total")
}


def assign_einvoices(
    documents: Sequence[Sequence[ExtractedPage]],
    uploads: Sequence[Collection[int]],
    einvoices: Mapping[int, EInvoice],
    alone: Collection[int],
) -> dict[int, int]:
    """Return the upload whose e-invoice is of a document, by the index of the document; each has at most one.

    documents: the pages of each. uploads: the files of each, of whose e-invoices it may have one. einvoices: by upload.
    alone: the uploads that are an e-invoice without pages. These are only of invoices and pages of no type that have
    something in common with them, not of a passport in the same request.

    The document decides whose number, date and total agree most: what was understood counts twice, what is printed
    anywhere once, because a letter may name its invoice. Where as many agree, invoices go before other documents.
    """
    ranks: dict[tuple[int, int], tuple[int, bool]] = {}
    for document, (pages, own) in enumerate(zip(documents, uploads, strict=True)):
        possible = {upload: einvoice for upload, einvoice in einvoices.items() if upload in own}
        lines = [PrintedLine(page, line) for page in pages for line in page.prediction.lines] if possible else []
        for upload, einvoice in possible.items():
            agreeing = _count_understood(einvoice, pages) + _count_printed(einvoice, lines)
            ranks[document, upload] = agreeing, _is_invoice(pages)
    related = {
        (document, upload): rank
        for (document, upload), rank in ranks.items()
        if upload not in alone or (_may_be_invoice(documents[document]) and any(rank))
    }
    assigned: dict[int, int] = {}
    for document, upload in sorted(related, key=related.__getitem__, reverse=True):
        if document not in assigned and upload not in assigned.values():
            assigned[document] = upload
    return assigned


def find_damaged(
    documents: Sequence[Sequence[ExtractedPage]], uploads: Sequence[Collection[int]], damaged: Collection[int]
) -> set[int]:
    """Return the indices of the documents that damaged e-invoices are reported for: the first invoice of each file.

    uploads: the files of each document. damaged: the uploads with a damaged e-invoice.
    """
    of_files = ([index for index, own in enumerate(uploads) if upload in own] for upload in damaged)
    return {max(indices, key=lambda index: _is_invoice(documents[index])) for indices in of_files if indices}


def _is_invoice(pages: Sequence[ExtractedPage]) -> bool:
    return any(page.prediction.type == _INVOICE.name for page in pages)


def _may_be_invoice(pages: Sequence[ExtractedPage]) -> bool:
    return _is_invoice(pages) or all(page.prediction.type == OTHER_TYPE for page in pages)


def _telling_values(einvoice: EInvoice) -> Iterator[tuple[str, FieldKind, Any]]:
    """Yield the values that tell documents apart; a total of 0 does not."""
    for name, kind in _TELLING_FIELDS.items():
        if value := einvoice.values.get(name):
            yield name, kind, value


def _count_understood(einvoice: EInvoice, pages: Sequence[ExtractedPage]) -> int:
    """Return how many of the fields that tell documents apart have the value of the data on one of the pages."""
    return sum(
        any(name in page.prediction.fields and same_value(value, page.prediction.fields[name].value) for page in pages)
        for name, _, value in _telling_values(einvoice)
    )


def _count_printed(einvoice: EInvoice, lines: Sequence[PrintedLine]) -> int:
    return sum(
        next(find_printed(value, name, kind, lines), None) is not None
        for name, kind, value in _telling_values(einvoice)
        if not isinstance(value, str) or sum(map(str.isalnum, value)) >= _MIN_NUMBER_LENGTH
    )

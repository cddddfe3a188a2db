"""Builds the documents, uploads and images of an answer from predictions."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from docextract.answers import schema
from docextract.answers.documents import AnswerOptions, build_document
from docextract.answers.einvoice_assignment import assign_einvoices, find_damaged
from docextract.answers.merging import ExtractedPage
from docextract.answers.type_doubts import with_settled_type
from docextract.documents.einvoice import EInvoice
from docextract.pipeline.decoding import DecodedRequest
from docextract.pipeline.options import ExtractionOptions, PageGrouping
from docextract.predictions import AUTO


def build_documents(
    documents: Sequence[Sequence[ExtractedPage]],
    decoded: DecodedRequest,
    options: ExtractionOptions,
    target_error: float,
) -> list[schema.DocumentAnswer]:
    """Build the answer for each document, and for each e-invoice that was sent without its pages.

    target_error: the share of wrong values that is allowed among those that are accepted without review.
    """
    answer_options = AnswerOptions(options.include, options.min_confidence, target_error)
    uploads = [_uploads_of(pages, decoded, options.group) for pages in documents]
    einvoices = _different_einvoices(decoded.einvoices, options.group)
    alone = [upload for upload in einvoices if not decoded.files[upload].page_count]
    own = assign_einvoices(documents, uploads, einvoices, alone)
    damaged = [upload for upload, einvoice in decoded.einvoices.items() if einvoice is None]
    with_damage = find_damaged(documents, uploads, damaged)

    def build(pages: Sequence[ExtractedPage], upload: int | None, is_damaged: bool = False) -> schema.DocumentAnswer:
        einvoice = einvoices[upload] if upload is not None else None
        of_data = [upload, *_repeated(upload, decoded.einvoices, einvoices)] if upload is not None else []
        files = dict.fromkeys([*(decoded.photos[page.image].upload for page in pages), *of_data])
        if einvoice is None and options.document_type == AUTO:  # an e-invoice is one, whatever its print says
            pages = with_settled_type(pages)
        return build_document(pages, answer_options, einvoice, is_damaged, tuple(files))

    answers = [build(pages, own.get(index), index in with_damage) for index, pages in enumerate(documents)]
    return [*answers, *(build((), upload) for upload in einvoices if upload not in own.values())]


def _uploads_of(pages: Sequence[ExtractedPage], decoded: DecodedRequest, grouping: PageGrouping) -> Collection[int]:
    """Return the files of a document. With `request`, also those without pages: an e-invoice beside its print."""
    if grouping == "request":
        return range(len(decoded.files))
    return {decoded.photos[page.image].upload for page in pages}


def _different_einvoices(einvoices: Mapping[int, EInvoice | None], grouping: PageGrouping) -> dict[int, EInvoice]:
    """Return the readable e-invoices by upload. With `request`, one that is sent twice is the same document."""
    different: dict[int, EInvoice] = {}
    for upload, einvoice in einvoices.items():
        if einvoice is not None and not (grouping == "request" and einvoice in different.values()):
            different[upload] = einvoice
    return different


def _repeated(
    upload: int, einvoices: Mapping[int, EInvoice | None], different: Mapping[int, EInvoice]
) -> Iterator[int]:
    """Yield the other files with the e-invoice of this one. different: what `_different_einvoices` has left."""
    return (one for one, other in einvoices.items() if one not in different and other == different[upload])


def describe_uploads(decoded: DecodedRequest) -> list[schema.UploadAnswer]:
    """Describe each file of the request, and which of its pages were read."""
    return [
        schema.UploadAnswer(
            index=index,
            media_type=file.media_type,
            pages=file.page_count,
            pages_read=[photo.page.number for photo in decoded.photos if photo.upload == index],
        )
        for index, file in enumerate(decoded.files)
    ]


def describe_images(decoded: DecodedRequest, documents: Sequence[Sequence[ExtractedPage]]) -> list[schema.ImageAnswer]:
    """Describe each image of the request, and where its text comes from."""
    all_pages = [page for pages in documents for page in pages]  # several of one image, if it was divided
    recognised = {page.image for page in all_pages if page.prediction.text_source == "recognised"}
    return [
        schema.ImageAnswer(
            index=index, upload=photo.upload, page=photo.page.number, width=photo.page.width, height=photo.page.height,
            source=photo.page.source, text_source="recognised" if index in recognised else "embedded",
        )
        for index, photo in enumerate(decoded.photos)
    ]  # fmt: skip

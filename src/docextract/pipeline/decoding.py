"""Decodes the files of a request: from uploads to photos."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import anyio
import anyio.to_thread

from docextract.documents.einvoice import EInvoice, EInvoiceError, parse_einvoice
from docextract.images.decoder import PreparedFile, PreparedPage, WorkingSize
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import PageSelection, Refusal
from docextract.observability import metrics
from docextract.pipeline.decoding_pool import TOO_EXPENSIVE, Decoder
from docextract.pipeline.options import Upload
from docextract.pipeline.problems import ProblemError, RequestFault

MAX_EXTRACTION_SIDE_PX = 2200  # long side of the page that the extraction model receives
# Short side that it has at least, if the photo does: a till's roll of 20 x 250 cm would otherwise have print of 6 px.
MIN_EXTRACTION_SIDE_PX = 550
# Of the working copy: a document of half the photo's size still fills MAX_EXTRACTION_SIDE_PX.
WORKING_SIZE = WorkingSize(max_side=2 * MAX_EXTRACTION_SIDE_PX, min_side=2 * MIN_EXTRACTION_SIDE_PX)
_FILES_AT_ONCE = 4  # of one request


@dataclass(frozen=True)
class Photo:
    """One image of a request: a picture, or a page of a file with several. upload: index of its file."""

    upload: int
    page: PreparedPage


@dataclass(frozen=True)
class DecodedRequest:
    """The decoded files of a request.

    files:     one per upload, without their pages.
    einvoices: by upload, of the files that contain one; None: it is damaged.
    """

    photos: tuple[Photo, ...]
    files: tuple[PreparedFile, ...]
    einvoices: Mapping[int, EInvoice | None]


async def decode_uploads(
    uploads: Sequence[Upload],
    limits: DecodingLimits,
    pages: PageSelection | None,
    decoder: Decoder,
    keep_pixels: bool = True,
) -> DecodedRequest:
    """Return every selected page of every upload, in input order.

    pages:       of each file; None selects all.
    keep_pixels: whether the pages are to be extracted, or only to be judged.

    Raises ProblemError that names every bad file. When the files contain too many pages, or one has used up the limits
    of decoding, some are not opened, and bad files among those are not named.
    """
    results: list[_DecodedUpload | Refusal | None] = [None] * len(uploads)

    waiting = iter(range(len(uploads)))

    async def decode_next() -> None:
        for index in waiting:
            # Once the answer is known, decoding more would only cost time and memory.
            page_count = sum(len(result.photos) for result in results if isinstance(result, _DecodedUpload))
            if page_count > limits.max_pages or TOO_EXPENSIVE in results:
                return
            file = await decoder.decode(uploads[index].data, limits, pages, WORKING_SIZE if keep_pixels else None)
            results[index] = file if isinstance(file, Refusal) else await _describe_upload(index, file)

    async with anyio.create_task_group() as group:
        for _ in range(_FILES_AT_ONCE):
            group.start_soon(decode_next)
    _raise_refusals(results)
    decoded = [result for result in results if isinstance(result, _DecodedUpload)]
    photos = tuple(photo for one in decoded for photo in one.photos)
    if len(photos) > limits.max_pages:
        count = f"more than {limits.max_pages}" if None in results else len(photos)  # not all files were opened
        raise ProblemError(
            "too_many_pages",
            f"The files have {count} pages together, of which at most {limits.max_pages} are read in one "
            "request. Send fewer files, or name the wanted pages with `pages`.",
            [RequestFault(f"/images/{photos[limits.max_pages].upload}", "exceeds the maximum number of pages")],
        )
    einvoices = {index: one.einvoice for index, one in enumerate(decoded) if one.file.invoice_xml is not None}
    return DecodedRequest(photos, tuple(one.file for one in decoded), einvoices)


@dataclass(frozen=True)
class _DecodedUpload:
    """One file, without its pages, the photos that were made of them, and its e-invoice."""

    file: PreparedFile
    photos: tuple[Photo, ...]
    einvoice: EInvoice | None


def _raise_refusals(results: Sequence[_DecodedUpload | Refusal | None]) -> None:
    refusals = [(index, result) for index, result in enumerate(results) if isinstance(result, Refusal)]
    for _, refusal in refusals:
        metrics.front().files_refused.labels(refusal.code).inc()
    if refusals:
        faults = [RequestFault(f"/images/{index}", refusal.detail) for index, refusal in refusals]
        _, first = refusals[0]
        raise ProblemError(first.code, first.detail, faults)


async def _describe_upload(index: int, file: PreparedFile) -> _DecodedUpload | Refusal:
    einvoice = None
    if file.invoice_xml is not None:
        try:
            einvoice = await anyio.to_thread.run_sync(parse_einvoice, file.invoice_xml)
        except EInvoiceError as error:
            if not file.page_count:  # nothing else can be read in the file
                return Refusal("image_undecodable", str(error))
    photos = tuple(Photo(index, page) for page in file.pages)
    return _DecodedUpload(replace(file, pages=()), photos, einvoice)

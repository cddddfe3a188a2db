"""The steps from uploads to answers: decode, assess, judge, rectify, extract.

Decoding runs in a few threads. It keeps only what the later steps need: the glimpse for the quality network, and a
working copy that is no larger than extraction can use. Nothing here imports torch.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import anyio
import anyio.to_thread
import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.answers import schema
from docextract.answers.merging import ExtractedPage
from docextract.documents.einvoice import EInvoice, EInvoiceError, parse_einvoice
from docextract.images import decoding, geometry
from docextract.images.geometry import Glimpse, Page
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import DecodedFile, EmbeddedLine, FilePage, ImageSource, PageSelection, Refusal
from docextract.observability import metrics, traces
from docextract.pipeline.grouping import group_pages
from docextract.pipeline.models import (
    ExtractionTask,
    Models,
    OverloadedError,
    RunnerError,
    TooSlowError,
    UnavailableError,
    UnderstandingTask,
)
from docextract.pipeline.options import ExtractionOptions, PageGrouping, Upload
from docextract.pipeline.problems import ProblemError, RequestFault
from docextract.predictions import Assessment, PagePrediction, TextLine
from docextract.quality import messages
from docextract.quality.criteria import DETECTION_THRESHOLD
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import VerdictOptions, judge_photo

MAX_EXTRACTION_SIDE_PX = 2200  # long side of the page that the extraction model receives
# Short side that it has at least, if the photo does: a till's roll of 20 x 250 cm would otherwise have print of 6 px.
MIN_EXTRACTION_SIDE_PX = 550
# Long side of the working copy: a document of half the photo's size still fills MAX_EXTRACTION_SIDE_PX.
MAX_WORKING_SIDE_PX = 2 * MAX_EXTRACTION_SIDE_PX
# A document with a larger share of the photo is not rectified. It is a scan or was photographed from very near: there
# is no background to remove, and a corner that was estimated outside the picture would only bend the text lines. On
# scans of SROIE's training part, rectifying lost 3.5 points of all fields.
MAX_RECTIFIED_SHARE = 0.85
_MIN_PRINT_CONTRAST = 24  # grey levels on a page that is not blank
_BLANK_STEP = 4  # px between the pixels that are looked at; print is larger
_MIN_POLYGON_SIDE_PX = 32  # nothing can be read in a narrower polygon


@dataclass(frozen=True)
class Photo:
    """One decoded image of a request: a picture, or a page of a file with several."""

    upload: int  # index of the upload that contains it
    number: int  # of the page in its file, from 1
    source: ImageSource
    width: int  # of the upright picture as it was sent, or of the page as it was drawn, px
    height: int
    page: Page  # the working copy
    glimpse: Glimpse
    blank: bool = False  # nothing is printed on it
    lines: tuple[EmbeddedLine, ...] = ()  # of the text layer, px of the working copy


@dataclass(frozen=True)
class DecodedRequest:
    """The decoded files of a request.

    files:     one per upload, without their pages.
    einvoices: by upload, of the files that contain one; None: it is damaged.
    """

    photos: tuple[Photo, ...]
    files: tuple[DecodedFile, ...]
    einvoices: Mapping[int, EInvoice | None]


@dataclass
class Stopwatch:
    """The duration of each step of a request, in milliseconds by step name."""

    ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def lap(self, step: str) -> Iterator[None]:
        """Measure the enclosed step; add it to the metrics and as a span to the trace."""
        start_s = time.perf_counter()
        try:
            with traces.step_span(step):
                yield
        finally:
            duration_s = time.perf_counter() - start_s
            self.ms[step] = round(duration_s * 1000, 1)
            metrics.front().step_seconds.labels(step).observe(duration_s)


async def decode_uploads(
    uploads: Sequence[Upload],
    limits: DecodingLimits,
    pages: PageSelection | None,
    limiter: anyio.CapacityLimiter,
    pdf_limiter: anyio.CapacityLimiter | None = None,
) -> DecodedRequest:
    """Return every selected page of every upload, in input order.

    pages:       of each file; None selects all.
    limiter:     limits the files that are decoded at the same time.
    pdf_limiter: the same for PDFs, so that they do not block pictures; None: PDFs share `limiter`.

    Raises ProblemError that names every bad file. When the files contain too many pages, some are not opened, and bad
    files among those are not named.
    """
    results: list[_DecodedUpload | Refusal | None] = [None] * len(uploads)

    def page_count() -> int:
        return sum(len(result.photos) for result in results if isinstance(result, _DecodedUpload))

    def decode_unless_too_many(index: int) -> _DecodedUpload | Refusal | None:
        # Once there are too many pages, the answer is known, and decoding more would only fill the memory.
        return None if page_count() > limits.max_pages else _decode(index, uploads[index].data, limits, pages)

    async def decode_one(index: int) -> None:
        is_pdf = decoding.is_pdf(uploads[index].data)
        chosen = pdf_limiter if pdf_limiter is not None and is_pdf else limiter
        results[index] = await anyio.to_thread.run_sync(decode_unless_too_many, index, limiter=chosen)

    async with anyio.create_task_group() as group:
        for index in range(len(uploads)):
            group.start_soon(decode_one, index)
    _raise_refusals(results)
    decoded = [result for result in results if isinstance(result, _DecodedUpload)]
    photos = tuple(photo for one in decoded for photo in one.photos)
    if len(photos) > limits.max_pages:
        raise ProblemError(
            "too_many_pages",
            f"The files have {len(photos)} pages together, of which at most {limits.max_pages} are read in one "
            "request. Send fewer files, or name the wanted pages with `pages`.",
            [RequestFault(f"/images/{photos[limits.max_pages].upload}", "exceeds the maximum number of pages")],
        )
    einvoices = {index: one.einvoice for index, one in enumerate(decoded) if one.file.invoice_xml is not None}
    return DecodedRequest(photos, tuple(one.file for one in decoded), einvoices)


@dataclass(frozen=True)
class _DecodedUpload:
    """One file, without its pages, the photos that were made of them, and its e-invoice."""

    file: DecodedFile
    photos: tuple[Photo, ...]
    einvoice: EInvoice | None


def _raise_refusals(results: Sequence[_DecodedUpload | Refusal | None]) -> None:
    refusals = [(index, result) for index, result in enumerate(results) if isinstance(result, Refusal)]
    for _, refusal in refusals:
        metrics.front().files_refused.labels(refusal.code).inc()
    if refusals:
        faults = [
            RequestFault("/pages" if refusal.code == "invalid_parameter" else f"/images/{index}", refusal.detail)
            for index, refusal in refusals
        ]
        _, first = refusals[0]
        raise ProblemError(first.code, first.detail, faults)


def _decode(index: int, data: bytes, limits: DecodingLimits, pages: PageSelection | None) -> _DecodedUpload | Refusal:
    file = decoding.decode_upload(data, limits, pages)
    if isinstance(file, Refusal):
        return file
    einvoice = None
    if file.invoice_xml is not None:
        try:
            einvoice = parse_einvoice(file.invoice_xml)
        except EInvoiceError as error:
            if not file.page_count:  # nothing else can be read in the file
                return Refusal("image_undecodable", str(error))
    photos = tuple(_make_photo(index, page) for page in file.pages)
    return _DecodedUpload(replace(file, pages=()), photos, einvoice)


def _make_photo(upload: int, page: FilePage) -> Photo:
    height, width = page.pixels.shape[:2]
    copy = _shrink(page.pixels, MAX_WORKING_SIDE_PX, 2 * MIN_EXTRACTION_SIDE_PX)
    scale = copy.shape[1] / width
    lines = tuple(replace(line, polygon=line.polygon * np.float32(scale)) for line in page.lines)
    glimpse = geometry.take_glimpse(page.pixels)
    blank = not lines and bool(np.ptp(copy[::_BLANK_STEP, ::_BLANK_STEP]) < _MIN_PRINT_CONTRAST)
    return Photo(upload, page.number, page.source, width, height, copy, glimpse, blank, lines)


def _shrink(page: Page, max_side_px: int, min_side_px: int) -> Page:
    """Reduce a page to a maximum of its long side, but no further than to a minimum of its short side."""
    height, width = page.shape[:2]
    scale = max(max_side_px / max(height, width), min_side_px / min(height, width))
    if scale >= 1:
        return page
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cv2.resize(page, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


async def assess_photos(photos: Sequence[Photo], models: Models) -> list[Assessment]:
    """Return the quality network's assessment of each photo, in input order. Raises ProblemError."""
    if not photos:
        return []
    with runner_errors_as_problems("quality"):
        return await models.assess([photo.glimpse for photo in photos])


def build_verdict(
    photos: Sequence[Photo],
    assessments: Sequence[Assessment],
    uploads: Sequence[Upload],
    options: VerdictOptions,
    model: schema.ModelName,
    usability: UsabilityModel,
    language: str = messages.DEFAULT_LANGUAGE,
) -> schema.Verdict:
    """Combine the verdicts on all photos into one: the score is the lowest, and every photo must be accepted.

    language: of the guidance, a key of messages.catalogues().
    """
    verdicts = [
        judge_photo(assessment, index, photo.width, photo.height, _options_for(photo, options), usability)
        for index, (photo, assessment) in enumerate(zip(photos, assessments, strict=True))
    ]
    reports = [
        schema.ImageReport(
            index=verdict.index,
            upload=photo.upload,
            page=photo.number,
            source=photo.source,
            accepted=verdict.accepted,
            score=verdict.score,
            threshold=verdict.threshold,
            width=verdict.width,
            height=verdict.height,
            document=_document_report(verdict.document, uploads[photo.upload].side),
            groups={name: schema.GroupReport.model_validate(group) for name, group in verdict.groups.items()},
            criteria=[schema.CriterionReport.model_validate(criterion) for criterion in verdict.criteria],
            not_assessed=[schema.NotAssessed.model_validate(criterion) for criterion in verdict.not_assessed],
        )
        for photo, verdict in zip(photos, verdicts, strict=True)
    ]
    # The guidance on each photo is sorted by gain. The best advice on every photo comes before all second-best ones.
    ranks = zip_longest(*(verdict.guidance for verdict in verdicts))
    return schema.Verdict(
        accepted=all(verdict.accepted for verdict in verdicts),
        score=min((verdict.score for verdict in verdicts), default=1.0),  # an e-invoice has no photo
        strictness=options.strictness,
        images=reports,
        guidance=[
            schema.GuidanceReport(
                code=advice.code, image=advice.image, message=messages.catalogues()[language][advice.code]
            )
            for rank in ranks
            for advice in rank
            if advice is not None
        ],
        model=model,
    )


def _options_for(photo: Photo, options: VerdictOptions) -> VerdictOptions:
    """Judge full-size photos by every criterion, even in a request that may be a preview."""
    is_preview_size = max(photo.width, photo.height) <= geometry.FRAME_PX
    preview = options.preview and is_preview_size
    return replace(options, preview=preview, source=photo.source, blank=photo.blank)


def _document_report(document: object, stated_side: str | None) -> schema.DocumentSeen:
    """Report the detected document; the caller's statement of the side overrides the network's."""
    report = schema.DocumentSeen.model_validate(document)
    return report.model_copy(update={"side": stated_side}) if stated_side else report


def require_accepted(verdict: schema.Verdict, language: str = messages.DEFAULT_LANGUAGE) -> None:
    """Raise ProblemError `image_quality_insufficient`, with the verdict, unless every photo is accepted.

    language: of the verdict's guidance.
    """
    refused = [image for image in verdict.images if not image.accepted]
    if refused:
        first_advice = {guidance.image: guidance.message for guidance in reversed(verdict.guidance)}
        faults = [
            RequestFault(f"/images/{image.upload}", first_advice.get(image.index, "not accepted")) for image in refused
        ]
        extra = {"validation": verdict.model_dump(mode="json", exclude_unset=True)}
        headers = {"content-language": language}
        raise ProblemError("image_quality_insufficient", faults[0].detail, faults, extra, headers)


@dataclass(frozen=True)
class _ExtractionInput:
    """The page that the extraction model receives, its text layer, and its position in the photo."""

    page: Page
    to_photo: NDArray[np.float64]  # [3, 3], px of the page to coordinates relative to the photo, 0..1
    lines: tuple[TextLine, ...] = ()


async def extract_documents(
    photos: Sequence[Photo],
    assessments: Sequence[Assessment],
    document_type: str,
    grouping: PageGrouping,
    models: Models,
) -> list[list[ExtractedPage]]:
    """Extract the documents on the photos: the pages of each, in input order. Raises ProblemError.

    The pages are read one by one. Those of one document are then understood together.
    """
    inputs = await anyio.to_thread.run_sync(
        lambda: [_rectify(photo, assessment) for photo, assessment in zip(photos, assessments, strict=True)]
    )
    with runner_errors_as_problems("extraction"):
        predictions = (
            await models.extract([ExtractionTask(one.page, document_type, one.lines) for one in inputs])
            if inputs
            else []
        )
        documents = group_pages(grouping, predictions, [photo.upload for photo in photos])
        predictions = await _understand_together(documents, predictions, document_type, models)
    return [
        [ExtractedPage(index, inputs[index].page, inputs[index].to_photo, predictions[index]) for index in document]
        for document in documents
    ]


async def _understand_together(
    documents: Sequence[Sequence[int]], predictions: Sequence[PagePrediction], document_type: str, models: Models
) -> list[PagePrediction]:
    """Replace the predictions of every document with several pages. documents: indices of its pages."""
    together = [document for document in documents if len(document) > 1]
    if not together:
        return list(predictions)
    tasks = [UnderstandingTask(tuple(predictions[index] for index in one), document_type) for one in together]
    understood = await models.understand(tasks)
    replacements = {
        index: prediction
        for document, pages in zip(together, understood, strict=True)
        for index, prediction in zip(document, pages, strict=True)
    }
    return [replacements.get(index, prediction) for index, prediction in enumerate(predictions)]


def _rectify(photo: Photo, assessment: Assessment) -> _ExtractionInput:
    """Return the rectified document if one was detected on a background, otherwise the whole photo."""
    page = photo.page
    height, width = page.shape[:2]
    to_relative = np.diag([1 / width, 1 / height, 1.0])
    if not photo.lines and assessment.polygon is not None and assessment.detected >= DETECTION_THRESHOLD:
        polygon = assessment.polygon.astype(np.float32) * np.array([width, height], np.float32)
        if _can_be_rectified(polygon) and _share_of_photo(polygon, width, height) < MAX_RECTIFIED_SHARE:
            flat = geometry.rectify(page, polygon, MAX_EXTRACTION_SIDE_PX)
            return _ExtractionInput(flat.page, to_relative @ flat.to_photo)
    whole = _shrink(page, MAX_EXTRACTION_SIDE_PX, MIN_EXTRACTION_SIDE_PX)
    scale = np.array([whole.shape[1] / width, whole.shape[0] / height])
    lines = tuple(
        TextLine(line.text, (line.polygon * scale).astype(np.float32), 1.0, line.cuts) for line in photo.lines
    )
    return _ExtractionInput(whole, to_relative @ np.diag([*(1 / scale), 1.0]), lines)


def _share_of_photo(polygon: geometry.Polygon, width: int, height: int) -> float:
    """Return the share of the photo, 0..1, that lies inside a convex polygon."""
    photo = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, _ = cv2.intersectConvexConvex(polygon, photo)
    return float(area) / (width * height)


def _can_be_rectified(polygon: geometry.Polygon) -> bool:
    """Whether the polygon is convex and no side is too short."""
    sides_px = np.linalg.norm(np.roll(polygon, -1, axis=0) - polygon, axis=1)
    return bool(cv2.isContourConvex(polygon) and sides_px.min() >= _MIN_POLYGON_SIDE_PX)


def build_documents(
    documents: Sequence[Sequence[ExtractedPage]], decoded: DecodedRequest, options: ExtractionOptions
) -> list[schema.DocumentAnswer]:
    """Build the answer for each document, and for each e-invoice that was sent without a page.

    An e-invoice belongs to the first document with a page of its file.
    """
    answer_options = schema.AnswerOptions(options.include, options.min_confidence)
    einvoices = dict(decoded.einvoices)
    answers = []
    for pages in documents:
        uploads = [decoded.photos[page.image].upload for page in pages]
        own = next((upload for upload in uploads if upload in einvoices), None)
        if own is None:
            answers.append(schema.build_document(pages, answer_options))
        else:
            einvoice = einvoices.pop(own)
            answers.append(schema.build_document(pages, answer_options, einvoice, einvoice_damaged=einvoice is None))
    without_page = [einvoice for einvoice in einvoices.values() if einvoice is not None]
    return [*answers, *(schema.build_document((), answer_options, einvoice) for einvoice in without_page)]


def describe_uploads(decoded: DecodedRequest) -> list[schema.UploadAnswer]:
    """Describe each file of the request, and which of its pages were read."""
    return [
        schema.UploadAnswer(
            index=index,
            media_type=file.media_type,
            pages=file.page_count,
            pages_read=[photo.number for photo in decoded.photos if photo.upload == index],
        )
        for index, file in enumerate(decoded.files)
    ]


def describe_images(decoded: DecodedRequest, documents: Sequence[Sequence[ExtractedPage]]) -> list[schema.ImageAnswer]:
    """Describe each image of the request, and where its text comes from."""
    text_sources = {page.image: page.prediction.text_source for pages in documents for page in pages}
    return [
        schema.ImageAnswer(
            index=index, upload=photo.upload, page=photo.number, width=photo.width, height=photo.height,
            source=photo.source, text_source=text_sources[index],
        )
        for index, photo in enumerate(decoded.photos)
    ]  # fmt: skip


@contextmanager
def runner_errors_as_problems(model: str) -> Iterator[None]:
    """Convert the RunnerErrors of the enclosed calls to ProblemErrors. model: its name, for the detail."""
    try:
        yield
    except OverloadedError:
        raise ProblemError("overloaded", "The server is at capacity. Try again shortly.") from None
    except UnavailableError:
        raise ProblemError("model_not_ready", f"The {model} model is starting. Try again shortly.") from None
    except TooSlowError:
        raise ProblemError("timeout", f"The {model} model took too long.") from None
    except RunnerError:
        raise ProblemError("internal_error", "The model failed on this request.") from None

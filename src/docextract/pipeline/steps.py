"""The steps from uploads to answers: decode, assess, judge, rectify, extract.

Nothing here imports torch.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from docextract.answers import schema
from docextract.answers.documents import AnswerOptions, build_document
from docextract.answers.einvoice_assignment import assign_einvoices, find_damaged
from docextract.answers.merging import ExtractedPage
from docextract.answers.photo_evidence import with_photo_evidence
from docextract.answers.review import required_confidence
from docextract.documents.einvoice import EInvoice, EInvoiceError, parse_einvoice
from docextract.images import geometry
from docextract.images.decoder import PreparedFile, PreparedPage, WorkingSize
from docextract.images.geometry import Page
from docextract.images.limits import DecodingLimits
from docextract.images.outline import can_rectify
from docextract.images.uploads import PageSelection, Refusal
from docextract.observability import metrics, traces
from docextract.pipeline.decoding_pool import TOO_EXPENSIVE, Decoder
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
from docextract.predictions import Assessment, Legibility, PagePrediction, TextLine
from docextract.quality import messages
from docextract.quality.criteria import DETECTION_THRESHOLD, DOCUMENT_ABSENT, UNEXPECTED_DOCUMENT
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import CriterionVerdict, Guidance, VerdictOptions, judge_photo

MAX_EXTRACTION_SIDE_PX = 2200  # long side of the page that the extraction model receives
# Short side that it has at least, if the photo does: a till's roll of 20 x 250 cm would otherwise have print of 6 px.
MIN_EXTRACTION_SIDE_PX = 550
# Of the working copy: a document of half the photo's size still fills MAX_EXTRACTION_SIDE_PX.
WORKING_SIZE = WorkingSize(max_side=2 * MAX_EXTRACTION_SIDE_PX, min_side=2 * MIN_EXTRACTION_SIDE_PX)
# What photos are refused for by these criteria cannot be answered by reading them.
_DOCUMENT_CRITERIA = frozenset({DOCUMENT_ABSENT, "multiple_documents", UNEXPECTED_DOCUMENT.name})
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


async def assess_photos(photos: Sequence[Photo], models: Models) -> list[Assessment]:
    """Return the quality network's assessment of each photo, in input order. Raises ProblemError."""
    if not photos:
        return []
    with runner_errors_as_problems("quality"):
        return await models.assess([photo.page.glimpse for photo in photos])


def build_verdict(
    photos: Sequence[Photo],
    assessments: Sequence[Assessment],
    uploads: Sequence[Upload],
    options: VerdictOptions,
    model: schema.ModelName,
    usability: UsabilityModel,
    language: str = messages.DEFAULT_LANGUAGE,
    with_legibility: bool = False,
) -> schema.Verdict:
    """Combine the verdicts on all photos into one: the score is the lowest, and every photo must be accepted.

    language: of the guidance, a key of messages.catalogues(). with_legibility: report the legibility map of each photo.
    """
    printed = {photo.upload for photo in photos if not _is_empty(photo)}
    verdicts = [
        judge_photo(
            assessment, index, photo.page.width, photo.page.height, _options_for(photo, options, printed), usability
        )
        for index, (photo, assessment) in enumerate(zip(photos, assessments, strict=True))
    ]
    reports = [
        schema.ImageReport(
            index=verdict.index,
            upload=photo.upload,
            page=photo.page.number,
            source=photo.page.source,
            accepted=verdict.accepted,
            score=verdict.score,
            threshold=verdict.threshold,
            width=verdict.width,
            height=verdict.height,
            document=_document_report(verdict.document, uploads[photo.upload].side),
            groups={name: schema.GroupReport.model_validate(group) for name, group in verdict.groups.items()},
            criteria=[schema.CriterionReport.model_validate(criterion) for criterion in verdict.criteria],
            not_assessed=[schema.NotAssessed.model_validate(criterion) for criterion in verdict.not_assessed],
            **({"legibility": _legibility_report(verdict.legibility)} if with_legibility else {}),
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
        guidance=[_guidance(advice, language) for rank in ranks for advice in rank if advice is not None],
        model=model,
    )


def _is_empty(photo: Photo) -> bool:
    return photo.page.blank and photo.page.source != "photo"


def _options_for(photo: Photo, options: VerdictOptions, printed: Collection[int]) -> VerdictOptions:
    """Judge full-size photos by every criterion, even in a request that may be a preview. printed: files with print."""
    is_preview_size = max(photo.page.width, photo.page.height) <= geometry.FRAME_PX
    preview = options.preview and is_preview_size
    return replace(
        options, preview=preview, source=photo.page.source, blank=photo.page.blank,
        beside_others=photo.upload in printed,
    )  # fmt: skip


def _document_report(document: object, stated_side: str | None) -> schema.DocumentSeen:
    """Report the detected document; the caller's statement of the side overrides the network's."""
    report = schema.DocumentSeen.model_validate(document)
    return report.model_copy(update={"side": stated_side}) if stated_side else report


def require_documents(verdict: schema.Verdict, language: str = messages.DEFAULT_LANGUAGE) -> None:
    """Raise ProblemError if a photo shows no document, or if it is refused because it shows others.

    Such photos are not read: values that are certain may be those of another document. language: of the guidance.
    """
    _refuse([image for image in verdict.images if shows_wrong_documents(image.criteria)], verdict, language)


def require_readable(
    verdict: schema.Verdict,
    documents: Sequence[schema.DocumentAnswer],
    usability: UsabilityModel,
    language: str = messages.DEFAULT_LANGUAGE,
) -> None:
    """Raise ProblemError if a photo is not readable enough, by its score and by how surely its document was read.

    documents: all documents of the request. language: of the guidance.
    """
    document_of = {index: document for document in documents for index in document.images}
    refused = [one for one in verdict.images if not _is_readable(one, document_of.get(one.index), verdict, usability)]
    _refuse(refused, verdict, language)


def _is_readable(
    image: schema.ImageReport,
    document: schema.DocumentAnswer | None,
    verdict: schema.Verdict,
    usability: UsabilityModel,
) -> bool:
    """Of scans, pages of unknown type and backs, missing fields say nothing about the picture: accepted ones pass."""
    sure = required_confidence(document) if document else None
    if image.accepted and (image.source != "photo" or image.document.side == "back" or sure is None):
        return True
    if document is None or sure is None:
        return False
    return readability(image.score, sure) >= usability.min_readable(document.type, verdict.strictness)


def readability(score: float, sure: float) -> float:
    """Return what `validation=enforce` refuses photos by, 0..1. sure: of the required fields."""
    return (score + sure) / 2


def shows_wrong_documents(criteria: Iterable[schema.CriterionReport | CriterionVerdict]) -> bool:
    """Whether a photo is refused for showing no document, or others. criteria: all of the photo."""
    return any(one.name in _DOCUMENT_CRITERIA and one.severity == "error" and not one.passed for one in criteria)


def _refuse(refused: Sequence[schema.ImageReport], verdict: schema.Verdict, language: str) -> None:
    """Raise ProblemError `image_quality_insufficient`, with the verdict, if any photo is refused."""
    if not refused:
        return
    # The warnings of an accepted photo are not why it is refused.
    retake = [_guidance(Guidance(messages.UNCERTAIN_FIELDS, one.index), language) for one in refused if one.accepted]
    verdict = verdict.model_copy(update={"guidance": [*retake, *verdict.guidance]})
    first_advice = {guidance.image: guidance.message for guidance in reversed(verdict.guidance)}
    pages = Counter(image.upload for image in verdict.images)
    faults = [
        RequestFault(f"/images/{one.upload}", first_advice[one.index], page=one.page if pages[one.upload] > 1 else None)
        for one in refused
    ]
    extra = {"verdict": verdict.model_dump(mode="json", exclude_unset=True)}
    headers = {"content-language": language}
    raise ProblemError("image_quality_insufficient", faults[0].detail, faults, extra, headers)


def _guidance(advice: Guidance, language: str) -> schema.GuidanceReport:
    texts = messages.catalogues()[language]
    if advice.place is None:
        return schema.GuidanceReport(code=advice.code, image=advice.image, message=texts[advice.code])
    message = f"{texts[advice.code]} {texts[messages.place_key(advice.place)]}"
    return schema.GuidanceReport(code=advice.code, image=advice.image, message=message, place=advice.place)


def _legibility_report(legibility: Legibility | None) -> schema.LegibilityReport | None:
    if legibility is None:
        return None
    rows, columns = legibility.cells.shape
    return schema.LegibilityReport(rows=rows, columns=columns, cells=legibility.cells.tolist())


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
    pages = await anyio.to_thread.run_sync(
        lambda: list(map(_extracted_page, range(len(photos)), photos, assessments, inputs, predictions))
    )
    return [[pages[index] for index in document] for document in documents]


def _extracted_page(
    index: int, photo: Photo, assessment: Assessment, one: _ExtractionInput, prediction: PagePrediction
) -> ExtractedPage:
    """Return a page as the model has turned it."""
    height, width = one.page.shape[:2]
    to_photo = one.to_photo @ geometry.turned_to_page(prediction.quarter_turns, width, height)
    if photo.page.source == "photo":
        size = photo.page.width, photo.page.height
        prediction = with_photo_evidence(prediction, to_photo, assessment.legibility, *size)
    return ExtractedPage(index, geometry.turn_page(one.page, prediction.quarter_turns), to_photo, prediction)


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
    page = photo.page.pixels
    assert page is not None, "the request was decoded for its verdict alone"
    height, width = page.shape[:2]
    to_relative = np.diag([1 / width, 1 / height, 1.0])
    if not photo.page.lines and assessment.polygon is not None and assessment.detected >= DETECTION_THRESHOLD:
        polygon = assessment.polygon.astype(np.float32) * np.array([width, height], np.float32)
        if can_rectify(page, polygon, photo.page.source):
            flat = geometry.rectify(page, polygon, MAX_EXTRACTION_SIDE_PX)
            return _ExtractionInput(flat.page, to_relative @ flat.to_photo)
    whole = geometry.shrink(page, MAX_EXTRACTION_SIDE_PX, MIN_EXTRACTION_SIDE_PX)
    scale = np.array([whole.shape[1] / width, whole.shape[0] / height])
    lines = tuple(
        TextLine(line.text, (line.polygon * scale).astype(np.float32), 1.0, line.cuts) for line in photo.page.lines
    )
    return _ExtractionInput(whole, to_relative @ np.diag([*(1 / scale), 1.0]), lines)


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
    text_sources = {page.image: page.prediction.text_source for pages in documents for page in pages}
    return [
        schema.ImageAnswer(
            index=index, upload=photo.upload, page=photo.page.number, width=photo.page.width, height=photo.page.height,
            source=photo.page.source, text_source=text_sources[index],
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

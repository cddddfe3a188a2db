"""The steps from uploads to answers: decode, assess, judge, rectify, extract.

Decoding runs in a few threads. It keeps only what the later steps need: the glimpse for the quality network, and a
working copy that is no larger than extraction can use. Nothing here imports torch.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import anyio
import anyio.to_thread
import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.answers import schema
from docextract.answers.merging import ExtractedPage, common_type
from docextract.images import decoding, geometry
from docextract.images.decoding import DecodingLimits, Refusal
from docextract.images.geometry import Glimpse, Page
from docextract.observability import metrics, traces
from docextract.pipeline.models import (
    ExtractionTask,
    Models,
    OverloadedError,
    RunnerError,
    TooSlowError,
    UnavailableError,
)
from docextract.pipeline.options import ExtractionOptions, Upload
from docextract.pipeline.problems import ProblemError, RequestFault
from docextract.predictions import OTHER_TYPE, Assessment, PagePrediction
from docextract.quality import messages
from docextract.quality.criteria import DETECTION_THRESHOLD
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import VerdictOptions, judge_photo

MAX_EXTRACTION_SIDE_PX = 2200  # long side of the page that the extraction model receives
# Long side of the working copy: a document of half the photo's size still fills MAX_EXTRACTION_SIDE_PX.
MAX_WORKING_SIDE_PX = 2 * MAX_EXTRACTION_SIDE_PX
# A document with a larger share of the photo is not rectified. It is a scan or was photographed from very near: there
# is no background to remove, and a corner that was estimated outside the picture would only bend the text lines. On
# scans of SROIE's training part, rectifying lost 3.5 points of all fields.
MAX_RECTIFIED_SHARE = 0.85
# With group=single, a page that is `other` with at least this confidence is not read again as the common type: it is a
# page of general conditions, or an empty reverse side.
MIN_OTHER_CONFIDENCE = 0.9
_MIN_POLYGON_SIDE_PX = 32  # nothing can be read in a narrower polygon


@dataclass(frozen=True)
class Photo:
    """One decoded image of a request."""

    upload: int  # index of the upload that contains it
    width: int  # of the upright picture as it was sent, px
    height: int
    page: Page  # the working copy
    glimpse: Glimpse


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
    max_images: int,
    limiter: anyio.CapacityLimiter,
    pdf_limiter: anyio.CapacityLimiter | None = None,
) -> tuple[Photo, ...]:
    """Return every image of every upload, in input order.

    limiter:     limits the files that are decoded at the same time.
    pdf_limiter: the same for PDFs, so that they do not block pictures; None: PDFs share `limiter`.

    Raises ProblemError that names every bad file. When the files contain too many pages, some are not opened, and bad
    files among those are not named.
    """
    results: list[tuple[Photo, ...] | Refusal] = [()] * len(uploads)

    def decoded_photos() -> tuple[Photo, ...]:
        return tuple(photo for result in results if not isinstance(result, Refusal) for photo in result)

    def decode_unless_too_many(index: int) -> tuple[Photo, ...] | Refusal:
        # Ten PDFs may have a hundred pages. Once there are too many, the answer is known, and decoding more would only
        # fill the memory.
        return () if len(decoded_photos()) > max_images else _decode(index, uploads[index].data, limits)

    async def decode_one(index: int) -> None:
        is_pdf = decoding.is_pdf(uploads[index].data)
        chosen = pdf_limiter if pdf_limiter is not None and is_pdf else limiter
        results[index] = await anyio.to_thread.run_sync(decode_unless_too_many, index, limiter=chosen)

    async with anyio.create_task_group() as group:
        for index in range(len(uploads)):
            group.start_soon(decode_one, index)
    _raise_refusals(results)
    photos = decoded_photos()
    if len(photos) > max_images:
        excess = photos[max_images].upload
        raise ProblemError(
            "too_many_images",
            f"The files contain more than {max_images} pages, the maximum for one request.",
            [RequestFault(f"/images/{excess}", "exceeds the maximum number of pages")],
        )
    return photos


def _raise_refusals(results: Sequence[tuple[Photo, ...] | Refusal]) -> None:
    refusals = [(index, result) for index, result in enumerate(results) if isinstance(result, Refusal)]
    for _, refusal in refusals:
        metrics.front().files_refused.labels(refusal.code).inc()
    if refusals:
        faults = [RequestFault(f"/images/{index}", refusal.detail) for index, refusal in refusals]
        _, first = refusals[0]
        raise ProblemError(first.code, first.detail, faults)


def _decode(index: int, data: bytes, limits: DecodingLimits) -> tuple[Photo, ...] | Refusal:
    pages = decoding.decode_upload(data, limits)
    return pages if isinstance(pages, Refusal) else tuple(_make_photo(index, page) for page in pages)


def _make_photo(upload: int, page: Page) -> Photo:
    height, width = page.shape[:2]
    return Photo(upload, width, height, _shrink(page, MAX_WORKING_SIDE_PX), geometry.take_glimpse(page))


def _shrink(page: Page, max_side_px: int) -> Page:
    height, width = page.shape[:2]
    scale = max_side_px / max(height, width)
    if scale >= 1:
        return page
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cv2.resize(page, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


async def assess_photos(photos: Sequence[Photo], models: Models) -> list[Assessment]:
    """Return the quality network's assessment of each photo, in input order. Raises ProblemError."""
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
        score=min(verdict.score for verdict in verdicts),
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
    return options if is_preview_size or not options.preview else replace(options, preview=False)


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
    """The page that the extraction model receives, and its position in the photo."""

    page: Page
    to_photo: NDArray[np.float64]  # [3, 3], px of the page to coordinates relative to the photo, 0..1


async def extract_pages(
    photos: Sequence[Photo],
    assessments: Sequence[Assessment],
    document_type: str,
    models: Models,
    one_document: bool = False,
) -> list[ExtractedPage]:
    """Extract the document on each photo; one result per photo, in input order. Raises ProblemError.

    one_document: the photos are pages or sides of one document.
    """
    inputs = await anyio.to_thread.run_sync(
        lambda: [_rectify(photo.page, assessment) for photo, assessment in zip(photos, assessments, strict=True)]
    )
    with runner_errors_as_problems("extraction"):
        predictions = await models.extract([ExtractionTask(one.page, document_type) for one in inputs])
        if one_document:
            predictions = await _unify_types(inputs, predictions, models)
    return [
        ExtractedPage(index, one.page, one.to_photo, prediction)
        for index, (one, prediction) in enumerate(zip(inputs, predictions, strict=True))
    ]


async def _unify_types(
    inputs: Sequence[_ExtractionInput], predictions: Sequence[PagePrediction], models: Models
) -> list[PagePrediction]:
    """Extract a page again, as the common type, if it was predicted as another type on its own."""
    name = common_type(predictions)
    differing = [
        index
        for index, prediction in enumerate(predictions)
        if prediction.type != name
        and not (prediction.type == OTHER_TYPE and prediction.type_confidence >= MIN_OTHER_CONFIDENCE)
    ]
    repeated = await models.extract([ExtractionTask(inputs[at].page, name) for at in differing]) if differing else []
    replacements = dict(zip(differing, repeated, strict=True))
    return [replacements.get(index, prediction) for index, prediction in enumerate(predictions)]


def _rectify(page: Page, assessment: Assessment) -> _ExtractionInput:
    """Return the rectified document if one was detected on a background, otherwise the whole photo."""
    height, width = page.shape[:2]
    to_relative = np.diag([1 / width, 1 / height, 1.0])
    if assessment.polygon is not None and assessment.detected >= DETECTION_THRESHOLD:
        polygon = assessment.polygon.astype(np.float32) * np.array([width, height], np.float32)
        if _can_be_rectified(polygon) and _share_of_photo(polygon, width, height) < MAX_RECTIFIED_SHARE:
            flat = geometry.rectify(page, polygon, MAX_EXTRACTION_SIDE_PX)
            return _ExtractionInput(flat.page, to_relative @ flat.to_photo)
    whole = _shrink(page, MAX_EXTRACTION_SIDE_PX)
    to_page = np.diag([width / whole.shape[1], height / whole.shape[0], 1.0])
    return _ExtractionInput(whole, to_relative @ to_page)


def _share_of_photo(polygon: geometry.Polygon, width: int, height: int) -> float:
    """Return the share of the photo, 0..1, that lies inside a convex polygon."""
    photo = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, _ = cv2.intersectConvexConvex(polygon, photo)
    return float(area) / (width * height)


def _can_be_rectified(polygon: geometry.Polygon) -> bool:
    """Whether the polygon is convex and no side is too short."""
    sides_px = np.linalg.norm(np.roll(polygon, -1, axis=0) - polygon, axis=1)
    return bool(cv2.isContourConvex(polygon) and sides_px.min() >= _MIN_POLYGON_SIDE_PX)


def build_documents(pages: Sequence[ExtractedPage], options: ExtractionOptions) -> list[schema.DocumentAnswer]:
    """Build one document per page, or one of all pages with group=single."""
    answer_options = schema.AnswerOptions(options.include, options.min_confidence)
    parts = [list(pages)] if options.group == "single" else [[page] for page in pages]
    return [schema.build_document(part, answer_options) for part in parts]


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

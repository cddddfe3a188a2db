"""From uploads to answers: decode, look, judge, cut out, read. Each step's result is the next one's input.

Decoding runs in threads, a few at a time, and leaves only what the later steps need: the glimpse for the
quality network, and a working copy no larger than extraction can use. Nothing here imports torch.
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
    ModelFailedError,
    Models,
    OverloadedError,
    RunnerTroubleError,
    TooSlowError,
    UnavailableError,
)
from docextract.pipeline.options import ExtractionOptions, Upload
from docextract.pipeline.problems import Fault, ProblemError
from docextract.predictions import OTHER_TYPE, Assessment, PagePrediction
from docextract.quality import messages
from docextract.quality.criteria import DETECTION_THRESHOLD
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import VerdictOptions, judge_photo

MAX_EXTRACTION_SIDE_PX = 2200  # long side of what the reader is sent
WORKING_PX = (
    2 * MAX_EXTRACTION_SIDE_PX
)  # long side of what is kept: a document of half the photo's size still fills MAX_EXTRACTION_SIDE_PX
# A scan, or a photo taken from so near: there is no table to cut off, and a corner that was guessed outside the picture
# would only bend the lines. On scans of SROIE's training part, cutting out lost 3.5 points of all fields.
FILLS_THE_PHOTO = 0.85
SURELY_OTHER = 0.9  # a page of a document that is so surely none of ours stays so: conditions of sale, a blank reverse
_LEAST_SIDE_PX = 32  # a polygon thinner than this shows nothing that could be read


@dataclass(frozen=True)
class Photo:
    """One image of a request, ready to be looked at."""

    upload: int  # which file it came in
    width: int  # upright, as it was sent, px
    height: int
    page: Page  # the working copy
    glimpse: Glimpse


@dataclass
class Stopwatch:
    """Milliseconds by step."""

    ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def lap(self, step: str) -> Iterator[None]:
        """Time what is inside."""
        start = time.perf_counter()
        try:
            with traces.step(step):
                yield
        finally:
            took_s = time.perf_counter() - start
            self.ms[step] = round(took_s * 1000, 1)
            metrics.front().step_seconds.labels(step).observe(took_s)


async def decode_uploads(
    uploads: Sequence[Upload],
    limits: DecodingLimits,
    max_images: int,
    limiter: anyio.CapacityLimiter,
    pdfs: anyio.CapacityLimiter | None = None,
) -> tuple[Photo, ...]:
    """Every image of every upload, in order. Raises ProblemError that names each bad one.

    Where the files hold too many pages, some may not be opened, and bad ones among them not be named.

    limiter: of files that are opened at once. pdfs: the same of PDFs, which then take none of the others' places.
    """
    opened: list[tuple[Photo, ...] | Refusal] = [()] * len(uploads)

    def taken() -> tuple[Photo, ...]:
        return tuple(photo for one in opened if not isinstance(one, Refusal) for photo in one)

    def open_if_wanted(index: int) -> tuple[Photo, ...] | Refusal:
        # Ten PDFs hold a hundred pages. Once there are too many the answer is known, and more would fill the memory.
        return () if len(taken()) > max_images else _open(index, uploads[index].data, limits)

    async def open_one(index: int) -> None:
        places = pdfs if pdfs is not None and decoding.is_pdf(uploads[index].data) else limiter
        opened[index] = await anyio.to_thread.run_sync(open_if_wanted, index, limiter=places)

    async with anyio.create_task_group() as group:
        for index in range(len(uploads)):
            group.start_soon(open_one, index)
    _raise_refusals(opened)
    found = taken()
    if len(found) > max_images:
        over = found[max_images].upload
        raise ProblemError(
            "too_many_images",
            f"The files hold more than {max_images} pages, and no more are taken.",
            [Fault(f"/images/{over}", "one page too many")],
        )
    return found


def _raise_refusals(opened: Sequence[tuple[Photo, ...] | Refusal]) -> None:
    refusals = [(index, one) for index, one in enumerate(opened) if isinstance(one, Refusal)]
    for _, refusal in refusals:
        metrics.front().files_refused.labels(refusal.code).inc()
    if refusals:
        faults = [Fault(f"/images/{index}", refusal.detail) for index, refusal in refusals]
        _, first = refusals[0]
        raise ProblemError(first.code, first.detail, faults)


def _open(index: int, data: bytes, limits: DecodingLimits) -> tuple[Photo, ...] | Refusal:
    pages = decoding.decode_upload(data, limits)
    return pages if isinstance(pages, Refusal) else tuple(_photo(index, page) for page in pages)


def _photo(upload: int, page: Page) -> Photo:
    height, width = page.shape[:2]
    return Photo(upload, width, height, _shrunk(page, WORKING_PX), geometry.take_glimpse(page))


def _shrunk(page: Page, longest_px: int) -> Page:
    height, width = page.shape[:2]
    scale = longest_px / max(height, width)
    if scale >= 1:
        return page
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cv2.resize(page, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


async def assess_photos(shots: Sequence[Photo], models: Models) -> list[Assessment]:
    """What the quality network makes of each photo."""
    with runner_errors_as_problems("quality"):
        return await models.assess([photo.glimpse for photo in shots])


def build_verdict(
    shots: Sequence[Photo],
    assessments: Sequence[Assessment],
    uploads: Sequence[Upload],
    demands: VerdictOptions,
    model: schema.ModelName,
    yardstick: UsabilityModel,
    language: str = messages.DEFAULT_LANGUAGE,
) -> schema.Verdict:
    """The verdicts on all images as one: the weakest image decides. language: one of messages.catalogues()."""
    judged = [
        judge_photo(assessment, index, photo.width, photo.height, _for(demands, photo), yardstick)
        for index, (photo, assessment) in enumerate(zip(shots, assessments, strict=True))
    ]
    reports = [
        schema.ImageReport(
            index=one.index,
            upload=photo.upload,
            accepted=one.accepted,
            score=one.score,
            threshold=one.threshold,
            width=one.width,
            height=one.height,
            document=_seen(one.document, uploads[photo.upload].side),
            groups={name: schema.GroupReport.model_validate(group) for name, group in one.groups.items()},
            criteria=[schema.CriterionReport.model_validate(criterion) for criterion in one.criteria],
            not_assessed=[schema.NotAssessed.model_validate(criterion) for criterion in one.not_assessed],
        )
        for photo, one in zip(shots, judged, strict=True)
    ]
    # Each image's advice is in order of gain; of several images the first advices come first.
    ranks = zip_longest(*(one.guidance for one in judged))
    return schema.Verdict(
        accepted=all(one.accepted for one in judged),
        score=min(one.score for one in judged),
        strictness=demands.strictness,
        images=reports,
        guidance=[
            schema.GuidanceReport(code=one.code, image=one.image, message=messages.catalogues()[language][one.code])
            for rank in ranks
            for one in rank
            if one is not None
        ],
        model=model,
    )


def _for(demands: VerdictOptions, photo: Photo) -> VerdictOptions:
    """A preview may also hold whole photos: those are judged by everything."""
    small = max(photo.width, photo.height) <= geometry.FRAME_PX
    return demands if small or not demands.preview else replace(demands, preview=False)


def _seen(document: object, stated_side: str | None) -> schema.DocumentSeen:
    """The caller knows better than the network which side was photographed."""
    seen = schema.DocumentSeen.model_validate(document)
    return seen.model_copy(update={"side": stated_side}) if stated_side else seen


def require_accepted(verdict_on_all: schema.Verdict, language: str = messages.DEFAULT_LANGUAGE) -> None:
    """Raise image_quality_insufficient, carrying the verdict, unless every image is accepted. language: its words'."""
    refused = [image for image in verdict_on_all.images if not image.accepted]
    if refused:
        advice = {guidance.image: guidance.message for guidance in reversed(verdict_on_all.guidance)}
        faults = [Fault(f"/images/{image.upload}", advice.get(image.index, "not accepted")) for image in refused]
        extra = {"validation": verdict_on_all.model_dump(mode="json", exclude_unset=True)}
        headers = {"content-language": language}
        raise ProblemError("image_quality_insufficient", faults[0].detail, faults, extra, headers)


@dataclass(frozen=True)
class _Cutout:
    """What the reader is sent, and the way back."""

    page: Page
    to_photo: NDArray[np.float64]  # [3, 3], px of the page → relative to the photo, 0..1


async def extract_pages(
    shots: Sequence[Photo],
    assessments: Sequence[Assessment],
    document_type: str,
    models: Models,
    one_document: bool = False,
) -> list[ExtractedPage]:
    """What stands on each photo's document. one_document: the photos show pages or sides of one."""
    cutouts = await anyio.to_thread.run_sync(
        lambda: [_cut_out(photo.page, seen) for photo, seen in zip(shots, assessments, strict=True)]
    )
    with runner_errors_as_problems("extraction"):
        found = await models.extract([ExtractionTask(cutout.page, document_type) for cutout in cutouts])
        if one_document:
            found = await _of_one_type(cutouts, found, models)
    return [
        ExtractedPage(index, cutout.page, cutout.to_photo, one)
        for index, (cutout, one) in enumerate(zip(cutouts, found, strict=True))
    ]


async def _of_one_type(
    cutouts: Sequence[_Cutout], found: Sequence[PagePrediction], models: Models
) -> list[PagePrediction]:
    """A page that by itself looked like another type is read once more, as a page of the common one."""
    name = common_type(found)
    differing = [
        at
        for at, one in enumerate(found)
        if one.type != name and not (one.type == OTHER_TYPE and one.type_confidence >= SURELY_OTHER)
    ]
    again = await models.extract([ExtractionTask(cutouts[at].page, name) for at in differing]) if differing else []
    read_again = dict(zip(differing, again, strict=True))
    return [read_again.get(at, one) for at, one in enumerate(found)]


def _cut_out(page: Page, seen: Assessment) -> _Cutout:
    """The document alone where one was seen on something, else the whole photo."""
    height, width = page.shape[:2]
    to_relative = np.diag([1 / width, 1 / height, 1.0])
    if seen.polygon is not None and seen.detected >= DETECTION_THRESHOLD:
        polygon = seen.polygon.astype(np.float32) * np.array([width, height], np.float32)
        if _can_be_flattened(polygon) and _share_of_photo(polygon, width, height) < FILLS_THE_PHOTO:
            flat = geometry.rectify(page, polygon, MAX_EXTRACTION_SIDE_PX)
            return _Cutout(flat.page, to_relative @ flat.to_photo)
    whole = _shrunk(page, MAX_EXTRACTION_SIDE_PX)
    back = np.diag([width / whole.shape[1], height / whole.shape[0], 1.0])
    return _Cutout(whole, to_relative @ back)


def _share_of_photo(polygon: geometry.Polygon, width: int, height: int) -> float:
    """How much of the photo lies inside a convex polygon, 0..1."""
    photo = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, _ = cv2.intersectConvexConvex(polygon, photo)
    return float(area) / (width * height)


def _can_be_flattened(polygon: geometry.Polygon) -> bool:
    """Convex, and no side so short that the result would be a sliver."""
    sides = np.linalg.norm(np.roll(polygon, -1, axis=0) - polygon, axis=1)
    return bool(cv2.isContourConvex(polygon) and sides.min() >= _LEAST_SIDE_PX)


def build_documents(pages: Sequence[ExtractedPage], options: ExtractionOptions) -> list[schema.DocumentAnswer]:
    """One document for each image, or one for all."""
    wishes = schema.AnswerOptions(options.include, options.min_confidence)
    parts = [list(pages)] if options.group == "single" else [[page] for page in pages]
    return [schema.build_document(part, wishes) for part in parts]


@contextmanager
def runner_errors_as_problems(model: str) -> Iterator[None]:
    """A runner's trouble in the words of the contract."""
    try:
        yield
    except OverloadedError:
        raise ProblemError("overloaded", "All places are taken; try again shortly.") from None
    except UnavailableError:
        raise ProblemError("model_not_ready", f"The {model} model is starting; try again shortly.") from None
    except TooSlowError:
        raise ProblemError("timeout", f"The {model} model took too long.") from None
    except (ModelFailedError, RunnerTroubleError):
        raise ProblemError("internal_error", "The model failed on this request.") from None

"""Cuts documents out, extracts each page, understands pages of a document together: from photos to predictions."""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from docextract.answers.merging import ExtractedPage
from docextract.answers.photo_evidence import with_photo_evidence
from docextract.images import geometry
from docextract.images.geometry import Page, Rectified
from docextract.images.margins import printed_box
from docextract.images.outline import can_rectify
from docextract.pipeline.decoding import MAX_EXTRACTION_SIDE_PX, MIN_EXTRACTION_SIDE_PX, Photo
from docextract.pipeline.grouping import group_pages
from docextract.pipeline.models import ExtractionTask, Models, UnderstandingTask, runner_errors_as_problems
from docextract.pipeline.options import PageGrouping
from docextract.predictions import Assessment, PagePrediction, TextLine
from docextract.quality.criteria import DETECTION_THRESHOLD


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
    if not photo.page.lines:
        cut_out = _cut_out(photo, page, assessment)
        if cut_out:
            return _ExtractionInput(cut_out.page, to_relative @ cut_out.to_photo)
    whole = geometry.shrink(page, MAX_EXTRACTION_SIDE_PX, MIN_EXTRACTION_SIDE_PX)
    scale = np.array([whole.shape[1] / width, whole.shape[0] / height])
    lines = tuple(
        TextLine(line.text, (line.polygon * scale).astype(np.float32), 1.0, line.cuts, is_struck=line.is_struck)
        for line in photo.page.lines
    )
    return _ExtractionInput(whole, to_relative @ np.diag([*(1 / scale), 1.0]), lines)


def _cut_out(photo: Photo, page: Page, assessment: Assessment) -> Rectified | None:
    """Return the document that is a part of the picture: by its outline, or by the blank paper around its print."""
    height, width = page.shape[:2]
    if assessment.polygon is not None and assessment.detected >= DETECTION_THRESHOLD:
        polygon = assessment.polygon.astype(np.float32) * np.array([width, height], np.float32)
        if can_rectify(page, polygon, photo.page.source):
            return geometry.rectify(page, polygon, MAX_EXTRACTION_SIDE_PX)
    box = printed_box(page) if photo.page.source != "photo" else None
    return geometry.cut_out(page, box, MAX_EXTRACTION_SIDE_PX) if box else None

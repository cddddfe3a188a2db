"""Extracts each page, understands pages of a document together: from photos to predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from docextract.answers.merging import ExtractedPage
from docextract.answers.photo_evidence import with_photo_evidence
from docextract.images import geometry
from docextract.pipeline.cutting import CutPage, cut_document, cut_parts, whole_photo
from docextract.pipeline.decoding import Photo
from docextract.pipeline.grouping import group_pages
from docextract.pipeline.models import ExtractionTask, Models, UnderstandingTask, runner_errors_as_problems
from docextract.pipeline.options import PageGrouping
from docextract.predictions import Assessment, PagePrediction
from docextract.quality.criteria import MULTIPLE_DOCUMENTS

_MAX_DIVISIONS = 3  # of one page, each into two parts
_MAX_DIVIDED = 20  # pages and parts of one request, which add 40 extractions
# Score of the criterion below which a photo is looked at as a whole: that of 3 of 100 photos of one receipt.
_MAX_SINGLE_SCORE = 0.75


@dataclass(frozen=True)
class _Extracted:
    """A page with its prediction."""

    cut: CutPage
    prediction: PagePrediction


async def extract_documents(
    photos: Sequence[Photo],
    assessments: Sequence[Assessment],
    document_type: str,
    grouping: PageGrouping,
    models: Models,
) -> list[list[ExtractedPage]]:
    """Extract the documents on the photos: the pages of each, in input order. Raises ProblemError.

    The pages are read one by one. Those of one document are then understood together. With "auto", several documents on
    one page are read again, each on its own.
    """
    cuts = await anyio.to_thread.run_sync(lambda: list(map(cut_document, range(len(photos)), photos, assessments)))
    with runner_errors_as_problems("extraction"):
        pages = await _extract(cuts, document_type, models)
        if grouping == "auto":
            pages = await _with_whole_photos(pages, photos, assessments, document_type, models)
        groups = group_pages(grouping, [page.prediction for page in pages], [photo.upload for photo in photos])
        documents = [[pages[index] for index in group] for group in groups]
        documents = await _understand_together(documents, document_type, models)
        if grouping == "auto":
            documents = await _with_parts_apart(documents, photos, document_type, models)

    def locate(document: Sequence[_Extracted]) -> list[ExtractedPage]:
        return [_extracted_page(page, photos[page.cut.image], assessments[page.cut.image]) for page in document]

    return await anyio.to_thread.run_sync(lambda: list(map(locate, documents)))


async def _extract(cuts: Sequence[CutPage], document_type: str, models: Models) -> list[_Extracted]:
    tasks = [ExtractionTask(cut.page, document_type, cut.lines) for cut in cuts]
    predictions = await models.extract(tasks) if tasks else []
    return list(map(_Extracted, cuts, predictions))


def _extracted_page(extracted: _Extracted, photo: Photo, assessment: Assessment) -> ExtractedPage:
    """Return a page as the model has turned it."""
    cut, prediction = extracted.cut, extracted.prediction
    to_photo = cut.turned_to_photo(prediction.quarter_turns)
    if photo.page.source == "photo":
        size = photo.page.width, photo.page.height
        prediction = with_photo_evidence(prediction, to_photo, assessment.legibility, *size)
    return ExtractedPage(cut.image, geometry.turn_page(cut.page, prediction.quarter_turns), to_photo, prediction)


async def _with_whole_photos(
    pages: Sequence[_Extracted],
    photos: Sequence[Photo],
    assessments: Sequence[Assessment],
    document_type: str,
    models: Models,
) -> list[_Extracted]:
    """Replace the document that was cut out of a photo with several by the whole photo, if that can be divided."""
    doubtful = [
        image
        for image, (page, assessment) in enumerate(zip(pages, assessments, strict=True))
        if not page.cut.is_whole and assessment.scores.get(MULTIPLE_DOCUMENTS, 1.0) < _MAX_SINGLE_SCORE
    ]
    if not doubtful:
        return list(pages)
    cuts = await anyio.to_thread.run_sync(lambda: [whole_photo(image, photos[image]) for image in doubtful])
    whole = {one.cut.image: one for one in await _extract(cuts, document_type, models) if one.prediction.parts}
    return [whole.get(image, page) for image, page in enumerate(pages)]


async def _with_parts_apart(
    documents: list[list[_Extracted]], photos: Sequence[Photo], document_type: str, models: Models
) -> list[list[_Extracted]]:
    """Replace pages with several documents, which `group_pages` leaves alone, by their parts, each extracted alone.

    Parts are divided again. What is not divided, because there is too much of it, keeps its parts.
    """
    left = _MAX_DIVIDED
    for _ in range(_MAX_DIVISIONS):
        divided = [number for number, (page, *_) in enumerate(documents) if page.prediction.parts][:left]
        if not divided:
            break
        left -= len(divided)
        parts = await _extract_parts([documents[number][0] for number in divided], photos, document_type, models)
        apart = dict(zip(divided, parts, strict=True))
        documents = [one for number, document in enumerate(documents) for one in apart.get(number, [document])]
    return documents


async def _extract_parts(
    pages: Sequence[_Extracted], photos: Sequence[Photo], document_type: str, models: Models
) -> list[list[list[_Extracted]]]:
    """Return the documents of each page, which have one page each."""
    cuts = await anyio.to_thread.run_sync(
        lambda: [list(cut_parts(page.cut, page.prediction, photos[page.cut.image])) for page in pages]
    )
    extracted = iter(await _extract([cut for parts in cuts for cut in parts], document_type, models))
    return [[[next(extracted)] for _ in parts] for parts in cuts]


async def _understand_together(
    documents: Sequence[list[_Extracted]], document_type: str, models: Models
) -> list[list[_Extracted]]:
    """Replace the predictions of every document with several pages."""
    together = [document for document in documents if len(document) > 1]
    tasks = [UnderstandingTask(tuple(page.prediction for page in one), document_type) for one in together]
    understood = iter(await models.understand(tasks) if tasks else [])
    return [
        [replace(page, prediction=prediction) for page, prediction in zip(document, next(understood), strict=True)]
        if len(document) > 1
        else document
        for document in documents
    ]

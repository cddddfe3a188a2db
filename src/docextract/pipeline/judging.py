"""Assesses and judges each photo, and refuses what cannot be read: from photos to a verdict."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from docextract.answers import schema
from docextract.answers.review import required_confidence
from docextract.images import geometry
from docextract.pipeline.decoding import Photo
from docextract.pipeline.models import Models, runner_errors_as_problems
from docextract.pipeline.options import Upload
from docextract.pipeline.problems import ProblemError, RequestFault
from docextract.predictions import Assessment, Legibility
from docextract.quality import messages
from docextract.quality.criteria import DOCUMENT_ABSENT, MULTIPLE_DOCUMENTS, UNEXPECTED_DOCUMENT
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import CriterionVerdict, Guidance, VerdictOptions, judge_photo

# What photos are refused for by these criteria cannot be answered by reading them.
_DOCUMENT_CRITERIA = frozenset({DOCUMENT_ABSENT, MULTIPLE_DOCUMENTS, UNEXPECTED_DOCUMENT.name})


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
    refused = [one for one in verdict.images if not _is_readable(one, documents, verdict, usability)]
    _refuse(refused, verdict, language)


def _is_readable(
    image: schema.ImageReport,
    documents: Sequence[schema.DocumentAnswer],
    verdict: schema.Verdict,
    usability: UsabilityModel,
) -> bool:
    """Whether every document of the image can be read there."""
    shown = [document for document in documents if image.index in document.images]
    return all(_can_be_read(document, image, verdict, usability) for document in shown) if shown else image.accepted


def _can_be_read(
    document: schema.DocumentAnswer, image: schema.ImageReport, verdict: schema.Verdict, usability: UsabilityModel
) -> bool:
    """Of scans, pages of unknown type and backs, missing fields say nothing about the picture: accepted ones pass."""
    sure = required_confidence(document)
    if image.accepted and (image.source != "photo" or image.document.side == "back" or sure is None):
        return True
    return sure is not None and readability(image.score, sure) >= usability.min_readable(
        document.type, verdict.strictness
    )


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

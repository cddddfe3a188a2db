"""Which documents a person should review, and why.

A value is accepted without review from the confidence on at which the calibration set shows at most the target share of
wrong values among those accepted. Its estimate of that share is (wrong + 1) / (accepted + 1), the finite-sample
correction of conformal risk control (Angelopoulos et al. 2022, arXiv:2208.02814).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from docextract.answers.schema import DocumentAnswer
from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.predictions import PagePrediction

NOTHING_ACCEPTED = 1.01  # no confidence is as high
UNKNOWN_TYPE = "unknown_type"

ErrorBounds = Sequence[tuple[float, float]]  # (confidence, share of wrong values from it on), ascending


def estimate_error_bounds(judged: Iterable[tuple[float, bool]], starts: Sequence[float]) -> ErrorBounds:
    """Return the estimated share of wrong values from each of these confidences on.

    judged: the confidence of each value, and whether it is right; of pages that the confidences were not fitted to.
    """
    values = list(judged)
    bounds = []
    for start in starts:
        right = [is_right for confidence, is_right in values if confidence >= start]
        bounds.append((start, round((right.count(False) + 1) / (len(right) + 1), 4)))
    return bounds


def lowest_accepted(pages: Iterable[PagePrediction], target_error: float) -> float:
    """Return the confidence from which on values are accepted: the highest that one of the pages' models demands.

    A model without error bounds is taken at its word: of values with a confidence of 0.99, one in a hundred is wrong.
    """
    return max((lowest_within(page.error_bounds, target_error) for page in pages), default=1 - target_error)


def lowest_within(bounds: ErrorBounds, target_error: float) -> float:
    """Return the confidence from which on at most this share of the values is wrong."""
    if not bounds:
        return 1 - target_error
    return next((start for start, error in bounds if error <= target_error), NOTHING_ACCEPTED)


def review_reasons(
    kind: DocumentType | None,
    uncertain: Mapping[str, bool],
    failed_checks: Iterable[str],
    absent: Collection[str] = (),
) -> list[str]:
    """Return why a person should review the document; nothing if it may be used as it is.

    uncertain: of each field or list that has values, whether one of them is below its limit.
    absent:    fields that the document is known not to have, which are not missing.
    """
    if kind is None:
        return [UNKNOWN_TYPE, *(f"check_failed:{name}" for name in failed_checks)]
    required = [field.name for field in kind.fields() if field.required]
    return [
        *(f"missing:{name}" for name in required if name not in uncertain and name not in absent),
        *(f"uncertain:{name}" for name, is_uncertain in uncertain.items() if is_uncertain),
        *(f"check_failed:{name}" for name in failed_checks),
    ]


def required_confidence(document: DocumentAnswer) -> float | None:
    """Return how sure the required fields are, 0..1: see `combine_required`; None for pages of unknown type.

    Of a type without required fields it is the confidence of the whole document.
    """
    kind = document_types().get(document.type)
    if kind is None:
        return None
    if not kind.required:
        return document.confidence
    read = [document.fields.get(name) for name in kind.required]
    return combine_required([(one.confidence or 0.0) if one else 0.0 for one in read])


def combine_required(confidences: Sequence[float]) -> float:
    """Return the mean of the lowest and of the mean confidence; a missing field has 0. confidences: at least one.

    One doubtful field counts, but where a layout hides one field, a photo in which the others are sure may be as good
    as any.
    """
    return (min(confidences) + fmean(confidences)) / 2

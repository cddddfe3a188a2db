"""How good confidences are on pages that were left out of the fit.

Values are those that the service would give: of a document of several pages the most certain one, compared with the
machine-readable zone.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from docextract.answers.merging import merge_pages
from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.candidates import Candidate
from docextract.predictions import PagePrediction, PredictedValue
from training.evaluation import acceptance
from training.evaluation.acceptance import JudgedValue
from training.evaluation.confidence_curves import FieldConfidence
from training.evaluation.from_lines import without_pixels
from training.tasks.calibration.examples import CalibrationExample
from training.tasks.calibration.fitting import FITTED_INPUTS, fit_calibration, is_given

FOLDS = 5
# Divisions into folds, over which the confidence of a left-out value is averaged. With one, the share of values on real
# invoices and cards that is accepted at 1 % varied from 38 to 52 % with the division (six of them, 2026-11-26).
REPEATS = 5


def cross_validate(
    examples: Sequence[CalibrationExample], inputs: Sequence[str] = FITTED_INPUTS
) -> Iterator[tuple[CalibrationExample, FieldConfidence]]:
    """Every field of the pages that were read, with the confidence of fits without this page and its merchant.

    The confidence is the mean of one fit for each division into folds; whether a value is given, the first one decides.
    """
    repeats = [_fits_by_fold(examples, inputs, repeat) for repeat in range(REPEATS)]
    for example in (one for one in examples if one.source != "sheet"):
        given = [given_value(example, fits[fold_of(example, repeat)]) for repeat, fits in enumerate(repeats)]
        if given[0]:
            sure = fmean(value.confidence for value in given if value)
            yield example, FieldConfidence(example.field, sure, example.is_right(given[0].value), True)
        elif example.expected is not None:
            yield example, FieldConfidence(example.field, 0.0, False, False)


def given_value(example: CalibrationExample, fit: Calibration) -> PredictedValue | None:
    """Return the value of a field in the answer of a service with this calibration."""
    found = example.by_page or ((example.candidate,) if example.candidate else ())
    values = [_predicted(candidate, fit) for candidate in found if is_given(candidate, fit.accept)]
    if example.zone is None and len(values) < 2:
        return values[0] if values else None
    predictions = [_prediction(example, value) for value in values or [None]]
    merged = merge_pages(without_pixels(predictions), document_types()[example.type]).fields.get(example.field)
    return merged and merged.value


def _predicted(candidate: Candidate, fit: Calibration) -> PredictedValue:
    return PredictedValue(candidate.content, candidate.value, fit.confidence(candidate), ())


def _prediction(example: CalibrationExample, value: PredictedValue | None) -> PagePrediction:
    """Return the prediction for a page of the document with this value alone."""
    fields = {example.field: value} if value else {}
    return PagePrediction(example.type, 1.0, Conventions(), fields, zone=example.zone)


def _fits_by_fold(examples: Sequence[CalibrationExample], inputs: Sequence[str], repeat: int) -> list[Calibration]:
    """Return for each fold the fit to all others."""
    return [fit_calibration([one for one in examples if fold_of(one, repeat) != fold], inputs) for fold in range(FOLDS)]


def fold_of(example: CalibrationExample, repeat: int = 0) -> int:
    """Return the fold of an example: those of one page or merchant are in one. repeat: number of the division."""
    return zlib.crc32(example.page.encode() + b"\0" * repeat) % FOLDS


def counted_values(judged: Iterable[tuple[CalibrationExample, FieldConfidence]]) -> list[JudgedValue]:
    """The values that were given on real documents if there are enough, else on all."""
    given = [
        JudgedValue(of.source, of.type, fold_of(of), one.confidence, one.right) for of, one in judged if one.predicted
    ]
    real = [one for one in given if one.source in ("real", "collection")]
    return real if len(real) >= acceptance.MIN_REAL_VALUES else given

"""Answers of the service from lines that were read already, for evaluations that need no pictures."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from docextract.answers.documents import AnswerOptions, build_document
from docextract.answers.merging import ExtractedPage
from docextract.extraction.extractor import Extractor
from docextract.predictions import PagePrediction, TextLine

_NO_PIXELS = np.zeros((8, 8, 3), np.uint8)


def without_pixels(pages: Iterable[PagePrediction]) -> list[ExtractedPage]:
    """Return the pages of one document, in their order, without pictures."""
    return [ExtractedPage(number, _NO_PIXELS, np.eye(3), page) for number, page in enumerate(pages)]


def answer_lines(extractor: Extractor, lines: Sequence[Sequence[TextLine]], document_type: str) -> dict[str, Any]:
    """Return the answer for one document of a type, as JSON, from the lines of its pages."""
    pages = extractor.extract_from_lines(lines, [document_type] * len(lines))
    if len(pages) > 1:
        pages = list(extractor.understand(pages, document_type))
    return build_document(without_pixels(pages), AnswerOptions()).model_dump(mode="json", exclude_unset=True)

"""Calls of an extraction model, the same in a runner and in one process. Some models can do less than others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from docextract.images.geometry import Page
from docextract.pipeline.models import ExtractionTask, UnderstandingTask
from docextract.predictions import DocumentPrediction, PagePrediction, TextLine

_MIN_STRIP_CONFIDENCE = 0.5  # below it, what is read is mostly texture and ruled lines


def extract_tasks(model: Any, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
    """Return one prediction per task, in input order. Models without a text reader of their own use no text layers."""
    pages, types = [task.page for task in tasks], [task.document_type for task in tasks]
    if not any(task.lines for task in tasks) or not getattr(model, "uses_text_layers", False):
        return list(model.extract(pages, types))
    return list(model.extract(pages, types, [task.lines for task in tasks]))


def understand_tasks(model: Any, tasks: Sequence[UnderstandingTask]) -> list[DocumentPrediction]:
    """Return one prediction per document, in input order. Without `understand`, its pages stay as they are."""
    if not hasattr(model, "understand"):
        return [DocumentPrediction(task.pages) for task in tasks]
    return [DocumentPrediction(model.understand(task.pages, task.document_type)) for task in tasks]


def read_box(model: Any, page: Page, box: tuple[int, int, int, int]) -> tuple[TextLine, ...]:
    """Return the lines in a box of a page, in reading order. box: left, top, right, bottom; px.

    Where no line is detected, the whole box is read as one line. Raises AttributeError for a model without a reader.
    """
    from docextract.extraction.layout.pieces import split_page

    found = model.reader.read_boxes(page, [box])
    if found:
        return split_page(found)[0]
    left, top, right, bottom = box
    outline = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    ((text, confidence),) = model.reader.read_strips(page, [outline])
    return (TextLine(text, outline, confidence),) if text and confidence >= _MIN_STRIP_CONFIDENCE else ()

"""Calls of an extraction model, the same in a runner and in one process. Some models can do less than others."""

from collections.abc import Sequence
from typing import Any

from docextract.pipeline.models import ExtractionTask, UnderstandingTask
from docextract.predictions import DocumentPrediction, PagePrediction


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

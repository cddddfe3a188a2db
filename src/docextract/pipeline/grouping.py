"""Which pages of a request make one document."""

from collections.abc import Sequence

from docextract.pipeline.options import PageGrouping
from docextract.predictions import PagePrediction


def group_pages(
    grouping: PageGrouping, predictions: Sequence[PagePrediction], uploads: Sequence[int]
) -> list[list[int]]:
    """Return the indices of the pages of each document. uploads: the index of the file of each page."""
    if grouping == "page":
        return [[index] for index in range(len(predictions))]
    if grouping == "request":
        return [list(range(len(predictions)))] if predictions else []
    by_file: dict[int, list[int]] = {}
    for index, upload in enumerate(uploads):
        by_file.setdefault(upload, []).append(index)
    return list(by_file.values())

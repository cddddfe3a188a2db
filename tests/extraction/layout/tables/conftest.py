"""Pages with tables whose labels and row starts the tests state."""

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.tables.rows import decode_groups
from training.synth.labelled_lines import LabelledLine, encode_labels


@pytest.fixture
def rows_of(table):
    """Return a function that decodes the line items of a page as text. It takes what `table` takes."""

    def decode(*cells, starts=(), group="line_items", **of):
        rows = decode_groups(table(*cells, starts=starts, group=group, **of))[group]
        return [{leaf: str(one.value) for leaf, one in row.items()} for row in rows]

    return decode


@pytest.fixture
def table(line):
    """Return a function that makes a page with a list of a document type, by default the goods of an invoice.

    cells: printed lines: x, y, then parts of their text, each with the value of a row that the network takes it for.
    starts: words with which a row begins. document_type: its name, or itself. line_of: makes a line of text, x and y.
    """

    def make(*cells, starts=(), document_type="invoice", group="line_items", line_of=line):
        kind = document_types()[document_type] if isinstance(document_type, str) else document_type
        names = tuple(field.name for field in kind.fields())
        marked = [_marked(line_of, group, *cell) for cell in cells]
        ordered, page = split_into_pieces([one.line for one in marked])
        by_line = {id(one.line): one for one in marked}
        labels, _ = encode_labels([by_line[id(one)] for one in ordered], page.pieces, names)
        certain = np.eye(1 + 2 * len(names), dtype=np.float32)[labels]
        begins = np.array([piece.text in starts for piece in page.pieces], np.float32)
        return PageLabels(kind, names, page.pieces, LabelProbabilities(certain, begins), Conventions("DMY", "EUR"))

    return make


def _marked(line_of, group, x, y, *parts):
    text, marks = "", []
    for content, leaf in parts:
        start = len(text) + bool(text)
        text += (" " if text else "") + content
        if leaf:
            marks.append((start, len(text), f"{group}.0.{leaf}", 0))
    return LabelledLine(line_of(text, x, y), tuple(marks))

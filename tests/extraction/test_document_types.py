"""For every document type with a generator: decoding the labels of a generated page gives its record back."""

from random import Random

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.tables.rows import decode_groups
from docextract.predictions import TextLine
from training.synth.documents import generators
from training.synth.labelled_lines import LabelledLine, encode_labels
from training.synth.misreading import PX_PER_MM, number_occurrences

PAGES = 40
GENERATED = [document_types()[name] for name in generators()]


def _labelled(kind, sheet):
    """Make every text of a sheet a line of its own, with the label probabilities of a perfect network."""
    strings = {field.name for field in kind.fields() if field.kind.name == "string"}
    marked = []
    for text, occurrence in number_occurrences(sheet.texts(), strings):
        left, top = text.x_mm * PX_PER_MM, text.y_mm * PX_PER_MM
        right, bottom = left + text.width_mm * PX_PER_MM, top + text.height_mm * PX_PER_MM
        polygon = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
        marks = ((0, len(text.text), text.field, occurrence),) if text.field else ()
        marked.append(LabelledLine(TextLine(text.text, polygon, 1.0), marks))
    truth = {id(one.line): one for one in marked}
    ordered, page = split_into_pieces([one.line for one in marked])
    names = tuple(field.name for field in kind.fields())
    labels, starts = encode_labels([truth[id(line)] for line in ordered], page.pieces, names)
    view = LabelProbabilities(np.eye(1 + 2 * len(names), dtype=np.float32)[labels], starts.astype(np.float32))
    return names, page.pieces, view


def _read(kind, labelled, currency, order):
    names, pieces, view = labelled
    conventions = Conventions(order, currency)
    found = {name: one.value for name, one in decode_fields(PageLabels(kind, names, pieces, view, conventions)).items()}
    for group, rows in decode_groups(PageLabels(kind, names, pieces, view, conventions)).items():
        found[group] = [{leaf: one.value for leaf, one in row.items()} for row in rows]
    return found


def _expected(kind, record):
    """Return the values of a record by field name."""
    grouped = {field.group for field in kind.fields() if field.group}
    rows = {
        name: [{leaf: value for leaf, value in row if value is not None} for row in getattr(record, name)]
        for name in grouped
    }
    single = {field.name: getattr(record, field.name) for field in kind.fields() if field.group is None}
    return {name: value for name, value in {**single, **rows}.items() if value is not None and value != []}


@pytest.mark.parametrize("kind", GENERATED, ids=lambda kind: kind.name)
def test_labelled_pages_decode_to_their_record(kind):
    """At most one value in fifty is lost on the way from print to labels to values."""
    lost, values = [], 0
    for seed in range(PAGES):
        rng = Random(seed)
        record, sheet = generators()[kind.name].draw(rng)
        labelled, expected = _labelled(kind, sheet), _expected(kind, record)
        values += len(expected)
        found = _read(kind, labelled, record.currency, "DMY")
        missing = {name: value for name, value in expected.items() if found.get(name) != value}
        other = _read(kind, labelled, record.currency, "MDY") if missing else {}
        lost += [(seed, name, value, found.get(name)) for name, value in missing.items() if other.get(name) != value]

    assert len(lost) <= values / 50, lost

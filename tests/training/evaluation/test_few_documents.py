"""Tests of counting what a few documents add."""

from datetime import date
from pathlib import Path

import numpy as np

from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, TextLine
from training.evaluation.few_documents import BeforeAndAfter, Counts, read_first_page
from training.evaluation.real_documents import RealDocument

DOCUMENT = RealDocument(
    Path("a.pdf"),
    "invoice",
    "layout",
    {"vendor_name": "Moulin", "document_number": "A1", "due_date": None, "items_count": 3},
)
LINE = TextLine("Moulin A1", np.zeros((4, 2), np.float32), 1.0)


class Reader:
    def lines(self, path):
        return [(LINE,)]


class Model:
    """Finds the vendor, and a due date that is not printed."""

    def extract_from_lines(self, lines, types):
        found = {
            "vendor_name": PredictedValue("MOULIN", "MOULIN", 0.9, ()),
            "due_date": PredictedValue("1.2.2026", date(2026, 2, 1), 0.9, ()),
        }
        return [PagePrediction(types[0], 1.0, Conventions(), found)]


def test_right_missing_and_invented_values_are_counted():
    """In letters and digits; the number of rows is no value."""
    counts = Counts()

    counts.add(DOCUMENT, Model(), Reader())

    assert (counts.printed, counts.right, counts.absent, counts.invented) == (2, 1, 1, 1)


def test_what_was_put_right_is_a_share_of_what_was_wrong():
    """Of ten wrong values five are right afterwards."""
    found = BeforeAndAfter(Counts(printed=50, right=40), Counts(printed=50, right=45))

    assert "of what was wrong, 50% fewer are" in str(found)


def test_single_fields_of_the_first_page_are_labels():
    """As somebody would have reviewed them, without rows."""
    page = read_first_page(DOCUMENT, Reader())

    assert page.label.fields == {"vendor_name": "Moulin", "document_number": "A1", "due_date": None}
    assert page.read.lines == (LINE,)

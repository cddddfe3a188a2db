"""Measurement of group=auto on stacks of documents."""

from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue
from training.evaluation.grouping import STACKINGS, measure_stacks


def page(number=None):
    fields = {"document_number": PredictedValue(number, number, 0.9, ())} if number else {}
    return PagePrediction("invoice", 0.99, Conventions(), fields)


def test_documents_that_are_told_apart_are_right():
    """Each has a number of its own on its first page."""
    results = measure_stacks([[page(f"R-100{number}"), page()] for number in range(7)])

    assert results.documents == results.documents_right == results.starts_found == 7 * STACKINGS


def test_joined_documents_are_wrong():
    """Nothing tells one page from the next."""
    results = measure_stacks([[page()], [page()]])

    assert (results.documents_right, results.starts_found, results.starts_right) == (0, STACKINGS, STACKINGS)

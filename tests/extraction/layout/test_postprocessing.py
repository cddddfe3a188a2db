"""From the output of a network to the prediction of a page."""

import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.postprocessing import LayoutOutput, PredictionBuilder
from docextract.predictions import AUTO, OTHER_TYPE

TYPES = ("receipt", "passport", OTHER_TYPE)
ZONE = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


@pytest.fixture
def output(line):
    """A function that makes the output for a page with a zone, of which no piece has a field. types: probabilities."""

    def make(*types: float) -> LayoutOutput:
        lines, page = split_into_pieces([line(text, 0, 22 * row) for row, text in enumerate(ZONE)])
        labels = LabelProbabilities(np.ones((len(page.pieces), 1), np.float32), np.zeros(len(page.pieces), np.float32))
        return LayoutOutput(tuple(lines), page.pieces, labels, np.array(types, np.float32), Conventions())

    return make


@pytest.mark.parametrize(
    ("types", "expected", "has_zone"),
    [
        ((0.95, 0.05, 0.0), "receipt", False),
        ((0.8, 0.2, 0.0), "passport", True),
        ((0.0, 0.0, 1.0), OTHER_TYPE, True),
        ((0.1, 0.9, 0.0), "passport", True),
    ],
    ids=["a certain receipt", "a doubtful receipt", "another paper", "a passport"],
)
def test_a_zone_is_searched_where_one_may_be(output, types, expected, has_zone):
    """Not on a page that certainly is of a type without one."""
    prediction = PredictionBuilder(TYPES, (), UNCALIBRATED).build(output(*types), AUTO)

    assert (prediction.type, prediction.zone is not None) == (expected, has_zone)

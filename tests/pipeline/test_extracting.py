"""The page that the extraction model receives of a photo or scan, and the way back to its places."""

import asyncio
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.images.decoder import PreparedPage
from docextract.images.geometry import project, take_glimpse
from docextract.pipeline.decoding import Photo
from docextract.pipeline.extracting import extract_documents
from docextract.predictions import Assessment, PagePrediction

WIDTH, HEIGHT = 1600, 2200
PRINT = np.array([[700, 900], [1000, 1100]], np.float32)  # px of the sheet: left top, right bottom


def _extracted(source):
    """Extract a sheet with a small document, in which no outline was detected."""
    sheet = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    cv2.rectangle(sheet, PRINT[0].astype(int).tolist(), PRINT[1].astype(int).tolist(), (0, 0, 0), 4)
    photo = Photo(0, PreparedPage(1, source, WIDTH, HEIGHT, take_glimpse(sheet), sheet, blank=False))

    async def extract(tasks):
        return [PagePrediction("receipt", 0.9, Conventions()) for _ in tasks]

    models = SimpleNamespace(extract=extract)
    unseen = Assessment(0.0, None, 0.0, None, None, 0, {})
    return asyncio.run(extract_documents([photo], [unseen], "auto", "file", models))[0][0]


@pytest.mark.parametrize(("source", "is_cut"), [("scan", True), ("photo", False)])
def test_a_small_document_is_cut_out_of_its_sheet(source, is_cut):
    """Its values have their places on the sheet. Of a photo the margins are no blank paper."""
    extracted = _extracted(source)
    dark = np.argwhere(extracted.page.min(axis=2) < 100)[:, ::-1]
    corners = np.stack([dark.min(axis=0), dark.max(axis=0)]).astype(np.float32)

    assert (max(extracted.page.shape) < HEIGHT / 2) == is_cut
    np.testing.assert_allclose(project(corners, extracted.to_photo) * [WIDTH, HEIGHT], PRINT, atol=4)

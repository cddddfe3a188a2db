"""Fixtures: the HTTP application in this process, with models in plain Python instead of networks."""

import io
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from docextract.documents.values import Conventions
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.predictions import Assessment, PagePrediction, PredictedValue
from docextract.quality.criteria import CRITERIA
from docextract.registry import Version
from docextract.settings import Settings

CORNERS = np.array([[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]], np.float32)
SCORES = {
    "pages": 9,
    "document_types": {"receipt": {"total": {"exact": 0.9}}},
}  # as training.evaluation.evaluate writes them
LIMITS = {"max_images": 3, "max_request_bytes": 400_000, "max_image_bytes": 100_000, "max_pages": 5}


class PlainModels:
    """Detects a receipt in the middle of every photo; bright photos are sharp. Records the tasks."""

    def __init__(self):
        self.tasks = []
        self.together = []  # the UnderstandingTasks
        self.error = None
        self.corners = CORNERS
        self.seen = "receipt"
        self.detected = 0.97
        self.total_confidence = 0.98
        self.name_confidence, self.date_confidence = 0.97, 0.99
        self.legibility = None
        self.scores = {}  # of criteria, where they differ

    async def assess(self, glimpses):
        self._maybe_fail()
        return [self._assessment(float(glimpse.frame.pixels[:8, :8].mean()) / 255) for glimpse in glimpses]

    async def extract(self, tasks):
        self._maybe_fail()
        return [self._answered(task) for task in tasks]

    async def understand(self, tasks):
        self._maybe_fail()
        self.together += tasks
        return [self.understood(task) for task in tasks]

    def understood(self, task):
        return task.pages

    def _answered(self, task):
        self.tasks.append(task)
        return self.found(task)

    def _maybe_fail(self):
        if self.error is not None:
            raise self.error

    def _assessment(self, brightness):
        scores = {criterion.name: 0.95 for criterion in CRITERIA} | {"blurry": brightness}
        scores |= {"document_absent": min(0.95, self.detected)} | self.scores
        return Assessment(self.detected, self.seen, 0.9, "front", self.corners, 0, scores, legibility=self.legibility)

    def found(self, task):
        fields = {
            "merchant_name": PredictedValue(
                "BAKERY", "BAKERY", self.name_confidence, (np.array([[0, 0], [9, 0], [9, 9], [0, 9]]),)
            ),
            "document_date": PredictedValue("25/12/2018", date(2018, 12, 25), self.date_confidence, ()),
            "total": PredictedValue("9.00", Decimal("9.00"), self.total_confidence, ()),
        }
        return PagePrediction("receipt", 0.99, Conventions(), fields, error_bounds=((0.5, 0.001),))


def version(name, **more):
    return Version(name, "1.2.3", "tiny", "none:None", "sha256:00", date(2026, 1, 31), Path(), {}, **more)


@pytest.fixture
def models():
    return PlainModels()


@pytest.fixture
def app(models):
    served = {
        "quality": version("quality", document_types=("receipt",)),
        "extraction": version("extraction", document_types=("receipt",), scores=SCORES),
    }
    return create_app(models, Settings(**LIMITS), served)


@pytest.fixture
def client(app):
    edge = ErrorContractMiddleware(app, paths(app), LIMITS["max_request_bytes"])
    with TestClient(edge, raise_server_exceptions=False) as client:
        yield client


def jpeg(level=230, size=(300, 400), **options):
    """A photo of one grey; bright ones are accepted."""
    out = io.BytesIO()
    Image.new("RGB", size, (level,) * 3).save(out, "JPEG", **options)
    return out.getvalue()


@pytest.fixture
def good():
    return jpeg(230)


@pytest.fixture
def poor():
    return jpeg(40)

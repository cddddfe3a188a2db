"""Fixtures: a folder of two photos, and a review of it on stub models that answer at once."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from starlette.testclient import TestClient

from docextract.predictions import TextLine
from docextract.review.folder import ReviewedFolder
from docextract.review.proposals import Proposals
from docextract.review.server import create_review_app
from docextract.serving import local
from docextract.settings import Settings
from tests.browser.conftest import ServedPlainModels
from tests.http.conftest import jpeg

TOKEN = "a-token-of-this-run"


@dataclass
class ReviewModels(ServedPlainModels):
    """Stub models that also read print in a box. boxes: what was asked for."""

    boxes: list[tuple[int, int, int, int]] = field(default_factory=list)
    print_in_box: str = "CORNER BAKERY LTD"

    @property
    def extraction(self):
        return self.served["extraction"]

    def read_box(self, page, box):
        self.boxes.append(box)
        left, top, right, bottom = box
        outline = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
        return (TextLine(self.print_in_box, outline, 0.9),) if self.print_in_box else ()


@pytest.fixture
def photos(tmp_path):
    """A folder of two receipts."""
    (tmp_path / "more").mkdir()
    (tmp_path / "a.jpg").write_bytes(jpeg(230))
    (tmp_path / "more" / "b.jpg").write_bytes(jpeg(220))
    return tmp_path


@pytest.fixture
def models():
    return ReviewModels()


@pytest.fixture
def folder(photos):
    reviewed = ReviewedFolder(photos)
    yield reviewed
    reviewed.close()


@pytest.fixture
def proposals(folder, models):
    with local.client(models, Settings()) as client:
        yield Proposals(folder, client, models, Settings())


@pytest.fixture
def reviewer(folder, proposals):
    """A browser that has opened the address with the token."""
    with TestClient(create_review_app(folder, proposals, TOKEN), base_url="http://127.0.0.1:4555") as client:
        assert client.get("/", params={"token": TOKEN}).status_code == 200
        yield client

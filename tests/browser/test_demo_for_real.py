"""Tests of the page at /demo with the promoted models: the first sample, the poor sample, and the camera."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from docextract.serving.local import LocalModels
from docextract.settings import Settings
from tests.browser.conftest import serve

ROOT = Path(__file__).parents[2]
EXTRACTION_TIMEOUT_MS = 60_000  # extraction takes seconds, and the machine may be busy


@pytest.fixture(scope="module")
def site():
    """A service on the promoted models, which are loaded first."""
    models = LocalModels(ROOT / "models")
    models.load("quality", "extraction")
    with serve(models, Settings(models_dir=ROOT / "models")) as site:
        yield site


def test_first_sample_is_extracted(site, visit):
    """One click shows the receipt's merchant, date and total with their places."""
    page = visit(site)

    page.locator("#sample-list button").filter(has_text="Receipt").click()
    page.locator("article.document").wait_for(timeout=EXTRACTION_TIMEOUT_MS)

    for name in ("Merchant", "Date", "Total"):
        expect(page.locator("button.row").filter(has=page.get_by_text(name, exact=True))).to_be_visible()
    expect(page.locator(".verdict.good")).to_be_visible()


def test_poor_sample_gets_guidance(site, visit):
    """The page says how to improve the photo."""
    page = visit(site)

    page.locator("#sample-list button").filter(has_text="A poor photo").click()
    page.locator("article.document").wait_for(timeout=EXTRACTION_TIMEOUT_MS)

    expect(page.locator(".verdict.poor li").first).not_to_be_empty()


def test_camera_takes_a_photo_of_a_receipt(site, visit):
    """The page goes from an empty table to a total without a click on the shutter."""
    page = visit(site)

    page.get_by_role("button", name="Use the camera").click()
    page.locator("article.document").wait_for(timeout=EXTRACTION_TIMEOUT_MS)

    expect(page.locator("button.row").filter(has=page.get_by_text("Total", exact=True))).to_be_visible()

"""The page at /demo on the models that are served: what a newcomer sees on the first click, and before the camera."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from docextract.serving.local import LocalModels
from docextract.settings import Settings
from tests.browser.conftest import serving

ROOT = Path(__file__).parents[2]
READING_MS = 60_000  # seconds of work, on a machine that others use too


@pytest.fixture(scope="module")
def site():
    """The promoted models, loaded before the first question."""
    models = LocalModels(ROOT / "models")
    models.load("quality", "extraction")
    with serving(models, Settings(models_dir=ROOT / "models")) as site:
        yield site


def test_the_first_sample_is_read(site, visit):
    """One click, and the receipt is there: its merchant, date and total, each with its place."""
    page = visit(site)

    page.locator("#sample-list button").filter(has_text="Receipt").click()
    page.locator("article.document").wait_for(timeout=READING_MS)

    for name in ("Merchant", "Date", "Total"):
        expect(page.locator("button.row").filter(has=page.get_by_text(name, exact=True))).to_be_visible()
    expect(page.locator(".verdict.good")).to_be_visible()


def test_the_poor_sample_gets_advice(site, visit):
    """It is read as far as it can be, and the page says what would help."""
    page = visit(site)

    page.locator("#sample-list button").filter(has_text="A poor photo").click()
    page.locator("article.document").wait_for(timeout=READING_MS)

    expect(page.locator(".verdict.poor li").first).not_to_be_empty()


def test_the_camera_takes_a_receipt_by_itself(site, visit):
    """From an empty table to a total, and nobody pressed anything."""
    page = visit(site)

    page.get_by_role("button", name="Use the camera").click()
    page.locator("article.document").wait_for(timeout=READING_MS)

    expect(page.locator("button.row").filter(has=page.get_by_text("Total", exact=True))).to_be_visible()

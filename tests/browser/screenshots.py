"""The pictures of the page at /demo in the README: the camera's guidance on a phone, and an answer on a desktop.

    PYTHONPATH=src:. .venv/bin/python tests/browser/screenshots.py docs/images

Taken of the promoted models, with Chromium. Look at them before they are committed.
"""

import argparse
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Route, sync_playwright

from docextract.serving.local import LocalModels
from tests.browser import film
from tests.browser.conftest import Site, launched, serving

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 120_000
SHOWN_IN_A_ROW = 2  # accepted frames, of three
SETTLING_MS = 1500
MAX_BYTES = 150_000
_QUALITIES = range(90, 40, -5)


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    models = LocalModels(ROOT / "models")
    models.load("quality", "extraction")
    with tempfile.TemporaryDirectory() as folder:
        film_file = Path(folder) / "receipt.mjpeg"
        film.shoot(film_file)
        with sync_playwright() as playwright, launched(playwright, film_file) as browser, serving(models) as site:
            answer, camera = Path(folder) / "answer.png", Path(folder) / "camera.png"
            _take_answer(browser, site, answer)
            _take_camera(browser, site, camera)
        _save(answer, options.folder / "demo.jpg")
        _save(camera, options.folder / "demo-camera.jpg")


def _take_answer(browser: Browser, site: Site, path: Path) -> None:
    context = browser.new_context(locale="en-GB", viewport={"width": 1240, "height": 840}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{site.url}/demo")
    page.locator("#sample-list button").first.click()
    page.locator("article.document").wait_for(timeout=PATIENCE_MS)
    page.locator("button.row").filter(has=page.get_by_text("Total", exact=True)).hover()
    page.screenshot(path=path)
    context.close()


def _take_camera(browser: Browser, site: Site, path: Path) -> None:
    context = browser.new_context(
        locale="en-GB", viewport={"width": 390, "height": 780}, permissions=["camera"], reduced_motion="reduce"
    )
    page = context.new_page()
    accepted = 0

    def answer(route: Route) -> None:
        """The third frame that is accepted would fire the shutter: its answer never comes."""
        nonlocal accepted
        response = route.fetch()
        accepted += response.json()["accepted"]
        if accepted < SHOWN_IN_A_ROW + 1:
            route.fulfill(response=response)

    page.route("**/v1/validation", answer)
    page.goto(f"{site.url}/demo")
    page.get_by_role("button", name="Use the camera").click()
    page.locator("#outline.accepted polygon[points*=' ']").wait_for(timeout=PATIENCE_MS)
    page.wait_for_timeout(SETTLING_MS)
    page.screenshot(path=path)
    context.close()


def _save(png: Path, jpeg: Path) -> None:
    """As sharp as fits."""
    picture = Image.open(png).convert("RGB")
    for quality in _QUALITIES:
        picture.save(jpeg, quality=quality, optimize=True, progressive=True)
        if jpeg.stat().st_size <= MAX_BYTES:
            return
    raise ValueError(f"{jpeg.name} does not fit into {MAX_BYTES:,} bytes")


if __name__ == "__main__":
    main()

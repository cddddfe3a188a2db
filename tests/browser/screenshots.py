"""Make the screenshots of /demo for the README: guidance on a phone, and an answer on a desktop.

    PYTHONPATH=src:. .venv/bin/python tests/browser/screenshots.py docs/images

Uses the promoted models and Chromium. Check the pictures before they are committed.
"""

import argparse
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Route, sync_playwright

from docextract.serving.local import LocalModels
from tests.browser import film
from tests.browser.conftest import Site, launch_chromium, serve

ROOT = Path(__file__).parents[2]
TIMEOUT_MS = 120_000
ACCEPTED_FRAMES_SHOWN = 2  # accepted frames, of the three that take the photo
ANIMATION_MS = 1500
MAX_BYTES = 150_000
_JPEG_QUALITIES = range(90, 40, -5)


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    models = LocalModels(ROOT / "models")
    models.load("quality", "extraction")
    with tempfile.TemporaryDirectory() as folder:
        film_file = Path(folder) / "receipt.mjpeg"
        film.write_film(film_file)
        with sync_playwright() as playwright, launch_chromium(playwright, film_file) as browser, serve(models) as site:
            answer, camera = Path(folder) / "answer.png", Path(folder) / "camera.png"
            _screenshot_answer(browser, site, answer)
            _screenshot_camera(browser, site, camera)
        _save_jpeg(answer, options.folder / "demo.jpg")
        _save_jpeg(camera, options.folder / "demo-camera.jpg")


def _screenshot_answer(browser: Browser, site: Site, path: Path) -> None:
    context = browser.new_context(locale="en-GB", viewport={"width": 1240, "height": 840}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{site.url}/demo")
    page.locator("#sample-list button").first.click()
    page.locator("article.document").wait_for(timeout=TIMEOUT_MS)
    page.locator("button.row").filter(has=page.get_by_text("Total", exact=True)).hover()
    page.screenshot(path=path)
    context.close()


def _screenshot_camera(browser: Browser, site: Site, path: Path) -> None:
    context = browser.new_context(
        locale="en-GB", viewport={"width": 390, "height": 780}, permissions=["camera"], reduced_motion="reduce"
    )
    page = context.new_page()
    accepted = 0

    def answer(route: Route) -> None:
        """Forward the answers of the first frames only: the third accepted frame would take the photo."""
        nonlocal accepted
        response = route.fetch()
        accepted += response.json()["accepted"]
        if accepted < ACCEPTED_FRAMES_SHOWN + 1:
            route.fulfill(response=response)

    page.route("**/v1/validation", answer)
    page.goto(f"{site.url}/demo")
    page.get_by_role("button", name="Use the camera").click()
    page.locator("#outline.accepted polygon[points*=' ']").wait_for(timeout=TIMEOUT_MS)
    page.wait_for_timeout(ANIMATION_MS)
    page.screenshot(path=path)
    context.close()


def _save_jpeg(png: Path, jpeg: Path) -> None:
    """Save with the highest JPEG quality that fits into MAX_BYTES."""
    picture = Image.open(png).convert("RGB")
    for quality in _JPEG_QUALITIES:
        picture.save(jpeg, quality=quality, optimize=True, progressive=True)
        if jpeg.stat().st_size <= MAX_BYTES:
            return
    raise ValueError(f"{jpeg.name} does not fit into {MAX_BYTES:,} bytes")


if __name__ == "__main__":
    main()

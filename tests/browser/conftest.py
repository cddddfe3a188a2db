"""A real browser before the page at /demo, and the service behind it in this process."""

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from docextract.documents import document_types
from docextract.http.access import AccessControlMiddleware
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.keys import KeyRing
from docextract.registry import Version
from docextract.settings import Settings
from tests.browser import film
from tests.browser.plain_models import PlainModels
from training.synth import fonts

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
)  # fmt: skip
DESKTOP = {"width": 1280, "height": 860}
GENERIC_FAMILIES = {"sans-serif": "sans", "system-ui": "sans", "serif": "serif", "monospace": "mono"}
PATIENCE_MS = 15_000  # of the browser, for everything: these machines are shared


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a browser there is nothing to test."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="needs Chromium: apt-get install chromium"))


def fontconfig(folder: Path) -> Path:
    """A fontconfig file in the folder by which only the locked packages' typefaces exist, whatever is installed."""
    packaged = [one for one in fonts.listed() if fonts.packages()[one.package].source == "locked"]
    folders = {Path(fonts.family_of(typeface).regular).parent for typeface in packaged}
    lines = [f"<dir>{escape(str(each))}</dir>" for each in sorted(folders)]
    for generic, role in GENERIC_FAMILIES.items():
        name = next(typeface.name for typeface in packaged if typeface.role == role)
        lines.append(f"<alias><family>{generic}</family><prefer><family>{escape(name)}</family></prefer></alias>")
    path = folder / "fonts.conf"
    cache = f"<cachedir>{escape(str(folder / 'fontconfig-cache'))}</cachedir>"
    path.write_text("\n".join(("<fontconfig>", *lines, cache, "</fontconfig>")), encoding="utf-8")
    return path


@contextmanager
def launched(playwright: Playwright, film_file: Path) -> Iterator[Browser]:
    """Chromium, with a film for a camera, and the typefaces of the locked packages."""
    flags = [*FLAGS, f"--use-file-for-fake-video-capture={film_file}"]
    environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(fontconfig(film_file.parent))}
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags, env=environment)
    yield browser
    browser.close()


@pytest.fixture(scope="module")  # an open browser keeps an event loop running, which other tests must not meet
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One for all tests; each has a profile of its own."""
    film_file = tmp_path_factory.mktemp("film") / "receipt.mjpeg"
    film.shoot(film_file)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright, launched(playwright, film_file) as browser:
        yield browser


@dataclass
class Site:
    """A running service."""

    url: str
    models: Any
    server: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """As when somebody pulls the plug."""
        self.server.should_exit = True
        self.server.force_exit = True
        self.thread.join()


@contextmanager
def serving(models: Any, settings: Settings | None = None) -> Iterator[Site]:
    """The application and its edge, on a free port of this machine. models: with what they are in `served`."""
    settings = settings or Settings()
    app = create_app(models, settings, models.served)
    guarded = AccessControlMiddleware(app, KeyRing(settings.api_keys, settings.api_keys_file), settings)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        ErrorContractMiddleware(guarded, paths(app), settings.max_request_bytes), log_level="error", lifespan="off", timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    site = Site(f"http://127.0.0.1:{listener.getsockname()[1]}", models, server, thread)
    try:
        yield site
    finally:
        site.stop()
        listener.close()


def version(name: str) -> Version:
    types = tuple(document_types())
    return Version(
        name, "1.2.3", "plain", "none:None", "sha256:00", date(2026, 1, 31), Path(), {}, document_types=types
    )


@dataclass
class ServedPlainModels(PlainModels):
    """With a place in the ledger."""

    served: dict[str, Version] = field(default_factory=lambda: {n: version(n) for n in ("quality", "extraction")})


@pytest.fixture
def site() -> Iterator[Site]:
    """The service on plain models, for one test to spoil."""
    with serving(ServedPlainModels(), Settings(max_image_bytes=300_000, max_request_bytes=800_000)) as site:
        yield site


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open the page at /demo of a site, as this or that visitor.

    At the end: nothing was asked of anybody else, and the browser had nothing to complain about but what is allowed.
    """
    contexts, requests, complaints = [], [], []

    def open_page(
        site: Site, language: str = "en-GB", viewport: dict[str, int] | None = None, forgive: str = "\0", **visitor: Any
    ) -> Page:
        context = browser.new_context(
            locale=language, viewport=viewport or DESKTOP, permissions=["camera"], reduced_motion="reduce", **visitor
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("request", lambda request: requests.append((site.url, request.url)))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type in ("error", "warning") and forgive not in message.text
                else None
            ),
        )
        page.goto(f"{site.url}/demo")
        page.locator("body.ready").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    strangers = [asked for origin, asked in requests if not asked.startswith((origin, "blob:", "data:"))]
    assert strangers == []
    assert complaints == []

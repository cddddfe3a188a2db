"""Fixtures: Chromium, and the service behind /demo in this process."""

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
    "--use-fake-device-for-media-stream", "--host-resolver-rules=MAP rebound.example 127.0.0.1",
)  # fmt: skip
DESKTOP = {"width": 1280, "height": 860}
GENERIC_FAMILIES = {"sans-serif": "sans", "system-ui": "sans", "serif": "serif", "monospace": "mono"}
TIMEOUT_MS = 15_000  # for all browser actions: the machine may be busy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all browser tests, and skip them if there is no Chromium."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
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
def launch_chromium(playwright: Playwright, film_file: Path) -> Iterator[Browser]:
    """Launch Chromium with a film as its camera and the typefaces of the locked packages."""
    flags = [*FLAGS, f"--use-file-for-fake-video-capture={film_file}"]
    environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(fontconfig(film_file.parent))}
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags, env=environment)
    yield browser
    browser.close()


@pytest.fixture(scope="module")  # an open browser keeps an event loop running, which would disturb other tests
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for a module; each test has its own profile."""
    film_file = tmp_path_factory.mktemp("film") / "receipt.mjpeg"
    film.write_film(film_file)
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright, launch_chromium(playwright, film_file) as browser:
        yield browser


@dataclass
class Site:
    """A running service."""

    url: str
    models: Any
    server: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """Stop the service at once, without answering open requests."""
        self.server.should_exit = True
        self.server.force_exit = True
        self.thread.join()


@contextmanager
def serve(models: Any, settings: Settings | None = None) -> Iterator[Site]:
    """Serve the application with its middleware on a free port of this machine."""
    settings = settings or Settings()
    app = create_app(models, settings, models.served)
    guarded = AccessControlMiddleware(app, KeyRing(settings.api_keys, settings.api_keys_file), settings)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        ErrorContractMiddleware(guarded, paths(app), settings.max_request_bytes),
        log_level="error",
        lifespan="off",
        timeout_keep_alive=60,
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
    """A service on stub models, for one test."""
    with serve(ServedPlainModels(), Settings(max_image_bytes=300_000, max_request_bytes=800_000)) as site:
        yield site


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open /demo of a site as a visitor with the given browser options.

    At the end it checks that no other server was called and that the browser console has no unexpected error.
    """
    contexts, requests, console_errors = [], [], []

    def open_page(
        site: Site,
        language: str = "en-GB",
        viewport: dict[str, int] | None = None,
        ignored_error: str = "\0",
        **context_options: Any,
    ) -> Page:
        context = browser.new_context(
            locale=language,
            viewport=viewport or DESKTOP,
            permissions=["camera"],
            reduced_motion="reduce",
            **context_options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("request", lambda request: requests.append((site.url, request.url)))
        page.on("pageerror", lambda error: console_errors.append(str(error)))
        page.on(
            "console",
            lambda message: (
                console_errors.append(message.text)
                if message.type in ("error", "warning") and ignored_error not in message.text
                else None
            ),
        )
        page.goto(f"{site.url}/demo")
        page.locator("body.ready").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    external_requests = [asked for origin, asked in requests if not asked.startswith((origin, "blob:", "data:"))]
    assert external_requests == []
    assert console_errors == []

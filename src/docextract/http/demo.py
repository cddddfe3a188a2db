"""The demo page at /demo, see page_files. The messages of the quality check are added to its own."""

import json
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette

from docextract.http.page_files import PageFile, read_page_files, send_page_file
from docextract.quality import messages

DEMO_PATH = "/demo"


def add_routes(app: Starlette) -> None:
    """Add one route per file: the error contract needs every path by its full name."""
    for path, file in page_files().items():
        app.add_route(path, partial(send_page_file, file=file), methods=["GET", "HEAD"])


@cache
def page_files() -> Mapping[str, PageFile]:
    """Return all files of the page by URL path, read once."""
    return dict(read_page_files(files("docextract") / "demo", DEMO_PATH, _catalogue))


def _catalogue(language: str, entry: Traversable) -> bytes:
    """Return the messages of the page and of the quality check in one language, as JSON."""
    page_messages = tomllib.loads(entry.read_text(encoding="utf-8"))
    return json.dumps({**page_messages, "advice": dict(messages.catalogues()[language])}, ensure_ascii=False).encode()

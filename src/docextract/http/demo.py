"""The demo page at /demo: files of the package, with a policy that permits requests to this service only.

There is no build step and no framework: the browser gets the files of `docextract/demo`. Only the message catalogues
are converted, from TOML for people to JSON for browsers; the messages of the quality check are added to them.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from docextract.quality import messages

DEMO_PATH = "/demo"
_PAGE = "index.html"
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".jpg": "image/jpeg",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; "
    "img-src 'self' blob:"  # the chosen picture is shown from the browser's memory
)
_HEADERS = {
    # The browser revalidates each time and gets 304 for unchanged content, so file names need no version.
    "cache-control": "no-cache",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Asset:
    """One file of the page."""

    content: bytes
    media_type: str

    @property
    def etag(self) -> str:
        """The ETag header; it changes with the content."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:20]}"'


def add_routes(app: Starlette) -> None:
    """Add one route per file: the error contract needs every path by its full name."""
    for path, asset in assets().items():
        app.add_route(path, partial(_send, asset=asset), methods=["GET", "HEAD"])


@cache
def assets() -> Mapping[str, Asset]:
    """Return all files of the page by URL path, read once."""
    return dict(_walk(files("docextract") / "demo", DEMO_PATH))


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, Asset]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        stem, _, ending = entry.name.rpartition(".")
        if entry.is_dir():
            yield from _walk(entry, f"{path}/{entry.name}")
        elif entry.name == _PAGE:
            yield path, Asset(entry.read_bytes(), _MEDIA_TYPES[".html"])
        elif ending == "toml":
            yield f"{path}/{stem}.json", Asset(_catalogue(stem, entry), _MEDIA_TYPES[".json"])
        elif f".{ending}" in _MEDIA_TYPES:
            yield f"{path}/{entry.name}", Asset(entry.read_bytes(), _MEDIA_TYPES[f".{ending}"])


def _catalogue(language: str, entry: Traversable) -> bytes:
    """Return the messages of the page and of the quality check in one language, as JSON."""
    page_messages = tomllib.loads(entry.read_text(encoding="utf-8"))
    return json.dumps({**page_messages, "advice": dict(messages.catalogues()[language])}, ensure_ascii=False).encode()


async def _send(request: Request, asset: Asset) -> Response:
    headers = {**_HEADERS, "etag": asset.etag}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)

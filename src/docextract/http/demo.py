"""The page at /demo: files of the package, sent as they are, under a policy that lets them talk to this service alone.

No build step and no framework: what lies in `docextract/demo` is what the browser gets. Only the catalogues are turned
from TOML, which people write, into JSON, which browsers read; the advice of the quality check comes with them.
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

PATH = "/demo"
_PAGE = "index.html"
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".jpg": "image/jpeg",
}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",  # what was chosen is shown from the browser's own memory
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    # Asked for anew each time, and answered 304 while it is the same: no file's name need change with its content.
    "cache-control": "no-cache",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Asset:
    """One file as it is sent."""

    content: bytes
    media_type: str

    @property
    def etag(self) -> str:
        """Changes with the content."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:20]}"'


def add_to(app: Starlette) -> None:
    """A route for each file: the edge has to know every path by its name."""
    for path, asset in assets().items():
        app.add_route(path, partial(_send, asset=asset), methods=["GET", "HEAD"])


@cache
def assets() -> Mapping[str, Asset]:
    """By path: all files of the page, read once."""
    return dict(_walk(files("docextract") / "demo", PATH))


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
    """The page's words in one language, and the service's advice beside them."""
    words = tomllib.loads(entry.read_text(encoding="utf-8"))
    return json.dumps({**words, "advice": dict(messages.catalogues()[language])}, ensure_ascii=False).encode()


async def _send(request: Request, asset: Asset) -> Response:
    headers = {**_HEADERS, "etag": asset.etag}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)

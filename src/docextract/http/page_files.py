"""The files of a web page of this package, with a policy that permits requests to its own server only.

There is no build step and no framework: the browser gets the files of a folder. Only message catalogues are converted,
from TOML for people to JSON for browsers.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

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

# Converts the catalogue of a language: its name and its file, to JSON.
ConvertCatalogue = Callable[[str, Traversable], bytes]


@dataclass(frozen=True)
class PageFile:
    """One file of a page."""

    content: bytes
    media_type: str

    @property
    def etag(self) -> str:
        """The ETag header; it changes with the content."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:20]}"'


def read_page_files(folder: Traversable, path: str, convert: ConvertCatalogue) -> Iterator[tuple[str, PageFile]]:
    """Yield the files of a folder by URL path; index.html has the path of its folder."""
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        stem, _, ending = entry.name.rpartition(".")
        if entry.is_dir():
            yield from read_page_files(entry, f"{path}/{entry.name}", convert)
        elif entry.name == _PAGE:
            yield path, PageFile(entry.read_bytes(), _MEDIA_TYPES[".html"])
        elif ending == "toml":
            yield f"{path}/{stem}.json", PageFile(convert(stem, entry), _MEDIA_TYPES[".json"])
        elif f".{ending}" in _MEDIA_TYPES:
            yield f"{path}/{entry.name}", PageFile(entry.read_bytes(), _MEDIA_TYPES[f".{ending}"])


async def send_page_file(request: Request, file: PageFile) -> Response:
    """Answer a request for a file."""
    headers = {**_HEADERS, "etag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)

"""Names of files as text, and digests of files."""

import hashlib
from functools import lru_cache
from pathlib import Path


def printable_name(name: str) -> str:
    """Return a file's name as valid text: bytes that are not UTF-8 become escape sequences."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def escape_surrogates(text: str) -> str:
    r"""Return text that can be encoded: lone surrogates, as in a name that is not UTF-8, become "\udcfc" as in JSON."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file as it is now, hexadecimal. Raises OSError if it cannot be read."""
    found = path.stat()
    return _digest(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1024)
def _digest(path: Path, changed_ns: int, size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

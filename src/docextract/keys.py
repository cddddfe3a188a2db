"""API keys: generation, storage as digests, and lookup.

Only digests are stored. A key is 256 random bits that we generate, so one round of SHA-256 is enough to hide it: slow
password hashes protect against guessing, which is hopeless here, and they would delay every request.

A key is one line of TOML, in a file of its own, in the settings file or in the environment:

    phone-app = "sha256:6b86…"
    scanner = { digest = "sha256:d473…", rate_limit = "600/minute" }
"""

import hashlib
import hmac
import logging
import os
import re
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import limits

log = logging.getLogger("docextract.keys")

_PREFIX = "docextract_"  # lets secret scanners recognise a key that was committed or posted by accident
_KEY_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # a bare key of TOML, without quotes
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class ApiKey:
    """The stored form of one caller's key."""

    name: str
    digest: str  # "sha256:" and 64 hexadecimal digits
    rate_limit: limits.RateLimitItem | None = None  # None: the limit from the settings applies


def generate_key() -> str:
    """Return a new random key."""
    return _PREFIX + secrets.token_urlsafe(_KEY_BYTES)


def key_digest(key: str) -> str:
    """Return the digest that is stored instead of the key: "sha256:" and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()


def key_line(name: str, key: str) -> str:
    """Return the line of TOML that registers a key. Raises ValueError for an invalid name."""
    _check_name(name)
    return f'{name} = "{key_digest(key)}"'


def find_key(presented: str, keys: Iterable[ApiKey]) -> ApiKey | None:
    """Return the stored key that matches, or None.

    Every key is compared, each in constant time, so that the response time reveals nothing.
    """
    presented_digest = key_digest(presented)
    match = None
    for key in keys:
        if hmac.compare_digest(presented_digest, key.digest):
            match = key
    return match


def parse_keys(value: Any) -> tuple[ApiKey, ...]:
    """Parse keys from lines of TOML, or from the table that they make. Raises ValueError.

    No error message repeats the input: it may contain a key where its digest belongs.
    """
    if isinstance(value, str):
        try:
            value = tomllib.loads(value)
        except tomllib.TOMLDecodeError:
            raise ValueError('keys must be lines of TOML such as `name = "sha256:…"`; these cannot be parsed') from None
    if isinstance(value, tuple) and all(isinstance(key, ApiKey) for key in value):
        return value
    if not isinstance(value, Mapping):
        raise ValueError('keys must be a table of names and digests: name = "sha256:…"')
    return tuple(_parse_entry(name, entry) for name, entry in value.items())


def _parse_entry(name: str, entry: Any) -> ApiKey:
    _check_name(name)
    if isinstance(entry, str):
        entry = {"digest": entry}
    if not isinstance(entry, Mapping) or not entry.keys() <= {"digest", "rate_limit"}:
        raise ValueError(f"the key {name} must have a `digest`, may have a `rate_limit`, and nothing else")
    if not _DIGEST.fullmatch(str(entry.get("digest"))):
        raise ValueError(f"the digest of the key {name} is not `sha256:` and 64 digits; see `docextract keys new`")
    rate = entry.get("rate_limit")
    return ApiKey(name, entry["digest"], None if rate is None else parse_rate_limit(rate))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError("a key name must have 1 to 64 characters: letters a to z, digits, - and _")


def parse_rate_limit(value: Any) -> limits.RateLimitItem:
    """Parse a rate limit such as "60/minute" or "5 per 2 seconds". Raises ValueError."""
    if isinstance(value, limits.RateLimitItem):
        return value
    try:
        return limits.parse(value)
    except (ValueError, TypeError):
        raise ValueError('a rate limit is written as "60/minute" or "5 per 2 seconds"') from None


class KeyRing:
    """The keys in force: those of the settings, and those of a file that is read again whenever it changes.

    Removing its line revokes a key. A file that is unreadable or invalid is an error at the start. Later, the log
    reports the error; then no key is added, and the previous keys stay in force whose digests the file still contains:
    a misspelt line must not lock every caller out, and must not keep a revoked key valid.
    """

    def __init__(self, fixed: Iterable[ApiKey], file: Path | None) -> None:
        """fixed: keys from the settings. Raises ValueError or OSError that names the file."""
        self._fixed = tuple(fixed)
        self._file = file
        self._file_state = self._stat_file()
        self._file_keys = self._parse_file()
        self._keys = self._merge(self._file_keys)

    def keys(self) -> tuple[ApiKey, ...]:
        """Return the keys that are in force now."""
        state = self._stat_file()
        if state != self._file_state:
            self._file_state = state
            self._reload_file()
        return self._keys

    def _reload_file(self) -> None:
        try:
            self._file_keys = self._parse_file()
        except (OSError, ValueError) as error:
            text = self._read_text()
            self._file_keys = tuple(key for key in self._file_keys if key.digest in text)
            log.error("keys not added, of the previous ones %d stay in force reason=%s", len(self._file_keys), error)
        else:
            log.info("keys reloaded count=%d", len(self._file_keys))
        self._keys = self._merge(self._file_keys)

    def _merge(self, from_file: Iterable[ApiKey]) -> tuple[ApiKey, ...]:
        """Merge by name; the file takes precedence over the settings."""
        return tuple({key.name: key for key in (*self._fixed, *from_file)}.values())

    def _parse_file(self) -> tuple[ApiKey, ...]:
        if self._file is None:
            return ()
        try:
            return parse_keys(self._file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{self._file}: {error}") from None

    def _read_text(self) -> str:
        """Return the text of the file, valid or not; "" if it cannot be read."""
        try:
            return self._file.read_text(encoding="utf-8", errors="replace") if self._file else ""
        except OSError:
            return ""

    def _stat_file(self) -> tuple[int, ...] | None:
        """Return values that change with the file; costs a microsecond."""
        if self._file is None:
            return None
        try:
            status = os.stat(self._file)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

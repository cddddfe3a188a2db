"""API keys: how one is made, what is kept of it, and how it is known again.

Only digests are kept. A key is 256 random bits of our own making, so one round of SHA-256 hides it: guessing, which
slow password hashes are made against, is hopeless here, and every request would pay for the slowness.

A key stands on a line of TOML, in a file of its own, in the settings' file or in the environment:

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

_PREFIX = "docextract_"  # so that a key which strays into a repository or a chat is known for what it is
_KEY_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what TOML takes without quotes
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Key:
    """One caller's key, as far as we know it."""

    name: str
    digest: str  # "sha256:" and 64 hexadecimal digits
    rate_limit: limits.RateLimitItem | None = None  # where it is not the usual one


def new_key() -> str:
    """A key nobody has ever seen."""
    return _PREFIX + secrets.token_urlsafe(_KEY_BYTES)


def digest(key: str) -> str:
    """What is kept of a key."""
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()


def line(name: str, key: str) -> str:
    """What makes a key known to the service. Raises ValueError for a name that is none."""
    _check_name(name)
    return f'{name} = "{digest(key)}"'


def known(given: str, keys: Iterable[Key]) -> Key | None:
    """Whose key this is. Every key is compared, and to its end: how long it takes tells nothing."""
    asked = digest(given)
    found = None
    for key in keys:
        if hmac.compare_digest(asked, key.digest):
            found = key
    return found


def parse(given: Any) -> tuple[Key, ...]:
    """Keys from lines of TOML, or from the table that they make. Raises ValueError.

    No message repeats what was given: somebody may have put a key where its digest belongs.
    """
    if isinstance(given, str):
        try:
            given = tomllib.loads(given)
        except tomllib.TOMLDecodeError:
            raise ValueError('keys are lines of TOML such as `name = "sha256:…"`; these are not') from None
    if isinstance(given, tuple) and all(isinstance(one, Key) for one in given):
        return given
    if not isinstance(given, Mapping):
        raise ValueError('keys are a table of names and digests: name = "sha256:…"')
    return tuple(_key(name, entry) for name, entry in given.items())


def _key(name: str, entry: Any) -> Key:
    _check_name(name)
    if isinstance(entry, str):
        entry = {"digest": entry}
    if not isinstance(entry, Mapping) or not entry.keys() <= {"digest", "rate_limit"}:
        raise ValueError(f"the key {name} has a `digest`, and may have a `rate_limit`, and nothing else")
    if not _DIGEST.fullmatch(str(entry.get("digest"))):
        raise ValueError(f"the digest of the key {name} is not `sha256:` and 64 digits; see `docextract keys new`")
    rate = entry.get("rate_limit")
    return Key(name, entry["digest"], None if rate is None else rate_limit(rate))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError("a key's name has up to 64 letters of a to z, digits, - and _")


def rate_limit(given: Any) -> limits.RateLimitItem:
    """A limit as it is written: "60/minute", "5 per 2 seconds". Raises ValueError."""
    if isinstance(given, limits.RateLimitItem):
        return given
    try:
        return limits.parse(given)
    except (ValueError, TypeError):
        raise ValueError('a rate limit is written as "60/minute" or "5 per 2 seconds"') from None


class KeyRing:
    """The keys in force: those of the settings, and those of a file, which is read again whenever it has changed.

    So a key is revoked by taking its line out. A file that cannot be read, or makes no sense, is an error at the start;
    later what was known before goes on, and the log says so: half a file should not shut everybody out.
    """

    def __init__(self, fixed: Iterable[Key], file: Path | None) -> None:
        """Raises ValueError or OSError that names the file."""
        self._fixed = tuple(fixed)
        self._file = file
        self._seen = self._state()
        self._keys = self._together(self._read())

    def keys(self) -> tuple[Key, ...]:
        """As of now."""
        state = self._state()
        if state != self._seen:
            self._seen = state
            try:
                self._keys = self._together(self._read())
            except (OSError, ValueError) as error:
                log.error("keys not read again, the former ones stay in force reason=%s", error)
            else:
                log.info("keys read again count=%d", len(self._keys))
        return self._keys

    def _together(self, read: Iterable[Key]) -> tuple[Key, ...]:
        """By name; of two with the same name the file's counts."""
        return tuple({key.name: key for key in (*self._fixed, *read)}.values())

    def _read(self) -> tuple[Key, ...]:
        if self._file is None:
            return ()
        try:
            return parse(self._file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{self._file}: {error}") from None

    def _state(self) -> tuple[int, ...] | None:
        """Changes with the file; asking costs a microsecond."""
        if self._file is None:
            return None
        try:
            found = os.stat(self._file)
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

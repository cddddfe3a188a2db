"""Who may come in: callers with a key, or, where there are no keys, those on this very machine.

It stands right inside the edge, before BentoML: whoever is turned away takes no place in the queue, and nothing of
what he sends is read.
"""

import ipaddress
import math
import re
import time
from collections.abc import Sequence

from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from docextract import keys
from docextract.http import demo
from docextract.keys import KeyRing
from docextract.pipeline.problems import ProblemError
from docextract.settings import Settings

# Whether the service lives, and what it looks like: no caller's data, and nothing that is not public anyway.
_OPEN = frozenset({"/livez", "/readyz", "/healthz", "/", "/docs", "/openapi.json"})
_METRICS = "/metrics"
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)

_NOT_FROM_THERE = (
    "This service has no API keys, so it answers callers on its own machine alone. Whoever runs it makes a key with "
    "`docextract keys new`, or sets DOCEXTRACT_OPEN_TO_ALL=true; docs/deployment.md says more."
)
_NO_KEY = "Send your key as `Authorization: Bearer …` or as `X-API-Key`."
_UNKNOWN_KEY = "This key is not known here. It may have been revoked."


class AccessControlMiddleware:
    """Lets a request in or raises ProblemError, which the edge puts into words."""

    def __init__(self, app: ASGIApp, ring: KeyRing, settings: Settings) -> None:
        """Wrap `app`."""
        self._app = app
        self._ring = ring
        self._open = _OPEN | demo.assets().keys() | ({_METRICS} if settings.open_metrics else set())
        self._needs_key = settings.needs_key
        self._open_to_all = settings.open_to_all
        self._rate_limit = settings.rate_limit
        # In this process alone: of several in front, each counts what reaches it.
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and scope["path"] not in self._open:
            await self._admit(scope)
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> None:
        rate = self._rate_limit
        if self._needs_key:
            key = self._key(Headers(scope=scope))
            caller, rate = key.name, key.rate_limit or rate
        else:
            caller = _peer(scope)
            if not (self._open_to_all or _is_this_machine(caller)):
                raise ProblemError("forbidden", _NOT_FROM_THERE)
        if rate is not None and not await self._limiter.hit(rate, caller):
            free_at_s, _ = await self._limiter.get_window_stats(rate, caller)
            wait_s = max(1, math.ceil(free_at_s - time.time()))
            detail = f"At most {rate.amount} requests are answered in {rate.get_expiry()} s."
            raise ProblemError("rate_limited", detail, headers={"retry-after": str(wait_s)})

    def _key(self, headers: Headers) -> keys.ApiKey:
        bearer = _BEARER.fullmatch(headers.get("authorization", ""))
        given = bearer[1] if bearer else headers.get("x-api-key", "")
        if not given:
            raise ProblemError("unauthorized", _NO_KEY, headers={"www-authenticate": "Bearer"})
        key = keys.find_key(given, self._ring.keys())
        if key is None:
            raise ProblemError(
                "unauthorized", _UNKNOWN_KEY, headers={"www-authenticate": 'Bearer error="invalid_token"'}
            )
        return key


def _peer(scope: Scope) -> str:
    """The caller's address; behind a proxy on this machine the one it names in X-Forwarded-For, see uvicorn."""
    host, _ = scope.get("client") or ("", 0)
    return str(host)


def _is_this_machine(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def cross_origin(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """Let pages of these origins ask from a browser; of none, unless some are named.

    Outside everything else: a page could not read a refusal that does not name its origin.
    """
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "X-API-Key", "Content-Type", "X-Request-ID", "traceparent"],
        expose_headers=["X-Request-ID", "Retry-After", "Server-Timing", "Content-Language"],
    )

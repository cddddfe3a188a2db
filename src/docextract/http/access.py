"""Access control: callers need an API key or, if no keys are configured, must call from this machine.

It stands directly inside the error contract and outside BentoML: a refused request takes no place in the queue, and
its body is not read.

Without keys, a web page in a browser on this machine is a caller on this machine, too. So requests must name a local
host, which a page of another host cannot do even if its name resolves to this machine (DNS rebinding), and must not be
sent by another site.
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

# Health and description of the service: no data of callers, and nothing that is not public anyway.
_OPEN_PATHS = frozenset({"/livez", "/readyz", "/healthz", "/", "/docs", "/openapi.json"})
_METRICS = "/metrics"
_CALLER = "caller"  # in the state of the request
_PORT = re.compile(r":[0-9]*$")
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)

_REMOTE_DISABLED = (
    "This service has no API keys and therefore answers only callers on its own machine. Create a key with "
    "`docextract keys new`, or set DOCEXTRACT_OPEN_TO_ALL=true. See docs/deployment.md."
)
_UNKNOWN_HOST = (
    "This service has no API keys and therefore answers only requests for localhost. Name other hosts in "
    "DOCEXTRACT_ALLOWED_HOSTS. See docs/deployment.md."
)
_CROSS_SITE = (
    "This service has no API keys and therefore answers no web pages of other sites. Name their origins in "
    "DOCEXTRACT_ALLOWED_ORIGINS. See docs/deployment.md."
)
_MISSING_KEY = "Send your key as `Authorization: Bearer …` or as `X-API-Key`."
_UNKNOWN_KEY = "The API key is unknown. It may have been revoked."


class AccessControlMiddleware:
    """Admits a request, or raises a ProblemError that ErrorContractMiddleware turns into the response."""

    def __init__(self, app: ASGIApp, ring: KeyRing, settings: Settings) -> None:
        """Wrap `app`."""
        self._app = app
        self._ring = ring
        self._open_paths = _OPEN_PATHS | demo.assets().keys() | ({_METRICS} if settings.open_metrics else set())
        self._needs_key = settings.needs_key
        self._open_to_all = settings.open_to_all
        self._allowed_hosts = settings.allowed_hosts
        self._allowed_origins = settings.allowed_origins
        self._rate_limit = settings.rate_limit
        # Counts in this process only: with several front processes, each counts the requests that it receives.
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and scope["path"] not in self._open_paths:
            await self._admit(scope)
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> None:
        rate = self._rate_limit
        if self._needs_key:
            key = self._authenticate(Headers(scope=scope))
            caller, rate = key.name, key.rate_limit or rate
        else:
            caller = _client_address(scope)
            if not (self._open_to_all or _is_loopback(caller)):
                raise ProblemError("forbidden", _REMOTE_DISABLED)
            self._require_safe_browser(Headers(scope=scope))
        scope["state"] = {**scope.get("state", {}), _CALLER: caller}
        if rate is not None and not await self._limiter.hit(rate, caller):
            free_at_s, _ = await self._limiter.get_window_stats(rate, caller)
            wait_s = max(1, math.ceil(free_at_s - time.time()))
            detail = f"The limit is {rate.amount} requests in {rate.get_expiry()} s."
            raise ProblemError("rate_limited", detail, headers={"retry-after": str(wait_s)})

    def _require_safe_browser(self, headers: Headers) -> None:
        """Raise ProblemError if a web page of another host or site may have sent the request."""
        host = _host_name(headers.get("host", ""))
        any_host = self._open_to_all and not self._allowed_hosts
        if not (any_host or host in self._allowed_hosts or _is_local_host(host)):
            raise ProblemError("forbidden", _UNKNOWN_HOST)
        is_allowed = "*" in self._allowed_origins or headers.get("origin") in self._allowed_origins
        if headers.get("sec-fetch-site") == "cross-site" and not is_allowed:
            raise ProblemError("forbidden", _CROSS_SITE)

    def _authenticate(self, headers: Headers) -> keys.ApiKey:
        bearer = _BEARER.fullmatch(headers.get("authorization", ""))
        presented = bearer[1] if bearer else headers.get("x-api-key", "")
        if not presented:
            raise ProblemError("unauthorized", _MISSING_KEY, headers={"www-authenticate": "Bearer"})
        key = keys.find_key(presented, self._ring.keys())
        if key is None:
            raise ProblemError(
                "unauthorized", _UNKNOWN_KEY, headers={"www-authenticate": 'Bearer error="invalid_token"'}
            )
        return key


def get_caller(scope: Scope) -> str:
    """Return who sent an admitted request: the name of its key, else its address."""
    return str(scope.get("state", {}).get(_CALLER) or _client_address(scope))


def _client_address(scope: Scope) -> str:
    """Return the caller's address; behind a proxy on this machine, uvicorn takes it from X-Forwarded-For."""
    host, _ = scope.get("client") or ("", 0)
    return str(host)


def _is_loopback(address: str) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(ip, "ipv4_mapped", None) or ip).is_loopback


def _host_name(host: str) -> str:
    """Return the name in a Host header, without its port and, of an IPv6 address, without the brackets."""
    name = _PORT.sub("", host.strip().lower())
    return name[1:-1] if name.startswith("[") else name


def _is_local_host(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost") or _is_loopback(name)


def with_cors(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """Allow web pages of these origins to call the service from a browser; without origins, return `app` unchanged.

    This is the outermost middleware: a page could not read an error response that does not name its origin.
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

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
from dataclasses import dataclass
from functools import partial
from typing import Any

from limits import RateLimitItem
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docextract import keys
from docextract.http import demo
from docextract.http.request_record import current_record
from docextract.keys import KeyRing
from docextract.pipeline.problems import ProblemError
from docextract.settings import Settings

# Health and description of the service: no data of callers, and nothing that is not public anyway.
_OPEN_PATHS = frozenset({"/livez", "/readyz", "/healthz", "/", "/docs", "/openapi.json"})
_METRICS = "/metrics"
_CALLER, _BUDGET = "caller", "budget"  # in the state of the request
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
        self._open_paths = _OPEN_PATHS | demo.page_files().keys() | ({_METRICS} if settings.open_metrics else set())
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
            budget = await self._admit(scope)
            if budget is not None:
                send = budget.announcing(send)
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> "_Budget | None":
        """Return what is left of the caller's rate limit, if it has one."""
        rate = self._rate_limit
        if self._needs_key:
            key = self._authenticate(Headers(scope=scope))
            caller, rate = key.name, key.rate_limit or rate
            current_record().add_key(key.name)
        else:
            caller = _client_address(scope)
            if not (self._open_to_all or _is_loopback(caller)):
                raise ProblemError("forbidden", _REMOTE_DISABLED)
            self._require_safe_browser(Headers(scope=scope))
        budget = _Budget(self._limiter, rate, caller) if rate is not None else None
        scope["state"] = {**scope.get("state", {}), _CALLER: caller, _BUDGET: budget}
        if budget is not None and not await budget.spend():
            detail = f"The limit is {budget.rate.amount} pages in {budget.rate.get_expiry()} s."
            headers = await budget.headers()
            raise ProblemError("rate_limited", detail, headers={"retry-after": str(await budget.wait_s()), **headers})
        return budget

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


@dataclass(frozen=True)
class _Budget:
    """The rate limit of one caller. A request costs one, and one more for each page after the first."""

    limiter: MovingWindowRateLimiter
    rate: RateLimitItem
    caller: str

    async def spend(self) -> bool:
        """Take one from what is left; False if nothing is."""
        return bool(await self.limiter.hit(self.rate, self.caller))

    async def wait_s(self) -> int:
        """Return the seconds until something is left again, at least 1."""
        free_at_s, _ = await self.limiter.get_window_stats(self.rate, self.caller)
        return max(1, math.ceil(free_at_s - time.time()))

    async def headers(self) -> dict[str, str]:
        """Return the headers of draft-ietf-httpapi-ratelimit-headers: the limit, and what is left of it."""
        free_at_s, left = await self.limiter.get_window_stats(self.rate, self.caller)
        return {
            "ratelimit-policy": f'"pages";q={self.rate.amount};w={self.rate.get_expiry()}',
            "ratelimit": f'"pages";r={left};t={max(0, math.ceil(free_at_s - time.time()))}',
        }

    def announcing(self, send: Send) -> Send:
        """Return `send` with these headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(await self.headers())
            await send(message)

        return send_with_headers


async def charge_pages(scope: Scope, pages: int) -> None:
    """Count the pages of an admitted request against the rate limit of its caller: the first one has been counted.

    The request is answered in any case; the next one is refused if too little is left.
    """
    budget: _Budget | None = scope.get("state", {}).get(_BUDGET)
    for _ in range(pages - 1):
        if budget is None or not await budget.spend():
            return


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


class _CORSMiddleware(CORSMiddleware):
    """Leaves a preflight request that is not allowed to the application, which refuses it with a problem."""

    def preflight_response(self, request_headers: Headers) -> Any:
        """Return the response as an ASGI application. Browsers permit nothing after one that is not 200."""
        response = super().preflight_response(request_headers)
        if response.status_code == 200:
            return response
        return partial(self.simple_response, request_headers=request_headers)


def with_cors(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """Allow web pages of these origins to call the service from a browser; without origins, return `app` unchanged.

    This is the outermost middleware: a page could not read an error response that does not name its origin.
    """
    if not origins:
        return app
    return _CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "X-API-Key", "Content-Type", "X-Request-ID", "traceparent"],
        expose_headers=[
            "X-Request-ID",
            "Retry-After",
            "RateLimit",
            "RateLimit-Policy",
            "Server-Timing",
            "Content-Language",
        ],
    )

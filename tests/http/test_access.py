"""Access control and the headers of every answer, with the HTTP application in this process."""

import asyncio
import logging
import re

import httpx
import pytest
from starlette.testclient import TestClient

from docextract.client import AsyncClient, ProblemError
from docextract.http.access import AccessControlMiddleware, with_cors
from docextract.http.access_log import AccessLogMiddleware
from docextract.http.app import create_app, paths
from docextract.http.error_contract import SYSTEM_PATHS, ErrorContractMiddleware
from docextract.keys import KeyRing, generate_key, key_digest, key_line
from docextract.settings import Settings
from tests.http.conftest import jpeg, version
from tests.images.text_pdfs import text_pdf, words

PHONE, SCANNER = generate_key(), generate_key()
KEYS = {"phone": key_digest(PHONE), "scanner": {"digest": key_digest(SCANNER), "rate_limit": "3/minute"}}
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"
ORIGIN = "https://app.example.org"
PUBLIC = ("/livez", "/readyz", "/healthz", "/", "/docs", "/openapi.json", "/demo", "/demo/main.js")
PRIVATE = ("/v1/models", "/v1/limits", "/v1/document-types", "/v1/document-types/receipt", "/metrics")
OPERATIONS = ("/validation", "/extraction", "/v1/validation", "/v1/extraction")


@pytest.fixture
def client_at(models):
    """Return a function that creates a client with this address, of a service with these settings."""

    def client(address=HERE, **settings):
        settings = Settings(**settings)
        served = {name: version(name) for name in ("quality", "extraction")}
        app = create_app(models, settings, served)

        async def with_system_paths(scope, receive, send):
            """Answer the paths that BentoML answers."""
            if scope.get("path") in SYSTEM_PATHS:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b""})
            else:
                await app(scope, receive, send)

        ring = KeyRing(settings.api_keys, settings.api_keys_file)
        edge = ErrorContractMiddleware(
            AccessControlMiddleware(with_system_paths, ring, settings), paths(app), settings.max_request_bytes
        )
        return TestClient(
            with_cors(edge, settings.allowed_origins), "http://localhost", raise_server_exceptions=False,
            client=(address, 50_000),
        )  # fmt: skip

    return client


def ask(client, path="/v1/limits", **headers):
    return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


# --- without keys -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_without_keys_local_callers_are_answered(client_at, address):
    """A newcomer needs no key."""
    assert ask(client_at(address)).status_code == 200


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.3", "::ffff:10.0.0.3", "2001:db8::1", "testclient", ""])
@pytest.mark.parametrize("path", PRIVATE)
def test_without_keys_remote_callers_are_refused(client_at, address, path):
    """Whatever interface the service listens on, and also without a valid address; the answer says what to do."""
    response = ask(client_at(address), path)

    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert "docextract keys new" in response.json()["detail"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "[::1]:3000", "docextract.localhost:80"]
)
def test_without_keys_local_hosts_are_answered(client_at, host):
    assert ask(client_at(), host=host).status_code == 200


@pytest.mark.parametrize(
    "host", ["rebind.example.org", "rebind.example.org:3000", "localhost.example.org", "10.0.0.3", ""]
)
@pytest.mark.parametrize("path", PRIVATE)
def test_without_keys_other_hosts_are_refused(client_at, host, path):
    """A web page whose name resolves to this machine for its second request reads nothing (DNS rebinding)."""
    response = ask(client_at(), path, host=host)

    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert "DOCEXTRACT_ALLOWED_HOSTS" in response.json()["detail"]


def test_allowed_hosts_are_answered(client_at):
    assert ask(client_at(allowed_hosts="scanner.example.org"), host="Scanner.example.org:3000").status_code == 200


def test_open_to_all_answers_every_host_unless_hosts_are_named(client_at):
    assert ask(client_at(ELSEWHERE, open_to_all=True), host="any.example.org").status_code == 200
    named = client_at(ELSEWHERE, open_to_all=True, allowed_hosts="scanner.example.org")
    assert ask(named, host="any.example.org").status_code == 403


@pytest.mark.parametrize("path", OPERATIONS)
def test_without_keys_requests_of_other_sites_are_refused(client_at, path):
    """A form on a web page could otherwise post its visitor's files, or its own, to a service on the same machine."""
    client = client_at()
    headers = {"sec-fetch-site": "cross-site", "origin": "https://evil.example.org"}

    response = client.post(path, content=jpeg(), headers={"content-type": "image/jpeg", **headers})

    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert client.post(path, content=jpeg(), headers={"content-type": "image/jpeg"}).status_code == 200


@pytest.mark.parametrize("site", ["same-origin", "same-site", "none"])
def test_requests_of_the_same_site_are_answered(client_at, site):
    assert ask(client_at(), sec_fetch_site=site).status_code == 200


def test_allowed_origins_may_be_other_sites(client_at):
    client = client_at(allowed_origins=ORIGIN)
    assert ask(client, sec_fetch_site="cross-site", origin=ORIGIN).status_code == 200
    assert ask(client, sec_fetch_site="cross-site", origin="https://evil.example.org").status_code == 403


def test_open_to_all_answers_remote_callers_without_keys(client_at):
    """In a container, every caller is remote."""
    assert ask(client_at(ELSEWHERE, open_to_all=True)).status_code == 200


# --- with keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PRIVATE)
def test_with_keys_a_request_without_a_key_is_refused(client_at, path):
    """Even from this machine, because callers behind a proxy come from here. The answer says how to send a key."""
    response = ask(client_at(HERE, api_keys=KEYS, open_to_all=True), path)

    assert (response.status_code, response.json()["code"]) == (401, "unauthorized")
    assert response.headers["www-authenticate"] == "Bearer"
    assert "X-API-Key" in response.json()["detail"]


@pytest.mark.parametrize("path", OPERATIONS)
def test_no_image_is_processed_without_a_key(client_at, models, path):
    """Both operations, with and without the prefix /v1."""
    response = client_at(api_keys=KEYS).post(path, content=jpeg(), headers={"content-type": "image/jpeg"})

    assert response.status_code == 401
    assert models.tasks == []


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": f"Bearer {PHONE}"},
        {"authorization": f"bearer  {PHONE}"},
        {"x_api_key": PHONE},
        {"authorization": "Basic dTpw", "x_api_key": PHONE},
    ],
    ids=["bearer", "any case", "x-api-key", "with a proxy's password"],
)
def test_key_is_accepted_in_both_headers(client_at, headers):
    """From any address."""
    assert ask(client_at(ELSEWHERE, api_keys=KEYS), **headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": f"Bearer {PHONE}x"},
        {"authorization": f"Bearer {key_digest(PHONE)}"},
        {"authorization": PHONE},
        {"authorization": f"Bearer {PHONE} {PHONE}"},
        {"authorization": "Bearer"},
        {"x_api_key": PHONE[:-1]},
        {"x_api_key": PHONE.upper()},
        {"x_api_key": ""},
        {"cookie": f"x-api-key={PHONE}"},
    ],
)
def test_anything_else_is_not_a_key(client_at, headers):
    """Not a similar text, not the digest, not the key in another header."""
    assert ask(client_at(HERE, api_keys=KEYS), **headers).status_code == 401


def test_key_in_the_query_is_not_accepted(client_at):
    """URLs are written to logs."""
    client = client_at(HERE, api_keys=KEYS)

    assert client.get("/v1/limits", params={"api_key": PHONE, "x-api-key": PHONE}).status_code == 401


def test_unknown_key_is_reported_and_not_repeated(client_at, caplog):
    """RFC 6750 defines the error `invalid_token`."""
    wrong = generate_key()
    with caplog.at_level("DEBUG"):
        response = ask(client_at(HERE, api_keys=KEYS), authorization=f"Bearer {wrong}")

    assert response.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert wrong not in response.text + caplog.text


def test_revoked_key_is_refused_at_the_next_request(client_at, tmp_path):
    """The file is reloaded when it changes; with an empty file, every caller is refused, even on this machine."""
    file = tmp_path / "keys.toml"
    file.write_text(f"{key_line('phone', PHONE)}\n{key_line('scanner', SCANNER)}\n")
    client = client_at(HERE, api_keys_file=file)
    before = [ask(client, x_api_key=key).status_code for key in (PHONE, SCANNER)]

    file.write_text(key_line("phone", PHONE))
    after = [ask(client, x_api_key=key).status_code for key in (PHONE, SCANNER)]
    file.write_text("")
    at_last = [ask(client, x_api_key=PHONE).status_code, ask(client).status_code]

    assert (before, after, at_last) == ([200, 200], [200, 401], [401, 401])


def limits_by_our_client(service, api_key, times=1):
    """Call /v1/limits with our client."""

    async def go():
        transport = httpx.ASGITransport(service.app)
        async with AsyncClient("http://localhost", api_key=api_key, transport=transport) as client:
            return [await client.limits() for _ in range(times)]

    return asyncio.run(go())


def test_python_client_sends_its_key(client_at):
    """Without a key, it raises the problem."""
    service = client_at(api_keys=KEYS)

    assert limits_by_our_client(service, PHONE)[0].max_images
    with pytest.raises(ProblemError) as refusal:
        limits_by_our_client(service, None)
    assert refusal.value.code == "unauthorized"


# --- open paths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"api_keys": KEYS}], ids=["no keys", "keys"])
@pytest.mark.parametrize("path", PUBLIC)
def test_health_and_description_need_no_key(client_at, path, settings):
    """Monitoring and browsers have no key; these paths contain no data of callers."""
    assert ask(client_at(ELSEWHERE, **settings), path).status_code == 200


def test_every_other_path_needs_a_key(client_at):
    """A route that is added later needs a key, too, unless it is opened."""
    client = client_at(ELSEWHERE, api_keys=KEYS)
    known = client.app._paths
    opened = {path for path in known if client.get(path).status_code != 401}

    assert opened == {path for path in known if path in PUBLIC or path.startswith("/demo/")}
    assert len(known - opened) >= 9


def test_metrics_can_be_opened(client_at):
    """For a Prometheus without a key; other paths stay closed."""
    client = client_at(ELSEWHERE, api_keys=KEYS, open_metrics=True)

    assert [ask(client, path).status_code for path in ("/metrics", "/v1/models")] == [200, 401]


# --- rate limits ------------------------------------------------------------------------------------------------------


def test_each_key_has_its_own_rate_limit(client_at):
    """The refusal says how long to wait; other callers are not affected."""
    client = client_at(HERE, api_keys=KEYS, rate_limit="5/minute")

    scanner = [ask(client, x_api_key=SCANNER) for _ in range(4)]
    phone = [ask(client, x_api_key=PHONE) for _ in range(6)]

    assert [response.status_code for response in scanner] == [200] * 3 + [429]
    assert [response.status_code for response in phone] == [200] * 5 + [429]
    assert scanner[-1].json()["code"] == "rate_limited"
    assert 50 <= int(scanner[-1].headers["retry-after"]) <= 60


def test_pages_count_against_the_rate_limit(client_at):
    """A file of three pages costs three, and every answer says what is left."""
    client = client_at(HERE, api_keys=KEYS, rate_limit="5/minute")
    headers = {"x-api-key": PHONE, "content-type": "application/pdf"}

    first = client.post("/validation", content=text_pdf(*[words("Total 9.00", 60, 700)] * 3), headers=headers)
    others = [ask(client, x_api_key=PHONE) for _ in range(3)]

    assert first.status_code == 200, first.text
    assert first.headers["ratelimit-policy"] == '"pages";q=5;w=60'
    assert first.headers["ratelimit"].startswith('"pages";r=2;t=')
    assert [response.status_code for response in others] == [200, 200, 429]
    assert others[-1].headers["ratelimit"].startswith('"pages";r=0;t=')


def test_callers_without_a_limit_get_no_headers_of_it(client_at):
    """There is nothing to tell."""
    assert "ratelimit" not in ask(client_at(HERE)).headers


def test_waiting_for_retry_after_is_enough(client_at):
    """Our client retries automatically and succeeds."""
    assert len(limits_by_our_client(client_at(api_keys=KEYS, rate_limit="2/second"), PHONE, times=4)) == 4


def test_open_paths_are_not_rate_limited(client_at):
    """An orchestrator requests them every second."""
    client = client_at(HERE, api_keys=KEYS, rate_limit="1/hour")

    assert {ask(client, path, x_api_key=PHONE).status_code for path in PUBLIC * 2} == {200}
    assert ask(client, x_api_key=PHONE).status_code == 200


def test_without_keys_the_rate_limit_is_per_address(client_at):
    """The limit also applies without keys."""
    client = client_at(ELSEWHERE, open_to_all=True, rate_limit="1/minute")

    assert [ask(client).status_code for _ in range(2)] == [200, 429]


# --- browsers ---------------------------------------------------------------------------------------------------------

PREFLIGHT = {"origin": ORIGIN, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}


def test_other_origins_are_refused_unless_configured(client_at):
    """Neither a preflight nor an answer permits them."""
    client = client_at(HERE)

    answers = [client.options("/v1/extraction", headers=PREFLIGHT), ask(client, origin=ORIGIN)]

    assert answers[0].status_code == 405
    assert not any(name.startswith("access-control") for answer in answers for name in answer.headers)


@pytest.mark.parametrize(
    "refused",
    [
        {"origin": "https://evil.example.org"},
        {"access-control-request-method": "DELETE"},
        {"access-control-request-headers": "x-other"},
    ],
)
def test_a_preflight_that_is_not_allowed_gets_a_problem(client_at, refused):
    """As from a service that allows no origin."""
    response = client_at(allowed_origins=ORIGIN).options("/v1/extraction", headers=PREFLIGHT | refused)

    assert response.status_code == response.json()["status"] == 405
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-request-id"] == response.json()["request_id"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers.get("access-control-allow-origin") == (None if "origin" in refused else ORIGIN)


def test_configured_origin_may_call_and_read_errors(client_at):
    """The preflight needs no key, because browsers do not send one with it; the page can read a 401."""
    client = client_at(ELSEWHERE, api_keys=KEYS, allowed_origins=ORIGIN)

    preflight = client.options("/v1/extraction", headers=PREFLIGHT)
    refused, good = ask(client, origin=ORIGIN), ask(client, origin=ORIGIN, x_api_key=PHONE)

    assert (preflight.status_code, refused.status_code, good.status_code) == (200, 401, 200)
    assert {answer.headers["access-control-allow-origin"] for answer in (preflight, refused, good)} == {ORIGIN}
    assert "X-API-Key" in preflight.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in preflight.headers
    stranger = client.options("/v1/extraction", headers=PREFLIGHT | {"origin": "https://evil.example"})
    assert stranger.status_code == 401
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize("path", [*PUBLIC, *PRIVATE, "/nothing"])
def test_every_answer_has_the_security_headers(client_at, path):
    """No media type guessing, no frames, no resources except those of a page's own policy, no referrer."""
    headers = ask(client_at(HERE), path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(headers["content-security-policy"].split("; "))


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_api_page_loads_nothing(client_at, path):
    """It contains nothing that a browser would load, from this server or another."""
    page = ask(client_at(HERE), path).text

    assert not re.search(r"<(script|link|img|iframe|object|embed|form|base|meta http)|\bsrc=|url\(|@import", page)
    assert set(re.findall(r'href="([^"]*)"', page)) == {"/openapi.json"}


# --- OpenAPI ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("settings", "without"), [({}, True), ({"api_keys": KEYS}, False)], ids=["no keys", "keys"])
def test_openapi_document_describes_the_key_headers(client_at, settings, without):
    """Both headers; requests without a key are described only if no key is needed."""
    described = ask(client_at(HERE, **settings), "/openapi.json").json()

    schemes = described["components"]["securitySchemes"]
    assert (schemes["bearer"]["scheme"], schemes["key"]["name"]) == ("bearer", "X-API-Key")
    assert ({} in described["security"]) == without
    assert {"bearer": []} in described["security"]
    operations = [one for methods in described["paths"].values() for one in methods.values()]
    assert all({"401", "403", "429"} <= one["responses"].keys() for one in operations)


def test_the_log_names_the_key_of_a_request(client_at, caplog):
    """So that an operator knows whose key to limit; the key itself is nowhere."""
    caplog.set_level(logging.INFO, logger="docextract.access")
    logged = TestClient(AccessLogMiddleware(client_at(HERE, api_keys=KEYS).app, {}), "http://localhost")

    logged.get("/v1/limits", headers={"x-api-key": PHONE})

    (line,) = caplog.records
    assert line.key == "phone"
    assert PHONE not in str(vars(line))

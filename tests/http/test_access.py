"""Who is let in, and what everybody is told: the edge and the access behind it, in this process."""

import asyncio
import re

import httpx
import pytest
from starlette.testclient import TestClient

from docextract.client import AsyncClient, ProblemError
from docextract.http.access import AccessControlMiddleware, with_cors
from docextract.http.app import create_app, paths
from docextract.http.error_contract import SYSTEM_PATHS, ErrorContractMiddleware
from docextract.keys import KeyRing, generate_key, key_digest, key_line
from docextract.settings import Settings
from tests.http.conftest import jpeg, version

PHONE, SCANNER = generate_key(), generate_key()
KEYS = {"phone": key_digest(PHONE), "scanner": {"digest": key_digest(SCANNER), "rate_limit": "3/minute"}}
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.7"
ORIGIN = "https://app.example.org"
PUBLIC = ("/livez", "/readyz", "/healthz", "/", "/docs", "/openapi.json", "/demo", "/demo/main.js")
PRIVATE = ("/v1/models", "/v1/limits", "/v1/document-types", "/v1/document-types/receipt", "/metrics")
OPERATIONS = ("/validation", "/extraction", "/v1/validation", "/v1/extraction")


@pytest.fixture
def let_in(models):
    """A client of a service that is set like this, asking from this address."""

    def client(address=HERE, **settings):
        settings = Settings(**settings)
        served = {name: version(name) for name in ("quality", "extraction")}
        app = create_app(models, settings, served)

        async def with_system_paths(scope, receive, send):
            """BentoML answers these."""
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
            with_cors(edge, settings.allowed_origins), raise_server_exceptions=False, client=(address, 50_000)
        )

    return client


def ask(client, path="/v1/limits", **headers):
    return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


# --- without keys -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_without_keys_this_machine_is_answered(let_in, address):
    """The first minute needs no ceremony."""
    assert ask(let_in(address)).status_code == 200


@pytest.mark.parametrize("address", ["192.0.2.7", "10.0.0.3", "::ffff:10.0.0.3", "2001:db8::1", "testclient", ""])
@pytest.mark.parametrize("path", PRIVATE)
def test_without_keys_nobody_else_is(let_in, address, path):
    """However the service was made to listen, and whatever calls itself by no address; they are told why."""
    response = ask(let_in(address), path)

    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert "docextract keys new" in response.json()["detail"]


def test_without_keys_all_are_answered_only_where_that_was_said(let_in):
    """In a container every caller comes from elsewhere."""
    assert ask(let_in(ELSEWHERE, open_to_all=True)).status_code == 200


# --- with keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PRIVATE)
def test_with_keys_nothing_is_answered_without_one(let_in, path):
    """Not even to this machine: a proxy's callers come from here. 401 says how to send it."""
    response = ask(let_in(HERE, api_keys=KEYS, open_to_all=True), path)

    assert (response.status_code, response.json()["code"]) == (401, "unauthorized")
    assert response.headers["www-authenticate"] == "Bearer"
    assert "X-API-Key" in response.json()["detail"]


@pytest.mark.parametrize("path", OPERATIONS)
def test_no_picture_is_looked_at_without_a_key(let_in, models, path):
    """Neither operation, under neither of its names."""
    response = let_in(api_keys=KEYS).post(path, content=jpeg(), headers={"content-type": "image/jpeg"})

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
    ids=["bearer", "any case", "x-api-key", "beside a proxy's password"],
)
def test_a_key_may_come_in_either_header(let_in, headers):
    """From anywhere."""
    assert ask(let_in(ELSEWHERE, api_keys=KEYS), **headers).status_code == 200


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
def test_nothing_else_is_a_key(let_in, headers):
    """Not nearly, not its digest, not in another place."""
    assert ask(let_in(HERE, api_keys=KEYS), **headers).status_code == 401


def test_a_key_in_the_address_is_no_key(let_in):
    """Addresses are written into logs."""
    client = let_in(HERE, api_keys=KEYS)

    assert client.get("/v1/limits", params={"api_key": PHONE, "x-api-key": PHONE}).status_code == 401


def test_a_wrong_key_is_told_from_none_and_repeated_nowhere(let_in, caplog):
    """RFC 6750 has a word for it."""
    wrong = generate_key()
    with caplog.at_level("DEBUG"):
        response = ask(let_in(HERE, api_keys=KEYS), authorization=f"Bearer {wrong}")

    assert response.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert wrong not in response.text + caplog.text


def test_a_revoked_key_is_refused_with_the_next_request(let_in, tmp_path):
    """The file is read again when it changes; when it is empty, nobody is let in, not even this machine."""
    file = tmp_path / "keys.toml"
    file.write_text(f"{key_line('phone', PHONE)}\n{key_line('scanner', SCANNER)}\n")
    client = let_in(HERE, api_keys_file=file)
    before = [ask(client, x_api_key=key).status_code for key in (PHONE, SCANNER)]

    file.write_text(key_line("phone", PHONE))
    after = [ask(client, x_api_key=key).status_code for key in (PHONE, SCANNER)]
    file.write_text("")
    at_last = [ask(client, x_api_key=PHONE).status_code, ask(client).status_code]

    assert (before, after, at_last) == ([200, 200], [200, 401], [401, 401])


def limits_by_our_client(service, api_key, times=1):
    """Asked as our own client asks."""

    async def go():
        transport = httpx.ASGITransport(service.app)
        async with AsyncClient("http://testserver", api_key=api_key, transport=transport) as client:
            return [await client.limits() for _ in range(times)]

    return asyncio.run(go())


def test_our_client_sends_its_key(let_in):
    """And says what is wrong without one."""
    service = let_in(api_keys=KEYS)

    assert limits_by_our_client(service, PHONE)[0].max_images
    with pytest.raises(ProblemError) as refusal:
        limits_by_our_client(service, None)
    assert refusal.value.code == "unauthorized"


# --- what is open -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"api_keys": KEYS}], ids=["no keys", "keys"])
@pytest.mark.parametrize("path", PUBLIC)
def test_health_and_description_need_no_key(let_in, path, settings):
    """Whoever watches the service, and whoever opens a page, has none yet; there is nothing of anybody's in them."""
    assert ask(let_in(ELSEWHERE, **settings), path).status_code == 200


def test_everything_else_needs_one(let_in):
    """A route that is added later is shut until somebody opens it."""
    client = let_in(ELSEWHERE, api_keys=KEYS)
    known = client.app._paths
    opened = {path for path in known if client.get(path).status_code != 401}

    assert opened == {path for path in known if path in PUBLIC or path.startswith("/demo/")}
    assert len(known - opened) >= 9


def test_metrics_may_be_opened(let_in):
    """For a Prometheus that has no key; nothing else opens with them."""
    client = let_in(ELSEWHERE, api_keys=KEYS, open_metrics=True)

    assert [ask(client, path).status_code for path in ("/metrics", "/v1/models")] == [200, 401]


# --- rates ------------------------------------------------------------------------------------------------------------


def test_each_key_has_a_rate_of_its_own(let_in):
    """One who asks too often is told for how long to wait; nobody else notices."""
    client = let_in(HERE, api_keys=KEYS, rate_limit="5/minute")

    scanner = [ask(client, x_api_key=SCANNER) for _ in range(4)]
    phone = [ask(client, x_api_key=PHONE) for _ in range(6)]

    assert [response.status_code for response in scanner] == [200] * 3 + [429]
    assert [response.status_code for response in phone] == [200] * 5 + [429]
    assert scanner[-1].json()["code"] == "rate_limited"
    assert 50 <= int(scanner[-1].headers["retry-after"]) <= 60


def test_waiting_as_long_as_was_said_helps(let_in):
    """Our client asks again by itself, and gets through."""
    assert len(limits_by_our_client(let_in(api_keys=KEYS, rate_limit="2/second"), PHONE, times=4)) == 4


def test_watching_and_pages_are_not_counted(let_in):
    """An orchestrator asks every second."""
    client = let_in(HERE, api_keys=KEYS, rate_limit="1/hour")

    assert {ask(client, path, x_api_key=PHONE).status_code for path in PUBLIC * 2} == {200}
    assert ask(client, x_api_key=PHONE).status_code == 200


def test_without_keys_a_rate_is_that_of_an_address(let_in):
    """A limit that was set is in force."""
    client = let_in(ELSEWHERE, open_to_all=True, rate_limit="1/minute")

    assert [ask(client).status_code for _ in range(2)] == [200, 429]


# --- browsers ---------------------------------------------------------------------------------------------------------

PREFLIGHT = {"origin": ORIGIN, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}


def test_no_other_site_may_ask_unless_it_is_named(let_in):
    """Neither by a preflight nor by an answer."""
    client = let_in(HERE)

    answers = [client.options("/v1/extraction", headers=PREFLIGHT), ask(client, origin=ORIGIN)]

    assert answers[0].status_code == 405
    assert not any(name.startswith("access-control") for answer in answers for name in answer.headers)


def test_a_named_site_may_ask_and_read_refusals_too(let_in):
    """The preflight needs no key, which browsers do not send with it; a 401 can be read by the page."""
    client = let_in(ELSEWHERE, api_keys=KEYS, allowed_origins=ORIGIN)

    preflight = client.options("/v1/extraction", headers=PREFLIGHT)
    refused, good = ask(client, origin=ORIGIN), ask(client, origin=ORIGIN, x_api_key=PHONE)

    assert (preflight.status_code, refused.status_code, good.status_code) == (200, 401, 200)
    assert {answer.headers["access-control-allow-origin"] for answer in (preflight, refused, good)} == {ORIGIN}
    assert "X-API-Key" in preflight.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in preflight.headers
    stranger = client.options("/v1/extraction", headers=PREFLIGHT | {"origin": "https://evil.example"})
    assert stranger.status_code == 400
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize("path", [*PUBLIC, *PRIVATE, "/nothing"])
def test_every_answer_is_told_to_stay_what_and_where_it_is(let_in, path):
    """No guessing of kinds, no frames, nothing loaded but what a page says itself, no address passed on."""
    headers = ask(let_in(HERE), path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(headers["content-security-policy"].split("; "))


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_the_page_of_the_interface_asks_nobody(let_in, path):
    """Neither its own nor another server: there is nothing in it that a browser would load."""
    page = ask(let_in(HERE), path).text

    assert not re.search(r"<(script|link|img|iframe|object|embed|form|base|meta http)|\bsrc=|url\(|@import", page)
    assert set(re.findall(r'href="([^"]*)"', page)) == {"/openapi.json"}


# --- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("settings", "without"), [({}, True), ({"api_keys": KEYS}, False)], ids=["no keys", "keys"])
def test_the_openapi_document_says_how_a_key_is_sent(let_in, settings, without):
    """Both headers; asking without is an option only where it is."""
    described = ask(let_in(HERE, **settings), "/openapi.json").json()

    schemes = described["components"]["securitySchemes"]
    assert (schemes["bearer"]["scheme"], schemes["key"]["name"]) == ("bearer", "X-API-Key")
    assert ({} in described["security"]) == without
    assert {"bearer": []} in described["security"]
    operations = [one for methods in described["paths"].values() for one in methods.values()]
    assert all({"401", "403", "429"} <= one["responses"].keys() for one in operations)

"""Pages of other sites in a browser on the machine of a service without keys."""

from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import ServedPlainModels, serve


@pytest.fixture
def site():
    with serve(ServedPlainModels()) as running:
        yield running


@pytest.fixture
def page(browser):
    context = browser.new_context(bypass_csp=True)  # an attacker serves a page of their own
    yield context.new_page()
    context.close()


def test_a_name_that_is_bound_to_this_machine_reads_nothing(site, page):
    """DNS rebinding: the browser takes the service for the attacker's own site, so that its page may read answers."""
    rebound = f"http://rebound.example:{urlsplit(site.url).port}"
    page.goto(f"{rebound}/docs")

    statuses = page.evaluate(
        """async () => {
            const read = async (path, options) => (await fetch(path, options)).status;
            const photo = { method: "POST", headers: { "content-type": "image/jpeg" }, body: "x" };
            return [await read("/v1/limits"), await read("/metrics"), await read("/validation", photo)];
        }"""
    )

    assert statuses == [403, 403, 403]
    assert page.goto(f"{site.url}/v1/limits").status == 200


def test_a_form_of_another_site_is_not_processed(site, page):
    """A browser sends it without asking; the service sees where it comes from."""
    page.set_content(
        f"<form action='{site.url}/extraction' method=post enctype=multipart/form-data>"
        "<input name=external_id value=x><button>Send</button></form>"
    )

    with page.expect_response("**/extraction") as answered:
        page.get_by_role("button").click()

    assert answered.value.status == 403
    assert site.models.tasks == []

"""Tests of the page of `docextract review` in a real browser, with stub models that answer at once."""

import json
import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from docextract.predictions import TextLine
from docextract.review.folder import ReviewedFolder
from docextract.review.proposals import Proposals
from docextract.review.server import create_review_app
from docextract.serving import local
from docextract.settings import Settings
from tests.browser.conftest import TIMEOUT_MS
from tests.browser.test_demo import assert_accessible, assert_no_horizontal_scrolling
from tests.cli.conftest import serve_asgi
from tests.http.conftest import jpeg
from tests.review.conftest import TOKEN, ReviewModels

LINES = (
    ("CORNER BAKERY", 0.2, 0.08),
    ("1 High Street", 0.2, 0.15),
    ("Invoice A1 25/12/2018", 0.1, 0.25),
    ("TOTAL 9.00", 0.1, 0.62),
)


class ModelsWithLines(ReviewModels):
    """The stub models, with lines of text on each page."""

    async def extract(self, tasks):
        found = await super().extract(tasks)
        return [replace(page, lines=tuple(_lines(task.page))) for page, task in zip(found, tasks, strict=True)]


def _lines(page):
    height, width = page.shape[:2]
    for text, left, top in LINES:
        right, bottom = left + 0.03 * len(text), top + 0.03
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        yield TextLine(text, (corners * [width, height]).astype(np.float32), 0.95)


@pytest.fixture
def photos(tmp_path):
    (tmp_path / "a.jpg").write_bytes(jpeg(230))
    (tmp_path / "b.jpg").write_bytes(jpeg(220))
    return tmp_path


@contextmanager
def review(photos, models):
    """Serve the review of a folder; yields the address with the token."""
    folder = ReviewedFolder(photos)
    try:
        with local.client(models, Settings()) as client:
            proposals = Proposals(folder, client, models, Settings())
            proposals.answer_all(threading.Event())
            with serve_asgi(create_review_app(folder, proposals, TOKEN)) as address:
                yield f"{address}/?token={TOKEN}"
    finally:
        folder.close()


@pytest.fixture
def models():
    return ModelsWithLines()


@pytest.fixture
def address(photos, models):
    with review(photos, models) as address:
        yield address


@pytest.fixture
def visit(browser):
    """Open the review in a browser of its own; at the end no other server was asked, and the console is empty."""
    contexts, requests, errors = [], [], []

    def open_page(address, language="en-GB", ignored_error="\0", **options):
        context = browser.new_context(**{"locale": language, "viewport": {"width": 1280, "height": 860}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("request", lambda one: requests.append((address, one.url)))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda one: (
                errors.append(one.text) if one.type in ("error", "warning") and ignored_error not in one.text else None
            ),
        )
        page.goto(address)
        page.locator("body.ready").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for address, url in requests if not url.startswith(address.partition("/?")[0])] == []
    assert errors == []


def value(page, path):
    return page.locator(f'[data-path="{path}"]')


def labels(photos):
    file = photos / "labels.jsonl"
    return {row["image"]: row for row in map(json.loads, file.read_text("utf-8").splitlines())} if file.exists() else {}


def wait_for_review(page, done):
    expect(page.locator("#progress-text")).to_contain_text(f"{done} of")


# --- the way through a folder ----------------------------------------------------------------------------------------


def test_a_folder_is_reviewed_by_keyboard_alone(photos, address, visit):
    """The doubtful values come first; Enter accepts one, Ctrl+Enter the document. Eleven keys for two documents."""
    page = visit(address)
    first = page.locator("#name").inner_text()
    expect(value(page, "line_items.1.description")).to_be_focused()  # the least certain value: R0LL

    page.keyboard.type("ROLL")
    page.keyboard.press("Enter")
    expect(value(page, "line_items.1.amount")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#confirm")).to_be_focused()
    page.keyboard.press("Enter")

    wait_for_review(page, 1)
    expect(page.locator("#name")).not_to_have_text(first)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#finished")).to_be_visible()
    assert labels(photos)[first]["fields"]["line_items"][1]["description"] == "ROLL"
    assert set(labels(photos)) == {"a.jpg", "b.jpg"}


def test_the_review_goes_on_where_it_was_left(photos, models, visit):
    """A draft is kept without a click; the next run opens the folder with it."""
    with review(photos, models) as address:
        page = visit(address)
        name = page.locator("#name").inner_text()
        with page.expect_response(lambda one: one.request.method == "PUT"):
            value(page, "merchant_name").fill("BAKERY")
            page.keyboard.press("Tab")
        page.close()  # before the server: a picture may still be loading

    with review(photos, models) as address:
        page = visit(address)
        page.get_by_role("button", name="Documents").click()
        page.locator("#document-list").get_by_text(name).click()
        expect(value(page, "merchant_name")).to_have_value("BAKERY")
        page.close()
    assert labels(photos) == {}
    assert len(models.tasks) == 2  # one for each document, in the first run


def test_two_reviewers_do_not_overwrite_each_other(address, visit):
    """The second one is told, and gets what the first one has saved."""
    first, second = visit(address), visit(address, ignored_error="409")
    value(second, "merchant_name").wait_for()
    with first.expect_response(lambda one: one.request.method == "PUT"):
        value(first, "merchant_name").fill("FIRST")
        first.keyboard.press("Tab")

    value(second, "merchant_name").fill("SECOND")
    second.keyboard.press("Tab")
    expect(second.get_by_role("alert")).to_contain_text("Somebody else")
    second.get_by_role("button", name="Load it again").click()

    expect(value(second, "merchant_name")).to_have_value("FIRST")


def test_changes_that_could_not_be_saved_are_saved_later(photos, models, visit):
    """The document stays on the page until they are, and "Try again" saves them."""
    with review(photos, models) as address:
        page = visit(address, ignored_error="ERR_FAILED")
        name = page.locator("#name").inner_text()
        page.route(
            "**/documents/*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_()
        )
        value(page, "merchant_name").fill("BAKERY")
        page.keyboard.press("Tab")
        expect(page.get_by_role("alert")).to_contain_text("does not answer")
        page.get_by_role("button", name="Later").click()
        expect(page.get_by_role("alert")).to_contain_text("does not answer")
        expect(page.locator("#name")).to_have_text(name)

        page.unroute("**/documents/*")
        page.get_by_role("button", name="Try again").click()

        expect(page.get_by_role("alert")).to_have_count(0)
        page.get_by_role("button", name="Later").click()
        expect(page.locator("#name")).not_to_have_text(name)
        page.get_by_role("button", name="Previous").click()
        expect(value(page, "merchant_name")).to_have_value("BAKERY")
        page.close()


def test_previous_waits_for_a_text_that_is_being_checked(address, visit):
    """One click directly after typing leads back, and the document that is left has the checked text."""
    page = visit(address)
    first = page.locator("#name").inner_text()
    page.get_by_role("button", name="Later").click()
    expect(page.locator("#name")).not_to_have_text(first)
    held = []
    page.route("**/values", lambda route: held.append(route))
    value(page, "total").fill("9,50")
    page.get_by_role("button", name="Previous").click()
    page.wait_for_timeout(1000)  # longer than until a draft is saved
    held[0].continue_()

    expect(page.locator("#name")).to_have_text(first)
    page.get_by_role("button", name="Later").click()
    expect(value(page, "total")).to_have_value("9.50")


# --- values ----------------------------------------------------------------------------------------------------------


def test_typed_values_become_labels(photos, address, visit):
    """A printed date becomes ISO 8601, an emptied field is absent, and the field of what is no value is shown."""
    page = visit(address, ignored_error="422")
    name = page.locator("#name").inner_text()
    value(page, "document_date").fill("26 Dec 2018")
    value(page, "merchant_address").fill("")
    value(page, "total").fill("nine")
    page.keyboard.press("Tab")
    expect(value(page, "document_date")).to_have_value("2018-12-26")

    page.locator("#confirm").click()

    expect(value(page, "total")).to_be_focused()
    expect(value(page, "total")).to_have_attribute("aria-invalid", "")
    assert labels(photos) == {}
    page.keyboard.type("9,50")
    page.keyboard.press("Control+Enter")
    wait_for_review(page, 1)
    fields = labels(photos)[name]["fields"]
    assert (fields["document_date"], fields["merchant_address"], fields["total"]) == ("2018-12-26", None, "9.50")


def test_a_text_that_could_not_be_checked_is_shown(photos, address, visit):
    """Its field is marked; "Try again" checks it, and the document can be confirmed."""
    page = visit(address, ignored_error="ERR_FAILED")
    name = page.locator("#name").inner_text()
    page.route("**/values", lambda route: route.abort())
    page.route("**/documents/*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    with page.expect_event("requestfailed", lambda one: one.method == "PUT"):
        value(page, "total").fill("9,50")
        page.keyboard.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    expect(value(page, "total")).to_have_attribute("aria-invalid", "")

    page.unroute("**/values")
    page.unroute("**/documents/*")
    page.get_by_role("button", name="Try again").click()
    expect(value(page, "total")).to_have_value("9.50")
    page.locator("#confirm").click()

    wait_for_review(page, 1)
    assert labels(photos)[name]["fields"]["total"] == "9.50"


def test_what_cannot_be_told_has_no_label(photos, address, visit):
    """Alt+U in its field; the field is then left out, neither given nor absent."""
    page = visit(address)
    name = page.locator("#name").inner_text()

    value(page, "total").press("Alt+u")
    page.keyboard.press("Control+Enter")

    wait_for_review(page, 1)
    assert "total" not in labels(photos)[name]["fields"]


def test_print_in_a_drawn_box_is_read(photos, models, address, visit):
    """It becomes the value of the field that was focused last, with its place."""
    page = visit(address)
    name = page.locator("#name").inner_text()
    value(page, "merchant_name").focus()
    picture = page.get_by_role("group", name="Page 1 with the place of each value").bounding_box()

    page.mouse.move(picture["x"] + 0.3 * picture["width"], picture["y"] + 0.3 * picture["height"])
    page.mouse.down()
    page.mouse.move(picture["x"] + 0.6 * picture["width"], picture["y"] + 0.4 * picture["height"], steps=4)
    page.mouse.up()

    expect(value(page, "merchant_name")).to_have_value("CORNER BAKERY LTD")
    assert len(models.boxes) == 1
    page.locator("#confirm").click()
    wait_for_review(page, 1)
    assert len(labels(photos)[name]["places"]["merchant_name"]) == 1


def test_words_are_chosen_by_mouse_and_by_keyboard(address, visit):
    """A click takes a word; F2, arrow keys with Shift and Enter take several, without a mouse."""
    page = visit(address)
    value(page, "document_number").focus()
    page.get_by_role("option", name="A1", exact=True).click()
    expect(value(page, "document_number")).to_have_value("A1")

    value(page, "merchant_name").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")

    expect(value(page, "merchant_name")).to_have_value("CORNER BAKERY")
    expect(value(page, "merchant_name")).to_be_focused()


def test_choosing_words_can_be_left(address, visit):
    """Escape goes back to the field, which keeps its value."""
    page = visit(address)
    value(page, "total").focus()

    page.keyboard.press("F2")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")

    expect(value(page, "total")).to_be_focused()
    expect(value(page, "total")).to_have_value("9.00")


# --- rows ------------------------------------------------------------------------------------------------------------


def test_rows_are_added_joined_and_removed_and_all_of_it_undone(address, visit):
    """By keys in a row; each step can be undone."""
    page = visit(address)
    descriptions = page.locator('[data-path^="line_items"][data-path$="description"]')
    value(page, "line_items.0.description").focus()

    page.keyboard.press("Alt+j")
    expect(value(page, "line_items.0.description")).to_have_value("WALNUT BREAD R0LL")
    expect(value(page, "line_items.0.amount")).to_have_value("6.50")
    page.keyboard.press("Alt+Enter")
    expect(value(page, "line_items.1.description")).to_be_focused()
    page.keyboard.press("Alt+Delete")
    expect(descriptions).to_have_count(1)

    for _ in range(3):
        page.keyboard.press("Control+z")
    expect(descriptions).to_have_count(2)
    expect(value(page, "line_items.0.description")).to_have_value("WALNUT BREAD")


def test_a_table_can_be_left_out(photos, address, visit):
    """It has no labels then: its rows are unknown."""
    page = visit(address)
    name = page.locator("#name").inner_text()

    left_out = page.locator("section.list").first.get_by_label("Leave this table out")
    left_out.press("Space")
    expect(left_out).to_be_focused()
    page.locator("#confirm").click()

    wait_for_review(page, 1)
    lists = [key for key, one in labels(photos)[name]["fields"].items() if isinstance(one, list)]
    assert len(lists) == 2


# --- types -----------------------------------------------------------------------------------------------------------


def test_the_type_can_be_changed_and_changed_back(address, visit):
    """The document is read as the other type; undo brings the old values back."""
    page = visit(address)

    page.locator("#kind").select_option("passport")
    expect(value(page, "family_name")).to_have_value("Eriksson")
    page.get_by_role("button", name="Undo").click()

    expect(value(page, "merchant_name")).to_have_value("CORNER BAKERY")


def test_a_new_type_and_its_fields_are_named_on_the_spot(photos, address, visit):
    """Its description stands next to the labels, where training finds it."""
    page = visit(address)
    name = page.locator("#name").inner_text()
    page.locator("#kind").select_option("+")
    page.get_by_label("Name", exact=True).fill("ticket")
    page.get_by_label("Field 1").fill("price")
    page.get_by_label("Kind of value 1").select_option("currency")
    page.get_by_label("required 1").check()
    page.get_by_label("Field 2").fill("stops.name")
    assert_accessible(page)
    page.get_by_role("button", name="Create").click()

    value(page, "price").fill("3.20")
    page.keyboard.press("Control+Enter")

    wait_for_review(page, 1)
    row = labels(photos)[name]
    assert (row["type"], row["fields"]) == ("ticket", {"price": "3.20", "stops": []})
    assert (photos / "types" / "ticket.toml").is_file()


def test_an_impossible_type_is_explained(address, visit):
    """The dialog stays open with the reason."""
    page = visit(address, ignored_error="422")
    page.locator("#kind").select_option("+")
    page.get_by_label("Name", exact=True).fill("receipt")
    page.get_by_label("Field 1").fill("price")
    page.get_by_role("button", name="Create").click()

    expect(page.locator("#type-problem")).to_have_text("there is a type receipt already")


# --- for everybody ---------------------------------------------------------------------------------------------------


def test_the_page_is_accessible(address, visit):
    """The document, the list and the keys; on a narrow window nothing is cut off."""
    page = visit(address)
    assert_accessible(page)
    page.get_by_role("button", name="Documents").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 700, "height": 900})
    assert_no_horizontal_scrolling(page)


@pytest.mark.parametrize(
    ("language", "button"),
    [
        ("de", "Alles richtig"),
        ("es", "Todo es correcto"),
        ("fr", "Tout est juste"),
        ("it", "È tutto giusto"),
        ("pt", "Está tudo certo"),
    ],
)
def test_the_page_speaks_the_readers_language(address, visit, language, button):
    """Texts of the page and names of fields."""
    page = visit(address, language=language)

    expect(page.get_by_role("button", name=button)).to_be_visible()
    assert page.locator("html").get_attribute("lang") == language


def test_a_document_of_no_type_says_what_to_do(models, photos, visit):
    """Its type can be chosen; as it is it has no values."""
    models.reads = "other"
    with review(photos, models) as address:
        page = visit(address)

        expect(page.locator("#form")).to_contain_text("Choose its type")
        page.locator("#kind").select_option("receipt")
        expect(value(page, "total")).to_have_value("9.00")
        page.close()

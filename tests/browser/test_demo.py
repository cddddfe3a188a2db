"""The page at /demo in a real browser, on models that answer at once."""

import contextlib
import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image, ImageDraw
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect

from docextract import keys
from docextract.pipeline.models import OverloadedError
from docextract.quality.messages import catalogues
from docextract.settings import Settings
from tests.browser.conftest import ServedPlainModels, serving

ROOT = Path(__file__).parents[2]
RECEIPT = ROOT / "docs" / "images" / "receipt.jpg"
PHONE = {"width": 360, "height": 740}
BROKEN = {"name": "broken.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"}


def upload(page, *files):
    """Choose files as with the system's dialog, and wait for the answer."""
    page.set_input_files("#files", list(files))
    page.locator("article.document").first.wait_for()


def field(page, name):
    return page.locator("button.row, div.row").filter(has=page.get_by_text(name, exact=True))


def assert_accessible(page):
    """axe-core finds nothing that would shut anybody out."""
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def assert_fits(page):
    """Nothing has to be scrolled sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- in and out ------------------------------------------------------------------------------------------------------


def test_a_photo_that_is_chosen_is_read(site, visit):
    """Its values, how sure they are in a word, what does not add up, what is not there."""
    page = visit(site)

    upload(page, RECEIPT)

    expect(field(page, "Merchant")).to_contain_text("CORNER BAKERY")
    expect(field(page, "Merchant")).to_contain_text("certain, 99%")
    expect(field(page, "Date")).to_contain_text("25 December 2018")
    expect(field(page, "Date")).to_contain_text("printed: 25/12/2018")
    expect(field(page, "Total")).to_contain_text(re.compile(r"MYR\s9\.00"))
    expect(field(page, "Receipt number")).to_contain_text("check")
    expect(page.get_by_role("table", name="Items").get_by_role("row")).to_have_count(3)
    expect(page.locator(".checks li.broken")).to_contain_text("The items add up to the total")
    expect(page.locator(".missing")).to_contain_text("Subtotal")
    expect(page.get_by_role("status").first).to_have_text("Receipt: 12 values read, 3 to check.")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert_accessible(page)


def test_pointing_at_a_value_shows_its_place_and_the_other_way_round(site, visit):
    """With the pointer; and what is marked is shown enlarged."""
    page = visit(site)
    upload(page, RECEIPT)
    row = field(page, "Merchant")
    place = page.locator(f'.place-on-photo[data-place="{row.get_attribute("data-place")}"]')
    lens = page.locator(".lens")

    row.hover()
    expect(place).to_have_class(re.compile("marked"))
    expect(lens).to_have_class(re.compile("filled"))

    page.get_by_role("heading", level=1).hover()
    expect(place).not_to_have_class(re.compile("marked"))
    expect(lens).not_to_have_class(re.compile("filled"))

    place.hover()
    expect(row).to_have_class(re.compile("marked"))


def test_a_place_lies_where_the_value_stands(site, visit):
    """The drawing over the photo has the photo's own proportions, on a desktop and on a phone."""
    for viewport in (None, PHONE):
        page = visit(site, viewport=viewport)
        upload(page, RECEIPT)
        photo = page.locator("svg.picture image").bounding_box()
        place = page.locator(".place-on-photo").first.bounding_box()

        width, height = Image.open(RECEIPT).size
        assert photo["width"] / photo["height"] == pytest.approx(width / height, rel=0.02)
        assert photo["x"] < place["x"] < place["x"] + place["width"] < photo["x"] + photo["width"] + 1
        assert photo["y"] < place["y"] < photo["y"] + photo["height"]


def test_a_turned_photo_is_shown_as_it_was_read(site, visit, tmp_path):
    """EXIF marks count for the picture as they do for the places."""
    turned = tmp_path / "turned.jpg"
    with Image.open(RECEIPT) as upright:
        exif = upright.getexif()
        exif[0x0112] = 6  # to be turned clockwise by a quarter
        upright.rotate(90, expand=True).save(turned, exif=exif)
    page = visit(site)

    upload(page, turned)

    width, height = Image.open(RECEIPT).size
    assert page.locator("svg.picture").get_attribute("viewBox") == f"0 0 {width} {height}"
    shown = page.evaluate(
        "async () => { const image = new Image(); image.src = document.querySelector('svg.picture image')"
        ".getAttribute('href'); await image.decode(); return [image.naturalWidth, image.naturalHeight]; }"
    )
    assert shown == [width, height]


def test_a_sample_takes_one_click(site, visit):
    """For people who have no photo at hand."""
    page = visit(site)
    samples = page.locator("#sample-list button")
    expect(samples).to_have_count(6)

    samples.filter(has_text="Receipt").click()

    expect(field(page, "Total")).to_be_visible()


def test_samples_of_types_that_are_not_read_are_not_offered(site, visit):
    """A type that the served model has not learned would only disappoint."""
    page = visit(site)
    page.route("**/v1/document-types", lambda route: route.fulfill(json={"document_types": [
        {"name": "receipt", "status": "trained", "required": []},
        {"name": "passport", "status": "schema_only", "required": []},
    ]}))  # fmt: skip
    page.reload()

    expect(page.locator("#sample-list button")).to_have_text(["Receipt", "A poor photo"])


def test_both_sources_of_an_identity_document_are_shown(site, visit):
    """What the zone says, what is printed, and whether they agree."""
    site.models.reads = "passport"
    page = visit(site)

    upload(page, RECEIPT)

    given = page.locator("li.field").filter(has=page.get_by_text("Given names", exact=True))
    expect(given.locator(".sources")).to_contain_text("they differ")
    expect(given.locator(".source").filter(has_text="Printed")).to_contain_text("ANNE MARIA")
    expect(given.locator(".source").filter(has_text="Machine-readable zone")).to_contain_text("ANNA MARIA")
    expect(field(page, "Machine-readable zone")).to_contain_text("all check digits are right")
    expect(page.locator(".missing .expected").first).to_contain_text("expected")
    assert_accessible(page)


def test_a_page_of_another_kind_says_what_is_read_here(site, visit):
    """No fields, and no riddle."""
    site.models.reads = "other"
    page = visit(site)

    upload(page, RECEIPT)

    expect(page.locator(".stranger")).to_contain_text("Passport")
    expect(page.locator(".fields")).to_have_count(0)
    assert_accessible(page)


def test_several_pages_are_one_document_or_several(site, visit):
    """As the person says; a page can be added and taken away."""
    page = visit(site)
    upload(page, RECEIPT)

    page.set_input_files("#files", RECEIPT)
    expect(page.locator(".pages li")).to_have_count(2)
    expect(page.locator("article.document")).to_have_count(1)
    expect(page.locator("svg.picture")).to_have_count(2)
    assert_accessible(page)

    page.get_by_label("separate documents").check()
    expect(page.locator("article.document")).to_have_count(2)

    page.get_by_role("button", name="Remove page 2").click()
    expect(page.locator(".pages li")).to_have_count(0)
    expect(page.locator("article.document")).to_have_count(1)


def test_the_type_can_be_said(site, visit):
    """Whoever knows what it is need not leave it to the model."""
    page = visit(site)
    upload(page, RECEIPT)

    page.get_by_label("Type").select_option("passport")

    expect(page.get_by_role("article", name="Passport")).to_be_visible()


def test_a_pdf_is_drawn_anew_from_what_was_read(site, visit, tmp_path):
    """A browser does not show it as a picture; its pages are there all the same, in their proportions."""
    pdf = tmp_path / "two.pdf"
    pages = [Image.new("RGB", (600, 800), "white"), Image.new("RGB", (600, 400), "white")]
    ImageDraw.Draw(pages[0]).text((50, 50), "INVOICE", fill="black")
    pages[0].save(pdf, save_all=True, append_images=pages[1:])
    page = visit(site)

    upload(page, pdf)

    boxes = [one.get_attribute("viewBox").split() for one in page.locator("svg.picture").all()]
    assert [round(float(width) / float(height), 2) for _, _, width, height in boxes] == [0.75, 1.5]
    expect(page.locator("svg.picture .blank").first).to_be_visible()


def test_an_answer_can_be_copied_in_three_forms(site, visit):
    """JSON as it came, CSV that no spreadsheet obeys, and a command that asks the same again."""
    page = visit(site)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    upload(page, RECEIPT)

    def copied(form):
        page.get_by_role("button", name=f"Copy as {form}").click()
        expect(page.get_by_role("status").first).to_have_text(f"{form} copied.")
        return page.evaluate("navigator.clipboard.readText()")

    assert json.loads(copied("JSON"))["documents"][0]["fields"]["total"]["value"]["amount"] == "9.00"
    (row,) = csv.DictReader(io.StringIO(copied("CSV")))
    assert row["file"] == "receipt.jpg"
    assert (row["total"], row["currency"], row["receipt_number"]) == ("9.00", "MYR", "'=A1")
    assert json.loads(row["line_items"])[0]["description"] == "WALNUT BREAD"
    command = shlex.split(copied("curl"))
    assert command[0] == "curl"
    assert "images=@receipt.jpg" in command
    assert command[-1] == f"{site.url}/v1/extraction"


def test_without_a_clipboard_the_text_is_shown(site, visit):
    """As on a page that came without https."""
    page = visit(site)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    upload(page, RECEIPT)

    page.get_by_role("button", name="Copy as JSON").click()

    expect(page.locator("#copy-text")).to_have_value(re.compile("CORNER BAKERY"))
    assert_accessible(page)


def test_a_file_can_be_dropped_and_pasted(site, visit):
    """Wherever on the page."""
    for event, member in (("drop", "dataTransfer"), ("paste", "clipboardData")):
        page = visit(site)
        page.evaluate(
            """async ([event, member]) => {
              const photo = await (await fetch("demo/samples/receipt.jpg")).blob();
              const carried = new DataTransfer();
              carried.items.add(new File([photo], "dropped.jpg", {type: "image/jpeg"}));
              const happening = new Event(event, {bubbles: true, cancelable: true});
              Object.defineProperty(happening, member, {value: carried});
              document.body.dispatchEvent(happening);
            }""",
            [event, member],
        )
        expect(field(page, "Total")).to_be_visible()


# --- the camera ------------------------------------------------------------------------------------------------------


def test_the_camera_guides_and_fires_by_itself(site, visit):
    """An empty table: what to do. A receipt comes into view: its outline, and the photo is taken and read."""
    page = visit(site)

    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#advice")).to_have_text(catalogues()["en"]["show_document"])
    assert_accessible(page)
    expect(page.locator("#outline polygon")).to_have_attribute("points", re.compile(r"\d"))

    expect(field(page, "Total")).to_be_visible()
    expect(page.locator("#camera")).to_be_hidden()
    # A preview is small, one at a time; what is read is the whole picture.
    assert max(site.models.tasks[-1].page.shape) > 600
    assert page.locator("svg.picture").get_attribute("viewBox") == "0 0 960 1280"


def test_three_frames_in_a_row_fire_the_shutter(site, visit):
    """Not two, and not three with a poor one between them."""
    site.models.verdicts = iter([True, True, False, True, True, True])
    page = visit(site)

    page.get_by_role("button", name="Use the camera").click()
    expect(field(page, "Total")).to_be_visible()

    assert site.models.asked == 6 + 1  # and once for the photo itself


def test_the_shutter_can_be_pressed_at_any_time(site, visit):
    """Whatever the guidance says; and the camera is let go."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#advice")).to_have_text(catalogues()["en"]["avoid_glare"])

    page.get_by_role("button", name="Take the photo now").click()

    expect(field(page, "Total")).to_be_visible()
    assert page.evaluate("document.querySelector('#video').srcObject") is None


def test_the_camera_can_be_left(site, visit):
    """By the button and by Escape, back to where one was."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    for leave in (lambda: page.get_by_role("button", name="Cancel").click(), lambda: page.keyboard.press("Escape")):
        page.get_by_role("button", name="Use the camera").click()
        expect(page.locator("#camera")).to_be_visible()
        leave()
        expect(page.locator("#camera")).to_be_hidden()
        expect(page.get_by_role("button", name="Use the camera")).to_be_focused()


def test_guidance_that_fails_is_no_obstacle(site, visit):
    """The camera stays, says so, and the shutter works once the service is back."""
    page = visit(site, forgive="503")
    site.models.trouble = OverloadedError()
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#advice")).to_contain_text("You can take the photo all the same.")

    site.models.trouble = None

    expect(field(page, "Total")).to_be_visible()


def test_a_camera_that_is_refused_is_told(site, visit):
    """With what else can be done."""
    page = visit(site)
    page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError')); }"
    )

    page.get_by_role("button", name="Use the camera").click()

    expect(page.get_by_role("alert")).to_contain_text("may not use the camera")
    expect(page.locator("#choose")).to_be_visible()
    assert_accessible(page)


# --- keys ------------------------------------------------------------------------------------------------------------


def test_a_service_with_keys_asks_for_one_and_then_works(visit):
    """A wrong one is told; the right one serves until the tab is closed, and is in nothing that can be copied."""
    key = keys.generate_key()
    with serving(ServedPlainModels(), Settings(api_keys={"page": keys.key_digest(key)})) as site:
        page = visit(site, forgive="401")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        expect(page.get_by_role("alert")).to_contain_text("This service asks for a key.")
        assert_accessible(page)

        page.get_by_label("Key").fill("docextract_wrong")
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("alert")).to_contain_text("This key is not known here.")
        page.get_by_label("Key").fill(key)
        page.keyboard.press("Enter")
        expect(page.locator("#unlock")).to_be_hidden()
        expect(page.locator("#samples")).to_be_visible()
        page.reload()
        upload(page, RECEIPT)
        expect(field(page, "Total")).to_be_visible()

        page.get_by_role("button", name="Copy as curl").click()
        expect(page.get_by_role("status").first).to_have_text("curl copied.")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert '-H "Authorization: Bearer $DOCEXTRACT_API_KEY"' in copied
        assert key not in copied + page.content()
        assert page.url == f"{site.url}/demo"


def test_a_page_without_a_key_reads_what_waits_once_it_has_one(visit):
    """Nothing has to be chosen twice."""
    key = keys.generate_key()
    with serving(ServedPlainModels(), Settings(api_keys={"page": keys.key_digest(key)})) as site:
        page = visit(site, forgive="401")
        page.set_input_files("#files", [RECEIPT])
        expect(page.locator("#work")).to_be_visible()

        page.get_by_label("Key").fill(key)
        page.keyboard.press("Enter")

        expect(field(page, "Total")).to_be_visible()


def test_a_refusal_of_what_went_without_the_key_comes_too_late(visit):
    """Who types quickly does not lose the key to the question before it."""
    key = keys.generate_key()
    with serving(ServedPlainModels(), Settings(api_keys={"page": keys.key_digest(key)})) as site:
        page = visit(site, forgive="401")
        held = []

        def hold(route):
            if route.request.url in [one.request.url for one in held]:
                route.continue_()
            else:
                held.append(route)

        page.route("**/v1/extraction*", hold)
        page.set_input_files("#files", [RECEIPT])
        expect(page.locator("#work")).to_be_visible()
        page.wait_for_timeout(300)
        page.route("**/v1/document-types*", hold)
        page.get_by_label("Key").fill(key)
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)

        without_key, with_key = held
        with contextlib.suppress(PlaywrightError):  # nobody waits for it any more
            without_key.continue_()
        page.wait_for_timeout(300)
        with_key.continue_()

        expect(field(page, "Total")).to_be_visible()


def test_without_keys_nobody_is_asked_for_one(site, visit):
    """The field is there only when it is needed."""
    expect(visit(site).locator("#unlock")).to_be_hidden()


# --- when it goes wrong ----------------------------------------------------------------------------------------------


def test_a_broken_file_is_told_in_words(site, visit):
    """And the way back is open."""
    page = visit(site, forgive="422")

    page.set_input_files("#files", BROKEN)

    expect(page.get_by_role("alert")).to_contain_text("cannot be opened as a picture or PDF")
    assert_accessible(page)
    page.get_by_role("button", name="New document").click()
    expect(page.locator("#choose")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_of_several_files_the_bad_one_is_named(site, visit, tmp_path):
    """By its number; without it the others are read."""
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(BROKEN["buffer"])
    page = visit(site, forgive="422")

    page.set_input_files("#files", [RECEIPT, broken])
    expect(page.get_by_role("alert")).to_contain_text("Page 2")

    page.get_by_role("button", name="Remove page 2").click()
    expect(field(page, "Total")).to_be_visible()


def test_what_is_too_large_is_not_even_sent(site, visit):
    """The limits are the service's own."""
    page = visit(site)
    large = {"name": "large.jpg", "mimeType": "image/jpeg", "buffer": RECEIPT.read_bytes() + bytes(300_000)}

    page.set_input_files("#files", large)

    expect(page.get_by_role("alert")).to_contain_text("too large")
    assert site.models.asked == 0


def test_a_busy_service_is_asked_again(site, visit):
    """As long as it says how long to wait, and the person is told."""
    page = visit(site, forgive="503")
    site.models.trouble = OverloadedError()

    page.set_input_files("#files", RECEIPT)
    expect(page.get_by_role("status").first).to_contain_text("Asking again in")
    site.models.trouble = None

    expect(field(page, "Total")).to_be_visible()


def test_a_service_that_fails_is_told_with_the_request_s_number(site, visit):
    """So that it can be found in the log."""
    page = visit(site, forgive="500")
    site.models.trouble = RuntimeError("secret")

    page.set_input_files("#files", RECEIPT)

    expect(page.get_by_role("alert")).to_contain_text("Something went wrong in the service.")
    expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Request \w{26}"))
    assert "secret" not in page.content()


def test_a_service_that_is_gone_is_told(site, visit):
    """In words, with another try; nothing that was chosen is lost."""
    page = visit(site, forgive="ERR_CONNECTION")
    site.stop()

    page.set_input_files("#files", RECEIPT)

    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


# --- for everyone ----------------------------------------------------------------------------------------------------


def test_all_can_be_done_with_the_keyboard(site, visit):
    """From the samples to a cell of the table, and from a value to its place and back."""
    page = visit(site)
    sample = page.locator("#sample-list button").first
    for _ in range(12):
        page.keyboard.press("Tab")
        if sample.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_be_focused()

    merchant = field(page, "Merchant")
    merchant.focus()
    place = page.locator(f'.place-on-photo[data-place="{merchant.get_attribute("data-place")}"]')
    expect(place).to_have_class(re.compile("marked"))
    page.keyboard.press("Enter")
    expect(place).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(field(page, "Merchant's address")).to_have_class(re.compile("marked"))
    page.keyboard.press("Enter")
    expect(field(page, "Merchant's address")).to_be_focused()

    cells = page.get_by_role("table").get_by_role("button")
    assert [cell.get_attribute("tabindex") for cell in cells.all()] == ["0"] + ["-1"] * (cells.count() - 1)
    cells.first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("cell", name="R0LL").get_by_role("button")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(site, visit, scheme):
    """At 360 px, in each state, by day and by night."""
    page = visit(site, viewport=PHONE, color_scheme=scheme, has_touch=True, is_mobile=True)
    assert_fits(page)
    assert_accessible(page)

    site.models.reads = "passport"
    upload(page, RECEIPT, RECEIPT)
    assert_fits(page)
    assert_accessible(page)

    site.models.reads = "receipt"
    page.get_by_role("button", name="Remove page 2").click()
    page.get_by_role("table").wait_for()
    assert_fits(page)
    assert_accessible(page)
    field(page, "Total").tap()
    expect(page.locator(".lens")).to_have_class(re.compile("filled"))


def test_night_is_dark(site, visit):
    """Paper and ink change places."""
    colours = {
        scheme: visit(site, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }

    light, dark = (sum(map(int, re.findall(r"\d+", colours[scheme])[:3])) for scheme in ("light", "dark"))
    assert light > 600 > 150 > dark


@pytest.mark.parametrize(
    ("language", "camera"),
    [("de-AT", "Kamera verwenden"), ("fr-FR", "Utiliser l'appareil photo"), ("ja-JP", "Use the camera")],
)
def test_the_page_speaks_the_browser_s_language(site, visit, language, camera):
    """English where it speaks another."""
    page = visit(site, language=language)

    expect(page.locator("#use-camera")).to_have_text(camera)


def test_the_language_can_be_chosen_and_is_remembered(site, visit):
    """Of the page, of the answer that is on it, and of the advice that the service gives."""
    asked = []
    page = visit(site)
    page.on("request", lambda request: asked.append(request.headers.get("accept-language")))
    site.models.verdicts = iter([False] * 1000)
    upload(page, RECEIPT)

    page.get_by_label("Language").select_option("pt")

    expect(field(page, "Comerciante")).to_contain_text("CORNER BAKERY")
    expect(field(page, "Data")).to_contain_text("25 de dezembro de 2018")
    expect(page.locator(".verdict")).to_contain_text(catalogues()["pt"]["avoid_glare"])
    assert page.locator("html").get_attribute("lang") == "pt"
    page.reload()
    expect(page.locator("#choose h1")).to_have_text("Ler um documento")
    page.get_by_role("button", name="Usar a câmara").click()
    expect(page.locator("#advice")).to_have_text(catalogues()["pt"]["avoid_glare"])
    assert "pt" in asked

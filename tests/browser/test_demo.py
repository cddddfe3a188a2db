"""Tests of the page at /demo in a real browser, with stub models that answer at once."""

import contextlib
import csv
import io
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image, ImageDraw
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect

from docextract import keys
from docextract.pipeline.models import OverloadedError
from docextract.predictions import Legibility, TextLine
from docextract.quality.messages import catalogues
from docextract.settings import Settings
from tests.browser.conftest import ServedPlainModels, serve
from tests.documents.einvoice_files import cii
from tests.images.text_pdfs import text_pdf, words

ROOT = Path(__file__).parents[2]
RECEIPT = ROOT / "docs" / "images" / "receipt.jpg"
PHONE = {"width": 360, "height": 740}
BROKEN = {"name": "broken.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"}


def upload(page, *files):
    """Choose files as with the file dialog, and wait for the answer."""
    page.set_input_files("#files", list(files))
    page.locator("article.document").first.wait_for()


def field(page, name):
    return page.locator("button.row, div.row").filter(has=page.get_by_text(name, exact=True))


def copied(page, file_format):
    """Copy the answer with its button."""
    page.get_by_role("button", name=f"Copy as {file_format}").click()
    expect(page.get_by_role("status").first).to_have_text(f"{file_format} copied.")
    return page.evaluate("navigator.clipboard.readText()")


def assert_accessible(page):
    """Check that axe-core reports no accessibility violation."""
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def assert_no_horizontal_scrolling(page):
    """Check that the page is not wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- in and out ------------------------------------------------------------------------------------------------------


def test_chosen_photo_is_extracted(site, visit):
    """Values, confidence levels, failed checks and missing fields are shown."""
    page = visit(site)

    upload(page, RECEIPT)

    expect(field(page, "Merchant")).to_contain_text("CORNER BAKERY")
    expect(field(page, "Merchant")).to_contain_text("certain, 99%")
    expect(field(page, "Date")).to_contain_text("25 December 2018")
    expect(field(page, "Date")).to_contain_text("printed: 25/12/2018")
    expect(field(page, "Total")).to_contain_text(re.compile(r"MYR\s9\.00"))
    expect(field(page, "Document number")).to_contain_text("check")
    expect(page.get_by_role("table", name="Items").get_by_role("row")).to_have_count(3)
    expect(page.locator(".checks li.broken")).to_contain_text("The items add up to the total")
    expect(page.locator(".missing")).to_contain_text("Subtotal")
    expect(page.get_by_role("status").first).to_have_text("Receipt: 12 values read, 3 to check.")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert_accessible(page)


def test_pointing_at_a_value_marks_its_place_and_vice_versa(site, visit):
    """The pointer marks both; the marked place is shown enlarged."""
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


def test_place_lies_on_the_photo(site, visit):
    """The overlay has the proportions of the photo, on a desktop and on a phone."""
    for viewport in (None, PHONE):
        page = visit(site, viewport=viewport)
        upload(page, RECEIPT)
        photo = page.locator("svg.picture image").bounding_box()
        place = page.locator(".place-on-photo").first.bounding_box()

        width, height = Image.open(RECEIPT).size
        assert photo["width"] / photo["height"] == pytest.approx(width / height, rel=0.02)
        assert photo["x"] < place["x"] < place["x"] + place["width"] < photo["x"] + photo["width"] + 1
        assert photo["y"] < place["y"] < photo["y"] + photo["height"]


def test_rotated_photo_is_shown_upright(site, visit, tmp_path):
    """The EXIF orientation applies to the picture and to the places."""
    turned = tmp_path / "turned.jpg"
    with Image.open(RECEIPT) as upright:
        exif = upright.getexif()
        exif[0x0112] = 6  # to be rotated clockwise by 90 degrees
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


def test_transparent_picture_is_shown_on_white(site, visit, tmp_path):
    """As the service reads it; a JPEG without a background would be black."""
    picture = tmp_path / "transparent.png"
    Image.new("RGBA", (400, 600)).save(picture)
    page = visit(site)

    upload(page, picture)

    colour = page.evaluate(
        "async () => { const image = new Image(); image.src = document.querySelector('svg.picture image')"
        ".getAttribute('href'); await image.decode();"
        "const context = document.createElement('canvas').getContext('2d'); context.drawImage(image, 0, 0);"
        "return [...context.getImageData(9, 9, 1, 1).data]; }"
    )
    assert colour == [255, 255, 255, 255]


def test_sample_takes_one_click(site, visit):
    """For people without a photo at hand."""
    page = visit(site)
    samples = page.locator("#sample-list button")
    expect(samples).to_have_count(6)

    samples.filter(has_text="Receipt").click()

    expect(field(page, "Total")).to_be_visible()


def test_samples_of_untrained_types_are_not_offered(site, visit):
    """The served model cannot extract these types."""
    page = visit(site)
    page.route("**/v1/document-types", lambda route: route.fulfill(json={"document_types": [
        {"name": "receipt", "status": "trained", "required": []},
        {"name": "passport", "status": "schema_only", "required": []},
    ]}))  # fmt: skip
    page.reload()

    expect(page.locator("#sample-list button")).to_have_text(["Receipt", "A poor photo"])


def test_both_sources_of_an_identity_document_are_shown(site, visit):
    """The value of the machine-readable zone, the printed value, and whether they agree."""
    site.models.reads = "passport"
    page = visit(site)

    upload(page, RECEIPT)

    given = page.locator("li.field").filter(has=page.get_by_text("Given names", exact=True))
    expect(given.locator(".sources")).to_contain_text("the sources differ")
    expect(given.locator(".source").filter(has_text="Printed")).to_contain_text("ANNE MARIA")
    expect(given.locator(".source").filter(has_text="Machine-readable zone")).to_contain_text("ANNA MARIA")
    family = page.locator("li.field").filter(has=page.get_by_text("Family name", exact=True))
    expect(family.locator(".source").filter(has_text="Printed")).to_contain_text("Eriksson")
    expect(family.locator(".source").filter(has_text="Machine-readable zone")).to_contain_text("ERIKSSON")
    expect(family.locator(".sources")).to_contain_text("both sources agree")
    expect(field(page, "Machine-readable zone (MRZ)")).to_contain_text("all check digits are correct")
    expect(page.locator(".missing .expected").first).to_contain_text("required")
    assert_accessible(page)


def test_amounts_keep_their_decimals(site, visit):
    """Prices of units and fuel have more than their currency; yen have none."""
    page = visit(site)
    formatted = {
        ("0.0125", "EUR"): "EUR 0.0125",
        ("0.28745", None): "0.28745",
        ("1.459", "EUR"): "EUR 1.459",
        ("9.00", "EUR"): "EUR 9.00",
        ("1200.00", "JPY"): "JPY 1,200",
        ("5.00", None): "5.00",
    }

    shown = page.evaluate(
        "async (amounts) => { const { formatValue } = await import('./demo/values.js'); return amounts.map("
        "([amount, currency]) => formatValue({ type: 'currency', value: { amount, currency } })); }",
        list(formatted),
    )

    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in shown] == list(formatted.values())


def test_unsupported_document_lists_the_supported_types(site, visit):
    """No fields are shown."""
    site.models.reads = "other"
    page = visit(site)

    upload(page, RECEIPT)

    expect(page.locator(".stranger")).to_contain_text("Passport")
    expect(page.locator(".fields")).to_have_count(0)
    assert_accessible(page)


def test_pages_can_form_one_document_or_several(site, visit):
    """The user chooses; pages can be added and removed."""
    page = visit(site)
    upload(page, RECEIPT)

    page.set_input_files("#files", RECEIPT)
    expect(page.locator(".pages li")).to_have_count(2)
    expect(page.locator("article.document")).to_have_count(1)
    expect(page.locator("svg.picture")).to_have_count(2)
    assert_accessible(page)

    page.get_by_label("each file is a document").check()
    expect(page.locator("article.document")).to_have_count(2)

    page.get_by_role("button", name="Remove page 2").click()
    expect(page.locator(".pages li")).to_have_count(0)
    expect(page.locator("article.document")).to_have_count(1)


def test_documents_on_one_page_can_be_shown_apart(site, visit):
    """The choice is there if the page shows several."""
    boxes = np.array([[[50, y], [300, y], [300, y + 30], [50, y + 30]] for y in (50, 500)], np.float32)
    parts = tuple((TextLine("TOTAL 9.00", box, 0.9),) for box in boxes)
    page = visit(site)
    site.models.parts = parts
    upload(page, RECEIPT)
    expect(page.locator("article.document")).to_have_count(1)
    expect(page.get_by_text("The page shows one document")).to_be_visible()

    site.models.parts = parts
    page.get_by_label("find where documents begin").check()

    expect(page.locator("article.document")).to_have_count(2)
    expect(page.get_by_text("The page shows one document")).to_have_count(0)
    expect(page.get_by_label("find where documents begin")).to_be_checked()
    assert_accessible(page)


def test_document_type_can_be_selected(site, visit):
    """The chosen type is used instead of the detected one."""
    page = visit(site)
    upload(page, RECEIPT)

    page.get_by_label("Document type").select_option("passport")

    expect(page.get_by_role("article", name="Passport")).to_be_visible()


def test_pdf_is_drawn_from_its_text_lines(site, visit, tmp_path):
    """A browser cannot draw a PDF as a picture; its pages are drawn with their proportions."""
    pdf = tmp_path / "two.pdf"
    pages = [Image.new("RGB", (600, 800), "white"), Image.new("RGB", (600, 400), "white")]
    ImageDraw.Draw(pages[0]).text((50, 50), "INVOICE", fill="black")
    pages[0].save(pdf, save_all=True, append_images=pages[1:])
    page = visit(site)

    upload(page, pdf)

    boxes = [one.get_attribute("viewBox").split() for one in page.locator("svg.picture").all()]
    assert [round(float(width) / float(height), 2) for _, _, width, height in boxes] == [0.75, 1.5]
    expect(page.locator("svg.picture .blank").first).to_be_visible()


def test_page_of_a_digital_pdf_is_shown(site, visit, tmp_path):
    """As it was drawn, with the values on it; nobody is told to move out of the light."""
    pdf = tmp_path / "letter.pdf"
    pdf.write_bytes(text_pdf(words("CORNER BAKERY", 200, 760, 20) + words("Total 9.00", 400, 300, 14)))
    page = visit(site)

    upload(page, pdf)

    expect(page.locator("svg.picture image").first).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("its text was taken from the file")
    expect(page.locator("article.document")).to_contain_text("CORNER BAKERY")
    expect(page.get_by_text("light", exact=False)).to_have_count(0)
    assert_accessible(page)


def test_files_and_pages_have_the_same_names_everywhere(site, visit, tmp_path):
    """Above the documents, in the advice, and at the pages themselves."""
    pdf = tmp_path / "two.pdf"
    pages = [Image.new("RGB", (600, 800), "white")] * 2
    pages[0].save(pdf, save_all=True, append_images=pages[1:])
    site.models.verdicts = iter([False] * 3)
    page = visit(site)

    upload(page, pdf, RECEIPT)

    expect(page.locator(".pages li .about")).to_have_text(["File 1", "File 2"])
    names = ["File 1, page 1", "File 1, page 2", "File 2"]
    expect(page.locator(".verdict li")).to_have_text([re.compile(f"^{name}: ") for name in names])
    shown = [one.get_attribute("aria-label") for one in page.locator("svg.picture").all()]
    assert shown == [f"{name} with the place of each value" for name in names]


def test_card_on_a_page_of_a_pdf_is_not_shown_as_the_page(site, visit, tmp_path):
    """Places are those on the whole page, so the page is drawn from its text lines."""
    pdf = tmp_path / "card.pdf"
    pdf.write_bytes(text_pdf("0.4 g 0 0 595 842 re f 1 g 100 500 300 190 re f"))
    page = visit(site)

    upload(page, pdf)

    expect(page.locator("svg.picture .blank")).to_be_visible()
    expect(page.locator("svg.picture image")).to_have_count(0)
    expect(page.locator(".verdict")).to_have_text("A digital document.")


def test_a_document_on_a_page_of_a_pdf_is_not_shown_as_the_page(site, visit, tmp_path):
    """Although the crop of each of the two has the proportions of the page."""
    pdf = tmp_path / "two.pdf"
    pdf.write_bytes(text_pdf(words("CORNER BAKERY", 100, 760) + words("NORTHERN TOOLS", 400, 760)))
    boxes = np.array([[[x, 50], [x + 336, 50], [x + 336, 550], [x, 550]] for x in (50, 500)], np.float32)
    parts = tuple((TextLine("TOTAL 9.00", box, 0.9),) for box in boxes)
    page = visit(site)
    site.models.parts = parts
    upload(page, pdf)
    expect(page.locator("svg.picture image")).to_be_visible()

    site.models.parts = parts
    page.get_by_label("find where documents begin").check()

    expect(page.locator("article.document")).to_have_count(2)
    expect(page.locator("svg.picture .blank")).to_have_count(2)
    expect(page.locator("svg.picture image")).to_have_count(0)


def test_an_einvoice_is_shown_without_a_picture(site, visit, tmp_path):
    """XML has no page; its values say that they come from the data."""
    xml = tmp_path / "invoice.xml"
    xml.write_bytes(cii())
    page = visit(site)

    upload(page, xml)

    expect(field(page, "Document number")).to_contain_text("R-4711")
    expect(page.locator("svg.picture")).to_have_count(0)
    assert_accessible(page)


def test_answer_can_be_copied_in_three_formats(site, visit):
    """The JSON of the API, CSV without formulas, and a curl command for the same request."""
    page = visit(site)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    upload(page, RECEIPT)

    assert json.loads(copied(page, "JSON"))["documents"][0]["fields"]["total"]["value"]["amount"] == "9.00"
    (row,) = csv.DictReader(io.StringIO(copied(page, "CSV")))
    assert row["file"] == "receipt.jpg"
    assert (row["total"], row["currency"], row["document_number"]) == ("9.00", "MYR", "'=A1")
    assert json.loads(row["line_items"])[0]["description"] == "WALNUT BREAD"
    command = shlex.split(copied(page, "curl"))
    assert command[0] == "curl"
    assert "images=@receipt.jpg" in command
    assert command[-1] == f"{site.url}/v1/extraction"


def test_copies_are_of_the_documents_and_not_of_the_display(site, visit, tmp_path):
    """CSV names the file of each document; JSON has no drawn pages and no lines, except those of the zone."""
    site.models.reads = "passport"
    files = [tmp_path / name for name in ("january.xml", "letter.pdf", "february.xml")]
    pages = text_pdf(words("ERIKSSON", 200, 760), words("ANNA", 200, 760))
    for file, content in zip(files, (cii(), pages, cii().replace(b"R-4711", b"R-4712")), strict=True):
        file.write_bytes(content)
    page = visit(site)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    upload(page, *files)

    rows = list(csv.DictReader(io.StringIO(copied(page, "CSV"))))
    document = json.loads(copied(page, "JSON"))["documents"][0]

    assert [(row["file"], row["pages"], row["document_number"]) for row in rows] == [
        ("letter.pdf", "1 2", ""), ("january.xml", "", "R-4711"), ("february.xml", "", "R-4712"),
    ]  # fmt: skip
    assert not {"crops", "lines"} & document.keys()
    assert len(document["fields"]["mrz"]["value"]["lines"]) == 2


def test_text_is_shown_without_a_clipboard(site, visit):
    """As on a page without https."""
    page = visit(site)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    upload(page, RECEIPT)

    page.get_by_role("button", name="Copy as JSON").click()

    expect(page.locator("#copy-text")).to_have_value(re.compile("CORNER BAKERY"))
    assert_accessible(page)


def test_file_can_be_dropped_and_pasted(site, visit):
    """Anywhere on the page."""
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


def test_camera_guides_and_takes_the_photo(site, visit):
    """On an empty table the page shows guidance. When a receipt appears, it is outlined, photographed and extracted."""
    page = visit(site)

    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#advice")).to_have_text(catalogues()["en"]["show_document"])
    assert_accessible(page)
    expect(page.locator("#outline polygon")).to_have_attribute("points", re.compile(r"\d"))

    expect(field(page, "Total")).to_be_visible()
    expect(page.locator("#camera")).to_be_hidden()
    # A preview frame is small; the photo has the full resolution.
    assert max(site.models.tasks[-1].page.shape) > 600
    assert page.locator("svg.picture").get_attribute("viewBox") == "0 0 960 1280"


def test_three_accepted_frames_in_a_row_take_the_photo(site, visit):
    """Two are not enough, and a rejected frame restarts the count."""
    site.models.verdicts = iter([True, True, False, True, True, True])
    page = visit(site)

    page.get_by_role("button", name="Use the camera").click()
    expect(field(page, "Total")).to_be_visible()

    assert site.models.asked == 6 + 1  # plus one for the photo itself


def test_places_that_are_hard_to_read_are_tinted(site, visit):
    """In the live picture and on the refused photo; an accepted photo is shown as it is."""
    cells = np.full((24, 18), 0.9, np.float32)
    cells[16:20, 12:16] = 0.1
    cells[:2] = 0.0  # beside the document
    site.models.legibility = Legibility(cells, {}, 0.9, np.ones_like(cells))
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    page.get_by_role("button", name="Use the camera").click()
    texts = catalogues()["en"]

    expect(page.locator("#advice")).to_have_text(f"{texts['avoid_glare']} {texts['at_bottom_right']}")
    expect(page.locator("#outline rect")).not_to_have_count(0)
    page.get_by_role("button", name="Take the photo now").click()
    expect(page.locator(".verdict")).to_contain_text(texts["at_bottom_right"])
    expect(page.locator(".picture .illegible")).not_to_have_count(0)
    site.models.verdicts = iter([True] * 1000)
    accepted = visit(site)
    upload(accepted, RECEIPT)
    expect(accepted.locator(".verdict.good")).to_be_visible()
    expect(accepted.locator(".picture .illegible")).to_have_count(0)


def test_shutter_works_at_any_time(site, visit):
    """It works during guidance, and the camera is released."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#advice")).to_have_text(catalogues()["en"]["avoid_glare"])

    page.get_by_role("button", name="Take the photo now").click()

    expect(field(page, "Total")).to_be_visible()
    assert page.evaluate("document.querySelector('#video').srcObject") is None


def test_camera_can_be_closed(site, visit):
    """The button and Escape close it, and the focus returns."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    for leave in (lambda: page.get_by_role("button", name="Cancel").click(), lambda: page.keyboard.press("Escape")):
        page.get_by_role("button", name="Use the camera").click()
        expect(page.locator("#camera")).to_be_visible()
        leave()
        expect(page.locator("#camera")).to_be_hidden()
        expect(page.get_by_role("button", name="Use the camera")).to_be_focused()


SLOW_CAMERA = """() => {
  const devices = navigator.mediaDevices;
  const [open, list] = [devices.getUserMedia.bind(devices), devices.enumerateDevices.bind(devices)];
  window.streams = [];
  devices.getUserMedia = async (wanted) => {
    await new Promise((done) => setTimeout(done, 700));
    window.streams.push(await open(wanted));
    return window.streams.at(-1);
  };
  devices.enumerateDevices = async () => [...await list(), ...await list()];
}"""
CAMERA_STATES = "window.streams.flatMap((stream) => stream.getTracks().map((track) => track.readyState))"


def test_clicks_while_the_camera_starts_open_it_once(site, visit):
    """A second session would fail, or take a second photo."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    page.evaluate(SLOW_CAMERA)
    use_camera = page.locator("#use-camera")

    use_camera.click()
    expect(use_camera).to_have_attribute("aria-disabled", "true")
    use_camera.dispatch_event("click")
    expect(page.locator("#camera")).to_be_visible()
    page.wait_for_timeout(1000)
    assert page.evaluate(CAMERA_STATES) == ["live"]
    page.get_by_role("button", name="Cancel").click()

    expect(use_camera).to_have_attribute("aria-disabled", "false")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_cancelling_while_the_other_camera_starts_stops_both(site, visit):
    """The dialog stays closed, and no camera stays on; a second click does not start a third camera."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    page.evaluate(SLOW_CAMERA)
    page.get_by_role("button", name="Use the camera").click()

    page.get_by_role("button", name="Switch camera").dblclick()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_timeout(1200)

    expect(page.locator("#camera")).to_be_hidden()
    assert page.evaluate(CAMERA_STATES) == ["ended", "ended"]


def test_no_frame_is_sent_while_the_other_camera_starts(site, visit):
    """A frame without a picture would be refused, and the message would tell of a trouble that there is not."""
    site.models.verdicts = iter([False] * 1000)
    page = visit(site)
    page.evaluate(SLOW_CAMERA)
    page.get_by_role("button", name="Use the camera").click()
    with page.expect_request("**/validation*"):  # frames are being sent
        pass
    statuses = []
    page.on("response", lambda response: statuses.append(response.status))

    page.get_by_role("button", name="Switch camera").click()
    page.wait_for_function(f"() => {CAMERA_STATES}.join() === 'ended,live'")
    with page.expect_response("**/validation*"):  # of the other camera
        pass

    assert set(statuses) == {200}
    expect(page.locator("#advice")).not_to_have_text("")


def test_camera_works_while_guidance_fails(site, visit):
    """The camera stays open with a message, and the shutter works once the service is back."""
    page = visit(site, ignored_error="503")
    site.models.trouble = OverloadedError()
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#advice")).to_contain_text("You can still take the photo.")

    site.models.trouble = None

    expect(field(page, "Total")).to_be_visible()


def test_denied_camera_is_reported(site, visit):
    """The message names an alternative."""
    page = visit(site)
    page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError')); }"
    )

    page.get_by_role("button", name="Use the camera").click()

    expect(page.get_by_role("alert")).to_contain_text("may not use the camera")
    expect(page.locator("#choose")).to_be_visible()
    assert_accessible(page)


# --- keys ------------------------------------------------------------------------------------------------------------


def test_service_with_keys_asks_for_a_key(visit):
    """A wrong key is reported. The right key is kept until the tab is closed, and is never part of copied text."""
    key = keys.generate_key()
    with serve(ServedPlainModels(), Settings(api_keys={"page": keys.key_digest(key)})) as site:
        page = visit(site, ignored_error="401")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        expect(page.get_by_role("alert")).to_contain_text("This service requires an API key.")
        assert_accessible(page)

        page.get_by_label("API key").fill("docextract_wrong")
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("alert")).to_contain_text("This API key is not valid.")
        page.get_by_label("API key").fill(key)
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


def test_waiting_files_are_processed_once_the_key_is_given(visit):
    """The files need not be chosen again."""
    key = keys.generate_key()
    with serve(ServedPlainModels(), Settings(api_keys={"page": keys.key_digest(key)})) as site:
        page = visit(site, ignored_error="401")
        page.set_input_files("#files", [RECEIPT])
        expect(page.locator("#work")).to_be_visible()

        page.get_by_label("API key").fill(key)
        page.keyboard.press("Enter")

        expect(field(page, "Total")).to_be_visible()


def test_late_refusal_of_a_request_without_key_is_ignored(visit):
    """A key that was entered meanwhile is not discarded."""
    key = keys.generate_key()
    with serve(ServedPlainModels(), Settings(api_keys={"page": keys.key_digest(key)})) as site:
        page = visit(site, ignored_error="401")
        held_routes = []

        def hold(route):
            if route.request.url in [one.request.url for one in held_routes]:
                route.continue_()
            else:
                held_routes.append(route)

        page.route("**/v1/extraction*", hold)
        page.set_input_files("#files", [RECEIPT])
        expect(page.locator("#work")).to_be_visible()
        page.wait_for_timeout(300)
        page.route("**/v1/document-types*", hold)
        page.get_by_label("API key").fill(key)
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)

        without_key, with_key = held_routes
        with contextlib.suppress(PlaywrightError):  # the page has aborted this request
            without_key.continue_()
        page.wait_for_timeout(300)
        with_key.continue_()

        expect(field(page, "Total")).to_be_visible()


def test_service_without_keys_asks_for_none(site, visit):
    """The field is visible only if a key is required."""
    expect(visit(site).locator("#unlock")).to_be_hidden()


# --- when it goes wrong ----------------------------------------------------------------------------------------------


def test_pages_of_a_long_file_are_named(site, visit, tmp_path):
    """A wrong selection is shown with its fault until it is corrected. All pages of files that are added are read."""
    pdf = tmp_path / "long.pdf"
    pdf.write_bytes(text_pdf(*[words(f"Page {number}", 200, 760) for number in range(1, 26)]))
    page = visit(site, ignored_error="422")
    page.set_input_files("#files", pdf)
    expect(page.get_by_role("alert")).to_contain_text("The file has 25 pages")
    selection = page.get_by_label("Pages to read")

    for wrong, fault in (("20-30", "`pages` names page 30"), ("all", "page numbers and ranges such as 1-3,5")):
        selection.fill(wrong)
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("alert")).to_contain_text(fault)
        expect(selection).to_have_value(wrong)
    assert_accessible(page)
    selection.fill("22-23")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Pages 22, 23 of 25 were read.")).to_be_visible()
    expect(page.get_by_role("group", name="Page 23 with the place of each value")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    rows = csv.DictReader(io.StringIO(copied(page, "CSV")))
    assert [row["pages"] for row in rows] == ["22 23"]

    page.set_input_files("#files", RECEIPT)
    expect(page.get_by_role("alert")).to_contain_text("too many pages")
    expect(selection).to_have_value("")
    page.get_by_role("button", name="Remove file 1").click()
    expect(field(page, "Total")).to_be_visible()
    expect(selection).to_be_hidden()


def test_broken_file_is_reported(site, visit):
    """The user can start again."""
    page = visit(site, ignored_error="422")

    page.set_input_files("#files", BROKEN)

    expect(page.get_by_role("alert")).to_contain_text("cannot be opened as an image or PDF")
    assert_accessible(page)
    page.get_by_role("button", name="New document").click()
    expect(page.locator("#choose")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_bad_file_among_several_is_named(site, visit, tmp_path):
    """It is named by page number; after its removal the others are processed."""
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(BROKEN["buffer"])
    page = visit(site, ignored_error="422")

    page.set_input_files("#files", [RECEIPT, broken])
    expect(page.get_by_role("alert")).to_contain_text("Page 2")

    page.get_by_role("button", name="Remove page 2").click()
    expect(field(page, "Total")).to_be_visible()


def test_too_large_file_is_not_sent(site, visit):
    """The limits come from the service."""
    page = visit(site)
    large = {"name": "large.jpg", "mimeType": "image/jpeg", "buffer": RECEIPT.read_bytes() + bytes(300_000)}

    page.set_input_files("#files", large)

    expect(page.get_by_role("alert")).to_contain_text("too large")
    assert site.models.asked == 0


def test_busy_service_is_retried(site, visit):
    """It is retried while it sends Retry-After, and the user sees that."""
    page = visit(site, ignored_error="503")
    site.models.trouble = OverloadedError()

    page.set_input_files("#files", RECEIPT)
    expect(page.get_by_role("status").first).to_contain_text("Retrying in")
    site.models.trouble = None

    expect(field(page, "Total")).to_be_visible()


def test_service_error_is_shown_with_the_request_id(site, visit):
    """The request id helps to find the error in the log."""
    page = visit(site, ignored_error="500")
    site.models.trouble = RuntimeError("secret")

    page.set_input_files("#files", RECEIPT)

    expect(page.get_by_role("alert")).to_contain_text("An error occurred in the service.")
    expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Request \w{26}"))
    assert "secret" not in page.content()


def test_unreachable_service_is_reported(site, visit):
    """The chosen files are kept, and the user can try again."""
    page = visit(site, ignored_error="ERR_CONNECTION")
    site.stop()

    page.set_input_files("#files", RECEIPT)

    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


# --- for everyone ----------------------------------------------------------------------------------------------------


def test_everything_works_with_the_keyboard(site, visit):
    """From the samples to a table cell, and from a value to its place and back."""
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
def test_phone_needs_no_horizontal_scrolling(site, visit, scheme):
    """At 360 px, in each state, in the light and the dark scheme."""
    page = visit(site, viewport=PHONE, color_scheme=scheme, has_touch=True, is_mobile=True)
    assert_no_horizontal_scrolling(page)
    assert_accessible(page)

    site.models.reads = "passport"
    upload(page, RECEIPT, RECEIPT)
    assert_no_horizontal_scrolling(page)
    assert_accessible(page)

    site.models.reads = "receipt"
    page.get_by_role("button", name="Remove page 2").click()
    page.get_by_role("table").wait_for()
    assert_no_horizontal_scrolling(page)
    assert_accessible(page)
    field(page, "Total").tap()
    expect(page.locator(".lens")).to_have_class(re.compile("filled"))


def test_dark_scheme_is_dark(site, visit):
    """The background is dark in the dark scheme."""
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
def test_page_uses_the_browser_language(site, visit, language, camera):
    """English is used for unsupported languages."""
    page = visit(site, language=language)

    expect(page.locator("#use-camera")).to_have_text(camera)


def test_language_can_be_chosen_and_is_remembered(site, visit):
    """The language applies to the page, the shown answer and the guidance of the service."""
    requested_languages = []
    page = visit(site)
    page.on("request", lambda request: requested_languages.append(request.headers.get("accept-language")))
    site.models.verdicts = iter([False] * 1000)
    upload(page, RECEIPT)

    page.get_by_label("Language").select_option("pt")

    expect(field(page, "Comerciante")).to_contain_text("CORNER BAKERY")
    expect(field(page, "Data")).to_contain_text("25 de dezembro de 2018")
    expect(page.locator(".verdict")).to_contain_text(catalogues()["pt"]["avoid_glare"])
    assert page.locator("html").get_attribute("lang") == "pt"
    page.reload()
    expect(page.locator("#choose h1")).to_have_text("Extrair os dados de um documento")
    page.get_by_role("button", name="Usar a câmara").click()
    expect(page.locator("#advice")).to_have_text(catalogues()["pt"]["avoid_glare"])
    assert "pt" in requested_languages

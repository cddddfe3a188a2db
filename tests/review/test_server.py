"""The server of the review: who may ask, and what each request does."""

import errno
import io
import json
import os
import threading

import pytest
from PIL import Image
from starlette.testclient import TestClient

from docextract.review.folder import ReviewedFolder
from docextract.review.proposals import Proposals
from docextract.review.server import create_review_app
from docextract.serving import local
from docextract.settings import Settings
from tests.http.conftest import jpeg
from tests.review.conftest import TOKEN


def documents(reviewer):
    return {one["name"]: one for one in reviewer.get("/documents").json()}


def open_first(reviewer):
    return reviewer.get(f"/documents/{documents(reviewer)['a.jpg']['id']}").json()


def save(reviewer, opened, reviewed=True, **changes):
    body = {
        "revision": opened["revision"],
        "file": opened["file"],
        "reviewed": reviewed,
        "sheet": opened["sheet"],
    } | changes
    return reviewer.put(f"/documents/{opened['id']}", json=body)


# --- access ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/documents", "/review/review.js", "/types", "/?token=wrong"])
def test_without_the_token_nothing_is_answered(folder, proposals, path):
    """Other users and programs of this machine can reach the port, too."""
    with TestClient(create_review_app(folder, proposals, TOKEN), base_url="http://127.0.0.1") as stranger:
        response = stranger.get(path)

    assert response.status_code == 403
    assert "token" in response.text


def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_has(folder, proposals):
    """The address in the browser's history is without it after the first request."""
    with TestClient(create_review_app(folder, proposals, TOKEN), base_url="http://127.0.0.1") as browser:
        response = browser.get(f"/?token={TOKEN}", follow_redirects=False)

    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict"} <= set(response.headers["set-cookie"].split("; "))


def test_reviews_at_two_ports_do_not_shut_each_other_out(folder, proposals):
    """A browser sends the cookies of one port to the others."""
    app = create_review_app(folder, proposals, TOKEN)
    with TestClient(app, base_url="http://127.0.0.1:4555") as first:
        first.get(f"/?token={TOKEN}")
        (name,) = first.cookies.keys()
        with TestClient(app, base_url="http://127.0.0.1:4556", cookies={name: TOKEN}) as second:
            assert second.get("/documents").status_code == 403
        assert first.get("/documents").status_code == 200


def test_other_host_names_are_refused(reviewer):
    """A web page whose name resolves to this machine gets nothing."""
    assert reviewer.get("/documents", headers={"host": "rebound.example"}).status_code == 400


def test_bodies_are_json(reviewer):
    """A form of another site cannot send it."""
    opened = open_first(reviewer)

    response = reviewer.put(f"/documents/{opened['id']}", content="{}", headers={"content-type": "text/plain"})

    assert response.status_code == 415


# --- documents -------------------------------------------------------------------------------------------------------


def test_the_list_says_how_certain_each_document_is(reviewer, proposals):
    """A document that was not read yet is waiting; then it has its number of doubtful values."""
    before = documents(reviewer)["a.jpg"]

    open_first(reviewer)

    after = documents(reviewer)["a.jpg"]
    assert (before["status"], before["doubtful"]) == ("waiting", None)
    assert (after["status"], after["least_confidence"]) == ("open", 0.41)


def test_a_document_opens_with_its_values_places_and_pages(reviewer):
    """Everything that the page shows comes with one request, and the picture with another."""
    opened = open_first(reviewer)

    assert opened["sheet"]["type"] == "receipt"
    total = opened["sheet"]["fields"]["total"]
    assert (total["text"], total["image"], len(total["polygons"])) == ("9.00", 0, 1)
    assert len(opened["sheet"]["rows"]["line_items"]) == 2
    picture = reviewer.get(f"/documents/{opened['id']}/pages/0")
    assert Image.open(io.BytesIO(picture.content)).size[0] > 100
    assert reviewer.get(f"/documents/{opened['id']}/pages/1").status_code == 404


def test_a_reviewed_document_has_a_label(reviewer, photos):
    """The corrected value is in labels.jsonl, with its place."""
    opened = open_first(reviewer)
    opened["sheet"]["fields"]["total"] |= {"text": "9.50"}

    response = save(reviewer, opened)

    assert response.json()["revision"] == 1
    (row,) = map(json.loads, (photos / "labels.jsonl").read_text("utf-8").splitlines())
    assert (row["image"], row["fields"]["total"]) == ("a.jpg", "9.50")
    assert documents(reviewer)["a.jpg"]["status"] == "reviewed"
    assert open_first(reviewer)["reviewed"] is True


def test_labels_from_elsewhere_are_shown_and_outlive_a_draft(photos, models):
    """Of a PDF with a row for each page; saving a change without confirming it writes no label."""
    pages = [Image.open(io.BytesIO(jpeg(grey))) for grey in (225, 226)]
    pages[0].save(photos / "m.pdf", save_all=True, append_images=pages[1:])
    fields = ({"merchant_name": "BAKERY"}, {"total": "3.00"})
    rows = [{"image": "m.pdf", "page": n, "type": "receipt", "fields": own} for n, own in enumerate(fields, start=1)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (photos / "labels.jsonl").write_text(text)
    folder = ReviewedFolder(photos)
    with local.client(models, Settings()) as client:
        app = create_review_app(folder, Proposals(folder, client, models, Settings()), TOKEN)
        with TestClient(app, base_url="http://127.0.0.1") as reviewer:
            reviewer.get(f"/?token={TOKEN}")
            opened = reviewer.get(f"/documents/{documents(reviewer)['m.pdf']['id']}").json()
            saved = save(reviewer, opened, reviewed=False)
    folder.close()

    shown = opened["sheet"]["fields"]
    assert (shown["merchant_name"]["text"], shown["total"]["text"], shown["total"]["image"]) == ("BAKERY", "3.00", 1)
    assert (opened["reviewed"], saved.status_code) == (True, 200)
    assert (photos / "labels.jsonl").read_text() == text


def test_invalid_values_are_named_and_nothing_is_written(reviewer, photos):
    """A draft may have them."""
    opened = open_first(reviewer)
    opened["sheet"]["fields"]["total"] |= {"text": "nine"}

    response = save(reviewer, opened)

    assert (response.status_code, response.json()["faults"]) == (422, {"total": "is not a currency"})
    assert not (photos / "labels.jsonl").exists()
    assert save(reviewer, opened, reviewed=False).status_code == 200


def test_a_second_reviewer_is_told(reviewer):
    """Both have opened the same revision; what the first one saved stays."""
    first, second = open_first(reviewer), open_first(reviewer)
    assert save(reviewer, first).status_code == 200

    response = save(reviewer, second)

    assert (response.status_code, response.json()["code"]) == (409, "outdated")


def test_a_place_on_a_missing_page_is_refused(reviewer):
    """The receipt has one page."""
    opened = open_first(reviewer)
    opened["sheet"]["fields"]["total"] |= {"image": 1}

    assert save(reviewer, opened).status_code == 422


def test_another_type_is_read_anew(reviewer, models):
    """The values are those of the other type; nothing is saved."""
    opened = open_first(reviewer)

    changed = reviewer.get(f"/documents/{opened['id']}/as/passport").json()

    assert changed["sheet"]["fields"]["family_name"]["text"] == "Eriksson"
    assert models.tasks[-1].document_type == "passport"
    assert reviewer.get(f"/documents/{opened['id']}/as/other").json()["sheet"]["fields"] == {}
    assert reviewer.get(f"/documents/{opened['id']}/as/ticket").status_code == 404
    assert open_first(reviewer)["sheet"]["type"] == "receipt"


def test_a_new_type_has_all_its_fields_at_once(reviewer):
    """The model does not know it yet, so that its values are empty."""
    opened = open_first(reviewer)
    body = {"name": "ticket", "fields": {"price": "currency", "stops.name": "string"}, "required": ["price"]}

    types = reviewer.post("/types", json=body).json()["types"]

    assert "ticket" in [one["name"] for one in types]
    sheet = reviewer.get(f"/documents/{opened['id']}/as/ticket").json()["sheet"]
    assert (list(sheet["fields"]), sheet["rows"]) == (["price"], {"stops": []})
    opened["sheet"] = sheet
    assert save(reviewer, opened).status_code == 200


def test_an_invalid_type_is_refused_with_its_reason(reviewer):
    """The message of the description goes to the page."""
    response = reviewer.post("/types", json={"name": "receipt", "fields": {"price": "currency"}})

    assert (response.status_code, response.json()["detail"]) == (422, "there is a type receipt already")


def test_print_in_a_box_is_read(reviewer, models):
    """The box is a little larger than drawn, and never larger than the page."""
    opened = open_first(reviewer)

    response = reviewer.post(f"/documents/{opened['id']}/boxes", json={"image": 0, "box": [0.2, 0.1, 0.4, 0.2]})

    assert response.json()["text"] == "CORNER BAKERY LTD"
    (x0, y0), _, (x1, y1), _ = response.json()["polygons"][0]
    assert 0 <= x0 <= 0.2 <= 0.4 <= x1 <= 1
    assert 0 <= y0 <= 0.1 <= 0.2 <= y1 <= 1


@pytest.mark.parametrize("box", [[0, 0, 2, 1], [0, 0, 1], "all"])
def test_an_invalid_box_is_refused(reviewer, box):
    """Its sides are shares of the page."""
    opened = open_first(reviewer)

    assert reviewer.post(f"/documents/{opened['id']}/boxes", json={"image": 0, "box": box}).status_code == 422


def test_typed_text_becomes_a_label(reviewer):
    """The same parser as everywhere; null for what is no value of the field."""
    ask = {"type": "receipt", "field": "document_date"}

    assert reviewer.post("/values", json={**ask, "text": "25 Dec 2018"}).json() == {"text": "2018-12-25"}
    assert reviewer.post("/values", json={**ask, "text": "yesterday"}).json() == {"text": None}
    assert reviewer.post("/values", json={**ask, "text": "x", "field": "colour"}).status_code == 404


def test_a_damaged_file_is_listed_with_its_reason(photos, models):
    """It cannot be reviewed, and the others can."""
    (photos / "broken.jpg").write_bytes(b"no picture")
    folder = ReviewedFolder(photos)
    with local.client(models, Settings()) as client:
        proposals = Proposals(folder, client, models, Settings())
        proposals.answer_all(threading.Event())
        with TestClient(create_review_app(folder, proposals, TOKEN), base_url="http://127.0.0.1") as reviewer:
            reviewer.get(f"/?token={TOKEN}")
            listed = documents(reviewer)
    folder.close()

    assert (listed["broken.jpg"]["status"], listed["a.jpg"]["status"]) == ("failed", "open")
    assert listed["broken.jpg"]["problem"]


def test_a_file_that_vanishes_is_listed_with_its_reason(reviewer, proposals, photos):
    """The others are answered; once it is there again, it can be reviewed."""
    key = documents(reviewer)["a.jpg"]["id"]
    (photos / "a.jpg").rename(photos / "away")

    proposals.answer_all(threading.Event())

    listed = documents(reviewer)
    assert (listed["a.jpg"]["status"], listed["more/b.jpg"]["status"]) == ("failed", "open")
    assert "No such file" in listed["a.jpg"]["problem"]
    response = reviewer.get(f"/documents/{key}")
    assert (response.status_code, response.json()["detail"]) == (500, listed["a.jpg"]["problem"])
    (photos / "away").rename(photos / "a.jpg")
    assert reviewer.get(f"/documents/{key}").status_code == 200
    assert documents(reviewer)["a.jpg"]["status"] == "open"


def test_a_full_disk_is_told(reviewer, monkeypatch):
    """The page shows the reason instead of a stopped program."""
    opened = open_first(reviewer)

    def full(path, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("docextract.review.folder.write_atomically", full)

    response = save(reviewer, opened)

    assert (response.status_code, response.json()["code"]) == (500, "file_error")
    assert "No space left" in response.json()["detail"]


def test_a_name_that_is_not_utf8_is_listed(photos, models):
    """With a sign for each byte that is no text."""
    try:
        (photos / "a.jpg").rename(os.fsdecode(os.fsencode(photos) + b"/caf\xe9.jpg"))
    except OSError:
        pytest.skip("this file system has only names in UTF-8")
    folder = ReviewedFolder(photos)
    with local.client(models, Settings()) as client:
        app = create_review_app(folder, Proposals(folder, client, models, Settings()), TOKEN)
        with TestClient(app, base_url="http://127.0.0.1") as reviewer:
            reviewer.get(f"/?token={TOKEN}")
            listed = documents(reviewer)["caf\ufffd.jpg"]
            opened = reviewer.get(f"/documents/{listed['id']}").json()
    folder.close()

    assert opened["name"] == "caf\ufffd.jpg"


def test_stored_answers_are_used_when_the_folder_is_opened_again(photos, models):
    """The second time no document is sent to the models."""
    for _ in range(2):
        folder = ReviewedFolder(photos)
        with local.client(models, Settings()) as client:
            Proposals(folder, client, models, Settings()).answer_all(threading.Event())
        folder.close()

    assert len(models.tasks) == 2

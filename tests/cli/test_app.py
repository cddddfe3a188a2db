"""Tests of the command as people and scripts use it."""

import csv
import errno
import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import httpx
import pytest
from PIL import Image

from docextract import keys
from docextract.cli import app as cli_app
from docextract.cli import output, running
from docextract.client import Client
from docextract.review.folder import ReviewedFolder
from docextract.serving import local
from tests.documents.einvoice_files import cii
from tests.http.conftest import jpeg

ROOT = Path(__file__).parents[2]


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_help_imports_no_slow_module():
    """No slow module is imported for --help."""
    script = (
        "import sys\nfrom docextract.cli.app import app\n"
        "try: app(['extract', '--help'])\n"
        "finally: print('loaded', *sorted({'torch', 'bentoml', 'cv2', 'numpy', 'httpx'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert "Exit status" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded"


def test_default_output_is_a_table(docextract, photos):
    """Values with confidence, missing fields and guidance on the photo."""
    result = docextract("extract", photos / "poor.jpg")

    assert "poor.jpg: receipt, needs review" in result.stdout
    assert "BAKERY" in result.stdout
    assert "97% high" in result.stdout
    assert "2018-12-25" in result.stdout
    assert "not found: " in result.stdout
    assert "photo: The picture is blurred." in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(("options", "device"), [((), "cuda"), (("--device", "auto"), "auto")])
def test_device_is_the_setting_unless_it_is_given(docextract, photos, monkeypatch, options, device):
    """The same for all commands that load the models."""
    asked = []
    monkeypatch.setenv("DOCEXTRACT_DEVICE", "cuda")
    monkeypatch.setattr(local, "_resolve", lambda device: asked.append(device) or "cpu")

    docextract("validate", photos / "good.jpg", *options)

    assert asked == [device]


def test_json_has_one_line_per_file_in_input_order(docextract, photos):
    """The service's answer and the file's name, in argument order whatever the processing time."""
    result = docextract("extract", photos, "--json", "--include", "polygons,lines", "--external-id", "7")

    good, poor = lines(result)
    assert [Path(line["file"]).name for line in (good, poor)] == ["good.jpg", "poor.jpg"]
    assert good["documents"][0]["fields"]["total"]["value"] == {"amount": "9.00", "currency": None}
    assert good["external_id"] == "7"
    assert "lines" in good["documents"][0]
    assert poor["documents"][0]["needs_review"]


def test_csv_has_one_row_per_document(docextract, photos):
    """One column for each field that occurs; text that looks like a formula is escaped."""
    rows = list(csv.DictReader(io.StringIO(docextract("extract", photos, "--csv").stdout)))

    assert [row["total"] for row in rows] == ["9.00", ""]
    assert [row["needs_review"] for row in rows] == ["false", "true"]
    assert rows[0]["merchant_tax_id"] == "'=1+1"
    assert list(rows[0])[-1] == "error"


def test_csv_has_the_answers_before_an_interrupt(docextract, photos, monkeypatch):
    """Ctrl+C after an hour does not lose the hour."""

    def interrupt(writer, name, answer, write=output.CsvWriter.answer):
        write(writer, name, answer)
        raise KeyboardInterrupt

    monkeypatch.setattr(output.CsvWriter, "answer", interrupt)
    result = docextract("extract", photos, "--csv")

    assert result.exit_code != 0
    assert [row["total"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["9.00"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["validate", "photos/good.jpg"], 0),
        (["extract", "photos/good.jpg"], 0),
        (["validate", "photos"], 1),
        (["extract", "photos"], 1),
        (["extract", "photos/dim.jpg"], 1),
        (["extract", "photos/dim.jpg", "--validation", "off"], 0),
        (["extract", "photos/poor.jpg", "--validation", "enforce"], 1),
        (["extract", "photos/good.jpg", "--min-confidence", "0.999"], 1),
        (["extract", "photos/good.jpg", "--strictness", "lavish"], 2),
        (["extract", "photos/good.jpg", "-t", "papyrus"], 2),
        (["extract", "photos/good.jpg", "--json", "--csv"], 2),
        (["extract"], 2),
        (["extract", "*.png"], 2),
        (["validate", "photos/good.jpg", "broken.jpg"], 3),
        (["validate", "photos/good.jpg", "missing.jpg"], 3),
        (["validate", "photos/good.jpg", "*.png"], 3),
        (["validate", "photos/good.jpg", "--server", "http://127.0.0.1:9"], 4),
        (["validate", "photos/good.jpg", "--server", "127.0.0.1"], 4),
        (["validate", "photos/good.jpg", "--models", "."], 4),
        (["types", "--models", "."], 4),
    ],
)
def test_exit_status(docextract, photos, monkeypatch, clock, arguments, status):
    """As documented in --help."""
    monkeypatch.chdir(photos.parent)
    Path("broken.jpg").write_bytes(jpeg()[:300])
    if "photos/dim.jpg" in arguments:  # not accepted, but all of its values are certain
        Path("photos/dim.jpg").write_bytes(jpeg(110))

    assert docextract(*arguments).exit_code == status


def test_bad_file_is_reported_and_the_others_are_processed(docextract, photos, tmp_path):
    """One line on standard error; in the JSON the error is in the file's place."""
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(jpeg()[:300])

    result = docextract("validate", broken, tmp_path / "missing.jpg", photos / "good.jpg", "--json")

    assert result.stderr.splitlines() == [
        f"docextract: {broken}: The file is damaged or cut short. (image_undecodable)",
        f"docextract: {tmp_path / 'missing.jpg'}: No such file or directory",
    ]
    first, second, third = lines(result)
    assert first["error"]["code"] == "image_undecodable"
    assert second["error"] == {"detail": "No such file or directory"}
    assert third["accepted"]


def test_invalid_option_is_reported_once(docextract, photos):
    """Once, not for each file, and with the allowed values."""
    result = docextract("extract", photos, "-t", "papyrus")

    assert len(result.stderr.splitlines()) == 1
    assert "must be one of auto, receipt" in result.stderr


def test_file_with_fewer_pages_than_wanted_is_reported_and_the_others_are_processed(docextract, photos):
    """It is a fault of this file, not of the command line."""
    pages = [Image.new("L", (300, 400), grey) for grey in (230, 220)]
    pages[0].save(photos / "two.pdf", save_all=True, append_images=pages[1:])

    result = docextract("validate", photos, "--pages", "2", "--json")

    assert [line.get("error", {}).get("code") for line in lines(result)] == ["invalid_parameter"] * 2 + [None]
    assert "good.jpg: `pages` names page 2" in result.stderr
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("error", "status", "answered"), [(httpx.ReadTimeout("slow"), 3, 2), (httpx.ConnectError("refused"), 4, 1)]
)
def test_only_a_server_that_is_gone_ends_the_run(docextract, photos, monkeypatch, clock, error, status, answered):
    """A file that takes too long is a failed file."""
    (photos / "large.jpg").write_bytes(jpeg(200))
    verdict = {
        "uploads": [], "request_id": "01J", "external_id": None, "accepted": True, "score": 0.9, "strictness": "normal",
        "images": [], "guidance": [], "model": {"name": "quality", "version": "1"},
    }  # fmt: skip

    def answer(request):
        if (photos / "large.jpg").read_bytes() in request.content:
            raise error
        return httpx.Response(200, json=verdict)

    monkeypatch.setattr(running, "_require_reachable", lambda server: None)
    monkeypatch.setattr(running, "Client", partial(Client, transport=httpx.MockTransport(answer)))
    result = docextract("validate", photos, "--server", "http://service", "--json", "--concurrency", "1")

    assert [line.get("accepted") for line in lines(result)].count(True) == answered
    assert result.exit_code == status


def test_picture_can_come_from_standard_input(docextract, photos):
    """`docextract validate - < photo.jpg`"""
    result = docextract("validate", "-", "--json", input=(photos / "good.jpg").read_bytes())

    assert result.exit_code == 0
    assert lines(result)[0]["file"] == "-"


def test_several_files_can_be_one_document(docextract, photos):
    """Both sides of a card, or all pages of an invoice."""
    (line,) = lines(docextract("extract", photos, "--group", "request", "--json"))

    assert [document["images"] for document in line["documents"]] == [[0, 1]]
    assert line["file"] == f"{photos / 'good.jpg'}, {photos / 'poor.jpg'}"


def test_only_the_missing_one_of_several_files_is_named(docextract, photos):
    """They are one document, which is not read without it."""
    missing = photos / "missing.jpg"

    result = docextract("extract", photos / "good.jpg", missing, "--group", "request", "--json")

    assert result.stderr == f"docextract: {missing}: No such file or directory\n"
    assert lines(result) == [{"file": str(missing), "error": {"detail": "No such file or directory"}}]


def test_an_invoice_without_image_has_a_row(docextract, tmp_path):
    """An e-invoice as XML has no photo to judge, but is no failure either."""
    (tmp_path / "invoice.xml").write_bytes(cii())

    table = docextract("validate", tmp_path / "invoice.xml")
    rows = list(csv.DictReader(io.StringIO(docextract("validate", tmp_path / "invoice.xml", "--csv").stdout)))

    assert (table.exit_code, "no image" in table.stdout, "invoice.xml" in table.stdout) == (0, True, True)
    assert [row["file"] for row in rows] == [str(tmp_path / "invoice.xml")]


def test_pages_of_a_pdf_are_numbered(docextract, photos):
    """They are one document, unless the option says otherwise."""
    pages = [Image.new("L", (300, 400), grey) for grey in (230, 40)]
    pages[0].save(photos / "two.pdf", save_all=True, append_images=pages[1:])

    assert "two.pdf, page 1, 2: receipt" in docextract("extract", photos / "two.pdf").stdout
    assert "two.pdf, page 2" in docextract("validate", photos / "two.pdf").stdout
    by_page = docextract("extract", photos / "two.pdf", "--csv", "--group", "page").stdout
    assert [row["pages"] for row in csv.DictReader(io.StringIO(by_page))] == ["1", "2"]
    second = docextract("extract", photos / "two.pdf", "--csv", "--pages", "2").stdout
    assert [row["pages"] for row in csv.DictReader(io.StringIO(second))] == ["2"]


@pytest.mark.parametrize("operation", ["validate", "extract"])
def test_server_and_local_models_give_equal_answers(docextract, server, photos, operation):
    """Both run the same application; only request id and times differ."""

    def stable_bodies(result):
        return [{name: line[name] for name in line.keys() - {"request_id", "timings_ms"}} for line in lines(result)]

    here = docextract(operation, photos, "--json", "--strictness", "strict")
    there = docextract(operation, photos, "--json", "--strictness", "strict", "--server", server)

    assert stable_bodies(there) == stable_bodies(here)
    assert there.exit_code == here.exit_code == 1


def test_severity_and_language_options_are_applied(docextract, photos):
    """A photo that fails only a criterion that is off is accepted; guidance has the requested language."""
    result = docextract("validate", photos / "poor.jpg", "--severity", "blurry:off", "--json")
    assert lines(result)[0]["accepted"]

    assert "Das Bild ist unscharf" in docextract("validate", photos / "poor.jpg", "--language", "de").stdout


def test_document_types_are_listed(docextract):
    """The types and their JSON schemas."""
    result = docextract("types")

    assert "receipt/1.0" in result.stdout
    assert "trained" in result.stdout
    assert lines(docextract("types", "--json"))[0]["json_schema"]


def test_version_is_printed(docextract):
    """For bug reports."""
    result = docextract("--version")

    assert result.exit_code == 0
    assert result.stdout.startswith("docextract")


def test_control_characters_in_file_names_are_not_printed(docextract, photos):
    """Escape sequences in file names are replaced."""
    malicious = photos / "\x1b[31mred.jpg"
    malicious.write_bytes(jpeg())

    assert "\x1b[31m" not in docextract("validate", malicious).stdout


def test_a_full_disk_is_named_without_a_traceback(monkeypatch, capsys):
    """A report that cannot be written because the disk is full ends the command with one line."""

    def fail():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cli_app, "app", fail)

    with pytest.raises(SystemExit) as exit_:
        cli_app.main()

    assert exit_.value.code == running.ExitStatus.UNABLE
    assert capsys.readouterr().err == "docextract: the output cannot be written: No space left on device\n"


@pytest.mark.slow
def test_promoted_models_run_in_the_command():
    """The real command in its own process; standard output has nothing but the answer."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "DOCEXTRACT_DEVICE": "cpu"}
    environment.pop("DOCEXTRACT_MODELS_DIR", None)
    command = [sys.executable, "-m", "docextract", "extract", "docs/images/receipt.jpg", "--json"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    body = json.loads(done.stdout)
    assert body["documents"][0]["fields"]["total"]["value"] == {"amount": "88.26", "currency": "GBP"}
    assert body["verdict"]["accepted"]
    assert done.stderr == ""


def test_new_key_is_shown_once_and_its_line_can_be_appended(docextract):
    """The key file gets a digest, from which the key cannot be derived."""
    first = docextract("keys", "new", "phone-app")

    key = first.stderr.split()[-1]
    assert first.stdout == keys.key_line("phone-app", key) + "\n"
    assert docextract("keys", "new", "phone-app").stderr.split()[-1] != key


def test_key_name_must_be_valid(docextract):
    """Nothing is written for an invalid name."""
    invalid = docextract("keys", "new", "my phone")

    assert (invalid.exit_code, invalid.stdout) == (2, "")


def test_review_needs_a_folder_of_its_own(docextract, photos):
    """A file is no folder; a folder that is being reviewed already is refused."""
    no_folder = docextract("review", photos / "good.jpg", "--no-browser")
    reviewed = ReviewedFolder(photos)
    in_use = docextract("review", photos, "--no-browser")
    reviewed.close()

    assert (no_folder.exit_code, in_use.exit_code) == (2, 4)
    assert "is not a folder" in no_folder.stderr
    assert "another program" in in_use.stderr


def test_a_folder_without_documents_is_not_reviewed(docextract, tmp_path):
    """The page would say that all documents are reviewed; nothing is written to the folder."""
    (tmp_path / "invoice.xml").write_text("<x/>")

    empty = docextract("review", tmp_path, "--no-browser")

    assert (empty.exit_code, empty.stderr) == (2, f"docextract: {tmp_path}: no picture or PDF found\n")
    assert [path.name for path in tmp_path.iterdir()] == ["invoice.xml"]


def test_labels_that_are_not_utf8_are_no_traceback(docextract, photos):
    """An editor has saved them in another encoding."""
    (photos / "labels.jsonl").write_bytes(b'{"image": "good.jpg", "fields": {"merchant_name": "M\xfcller"}}\n')

    ended = docextract("review", photos, "--no-browser")

    assert ended.exit_code == 4
    assert "labels.jsonl is not written in UTF-8" in ended.stderr

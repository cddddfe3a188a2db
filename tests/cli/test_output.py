"""Tests of the writers' exact output."""

import csv
import io
import json
from types import SimpleNamespace

import pytest

from docextract.answers.schema import CheckAnswer, ExtractionAnswer, ProblemFault
from docextract.cli.output import CsvWriter, JsonLinesWriter, TableWriter, error_text
from docextract.client import ProblemError


def field(value, **more):
    return {"type": "string", "value": value, "content": str(value), "confidence": 0.95, "level": "high", **more}


def money(amount, currency=None):
    return field({"amount": amount, "currency": currency}, type="currency")


def answer(**fields):
    """An answer with one document."""
    document = {
        "type": "receipt", "type_confidence": 1.0, "schema_version": "receipt/1.0", "images": [0], "confidence": 0.95,
        "needs_review": True, "review_reasons": ["check_failed:items_add_up"], "accepted_from": 0.9, "fields": fields,
        "missing_fields": ["tip"],
        "checks": [{"name": "items_add_up", "passed": False, "fields": ["line_items", "total"]}],
    }  # fmt: skip
    image = {"index": 0, "upload": 0, "page": 2, "width": 9, "height": 9}
    image |= {"source": "digital", "text_source": "embedded"}
    upload = {"index": 0, "media_type": "application/pdf", "pages": 3, "pages_read": [2]}
    return ExtractionAnswer.model_validate(
        {"request_id": "01J", "external_id": None, "uploads": [upload], "images": [image], "documents": [document],
         "models": {}, "timings_ms": {}}
    )  # fmt: skip


ROWS = {
    "type": "array",
    "items": [{"type": "object", "fields": {"description": field("TEA"), "amount": money("3.00")}}],
}


def write_csv_row(capsys, **fields):
    writer = CsvWriter()
    writer.answer("1.jpg", answer(**fields))
    writer.end()
    return next(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_currency_has_its_own_column(capsys):
    """The column of amounts has only numbers, so it can be summed."""
    row = write_csv_row(capsys, total=money("9.00", "MYR"))

    assert (row["total"], row["currency"]) == ("9.00", "MYR")


def test_fields_do_not_replace_shared_columns(capsys):
    """A described document type may have fields of any name."""
    row = write_csv_row(capsys, type=field("EXPRESS"), file=field("F-77"), error=field("none"), total=money("9.00"))

    assert (row["file"], row["type"], row["pages"], row["error"]) == ("1.jpg", "receipt", "2", "")
    assert (row["fields.file"], row["fields.type"], row["fields.error"]) == ("F-77", "EXPRESS", "none")
    assert row["total"] == "9.00"


def test_table_is_json_in_one_cell(capsys):
    """A document has one row, however many table rows it has."""
    row = write_csv_row(capsys, line_items=ROWS)

    assert json.loads(row["line_items"]) == [{"description": "TEA", "amount": "3.00"}]


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "@SUM(1)", "+A1", "-A1", "\t=1"])
def test_formula_in_document_text_is_escaped(capsys, text):
    """A spreadsheet shows the text and does not execute it."""
    assert write_csv_row(capsys, merchant_name=field(text))["merchant_name"] == f"'{text}"


@pytest.mark.parametrize("text", ["+44 20 7946 0958", "-5.00", "ACME = BEST", "(03) 8888-1111"])
def test_numbers_are_not_escaped(capsys, text):
    """A telephone number is not a formula."""
    assert write_csv_row(capsys, merchant_phone=field(text))["merchant_phone"] == text


def test_columns_are_in_record_order(capsys):
    """The order does not depend on the first document."""
    writer = CsvWriter()
    writer.answer("1.jpg", answer(total=money("9.00")))
    writer.answer("2.jpg", answer(merchant_name=field("BAKERY"), change=money("9.00")))
    writer.end()

    header = capsys.readouterr().out.splitlines()[0].split(",")
    assert header[0] == "file"
    assert header.index("merchant_name") < header.index("change")


def test_json_has_only_members_of_the_answer(capsys):
    """Absent fields are absent, not null; non-ASCII letters are not escaped."""
    JsonLinesWriter().answer("é.jpg", answer(merchant_name=field("CAFÉ")))

    out = capsys.readouterr().out
    assert "CAFÉ" in out
    assert "polygon" not in out
    assert json.loads(out)["file"] == "é.jpg"


def test_table_shows_failed_checks_and_missing_fields(capsys):
    """Tables inside a document, failed checks, and fields below min_confidence are shown."""
    TableWriter().answer("1.jpg", answer(total=money("9.00", "MYR") | {"needs_review": True}, line_items=ROWS))

    out = capsys.readouterr().out
    assert "9.00 MYR" in out
    assert "95% high, review" in out
    assert "description   amount" in out
    assert "failed check: items_add_up (line_items, total)" in out
    assert "not found: tip" in out


def test_document_text_is_not_markup(capsys):
    """Square brackets in document text are printed as they are."""
    TableWriter().answer("[red]1.jpg", answer(merchant_name=field("[bold]BAKERY[/bold] :smile:")))

    out = capsys.readouterr().out
    assert "[red]1.jpg: receipt" in out
    assert "[bold]BAKERY[/bold] :smile:" in out


def test_table_says_which_pages_were_read_and_where_the_text_is_from(capsys):
    """A check of the file is explained in words."""
    writer = TableWriter()
    given = answer(total=money("9.00"))
    check = CheckAnswer(name="embedded_invoice_matches_page", passed=False, fields=["total"])
    document = given.documents[0].model_copy(update={"checks": [check]})
    writer.answer("1.pdf", given.model_copy(update={"documents": [document]}))

    out = capsys.readouterr().out
    assert "pages 2 of 3 were read" in out
    assert "text from the file" in out
    assert "embedded_invoice_matches_page (total): the e-invoice in the file and its print differ" in out


def test_advice_numbers_the_pages_of_their_file(capsys):
    """Pages 2 and 3 of a file were asked for, and page 3 is dark."""
    given = answer(total=money("9.00"))
    images = [given.images[0], given.images[0].model_copy(update={"index": 1, "page": 3})]
    guidance = SimpleNamespace(image=1, message="Use more light.")
    verdict = SimpleNamespace(accepted=False, images=images, guidance=[guidance])
    TableWriter().answer("1.pdf", given.model_copy(update={"images": images, "verdict": verdict}))

    assert "Use more light. (page 3)" in capsys.readouterr().out


def test_csv_numbers_the_pages_of_their_file(capsys):
    assert write_csv_row(capsys, total=money("9.00"))["pages"] == "2"


def test_errors_name_the_pages_of_a_file():
    """A picture of one page has no number."""
    faults = (ProblemFault(pointer="/images/0", detail="It is blurred.", page=number) for number in (2, 5))
    refused = ProblemError(422, "image_quality_insufficient", "It is blurred.", tuple(faults))
    assert error_text(refused) == "It is blurred. (page 2, 5, image_quality_insufficient)"
    single = ProblemError(422, "image_too_small", "It is small.", (ProblemFault(pointer="/images/0", detail=""),))
    assert error_text(single) == "It is small. (image_too_small)"

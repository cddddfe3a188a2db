"""What is written, to the letter."""

import csv
import io
import json

import pytest

from docextract.answers.schema import ExtractionAnswer
from docextract.cli.output import Csv, JsonLines, Tables


def field(value, **more):
    return {"type": "string", "value": value, "content": str(value), "confidence": 0.95, "level": "high", **more}


def money(amount, currency=None):
    return field({"amount": amount, "currency": currency}, type="currency")


def answer(**fields):
    """An answer with one document."""
    document = {
        "type": "receipt", "type_confidence": 1.0, "schema_version": "receipt/1.0", "images": [0], "confidence": 0.95,
        "needs_review": False, "fields": fields, "missing_fields": ["tip"],
        "checks": [{"name": "items_add_up", "passed": False, "fields": ["line_items", "total"]}],
    }  # fmt: skip
    return ExtractionAnswer.model_validate(
        {"request_id": "01J", "external_id": None, "documents": [document], "models": {}, "timings_ms": {}}
    )


ROWS = {
    "type": "array",
    "items": [{"type": "object", "fields": {"description": field("TEA"), "amount": money("3.00")}}],
}


def row_of(capsys, **fields):
    writer = Csv()
    writer.answer("1.jpg", answer(**fields))
    writer.end()
    return next(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_money_has_its_currency_beside_it(capsys):
    """A column of amounts can be added up."""
    row = row_of(capsys, total=money("9.00", "MYR"))

    assert (row["total"], row["currency"]) == ("9.00", "MYR")


def test_rows_of_a_list_stay_together(capsys):
    """As JSON in one cell: a row for each document, however many lines it has."""
    row = row_of(capsys, line_items=ROWS)

    assert json.loads(row["line_items"]) == [{"description": "TEA", "amount": "3.00"}]


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "@SUM(1)", "+A1", "-A1", "\t=1"])
def test_no_formula_comes_from_a_stranger_s_paper(capsys, text):
    """A spreadsheet shows it and does not run it."""
    assert row_of(capsys, merchant_name=field(text))["merchant_name"] == f"'{text}"


@pytest.mark.parametrize("text", ["+44 20 7946 0958", "-5.00", "ACME = BEST", "(03) 8888-1111"])
def test_numbers_are_left_alone(capsys, text):
    """A telephone number is no formula."""
    assert row_of(capsys, merchant_phone_number=field(text))["merchant_phone_number"] == text


def test_columns_are_in_the_order_of_the_record(capsys):
    """Whichever of them the first document happens to have."""
    writer = Csv()
    writer.answer("1.jpg", answer(total=money("9.00")))
    writer.answer("2.jpg", answer(merchant_name=field("BAKERY"), total=money("9.00")))
    writer.end()

    header = capsys.readouterr().out.splitlines()[0].split(",")
    assert header[0] == "file"
    assert header.index("merchant_name") < header.index("total")


def test_json_says_no_more_than_the_service(capsys):
    """Absent fields are absent, not null; letters are letters."""
    JsonLines().answer("é.jpg", answer(merchant_name=field("CAFÉ")))

    out = capsys.readouterr().out
    assert "CAFÉ" in out
    assert "polygon" not in out
    assert json.loads(out)["file"] == "é.jpg"


def test_people_see_what_does_not_add_up(capsys):
    """Lists as tables of their own; checks that failed; fields under min_confidence."""
    Tables().answer("1.jpg", answer(total=money("9.00", "MYR") | {"needs_review": True}, line_items=ROWS))

    out = capsys.readouterr().out
    assert "9.00 MYR" in out
    assert "95% high, review" in out
    assert "description   amount" in out
    assert "does not add up: items_add_up (line_items, total)" in out
    assert "not found: tip" in out


def test_what_is_printed_is_no_markup(capsys):
    """Square brackets on a receipt are square brackets."""
    Tables().answer("[red]1.jpg", answer(merchant_name=field("[bold]BAKERY[/bold] :smile:")))

    out = capsys.readouterr().out
    assert "[red]1.jpg: receipt" in out
    assert "[bold]BAKERY[/bold] :smile:" in out

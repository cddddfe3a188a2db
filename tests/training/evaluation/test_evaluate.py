"""Tests of the evaluation on labelled pages."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import httpx
import numpy as np
import pytest

from docextract.client import RetryPolicy
from tests.client.conftest import ScriptedService, problem_response
from training.datasets import LabelledPage, labelled_folder
from training.evaluation.evaluate import error_details, evaluate, main, report_scores

PAGE = LabelledPage(
    Path("1.jpg"), "receipt",
    {"merchant_name": "MOON MART", "total": "9.00", "document_date": "2018-12-25", "tip": None,
     "line_items": [{"description": "TEA", "amount": "9.00"}]},
    ("dark",), key="1",
)  # fmt: skip


def answer(**fields):
    """A body of /extraction."""
    return {"documents": [{"type": "receipt", "fields": fields}], "verdict": {"accepted": True}}


def money(amount):
    return {"value": {"amount": amount, "currency": "MYR"}, "confidence": 0.9}


def test_fields_are_compared_by_their_typed_values():
    """Labels are text and answers are JSON; they are compared as typed values."""
    body = answer(merchant_name={"value": "Moon Mart"}, total=money("9.00"), document_date={"value": "2018-12-25"})

    (outcome,) = evaluate([PAGE], lambda *_: body)

    right = {one.field: one.exact for one in outcome.comparisons if one.expected is not None}
    assert right["merchant_name"]
    assert right["total"]
    assert right["document_date"]
    assert not right["line_items.description"]
    assert outcome.accepted


def test_rows_of_a_list_are_compared():
    """Rows are compared field by field."""
    row = {"type": "object", "fields": {"description": {"value": "TEA"}, "amount": money("9.00")}}

    (outcome,) = evaluate([PAGE], lambda *_: answer(line_items={"items": [row]}))

    compared = {one.field: one for one in outcome.comparisons}
    assert compared["line_items.description"].exact
    assert compared["line_items.amount"].predicted == Decimal("9.00")


def test_rows_that_are_not_on_the_page_lower_the_precision():
    """Values of leaves that the label does not have are unknown; a labelled empty list has no rows."""
    rows = [{"fields": {"description": {"value": name}, "quantity": {"value": "1"}}} for name in ("TEA", "HEADING")]
    without = replace(PAGE, fields={"total": "9.00", "line_items": []})

    scores, of_empty = (
        report_scores(list(evaluate([page], lambda *_: answer(total=money("9.00"), line_items={"items": rows}))))
        for page in (PAGE, without)
    )

    assert scores["fields"]["line_items.description"]["precision"] == 0.5
    assert scores["fields"]["line_items.description"]["extra"] == 1
    assert "line_items.quantity" not in scores["fields"]
    assert of_empty["fields"]["all"]["precision"] == 0.2
    assert of_empty["fields"]["all"]["extra"] == 4


def test_only_the_labelled_page_of_a_file_is_extracted():
    """The other pages of a PDF have labels of their own."""
    asked = []

    def extract(image, page=None):
        asked.append((image, page))
        return answer(total=money("9.00"))

    list(evaluate([replace(PAGE, page=2), PAGE], extract))

    assert asked == [(PAGE.image, 2), (PAGE.image, None)]


def test_a_refused_page_counts_as_wrong_and_is_named():
    """A page without an answer has no right field."""
    outcomes = list(evaluate([PAGE], lambda *_: {"code": "image_undecodable"}))

    assert error_details(outcomes)["problems"] == {"1": "image_undecodable"}
    assert report_scores(outcomes)["fields"]["total"]["exact"] == 0


def test_invented_values_are_counted():
    """A tip where the label says that there is none."""
    scores = report_scores(list(evaluate([PAGE], lambda *_: answer(tip=money("1.00")))))

    assert scores["fields"]["tip"]["invented"] == 1


def test_scores_are_given_for_each_tag():
    """So that errors on dark photos, for example, are visible."""
    scores = report_scores(list(evaluate([PAGE], lambda *_: answer(total=money("9.00")))))

    assert scores["tags"]["dark"]["total"]["exact"] == 1


def test_scores_are_given_for_each_type():
    """In the form that /v1/document-types publishes."""
    scores = report_scores(list(evaluate([PAGE], lambda *_: answer(total=money("9.00")))))

    assert scores["document_types"]["receipt"]["total"]["exact"] == 1


def test_scores_quote_no_page():
    """Scores go into the registry and are served at /v1/models; values from someone's receipt stay in the details."""
    outcomes = list(evaluate([PAGE], lambda *_: answer(merchant_name={"value": "SUN MART"})))

    assert "SUN MART" in str(error_details(outcomes))
    assert not re.search("(MOON|SUN) MART", str(report_scores(outcomes)))


@pytest.mark.parametrize(("labels", "message"), [(None, "does not exist"), ("{\n", "has no usable row")])
def test_data_that_cannot_be_used_is_named(tmp_path, capsys, labels, message):
    """Without a traceback, and with a status that ends a script."""
    data = tmp_path / "data"
    if labels:
        data.mkdir()
        (data / "labels.jsonl").write_text(labels)

    try:
        status = main([str(data)])
    except SystemExit as stopped:
        status = stopped.code

    assert (status, message in capsys.readouterr().err) == (1, True)


@pytest.mark.parametrize(
    ("response", "status", "message"),
    [
        (httpx.ConnectError("refused"), 1, "http://service does not answer: refused"),
        (problem_response(401, "unauthorized"), 0, "unauthorized: no answer for 2 of 2 pages, which count as wrong"),
    ],
)
def test_a_service_that_gives_no_answers_is_named(tmp_path, monkeypatch, capsys, response, status, message):
    """Otherwise the scores of a service that needs a key are those of a model that reads nothing."""
    with labelled_folder.LabelledFolderWriter(tmp_path) as writer:
        for key in "12":
            writer.add(key, np.full((8, 8, 3), 9, np.uint8), "receipt", {"total": "9.00"})
    client = ScriptedService(response).client(retry_policy=RetryPolicy(max_total_s=0))
    monkeypatch.setattr("training.evaluation.evaluate.Client", lambda *_, **options: client)

    try:
        ended = main([str(tmp_path), "--server", "http://service"])
    except SystemExit as stopped:
        ended = stopped.code

    assert (ended, message in capsys.readouterr().err) == (status, True)

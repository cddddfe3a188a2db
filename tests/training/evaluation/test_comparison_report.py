"""Tests of the report of a comparison."""

import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.evaluation.compare import comparison_scores
from training.evaluation.comparison_report import build_report, is_accepted, summary
from training.evaluation.evaluate import PageOutcome
from training.metrics import Comparison
from training.report import write_report

PAGES = 12


def outcome(number, right, reasons=()):
    """A page with one value, which may be wrong."""
    value = Comparison("total", "9.00", "9.00" if right else "8.00", 0.9)
    return PageOutcome(str(number), "receipt", (value,), True, True, group=str(number), review_reasons=reasons)


@pytest.fixture
def page_set(tmp_path):
    for number in range(PAGES):
        pictures.save(np.full((60, 40, 3), 10 * number, np.uint8), tmp_path / f"{number}.jpg")
    return [
        LabelledPage(tmp_path / f"{number}.jpg", "receipt", {"total": "9.00"}, key=f"page {number}")
        for number in range(PAGES)
    ]


def table(built, heading):
    return [row.cells for row in built.tables[heading].rows]


def test_before_and_after_are_shown_with_the_worst_pages(page_set, tmp_path):
    """Only ten pages, those with wrong values first; the two documents without review are counted with their error."""
    pairs = [
        (outcome(number, right=number != 11, reasons=() if number in (3, 11) else ("uncertain:total",)),
         outcome(number, right=number < 6, reasons=("uncertain:total",)))
        for number in range(PAGES)
    ]  # fmt: skip
    scores = comparison_scores({"mine": pairs})

    built = build_report("Comparison", {"mine": page_set}, {"mine": pairs}, scores)
    write_report(tmp_path / "report.html", built)

    assert table(built, "Fields: mine")[0][:5] == ("receipt", "total", PAGES, 0.5, round(11 / 12, 4))
    assert table(built, "Fields: mine")[0][6:] == (0, 2, 1)
    assert table(built, "Documents that need no review") == [("mine", "before", 12, 0, 0), ("mine", "after", 12, 2, 1)]
    assert [sample.title for sample in built.samples][:2] == ["page 11", "page 6"]
    assert len(built.samples) == 10
    html = (tmp_path / "report.html").read_text()
    assert html.count("data:image/jpeg;base64,") == 10
    assert "<svg" not in html


@pytest.mark.parametrize(
    ("gained", "told"),
    [(6, "; better)"), (1, "; not enough to tell which is better)"), (-6, "; worse)")],
)
def test_summary_says_whether_the_difference_is_chance(gained, told):
    """One document of twelve more is chance, six are not."""
    pairs = [(outcome(n, n < 6 + gained), outcome(n, n < 6)) for n in range(PAGES)]

    sentence = summary("mine", pairs, comparison_scores({"mine": pairs})["comparison"])

    assert told in sentence
    assert f"{100 * gained / PAGES:+.1f} points" in sentence


def test_pages_of_one_group_are_drawn_together():
    """Twelve photos of six receipts say as little as six receipts."""
    alone = [(outcome(n, n < 8), outcome(n, n < 4)) for n in range(PAGES)]
    twins = [
        (PageOutcome(**{**vars(one), "group": str(n // 2)}), PageOutcome(**{**vars(other), "group": str(n // 2)}))
        for n, (one, other) in enumerate(alone)
    ]

    rows = [comparison_scores({"mine": pairs})["comparison"]["mine.fields.all.exact"] for pairs in (alone, twins)]

    assert rows[0]["gain"] == rows[1]["gain"]
    assert rows[1]["high"] - rows[1]["low"] > rows[0]["high"] - rows[0]["low"]


def test_models_with_different_extra_rows_are_compared(page_set):
    """Rows that only one of them gives are wrong values of it."""
    extra = Comparison("line_items.amount", None, "1", 0.9, row=0, extra=True)
    mine = outcome(0, True)
    more = PageOutcome(**{**vars(mine), "comparisons": (*mine.comparisons, extra)})
    pairs = {"mine": [(more, mine)]}

    built = build_report("Comparison", {"mine": page_set[:1]}, pairs, comparison_scores(pairs))

    assert [(row.cells[0], row.wrong) for row in built.samples[0].table.rows] == [
        ("total", False), ("line_items.amount", True)
    ]  # fmt: skip


def test_values_of_a_row_are_accepted_with_their_list():
    """Reasons for a review name the list, not its fields."""
    value = Comparison("line_items.amount", "1", "1", 0.4)
    page = PageOutcome("1", "receipt", (value,), True, True, review_reasons=("uncertain:line_items",))

    assert not is_accepted(value, page)
    assert is_accepted(Comparison("total", "1", "1", 0.9), page)
    assert not is_accepted(Comparison("tip", "1", None), page)

"""Confidences that mean what they say."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from PIL import Image

from docextract.documents import document_types
from docextract.extraction.layout.spans import Candidate, Candidates
from training.commands.calibrate import Trial, fit, left_out, pixel_trials, sheet_trials
from training.datasets.page import LabelledPage
from training.evaluation.accuracy.sureness import expected_calibration_error, summary


def trials(count, field="total", overconfident=True):
    """Candidates of a network that is right less often than it thinks."""
    rng = np.random.default_rng(4)
    made = []
    for number in range(count):
        support = float(rng.uniform(0.5, 0.999))
        right = rng.random() < (support**3 if overconfident else support)
        candidate = Candidate(field, "9.00", 9 if right else 8, (0,), support, support, 1.0, 0.99)
        made.append(Trial(field, candidate, 9, page=str(number)))
    return made


def test_an_overconfident_network_is_put_right():
    """Of the values given 0.9, nine in ten are right."""
    some = trials(3000)
    fitted = fit(some)

    right = [trial.right for trial in some]
    before = expected_calibration_error([trial.candidate.support for trial in some], right)
    after = expected_calibration_error([fitted.confidence(trial.candidate) for trial in some], right)
    assert before > 0.1
    assert after < 0.03


def test_a_field_with_few_examples_leans_on_what_all_have_in_common():
    """Ten lucky examples would promise anything."""
    lucky = [trial for trial in trials(40, field="tip") if trial.right][:10]
    fitted = fit([*trials(500), *lucky])
    doubtful = replace(lucky[0].candidate, support=0.6, probability=0.6)

    tip, total = (fitted.confidence(replace(doubtful, field=name)) for name in ("tip", "total"))
    assert total < tip < 0.7


def test_sheets_do_not_outweigh_real_pages():
    """They are read too well, and there are ten times as many of them."""
    real = trials(100)
    sheets = [replace(trial, source="sheet", wanted=trial.candidate.value) for trial in trials(1000)]
    fitted = fit([*real, *sheets])

    sure = sum(fitted.confidence(trial.candidate) for trial in real) / len(real)
    assert sure == pytest.approx(sum(trial.right for trial in real) / len(real), abs=0.12)


def test_letters_that_were_hardly_read_make_a_value_doubtful():
    """However sure the network is that it is the name."""
    rng = np.random.default_rng(2)
    made = []
    for doubted in rng.uniform(0, 3, 400).tolist():
        candidate = Candidate("merchant_name", "MART", "MART", (0,), 0.99, 0.99, 1.0, 0.9, 0.99, doubted=doubted)
        made.append(Trial("merchant_name", candidate, "MART" if rng.random() < 1 - doubted / 3 else "MARK"))
    fitted = fit(made)

    clear, dim = (fitted.confidence(replace(made[0].candidate, doubted=doubted)) for doubted in (0.1, 2.5))
    assert clear > 0.8
    assert dim < 0.3


def test_what_is_told_of_confidences_was_left_out_of_the_fit():
    """Chance would else look like knowledge: here whether a value is right depends on nothing."""
    rng = np.random.default_rng(5)
    made = []
    for page in range(30):
        support = float(rng.uniform(0.5, 0.999))
        right = rng.random() < 0.5
        made += [
            Trial(
                "total", Candidate("total", "9", 9, (0,), support, support, 1.0, 0.9), 9 if right else 8, page=str(page)
            )
        ] * 4
    told = [judged for _, judged in left_out(made)]

    assert len(told) == len(made)
    assert summary(told)["surest_right"] < 0.7


def test_values_for_absent_fields_are_kept_rare():
    """The bar is set where at most two in a hundred absent fields would get a value."""
    rng = np.random.default_rng(1)
    absent = [Trial("tip", Candidate("tip", "1", 1, (0,), s, s, 1.0, 0.99), None) for s in rng.uniform(0, 0.6, 1000)]
    fitted = fit([*trials(200), *absent])

    assert sum(fitted.accepts(trial.candidate) for trial in absent) <= 20


def test_the_error_of_a_calibrated_guess_is_none():
    """And that of a wrong one is its distance."""
    assert expected_calibration_error([0.5] * 100, [True, False] * 50) == pytest.approx(0.0)
    assert expected_calibration_error([0.9] * 100, [True, False] * 50) == pytest.approx(0.4)


class SaysTheSame:
    """Of every page."""

    def candidates(self, pages):
        assert [page.shape for page in pages] == [(80, 90, 3)]
        total = Candidate("total", "9.00", Decimal("9.00"), (), 0.9, 0.9, 0.8, 0.95)
        tip = Candidate("tip", "1.00", Decimal("1.00"), (), 0.4, 0.4, 0.2, 0.5)
        rows = [
            {
                "quantity": Candidate("line_items.quantity", str(count), Decimal(count), (), 0.9, 0.9, 1.0, 0.95),
                "description": Candidate("line_items.description", name, name, (), 0.9, 0.9, 1.0, 0.95),
            }
            for count, name in ((1, "TEA"), (2, "RICE"), (7, "VAT"))
        ]
        return [Candidates({"total": total, "tip": tip}, {"line_items": rows})]


def found_on(tmp_path, fields):
    """Trials of one picture with these labels, and of one that cannot be opened."""
    Image.new("RGB", (90, 80)).save(tmp_path / "1.png")
    (tmp_path / "2.png").write_text("no picture")
    labels = [LabelledPage(tmp_path / name, "receipt", fields) for name in ("1.png", "2.png")]
    return list(pixel_trials(SaysTheSame(), labels))


def test_a_network_that_reads_pixels_is_tried_on_labelled_pages(tmp_path):
    """What is labelled counts, also as absent; a picture that cannot be opened does not."""
    found = found_on(tmp_path, {"total": "9.00", "transaction_date": "2018-12-25", "tip": None})

    assert {trial.field: (trial.right, trial.wanted) for trial in found} == {
        "total": (True, Decimal("9.00")), "transaction_date": (False, date(2018, 12, 25)), "tip": (False, None),
    }  # fmt: skip


def test_rows_are_tried_beside_those_they_are_meant_for(tmp_path):
    """A row that was missed costs itself alone; what is in a row that should not be there is wrong."""
    items = [{"quantity": "5", "description": "SALT"}, {"quantity": "2", "description": "RICE"}]
    found = found_on(tmp_path, {"line_items": [{"quantity": "1", "description": "TEA"}, *items]})

    assert {trial.candidate.content: trial.right for trial in found} == {
        "1": True, "TEA": True, "2": True, "RICE": True, "7": False, "VAT": False,
    }  # fmt: skip
    assert {trial.field for trial in found} == {"line_items.quantity", "line_items.description"}


class Says:
    """This merchant's name, of every page."""

    def __init__(self, name):
        self.name = Candidate("merchant_name", name, name, (), 0.9, 0.9, 0.8, 0.95)

    def candidates(self, pages):
        return [Candidates({"merchant_name": self.name}, {}) for _ in pages]


class FindsNothing:
    """On any page."""

    def candidates(self, kind, lines):
        return Candidates({}, {})


def test_what_a_label_says_would_be_as_right_is(tmp_path):
    """A name with or without its second line."""
    also = {"merchant_name": ("GRILL & BAR",)}
    label = LabelledPage(tmp_path / "a.jpg", "receipt", {"merchant_name": "GRILL"}, also=also)

    def trial(name: str) -> Trial:
        (only,) = pixel_trials(Says(name), [label])
        return only

    Image.new("RGB", (90, 80)).save(label.image)
    assert trial("GRILL").right
    assert trial("Grill & Bar").right
    assert not trial("BAR").right


def test_a_sheet_tells_what_is_not_on_it():
    """Every single field is tried on each, printed or not."""
    kind = document_types()["receipt"]
    found = list(sheet_trials(FindsNothing(), kind, 3))

    assert len(found) == 3 * sum(field.group is None for field in kind.fields())
    assert {trial.wanted is None for trial in found} == {True, False}

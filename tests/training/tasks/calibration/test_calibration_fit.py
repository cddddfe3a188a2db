"""Tests of fitting confidences."""

from argparse import Namespace
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docextract.documents import document_types
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.predictions import Assessment
from training.commands import calibrate
from training.datasets.filled_templates import FilledTemplate
from training.datasets.page import LabelledPage
from training.evaluation.confidence_curves import confidence_summary, expected_calibration_error
from training.evaluation.real_documents import RealDocument
from training.synth.sheet import Sheet, Text
from training.tasks.calibration import left_out
from training.tasks.calibration.examples import (
    CalibrationExample,
    collection_examples,
    pixel_examples,
    sheet_examples,
    template_examples,
)
from training.tasks.calibration.fitting import fit_calibration
from training.tasks.calibration.left_out import cross_validate


def examples(count, field="total", overconfident=True):
    """Candidates of a network that is right less often than its support says."""
    rng = np.random.default_rng(4)
    made = []
    for number in range(count):
        support = float(rng.uniform(0.5, 0.999))
        right = rng.random() < (support**3 if overconfident else support)
        candidate = Candidate(field, "9.00", 9 if right else 8, (0,), support, support, 1.0, 0.99)
        made.append(CalibrationExample("receipt", field, candidate, 9, page=str(number)))
    return made


def test_rows_that_cannot_be_used_are_reported(tmp_path, capsys):
    """They are not left out silently."""
    (tmp_path / "labels.jsonl").write_text("{\n")
    options = Namespace(labelled=[tmp_path], models=Path("models"))

    assert list(calibrate._imported_examples(Namespace(types=("receipt",)), options)) == []
    assert "labels.jsonl:1: not used: no JSON" in capsys.readouterr().err


def test_an_overconfident_network_is_calibrated():
    """Nine in ten of the values with confidence 0.9 are right after the fit_calibration."""
    some = examples(3000)
    fitted = fit_calibration(some)

    right = [example.right for example in some]
    before = expected_calibration_error([example.candidate.support for example in some], right)
    after = expected_calibration_error([fitted.confidence(example.candidate) for example in some], right)
    assert before > 0.1
    assert after < 0.03


def test_a_field_with_few_examples_stays_near_the_common_model():
    """Ten examples that happen to be right do not give a high confidence."""
    lucky = [example for example in examples(40, field="tip") if example.right][:10]
    fitted = fit_calibration([*examples(500), *lucky])
    doubtful = replace(lucky[0].candidate, support=0.6, probability=0.6)

    tip, total = (fitted.confidence(replace(doubtful, field=name)) for name in ("tip", "total"))
    assert total < tip < 0.7


def test_sheets_do_not_outweigh_real_pages():
    """They are read too well, and there are ten times as many of them."""
    real = examples(100)
    sheets = [replace(example, source="sheet", expected=example.candidate.value) for example in examples(1000)]
    fitted = fit_calibration([*real, *sheets])

    sure = sum(fitted.confidence(example.candidate) for example in real) / len(real)
    assert sure == pytest.approx(sum(example.right for example in real) / len(real), abs=0.12)


def test_unclear_characters_lower_the_confidence():
    """Even if the network is certain about the field."""
    rng = np.random.default_rng(2)
    made = []
    for doubted in rng.uniform(0, 3, 400).tolist():
        candidate = Candidate("merchant_name", "MART", "MART", (0,), 0.99, 0.99, 1.0, 0.9, 0.99, doubted=doubted)
        expected = "MART" if rng.random() < 1 - doubted / 3 else "MARK"
        made.append(CalibrationExample("receipt", "merchant_name", candidate, expected))
    fitted = fit_calibration(made)

    clear, dim = (fitted.confidence(replace(made[0].candidate, doubted=doubted)) for doubted in (0.1, 2.5))
    assert clear > 0.8
    assert dim < 0.3


def test_reported_confidences_are_cross_validated():
    """If right values depend on nothing, the reported figures must not look informative."""
    rng = np.random.default_rng(5)
    made = []
    for page in range(30):
        support = float(rng.uniform(0.5, 0.999))
        right = rng.random() < 0.5
        candidate = Candidate("total", "9", 9, (0,), support, support, 1.0, 0.9)
        made += [CalibrationExample("receipt", "total", candidate, 9 if right else 8, page=str(page))] * 4
    results = [judged for _, judged in cross_validate(made)]

    assert len(results) == len(made)
    assert confidence_summary(results)["right_of_most_confident"] < 0.7


def test_confidences_are_means_over_several_divisions(monkeypatch):
    """So they depend less on which pages were left out together."""
    made = [replace(one, page=str(at), source="real") for at, one in enumerate(examples(60))]

    def confidences(repeats):
        monkeypatch.setattr(left_out, "REPEATS", repeats)
        return np.array([judged.confidence for _, judged in cross_validate(made)])

    one, many = confidences(1), confidences(5)

    assert len(one) == len(many) == 60
    assert not np.array_equal(one, many)
    assert np.abs(one - many).max() < 0.2


def test_few_absent_fields_get_a_value():
    """The threshold lets at most 2 % of the absent fields get a value."""
    rng = np.random.default_rng(1)
    absent = [
        CalibrationExample("receipt", "tip", Candidate("tip", "1", 1, (0,), s, s, 1.0, 0.99), None)
        for s in rng.uniform(0, 0.45, 1000)
    ]
    fitted = fit_calibration([*examples(200), *absent])

    assert sum(fitted.accepts(example.candidate) for example in absent) <= 20


def test_what_is_more_likely_than_not_is_given():
    """However often synthetic pages without the field had such a candidate."""
    candidate = Candidate("tip", "1", 1, (0,), 0.6, 0.6, 1.0, 0.99)
    absent = [CalibrationExample("receipt", "tip", candidate, None)] * 100

    assert fit_calibration([*examples(200), *absent]).accepts(candidate)


def test_the_calibration_error_of_a_calibrated_guess_is_0():
    """The error of a calibrated guess is 0; that of a wrong guess is its distance."""
    assert expected_calibration_error([0.5] * 100, [True, False] * 50) == pytest.approx(0.0)
    assert expected_calibration_error([0.9] * 100, [True, False] * 50) == pytest.approx(0.4)


class PagesModel:
    """A model with one candidate for each page, in the order in which pages are asked for: (value, support)."""

    def __init__(self, *pages):
        self._pages = list(pages)

    def candidates(self, kind, pages):
        return [self._candidates(*self._pages.pop(0)) for _ in pages]

    def _candidates(self, value, support):
        candidate = Candidate("total", value, Decimal(value), (), support, support, 1.0, 0.99)
        return Candidates({"total": candidate}, {})


class TwoPages:
    """A reader of documents of two pages."""

    def lines(self, path):
        return [(), ()]


def test_of_several_pages_the_likeliest_value_counts():
    """And a field that the document type does not have is left out."""
    labels = {"total": "119.00", "iban": None, "note": "?"}
    document = RealDocument(Path("a.pdf"), "invoice", "plain", labels)

    total, iban = sorted(
        collection_examples(PagesModel(("9.00", 0.4), ("119.00", 0.9)), [document], TwoPages()),
        key=lambda example: -len(example.field),
    )

    assert (total.candidate.content, total.right, total.page) == ("119.00", True, "plain")
    assert [one.content for one in total.by_page] == ["9.00", "119.00"]
    assert (iban.candidate, iban.expected) == (None, None)


def test_filled_layouts_give_examples_of_the_fields_that_templates_mark():
    """Those printed have every valid reading; of several pages the likeliest value counts.

    A field that one template marks is absent from the others; one that none marks may be printed all the same.
    """
    texts = [
        Text("119,00 EUR", 150, 100, 20, 4, "total", "sans"),
        Text("Holzhof", 20, 20, 20, 4, "vendor_name", "sans"),
    ]
    sheets = (Sheet(210.0, 297.0, tuple(texts)), Sheet(210.0, 297.0))
    document = FilledTemplate("plain", 0, "invoice", "de", "DE", "EUR", "DMY", sheets)
    iban = Sheet(210.0, 297.0, (Text("DE89 3704 0044 0532 0130 00", 20, 250, 60, 4, "iban", "sans"),))
    other = FilledTemplate("other", 0, "invoice", "de", "DE", "EUR", "DMY", (iban,))

    examples = template_examples(PagesModel(("119.00", 0.9), ("9.00", 0.4), ("9.00", 0.4)), [document, other])
    found = {one.field: one for one in examples if one.page == "plain"}

    assert found.keys() == {"total", "vendor_name", "iban"}
    assert (found["total"].right, found["total"].source, found["total"].page) == (True, "template", "plain")
    assert (found["vendor_name"].candidate, found["vendor_name"].expected) == (None, "Holzhof")
    assert found["iban"].expected is None


class ConstantModel:
    """A model with the same candidates for every page."""

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


class Finder:
    """A quality model that finds documents with this outline; by default none."""

    def __init__(self, polygon=None):
        self.polygon = polygon

    async def assess(self, glimpses):
        detected = 0.0 if self.polygon is None else 0.99
        return [Assessment(detected, "receipt", detected, "front", self.polygon, 0, {}) for _ in glimpses]


def found_on(tmp_path, fields):
    """Examples of one picture with these labels, and of one that cannot be opened."""
    Image.new("RGB", (90, 80)).save(tmp_path / "1.png")
    (tmp_path / "2.png").write_text("no picture")
    labels = [LabelledPage(tmp_path / name, "receipt", fields) for name in ("1.png", "2.png")]
    return list(pixel_examples(ConstantModel(), labels, Finder()))


def test_examples_of_a_pixel_model_are_the_labelled_fields(tmp_path):
    """Labelled fields count, absent ones included; a picture that cannot be opened does not."""
    found = found_on(tmp_path, {"total": "9.00", "document_date": "2018-12-25", "tip": None})

    assert {example.field: (example.right, example.expected) for example in found} == {
        "total": (True, Decimal("9.00")), "document_date": (False, date(2018, 12, 25)), "tip": (False, None),
    }  # fmt: skip


def test_rows_are_compared_with_their_matching_rows(tmp_path):
    """A missed row does not affect others; values of a row that should not exist are wrong."""
    items = [{"quantity": "5", "description": "SALT"}, {"quantity": "2", "description": "RICE"}]
    found = found_on(tmp_path, {"line_items": [{"quantity": "1", "description": "TEA"}, *items]})

    assert {example.candidate.content: example.right for example in found} == {
        "1": True, "TEA": True, "2": True, "RICE": True, "7": False, "VAT": False,
    }  # fmt: skip
    assert {example.field for example in found} == {"line_items.quantity", "line_items.description"}


class NameModel:
    """A model that finds this merchant name on every page."""

    def __init__(self, name):
        self.name = Candidate("merchant_name", name, name, (), 0.9, 0.9, 0.8, 0.95)

    def candidates(self, pages):
        return [Candidates({"merchant_name": self.name}, {}) for _ in pages]


class EmptyExtractor:
    """An extractor without candidates."""

    def candidates(self, kind, pages):
        return [Candidates({}, {}) for _ in pages]


def test_the_labelled_page_is_cut_out_as_the_service_does(tmp_path):
    """Of a file with several pages the labelled one; of a photo its document."""
    shades = [Image.new("RGB", (400, 300), (shade,) * 3) for shade in (250, 120)]
    shades[0].save(tmp_path / "two.tiff", save_all=True, append_images=shades[1:])
    photo = Image.new("RGB", (400, 300), (20, 20, 20))
    photo.paste((220, 220, 220), (100, 75, 300, 225))
    photo.save(tmp_path / "photo.png")
    outline = np.array([[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]])
    seen = []

    class Seeing(NameModel):
        def candidates(self, pages):
            seen.extend(pages)
            return super().candidates(pages)

    for name, number, finder in (("two.tiff", 2, Finder()), ("photo.png", None, Finder(outline))):
        label = LabelledPage(tmp_path / name, "receipt", {"merchant_name": "GRILL"}, page=number)
        list(pixel_examples(Seeing("GRILL"), [label], finder))

    assert round(float(np.median(seen[0]))) == 120
    assert np.median(seen[1]) == 220


def test_alternative_labels_are_right(tmp_path):
    """A name is right with or without its second line."""
    also = {"merchant_name": ("GRILL & BAR",)}
    label = LabelledPage(tmp_path / "a.jpg", "receipt", {"merchant_name": "GRILL"}, alternatives=also)

    def example(name: str) -> CalibrationExample:
        (only,) = pixel_examples(NameModel(name), [label], Finder())
        return only

    Image.new("RGB", (90, 80)).save(label.image)
    assert example("GRILL").right
    assert example("Grill & Bar").right
    assert not example("BAR").right


def test_a_sheet_gives_examples_of_absent_fields():
    """Every single field of each sheet gives an example, whether it is printed or not."""
    kind = document_types()["receipt"]
    found = list(sheet_examples(EmptyExtractor(), kind, 3))

    assert len(found) == 3 * sum(field.group is None for field in kind.fields())
    assert {example.expected is None for example in found} == {True, False}

"""Measuring on collections of real documents."""

import json
import os

import numpy as np
import pypdfium2
import pytest

from tests.documents.einvoice_files import cii
from training import metrics
from training.evaluation import real_documents
from training.evaluation.bootstrap import interval
from training.evaluation.real_documents import FieldResult, RealDocument, Result

INVOICE = {
    "image": "one.pdf",
    "type": "invoice",
    "template": "plain",
    "fields": {"document_number": "A-1", "vendor_name": "Acme  Ltd.", "iban": None, "total": "5.00",
               "currency": "EUR", "items_count": 2},
    "also": {"document_number": ["A1"]},
}  # fmt: skip


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "one.pdf").write_bytes(b"%PDF")
    (tmp_path / "labels.jsonl").write_text(json.dumps(INVOICE) + "\n")
    return tmp_path


def answer(**fields):
    return {"documents": [{"type": "invoice", "fields": fields}]}


def value(found, confidence=0.9):
    return {"value": found, "confidence": confidence}


def results_for(collection, body):
    (result,) = real_documents.measure(real_documents.read_collection(collection), lambda path: body)
    return {one.name: one for one in result.fields}


def test_values_are_compared_typed(collection):
    """5 EUR is 5.00 EUR, and white space does not matter."""
    total = {"value": {"amount": "5", "currency": "EUR"}, "confidence": 0.9}
    found = results_for(collection, answer(vendor_name=value("ACME LTD."), total=total))

    assert found["vendor_name"].is_right(metrics.exact_form)
    assert found["total"].is_right(metrics.exact_form)
    assert found["currency"].is_right(metrics.exact_form)


@pytest.mark.parametrize(
    ("label", "right"), [("95.00", ["95.00", "100.00"]), ("94.00", ["94.00"])], ids=["of the invoice", "another"]
)
def test_subtotals_before_and_after_discounts_are_right(collection, label, right):
    """If the e-invoice of the PDF has both, and one of them is the label."""
    pdf = pypdfium2.PdfDocument.new()
    pdf.new_page(200, 300)
    both = b"<ram:TaxBasisTotalAmount>95.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount"
    pdf.new_attachment("factur-x.xml").set_data(cii().replace(b"<ram:TaxTotalAmount", both, 1))
    pdf.save(collection / "one.pdf")
    (collection / "labels.jsonl").write_text(json.dumps({**INVOICE, "fields": {"subtotal": label}}) + "\n")

    for amount in ("100.00", "95.00", "94.00"):
        found = results_for(collection, answer(subtotal=value({"amount": amount, "currency": "EUR"})))
        assert found["subtotal"].is_right(metrics.exact_form) == (amount in right)


def test_the_first_rows_are_compared(collection):
    """A row that is missing has no value right; further rows of the answer are not counted."""
    labelled = {**INVOICE, "fields": {**INVOICE["fields"], "items": [{"description": "Tea", "unit_price": "0.0520"}]}}
    (collection / "labels.jsonl").write_text(json.dumps(labelled) + "\n")
    rows = [{"description": value("Rice")}, {"description": value("TEA"), "unit_price": value({"amount": "0.0520"})}]
    body = answer(line_items={"items": [{"fields": row} for row in rows]})

    (right,) = real_documents.measure(real_documents.read_collection(collection), lambda path: body)
    (missed,) = real_documents.measure(real_documents.read_collection(collection), lambda path: answer())

    assert [row.is_whole for row in right.rows] == [True]
    assert [(row.is_whole, row.predicted) for row in missed.rows] == [(False, {})]


def test_other_valid_readings_are_right_and_missing_values_are_not(collection):
    """A label may name several readings; no value is never a right value."""
    found = results_for(collection, answer(document_number=value("a1")))

    assert found["document_number"].is_right(metrics.exact_form)
    assert not found["vendor_name"].is_right(metrics.loose_form)
    assert not found["number of rows"].is_right(metrics.exact_form)


def test_a_refused_document_has_no_field_right(collection):
    """An error is not left out of the count."""
    found = results_for(collection, {"code": "image_too_small"})

    assert len(found) == 6
    assert not any(one.is_right(metrics.exact_form) for one in found.values())


def test_invented_values_are_counted(collection):
    """A value for a field that is not on the document is in the last column."""
    found = results_for(collection, answer(iban=value("DE89370400440532013000")))

    rows = list(real_documents.field_table(list(found.values())))

    assert rows[-1].startswith("| **all** | 5 | 0.0%")
    assert rows[-1].endswith("| 1 of 1 |")


def test_interval_is_over_templates_not_documents():
    """A hundred documents of one template say no more about other templates than one does."""
    names, values = list("abcdef"), [1.0, 0.0] * 3
    few = interval(names, values)
    many = interval(names * 100, values * 100)

    assert few == many
    assert few[0] < 0.2 < 0.8 < few[1]


def test_few_templates_do_not_tell():
    """Of one template every sample is the same, which would look certain."""
    assert interval(["a"] * 100 + list("bcd"), [1.0] * 103) == (0.0, 1.0)


def test_confidence_is_compared_with_what_is_right():
    """The surest four of five values are reported apart."""
    results = [
        FieldResult("a", "total", "x", "x" if number else "y", confidence=0.5 + number / 10) for number in range(5)
    ]

    line = real_documents.confidence_line(results)

    assert "Of 5 values with a confidence 80.0% are right" in line
    assert "mean confidence is 70.0%" in line
    assert "Of the surest 80 % 100.0% are right" in line


def test_refusal_is_reported_for_hard_kinds_apart(tmp_path):
    """Payslips and purchase orders look like invoices; letters do not."""
    results = [
        Result(RealDocument(tmp_path, "other", kind, hard=hard), predicted)
        for kind, hard, predicted in (
            ("letter", False, "other"),
            ("payslip", True, "invoice"),
            ("order", True, "other"),
        )
    ]

    rows = list(real_documents.refusal_table(results))

    assert rows[2].startswith("| all kinds | 3 | 66.7% |")
    assert rows[3].startswith("| hard kinds | 2 | 50.0% |")


def test_page_names_the_models_and_each_collection(collection, tmp_path):
    """A reader sees what was measured, when, and with which version."""
    results = real_documents.measure(
        real_documents.read_collection(collection), lambda path: answer(document_number=value("A-1"))
    )

    text = real_documents.page({"Invoices": results}, "extraction 9.9.9")

    assert "extraction 9.9.9" in text
    assert "## Invoices" in text
    assert "| `document_number` | 1 | 100.0% |" in text


def test_a_missing_file_is_named(collection):
    """A collection that was copied in part is not measured in part."""
    (collection / "one.pdf").unlink()

    with pytest.raises(FileNotFoundError, match=r"one\.pdf"):
        real_documents.read_collection(collection)


@pytest.mark.parametrize(
    "labels",
    [
        {"fields": {"total": "1.234,00"}},
        {"fields": {"items": [{"amount": "5,00"}]}},
        {"also": {"due_date": ["1.2.2024"]}},
    ],
    ids=["field", "row", "also"],
)
def test_a_label_in_another_form_is_named(collection, labels):
    """Its meaning would be guessed: 1.234 is 1.234 in labels."""
    (collection / "labels.jsonl").write_text(json.dumps(INVOICE) + "\n" + json.dumps(INVOICE | labels) + "\n")

    with pytest.raises(ValueError, match=r"labels\.jsonl:2: .* is not a "):
        real_documents.read_collection(collection)


def test_mean_is_inside_its_interval():
    """For any values."""
    rng = np.random.default_rng(3)
    values = rng.random(40)

    low, high = interval([f"t{number % 7}" for number in range(40)], list(values))

    assert low < values.mean() < high


def test_cross_validated_types_are_reported():
    """In place of figures on pages that the head has learned from."""
    results = {
        "other": {"pages": 4, "right": 0.75, "other": 0.75, "documents": 3, "refused": 0.6667, "low": 0.0, "high": 1.0}
    }
    rows = list(real_documents.types_section(results))

    assert rows[-1] == "| other | 4 | 75.0% | 75.0% | 3 | 66.7% | 0.0% to 100.0% |"
    assert "## Types of pages" in real_documents.page({}, "", results)


def test_confidences_left_out_of_the_fit_are_reported():
    """The lines of the collections themselves are of the fit."""
    accepted = {
        "0.01": {"values": 300, "accepted": 200, "wrong": 1},
        "0.02": {"values": 300, "accepted": 240, "wrong": 6},
    }
    own = {"values": 300, "right": 0.91, "mean_confidence": 0.9, "right_of_most_confident": 0.95, "accepted": accepted}

    text = " ".join(real_documents.page({}, "", None, {"collection": own}).split())

    assert "Of 300 values 91.0% are right in letters and digits; their mean confidence is 90.0%." in text
    assert "Of the surest 80 % 95.0% are right." in text
    assert "| invoices and cards | 300 | 66.7% | 0.5% (1) | 80.0% | 2.5% (6) |" in text


def test_an_e_invoice_can_be_left_out(tmp_path):
    """The copy has the same pages and no attachments; a picture stays itself."""
    pdf = pypdfium2.PdfDocument.new()
    pdf.new_page(200, 300)
    pdf.new_attachment("factur-x.xml").set_data(b"<Invoice/>")
    pdf.save(tmp_path / "a.pdf")
    (tmp_path / "copies").mkdir()
    documents = [real_documents.RealDocument(tmp_path / name, "invoice", "plain") for name in ("a.pdf", "b.jpg")]

    copied, picture = real_documents.without_attachments(documents, tmp_path / "copies")

    copy = pypdfium2.PdfDocument(copied.path)
    assert (len(copy), copy.count_attachments()) == (1, 0)
    assert pypdfium2.PdfDocument(tmp_path / "a.pdf").count_attachments() == 1
    assert picture == documents[1]
    written = copied.path.read_bytes()
    real_documents.without_attachments(documents, tmp_path / "copies")
    assert copied.path.read_bytes() == written


def test_only_a_whole_copy_of_the_same_file_is_kept(tmp_path, monkeypatch):
    """A file of the same name that was replaced by an older one is copied; a copy that broke off is made again."""
    pdf = pypdfium2.PdfDocument.new()
    pdf.new_page(200, 300)
    pdf.save(tmp_path / "a.pdf")
    (tmp_path / "copies").mkdir()
    documents = [real_documents.RealDocument(tmp_path / "a.pdf", "invoice", "plain")]

    def break_off(pdf, target):
        target.write_bytes(b"%PDF")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(pypdfium2.PdfDocument, "save", break_off)
        with pytest.raises(KeyboardInterrupt):
            real_documents.without_attachments(documents, tmp_path / "copies")
    (first,) = real_documents.without_attachments(documents, tmp_path / "copies")
    assert len(pypdfium2.PdfDocument(first.path)) == 1

    pdf.new_page(200, 300)
    pdf.save(tmp_path / "a.pdf")
    os.utime(tmp_path / "a.pdf", (0, 0))
    (second,) = real_documents.without_attachments(documents, tmp_path / "copies")
    assert len(pypdfium2.PdfDocument(second.path)) == 2

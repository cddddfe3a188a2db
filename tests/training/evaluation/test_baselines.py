"""Tests of the baselines: their rules must work on usual documents."""

import numpy as np

from training.evaluation import baselines

RECEIPT = [
    "BOOK TA .K (TAMAN DAYA) SDN BHD", "789417-W", "NO.53 55,57 & 59, JALAN SAGU 18,", "TAMAN DAYA,",
    "81100 JOHOR BAHRU,", "TEL: 07-355 1234", "Document No : TD01167104", "Date: 25/12/2018 8:13:39 PM",
    "KF MODELLING CLAY KIDDY FISH 9.00", "SUB TOTAL 9.00", "Rounded Total (RM) 9.05", "CASH 10.00", "CHANGE 0.95",
]  # fmt: skip


def values(kind, lines):
    """The values that the rules find, without the JSON around them."""
    (document,) = baselines.baseline_answer(kind, lines)["documents"]
    return {name: field["value"] for name, field in document["fields"].items()}


def test_the_rules_read_a_usual_receipt():
    """The rules read a plain receipt right."""
    found = values("receipt", RECEIPT)

    assert found["merchant_name"] == "BOOK TA .K (TAMAN DAYA) SDN BHD"
    assert found["merchant_address"] == "NO.53 55,57 & 59, JALAN SAGU 18, TAMAN DAYA, 81100 JOHOR BAHRU,"
    assert found["document_date"] == "2018-12-25"
    assert found["total"]["amount"] == "9.05"
    assert found["change"]["amount"] == "0.95"
    assert found["document_number"] == "TD01167104"


def test_without_a_label_the_largest_amount_is_the_total():
    """A total whose label was misread is found."""
    assert values("receipt", ["SHOP", "Bread 2.40", "T0TXL 1,204.50"])["total"]["amount"] == "1204.50"


def test_dollar_signs_mean_month_first():
    """Dollar signs mean month first, unless there is a sign of another country."""
    assert values("receipt", ["DINER", "03/04/2019", "Total $8.00"])["document_date"] == "2019-03-04"
    assert values("receipt", ["CAFE", "03/04/2019", "Total RM 8.00 $"])["document_date"] == "2019-04-03"


def test_an_invoice_is_read_by_its_labels():
    """Number, both dates and the IBAN are found by their labels."""
    found = values(
        "invoice",
        ["Acme Ltd", "Invoice No: INV-2041", "Invoice date: 03.05.2024", "Due date: 02.06.2024",
         "VAT 20% 20.00", "Grand total 120.00", "DE89 3704 0044 0532 0130 00"],
    )  # fmt: skip

    assert found["document_number"] == "INV-2041"
    assert (found["document_date"], found["due_date"]) == ("2024-05-03", "2024-06-02")
    assert (found["total_tax"]["amount"], found["total"]["amount"]) == ("20.00", "120.00")
    assert found["iban"] == "DE89370400440532013000"


def test_a_passports_zone_is_cut_at_its_columns():
    """The specimen zone of ICAO Doc 9303 gives its holder's data."""
    zone = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]

    found = values("passport", ["PASSPORT", *zone])

    assert (found["family_name"], found["given_name"]) == ("ERIKSSON", "ANNA MARIA")
    assert (found["document_number"], found["nationality"]) == ("L898902C3", "UTO")
    assert (found["birth_date"], found["expiry_date"], found["sex"]) == ("1974-08-12", "2012-04-15", "F")


def test_a_card_without_a_zone_is_read_by_its_labels():
    """The text behind a label in English, or below it."""
    found = values("id_card", ["Surname: ERIKSSON", "Given Names", "ANNA MARIA"])

    assert (found["family_name"], found["given_name"]) == ("ERIKSSON", "ANNA MARIA")


def test_boxes_side_by_side_form_one_line():
    """A label at the left and its amount at the right form one line, from the left."""
    boxes = [np.array([[x, y], [x + 40, y], [x + 40, y + 10], [x, y + 10]]) for x, y in ((200, 52), (10, 50), (10, 20))]

    assert baselines.join_rows(boxes, ["9.00", "TOTAL", "SHOP"]) == ["SHOP", "TOTAL 9.00"]


def test_a_page_without_text_has_no_fields():
    """The rules invent nothing."""
    assert all(values(kind, []) == {} for kind in baselines.RULES)

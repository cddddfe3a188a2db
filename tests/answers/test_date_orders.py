"""The order of day and month, as the due date shows it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from docextract.answers.date_orders import MAX_INFERRED_CONFIDENCE, with_dates_in_order
from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, TextLine

INVOICE = document_types()["invoice"]


def page(order, *lines, **dates):
    """A page whose dates are read in an order."""
    conventions = Conventions(order)
    kinds = {field.name: field.kind for field in INVOICE.fields()}
    fields = {
        name: PredictedValue(text, kinds[name].parse(text, conventions), 0.99, ()) for name, text in dates.items()
    }
    texts = [*dates.values(), *lines]
    printed = tuple(TextLine(text, np.zeros((4, 2), np.float32), 1.0) for text in texts)
    row = {"amount": PredictedValue("9.00", Decimal(9), 0.9, ())}
    return PagePrediction("invoice", 0.99, conventions, fields, {"line_items": (row,)}, printed)


def estimated(one, **probabilities):
    """The page with the probabilities of its orders."""
    return replace(one, conventions=replace(one.conventions, date_order_probabilities=probabilities))


def dates_of(*pages):
    return [{name: one.value for name, one in found.fields.items()} for found in with_dates_in_order(pages, INVOICE)]


def test_an_invoice_is_not_due_before_its_date():
    """Also the date on another page is read in the other order; both are less certain."""
    first = page("MDY", document_date="04/03/2025", due_date="03/04/2025")
    second = page("MDY", document_date="04/03/2025")

    found = with_dates_in_order([first, second], INVOICE)

    assert [one.fields["document_date"].value for one in found] == [date(2025, 3, 4)] * 2
    assert (found[0].fields["due_date"].value, found[0].conventions.date_order) == (date(2025, 4, 3), "DMY")
    assert {one.confidence for one in found[0].fields.values()} == {MAX_INFERRED_CONFIDENCE}


def test_dates_with_the_name_of_a_month_stay():
    """The order of the other one may be wrong."""
    (found,) = dates_of(page("DMY", document_date="March 4, 2025", due_date="04/03/2025"))
    (other,) = dates_of(page("DMY", document_date="March 20, 2025", due_date="04/03/2025"))

    assert found["due_date"] == date(2025, 3, 4)  # on the same day
    assert other == {"document_date": date(2025, 3, 20), "due_date": date(2025, 4, 3)}


@pytest.mark.parametrize(
    "one",
    [
        page("DMY", document_date="03/04/2025", due_date="04/05/2025"),  # in order
        page("DMY", document_date="03/05/2025", due_date="02/04/2025"),  # in neither
        page("MDY", "Delivered 12/24/2024", document_date="04/03/2025", due_date="03/04/2025"),  # proven
        page("MDY", "Delivered 12/24/24", document_date="04/03/2025", due_date="03/04/2025"),
        page("MDY", "Delivered 12–24–2024", document_date="04/03/2025", due_date="03/04/2025"),
        page("DMY", "Delivered 31\u201112\u20112024", document_date="02/05/2025", due_date="05/04/2025"),
        page("DMY", "Service period 2 May 2025", document_date="02/05/2025", due_date="05/04/2025"),  # confirmed
        page("DMY", "Printed 2025-05-02", document_date="02/05/2025", due_date="05/04/2025"),
        page("YMD", document_date="2025-04-03", due_date="2025-03-04"),
        page("MDY", document_date="04/03/2025"),
    ],
)
def test_other_dates_stay_as_they_were_read(one):
    assert with_dates_in_order([one], INVOICE) == [one]


def test_dates_in_words_confirm_only_the_order_that_they_fit():
    """Not that of another day, nor one of two that fit: April 3 may be 03/04/2025 and 04/03/2025."""
    (other_day,) = dates_of(page("DMY", "Ordered 3 January 2025", document_date="02/05/2025", due_date="05/04/2025"))
    (either,) = dates_of(page("MDY", "Please pay by April 3, 2025", document_date="04/03/2025", due_date="03/04/2025"))

    assert other_day == {"document_date": date(2025, 2, 5), "due_date": date(2025, 5, 4)}
    assert either == {"document_date": date(2025, 3, 4), "due_date": date(2025, 4, 3)}


def test_dates_of_pages_elsewhere_confirm_the_order():
    first = page("DMY", document_date="02/05/2025", due_date="05/04/2025")
    second = page("DMY", "Delivered on 2 May 2025")

    assert with_dates_in_order([first, second], INVOICE) == [first, second]


def test_types_of_users_may_have_a_date_as_text():
    one = page("DMY", due_date="05/04/2025")
    one = replace(one, fields={**one.fields, "document_date": PredictedValue("02/05/2025", "02/05/2025", 0.9, ())})

    assert with_dates_in_order([one], INVOICE) == [one]


def confidence_of(one, name="document_date"):
    (found,) = with_dates_in_order([one], INVOICE)
    return found.fields[name].confidence


@pytest.mark.parametrize(
    ("printed", "order", "confidence"),
    [
        ("11/03/2026", "DMY", 0.75),  # of the orders that it may have, with its year behind
        ("11/03/26", "DMY", 0.3),  # may begin with the year
        ("11/12/11", "DMY", 0.9),  # as in the order YMD
        ("11/03/2026", "MDY", 0.25),
        ("11/11/2026", "DMY", 0.99),  # the same in either order
        ("2026-11-03", "DMY", 0.99),
    ],
)
def test_a_date_is_as_certain_as_its_order(printed, order, confidence):
    one = estimated(page(order, document_date=printed), DMY=0.3, MDY=0.1, YMD=0.6)

    assert confidence_of(one) == pytest.approx(confidence)


def test_doubts_of_the_order_do_not_raise_confidences():
    one = estimated(page("DMY", document_date="11/03/2026"), DMY=0.999, MDY=0.001)

    assert confidence_of(one) == 0.99


@pytest.mark.parametrize("line", ["Delivered 24/12/26", "Delivered on 11 March 2026", "Delivered 2026-03-11"])
def test_dates_whose_order_the_document_shows_are_certain(line):
    one = estimated(page("DMY", line, document_date="11/03/2026"), DMY=0.6, MDY=0.4)

    assert confidence_of(one) == 0.99


@pytest.mark.parametrize("term", ["Net 30", "Terms: net 30 days", "30 Tage netto", "Payable within 30 days"])
def test_a_term_of_payment_shows_the_order(term):
    """Only in one order, the date and the due date are so many days apart."""
    dates = {"document_date": "11/03/2026", "due_date": "12/03/2026"}
    wrong, right = (estimated(page(order, term, **dates), DMY=0.7, MDY=0.3) for order in ("DMY", "MDY"))

    assert dates_of(wrong) == dates_of(right) == [{"document_date": date(2026, 11, 3), "due_date": date(2026, 12, 3)}]
    assert (confidence_of(wrong), confidence_of(right)) == (MAX_INFERRED_CONFIDENCE, 0.99)


def test_a_term_of_payment_that_no_order_fulfils_shows_none():
    one = estimated(page("DMY", "Net 14", document_date="11/03/2026", due_date="12/03/2026"), DMY=0.7, MDY=0.3)

    assert dates_of(one) == [{"document_date": date(2026, 3, 11), "due_date": date(2026, 3, 12)}]
    assert confidence_of(one) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("terms", "found"),
    [
        (("Net 2",), ((5, 4), (5, 6))),
        (("netto: 2 Tage",), ((5, 4), (5, 6))),
        (("Consulting, 2 days at 800.00", "Terms: 60 days net"), ((4, 5), (6, 5))),
        (("Consulting, 2 days at 800.00",), ((4, 5), (6, 5))),
        (("Payment reminder after 2 days",), ((4, 5), (6, 5))),
    ],
)
def test_only_terms_of_payment_show_the_order(terms, found):
    """Not days of work; a few days only behind "net". 4 and 6 May are 2 days apart, 5 April and 5 June 61."""
    (dates,) = dates_of(page("MDY", *terms, document_date="04/05/2026", due_date="06/05/2026"))

    assert tuple((day.month, day.day) for day in dates.values()) == found


@pytest.mark.parametrize("work", ["Consulting, 30 days at 800.00", "30 Tage Support", "Return within 30 days"])
def test_days_on_lines_without_a_word_of_payment_are_no_term(work):
    one = page("DMY", work, document_date="11/03/2026", due_date="12/03/2026")

    assert dates_of(one) == [{"document_date": date(2026, 3, 11), "due_date": date(2026, 3, 12)}]


@pytest.mark.parametrize(
    "term",
    [
        "Zahlungsziel: 30 Tage", "Zahlbar innerhalb von 30 Tagen", "Fällig in 30 Tagen", "Paiement à 30 jours",
        "Échéance 30 jours", "Pagamento a 30 giorni", "Pago a 30 días", "Vencimento: 30 dias", "Due in 30 days",
        "Betaling binnen 30 dagen", "Betalingsvillkor 30 dagar", "Termin płatności: 30 dni", "Splatnost 30 dnů",
        "Maksuehto 30 pv", "Fizetés 30 nap",
    ],
)  # fmt: skip
def test_terms_of_payment_in_many_languages(term):
    one = page("DMY", term, document_date="11/03/2026", due_date="12/03/2026")

    assert dates_of(one) == [{"document_date": date(2026, 11, 3), "due_date": date(2026, 12, 3)}]


def test_dates_that_nearly_fit_a_term_stay():
    """A due date is moved from a weekend: 2 March and 3 May are 62 days apart, 3 February and 5 March 30."""
    dates = {"document_date": "03/02/2026", "due_date": "05/03/2026"}
    both, one = (page("MDY", "30 days 2 % discount, 60 days net", **dates), page("MDY", "30 days net", **dates))

    assert dates_of(both) == [{"document_date": date(2026, 3, 2), "due_date": date(2026, 5, 3)}]
    assert dates_of(one) == [{"document_date": date(2026, 2, 3), "due_date": date(2026, 3, 5)}]


def test_dates_are_not_read_again_where_their_order_is_proven(monkeypatch):
    """Their kinds, which read dates, are not even looked for."""
    proven = page("MDY", "Delivered 12/24/2024", document_date="04/03/2025", due_date="03/04/2025")
    monkeypatch.setattr(type(INVOICE), "fields", lambda kind: pytest.fail("dates are read again"))

    assert with_dates_in_order([proven], INVOICE) == [proven]

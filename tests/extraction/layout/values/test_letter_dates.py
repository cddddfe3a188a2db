"""Dates of letters, where the network finds none."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("11. März 2014", "2014-03-11"),
        ("Bad Homburg, 11. März 2014", "2014-03-11"),
        ("Hamburg, den 11.03.2014", "2014-03-11"),
        ("Lyon, le 11/03/2014", "2014-03-11"),
        ("2014 m. kovo 11 d.", "2014-03-11"),
        ("Warszawa, 11 marca 2014 r.", "2014-03-11"),
        ("2014. gada 11. marts", "2014-03-11"),
        ("d.", None),
        ("Fälligkeitstag: 11.03.2014", None),
        ("Kilometerstand 11.03.2014", None),
        ("01.02.2014 - 11.03.2014", None),
        ("bis zum 11.03.2014 berücksichtigt", None),
    ],
)
def test_the_date_of_a_letter_stands_alone_or_behind_a_town(line, invoice, text, date):
    found = decode_fields(invoice((line(text), {}))).get("document_date")

    assert (found and found.value.isoformat()) == date


def test_the_first_date_is_that_of_the_letter(line, invoice):
    """Unless it is known to be another one, or the network has found one."""
    first, second = line("11.03.2014", 0, 0), line("12.03.2014", 0, 100)

    def date(*shares):
        found = decode_fields(invoice((first, shares[0]), (second, shares[1])))["document_date"]
        return found.value.isoformat()

    assert date({}, {}) == "2014-03-11"
    assert date({"due_date": 0.9}, {}) == "2014-03-12"
    assert date({}, {"document_date": 0.6}) == "2014-03-12"


@pytest.mark.parametrize(
    ("number", "day"),
    [
        ("Faktura nr FK/18/11/2026", "2026-11-09"),
        ("Faktura 12/11/2026", "2026-11-12"),
        ("Date/12.11.2026", "2026-11-12"),
        ("Date/12/11/2026", "2026-11-12"),
    ],
)
def test_the_end_of_a_number_is_no_date(line, invoice, number, day):
    """A date with slashes that is attached to letters, whatever the network takes it for."""
    title, _, rest = number.rpartition(" ")
    page = invoice(
        (line("Gliwice, dnia 2026-11-09", 0, 0), {}),
        (line(title or "Faktura", 0, 30), {}),
        (line(rest, 300, 60), {"document_date": 0.9}),
    )

    assert str(value_of(page, "document_date")) == day


def test_a_date_on_a_card_may_be_attached_to_its_label(line, id_card):
    page = id_card((line("DOB/12/03/1990", 0, 0), {"birth_date": 0.9}))

    assert str(value_of(page, "birth_date")) == "1990-03-12"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Zapłacono przelewem dnia 2026-11-23", None),
        ("Faktura je splatná dne 30. 11. 2026", None),
        ("V Praze dne 30. 11. 2026", "2026-11-30"),
        ("Gliwice, dnia 2026-11-23", "2026-11-23"),
    ],
)
def test_a_day_in_a_sentence_is_no_date_of_a_letter(line, invoice, text, day):
    found = value_of(invoice((line(text, 0, 0), {})), "document_date")

    assert (found and str(found)) == day

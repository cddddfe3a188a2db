"""Dates of letters, where the network finds none."""

import pytest

from docextract.extraction.layout.fields import decode_fields


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

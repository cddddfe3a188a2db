"""The dates of birth, issue and expiry of a card, decided together."""

import pytest

from docextract.extraction.layout import life_dates
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.life_dates import ROLES, decide_dates

BORN, ISSUED, EXPIRES = "14.03.1981", "02.05.2016", "01.05.2026"


def dates(card, *lines):
    """The dates of a card in ISO 8601, by role."""
    page = card(*lines)
    found = decide_dates(decode_fields(page), page)
    return {role: found[role].value.isoformat() for role in ROLES if role in found}


def test_two_dates_that_are_taken_for_each_other_are_exchanged(line, card):
    lines = [
        (line(BORN, 0, 0), {"expiry_date": 0.6, "birth_date": 0.3}),
        (line(EXPIRES, 0, 40), {"birth_date": 0.6, "expiry_date": 0.3}),
    ]

    assert dates(card, *lines) == {"birth_date": "1981-03-14", "expiry_date": "2026-05-01"}


def test_a_third_date_takes_its_place_between_them(line, card):
    """Here the network takes the date of issue for that of expiry."""
    lines = [
        (line(BORN, 0, 0), {"issue_date": 0.7, "birth_date": 0.2}),
        (line(ISSUED, 0, 40), {"expiry_date": 0.5, "issue_date": 0.4}),
        (line(EXPIRES, 0, 80), {"birth_date": 0.6, "expiry_date": 0.3}),
    ]

    assert dates(card, *lines) == {
        "birth_date": "1981-03-14", "issue_date": "2016-05-02", "expiry_date": "2026-05-01",
    }  # fmt: skip


def test_a_date_that_cannot_have_its_role_is_left_out(line, card):
    """No other date of the card may be that of birth."""
    lines = [
        (line(EXPIRES, 0, 0), {"birth_date": 0.6}),
        (line(ISSUED, 0, 40), {"issue_date": 0.9}),
    ]

    assert dates(card, *lines) == {"issue_date": "2016-05-02"}


@pytest.mark.parametrize("shares", [(0.9, 0.9), (0.3, 0.6)])
def test_dates_in_order_stay(line, card, shares):
    """Also if one of them is so unlikely that it counts as absent."""
    issue, expiry = shares
    lines = [
        (line(BORN, 0, 0), {"issue_date": issue}), (line(ISSUED, 0, 40), {"expiry_date": expiry, "issue_date": 0.05}),
    ]  # fmt: skip

    assert dates(card, *lines) == {"issue_date": "1981-03-14", "expiry_date": "2016-05-02"}


@pytest.mark.parametrize("cut", ["02-Feb-20", "02.05.20.", "02 05 19"])
def test_a_date_whose_year_is_cut_is_left_out(line, card, cut):
    """Where another date of the card has a whole year."""
    lines = [(line(BORN, 0, 0), {"birth_date": 0.9}), (line(cut, 0, 40), {"issue_date": 0.9})]

    assert dates(card, *lines) == {"birth_date": "1981-03-14"}


def test_a_cut_date_does_not_move_the_others(line, card):
    """It is left out before their order is looked at."""
    lines = [
        (line(BORN, 0, 0), {"birth_date": 0.9}),
        (line("06-Feb-2023", 0, 40), {"issue_date": 0.6, "expiry_date": 0.1}),
        (line("05-Feb-20", 0, 80), {"expiry_date": 0.9, "issue_date": 0.08}),
    ]

    assert dates(card, *lines) == {"birth_date": "1981-03-14", "issue_date": "2023-02-06"}


@pytest.mark.parametrize("printed", ["2016-05-20", "2016 MAY 20", "20.05.16"])
def test_a_day_is_no_half_year(line, card, printed):
    lines = [(line(BORN, 0, 0), {"birth_date": 0.9}), (line(printed, 0, 40), {"issue_date": 0.9})]

    assert dates(card, *lines) == {"birth_date": "1981-03-14", "issue_date": "2016-05-20"}


def test_a_short_year_is_kept_where_another_date_has_one(line, card):
    lines = [
        (line(BORN, 0, 0), {"birth_date": 0.9}),
        (line("02.05.20", 0, 40), {"issue_date": 0.9}),
        (line("01.05.35", 0, 80), {"expiry_date": 0.9}),
    ]

    assert dates(card, *lines) == {"birth_date": "1981-03-14", "issue_date": "2020-05-02", "expiry_date": "2035-05-01"}


def test_short_years_are_kept(line, card):
    """Where all years are short, and where a short one is not the beginning of a year."""
    short = [(line("14.03.81", 0, 0), {"birth_date": 0.9}), (line("02.05.20", 0, 40), {"issue_date": 0.9})]
    mixed = [(line(BORN, 0, 0), {"birth_date": 0.9}), (line("02.05.16", 0, 40), {"issue_date": 0.9})]

    assert dates(card, *short) == {"birth_date": "1981-03-14", "issue_date": "2020-05-02"}
    assert dates(card, *mixed) == {"birth_date": "1981-03-14", "issue_date": "2016-05-02"}


def test_a_date_is_not_taken_twice_in_two_centuries(line, card):
    """Born in 1981 and valid until 2081 are the same two digits. The other date is before this birth."""
    lines = [
        (line("14.03.81", 0, 0), {"birth_date": 0.7, "expiry_date": 0.3}),
        (line("10.01.75", 0, 40), {"issue_date": 0.6}),
    ]

    assert dates(card, *lines) == {"birth_date": "1981-03-14"}


def test_a_date_in_the_future_is_kept(line, card):
    """It fails a check of the answer."""
    lines = [(line("14.03.2090", 0, 0), {"birth_date": 0.9})]

    assert dates(card, *lines) == {"birth_date": "2090-03-14"}


@pytest.mark.parametrize("period", ["Valid 19/11/2021 - 18/11/2026", "Validité: 2021/11/19 – 2026/11/18"])
def test_a_period_has_the_dates_of_issue_and_expiry(line, card, period):
    """South African licences print it; the network takes all of it for the date of expiry."""
    lines = [(line("12/04/1975", 0, 0), {"birth_date": 0.9}), (line(period, 0, 40), {"expiry_date": 0.95})]

    assert dates(card, *lines) == {
        "birth_date": "1975-04-12", "issue_date": "2021-11-19", "expiry_date": "2026-11-18",
    }  # fmt: skip


def test_a_line_full_of_dashes_is_not_read_again_for_each_of_them(line, card, monkeypatch):
    """Such a line of 400 pieces took more than a minute."""
    page = card((line("19/11/2021" + " -1" * 100, 0, 0), {"expiry_date": 0.9}))
    found = decode_fields(page)
    read = []
    monkeypatch.setattr(life_dates, "candidate_of", lambda _, span, __: read.extend(span))

    decide_dates(found, page)

    assert set(found) == {"expiry_date"}
    assert 0 < len(read) < 100 * len(page.pieces)


def test_an_issue_date_beside_a_period_stays(line, card):
    lines = [
        (line("17/11/2021", 0, 0), {"issue_date": 0.9}), (line("19/11/2021 - 18/11/2026", 0, 40), {"expiry_date": 0.9}),
    ]  # fmt: skip

    assert dates(card, *lines) == {"issue_date": "2021-11-17", "expiry_date": "2026-11-18"}


def test_a_dash_between_other_dates_makes_no_period(line, card):
    """Not the later one is behind it, or it is a dash within a date."""
    later_first = (line("18/11/2026 - 19/11/2021", 0, 0), {"expiry_date": 0.9})

    assert dates(card, later_first) == {"expiry_date": "2026-11-18"}
    assert dates(card, (line("18 - 11 - 2026", 0, 0), {"expiry_date": 0.9})) == {"expiry_date": "2026-11-18"}


@pytest.mark.parametrize(
    ("label", "place", "expected"),
    [
        ("D.O.B.", (0, 100), {"birth_date": "1981-03-14"}),
        ("4b EXP", (0, 100), {"expiry_date": "1981-03-14"}),
        ("D.O.B.", (100, 75), {"issue_date": "1981-03-14"}),
        ("CLASS", (0, 100), {"issue_date": "1981-03-14"}),
    ],
    ids=["beside", "behind a number", "above", "of no date"],
)
def test_a_date_beside_the_label_of_one_date_is_no_other(line, card, label, place, expected):
    """However sure the network is; above a date the label of another one may be printed."""
    lines = [(line(label, *place), {}), (line(BORN, 100, 100), {"issue_date": 0.98})]

    assert dates(card, *lines) == expected


def test_an_unlikely_expiry_before_the_issue_date_is_exchanged_with_it(line, card):
    """The expiry date has a low probability, and the date of birth is before the date of issue."""
    lines = [
        (line(BORN, 0, 0), {"birth_date": 0.99}),
        (line(EXPIRES, 0, 40), {"issue_date": 0.7, "expiry_date": 0.3}),
        (line(ISSUED, 0, 80), {"expiry_date": 0.3, "issue_date": 0.2}),
    ]

    assert dates(card, *lines) == {"birth_date": "1981-03-14", "issue_date": "2016-05-02", "expiry_date": "2026-05-01"}

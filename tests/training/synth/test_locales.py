"""The facts of each locale can be printed and parsed again."""

from datetime import date, time
from decimal import Decimal
from random import Random

import pytest

from docextract.documents.values import parse_amount, parse_date, parse_time
from training.synth.documents.grammar import expand
from training.synth.documents.locales import Locale, format_amount, format_date, format_time, locales, towns

EVERY_LOCALE = pytest.mark.parametrize("locale", locales(), ids=lambda locale: locale.code)


@EVERY_LOCALE
def test_every_date_template_parses_back(locale: Locale) -> None:
    """A formatted day parses to the same day, as written and in upper case."""
    rng = Random(0)
    for template in locale.dates:
        order = "DMY" if template.removeprefix("{day}").lstrip(", ").startswith("{d") else "MDY"
        for _ in range(40):
            day = date(rng.randint(2001, 2029), rng.randint(1, 12), rng.randint(1, 28))
            if "{day}" in template and locale.language != "en":
                continue
            text = format_date(day, template, locale.language)
            assert {parse_date(text, order), parse_date(text.upper(), order)} == {day}, text


@EVERY_LOCALE
def test_every_time_template_parses_back(locale: Locale) -> None:
    """A formatted time parses to the same time."""
    for template in locale.clocks:
        for hour in range(24):
            moment = time(hour, 7, 9 if "{s" in template else 0)
            assert parse_time(format_time(moment, template)) == moment, template


@EVERY_LOCALE
def test_every_money_template_parses_back(locale: Locale) -> None:
    """A formatted amount parses to the same amount."""
    for template in locale.money:
        for amount in (Decimal("0.05"), Decimal("12.50"), Decimal("1007.50"), Decimal("45000.00")):
            text = template.format(format_amount(amount, locale.comma))
            assert parse_amount(text, locale.currency) == amount, text


@EVERY_LOCALE
def test_every_list_can_be_filled(locale: Locale) -> None:
    """No template uses a list that its locale does not have."""
    rng = Random(0)
    lists = {**locale.lists, "trade": ("Shop",)}
    for options in lists.values():
        for option in options:
            assert "{" not in expand(option, lists, rng)


@EVERY_LOCALE
def test_most_addresses_contain_a_known_town(locale: Locale) -> None:
    """The town can be found in most addresses."""
    rng = Random(0)
    made = [expand("{address}", locale.lists, rng).upper() for _ in range(100)]

    assert sum(any(town in address for town in towns(locale.code)) for address in made) > 60

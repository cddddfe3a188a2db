"""Parsing of dates and times, with OCR errors."""

from datetime import date, time, timedelta
from time import process_time

import pytest

from docextract.documents.dates import (
    are_dates_dotted,
    find_dates,
    find_unambiguous_dates,
    parse_date,
    parse_period_start,
    parse_time,
    proven_date_order,
)

CHRISTMAS = date(2018, 12, 25)


@pytest.mark.parametrize(
    "text",
    [
        "25/12/2018", "25-12-2018", "25.12.2018", "25.12.2018.", "25,12,2018", "25 12 2018", "25/12/18", "25.12.18",
        "25'12'18", "25\\12\\2018", "25|12|2018", "25 /12/ 2018", "25. 12. 2018", "(25/12/2018)", "25/12-2018",
        "2018-12-25", "2018/12/25", "2018.12.25", "2018-12-25T10:11", "2018-12-25T10:11:12Z", "2018年12月25日",
        "2018년 12월 25일", "２５／１２／２０１８", "25122018", "25 122018", "2512.2018",
        "20181225", "251218", "20181225101112",
        "25 Dec 2018", "25-DEC-2018", "25/Dec/2018", "25-DEC-18", "25 DEC '18", "DEC 25, 2018", "Dec.25,2018",
        "December 25th, 2018", "25th of December 2018", "Dec 25'18", "2018/DEC/25", "Tuesday, December 25, 2018",
        "Tue Dec 25 20:13:39 2018", "Dec 25 2018 8:13PM",
    ],
)  # fmt: skip
def test_dates_are_parsed_in_any_punctuation(text):
    """All these texts are the same day."""
    assert parse_date(text) == CHRISTMAS


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Samstag, 2. März 2019", date(2019, 3, 2)),
        ("2.MRZ 2019", date(2019, 3, 2)),
        ("7. Jänner 2019", date(2019, 1, 7)),
        ("1er février 2019", date(2019, 2, 1)),
        ("le 14 août 2019", date(2019, 8, 14)),
        ("3 déc. 2019", date(2019, 12, 3)),
        ("3 de enero de 2020", date(2020, 1, 3)),
        ("15-ENE-2020", date(2020, 1, 15)),
        ("12 gennaio 2021", date(2021, 1, 12)),
        ("12 lug 2021", date(2021, 7, 12)),
        ("7 de março de 2020", date(2020, 3, 7)),
        ("1º de setembro de 2020", date(2020, 9, 1)),
        ("31 maart 2021", date(2021, 3, 31)),
        ("5 mei 2021", date(2021, 5, 5)),
        ("10 maj 2020", date(2020, 5, 10)),
        ("31 OGOS 2017", date(2017, 8, 31)),
        ("1 Mac 2018", date(2018, 3, 1)),
        ("9 disember 2018", date(2018, 12, 9)),
        ("17 agustus 2018", date(2018, 8, 17)),
        ("12 stycznia 2021", date(2021, 1, 12)),
        ("3 października 2021", date(2021, 10, 3)),
        ("3 paź 2021", date(2021, 10, 3)),
        ("12 AUG/AOÛT 1988", date(1988, 8, 12)),
        ("12 MÁR/MAR 88", date(1988, 3, 12)),
        ("03 Ağu / Aug 2016", date(2016, 8, 3)),
        ("9 KASIM 2018", date(2018, 11, 9)),
        ("5 Mart 2024", date(2024, 3, 5)),
        ("12 Des 2018", date(2018, 12, 12)),
        ("5. ágúst 2024", date(2024, 8, 5)),
        ("5 d'abril de 2024", date(2024, 4, 5)),
        ("5 d’octubre de 2024", date(2024, 10, 5)),
        ("2024. január 5.", date(2024, 1, 5)),
        ("2024. márc. 5.", date(2024, 3, 5)),
        ("2024 metų sausio 5 d.", date(2024, 1, 5)),
        ("2024.gada 5.janvārī", date(2024, 1, 5)),
        ("Rīga, 2024. gada 12. decembrī", date(2024, 12, 12)),
        ("2026. gada 23. maijs, 11.37", date(2026, 5, 23)),
        ("5 Mar 18.14", date(2018, 3, 5)),
        ("5. maja 2024. g. 12. maja 2024.", date(2024, 5, 5)),
        ("5. septembar 2024.", date(2024, 9, 5)),
    ],
)
def test_month_names_are_parsed_in_many_languages(text, day):
    """Receipts come from many countries."""
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("2024. gada 5. {}", "janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris "
         "novembris decembris"),
        ("no 5. {} 2024", "janvāra februāra marta aprīļa maija jūnija jūlija augusta septembra oktobra novembra "
         "decembra"),
        ("2024 m. {} 5 d.", "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio "
         "gruodžio"),
        ("5. {} 2024", "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember"),
        ("5. {} 2024", "ledna února března dubna května června července srpna září října listopadu prosince"),
        ("5. {} 2024", "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra"),
        ("5. {} 2024.", "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga "
         "prosinca"),
        ("5. {} 2024", "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra "
         "decembra"),
        ("5. {} 2024", "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta "
         "syyskuuta lokakuuta marraskuuta joulukuuta"),
        ("5 de {} de 2024", "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre"),
        ("2024. {} 5.", "január február március április május június július augusztus szeptember október november "
         "december"),
        ("5. {} 2024", "janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember"),
        ("5 {} 2024 r.", "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada "
         "grudnia"),
        ("05.{}.2024", "I II III IV V VI VII VIII IX X XI XII"),
        ("2024. {}. 5.", "I II III IV V VI VII VIII IX X XI XII"),
    ],
)  # fmt: skip
def test_all_months_of_a_language_are_parsed(form, names):
    """In the case that dates have. Listopada is October in Croatian, with a point in front, and November in Polish."""
    parsed = [parse_date(form.format(name)) for name in names.split()]

    assert parsed == [date(2024, month, 5) for month in range(1, 13)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("10 MAA/MAR 1965", date(1965, 3, 10)),
        ("25 Ean/Jan 1980", date(1980, 1, 25)),
        ("15 SZEPT/SEP 80", date(1980, 9, 15)),
        ("15 ΙΑΝ/JAN 80", date(1980, 1, 15)),
        ("25 JAN/EAN 1980", date(1980, 1, 25)),
        ("04 M.Fómh/Sep 2020", date(2020, 9, 4)),
        ("21 LÚN / AUG 1948", date(1948, 8, 21)),
        ("10 Maa./Mar. 1965", date(1965, 3, 10)),
        ("1980 MÁRC/MAR 15", date(1980, 3, 15)),
        ("23 LIP/JUN 1988", date(1988, 6, 23)),
        ("23 LIP/JUL 1988", date(1988, 7, 23)),
        ("23 JUN/LIP 1988", date(1988, 6, 23)),
        ("23 Jun. / Lip. 1988", date(1988, 6, 23)),
        ("1988 OCT/LIS 23", date(1988, 10, 23)),
        ("23 CZE/LIP 1988", date(1988, 7, 23)),
        ("23 JUN/JUL 1988", date(1988, 7, 23)),
    ],
)
def test_one_of_two_names_of_a_month_may_be_unknown(text, day):
    """Passports print English beside languages that no list has; of two known ones English or the second counts."""
    assert parse_date(text) == day


@pytest.mark.parametrize("text", ["31.02.20", "31/04/25", "29-02-23", "30 02 20", "310220"])
def test_a_day_that_its_month_does_not_have_is_no_year(text):
    """It is misread. A day that no month has may be a year, and so may any first part where years are in front."""
    assert parse_date(text, "DMY") is None
    assert parse_date(text, "MDY") is None
    assert parse_date(text, "YMD") is not None
    assert parse_date("32.12.20", "DMY") == date(2032, 12, 20)
    assert parse_date("12.31.20", "DMY") == date(2020, 12, 31)


def test_months_of_canada_have_two_letters():
    """With the year in front and a mark on both sides, as cards of Canada have them."""
    names = "JA FE MR AL MA JN JL AU SE OC NO DE".split()

    assert [parse_date(f"2026/{name}/05") for name in names] == [date(2026, month, 5) for month in range(1, 13)]
    assert parse_date("1985-OC-31", "DMY") == parse_date("1985 / OC / 31", "MDY") == date(1985, 10, 31)


def test_numbers_with_two_letters_are_no_dates_of_canada():
    """Only a text that is nothing else is a date."""
    assert parse_date("Rechnung 2024-DE-12 vom 05.03.2024") == date(2024, 3, 5)
    assert find_unambiguous_dates("Rechnung 2024-DE-12 vom 2024-03-05") == {date(2024, 3, 5)}
    assert find_unambiguous_dates("2026/JL/05") == {date(2026, 7, 5)}


@pytest.mark.parametrize("text", ["2024 NO 12", "12 DE 2024", "05/MA/2026", "FV 2024/MA/123", "2024/MA-05"])
def test_other_words_of_two_letters_are_no_months(text):
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("15 VII 2024 r.", date(2024, 7, 15)),
        ("15-XII-2024", date(2024, 12, 15)),
        ("2024.VII.15", date(2024, 7, 15)),
        ("FV 12/IV/2024", None),
        ("12 V 2000 mA", None),
        ("Art. 12.VII.20", None),
        ("12.V.3000", None),
        ("IV 2024", None),
        ("230 V 2024", None),
    ],
)
def test_roman_months_are_told_from_other_numbers(text, day):
    """Polish invoice numbers have strokes around the month, and adapters have volts."""
    assert parse_date(text) == day


@pytest.mark.parametrize("text", ["25.12.2018²", "25 Dec 2018¹", "2018-12-25³", "Date²: 25/12/18"])
def test_a_raised_digit_refers_to_a_footnote(text):
    """It is no digit of the year."""
    assert parse_date(text) == CHRISTMAS


@pytest.mark.parametrize("hyphen", list("\u2010\u2011\u2012\u2013\u2212"))
def test_hyphens_of_any_form_separate_the_parts_of_a_date(hyphen):
    """A program prints them so that the date is not broken; a dash alone still separates two dates."""
    for text in ("25-12-2018", "2018-12-25", "25-Dec-2018", "25-12-18"):
        assert parse_date(text.replace("-", hyphen)) == CHRISTMAS
    assert parse_period_start(f"25.12.2018{hyphen}31.12.2018") == CHRISTMAS
    assert parse_period_start(f"25.{hyphen}31.12.2018") == CHRISTMAS
    assert parse_period_start("25-12-2018-31-12-2018".replace("-", hyphen)) == CHRISTMAS


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("01.02.-29.02.2024", "DMY", date(2024, 2, 1)),
        ("01.-29.02.24", "DMY", date(2024, 2, 1)),
        ("1. 2. – 29. 2. 2024", "DMY", date(2024, 2, 1)),
        ("01/02 - 29/02/2024", "DMY", date(2024, 2, 1)),
        ("02/01 - 02/29/2024", "MDY", date(2024, 2, 1)),
        ("Feb 1 - 29, 2024", "MDY", date(2024, 2, 1)),
        ("1st - 29th February 2024", "DMY", date(2024, 2, 1)),
        ("del 1 al 29 de febrero de 2024", "DMY", date(2024, 2, 1)),
        ("1 tot en met 29 februari 2024", "DMY", date(2024, 2, 1)),
        ("01.02.2023 - 29.02.2024", "DMY", date(2023, 2, 1)),
        ("2024-02-01-2024-02-29", "YMD", date(2024, 2, 1)),
        ("3-5-2024", "MDY", date(2024, 3, 5)),
        ("12-05-2024", "MDY", date(2024, 12, 5)),
        ("5 - Mar - 2024", "DMY", date(2024, 3, 5)),
        ("31. - 01.03.2024", "DMY", date(2024, 3, 1)),
        ("1 to 31", "DMY", None),
    ],
)
def test_the_first_day_of_a_period_takes_the_year_of_the_last(text, order, day):
    """A date alone is itself, also with dashes."""
    assert parse_period_start(text, order) == day


def test_the_end_of_a_period_is_no_year():
    """Nor is a day in front of a comma and a year."""
    assert parse_date("1 February - 29 February 2024") == date(2024, 2, 29)
    assert parse_date("Feb 1 - 29, 2024", "MDY") == date(2024, 2, 29)
    assert find_dates("02 Aug 25 - 01 Sep 25") == {date(2025, 8, 2), date(2025, 9, 1)}
    assert parse_date("3 Jun 29, 2025 Afternoon Drive", "MDY") == date(2025, 6, 29)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("25/12/201808:13", CHRISTMAS),
        ("25/12/20188:13:39PM", CHRISTMAS),
        ("25/12/1808:13", CHRISTMAS),
        ("25/12/2018:13", date(2020, 12, 25)),  # the year 20, thirteen past six: no year is followed by a colon
        ("2018-12-2510:11", CHRISTMAS),
        ("25DEC2018", CHRISTMAS),
        ("25DEC18", CHRISTMAS),
        ("25DEC201812:30", CHRISTMAS),
        ("25DEC1812:30", CHRISTMAS),
        ("DEC252018", CHRISTMAS),
        ("Dec25,2018", CHRISTMAS),
        ("25thDec2018", CHRISTMAS),
        ("TUE25DEC2018", CHRISTMAS),
        ("Date:25/12/2018Time:20:13", CHRISTMAS),
        ("Tue25/12/201811:23AM", CHRISTMAS),
        ("16MAR2018", date(2018, 3, 16)),
    ],
)
def test_dates_joined_to_other_text_are_parsed(text, day):
    """OCR may lose the spaces around a date."""
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("25/12/2O18", CHRISTMAS),
        ("25/I2/2018", CHRISTMAS),
        ("l2/O3/2018", date(2018, 3, 12)),
        ("16 0CT 2018", date(2018, 10, 16)),
        ("16 N0V 2018", date(2018, 11, 16)),
        ("16 FE8 2018", date(2018, 2, 16)),
    ],
)
def test_confusions_of_letters_and_digits_are_repaired(text, day):
    """An O among digits is a zero, and a zero in the name of a month is an O."""
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("05/03/2018", "DMY", date(2018, 3, 5)),
        ("05/03/2018", "MDY", date(2018, 5, 3)),
        ("05/03/18", "MDY", date(2018, 5, 3)),
        ("18-03-05", "YMD", date(2018, 3, 5)),
        ("24/02/18", "YMD", date(2024, 2, 18)),
        ("12/25/188:13PM", "MDY", CHRISTMAS),
        ("#04 MAR.19'17", "MDY", date(2017, 3, 19)),
        ("GUESTS 4 FEB 18/17", "MDY", date(2017, 2, 18)),
        ("12 MAR 2019/14:22", "DMY", date(2019, 3, 12)),
        ("10 MAR 19/15:30", "DMY", date(2019, 3, 10)),
        ("12 AUG 2018'10:30", "DMY", date(2018, 8, 12)),
        ("01 JAN 2019/31 DEC 2019", "DMY", date(2019, 1, 1)),
        ("14 JUN 19/15 JUN 19", "DMY", date(2019, 6, 14)),
        ("10:15 5/3/18", "MDY", date(2018, 5, 3)),
    ],
)
def test_the_order_decides_ambiguous_dates(text, order, day):
    """5/3 is in March in Kuala Lumpur and in May in Chicago."""
    assert parse_date(text, order) == day


@pytest.mark.parametrize(
    ("text", "order"), [("13/05/2018", "MDY"), ("05/13/2018", "DMY"), ("13 MAY 2018", "YMD"), ("2018-05-13", "MDY")]
)
def test_unambiguous_dates_ignore_the_order(text, order):
    """There is no thirteenth month."""
    assert parse_date(text, order) == date(2018, 5, 13)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("18:19 14-03-2018", date(2018, 3, 14)),
        ("10.15 05.03.2018", date(2018, 3, 5)),
        ("14-03-2018 1 18:19", date(2018, 3, 14)),
        ("25/12/2018 01/01/2019", CHRISTMAS),
        ("V2.60 25/12/2018 12:13:52", CHRISTMAS),
        ("3.18.05.1973", date(1973, 5, 18)),
        ("3.12.08.64 BERLIN", date(2064, 8, 12)),
        ("3.25.12.64", date(2064, 12, 25)),
        ("05.03.18.14.30", date(2018, 3, 5)),
        ("14 03.34", date(2034, 3, 14)),
        ("14 03 34", date(2034, 3, 14)),
    ],
)
def test_the_date_is_separated_from_other_numbers(text, day):
    """A time before the date is not part of it."""
    assert parse_date(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "", "FREE", "9.00", "1,234.50", "12:30:45", "31/02/2018", "00/00/2018", "2018", "MAY 2018", "12/2018", "25DEC",
        "012-3456789", "03-80213 2223", "+6 03 2026 6386", "81100", "TD01167104", "9556939040116", "192.168.10.12",
        "INVOICE 123", "12 MARKET 2018", "16 MAR 12:30", "3 MAR DEL PLATA", "Vasario 16-osios g. 5", "2 x/May 20",
        "Via Augusta 15, 20121 Milano", "99 SPEED MART S/B (519537-X)", "5 Stk/Mar", "25/13/2018", "1/1/1850",
        "14 33.34", "No 14 03.34",
    ],
)  # fmt: skip
def test_text_without_a_date_gives_none(text):
    """Prices, telephone numbers, barcodes and impossible days are not dates."""
    assert parse_date(text) is None


def test_every_day_is_parsed_back():
    """Every day of a leap cycle, in four common forms."""
    for offset in range(0, 4 * 365, 7):
        day = date(2016, 1, 1) + timedelta(days=offset)
        for form in ("%d/%m/%Y", "%d.%m.%y", "%Y-%m-%d", "%d %B %Y", "%d%b%Y%H:%M", "%Y%m%d"):
            assert parse_date(day.strftime(form)) == day, form


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("20:13", time(20, 13)),
        ("20:13:39", time(20, 13, 39)),
        ("8:13PM", time(20, 13)),
        ("8:13:39 PM", time(20, 13, 39)),
        ("8:13 p.m.", time(20, 13)),
        ("8:13P", time(20, 13)),
        ("8.13 pm", time(20, 13)),
        ("20.13 Uhr", time(20, 13)),
        ("20h13", time(20, 13)),
        ("20 : 13", time(20, 13)),
        ("8 PM", time(20, 0)),
        ("12:05 AM", time(0, 5)),
        ("12:05 PM", time(12, 5)),
        ("20:13 PM", time(20, 13)),
        ("0:05", time(0, 5)),
        ("25/12/2018 20:13", time(20, 13)),
        ("25.12.2018 20.13", time(20, 13)),
        ("25/12/201808:13", time(8, 13)),
        ("25/12/20188:13:39PM", time(20, 13, 39)),
        ("25/12/1808:13", time(8, 13)),
        ("25DEC201820:13", time(20, 13)),
        ("2018-12-2520:13", time(20, 13)),
        ("2018-12-25T20:13:39Z", time(20, 13, 39)),
        ("20:13 APPLE", time(20, 13)),
        ("1416", time(14, 16)),
        ("20:3115", time(20, 31, 15)),
        ("203115", time(20, 31, 15)),
    ],
)
def test_times_are_parsed_in_any_form(text, clock):
    """Twelve or twenty-four hours, alone or joined to a date."""
    assert parse_time(text) == clock


@pytest.mark.parametrize(
    "text", ["", "25/12/2018", "25.12.2018", "24:00", "12:60", "81100", "123:45", "1.234", "2009", "1961 AB", "1460"]
)
def test_text_without_a_time_gives_none(text):
    """The dots of a date are not a time."""
    assert parse_time(text) is None


def test_long_text_is_parsed_quickly():
    """A page full of digits does not delay other pages."""
    started = process_time()
    for nonsense in ("12", "0O", "1/", "1 ", "mar 1 ", "12:", "-", "1 - ", "ab/"):
        parse_date(nonsense * 1000)
        parse_period_start(nonsense * 1000)
        parse_time(nonsense * 1000)

    assert process_time() - started < 1.0


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["Due 12/03/2017", "Paid 11/17/2017"], "MDY"),
        (["31.12.2018"], "DMY"),
        (["31\u201112\u20112018"], "DMY"),
        (["12–31–2018"], "MDY"),
        (["01/12/2018–31/12/2018"], "DMY"),
        (["0171–12–31–2018"], None),
        (["03/04/2018", "2018-12-31", "12/18"], None),
        (["11/17/2017", "17/11/2017"], None),
        (["99/17/2017", "Tel. 030/13/2017/5"], None),
    ],
)
def test_some_dates_prove_the_order_of_all(texts, order):
    """If they agree."""
    assert proven_date_order(texts) == order


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2 May 2025 to June 3, 2025", {date(2025, 5, 2), date(2025, 6, 3)}),
        ("2025-05-02, 2025/5/3", {date(2025, 5, 2), date(2025, 5, 3)}),
        ("2.V.2025", {date(2025, 5, 2)}),
        ("02/05/2025, 31.12.2025, 25-05-02", set()),
    ],
)
def test_dates_in_words_and_with_the_year_in_front_are_unambiguous(text, days):
    assert find_unambiguous_dates(text) == days


@pytest.mark.parametrize(
    ("texts", "dotted"),
    [
        (["24.01.08 04.02.25", "10. 11. 12."], True),
        (["04.02.2025"], True),
        (["4. 2. 2025", "04.02.25-10.02.25"], True),
        (["24.01.08", "04/02/25"], False),
        (["24.01.08", "04–02–25"], False),
        (["12.50", "1.234.56"], False),
        (["192.10.10.25", "01.23.45.67.89", "v1.2.34", "99.10.25"], False),
    ],
)
def test_dates_with_points_are_told(texts, dotted):
    """From amounts, and from pages that also print other marks."""
    assert are_dates_dotted(texts) == dotted


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("05 - Mar - 24", date(2024, 3, 5)),
        ("12 - DEC - 18 10:30", date(2018, 12, 12)),
        ("25/12/18, 2010 Kuala Lumpur", date(2018, 12, 25)),
        ("5 kg / mar 20", None),
        ("12.Listopada 2024 r.", date(2024, 11, 12)),
    ],
)
def test_neither_dashes_nor_numbers_behind_make_a_period(text, day):
    """Spaced dashes are usual within dates, too."""
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("15.12.-14.01.2025", date(2024, 12, 15)),
        ("15 Dec - 14 Jan 2025", date(2024, 12, 15)),
        ("from 1 - 29 February 2024", date(2024, 2, 1)),
        ("Seite 1 - 05.03.2024", date(2024, 3, 5)),
    ],
)
def test_periods_may_begin_in_the_year_before(text, start):
    """And a number behind a word is no day."""
    assert parse_period_start(text) == start

"""Kinds of field values: parsing and JSON form."""

import json
from datetime import date, time, timedelta
from decimal import Decimal

import pytest

from docextract.documents import dates, document_types, validity, values
from docextract.documents.values import Conventions

MALAYSIA = Conventions("DMY", "MYR")
AMERICA = Conventions("MDY", "USD")


@pytest.mark.parametrize(
    ("kind", "text", "conventions", "value", "wire"),
    [
        (values.STRING, "  BOOK  TA .K\n(TAMAN DAYA) ", MALAYSIA, "BOOK TA .K (TAMAN DAYA)", "BOOK TA .K (TAMAN DAYA)"),
        (values.PHONE_NUMBER, "07-355 2616", MALAYSIA, "07-355 2616", "07-355 2616"),
        (values.DATE, "05/03/2018", MALAYSIA, date(2018, 3, 5), "2018-03-05"),
        (values.DATE, "05/03/2018", AMERICA, date(2018, 5, 3), "2018-05-03"),
        (values.TIME, "8:13 PM", AMERICA, time(20, 13), "20:13:00"),
        (values.CURRENCY, "RM9.000", MALAYSIA, Decimal("9.000"), {"amount": "9.00", "currency": "MYR"}),
        (values.CURRENCY, "9.5", Conventions(), Decimal("9.5"), {"amount": "9.50", "currency": None}),
        (values.CURRENCY, "-1,234.50", AMERICA, Decimal("-1234.50"), {"amount": "-1234.50", "currency": "USD"}),
        (values.NUMBER, "0.435 kg", MALAYSIA, Decimal("0.435"), 0.435),
        (values.NUMBER, "1.250,00 Stk.", Conventions(), Decimal("1250.00"), 1250.0),
        (values.CURRENCY, "6.541,22", AMERICA, Decimal("6541.22"), {"amount": "6541.22", "currency": "USD"}),
        (values.PERCENT, "19,00 %", Conventions(), Decimal("19.00"), 19.0),
        (values.ADDRESS, "Markt 1 · 10115  Berlin", Conventions(), "Markt 1 10115 Berlin", "Markt 1 10115 Berlin"),
        (
            values.IBAN,
            "IBAN: de89 3704 0044 0532 0130 00",
            MALAYSIA,
            "DE89370400440532013000",
            "DE89370400440532013000",
        ),
    ],
)
def test_printed_text_is_parsed_and_converted_to_json(kind, text, conventions, value, wire):
    """Values are normalised by the conventions of the page."""
    parsed = kind.parse(text, conventions)

    assert parsed == value
    assert json.loads(json.dumps(kind.to_json(parsed, conventions))) == wire


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (values.STRING, " \n "),
        (values.PHONE_NUMBER, "TEL:"),
        (values.PHONE_NUMBER, "1234"),
        (values.DATE, "THANK YOU"),
        (values.TIME, "THANK YOU"),
        (values.CURRENCY, "THANK YOU"),
        (values.NUMBER, "THANK YOU"),
    ],
)
def test_text_that_cannot_be_parsed_gives_none(kind, text):
    """Never an empty string and never an invented value."""
    assert kind.parse(text, MALAYSIA) is None


@pytest.mark.parametrize("printed", ["-10,22", "10.22", "10.22-", "(10.22)", "- 10,22"])
def test_a_discount_is_positive(printed):
    """However it is printed; other amounts keep their sign."""
    assert values.DISCOUNT.parse(printed, Conventions()) == Decimal("10.22")


class DayIn2026(date):
    """A date, with a fixed day as today."""

    @classmethod
    def today(cls):
        return cls(2026, 11, 30)


@pytest.mark.parametrize(
    ("field", "text", "day"),
    [
        ("expiry_date", "01.03.72", date(2072, 3, 1)),
        ("expiry_date", "23 MAY 73", date(2073, 5, 23)),
        ("expiry_date", "29.02.84", date(2084, 2, 29)),
        ("expiry_date", "29.02.96", date(1996, 2, 29)),
        ("expiry_date", "01.03.98", date(1998, 3, 1)),
        ("expiry_date", "1 MAR 2098", date(2098, 3, 1)),
        ("expiry_date", "O1.O3.1998", date(1998, 3, 1)),
        ("driving_privileges.expiry_date", "23.05.73", date(2073, 5, 23)),
        ("driving_privileges.expiry_date", "23.05.1973", date(1973, 5, 23)),
        ("issue_date", "02.03.13", date(2013, 3, 2)),
        ("issue_date", "02.03.1913", date(1913, 3, 2)),
        ("driving_privileges.issue_date", "12.06.68", date(1968, 6, 12)),
        ("driving_privileges.issue_date", "12.06.2068", date(2068, 6, 12)),
        ("driving_privileges.issue_date", "12.O6.2O68", date(2068, 6, 12)),
    ],
)
def test_documents_are_issued_in_the_past_and_valid_for_a_life_at_most(field, text, day, monkeypatch):
    """Of a year of two digits; one of four is what is printed."""
    for module in (dates, validity):
        monkeypatch.setattr(module, "date", DayIn2026)
    fields = {one.name: one for one in document_types()["driver_licence"].fields()}

    assert fields[field].kind.name == "date"
    assert fields[field].kind.parse(text, Conventions()) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("PERMANENT", date(9999, 12, 31)),
        ("Unbegrenzt", date(9999, 12, 31)),
        ("SIN VENCIMIENTO.", date(9999, 12, 31)),
        ("TRAJNO / PERMANENT", date(9999, 12, 31)),
        ("NIEOZNACZONY", date(9999, 12, 31)),
        ("Không thời hạn", date(9999, 12, 31)),
        (": SEUMUR HIDUP", date(9999, 12, 31)),
        ("9999", date(9999, 12, 31)),
        ("9999-12-31", date(9999, 12, 31)),
        ("01 01 9999", date(9999, 1, 1)),
        ("31 DEC 9999", date(9999, 12, 31)),
        ("PERMANENT RESIDENT", None),
        ("PERMANENT /", None),
        ("NO. 9999", None),
        ("99999", None),
        ("9999.", date(9999, 12, 31)),
        (": 9999", date(9999, 12, 31)),
        ("29.02.9999", None),
        ("INDEFINIDA 3", None),
        ("/", None),
    ],
)
def test_a_document_may_state_that_it_does_not_expire(text, day):
    """The whole text, in one language or in two; other kinds of dates have no such words."""
    assert values.EXPIRY_DATE.parse(text, Conventions()) == day
    assert values.DATE.parse(text, Conventions()) is None


@pytest.mark.parametrize(
    "text",
    [
        "EXP 05/12/2030 A123-4567-9999",
        "Expires 05/12/2030 DD 9999",
        "O5/12/2O30 9999",
        "05.12.2030 PERMANENT",
        "Valid until 05.12.2030 UNBEFRISTET",
    ],
)
def test_a_date_of_expiry_counts_more_than_9999_and_words(text):
    """They may belong to something else in the line."""
    assert values.EXPIRY_DATE.parse(text, Conventions()) == date(2030, 12, 5)


def test_a_document_may_be_issued_today():
    """Where the clock of the service is behind, it was issued tomorrow."""
    issue_date = {one.name: one for one in document_types()["driver_licence"].fields()}["issue_date"].kind
    tomorrow, later = (date.today() + timedelta(days=days) for days in (1, 2))

    assert issue_date.parse(f"{tomorrow:%d.%m.%y}", Conventions()) == tomorrow
    assert issue_date.parse(f"{later:%d.%m.%y}", Conventions()) == later.replace(year=later.year - 100)


def test_other_dates_of_two_digits_are_near_the_present():
    """Of receipts and invoices: 1970 to 2069."""
    assert values.DATE.parse("12.06.68", Conventions()) == date(2068, 6, 12)
    assert values.DATE.parse("01.03.72", Conventions()) == date(1972, 3, 1)


def test_json_values_are_parsed_back():
    """A value keeps its meaning in JSON."""
    assert values.DATE.parse(values.DATE.to_json(date(2018, 3, 5), AMERICA), AMERICA) == date(2018, 3, 5)
    assert values.TIME.parse(values.TIME.to_json(time(20, 13, 39), AMERICA), AMERICA) == time(20, 13, 39)
    assert values.CURRENCY.parse(values.CURRENCY.to_json(Decimal("9.5"), AMERICA)["amount"], AMERICA) == Decimal("9.5")


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("AMANO MALAYSIA SON BHD", "AMANO MALAYSIA SDN BHD"),
        ("Baifu (M) Son. Bhd", "Baifu (M) Sdn. Bhd"),
        ("MEGA MART S0NBHD", "MEGA MART SDNBHD"),
        ("MEGA MART SDN BHD", "MEGA MART SDN BHD"),
        ("SON & DAUGHTER BAKERY", "SON & DAUGHTER BAKERY"),
    ],
)
def test_a_misread_legal_form_is_repaired(read, meant):
    """The legal form SON BHD does not exist; the SON of a bakery stays."""
    assert values.COMPANY_NAME.parse(read, Conventions()) == meant


@pytest.mark.parametrize(
    "printed",
    [
        "DE89 37O4 OO44 0532 O130 00", "DEB9 3704 0044 0532 0130 00", "GB33 BUKB 2O20 1555 5555 55",
        "GB33 BUK8 2020 1555 5555 55", "G833 BUKB 2020 1555 5555 55",
    ],
)  # fmt: skip
def test_confusions_in_an_iban_are_repaired(printed):
    """Only if the check digits are then valid."""
    assert values.parse_iban(printed) in ("DE89370400440532013000", "GB33BUKB20201555555555")


def test_an_invalid_iban_is_returned_unchanged():
    """It fails its check instead of being changed into another one; other text gives None."""
    assert values.parse_iban("DE89 3704 0044 0532 0130 01") == "DE89370400440532013001"
    assert values.parse_iban("DE89 3704") is None
    assert values.parse_iban("G833 BUKB 2020 1555 5555 56") is None


def test_percentages_are_at_most_a_hundred():
    """A year next to tax rates is not a rate."""
    assert values.parse_percent("2024") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("03 12 42 73 55 -", "03 12 42 73 55"), ("· +49 (0)30 1234/56", "+49 (0)30 1234/56"), ("Tel. 12", None),
     ("07 361 2703 0508 783 232", "07 361 2703"), ("+64 7 361 2703 (07) 361 2704", "+64 7 361 2703"),
     ("+44 20 7946 0018 / 0800 123 4567", "+44 20 7946 0018"), ("02 0000 0000 02 0000 0001", "02 0000 0000"),
     ("+49 (0) 30 1234567 Fax +49 (0) 30 1234568", "+49 (0) 30 1234567"),
     ("+41 44 000 00 00 +41 44 000 00 01", "+41 44 000 00 00"), ("1234567890123456789", "1234567890123456789")],
)  # fmt: skip
def test_telephone_numbers_end_with_their_digits(text, number):
    """Dashes and dots between them and their neighbours are not part of them, nor is a second number."""
    assert values.parse_phone_number(text) == number


@pytest.mark.parametrize(
    ("text", "is_number"), [("00091338", False), ("000-44-188", False), ("0049 30 123456", True), ("00 371 67", True)]
)
def test_a_number_with_three_zeros_in_front_is_that_of_a_shop(text, is_number):
    assert (values.parse_phone_number(text) is not None) == is_number


@pytest.mark.parametrize(
    ("read", "address"),
    [
        ("Schneiderstr, 90, 7141 Zug", "Schneiderstr. 90, 7141 Zug"),
        ("233, Av, Saint-Michel", "233, Av. Saint-Michel"),
        ("CTRA, DE LA LUZ 3 · Soria", "CTRA. DE LA LUZ 3 Soria"),
        ("12, 5th Av, New York", "12, 5th Av, New York"),
        ("Industriestr, Zug", "Industriestr, Zug"),
        ("Hauptstr, 10115 Berlin", "Hauptstr, 10115 Berlin"),
        ("ul. Prosta 3, Warszawa, PL, Polska", "ul. Prosta 3, Warszawa, PL, Polska"),
    ],
)
def test_an_abbreviated_street_has_a_full_stop(read, address):
    """Recognition prefers commas in addresses."""
    assert values.parse_address(read) == address


@pytest.mark.parametrize(
    ("read", "place"),
    [
        ("NEW YORK. U.S.A.", "NEW YORK, U.S.A."),
        ("WASHINGTON. D.C. U.S.A.", "WASHINGTON, D.C., U.S.A."),
        ("WASHINGTON, D.C., U.S.A.", "WASHINGTON, D.C., U.S.A."),
        ("ST. LOUIS, U.S.A", "ST. LOUIS, U.S.A"),
        ("OSTRÓW WLKP.", "OSTRÓW WLKP."),
        ("ROMA PROV. RM", "ROMA PROV. RM"),
        ("Dun Laoghaire", "Dun Laoghaire"),
        (" ", None),
        ("GRAL. ROCA. ARGENTINA", "GRAL. ROCA, ARGENTINA"),
        ("Pcia. de Salta", "Pcia. de Salta"),
        ("(QUIMPER)", "QUIMPER"),
        ("STRASBOURG (67)", "STRASBOURG (67)"),
        ("(67) STRASBOURG (FRANCE)", "(67) STRASBOURG (FRANCE)"),
        ("SURAKARTA,", "SURAKARTA"),
    ],
)
def test_places_have_commas_where_full_stops_are_read(read, place):
    """Behind a word, and behind initials in front of others; not behind short abbreviations and at the end."""
    assert values.parse_place(read) == place


@pytest.mark.parametrize(
    ("kind", "read", "country", "value"),
    [
        (values.PLACE, "KAHRAMANMARAȘ", "TUR", "KAHRAMANMARAŞ"),
        (values.STRING, "Gülșah", "TUR", "Gülşah"),
        (values.PLACE, "Köneürgenç Bașy", "TKM", "Köneürgenç Başy"),
        (values.ADDRESS, "Şoseaua Ţării 5", "ROU", "Șoseaua Țării 5"),
        (values.STRING, "ȘTEFAN ŞAHİN", "DEU", "ȘTEFAN ŞAHİN"),
        (values.STRING, "ȘTEFAN ŞAHİN", None, "ȘTEFAN ŞAHİN"),
    ],
)
def test_texts_have_the_letters_of_the_issuing_country(kind, read, country, value):
    """Recognition confuses a cedilla, as in Turkish, with the comma below of Romanian."""
    assert kind.parse(read, values.Conventions(issuing_country=country)) == value

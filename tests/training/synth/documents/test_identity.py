"""What training can rely on in synthetic identity documents."""

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from itertools import permutations
from random import Random
from typing import Any

import pytest

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.documents.identity import DriverLicence, DrivingPrivilege, Identity, check_identity
from docextract.documents.persons import parse_document_number
from docextract.documents.values import COUNTRY, Conventions, DateOrder, parse_birth_date, parse_date
from tests.training.synth.documents.printed import kind_of, leaves, printed
from training.synth.documents import generator_of
from training.synth.documents.grammar import expand
from training.synth.documents.identity.issuers import issuers, issuing_states
from training.synth.documents.identity.labels import field_labels
from training.synth.documents.identity.sampling import draw_document
from training.synth.documents.identity.text_layout import envelope_lines
from training.synth.documents.identity.writer import IdentityWriter
from training.synth.documents.locales import format_date
from training.synth.sheet import Sheet, Text

SAMPLES = 250
TYPES = ("passport", "id_card", "driver_licence")
EACH_TYPE = pytest.mark.parametrize("name", TYPES)
EVERY_ISSUER = pytest.mark.parametrize("code", issuers())


@cache
def made(name: str) -> tuple[tuple[Any, Sheet], ...]:
    """Records with their sheets; the index is the seed."""
    return tuple(generator_of(name).draw(Random(seed)) for seed in range(SAMPLES))


def reads_as(kind: DocumentType, name: str, value: Any, runs: list[str], order: DateOrder) -> bool:
    """Whether every run of a field parses to its value; a string may be on several lines, and be repeated."""
    parse, conventions = kind_of(kind, name), Conventions(order)
    if parse.name != "string":
        return all(parse.parse(run, conventions) == value for run in runs)
    whole = len(runs)
    return any(
        all(parse.parse(" ".join(runs[at : at + size]), conventions) == value for at in range(0, whole, size))
        for size in range(1, whole + 1)
        if whole % size == 0
    )


def overlap(one: Text, other: Text) -> bool:
    """Whether two texts overlap: by half of the lower one's height and some of its width."""
    across = min(one.x_mm + one.width_mm, other.x_mm + other.width_mm) - max(one.x_mm, other.x_mm)
    down = min(one.y_mm + one.height_mm, other.y_mm + other.height_mm) - max(one.y_mm, other.y_mm)
    return across > 0.3 and down > 0.5 * min(one.height_mm, other.height_mm)


@EACH_TYPE
def test_same_seed_gives_the_same_document(name: str) -> None:
    """Training examples are reproducible on any machine."""
    for seed in range(30):
        assert generator_of(name).draw(Random(seed)) == generator_of(name).draw(Random(seed))


@EACH_TYPE
def test_every_value_is_printed_and_parses_back(name: str) -> None:
    """Every value of the record is on the sheet, as runs of its field that parse to the same value."""
    kind = document_types()[name]
    for seed, (record, sheet) in enumerate(made(name)):
        runs = printed(sheet)
        for field, value in leaves(record, record.non_fields).items():
            assert field in runs, f"seed {seed}: {field} is not printed"
            orders: tuple[DateOrder, ...] = ("DMY", "MDY", "YMD")
            assert any(reads_as(kind, field, value, runs[field], order) for order in orders), (
                f"seed {seed}: {field}={value!r} is printed as {runs[field]!r}"
            )


@EACH_TYPE
def test_only_fields_of_the_record_have_runs(name: str) -> None:
    """A field that the record does not have has no runs; the machine-readable zone has none either."""
    for seed, (record, sheet) in enumerate(made(name)):
        assert set(printed(sheet)) <= set(leaves(record, record.non_fields)), f"seed {seed}"
        assert not [text for text in sheet.texts() if text.face == "ocrb" and text.field], f"seed {seed}"


@EACH_TYPE
def test_all_text_is_on_the_card(name: str) -> None:
    """No run begins or ends outside the sheet, and none is too small to read."""
    for seed, (_, sheet) in enumerate(made(name)):
        for text in sheet.texts():
            assert 0 <= text.x_mm < text.x_mm + text.width_mm <= sheet.width_mm, f"seed {seed}: {text}"
            assert 0 <= text.y_mm < text.y_mm + text.height_mm <= sheet.height_mm, f"seed {seed}: {text}"
            assert text.height_mm > (0.9 if text.field is None else 1.1), f"seed {seed}: {text}"


@EACH_TYPE
def test_values_do_not_overlap(name: str) -> None:
    """On nearly every document each value can be read."""
    spoilt = 0
    for _, sheet in made(name):
        values = [text for text in sheet.texts() if text.field]
        spoilt += any(overlap(one, other) for at, one in enumerate(values) for other in values[:at])
    assert spoilt <= 0.01 * SAMPLES


@EACH_TYPE
def test_values_beside_each_other_have_a_visible_gap(name: str) -> None:
    """OCR would read two words as one."""
    for seed, (_, sheet) in enumerate(made(name)):
        values = [text for text in sheet.texts() if text.field]
        for one, other in permutations(values, 2):
            gap = other.x_mm - one.x_mm - one.width_mm
            if one.field != other.field and one.y_mm == other.y_mm and gap >= 0 and one.text[-1].isalnum():
                assert gap > 0.2 * other.height_mm, f"seed {seed}: {one}, {other}"


@EACH_TYPE
def test_synthetic_dates_are_in_order(name: str) -> None:
    """A synthetic document passes the checks that real ones have to pass."""
    kind = document_types()[name]
    checks = [(seed, found) for seed, (record, _) in enumerate(made(name)) for found in kind.check(record)]

    assert len(checks) > SAMPLES / 4
    assert [(seed, found.name) for seed, found in checks if not found.passed] == []


@EACH_TYPE
def test_every_field_is_sometimes_absent(name: str) -> None:
    """A network that never sees a field absent learns to invent it."""
    shown = Counter(
        top for record, _ in made(name) for top in {field.split(".")[0] for field in leaves(record, record.non_fields)}
    )
    for field in document_types()[name].fields():
        top = field.group or field.name
        assert shown[top] < SAMPLES or name == "passport", top
        assert shown[top] > 0 or top == "resident_address", top


@EACH_TYPE
def test_documents_are_of_many_countries(name: str) -> None:
    """Several hundred documents are of at least forty countries, and nearly all holders differ."""
    records = [record for record, _ in made(name)]

    assert len({record.issuing_country for record in records}) > 40
    named = [(record.family_name, record.given_name) for record in records if record.family_name]
    assert len(set(named)) > 0.97 * len(named)


def test_a_passports_zone_agrees_with_its_record() -> None:
    """The two lines have the values of the page."""
    zones = [(record, sheet) for record, sheet in made("passport") if record.mrz]

    assert len(zones) > 0.9 * SAMPLES
    for record, sheet in zones:
        lines = tuple(text.text for text in sheet.texts() if text.text in record.mrz)
        assert lines == record.mrz
        assert {len(line) for line in lines} == {44}
        if record.document_number and record.document_number.isalnum():
            assert record.document_number[-9:] in lines[1].replace("<", "")


def test_german_passports_print_their_own_country_code() -> None:
    """D, as in their zone; it parses to DEU."""
    codes = {
        text.text
        for record, sheet in made("passport")
        if record.issuing_country == "DEU"
        for text in sheet.texts()
        if text.field == "issuing_country" and len(text.text) <= 3
    }

    assert codes == {"D"}


def test_cards_have_zones_of_both_sizes() -> None:
    """Three lines of 30 characters on backs, two of 36 on older fronts."""
    shapes = Counter((len(record.mrz), record.family_name is None) for record, _ in made("id_card") if record.mrz)

    assert set(shapes) == {(3, True), (2, False)}


@EVERY_ISSUER
def test_a_licence_lists_each_category_once(code: str) -> None:
    """Also where the list of the issuer has frequent ones twice."""
    for seed in range(20):
        held = draw_document(issuers()[code], "driver_licence", None, Random(seed)).values["driving_privileges"]
        codes = [one["vehicle_category_code"] for one in held]
        assert len(set(codes)) == len(codes), codes


@EVERY_ISSUER
def test_every_name_of_a_country_parses_to_it(code: str) -> None:
    """Headings, licence signs, nationalities and states parse to the code of the country."""
    issuer = issuers()[code]
    spellings = [
        text for key in ("heading", "sign", "nationality", "nationality_driver_licence") for text in issuer.options(key)
    ]
    spellings += issuing_states().get(code, {}).values()

    for text in spellings:
        assert COUNTRY.parse(text, Conventions()) == code, text
        assert COUNTRY.parse(text.upper(), Conventions()) == code, text


@EVERY_ISSUER
@EACH_TYPE
def test_every_document_number_parses(code: str, name: str) -> None:
    """Every number template of a country gives text that parses as a document number."""
    lists = issuers()[code].lists
    born = dict.fromkeys(("yymmdd", "ddmmyy", "ddmm", "yy", "mm", "dd", "yyyy", "hm"), ("010203",))
    for template in lists[name]:
        text = expand(template, {**lists, **born}, Random(0))
        assert parse_document_number(text) == "".join(text.split()), text


@EVERY_ISSUER
def test_every_language_of_an_issuer_has_labels(code: str) -> None:
    """No issuer uses a language without labels."""
    for choice in issuers()[code].languages:
        for language in choice.split():
            assert field_labels(language)["family_name" if language not in ("ms", "id") else "name"]


def test_a_birth_year_is_never_in_the_future() -> None:
    """Passports print two digits of the year; 63 is 1963 for a birth and 2063 otherwise."""
    assert parse_date("12 AUG/AOÛT 63") == date(2063, 8, 12)
    assert parse_birth_date("12 AUG/AOÛT 63", "DMY") == date(1963, 8, 12)
    assert parse_birth_date("12 AUG/AOÛT 88", "DMY") == date(1988, 8, 12)
    assert parse_birth_date("01.02.2004", "DMY") == date(2004, 2, 1)


def test_years_of_two_digits_are_those_that_are_read_back() -> None:
    """An expiry date is up to 60 years ahead, and an issue date in the past."""
    writer = IdentityWriter(Identity(), "passport", Random(1))
    writer.style = replace(writer.style, dates=("{d:02}.{m:02}.{s:02}",))
    past, ahead = (date(date.today().year + years, 1, 9) for years in (-61, 59))

    assert writer.day(ahead, "expiry_date") == f"{ahead:%d.%m.%y}"
    assert writer.day(ahead, "issue_date") == f"{ahead:%d.%m.%Y}"
    assert writer.day(past, "issue_date") == f"{past:%d.%m.%y}"
    assert writer.day(past, "expiry_date") == f"{past:%d.%m.%Y}"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{d:02} {mon} {y}", "09 Oca 1990"),
        ("{y} {m:02} {d:02}", "1990 01 09"),
    ],
)
def test_dates_of_other_languages_parse_back(template: str, text: str) -> None:
    """Turkish months, and dates that start with the year and have only spaces."""
    assert format_date(date(1990, 1, 9), template, "tr") == text
    assert parse_date(text) == date(1990, 1, 9)


@pytest.mark.parametrize(
    ("record", "failing"),
    [
        (Identity(birth_date=date(1990, 1, 1), expiry_date=date(1989, 1, 1)), ["dates_in_order"]),
        (Identity(issue_date=date(2020, 1, 1), expiry_date=date(2020, 1, 1)), ["dates_in_order"]),
        (Identity(birth_date=date(1901, 1, 1), expiry_date=date(2031, 1, 1)), ["dates_plausible"]),
        (Identity(birth_date=date(1990, 1, 1), issue_date=date(2020, 1, 1), expiry_date=date(2030, 1, 1)), []),
        (Identity(birth_date=date(1990, 1, 1)), []),
        (Identity(birth_date=date(1950, 1, 1), issue_date=date(2020, 1, 1), expiry_date=date(9999, 1, 1)), []),
        (Identity(birth_date=date(1950, 1, 1), expiry_date=date.max), []),
        (
            Identity(birth_date=date(1850, 1, 1), issue_date=date(2020, 1, 1), expiry_date=date.max),
            ["dates_plausible"],
        ),
    ],
)
def test_impossible_dates_fail_a_check(record: Identity, failing: list[str]) -> None:
    """A misread year fails a check; absent dates are not judged."""
    assert [found.name for found in check_identity(record) if not found.passed] == failing


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("92490 US Hwy 47 Dallas, TX 34367", ["92490 US Hwy 47", "Dallas, TX 34367"]),
        ("27 STATE BLVD STE 788 AUSTIN, TX 22773-0587", ["27 STATE BLVD", "STE 788", "AUSTIN, TX 22773-0587"]),
        ("107 quai du Port 34367 Lyon", ["107 quai du Port", "34367 Lyon"]),
        ("85616 Mainz Bahnhofstraße 225", ["85616 Mainz Bahnhofstraße 225"]),
    ],
    ids=["no comma before the town", "a flat", "a postal code before the town", "the town is first"],
)
def test_addresses_are_broken_before_their_town(address, lines):
    """As envelopes and cards print them."""
    assert envelope_lines(address, ("Austin, TX", "Dallas, TX", "Lyon", "Mainz")) == lines


@pytest.mark.parametrize("days", [0, 1, 2])
@pytest.mark.parametrize("name", ["birth_date", "issue_date", "driving_privileges"])
def test_dates_in_the_future_fail_a_check(name: str, days: int) -> None:
    """In the time zone of the service it may still be the day before."""
    day = date.today() + timedelta(days=days)
    rows = (DrivingPrivilege(issue_date=date(2020, 1, 1)), DrivingPrivilege(issue_date=day, expiry_date=date.max))
    record = DriverLicence(**{name: rows if name == "driving_privileges" else day})

    assert [(found.name, found.passed, found.fields) for found in check_identity(record)] == [
        ("dates_not_in_future", days < 2, (name,))
    ]


def test_documents_expire_in_the_future() -> None:
    """Nothing else has to be in the past."""
    assert check_identity(DriverLicence(expiry_date=date(2090, 1, 1))) == ()

"""What identity documents made up promise to whoever trains on them."""

from collections import Counter
from datetime import date
from functools import cache
from random import Random
from typing import Any

import pytest

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.documents.identity import Identity, check_identity
from docextract.documents.persons import parse_document_number
from docextract.documents.values import COUNTRY, Conventions, DateOrder, parse_birth_date, parse_date
from tests.training.synth.documents.printed import kind_of, leaves, printed
from training.synth.documents import generator_of
from training.synth.documents.grammar import expand
from training.synth.documents.identity.issuers import issuers, issuing_states
from training.synth.documents.identity.labels import field_labels
from training.synth.documents.locales import format_date
from training.synth.sheet import Sheet, Text

SAMPLES = 250
TYPES = ("passport", "id_card", "driver_licence")
EACH_TYPE = pytest.mark.parametrize("name", TYPES)
EVERYWHERE = pytest.mark.parametrize("code", issuers())


@cache
def made(name: str) -> tuple[tuple[Any, Sheet], ...]:
    """Records and the sheets they are printed on; the seed is the place."""
    return tuple(generator_of(name).draw(Random(seed)) for seed in range(SAMPLES))


def reads_as(kind: DocumentType, name: str, value: Any, runs: list[str], order: DateOrder) -> bool:
    """Every printing of a value parses to it; a string may stand on several lines, and be printed again."""
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
    """Whether half of the lower line's height and some of its width is under the other one."""
    across = min(one.x_mm + one.width_mm, other.x_mm + other.width_mm) - max(one.x_mm, other.x_mm)
    down = min(one.y_mm + one.height_mm, other.y_mm + other.height_mm) - max(one.y_mm, other.y_mm)
    return across > 0.3 and down > 0.5 * min(one.height_mm, other.height_mm)


@EACH_TYPE
def test_same_seed_gives_the_same_document(name: str) -> None:
    """A training example can be made again on any machine."""
    for seed in range(30):
        assert generator_of(name).draw(Random(seed)) == generator_of(name).draw(Random(seed))


@EACH_TYPE
def test_whatever_is_in_the_record_is_printed_and_reads_back(name: str) -> None:
    """The truth about a page is on the page, tagged, in a form that parses to the very same value."""
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
def test_nothing_is_tagged_that_is_not_in_the_record(name: str) -> None:
    """A field the record lacks has no runs, so that no label is taught for it; the machine-readable zone has none."""
    for seed, (record, sheet) in enumerate(made(name)):
        assert set(printed(sheet)) <= set(leaves(record, record.non_fields)), f"seed {seed}"
        assert not [text for text in sheet.texts() if text.face == "ocrb" and text.field], f"seed {seed}"


@EACH_TYPE
def test_all_print_lies_on_the_card(name: str) -> None:
    """No run begins or ends off the sheet, and none is too small to be read."""
    for seed, (_, sheet) in enumerate(made(name)):
        for text in sheet.texts():
            assert 0 <= text.x_mm < text.x_mm + text.width_mm <= sheet.width_mm, f"seed {seed}: {text}"
            assert 0 <= text.y_mm < text.y_mm + text.height_mm <= sheet.height_mm, f"seed {seed}: {text}"
            assert text.height_mm > (0.9 if text.field is None else 1.1), f"seed {seed}: {text}"


@EACH_TYPE
def test_values_do_not_lie_on_each_other(name: str) -> None:
    """On nearly every document each value can be read by itself."""
    spoilt = 0
    for _, sheet in made(name):
        values = [text for text in sheet.texts() if text.field]
        spoilt += any(overlap(one, other) for at, one in enumerate(values) for other in values[:at])
    assert spoilt <= 0.01 * SAMPLES


@EACH_TYPE
def test_synthetic_dates_are_in_order(name: str) -> None:
    """A document from our own press passes every check we put to a stranger's."""
    kind = document_types()[name]
    checks = [(seed, found) for seed, (record, _) in enumerate(made(name)) for found in kind.check(record)]

    assert len(checks) > SAMPLES / 4
    assert [(seed, found.name) for seed, found in checks if not found.passed] == []


@EACH_TYPE
def test_every_field_is_now_there_and_now_absent(name: str) -> None:
    """What is never absent would be invented where it is not printed."""
    shown = Counter(
        top for record, _ in made(name) for top in {field.split(".")[0] for field in leaves(record, record.non_fields)}
    )
    for field in document_types()[name].fields():
        top = field.group or field.name
        assert shown[top] < SAMPLES or name == "passport", top
        assert shown[top] > 0 or top == "resident_address", top


@EACH_TYPE
def test_documents_come_from_everywhere(name: str) -> None:
    """At least forty countries in a few hundred documents, and hardly the same holder twice."""
    records = [record for record, _ in made(name)]

    assert len({record.issuing_country for record in records}) > 40
    named = [(record.family_name, record.given_name) for record in records if record.family_name]
    assert len(set(named)) > 0.97 * len(named)


def test_passports_have_the_zone_of_their_record() -> None:
    """The two lines at the foot say what the page says."""
    zones = [(record, sheet) for record, sheet in made("passport") if record.mrz]

    assert len(zones) > 0.9 * SAMPLES
    for record, sheet in zones:
        lines = tuple(text.text for text in sheet.texts() if text.text in record.mrz)
        assert lines == record.mrz
        assert {len(line) for line in lines} == {44}
        if record.document_number and record.document_number.isalnum():
            assert record.document_number[-9:] in lines[1].replace("<", "")


def test_cards_have_zones_of_both_sizes() -> None:
    """Three lines of thirty on backs, two of thirty-six on older fronts."""
    shapes = Counter((len(record.mrz), record.family_name is None) for record, _ in made("id_card") if record.mrz)

    assert set(shapes) == {(3, True), (2, False)}


@EVERYWHERE
def test_every_name_of_a_country_names_it(code: str) -> None:
    """Headings, the sign on licences, nationalities and states read as the country that prints them."""
    issuer = issuers()[code]
    spellings = [
        text for key in ("heading", "sign", "nationality", "nationality_driver_licence") for text in issuer.options(key)
    ]
    spellings += issuing_states().get(code, {}).values()

    for text in spellings:
        assert COUNTRY.parse(text, Conventions()) == code, text
        assert COUNTRY.parse(text.upper(), Conventions()) == code, text


@EVERYWHERE
@EACH_TYPE
def test_every_number_has_the_form_of_one(code: str, name: str) -> None:
    """What a country prints as a document's number is taken for one."""
    lists = issuers()[code].lists
    born = dict.fromkeys(("yymmdd", "ddmmyy", "ddmm", "yy", "mm", "dd", "yyyy", "hm"), ("010203",))
    for template in lists[name]:
        text = expand(template, {**lists, **born}, Random(0))
        assert parse_document_number(text) == "".join(text.split()), text


@EVERYWHERE
def test_every_label_is_in_a_known_language(code: str) -> None:
    """No country asks for words that nobody wrote down."""
    for choice in issuers()[code].languages:
        for language in choice.split():
            assert field_labels(language)["family_name" if language not in ("ms", "id") else "name"]


def test_birth_in_the_year_63_is_not_to_come() -> None:
    """Passports print two digits of a year; nobody is born in the future."""
    assert parse_date("12 AUG/AOÛT 63") == date(2063, 8, 12)
    assert parse_birth_date("12 AUG/AOÛT 63", "DMY") == date(1963, 8, 12)
    assert parse_birth_date("12 AUG/AOÛT 88", "DMY") == date(1988, 8, 12)
    assert parse_birth_date("01.02.2004", "DMY") == date(2004, 2, 1)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{d:02} {mon} {y}", "09 Oca 1990"),
        ("{y} {m:02} {d:02}", "1990 01 09"),
    ],
)
def test_dates_of_other_languages_read_back(template: str, text: str) -> None:
    """Months in Turkish, and years first with nothing but spaces."""
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
    ],
)
def test_dates_that_cannot_be_are_noticed(record: Identity, failing: list[str]) -> None:
    """A misread year shows as a failed check; what is absent is not judged."""
    assert [found.name for found in check_identity(record) if not found.passed] == failing

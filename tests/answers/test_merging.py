"""Pages and sides of one document."""

from datetime import date
from decimal import Decimal
from typing import ClassVar

import numpy as np
import pytest

from docextract.answers.merging import ExtractedPage, build_record, common_type, merge_pages, zone_checks
from docextract.documents import document_types
from docextract.documents.base import Check, Country, Date, DocumentNumber, DocumentType, Record, String
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone

PAGE = np.full((200, 100, 3), 240, np.uint8)
TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


class Pass(Record):
    """What may bear a machine-readable zone."""

    non_fields: ClassVar[frozenset[str]] = Record.non_fields | {"mrz"}

    mrz: tuple[str, ...] = ()
    document_number: DocumentNumber | None = None
    family_name: String | None = None
    given_name: String | None = None
    birth_date: Date | None = None
    nationality: Country | None = None
    birth_place: String | None = None


def has_its_zone(found):
    return (Check("zone_is_known_to_checks", found.mrz == TD3, ("mrz",)),)


PASS = DocumentType("pass", Pass, frozenset(), has_its_zone)
RECEIPT = document_types()["receipt"]


def value(meaning, confidence=0.9):
    return PredictedValue(str(meaning), meaning, confidence, ())


def zone(valid=True, **fields):
    found = {"document_number": "L898902C3", "family_name": "ERIKSSON", "birth_date": date(1974, 8, 12)} | fields
    checks = {"document_number": valid, "birth_date": True}
    return PredictedZone("TD3", "P", TD3, valid, checks, False, 0.9, (), {n: value(v, 0.99) for n, v in found.items()})


def page(image, type="pass", confidence=0.9, zone=None, groups=None, currency=None, **fields):
    found = PagePrediction(type, confidence, Conventions(currency=currency), fields, groups or {}, zone=zone)
    return ExtractedPage(image, PAGE, np.eye(3), found)


def values(merged):
    return {name: located.value.value for name, located in merged.fields.items()}


def test_two_sides_of_a_card_are_one_document():
    """The front's print, and the zone from the back, each with the image it stands on."""
    front = page(0, document_number=value("L898902C3"), family_name=value("Eriksson"), birth_place=value("ZENITH"))
    back = page(1, type="other", zone=zone())

    merged = merge_pages([front, back], PASS)

    assert values(merged) == {
        "document_number": "L898902C3", "family_name": "Eriksson", "birth_place": "ZENITH",
        "birth_date": date(1974, 8, 12),
    }  # fmt: skip
    assert {name: located.page.image for name, located in merged.fields.items()} == {
        "document_number": 1, "family_name": 0, "birth_place": 0, "birth_date": 1,
    }  # fmt: skip
    sources = merged.fields["family_name"].sources
    assert {name: one.page.image for name, one in sources.items()} == {"mrz": 1, "printed": 0}
    assert not merged.fields["birth_date"].sources


def test_two_sources_that_agree_are_surer_than_one():
    """And a document says so: nothing differs."""
    merged = merge_pages([page(0, zone=zone(), document_number=value("L898902C3"))], PASS)

    assert merged.fields["document_number"].value.confidence > 0.99
    assert list(zone_checks(merged)) == [
        Check("mrz_check_digits", True, ("mrz",)),
        Check("mrz_matches_printed", True, ("document_number",)),
    ]


def test_a_difference_between_zone_and_print_is_named():
    """Somebody should look at the birth date, and the zone's is given."""
    merged = merge_pages(
        [page(0, zone=zone(), birth_date=value(date(1975, 8, 12)), document_number=value("L898902C3"))], PASS
    )

    assert Check("mrz_matches_printed", False, ("birth_date",)) in zone_checks(merged)
    assert merged.fields["birth_date"].value.value == date(1974, 8, 12)


def test_a_check_digit_that_fails_is_named():
    """With the field that it guards."""
    merged = merge_pages([page(0, zone=zone(valid=False), document_number=value("L898902C3"))], PASS)

    assert Check("mrz_check_digits", False, ("mrz", "document_number")) in zone_checks(merged)


def test_a_document_without_a_zone_has_no_check_of_it():
    """Most licences."""
    assert list(zone_checks(merge_pages([page(0)], PASS))) == []


def test_a_receipt_has_no_zone():
    """Whatever is printed on it."""
    merged = merge_pages([page(0, "receipt", zone=zone(), total=value(Decimal(9)))], RECEIPT)

    assert merged.zone is None
    assert values(merged) == {"total": Decimal(9)}


def test_the_valid_zone_counts():
    """A passport photographed twice, once with a thumb on it."""
    merged = merge_pages([page(0, zone=zone(valid=False)), page(1, zone=zone())], PASS)

    assert merged.zone is not None
    assert merged.zone.page.image == 1


def test_checks_see_the_zone():
    """A type's own rules may use its lines."""
    merged = merge_pages([page(0, zone=zone(), family_name=value("Eriksson"))], PASS)

    assert PASS.check(build_record(PASS, merged))[0].passed


def test_what_most_pages_say_outweighs_what_one_is_sure_of():
    """The sum carried over is clear on one page; the total stands on two."""
    pages = [
        page(0, "receipt", total=value(Decimal(50), 0.9)),
        page(1, "receipt", total=value(Decimal(99), 0.8)),
        page(2, "receipt", total=value(Decimal(99), 0.85)),
    ]

    merged = merge_pages(pages, RECEIPT)

    assert merged.fields["total"].value.value == Decimal(99)
    assert merged.fields["total"].page.image == 2


def test_of_equals_the_first_page_counts():
    """A heading repeated on each page is evidence from the first."""
    pages = [page(at, "receipt", merchant_name=value("Corner Bakery", 0.9)) for at in range(3)]

    assert merge_pages(pages, RECEIPT).fields["merchant_name"].page.image == 0


def test_lists_go_on_from_page_to_page():
    """In the order in which the pages were sent, each row with its page."""
    pages = [
        page(at, "receipt", groups={"line_items": ({"description": value(text)},)}) for at, text in enumerate("abc")
    ]

    rows = merge_pages(pages, RECEIPT).groups["line_items"]

    assert [(row["description"].value.value, row["description"].page.image) for row in rows] == [
        ("a", 0), ("b", 1), ("c", 2),
    ]  # fmt: skip


def test_the_currency_stands_on_any_page():
    """The first that says one."""
    pages = [page(0, "receipt"), page(1, "receipt", currency="EUR"), page(2, "receipt", currency="USD")]

    assert merge_pages(pages, RECEIPT).conventions.currency == "EUR"


@pytest.mark.parametrize(
    ("pages", "name"),
    [
        ([("receipt", 0.9)], "receipt"),
        ([("receipt", 0.6), ("other", 1.0)], "receipt"),
        ([("passport", 0.6), ("receipt", 0.9), ("passport", 0.7)], "passport"),
        ([("other", 0.8), ("other", 0.9)], "other"),
    ],
)
def test_a_document_is_what_most_of_its_pages_are(pages, name):
    """A blank reverse takes nothing from the front."""
    assert common_type([PagePrediction(type, confidence, Conventions()) for type, confidence in pages]) == name

"""Merging of the pages and sides of one document."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import ClassVar

import numpy as np
import pytest

from docextract.answers.merging import ExtractedPage, build_record, merge_pages, zone_checks
from docextract.documents import document_types
from docextract.documents.base import Check, Country, Date, DocumentNumber, DocumentType, Record, RecordRow, String
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone, common_type

PAGE = np.full((200, 100, 3), 240, np.uint8)
TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


class Pass(Record):
    """A record that may have a machine-readable zone."""

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
LICENCE = document_types()["driver_licence"]


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
    """The printed fields are from the front and the zone from the back, each with the index of its image."""
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


def test_agreeing_sources_raise_the_confidence():
    """The check of the document passes too."""
    merged = merge_pages([page(0, zone=zone(), document_number=value("L898902C3"))], PASS)

    assert merged.fields["document_number"].value.confidence > 0.99
    assert list(zone_checks(merged)) == [
        Check("mrz_check_digits", True, ("mrz",)),
        Check("mrz_matches_printed", True, ("document_number",)),
    ]


def test_a_difference_between_zone_and_printed_value_is_reported():
    """The check names the birth date, and the value of the zone is used."""
    merged = merge_pages(
        [page(0, zone=zone(), birth_date=value(date(1975, 8, 12)), document_number=value("L898902C3"))], PASS
    )

    assert Check("mrz_matches_printed", False, ("birth_date",)) in zone_checks(merged)
    assert merged.fields["birth_date"].value.value == date(1974, 8, 12)


def test_a_wrong_check_digit_is_reported():
    """The check names the field of the check digit."""
    merged = merge_pages([page(0, zone=zone(valid=False), document_number=value("L898902C3"))], PASS)

    assert Check("mrz_check_digits", False, ("mrz", "document_number")) in zone_checks(merged)


def test_a_document_without_a_zone_has_no_zone_checks():
    """Most driving licences have none."""
    assert list(zone_checks(merge_pages([page(0)], PASS))) == []


def test_a_receipt_has_no_zone():
    """A type without the member `mrz` never gets a zone."""
    merged = merge_pages([page(0, "receipt", zone=zone(), total=value(Decimal(9)))], RECEIPT)

    assert merged.zone is None
    assert values(merged) == {"total": Decimal(9)}


def test_a_valid_zone_is_preferred():
    """A passport was photographed twice, once with a thumb on the zone."""
    merged = merge_pages([page(0, zone=zone(valid=False)), page(1, zone=zone())], PASS)

    assert merged.zone is not None
    assert merged.zone.page.image == 1


@pytest.mark.parametrize(
    ("printed", "family", "given"),
    [
        ({"given_name": "Lakshmi Priya"}, None, "Lakshmi Priya"),
        ({"family_name": "Lakshmi Priya"}, "Lakshmi Priya", None),
        ({"family_name": "Lakshmi", "given_name": "Lakshmi Priya"}, "LAKSHMI PRIYA", "Lakshmi Priya"),
        ({"given_name": "Anita"}, "LAKSHMI PRIYA", "Anita"),
        ({}, "LAKSHMI PRIYA", None),
    ],
)
def test_a_single_name_in_the_zone_is_the_one_that_is_printed(printed, family, given):
    """Passports of India without a surname have the given names in its place in the zone."""
    names = {name: value(one, 0.8) for name, one in printed.items()}

    found = merge_pages([page(0, zone=zone(family_name="LAKSHMI PRIYA"), **names)], PASS)

    assert (values(found).get("family_name"), values(found).get("given_name")) == (family, given)


def test_a_single_name_in_the_zone_is_no_family_name_beside_a_given_name():
    """The zone confirms the printed one."""
    found = merge_pages([page(0, zone=zone(family_name="LAKSHMI"), given_name=value("LAKSHMI", 0.8))], PASS)

    assert found.fields["given_name"].agree
    assert found.fields["given_name"].value.confidence > 0.8


def zones_agree(*zones):
    pages = [page(at, zone=found, birth_place=value("ZENITH")) for at, found in enumerate(zones)]
    return [check for check in merge_pages(pages, PASS).checks if check.name == "zones_agree"]


def test_zones_of_two_persons_in_one_document_are_reported():
    """The values are those of the first."""
    second = zone(document_number="X12345678", birth_date=date(1980, 2, 1))
    (check,) = zones_agree(zone(), second, None)

    assert (check.passed, set(check.fields)) == (False, {"document_number", "birth_date"})
    assert values(merge_pages([page(0, zone=zone()), page(1, zone=second)], PASS))["document_number"] == "L898902C3"


def test_zones_of_two_documents_of_a_holder_are_reported():
    """The number of one of them is missing in the answer."""
    assert zones_agree(zone(), zone(document_number="X12345678")) == [Check("zones_agree", False, ("document_number",))]


def test_one_zone_photographed_twice_agrees():
    """A value without a right check digit may be misread, as a name may."""
    twice = zones_agree(zone(), zone(valid=False, document_number="L89890ZC3", family_name="ERIK"))

    assert twice == [Check("zones_agree", True, ("birth_date",))]


def test_a_visa_is_not_compared_with_its_passport():
    """Two visas are."""
    passport, visa = zone(), replace(zone(document_number="V12345678"), document_code="V")
    third = replace(visa, fields={**visa.fields, "document_number": value("V99999999")})

    assert zones_agree(passport, visa) == zones_agree(visa, passport) == []
    assert zones_agree(visa, third) == [Check("zones_agree", False, ("document_number",))]
    assert zones_agree(visa, passport, third) == [Check("zones_agree", False, ("document_number",))]


def test_one_zone_is_not_compared():
    """Most cards have it on one side only."""
    assert zones_agree(None, zone()) == []


def test_checks_of_a_type_get_the_zone():
    """The rules of a type may use the lines of the zone."""
    merged = merge_pages([page(0, zone=zone(), family_name=value("Eriksson"))], PASS)

    assert PASS.check(build_record(PASS, merged))[0].passed


def test_a_value_on_two_pages_outweighs_one_with_higher_confidence():
    """The carried-over sum is clear on one page; the total is on two pages."""
    pages = [
        page(0, "receipt", total=value(Decimal(50), 0.9)),
        page(1, "receipt", total=value(Decimal(99), 0.8)),
        page(2, "receipt", total=value(Decimal(99), 0.85)),
    ]

    merged = merge_pages(pages, RECEIPT)

    assert merged.fields["total"].value.value == Decimal(99)
    assert merged.fields["total"].page.image == 2


def total_of(*confidences):
    """The merged total of pages with totals of 1, 2, … and the given confidences."""
    pages = [page(at, "receipt", total=value(Decimal(at + 1), one)) for at, one in enumerate(confidences)]
    return merge_pages(pages, RECEIPT).fields["total"].value


def test_a_value_that_differs_on_another_page_is_less_certain():
    """Odds of 19, against odds of 4 and 1 for none of the two."""
    assert total_of(0.95, 0.8).value == Decimal(1)
    assert total_of(0.95, 0.8).confidence == pytest.approx(19 / (19 + 4 + 1))
    assert total_of(0.95, 0.5, 0.8).confidence == pytest.approx(19 / (19 + 1 + 4 + 1))
    assert total_of(0.95).confidence == 0.95
    assert total_of(1.0, 1.0).confidence == pytest.approx(0.5)


def test_punctuation_makes_no_difference_between_pages():
    """The lines of an address are printed with commas at the foot of another page."""
    address = [value("Main Street 1 Springfield", 0.9), value("MAIN STREET 1, Springfield", 0.8)]
    pages = [page(at, "receipt", merchant_address=one) for at, one in enumerate(address)]

    assert merge_pages(pages, RECEIPT).fields["merchant_address"].value == address[0]


@pytest.mark.parametrize(
    ("upper", "expected"),
    [
        ({"total_tax": value(Decimal(30), 0.95)}, (100, 19, 119)),  # a charge, on a page without a sum
        ({"total_tax": value(Decimal(30), 0.95), "total": value(Decimal(130), 0.99)}, (100, 30, 130)),  # another total
        ({"subtotal": value(Decimal(110), 0.95), "total_discount": value(Decimal(10))}, (110, 19, 119)),  # adds up
    ],
)
def test_subtotal_and_tax_come_from_the_page_where_they_make_the_total(upper, expected):
    """Unless the values of all pages do, or another total is more certain."""
    lower = {"subtotal": value(Decimal(100), 0.6), "total_tax": value(Decimal(19), 0.8), "total": value(Decimal(119))}
    pages = [page(0, "receipt", **upper), page(1, "receipt", **lower)]
    found = values(merge_pages(pages, RECEIPT))

    assert tuple(found[name] for name in ("subtotal", "total_tax", "total")) == expected


def test_equal_values_are_located_on_the_first_page():
    """A heading that is repeated on each page gets the position on the first page."""
    pages = [page(at, "receipt", merchant_name=value("Corner Bakery", 0.9)) for at in range(3)]

    assert merge_pages(pages, RECEIPT).fields["merchant_name"].page.image == 0


def test_rows_are_joined_in_page_order():
    """Each row keeps its page."""
    pages = [
        page(at, "receipt", groups={"line_items": ({"description": value(text)},)}) for at, text in enumerate("abc")
    ]

    rows = merge_pages(pages, RECEIPT).groups["line_items"]

    assert [(row["description"].value.value, row["description"].page.image) for row in rows] == [
        ("a", 0), ("b", 1), ("c", 2),
    ]  # fmt: skip


def test_remarks_are_no_rows_where_another_page_has_amounts():
    """A cover letter has texts that look like descriptions; behind the total stand discounts with their rates."""

    def at(top, meaning):
        box = np.array([[10, top], [50, top], [50, top + 10], [10, top + 10]], np.float32)
        return PredictedValue(str(meaning), meaning, 0.9, (box,))

    letter = page(0, "invoice", groups={"line_items": ({"description": at(50, "Opening hours")},)})
    item = {"description": at(20, "Coil"), "amount": at(20, Decimal(40))}
    unread = {"description": at(40, "Bolt"), "quantity": at(40, Decimal(2)), "tax_rate": at(40, Decimal(19))}
    remark = {"description": at(90, "Discount"), "quantity": at(90, Decimal(2)), "tax_rate": at(90, Decimal(19))}
    table = page(1, "invoice", groups={"line_items": (item, unread, remark)}, total=at(60, Decimal(40)))

    rows = merge_pages([letter, table], document_types()["invoice"]).groups["line_items"]

    assert [row["description"].value.value for row in rows] == ["Coil", "Bolt"]


@pytest.mark.parametrize(
    ("taxes", "subtotal", "count"),
    [
        ([(50, 7)], 50, 2),  # a table of taxes: the amount of all goods, again
        ([(20, 7), (30, 19)], 50, 2),  # of two rates
        ([(50, 7)], 100, 3),  # an article that costs as much as the others together
        ([(49, 7)], 50, 3),
    ],
)
def test_a_table_of_taxes_is_no_part_of_the_goods(taxes, subtotal, count):
    """On a page of its own, its rows may look like goods: the sum on the document tells them apart."""
    goods = [{"description": value(name), "amount": value(Decimal(amount))} for name, amount in (("a", 20), ("b", 30))]
    rates = [{"amount": value(Decimal(amount)), "tax_rate": value(Decimal(rate))} for amount, rate in taxes]
    pages = [
        page(0, "invoice", groups={"line_items": tuple(goods)}),
        page(1, "invoice", groups={"line_items": tuple(rates)}, subtotal=value(Decimal(subtotal))),
    ]

    assert len(merge_pages(pages, document_types()["invoice"]).groups["line_items"]) == count


def test_the_currency_is_that_of_the_first_page_with_one():
    """The currency may be printed on any page."""
    pages = [page(0, "receipt"), page(1, "receipt", currency="EUR"), page(2, "receipt", currency="USD")]

    assert merge_pages(pages, RECEIPT).conventions.currency == "EUR"


def test_a_currency_in_print_is_surer_than_that_of_the_sellers_country():
    """The first page may name no currency, and have the one of the seller's country."""
    found = [Conventions(currency=code, currency_confidence=one) for code, one in (("CHF", 0.6), ("EUR", 0.95))]
    pages = [page(number, "receipt") for number in range(len(found))]
    pages = [
        replace(one, prediction=replace(one.prediction, conventions=own)) for one, own in zip(pages, found, strict=True)
    ]

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
def test_the_type_is_that_of_most_pages(pages, name):
    """A blank reverse does not change the type of the front."""
    assert common_type([PagePrediction(type, confidence, Conventions()) for type, confidence in pages]) == name


def test_the_title_of_another_paper_on_the_first_page_is_that_of_all():
    """The second page of an offer looks like that of an invoice."""
    offer = PagePrediction("other", 0.95, Conventions(), has_other_title=True)
    rows = PagePrediction("invoice", 1.0, Conventions())

    assert common_type([offer, rows]) == "other"
    assert common_type([rows, offer]) == "invoice"


def test_an_invoice_with_its_own_title_may_be_behind_its_delivery_note():
    note = PagePrediction("other", 0.95, Conventions(), has_other_title=True)
    bill = PagePrediction("invoice", 1.0, Conventions(), has_invoice_title=True)

    assert common_type([note, bill]) == "invoice"


def test_the_only_tax_rate_has_the_total_tax():
    """Its amount is printed once; with several rates, or an amount of its own, nothing is added."""
    rate, tax = {"rate": value(Decimal(19))}, value(Decimal("1.90"))

    def amounts(*rows):
        merged = merge_pages([page(0, type="receipt", groups={"taxes": rows}, total_tax=tax)], RECEIPT)
        return [row["amount"].value.value if "amount" in row else None for row in merged.groups["taxes"]]

    assert amounts(rate) == [Decimal("1.90")]
    assert amounts(rate, rate) == [None, None]
    assert amounts(rate | {"amount": value(Decimal("1.80"))}) == [Decimal("1.80")]


CODE, SINCE, LIMITS = "vehicle_category_code", "issue_date", "restrictions"


def privileges(*sides, kind=LICENCE, group="driving_privileges"):
    pages = [
        page(at, kind.name, groups={group: tuple({leaf: value(one) for leaf, one in row.items()} for row in rows)})
        for at, rows in enumerate(sides)
    ]
    found = merge_pages(pages, kind).groups[group]
    return [{leaf: located.value.value for leaf, located in row.items()} for row in found]


def test_categories_on_both_sides_of_a_licence_are_listed_once():
    """The front has their codes alone, and the back the dates."""
    entries = [{CODE: "AM"}, {CODE: "B", SINCE: date(2022, 5, 24)}]

    assert privileges([{CODE: "B"}, {CODE: "T"}], entries) == [entries[1], {CODE: "T"}, entries[0]]
    assert privileges([{CODE: "AM"}], entries) == entries
    assert privileges(entries, entries) == privileges(entries, entries, entries) == entries


def test_both_sides_may_have_something_of_a_category():
    """Each value has its own page."""
    whole = {CODE: "B", LIMITS: "01.06", SINCE: date(2022, 5, 24)}
    front, back = {CODE: "B", LIMITS: "01.06"}, {CODE: "B", SINCE: date(2022, 5, 24)}
    pages = [
        page(at, "driver_licence", groups={"driving_privileges": ({leaf: value(one) for leaf, one in row.items()},)})
        for at, row in enumerate((front, back))
    ]
    (row,) = merge_pages(pages, LICENCE).groups["driving_privileges"]

    assert {leaf: located.value.value for leaf, located in row.items()} == whole
    assert (row[LIMITS].page.image, row[SINCE].page.image) == (0, 1)


def test_categories_that_differ_are_all_listed():
    """A date may be misread on one of two photos, and a side may have a category twice, for two kinds of vehicles."""
    first = [{CODE: "B", SINCE: date(2022, 5, 24)}, {CODE: "B", SINCE: date(2022, 5, 24)}]
    second = [{CODE: "B", SINCE: date(2022, 5, 21)}]

    assert privileges(first, second) == [*first, *second]
    assert privileges([{CODE: "B"}], [*first[1:], *second]) == [*first[1:], *second]


def test_rows_without_a_category_are_all_listed():
    assert privileges([{SINCE: date(2022, 5, 24)}], [{SINCE: date(2022, 5, 24)}]) == [{SINCE: date(2022, 5, 24)}] * 2


class Visit(RecordRow):
    """A row of a log."""

    visitor: String | None = None
    day: Date | None = None


class Log(Record):
    """A log, whose pages may have equal rows."""

    visits: tuple[Visit, ...] = ()


def test_equal_rows_of_other_lists_are_all_listed():
    """A visitor may come twice on one day."""
    rows = [{"visitor": "Ann", "day": date(2022, 5, 24)}]

    kind = DocumentType("log", Log, frozenset(), lambda _: ())
    assert privileges(rows, rows, kind=kind, group="visits") == rows * 2


@pytest.mark.parametrize(
    ("tax", "goods", "doubted"),
    [
        (19, 100, set()),
        (7, 100, {"total_tax", "total"}),  # the goods confirm the subtotal
        (7, 50, {"subtotal", "total_tax", "total"}),
    ],
)
def test_sums_on_different_pages_that_contradict_each_other_are_doubted(tax, goods, doubted):
    """The confidences of a page do not depend on sums of other pages."""
    item = {"description": value("Coil"), "amount": value(Decimal(goods))}
    first = page(0, "invoice", groups={"line_items": (item,)}, subtotal=value(Decimal(100)))
    last = page(1, "invoice", total_tax=value(Decimal(tax)), total=value(Decimal(119)))

    merged = merge_pages([first, last], document_types()["invoice"])

    assert {name for name, one in merged.fields.items() if one.value.confidence < 0.9} == doubted
    alone = page(0, "invoice", subtotal=value(Decimal(100)), total_tax=value(Decimal(tax)), total=value(Decimal(119)))
    fields = merge_pages([alone], document_types()["invoice"]).fields
    assert {one.value.confidence for one in fields.values()} == {0.9}

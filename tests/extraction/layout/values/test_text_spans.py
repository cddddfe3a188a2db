"""Texts that go over several lines."""

import pytest

from docextract.extraction.layout.fields import decode_fields


@pytest.mark.parametrize(
    ("first", "second", "shares", "name"),
    [
        ("Moulin & Fils", "Handelsgesellschaft mbH", (0.9, 0.2), "Moulin & Fils Handelsgesellschaft mbH"),
        ("Moulin & Fils", "Handelsgesellschaft mbH", (0.2, 0.9), "Moulin & Fils Handelsgesellschaft mbH"),
        ("Moulin & Fils", "Handelsgesellschaft mbH", (0.9, 0.0), "Moulin & Fils"),
        ("Moulin & Fils", "Handel mit Waren", (0.9, 0.2), "Moulin & Fils"),
        ("Ship To", "Handelsgesellschaft mbH", (0.2, 0.9), "Handelsgesellschaft mbH"),
    ],
    ids=["first is sure", "second is sure", "nothing says so", "no legal form", "a heading"],
)
def test_a_name_of_two_lines_ends_with_its_legal_form(line, invoice, first, second, shares, name):
    """The network may be sure of one of both lines alone."""
    upper, lower = shares
    page = invoice((line(first, 0, 0), {"vendor_name": upper}), (line(second, 0, 30), {"vendor_name": lower}))

    found = decode_fields(page)

    assert {field: one.value for field, one in found.items()} == {"vendor_name": name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Operated by Moulin & Fils", "Moulin & Fils"),
        ("Betreibergesellschaft: Moulin & Fils", "Moulin & Fils"),
        ("Operated Heaters", "Operated Heaters"),
        ("Inhaber", "Inhaber"),
    ],
)
def test_a_caption_is_no_part_of_a_name(line, invoice, text, name):
    """All words of a caption stand in front of the name."""
    page = invoice((line(text, 0, 0), {"vendor_name": 0.9}))

    assert decode_fields(page)["vendor_name"].value == name

"""Access keys of Brazilian invoices, which are not their numbers but contain them."""

import pytest

from docextract.extraction.layout.fields import decode_fields

KEY = ("4326 1108 4477 2000 0155 5500 1000", "0441 7710 8820 4413")


@pytest.mark.parametrize(
    ("below", "number"),
    [(KEY[1], "000.044.177"), ("0441 7710 8820 441", "4326 1108 4477 2000 0155 5500 1000")],
    ids=["44 digits", "fewer"],
)
def test_an_access_key_is_no_number_but_contains_it(line, invoice, below, number):
    """However sure the network is of the key."""
    page = invoice(
        (line("No 000.044.177", 0, 0), {"document_number": 0.1}),
        (line(KEY[0], 600, 0), {"document_number": 0.9}),
        (line(below, 600, 30), {}),
    )

    assert decode_fields(page)["document_number"].value == number

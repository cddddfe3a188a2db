"""Addresses that may lack a line are doubtful."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.values.cut_addresses import CUT_PROBABILITY


def probabilities(invoice, *lines):
    found = decode_fields(invoice(*lines))
    return {name: round(one.probability, 2) for name, one in found.items()}


def test_an_address_below_a_line_with_the_form_of_a_street_is_doubtful(line, invoice):
    """Even if the network takes the line for nothing."""
    found = probabilities(
        invoice,
        (line("Helmspan Software B.V.", 0, 0), {"vendor_name": 0.99}),
        (line("Keizersgracht 441", 0, 30), {}),
        (line("1017 DK Amsterdam", 0, 60), {"vendor_address": 0.99}),
    )

    assert found == {"vendor_name": 0.99, "vendor_address": CUT_PROBABILITY}


def test_so_is_a_name_that_may_be_the_street(line, invoice):
    """The name of a person above it is not known as one."""
    found = probabilities(
        invoice,
        (line("De heer J. van Rossum", 0, 0), {}),
        (line("Hooghe Wal 7", 0, 30), {"customer_name": 0.99}),
        (line("5363 TX Velp", 0, 60), {"customer_address": 0.99}),
    )

    assert found == {"customer_name": CUT_PROBABILITY, "customer_address": CUT_PROBABILITY}


def test_an_address_above_a_postal_code_is_doubtful(line, invoice):
    found = probabilities(
        invoice,
        (line("Vetri S.r.l.", 0, 0), {"vendor_name": 0.99}),
        (line("Via Roma 77", 0, 30), {"customer_address": 0.99}),
        (line("Comune: Pordenone PN 33170", 0, 60), {"vendor_tax_id": 0.9}),
    )

    assert found["customer_address"] == CUT_PROBABILITY


@pytest.mark.parametrize(
    "lines",
    [
        ["Kunden AG", "Seeweg 8", "50667 Köln"],
        ["Kunden AG", "Seeweg 8, 50667 Köln"],
        ["Kunden AG", "1117 Budapest", "Fehérvári út 50"],
        ["Kunden AG", "18 Merrion Row", "Dublin 2"],
        ["Kunden AG", "Postfach", "50667 Köln"],
        ["3M Deutschland GmbH", "41453 Neuss"],
    ],
)
def test_a_whole_address_is_as_sure_as_its_words(line, invoice, lines):
    """Also one without a street or a postal code."""
    name, *address = lines
    rows = [
        (line("Lager 12", 300, 30), {}),
        (line(name, 0, 30), {"customer_name": 0.99}),
        *((line(text, 0, 60 + 30 * at), {"customer_address": 0.99}) for at, text in enumerate(address)),
    ]

    assert probabilities(invoice, *rows) == {"customer_name": 0.99, "customer_address": 0.99}

"""Personal numbers of holders, told from the number of the document."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("number", "others", "is_doubtful"),
    [
        ("117408263", [], True),
        ("117408263", [("AB123456", {"document_number": 0.9})], False),
        ("117408263", [("OIB", {})], False),
        ("850430-117", [("30.04.1985", {"birth_date": 0.95})], False),
        ("300485-117", [("30.04.1985", {"birth_date": 0.95})], False),
        ("117408263", [("30.04.1985", {"birth_date": 0.95})], True),
    ],
)
def test_the_only_number_of_a_card_may_be_the_documents(line, id_card, number, others, is_doubtful):
    """Its label may be misread, and the network takes it for the holder's."""
    lines = [(line(text, 0, 100 + 26 * at), fields) for at, (text, fields) in enumerate(others)]
    page = id_card(*lines, (line(number, 0, 100 + 26 * len(lines)), {"administrative_number": 0.95}))

    assert (decode_fields(page)["administrative_number"].probability <= 0.6) == is_doubtful


@pytest.mark.parametrize(
    ("text", "number"),
    [("Ponts-de-Martel", None), ("29", None), ("0408176M", "0408176M"), ("071188 41276", "071188 41276")],
)
def test_a_personal_number_tells_persons_apart(line, id_card, text, number):
    page = id_card((line(text, 0, 100), {"administrative_number": 0.9}))

    assert value_of(page, "administrative_number") == number


@pytest.mark.parametrize(
    ("country", "text", "number", "personal"),
    [
        ("PORTUGAL", "4b. 28-02-2031 4d. 07318455", "L-1234567", "07318455"),
        ("PORTUGAL", "4d. 850430 117 5. L", "L-1234567", "850430 117"),
        ("PORTUGAL", "4d. DLN 07318455", "L-1234567", None),
        ("PORTUGAL", "4d. 29", "L-1234567", None),
        ("PORTUGAL", "4d. 07318455", None, None),
        ("Oregon", "4d 07318455", "L-1234567", None),
        ("DRIVER LICENSE", "4d 07318455", "L-1234567", None),
        ("PORTUGAL", "4d. 28-02-2031", "L-1234567", None),
    ],
)
def test_the_number_4d_of_a_european_licence_is_the_holders(line, card, country, text, number, personal):
    """The network finds none; in America, and without a country or another number, it is that of the licence."""
    numbers = [(line(f"5. {number}", 0, 52), {"document_number": 0.9})] if number else []
    page = card((line(country, 0, 0), {"issuing_country": 0.9}), (line(text, 0, 26), {}), *numbers)

    assert value_of(page, "administrative_number") == personal

"""Texts of cards in Greek or Cyrillic letters, which recognition reads as Latin ones."""

from dataclasses import replace

import pytest

from docextract.documents.values import Conventions
from docextract.extraction.layout.candidates import candidate_of
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.values.misread_scripts import MISREAD_PROBABILITY, doubt_misread_scripts


def _heading(line, text):
    return line(text, 0, 0), {"issuing_country": 0.95}


@pytest.mark.parametrize(
    ("country", "place", "is_doubtful"),
    [
        ("GR", "KABAAA", True),
        ("GR", "KAVALA", False),
        ("SRB", "KpareBo", True),
        ("SRB", "Kraljevo", False),
        ("I", "ATENA", False),
    ],
)
def test_what_may_be_read_from_another_script_is_doubtful(line, card, country, place, is_doubtful):
    page = card(_heading(line, country), (line(place, 0, 100), {"birth_place": 0.95}))

    assert (decode_fields(page)["birth_place"].probability <= MISREAD_PROBABILITY) == is_doubtful


@pytest.mark.parametrize(
    ("country", "lines", "name"),
    [
        ("GRC", ("OEOAQPOE", "THEODOROS"), "THEODOROS"),
        ("GRC", ("EIPHNH", "ANNA"), "EIPHNH ANNA"),
        ("SRB", ("Munua / Milica",), "Milica"),
        ("SRB", ("Milica",), "Milica"),
        ("SRB", ("Milica / Sofija",), "Milica / Sofija"),
        ("ESP", ("ANA", "MARISOL"), "ANA MARISOL"),
        ("ESP", ("ANA / MARISOL",), "ANA / MARISOL"),
    ],
)
def test_of_a_name_in_two_scripts_the_latin_one_is_given(line, card, country, lines, name):
    page = card(*((line(text, 0, 30 * at), {"given_name": 0.95}) for at, text in enumerate(lines)))
    page = replace(page, conventions=Conventions(issuing_country=country))
    whole = candidate_of(page.field("given_name"), tuple(range(len(page.pieces))), page)

    assert doubt_misread_scripts({"given_name": whole}, page)["given_name"].content == name

"""Names of people."""

import pytest

from docextract.documents.person_names import has_title, is_person


@pytest.mark.parametrize(
    "text",
    ["Anna Schmidt", "KLAUS-PETER HAGEN", "Luis Hernández López", "Jan van der Berg", "Frau Dr. Schmidt", "Mrs P. Rao"],
)
def test_a_common_given_name_or_a_title_tells_a_person(text):
    assert is_person(text)


@pytest.mark.parametrize(
    "text",
    ["Anna", "Herrn", "", "Hotel Adler", "Anna & Peter", "Riverbend Yoga", "Anna, Köln", "Kaufhaus Anna"],
)
def test_other_texts_are_no_person(text):
    assert not is_person(text)


def test_a_title_is_in_front():
    assert has_title("Familie Steiner")
    assert not has_title("Steiner Familie")

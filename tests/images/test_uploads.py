"""Which pages of a file are decoded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docextract.images.uploads import PageSelection, Refusal, select_pages


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("1", ((1, 1),)),
        ("1-3,5", ((1, 3), (5, 5))),
        (" 5 , 1 - 3 ", ((1, 3), (5, 5))),
        ("2,2", ((2, 2), (2, 2))),
    ],
)
def test_selections_are_parsed(text, ranges):
    assert PageSelection.parse(text).ranges == ranges


@pytest.mark.parametrize("text", ["", ",", "0", "3-1", "1-", "-3", "a", "1;2", "1.5", "1-2-3", "1" * 7, "١"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="page"):
        PageSelection.parse(text)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 5)), min_size=1, max_size=5))
def test_a_selection_gives_each_named_page_once(spans):
    text = ",".join(f"{first}-{first + more}" for first, more in spans)
    named = {number for first, more in spans for number in range(first, first + more + 1)}
    assert select_pages(50, PageSelection.parse(text), 50) == sorted(named)


def test_a_written_selection_is_parsed_to_itself():
    selection = PageSelection.parse("7,1-3")
    assert str(selection) == "1-3,7"
    assert PageSelection.parse(str(selection)) == selection


def test_all_pages_are_selected_by_default():
    assert list(select_pages(3, None, 3)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("selection", "code", "numbers"),
    [
        (None, "too_many_pages", ("12", "10")),
        ("1-11", "too_many_pages", ("11", "10")),
        ("1,13", "invalid_parameter", ("13", "12")),
        ("1-999999", "invalid_parameter", ("999,999", "12")),
    ],
)
def test_what_cannot_be_selected_is_refused_with_both_numbers(selection, code, numbers):
    refusal = select_pages(12, PageSelection.parse(selection) if selection else None, 10)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code
    assert all(number in refusal.detail for number in numbers)


def test_pages_beyond_the_limit_can_be_selected():
    assert list(select_pages(500, PageSelection.parse("499-500"), 10)) == [499, 500]

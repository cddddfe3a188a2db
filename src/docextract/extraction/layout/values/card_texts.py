"""Texts of cards that go on in the next line: authorities, and places of birth."""

import re
from collections.abc import Sequence

from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.places import is_right_below

MAX_TEXT_PIECES = 9  # longer lines are sentences
MAX_STEP = 1.5  # heights of a line, from one to the next of the same text
MAX_DIFFERENCE = 0.4  # heights of a line, between the left ends and the heights of lines of one text


def is_next_line(field: str, upper: Sequence[int], lower: Sequence[int], page: PageLabels) -> bool:
    """Whether a line is directly below another of a field's text, printed alike, and no other field."""
    return page.is_of_another(field)[list(lower)].mean() < 0.5 and is_alike_below(upper, lower, page)


def is_alike_below(upper: Sequence[int], lower: Sequence[int], page: PageLabels) -> bool:
    """Whether a line is directly below another and printed alike: both in capitals, or neither."""
    is_alike = page.text(upper).isupper() == page.text(lower).isupper() and "/" not in page.text(lower)
    return is_alike and is_close_below(upper, lower, page)


def is_close_below(upper: Sequence[int], lower: Sequence[int], page: PageLabels) -> bool:
    """Whether a line is directly below another, in its column, and as high."""
    first, second = page.box(upper), page.box(lower)
    height = first[3] - first[1]
    differences = (first[0] - second[0], second[3] - second[1] - height)
    return max(map(abs, differences)) < MAX_DIFFERENCE * height and is_right_below(first, second, MAX_STEP)


def may_be_text_of_card(line: Sequence[int], page: PageLabels) -> bool:
    """Whether a line may be words of a value: a few without figures, and no label."""
    text = page.text(line)
    is_name = re.search(r"[^\W\d_]{3}", text) and not re.search(r"[\d:|]", text)
    return len(line) <= MAX_TEXT_PIECES and bool(is_name) and not is_label_on_card(line, page)


def is_label_on_card(span: Sequence[int], page: PageLabels) -> bool:
    """Whether a text is a label, maybe in several languages: "Utstedt av / Authority"."""
    parts = page.text(span).split("/")
    return any(field_of_label(part, page.document_type) for part in parts)

"""Completes the methods of payments, which have names in every language: the network knows some of their words."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from docextract.documents.base import Field
from docextract.documents.currencies import is_currency
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.cells import cell_around, is_one_cell
from docextract.extraction.layout.tables.description_lines import RowPieces
from docextract.extraction.layout.values.text_spans import without_caption

METHOD = "method"
MIN_WORD_PROBABILITY = 0.05  # that a word beside others of a method is a part of it


def complete_method(row: RowPieces, fields: Mapping[str, Field], page: PageLabels) -> RowPieces:
    """Return a row whose payment method has the words between and directly beside those that the network found.

    Beside them, the network must hold a word possible: in front may stand a label, "Paid VISA", and behind a number.
    Known labels are left out, however sure of them the network is: "Gegeben BAR".
    fields: of the list, by leaf.
    """
    words = tuple(row.get(METHOD, ()))
    span = tuple(range(words[0], words[-1] + 1)) if words else ()
    if not span or not is_one_cell(span, page):
        return row
    own = page.probability(fields[METHOD].name)
    others = {index for leaf, some in row.items() if leaf != METHOD for index in some}

    def possible(beside: Iterable[int]) -> Sequence[int]:
        return list(takewhile(lambda index: own[index] >= MIN_WORD_PROBABILITY and _is_word(index, page), beside))

    front, behind = cell_around(span, page)
    between = [index for index in span if index not in words]
    inside = between if all(_is_word(index, page) for index in between) else []
    whole = sorted({*words, *inside, *possible(reversed(front)), *possible(behind)} - others)
    return {**row, METHOD: list(without_caption(tuple(whole), page.pieces, METHOD))}


def _is_word(index: int, page: PageLabels) -> bool:
    text = page.pieces[index].text
    return text.isalpha() and not is_currency(text)

"""Which pages of a request make one document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from docextract.documents.accents import letters_and_digits
from docextract.documents.page_numbers import PageNumber, find_page_number
from docextract.pipeline.options import PageGrouping
from docextract.predictions import OTHER_TYPE, PagePrediction

# Fields whose value is another one on each document of a sender. A tax number is not.
_NUMBER_FIELD = re.compile(r"^(?!.*tax_id$).*(_id|_number)$")
_DATE = re.compile(r"^(?!due_).*_date$|_time$")
_DATE_OR_TOTAL = re.compile(rf"{_DATE.pattern}|^total$")
_NAME = re.compile(r"_name$")
_MIN_TYPE_CONFIDENCE = 0.9
_MIN_CONFIDENCE = 0.5  # of a value that is compared
_MIN_NUMBER_LENGTH = 4  # a shorter number is printed on many pages by chance
_MAX_NUMBER_SHARE, _MIN_WORDS_PER_LINE = 0.06, 6  # of running text
_MIN_REPEATED_LINES = 2  # of a letterhead or a footer
_MIN_REPEATED_LENGTH = 12  # letters and digits of such a line


def group_pages(
    grouping: PageGrouping, predictions: Sequence[PagePrediction], uploads: Sequence[int]
) -> list[list[int]]:
    """Return the indices of the pages of each document. uploads: the index of the file of each page."""
    if grouping == "page":
        return [[index] for index in range(len(predictions))]
    if grouping == "request":
        return [list(range(len(predictions)))] if predictions else []
    by_file: dict[int, list[int]] = {}
    for index, upload in enumerate(uploads):
        by_file.setdefault(upload, []).append(index)
    if grouping == "file":
        return list(by_file.values())
    return [document for pages in by_file.values() for document in _split_where_documents_begin(pages, predictions)]


def _split_where_documents_begin(pages: Sequence[int], predictions: Sequence[PagePrediction]) -> list[list[int]]:
    documents: list[list[int]] = []
    before: list[_Page] = []
    for index in pages:
        page = _Page.of(predictions[index])
        if not before or _begins_document(page, before):
            documents.append([])
            before = []
        documents[-1].append(index)
        before.append(page)
    return documents


@dataclass(frozen=True)
class _Page:
    """What tells the pages of one document from those of the next."""

    type: str | None  # None: unknown, or of no document type
    is_other: bool  # of no document type
    title: str  # in large print: of an "invoice", or of an "other" paper; "" without one
    is_running_text: bool
    has_parts: bool  # it shows several documents
    page_number: PageNumber | None
    fields: dict[str, Any]  # the values of its fields, by name; of strings, letters and digits
    text: str  # letters and digits of all lines
    lines: frozenset[str]  # letters and digits of each line that may be repeated on every page

    @classmethod
    def of(cls, prediction: PagePrediction) -> "_Page":
        texts = [line.text for line in prediction.lines]
        plain = [letters_and_digits(text) for text in texts]
        fields = {
            name: value.value if not isinstance(value.value, str) else letters_and_digits(value.value)
            for name, value in prediction.fields.items()
            if value.confidence >= _MIN_CONFIDENCE
        }
        repeated = frozenset(text for text in plain if len(text) >= _MIN_REPEATED_LENGTH)
        is_known = prediction.type != OTHER_TYPE and prediction.type_confidence >= _MIN_TYPE_CONFIDENCE
        is_other = prediction.type == OTHER_TYPE
        return cls(
            prediction.type if is_known else None,
            is_other,
            "other" if prediction.has_other_title else "invoice" if prediction.has_invoice_title else "",
            _is_running_text(texts),
            bool(prediction.parts),
            find_page_number(texts),
            fields,
            "".join(plain),
            repeated,
        )

    def numbers(self) -> set[str]:
        """The numbers that the document itself has."""
        return {
            value
            for name, value in self.fields.items()
            if _NUMBER_FIELD.search(name) and isinstance(value, str) and len(value) >= _MIN_NUMBER_LENGTH
        }


def _begins_document(page: _Page, before: Sequence[_Page]) -> bool:
    """Whether a page begins a document. before: the pages of the current one. The first rule that applies decides."""
    for rule in (
        _by_parts,
        _by_page_number,
        _by_title,
        _by_own_number,
        _by_dates_and_totals,
        _by_repeated_lines,
        _by_type,
        _by_names,
    ):
        decision = rule(page, before)
        if decision is not None:
            return decision
    return False


def _by_parts(page: _Page, before: Sequence[_Page]) -> bool | None:
    """A page with several documents is alone: which of them goes on is not known."""
    return True if page.has_parts or before[-1].has_parts else None


def _by_page_number(page: _Page, before: Sequence[_Page]) -> bool | None:
    own, last = page.page_number, before[-1].page_number
    if own is not None:
        if own.number == 1:
            return True
        return last is not None and last != PageNumber(own.number - 1, own.total)
    return True if last is not None and last.number == last.total else None


def _by_title(page: _Page, before: Sequence[_Page]) -> bool | None:
    """An invoice may be behind its delivery note, with the same letterhead."""
    return True if page.title == "invoice" and before[0].title == "other" else None


def _by_own_number(page: _Page, before: Sequence[_Page]) -> bool | None:
    """A document's number stands on all of its pages; a credit note names the invoice, but has a number of its own."""
    own = page.numbers()
    earlier = {number for one in before for number in one.numbers()}
    has_new = any(number not in earlier and not any(number in one.text for one in before) for number in own)
    if not has_new and any(number in page.text for number in earlier):
        return False
    return True if has_new and earlier else None


def _by_dates_and_totals(page: _Page, before: Sequence[_Page]) -> bool | None:
    # Sums of invoices are carried over from page to page.
    return True if _differs(page, before, _DATE if page.type == "invoice" else _DATE_OR_TOTAL) else None


def _by_repeated_lines(page: _Page, before: Sequence[_Page]) -> bool | None:
    return False if max(len(page.lines & one.lines) for one in before) >= _MIN_REPEATED_LINES else None


def _by_type(page: _Page, before: Sequence[_Page]) -> bool | None:
    """A page of no type belongs to the one before it if it is running text, such as conditions of sale, or is empty."""
    if page.is_other:
        return not page.is_running_text
    types = {one.type for one in before if one.type is not None}
    return True if page.type is not None and page.type not in types else None


def _by_names(page: _Page, before: Sequence[_Page]) -> bool | None:
    return True if _differs(page, before, _NAME) else None


def _differs(page: _Page, before: Sequence[_Page], names: re.Pattern[str]) -> bool:
    """Whether more than half of the fields of these names, where both have them, have another value."""
    pairs = [
        (value, one.fields[name])
        for name, value in page.fields.items()
        if names.search(name)
        for one in before
        if name in one.fields
    ]
    return bool(sum(own != other for own, other in pairs) > len(pairs) / 2)


def _is_running_text(texts: Sequence[str]) -> bool:
    """Whether a page has long lines with few numbers, or none at all."""
    words = [word for text in texts for word in text.split()]
    numbers = sum(any(map(str.isdigit, word)) for word in words)
    return numbers <= _MAX_NUMBER_SHARE * len(words) and len(words) >= _MIN_WORDS_PER_LINE * len(texts)

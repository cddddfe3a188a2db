"""Finds the title of an invoice, which tells whether it is one or a credit note, and titles of papers that are none."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from docextract.documents.amounts import CURRENCY_ABBREVIATIONS, CURRENCY_SIGNS
from docextract.documents.printed_labels import is_caption, names_invoice
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import PageCells

TITLES = INVOICE_TITLE, CREDIT_NOTE_TITLE = ("invoice_title", "credit_note_title")  # kinds of captions
# Of papers that are no invoices: offers, orders, reminders; and those that only tell that if nothing is behind them.
OTHER_TITLES = OTHER_TITLE, LONE_TITLE = ("other_title", "lone_title")
TITLE_PROBABILITY = 0.6  # of a title
NUMBER_PROBABILITY = 0.5  # of words that only label a number; a network that finds a title is believed
MAX_TITLE_PIECES = 24  # letters of spaced print are pieces
TITLE_SIZE = 1.15  # of the median height of print
TITLE_SIZE_IN_ROW = 1.5  # the same of a title in a row of texts; cells of a scan differ by a fifth
MIN_CELLS = 2  # beside a text on its row, which is then part of a table
MIN_AMOUNTS_OF_RECEIPT = 3  # that end at one place
MAX_NUMBER_WORDS = 3  # pieces: "Nr.", "n° :"
# Dates, shares and amounts. What looks like a date with slashes may be a number: "1/10/2026" is the first of a month.
_OTHER_VALUE = re.compile(
    r"\W*(?:\d\d?\.\d\d?\.(?:\d\d)?\d\d|(?:19|20)\d\d-[01]\d-[0-3]\d|\d+(?:[.,]\d+)?%"
    r"|\d+,\d\d|\d{1,3}(?:[.,'’]\d{3})*[.,]\d\d)\W*"
)
# What only an amount has: cents, thousands or a currency. "590", "4711" and "0418-0031" may be anything.
_MONEY = re.compile(rf"\d[.,]\d\d(?!\d)|\d[.,'’ ]\d{{3}}(?!\d)|[{CURRENCY_SIGNS}]|\d\s?(?:{CURRENCY_ABBREVIATIONS})")
BILL_FIELDS = frozenset({"document_number", "due_date", "amount_due"})  # which a bill has, however it is titled


def invoice_title(page: PageLabels) -> tuple[Span, float] | None:
    """Return the title of an invoice and its probability; None if there is none.

    It is a line of its own, or in large print with a number behind it: "Rechnung Nr. 12". Without any, the label of a
    number tells: "Factuur nr.", that of a credit note before others, because it also names its invoice.
    """
    numbered: list[Span] = []
    for title, rest in _titles(page, *TITLES):
        is_numbered = bool(rest) and _begins_with_number(rest, page)
        if not rest or (is_numbered and _is_large(title, page)):
            return title, TITLE_PROBABILITY
        numbered += [title] if is_numbered else []
    of_credit_notes = (title for title in numbered if _is_title(page.text(title), CREDIT_NOTE_TITLE))
    label = next(of_credit_notes, numbered[0] if numbered else None)
    return (label, NUMBER_PROBABILITY) if label else None


def numbers_behind_titles(page: PageLabels) -> Iterator[Span]:
    """Yield the numbers that are all there is behind a title on its line: "Faktura 41/10/2026".

    In a table of invoices, an amount stands at the right of it. "Rechnung 4.5.2026" and "Invoice $1,250.00" have none.
    """
    for title, rest in _titles(page, *TITLES, *OTHER_TITLES):
        is_number = bool(rest) and _first_word(rest, page) == rest and any(map(str.isdigit, page.text(rest)))
        is_number = is_number and not _OTHER_VALUE.fullmatch(page.text(rest))
        if is_number and _is_title(page.text(title), *TITLES):
            beside = page.lines.right_of(page.lines.of(title[0])) or ()
            if not any(map(str.isdigit, page.text(beside))):
                yield rest


def is_titled_invoice(page: PageLabels) -> bool:
    """Whether a page has the title of an invoice, and not that of a credit note."""
    title = invoice_title(page)
    return title is not None and not _is_title(page.text(title[0]), CREDIT_NOTE_TITLE)


def has_other_title(page: PageLabels) -> bool:
    """Whether a page has the title of a paper that is no invoice, and none of an invoice.

    It is in large print. In print of usual size it has a number behind it, or is in capitals and no cell of a table,
    and nothing on the page names an invoice. "Statement" is also the title of bills.
    """
    titles = list(_titles(page, *TITLES, *OTHER_TITLES))
    others = _other_titles(titles, page)
    if _has_bill_fields(titles, page):
        others = [(title, rest) for title, rest in others if _is_title(page.text(title), OTHER_TITLE)]
    if any(_is_large(title, page) for title, _ in others):
        return True
    emphasized = (
        title
        for title, rest in others
        if _is_title(page.text(title), OTHER_TITLE)
        and (rest or (page.text(title).isupper() and not _is_cell(title, page)))
    )
    return any(emphasized) and not _names_invoice(page, [title for title, _ in titles])


def is_other_paper_like_card(page: PageLabels) -> bool:
    """Whether a page that looks like a card has the title of another paper in large print, and none of an invoice.

    What the network takes for a value is no title: "RAPPEL" and "OFFER" are also names of persons.
    """
    titles = (title for title, _ in _other_titles(list(_titles(page, *TITLES, *OTHER_TITLES)), page))
    return any(_is_large(title, page) and not any(map(page.likeliest_field, title)) for title in titles)


def has_large_title(page: PageLabels) -> bool:
    """Whether a page has the title of an invoice or credit note in large print, alone or with a number behind it."""
    large = [line for line in page.lines if _is_large(line, page)]
    return any(
        _is_title(page.text(title), *TITLES) and (not rest or _begins_with_number(rest, page))
        for title, rest in _split_titles(large, page, *TITLES, *OTHER_TITLES)
    )


def is_fiscal_receipt(page: PageLabels) -> bool:
    """Whether a page has a title that a law demands on receipts, alone on its row, and a column of amounts.

    Other papers, such as forms for returned goods, have the word and numbers, too: of articles, of lines, of pieces.
    """
    titles = (line for line in page.lines if is_caption(page.text(line), "fiscal_receipt_title"))
    if not any(page.lines.count_beside(line) == 0 for line in titles):
        return False
    numbers = PageCells(page).numbers()
    boxes = [page.box(cell) for cell in numbers]
    money = [page.box(cell) for cell in numbers if _MONEY.search(page.text(cell))]
    columns = ([box for box in boxes if abs(box[2] - one[2]) < one[3] - one[1]] for one in money)
    return any(len(column) >= MIN_AMOUNTS_OF_RECEIPT for column in columns)


def is_titled(page: PageLabels) -> bool:
    """Whether a page has a title of an invoice or credit note that no cell of a table can be."""
    return any(_is_own_title(title, rest, page) for title, rest in _titles(page, *TITLES, *OTHER_TITLES))


def _is_own_title(title: Span, rest: Span, page: PageLabels) -> bool:
    """Whether a title is one of an invoice, and not "Invoice" in a table of what was invoiced."""
    if not _is_title(page.text(title), *TITLES):
        return False
    return _is_large(title, page) or (not rest and not _is_cell(title, page))


def _other_titles(titles: Sequence[tuple[Span, Span]], page: PageLabels) -> list[tuple[Span, Span]]:
    """Return those of other papers; none on a page that has the title of an invoice."""
    if any(_is_own_title(title, rest, page) for title, rest in titles):
        return []
    return [(title, rest) for title, rest in titles if _is_other_title(title, rest, page)]


def _has_bill_fields(titles: Iterable[tuple[Span, Span]], page: PageLabels) -> bool:
    """Whether a page has the number of a bill, labelled as one, "Bill number: 88214", what is due, and when.

    A statement of an account lists invoices, one or several, and says more about them: "Invoice #12: due 4/5/2026".
    """
    if not BILL_FIELDS.issubset(map(page.likeliest_field, range(len(page.pieces)))):
        return False
    numbers = [
        rest
        for title, rest in titles
        if _is_title(page.text(title), *TITLES) and rest and _begins_with_word_for_number(rest, page)
        if any(page.pieces[index].text[0].isdigit() for index in rest)
    ]
    return len(numbers) == 1 and _is_labelled_number(numbers[0], page)


def _is_labelled_number(rest: Span, page: PageLabels) -> bool:
    """Whether all words behind a word for a number are the number of the document: "number: 88214"."""
    words = page.text(rest).replace(":", " ").split()
    own = [index for index in rest if page.likeliest_field(index) == "document_number"]
    return bool(own) and len(words) == 2 and own[-1] == rest[-1]


def _is_other_title(title: Span, rest: Span, page: PageLabels) -> bool:
    if not rest:
        return _is_title(page.text(title), *OTHER_TITLES)
    return _is_title(page.text(title), OTHER_TITLE) and _begins_with_number(rest, page)


def _names_invoice(page: PageLabels, titles: Iterable[Span]) -> bool:
    """Whether a word of a page names an invoice, except in a heading such as "Invoice address".

    Words of "Credit note" do so only together, as one of the titles that lines begin with.
    """
    if any(" " in page.text(title) and _is_title(page.text(title), *TITLES) for title in titles):
        return True
    return names_invoice(page.text(line) for line in page.lines)


def _titles(page: PageLabels, *kinds: str) -> Iterator[tuple[Span, Span]]:
    """Yield titles of these kinds that lines begin with, and the rest of their lines."""
    return _split_titles(page.lines, page, *kinds)


def _split_titles(lines: Iterable[Sequence[int]], page: PageLabels, *kinds: str) -> Iterator[tuple[Span, Span]]:
    for line in lines:
        if end := _end_of_title(line, page, kinds):
            yield tuple(line[:end]), tuple(line[end:])


def _end_of_title(line: Sequence[int], page: PageLabels, kinds: Sequence[str]) -> int:
    """Return how many pieces of a line are the words of a title that it begins with."""
    ends = range(min(len(line), MAX_TITLE_PIECES), 0, -1)
    return next((end for end in ends if _is_title(page.text(line[:end]), *kinds)), 0)


def _is_title(text: str, *kinds: str) -> bool:
    """Whether a text is a title of one of these kinds, also in several languages: "Számla / Invoice"."""
    parts = [part for part in text.split("/") if part.strip()]
    return is_caption(text, *kinds) or any(parts and all(is_caption(part, kind) for part in parts) for kind in kinds)


def _is_large(title: Sequence[int], page: PageLabels) -> bool:
    _, top, _, bottom = page.box(title)
    size = (bottom - top) / page.median_height
    return size >= TITLE_SIZE and (size >= TITLE_SIZE_IN_ROW or not _is_cell(title, page))


def _is_cell(text: Sequence[int], page: PageLabels) -> bool:
    return page.lines.count_beside(text) >= MIN_CELLS


def _begins_with_number(rest: Span, page: PageLabels) -> bool:
    """Whether a number, or a word for one, is behind a title: "FC-74407", "Nr.", but not "concernée FC-74407"."""
    return any(map(str.isdigit, page.text(_first_word(rest, page)))) or _begins_with_word_for_number(rest, page)


def _first_word(rest: Span, page: PageLabels) -> Span:
    return (*rest[:1], *takewhile(lambda index: not page.pieces[index].space_before, rest[1:]))


def _begins_with_word_for_number(rest: Span, page: PageLabels) -> bool:
    words = (page.text(rest[:end]) for end in range(1, min(len(rest), MAX_NUMBER_WORDS) + 1))
    return any(is_caption(word, "number") for word in words)

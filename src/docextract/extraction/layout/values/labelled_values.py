"""Finds values that stand behind or below a label that names their field, such as "Invoice no." or "Eräpäivä"."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import date
from itertools import dropwhile

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType, Field
from docextract.documents.printed_labels import OTHER, OTHER_DATE, OTHER_NUMBER, field_of_label
from docextract.documents.values import DOCUMENT_NUMBER, TAX_ID, Conventions
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span, join_pieces, text_of
from docextract.extraction.layout.places import PrintedLines, box_of
from docextract.extraction.layout.values.bank_accounts import BANK_ACCOUNT, BARE_ACCOUNT, beside_banks, is_account
from docextract.extraction.layout.values.payment_references import (
    BARE_REFERENCE,
    PAYMENT_REFERENCE,
    beside_accounts,
    is_reference,
)
from docextract.extraction.layout.values.payment_terms import PAYMENT_TERM
from docextract.extraction.layout.values.text_spans import is_beside, may_be_identifier
from docextract.extraction.layout.values.whole_words import is_number_in_groups

MAX_LABEL_PIECES = 8
MAX_VALUE_PIECES = 12
MAX_TERM_PIECES = 40  # of a payment term, which may name several dates and discounts
MAX_PERIOD_DATE_PIECES = 8  # of a date of a period, and of the words in front of it: "from 1 March 2024"
MAX_PERIOD_PIECES = 14  # of a period with one year, and of the words in front of it: "vom 1. 3. bis 31. 3. 2024"
MIN_COLUMN_SPACE = 0.5  # heights of a label, between values of two columns in one line
MAX_STEP_TO_VALUE = 4.0  # heights of a label, to a value below it
MAX_LABELS = 30  # of one field that are followed; a page with more is no document of its type
MIN_LENGTHS = {TAX_ID: 7, DOCUMENT_NUMBER: 5}  # letters and digits of numbers that may be printed in groups of digits
MIN_GROUP_DIGITS = 3
RESIDENT_ADDRESS = "resident_address"
TEXTS_OF_LINES = frozenset({"issuing_authority", RESIDENT_ADDRESS})  # may go over several lines
MIN_LIKELY = 0.5  # probability of a number, that the network is right about whose it is
MAX_ABBREVIATION = 2  # letters
NUMBER, CARD_NUMBER, CREDIT_NOTE_NUMBER = "document_number", "card_number", "credit_note_number"
PERSONAL_NUMBER, ID_NUMBER = "administrative_number", "id_number"
FOREIGNER_NUMBER = "foreigner_number"  # of Spain
NUMBERS_OF_CARDS = frozenset({NUMBER, PERSONAL_NUMBER})
FAMILY_NAME, GIVEN_NAME, MIDDLE_NAME, OTHER_NAME = "family_name", "given_name", "middle_name", "other_name"
SECOND_FAMILY_NAME = "second_family_name"
OTHER_TEXT, OTHER_ADDRESS_PART = "other_text", "other_address_part"
PARTS_OF_NAMES = {FAMILY_NAME: SECOND_FAMILY_NAME, GIVEN_NAME: MIDDLE_NAME}
DATE, CREDIT_NOTE_DATE = "document_date", "credit_note_date"
DRIVER_LICENCE, PASSPORT = "driver_licence", "passport"
IBAN_FIELD = "iban"
PERIOD_LABEL = "service_period"
SERVICE_PERIOD = ("service_period_start", "service_period_end")
BIRTH_PLACE = "birth_place"
LIFE_DATES = ("birth_date", "issue_date", "expiry_date")  # of cards, in their order
TEXTS_OF_WORDS = frozenset({FAMILY_NAME, GIVEN_NAME, BIRTH_PLACE, "issuing_authority"})
WHOLE_TEXTS = frozenset({PAYMENT_TERM, RESIDENT_ADDRESS})  # with figures and marks
_FOREIGNER_NUMBER = re.compile(r"[XYZ][ -]?\d{7}[ -]?[A-Z]")
ParseDate = Callable[[Span], date | None]
_REGION = re.compile(r" (\(\d{2}\)|\d{2})$")  # behind a place of birth: "STRASBOURG (67)", "MISKOLC 53"
_ENDS_OF_LABELS = ":.#="
OF_OTHERS = (OTHER_NUMBER, OTHER_DATE)
_BETWEEN_LABELS = frozenset("/-=&+")  # behind one of the document: "Rechnungs-/Lieferschein-Nr."
_BETWEEN_LANGUAGES = frozenset("/|")  # pieces between labels for the same value
_BETWEEN_VALUES = "/"  # and between their labels: "Bestellnummer/Datum", "4500718822 / 16.10.2026"
_BETWEEN = frozenset(": . # - – = № nr no".split())  # pieces between a label and its value


def printed_labels(page: PageLabels) -> dict[str, list[Span]]:
    """Return the places of labels by field. Words directly in front or behind make it another label, or none."""
    pieces = page.pieces
    found: dict[str, list[Span]] = {}
    for line in page.lines:
        end_of_last = 0
        for at in range(len(line)):
            if at < end_of_last or not (at == end_of_last or _begins_label(line, at, pieces)):
                continue
            for end in range(min(len(line), at + MAX_LABEL_PIECES), at, -1):
                text = text_of(line[at:end], pieces)
                field = field_of_label(text, page.document_type)
                if field in OF_OTHERS and at and pieces[line[at - 1]].text in _BETWEEN_LABELS:
                    continue
                if field and (field == OTHER or _ends_label(line[end:], text, pieces) or _are_labels(line[end:], page)):
                    found.setdefault(field, []).append(tuple(line[at:end]))
                    end_of_last = end
                    break
    return found


def labelled_values(page: PageLabels) -> dict[str, list[Span]]:
    """Return the values that stand behind or below labels, by field; words behind labels of no field under OTHER.

    Of a label of several fields, each of them has one value; the likeliest is decided first.
    """
    pieces, lines = page.pieces, page.lines
    places = printed_labels(page)
    for name, bare, are_beside in (
        (PAYMENT_REFERENCE, BARE_REFERENCE, beside_accounts),
        (BANK_ACCOUNT, BARE_ACCOUNT, beside_banks),
    ):
        places[name] = [*places.get(name, []), *are_beside(places.pop(bare, []), pieces, lines)]
    of_foreigners = _before_foreigner_numbers(places.pop(FOREIGNER_NUMBER, []), pieces, lines)
    places[PERSONAL_NUMBER] = [*places.get(PERSONAL_NUMBER, []), *of_foreigners]
    fields: dict[str, list[Field]] = {}
    for field in page.single_fields():
        fields.setdefault(_label_name(field), []).append(field)
    numbers, dates = fields.get(NUMBER, []), fields.get(DATE, [])
    parts = dict.fromkeys((CARD_NUMBER, CREDIT_NOTE_NUMBER, OTHER_NUMBER, ID_NUMBER), numbers)
    parts |= {CREDIT_NOTE_DATE: dates, OTHER_DATE: dates, OTHER_NAME: fields.get(FAMILY_NAME, [])}
    parts |= {OTHER_TEXT: fields.get(GIVEN_NAME, []), OTHER_ADDRESS_PART: fields.get(RESIDENT_ADDRESS, [])}
    parts |= {part: fields.get(name, []) for name, part in PARTS_OF_NAMES.items()}
    fields |= parts
    of_labels = frozenset(index for some in places.values() for label in some for index in label)
    periods = places.pop(PERIOD_LABEL, [])
    words = [_first_word(_on_row(label, lines), pieces) for label in places.get(OTHER, ())[:MAX_LABELS]]
    found: dict[str, list[Span]] = {OTHER: list(filter(None, words))}
    for name in filter(fields.get, places):
        is_value = _condition(fields[name][0], of_labels, pieces, page.conventions)
        if name == OTHER_ADDRESS_PART:
            is_value = _condition_of_parts(of_labels, pieces)
        are_dates = fields[name][0].kind.name == "date"
        most = MAX_TERM_PIECES if name == PAYMENT_TERM else MAX_VALUE_PIECES
        values = [
            _value_of(label, pieces, lines, is_value, are_dates, most)
            or (_in_next_line(label, pieces, lines, is_value) if name == PAYMENT_REFERENCE else None)
            for label in places[name][:MAX_LABELS]
        ]
        if name == BANK_ACCOUNT:  # what the network takes for another number is the customer's, or a telephone
            values = [value for value in values if value and _may_be_account(value, page)]
        if fields[name][0].name in NUMBERS_OF_CARDS:
            values = [value and _with_all_groups(value, pieces, lines) for value in values]
        if name == OTHER_DATE:  # "Date: 4.5.2024" below an empty label has a label of its own
            values = [value for value in values if value and pieces[value[0]].text[0].isdigit()]
        if name in TEXTS_OF_WORDS:  # below the second of two labels for the same value begins its middle
            values = [one for one in values if not any(one and other and set(one) < set(other) for other in values)]
        own = {field.name: page.probability(field.name) for field in fields[name]}
        for owner, value in _owned(list(filter(None, values)), own, pieces):
            found.setdefault(name if name in parts else owner, []).append(value)
    _decide_on_id_numbers(found, page)
    _decide_between(found, page.document_type)
    found[of_another_document(DATE)] += found.pop(OTHER_DATE, [])
    return found | _service_periods(periods[:MAX_LABELS], page)


def _before_foreigner_numbers(labels: Sequence[Span], pieces: Sequence[Piece], lines: PrintedLines) -> list[Span]:
    """Return the labels that have a number of a foreigner in Spain behind or below them; others are family names."""

    def is_number(span: Span) -> bool:
        return _FOREIGNER_NUMBER.fullmatch(text_of(span, pieces)) is not None

    return [label for label in labels if _value_of(label, pieces, lines, is_number, False, MAX_VALUE_PIECES)]


def dates_beside_other_labels(field: str, page: PageLabels, labelled: Mapping[str, Sequence[Span]]) -> list[Span]:
    """Return the dates of a card on whose row, directly in front, is a label of another date, and none of the field.

    Above a date the label of its neighbour may be printed. labelled: see `labelled_values`.
    """
    others = [name for name in LIFE_DATES if name != field] if field in LIFE_DATES else []
    found = [(name, span) for name in others for span in labelled.get(name, ()) if span not in labelled.get(field, ())]
    return [span for name, span in found if _is_beside_label(span, name, page)]


def _is_beside_label(span: Span, field: str, page: PageLabels) -> bool:
    front = page.lines.in_front_of(span[0])[-MAX_LABEL_PIECES:]
    return any(field_of_label(page.text(front[start:]), page.document_type) == field for start in range(len(front)))


def _may_be_account(value: Span, page: PageLabels) -> bool:
    """Whether the network takes no piece of a number for another one than that of an account, such as an IBAN.

    In Poland IBANs are printed without the letters of the country.
    """
    return all(page.likeliest_field(index) in (None, BANK_ACCOUNT, IBAN_FIELD) for index in value)


def _decide_on_id_numbers(found: dict[str, list[Span]], page: PageLabels) -> None:
    """Give values behind "ID No." to the holder in passports, which have "Passport No.", too; else to the document.

    In a passport in which no such label was read, the network may rather take one for the document's, without a label.
    """
    values, owner = found.pop(ID_NUMBER, []), NUMBER
    if page.document_type.name == PASSPORT:
        owner = PERSONAL_NUMBER
        if not found.get(NUMBER):
            values = [value for value in values if page.probability(NUMBER)[list(value)].mean() < MIN_LIKELY]
    found.setdefault(owner, []).extend(values)


def _decide_between(found: dict[str, list[Span]], document_type: DocumentType) -> None:
    """Decide between values behind the labels of one field of which one is better: the others are another document's.

    A licence may also have the number of its card, a credit note the number and date of its invoice. Numbers of credit
    notes stay under their own name, too.
    """
    is_licence = document_type.name == DRIVER_LICENCE
    of_credit_notes = found.get(CREDIT_NOTE_NUMBER, [])
    for field, better, worse in (
        (NUMBER, CREDIT_NOTE_NUMBER, NUMBER),
        (DATE, CREDIT_NOTE_DATE, DATE),
        (NUMBER, NUMBER, CARD_NUMBER),
    ):
        first, second = found.pop(better, []), found.pop(worse, [])
        is_of_another = bool(first and second) and (is_licence or worse != CARD_NUMBER)
        found[field] = first if is_of_another else [*first, *second]
        found.setdefault(of_another_document(field), []).extend(second if is_of_another else [])
    found[CREDIT_NOTE_NUMBER] = of_credit_notes


def of_another_document(field: str) -> str:
    """Return the name, among labelled values, of those that are a field of another document."""
    return f"another {field}"


def _service_periods(labels: Sequence[Span], page: PageLabels) -> dict[str, list[Span]]:
    """Return the first and the last days of the periods behind or below labels, by field."""
    start, end = (_date_parser(field, page) for field in SERVICE_PERIOD)
    periods = [period for label in labels if (period := _period_of(label, page, start, end))]
    return {name: [period[at] for period in periods] for at, name in enumerate(SERVICE_PERIOD)} if periods else {}


def _date_parser(name: str, page: PageLabels) -> ParseDate:
    field = page.single_field(name)
    return lambda span: field.kind.parse(page.text(span), page.conventions) if field else None


def _period_of(label: Span, page: PageLabels, parse_start: ParseDate, parse_end: ParseDate) -> tuple[Span, Span] | None:
    """Return the two dates of a label: behind it, on its row, or else below it."""
    for place in (_on_row(label, page.lines), _under(label, page.pieces, page.lines)):
        following = _with_line_beside(place, page.pieces, page.lines)
        if period := _period_with_one_year(following, parse_start, parse_end):
            return period
        if period := _two_dates(following, parse_end):
            return period
        below = page.lines.below(page.lines.of(following[0])) if following else None
        period = _two_dates((*following, *below), parse_end) if below else None
        if period and below and _goes_on_below(period, following, below, page):
            return period
    return None


def _two_dates(following: Sequence[int], parse: ParseDate) -> tuple[Span, Span] | None:
    """Return the first two dates, the second of which is not before the first."""
    first = _first_date(following, parse)
    last = _first_date(first[1], parse) if first else None
    return (first[2], last[2]) if first and last and first[0] <= last[0] else None


def _goes_on_below(period: tuple[Span, Span], upper: Sequence[int], below: Sequence[int], page: PageLabels) -> bool:
    """Whether the last day of a period is divided between two lines, or all below a word behind the first day: "to".

    It ends the line below. The word is no label of another date: "Period: 1 May 2026 Due date:".
    """
    first, last = period
    if first[-1] not in upper or last[-1] != below[-1]:
        return False
    behind = upper[upper.index(first[-1]) + 1 :]
    is_below = last[0] == below[0] and len(behind) > 0
    return last[0] in upper or (is_below and field_of_label(page.text(behind), page.document_type) is None)


def _period_with_one_year(
    following: Sequence[int], parse_start: ParseDate, parse_end: ParseDate
) -> tuple[Span, Span] | None:
    """Return the period within the first pieces, and the date at its end: "1.-31.03.2024" and "31.03.2024"."""
    for end in range(1, min(len(following), MAX_PERIOD_PIECES) + 1):
        spans = [tuple(following[start:end]) for start in range(end)]
        first, last = parse_start(spans[0]), parse_end(spans[0])
        if first and last and first < last:
            return (
                next(span for span in reversed(spans) if parse_start(span) == first),
                next(span for span in reversed(spans) if parse_end(span) == last),
            )
    return None


def _label_name(field: Field) -> str:
    """Return the name of a field among labels: those of tax numbers do not tell whose number it is."""
    return "tax_id" if field.kind == TAX_ID else field.name


def _owned(
    values: Sequence[Span], fields: Mapping[str, NDArray[np.float32]], pieces: Sequence[Piece]
) -> Iterator[tuple[str, Span]]:
    """Yield the values of each field: all of a single one, of several one text each. fields: probabilities, [T]."""
    pairs = [(float(own[list(value)].mean()), name, value) for name, own in fields.items() for value in values]
    owner: dict[str, str] = {}  # by text
    for _, name, value in sorted(pairs, reverse=True):
        text = join_pieces([pieces[at] for at in value])
        is_free = text not in owner and name not in owner.values()
        if len(fields) == 1 or is_free or owner.get(text) == name:
            owner[text] = name
            yield name, value


def _condition(
    field: Field, of_labels: Set[int], pieces: Sequence[Piece], conventions: Conventions
) -> Callable[[Span], bool]:
    """Return whether pieces are a value of a field: of texts of words, all up to the next label or number.

    of_labels: the pieces of all labels.
    """

    def is_value(span: Span) -> bool:
        own = [pieces[index] for index in span]
        content = join_pieces(own)
        if field.name in WHOLE_TEXTS:
            return own[0].text.isalnum() and of_labels.isdisjoint(span) and any(map(str.isalpha, content))
        if field.name == PAYMENT_REFERENCE:
            return is_reference(content)
        if field.name == BANK_ACCOUNT:
            return is_account(content)
        if field.name in TEXTS_OF_WORDS:
            ends_line = span[-1] + 1 == len(pieces) or pieces[span[-1] + 1].line != own[-1].line
            words = _REGION.sub("", content) if field.name == BIRTH_PLACE and ends_line else content
            if _leads_to_label(span, of_labels, pieces):
                return False
            are_words = own[0].text.isalpha() and own[-1].text != "," and not any(map(str.isdigit, words))
            return are_words and of_labels.isdisjoint(span)
        if field.kind.name == "string":  # a number with letters and digits
            is_number = may_be_identifier(content)
            if is_number and field.name in NUMBERS_OF_CARDS and is_number_in_groups(span, pieces):
                return True
            groups = content.split()[1:]
            if field.kind in MIN_LENGTHS:
                is_number &= sum(map(str.isalnum, content)) >= MIN_LENGTHS[field.kind]
                return is_number and all(map(_is_group, groups))
            return is_number and not groups
        return field.kind.parse(content, conventions) is not None

    return is_value


def _condition_of_parts(of_labels: Set[int], pieces: Sequence[Piece]) -> Callable[[Span], bool]:
    """Return whether pieces are a part of an address: words or numbers up to the next label, "003/011"."""
    return lambda span: pieces[span[0]].text[0].isalnum() and of_labels.isdisjoint(span)


def _leads_to_label(span: Span, of_labels: Set[int], pieces: Sequence[Piece]) -> bool:
    """Whether a slash and a label are behind a text on its line: it is the same label in another language.

    Maybe in a script that recognition does not know: "fa T TH / Given Name(s)".
    """
    at = span[-1]
    while at + 1 < len(pieces) and pieces[at + 1].line == pieces[span[0]].line:
        if pieces[at].text in _BETWEEN_LANGUAGES and not of_labels.isdisjoint((at, at + 1)):
            return True
        at += 1
    return False


def _is_group(word: str) -> bool:
    return word.isdigit() and len(word) >= MIN_GROUP_DIGITS


def _value_of(
    label: Span,
    pieces: Sequence[Piece],
    lines: PrintedLines,
    is_value: Callable[[Span], bool],
    goes_on: bool,
    most: int,
) -> Span | None:
    """Return the value of a label: directly behind it, on its row, or else directly below it.

    goes_on: the value may go on in the line directly beside its own: "14 JAN /JAN" and "13".
    most:    its pieces.
    """
    places = [_on_row(label, lines), _under(label, pieces, lines)]
    if second := _behind_second_label(label, pieces, lines):
        places = [second, *places]
    if goes_on:
        places = [_with_line_beside(place, pieces, lines) for place in places]
    return next((value for some in places if (value := _first_value(some, pieces, is_value, most))), None)


def _with_all_groups(value: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Return a number with all groups of its line: the first may be below a label in another language."""
    line = tuple(lines.of(value[0]))
    return line if is_number_in_groups(line, pieces) else value


def _in_next_line(
    label: Span, pieces: Sequence[Piece], lines: PrintedLines, is_value: Callable[[Span], bool]
) -> Span | None:
    """Return the value with which the next line begins, if a label is the last of a sentence's line."""
    line = lines.of(label[0])
    following = lines.below(line) if line[-1] == label[-1] and line[0] != label[0] else None
    return _first_value(following, pieces, is_value) if following else None


def _with_line_beside(place: Sequence[int], pieces: Sequence[Piece], lines: PrintedLines) -> Sequence[int]:
    """Return pieces with those of the line directly beside them, which text detection may have found apart."""
    beside = lines.right_of(place) if place else None
    return (*place, *beside) if beside and is_beside(place, beside, pieces) else place


def _begins_label(line: Sequence[int], at: int, pieces: Sequence[Piece]) -> bool:
    """Whether a label may begin at a place of a line: behind no word, but "4a" of a licence is none."""
    before = pieces[line[at - 1]] if at else None
    if before is None or not before.text[-1].isalpha():
        return True
    return at > 1 and len(before.text) == 1 and not before.space_before and pieces[line[at - 2]].text.isdigit()


def _ends_label(following: Sequence[int], label: str, pieces: Sequence[Piece]) -> bool:
    """Whether a label ends where some pieces follow on its line: no further word of it, and no part of one word.

    A colon ends it. A single letter is no word of a label, and behind an abbreviation as short as "LN" comes none:
    "SEX M", "LN SAMPLE".
    """
    if not following or label[-1] == ":" or pieces[following[0]].text in _BETWEEN_LANGUAGES:
        return True
    word = text_of(_word(following, pieces), pieces)
    is_attached = not pieces[following[0]].space_before and label[-1] not in _ENDS_OF_LABELS
    is_value = any(map(str.isdigit, word)) or not word[0].isalpha() or len(word) == 1
    return not is_attached and (is_value or len(label) <= MAX_ABBREVIATION)


def _are_labels(following: Sequence[int], page: PageLabels) -> bool:
    """Whether pieces are labels alone, such as SEX in "PLACE OF BIRTH SEX", the labels of two columns."""
    ends = range(1, min(len(following), MAX_LABEL_PIECES) + 1)
    return any(
        field_of_label(page.text(following[:end]), page.document_type) is not None
        and (end == len(following) or _are_labels(following[end:], page))
        for end in ends
    )


def _word(following: Sequence[int], pieces: Sequence[Piece]) -> Sequence[int]:
    """Return the first of some pieces and those that are attached to it."""
    end = next((at for at in range(1, len(following)) if pieces[following[at]].space_before), len(following))
    return following[:end]


def _on_row(label: Span, lines: PrintedLines) -> Sequence[int]:
    """Return the pieces behind a label on its line, or those of the line on its right if it has none."""
    line = lines.of(label[0])
    return line[line.index(label[-1]) + 1 :] or lines.right_of(line) or ()


def _behind_second_label(label: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Sequence[int]:
    """Return the pieces on the row from the first figure on, if another label is attached to one: "Nummer/Datum"."""
    line = lines.of(label[0])
    behind = line[line.index(label[-1]) + 1 :]
    if len(behind) < 2 or pieces[behind[0]].text != _BETWEEN_VALUES or pieces[behind[1]].space_before:
        return ()
    rest = list(dropwhile(lambda index: not any(map(str.isdigit, pieces[index].text)), behind))
    return rest or lines.right_of(line) or ()


def _first_word(following: Sequence[int], pieces: Sequence[Piece]) -> Span:
    """Return the first word of some pieces that is no punctuation."""
    rest = list(dropwhile(lambda index: pieces[index].text in _BETWEEN, following))
    return tuple(_word(rest, pieces)) if rest else ()


def _first_value(
    following: Sequence[int], pieces: Sequence[Piece], is_value: Callable[[Span], bool], most: int = MAX_VALUE_PIECES
) -> Span | None:
    """Return the longest value that begins with the first of some pieces that is no punctuation."""
    start = 0
    while start < len(following) and pieces[following[start]].text.lower() in _BETWEEN:
        start += 1
    values = (tuple(following[start:end]) for end in range(min(len(following), start + most), start, -1))
    return next((value for value in values if is_value(value)), None)


def _first_date(following: Sequence[int], parse: ParseDate) -> tuple[date, Sequence[int], Span] | None:
    """Return the date within the first pieces, the pieces behind it, and its own: the shortest that are a date."""
    for end in range(1, min(len(following), MAX_PERIOD_DATE_PIECES) + 1):
        for start in range(end - 1, -1, -1):
            span = tuple(following[start:end])
            if (day := parse(span)) is not None:
                return day, following[end:], span
    return None


def _under(label: Span, pieces: Sequence[Piece], lines: PrintedLines) -> list[int]:
    """Return the pieces of the line below a label, from the first word on that is below it.

    One that ends just left of the label is not, if a wider space than within a value is behind it, and the next word
    is below the label: values of several columns may be one line.
    """
    left, top, right, bottom = box_of(label, pieces)
    margin = bottom - top
    following = lines.below(label, MAX_STEP_TO_VALUE) or []
    while following:
        word = _word(following, pieces)
        start, _, end, _ = box_of(word, pieces)
        rest = following[len(word) :]
        next_start = box_of(_word(rest, pieces), pieces)[0] if rest else math.inf
        is_next_below = end <= left and end + MIN_COLUMN_SPACE * margin < next_start < right
        if end > left - margin and not is_next_below:
            return list(following) if start < right + margin else []
        following = rest
    return []

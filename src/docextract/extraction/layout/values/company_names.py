"""Completes the names of companies, and leaves out captions, numbers of shops and repetitions around them."""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from docextract.documents.companies import is_legal_form
from docextract.documents.person_names import has_title, is_person
from docextract.documents.printed_labels import is_business_label, is_caption, party_of_heading
from docextract.documents.trades import is_trade
from docextract.extraction.layout.pieces import Piece, Span, text_of
from docextract.extraction.layout.places import PrintedLines, box_of, runs_on_lines
from docextract.extraction.layout.values.invoice_titles import OTHER_TITLES, TITLES
from docextract.extraction.layout.values.text_spans import (
    MAX_LEGAL_FORM_PIECES,
    ends_with_legal_form,
    join_on_rows,
    without_caption,
)

MIN_SHOP_DIGITS = 5  # of the number of a shop without a "#"; fewer may be part of its name: "Bistro 1516"
MIN_REPEATED_PIECES = 2  # of a name that is printed twice; "Duran Duran" is one name
MAX_TRADING_PIECES = 5  # of the words between two names: "trading under the name of"
MIN_OTHER_LINE_PROBABILITY = 0.1  # of a name, on its line of which the network is not sure
SAME_HEIGHT = 1.3  # ratio of the heights of two lines of one name; in scans, letters with tails make one higher
BILL_TITLE = "bill_title"  # a kind of captions
_OF_OWNER = "di"
_IN_NAMES = frozenset("&+-.,'’")


def without_titles(spans: Sequence[Span], pieces: Sequence[Piece]) -> list[Span]:
    """Leave out whole titles, headings and labels: "MONTHLY STATEMENT", "Bill to"."""
    return [span for span in spans if not _is_title_or_label(text_of(span, pieces))]


def without_banks(spans: Sequence[Span], ibans: Sequence[Span], pieces: Sequence[Piece]) -> list[Span]:
    """Leave out the bank in front of an IBAN on its line, if there are other names: "Intesa Sanpaolo, IBAN IT88 …".

    Where it is the holder of the account instead, the name is printed in another place, too. ibans: of the page.
    """
    return [span for span in spans if not any(_is_in_front(span, iban[0], pieces) for iban in ibans)] or list(spans)


def _is_title_or_label(text: str) -> bool:
    is_title = is_caption(text, BILL_TITLE, *TITLES, *OTHER_TITLES)
    return is_title or is_business_label(text) or party_of_heading(text) is not None


def _is_in_front(span: Span, first: int, pieces: Sequence[Piece]) -> bool:
    """Whether a text is in front of a piece on its line, with at most a word for the account between: "IBAN:"."""
    between = range(span[-1] + 1, first)
    words = [pieces[index].text for index in between if pieces[index].text.isalnum()]
    return pieces[span[-1]].line == pieces[first].line and span[-1] < first and len(words) <= 1


def company_names(
    spans: Sequence[Span], own: NDArray[np.float32], pieces: Sequence[Piece], lines: PrintedLines,
    addressed: NDArray[np.bool_] | None = None,
) -> dict[Span, Span]:  # fmt: skip
    """Return names as they are printed on a page, each with what the network is sure of: part of it, or its contact.

    own: probabilities of the name, [T]. addressed: where the address of a recipient is, [T]; None for senders.
    """
    alone = [_without_by(without_caption(span, pieces, "company_name"), pieces) for span in join_on_rows(spans, pieces)]
    once = [without_repetition(without_shop_number(span, pieces), pieces) for span in alone]
    ended = [with_trading_name(with_end(span, pieces), pieces) for span in once]
    formed = [until_legal_form(with_legal_form(span, pieces, lines), pieces) for span in ended]
    begun = [with_beginning(span, own, pieces, lines) for span in formed]
    whole = [without_repetition(with_other_line(span, own, pieces, lines), pieces) for span in begun]
    if addressed is not None:
        whole = [without_recipient(span, own, addressed, pieces, lines) for span in whole]
    return {without_contact(name, own, pieces, lines): span for name, span in zip(whole, formed, strict=True)}


def _without_by(span: Span, pieces: Sequence[Piece]) -> Span:
    """Leave out "by" in front of a name with a legal form; it may begin one without: "by Chloe"."""
    is_by = pieces[span[0]].text == "by" and ends_with_legal_form(span[1:], pieces)
    return span[1:] if is_by else span


def with_beginning(span: Span, own: NDArray[np.float32], pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Include the line above a name that begins with "&" in front of its line: "MURPHY, BENNETT", "& MILLER CO.".

    In Italy the name of an owner begins with "di" below that of the business, which may be a sign of any size that the
    network does not know: "Trattoria da Nino", "di Esposito Gennaro". own: probabilities of the name, [T].
    """
    opening = pieces[span[0]].text if lines.of(span[0])[0] == span[0] else ""
    above = lines.above(span) if opening in ("&", _OF_OWNER) else None
    if above is None or not are_words(above, pieces):
        return span
    if opening == _OF_OWNER:
        is_name = not is_caption(text_of(above, pieces), "company_name", "receipt_title")
    else:
        is_name = _is_same_height(span, above, pieces) and float(own[above].max()) >= MIN_OTHER_LINE_PROBABILITY
    return (*above, *span) if is_name else span


def with_end(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include the words behind a name that ends with "&" inside its line: "SIN THYE &" of "SIN THYE & COMPANY"."""
    if pieces[span[-1]].text != "&":
        return span
    behind = takewhile(lambda index: pieces[index].line == pieces[span[-1]].line, range(span[-1] + 1, len(pieces)))
    return (*span, *takewhile(lambda index: pieces[index].text.isalpha(), behind))


def with_trading_name(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include the words behind a name with "trading as" inside its line, up to a label, a mark or a number."""
    last = len(span) - 1
    phrases = (span[at:end] for at in range(1, last) for end in range(at + 1, min(at + MAX_TRADING_PIECES, last) + 1))
    if not any(is_caption(text_of(phrase, pieces), "trading_name") for phrase in phrases):
        return span
    behind = takewhile(lambda index: pieces[index].line == pieces[span[-1]].line, range(span[-1] + 1, len(pieces)))
    words = tuple(takewhile(lambda index: pieces[index].text.isalpha() or pieces[index].text in "&'’", behind))
    ends = (at for at in range(len(words)) if _is_title_or_label(text_of(words[at:], pieces)))
    return (*span, *words[: next(ends, len(words))])


def with_legal_form(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Include the legal form directly behind a name; in "Satama Oy, Satamakatu 4" the network takes it elsewhere.

    The longest one: the name may end with a part of it, such as "LTD." of "LTD. ŞTİ.", and the rest stand below.
    """
    start = span[-1] + 1
    behind = takewhile(lambda index: pieces[index].line == pieces[span[-1]].line, range(start, len(pieces)))
    rest = tuple(behind)[:MAX_LEGAL_FORM_PIECES]
    for end in range(len(rest), 0, -1):
        if _has_form_across((*span, *rest[:end]), len(span), pieces):
            return (*span, *rest[:end])
    last = [index for index in span if pieces[index].line == pieces[span[-1]].line]
    below = () if rest else tuple(lines.below(last) or ())
    is_continued = bool(below) and _has_form_across((*span, *below), len(span) - 1, pieces)
    return (*span, *below) if is_continued else span


def _has_form_across(span: Span, last: int, pieces: Sequence[Piece]) -> bool:
    """Whether a name ends with a legal form that begins at one of its pieces up to a certain one."""
    starts = range(max(1, len(span) - MAX_LEGAL_FORM_PIECES), last + 1)
    return any(is_legal_form(text_of(span[at:], pieces)) for at in starts)


def until_legal_form(span: Span, pieces: Sequence[Piece]) -> Span:
    """Leave out the lines below the one that ends with the legal form of a name: "Stadtwerke GmbH", "Anna Meier".

    The form may go on below: "LTD.", "ŞTİ.".
    """
    lines = runs_on_lines(span, pieces)
    names = [tuple(index for line in lines[: end + 1] for index in line) for end in range(len(lines))]
    return next((name for name in reversed(names) if ends_with_legal_form(name, pieces)), span)


def with_other_line(span: Span, own: NDArray[np.float32], pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Include the other line of a name of two lines, the second of which ends with its legal form.

    own: probabilities of the name, [T]. "Muster & Söhne" / "Handelsgesellschaft mbH": the network may be sure of one
    of both lines alone.
    """
    if len({pieces[index].line for index in span}) > 1:
        return span
    has_form = ends_with_legal_form(span, pieces)
    other = (lines.above if has_form else lines.below)(span)
    if other is None or not _is_same_print(span, other, pieces) or has_form == ends_with_legal_form(other, pieces):
        return span
    is_likely = float(own[other].mean()) >= MIN_OTHER_LINE_PROBABILITY
    if not is_likely or not are_words(other, pieces):
        return span
    return (*other, *span) if has_form else (*span, *other)


def without_contact(span: Span, own: NDArray[np.float32], pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Return the company above the name of a person there, if the page prints the company's line again elsewhere.

    "Hotel Adler" / "Anna Meier", and "Hotel Adler" alone in the delivery address. The person or both were found.
    own: probabilities of the name, [T].
    """
    runs = runs_on_lines(span, pieces)
    upper, lower = (runs[0], runs[1]) if len(runs) > 1 else (lines.above(span) or [], span)
    is_name = len(runs) <= 2 and bool(upper) and _is_same_print(lower, upper, pieces) and are_words(upper, pieces)
    is_likely = is_name and float(own[list(upper)].mean()) >= MIN_OTHER_LINE_PROBABILITY
    if not is_likely or not _may_be_person(lower, pieces):
        return span
    company, person = (text_of(line, pieces) for line in (upper, lower))
    texts = [text_of(line, pieces) for line in lines]
    return tuple(upper) if texts.count(company) > texts.count(person) == 1 else span


def without_recipient(
    span: Span, own: NDArray[np.float32], addressed: NDArray[np.bool_], pieces: Sequence[Piece], lines: PrintedLines
) -> Span:
    """Return the company above or below the name of the person there who receives its post.

    It has a legal form, or it is above the person, whose line is directly above the address. The person or both were
    found. "Anna Meier" / "Moulin GmbH", "Hotel Adler" / "Anna Meier" / "Seeweg 4": a sender may be both, a sole trader.
    A trade alone is no name: "Hans Weber" / "Bauunternehmung GmbH" are one.
    own: probabilities of the name, [T]. addressed: where the address is, [T].
    """
    runs = runs_on_lines(span, pieces)
    persons = [run for run in runs if is_person(text_of(run, pieces)) and not _has_legal_form(run, pieces)]
    if not persons:
        return span
    others = [run for run in runs if run not in persons]
    if not others:
        around = (lines.above(persons[0]), lines.below(persons[-1]))
        others = [tuple(line) for line in around if line and _is_likely_name(line, persons[0], own, pieces)]
    formed = [run for run in others if _has_legal_form(run, pieces)]
    if formed and tuple(lines.below(persons[-1]) or ()) == tuple(formed[0]) and _is_trade_with_form(formed[0], pieces):
        return (*persons[-1], *formed[0])
    if formed:
        return tuple(index for run in (others if len(persons) < len(runs) else formed[:1]) for index in run)
    upper = [run for run in others if run[0] < persons[0][0] and not has_title(text_of(run, pieces))]
    is_between = addressed[lines.below(persons[-1]) or []].any()
    return tuple(index for run in upper for index in run) if upper and is_between else span


def _is_trade_with_form(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line has a trade and a legal form alone: "Bauunternehmung GmbH & Co. KG"."""
    starts = range(1, len(line))
    return any(is_legal_form(text_of(line[at:], pieces)) and is_trade(text_of(line[:at], pieces)) for at in starts)


def _is_likely_name(line: Sequence[int], beside: Span, own: NDArray[np.float32], pieces: Sequence[Piece]) -> bool:
    """Whether a line above or below another one is likely a company: by its legal form, or words and no heading."""
    text = text_of(line, pieces)
    is_likely = float(own[list(line)].mean()) >= MIN_OTHER_LINE_PROBABILITY and _is_same_print(beside, line, pieces)
    is_label = _is_title_or_label(text) or is_caption(text, "company_name")
    is_name = len(text.split()) > 1 and are_words(line, pieces) and not is_label
    return is_likely and not is_person(text) and (is_name or _has_legal_form(line, pieces))


def _may_be_person(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line is two or three words that begin with capitals, without a legal form: "Anna Meier"."""
    are_names = all(pieces[index].text.isalpha() and pieces[index].text[0].isupper() for index in line)
    return are_names and len(line) in (2, 3) and not _has_legal_form(line, pieces)


def are_words(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line has words alone, and is no heading: "SHIP TO"."""
    text = text_of(line, pieces)
    words = all(pieces[index].text.isalpha() or pieces[index].text in _IN_NAMES for index in line)
    return words and party_of_heading(text) is None


def _has_legal_form(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    return ends_with_legal_form(line, pieces) or begins_with_legal_form(line, pieces)


def begins_with_legal_form(span: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a name begins with its legal form, as in Latvia: "SIA Tilts"."""
    starts = (span[:count] for count in range(1, min(len(span) - 1, MAX_LEGAL_FORM_PIECES) + 1))
    return any(is_legal_form(text_of(start, pieces)) for start in starts)


def _is_same_print(span: Sequence[int], other: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether two lines begin in one column and are of one height."""
    (left, top, _, bottom), (other_left, *_) = (box_of(one, pieces) for one in (span, other))
    return abs(left - other_left) < (bottom - top) / 2 and _is_same_height(span, other, pieces)


def _is_same_height(span: Sequence[int], other: Sequence[int], pieces: Sequence[Piece]) -> bool:
    (_, top, _, bottom), (_, other_top, _, other_bottom) = (box_of(one, pieces) for one in (span, other))
    height, other_height = bottom - top, other_bottom - other_top
    return max(height, other_height) < SAME_HEIGHT * min(height, other_height)


def without_shop_number(span: Span, pieces: Sequence[Piece]) -> Span:
    """Leave out a number behind a name, or a long one in front of it: "BURGERS #15", "000002 Baifu"."""
    first, last = pieces[span[0]], pieces[span[-1]]
    if len(span) > 1 and first.text.isdigit() and len(first.text) >= MIN_SHOP_DIGITS and pieces[span[1]].space_before:
        return without_shop_number(span[1:], pieces)
    name = span[:-1]
    if not name or not last.text[0].isdigit():
        return span
    if pieces[name[-1]].text == "#":
        return name[:-1] or span
    is_number = last.space_before and sum(map(str.isdigit, last.text)) >= MIN_SHOP_DIGITS
    return name if is_number else span


def without_repetition(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a name once that is printed twice, such as in an address and above it; there it may be the whole one."""
    half = len(span) // 2
    text = [pieces[index].text.upper() for index in span]
    if half >= MIN_REPEATED_PIECES and text[:half] == text[half:]:
        return span[:half]
    first = len(runs_on_lines(span, pieces)[0])
    is_begun_again = MIN_REPEATED_PIECES <= first <= half and text[:first] == text[first : 2 * first]
    return span[first:] if is_begun_again else span

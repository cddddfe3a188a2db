"""Cuts off what is printed around an address: a company, captions, another address, and the sentence that goes on."""

import re
from collections.abc import Iterator, Sequence

from docextract.documents.companies import is_legal_form
from docextract.documents.countries import country_of_address, is_country_name, parse_country
from docextract.documents.dates import parse_date
from docextract.documents.postal_codes import has_postal_code
from docextract.documents.printed_labels import is_label_of_tax_number
from docextract.extraction.layout.pieces import Piece, Span, join_pieces, text_of
from docextract.extraction.layout.places import PrintedLines, runs_on_lines
from docextract.extraction.layout.values.text_spans import without_caption

SEAT = "seat"  # of a company; a kind of captions
CAPTIONS = ("address", SEAT)  # kinds of captions in front of addresses
MAX_COMPANY_PIECES = 12
MAX_CAPTION_PIECES = 2  # words of a caption
MIN_CAPTION_LETTERS = 4  # of its last word
MAX_COUNTRY_PIECES = 3
MAX_CODE_LETTERS = 3  # of a country
MAX_LABEL_TAIL, MAX_LABEL_REST = 4, 6  # pieces of a label, at the end of an address and behind it
MIN_SENTENCE_END = 4  # letters of the word in front of a full stop; a shorter one may be an abbreviation: "St."
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHORT_REGIONS = frozenset(["schwäb", "westf", "württ", "holst", "thür", "sachs", "oberpf"])  # "74523 Schwäb. Hall"
_PARTS_OF_TOWNS = frozenset(["cedex", "city"])  # "98000 Monaco Cedex"


def without_company(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return an address without the name of a company in front of it: "Sähkö Oy, Asematie 120"."""
    for at, index in enumerate(span[: MAX_COMPANY_PIECES + 1]):
        if pieces[index].line != pieces[span[0]].line:
            break
        names = (join_pieces([pieces[one] for one in span[start:at]]) for start in range(at))
        if pieces[index].text == "," and any(map(is_legal_form, names)):
            return span[at + 1 :] or span
    return span


def without_next_address(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return an address without lines with numbers below its postal code: those of a branch, or a telephone number.

    And without those from a caption on that is below a postal code: "Juridiskā adrese Brīvības gatve 82, LV-5358".
    Other lines without numbers stay; in Malaysia the state is printed there.
    """
    lines = runs_on_lines(span, pieces)
    texts = [text_of(line, pieces) for line in lines]
    coded = [at for at, text in enumerate(texts) if has_postal_code(text, is_first=at == 0)]
    behind = range(coded[-1] + 1, len(lines)) if coded else ()
    end = next((at for at in behind if any(map(str.isdigit, texts[at]))), len(lines))
    below_first = range(coded[0] + 1, end) if coded else ()
    captioned = (at for at in below_first if without_caption(lines[at], pieces, *CAPTIONS) != lines[at])
    return tuple(index for line in lines[: next(captioned, end)] for index in line)


def without_lines_behind_home(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a holder's address without a date below it, and without the county below an American postal code.

    "1 PEACHTREE AVE, ATLANTA, GA 30303" is followed by "FULTON" on licences of Georgia. A country stays.
    """
    lines = runs_on_lines(span, pieces)
    texts = [text_of(line, pieces) for line in lines]
    ends = (at for at in range(1, len(lines)) if _is_date(texts[at]) or _is_county(texts[at], behind=texts[at - 1]))
    return tuple(index for line in lines[: next(ends, len(lines))] for index in line)


def _is_date(text: str) -> bool:
    """Whether a text is a date with a whole year: "12-3-10" is the number of a flat in Malaysia."""
    return not any(map(str.isalpha, text)) and _YEAR.search(text) is not None and parse_date(text) is not None


def _is_county(text: str, behind: str) -> bool:
    return country_of_address(behind) == "USA" and parse_country(text) is None


def without_captions(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return an address without a caption in front of it, and without what is captioned behind its postal code.

    "Sitz: Dorfstr. 8, 49446 Bielefeld", "Largo Garibaldi 2, 36936 Perugia Filiale: Via Roma 3". What is captioned on a
    line of its own below an address without a postal code is taken instead of it.
    """
    span = without_caption(span, pieces, *CAPTIONS)
    if (captioned := _captioned_below(span, pieces)) and not has_postal_code(
        text_of(span[: -len(captioned)], pieces), is_first=True
    ):
        return captioned
    colons = [at for at, index in enumerate(span) if pieces[index].text == ":" and _is_word(pieces[span[at - 1]].text)]
    start = next((at + 1 for at in reversed(colons) if 0 < at <= MAX_CAPTION_PIECES), 0)
    for at in colons:
        before = _without_marks_behind(span[start : max(start, at - 1)], pieces)
        if has_postal_code(text_of(before, pieces), is_first=True):
            return before
    return span[start:] or span


def _captioned_below(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return the rest of an address from behind the first caption that begins another line of it; () without one."""
    at = 0
    for line in runs_on_lines(span, pieces):
        rest = without_caption(line, pieces, *CAPTIONS)
        if at and rest != line and pieces[rest[0] - 1].text == ":":
            return span[at + len(line) - len(rest) :]
        at += len(line)
    return ()


def _is_word(text: str) -> bool:
    """Whether a text may end a caption; "Lot no: 20" is part of an address, and so may "HQ: 7" be."""
    return len(text) >= MIN_CAPTION_LETTERS and text.isalpha()


def without_rest(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return an address without what follows on the line of its postal code: a new sentence, or words behind a country.

    "1 High St, Leeds, LS1 4UG. Registered in England", "Hauptstr. 5, 6978 Wels, Österreich b, LG Linz".
    """
    start = 0
    for own in runs_on_lines(span, pieces):
        end = next(_ends(own, pieces, is_first=start == 0), None)
        if end is not None:
            return _without_marks_behind(span[: start + end], pieces)
        start += len(own)
    return span


def _ends(line: Span, pieces: Sequence[Piece], is_first: bool) -> Iterator[int]:
    """Yield how many pieces of a line of an address belong to it, where something else follows behind them."""
    coded_from: int | None = None
    for at in range(1, len(line)):
        if coded_from is None:
            text = text_of(line[:at], pieces)
            coded_from = at if has_postal_code(text, is_first) else None
        if coded_from is None:
            continue
        rest = line[at:]
        follows = _ends_sentence(line, at, pieces) or _ends_with_country(line[coded_from:at], rest, pieces)
        # before another code, what looked like one was a house number
        if follows and not has_postal_code(text_of(rest, pieces), is_first=False):
            yield at


def _ends_sentence(line: Span, at: int, pieces: Sequence[Piece]) -> bool:
    """Whether a piece of a line is the full stop of a sentence, and another one begins behind it."""
    if pieces[line[at]].text != "." or at + 1 == len(line):
        return False
    word = text_of(line[:at], pieces).rpartition(" ")[2]
    is_abbreviation = (word.isalpha() and len(word) < MIN_SENTENCE_END) or word.lower() in _SHORT_REGIONS
    following = pieces[line[at + 1]]
    begins = following.space_before and following.text[0].isupper()
    return begins and not is_abbreviation and not _is_country(line[at + 1 :], pieces)


def _ends_with_country(behind_code: Span, rest: Span, pieces: Sequence[Piece]) -> bool:
    """Whether the last of some pieces name a country, and the rest is no part of its or of a town's name."""
    if _is_part_of_name(rest, pieces):
        return False
    tails = [behind_code[-count:] for count in range(1, min(MAX_COUNTRY_PIECES, len(behind_code)) + 1)]
    is_country = any(_is_country(tail, pieces) for tail in tails)
    return is_country and not any(_is_country((*tail, rest[0]), pieces) for tail in tails)


def _is_part_of_name(rest: Span, pieces: Sequence[Piece]) -> bool:
    """Whether what follows a name goes on with it: "Monaco Cedex", "México D.F.", "Schweiz (CH)", "Ireland, UK"."""
    first, *others = (pieces[index] for index in rest)
    if first.text.lower() in _PARTS_OF_TOWNS or first.text == "(" or not (first.space_before or first.text == ","):
        return True
    words = [index for index in rest if pieces[index].text.isalnum()]
    is_letter = len(first.text) == 1 and first.text.isupper() and bool(others) and others[0].text == "."
    is_code = len(words) == 1 and pieces[words[0]].text.isupper() and len(pieces[words[0]].text) <= MAX_CODE_LETTERS
    return is_letter or is_code or _is_country(tuple(words), pieces)


def _is_country(span: Span, pieces: Sequence[Piece]) -> bool:
    return is_country_name(text_of(span, pieces))


def without_tax_label(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Return an address without the first words of the label of a tax number behind it, such as "VAT" (Reg. No.)."""
    line = lines.of(span[-1])
    rest = line[line.index(span[-1]) + 1 :][:MAX_LABEL_REST]
    for count in range(min(MAX_LABEL_TAIL, len(span) - 1), 0, -1):
        tail = span[-count:]
        if not pieces[tail[0]].text[0].isalpha() or pieces[tail[0]].line != pieces[tail[-1]].line:
            continue
        texts = (join_pieces([pieces[index] for index in (*tail, *rest[:more])]) for more in range(len(rest) + 1))
        if any(map(is_label_of_tax_number, texts)):
            return _without_marks_behind(span[:-count], pieces)
    return span


def _without_marks_behind(span: Span, pieces: Sequence[Piece]) -> Span:
    while len(span) > 1 and not pieces[span[-1]].text[-1].isalnum() and pieces[span[-1]].text != ")":
        span = span[:-1]
    return span

"""Completes the name of a merchant on a receipt, where the network finds none or only the line with its trade."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from docextract.documents.base import Field
from docextract.documents.printed_labels import is_caption, party_of_heading
from docextract.documents.trades import is_trade
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.values.company_names import (
    are_words,
    begins_with_legal_form,
    company_names,
)
from docextract.extraction.layout.values.text_spans import ends_with_legal_form, without_caption

COMPLETED_PROBABILITY = 0.6  # of the name of a merchant that has no likely one
MIN_LINE_PROBABILITY = 0.15  # of one piece of a line that is taken for the name of a merchant that has no other
MIN_NAME_PROBABILITY = 0.05  # of one piece of the line above a trade
MIN_NAME_LETTERS = 4
MAX_NAME_PIECES = 5  # above a trade
MERCHANT_NAME, MERCHANT_ADDRESS = "merchant_name", "merchant_address"


def complete_merchant(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page with a name for its merchant, and with the whole name if its trade was found.

    Without a likely name it is the likeliest text with a legal form, or else the line above the merchant's address, or
    the line that is most like a name. Thanks are no name: "Takk fyrir viðskiptin".
    """
    field = page.single_field(MERCHANT_NAME)
    if field is None:
        return dict(found)
    known = found.get(MERCHANT_NAME)
    if known and is_caption(known.content, "thanks"):
        known = None
    if known is None or not known.is_likely:
        name = _with_form(field, page) or _above_address(field, found.get(MERCHANT_ADDRESS), page)
        name = name or (_likeliest_line(field, page) if known is None else None)
        known = at_least(name, COMPLETED_PROBABILITY) if name else known
    others = {name: one for name, one in found.items() if name != MERCHANT_NAME}
    return {**others, **({MERCHANT_NAME: _with_trade(field, known, page)} if known else {})}


def _with_form(field: Field, page: PageLabels) -> Candidate | None:
    """Return the likeliest text with a legal form; None if there is none."""
    formed = [candidate_of(field, span, page) for span in (_formed_text(line, page) for line in page.lines) if span]
    return max(filter(None, formed), key=lambda one: one.probability, default=None)


def _formed_text(line: Sequence[int], page: PageLabels) -> Span:
    """Return the text of a line up to a comma, without a caption, if it begins or ends with a legal form; else ()."""
    text = tuple(takewhile(lambda index: page.pieces[index].text != ",", line))
    span = without_caption(text, page.pieces, "company_name")
    has_form = begins_with_legal_form(span, page.pieces) or ends_with_legal_form(span, page.pieces)
    return span if has_form else ()


def _above_address(field: Field, address: Candidate | None, page: PageLabels) -> Candidate | None:
    """Return the name on the line above a likely address; None if there is none."""
    if address is None or not address.is_likely:
        return None
    above = page.lines.above(address.piece_indices)
    return _name_of_line(field, above, page) if above and _may_be_name(above, page) else None


def _name_of_line(field: Field, line: Sequence[int], page: PageLabels) -> Candidate | None:
    (whole,) = company_names([tuple(line)], page.probability(MERCHANT_NAME), page.pieces, page.lines)
    return candidate_of(field, whole, page)


def _likeliest_line(field: Field, page: PageLabels) -> Candidate | None:
    """Return the line with the piece that is most like a name, of those that are words alone."""
    own = page.probability(MERCHANT_NAME)
    named = [line for line in page.lines if are_words(line, page.pieces) and _may_be_name(line, page)]
    line = max(named, key=lambda line: float(own[line].max()), default=None)
    is_likely = line is not None and own[line].max() >= MIN_LINE_PROBABILITY
    return _name_of_line(field, line, page) if line and is_likely else None


def _may_be_name(line: Sequence[int], page: PageLabels) -> bool:
    """Whether a line may be a merchant's name: it has letters, and is no label, heading, title or other field."""
    text = page.text(line)
    is_other = ":" in text or "www" in text.lower() or party_of_heading(text) is not None
    is_caption_alone = is_caption(text, "company_name", "receipt_title", "thanks")
    has_letters = any(page.pieces[index].text.isalpha() for index in line)
    return has_letters and not (is_other or is_caption_alone or page.is_of_another(MERCHANT_NAME)[line].any())


def _with_trade(field: Field, name: Candidate, page: PageLabels) -> Candidate:
    """Return the name with the line above it, if it is a trade alone, or else with one word of a trade below it."""
    span = name.piece_indices
    if is_trade(name.content):
        above = page.lines.above(span)
        whole = (*above, *span) if above and _is_above_trade(above, page) else span
    else:
        below = page.lines.below(span)
        whole = (*span, *below) if below and _is_trade_below(below, name, page) else span
    joined = candidate_of(field, whole, page) if whole != span else None
    return at_least(joined, name.probability) if joined else name


def _is_above_trade(line: Sequence[int], page: PageLabels) -> bool:
    """Whether a line above a trade is the name that belongs to it: a few words of which the network is not sure."""
    is_likely = float(page.probability(MERCHANT_NAME)[line].max()) >= MIN_NAME_PROBABILITY
    is_short = len(line) <= MAX_NAME_PIECES and _letters(line, page.pieces) >= MIN_NAME_LETTERS
    return is_likely and is_short and are_words(line, page.pieces) and _may_be_name(line, page)


def _is_trade_below(line: Sequence[int], name: Candidate, page: PageLabels) -> bool:
    """Whether a line below a name is its last word: a trade alone in its row, which the name does not have yet."""
    word = page.text(line)
    is_new = len(line) == 1 and is_trade(word) and word.upper() not in name.content.upper().split()
    is_alone = page.lines.right_of(line) is None and not page.is_of_another(MERCHANT_NAME)[line].any()
    return is_new and is_alone and not ends_with_legal_form(name.piece_indices, page.pieces)


def _letters(line: Sequence[int], pieces: Sequence[Piece]) -> int:
    return sum(char.isalpha() for index in line for char in pieces[index].text)

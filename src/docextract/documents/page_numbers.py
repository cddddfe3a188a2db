"""Numbers of pages as they are printed: "Page 2 of 3", "Seite 2/3", "- 2 -"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_PAGE_NUMBER = 999
_EDGE_LINES = 4  # at the top and at the bottom of a page, where a number without a word is one of a page
_WORDS = (
    "page|pag|pg|seite|blatt|pagina|página|pág|side|sida|sivu|strana|str|strona|oldal|sayfa|stran|lapa|lpp|puslapis|"
    "lehekülg|lk|pagină|страница|стр|σελίδα|σελ|ページ|页"
)
_OF = r"(?:/|\||of|von|de|di|sur|van|av|af|z|ze|od|iz|din|no|iš|/\s*von|из|από)"
_NUMBER = r"(\d{1,3})"
_WORD_AND_TOTAL = re.compile(rf"\b(?:{_WORDS})[.:]?\s*{_NUMBER}\s*{_OF}\s*{_NUMBER}(?!\d)", re.IGNORECASE)
_WORD_ALONE = re.compile(rf"\W*(?:{_WORDS})[.:]?\s*{_NUMBER}\W*", re.IGNORECASE)
_BARE_TOTAL = re.compile(rf"\W*{_NUMBER}\s*{_OF}\s*{_NUMBER}\W*", re.IGNORECASE)
_BARE = re.compile(rf"[-–—]\s*{_NUMBER}\s*[-–—]")


@dataclass(frozen=True)
class PageNumber:
    """The printed number of a page, from 1, and of all pages of its document, if it is printed."""

    number: int
    total: int | None = None


def find_page_number(texts: Sequence[str]) -> PageNumber | None:
    """Return the page number that is printed among the lines of a page, in reading order.

    A number with a word and a total counts anywhere, one without a total only on a line of its own, and one without a
    word only at the top or at the bottom.
    """
    for pattern, lines in (
        (_WORD_AND_TOTAL, texts),
        (_BARE_TOTAL, [*texts[:_EDGE_LINES], *texts[-_EDGE_LINES:]]),
        (_WORD_ALONE, texts),
        (_BARE, [*texts[:_EDGE_LINES], *texts[-_EDGE_LINES:]]),
    ):
        search = pattern.search if pattern is _WORD_AND_TOTAL else pattern.fullmatch
        for text in lines:
            match = search(text.strip())
            if match and (found := _page_number(*map(int, match.groups()))):
                return found
    return None


def _page_number(number: int, total: int | None = None) -> PageNumber | None:
    if number < 1 or (total is not None and (total < 2 or number > total)):
        return None
    return PageNumber(number, total)

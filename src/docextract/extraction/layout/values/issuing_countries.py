"""Finds the country that issued a card, where the network finds none."""

import re
from collections.abc import Callable, Mapping, Sequence

from docextract.documents import id_card
from docextract.documents.base import Field
from docextract.documents.countries import country_of_address, is_country_code, parse_country, state_of_name
from docextract.extraction.layout.candidates import Candidate
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.labelled_values import DRIVER_LICENCE

ISSUING_COUNTRY = "issuing_country"
COUNTRY_PROBABILITY = 0.6  # of a country that is found here
MIN_SPACED_LETTERS = 4
MIN_SPACED_SHARE = 0.6  # of the words of a line that are single letters
MIN_ZONE_LINE = 33  # characters; lines of cards with three lines have 30, and the last one begins with a name
MAX_HEAD_DEPTH = 0.25  # of the height of what is printed on a page, where a sign of vehicles or a title may be
MIN_TITLE_WORDS = 2  # of the name of a state that is a title; single ones are also nationalities: "Vietnamese"
_NAMED_LIKE_A_STATE = "GEO"  # Georgia
_WITH_CARDS_OF_PARTS = frozenset({"USA", "CAN", "AUS"})  # licences and identity cards of their states and provinces
_OF_NATIONS = frozenset({"nationality", "administrative_number", "birth_place"})  # not on licences of these parts
_SIGN = re.compile(r"[A-Z]{3}|UK|GB|NL")  # of vehicles, in a corner of a licence; other short ones are also words
# The first line of the machine-readable zone of a passport or an old French card, also of one whose check digits are
# wrong: "P<UTO…<<", "IDFRA…<<". Cards with three lines have a number in the first one.
_ZONE = re.compile(r"[PIACV][A-Z<]([A-Z<]{3})[A-Z<]*<<[A-Z<]*")


def complete_issuing_country(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page with the country of its zone, address, letter-spaced print, title or sign.

    Only if no other is likely; but a card from Georgia with an American address is American. The place of the country
    is the whole line.
    """
    field = page.single_field(ISSUING_COUNTRY)
    known = found.get(ISSUING_COUNTRY)
    likely = known.value if known is not None and known.is_likely else None
    if field is None or likely not in (None, _NAMED_LIKE_A_STATE):
        return dict(found)
    sources = (country_of_address,) if likely else (_country_of_zone, country_of_address, _spaced_country)
    first = next(filter(None, (_first_country(field, source, page) for source in sources)), None)
    if first is None and likely is None:
        first = _country_of_title(field, page)
    if first is None and likely is None and page.document_type.name == DRIVER_LICENCE:
        first = _country_of_sign(field, page)
    return {**found, **({ISSUING_COUNTRY: first} if first else {})}


def is_card_of_part(page: PageLabels, found: Mapping[str, Candidate]) -> bool:
    """Whether a page is a licence or an identity card, of a country whose cards are of its states and provinces."""
    country = found.get(ISSUING_COUNTRY)
    is_card = page.document_type.name in (DRIVER_LICENCE, id_card.DOCUMENT_TYPE.name)
    return is_card and country is not None and country.value in _WITH_CARDS_OF_PARTS


def without_fields_of_nations(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page, on a licence of a state or province without what it never prints.

    A label may name it all the same.
    """
    if page.document_type.name != DRIVER_LICENCE or not is_card_of_part(page, found):
        return dict(found)
    return {name: one for name, one in found.items() if name not in _OF_NATIONS or one.labelled}


def _first_country(field: Field, country_of: Callable[[str], str | None], page: PageLabels) -> Candidate | None:
    """Return the country of the first line in which a source finds one."""
    for line in page.lines:
        text = page.text(line)
        if code := country_of(text):
            return _candidate(field, tuple(line), text, code, page)
    return None


def _country_of_title(field: Field, page: PageLabels) -> Candidate | None:
    """Return the country of the first line at the top that is the name of a state: "SOCIALIST REPUBLIC OF VIET NAM".

    Not if the network takes a word of it for another field: it may be the nationality, or "HONG KONG" a place of birth.
    """
    others = page.is_of_another(ISSUING_COUNTRY)
    titles = ((line, text) for line, text in _head(page) if len(text.split()) >= MIN_TITLE_WORDS)
    found = ((line, text, state_of_name(text)) for line, text in titles if not others[list(line)].any())
    first = next(((line, text, code) for line, text, code in found if code), None)
    return _candidate(field, tuple(first[0]), first[1], first[2], page) if first else None


def _country_of_sign(field: Field, page: PageLabels) -> Candidate | None:
    """Return the country of the only sign of vehicles that is alone on a line at the top: "IRL"."""
    signs = [(line, text, parse_country(text)) for line, text in _head(page) if _SIGN.fullmatch(text)]
    found = [(line, text, code) for line, text, code in signs if code]
    if len({code for *_, code in found}) != 1:
        return None
    line, text, code = found[0]
    return _candidate(field, tuple(line), text, code, page)


def _head(page: PageLabels) -> list[tuple[Sequence[int], str]]:
    """Return the lines at the top of a page, with their texts."""
    if not page.pieces:
        return []
    boxes = [page.box(line) for line in page.lines]
    _, first, _, last = page.box(range(len(page.pieces)))
    end = first + MAX_HEAD_DEPTH * (last - first)
    return [(line, page.text(line)) for line, (_, top, _, _) in zip(page.lines, boxes, strict=True) if top < end]


def _candidate(field: Field, span: Span, content: str, value: str, page: PageLabels) -> Candidate:
    confidence = min(page.pieces[index].confidence for index in span)
    return Candidate(
        field.name, content, value, span, COUNTRY_PROBABILITY, support=COUNTRY_PROBABILITY, margin=1.0,
        confidence=confidence, whole=COUNTRY_PROBABILITY,
    )  # fmt: skip


def _country_of_zone(text: str) -> str | None:
    line = text.replace(" ", "")
    zone = _ZONE.fullmatch(line) if len(line) >= MIN_ZONE_LINE else None
    code = zone[1].rstrip("<") if zone else ""
    return parse_country(code) if is_country_code(code) else None


def _spaced_country(text: str) -> str | None:
    """Return the country that letter-spaced print names: "F R A N C A I S E"."""
    words = text.split()
    letters = sum(len(word) == 1 for word in words)
    is_spaced = letters >= max(MIN_SPACED_LETTERS, MIN_SPACED_SHARE * len(words))
    joined = "".join(words)
    return parse_country(joined) if is_spaced and joined.isalpha() else None

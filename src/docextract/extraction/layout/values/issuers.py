"""Finds who issued a card, country and authority, where neither the network nor a label tells."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from docextract.documents.base import Field
from docextract.documents.countries import is_country_code, parse_country
from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span, join_pieces
from docextract.extraction.layout.values.card_elements import behind_authority_number
from docextract.extraction.layout.values.person_names import PERSON_NAMES

COUNTRY, AUTHORITY = "issuing_country", "issuing_authority"
ISSUER_PROBABILITY = 0.6  # of what is found here
NUMBERED_AUTHORITY_PROBABILITY = 0.95
MAX_AUTHORITY_PIECES = 9  # longer lines are sentences
MIN_AUTHORITY_LETTERS = 3  # of an authority that no label names; with fewer it may be an emblem
MIN_SPACED_LETTERS = 4
MIN_SPACED_SHARE = 0.6  # of the words of a line that are single letters
# The first line of a machine-readable zone, also of one whose check digits are wrong: "P<UTO…<<", "IDFRA…<<".
_ZONE = re.compile(r"[PIACV][A-Z<]([A-Z<]{3})[A-Z<]*<<[A-Z<]*")
_AMERICAN_CODE = re.compile(
    r"\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
    r"[ ,.]*\d{5}(?:\s?-\s?\d{4})?$"
)
_CANADIAN_CODE = re.compile(r"\b(?:AB|BC|MB|N[BLSTU]|ON|PE|QC|SK|YT)[ ,]*[A-Z]\d[A-Z]\s?\d[A-Z]\d$")
_ADDRESSES = {"USA": _AMERICAN_CODE, "CAN": _CANADIAN_CODE}
_NAMED_LIKE_A_STATE = "GEO"  # Georgia
_AUTHORITY_WORDS = re.compile(
    r"\b(?:department|ministry|ministere|ministerio|ministero|ministerstvo|ministerium|prefecture|authority|directorate"
    r"|passport office|home office|landratsamt|embassy|consulate)\b"
)


def complete_issuers(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page with the issuing country and the authority of a card that are missing."""
    fields = {field.name: field for field in page.single_fields() if field.name in (COUNTRY, AUTHORITY)}
    completed = dict(found)
    if COUNTRY in fields:
        completed |= _country(fields[COUNTRY], found, page)
    if AUTHORITY in fields:
        completed = _with_authority(fields[AUTHORITY], completed, page)
    return completed


def _country(field: Field, found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the country of the zone, of an address or of letter-spaced print, if no other is likely.

    A card from Georgia with an American address is American.
    """
    known = found.get(COUNTRY)
    may_be_state = known is not None and known.value == _NAMED_LIKE_A_STATE
    if known is not None and known.support >= GIVEN_SUPPORT and not may_be_state:
        return {}
    for line in page.lines:
        text = join_pieces([page.pieces[index] for index in line])
        code = _country_of_address(text) or (None if may_be_state else _country_of_zone(text) or _spaced_country(text))
        if code:
            return {COUNTRY: _candidate(field, tuple(line), text, code, page)}
    return {}


def _candidate(field: Field, span: Span, content: str, value: str, page: PageLabels) -> Candidate:
    confidence = min(page.pieces[index].confidence for index in span)
    return Candidate(
        field.name, content, value, span, ISSUER_PROBABILITY, support=ISSUER_PROBABILITY, margin=1.0,
        confidence=confidence, whole=ISSUER_PROBABILITY,
    )  # fmt: skip


def _country_of_zone(text: str) -> str | None:
    zone = _ZONE.fullmatch(text.replace(" ", ""))
    code = zone[1].rstrip("<") if zone else ""
    return parse_country(code) if is_country_code(code) else None


def _country_of_address(line: str) -> str | None:
    return next((code for code, form in _ADDRESSES.items() if form.search(line)), None)


def _spaced_country(text: str) -> str | None:
    """Return the country that letter-spaced print names: "F R A N C A I S E"."""
    words = text.split()
    letters = sum(len(word) == 1 for word in words)
    is_spaced = letters >= max(MIN_SPACED_LETTERS, MIN_SPACED_SHARE * len(words))
    return parse_country("".join(words)) if is_spaced else None


def _with_authority(field: Field, found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with the authority behind its number, or else one that names itself, if none is likely.

    The holder is no authority: names also stand beside the signature.
    """
    known = found.get(AUTHORITY)
    others = {name: one for name, one in found.items() if name != AUTHORITY}
    if known and _is_holder(known, others):
        known = None
    if known and known.support >= GIVEN_SUPPORT and not _may_be_emblem(known):
        return dict(found)
    places = [
        *((span, NUMBERED_AUTHORITY_PROBABILITY) for span in behind_authority_number(page)),
        *((span, ISSUER_PROBABILITY) for span in _named_authorities(page)),
    ]
    values = ((candidate_of(field, span, page), least) for span, least in places if not _is_label(span, page))
    completed = next((at_least(one, least) for one, least in values if one), known)
    return {**others, **({AUTHORITY: completed} if completed else {})}


def _is_holder(authority: Candidate, found: Mapping[str, Candidate]) -> bool:
    names = " ".join(found[name].content for name in PERSON_NAMES if name in found).upper().split()
    return set(authority.content.upper().split()) <= set(names)


def _may_be_emblem(authority: Candidate) -> bool:
    return not authority.labelled and sum(map(str.isalpha, authority.content)) < MIN_AUTHORITY_LETTERS


def _is_label(span: Span, page: PageLabels) -> bool:
    """Whether a text is a label, maybe in several languages: "Utstedt av / Authority"."""
    parts = join_pieces([page.pieces[index] for index in span]).split("/")
    return any(field_of_label(part, page.document_type) for part in parts)


def _named_authorities(page: PageLabels) -> Iterator[Span]:
    """Yield lines of passports and identity cards such as "UNITED STATES DEPARTMENT OF STATE"; licences have 4c."""
    if page.document_type.name == "driver_licence":
        return
    for line in page.lines:
        if len(line) <= MAX_AUTHORITY_PIECES and _AUTHORITY_WORDS.search(_plain_text(line, page)):
            yield tuple(line)


def _plain_text(line: Sequence[int], page: PageLabels) -> str:
    text = join_pieces([page.pieces[index] for index in line]).lower()
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))

"""Tells given names, family name and what is neither apart where a card prints them on one line: "CHRIS SMITH JR"."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile

from docextract.documents import passport
from docextract.documents.countries import has_two_family_names
from docextract.documents.person_names import leads_to_father
from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.candidates import Candidate, at_least, at_most, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span, join_pieces, text_of
from docextract.extraction.layout.places import PrintedLines, runs_on_lines
from docextract.extraction.layout.values.card_elements import (
    FAMILY_NAME,
    GIVEN_NAME,
    MARKS_OF_NAMES,
    is_numbered,
    start_of_name,
)
from docextract.extraction.layout.values.card_texts import is_close_below, is_label_on_card
from docextract.extraction.layout.values.labelled_values import PARTS_OF_NAMES, SECOND_FAMILY_NAME

PERSON_NAMES = (FAMILY_NAME, GIVEN_NAME)
MAX_NAMES = 3  # on one line; more are the title of a card
STACKED_PROBABILITY = 0.6  # of names above the address
MIN_NUMBER_DIGITS = 5  # in front of what is no name; dates and numbers of elements have fewer in one piece, or marks
MIN_RIVAL_PROBABILITY = 0.5  # of another name on the page; with it, a text is not taken for the whole name
# Where given names are printed first. Elsewhere a whole name may have no family name, or begin with it.
GIVEN_NAMES_FIRST = frozenset({"USA", "CAN", "AUS"})
GIVEN_NAMES_OFTEN_FIRST = frozenset({"IND", "KEN"})  # but a part of the holders has no family name
FAMILY_NAMES_ABOVE = frozenset({"USA", "CAN"})  # where two lines above an address begin with the family name
MIDDLE_NAMES_OF_MOTHERS = frozenset({"PHL"})
MIN_PERSON_PROBABILITY = 0.2  # of a line above the given names or a middle name, for either name, that it is a name
MIN_SURE_PROBABILITY = 0.9  # of each word of a line, that it is a family name, too
MIN_LINE_WITH_PARTICLE_PROBABILITY = 0.5  # the same, of a line that begins with a particle
WHOLE_NAME_PROBABILITY = 0.6  # of the parts of a name that may be divided otherwise
PASSPORT = passport.DOCUMENT_TYPE.name
_SUFFIXES = frozenset("jr sr ii iii iv".split())  # behind the family name, and no part of it
_NOTICES = frozenset({"veteran", "donor", "organ donor"})  # printed among the values of American cards
_RELATIVES = frozenset("CDSWH")  # care of, daughter, son, wife and husband of, in front of "/O" on Indian cards
_DUTCH_SPOUSES = frozenset({("E", "V"), ("E", "G"), ("W", "V")})  # spouse, partner and widow of, on Dutch passports
_TITLES = frozenset("mr mrs miss ms mx dr".split())  # in front of given names, on British licences
NAMES_WITH_PARTICLES = frozenset({"PRT", "BRA"})
_INNER_PARTICLES = frozenset("de da do das dos del e y".split())  # with which a line goes on
_PARTICLES = frozenset("st van von de del della di da du la le mc mac der den ter".split())


def complete_names(
    found: Mapping[str, Candidate], page: PageLabels, labelled: Mapping[str, Sequence[Span]]
) -> dict[str, Candidate]:
    """Return the candidates of a page with names that are missing or found in part, and with a whole name divided.

    labelled: the values behind or below labels, see `labelled_values`.
    """
    stacked = _with_stacked_names(_without_labels(_without_address(found, page), page), page)
    both = _without_shared_words(_with_both_names(_with_given_names_above(stacked, page), page), page)
    whole = _with_line_of_second_family_name(_with_labelled_parts(both, page, labelled), page)
    return _with_given_names_below(_with_doubtful_whole_name(_with_name_of_father(whole, page), page), page)


def _without_address(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates, names without what belongs to a likely address: "GROVE" of "14 WATTLE GROVE"."""
    address, completed = found.get("resident_address"), dict(found)
    if address is None or not address.is_likely:
        return completed
    for name in PERSON_NAMES:
        known = found.get(name)
        rest = tuple(index for index in known.piece_indices if index not in address.piece_indices) if known else ()
        if known and rest and rest != known.piece_indices:
            completed[name] = _continued(known, rest, page)
    return completed


def _without_labels(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates, names of several lines without lines that are labels: "Mga Pangalan/Given Names".

    One word may be a name as well: "Adi", "Pol".
    """
    completed = dict(found)
    for name in filter(found.get, PERSON_NAMES):
        rows = list(runs_on_lines(found[name].piece_indices, page.pieces))
        names = [row for row in rows if not _is_label_of_words(page.lines.of(row[0]), page)]
        if 0 < len(names) < len(rows):
            completed[name] = _continued(found[name], tuple(index for row in names for index in row), page)
    return completed


def _is_label_of_words(line: Sequence[int], page: PageLabels) -> bool:
    return len(line) > 1 and is_label_on_card(line, page)


def _with_labelled_parts(
    found: Mapping[str, Candidate], page: PageLabels, labelled: Mapping[str, Sequence[Span]]
) -> dict[str, Candidate]:
    """Return the candidates with the parts of names that have a label of their own behind the names.

    "Middle name" and "Segundo apellido". Not if there are several, or if a middle name may be none, as where one label
    is for all given names: "First, Middle Name". In the Philippines it is the mother's family name.
    """
    completed = dict(found)
    country = _country_of(found)
    for name, part in PARTS_OF_NAMES.items():
        known, parts = found.get(name), labelled.get(part, ())
        taken = {index for one in PERSON_NAMES if one in found for index in found[one].piece_indices}
        if known is None or len(parts) != 1 or not taken.isdisjoint(parts[0]):
            continue
        is_of_mother = country in MIDDLE_NAMES_OF_MOTHERS
        is_doubtful = is_of_mother or _likelihood_of_name(parts[0], page) < MIN_PERSON_PROBABILITY
        if part == SECOND_FAMILY_NAME or not is_doubtful:
            completed[name] = _continued(known, (*known.piece_indices, *parts[0]), page)
    return completed


def _with_line_of_second_family_name(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with a family name on two lines, where people have two of which the network is sure.

    Where names have particles, only if the second line begins with one.
    """
    known, given, country = found.get(FAMILY_NAME), found.get(GIVEN_NAME), _country_of(found)
    if known is None:
        return dict(found)
    has_two = country is not None and has_two_family_names(country)
    has_particles = country in NAMES_WITH_PARTICLES
    span, others = known.piece_indices, set(given.piece_indices if given else ())
    line = page.lines.of(span[0])
    if len(line) != len(span) or not others.isdisjoint(span):
        return dict(found)
    for beside in filter(None, (page.lines.above(line), page.lines.below(line))):
        may_be_name = has_two or (has_particles and beside[0] > line[0] and _goes_on(beside, page))
        if may_be_name and others.isdisjoint(beside) and _is_second_family_name(line, beside, page):
            return {**found, FAMILY_NAME: _continued(known, tuple(sorted((*span, *beside))), page)}
    return dict(found)


def _is_second_family_name(line: Sequence[int], beside: Sequence[int], page: PageLabels) -> bool:
    """Whether a line is surely a family name, too; one of two words, "GARCIA LOPEZ", is not that of both parents."""
    left, top, _, bottom = page.box(line)
    is_repeated = len(line) > 1 and page.text(beside) == page.text(line)
    in_column = abs(page.box(beside)[0] - left) < bottom - top
    goes_on = beside[0] > line[0] and _goes_on(beside, page)
    least = MIN_LINE_WITH_PARTICLE_PROBABILITY if goes_on else MIN_SURE_PROBABILITY
    is_sure = page.probability(FAMILY_NAME)[list(beside)].min() >= least
    return in_column and bool(is_sure) and bool(_names_of(beside, page)) and not is_repeated


def _goes_on(line: Sequence[int], page: PageLabels) -> bool:
    """Whether a line begins within a name: "DE ALBUQUERQUE"."""
    return len(line) > 1 and page.pieces[line[0]].text.lower() in _INNER_PARTICLES


def _continued(name: Candidate, span: Span, page: PageLabels) -> Candidate:
    whole = candidate_of(page.field(name.field), span, page)
    return replace(whole, labelled=name.labelled) if whole else name


def _with_given_names_above(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with given names in small letters above a family name in capitals, if none are found."""
    family, field = found.get(FAMILY_NAME), page.single_field(GIVEN_NAME)
    if family is None or field is None or GIVEN_NAME in found or _country_of(found) not in GIVEN_NAMES_FIRST:
        return dict(found)
    above = _names_of(page.lines.above(family.piece_indices) or (), page)
    text = page.text(above)
    is_given = above and not text.isupper() and text[0].isupper() and family.content.isupper()
    if not is_given or _likelihood_of_name(above, page) < MIN_PERSON_PROBABILITY:
        return dict(found)
    given = candidate_of(field, above, page)
    return {**found, **({GIVEN_NAME: at_least(given, STACKED_PROBABILITY)} if given else {})}


def _with_name_of_father(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with a whole name on two lines, of which one was found: "NUR AISYAH BINTI", "YUSOF".

    It has no family name, and is doubtful as one. What was found on the other line is a part of it.
    """
    for name, one in found.items():
        line = page.lines.of(one.piece_indices[0]) if name in PERSON_NAMES else []
        pairs = ((page.lines.above(line), line), (line, page.lines.below(line))) if line else ()
        for upper, lower in pairs:
            if not upper or not lower or not _is_father_below(upper, lower, page):
                continue
            whole = candidate_of(page.field(name), (*upper, *lower), page)
            others = {other: each for other, each in found.items() if other not in PERSON_NAMES}
            return {**others, **({name: at_most(whole, WHOLE_NAME_PROBABILITY)} if whole else {})}
    return dict(found)


def _is_father_below(upper: Sequence[int], lower: Sequence[int], page: PageLabels) -> bool:
    """Whether the name of the father is below a line, and not what the network takes for another text."""
    are_words = all(page.pieces[index].text.isalpha() for index in (*upper, *lower))
    if not are_words or not leads_to_father(page.text(upper)) or not is_close_below(upper, lower, page):
        return False
    father = _names_of(lower, page)
    return bool(father) and _likelihood_of_name(father, page) >= MIN_PERSON_PROBABILITY


def _with_given_names_below(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with given names on the line below the only family name, as on German residence permits.

    One label is for both. The network may take the line for either name, but must be sure that it is one: a line that
    can hardly be given names is the second of the family name.
    """
    family, field = found.get(FAMILY_NAME), page.single_field(GIVEN_NAME)
    if family is None or field is None or GIVEN_NAME in found or _country_of(found) in GIVEN_NAMES_FIRST:
        return dict(found)
    line = page.lines.of(family.piece_indices[0])
    below = page.lines.below(line) or ()
    names = _names_of(below, page) if family.piece_indices == tuple(line) else ()
    is_name = names and is_close_below(line, below, page) and _likelihood_of_name(names, page) >= MIN_SURE_PROBABILITY
    given = candidate_of(field, names, page) if is_name else None
    is_possible = given is not None and given.probability >= MIN_PERSON_PROBABILITY
    return {**found, **({GIVEN_NAME: at_least(given, STACKED_PROBABILITY)} if given and is_possible else {})}


def _with_doubtful_whole_name(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates; the only name of a card is doubtful if it has several words: it may be the whole name."""
    names = [found[name] for name in PERSON_NAMES if name in found]
    if len(names) != 1 or names[0].labelled or len(names[0].content.split()) < 2:
        return dict(found)
    return {**found, names[0].field: at_most(names[0], WHOLE_NAME_PROBABILITY)}


def _country_of(found: Mapping[str, Candidate]) -> str | None:
    country = found.get("issuing_country")
    return None if country is None else str(country.value)


def _with_stacked_names(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with the two lines above the address for both names, if these are missing or mistaken."""
    fields = {field.name: field for field in page.single_fields() if field.name in PERSON_NAMES}
    known = [found[name] for name in PERSON_NAMES if name in found]
    address, home = found.get("resident_address"), _country_of(found)
    if len(fields) < len(PERSON_NAMES) or not known or address is None:
        return dict(found)
    if len(known) == 1:
        stacked = _stacked_names(known[0], address.piece_indices, page, home in FAMILY_NAMES_ABOVE)
    else:
        stacked = _told_apart(known, address.piece_indices, page, home)
    candidates = {name: candidate_of(fields[name], span, page) for name, span in stacked.items()}
    likely = {name: at_least(one, STACKED_PROBABILITY) for name, one in candidates.items() if one}
    return {**found, **likely}


def _stacked_names(known: Candidate, address: Span, page: PageLabels, is_divided: bool) -> dict[str, Span]:
    """Return the names on lines above an address, the family name first, if a known name is on one of them.

    American cards print the three below each other, often without labels. is_divided: holders have both names.
    """
    if known.field == FAMILY_NAME:
        below = line_below_family_name(known.piece_indices, address, page.pieces, page.lines)
        if below:
            return {GIVEN_NAME: below}
    lower = page.lines.above(address) or []
    upper = page.lines.above(lower) if lower and set(lower) == set(known.piece_indices) else None
    if not is_divided or not upper or not (_are_names(upper, page) and _are_names(lower, page)):
        return {}
    return {FAMILY_NAME: tuple(upper), GIVEN_NAME: tuple(lower)}


def _told_apart(known: Sequence[Candidate], address: Span, page: PageLabels, country: str | None) -> dict[str, Span]:
    """Return the names on the two lines above an address, if both names were found in parts of these lines only.

    Without the numbers of their elements, which are small print, the network mistakes one line for the other, or
    divides the lower one. The line in capitals is the family name if the other one is not; else the upper one.
    Names behind labels or numbers stay.
    """
    lower = page.lines.above(address) or []
    upper = (page.lines.above(lower) if lower else None) or []
    lines = [_names_of(line, page) for line in (upper, lower)]
    own = {index for name in known for index in name.piece_indices}
    is_labelled = any(one.labelled for one in known) or is_numbered(known[0].field, known[0].piece_indices, page.pieces)
    if country not in GIVEN_NAMES_FIRST or is_labelled or not all(lines) or not own.issubset({*upper, *lower}):
        return {}
    in_capitals = [page.text(line).isupper() for line in lines]
    is_told = in_capitals[0] != in_capitals[1] or country in FAMILY_NAMES_ABOVE
    if not is_told or _likelihood_of_name(lines[0], page) < MIN_PERSON_PROBABILITY:
        return {}
    family, given = lines if in_capitals[0] >= in_capitals[1] else reversed(lines)
    return {FAMILY_NAME: without_suffix(family, page.pieces), GIVEN_NAME: without_title(given, page.pieces)}


def _likelihood_of_name(span: Span, page: PageLabels) -> float:
    known = [name for name in PERSON_NAMES if name in page.numbers]
    return float(sum(page.probability(name)[list(span)].mean() for name in known))


def _names_of(line: Span | Sequence[int], page: PageLabels) -> Span:
    """Return what may be names on a line, behind the number of an element; () if there is anything else."""
    start = start_of_name(line, page.pieces) if line and page.pieces[line[0]].text in ("1", "2") else 0
    words = tuple(line[start:])
    while words and page.pieces[words[-1]].text == ",":
        words = words[:-1]
    return words if words and _are_names(words, page) else ()


def _are_names(line: Sequence[int], page: PageLabels) -> bool:
    """Whether a line may be names: a few words alone, and neither a label nor a notice."""
    text = page.text(line)
    texts = [page.pieces[index].text for index in line]
    are_words = all(one.isalpha() or one in MARKS_OF_NAMES for one in texts) and texts[0].isalpha()
    is_label = any(field_of_label(one, page.document_type) for one in (text, *texts))
    are_few = len(text.split()) <= MAX_NAMES
    return are_words and are_few and not is_label and not is_notice(tuple(line), page.pieces)


def _with_both_names(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Divide a whole name that was found as one of two names, or as both.

    Where given names are only mostly printed first, the only name of a card is divided, without a label that it is one
    of both, and both parts stay doubtful.
    """
    pieces, country = page.pieces, _country_of(found)
    names = [found[name] for name in PERSON_NAMES if name in found]
    if not names or not all(map(page.single_field, PERSON_NAMES)):
        return dict(found)
    whole = max(names, key=lambda name: (len(name.piece_indices), name.probability))
    is_only = not whole.labelled and all(set(whole.piece_indices).issuperset(one.piece_indices) for one in names)
    is_doubtful = country in GIVEN_NAMES_OFTEN_FIRST and is_only and page.document_type.name != PASSPORT
    if country not in GIVEN_NAMES_FIRST and not is_doubtful:
        return dict(found)
    words = tuple(dropwhile(lambda index: not pieces[index].text.isalpha(), whole.piece_indices))
    parts = family_and_given(words, pieces)
    if parts is None or is_numbered(whole.field, words, pieces) or not _is_alone(whole, names):
        return dict(found)
    divided = {}
    for name, span in zip(PERSON_NAMES, parts, strict=True):
        content = join_pieces([pieces[at] for at in span])
        part = replace(whole, field=name, content=content, value=content, piece_indices=span)
        divided[name] = at_most(part, WHOLE_NAME_PROBABILITY) if is_doubtful else part
    return {**found, **divided}


def _without_shared_words(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates, of two names of which one is a part of the other only the longer one.

    Where both names are on one line and no custom of the country divides them, the network may find the last word as
    one name, and all words as the other: "HUONG" and "TRAN THI THANH HUONG".
    A particle between the names belongs to the one behind it: the names of "GIULIANA DEL" and "DEL PRETE" are GIULIANA
    and "DEL PRETE", those of "NGUYEN VAN" and "VAN HUNG" are NGUYEN and "VAN HUNG".
    """
    names = [found[name] for name in PERSON_NAMES if name in found]
    if len(names) < len(PERSON_NAMES):
        return dict(found)
    first, second = sorted(names, key=lambda name: min(name.piece_indices))
    own, other = set(first.piece_indices), set(second.piece_indices)
    part = first if own < other else second if other < own else None
    if part is not None:
        return {name: one for name, one in found.items() if one is not part}
    shared, rest = own & other, tuple(index for index in first.piece_indices if index not in other)
    is_divided = shared and rest and all(_is_particle(page.pieces[at]) for at in shared)
    return {**found, **({first.field: _continued(first, rest, page)} if is_divided else {})}


def _is_alone(name: Candidate, names: Sequence[Candidate]) -> bool:
    """Whether all other names are unlikely or parts of a name, there or in a signature."""
    own, words = set(name.piece_indices), name.content.upper().split()
    others = [one for one in names if one is not name and one.probability >= MIN_RIVAL_PROBABILITY]
    return all(own.issuperset(one.piece_indices) or one.content.upper() in words for one in others)


def family_and_given(span: Span, pieces: Sequence[Piece]) -> tuple[Span, Span] | None:
    """Return the family name and the given names of a whole name on one line; None if it has one word or several lines.

    A comma is behind the family name: "SMITH, CHRIS". Only the family name may be in capitals: "Ana DE LUCA". A suffix
    as in "CHRIS SMITH JR" is left out.
    """
    if len({pieces[index].line for index in span}) != 1:  # none, or several
        return None
    commas = [at for at, index in enumerate(span) if pieces[index].text == ","]
    if commas:
        family, given = span[: commas[0]], span[commas[0] + 1 :]
    else:
        own = without_suffix(span, pieces)
        at = _start_of_capitals(own, pieces) or _start_of_last_word(own, pieces)
        family, given = own[at:], own[:at]
    return (family, given) if family and given else None


def line_below_family_name(family: Span, address: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span | None:
    """Return the words that stand alone on the line between a family name and an address: the given names.

    American cards print the three below each other, often without labels. None if there is no such line.
    """
    below = lines.below(family) or []
    last = lines.below(below) if below else None
    are_words = bool(below) and all(pieces[index].text.isalpha() for index in below)
    return tuple(below) if are_words and last and address[0] in last and not is_notice(tuple(below), pieces) else None


def is_notice(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a text is what cards print about every other holder: "VETERAN"; it is nobody's name."""
    return text_of(span, pieces).lower() in _NOTICES


def without_relative(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Leave out the name of a relative of the holder, and what is in front of it: "S/O Sonu Jain", "e/v Jansen"."""
    begins = (at for at in range(lines.of(span[0])[0], span[-1] + 1) if _begins_relative(pieces[at : at + 3]))
    end = next(begins, span[-1] + 1)
    return tuple(index for index in span if index < end)


def _begins_relative(pieces: Sequence[Piece]) -> bool:
    texts = [piece.text.upper() for piece in pieces if piece.line == pieces[0].line]
    if len(texts) < 3 or texts[1] != "/":
        return False
    return (texts[0] in _RELATIVES and texts[2] in ("O", "0")) or (texts[0], texts[2]) in _DUTCH_SPOUSES


def is_no_name(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a text has no letter, or a number behind its first word: "FLAT 10" is no name, "2 JANE" may be one."""
    has_letter = any(char.isalpha() for index in span for char in pieces[index].text)
    return not has_letter or any(pieces[index].text.isdigit() and pieces[index].space_before for index in span[1:])


def with_particles(family: Span, pieces: Sequence[Piece]) -> Span:
    """Return a family name with the particles in front of it, if the line begins with them: "LA" of "LA FONTAINE"."""
    start = family[0]
    while start > 0 and pieces[start - 1].line == pieces[start].line and _is_particle(pieces[start - 1]):
        start -= 1
    begins = start == 0 or pieces[start - 1].line != pieces[start].line or pieces[start - 1].text in "1."
    return (*range(start, family[0]), *family) if begins else family


def _is_particle(piece: Piece) -> bool:
    return piece.text.lower() in _PARTICLES


def is_behind_number(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a long number is directly in front of a text on its line: of "34567890-1 SSP SP", who issued it."""
    before = pieces[span[0] - 1] if span[0] > 0 else None
    is_beside = before is not None and before.line == pieces[span[0]].line
    return before is not None and is_beside and sum(map(str.isdigit, before.text)) >= MIN_NUMBER_DIGITS


def without_title(span: Span, pieces: Sequence[Piece]) -> Span:
    """Drop a courtesy title in front of given names: "MISS" of "MISS ANNA"; one that is alone is a name."""
    end = 2 if len(span) > 2 and pieces[span[1]].text == "." else 1
    return span[end:] if len(span) > end and pieces[span[0]].text.lower() in _TITLES else span


def without_last_suffix(span: Span, pieces: Sequence[Piece]) -> Span:
    """Drop a suffix of the family name behind given names, with a comma in front of it: "JR" of "JOHN LEE, JR"."""
    names = without_suffix(span, pieces)
    if all(pieces[index].text == "." for index in span[len(names) :]):  # "LIAM R."
        return span
    return names[:-1] if len(names) > 1 and pieces[names[-1]].text == "," else names


def without_suffix(span: Span, pieces: Sequence[Piece]) -> Span:
    """Drop what is printed behind a family name and is no part of it: "JR" of "SMITH JR"."""
    end = len(span)
    while end > 1 and (pieces[span[end - 1]].text.lower() in _SUFFIXES or pieces[span[end - 1]].text == "."):
        end -= 1
    return span[:end]


def _start_of_capitals(span: Span, pieces: Sequence[Piece]) -> int | None:
    """Return where words in capitals begin that go on to the end, if all in front of them are not: "Ana DE LUCA"."""
    starts = _starts_of_words(span, pieces)
    ends = (*starts[1:], len(span))
    words = [text_of(span[start:end], pieces) for start, end in zip(starts, ends, strict=True)]
    are_capitals = [word.isupper() and sum(map(str.isalpha, word)) > 1 for word in words]
    count = sum(are_capitals)
    return starts[-count] if 0 < count < len(words) and all(are_capitals[-count:]) else None


def _starts_of_words(span: Span, pieces: Sequence[Piece]) -> list[int]:
    return [at for at, index in enumerate(span) if at == 0 or pieces[index].space_before]


def _start_of_last_word(span: Span, pieces: Sequence[Piece]) -> int:
    """Return where the last word begins, with particles in front of it: "ST. JOHN"."""
    starts = _starts_of_words(span, pieces)
    while len(starts) > 1 and pieces[span[starts[-2]]].text.lower() in _PARTICLES:
        starts.pop()
    return starts[-1]

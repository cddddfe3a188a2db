"""Finds names of parties above their addresses: some are not labelled, and for some the network takes a street."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from docextract.documents.person_names import has_title
from docextract.documents.printed_labels import is_business_label, party_of_heading
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.parties.blocks import (
    ADDRESS_PART,
    MIN_PART_PROBABILITY,
    NAME_PART,
    Block,
    PartyFields,
    Run,
)
from docextract.extraction.layout.parties.headings import begins_in_column
from docextract.extraction.layout.pieces import Piece, text_of
from docextract.extraction.layout.places import box_of, is_right_below
from docextract.extraction.layout.values.addresses import is_town, may_begin_address
from docextract.extraction.layout.values.text_spans import ends_with_legal_form

SENDER = "vendor"  # whose name may be a logo, away from its address; those of recipients are directly above theirs
NAME_ABOVE_PROBABILITY = 0.6  # of the words above the address of a party that has no other name
CLEAR_NAME_PROBABILITY = 0.8  # of a name that is elsewhere
MIN_PROBABILITY_IN_BLOCK = 0.5  # of a name in the block of its address; a less likely one is doubtful
MIN_WEAK_PROBABILITY = 0.2  # of a line above an address of a recipient, that it is a name
MIN_NAME_ABOVE_STREET = 0.1  # probability of a line above a street, that it is a name
NEARLY_AS_LIKELY = 0.1  # difference in probability of two lines of which the upper one is taken
MAX_LINES_ABOVE = 3  # above an address: a company, a department, and a person


def with_streets_below_names(
    labels: NDArray[np.float32], runs: Sequence[Run], parties: PartyFields, page: PageLabels
) -> NDArray[np.float32]:
    """Return the labels with streets as parts of addresses that the network takes for names of recipients.

    "Møllevej 8" is a street where a town is directly below it, and a line that may be a name above. labels: [T, K];
    returned as they are if there is no such street.
    """
    recipients = [at for at, prefix in enumerate(parties.prefixes) if prefix != SENDER]
    named = labels[:, parties.columns[NAME_PART][:, recipients].ravel()].sum(axis=1)  # [T], of the name of a recipient
    names = [run for run in runs if run.part == NAME_PART and int(run.shares.argmax()) in recipients]
    streets = [run for run in names if _is_street(run, runs, named, page)]
    if not streets:
        return labels
    decided = labels.copy()
    for street in streets:
        for of_names, of_addresses in zip(*parties.columns, strict=True):
            decided[np.ix_(street.indices, of_addresses)] += decided[np.ix_(street.indices, of_names)]
            decided[np.ix_(street.indices, of_names)] = 0
    return decided


def _is_street(run: Run, runs: Sequence[Run], named: NDArray[np.float32], page: PageLabels) -> bool:
    is_whole_line = len(run.indices) == len(page.lines.of(run.indices[0]))
    if not is_whole_line or not may_begin_address(page.text(run.indices)):
        return False
    if ends_with_legal_form(run.indices, page.pieces) or not _has_rest_below(run, runs, page):
        return False
    return any(
        is_name(line, page.pieces) and (named[line].mean() >= MIN_NAME_ABOVE_STREET or has_title(page.text(line)))
        for line in _lines_above(run.indices, page)
    )


def _has_rest_below(run: Run, runs: Sequence[Run], page: PageLabels) -> bool:
    """Whether the rest of an address, without a street of its own, is directly below."""
    below = (other for other in runs if other.part == ADDRESS_PART and is_right_below(run.box, other.box))
    return any(not may_begin_address(page.text(other.indices)) or is_town(page.text(other.indices)) for other in below)


def add_missed_names(
    decided: NDArray[np.float32], blocks: Sequence[Block], shares: Sequence[NDArray[np.float64]], parties: PartyFields,
    page: PageLabels,
) -> None:  # fmt: skip
    """Take words above the likeliest address of a party for its name, in place, if it has no likely name.

    decided: [T, K].
    """
    if not len(decided):
        return
    begins, continues = parties.columns[NAME_PART]  # [R] each
    named = decided[:, parties.columns[NAME_PART].ravel()].sum(axis=1)  # [T], the probability of the name of any party
    for party, (begin, inside) in enumerate(zip(begins, continues, strict=True)):
        own = decided[:, [begin, inside]].sum(axis=1)  # [T]
        is_recipient = parties.prefixes[party] != SENDER
        name = _weak_name(party, blocks, shares, own, named, page) if is_recipient else None
        name = name or _words_above(party, blocks, shares, own, page)
        if name:
            decided[name] *= 1 - NAME_ABOVE_PROBABILITY
            decided[name, inside] = NAME_ABOVE_PROBABILITY
            decided[name[0], [begin, inside]] = NAME_ABOVE_PROBABILITY, 0.0


def _words_above(
    party: int, blocks: Sequence[Block], shares: Sequence[NDArray[np.float64]], own: NDArray[np.float32],
    page: PageLabels,
) -> list[int] | None:  # fmt: skip
    """Return the words above the likeliest block of a party of whose name the network finds nothing. own: [T]."""
    best = _best_block(range(len(blocks)), shares, party)
    if best is None or own.max() >= MIN_PART_PROBABILITY:
        return None
    above = page.lines.above(blocks[best][0].indices) or []
    return above if is_name(above, page.pieces) else None


def _best_block(some: Sequence[int], shares: Sequence[NDArray[np.float64]], party: int) -> int | None:
    """Return which of some blocks is the likeliest of a party; None if it rather belongs to another one."""
    best = max(some, key=lambda at: float(shares[at][party]), default=None)
    return best if best is not None and shares[best].argmax() == party else None


def _weak_name(
    party: int, blocks: Sequence[Block], shares: Sequence[NDArray[np.float64]], own: NDArray[np.float32],
    named: NDArray[np.float32], page: PageLabels,
) -> list[int] | None:  # fmt: skip
    """Return the likeliest line above the address of a party, unless the network is sure of another name.

    own, named: the probability that a piece is of the name of the party, and of any party, [T].
    """
    addressed = [at for at, block in enumerate(blocks) if any(run.part == ADDRESS_PART for run in block)]
    best = _best_block(addressed, shares, party)
    if best is None or any(own[list(run.indices)].mean() >= MIN_PROBABILITY_IN_BLOCK for run in blocks[best]):
        return None
    street = next(run for run in blocks[best] if run.part == ADDRESS_PART)
    named_above = ((float(named[line].mean()), line) for line in _lines_above(street.indices, page))
    likely = [(one, line) for one, line in named_above if one >= MIN_WEAK_PROBABILITY and is_name(line, page.pieces)]
    above = {index for _, line in likely for index in line}
    others = [run.indices for block in blocks for run in block if above.isdisjoint(run.indices)]
    if not likely or any(own[list(other)].mean() >= CLEAR_NAME_PROBABILITY for other in others):
        return None
    highest = max(one for one, _ in likely)
    return [line for one, line in likely if one >= highest - NEARLY_AS_LIKELY][-1]


def _lines_above(indices: Sequence[int], page: PageLabels) -> Iterator[list[int]]:
    """Yield the lines above some pieces in their column, nearest first, up to a heading or a line with a number."""
    last = list(indices)
    for _ in range(MAX_LINES_ABOVE):
        above = page.lines.above(last)
        if above is None or not begins_in_column(box_of(above, page.pieces), box_of(last, page.pieces)):
            return
        text = page.text(above)
        is_label = party_of_heading(text) is not None or is_business_label(text)
        if is_label or any(map(str.isdigit, text)):
            return
        yield above
        last = above


def is_name(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line may be a name: several words without digits, and no heading."""
    text = text_of(line, pieces)
    words = [pieces[index].text for index in line if pieces[index].text.isalpha()]
    return len(words) > 1 and ":" not in text and not any(map(str.isdigit, text)) and party_of_heading(text) is None

"""Names of parties above their addresses, where the network misses them or takes a line of the address for the name."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

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
from docextract.extraction.layout.values.addresses import may_begin_address

SENDER = "vendor"  # whose name may be a logo, away from its address; those of recipients are directly above theirs
NAME_ABOVE_PROBABILITY = 0.6  # of the words above the address of a party that has no other name
CLEAR_NAME_PROBABILITY = 0.8  # of a name that is elsewhere
MIN_PROBABILITY_IN_BLOCK = 0.5  # of a name in the block of its address; a less likely one is doubtful
MIN_WEAK_PROBABILITY = 0.2  # of a line above an address of a recipient, that it is a name
MAX_LINES_ABOVE = 3  # above an address: a company, a department, and a person
MIN_FREE_PROBABILITY = 0.5  # of a line, that it is of no field


def with_streets_below_names(
    labels: NDArray[np.float32], runs: Sequence[Run], parties: PartyFields, page: PageLabels
) -> NDArray[np.float32]:
    """Return the labels with streets as parts of addresses that the network takes for names of recipients.

    "Møllevej 8" is a street: a town is below it, and a line that may be a name above. labels: [T, K].
    """
    decided = labels.copy()
    recipients = [at for at, prefix in enumerate(parties.prefixes) if prefix != SENDER]
    for run in runs:
        if run.part == NAME_PART and int(run.shares.argmax()) in recipients and _is_street(run, runs, page):
            for names, addresses in zip(*parties.columns, strict=True):
                decided[np.ix_(run.indices, addresses)] += decided[np.ix_(run.indices, names)]
                decided[np.ix_(run.indices, names)] = 0
    return decided


def _is_street(run: Run, runs: Sequence[Run], page: PageLabels) -> bool:
    if len(run.indices) != len(page.lines.of(run.indices[0])) or not may_begin_address(page.text(run.indices)):
        return False
    if not any(other.part == ADDRESS_PART and is_right_below(run.box, other.box) for other in runs):
        return False
    return any(are_name(line, page.pieces) for line in _lines_above(run.indices, page))


def add_missed_names(
    decided: NDArray[np.float32], blocks: Sequence[Block], shares: Sequence[NDArray[np.float64]], parties: PartyFields,
    page: PageLabels,
) -> None:  # fmt: skip
    """Take the words above the likeliest address of a party for its name, in place, if it has no other name.

    decided: [T, K].
    """
    if not len(decided):
        return
    begins, continues = parties.columns[NAME_PART]  # [R] each
    for party, (begin, inside) in enumerate(zip(begins, continues, strict=True)):
        own = decided[:, [begin, inside]].sum(axis=1)  # [T]
        best = _best_block(range(len(blocks)), shares, party)
        above = page.lines.above(blocks[best][0].indices) or [] if best is not None else []
        name = above if own.max() < MIN_PART_PROBABILITY and are_name(above, page.pieces) else None
        if parties.prefixes[party] != SENDER:
            addressed = [at for at, block in enumerate(blocks) if any(run.part == ADDRESS_PART for run in block)]
            best = _best_block(addressed, shares, party)
            named = decided[:, parties.columns[NAME_PART].ravel()].sum(axis=1)  # [T]
            name = (_weak_name(best, blocks, own, named, page) if best is not None else None) or name
        if name:
            decided[name] *= 1 - NAME_ABOVE_PROBABILITY
            decided[name, inside] = NAME_ABOVE_PROBABILITY
            decided[name[0], [begin, inside]] = NAME_ABOVE_PROBABILITY, 0.0


def _best_block(some: Sequence[int], shares: Sequence[NDArray[np.float64]], party: int) -> int | None:
    """Return which of some blocks is the likeliest of a party; None if it rather belongs to another one."""
    best = max(some, key=lambda at: float(shares[at][party]), default=None)
    return best if best is not None and shares[best].argmax() == party else None


def _weak_name(
    best: int, blocks: Sequence[Block], own: NDArray[np.float32], named: NDArray[np.float32], page: PageLabels
) -> list[int] | None:
    """Return the uppermost line above the best address that may be a name, unless the party has a likelier one.

    own, named: the probability that a piece is of the name of the party, and of any party, [T].
    """
    street = next(run for run in blocks[best] if run.part == ADDRESS_PART)
    if any(own[list(run.indices)].mean() >= MIN_PROBABILITY_IN_BLOCK for run in blocks[best]):
        return None
    lines = [
        line for line in _lines_above(street.indices, page)
        if are_name(line, page.pieces) and named[line].mean() >= MIN_WEAK_PROBABILITY
    ]  # fmt: skip
    above = {index for line in lines for index in line}
    others = [run.indices for block in blocks for run in block if above.isdisjoint(run.indices)]
    has_clear = any(own[list(other)].mean() >= CLEAR_NAME_PROBABILITY for other in others)
    return lines[-1] if lines and not has_clear else None


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


def are_name(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line may be a name: several words without digits, and no heading or label."""
    text = text_of(line, pieces)
    words = [pieces[index].text for index in line if pieces[index].text.isalpha()]
    return len(words) > 1 and ":" not in text and not any(map(str.isdigit, text)) and party_of_heading(text) is None

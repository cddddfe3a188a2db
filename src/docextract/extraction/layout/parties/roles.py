"""Decides which party each name and address of a page belongs to: whole blocks of print, and all of them together.

The network labels each piece alone, so that the lines of one address can be divided between vendor and customer, and
two companies can both be the customer. All pieces of a block belong to one party, to the one that its heading names if
it has one; blocks that print the same belong to the same party, and two blocks with different addresses seldom do. The
probability that a piece is part of a name or of an address stays; it is divided anew among the parties.
"""

import math
from collections.abc import Sequence
from itertools import combinations, product, takewhile

import numpy as np
from numpy.typing import NDArray

from docextract.documents.postal_codes import has_postal_code
from docextract.documents.printed_labels import OTHER, field_of_label, is_business_label, party_of_heading
from docextract.extraction.layout.labels import NO_FIELD, begin_label, inside_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.parties.blocks import (
    ADDRESS_PART,
    MIN_PART_PROBABILITY,
    Block,
    PartyFields,
    Run,
    find_blocks,
    find_runs,
    letters_of,
)
from docextract.extraction.layout.parties.headings import PartyHeading, begins_in_column, headings_of, is_between
from docextract.extraction.layout.parties.missed_names import add_missed_names, with_streets_below_names
from docextract.extraction.layout.parties.service_addresses import service_factors
from docextract.extraction.layout.pieces import Piece, join_pieces, text_of
from docextract.extraction.layout.places import box_of

TAX_PART = "_tax_id"
NUMBERS_OF_DOCUMENTS = ("document_number", "purchase_order")
VENDOR_CONTACTS = ("vendor_phone", "vendor_email", "vendor_tax_id")
MIN_CONTACT_PROBABILITY = 0.5  # of a piece
MIN_SHARE = 0.02  # of a party in a run of pieces: none rules it out
# Of the mean share of a block's runs. With 2 the mean confidence of 550 values on real invoices stays as near to the
# share that is right as without this step; with 1 it was five points too low (2026-11-24).
EVIDENCE_POWER = 2.0
SAME_PARTY_FACTOR = 0.1  # for two blocks of one party with different addresses
MAX_RUNS = 300  # of a page; one with more names and addresses is a directory
MAX_ASSIGNMENTS = 1000  # of blocks to parties; where there would be more, the blocks with the fewest runs are left out
MIN_COMMON_LETTERS = 8  # of blocks that print the same
# For the party that a block's heading names. It outweighs a network that is sure of another party, see MIN_SHARE.
HEADING_FACTOR = 1e5
OTHER_HEADING_FACTOR = 0.2  # for what is below the heading of a party without fields, if it has another place
MAX_ADDRESS_LINES = 5  # below the name of a party
MIN_ADDRESS_NUMBERS = 2  # of a street and of a town; a lone one is an order's or a customer's: "Order 12345"
ADDRESS_BELOW_PROBABILITY = 0.6  # of the lines below the name of a party that has no other address


def decide_parties(page: PageLabels) -> PageLabels:
    """Return the page with the probabilities of names and addresses divided anew among the parties."""
    pieces = page.pieces
    parties = PartyFields.of(page.document_type, page.names)
    if parties is None:
        return page
    runs = list(find_runs(page.labels, parties, pieces))
    if len(runs) > MAX_RUNS:
        return page
    labels = with_streets_below_names(page.labels, runs, parties, page)
    if labels is not page.labels:
        runs = list(find_runs(labels, parties, pieces))
    found = list(find_blocks(runs, pieces))
    headed = sorted(
        zip(found, headings_of(found, pieces, page.lines), strict=True),
        key=lambda one: (one[1] is not None, len(one[0])),
        reverse=True,
    )[: int(math.log(MAX_ASSIGNMENTS, parties.count))]
    if not headed:
        return page
    blocks, headings = [block for block, _ in headed], [heading for _, heading in headed]
    decided = labels.copy()
    served = service_factors(blocks, headings, parties, pieces, page.lines, _contacts(page))
    factors = _heading_factors(headings, parties) * served
    all_shares = _party_shares(blocks, pieces, factors)
    elsewhere = {  # parties with the parts that are printed below no heading of a party without fields
        (int(shares.argmax()), run.part)
        for block, heading, shares in zip(blocks, headings, all_shares, strict=True)
        for run in block
        if not _is_of_other(heading)
    }
    for block, heading, shares in zip(blocks, headings, all_shares, strict=True):
        for run in block:
            is_other = _is_of_other(heading) and (int(shares.argmax()), run.part) in elsewhere
            kept = shares * (OTHER_HEADING_FACTOR if is_other else 1.0)
            for columns in parties.columns[run.part]:
                total = labels[np.ix_(run.indices, columns)].sum(axis=1, keepdims=True)  # [pieces, 1]
                decided[np.ix_(run.indices, columns)] = total * kept.astype(np.float32)
    add_missed_names(decided, blocks, all_shares, parties, page)
    _add_addresses_below(decided, blocks, headings, parties, page)
    _decide_tax_numbers(decided, blocks, headings, page)
    _leave_out_numbers_of_parties(decided, blocks, headings, page)
    return page.with_labels(decided)


def _is_of_other(heading: PartyHeading | None) -> bool:
    return heading is not None and heading.party == OTHER


def _heading_factors(headings: Sequence[PartyHeading | None], parties: PartyFields) -> NDArray[np.float64]:
    """Return the factors of the parties for each block, [blocks, R]."""
    return np.array(
        [
            [HEADING_FACTOR if heading and prefix == heading.party else 1.0 for prefix in parties.prefixes]
            for heading in headings
        ]
    )


def _add_addresses_below(
    decided: NDArray[np.float32], blocks: Sequence[Block], headings: Sequence[PartyHeading | None],
    parties: PartyFields, page: PageLabels,
) -> None:  # fmt: skip
    """Take the lines below the name under the heading of a party for its address, in place, if it has no other one.

    decided: [T, K].
    """
    begins, continues = parties.columns[ADDRESS_PART]  # [R] each
    for block, heading in zip(blocks, headings, strict=True):
        party = parties.prefixes.index(heading.party) if heading and heading.party in parties.prefixes else None
        if party is None or any(run.part == ADDRESS_PART for run in block):
            continue
        begin, inside = int(begins[party]), int(continues[party])
        below = _address_below(block[-1], decided, page)
        if below and decided[:, [begin, inside]].sum(axis=1).max() < MIN_PART_PROBABILITY:
            decided[below] *= 1 - ADDRESS_BELOW_PROBABILITY
            decided[below, inside] = ADDRESS_BELOW_PROBABILITY
            decided[below[0], [begin, inside]] = ADDRESS_BELOW_PROBABILITY, 0.0


def _address_below(name: Run, decided: NDArray[np.float32], page: PageLabels) -> list[int]:
    """Return the lines below a name in its column from one with a number to the first with a postal code.

    None of them may be of a field; what has no number is a department or a person. decided: [T, K].
    """
    address: list[int] = []
    last = list(name.indices)
    for _ in range(MAX_ADDRESS_LINES):
        below = page.lines.below(last)
        if below is None or not begins_in_column(box_of(last, page.pieces), box_of(below, page.pieces)):
            break
        text = page.text(below)
        is_free = decided[below, NO_FIELD].mean() > 1 - MIN_PART_PROBABILITY
        if not is_free or ":" in text or party_of_heading(text) is not None or _begins_with_label(below, page.pieces):
            break
        has_number = any(map(str.isdigit, text))
        address += below if address or has_number else []
        if has_postal_code(text, is_first=len(address) == len(below)):
            count = sum(page.pieces[index].text[0].isdigit() for index in address)
            return address if count >= MIN_ADDRESS_NUMBERS else []
        last = below
    return []


def _begins_with_label(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line is a label, or a label and a number: "Customer no. 10234"; "PO" of "PO Box 12" is none."""
    ends = [at for at, index in enumerate(line) if at and pieces[index].text[0].isdigit()][:1]
    return any(is_business_label(text_of(line[:end], pieces)) for end in [*ends, len(line)])


def _decide_tax_numbers(
    decided: NDArray[np.float32], blocks: Sequence[Block], headings: Sequence[PartyHeading | None], page: PageLabels
) -> None:
    """Give the tax numbers below the name and address of a party with a heading to this party, in place.

    decided: [T, K].
    """
    pieces = page.pieces
    columns = {
        name.removesuffix(TAX_PART): [begin_label(number), inside_label(number)]
        for name, number in page.numbers.items()
        if name.endswith(TAX_PART)
    }
    everyones = [column for some in columns.values() for column in some]
    headed = [(block, heading.party) for block, heading in zip(blocks, headings, strict=True) if heading]
    if not everyones or not headed or not len(decided):
        return
    are_likely = decided[:, everyones].sum(axis=1) >= MIN_PART_PROBABILITY  # [T]
    for line in page.lines:
        likely = [index for index in line if are_likely[index]]
        above = [
            (box_of(likely, pieces)[1] - block[-1].box[1], party)
            for block, party in headed
            if likely and any(begins_in_column(block[-1].box, box_of(one, pieces)) for one in (line, likely))
        ]
        if above:
            own = columns.get(min(above)[1])
            begins, continues = (decided[np.ix_(likely, everyones[at::2])].sum(axis=1) for at in (0, 1))  # [pieces]
            decided[np.ix_(likely, everyones)] = 0
            if own:
                decided[likely, own[0]], decided[likely, own[1]] = begins, continues


def _leave_out_numbers_of_parties(
    decided: NDArray[np.float32], blocks: Sequence[Block], headings: Sequence[PartyHeading | None], page: PageLabels
) -> None:
    """A number between the heading of a party and its name, as in "Nummer: 4711", is not the document's; in place.

    decided: [T, K].
    """
    pieces = page.pieces
    of_documents = [page.numbers[name] for name in NUMBERS_OF_DOCUMENTS if name in page.numbers]
    columns = [label(number) for number in of_documents for label in (begin_label, inside_label)]
    headed = [(heading, block) for block, heading in zip(blocks, headings, strict=True) if heading]
    for line in page.lines if headed else ():
        box = box_of(line, pieces)
        if any(is_between(box, heading, block) for heading, block in headed):
            words = takewhile(lambda word: not any(map(str.isdigit, word.text)), (pieces[at] for at in line))
            if field_of_label(join_pieces(list(words)), page.document_type) not in NUMBERS_OF_DOCUMENTS:
                decided[np.ix_(line, columns)] = 0


def _contacts(page: PageLabels) -> frozenset[int]:
    """Return the pieces of the telephones, e-mail addresses and tax numbers that are likely to be the vendor's."""
    known = [page.probability(name) for name in VENDOR_CONTACTS if page.single_field(name)]
    return frozenset(int(at) for own in known for at in np.flatnonzero(own > MIN_CONTACT_PROBABILITY))


def _party_shares(
    blocks: Sequence[Block], pieces: Sequence[Piece], factors: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return the probabilities of the parties for each block, [R], over all assignments of blocks to parties.

    factors: of the parties by headings and service addresses, [blocks, R].
    """
    evidence = EVIDENCE_POWER * np.array(
        [np.mean([np.log(np.maximum(run.shares, MIN_SHARE)) for run in block], axis=0) for block in blocks]
    )  # [blocks, R]
    evidence += np.log(factors)
    texts = [[letters_of(run, pieces) for run in block] for block in blocks]
    addresses = [
        "".join(text for run, text in zip(block, some, strict=True) if run.part)
        for block, some in zip(blocks, texts, strict=True)
    ]
    whole = ["".join(some) for some in texts]
    assigned = np.array(list(product(range(evidence.shape[1]), repeat=len(blocks))))  # [assignments, blocks]
    weights = np.exp(evidence[range(len(blocks)), assigned].sum(axis=1))
    for one, other in combinations(range(len(blocks)), 2):
        same_party = assigned[:, one] == assigned[:, other]
        if _print_the_same(whole[one], whole[other]):
            weights[~same_party] *= SAME_PARTY_FACTOR
        elif addresses[one] and addresses[other]:
            weights[same_party] *= SAME_PARTY_FACTOR
    shares = [np.bincount(column, weights, evidence.shape[1]) for column in assigned.T]
    return [share / share.sum() for share in shares]


def _print_the_same(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= MIN_COMMON_LETTERS and shorter in longer

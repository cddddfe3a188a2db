"""Where a service is delivered: bills for water, power and the like print it, and the party that lives there.

Payment slips at the foot of American bills have the customer and the vendor side by side, in either order and without
headings. The one with the service address is the customer.
"""

from collections.abc import Iterator, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.parties.blocks import (
    ADDRESS_PART,
    NAME_PART,
    Block,
    PartyFields,
    alphanumeric,
    letters_of,
)
from docextract.extraction.layout.parties.headings import PartyHeading
from docextract.extraction.layout.pieces import Piece, text_of
from docextract.extraction.layout.places import PrintedLines

SERVICE_ADDRESS = "service_address"  # a kind of captions
VENDOR, CUSTOMER = "vendor", "customer"
MAX_SERVICE_CAPTION_PIECES = 5
MIN_ADDRESS_LETTERS = 8  # "418ALDERCT"; shorter ones are parts of others
# For the customer of a block with the service address, and for the vendor of one with another name and address. It
# outweighs a network that is sure of the opposite for both, as `HEADING_FACTOR` does.
SERVICE_FACTOR = 1e5


def service_factors(
    blocks: Sequence[Block], headings: Sequence[PartyHeading | None], parties: PartyFields, pieces: Sequence[Piece],
    lines: PrintedLines, contacts: Set[int],
) -> NDArray[np.float64]:  # fmt: skip
    """Return the factors of the parties for each block by the service address of the page, [blocks, R].

    Blocks with headings are left to these. A workshop prints its own address as that of the service. It says nothing if
    another party has the heading of the customer, or if the vendor's telephone, e-mail address or tax number is beside
    and no other block seems to be the vendor. contacts: the pieces of these.
    """
    factors = np.ones((len(blocks), parties.count))
    if not {VENDOR, CUSTOMER} <= set(parties.prefixes):
        return factors
    own = [heading is None or heading.party == CUSTOMER for heading in headings]
    served = {at for at in _served(blocks, pieces, lines) if own[at]}
    customers = {name for at in served if (name := _first_word(blocks[at], pieces))}
    others = {at for at, heading in enumerate(headings) if heading is not None and heading.party == CUSTOMER} - served
    if any(_first_word(blocks[at], pieces) not in {*customers, ""} for at in others):
        return factors
    vendor = parties.prefixes.index(VENDOR)
    has_other_vendor = any(_likeliest_party(blocks[at]) == vendor for at in {*range(len(blocks))} - served)
    if not has_other_vendor and any(_has_contact(blocks[at], lines, contacts) for at in served):
        return factors
    for at, (block, heading) in enumerate(zip(blocks, headings, strict=True)):
        if heading is not None:
            continue
        if at in served:
            factors[at, parties.prefixes.index(CUSTOMER)] = SERVICE_FACTOR
        elif customers and _has_address(block) and _first_word(block, pieces) not in {*customers, ""}:
            factors[at, vendor] = SERVICE_FACTOR
    return factors


def _likeliest_party(block: Block) -> int:
    return int(np.mean([run.shares for run in block], axis=0).argmax())


def _served(blocks: Sequence[Block], pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[int]:
    """Yield the numbers of the blocks with a service address of the page; one of both may have more of the town."""
    printed = list(_service_addresses(pieces, lines))
    for at, block in enumerate(blocks) if printed else ():
        address = "".join(letters_of(run, pieces) for run in block if run.part == ADDRESS_PART)
        if len(address) >= MIN_ADDRESS_LETTERS and any(
            address.startswith(other) or other.startswith(address) for other in printed
        ):
            yield at


def _service_addresses(pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[str]:
    """Yield the letters and digits of what is behind captions of service addresses, beside or below them."""
    for line in lines:
        ends = range(min(MAX_SERVICE_CAPTION_PIECES, len(line)), 0, -1)
        end = next((end for end in ends if is_caption(text_of(line[:end], pieces), SERVICE_ADDRESS)), 0)
        behind = (line[end:] or lines.right_of(line) or lines.below(line) or []) if end else []
        address = alphanumeric(text_of(behind, pieces)) if behind else ""
        if len(address) >= MIN_ADDRESS_LETTERS and any(map(str.isdigit, address)):
            yield address


def _has_address(block: Block) -> bool:
    return any(run.part == ADDRESS_PART for run in block)


def _has_contact(block: Block, lines: PrintedLines, contacts: Set[int]) -> bool:
    """Whether one of some pieces is on a line of a block, or on the line directly below it."""
    own = [lines.of(run.indices[0]) for run in block]
    below = [lines.below(line) or () for line in own]
    return any(not contacts.isdisjoint(line) for line in (*own, *below))


def _first_word(block: Block, pieces: Sequence[Piece]) -> str:
    """Return the first word of the name in a block; "" without a name. Branches of one company begin alike."""
    names = [run for run in block if run.part == NAME_PART]
    return alphanumeric(pieces[names[0].indices[0]].text) if names else ""

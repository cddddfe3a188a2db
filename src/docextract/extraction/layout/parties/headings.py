"""Headings of parties, such as "Verkäufer" or "Bill to", and the blocks of print that they belong to."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from docextract.documents.printed_labels import party_of_heading
from docextract.extraction.layout.parties.blocks import ADDRESS_PART, MAX_ADDRESS_STEP, Block
from docextract.extraction.layout.pieces import Piece, text_of
from docextract.extraction.layout.places import PieceBox, PrintedLines, box_of, is_right_below

MAX_HEADING_STEP = 7.0  # line heights, from a heading to the first line of its block: labels may be between
ASIDE_WEIGHT = 0.2  # of the distance to the right against that downwards: values may stand beside labels


class PartyHeading(NamedTuple):
    """A line that names a party, such as "Verkäufer"."""

    party: str  # see `party_of_heading`
    box: PieceBox


def headings_of(blocks: Sequence[Block], pieces: Sequence[Piece], lines: PrintedLines) -> list[PartyHeading | None]:
    """Return the heading of each block; None without a heading.

    A heading is a line of its own. It belongs to the nearest block that begins below it and not left of it.
    """
    nearest: dict[int, tuple[float, PartyHeading]] = {}  # by block: distance of its heading
    for line in lines:
        party = party_of_heading(text_of(line, pieces))
        if party is None:
            continue
        box = box_of(line, pieces)
        distances = [_below_heading(box, block[0].box) for block in blocks]
        distance = min(distances, default=math.inf)  # a heading may be all that a page has of its parties
        if distance < math.inf:
            block = distances.index(distance)
            if block not in nearest or distance < nearest[block][0]:
                nearest[block] = distance, PartyHeading(party, box)
    found = [nearest[at][1] if at in nearest else None for at in range(len(blocks))]
    for at, heading in enumerate(list(found)):  # a label may be between the name below a heading and its address
        is_name = heading is not None and all(run.part != ADDRESS_PART for run in blocks[at])
        following = [
            other for other, block in enumerate(blocks)
            if is_name and found[other] is None and block[0].part == ADDRESS_PART
            and begins_in_column(blocks[at][-1].box, block[0].box)
        ]  # fmt: skip
        if following:
            found[min(following, key=lambda other: blocks[other][0].box[1])] = heading
    return found


def is_between(box: PieceBox, heading: PartyHeading, block: Block) -> bool:
    """Whether a line is between a heading and its block, and begins where either of them does."""
    left, top, _, bottom = box
    begins = any(abs(left - other[0]) < bottom - top for other in (heading.box, block[0].box))
    return begins and heading.box[3] < (top + bottom) / 2 < block[0].box[1]


def begins_in_column(upper: PieceBox, lower: PieceBox) -> bool:
    """Whether a line begins where another one above it does, with few lines between."""
    return abs(upper[0] - lower[0]) < upper[3] - upper[1] and is_right_below(upper, lower, MAX_ADDRESS_STEP)


def _below_heading(heading: PieceBox, first: PieceBox) -> float:
    """Return the distance of the first line of a block from a heading, in line heights; infinite if it is elsewhere."""
    height = heading[3] - heading[1]
    down, right = (first[1] - heading[1]) / height, (first[0] - heading[0]) / height
    return down + ASIDE_WEIGHT * abs(right) if right > -1 and 0 < down < MAX_HEADING_STEP else math.inf

"""Decides which party each name and address of a page belongs to: whole blocks of print, and all of them together.

The network labels each piece alone, so that the lines of one address can be divided between vendor and customer, and
two companies can both be the customer. A block is a name with the address below it, or either alone. All of its pieces
belong to one party, blocks that print the same belong to the same party, and two blocks with different addresses seldom
do. The probability that a piece is part of a name or of an address stays; it is divided anew among the parties.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType
from docextract.documents.printed_labels import OTHER, party_of_heading
from docextract.extraction.layout.addresses import has_postal_code
from docextract.extraction.layout.labels import LabelProbabilities, begin_label, inside_label
from docextract.extraction.layout.pieces import Piece, join_pieces
from docextract.extraction.layout.places import MAX_LINE_STEP, PieceBox, PrintedLines, box_of, is_right_below

PARTS = ("_name", "_address")  # of a party, as ends of the names of its fields; a name begins a block
ADDRESS_PART = 1
MIN_PART_PROBABILITY = 0.3  # of a piece, that it belongs to this part of any party
MIN_SHARE = 0.02  # of a party in a run of pieces: none rules it out
# Of the mean share of a block's runs. With 2 the mean confidence of 550 values on real invoices stays as near to the
# share that is right as without this step; with 1 it was five points too low (2026-11-24).
EVIDENCE_POWER = 2.0
SAME_PARTY_FACTOR = 0.1  # for two blocks of one party with different addresses
MAX_ADDRESS_STEP = 4.5  # line heights: a line of which the network is not sure may be between two lines of an address
MAX_RUNS = 300  # of a page; one with more names and addresses is a directory
MAX_ASSIGNMENTS = 1000  # of blocks to parties; where there would be more, the blocks with the fewest runs are left out
MIN_COMMON_LETTERS = 8  # of blocks that print the same
HEADING_FACTOR = 1000.0  # for the party that a block's heading names
OTHER_HEADING_FACTOR = 0.2  # for names and addresses below the heading of a party without fields
NAME_ABOVE_PROBABILITY = 0.6  # of the words above the address of a party that has no other name
MAX_HEADING_STEP = 7.0  # line heights, from a heading to the first line of its block: labels may be between
ASIDE_WEIGHT = 0.2  # of the distance to the right against that downwards: values may stand beside labels


@dataclass(frozen=True)
class _Parties:
    """The parties of a document type, and their label columns. R parties."""

    prefixes: tuple[str, ...]  # of the names of their fields: "vendor"
    columns: NDArray[np.intp]  # [parts, 2, R]; the labels that begin and that continue each part of each party

    @property
    def count(self) -> int:
        """R."""
        return int(self.columns.shape[2])

    @classmethod
    def of(cls, document_type: DocumentType, names: Sequence[str]) -> "_Parties | None":
        """The parties that have a name and an address; None for a type with fewer than two."""
        fields = {field.name for field in document_type.fields() if field.group is None} & set(names)
        prefixes = [name.removesuffix(PARTS[0]) for name in sorted(fields) if name.endswith(PARTS[0])]
        parties = [prefix for prefix in prefixes if all(prefix + part in fields for part in PARTS)]
        if len(parties) < 2:
            return None
        numbers = [[names.index(prefix + part) for prefix in parties] for part in PARTS]
        return cls(
            tuple(parties),
            np.array([[[label(number) for number in row] for label in (begin_label, inside_label)] for row in numbers]),
        )


@dataclass(frozen=True)
class _Run:
    """Consecutive pieces of one line that are probably part of a name or an address. part: an index into PARTS."""

    indices: tuple[int, ...]
    part: int
    shares: NDArray[np.float64]  # [R], of the parties, by the network
    box: PieceBox


_Block = list[_Run]


def decide_parties(
    document_type: DocumentType, names: Sequence[str], pieces: Sequence[Piece], probabilities: LabelProbabilities
) -> LabelProbabilities:
    """Return the probabilities with those of names and addresses divided anew among the parties.

    names: the network's fields, in the order of its labels. probabilities: for this document type.
    """
    parties = _Parties.of(document_type, names)
    if parties is None:
        return probabilities
    labels = probabilities.labels
    runs = list(_runs(labels, parties, pieces))
    if len(runs) > MAX_RUNS:
        return probabilities
    blocks = list(_blocks(runs, pieces))
    blocks = sorted(blocks, key=len, reverse=True)[: int(math.log(MAX_ASSIGNMENTS, parties.count))]
    if not blocks:
        return probabilities
    decided = labels.copy()
    headings = _headings_of(blocks, pieces)
    factors = np.ones((len(blocks), parties.count))
    for row, heading in zip(factors, headings, strict=True):
        if heading in parties.prefixes:
            row[parties.prefixes.index(heading)] = HEADING_FACTOR
    all_shares = _party_shares(blocks, pieces, factors)
    for block, heading, shares in zip(blocks, headings, all_shares, strict=True):
        kept = shares * (OTHER_HEADING_FACTOR if heading == OTHER else 1.0)
        for run in block:
            for columns in parties.columns[run.part]:
                total = labels[np.ix_(run.indices, columns)].sum(axis=1, keepdims=True)  # [pieces, 1]
                decided[np.ix_(run.indices, columns)] = total * kept.astype(np.float32)
    _add_names_above(decided, blocks, all_shares, parties, pieces)
    return replace(probabilities, labels=decided)


def _add_names_above(
    decided: NDArray[np.float32], blocks: Sequence[_Block], shares: Sequence[NDArray[np.float64]], parties: _Parties,
    pieces: Sequence[Piece],
) -> None:  # fmt: skip
    """Take the words above the likeliest address of a party for its name, in place, if it has no other name.

    decided: [T, K].
    """
    begins, continues = parties.columns[PARTS.index("_name")]  # [R] each
    lines = PrintedLines(pieces)
    for party, (begin, inside) in enumerate(zip(begins, continues, strict=True)):
        if not len(decided) or decided[:, [begin, inside]].sum(axis=1).max() >= MIN_PART_PROBABILITY:
            continue
        best = max(range(len(blocks)), key=lambda at: float(shares[at][party]))
        above = lines.above(blocks[best][0].indices) or []
        if shares[best].argmax() == party and _are_name(above, pieces):
            decided[above] *= 1 - NAME_ABOVE_PROBABILITY
            decided[above, inside] = NAME_ABOVE_PROBABILITY
            decided[above[0], [begin, inside]] = NAME_ABOVE_PROBABILITY, 0.0


def _are_name(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a line may be a name: several words without digits, and no heading or label."""
    text = join_pieces([pieces[index] for index in line])
    words = [pieces[index].text for index in line if pieces[index].text.isalpha()]
    return len(words) > 1 and ":" not in text and not any(map(str.isdigit, text)) and party_of_heading(text) is None


def _headings_of(blocks: Sequence[_Block], pieces: Sequence[Piece]) -> list[str | None]:
    """Return the party that the heading of each block names; None without a heading.

    A heading is a line of its own. It belongs to the nearest block that begins below it and not left of it.
    """
    nearest: dict[int, tuple[float, str]] = {}  # by block: distance of its heading, and the party
    for line in PrintedLines(pieces):
        party = party_of_heading(join_pieces([pieces[index] for index in line]))
        distances = [_below_heading(box_of(line, pieces), block[0].box) for block in blocks] if party else [math.inf]
        distance = min(distances)
        if party and distance < math.inf:
            block = distances.index(distance)
            nearest[block] = min((distance, party), nearest.get(block, (math.inf, "")))
    found = [nearest[at][1] if at in nearest else None for at in range(len(blocks))]
    for at, party in enumerate(list(found)):  # a label may be between the name below a heading and its address
        is_name = party is not None and all(run.part != ADDRESS_PART for run in blocks[at])
        following = [
            other for other, block in enumerate(blocks)
            if is_name and found[other] is None and block[0].part == ADDRESS_PART
            and _begins_in_column(blocks[at][-1].box, block[0].box)
        ]  # fmt: skip
        if following:
            found[min(following, key=lambda other: blocks[other][0].box[1])] = party
    return found


def _begins_in_column(upper: PieceBox, lower: PieceBox) -> bool:
    return abs(upper[0] - lower[0]) < upper[3] - upper[1] and is_right_below(upper, lower, MAX_ADDRESS_STEP)


def _below_heading(heading: PieceBox, first: PieceBox) -> float:
    """Return the distance of the first line of a block from a heading, in line heights; infinite if it is elsewhere."""
    height = heading[3] - heading[1]
    down, right = (first[1] - heading[1]) / height, (first[0] - heading[0]) / height
    return down + ASIDE_WEIGHT * abs(right) if right > -1 and 0 < down < MAX_HEADING_STEP else math.inf


def _runs(labels: NDArray[np.float32], parties: _Parties, pieces: Sequence[Piece]) -> Iterator[_Run]:
    """Yield the runs in reading order. labels: [T, K]."""
    by_party = np.stack([labels[:, columns].sum(axis=1) for columns in parties.columns])  # [parts, T, R]
    by_part = by_party.sum(axis=2)  # [parts, T]
    likeliest = by_part.argmax(axis=0)  # [T]
    chosen = by_part.max(axis=0) >= MIN_PART_PROBABILITY
    runs: list[list[int]] = []
    for index in np.flatnonzero(chosen).tolist():
        last = runs[-1][-1] if runs else None
        follows = last is not None and last == index - 1 and pieces[last].line == pieces[index].line
        if follows and likeliest[index] == likeliest[index - 1]:
            runs[-1].append(index)
        else:
            runs.append([index])
    for run in runs:
        part = int(likeliest[run[0]])
        of_parties = by_party[part, run].astype(np.float64)  # [pieces, R]
        shares = (of_parties / of_parties.sum(axis=1, keepdims=True)).mean(axis=0)
        yield _Run(tuple(run), part, shares, box_of(run, pieces))


def _blocks(runs: Sequence[_Run], pieces: Sequence[Piece]) -> Iterator[_Block]:
    """Yield the runs of each block. A run continues the block of the run directly above it, or before it on its line.

    A name below an address begins a block of its own.
    """
    blocks: list[_Block] = []
    for run in runs:
        for block in reversed(blocks):
            if run.part >= block[-1].part and _goes_on(block[-1], run, pieces) and not _is_next(block, run, pieces):
                block.append(run)
                break
        else:
            blocks.append([run])
    yield from blocks


def _goes_on(last: _Run, run: _Run, pieces: Sequence[Piece]) -> bool:
    """Whether a run is behind another on its line, or directly below it."""
    if pieces[last.indices[0]].line == pieces[run.indices[0]].line:
        return run.indices[0] > last.indices[-1]
    max_step = MAX_ADDRESS_STEP if last.part == run.part == ADDRESS_PART else MAX_LINE_STEP
    return is_right_below(last.box, run.box, max_step)


def _is_next(block: _Block, run: _Run, pieces: Sequence[Piece]) -> bool:
    """Whether a run begins the next address, as below a sender's line; after a postal code only a country goes on."""
    texts = [join_pieces([pieces[index] for index in one.indices]) for one in block if one.part == ADDRESS_PART]
    is_whole = any(has_postal_code(text, is_first=at == 0) for at, text in enumerate(texts))
    return is_whole and any(char.isdigit() for char in join_pieces([pieces[index] for index in run.indices]))


def _party_shares(
    blocks: Sequence[_Block], pieces: Sequence[Piece], factors: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return the probabilities of the parties for each block, [R], over all assignments of blocks to parties.

    factors: of the parties by headings, [blocks, R].
    """
    evidence = EVIDENCE_POWER * np.array(
        [np.mean([np.log(np.maximum(run.shares, MIN_SHARE)) for run in block], axis=0) for block in blocks]
    )  # [blocks, R]
    evidence += np.log(factors)
    texts = [[_letters(run, pieces) for run in block] for block in blocks]
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


def _letters(run: _Run, pieces: Sequence[Piece]) -> str:
    return "".join(filter(str.isalnum, "".join(pieces[index].text for index in run.indices))).upper()


def _print_the_same(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= MIN_COMMON_LETTERS and shorter in longer

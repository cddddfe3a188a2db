"""The blocks of print on a page that are the name and the address of a party, by the network's labels.

A block is a name with the address below it, or either alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType
from docextract.documents.postal_codes import has_postal_code
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import Piece, text_of
from docextract.extraction.layout.places import MAX_LINE_STEP, PieceBox, box_of, is_right_below

PARTS = ("_name", "_address")  # of a party, as ends of the names of its fields; a name begins a block
NAME_PART, ADDRESS_PART = 0, 1
MIN_PART_PROBABILITY = 0.3  # of a piece, that it belongs to this part of any party
MAX_ADDRESS_STEP = 4.5  # line heights: a line of which the network is not sure may be between two lines of an address


@dataclass(frozen=True)
class PartyFields:
    """The parties of a document type, and their label columns. R parties."""

    prefixes: tuple[str, ...]  # of the names of their fields: "vendor"
    columns: NDArray[np.intp]  # [parts, 2, R]; the labels that begin and that continue each part of each party

    @property
    def count(self) -> int:
        """R."""
        return int(self.columns.shape[2])

    @classmethod
    def of(cls, document_type: DocumentType, names: Sequence[str]) -> "PartyFields | None":
        """Return the parties that have a name and an address; None for a type with fewer than two."""
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
class Run:
    """Consecutive pieces of one line that are probably part of a name or an address. part: an index into PARTS."""

    indices: tuple[int, ...]
    part: int
    shares: NDArray[np.float64]  # [R], of the parties, by the network
    box: PieceBox


Block = list[Run]


def find_runs(labels: NDArray[np.float32], parties: PartyFields, pieces: Sequence[Piece]) -> Iterator[Run]:
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
        yield Run(tuple(run), part, shares, box_of(run, pieces))


def find_blocks(runs: Sequence[Run], pieces: Sequence[Piece]) -> Iterator[Block]:
    """Yield the runs of each block. A run continues the block of the run directly above it, or before it on its line.

    A name below an address begins a block of its own.
    """
    blocks: list[Block] = []
    for run in runs:
        for block in reversed(blocks):
            if run.part >= block[-1].part and _goes_on(block[-1], run, pieces) and not _is_next(block, run, pieces):
                block.append(run)
                break
        else:
            blocks.append([run])
    yield from blocks


def letters_of(run: Run, pieces: Sequence[Piece]) -> str:
    """Return the letters and digits of a run, in capitals, for texts that are compared."""
    return alphanumeric("".join(pieces[index].text for index in run.indices))


def alphanumeric(text: str) -> str:
    """Return the letters and digits of a text, in capitals."""
    return "".join(filter(str.isalnum, text)).upper()


def _goes_on(last: Run, run: Run, pieces: Sequence[Piece]) -> bool:
    """Whether a run is behind another on its line, or directly below it."""
    if pieces[last.indices[0]].line == pieces[run.indices[0]].line:
        return run.indices[0] > last.indices[-1]
    max_step = MAX_ADDRESS_STEP if last.part == run.part == ADDRESS_PART else MAX_LINE_STEP
    return is_right_below(last.box, run.box, max_step)


def _is_next(block: Block, run: Run, pieces: Sequence[Piece]) -> bool:
    """Whether a run begins the next address, as below a sender's line; after a postal code only a country goes on."""
    texts = [text_of(one.indices, pieces) for one in block if one.part == ADDRESS_PART]
    is_whole = any(has_postal_code(text, is_first=at == 0) for at, text in enumerate(texts))
    return is_whole and any(char.isdigit() for char in text_of(run.indices, pieces))

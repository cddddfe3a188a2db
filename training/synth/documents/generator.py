"""Defines the generator of one type of synthetic documents: draws values at random and lays them out on paper."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from docextract.documents.base import Record
from training.synth.sheet import Sheet


@dataclass(frozen=True)
class Generator:
    """Draws records of one document type and lays them out.

    sample:  draws the values of one document. The same state of the generator gives the same record.
    typeset: lays a record out as a Sheet, each run of text tagged with the field that it prints.
    """

    sample: Callable[[Random], Record]
    typeset: Callable[[Any, Random], Sheet]

    def draw(self, rng: Random) -> tuple[Record, Sheet]:
        """Draw a record and lay it out."""
        record = self.sample(rng)
        return record, self.typeset(record, rng)

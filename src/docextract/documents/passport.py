"""Passports: the data page of a TD3 booklet."""

from random import Random

from docextract.documents.base import DocumentType
from docextract.documents.identity import booklet, sampling
from docextract.documents.identity.record import REQUIRED, Identity, check


class Passport(Identity):
    """The data page of a passport."""


def sample(rng: Random) -> Passport:
    """A passport of somebody who never was."""
    return Passport(**sampling.passport(rng))


DOCUMENT_TYPE = DocumentType(
    name="passport", record=Passport, required=REQUIRED, check=check, sample=sample, typeset=booklet.typeset
)

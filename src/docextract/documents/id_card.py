"""Identity cards: either side of a card, or a larger one with everything on its front."""

from random import Random

from docextract.documents.base import DocumentType
from docextract.documents.identity import cards, sampling
from docextract.documents.identity.record import REQUIRED, Identity, check


class IdCard(Identity):
    """One side of an identity card."""


def sample(rng: Random) -> IdCard:
    """A side of a card of somebody who never was."""
    return IdCard(**sampling.id_card(rng))


DOCUMENT_TYPE = DocumentType(
    name="id_card", record=IdCard, required=REQUIRED, check=check, sample=sample, typeset=cards.typeset
)

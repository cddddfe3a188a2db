"""Identity cards: either side of a card, or a larger card with all values on its front."""

from docextract.documents.base import DocumentType
from docextract.documents.identity import REQUIRED_FIELDS, Identity, check_identity


class IdCard(Identity):
    """One side of an identity card."""


DOCUMENT_TYPE = DocumentType(name="id_card", record=IdCard, required=REQUIRED_FIELDS, check=check_identity)
